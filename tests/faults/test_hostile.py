"""One crawl of every hostile behaviour at once, beside healthy hosts; then each case by itself.

The table of cases is in `hostile_talk`, `hostile_bodies` and `hostile_pages`.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.crawling import finished, program, write_job
from support.hostile_bodies import BODIES, CODINGS
from support.hostile_case import Case, End
from support.hostile_pages import CHARSETS, PAGES, REDIRECTS, ROBOTS
from support.hostile_talk import CONNECTING, HEADERS
from support.hostile_web import healthy_text, host_of, hostile_web, run_program
from support.output import all_lines, summary_of
from support.paths import doc

from crawler.dedup.signing import look
from crawler.models import Failure, Skip, UrlState
from crawler.storage.directory import LINE_FILES
from crawler.urls import hostname

CASES = (
    *CONNECTING,
    *HEADERS,
    *BODIES,
    *CODINGS,
    *REDIRECTS,
    *ROBOTS,
    *CHARSETS,
    *PAGES,
)
HEALTHY_HOSTS, HEALTHY_PAGES = 4, 10


@dataclass(frozen=True)
class Crawled:
    """What the crawl of everything left behind."""

    output: Path
    code: int
    out: str
    err: str
    ends: dict[str, list[tuple[str, End, str]]]
    """Host -> path, end and detail of each of its URLs."""
    summary: dict[str, Any]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Crawl all cases and the healthy hosts in one run of the program."""
    home = tmp_path_factory.mktemp("hostile")
    output = home / "out"

    async def crawl() -> tuple[int, str, str]:
        async with hostile_web(CASES, HEALTHY_HOSTS, HEALTHY_PAGES, home) as web:
            return await run_program(write_job(web.job(output), home / "job.yaml"), web, 120.0)

    code, out, err = asyncio.run(crawl())
    assert code == 0, err
    summary = summary_of(output)
    return Crawled(output, code, out, err, _ends(output), summary)


def _ends(output: Path) -> dict[str, list[tuple[str, End, str]]]:
    ends: dict[str, list[tuple[str, End, str]]] = {}
    for name, records in zip(LINE_FILES, all_lines(output), strict=True):
        for record in records:
            _, _, site, path = record["url"].split("/", 3)
            end = (f"/{path}", _end(name, record), record.get("detail", ""))
            ends.setdefault(hostname(site), []).append(end)
    return ends


def _end(name: str, record: dict[str, Any]) -> End:
    match name:
        case "failures":
            return Failure(record["failure"])
        case "skipped":
            return Skip(record["reason"])
        case "redirects":
            return UrlState.REDIRECT
        case _:  # a page is a page, also where it says the same as another one
            return UrlState.STORED


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_behaviour(case: Case, crawled: Crawled) -> None:
    """Each hostile behaviour ends as the table says, in its own class and with its reason."""
    ends = crawled.ends[host_of(case)]
    ((end, detail),) = [(end, detail) for path, end, detail in ends if path == "/page"]
    assert end in (case.end, case.either), detail
    assert case.tells in detail
    if case.after is not None:
        assert case.after in [end for path, end, _ in ends if path != "/page"]


def test_there_are_enough_behaviours() -> None:
    """No case is counted twice, and there are well over sixty."""
    assert len({case.name for case in CASES}) == len(CASES) >= 120


def test_healthy_hosts_do_not_notice(crawled: Crawled) -> None:
    """Every page of the hosts beside the hostile ones came."""
    for number in range(HEALTHY_HOSTS):
        ends = crawled.ends[f"healthy-{number}.test"]
        assert [end for _, end, _ in ends] == [UrlState.STORED] * HEALTHY_PAGES


def test_healthy_pages_are_unlike() -> None:
    """Pages of healthy hosts differ in words, so a long chain of them is no endless place."""
    assert (
        len({look(healthy_text(port, n)) for port in (40_000, 40_001) for n in range(500)}) == 1000
    )


def test_accounts_add_up(crawled: Crawled) -> None:
    """Every URL that was seen has one end; nothing is left over."""
    assert crawled.summary["identity_holds"]
    assert crawled.summary["pending"] == 0
    assert crawled.summary["seen"] == sum(map(len, crawled.ends.values()))


def test_the_memory_given_is_enough(crawled: Crawled) -> None:
    """No bomb, flood or monster makes the crawl, or a process that reads pages, swell."""
    assert crawled.summary["pending"] == 0
    assert "memory" not in (crawled.out + crawled.err).lower()


def test_file_names_do_not_come_from_the_web(crawled: Crawled) -> None:
    """The directory holds the documented files and nothing else."""
    documented = {f"{name}.jsonl" for name in LINE_FILES} | {"summary.json", "state.sqlite", "lock"}
    assert {path.name for path in crawled.output.iterdir()} <= documented


UNPRINTABLE = re.compile(r"[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Whatever moves a cursor, changes a colour, ends a line or turns the direction of writing."""


def test_nothing_reaches_the_terminal(crawled: Crawled) -> None:
    """Progress, tables and the report show no character that a terminal would obey."""
    code, out, err = finished(program("report", crawled.output, "--top", 500))
    assert code == 0
    for text in (crawled.out, crawled.err, out, err):
        assert UNPRINTABLE.findall(text) == []


@pytest.mark.parametrize("name", LINE_FILES)
def test_lines_hold_no_hidden_line_end(name: str, crawled: Crawled) -> None:
    """A line file looked at in a terminal, or split as text, is what it seems to be."""
    text = (crawled.output / f"{name}.jsonl").read_text(encoding="utf-8")
    assert UNPRINTABLE.findall(text) == []
    assert len(text.splitlines()) == text.count("\n")


def test_passwords_of_urls_are_not_written(crawled: Crawled) -> None:
    """A Location with user and password is told without them."""
    for path in crawled.output.iterdir():
        assert b"secret@" not in path.read_bytes(), path.name


def test_every_behaviour_is_documented() -> None:
    """docs/hostile-web.md says of each case, in its own words, how it ends, and of no other."""
    _, _, sections = doc("hostile-web").partition("\n## Every behaviour\n")
    told = [
        (end, does)
        for end, texts in re.findall(
            r"^\| `([a-z0-9-]+)` \| (.+) \|$", sections.partition("\n## ")[0], re.MULTILINE
        )
        for does in texts.split("; ")
    ]
    assert Counter(told) == Counter((_name(case.end), case.does) for case in CASES)


def _name(end: End) -> str:
    return end.name.lower() if isinstance(end, UrlState) else end.value
