"""A real process killed with SIGKILL again and again loses nothing and doubles nothing."""

from __future__ import annotations

import random
import signal
import subprocess
from pathlib import Path

from crawling import (
    QUICK,
    all_lines,
    crawl,
    demo_web,
    finished,
    job_data,
    lines,
    program,
    write_job,
)

from crawler.errors import StoreError
from crawler.storage import StoreView

KILLS = 20
EARLIEST_S = 0.3
LATEST_S = (2.0, 4.0)
"""Of the first and of the last run. A run takes one to two seconds to start and five to finish:
kills fall into all of it, and even on a busy machine the later ones come after the start."""

SLOWLY = {"fetch": {"workers": 3}, "analysis": {"processes": 1}}


def fetched(output: Path) -> set[tuple[str, str]]:
    """Return (URL, payload digest) of every page that was judged."""
    return {
        (line["url"], line["payload_digest"])
        for name in ("pages", "duplicates")
        for line in lines(output, name)
    }


def kill_at(process: subprocess.Popen[str], after_s: float) -> bool:
    """Kill a program that is still running after so many seconds; whether it was."""
    try:
        process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    return False


def test_twenty_kills_leave_the_crawl_of_an_undisturbed_one(tmp_path: Path) -> None:
    """After kills at random moments and a resume, the same URLs and bodies are there, once each."""
    moments = random.Random(20)
    with demo_web() as (web, _):
        assert crawl(job_data(web, tmp_path / "calm", QUICK)) == 0
        job = write_job(job_data(web, tmp_path / "hard", QUICK, SLOWLY), tmp_path / "job.yaml")
        kills, command = 0, ("--config", job)
        while kills < KILLS:
            latest_s = LATEST_S[0] + (LATEST_S[1] - LATEST_S[0]) * kills / KILLS
            process = program(*command)
            if kill_at(process, moments.uniform(EARLIEST_S, latest_s)):
                kills += 1
            if command[0] != "resume" and begun(tmp_path / "hard"):
                command = ("resume", tmp_path / "hard")
        code, out, err = finished(program("resume", tmp_path / "hard"))
    assert code == 0, err
    assert "and every end has its line" in out
    assert fetched(tmp_path / "hard") == fetched(tmp_path / "calm")
    check_whole(tmp_path / "hard")


def begun(output: Path) -> bool:
    """Whether the seeds of a crawl were committed, so that it can be resumed."""
    try:
        with StoreView.read(output) as view:
            return any(view.seeds())
    except StoreError:
        return False


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
