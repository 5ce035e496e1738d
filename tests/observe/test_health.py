"""Whether a run is alive and makes progress, as probes and a service manager are told."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from support.crawling import command, loopback_job, write_job
from support.threaded import Reply, page, site

from crawler.config import parse_job
from crawler.errors import ConfigError
from crawler.models import UrlState
from crawler.observe.health import (
    DEAF_S,
    HEALTHZ,
    LEAST_HANG_S,
    LEAST_STALL_S,
    READYZ,
    Health,
    ServiceManager,
)
from crawler.observe.watching import Phase, Sight
from crawler.views.live.server import LivePage, listening

STALL_S, HANG_S = 300.0, 500.0
NONE = dict.fromkeys(UrlState, 0)
OPENING = Sight(Phase.OPENING, NONE, 0)


class Run:
    """A run that is at each moment as the test says."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sight = OPENING

    def look(self, _names: object, _most: int) -> Sight:
        """Return what there is to be seen."""
        return self.sight

    def pause(self) -> None:
        """See `Steering`."""

    def go_on(self) -> None:
        """See `Steering`."""

    def stop_host(self, name: str) -> bool:
        """See `Steering`."""
        raise NotImplementedError(name)

    release_host = stop_host


@pytest.fixture
def run() -> Run:
    """Return a run that opens."""
    return Run()


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[socket.socket]:
    """Return the socket of a service manager, in a directory with a short name."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(str(tmp_path / "notify"))
        bound.setblocking(False)
        yield bound


def told(heard: socket.socket) -> list[str]:
    """Return all lines that it was told since it was last asked."""
    lines: list[str] = []
    while True:
        try:
            lines += heard.recv(4096).decode().splitlines()
        except BlockingIOError:
            return lines


def later(run: Run, health: Health, seconds: float, **changes: object) -> None:
    """Look again after some time, in which a run may have changed."""
    run.now += seconds
    run.sight = replace(run.sight, **changes)  # type: ignore[arg-type]
    health.look(run)


def test_a_run_is_ready_while_urls_end(run: Run) -> None:
    """Not while it opens; not after a stretch without an end; again with the next one."""
    health = Health(STALL_S, HANG_S, clock=lambda: run.now)
    assert health.answer(HEALTHZ) == (200, "ok\n")
    assert health.answer(READYZ) == (503, "opening\n")
    later(run, health, 1, phase=Phase.RUNNING, pending=5)
    assert health.answer(READYZ) == (200, "ok\n")
    later(run, health, STALL_S)
    assert health.answer(READYZ) == (200, "ok\n")
    later(run, health, 1)
    assert health.answer(READYZ) == (503, "no URL has ended for 301 s, 5 are pending\n")
    assert health.answer(HEALTHZ) == (200, "ok\n")
    later(run, health, 1, ends={**NONE, UrlState.FAILED: 1}, pending=4)
    assert health.answer(READYZ) == (200, "ok\n")
    later(run, health, 2 * STALL_S, pending=0)
    assert health.answer(READYZ) == (200, "ok\n")
    later(run, health, 1, phase=Phase.STOPPING)
    assert health.answer(READYZ) == (503, "stopping\n")


def test_a_pause_by_hand_is_no_stall(run: Run) -> None:
    """Neither while it lasts nor as it ends."""
    health = Health(STALL_S, HANG_S, clock=lambda: run.now)
    later(run, health, 1, phase=Phase.PAUSED, pending=5)
    later(run, health, 2 * STALL_S)
    assert health.answer(READYZ) == (200, "ok\n")
    later(run, health, 1, phase=Phase.RUNNING)
    assert health.answer(READYZ) == (200, "ok\n")


def test_a_loop_that_does_not_answer_is_dead(run: Run) -> None:
    """Whoever asks learns it from another thread."""
    health = Health(STALL_S, HANG_S, clock=lambda: run.now)
    later(run, health, 0, phase=Phase.RUNNING)
    run.now += DEAF_S + 1
    assert health.answer(HEALTHZ) == (503, "the event loop has not answered for 61 s\n")


def test_what_is_under_way_and_never_ends_is_a_hang(run: Run) -> None:
    """As long as turns end, or nothing is under way, a run that ends no URL is alive."""
    health = Health(STALL_S, HANG_S, clock=lambda: run.now)
    later(run, health, 0, phase=Phase.RUNNING, pending=5)
    later(run, health, HANG_S + 1)  # all hosts are to be left alone
    assert health.answer(HEALTHZ)[0] == 200
    for turn in range(3):  # the network is away
        later(run, health, HANG_S, in_flight=2, turns=turn)
    assert health.answer(HEALTHZ)[0] == 200
    later(run, health, HANG_S + 1)
    assert health.answer(HEALTHZ) == (503, "what is under way has not ended for 501 s\n")


def test_a_jobs_own_pauses_and_limits_are_waited_for() -> None:
    """A host that may be asked once an hour does not stall, a long fetch does not hang."""
    plain = Health.of(parse_job({"politeness": {"robots": False}}, "test"))
    assert (plain._stall_s, plain._hang_s) == (LEAST_STALL_S, LEAST_HANG_S + 2 * 170)
    slow = {"hosts": {"a.test": {"delay_s": 3600}}, "fetch": {"total_timeout_s": 600}}
    patient = Health.of(parse_job(slow, "test"))
    assert (patient._stall_s, patient._hang_s) == (7200, LEAST_HANG_S + 2 * 650)


def test_a_service_manager_hears_of_progress_alone(
    run: Run, heard: socket.socket, tmp_path: Path
) -> None:
    """Time to open, ready once, signs of life but where something hangs, and the end."""
    manager = ServiceManager(str(tmp_path / "notify"))
    health = Health(STALL_S, HANG_S, manager, clock=lambda: run.now)
    health.look(run)
    opening = told(heard)
    assert "READY=1" not in opening
    assert any(line.startswith("EXTEND_TIMEOUT_USEC=") for line in opening)
    later(run, health, 1, phase=Phase.RUNNING, pending=5, in_flight=1)
    assert {"READY=1", "WATCHDOG=1", "STATUS=running: 0 pages, 5 URLs pending"} <= {*told(heard)}
    later(run, health, HANG_S + 1)
    assert told(heard) == ["STATUS=running: 0 pages, 5 URLs pending, no progress"]
    later(run, health, 1, turns=1)
    assert "WATCHDOG=1" in told(heard)
    later(run, health, 1, phase=Phase.STOPPING)
    assert "STOPPING=1" in told(heard)
    later(run, health, 1)
    assert not {"READY=1", "STOPPING=1"} & {*told(heard)}


def test_a_crawl_tells_its_service_manager(
    heard: socket.socket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    no_analysis_processes: None,
) -> None:
    """It is ready before it stops, also where there was hardly anything to do."""
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with site(lambda path: page(path) if path == "/" else Reply(status=404)) as server:
        job = write_job(loopback_job(tmp_path / "out", [f"{server.url}/"]), tmp_path / "job")
        assert command(capsys, "--config", job)[0] == 0
    lines = told(heard)
    assert (lines.count("READY=1"), lines.count("STOPPING=1")) == (1, 1)
    assert lines.index("READY=1") < lines.index("STOPPING=1")


def test_where_nobody_listens_it_is_said_once(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run goes on."""
    health = Health(STALL_S, HANG_S, ServiceManager(str(tmp_path / "none")), lambda: run.now)
    health.look(run)
    health.look(run)
    assert capsys.readouterr().err.count("NOTIFY_SOCKET takes no message") == 1


def test_the_environment_names_the_manager() -> None:
    """Its socket, and how often it wants to hear; not where that is of another process."""
    assert ServiceManager.of({}) is None
    found = ServiceManager.of({"NOTIFY_SOCKET": "@a", "WATCHDOG_USEC": "120000000"})
    assert found is not None
    assert found.watchdog_s == 120.0
    found = ServiceManager.of(
        {"NOTIFY_SOCKET": "/a", "WATCHDOG_USEC": "120000000", "WATCHDOG_PID": "1"}
    )
    assert found is not None
    assert found.watchdog_s is None
    with pytest.raises(ConfigError, match="NOTIFY_SOCKET=udp:1: not the path of a socket"):
        ServiceManager.of({"NOTIFY_SOCKET": "udp:1"})


def asked(port: int, path: str) -> tuple[int, str]:
    """Return status and text of an answer."""
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=600) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize("flag", ["metrics", "live"])
async def test_probes_are_answered_over_http(flag: str, run: Run, tmp_path: Path) -> None:
    """On the port of the metrics, and on that of the live page, which needs no extra."""
    health = Health(STALL_S, HANG_S, clock=lambda: run.now)
    async with AsyncExitStack() as stack:
        if flag == "metrics":
            pytest.importorskip("prometheus_client")
            from crawler.observe.metrics import serving

            port = stack.enter_context(serving("127.0.0.1", 0, "verified", dict, health)).port
        else:
            page_of = LivePage(tmp_path)
            live = stack.enter_context(listening("127.0.0.1", 0, page_of, health))
            await stack.enter_async_context(live.watching(run))
            port = live.port
        answers = [await asyncio.to_thread(asked, port, path) for path in (HEALTHZ, READYZ)]
        later(run, health, 1, phase=Phase.RUNNING, pending=5)
        answers.append(await asyncio.to_thread(asked, port, READYZ))
        later(run, health, STALL_S + 1)
        answers.append(await asyncio.to_thread(asked, port, READYZ))
    assert answers == [
        (200, "ok\n"),
        (503, "opening\n"),
        (200, "ok\n"),
        (503, "no URL has ended for 301 s, 5 are pending\n"),
    ]
