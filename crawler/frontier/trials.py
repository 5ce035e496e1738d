"""When what is put aside is tried, and how what waited for it comes back to the queues.

`holds` says what a hold is, `aside` has all of them by when their time has come.
"""

from __future__ import annotations

from crawler.frontier.failures import LAST_CALL_S, LAST_TRIES, aside_s
from crawler.frontier.holds import Hold
from crawler.frontier.host import Host
from crawler.frontier.politeness import Politeness
from crawler.frontier.retries import Retries
from crawler.frontier.traps import TrapRule


class Trials:
    """Tries what is put aside, and what the trap rule holds back. It keeps nothing of its own."""

    def __init__(
        self, politeness: Politeness, retries: Retries, traps: TrapRule, longest_asked_s: float
    ) -> None:
        """`longest_asked_s` is the longest Retry-After that the end of a crawl waits for."""
        self._politeness = politeness
        self._aside = politeness.aside
        self._retries = retries
        self._traps = traps
        self._longest_asked_s = longest_asked_s

    @property
    def next(self) -> float | None:
        """When something may be tried; None if nothing is put aside."""
        return self._aside.next

    def begin_due(self, now: float) -> None:
        """Try what was put aside and whose time has come; a part only where its host goes on."""
        while (due := self._aside.pop_due(now)) is not None:
            host, hold = due
            whole = host.hold
            if whole not in (None, hold) and (host.parked or host.queue.has_waiting):
                self._aside.put_off(host, hold, max(now, whole.until) + aside_s(1))
            else:
                self._open(host, hold)

    def next_worth_waiting(self, now: float) -> float | None:
        """Return when the first of those is tried that are worth a wait at the end of a crawl.

        What has answered before is, for its first tries; where its server asks for longer pauses,
        only one that has answered about pages in this run, and up to the longest Retry-After.
        """
        first = (
            hold.until
            for host, hold in self._aside.holds
            if host.answered
            and hold.tries <= (LAST_TRIES if hold is host.hold else 1)
            and hold.asked_s <= (self._longest_asked_s if host.answers.any else 0.0)
            and not (hold.open or host.halted)
            and hold.until > now
        )
        return min(first, default=None)

    def call_last(self, now: float) -> bool:
        """Try everything that is put aside once more; return whether there was something.

        Who asked to be left alone for longer is left alone: a later run will ask.
        """
        found = [
            (host, hold)
            for host, hold in self._aside.holds
            if (hold.tasks if hold.open else not hold.called)
            and not host.halted
            and host.due - now <= max(LAST_CALL_S, host.delay_s)
        ]
        for host, hold in found:
            hold.called = True
            self._open(host, hold)
        freed = self._traps.take_triable()
        self._free(freed)
        return bool(found or freed)

    def take_back(self, host: Host) -> None:
        """Queue again what holds that have ended held back."""
        while host.healed:
            hold = host.healed.pop()
            self._take_up(host, hold)
            self._give_back(host, hold)
        self._politeness.place(host)

    def take_freed(self) -> None:
        """Queue again what the trap rule holds back no more."""
        self._free(self._traps.take_freed())

    def _open(self, host: Host, hold: Hold) -> None:
        """Have it tried: first what was never asked, then what was."""
        fresh = hold.left or (hold is host.hold and host.queue.has_waiting)
        again, hold.open = hold.open, True
        self._take_up(host, hold)
        if again or not fresh:
            self._give_back(host, hold)
        self._politeness.place(host)

    @staticmethod
    def _take_up(host: Host, hold: Hold) -> None:
        if hold.left:
            host.queue.rewind(hold.left)
            hold.left = 0

    def _give_back(self, host: Host, hold: Hold) -> None:
        tasks, hold.tasks = hold.tasks, []
        for task in tasks:
            self._retries.queue_again(host, task)

    def _free(self, names: list[str]) -> None:
        """Queue what was held back of hosts, all of which is in the store."""
        for name in names:
            host = self._politeness.host(name)
            host.queue.rewind(1)
            self._politeness.place(host)
