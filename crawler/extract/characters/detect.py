"""Guessing the encoding of bytes that declare none, from how the text would read.

Nearly any bytes can be decoded as GB18030, Big5 or windows-1252, so that they can be decoded proves
little. What tells them apart is whether the result reads like a language: in real text the few
hundred commonest characters make up half of it or more, while in text read in the wrong encoding
they are as rare as all others. Each encoding worth guessing has a pattern of what is common in the
languages written in it, and the guess is the encoding in which the largest share of the non-ASCII
characters is common.
"""

from __future__ import annotations

import re

from crawler.extract.characters.encodings import decode_leniently

SAMPLE_BYTES = 16_384
"""How much non-ASCII text is looked at: a few milliseconds' worth."""

CONVINCING_SHARE = 0.3
"""Common characters among the non-ASCII ones. Prose reaches .4 to 1 in its own encoding; CJK text
read in another CJK encoding stays below .25 (`tests/extract/test_charset.py`)."""

_STRETCH = re.compile(rb"[ -~]?[\x80-\xff][^<\n]*")
"""From one character before a non-ASCII byte to the end of the line or text node. `<` and line ends
are no part of a character in any encoding here, so stretches begin and end between characters."""

ERROR_WEIGHT = 5
"""Undecodable bytes count as this many uncommon characters."""

_CJK_PUNCTUATION = "、。，．・：；？！（）「」『』《》【】〈〉“”‘’…—～　"

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作"
    "里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从"
    "想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头"
    "文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提"
    "立及比员解水名真论处走义各入几口认条平系气题活别打女变四神总何电数安少报才结反受目太量再感建务做接"
    "必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听却界达光放强即像难且权"
    "思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运网"
    "页站首联系版权链接下载登录注册搜索更多"
)
"""Commonest characters of modern Chinese in simplified script, and those every site has."""

_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作"
    "裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從"
    "想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭"
    "文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提"
    "立及比員解水名真論處走義各入幾口認條平系氣題活別打女變四神總何電數安少報才結反受目太量再感建務做接"
    "必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽卻界達光放強即像難且權"
    "思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運網"
    "頁站首聯絡版權連結下載登入註冊搜尋更多"
)
"""The same in traditional script."""

_KOREAN = (
    "이다는을의에가하고를은지사로한기도리서인자시어대그수나정아해있일들상원부만전제라보구장으여과스주동공용"
    "조성것경우적할면유니세비안까된었습러무생물소진치연트문방마게학신개계위말오때등당관요내와현분거각없터했"
    "회미불년모저중국함입력합됩설파드행실프명통및록본양화음식데료검색"
)
"""Commonest syllables of Korean."""

_LATIN = "[à-öø-ÿšžœßÀ-ÖØ-Þ]"
_CENTRAL = "[ąćęłńóśźżáčďéěíňřšťúůýžăâîșțşţőűöüôäľĺŕđĄĆĘŁŃÓŚŹŻÁČĎÉĚÍŇŘŠŤÚŮÝŽÖÜŐŰ]"
_JAPANESE = f"[ぁ-んァ-ヶー日本人一年大月中会国出上生時行見話{_CJK_PUNCTUATION}]"
_GREEK_SMALL = "α-ωάέήίόύώϊϋΐΰ"
_CYRILLIC_SMALL = "а-яё"


def _words(capitals: str, small: str) -> str:
    """Whole words of two letters or more, nothing foreign beside them, no capital inside them."""
    before, after = "A-Za-z]|[^\x00-\x7f«“„—\xa0", "A-Za-z]|[^\x00-\x7f»”“…—\xa0"
    return f"(?<![{before}])[{capitals}{small}][{small}]+(?![{after}])"


def _between_letters(letter: str) -> str:
    """A letter with a mark stands beside plain ones, French à alone; few other marks occur."""
    return f"(?<=[A-Za-z]){letter}|{letter}(?=[a-z])|(?<= )à(?= )|[«»“”‘’„…–—©®°§·\xa0€]"


_COMMON = {
    encoding: re.compile(pattern)
    for encoding, pattern in {
        "utf-8": "[^\x00-\x7f\ufffd]",
        "gb18030": f"[{_SIMPLIFIED}{_CJK_PUNCTUATION}]",
        "big5": f"[{_TRADITIONAL}{_CJK_PUNCTUATION}]",
        "shift_jis": _JAPANESE,
        "euc-jp": _JAPANESE,
        "euc-kr": f"[{_KOREAN}{_CJK_PUNCTUATION}]",
        "windows-1251": _words("А-ЯЁ", _CYRILLIC_SMALL),
        "koi8-r": _words("А-ЯЁ", _CYRILLIC_SMALL),
        "windows-1253": _words("Α-ΩΆΈΉΊΌΎΏ", _GREEK_SMALL),
        "windows-1252": _between_letters(_LATIN),
        "windows-1250": _between_letters(_CENTRAL),
    }.items()
}

_LAST_RESORT = {
    "gb18030": "gb18030", "big5": "big5", "cp932": "shift_jis", "euc_jp": "euc-jp",
    "cp949": "euc-kr", "cp1250": "windows-1250", "cp1251": "windows-1251",
    "cp1252": "windows-1252", "cp1253": "windows-1253", "cp1254": "windows-1254",
    "cp1255": "windows-1255", "cp1256": "windows-1256", "cp1257": "windows-1257",
    "cp874": "windows-874", "koi8_r": "koi8-r",
}  # fmt: skip
"""What charset_normalizer may answer -> WHATWG's name."""


def detect(body: bytes) -> str | None:
    """Return the encoding in which `body` reads best, or None where nothing reads like text.

    Deterministic; looks at no more than SAMPLE_BYTES. ASCII reads as UTF-8, or as ISO-2022-JP where
    that encoding's escape sequences occur.
    """
    text = sample(body)
    if not text:
        return "iso-2022-jp" if b"\x1b$B" in body or b"\x1b$@" in body else "utf-8"
    best = max(_COMMON, key=lambda encoding: common_share(text, encoding))
    if common_share(text, best) >= CONVINCING_SHARE:
        return best
    from charset_normalizer import from_bytes  # trafilatura's too: loaded with it, see `text`

    match = from_bytes(text, cp_isolation=list(_LAST_RESORT)).best()
    return _LAST_RESORT.get(match.encoding) if match else None


def sample(body: bytes) -> bytes:
    """Return the first SAMPLE_BYTES of those stretches of a page that are not ASCII."""
    if body.isascii():
        return b""
    stretches, size = [], 0
    for match in _STRETCH.finditer(body):
        stretches.append(match.group())
        size += len(match.group()) + 1
        if size >= SAMPLE_BYTES:
            break
    return b"\n".join(stretches)[:SAMPLE_BYTES]


def common_share(text: bytes, encoding: str) -> float:
    """Return how much of a sample's non-ASCII text is common in `encoding`'s languages: at most 1.

    Errors count against it, so the share can be negative; 0 for encodings that are never guessed.
    """
    if encoding not in _COMMON:
        return 0.0
    decoded = decode_leniently(text, encoding)
    common = len("".join(_COMMON[encoding].findall(decoded.text)))
    others = len(decoded.text) - len(decoded.text.encode("ascii", "ignore"))
    return (common - ERROR_WEIGHT * decoded.errors) / others if others else 0.0
