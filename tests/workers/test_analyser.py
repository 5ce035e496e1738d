"""The analyser: from the bytes of a page to its document, hints and signature, in bounded time."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import Engine, Extract, Job
from crawler.dedup import Signer
from crawler.models import Document, JudgedOn, PageLinks, Signature
from crawler.observe.summary import STAGES
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

URL = "http://site.test/dir/page"
PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse. "
ARTICLE = f"""<!doctype html><html><head><title>灯塔</title><meta charset=utf-8>
    <link rel=canonical href="/c?utm_source=x"><meta name=inlinecrawler content=nofollow></head>
    <body><nav><a href="/menu">Menu of the site</a></nav>
    <article><h1>The lighthouse</h1><p>{PROSE * 2}</p>
    <p>港口的新灯塔将于明年春天开放，欢迎参观。</p>
    <p>{PROSE[::-1]}</p></article><footer>Imprint</footer></body></html>"""


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    """Return a warm analyser of the default job."""
    made = Analyser(AnalysisSettings.of(Job()))
    made.warm()
    return made


def request(
    body: str | bytes, media_type: str = "text/html", charset: str | None = "utf-8"
) -> AnalysisRequest:
    """Return a request for a page at URL."""
    return AnalysisRequest(
        URL, body if isinstance(body, bytes) else body.encode(), media_type, charset
    )


def same(one: Document, other: Document) -> bool:
    """Whether two documents are equal but for what they cost."""

    def facts(page: Document) -> tuple[object, ...]:
        signature = page.signature
        return (
            *(page.title, page.text, page.judged_on, page.links, page.refresh, page.noindex),
            *(signature.text_digest, signature.visible_digest, signature.fingerprint),
            *(signature.tokens, signature.sketch, signature.shingles.tobytes()),
        )

    return facts(one) == facts(other)


def test_an_article(analyser: Analyser) -> None:
    """Of an article all is read: title, text, links, hints, wishes, signature, cost by stage."""
    page = analyser.analyse(request(ARTICLE))
    assert page.title == "灯塔"
    assert page.judged_on is JudgedOn.MAIN
    assert "港口的新灯塔将于明年春天开放" in page.text
    assert "Menu" not in page.text
    assert page.links == ("http://site.test/menu", "http://site.test/c")
    assert page.canonical_url == "http://site.test/c"
    assert (page.noindex, page.nofollow) == (False, True)
    assert page.charset == "utf-8"
    assert page.signature.tokens > 20
    assert [f"{stage}_s" for stage in page.stage_s] == list(STAGES)
    assert all(seconds >= 0 for seconds in page.stage_s.values())


def test_the_signature_is_of_both_texts(analyser: Analyser) -> None:
    """The judged text is signed, together with the text outside nav, header and footer."""
    page = analyser.analyse(request(ARTICLE))
    other = analyser.analyse(request(ARTICLE.replace("<article>", "<p>Short teaser</p><article>")))
    assert page.text == other.text
    assert page.signature.text_digest == other.signature.text_digest
    assert page.signature.visible_digest != other.signature.visible_digest
    nav = analyser.analyse(request(ARTICLE.replace("Menu of", "Imprint of")))
    assert nav.signature.visible_digest == page.signature.visible_digest


def test_pages_that_differ_in_digits_look_alike(analyser: Analyser) -> None:
    """A page has the look of its kept text: another number makes no other one, a word does."""
    pages = (ARTICLE.replace("Tuesday", day) for day in ("day 12", "day 345", "day after"))
    one, other, third = (analyser.analyse(request(page)).look for page in pages)
    assert one == other != third


def test_a_page_extraction_fails_on_is_judged_on_what_is_seen() -> None:
    """Where extraction finds too little, the visible text is stored and signed."""
    analyser = Analyser(AnalysisSettings.of(Job(extract=Extract(engine=Engine.COMBINED))))
    divs = [
        f"<div>In chapter {n} of the report, {PROSE}<code>file-<em>{n}</em></code> tells more. "
        f"{PROSE[::-1]}</div><pre>notice</pre>"
        for n in range(10)
    ]
    page = analyser.analyse(request(f"<html><body><div>{''.join(divs)}</div></body></html>"))
    assert page.judged_on is JudgedOn.VISIBLE
    assert page.text.count(f"of the report, {PROSE}file-") == 10
    assert page.read_by == "combined"


def test_plain_text(analyser: Analyser) -> None:
    """Plain text is its own main text, markup in it included, and leads nowhere."""
    body = "一行\r\n<a href='/x'>no link</a>\r\n"
    page = analyser.analyse(request(body, "text/plain", None))
    assert page.text == "一行\n<a href='/x'>no link</a>"
    assert page.judged_on is JudgedOn.MAIN
    assert (page.title, page.links, page.noindex) == (None, (), False)
    assert page.signature.text_digest == page.signature.visible_digest
    assert analyser.links(request(body, "text/plain", None)) == PageLinks()


def test_links_alone_are_those_of_the_document(analyser: Analyser) -> None:
    """Reading links only gives what a full reading gives, resolved against the request's URL."""
    page = analyser.analyse(request(ARTICLE))
    assert analyser.links(request(ARTICLE)) == PageLinks(page.links, page.noindex, page.nofollow)
    moved = AnalysisRequest("http://mirror.test/", ARTICLE.encode(), "text/html", None)
    assert analyser.links(moved).links == ("http://mirror.test/menu", "http://mirror.test/c")


def test_charsets(analyser: Analyser) -> None:
    """The page is read in its own encoding whatever its markup says to a second parser."""
    body = ARTICLE.replace("charset=utf-8", "charset=gb2312").encode("gb18030")
    page = analyser.analyse(request(body, charset=None))
    assert page.charset == "gb18030"
    assert page.title == "灯塔"
    assert "港口的新灯塔将于明年春天开放" in page.text


def test_settings_are_the_jobs() -> None:
    """Tracking parameters, agent and dedup settings come from the job and survive pickling."""
    job = Job.model_validate(
        {"urls": {"tracking_parameters": ["sid"]}, "user_agent": {"name": "OwnBot"}}
    )
    made = pickle.loads(pickle.dumps(AnalysisSettings.of(job)))
    assert made == AnalysisSettings.of(job)
    html = "<meta name=ownbot content=noindex><a href='/a?sid=1&utm_source=2'>a</a>"
    found = Analyser(made).links(request(html))
    assert found == PageLinks(("http://site.test/a?utm_source=2",), noindex=True)


@given(
    st.binary(max_size=300) | st.text(max_size=200).map(str.encode),
    st.sampled_from(["text/html", "application/xhtml+xml", "text/plain"]),
    st.sampled_from([None, "utf-8", "gbk", "utf-16", "nonsense"]),
)
def test_any_body_gives_a_storable_document(
    analyser: Analyser, body: bytes, media_type: str, charset: str | None
) -> None:
    """Whatever the bytes, there is a document, the same each time, whose texts any store takes."""
    page = analyser.analyse(request(body, media_type, charset))
    for text in (page.text, page.title or "", *page.links):
        assert "\0" not in text
        assert text.encode().decode() == text
    assert same(page, analyser.analyse(request(body, media_type, charset)))


MOST_GROWTH = 8.0
"""Of the calls for a page four times as long: 4 where they are linear, 16 where quadratic."""


@pytest.mark.parametrize(
    "repeated",
    [
        lambda n: "<b><i>" * (n * 50),
        lambda n: "<div>" * (n * 3) + "x" + "</div>" * (n * 3),
        lambda n: f'<a href="http://h/{"a" * n * 2_000}" title="{"b" * n * 2_000}">x</a>',
        lambda n: "\0" * (n * 500) + "<p>x</p>",
        lambda n: "<select>" + "<option>x" * (n * 30),
        lambda n: "<" * (n * 500),
        lambda n: f'<meta http-equiv=refresh content="{"1" * n * 1_000}">',
        lambda n: f"<p style='{'display ' * n * 100}'>x",
        lambda n: "<header>" * (n * 3) + "x",
        lambda n: "&amp" * (n * 200),
    ],
    ids=["tags", "depth", "links", "nul", "select", "angles", "refresh", "style", "header", "amp"],
)
def test_hostile_pages_end(analyser: Analyser, repeated: Callable[[int], str]) -> None:
    """Depth, width, huge attributes, NULs and long selects take no more than linear work."""
    calls = [calls_for(analyser, repeated(n)) for n in (125, 500)]
    assert calls[1] <= MOST_GROWTH * calls[0]


def calls_for(analyser: Analyser, html: str) -> int:
    """Return how many functions are called for a page, those in C included."""
    counts: Counter[str] = Counter()

    def counted(frame: object, event: str, argument: object) -> None:
        counts[event] += 1

    asked, before = request(html), sys.getprofile()
    sys.setprofile(counted)
    try:
        analyser.analyse(asked)
    finally:
        sys.setprofile(before)
    return counts["call"] + counts["c_call"]


def test_the_signer_may_be_another() -> None:
    """A given signer sees the judged, the visible and the kept text."""
    seen: list[tuple[str, str, str]] = []
    signer = Signer(Job().dedup)

    def sign(judged: str, visible: str, kept: str) -> Signature:
        seen.append((judged, visible, kept))
        return signer(judged, visible, kept)

    Analyser(AnalysisSettings.of(Job()), sign).analyse(request("<p>Seen.</p>"))
    assert seen == [("Seen.", "Seen.", "Seen.")]


def test_a_heading_in_the_header_of_a_page_counts_as_visible(analyser: Analyser) -> None:
    """Pages that differ in nothing else are two pages, though it is no line of their texts."""
    body = f"<main><p>{PROSE}</p><p>{PROSE[::-1]}</p></main>"
    one, other, same = (
        analyser.analyse(request(f"<body><header><h1>{title}</h1></header>{body}</body>"))
        for title in ("Pump of type 1", "Pump of type 2", "Pump of type 1")
    )
    assert one.text == other.text
    assert one.signature.visible_digest != other.signature.visible_digest
    assert one.signature.visible_digest == same.signature.visible_digest
