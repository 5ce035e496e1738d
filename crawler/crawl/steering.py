"""A run as it is shown to who watches it, and what they may ask of it (`observe.watching`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from crawler.frontier import Frontier
from crawler.frontier.sight import hosts_seen
from crawler.observe.stalls import Stalls
from crawler.observe.summary import Tally
from crawler.observe.watching import Phase, Sight
from crawler.pool import AnalysisPool
from crawler.records import UrlState

if TYPE_CHECKING:
    from crawler.crawl.dispatch import Dispatcher


class Steered:
    """The parts of a run that who watches it sees and steers. `clock` is monotonic.

    It decides nothing: a pause is the dispatcher's, a stopped host the frontier's.
    """

    def __init__(
        self, tally: Tally, stalls: Stalls, stopped: Callable[[], bool], clock: Callable[[], float]
    ) -> None:
        """`stopped` tells whether the run was ended from the outside."""
        self._tally = tally
        self._stalls = stalls
        self._stopped = stopped
        self._clock = clock
        self._parts: tuple[Frontier, Dispatcher, AnalysisPool] | None = None
        self._phase = Phase.OPENING

    def opened(self, frontier: Frontier, dispatcher: Dispatcher, pool: AnalysisPool) -> None:
        """The run's parts are open."""
        self._parts = frontier, dispatcher, pool

    def began(self) -> None:
        """Its seeds are queued, and turns are played."""
        self._phase = Phase.RUNNING

    def played(self) -> None:
        """No turn will be played any more."""
        self._phase = Phase.CLOSING

    @property
    def _phase_now(self) -> Phase:
        if self._phase is Phase.CLOSING:
            return Phase.CLOSING
        if self._stopped():
            return Phase.STOPPING
        if self._phase is Phase.RUNNING and self._parts is not None and self._parts[1].paused:
            return Phase.PAUSED
        return self._phase

    def look(self, names: Iterable[str], most: int) -> Sight:
        """Return how the run is doing, with the hosts of these names and about `most` others."""
        phase = self._phase_now
        ends = {state: self._tally.count(state) for state in UrlState}
        if self._parts is None:
            return Sight(phase, ends, self._tally.wire_bytes, self._tally.siblings)
        frontier, dispatcher, pool = self._parts
        return Sight(
            phase=phase,
            ends=ends,
            wire_bytes=self._tally.wire_bytes,
            siblings=self._tally.siblings,
            seen=len(frontier.seen),
            pending=frontier.pending,
            in_memory=frontier.in_memory,
            known_hosts=frontier.hosts,
            aside=frontier.aside,
            unread=pool.waiting,
            reading=pool.busy,
            in_flight=dispatcher.in_flight,
            stall_p99_s=self._stalls.p99_s,
            hosts=tuple(hosts_seen(frontier.politeness, names, self._clock(), most)),
        )

    def pause(self) -> None:
        """Begin no new request; those under way end. Nothing happens where the run is ending."""
        if self._parts is not None and self._phase_now is Phase.RUNNING:
            self._parts[1].pause()

    def go_on(self) -> None:
        """Begin requests again."""
        if self._parts is not None:
            self._parts[1].go_on()

    def stop_host(self, name: str) -> bool:
        """Ask nothing more of a host in this run, its URLs stay pending; False: not known."""
        return self._parts is not None and self._parts[0].politeness.halt(name)

    def release_host(self, name: str) -> bool:
        """Ask it again; False where it was not stopped."""
        if self._parts is None or not self._parts[0].politeness.release(name):
            return False
        self._parts[1].wake()
        return True
