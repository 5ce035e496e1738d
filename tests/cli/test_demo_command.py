"""The command that crawls the demo web: what it says and how it exits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.crawling import crawl, loopback_job
from support.threaded import page, site

from crawler.cli.commands.running import tell_end
from crawler.config import parse_job
from crawler.demo import Comparison, Truth

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

NOWHERE = "http://nowhere.demo.test/"


@dataclass(frozen=True, slots=True)
class Known(Truth):
    """Knows what a crawl finds, but for what `others` say."""

    others: Mapping[str, str]

    def compare(self, *records: Any) -> Comparison:
        """Compare with what is known."""
        got = Truth.compare(self, *records).got
        return Comparison({**got, **self.others}, got)


def test_a_url_that_ends_otherwise_than_is_known_makes_the_demo_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The URLs are named, wrong and never met ones, with both ends; the exit code is 1."""
    with site(lambda path: page("home", "/a") if path == "/" else page("other")) as server:
        data = loopback_job(tmp_path / "out", [server.url + "/"])
        data["fetch"] = {"allow_addresses": ["127.0.0.0/8"]}
        assert crawl(data) == 0
    job = parse_job(data, "test")
    assert tell_end(job, 0, Known({}, {})) == 0
    capsys.readouterr()
    others = {server.url + "/a": "redirect", NOWHERE: "stored"}
    assert tell_end(job, 0, Known({}, others)) == 1
    assert capsys.readouterr().err == (
        f"{server.url}/a: stored page, not redirect\n{NOWHERE}: not met, not stored\n"
    )
