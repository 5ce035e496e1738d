"""A crawl judged against an earlier one: what is stored, what is said of the rest, what may fail."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.crawling import QUICK, crawl, demo_web, job_data
from support.output import lines, summary_of

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Crawls:
    """A part of the demo web, then all of it against that, and against nothing."""

    def __init__(self, home: Path) -> None:
        self.first, self.refresh, self.whole = home / "first", home / "refresh", home / "whole"
        with demo_web(articles=20) as (web, _):
            self.part = {"limits": {"pages": 60}}
            assert crawl(job_data(web, self.first, QUICK, self.part)) == 0
            assert crawl(job_data(web, self.whole, QUICK)) == 0
            against = {"dedup": {"against": [str(self.first)]}}
            half = {"limits": {"pages": 80}}
            assert crawl(job_data(web, self.refresh, QUICK, against, half)) == 0
            # Resumed, it knows the earlier pages again, by the job that is kept with it.
            shutil.copytree(self.refresh, home / "stopped")
            assert command_of("resume", self.refresh, "--pages", "100000") == 0


def command_of(*arguments: object) -> int:
    """Run a command; return its exit code."""
    from crawler.cli import main

    return main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    """Crawl three times."""
    return Crawls(tmp_path_factory.mktemp("across"))


def across(output: Path, name: str = "duplicates") -> list[dict[str, Any]]:
    """Return the lines that name a page of another directory."""
    found = (x.get("duplicate_of") or x.get("sibling_of") or {} for x in lines(output, name))
    return [of for of in found if "against" in of]


def test_a_refresh_stores_what_is_new_and_finds_it_behind_what_is_not(crawls: Crawls) -> None:
    """It stores what a whole crawl has and the earlier one had not, and sees the same URLs."""
    digests = [{x["payload_digest"] for x in lines(o, "pages")} for o in vars(crawls).values()
               if isinstance(o, Path)]  # fmt: skip
    first, refresh, whole = digests
    assert refresh
    assert not refresh & first
    assert refresh | first >= whole - first
    assert summary_of(crawls.refresh)["seen"] == summary_of(crawls.whole)["seen"]
