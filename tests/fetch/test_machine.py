"""Trouble of this machine: one line, growing pauses, and the end of both when it has passed."""

from __future__ import annotations

import errno

import pytest

from crawler.fetch.exchange import PROOF_S, SHORT_OF, STANDSTILL_S, Machine


class Scene:
    """A machine with clocks that are set by hand, and what it has said."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.wall = 1.7e9
        self.said: list[str] = []
        self.machine = Machine(self.said.append, lambda: self.now, lambda: self.wall)

    def passes(self, seconds: float) -> None:
        """Let time pass on both clocks, with the beats that come meanwhile."""
        for _ in range(int(seconds)):
            self.now += 1.0
            self.wall += 1.0
            self.machine.beat()

    @property
    def pause_s(self) -> float:
        """For how long nothing is begun."""
        return self.machine.until - self.now


@pytest.mark.parametrize("number", SHORT_OF)
def test_what_has_run_out_is_told_once_with_the_way_out(number: int) -> None:
    """One line however often it happens; pauses double, and end at a minute."""
    scene = Scene()
    pauses = []
    for _ in range(10):
        scene.machine.short_of(number, scene.now)
        pauses.append(scene.pause_s)
        scene.now = scene.machine.until
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    (line,) = scene.said
    assert SHORT_OF[number][1] in line
    assert "No URL is lost" in line


def test_requests_that_fail_together_are_one_trouble() -> None:
    """What had begun before a pause does not lengthen it."""
    scene = Scene()
    for _ in range(200):
        scene.machine.short_of(errno.EMFILE, scene.now)
    assert scene.pause_s == 1.0
    begun_at, scene.now = scene.now, scene.now + 5.0
    scene.machine.short_of(errno.EMFILE, begun_at)
    assert scene.pause_s < 0


def test_an_answer_ends_the_growth_and_an_hour_the_silence() -> None:
    """After an answer the first pause is short again; a trouble that comes back late is told."""
    scene = Scene()
    scene.machine.short_of(errno.EMFILE, scene.now)
    scene.now = scene.machine.until
    scene.machine.answered(scene.now)
    scene.now += 3600.0
    scene.machine.short_of(errno.EMFILE, scene.now)
    assert scene.pause_s == 1.0
    assert len(scene.said) == 2


def test_the_network_is_away_when_nobody_answers() -> None:
    """Three hosts in a row without an answer between pause the crawl; one alone does not."""
    scene = Scene()
    scene.machine.answered(scene.now)
    scene.passes(PROOF_S + 1)
    for host in ("a.test", "a.test", "b.test"):
        scene.machine.unreached(host, "no answer from DNS", scene.now)
    assert scene.pause_s < 0
    scene.machine.unreached("c.test", "no answer from DNS", scene.now)
    assert scene.pause_s == 1.0
    (line,) = scene.said
    assert "c.test: no answer from DNS" in line


def test_a_host_alone_is_away_while_others_answer() -> None:
    """Where somebody answers, any number of hosts without an address pauses nobody."""
    scene = Scene()
    for n in range(50):
        scene.machine.answered(scene.now)
        scene.machine.unreached(f"h{n}.test", "broken", scene.now)
    assert (scene.said, scene.pause_s < 0) == ([], True)


def test_one_that_is_silent_for_long_is_judged_by_who_answered_meanwhile() -> None:
    """A wait of 30 s in which another host answered is the host's own, however long ago that is."""
    scene = Scene()
    assert not scene.machine.is_cut_off(scene.now)
    scene.machine.answered(scene.now)
    scene.passes(2)
    begun_at = scene.now
    scene.passes(30)
    assert not scene.machine.is_cut_off(begun_at)
    assert scene.machine.is_cut_off(begun_at + PROOF_S)


def test_a_run_that_begins_without_network_says_so_at_once() -> None:
    """Before anybody has answered the first host is enough."""
    scene = Scene()
    scene.machine.unreached("a.test", "broken", scene.now)
    assert scene.pause_s == 1.0
    assert "no server has answered yet" in scene.said[0]


def test_a_machine_that_slept_is_noticed_by_either_clock() -> None:
    """A process that was stopped misses time on both clocks, one on a sleeping machine on one."""
    for both in (True, False):
        scene = Scene()
        begun_at = scene.machine.beat()
        scene.passes(30)
        assert scene.machine.stood_still(begun_at) == 0.0
        scene.wall += 7200.0
        scene.now += 7200.0 if both else 0.5
        assert scene.machine.stood_still(begun_at) == 7200.0
        scene.passes(1)
        begun_after = scene.machine.beat()
        scene.passes(STANDSTILL_S)
        assert scene.machine.stood_still(begun_after) == 0.0


def test_a_clock_that_is_set_back_is_no_sleep() -> None:
    """A wall clock that jumps into the past, by any distance, is nothing to a request."""
    scene = Scene()
    begun_at = scene.machine.beat()
    scene.wall -= 1e6
    scene.now += 1.0
    assert scene.machine.stood_still(begun_at) == 0.0
