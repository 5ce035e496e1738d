"""Tasks that were asked for and are asked for again, each after its own pause."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from crawler.frontier.failures import Blame, Retry, policy_of, retry_of
from crawler.frontier.host import Host
from crawler.frontier.politeness import Politeness
from crawler.frontier.schedule import DueHeap
from crawler.frontier.traps import TrapRule
from crawler.records import Failed, Failure, FetchTask, Obstacle

_AFTER_ANOTHER_S = 1.0
"""How long what could not be asked for waits when its host may be asked again: another page has
begun by then."""


class Retries:
    """Tasks by when they are queued again. One whose host or part is put aside waits with that."""

    def __init__(
        self, politeness: Politeness, traps: TrapRule, max_retries: int, rng: Random
    ) -> None:
        """Begin empty; `rng` draws the pauses."""
        self._politeness = politeness
        self._traps = traps
        self._max_retries = max_retries
        self._random = rng
        self._due: DueHeap[FetchTask] = DueHeap()

    def __len__(self) -> int:
        return len(self._due)

    @property
    def next(self) -> float | None:
        """When the first task is queued again; None if there is none."""
        return self._due.next

    def follow(self, host: Host, failed: Failed, now: float, *, own: bool) -> bool:
        """Plan a further attempt at what failed; return whether there is one.

        `own` says that the failure is the page's own, and not perhaps its host's.
        """
        task = failed.task
        # The first page that fails in an outage has its attempts before any other is asked.
        unsure = own and not host.answers.vouch_against(task) and host.queue.has_waiting
        retry = retry_of(failed, self._max_retries, self._random, own=own, pace_s=host.delay_s)
        if retry is None and unsure and policy_of(failed).blames is Blame.PART:
            retry = Retry(2.0 * host.delay_s + 1.0, counted=False)
        if retry is None:
            return False
        refused = task.refused + (failed.failure is Failure.HTTP_RATE_LIMITED)
        again = replace(task, attempt=task.attempt + retry.counted, refused=refused)
        if (hold := host.held_by(task.url)) is not None:
            hold.tasks.append(again)
        else:
            self._due.push(now + retry.wait_s, again)
        return True

    def postpone(self, host: Host, task: FetchTask, obstacle: Obstacle, now: float) -> None:
        """Have what could not be asked for asked again, uncounted.

        Where it may be the way there, another page of the host goes first: what that comes to tells
        whether it is the way, or this page alone.
        """
        if obstacle is Obstacle.NETWORK and (hold := host.held_by(task.url)) is not None:
            hold.tasks.append(task)
        elif obstacle is Obstacle.NETWORK and host.queue.has_waiting:
            self._due.push(max(now, host.due) + _AFTER_ANOTHER_S, task)
        else:
            self.queue_again(host, task)

    def revive(self, now: float) -> None:
        """Queue again what is due."""
        while (task := self._due.pop_due(now)) is not None:
            host = self._politeness[task.host]
            if (hold := host.held_by(task.url)) is not None:
                hold.tasks.append(task)
            else:
                self.queue_again(host, task)

    def queue_again(self, host: Host, task: FetchTask) -> None:
        """Return a task that was taken to its host's queue."""
        self._traps.give_back(task)
        host.queue.push_back(task)
        self._politeness.place(host)
