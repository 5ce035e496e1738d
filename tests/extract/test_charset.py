"""Bytes to text: round trips, the rule for wrong labels, detection, blemishes, and robustness."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.corpora import parsed

from crawler.extract import charset
from crawler.extract.charset import (
    CONVINCING_SHARE,
    Decoded,
    common_share,
    declarations,
    decode,
    detect,
    prescan,
)

CHINESE = (
    "网络爬虫是一种自动浏览网页的程序，搜索引擎用它来更新自己的网站内容或其他网站的索引。"
    "爬虫访问的网页可以保存下来，以便事后生成索引供用户搜索。重复的页面会浪费大量的时间和空间。"
)
TRADITIONAL = (
    "網路爬蟲是一種自動瀏覽網頁的程式，搜尋引擎用它來更新自己的網站內容或其他網站的索引。"
    "爬蟲訪問的網頁可以保存下來，以便事後生成索引供使用者搜尋。重複的頁面會浪費大量的時間。"
)
JAPANESE = (
    "クローラとは、ウェブ上の文書や画像などを周期的に取得し、自動的にデータベース化するプログラムである。"
    "検索エンジンのデータベースやインデックス作成に用いられているほか、統計調査などにも利用される。"
)
KOREAN = (
    "웹 크롤러는 조직적이고 자동화된 방법으로 월드 와이드 웹을 탐색하는 컴퓨터 프로그램이다. "
    "검색 엔진과 같은 여러 사이트에서는 데이터의 최신 상태를 유지하기 위해 이 작업을 한다."
)
RUSSIAN = (
    "Поисковый робот является составной частью поисковой системы и предназначен для перебора "
    "страниц Интернета с целью занесения информации о них в базу данных."
)
FRENCH = (
    "Un robot d’indexation est un logiciel qui explore automatiquement le Web. Il est généralement "
    "conçu pour collecter les ressources, à savoir les pages, et même les données déjà publiées."
)
POLISH = (
    "Robot internetowy to program zbierający informacje o strukturze, treści i układzie stron. "
    "Można go też używać do sprawdzania, czy odnośniki wciąż działają i są właściwie połączone."
)
GREEK = (
    "Ο ανιχνευτής ιστού είναι ένα πρόγραμμα που περιηγείται αυτόματα στις σελίδες του Παγκόσμιου "
    "Ιστού, με σκοπό τη δημιουργία ευρετηρίου για τις μηχανές αναζήτησης."
)
TEXTS = [
    (CHINESE, "gb18030", "gb18030"),
    (TRADITIONAL, "big5", "big5hkscs"),
    (JAPANESE, "shift_jis", "cp932"),
    (JAPANESE, "euc-jp", "euc_jp"),
    (KOREAN, "euc-kr", "cp949"),
    (RUSSIAN, "windows-1251", "cp1251"),
    (RUSSIAN, "koi8-r", "koi8_r"),
    (GREEK, "windows-1253", "cp1253"),
    (FRENCH, "windows-1252", "cp1252"),
    (POLISH, "windows-1250", "cp1250"),
    (CHINESE, "utf-8", "utf-8"),
    (CHINESE, "utf-16le", "utf-16-le"),
    (CHINESE, "utf-16be", "utf-16-be"),
    (JAPANESE, "iso-2022-jp", "iso2022_jp"),
]
STRICT = [*TEXTS[:5], TEXTS[10]]
IDS = [encoding for _, encoding, _ in TEXTS]


def page(text: str, label: str | None = None, width: int = 3) -> str:
    """Return an HTML page in which `text` stands `width` times."""
    meta = f'<meta charset="{label}">' if label else ""
    paragraphs = "\n".join(f"<p class=c{n}>{text}</p>" for n in range(width))
    return (
        f"<!DOCTYPE html>\n<html><head>{meta}<title>{text[:8]}</title></head>\n{paragraphs}</html>"
    )


def html(body: bytes, declared: str | None = None) -> Decoded:
    """Decode a body as an HTML page."""
    return decode(body, declared, "text/html")


# --------------------------------------------------------------------------------------------------
# Where browsers would read otherwise


@pytest.mark.corpora
def test_where_decoding_differs_from_sniffing() -> None:
    """The text's encoding is another than a browser's only where the bytes leave no doubt."""
    differ, ascii_only = set(), 0
    for case in parsed("conformance/encoding"):
        body = base64.b64decode(case["bytes_base64"])
        found = html(body, case.get("transport"))
        undeclared = not declarations(body, case.get("transport"), "text/html")
        if undeclared and body.isascii():
            ascii_only += 1
            assert (found.encoding, found.source) == ("utf-8", "detected")
        elif found.encoding != case["encoding"]:
            differ.add(case["name"])
    assert ascii_only == 34
    assert differ == {
        "test-yahoo-jp/1",  # declares euc-jp and is UTF-8
        "no-result/no-indicators_windows-1252/default",  # there is no caller's default here
    }


# --------------------------------------------------------------------------------------------------
# Round trips


@pytest.mark.parametrize(("text", "encoding", "codec"), TEXTS, ids=IDS)
def test_declared_by_header(text: str, encoding: str, codec: str) -> None:
    """A page comes out as it was written when the header names its encoding."""
    source = page(text)
    assert html(source.encode(codec), encoding) == Decoded(source, encoding, "header")


@pytest.mark.parametrize(("text", "encoding", "codec"), TEXTS, ids=IDS)
def test_declared_by_meta(text: str, encoding: str, codec: str) -> None:
    """The same by <meta>, except that UTF-16 is never declared inside: it is seen."""
    source = page(text, encoding)
    by = "detected" if encoding.startswith("utf-16") else "meta"
    assert html(source.encode(codec)) == Decoded(source, encoding, by)


@pytest.mark.parametrize(("text", "encoding", "codec"), TEXTS, ids=IDS)
def test_detected(text: str, encoding: str, codec: str) -> None:
    """An undeclared page of a paragraph or more is read in the encoding it was written in."""
    source = page(text)
    assert html(source.encode(codec)) == Decoded(source, encoding, "detected")


@pytest.mark.parametrize("mark", ["utf-8", "utf-16-le", "utf-16-be"])
def test_byte_order_mark(mark: str) -> None:
    """A mark is believed against header and <meta>, and is not part of the text."""
    source = page(CHINESE, "gb2312")
    found = html(("\ufeff" + source).encode(mark), "big5")
    assert found == Decoded(source, mark.replace("-le", "le").replace("-be", "be"), "bom")


@pytest.mark.parametrize(("text", "encoding", "codec"), TEXTS[:10], ids=IDS[:10])
def test_wrong_encodings_read_like_nothing(text: str, encoding: str, codec: str) -> None:
    """The share of common characters is high in the right encoding, and in no other CJK one."""
    body = text.encode(codec)
    assert common_share(body, encoding) > CONVINCING_SHARE + 0.1
    for other in {"gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"} - {encoding}:
        assert common_share(body, other) < CONVINCING_SHARE - 0.05


@pytest.mark.parametrize(("text", "encoding", "codec"), TEXTS[:5], ids=IDS[:5])
def test_short_cjk_texts_are_detected(text: str, encoding: str, codec: str) -> None:
    """Every stretch of 12 characters is enough to tell the five multi-byte encodings apart."""
    stretches = [text[n : n + 12] for n in range(0, len(text) - 12, 6)]
    assert [detect(stretch.encode(codec)) for stretch in stretches] == [encoding] * len(stretches)


# --------------------------------------------------------------------------------------------------
# Wrong labels


def test_declared_utf8_but_gb18030() -> None:
    """A page under a wrong UTF-8 label is read as what it is."""
    source = page(CHINESE, "utf-8")
    assert html(source.encode("gb18030"), "utf-8") == Decoded(source, "gb18030", "detected")


def test_header_utf8_meta_right() -> None:
    """A header that errs loses to a <meta> that does not."""
    source = page(CHINESE, "gb2312")
    assert html(source.encode("gb18030"), "utf-8") == Decoded(source, "gb18030", "meta")
    source = page(RUSSIAN, "windows-1251")
    assert html(source.encode("cp1251"), "utf-8") == Decoded(source, "windows-1251", "meta")


def test_gb2312_means_gb18030() -> None:
    """Characters that need four bytes in GB18030 are read under the label gb2312."""
    source = page("㐀㐁 𠀀𠀁 é ﷼ " + CHINESE, "gb2312")
    assert html(source.encode("gb18030")) == Decoded(source, "gb18030", "meta")


def test_server_default_against_the_pages_own_word() -> None:
    """A header's iso-8859-1, which fits any bytes, loses to a <meta> that fits and reads better."""
    for text, label, codec in [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "gb18030", "gb18030"),
        (JAPANESE, "shift_jis", "cp932"),
        (RUSSIAN, "windows-1251", "cp1251"),
        ("©", "utf-8", "utf-8"),
    ]:
        source = page(text, label)
        assert html(source.encode(codec), "iso-8859-1") == Decoded(source, label, "meta")


def test_server_default_against_a_blemish() -> None:
    """A bad byte does not hand a page over to the header's iso-8859-1, declared UTF-8 or not."""
    for label, source in [("utf-8", "meta"), (None, "detected")]:
        body = page(CHINESE, label, width=5).encode().replace(b"</html>", b"\xe7</html>")
        found = html(body, "iso-8859-1")
        assert (found.encoding, found.source, found.errors) == ("utf-8", source, 1)


def test_header_stands_against_a_wrong_meta() -> None:
    """A right header is not overruled by a <meta> under which the page reads worse."""
    for text, label, codec in [(FRENCH, "windows-1252", "cp1252"), (RUSSIAN, "koi8-r", "koi8_r")]:
        for wrong in ("gb2312", "windows-1251", "windows-1253", "utf-8"):
            source = page(text, wrong)
            assert html(source.encode(codec), label) == Decoded(source, label, "header")


def test_valid_utf8_beats_other_labels() -> None:
    """A page that is valid UTF-8 beyond chance is UTF-8, whatever it is called."""
    for label in ("iso-8859-1", "gb2312", "big5", "windows-1251", "utf-16"):
        for text in (CHINESE, FRENCH):
            source = page(text)
            assert html(source.encode(), label) == Decoded(source, "utf-8", "detected")


def test_ascii_keeps_its_label() -> None:
    """Where bytes prove nothing the declaration stands, except UTF-16, which they disprove."""
    assert html(b"<p>x", "gb2312") == Decoded("<p>x", "gb18030", "header")
    assert html(b"<p>x", "iso-8859-1") == Decoded("<p>x", "windows-1252", "header")
    assert html(b"<p>xy", "utf-16") == Decoded("<p>xy", "utf-8", "detected")
    assert html(b"") == Decoded("", "utf-8", "detected")


# --------------------------------------------------------------------------------------------------
# Blemishes


@pytest.mark.parametrize(("text", "encoding", "codec"), STRICT, ids=[row[1] for row in STRICT])
def test_one_bad_byte_spoils_one_character(text: str, encoding: str, codec: str) -> None:
    """A stray byte in a long declared page costs a character or two, not the page."""
    source = page(text, encoding, width=20)
    body = source.encode(codec)
    middle = body.index(b"</p>", len(body) // 2)
    found = html(body[:middle] + b"\x85" + body[middle:], encoding)
    assert (found.encoding, found.errors) == (encoding, 1)
    assert len(found.text) - len(source) in (0, 1)
    assert found.text.replace("\ufffd", "")[: len(source) // 2] == source[: len(source) // 2]


@pytest.mark.parametrize(("text", "encoding", "codec"), STRICT, ids=[row[1] for row in STRICT])
def test_a_body_cut_inside_a_character(text: str, encoding: str, codec: str) -> None:
    """A truncated body keeps its encoding, declared or not, and ends in one U+FFFD."""
    source = page(text)
    whole = source.encode(codec)
    body = whole[: whole.rindex(text[-3].encode(codec)) + 1]
    for declared in (encoding, None):
        found = html(body, declared)
        assert (found.encoding, found.errors) == (encoding, 1)
        assert source.startswith(found.text.removesuffix("\ufffd"))


def test_one_accent_at_the_end() -> None:
    """A last byte that could begin a UTF-8 character does not make Latin text UTF-8."""
    assert html(b"<p>caf\xe9") == Decoded("<p>café", "windows-1252", "detected")


def test_hopeless_bytes_keep_their_label() -> None:
    """Noise that nothing explains is decoded as declared, or by the fallback, errors counted."""
    noise = random.Random(1).randbytes(2000)
    for declared, expected in [
        ("gbk", ("gb18030", "header")),
        (None, ("windows-1252", "fallback")),
    ]:
        found = html(noise, declared)
        assert (found.encoding, found.source) == expected
        assert found.errors == found.text.count("\ufffd") > 0


def test_a_replacement_character_of_the_page_is_no_error() -> None:
    """U+FFFD spelt in the page's own UTF-8 is text, not a decoding error."""
    body = page("\ufffd" + CHINESE, "utf-8", width=20).encode()
    assert html(body).errors == 0
    assert html(body.replace(b"</html>", b"\xff</html>")).errors == 1


def test_nul_bytes_go() -> None:
    """Stray NUL bytes are dropped and do not make a page UTF-16."""
    body = page(CHINESE, "utf-8").encode().replace(b"<p", b"\0<p")
    assert html(body) == Decoded(page(CHINESE, "utf-8"), "utf-8", "meta")


def test_compatible_characters_of_the_web() -> None:
    """What browsers read and Python's plain codecs do not: GBK's A3 A0 and row 13 in EUC-JP."""
    assert html(b"<p>\xa3\xa0\xd6\xd0\xce\xc4", "gbk").text == "<p>\u3000中文"
    assert html(b"<p>\xad\xa1\xad\xea", "euc-jp").text == "<p>①㈱"


# --------------------------------------------------------------------------------------------------
# Robustness

LABELS = st.none() | st.sampled_from([*IDS, "utf-16", "iso-8859-8-i"]) | st.text()
TYPES = st.sampled_from(["text/html", "application/xhtml+xml", "text/plain", "", "TEXT/HTML"])
PIECES = st.lists(
    st.binary(max_size=12)
    | st.sampled_from([text[:9].encode(codec, "ignore") for text, _, codec in TEXTS])
    | st.sampled_from([b"<meta charset=", b"gbk", b"utf-16>", b"'", b"<!--", b"-->", b"\x1b$B"]),
    max_size=12,
)


@given(PIECES, LABELS, TYPES)
@example([b"\xff\xfe\x00\xd8"], None, "text/html")
@example([b"\x00\xd8" * 8], "utf-16le", "text/html")
@example([b"\xed\xa0\x80"], "utf-8", "text/html")
def test_never_raises(pieces: list[bytes], declared: str | None, media_type: str) -> None:
    """Any bytes under any label give a text that can be stored, free of NUL, and the same twice."""
    body = b"".join(pieces)
    found = decode(body, declared, media_type)
    assert found == decode(body, declared, media_type)
    assert "\0" not in found.text
    found.text.encode("utf-8")
    assert 0 <= found.errors <= len(body)
    assert charset.lookup(found.encoding) == found.encoding


@pytest.mark.parametrize("encoding", sorted(charset.SINGLE_BYTE))
def test_every_single_byte_name_is_an_encoding(encoding: str) -> None:
    """The set of single-byte encodings holds names of the WHATWG table or labels of others."""
    assert charset.lookup(encoding)
    assert len(charset.decode_leniently(bytes(range(256)), encoding).text) == 256


@pytest.mark.parametrize("codec", ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"])
def test_no_codec_makes_surrogates(codec: str) -> None:
    """No two-byte sequence of a multi-byte encoding decodes to a lone surrogate."""
    pairs = b"".join(bytes((a, b)) + b"\n" for a in range(128, 256) for b in range(256))
    charset.decode_leniently(pairs, codec).text.encode("utf-8")


@pytest.mark.parametrize(
    "unit",
    [b"\x81", b"\xff", b"<", b"<!--", b"<meta ", b"<a b='", b"\x1b", b"<\0", b"\xe4\xb8", b"a= "],
)
def test_much_rubbish_is_read_in_linear_time(unit: bytes) -> None:
    """Half a megabyte of one unit, where what is quadratic would take minutes, ends at once."""
    body = unit * (500_000 // len(unit))
    for declared in (None, "utf-8", "windows-1252", "gbk"):
        assert html(body, declared).text is not None
    prescan(body)
