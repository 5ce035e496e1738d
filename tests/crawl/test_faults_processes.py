"""Processes that are killed, hung, interrupted or in each other's way."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.crawling import QUICK, begun, command, demo_web, finished, job_data, program, write_job
from support.output import all_lines
from support.processes import analysis_processes

from crawler.crawl.run import run_loop

SLOWLY = {
    "politeness": {"delay_s": 0.05, "per_host": 1},
    "analysis": {"processes": 2, "timeout_s": 2.0},
    "progress_s": 0.05,
}
"""Leaves time to be troubled in."""


def pages_said(process: subprocess.Popen[str]) -> Iterator[int]:
    """Yield the number of judged pages from each progress line."""
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(r" (\d+) pages ", line):
            yield int(match[1])


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks into /proc")
def test_a_crawl_outlives_its_analysis_processes(tmp_path: Path) -> None:
    """Two processes killed and one hung: every page ends as its truth says.

    None is blamed, for none did it: the page of the hung process had not computed.
    """
    hurt = [signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP]
    with demo_web() as (web, _):
        process = program(
            "--config", write_job(job_data(web, tmp_path / "out", QUICK, SLOWLY), tmp_path / "job")
        )
        due = 10
        for pages in pages_said(process):
            if hurt and pages >= due:
                os.kill(analysis_processes(process.pid)[0], hurt.pop(0))
                due = pages + 25
        code, out, _ = finished(process)
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
    with demo_web(articles=10) as (web, _):
        data = job_data(web, tmp_path / "out", QUICK, SLOWLY, {"grace_s": 60})
        process = program("--config", write_job(data, tmp_path / "job"))
        said = pages_said(process)
        assert any(begun(tmp_path / "out") for _ in said)
        process.send_signal(signal.SIGSTOP)
        code, _, err = command(capsys, "resume", tmp_path / "out")
        assert code == 2
        assert f"in use by another crawl (pid {process.pid} on " in err
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        assert process.stderr is not None
        assert any("Stopping" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        code, _, err = finished(process)
        assert code == 130
        assert "continue with: python -m crawler resume" in err
        assert command(capsys, "resume", tmp_path / "out")[0] == 0
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
