"""Crawls of the spelled web, and what their directories say of what they learned and put off."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from crawler.cli import main
from crawler.frontier.learning import HEARD
from crawler.storage.view import StoreView
from support.crawling import crawl
from support.output import summary_of
from support.spelled import SpelledWeb

MORE = 10_000
"""A page limit that no crawl of it comes to."""
PENDING = "SELECT url FROM urls WHERE state = 0"


class Ran:
    """A crawl that has ended, and what its hosts were asked."""

    def __init__(self, output: Path, asked: list[tuple[str, str]]) -> None:
        self.output = output
        self.asked = asked

    def addresses(self, host: str) -> list[str]:
        """Return what was asked of a host, in order."""
        return [address for name, address in self.asked if name == host]


def ran(web: SpelledWeb, output: Path, *hosts: str, **sections: Any) -> Ran:
    """Run a new crawl of these hosts to its end."""
    web.asked.clear()
    assert crawl(web.job(output, *hosts, **sections)) == 0
    return Ran(output, web.asked.copy())


def rows(output: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Return what a statement gives of a crawl's state."""
    with closing(sqlite3.connect(output / "state.sqlite")) as state:
        return state.execute(sql, parameters).fetchall()


def waiting(output: Path) -> dict[str, tuple[int, int, str]]:
    """Return (place, place before, rule) of each URL that waits behind others."""
    found = rows(
        output,
        "SELECT u.url, u.priority, p.before, p.rule FROM predicted AS p "
        "JOIN urls AS u ON u.id = p.url_id WHERE u.state = 0 AND NOT p.audit",
    )
    return {url: (place, before, rule) for url, place, before, rule in found}


def ended_whole(output: Path) -> Mapping[str, Any]:
    """Return the summary of a crawl that left nothing and whose counts agree."""
    summary = summary_of(output)
    assert summary["identity_holds"], summary["problems"]
    assert summary["pending"] == summary["foreseen"]["pending"] == 0
    return summary


def resumed(output: Path, *more: object) -> None:
    """Go on with a crawl to its end."""
    assert main(["resume", str(output), "--pages", str(MORE), *map(str, more)]) == 0
    ended_whole(output)


def lessons(output: Path) -> list[tuple[str, str, bytes, str | None]]:
    """Return all that ends have taught, in their order."""
    with StoreView.read(output) as view:
        return [*view.lessons(HEARD)]
