"""What is put aside because it fails: a host, one of its origins, or a part of it.

Nothing is asked of it until its time has come; then it is tried: the first failure puts it aside
again, for longer, the first answer ends the hold. `failures` has the pauses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crawler.frontier.failures import EVIDENCE_GAP_S, LAST_CALL_S, aside_s
from crawler.records import FetchTask


@dataclass(frozen=True, slots=True)
class Health:
    """What a run knows of a host (by host key) or an origin, for later runs."""

    answered: bool
    """Whether it ever sent rules or a page, be it an error page."""
    tries: int = 0
    """How often in a row it failed and was put aside."""
    tried_ago_s: float = 0.0
    """When that was last; seconds, never negative."""
    evidence_s: float = 0.0
    """For how long it has been dead, as far as tries have shown."""
    why: str = ""


@dataclass(slots=True, eq=False)
class Hold:
    """Why and since when something is put aside, and what waits for its end."""

    why: str
    of_rules: bool = False
    """Its robots.txt is what failed; what can be read again ends the hold."""
    tries: int = 0
    tried_at: float | None = None
    """When it failed last, on the caller's clock."""
    until: float = 0.0
    """When it is tried again."""
    evidence_s: float = 0.0
    asked_s: float = 0.0
    """How long its server has asked to be left alone, in all tries together."""
    open: bool = False
    """It is being tried."""
    called: bool = False
    """It was tried because nothing else was left to do."""
    left: int = 0
    """Tasks that were left to the store because of it."""
    tasks: list[FetchTask] = field(default_factory=list)
    """Tasks asked for before. They are tried last, since they may fail for themselves."""

    @classmethod
    def of(cls, health: Health, now: float, owed_s: float) -> Hold:
        """Return what an earlier run put aside: it is tried at once, with no further patience.

        Where more than a moment is left (`owed_s`) for which its server asked to be left alone, it
        is tried after that.
        """
        hold = cls(health.why, tries=health.tries, evidence_s=health.evidence_s)
        hold.tried_at, hold.until = now - health.tried_ago_s, now
        hold.open = owed_s <= LAST_CALL_S
        if not hold.open:
            hold.until, hold.asked_s = now + owed_s, owed_s
        return hold

    def evidence(self, now: float) -> float:
        """Return for how long it has been dead, if it fails now; seconds."""
        last = now if self.tried_at is None else self.tried_at
        return self.evidence_s + min(EVIDENCE_GAP_S, max(0.0, now - last))

    def fail(self, why: str, since: float, now: float, asked_s: float = 0.0) -> None:
        """Put aside what failed: for the first time, after failures since then, or once more.

        It is not tried before the `asked_s` have passed that its server asked to be left alone for.
        """
        if self.tried_at is None:
            self.tried_at = since
        self.evidence_s = self.evidence(now)
        self.tries += 1
        self.tried_at, self.why, self.open = now, why, False
        self.asked_s += asked_s
        self.until = now + max(aside_s(self.tries), asked_s)

    def health(self, now: float, *, answered: bool) -> Health:
        """Return what a later run must know of it."""
        ago_s = max(0.0, now - (now if self.tried_at is None else self.tried_at))
        return Health(answered, self.tries, ago_s, self.evidence_s, self.why)
