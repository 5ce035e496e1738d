"""A crawl that another program runs on its own event loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job, write_job
from support.output import lines, summary_of
from support.shelf import shelf, written

from crawler.errors import ConfigError, InputError, LinesLost, StoreInUse, StoreMismatch
from crawler.storage.directory import line_path
from crawler.views.check import check_directory
from inline_crawler import Crawl, Duplicate, Missed, StoredPage, VerdictKind

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PAGES = {
    "/": written("Start", 1, below="".join(f'<a href="/{n}">{n}</a>' for n in range(8))),
    **{f"/{n}": written(f"Page {n}", 100 + n) for n in range(7)},
    "/7": written("Page 3", 103),
    "/alone": written("Alone", 200, below='<a href="/8">8</a>'),
    "/8": written("Page 8", 108),
}
LINKED = {"/", *(f"/{n}" for n in range(8))}


@pytest.fixture
def site() -> Iterator[str]:
    """Serve nine pages that `/` leads to, one of them twice, and two that nothing leads to."""
    with shelf(PAGES) as address:
        yield address


def job(site: str, **sections: Any) -> dict[str, Any]:
    """Return a job over the site, whose output the crawl's own argument replaces."""
    return loopback_job(Path("nowhere"), [f"{site}/"], **sections)


async def turns() -> None:
    """Let the loop turn as often as more pages would need to be fetched, or the crawl to end."""
    for _ in range(3_000):
        await asyncio.sleep(0)


async def test_every_page_comes_once_with_its_verdict(site: str, tmp_path: Path) -> None:
    """The pages that come are those of the files, in their order, copies with what they are of."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    async with Crawl(job(site), tmp_path) as crawl:
        found = [page async for page in crawl]
    assert before == {number: signal.getsignal(number) for number in before}
    assert {page.url.removeprefix(site) for page in found} == LINKED
    kept = [page for page in found if page.kept]
    assert [page.url for page in kept] == [line["url"] for line in lines(tmp_path, "pages")]
    assert all(page.title and page.text and page.verdict is VerdictKind.NEW for page in kept)
    [copy] = [page for page in found if not page.kept]
    assert copy.verdict == "exact-payload"
    assert copy.of in {f"{site}/3", f"{site}/7"}
    assert summary_of(tmp_path)["stored"] == len(kept)
    assert not check_directory(tmp_path, every_page=True).problems


async def test_leaving_early_leaves_a_crawl_that_goes_on(site: str, tmp_path: Path) -> None:
    """After `break` nothing is lost: the same call fetches the rest, and the files have it all."""
    given = job(site, fetch={"workers": 1})
    async with Crawl(given, tmp_path) as crawl:
        async for _ in crawl:
            break
    first = {line["url"] for line in lines(tmp_path, "pages")}
    assert 0 < len(first) < len(LINKED) - 1
    async with Crawl(given, tmp_path) as crawl:
        rest = [page.url async for page in crawl]
    assert first.isdisjoint(rest)
    assert {url.removeprefix(site) for url in (*first, *rest)} == LINKED


async def test_a_slow_program_holds_the_crawl_up(tmp_path: Path) -> None:
    """As many pages as are fetched at once wait for the program, and no more are asked for.

    But for one: a page gives its place away while it is read, and takes one when it comes back.
    """
    asked: list[str] = []
    with shelf(PAGES, asked) as site:
        async with Crawl(job(site, fetch={"workers": 2}), tmp_path) as crawl:
            taken = 0
            async for page in crawl:
                assert page.url
                taken += 1
                await turns()
                assert len(asked) - 1 <= taken + 2, asked  # robots.txt is one
    assert taken == len(LINKED)


async def test_urls_are_added_while_it_runs(site: str, tmp_path: Path) -> None:
    """A URL that is added at the last page is fetched, with what it leads to; the known are not."""
    found = []
    async with Crawl(job(site), tmp_path) as crawl:
        async for page in crawl:
            found.append(page.url.removeprefix(site))
            if len(found) == len(LINKED):
                await turns()
                assert crawl.add(f"{site}/alone")
                assert not crawl.add(f"{site}/3")
                with pytest.raises(InputError, match="no URL"):
                    crawl.add("mailto:a@b.example")
        with pytest.raises(InputError, match="has ended"):
            crawl.add(f"{site}/9")
    assert found[-2:] == ["/alone", "/8"]


async def test_two_crawls_run_on_one_loop(site: str, tmp_path: Path) -> None:
    """Each has its own directory, and one directory has one crawl at a time."""

    async def pages(output: Path) -> int:
        async with Crawl(job(site), output) as crawl:
            return len([page async for page in crawl])

    found = await asyncio.gather(pages(tmp_path / "a"), pages(tmp_path / "b"))
    assert set(found) == {len(LINKED)}
    async with Crawl(job(site), tmp_path / "c"):
        with pytest.raises(StoreInUse):
            async with Crawl(job(site), tmp_path / "c"):
                pass


async def test_a_crawl_that_is_given_up_while_it_opens_lets_its_directory_go(
    site: str, tmp_path: Path
) -> None:
    """Who is cancelled before the block begins leaves a crawl that the next one goes on with."""

    async def opened() -> None:
        async with Crawl(job(site), tmp_path):
            raise AssertionError("it was cancelled before")

    opening = asyncio.create_task(opened())
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    crawl = Crawl(job(site), tmp_path)
    found = []
    for _ in range(2):  # and the same crawl may be entered again
        async with crawl:
            found.append({page.url.removeprefix(site) async for page in crawl})
    assert found == [LINKED, set()]
    assert not check_directory(tmp_path, every_page=True).problems


async def test_what_goes_wrong_reaches_the_program(site: str, tmp_path: Path) -> None:
    """A wrong job, another's directory, lost lines and the program's own errors are raised."""
    with pytest.raises(ConfigError, match=r"limits\.page: unknown key"):
        Crawl({**job(site), "limits": {"page": 3}}, tmp_path)
    with pytest.raises(ConfigError, match="no seeds"):
        Crawl({}, tmp_path)
    file = write_job(job(site), tmp_path / "job.yaml")

    async def fails(given: Any, error: type[Exception], disturb: Callable[[], object]) -> None:
        with pytest.raises(error):
            async for _ in _disturbed(Crawl(given, tmp_path / "out"), disturb):
                pass

    await fails(file, ZeroDivisionError, lambda: 1 // 0)
    other = job(site, urls={"tracking_parameters": ["x"]})
    await fails(other, StoreMismatch, lambda: None)
    await fails(file, LinesLost, line_path(tmp_path / "out", "pages").unlink)


async def test_what_brings_no_page_is_heard(site: str, tmp_path: Path) -> None:
    """Each URL that failed or was skipped comes once, as its line says it; pages come as without.

    A seed whose host does not answer comes, too; what the program raises there reaches it.
    """
    missed: list[Missed] = []
    given = job(site, fetch={"workers": 1, "retries": 0})
    given["seeds"] = [f"{site}/gone", f"{site}/7", "http://127.0.0.1:1/"]
    async with Crawl(given, tmp_path / "out", missed=missed.append) as crawl:
        assert [page.url async for page in crawl] == [f"{site}/7"]
    reasons = {one.url: (one.reason, one.is_failure) for one in missed}
    assert reasons == {
        f"{site}/gone": ("http-4xx", True),
        "http://127.0.0.1:1/": ("pending", True),
    }
    assert [one.line for one in missed if one.line] == lines(tmp_path / "out", "failures")
    assert all(one.detail for one in missed)

    def refuse(one: Missed) -> None:
        raise LookupError(one.url)

    async with Crawl(given, tmp_path / "again", missed=refuse) as crawl:
        with pytest.raises(LookupError, match=site):
            [page async for page in crawl]
    with shelf({"/robots.txt": "User-agent: *\nDisallow: /", "/": PAGES["/"]}) as closed:
        async with Crawl(job(closed), tmp_path / "closed", missed=missed.append) as crawl:
            assert [page async for page in crawl] == []
    assert (missed[-1].url, missed[-1].is_failure) == (f"{closed}/", False)


async def _disturbed(
    crawl: Crawl, disturb: Callable[[], object]
) -> AsyncIterator[StoredPage | Duplicate]:
    async with crawl:
        disturb()
        async for page in crawl:
            yield page


async def test_a_crawl_outside_of_its_block_says_how_it_begins(tmp_path: Path) -> None:
    """Whatever is asked of it, the error names `async with`; nothing is made."""
    crawl = Crawl({"seeds": ["http://a.test/"]}, tmp_path / "out")
    with pytest.raises(RuntimeError, match="async with"):
        crawl.stop()
    with pytest.raises(RuntimeError, match="async with"):
        crawl.add("http://a.test/b")
    with pytest.raises(RuntimeError, match="async with"):
        await anext(crawl)
    assert not (tmp_path / "out").exists()
