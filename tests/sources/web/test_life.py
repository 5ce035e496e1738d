"""The life of a page among fakes: every outcome comes to its one end, and its links are offered."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from support.life_parts import (
    EXACT,
    NEAR,
    ORIGINAL,
    SIBLING,
    TASK,
    LifeWorld,
    document,
    signature,
)
from support.output import said
from support.worlds import failed, fetched

from crawler.dedup.copies import address_key
from crawler.frontier import Subtree
from crawler.models import (
    Failure,
    FetchOutcome,
    New,
    PageOutcome,
    Priority,
    Redirected,
    Shown,
    Skip,
    Skipped,
    Unjudged,
    UrlState,
    Verdict,
)
from crawler.workers.messages import AnalysisFailed

PAGE = fetched(TASK, b"<p>what it says</p>")
LINKS = ["http://a.test/1", "http://a.test/2"]


def end(batch: PageOutcome | None) -> tuple[UrlState, str]:
    """Return state and detail of an end."""
    assert batch is not None
    return batch.state, batch.detail


@pytest.mark.parametrize(
    ("outcome", "wanted"),
    [
        (failed(TASK, Failure.HTTP_CLIENT_ERROR), (UrlState.FAILED, "http-4xx")),
        (Skipped(TASK, Skip.CONTENT_TYPE, "video", 0.0), (UrlState.SKIPPED, "content-type")),
    ],
)
async def test_what_brings_no_page_ends_by_its_class(
    outcome: FetchOutcome, wanted: tuple[UrlState, str]
) -> None:
    """It is reported, ends, leads nowhere and does not count against the page limit."""
    world = LifeWorld(outcome)
    assert end(await world.run()) == wanted
    assert (world.frontier.reported, world.frontier.refunds) == ([outcome], 1)
    assert (world.offered, world.reader.calls, world.store.waits) == ([], [], 1)


async def test_a_page_that_is_asked_for_again_has_no_end_yet() -> None:
    """What the frontier takes back is neither stored nor settled, and its page is refunded."""
    world = LifeWorld(failed(TASK, Failure.TRUNCATED))
    world.frontier.again = True
    assert await world.run() is None
    assert world.frontier.refunds == 1


async def test_a_page_that_robots_forbid_is_not_asked_for() -> None:
    """The reason is reported to the frontier, which must know that nothing was asked."""
    world = LifeWorld(PAGE)
    world.fetcher.forbidden = True
    assert end(await world.run()) == (UrlState.SKIPPED, "robots")
    assert world.fetcher.asked == 0
    [reported] = world.frontier.reported
    assert isinstance(reported, Skipped)


@pytest.mark.parametrize("trouble", [asyncio.CancelledError(), MemoryError("for a minute")])
async def test_a_request_cut_short_is_reported_and_ends_nothing(trouble: BaseException) -> None:
    """The frontier hears of it, so that the host gets its slots back, and the error goes on."""
    world = LifeWorld(trouble)
    with pytest.raises(type(trouble)):
        await world.life.run(TASK)
    assert world.frontier.reported == [None]
    assert world.store.batches == []


async def test_an_error_of_our_own_ends_the_page_alone() -> None:
    """The frontier hears of a request cut short, the store of an `internal-error`, nobody else.

    It counts against the page limit, or a site on which all goes wrong would have no end.
    """
    world = LifeWorld(RuntimeError("a bug"))
    batch = await world.run()
    assert batch is not None
    assert (batch.state, batch.detail) == (UrlState.FAILED, "internal-error")
    assert world.frontier.reported == [None]
    assert world.frontier.refunds == 0


async def test_a_redirect_offers_its_target_as_itself() -> None:
    """The target has the depth, priority and seed of its source, one hop more, and a referrer."""
    world = LifeWorld(Redirected(TASK, 301, "http://b.test/", 0.0))
    assert end(await world.run()) == (UrlState.REDIRECT, "301")
    [(url, fields)] = world.frontier.offers
    assert (url, fields["depth"], fields["hops"], fields["seed"]) == ("http://b.test/", 2, 1, False)
    assert fields["via"] is TASK
    assert world.frontier.refunds == 1


@pytest.mark.parametrize("verdict", [New(), New("short"), NEAR, SIBLING])
async def test_a_page_that_is_kept_is_stored_with_its_links(verdict: Verdict) -> None:
    """Its outcome has the next id, the links, and the text goes to the trap rule."""
    world = LifeWorld(PAGE, verdict=verdict)
    world.judge.tags = True
    batch = await world.run()
    assert batch is not None
    assert (batch.state, batch.document and batch.document.id) == (UrlState.STORED, 41)
    assert [new.url for new in batch.new_urls] == world.offered == LINKS
    assert world.frontier.settled[0][1].look == b"what it looks like"
    assert (world.frontier.refunds, world.tally.pages) == (0, 1)
    await world.life.run(replace(TASK, url_id=8))
    second = world.store.batches[1].document
    assert second is not None
    assert second.id == 42


async def test_a_page_with_too_little_to_judge_is_no_duplicate() -> None:
    """The judge decides whether it keeps it; what it does not name a duplicate is stored."""
    world = LifeWorld(PAGE, verdict=Unjudged("empty"))
    assert end(await world.run()) == (UrlState.STORED, "unjudged")


@pytest.mark.parametrize("verdict", [EXACT, NEAR, SIBLING])
@pytest.mark.parametrize(
    ("follow", "offered", "priority"),
    [
        ("defer", LINKS, Priority.DEFERRED),
        ("follow", LINKS, Priority.ORDINARY),
        ("ignore", [], None),
    ],
)
async def test_the_links_of_a_duplicate_are_followed_as_the_job_says(
    verdict: Verdict, follow: str, offered: list[str], priority: Priority | None
) -> None:
    """It names its original and takes no id; its links come later, as others, or not at all."""
    world = LifeWorld(PAGE, verdict=verdict, dedup={"follow_duplicates": follow})
    batch = await world.run()
    assert batch is not None
    assert (batch.state, batch.duplicate_of, batch.document) == (UrlState.DUPLICATE, 3, None)
    assert world.offered == offered
    assert {fields["priority"] for _, fields in world.frontier.offers} <= {priority}
    assert world.frontier.refunds == 0


@pytest.mark.parametrize(
    ("verdict", "priority"), [(NEAR, Priority.DEFERRED), (SIBLING, Priority.ORDINARY)]
)
async def test_the_links_of_a_stored_sibling_are_those_of_any_page(
    verdict: Verdict, priority: Priority
) -> None:
    """A sibling is another page, so its links wait for nothing; those of a tagged copy do."""
    world = LifeWorld(PAGE, verdict=verdict)
    world.judge.tags = True
    assert await world.run() is not None
    assert {fields["priority"] for _, fields in world.frontier.offers} == {priority}


@pytest.mark.parametrize("verdict", [NEAR, SIBLING])
@pytest.mark.parametrize("known", [b"what its reader sees, packed", None])
async def test_what_is_dropped_is_kept_as_it_would_have_been_stored(
    verdict: Verdict, known: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the appearance of what it is like, where there is one; its line lacks nothing but an id.

    The page that is stored instead has the same line, and its own appearance in its row.
    """
    monkeypatch.setattr("support.life_parts.APPEARANCES", {ORIGINAL.id: known})
    world = LifeWorld(PAGE, verdict=verdict)
    batch = await world.run()
    assert batch is not None
    assert batch.dropped is not None
    assert batch.dropped.like == (known or b"")
    assert batch.dropped.line["text"] == "what it says"
    assert batch.duplicate_of == ORIGINAL.id
    stored = LifeWorld(PAGE, document(appearance=b"own"), verdict=verdict)
    stored.judge.tags = True
    kept = await stored.run()
    assert kept is not None
    assert kept.dropped is None
    assert kept.document is not None
    assert kept.document.appearance == b"own"
    [line] = [line for name, line in kept.lines if name == "pages"]
    told = {"kind", "content_similarity", "layout_similarity"}
    assert line.keys() - {"id"} == said(batch.dropped.line).keys() - (
        told if verdict is SIBLING else set()
    )


@pytest.mark.parametrize(("verdict", "keeps"), [(EXACT, True), (NEAR, False)])
async def test_what_is_not_to_be_kept_is_not(verdict: Verdict, keeps: bool) -> None:
    """An exact copy is there already, and `keep_dropped: false` keeps nothing of the others."""
    batch = await LifeWorld(PAGE, verdict=verdict, dedup={"keep_dropped": keeps}).run()
    assert batch is not None
    assert (batch.state, batch.dropped) == (UrlState.DUPLICATE, None)


async def test_the_judge_is_shown_the_page() -> None:
    """URL, appearance, layout, and the address of the page that it names as canonical."""
    page = document(appearance=b"seen", layout=b"l" * 32, canonical_url="http://b.test/there")
    world = LifeWorld(PAGE, page)
    await world.run()
    elsewhere = address_key("http://c.test/there")
    assert world.judge.shown == [Shown(TASK.url, b"seen", b"l" * 32, elsewhere)]


async def test_known_bytes_are_not_read_again() -> None:
    """A payload that is stored costs its links only, and ends as an exact duplicate."""
    world = LifeWorld(PAGE)
    world.judge.known = EXACT
    assert end(await world.run()) == (UrlState.DUPLICATE, "exact-payload")
    assert world.reader.calls == ["links"]
    assert world.offered == LINKS


@pytest.mark.parametrize("known_before", [True, False])
async def test_a_copy_to_the_byte_says_what_addresses_mean(known_before: bool) -> None:
    """Once, also where the page with its bytes was stored while it was read."""
    world = LifeWorld(PAGE, verdict=EXACT)
    world.judge.known = EXACT if known_before else None
    assert end(await world.run()) == (UrlState.DUPLICATE, "exact-payload")
    assert world.judge.observed == [TASK.url]


@pytest.mark.parametrize("known", [False, True])
async def test_a_page_that_cannot_be_read_fails(known: bool) -> None:
    """A page that hangs or kills its process is blamed, whatever it was read for."""
    world = LifeWorld(PAGE, AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "30 s"))
    world.judge.known = EXACT if known else None
    assert end(await world.run()) == (UrlState.FAILED, "analysis-timeout")
    assert world.frontier.refunds == 1


@pytest.mark.parametrize("by_header", [True, False])
async def test_noindex_is_followed_and_not_stored(by_header: bool) -> None:
    """By header or by meta: its links are offered, nothing is judged, no page is counted."""
    headers = {"x-robots-tag": "noindex"} if by_header else {}
    world = LifeWorld(fetched(TASK, b"x", headers), document(noindex=not by_header))
    world.judge.known = EXACT if by_header else None
    assert end(await world.run()) == (UrlState.SKIPPED, "noindex")
    assert (world.offered, world.frontier.refunds) == (LINKS, 1)
    assert world.reader.calls == ["analyse"]


@pytest.mark.parametrize("by_header", [True, False])
async def test_nofollow_offers_nothing(by_header: bool) -> None:
    """By header or by meta the page is stored and leads nowhere."""
    headers = {"x-robots-tag": "nofollow"} if by_header else {}
    world = LifeWorld(fetched(TASK, b"x", headers), document(nofollow=not by_header))
    assert end(await world.run()) == (UrlState.STORED, "new")
    assert world.offered == []


async def test_a_short_page_that_refreshes_is_a_redirect() -> None:
    """Its target is offered; a long page that refreshes, or one to itself, is a page."""
    elsewhere = "http://a.test/moved"
    short = signature(tokens=15)
    moved = LifeWorld(PAGE, document(refresh=elsewhere, signature=short))
    assert end(await moved.run())[0] is UrlState.REDIRECT
    assert (moved.offered, moved.frontier.refunds) == ([elsewhere, *LINKS], 1)
    for page in (document(refresh=elsewhere), document(refresh=TASK.url, signature=short)):
        assert end(await LifeWorld(PAGE, page).run())[0] is UrlState.STORED


async def test_a_cut_is_told() -> None:
    """What the frontier cuts because of an end is passed on, after that end is stored."""
    world = LifeWorld(PAGE)
    world.frontier.cuts = Subtree("a.test/cal/")
    await world.run()
    assert world.cuts == [world.frontier.cuts]


async def test_refused_links_are_counted_by_reason() -> None:
    """A link that was seen before is not queued again, and the batch counts it."""
    world = LifeWorld(PAGE, document(links=("http://a.test/1", "http://a.test/1")))
    batch = await world.run()
    assert batch is not None
    assert len(batch.new_urls) == 1
    assert batch.totals.dropped_link == {"seen": 1}
