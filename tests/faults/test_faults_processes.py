"""Processes that are killed, hung, interrupted or in each other's way."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    UNENDING,
    begun,
    command,
    demo_web,
    finished,
    job_data,
    program,
    write_job,
)
from support.output import all_lines

from crawler.sources.event_loop import run_loop
from crawler.workers.messages import HELLO
from crawler.workers.process import AnalysisProcess

SLOWLY = {
    "politeness": {"delay_s": 0.05, "per_host": 1},
    "analysis": {"processes": 2, "timeout_s": 2.0},
    "progress_s": 0.05,
    "grace_s": 60,
}


def pages_said(process: subprocess.Popen[str]) -> Iterator[int]:
    """Yield the number of judged pages from each progress line."""
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(r" (\d+) pages ", line):
            yield int(match[1])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is not known who computes")
def test_a_crawl_outlives_its_analysis_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes killed and one hung, each with a page: every page ends as its truth says.

    None is blamed, for none did it: the page of the hung process had not computed.
    """
    hurt = {10: signal.SIGKILL, 35: signal.SIGKILL, 60: signal.SIGSTOP}
    ask, asked = AnalysisProcess.ask, 0

    def asking(process: AnalysisProcess, framed: bytes) -> asyncio.Future[Any]:
        nonlocal asked
        asked += framed is not HELLO
        if signal_number := hurt.pop(asked, None):
            os.kill(process._pid, signal_number)
        return ask(process, framed)

    monkeypatch.setattr(AnalysisProcess, "ask", asking)
    with demo_web(articles=4) as (web, _):
        two = {"analysis": {"processes": 2, "timeout_s": 4.0}}
        job = write_job(
            job_data(web, tmp_path / "out", FEWER, AS_USERS_READ, two), tmp_path / "job"
        )
        code, out, _ = command(capsys, "crawl", "--config", job)
        written = all_lines(tmp_path / "out")
        compared = web.truth.compare(*written)
    assert not hurt
    assert code == 0
    assert "and the output files agree" in out
    assert compared.wrong == (), [line for lines in written for line in lines if "detail" in line]


def test_an_impatient_operator_and_a_second_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second process is refused and told the first; SIGINT twice ends that one; resume ends all.

    Nor does it harm a page that the first was suspended for longer than a page may take.
    """
    with demo_web(articles=4) as (web, _):
        data = job_data(web, tmp_path / "out", FEWER, AS_USERS_READ, UNENDING, SLOWLY)
        process = program("--config", write_job(data, tmp_path / "job"))
        said = pages_said(process)
        assert any(begun(tmp_path / "out") for _ in said)
        process.send_signal(signal.SIGSTOP)
        code, _, err = command(capsys, "resume", tmp_path / "out")
        assert code == 2
        assert f"in use by a crawl (pid {process.pid} on " in err
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        assert process.stderr is not None
        assert any("Stopping" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        code, _, err = finished(process)
        assert code == 130
        assert "continue with: python -m crawler resume" in err
        quick = write_job(job_data(web, tmp_path / "out", FEWER, AS_USERS_READ), tmp_path / "quick")
        assert command(capsys, "resume", tmp_path / "out", "--config", quick)[0] == 0
        compared = web.truth.compare(*all_lines(tmp_path / "out"))
    assert compared.wrong == ()


class Endless:
    """Work that only a second signal can end; it sends both itself."""

    async def run(self) -> None:
        """Wait for ever."""
        self._task = asyncio.current_task()
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()

    def stop(self) -> None:
        """Go on all the same."""
        os.kill(os.getpid(), signal.SIGINT)

    def cancel(self) -> None:
        """Give up."""
        assert self._task is not None
        self._task.cancel()


def test_work_that_a_second_signal_cancels_ends_with_its_exit_code() -> None:
    """No traceback follows: the code is that of the signal, and the user was told once."""
    said: list[str] = []
    assert run_loop(Endless, said.append) == 130
    assert len(said) == 1
