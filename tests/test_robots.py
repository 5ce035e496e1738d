from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetch.robotstxt import MAX_BYTES, RobotsRules, relevant_text

CONFORMANCE = Path(__file__).parents[1] / "../shared/corpora/conformance"
AGENT = "InlineCrawler"
SITE = "http://a.example"


def rules(text: str | bytes, agent: str = AGENT) -> RobotsRules:
    """Return the rules of a file for one product token."""
    body = text if isinstance(text, bytes) else text.encode()
    return RobotsRules(relevant_text(body, agent), agent)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("User-agent: *\nDisallow: /x", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x/y", True),
        ("\ufeffUser-agent: *\nDisallow: /x", False),
        ("User-agent: *\r\rDisallow: /x", False),
        ("User-agent: inlinecrawler/0.1 (robot)\nDisallow: /x", False),
        ("User-agent: Inline Crawler\nDisallow: /x", True),
        ("User-agent: Inline\nDisallow: /x", True),
        ("User-agent: InlineCrawlerNews\nDisallow: /x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: InlineCrawler\nAllow: /", True),
        ("User-agent: other\nUnknown: 1\nUser-agent: *\nDisallow: /x", False),
        ("User-agent: other\nDisallow: /x\nUser-agent: *\nDisallow: /z", True),
        ("User-agent: InlineCrawler\nUser-agent: other\nDisallow: /x", False),
        ("user agent InlineCrawler\ndissallow /x", False),
        ("User-agent: * # all\nDisallow: /x # not this", False),
        ("Disallow: /x", True),
        ("<html><body>User-agent: *<br>Disallow: /</body></html>", True),
        ("User-agent: *\nDisallow: /*y$", False),
    ],
)
def test_groups(text: str, allowed: bool) -> None:
    """Groups are found in files as people write them, and only those that mean us count."""
    assert rules(text).allowed(f"{SITE}/x/y") is allowed


def test_other_encodings() -> None:
    """Bytes that are not UTF-8 spoil their own line only."""
    text = "User-agent: *\nDisallow: /中\nDisallow: /x\n"
    assert not rules(text.encode("gbk")).allowed(f"{SITE}/x")
    assert not rules(text).allowed(f"{SITE}/%E4%B8%AD")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("5", 5.0), ("0.5", 0.5), ("-1", None), ("nan", None), ("inf", None), ("x", None)],
)
def test_crawl_delay(value: str, expected: float | None) -> None:
    """Crawl-delay is a finite number of seconds, or it is not there."""
    assert rules(f"User-agent: *\nCrawl-delay: {value}").crawl_delay_s == expected


def test_only_the_beginning_is_read() -> None:
    """Beyond 500 KiB nothing counts, and the line that is cut there is left out."""
    head = b"User-agent: *\nDisallow: /x\n"
    filler = b"#" * (MAX_BYTES - len(head) - 12) + b"\n"
    text = head + filler + b"Disallow: /private/area\n"
    assert not rules(text).allowed(f"{SITE}/x")
    assert rules(text).allowed(f"{SITE}/private/area")
    assert rules(text).allowed(f"{SITE}/pri")
    assert not rules(text.replace(filler, b"")).allowed(f"{SITE}/private/area")


LINES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda key, gap, value: key + gap + value,
        st.sampled_from(
            [
                b"User-agent",
                b"Disallow",
                b"Allow",
                b"Crawl-delay",
                b"Request-rate",
                b"Sitemap",
                b"x",
            ]
        ),
        st.sampled_from([b":", b": ", b" ", b"\t:\t", b""]),
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from(
                [b"*", b"InlineCrawler", b"/*a*$", b"$", b"%", b"%zz", b"//[", b"9e999", b"/\xff"]
            ),
        ),
    ),
)
BODIES = st.builds(
    lambda mark, end, lines: mark + end.join(lines),
    st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"]),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(LINES, max_size=12),
)


@settings(max_examples=2000, deadline=None)
@given(BODIES, st.text("/%*$?[]#;=&aZ0", max_size=20))
def test_no_file_is_too_odd(body: bytes, path: str) -> None:
    """Any bytes give rules that answer any URL and a usable delay."""
    found = rules(body)
    assert found.allowed(f"{SITE}/{path}") in (True, False)
    assert found.crawl_delay_s is None or 0.0 <= found.crawl_delay_s < float("inf")


@given(BODIES)
def test_relevant_text_is_stable(body: bytes) -> None:
    """What is kept of a file reads the same when it is read again."""
    text = relevant_text(body, AGENT)
    assert relevant_text(text.encode(), AGENT) == text


RFC_DIFFERS = {"ID_Encoding/3", "ID_Encoding/5", "ID_Encoding/6"}
"""Cases on characters in URLs where RFC 9309 2.2.2 asks for what Google's matcher does not do."""


@pytest.mark.corpora
@pytest.mark.skipif(not CONFORMANCE.exists(), reason="no corpora here")
def test_conformance() -> None:
    """Every case of the RFC and of Google's suite holds, but the three where the two differ."""
    wrong = {
        case["name"]
        for case in json.loads((CONFORMANCE / "robots.json").read_text())
        if rules(case["robots"], case["user_agent"]).allowed(case["url"]) is not case["allowed"]
    }
    assert wrong == RFC_DIFFERS


@pytest.mark.corpora
@pytest.mark.skipif(not CONFORMANCE.exists(), reason="no corpora here")
def test_real_files() -> None:
    """Hundreds of real files are read, HTML pages and broken encodings among them."""
    packed = (CONFORMANCE / "robots-real.tar.zst").read_bytes()
    archive = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    count = 0
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is not None:
                rules(file.read()).allowed(f"{SITE}/some/page?x=1")
                count += 1
    assert count > 300
