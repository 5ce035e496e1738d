"""Whole crawls of the demo web, held against what it knows of itself."""

from __future__ import annotations

import asyncio
import itertools
import re
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.analysing import no_processes
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    QUICK,
    UNENDING,
    command,
    crawl,
    demo_web,
    finished,
    job_data,
    program,
    write_job,
)
from support.output import all_lines, lines, summary_of
from support.paths import doc

from crawler.dedup.signing import layout_similarity
from crawler.demo import DemoServer, DemoWeb
from crawler.demo.pages import Outcome
from crawler.engine import schema
from crawler.models import Skip
from crawler.storage.directory import LINE_FILES
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Demo:
    """One crawl of the demo web that many tests look at."""

    def __init__(self, web: DemoWeb, server: DemoServer, output: Path) -> None:
        self.web = web
        self.output = output
        self.code = crawl(job_data(web, output, AS_USERS_READ))
        self.requests = server.requests()
        self.files = all_lines(output)
        self.summary = summary_of(output)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Crawl the demo web once."""
    home = tmp_path_factory.mktemp("demo")
    with demo_web(articles=10, log=home / "requests.jsonl") as (web, server):
        return Demo(web, server, home / "out")


def test_verdicts_and_ends_are_the_truth(demo: Demo) -> None:
    """Every URL of the demo web ends as its truth says, and nothing else is found."""
    assert demo.code == 0
    compared = demo.web.truth.compare(*demo.files)
    assert compared.wrong == ()
    assert compared.missed == ()
    assert sum(row.expected for row in compared.rows()) > 150


def test_the_accounts_add_up(demo: Demo) -> None:
    """The summary's parts sum to `seen`, and each is the number of its file's lines."""
    s = demo.summary
    ends = [s["stored"], sum(s["duplicates"].values()), s["redirects"]]
    ends += [sum(s["failures"].values()), sum(s["skipped"].values())]
    assert [len(file) for file in demo.files] == ends
    assert s["seen"] == sum(ends) + s["pending"]
    assert s["identity_holds"]


def test_every_line_fits_its_schema(demo: Demo) -> None:
    """Real output, summary included, is valid by the published JSON Schemas."""
    for name, records in zip(LINE_FILES, demo.files, strict=True):
        validator = Draft202012Validator(schema(name))
        assert records, name
        for record in records:
            validator.validate(record)
    Draft202012Validator(schema("summary")).validate(demo.summary)


LIKE = {"evidence", "distance", "similarity", "of_fingerprint", "matched_blocks"}
"""Fields of a stored page that is like another one: of a sibling, and of a tagged near
duplicate."""
TAGGED = {"duplicate_of", "cluster", "kind", "content_similarity", "layout_similarity"}
"""Fields of a stored page that only a tagged near duplicate has."""


ELSEWHERE = {"unknown_encoding", "restored_at", "doubted", "markdown"}
ELSEWHERE |= {"language", "language_score", "declared_language", "published", "modified"}
ELSEWHERE |= {"author", "description", "site_name", "outlinks", "nofollow", "headers"}
ELSEWHERE |= {"extracted", "extracted_by"}
ELSEWHERE |= {"etag", "last_modified", "revisit", "mirror", "warc_filename", "warc_offset"}
ELSEWHERE |= {"warc_record_id", "transport", "rendered", "visual"}
"""Fields that no page of the demo web need have: test_walls, test_lines, test_declared,
test_mirrors, test_archived_crawl and the tests of browsers, plugins, `restore` and `recrawl` do."""


def test_every_documented_field_is_written(demo: Demo) -> None:
    """No schema has a field that a crawl never writes, nor a crawl one that its schema has not."""
    for name, records in zip(LINE_FILES, demo.files, strict=True):
        written = {field for record in records for field in record} - ELSEWHERE
        documented = set(schema(name)["properties"]) - ELSEWHERE
        unwritten = {"pages": TAGGED | {"restored_at"}, "failures": {"living_copy"}}
        assert written == documented - unwritten.get(name, set()), name
    assert set(demo.summary) == set(schema("summary")["properties"])


def test_every_file_and_table_is_documented(demo: Demo) -> None:
    """docs/output.md lists the files of a finished crawl and the tables of its state, no others."""
    page = doc("output")
    files, tables = (
        set(
            re.findall(
                r"^\| \[?`([^`]+)`", page.partition(begin)[2].partition(end)[0], re.MULTILINE
            )
        )
        for begin, end in (("| File |", "Every URL"), ("| Table |", "## What is guaranteed"))
    )
    assert files == {path.name for path in demo.output.iterdir()}
    with StoreView.read(demo.output) as view:
        names = view.database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        version = view.database.pragma("user_version")
    assert tables == {name for (name,) in names}
    assert f"`user_version` {version})" in page


def test_no_url_is_fetched_twice_but_to_retry(demo: Demo) -> None:
    """The server saw each URL once, except where a failure or a redirect in place asks for more."""
    asked: dict[tuple[str, str], int] = defaultdict(int)
    for request in demo.requests:
        asked[request.host, request.path] += 1
    again = {place for place, times in asked.items() if times > 1}
    failing = {line["url"] for line in demo.files[3] if line["attempts"] > 1}
    for host, path in again:
        url = demo.web.url(host.partition(":")[0], path)
        assert url in failing or any(word in path for word in AGAIN), url


AGAIN = ("robots.txt", "flaky", "busy", "cookie", "folder")


def test_forbidden_urls_are_never_requested(demo: Demo) -> None:
    """What robots.txt disallows does not appear in the server's log."""
    forbidden = demo.web.truth.urls(Outcome.SKIPPED, Skip.ROBOTS)
    assert forbidden
    seen = {demo.web.url(r.host.partition(":")[0], r.path) for r in demo.requests}
    assert not seen & set(forbidden)


def test_robots_txt_comes_before_any_page(demo: Demo) -> None:
    """The first request to each host is for its robots.txt."""
    first: dict[str, str] = {}
    for request in demo.requests:
        first.setdefault(request.host, request.path)
    assert set(first.values()) == {"/robots.txt"}


def test_duplicates_name_stored_pages(demo: Demo) -> None:
    """`duplicate_of` is always the id and URL of a line in pages.jsonl."""
    stored = {page["id"]: page["url"] for page in demo.files[0]}
    for duplicate in demo.files[1]:
        assert stored[duplicate["duplicate_of"]["id"]] == duplicate["duplicate_of"]["url"]


LAYOUTS = {
    "news-a": "newspaper",
    "news-b": "magazine",
    "archive": "manual",
    "xinwen": "portal",
    "zhuanzai": "magazine",
    "shop": "magazine",
    "calendar": "newspaper",
    "babel": "newspaper",
    "moved": "newspaper",
}
"""First label of the host -> the layout of its pages, but for print versions."""


def layout_of(url: str) -> str | None:
    """Return the layout of a demo page; None where the host has several or shows plain text."""
    host = url.split("/")[2].partition(".")[0]
    return "printed" if "print" in url else LAYOUTS.get(host)


def test_kinds_of_duplicate_are_the_truth(demo: Demo) -> None:
    """Its kind says `same-layout` of a duplicate exactly where the web dressed both pages alike."""
    told = set()
    for duplicate in demo.files[1]:
        own, of = layout_of(duplicate["url"]), layout_of(duplicate["duplicate_of"]["url"])
        if own and of:
            layout = "same-layout" if own == of else "other-layout"
            assert duplicate["kind"].endswith(layout), duplicate
            told.add(duplicate["kind"])
        exact = duplicate["verdict"] != "near"
        assert not exact or duplicate["content_similarity"] == 1.0
    assert told == {
        "same-content-same-layout",
        "same-content-other-layout",
        "partial-content-same-layout",
        "partial-content-other-layout",
    }


def test_the_summary_counts_every_duplicate_by_kind(demo: Demo) -> None:
    """The numbers of the kinds are those of the lines."""
    counted = Counter(duplicate["kind"] for duplicate in demo.files[1])
    assert demo.summary["duplicate_kinds"] == counted


def test_the_summary_counts_what_pages_were_judged_by(demo: Demo) -> None:
    """The numbers of judged texts and of reasons are those of the lines."""
    pages, duplicates = demo.files[:2]
    dropped = [line for line in duplicates if line["judged_on"]]
    assert demo.summary["judged_on"] == Counter(line["judged_on"] for line in pages + dropped)
    reasons = Counter(page["reason"] for page in pages if page["reason"])
    assert demo.summary["stored_by_reason"] == reasons
    assert reasons


def test_the_summary_counts_the_evidence(demo: Demo) -> None:
    """The numbers are those of the lines of near duplicates and siblings."""
    told = Counter(
        line["evidence"] for file in demo.files[:2] for line in file if set(line) >= LIKE
    )
    assert demo.summary["evidence"] == told
    siblings = sum(page["verdict"] == "sibling" for page in demo.files[0])
    assert demo.summary["stored_by_verdict"]["sibling"] == siblings
    assert demo.summary["duplicates"]["sibling"] == 0
    assert sum(told.values()) == siblings + demo.summary["duplicates"]["near"]


def test_siblings_are_the_months(demo: Demo) -> None:
    """Pages with one text under titles of their own are stored, each like one stored before it."""
    pages = {page["id"]: page for page in demo.files[0]}
    siblings = [page for page in pages.values() if page["verdict"] == "sibling"]
    assert len(siblings) > 10
    for page in siblings:
        like = pages[page["sibling_of"]["id"]]
        assert like["url"] == page["sibling_of"]["url"]
        assert like["id"] < page["id"]
        assert "/calendar/" in page["url"]
        assert "/calendar/" in like["url"]
        assert page.keys() >= LIKE
        assert page["evidence"] == "other-title"
        assert page["similarity"] > 0.9


def test_what_was_dropped_can_be_had_again(demo: Demo) -> None:
    """The store keeps what was dropped as the line it would have, but for its id."""
    pages = {page["id"]: page for page in demo.files[0]}
    differing = [line for line in demo.files[1] if line["verdict"] in ("near", "exact-text")]
    with StoreView.read(demo.output) as view:
        ids = dict(view.database.rows("SELECT url, id FROM urls"))
        kept = {line["url"]: view.dropped(ids[line["url"]]) for line in demo.files[1]}
    for line in differing:
        found = kept.pop(line["url"])
        assert found is not None
        assert found.appearance is not None
        page = found.line
        Draft202012Validator(schema("pages")).validate(page | {"id": 1})
        both = line.keys() & page.keys()
        if line["verdict"] == "exact-text":  # by which nothing was compared
            both -= {"fingerprint"}
        assert {key: page[key] for key in both} == {key: line[key] for key in both}
        assert page["text"] != pages[line["duplicate_of"]["id"]]["text"] or page["title"]
    assert {line["verdict"] for line in differing} == {"near", "exact-text"}
    assert len(differing) > 40
    assert all(one is None for one in kept.values()), "copies to the byte are there already"


def test_layouts_of_the_stored_pages_explain_the_kinds(demo: Demo) -> None:
    """The layout similarity of a line follows from its layout and that of the page it names."""
    layouts = {page["id"]: page["layout"] for page in demo.files[0]}
    compared = 0
    for duplicate in demo.files[1]:
        if duplicate["layout"]:
            both = duplicate["layout"], layouts[duplicate["duplicate_of"]["id"]]
            expected = layout_similarity(*map(bytes.fromhex, both))
            assert duplicate["layout_similarity"] == expected
            compared += 1
    assert compared > 50


async def test_a_polite_crawl_keeps_the_pause_on_every_host(tmp_path: Path) -> None:
    """By the server's log no host is asked sooner than `delay_s` after its last request."""
    pause_s = 0.15
    polite = {"politeness": {"delay_s": pause_s, "per_host": 1}, "limits": {"pages": 60}}
    log = tmp_path / "requests.jsonl"
    with demo_web(articles=4, log=log) as (web, server):
        data = job_data(web, tmp_path / "out", QUICK, polite)
        assert await asyncio.to_thread(finished, start(data, tmp_path)) is not None
        by_host = defaultdict(list)
        for request in server.requests():
            by_host[request.host].append(request.monotonic_s)
    gaps = [b - a for times in by_host.values() for a, b in itertools.pairwise(sorted(times))]
    assert len(gaps) > 40
    assert min(gaps) >= pause_s


def start(data: dict[str, Any], home: Path) -> Any:
    """Start a crawl of this job as a program."""
    return program("--config", write_job(data, home / "job.yaml"))


def judged_urls(output: Path) -> set[str]:
    """Return the URLs of all pages that were judged."""
    return {line["url"] for name in ("pages", "duplicates") for line in lines(output, name)}


def test_a_page_limit_leaves_the_rest_pending_and_a_resume_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs of 20 and 40 pages: the second adds what the first left, and all of it is true."""
    with demo_web(articles=4) as (web, _):
        assert crawl(job_data(web, tmp_path / "out", QUICK, {"limits": {"pages": 20}})) == 0
        first = judged_urls(tmp_path / "out")
        code, out, _ = command(capsys, "resume", tmp_path / "out", "--pages", "40")
    second = judged_urls(tmp_path / "out")
    assert (len(first), len(second), code) == (20, 40, 0)
    assert first < second
    assert "pending" in out


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DemoWeb, Path]]:
    """Crawl a small web that goes on being served; return it, and the directory."""
    output = tmp_path_factory.mktemp("small") / "out"
    with demo_web(articles=4) as (web, _), no_processes():
        crawl(job_data(web, output, FEWER))
        yield web, output


def test_what_is_no_page_does_not_count_against_the_limit(
    small: tuple[DemoWeb, Path], tmp_path: Path
) -> None:
    """A limit of as many pages as the web has is reached: noindex and refresh pages take none."""
    web, whole = small
    everything = judged_urls(whole)
    crawl(job_data(web, tmp_path / "out", FEWER, {"limits": {"pages": len(everything)}}))
    assert "noindex" in {line["reason"] for line in lines(tmp_path / "out", "skipped")}
    assert judged_urls(tmp_path / "out") == everything


def test_a_changed_scope_refilters_the_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """URLs that a resumed job excludes end as skipped, out-of-scope, without being fetched."""
    with demo_web(articles=4, log=tmp_path / "log") as (web, server):
        data = job_data(web, tmp_path / "out", QUICK, {"limits": {"pages": 15}})
        crawl(data)
        before = len(server.requests())
        narrow = {"scope": {"exclude": ["."]}, "limits": {"pages": 1000}}
        job = write_job(job_data(web, tmp_path / "out", QUICK, narrow), tmp_path / "job.yaml")
        code, _, _ = command(capsys, "resume", tmp_path / "out", "--config", job)
        assert len(server.requests()) == before
    assert code == 0
    skipped = lines(tmp_path / "out", "skipped")
    assert {line["reason"] for line in skipped} >= {"out-of-scope"}


@pytest.mark.parametrize(("near", "stored_too"), [("tag", True), ("keep", False)])
def test_near_duplicates_are_tagged_or_kept(
    small: tuple[DemoWeb, Path], tmp_path: Path, near: str, stored_too: bool
) -> None:
    """`tag` stores a near duplicate with its verdict and reports it; `keep` looks for none."""
    crawl(job_data(small[0], tmp_path, FEWER, {"dedup": {"near": near}}))
    pages = {page["url"]: page for page in lines(tmp_path, "pages")}
    tagged = [line for line in lines(tmp_path, "duplicates") if line["verdict"] == "near"]
    assert bool(tagged) == stored_too
    for line in tagged:
        assert pages[line["url"]]["verdict"] == "near"
        assert pages[line["url"]]["duplicate_of"] == line["duplicate_of"]
        assert pages[line["url"]]["kind"] == line["kind"]
        assert pages[line["url"]].keys() >= TAGGED | LIKE
    assert any(line["verdict"] == "exact-payload" for line in lines(tmp_path, "duplicates"))


def test_links_of_duplicates_can_be_ignored(small: tuple[DemoWeb, Path], tmp_path: Path) -> None:
    """`follow_duplicates: ignore` sees fewer URLs than the default on a web with mirrors."""
    web, default = small
    crawl(job_data(web, tmp_path, FEWER, {"dedup": {"follow_duplicates": "ignore"}}))
    assert summary_of(tmp_path)["seen"] < summary_of(default)["seen"]


def test_a_signal_drains_and_a_resume_ends_the_crawl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SIGTERM lets pages under way finish, exits with 143, and nothing is lost by the resume."""
    slowly = {"politeness": {"delay_s": 0.05, "per_host": 1}, "progress_s": 0.1}
    with demo_web(articles=4) as (web, _):
        process = start(
            job_data(web, tmp_path / "out", FEWER, AS_USERS_READ, UNENDING, slowly), tmp_path
        )
        assert process.stderr is not None
        assert any(re.search(r" [1-9]\d* pages", line) for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        code, out, err = finished(process)
        assert code == 143
        assert "resume" in err
        assert "pending" in out
        quick = write_job(
            job_data(web, tmp_path / "out", FEWER, AS_USERS_READ), tmp_path / "quick.yaml"
        )
        code, _, _ = command(capsys, "resume", tmp_path / "out", "--config", quick)
        compared = web.truth.compare(*all_lines(tmp_path / "out")[:2])
    assert code == 0
    assert compared.wrong == ()
