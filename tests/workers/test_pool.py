"""The pool of analysis processes: a page that hangs or crashes is blamed alone, nothing is lost."""

from __future__ import annotations

import asyncio
import errno
import os
import select
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from support import pool_victims
from support.paths import TESTS
from support.pool_victims import Victim, fifo_pid, job, page, pid_of

from crawler.errors import AnalysisUnavailable
from crawler.models import Document, Failure, PageLinks
from crawler.workers import launch
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import START_ATTEMPTS, AnalysisPool, answer_of
from crawler.workers.process import AnalysisProcess, Born, Line

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes by pidfd"),
]

PATIENCE_S = 600.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[AnalysisPool]:
    """Yield a pool of one process that does as it is told, and is never out of time.

    All tests share it: after each of them it must still work.
    """
    async with AnalysisPool(job(1, 600), Victim) as opened:
        yield opened


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """Return a FIFO through which a page says that it hangs."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def assert_ends(pidfd: int) -> None:
    """Assert that a process is gone, or goes before patience ends."""
    try:
        readable, _, _ = select.select([pidfd], [], [], PATIENCE_S)
        assert readable
    finally:
        os.close(pidfd)


def assert_reaped(pid: int) -> None:
    """Assert that nothing is left of a process, not even a zombie."""
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def threads_of(pid: int) -> int:
    """Return how many threads a process has."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def text_of(pool: AnalysisPool, request: AnalysisRequest) -> str:
    """Return the text of a page that must be readable."""
    answer = await pool.analyse(request)
    assert isinstance(answer, Document), answer
    return answer.text


async def test_reads_a_real_page() -> None:
    """The pool's own analyser reads a page in another process, whole and by its links alone."""
    body = '<title>标题</title><p>正文内容</p><a href="/a">a</a>'.encode()
    request = AnalysisRequest("http://h/", body, "text/html", None)
    async with AnalysisPool(job(1, 60, 1_500_000_000)) as pool:
        document = await pool.analyse(request)
        links = await pool.links(request)
    assert isinstance(document, Document)
    assert document.title == "标题"
    assert document.signature.shingles.dtype == "uint32"
    assert links == PageLinks(("http://h/a",))


async def test_uses_every_process_and_answers_all() -> None:
    """Many pages at once share the processes, and each gets its own answer, however large."""
    texts = [f"{number} " * 30_000 for number in range(40)]
    async with AnalysisPool(job(2, 60), Victim) as pool:
        answers = await asyncio.gather(*(text_of(pool, page("echo", text)) for text in texts))
        pids = await asyncio.gather(*(pid_of(pool) for _ in range(8)))
    assert answers == texts
    assert len(set(pids)) == 2


async def test_blames_a_page_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that outlasts the time limit is blamed, its process killed, the next page read.

    The new process starts before anybody else's turn begins.
    """

    async def only_hanging(process: AnalysisProcess, framed: bytes, s: float, keeps: Any) -> Any:
        return await answer_of(process, framed, s if b"hang" in framed else 600.0, keeps)

    # However busy the machine is, other pages are not late.
    monkeypatch.setattr("crawler.workers.pool.answer_of", only_hanging)
    async with AnalysisPool(job(1, 0.2), Victim) as pool:
        before = await pid_of(pool)
        pidfd = os.pidfd_open(before)
        answer = await pool.analyse(page("hang"))
        assert answer == AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "no answer within 0.2 s")
        (slot,) = pool._slots
        assert slot._process is not None
        assert slot._process.usable
        assert_ends(pidfd)
        assert await pid_of(pool) != before


async def test_warming_up_is_not_the_first_pages_time(
    limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page's time begins when its process is warm, also where that is a replacement."""
    warm_up, begun = AnalysisProcess.warm_up, list[tuple[int, int]]()

    async def noted(process: AnalysisProcess) -> None:
        before = len(limits)
        await warm_up(process)
        begun.append((before, len(limits)))

    monkeypatch.setattr(AnalysisProcess, "warm_up", noted)
    async with AnalysisPool(job(1, 600), Victim) as pool:
        assert await text_of(pool, page("echo", "first")) == "first"
        assert isinstance(await pool.analyse(page("crash")), AnalysisFailed)
        assert await text_of(pool, page("echo", "next")) == "next"
    assert begun == [(0, 0), (2, 2), (3, 3)]
    assert (limits[0], limits[-1]) == (600.0, 600.0)


async def test_blames_a_page_that_kills_its_process_twice(pool: AnalysisPool) -> None:
    """A page that crashes two processes is blamed with the signal; the next page is read."""
    answer = await pool.analyse(page("crash"))
    assert answer == AnalysisFailed(
        Failure.ANALYSIS_CRASH, "the page ended 2 analysis processes, the last by SIGSEGV"
    )
    assert await text_of(pool, page("echo", "on")) == "on"


async def test_tries_a_page_again_when_its_process_died(pool: AnalysisPool, tmp_path: Path) -> None:
    """A page whose process died once, perhaps through no fault of its own, is read after all."""
    assert await text_of(pool, page("crash_once", tmp_path / "died")) == "second attempt"


async def test_replaces_a_process_that_died_idle(pool: AnalysisPool) -> None:
    """A process killed between two pages costs neither of them anything."""
    pid = await pid_of(pool)
    pidfd = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    assert_ends(pidfd)
    assert await text_of(pool, page("echo", "on")) == "on"


async def test_blames_a_page_that_eats_memory(pool: AnalysisPool) -> None:
    """A page that exceeds the memory limit is blamed by name, and its process is not used again."""
    before = await pid_of(pool)
    answer = await pool.analyse(page("eat"))
    assert isinstance(answer, AnalysisFailed)
    assert answer.failure is Failure.ANALYSIS_CRASH
    assert answer.detail.startswith("MemoryError")
    assert await pid_of(pool) != before


async def test_blames_a_page_the_analyser_chokes_on(pool: AnalysisPool) -> None:
    """An exception becomes a storable, bounded detail, and costs no process."""
    before = await pid_of(pool)
    answer = await pool.links(page("raise", "odd\0 page " + "x" * 10_000))
    assert isinstance(answer, AnalysisFailed)
    assert answer.failure is Failure.ANALYSIS_ERROR
    assert answer.detail.startswith("ValueError: odd page xxx")
    assert len(answer.detail) < 600
    assert await pid_of(pool) == before


async def test_output_of_libraries_does_no_harm(
    pool: AnalysisPool, capfd: pytest.CaptureFixture[str]
) -> None:
    """What code prints in a process is no part of its answers."""
    assert await text_of(pool, page("print", "noise")) == "noise"
    assert await text_of(pool, page("echo", "still in step")) == "still in step"
    assert not capfd.readouterr().out


async def test_ctrl_c_is_not_for_the_processes(pool: AnalysisPool) -> None:
    """SIGINT leaves a process alive, and a terminal's would not even reach it."""
    pid = await pid_of(pool)
    assert os.getsid(pid) != os.getsid(0)
    os.kill(pid, signal.SIGINT)
    assert await pid_of(pool) == pid


async def test_cancelling_leaves_the_slot_usable(pool: AnalysisPool, fifo: Path) -> None:
    """Cancelling a page in the midst kills its process; the only slot reads the next page."""
    task = asyncio.create_task(pool.analyse(page("hang", fifo)))
    pidfd = os.pidfd_open(await asyncio.to_thread(fifo_pid, fifo))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await text_of(pool, page("echo", "on")) == "on"
    assert_ends(pidfd)


async def test_cancelling_while_a_process_starts_leaves_the_slot_usable(
    pool: AnalysisPool,
) -> None:
    """Cancelled at any early step, also while a replacement starts, a slot recovers."""
    for steps in (0, 2, 5, 10):
        os.kill(await pid_of(pool), signal.SIGKILL)
        task = asyncio.create_task(pool.analyse(page("echo", "x")))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    assert await text_of(pool, page("echo", "on")) == "on"


async def test_nothing_is_left_on_exit(fifo: Path) -> None:
    """Leaving the pool ends and reaps all processes, hung or idle."""
    async with AnalysisPool(job(2, 600), Victim) as pool:
        task = asyncio.create_task(pool.analyse(page("hang", fifo)))
        hung, idle = await asyncio.to_thread(fifo_pid, fifo), await pid_of(pool)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert_reaped(hung)
    assert_reaped(idle)


async def test_processes_die_with_a_killed_parent(fifo: Path) -> None:
    """After kill -9 of the crawler both an idle process and one in an endless page end."""
    crawler = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.pool_victims", fifo),
        stdout=asyncio.subprocess.PIPE,
        cwd=TESTS,
    )
    assert crawler.stdout is not None
    pids = (await crawler.stdout.readline()).split()
    hung, idle = (os.pidfd_open(int(pid)) for pid in pids)
    crawler.kill()
    await crawler.wait()
    assert_ends(hung)
    assert_ends(idle)


async def test_waits_for_files_to_start_a_new_process(
    pool: AnalysisPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where files are short for a new process, the page waits; any other reason ends the wait."""
    fork, errors = Line.fork, [OSError(errno.EMFILE, "files")] * 3

    def short(line: Line, own: socket.socket) -> asyncio.Future[Born]:
        if errors:
            raise errors.pop()
        return fork(line, own)

    monkeypatch.setattr(Line, "fork", short)
    monkeypatch.setattr("crawler.workers.pool.PAUSES_S", (0.0,) * 3)
    os.kill(await pid_of(pool), signal.SIGKILL)
    assert isinstance(await pool.analyse(page("echo")), Document)
    assert not errors
    os.kill(await pid_of(pool), signal.SIGKILL)
    errors.append(OSError(errno.ENOENT, "no Python"))
    with pytest.raises(AnalysisUnavailable, match="no Python"):
        await pool.analyse(page("echo"))
    assert isinstance(await pool.analyse(page("echo")), Document)


async def test_a_process_killed_while_it_starts_is_started_again(
    pool: AnalysisPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and after pauses where it is killed again and again; no page is lost by it.

    Only a pool that cannot even begin ends the crawl, and says by which signal.
    """
    warm_up, deaths = AnalysisProcess.warm_up, START_ATTEMPTS + 1

    async def doomed(process: AnalysisProcess) -> None:
        nonlocal deaths
        deaths -= 1
        if deaths >= 0:
            process._end(process._pid)
            await process._pipes.exited
        await warm_up(process)

    monkeypatch.setattr(AnalysisProcess, "warm_up", doomed)
    monkeypatch.setattr("crawler.workers.pool.PAUSES_S", (0.0,))
    os.kill(await pid_of(pool), signal.SIGKILL)
    assert await text_of(pool, page("echo", "on")) == "on"
    assert deaths < 0
    deaths = START_ATTEMPTS - 1
    async with AnalysisPool(job(1, 60), Victim) as other:
        assert await text_of(other, page("echo", "begun")) == "begun"
    deaths = START_ATTEMPTS
    with pytest.raises(AnalysisUnavailable, match="it ended by SIGKILL"):
        async with AnalysisPool(job(1, 60), Victim):
            pytest.fail("opened")


async def test_a_lost_fork_server_is_replaced(pool: AnalysisPool) -> None:
    """Its processes end with it; the next page is read by those of a new one."""
    line, before = pool._fork_server._line, await pid_of(pool)
    assert line is not None
    line._server.process.kill()
    await line.closed
    assert await pid_of(pool) != before
    assert pool._fork_server._line is not line


async def test_what_was_launched_ahead_is_the_next_pools_own() -> None:
    """A pool takes the fork server that was launched for it; what nobody takes is ended."""
    launch.launch_ahead()
    (ahead,) = launch._ahead
    async with AnalysisPool(job(1, 60), Victim) as pool:
        assert pool._fork_server._line is not None
        assert pool._fork_server._line._server is ahead
        assert await text_of(pool, page("echo", "warm")) == "warm"
    launch.launch_ahead()
    (left,) = launch._ahead
    launch.dismiss()
    assert left.process.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_fork_server_has_no_threads() -> None:
    """A fork has only the thread that forks: what others held would be held for ever."""
    async with AnalysisPool(job(1, 60, 1_500_000_000)) as pool:
        assert pool._fork_server._line is not None
        assert threads_of(pool._fork_server._line._server.process.pid) == 1


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pool_victims.Unwarmable, "FileNotFoundError: no dictionary at /nowhere"),
        (pool_victims.Stillborn, "it ended by exit code 7"),
    ],
)
async def test_says_why_it_cannot_start(make: type[Victim], reason: str) -> None:
    """A pool that cannot work says so on entry, in words, and leaves no process behind."""
    with pytest.raises(AnalysisUnavailable, match=reason):
        async with AnalysisPool(job(2, 60), make):
            pytest.fail("opened")


async def test_too_little_memory_is_refused_before_a_process_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The least is computed from what the fork server has loaded: no process is born to die."""
    monkeypatch.setattr(Line, "fork", lambda *_: pytest.fail("forked"))
    least = "analysis.memory_bytes: 30,000,000 is too little: .* needs [0-9,]+ for what it loads"
    with pytest.raises(AnalysisUnavailable, match=least):
        async with AnalysisPool(job(2, 60, 30_000_000), Victim):
            pytest.fail("opened")


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list to which the time limit of each attempt at a page is added."""
    noted: list[float] = []

    async def note(process: AnalysisProcess, framed: bytes, limit_s: float, keeps: Any) -> Any:
        noted.append(limit_s)
        return await answer_of(process, framed, limit_s, keeps)

    monkeypatch.setattr("crawler.workers.pool.answer_of", note)
    return noted


async def test_attempts_share_a_pages_time(limits: list[float]) -> None:
    """A page that ends its process is not given its whole time again."""
    async with AnalysisPool(job(1, 40.0), Victim) as pool:
        assert isinstance(await pool.analyse(page("crash")), AnalysisFailed)
    first, second = limits
    assert first == 40.0
    assert second < 40.0


async def test_a_site_of_late_pages_has_less_time_and_says_so(
    limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one late page the next has half of the time, then all of it once, and then no more."""
    monkeypatch.setattr("crawler.workers.pool.BUSY", -1.0)
    monkeypatch.setattr("crawler.workers.pool.QUICK_S", 0.1)
    async with AnalysisPool(job(1, 0.2), Victim) as pool:
        answers = [await pool.analyse(page("hang")) for _ in range(3)]
    whole = "no answer within 0.2 s"
    shortened = "no answer within 0.1 s, not 0.2: earlier pages of hang.test took too long"
    details = [answer.detail for answer in answers if isinstance(answer, AnalysisFailed)]
    assert details == [whole, whole, f"{shortened}, or crashed"]
    assert limits == [0.2, 0.1, 0.2, 0.1]


async def test_attacks_on_the_cpu_cost_their_limit_each(
    limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that a parser takes minutes for are given one time limit each, and blamed."""
    # As on a machine that has a core to spare: a busy one gives them time that they did not get.
    monkeypatch.setattr("crawler.workers.pool.BUSY", -1.0)
    deep = b"<div>" * 200_000
    request = AnalysisRequest("http://a.test/", deep, "text/html", "utf-8")
    async with AnalysisPool(job(1, 0.2)) as pool:
        for _ in range(2):
            answer = await pool.analyse(request)
            assert answer == AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "no answer within 0.2 s")
    assert limits == [0.2, 0.2]


async def test_a_page_is_planned_when_its_turn_has_come(pool: AnalysisPool) -> None:
    """What is known by then is asked, not what was known as the page joined the line."""
    known = ["early"]

    def planned(request: AnalysisRequest) -> AnalysisRequest:
        return page("echo", known[-1])

    first = asyncio.create_task(pool.analyse(page("echo", "first")))
    second = asyncio.create_task(pool.analyse(page("echo", "?"), planned))
    await asyncio.sleep(0)
    known.append("late")
    await first
    answer = await second
    assert isinstance(answer, Document)
    assert answer.text == "late"
