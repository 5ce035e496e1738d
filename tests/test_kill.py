"""A real process killed with SIGKILL again and again loses nothing and doubles nothing."""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path

import pytest
from crawling import (
    QUICK,
    all_lines,
    begun,
    crawl,
    demo_web,
    job_data,
    lines,
    write_job,
)
from replaying import check_replay

from crawler.cli import main

KILLS = 20
STARTING_S = 1.0
"""A third of the kills come within this time of the start: mostly before the first page."""
WORKING_S = 0.6
"""A third come within this time of the first lines written, and a third right at these lines, in
the midst of their commit: however slow the machine, two of three runs get that far."""
PATIENCE_S = 60.0

SLOWLY = {
    "fetch": {"workers": 3},
    "analysis": {"processes": 1},
    "politeness": {"delay_s": 0.1, "per_host": 1},
}
"""Twenty runs shall not reach the end."""

# Victims are forked by a process that has loaded the crawler: they begin at once.
VICTIMS = multiprocessing.get_context("forkserver")
VICTIMS.set_forkserver_preload(["crawler.cli"])


def fetched(output: Path) -> set[tuple[str, str]]:
    """Return (URL, payload digest) of every page that was judged."""
    return {
        (line["url"], line["payload_digest"])
        for name in ("pages", "duplicates")
        for line in lines(output, name)
    }


def killed(arguments: list[str], output: Path, kind: int, moments: random.Random) -> bool:
    """Run a command in a process of its own and kill it; False if it had ended by then."""
    before = written(output)
    victim = VICTIMS.Process(target=main, args=(arguments,))
    victim.start()
    if kind == 0:
        victim.join(moments.uniform(0, STARTING_S))
    else:
        deadline = time.monotonic() + PATIENCE_S
        while written(output) <= before and victim.is_alive() and time.monotonic() < deadline:
            victim.join(0.001)
        victim.join(moments.uniform(0, WORKING_S) if kind == 1 else 0)
    was_running = victim.is_alive()
    victim.kill()
    victim.join()
    return was_running


def written(output: Path) -> int:
    """Return how many bytes the line files hold."""
    return sum(path.stat().st_size for path in output.glob("*.jsonl"))


def test_twenty_kills_leave_the_crawl_of_an_undisturbed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After kills at random moments and a resume, the same URLs and bodies are there, once each.

    The verdicts are those of one judge that saw the pages in the order that was recorded.
    """
    moments, hard = random.Random(20), tmp_path / "hard"
    with demo_web() as (web, _):
        calm = job_data(web, tmp_path / "calm", QUICK)
        assert crawl(calm) == 0
        slow_job = write_job(job_data(web, hard, QUICK, SLOWLY), tmp_path / "slow.yaml")
        calm_job = write_job(calm, tmp_path / "calm.yaml")
        kills, command = 0, ["crawl", "--config", str(slow_job)]
        for run in range(3 * KILLS):
            kills += killed(command, hard, run % 3, moments)
            if kills == KILLS:
                break
            if command[0] != "resume" and begun(hard):
                command = ["resume", str(hard)]
        assert kills == KILLS
        assert main(["resume", str(hard), "--config", str(calm_job)]) == 0
        assert "and every end has its line" in capsys.readouterr().out
        assert fetched(hard) == fetched(tmp_path / "calm")
        check_whole(hard)
        assert check_replay(web, hard) == len(fetched(hard))


def check_whole(output: Path) -> None:
    """Assert that no URL has two lines and that every duplicate names a stored page."""
    files = all_lines(output)
    urls = [line["url"] for file in files for line in file]
    assert len(urls) == len(set(urls))
    stored = {line["id"]: line["url"] for line in files[0]}
    assert len(stored) == len(files[0])
    for duplicate in files[1]:
        of = duplicate["duplicate_of"]
        assert stored[of["id"]] == of["url"]
