"""What every transport does, and what is made of it: the same claims for each of them."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable

import pytest
from support.fetching import PAGE, job, task
from support.transports import (
    FAILURES,
    OBSTACLES,
    ON_THE_WAY,
    FakeTransport,
    Says,
    Scripted,
    Served,
    Stage,
    limits_for,
    over_fake,
)

from crawler.fetch import Machine
from crawler.fetch.exchange import Phase
from crawler.models import (
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    Obstacle,
    Postponed,
    Redirected,
    Skip,
    Skipped,
)

HTML = ("Content-Type", "text/html; charset=UTF-8")
ALLOWED = ("127.0.0.1/32",)


@pytest.fixture(params=["http", "fake"])
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Each transport with what plays its servers."""
    return Served(monkeypatch) if request.param == "http" else Scripted()


async def outcome_of(stage: Stage, says: Says, **fetch: object) -> FetchOutcome:
    """Return how a page ends whose server does this."""
    async with stage.over({"/x": says}, job(**fetch)) as (fetcher, url):
        outcome = await fetcher.fetch(task(url("/x")), 0.0)
        assert stage.under_way(fetcher._transport) == 0
        return outcome


async def test_a_response_is_a_plain_value(stage: Stage) -> None:
    """Status, repeated header fields, who sent it, and the body piece by piece."""
    says = Says(203, (HTML, ("X-A", "1"), ("x-a", "2")), (b"one", b"two"))
    async with stage.over({"/x": says}, job()) as (fetcher, url):
        phases: list[Phase] = []
        answer = await fetcher._transport.request(url("/x"), {"x-mine": "yes"}, phases.append)
        assert (answer.status, answer.address) == (203, "127.0.0.1")
        assert list(answer.headers.all("x-a")) == ["1", "2"]
        assert answer.headers.first("x-a") == "1"
        assert (answer.headers.first("x-b"), list(answer.headers.all("x-b"))) == ("", [])
        assert "content-type" in answer.headers
        assert ("x-mine", "yes") in answer.asked
        assert (answer.target, answer.raw_headers[0]) == ("/x", (b"Content-Type", HTML[1].encode()))
        assert phases[-1] is Phase.HEADERS
        body = b""
        while piece := await answer.read():
            body += piece
        assert (body, await answer.read()) == (b"onetwo", b"")
        await answer.close()
        await answer.close()
        assert stage.under_way(fetcher._transport) == 0


async def test_a_response_that_is_left_leaves_nothing(stage: Stage) -> None:
    """One whose body nobody wants, or that still comes, is closed and counts no more."""
    async with stage.over({"/x": Says(does="silent")}, job()) as (fetcher, url):
        for _ in range(3):
            answer = await fetcher._transport.request(url("/x"), {}, lambda phase: None)
            assert stage.under_way(fetcher._transport) == 1
            await answer.close()
            assert stage.under_way(fetcher._transport) == 0


@pytest.mark.parametrize("does", ["mute", "silent", "names silent", "door silent"])
async def test_cancelling_leaves_nothing(does: str, stage: Stage) -> None:
    """A request that has begun can be cancelled, whatever it waits for."""
    script = {"/x": Says(does=does)}
    async with stage.over(script, job(allow_addresses=ALLOWED)) as (fetcher, url):
        reached = asyncio.Event()
        transport, real = fetcher._transport, fetcher._transport.request

        async def request(*args: object) -> object:
            reached.set()
            return await real(*args)  # type: ignore[arg-type]

        transport.request = request  # type: ignore[assignment, method-assign]
        asking = asyncio.create_task(fetcher.fetch(task(url("/x")), 0.0))
        await reached.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert stage.under_way(transport) == 0


async def test_a_page(stage: Stage) -> None:
    """It comes whole, with its type, its length on the wire and the fields that are kept."""
    packed = gzip.compress(PAGE)
    fields = (HTML, ("Content-Encoding", "gzip"), ("ETag", '"1"'), ("ETag", '"2"'))
    outcome = await outcome_of(stage, Says(200, fields, (packed[:7], packed[7:])))
    assert isinstance(outcome, Fetched)
    assert (outcome.body, outcome.wire_bytes) == (PAGE, len(packed))
    assert (outcome.media_type, outcome.charset) == ("text/html", "utf-8")
    assert outcome.headers["etag"] == '"1", "2"'


@pytest.mark.parametrize(
    ("says", "skip"),
    [
        (Says(200, (("Content-Type", "image/png"),)), Skip.CONTENT_TYPE),
        (Says(200, (), (b"\x00\x01",)), Skip.CONTENT_TYPE),
        (Says(204, (), ()), Skip.NO_CONTENT),
        (Says(200, (HTML,), ()), Skip.NO_CONTENT),
        (Says(200, (HTML,), (b"a" * 3000,)), Skip.TOO_LARGE),
        (Says(200, (HTML,), does="flood"), Skip.TOO_LARGE),
    ],
)
async def test_what_is_no_page(says: Says, skip: Skip, stage: Stage) -> None:
    """Status, type and size are judged alike, and floods are cut off."""
    outcome = await outcome_of(stage, says, max_body_bytes=2000)
    assert isinstance(outcome, Skipped)
    assert outcome.reason is skip


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (404, Failure.HTTP_CLIENT_ERROR),
        (429, Failure.HTTP_RATE_LIMITED),
        (503, Failure.HTTP_SERVER_ERROR),
        (206, Failure.HTTP_UNEXPECTED),
    ],
)
async def test_a_status_ends_a_page(status: int, failure: Failure, stage: Stage) -> None:
    """Errors are told by class, with what a server asks for."""
    outcome = await outcome_of(stage, Says(status, (("Retry-After", "7"),)))
    assert isinstance(outcome, Failed)
    assert (outcome.failure, outcome.status) == (failure, status)
    assert outcome.retry_after_s == (7.0 if status in (429, 503) else None)


async def test_a_redirect_is_handed_back(stage: Stage) -> None:
    """No transport follows one: its target is not asked."""
    script = {"/x": Says(302, (("Location", "http://b.test/y"),), ()), "/y": Says(does="mute")}
    async with stage.over(script, job()) as (fetcher, url):
        outcome = await fetcher.fetch(task(url("/x")), 0.0)
    assert isinstance(outcome, Redirected)
    assert (outcome.target, outcome.then) == ("http://b.test/y", None)


@pytest.mark.parametrize("does", FAILURES)
async def test_each_trouble_has_its_class(
    does: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever carries a request, what goes wrong with it is the same failure."""
    limits = limits_for(does, monkeypatch)
    outcome = await outcome_of(stage, Says(does=does), allow_addresses=ALLOWED, **limits)
    assert isinstance(outcome, Failed), outcome
    assert outcome.failure is FAILURES[does]


@pytest.mark.parametrize("does", OBSTACLES)
async def test_what_is_not_the_servers_postpones(
    does: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this machine or its network is to blame for says nothing of the page."""
    outcome = await outcome_of(stage, Says(does=does), **limits_for(does, monkeypatch))
    assert isinstance(outcome, Postponed)
    assert outcome.obstacle is OBSTACLES[does]


@pytest.mark.parametrize("does", [*FAILURES, *OBSTACLES])
async def test_a_robots_txt_that_cannot_be_read_allows_nothing(
    does: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trouble leaves an origin without rules, by its failure or as an obstacle."""
    settings = job(**limits_for(does, monkeypatch), allow_addresses=ALLOWED)
    async with stage.over({"/robots.txt": Says(does=does)}, settings) as (fetcher, url):
        answer = await fetcher.robots.refresh(url("/robots.txt").removesuffix("/robots.txt"))
    assert not answer.known
    if does in OBSTACLES:
        assert answer.postponed is not None
        assert answer.postponed.obstacle is OBSTACLES[does]
    else:
        assert answer.failure is not None
        assert answer.failure.failure is FAILURES[does]


def test_no_trouble_is_left_out() -> None:
    """All that can happen on the way to a server is claimed above."""
    assert ON_THE_WAY.keys() <= FAILURES.keys() | OBSTACLES.keys()


def clock_of(now: list[float]) -> Callable[[], float]:
    """Return a clock that the test moves."""
    return lambda: now[0]


async def test_time_is_told_by_the_clock_that_is_given() -> None:
    """How long a page took is by the fetcher's own clock, whatever the loop's says."""
    now = [0.0]

    async def passes(seconds: float) -> None:
        now[0] += seconds

    fake = FakeTransport({"/x": Says(after_s=2.5)}, passes)
    async with over_fake(fake, clock=clock_of(now)) as fetcher:
        outcome = await fetcher.fetch(task("http://127.0.0.1:1/x"), 0.0)
    assert isinstance(outcome, Fetched)
    assert outcome.elapsed_s == 2.5


@pytest.mark.parametrize("does", ["refused", "hang up", "cut"])
async def test_a_sleep_of_this_machine_blames_nobody(does: str) -> None:
    """Where all stood still meanwhile, what breaks off is this machine's; else the server's."""
    for asleep_s, is_ours in ((3600.0, True), (1.0, False)):
        now = [0.0]

        class Sleeping(FakeTransport):
            async def request(self, *args: object) -> object:  # type: ignore[override]
                """Let time pass unheard before what the script says."""
                now[0] += asleep_s  # noqa: B023
                return await super().request(*args)  # type: ignore[arg-type]

        machine = Machine(clock=clock_of(now), wall=clock_of(now))
        fake = Sleeping({"/x": Says(does=does)})
        async with over_fake(fake, clock=clock_of(now), machine=machine) as fetcher:
            outcome = await fetcher.fetch(task("http://127.0.0.1:1/x"), 0.0)
        if is_ours:
            assert isinstance(outcome, Postponed)
            assert outcome.obstacle is Obstacle.MACHINE
        else:
            assert isinstance(outcome, Failed)
