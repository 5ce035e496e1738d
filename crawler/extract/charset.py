"""Bytes to text.

Which encoding a page is in (declared, detected, or by the WHATWG table of labels), and its text.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import webencodings

# Encoding labels by the WHATWG table, and the Python codecs that stand for them.
#
# An encoding's name is WHATWG's in lower case (`windows-1252`, `gb18030`), never a Python codec's.

_LONGEST_CHARACTER_BYTES = 4

SINGLE_BYTE = frozenset(
    {"ibm866", "koi8-r", "koi8-u", "macintosh", "x-mac-cyrillic", "iso-8859-8-i", "windows-874"}
    | {f"windows-{page}" for page in range(1250, 1259)}
    | {f"iso-8859-{part}" for part in range(2, 17) if part != 12}
)
"""Encodings in which nearly any bytes are text, so that decoding without error proves nothing."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A text and how many U+FFFD stand in it for bytes that could not be decoded."""

    text: str
    errors: int


def lookup(label: str | bytes | None) -> str | None:
    """Return the encoding a label means, or None for an unknown one.

    GBK means GB18030, its superset, as in the standard's decoder. `replacement` is a name too: the
    standard gives it to encodings that must not be decoded.
    """
    if isinstance(label, bytes):
        label = label.decode("latin-1")
    if not label or not label.isascii():
        return None
    name = getattr(webencodings.lookup(label), "name", None)
    return "gb18030" if name == "gbk" else name


def decode_strictly(body: bytes, encoding: str) -> Attempt | None:
    """Decode `body`, or return None at the first error.

    A character cut off at the very end is no error of the encoding: the body was truncated. It
    comes out as one U+FFFD.
    """
    try:
        return Attempt(_compatible(body.decode(_codec(encoding)), encoding), 0)
    except UnicodeDecodeError as error:
        if error.start < len(body) - _LONGEST_CHARACTER_BYTES:
            return None
    try:
        text = codecs.getincrementaldecoder(_codec(encoding))("strict").decode(body)
    except UnicodeDecodeError:
        return None
    return Attempt(_compatible(text, encoding) + "\ufffd", 1)


def decode_leniently(body: bytes, encoding: str) -> Attempt:
    """Decode `body` with U+FFFD for what cannot be decoded; linear time, never raises."""
    text = body.decode(_codec(encoding), "replace")
    spelt = body.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0
    return Attempt(_compatible(text, encoding), text.count("\ufffd") - spelt)


def _codec(encoding: str) -> str:
    if encoding == "euc-jp":
        # The superset: it also has row 13 (① ㈱ №), which the standard's has and Python's lacks.
        return "euc_jis_2004"
    return str(webencodings.lookup(encoding).codec_info.name)


def _compatible(text: str, encoding: str) -> str:
    # WHATWG's index has the ideographic space at A3 A0, where editors put it; Python a private one.
    return text.replace("\ue5e5", "\u3000") if encoding == "gb18030" else text


# What a page's first bytes say of its own encoding: <meta>, XML declaration, nothing else.
#
# The prescan of the HTML standard ("prescan a byte stream to determine its encoding", section
# 13.2.3.2), step by step. It reads bytes that are not yet text, so it knows no scripts, no styles
# and no text content: a <meta> inside a script counts, as it does in browsers.

PRESCAN_BYTES = 1024
"""How much of a page the standard's prescan looks at."""

_SPACE = rb"\t\n\x0c\r\x20"
_META = re.compile(rb"<meta(?=[%s/])" % _SPACE, re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z][^%s>]*" % _SPACE)
_SEPARATORS = re.compile(rb"[%s/]*" % _SPACE)
_ATTRIBUTE = re.compile(
    rb"""([^%(s)s/>][^%(s)s/>=]*)
         (?: [%(s)s]* = [%(s)s]*
             (?: "([^"]*)(?:"|\Z) | '([^']*)(?:'|\Z) | ([^%(s)s>"'][^%(s)s>]*) | (?=>) | \Z ) )?
    """
    % {b"s": _SPACE},
    re.VERBOSE,
)
_CONTENT_CHARSET = re.compile(rb"charset[%(s)s]*=[%(s)s]*" % {b"s": _SPACE})
_CONTENT_LABEL = re.compile(rb""""([^"]*)"|'([^']*)'|([^"';%(s)s][^;%(s)s]*)""" % {b"s": _SPACE})
_XML_ENCODING = re.compile(
    rb"""<\?xml [^>]*? encoding [\x00-\x20]* = [\x00-\x20]*
         (?: "([^">\x00-\x20]*)" | '([^'>\x00-\x20]*)' ) [^>]*>""",
    re.VERBOSE,
)


class _OutOfBytes(Exception):
    """The standard's "abort": what was read ends inside a tag, so nothing can be said of it."""


def prescan(data: bytes) -> str | None:
    """Return the encoding that `data`, the start of an HTML page, declares, or None.

    The name is WHATWG's, in lower case. UTF-16 in a <meta> means UTF-8 and x-user-defined means
    windows-1252, as the standard says. Linear in the length of `data`; the standard's end condition
    is given by passing no more than PRESCAN_BYTES.
    """
    if data.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if data.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    try:
        found = _scan(data)
    except _OutOfBytes:
        found = None
    return found or xml_encoding(data)


def xml_encoding(data: bytes) -> str | None:
    """Return the encoding named by an XML declaration at the very start of `data`, or None."""
    match = _XML_ENCODING.match(data)
    return _in_band(lookup(match[1] or match[2])) if match else None


def _scan(data: bytes) -> str | None:
    position = data.find(b"<")
    while position >= 0:
        if data.startswith(b"<!--", position):
            # The two hyphens may be those that open the comment: <!--> is a whole one.
            position = _find(b"-->", data, position + 2) + 2
        elif match := _META.match(data, position):
            attributes, position = _attributes(data, match.end())
            label = attributes.get(b"charset")
            if label is None and attributes.get(b"http-equiv") == b"content-type":
                label = content_label(attributes.get(b"content", b""))
            if encoding := _in_band(lookup(label)):
                return encoding
        elif match := _TAG.match(data, position):
            _, position = _attributes(data, match.end())
        elif data.startswith((b"<!", b"</", b"<?"), position):
            position = _find(b">", data, position)
        position = data.find(b"<", position + 1)
    return None


def _find(what: bytes, data: bytes, position: int) -> int:
    position = data.find(what, position)
    if position < 0:
        raise _OutOfBytes
    return position


def _attributes(data: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Return a tag's attributes in lower case, the first of each name, and where they end."""
    attributes: dict[bytes, bytes] = {}
    while True:
        separators = _SEPARATORS.match(data, position)
        position = separators.end() if separators else position
        match = _ATTRIBUTE.match(data, position)
        if match is None and position < len(data):
            return attributes, position
        if match is None or match.end() == len(data):
            raise _OutOfBytes
        name, *values = match.groups(default=b"")
        attributes.setdefault(name.lower(), b"".join(values).lower())
        position = match.end()


def content_label(content: bytes) -> bytes | None:
    """Return the charset label inside a lower-case `content` value, or None.

    The standard's "extract a character encoding from a meta element" (HTML, section 2.5.5); an
    unmatched quote means no label.
    """
    start = _CONTENT_CHARSET.search(content)
    label = _CONTENT_LABEL.match(content, start.end()) if start else None
    return b"".join(label.groups(default=b"")) if label else None


def _in_band(encoding: str | None) -> str | None:
    """What a name means inside a page: its ASCII was readable, so it cannot be UTF-16."""
    if encoding in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if encoding == "x-user-defined" else encoding


# Guessing the encoding of bytes that declare none, from how the text would read.
#
# Nearly any bytes can be decoded as GB18030, Big5 or windows-1252, so that they can be decoded
# proves little. What tells them apart is whether the result reads like a language: in real text the
# few hundred commonest characters make up half of it or more, while in text read in the wrong
# encoding they are as rare as all others. Each encoding worth guessing has a pattern of what is
# common in the languages written in it, and the guess is the encoding in which the largest share of
# the non-ASCII characters is common.

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
    from charset_normalizer import from_bytes  # what reads pages has loaded it

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


# Bytes to text: which encoding a page is in, and its text in that encoding.
#
# Browsers believe the first declaration they meet: byte order mark, Content-Type header, <meta>.
# Here declarations are heard in the same order, but one under which the bytes cannot be decoded
# loses to one under which they can (`decode` says how), since a crawler has no user who would pick
# another encoding from a menu. Labels mean what the WHATWG Encoding Standard says: `gb2312` is
# GB18030, `iso-8859-1` is windows-1252.

FALLBACK = "windows-1252"
"""Where nothing is declared and nothing detected, as in browsers of most locales."""

LATE_META_BYTES = 16_384
"""How far a <meta> is looked for when the first 1,024 bytes have none. Browsers find those with
their parser and start again."""

CONVINCING_BYTES = 4
"""Continuation bytes after which valid UTF-8 needs no declaration. GB2312 text passes as a UTF-8
sequence with odds of about one in eight a character, so four in a row by one in some thousands,
and real pages have hundreds."""

TOLERATED_ERRORS = 0.01
"""Undecodable bytes among a sample's non-ASCII characters that are taken for blemishes, such as
a character cut in half by the site's own software."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_XML_TYPES = ("application/xhtml+xml", "application/xml", "text/xml")
_MEANINGLESS = ("replacement", "x-user-defined")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text and how it was come by."""

    text: str
    """Without byte order mark, NUL and lone surrogates."""
    encoding: str
    """WHATWG's name in lower case."""
    source: str
    """Who named it: `bom`, `header`, `meta` (or XML declaration), `detected`, or `fallback`."""
    errors: int = 0
    """U+FFFD in the text for bytes that could not be decoded."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """An encoding that a page was said to be in, and by whom: `bom`, `header` or `meta`."""

    encoding: str
    source: str


def decode(body: bytes, declared: str | None, media_type: str) -> Decoded:
    """Return the text of a page's `body`; `declared` is the charset of its Content-Type header.

    The encoding is the first that applies:

    1. a byte order mark's, or UTF-16 where its NUL bytes show it;
    2. UTF-8, where the bytes are valid UTF-8, not ASCII only, and either it is declared, or the
       evidence is overwhelming (CONVINCING_BYTES);
    3. the first declared one that decodes strictly, header before <meta>; but a single-byte label,
       under which nearly anything decodes, gives way to a <meta>, or to UTF-8 with blemishes, if
       the page reads better so;
    4. the declared one, or UTF-8, with the fewest errors, if they are few (TOLERATED_ERRORS);
    5. the detected one (`crawler.extract.charset`);
    6. the declared one with the fewest errors; windows-1252 where none is declared.

    A character cut off at the end of the body is no error here, though it counts in `errors`.
    Text types other than HTML have no <meta>. Pure, linear in the size of the body, never raises.
    """
    choice, attempt = _choose(body, declarations(body, declared, media_type))
    attempt = attempt or decode_leniently(body, choice.encoding)
    text = attempt.text.removeprefix("\ufeff").replace("\0", "")
    return Decoded(text, choice.encoding, choice.source, attempt.errors)


def declarations(body: bytes, declared: str | None, media_type: str) -> tuple[Declaration, ...]:
    """Return what a page is said to be in, strongest first: the sniffing browsers do.

    Each encoding occurs once. Unknown labels and those that stand for no text are left out.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return (Declaration(encoding, "bom"),)
    named = (
        (lookup(declared.strip("\"' ")) if declared else None, "header"),
        (_declared_inside(body, media_type), "meta"),
    )
    sources: dict[str, str] = {}
    for name, source in named:
        if name and name not in _MEANINGLESS:
            sources.setdefault(name, source)
    return tuple(Declaration(encoding, source) for encoding, source in sources.items())


def _declared_inside(body: bytes, media_type: str) -> str | None:
    if media_type in _XML_TYPES and (encoding := xml_encoding(body[:PRESCAN_BYTES])):
        return encoding
    if media_type not in ("text/html", *_XML_TYPES):
        return None
    if early := prescan(body[:PRESCAN_BYTES]):
        return early
    head = body[:LATE_META_BYTES]
    return prescan(head) if b"charset" in head.lower() else None


def _choose(body: bytes, declared: tuple[Declaration, ...]) -> tuple[Declaration, Attempt | None]:
    """Return the encoding, and the text where choosing already made it."""
    if declared and declared[0].source == "bom":
        return declared[0], None
    if (wide := _utf16_by_nuls(body)) and (attempt := decode_strictly(body, wide)):
        return _named(wide, declared), attempt
    utf8 = decode_strictly(body, "utf-8")
    if utf8 and _speaks_for_itself(body, utf8, declared):
        return _named("utf-8", declared), utf8
    if utf8 and "\0" not in utf8.text:
        # Markup in UTF-16 has NUL bytes; without any, UTF-16 is a label in error.
        declared = tuple(d for d in declared if not d.encoding.startswith("utf-16"))
    if better := _reads_better(body, declared, utf8):
        return better, None
    for candidate in declared:
        if attempt := decode_strictly(body, candidate.encoding):
            return candidate, attempt
    return _with_errors(body, declared), None


def _utf16_by_nuls(body: bytes) -> str | None:
    """Tell UTF-16 without a mark: the NUL bytes of its ASCII all stand at even or at odd places."""
    start = body[:SAMPLE_BYTES]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < max(3, len(start) // 50) or min(even, odd) * 20 > max(even, odd):
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _speaks_for_itself(body: bytes, utf8: Attempt, declared: tuple[Declaration, ...]) -> bool:
    continuation_bytes = len(body) - len(utf8.text)
    if any(d.encoding == "utf-8" for d in declared):
        return continuation_bytes > 0 or declared[0].encoding == "utf-8"
    return continuation_bytes >= CONVINCING_BYTES


def _reads_better(
    body: bytes, declared: tuple[Declaration, ...], utf8: Attempt | None
) -> Declaration | None:
    """Return what a header's single-byte label must give way to, blemishes allowed, if anything."""
    if not declared or declared[0].encoding not in SINGLE_BYTE:
        return None
    blemished = () if utf8 else (Declaration("utf-8", "detected"),)
    text = sample(body)
    shares = {each: common_share(text, each.encoding) for each in (*declared, *blemished)}
    best = max(shares, key=shares.__getitem__)
    clearly = shares[best] >= CONVINCING_SHARE and shares[best] > shares[declared[0]]
    return best if clearly else None


def _with_errors(body: bytes, declared: tuple[Declaration, ...]) -> Declaration:
    """Choose where no declared encoding decodes strictly, or none is declared."""
    text = sample(body)
    known = (*declared, Declaration("utf-8", "detected"))
    rates: dict[Declaration, float] = {}
    for each in known:
        attempt = decode_leniently(text, each.encoding)
        others = len(attempt.text) - len(attempt.text.encode("ascii", "ignore"))
        rates[each] = attempt.errors / others if others else 0.0
    best = min(known, key=rates.__getitem__)
    if text and rates[best] <= TOLERATED_ERRORS:
        return best
    if guess := detect(body):
        return _named(guess, declared)
    return min(declared, key=rates.__getitem__, default=Declaration(FALLBACK, "fallback"))


def _named(encoding: str, declared: tuple[Declaration, ...]) -> Declaration:
    """Return the declaration of an encoding that was found out; `detected` if nobody made one."""
    unnamed = Declaration(encoding, "detected")
    return next((each for each in declared if each.encoding == encoding), unnamed)
