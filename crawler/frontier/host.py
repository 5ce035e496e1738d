"""What the frontier knows of one host while it has URLs there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import inf

from crawler import urls
from crawler.frontier.host_queue import HostQueue
from crawler.frontier.turns import CheckRobots, GivenUp


@dataclass(slots=True)
class Host:
    """One host key's queue and politeness. Changed in the frontier package alone."""

    name: str
    queue: HostQueue
    delay_s: float
    due: float = 0.0
    """No request before this time on the caller's clock."""
    in_flight: int = 0
    placed: bool = False
    """Scheduled, waiting at its address, or held by a turn that will place it again."""
    address: str | None = None
    address_until: float = 0.0
    robots_until: dict[str, float] = field(default_factory=dict)
    """Origin -> when its robots.txt must be read again (http and https share a host key)."""
    robots_failing_since: dict[str, float] = field(default_factory=dict)
    """Origin -> since when its robots.txt could not be read."""
    errands: deque[CheckRobots] = field(default_factory=deque)
    """Requests to this host for another one's robots.txt, to where it redirects."""
    awaiting: bool = False
    """Its own robots.txt is such an errand somewhere: no page until it is read."""
    answered: bool = False
    """Whether it ever answered in this crawl: what has answered is waited for longer."""
    strikes: int = 0
    """Failures in a row that speak against the host; of requests under way together one counts."""
    struck_at: float = -inf
    """When the last of them was counted."""
    given_up: dict[str, GivenUp] = field(default_factory=dict)
    """Origin -> why nothing more is asked of it; its URLs leave the frontier."""
    parked: bool = False
    """Stopped answering: nothing more is asked in this run, its URLs stay pending."""

    @property
    def at_rest(self) -> bool:
        """Whether nothing may be asked of it, however long its last request is past."""
        return not self.errands and (self.awaiting or self.parked)

    @property
    def dead_origin(self) -> str | None:
        """The origin of its first task, if that was given up on."""
        if self.errands or not self.given_up or not len(self.queue):
            return None
        origin = urls.origin(self.queue.peek().url)
        return origin if origin in self.given_up else None
