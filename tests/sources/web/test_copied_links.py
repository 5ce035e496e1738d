"""Links of copies that differ in their query are read once, and are those a process would read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import Job
from crawler.models import Document, Failure, Listing, PageLinks, PayloadKey
from crawler.sources.web.pipeline import CopiedLinks
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisFailed, AnalysisRequest, AnalysisSettings
from crawler.workers.pool import Planned, as_it_is

_ANALYSER = Analyser(AnalysisSettings.of(Job()))
PAYLOAD = PayloadKey(b"p" * 32, "text/html")


class Pool:
    """Reads links at once, as a process does, and counts; or fails."""

    def __init__(self, failed: AnalysisFailed | None = None) -> None:
        self.asked = 0
        self._failed = failed

    async def analyse(self, request: AnalysisRequest, planned: Planned = as_it_is) -> Document:
        """See PagePool."""
        raise AssertionError("only links are asked for")

    async def links(self, request: AnalysisRequest) -> PageLinks | AnalysisFailed:
        """See PagePool."""
        self.asked += 1
        return self._failed or _ANALYSER.links(request)

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """See PagePool."""
        raise AssertionError("only links are asked for")


def request(url: str, *targets: str) -> AnalysisRequest:
    """A page that links to these."""
    body = "".join(f'<a href="{target}">it</a>' for target in targets)
    return AnalysisRequest(url, body.encode(), "text/html", None)


def run(coroutine: object) -> PageLinks | AnalysisFailed:
    """Return what a coroutine returns that never waits."""
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)  # type: ignore[attr-defined]
    value: PageLinks | AnalysisFailed = ended.value.value
    return value


TARGETS = st.lists(
    st.sampled_from(
        ["", "#top", "?", "?n=9", "other", "../up", "/", "//b.test/", "page", "page?n=8"]
    ),
    max_size=6,
)


@given(TARGETS, st.sampled_from(["", "?n=1", "?n=2&m=3"]), st.sampled_from(["", "?n=4", "?x"]))
def test_a_copy_leads_where_a_process_says_it_does(
    targets: list[str], first: str, second: str
) -> None:
    """Both in the same order, but for the address that was read first: that has been fetched."""
    pool, address = Pool(), "http://a.test/dir/page"
    copies = CopiedLinks(pool)
    for query in (first, second):
        asked = request(address + query, *targets)
        told, read = run(copies.read(asked, PAYLOAD, asked.url)), _ANALYSER.links(asked)
        assert isinstance(told, PageLinks)
        left = {address + first, address + second}
        assert [link for link in told.links if link not in left] == [
            link for link in read.links if link not in left
        ]
        assert asked.url not in told.links
        assert set(read.links) - set(told.links) <= {address + first}
    assert pool.asked == 1


def test_another_address_payload_or_spelling_is_read_by_itself() -> None:
    """Links are resolved against the path, and those to itself are told by the spelling."""
    pool = Pool()
    copies = CopiedLinks(pool)
    for url, canonical, payload in (
        ("http://a.test/dir/page?n=1", "", PAYLOAD),
        ("http://a.test/else/page?n=1", "", PAYLOAD),
        ("http://a.test/dir/page?n=2", "", PayloadKey(b"q" * 32, "text/html")),
        ("http://a.test/dir/page?n=3", "", PayloadKey(b"p" * 32, "text/html;big5")),
        ("http://a.test/dir/page?n=4&utm_source=x", "http://a.test/dir/page?n=4", PAYLOAD),
    ):
        asked = request(url, "it", "#top")
        assert run(copies.read(asked, payload, canonical or url)) == _ANALYSER.links(asked)
    assert pool.asked == 5


def test_a_page_that_could_not_be_read_is_read_again() -> None:
    """A process that died says nothing of the next copy."""
    failed = AnalysisFailed(Failure.ANALYSIS_CRASH, "gone")
    pool = Pool(failed)
    copies = CopiedLinks(pool)
    for query in ("?n=1", "?n=2"):
        asked = request("http://a.test/" + query)
        assert run(copies.read(asked, PAYLOAD, asked.url)) is failed
    assert pool.asked == 2


def test_what_is_held_is_bounded() -> None:
    """Of many pages the oldest are forgotten; one that is larger than the bound is held alone."""
    pool = Pool()
    copies = CopiedLinks(pool, limit=1_000)
    for place in [*range(20), 19, 0]:
        asked = request(f"http://a.test/{place}?n=1", "x" * 300)
        run(copies.read(asked, PAYLOAD, asked.url))
    assert pool.asked == 21
