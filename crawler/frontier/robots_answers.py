"""What follows from the answers to CheckRobots."""

from __future__ import annotations

from crawler.frontier.patience import Patience
from crawler.frontier.politeness import Politeness
from crawler.frontier.turns import CheckRobots


class RobotsAnswers:
    """Takes the answers to CheckRobots; each gives back the slots that the turn holds."""

    def __init__(self, politeness: Politeness, least_delay_s: float) -> None:
        self._politeness = politeness
        self._least_delay_s = least_delay_s

    def checked(
        self,
        turn: CheckRobots,
        now: float,
        *,
        expires_at: float,
        crawl_delay_s: float | None,
        requested: bool,
        pause_s: float = 0.0,
    ) -> None:
        """The rules are known until `expires_at`.

        `requested` is False where they were still cached, so that no pause is owed; `pause_s` is
        what a server asked for that could not give them now, while older ones stand.
        """
        host = self._politeness[turn.asker]
        host.robots_until[turn.origin] = expires_at
        host.robots_failing_since.pop(turn.origin, None)
        host.answered = True
        host.delay_s = max(self._least_delay_s, crawl_delay_s or 0.0)
        if requested:
            host.due = max(host.due, now + host.delay_s)
        delay_s = self._politeness.delay_s(turn.host) if requested else 0.0
        self._asked(turn, now, max(delay_s, pause_s))

    def failed(self, turn: CheckRobots, now: float, patience: Patience) -> None:
        """There are no rules now; when patience is at its end the origin is given up on."""
        host = self._politeness[turn.asker]
        since = host.robots_failing_since.setdefault(turn.origin, now)
        if now + patience.retry_in_s - since > patience.patience_s:
            if patience.given_up is None:
                host.parked = True
            else:
                host.given_up[turn.origin] = patience.given_up
        host.due = max(host.due, now + patience.retry_in_s)
        self._asked(turn, now, max(patience.retry_in_s, self._politeness.delay_s(turn.host)))

    def moved(self, turn: CheckRobots, host: str, now: float) -> None:
        """The file redirects to `host`, which is asked when its own turn comes."""
        self._asked(turn, now, self._politeness.delay_s(turn.host))
        self._politeness[turn.asker].awaiting = True
        target = self._politeness.host(host)
        target.errands.append(CheckRobots(host, turn.origin, turn.asker))
        self._politeness.place(target)

    def knows(self, turn: CheckRobots) -> bool:
        """Whether this origin has answered in this crawl; of an earlier run its host is known."""
        host = self._politeness[turn.asker]
        return turn.origin in host.robots_until or (host.answered and not host.robots_until)

    def _asked(self, turn: CheckRobots, now: float, pause_s: float) -> None:
        """Give back the slots of who was asked, and let the one that waited go on."""
        asked, asker = self._politeness[turn.host], self._politeness[turn.asker]
        asker.awaiting = False
        asked.placed = False
        self._politeness.free(asked, now, pause_s)
        self._politeness.place(asker)
