"""Whole crawls of the demo web for tests: in this process, or as a program of their own."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from crawler.cli import main
from crawler.config import Job, merge, parse_job
from crawler.demo import DemoServer, DemoWeb, demo_job
from crawler.engine.identity import identity
from crawler.errors import StoreError
from crawler.sources.web.crawl import run_crawl
from crawler.storage.store import Store
from crawler.storage.view import StoreView
from support.forking import Forked

QUICK: dict[str, dict[str, Any]] = {
    "scope": {"exclude": [r"/stall", r"/(flaky|500|truncated)$", r"//slow\.", r"//down\."]},
    "analysis": {"processes": 1},
}
"""Leaves out what only costs time: pages that never end or are asked for again after a pause,
robots.txt that never comes, a second process to start."""

FEWER: dict[str, dict[str, Any]] = {
    **QUICK,
    "scope": {"exclude": [*QUICK["scope"]["exclude"], r"//(babel|calendar|quiet|shop)\."]},
}
"""Leaves out hosts with more of the same as well, which have half of all pages of a small web."""


def left_out(url: str, by: Mapping[str, dict[str, Any]] = QUICK) -> bool:
    """Whether QUICK, or FEWER, leaves out this URL."""
    return any(re.search(pattern, url) for pattern in by["scope"]["exclude"])


PLAINLY: dict[str, dict[str, Any]] = {"extract": {"engine": "visible", "learn": False}}
"""Reads all that is visible, as jobs of tests do: to choose lines by the model takes a third of a
crawl."""

AS_USERS_READ: dict[str, dict[str, Any]] = {
    "extract": {"engine": Job().extract.engine.value, "learn": Job().extract.learn}
}
"""Reads as a job does that says nothing of it, where a test depends on which lines are the text."""

UNENDING = {"hosts": {"news-a.demo.test": {"delay_s": 3600.0}}}
"""Has one of the hosts asked once an hour: the crawl is still under way whenever a test looks."""

HANG_S = 600.0
"""Ends what hangs: far longer than anything takes, on any machine. No result depends on it."""


@contextmanager
def demo_web(articles: int = 30, log: Path | None = None) -> Iterator[tuple[DemoWeb, DemoServer]]:
    """Serve a demo web while the context lasts."""
    web = DemoWeb(articles=articles)
    with DemoServer(web, log=log) as server:
        yield web, server


def job_data(web: DemoWeb, output: Path, *changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the demo's job, which reads PLAINLY, with changes merged over it."""
    data: dict[str, Any] = demo_job(web, output)
    for change in (PLAINLY, *changes):
        merge(data, change)
    return data


def loopback_job(output: Path, seeds: Sequence[str], **sections: Any) -> dict[str, Any]:
    """Return a job for servers on loopback.

    It asks without pause and reads PLAINLY unless `sections` say otherwise.
    """
    data: dict[str, Any] = {
        "seeds": list(seeds),
        "output": str(output),
        "politeness": {"delay_s": 0.0},
        "analysis": {"processes": 1},
    }
    merge(data, PLAINLY)
    merge(data, sections)
    return data


def crawl(data: Mapping[str, Any]) -> int:
    """Run a new crawl in this process; return its exit code."""
    job = parse_job(data, "test")
    store = Store.create(job.output, identity(job), rotate_bytes=job.storage.rotate_bytes)
    return run_crawl(job, store, lambda line: None)


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command in this process, which is quicker than a program; return as `finished` does."""
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    return code, *capsys.readouterr()


def begun(output: Path) -> bool:
    """Whether the seeds of a crawl were committed, so that it can be resumed."""
    try:
        with StoreView.read(output) as view:
            return any(view.seeds())
    except StoreError:
        return False


def write_job(data: Mapping[str, Any], path: Path) -> Path:
    """Write a job file."""
    plain = orjson.loads(orjson.dumps(data, default=list))
    path.write_text(yaml.safe_dump(plain), encoding="utf-8")
    return path


def program(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start `python -m crawler` with its output captured."""
    return Forked(
        [sys.executable, "-m", "crawler", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def wait_until(
    happened: Callable[[], bool], process: subprocess.Popen[str], timeout_s: float = HANG_S
) -> None:
    """Wait until something has happened that a running program does, or it has ended."""
    end = time.monotonic() + timeout_s
    while not happened() and process.poll() is None:
        assert time.monotonic() < end, "it has not happened, and the program still runs"
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)


def finished(process: subprocess.Popen[str], timeout_s: float = HANG_S) -> tuple[int, str, str]:
    """Wait for a program; return exit code, stdout and stderr."""
    with process:
        out, err = process.communicate(timeout=timeout_s)
    return process.returncode, out, err
