"""When the frontier asks for predicted duplicates: audits in their turn, the others after all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.worlds import World, job

from crawler.frontier import Frontier
from crawler.frontier.learning import AUDITS, Lesson
from crawler.frontier.turns import Turn
from crawler.models import FetchTask, Predicted, Priority

RULE = "a.test/edit?id"
DELAYS = {"delay_s": 1.0, "per_address": 1}
LIMITS = {"pages": 1_000}


class Postponing(World):
    """A world whose store keeps what the frontier postpones."""

    def __init__(self, **sections: object) -> None:
        """Begin with the rule that edit forms of a.test bring nothing."""
        frontier = Frontier(job(**sections))
        for number in range(40):
            frontier.hear("a.test", form(number), Lesson(False, None).packed(), None)
        super().__init__(frontier, {"a.test": "192.0.2.1", "b.test": "192.0.2.2"})
        self.predicted: list[Predicted] = []
        self.late: dict[str, list[str]] = {}
        """URL -> the links of its page."""

    def play(self, turn: Turn) -> None:
        """Store what was postponed before the turn."""
        for change in self.frontier.take_predicted(self.now):
            if isinstance(change, Predicted):
                self.predicted.append(change)
                if not change.audit:
                    task = self.pending[change.url_id]
                    task = replace(task, priority=change.priority, rule=change.rule)
                    self.pending[change.url_id] = task
        super().play(turn)

    def end(self, task: FetchTask) -> None:
        """Offer what its page links to, then end it."""
        for link in self.late.pop(task.url, ()):
            self.offer(link, 1, via=task)
        super().end(task)

    @property
    def asked(self) -> list[str]:
        """What was fetched, in order."""
        return [task.url for task in self.fetched]


def form(number: int) -> str:
    """Return the URL of an edit form."""
    return f"http://a.test/edit?id=page{number}"


def page(number: int) -> str:
    """Return the URL of a page on another host."""
    return f"http://b.test/page{number}"


def test_copies_do_not_come_while_another_host_owes_a_pause() -> None:
    """Between two requests to a host that has pages, no predicted duplicate of another is asked."""
    world = Postponing(politeness=DELAYS, limits=LIMITS)
    for number in range(4):
        world.offer(form(100 + number))
        world.offer(page(number))
    world.run()
    assert world.asked == [*map(page, range(4)), *(form(100 + n) for n in range(4))]


def test_no_copy_comes_with_each_batch_of_links() -> None:
    """However often a host gains URLs that all are predicted duplicates, other hosts come first."""
    world = Postponing(politeness=DELAYS, limits=LIMITS)
    for number in range(6):
        world.offer(page(number))
        world.late[page(number)] = [form(100 + number)]
    world.run()
    assert world.asked == [*map(page, range(6)), *(form(100 + n) for n in range(6))]


def test_copies_wait_again_where_one_of_them_leads_to_pages() -> None:
    """A predicted duplicate that leads another host on gives way to what it has led to."""
    world = Postponing(politeness=DELAYS, limits=LIMITS)
    for number in range(3):
        world.offer(form(100 + number))
    world.late[form(100)] = [page(number) for number in range(3)]
    world.run()
    assert world.asked == [form(100), *map(page, range(3)), form(101), form(102)]


@pytest.mark.parametrize("limits", [{}, LIMITS], ids=["no limit", "limit"])
def test_an_audit_keeps_its_turn_until_it_is_asked_for(limits: dict[str, int]) -> None:
    """An audit that is looked at again, since its host must be resolved first, is one still."""
    world = Postponing(politeness=DELAYS, limits=limits)
    world.frontier.foretold("a.test", RULE, AUDITS - 1, 0, Priority.PREDICTED)
    world.offer(form(100))
    world.offer("http://a.test/")
    world.offer(form(101))
    world.run()
    assert world.asked == [form(100), "http://a.test/", form(101)]
    assert [(one.url_id, one.audit) for one in world.predicted] == [(1, True), (3, False)]
    assert world.predicted[1].priority is Priority.PREDICTED
