"""Crawls with plugins: what filters keep out, what extractors keep, what sinks are given."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.crawling import command, loopback_job, write_job
from support.output import lines, summary_of
from support.shelf import shelf, written

from crawler.config import Use, parse_job
from crawler.console import JSON_ROOM
from crawler.engine.identity import identity
from crawler.errors import SinkError
from crawler.plugins import Extracted, Made, WebPage
from crawler.plugins import extractors as made
from crawler.sources.web import sinks
from crawler.sources.web.crawl import Crawl as InnerCrawl
from crawler.storage.store import Store
from crawler.views.check import check_directory
from crawler.workers.analyser import first_answer
from inline_crawler import Crawl

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

LINKS = "".join(f'<a href="/{n}">{n}</a>' for n in range(12))
PAGES = {
    "/": written("Start", 1, below=LINKS + '<a href="/private/1">p</a>'),
    **{f"/{n}": written(f"Page {n}", 100 + n) for n in range(11)},
    "/11": written("Page 3", 103),
    "/private/1": written("Private", 300),
}


@pytest.fixture
def site() -> Iterator[str]:
    """Serve pages that `/` leads to, two of them the same, and one that is private."""
    with shelf(PAGES) as address:
        yield address


class Filter:
    """Keeps out what is private, and notes what it is asked."""

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[tuple[str, int, str]] = []
        self._fails = fails

    def admits(self, url: str, depth: int, referrer: str) -> bool:
        """See UrlFilter."""
        self.asked.append((url, depth, referrer))
        if self._fails:
            raise ValueError("not today")
        return "/private/" not in url


class Notice:
    """Says the same of every page but of those that it fails at, or leaves alone."""

    def extract(self, page: WebPage) -> Extracted | None:
        """See Extractor."""
        assert page.media_type == "text/html"
        assert page.html.encode(page.charset) == page.body
        if page.url.endswith("/1"):
            return None
        if page.url.endswith("/2"):
            raise KeyError("price")
        if page.url.endswith("/4"):
            return Extracted(fields={"price": object()})
        return Extracted(text="A notice.", title="T", fields={"length": len(page.body)})


class Sink:
    """Notes what it is given; fails at the write with the number `fails_at`."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls: list[str] = []
        self.lines: list[tuple[str, Mapping[str, Any]]] = []
        self.flushed = 0
        self.threads: set[str] = set()
        self._fails_at = fails_at

    def open(self, directory: Path) -> None:
        """See crawler.plugins.Sink."""
        assert directory.is_dir()
        self.calls.append("open")

    def write(self, kind: str, line: Mapping[str, Any]) -> None:
        """See crawler.plugins.Sink."""
        if len(self.lines) + 1 == self._fails_at:
            raise OSError("disk on fire")
        self.threads.add(threading.current_thread().name)
        self.lines.append((kind, line))

    def flush(self) -> None:
        """See crawler.plugins.Sink."""
        self.flushed = len(self.lines)

    def close(self) -> None:
        """See crawler.plugins.Sink."""
        self.calls.append("close")

    def given(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the lines of a kind in their order."""
        return [line for of, line in self.lines if of == kind]


class Waiting(Sink):
    """The same with coroutine functions."""

    async def open(self, directory: Path) -> None:  # type: ignore[override]
        """See crawler.plugins.Sink."""
        await asyncio.sleep(0)
        super().open(directory)

    async def write(  # type: ignore[override]
        self, kind: str, line: Mapping[str, Any]
    ) -> None:
        """See crawler.plugins.Sink."""
        await asyncio.sleep(0)
        super().write(kind, line)


def job(site: str, **sections: Any) -> dict[str, Any]:
    """Return a job over the site."""
    return loopback_job(Path("nowhere"), [f"{site}/"], **sections)


async def crawled(given: Mapping[str, Any], output: Path, **options: Any) -> list[str]:
    """Run a crawl to its end; return what it said."""
    said: list[str] = []
    async with Crawl(given, output, say=said.append, **options) as crawl:
        async for _ in crawl:
            pass
    return said


async def test_what_a_filter_refuses_is_not_asked_for_and_counted(tmp_path: Path) -> None:
    """It is asked once of each new link, with depth and referrer, and never of the seed."""
    asked: list[str] = []
    own = Filter()
    with shelf(PAGES, asked) as site:
        await crawled(job(site), tmp_path, filters={"private": own})
    assert "/private/1" not in asked
    assert "/3" in asked
    assert len(own.asked) == len({url for url, _, _ in own.asked}) == 13
    assert {(depth, referrer) for _, depth, referrer in own.asked} == {(1, f"{site}/")}
    assert summary_of(tmp_path)["dropped_links"] == {"filter:private": 1}
    assert summary_of(tmp_path)["parts"]["plugins"] == {"filters": ["private"]}


async def test_a_filter_that_fails_keeps_out_and_is_told_once(site: str, tmp_path: Path) -> None:
    """Its links are counted by a name of their own, and the crawl goes on."""
    said = await crawled(job(site), tmp_path, filters={"bad": Filter(fails=True)})
    [told] = [line for line in said if "failed at" in line]
    assert told.startswith(f"plugins.filters: bad failed at {site}/0: ValueError: not today (")
    assert told.endswith("such links are not queued")
    assert summary_of(tmp_path)["dropped_links"] == {"filter-failed:bad": 13}


async def test_a_redirect_that_a_filter_refuses_is_not_followed(tmp_path: Path) -> None:
    """Where a page refreshes to what is refused, its line says who refused it."""
    refresh = '<meta http-equiv="refresh" content="0; url=/private/1">'
    pages = {"/": written("Start", 1, below='<a href="/away">a</a>'), "/away": refresh}
    asked: list[str] = []
    with shelf(pages, asked) as site:
        await crawled(job(site), tmp_path, filters={"private": Filter()})
    assert "/private/1" not in asked
    [line] = lines(tmp_path, "redirects")
    assert line["offered"] == "filter:private"


async def test_a_new_filter_holds_for_what_is_queued(site: str, tmp_path: Path) -> None:
    """What an earlier run queued and a later one's filter refuses ends as out of scope."""
    await crawled(job(site, limits={"pages": 1}), tmp_path)
    await crawled(job(site), tmp_path, filters={"private": Filter()})
    [skipped] = lines(tmp_path, "skipped")
    assert (skipped["url"], skipped["reason"]) == (f"{site}/private/1", "out-of-scope")
    assert not check_directory(tmp_path, every_page=True).problems


@pytest.fixture
def noticed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the part of a job that names the extractor of this module."""
    monkeypatch.setitem(sys.modules, "noticing", sys.modules[__name__])
    return {"plugins": {"extractors": [{"use": "noticing:Notice", "name": "notice"}]}}


async def test_what_an_extractor_finds_is_kept_and_decides_nothing(
    site: str, tmp_path: Path, noticed: dict[str, Any]
) -> None:
    """All pages have one text by it, and the verdicts are those of a crawl without it."""
    await crawled(job(site), tmp_path / "plain")
    said = await crawled(job(site, **noticed), tmp_path / "own")
    plain, own = (
        {line["url"]: line for line in lines(tmp_path / name, "pages")} for name in ("plain", "own")
    )
    assert plain.keys() == own.keys()
    for url, line in own.items():
        same = ("verdict", "judged_on", "fingerprint", "read_by", "payload_digest")
        assert [line[field] for field in same] == [plain[url][field] for field in same]
        if url.endswith(("/1", "/2", "/4")):
            assert (line["text"], line["title"]) == (plain[url]["text"], plain[url]["title"])
            assert line["extracted_by"] is line["extracted"] is None
        else:
            assert (line["text"], line["title"]) == ("A notice.", "T")
            assert line["extracted_by"] == "notice"
            assert line["extracted"] == {"length": line["counts"]["body_bytes"]}
    assert not check_directory(tmp_path / "own", every_page=True).problems
    told = sorted(line for line in said if "failed at" in line)
    assert len(told) == 2
    assert f"plugins.extractors: notice failed at {site}/2: KeyError: 'price' (" in told[0]
    assert f"notice failed at {site}/4: cannot keep what it returned: fields" in told[1]


class Nested:
    """Gives fields as deep as a page asks for by its number, for ten pages around what fits."""

    def extract(self, page: WebPage) -> Extracted | None:
        """See Extractor."""
        name = page.url.rpartition("/")[2]
        if not name.isdigit():
            return None
        nested: Any = "end"
        for _ in range(DEEPEST + int(name) - 6):
            nested = [nested]
        return Extracted(fields={"found": nested})


DEEPEST = 254 - JSON_ROOM


@pytest.mark.parametrize("room", [JSON_ROOM, 0])
async def test_fields_nested_too_deep_end_no_run(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """They are refused as they are found; one that gets past that ends its own URL, no other."""
    monkeypatch.setitem(sys.modules, "noticing", sys.modules[__name__])
    monkeypatch.setattr(f"{Nested.__module__}.DEEPEST", 254 - room)
    monkeypatch.setattr("crawler.workers.analyser.JSON_ROOM", room)
    plugins = {"extractors": [{"use": "noticing:Nested", "name": "nested"}]}
    said = await crawled(job(site, plugins=plugins), tmp_path)
    kept = [line for line in lines(tmp_path, "pages") if line["extracted_by"]]
    failed = lines(tmp_path, "failures")
    assert kept
    if room:
        assert not failed
        assert any("cannot keep what it returned: fields are not what" in line for line in said)
    else:
        assert {line["failure"] for line in failed} == {"internal-error"}
    assert not check_directory(tmp_path, every_page=True).problems


class Long:
    """Gives eight characters of each kind of text."""

    def extract(self, page: WebPage) -> Extracted | None:
        """See Extractor."""
        return Extracted(text="x" * 8, title="y" * 8, markdown="z" * 8)


@pytest.mark.parametrize(("most", "kept"), [(24, True), (23, False)])
def test_texts_have_one_bound_together(
    monkeypatch: pytest.MonkeyPatch, most: int, kept: bool
) -> None:
    """Each within it could make a line that is longer than any that is read back."""
    monkeypatch.setitem(sys.modules, "noticing", sys.modules[__name__])
    monkeypatch.setattr("crawler.workers.analyser.MOST_CHARACTERS", most)
    extractors = made([Use(use="noticing:Long", name="long")])
    page = WebPage("http://a.example/", "text/html", "utf-8", "", b"")
    found = first_answer(extractors, page)
    assert (found.by, bool(found.trouble)) == (("long", False) if kept else (None, True))


def test_other_extractors_are_another_crawl(
    site: str, tmp_path: Path, noticed: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A resume says so and stores nothing; `reindex` takes the change on."""
    out = tmp_path / "out"
    first = write_job(job(site, limits={"pages": 3}), tmp_path / "first.yaml")
    second = write_job(job(site, **noticed), tmp_path / "second.yaml")
    assert command(capsys, "crawl", "--config", first, "--output", out)[0] == 0
    code, _, err = command(capsys, "resume", out, "--config", second)
    assert code == 2
    assert 'extractors: the crawl has nothing, the job asks for [{"use":"noticing:Notice"' in err
    assert command(capsys, "reindex", out, "--config", second)[0] == 0
    assert command(capsys, "resume", out, "--config", second)[0] == 0
    assert {line["extracted_by"] for line in lines(out, "pages")} == {None, "notice"}
    assert not check_directory(out, every_page=True).problems


@pytest.mark.parametrize("make", [Sink, Waiting])
async def test_a_sink_has_every_line_once_and_in_order(
    site: str, tmp_path: Path, make: type[Sink]
) -> None:
    """As the files have them; ordinary functions run in one thread that is not the loop's."""
    sink = make()
    await crawled(job(site), tmp_path, sinks={"mine": sink})
    for kind in ("pages", "duplicates"):
        assert sink.given(kind) == lines(tmp_path, kind)
    assert len(sink.given("duplicates")) == 1
    assert sink.flushed == len(sink.lines)
    assert sink.calls == ["open", "close"]
    assert sink.threads == {"sink-mine" if make is Sink else "MainThread"}


async def test_a_sink_goes_on_where_it_was_and_a_new_one_gets_all(
    site: str, tmp_path: Path
) -> None:
    """Over the runs of a crawl, also where files end at a size."""
    first, again, new = Sink(), Sink(), Sink()
    rotating = {"storage": {"rotate_bytes": 100_000}}
    limited = job(site, limits={"pages": 5}, **rotating)
    await crawled(limited, tmp_path, sinks={"mine": first})
    await crawled(job(site, **rotating), tmp_path, sinks={"mine": again, "new": new})
    assert first.given("pages") + again.given("pages") == lines(tmp_path, "pages")
    assert again.lines
    assert new.given("pages") == lines(tmp_path, "pages")


async def test_a_sink_that_fails_stops_the_crawl_and_misses_nothing(
    site: str, tmp_path: Path
) -> None:
    """The next run gives all that was not safe by then: each line at least once."""
    failing, other, mended = Sink(fails_at=4), Sink(), Sink()
    said = r"sinks: mine: write failed.*OSError: disk on fire.*resume"
    with pytest.raises(SinkError, match=said):
        await crawled(job(site), tmp_path, sinks={"mine": failing, "other": other})
    assert failing.calls == ["open", "close"]
    assert not check_directory(tmp_path, every_page=True).problems
    assert other.given("pages") == lines(tmp_path, "pages")
    await crawled(job(site), tmp_path, sinks={"mine": mended})
    assert mended.given("pages") == lines(tmp_path, "pages")


async def test_a_sink_that_cannot_be_opened_stops_before_the_first_page(tmp_path: Path) -> None:
    """Nothing is asked for, and those that were opened are closed."""

    class Closed(Sink):
        def open(self, directory: Path) -> None:
            raise ConnectionError("no server")

    asked: list[str] = []
    first = Sink()
    with shelf(PAGES, asked) as site:
        with pytest.raises(SinkError, match=r"open failed.*no server.*the same command"):
            await crawled(job(site), tmp_path, sinks={"first": first, "closed": Closed()})
        assert asked == []
        assert first.calls == ["open", "close"]
        await crawled(job(site), tmp_path, sinks={"first": first})
    assert first.given("pages") == lines(tmp_path, "pages")


@pytest.mark.parametrize("hangs_in", ["open", "close", "flush"])
@pytest.mark.parametrize("drop", [False, True])
async def test_a_sink_that_does_not_come_back_does_not_keep_a_run(
    hangs_in: str, drop: bool, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever method hangs, a run that is stopped ends; one that is told twice ends at once."""
    monkeypatch.setattr(sinks, "CLOSE_S", 60.0 if drop else 0.05)
    hanging, let_go = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hang(*_: object) -> None:
        loop.call_soon_threadsafe(hanging.set)
        let_go.wait()

    sink = Sink()
    setattr(sink, hangs_in, hang)
    given = parse_job(
        {**job(site, grace_s=60.0 if drop else 0.05), "output": str(tmp_path / "out")}, "test"
    )
    store = Store.create(given.output, identity(given))
    crawl = InnerCrawl(given, store, plugins=Made(sinks=(("mine", sink),)))
    running = asyncio.create_task(crawl.run())
    await hanging.wait()
    crawl.stop()
    if drop:
        crawl.cancel()
    with suppress(asyncio.CancelledError):
        await running
    let_go.set()
    assert crawl.stopped


async def test_a_sink_that_hangs_does_not_keep_a_stopped_crawl(site: str, tmp_path: Path) -> None:
    """After a stop it has the grace period; what it has not taken is given in the next run."""

    class Hangs(Waiting):
        async def write(  # type: ignore[override]
            self, kind: str, line: Mapping[str, Any]
        ) -> None:
            await asyncio.Event().wait()

    said: list[str] = []
    given = job(site, grace_s=0.05)
    async with Crawl(given, tmp_path, say=said.append, sinks={"mine": Hangs()}) as crawl:
        async for _ in crawl:
            break
    left = "Sinks have not taken all pages; the rest is given by: python -m crawler resume"
    assert any(line.startswith(left) for line in said)
    sink = Sink()
    await crawled(given, tmp_path, sinks={"mine": sink})
    assert sink.given("pages") == lines(tmp_path, "pages")


def test_archives_are_read_by_extractors_too(
    site: str, tmp_path: Path, noticed: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """`reread` with an extractor gives its text, and tells of its trouble; no sink is fed."""
    out, again = tmp_path / "out", tmp_path / "again"
    first = write_job(job(site, storage={"warc": True}), tmp_path / "first.yaml")
    sinks = {"sinks": ["noticing:Sink"]}
    changed = {"plugins": {**noticed["plugins"], **sinks}}
    second = write_job(job(site, **changed), tmp_path / "second.yaml")
    assert command(capsys, "crawl", "--config", first, "--output", out)[0] == 0
    code, _, err = command(capsys, "reread", out, "--config", second, "--output", again)
    assert code == 0
    assert f"plugins.extractors: notice failed at {site}/2: KeyError: 'price' (" in err
    assert {line["extracted_by"] for line in lines(again, "pages")} == {None, "notice"}
    told = summary_of(again)["parts"]["plugins"]
    assert told == {"extractors": ["notice = noticing:Notice"]}
