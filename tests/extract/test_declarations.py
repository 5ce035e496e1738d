"""The encodings a page declares, by mark, header and markup, are those that browsers sniff."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from support.corpora import parsed

from crawler.extract import charset
from crawler.extract.charset import (
    PRESCAN_BYTES,
    Decoded,
    content_label,
    declarations,
    decode,
    prescan,
)

LATE = {f"tests1/{n}" for n in range(48, 55)}
"""html5lib's cases whose <meta> stands behind the first 1,024 bytes."""


@pytest.mark.corpora
def test_sniffing_conforms() -> None:
    """The first declaration is the one that html5lib's and jsdom's suites expect, in all cases."""
    cases: list[dict[str, Any]] = parsed("conformance/encoding")
    assert len(cases) == 116
    for case in cases:
        body = base64.b64decode(case["bytes_base64"])
        found = declarations(body, case.get("transport"), "text/html")
        default = case.get("default", charset.FALLBACK)
        assert (found[0].encoding if found else default) == case["encoding"], case["name"]


@pytest.mark.corpora
def test_the_prescan_alone_stops_at_1024_bytes() -> None:
    """The standard's prescan misses exactly the late <meta> that a browser's parser finds later."""
    missed = set()
    for case in parsed("conformance/encoding"):
        body = base64.b64decode(case["bytes_base64"])
        if "transport" in case or "default" in case or case["encoding"].startswith("utf-16"):
            continue
        if not body.startswith(b"\xef\xbb\xbf"):
            found = prescan(body[:PRESCAN_BYTES])
            missed |= {case["name"]} if (found or "windows-1252") != case["encoding"] else set()
    assert missed == LATE


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"<meta charset=gb2312>", "gb18030"),
        (b"<META/CHARSET='GBK'/>", "gb18030"),
        (b"<meta charset=sjis >", "shift_jis"),
        (b"<meta charset=latin1 charset=utf-8>", "windows-1252"),
        (b"<meta content='text/html; charset=koi8-r'>", None),
        (b"<meta content=';charset=koi8-r' http-equiv=CONTENT-TYPE>", "koi8-r"),
        (b"<meta charset=utf-8 http-equiv=content-type content='charset=koi8-r'>", "utf-8"),
        (b"<meta http-equiv=content-type content='charset=koi8-r' charset=utf-8>", "utf-8"),
        (b"<meta charset=nonsense http-equiv=content-type content='charset=koi8-r'>", None),
        (b"<meta charset=utf-16be>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=utf-8", None),
        (b"<meta charset='utf-8", None),
        (b"<meta charset=>", None),
        (b"<meta charset = >", None),
        (b"<meta =charset=utf-8 charset=koi8-r>", "koi8-r"),
        (b"<metal charset=utf-8><meta charset=koi8-r>", "koi8-r"),
        (b"<!--><meta charset=utf-8>", "utf-8"),
        (b"<!-- > <meta charset=utf-8> --><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- <meta charset=utf-8>", None),
        (b"<!x '><meta charset=utf-8>'>", "utf-8"),
        (b"<? x ><meta charset=utf-8>", "utf-8"),
        (b"</ <meta charset=utf-8><meta charset=koi8-r>", "koi8-r"),
        (b"</a b='<meta charset=utf-8>'><meta charset=koi8-r>", "koi8-r"),
        (b"<a<meta charset=utf-8>", None),
        (b"< <meta charset=utf-8>", "utf-8"),
        (b"<a b='", None),
        (b"<script>'<meta charset=utf-8>'</script>", "utf-8"),
        (b'<?xml version="1.0" encoding="gb2312"?><html>', "gb18030"),
        (b"<?xml encoding = 'utf-16' ?>", "utf-8"),
        (b"<?xml encoding='koi8-r'?><meta charset=utf-8>", "utf-8"),
        (b" <?xml encoding='koi8-r'?>", None),
        (b"<\0?\0x\0m\0l\0", "utf-16le"),
        (b"\0<\0?\0x\0m\0l", "utf-16be"),
        (b"", None),
    ],
)
def test_prescan(data: bytes, encoding: str | None) -> None:
    """Each step of the standard's prescan, with the corner cases of attributes and comments."""
    assert prescan(data) == encoding


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (b"text/html; charset=gbk", b"gbk"),
        (b"charset = gbk;x", b"gbk"),
        (b"charset charset=gbk", b"gbk"),
        (b"charset='gb k'", b"gb k"),
        (b'charset="gbk', None),
        (b"charset", None),
        (b"text/html", None),
    ],
)
def test_label_in_meta_content(content: bytes, label: bytes | None) -> None:
    """The label in a <meta http-equiv> is cut out as the standard says."""
    assert content_label(content) == label


def test_order_of_declarations() -> None:
    """A mark beats the header, the header beats <meta>, and each encoding is named once."""
    body = b"<meta charset=koi8-r>"
    pairs = [(d.encoding, d.source) for d in declarations(body, "Big5", "text/html")]
    assert pairs == [("big5", "header"), ("koi8-r", "meta")]
    assert [d.source for d in declarations(body, "koi8-r", "text/html")] == ["header"]
    assert [d.source for d in declarations(b"\xef\xbb\xbf" + body, "big5", "text/html")] == ["bom"]


def test_xhtml_believes_its_xml_declaration() -> None:
    """In XHTML the XML declaration comes before <meta>; in HTML it counts only without one."""
    body = b"<?xml version='1.0' encoding='koi8-r'?><html><meta charset='windows-1251'/>"
    assert declarations(body, None, "application/xhtml+xml")[0].encoding == "koi8-r"
    assert declarations(body, None, "text/html")[0].encoding == "windows-1251"


def test_plain_text_has_no_meta() -> None:
    """What looks like a <meta> in a text file is text."""
    body = "<meta charset=koi8-r> é".encode()
    assert declarations(body, None, "text/plain") == ()
    assert decode(body, None, "text/plain") == Decoded(body.decode(), "utf-8", "detected")


@pytest.mark.parametrize(
    "label", ["", "nonsense", "utf-7", "iso-2022-kr", "\ud800", "ｕｔｆ-8", "x-user-defined"]
)
def test_labels_that_mean_nothing(label: str) -> None:
    """Unknown labels, the standard's `replacement` ones and non-ASCII ones declare nothing."""
    assert declarations(b"", label, "text/html") == ()


def test_labels_by_the_whatwg_table() -> None:
    """Labels mean what browsers take them for, in any case and with stray quotes."""
    table = {
        "GB2312": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030", "Big5-HKSCS": "big5",
        "ks_c_5601-1987": "euc-kr", "ISO-8859-1": "windows-1252", "us-ascii": "windows-1252",
        "x-sjis": "shift_jis", "iso-8859-9": "windows-1254", '"utf-8"': "utf-8", " utf8 ": "utf-8",
        "tis-620": "windows-874", "utf-16": "utf-16le",
    }  # fmt: skip
    assert {k: declarations(b"", k, "text/html")[0].encoding for k in table} == table
