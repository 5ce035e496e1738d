"""Who is read next, in how many processes and how long: decided without any process or clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.workers import pool
from crawler.workers.pool import HEAL_PAGES, QUICK_S, Ended, Turn, Turns


def called(line: Turns) -> Turn:
    """Return the page that gets a process; one must."""
    turn = line.next()
    assert turn is not None
    return turn


def read_one(line: Turns, domain: str, took_s: float = 0.1, how: Ended = Ended.READ) -> Turn:
    """Let one page of a domain, alone in line, have its turn."""
    turn = line.join(domain)
    assert called(line) is turn
    line.end(turn, took_s, how)
    return turn


def domains(line: Turns, number: int, took_s: float = 1.0) -> list[str]:
    """Return whose pages have the next turns, one after another."""
    order = []
    for _ in range(number):
        turn = called(line)
        order.append(turn.domain)
        line.end(turn, took_s, Ended.READ)
    return order


def test_pages_of_one_domain_go_in_their_order() -> None:
    """Where there is one domain only, nothing is reordered."""
    line = Turns(1, 30.0)
    pages = [line.join("a.test") for _ in range(5)]
    got = []
    for _ in pages:
        got.append(called(line))
        line.end(got[-1], 1.0, Ended.READ)
    assert got == pages
    assert line.next() is None


def test_domains_take_turns() -> None:
    """However many pages one domain has in line, others that come later do not wait for them."""
    line = Turns(1, 30.0)
    for domain in ["a.test"] * 6 + ["b.test"] * 2 + ["c.test"] * 2:
        line.join(domain)
    assert domains(line, 6) == ["a.test", "b.test", "c.test"] * 2
    assert domains(line, 4) == ["a.test"] * 4


def test_whoever_took_long_waits_for_the_time_of_the_others() -> None:
    """A page that takes ten seconds costs its domain ten seconds' turns, not one turn."""
    line = Turns(1, 30.0)
    slow, _ = line.join("slow.test"), line.join("slow.test")
    for _ in range(9):
        line.join("quick.test")
    assert called(line) is slow
    line.end(slow, 10.0, Ended.READ)
    assert domains(line, 10) == ["quick.test"] * 9 + ["slow.test"]


def test_nobody_saves_up_turns() -> None:
    """A domain that comes late begins where the others are; it does not get what it did not ask."""
    line = Turns(1, 30.0)
    for _ in range(50):
        read_one(line, "early.test", 1.0)
    for domain in ["early.test", "late.test"] * 3:
        line.join(domain)
    assert domains(line, 6).count("late.test") == 3
    for domain in ["early.test", "late.test"] * 3:
        line.join(domain)
    assert set(domains(line, 2)) == {"early.test", "late.test"}


def test_half_of_the_processes_are_for_others() -> None:
    """A domain that has shown nothing yet has half of the processes, and at least one."""
    for processes, own in ((1, 1), (2, 1), (3, 1), (8, 4)):
        line = Turns(processes, 30.0)
        for _ in range(processes + 1):
            line.join("a.test")
        assert [line.next() is not None for _ in range(own + 1)] == [True] * own + [False]
        line.join("b.test")
        assert (line.next() is not None) == (processes > 1)


def test_a_proven_domain_borrows_what_nobody_wants() -> None:
    """A crawl of one domain uses all processes; when others come it gives back what it borrowed."""
    line = Turns(4, 30.0)
    read_one(line, "a.test")
    for _ in range(6):
        line.join("a.test")
    running = [called(line) for _ in range(4)]
    assert [turn.borrowed for turn in running] == [False, False, True, True]
    assert all(line.keeps(turn) for turn in running)
    other = line.join("b.test")
    assert [line.keeps(turn) for turn in running] == [True, True, False, False]
    assert line.end(running[3], QUICK_S, Ended.RETURNED)
    assert called(line) is other
    assert line.keeps(running[2])
    line.end(other, 0.1, Ended.READ)
    assert line.next() is None, "it has shown that its pages may take long"
    line.end(running[0], 1.0, Ended.READ)
    assert called(line) is running[3], "what gave its process back is first"
    assert line.keeps(running[3])


def test_late_pages_shorten_the_limit_and_pages_in_time_restore_it() -> None:
    """The limit is halved by each late page and each crash, to a floor, and grows back slowly."""
    line = Turns(2, 30.0)
    limits = [read_one(line, "a.test", 1.0, Ended.CRASHED).limit_s for _ in range(9)]
    assert limits == [30.0, 15.0, 7.5, 3.75, 1.875, 0.9375, QUICK_S, QUICK_S, QUICK_S]
    assert read_one(line, "b.test").limit_s == 30.0
    grown = [read_one(line, "a.test").limit_s for _ in range(HEAL_PAGES + 1)]
    assert grown == sorted(grown)
    assert grown[-1] == 30.0
    assert grown[HEAL_PAGES // 2] < 20.0


def test_a_limit_below_the_floor_stays_what_the_job_says() -> None:
    """No page gets more time than the job gives, even where that is less than the floor."""
    line = Turns(2, 0.1)
    assert [read_one(line, "a.test", 0.1, Ended.LATE).limit_s for _ in range(3)] == [0.1] * 3


def be_late(line: Turns, domain: str) -> tuple[Turn, bool]:
    """Let a page of a domain, alone in line, be late; return it and whether it is tried again."""
    turn = line.join(domain)
    assert called(line) is turn
    return turn, line.end(turn, turn.limit_s, Ended.LATE)


def test_a_page_is_not_lost_for_a_shortened_limit() -> None:
    """It is tried again with all of the time, when nobody else waits."""
    line = Turns(2, 30.0)
    _, again = be_late(line, "a.test")
    assert not again, "it had all of the time"
    page, again = be_late(line, "a.test")
    assert page.limit_s == 15.0
    assert again
    others = {line.join("a.test"), line.join("b.test")}
    running = [called(line), called(line)]
    assert set(running) == others
    for turn in running:
        line.end(turn, 0.1, Ended.READ)
    assert called(line) is page
    assert page.limit_s == 30.0
    assert not line.end(page, 20.0, Ended.READ)
    assert line.next() is None
    _, again = be_late(line, "a.test")
    assert again, "the last one was worth it"


def test_bad_pages_get_all_of_the_time_twice() -> None:
    """Once a page was late at its second attempt none of its site has one, until the site heals."""
    line = Turns(2, 30.0)
    be_late(line, "a.test")
    page, again = be_late(line, "a.test")
    assert again
    assert called(line) is page
    assert not line.end(page, 30.0, Ended.LATE)
    assert not any(be_late(line, "a.test")[1] for _ in range(5))
    for _ in range(HEAL_PAGES):
        read_one(line, "a.test")
    assert [be_late(line, "a.test")[1] for _ in range(2)] == [False, True]


def test_one_page_of_a_domain_waits_for_a_second_attempt() -> None:
    """The bodies that wait for an idle moment are few, however many pages of a site are late."""
    line = Turns(2, 30.0)
    be_late(line, "a.test")
    assert [be_late(line, "a.test")[1] for _ in range(1)] == [True]
    turn = line.join("a.test")
    assert called(line) is turn
    assert not line.end(turn, turn.limit_s, Ended.LATE)


def test_who_waits_no_more_has_no_turn() -> None:
    """A page that is dropped leaves no trace, in line or at its second attempt."""
    line = Turns(1, 30.0)
    line.leave(line.join("a.test"))
    assert line.next() is None
    be_late(line, "a.test")
    page, again = be_late(line, "a.test")
    assert again
    line.leave(page)
    assert line.next() is None
    _, again = be_late(line, "a.test")
    assert again


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Domains that behave are forgotten with their last page; of the others the latest are kept."""
    monkeypatch.setattr(pool, "MOST_REMEMBERED", 10)
    line = Turns(1, 30.0)
    for number in range(30):
        be_late(line, f"{number}.test")
    assert len(line._resting) == 10
    assert [read_one(line, f"{n}.test").limit_s for n in (29, 0)] == [15.0, 30.0]
    assert not line._domains


ACTIONS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([*Ended, None]), st.floats(0.0, 40.0)),
    max_size=80,
)
"""A domain that joins, or how the page that runs longest ends (None: nothing ends), after which
time."""


@given(processes=st.integers(1, 5), actions=ACTIONS)
def test_whatever_happens_each_page_has_its_turn(
    processes: int, actions: list[tuple[int, Ended | None, float]]
) -> None:
    """No process is used twice, none is idle that could be used, and no page is left over."""
    line = Turns(processes, 30.0)
    waiting: set[Turn] = set()
    running: list[Turn] = []

    def call() -> None:
        while (turn := line.next()) is not None:
            waiting.remove(turn)
            running.append(turn)
            own = sum(other.domain == turn.domain for other in running) <= max(1, processes // 2)
            assert own or turn.borrowed
        assert len(running) <= processes
        assert running or not waiting

    def end(how: Ended, took_s: float) -> None:
        turn = running.pop(0)
        if line.end(turn, took_s, how):
            waiting.add(turn)

    for domain, how, took_s in actions:
        if how is None:
            waiting.add(line.join(f"{domain}.test"))
        elif running:
            end(how, took_s)
        call()
    while running:
        end(Ended.READ, 0.1)
        call()
    assert not waiting
    assert not line._domains
