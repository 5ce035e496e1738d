"""The owner of all hosts' learners: what is in memory, what is in the store, what is handed on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.site_pages import article
from support.teaching import ENOUGH, judged_new, lesson, read

from crawler.engine.engine import Learners
from crawler.extract.templates import Learner, Plan
from crawler.models import Learned


class Kept:
    """A store of learners, and how often each host was read from it."""

    def __init__(self) -> None:
        self.known: dict[str, Learned] = {}
        self.reads: list[str] = []
        self.latest = 0

    def learned(self, host: str) -> Learned | None:
        """See KeptLearners."""
        self.reads.append(host)
        return self.known.get(host)

    def latest_version(self, host: str) -> int:
        """See KeptLearners."""
        return self.latest

    def keep_learned(self, known: Learned) -> None:
        """See KeptLearners."""
        self.known[known.host] = known
        self.latest = max(self.latest, known.version or 0)


def teach(learners: Learners, kept: Kept, host: str, number: int) -> Plan:
    """Have a page of a host teach, and its end stored; return its plan."""
    plan = learners.plan(host)
    page = lesson(number) if plan.teaches else read(article(number), plan)
    learners.hear(host, plan, page, outcome := judged_new())
    if outcome.learned is not None:
        kept.keep_learned(outcome.learned)
    return plan


def test_a_template_is_handed_over_with_the_page_that_made_it() -> None:
    """Each lesson gives a state to be stored; the last one the version that reads what follows."""
    learners = Learners(kept := Kept())
    for number in range(ENOUGH):
        assert teach(learners, kept, "a.test", number) == Plan(None, True)
        assert kept.known["a.test"].version == (None if number < ENOUGH - 1 else 1)
    plan = learners.plan("a.test")
    assert plan == Plan(kept.known["a.test"].template, False)
    page = read(article(99), plan)
    assert (page.read_by, page.template) == ("template", 1)
    learners.hear("a.test", plan, page, outcome := judged_new())
    assert (outcome.learned, list(outcome.totals.rows())) == (None, [])
    assert [known.host for known in learners.unsaved()] == ["a.test"]
    assert list(learners.unsaved()) == []


def test_hosts_that_are_not_in_memory_go_on_where_they_were() -> None:
    """With room for one host, two that take turns learn as they would with room for both."""
    narrow, wide = Kept(), Kept()
    for kept, hosts in ((narrow, 1), (wide, 9)):
        learners = Learners(kept, hosts=hosts)
        for number in range(ENOUGH + 3):
            for host in ("a.test", "b.test"):
                teach(learners, kept, host, number)
        for known in learners.unsaved():
            kept.keep_learned(known)
    assert narrow.known == wide.known
    assert narrow.known["b.test"].version == 1
    assert len(wide.reads) == 2
    assert len(narrow.reads) > 2 * ENOUGH


def test_memory_is_bounded_by_bytes_as_well() -> None:
    """Where there is room for no learner but the one in use, each is read again for its page."""
    learners = Learners(kept := Kept(), packed_bytes=1)
    for number in range(3):
        for host in ("a.test", "b.test"):
            teach(learners, kept, host, number)
    assert len(kept.reads) == 6


def test_a_host_with_pages_under_way_stays() -> None:
    """It knows who was asked to teach; read from the store it would have forgotten that."""
    learners = Learners(kept := Kept(), hosts=1)
    plans = [learners.plan("a.test") for _ in range(3)]
    teach(learners, kept, "b.test", 0)
    teach(learners, kept, "c.test", 0)
    for number, plan in enumerate(plans):
        learners.hear("a.test", plan, lesson(number), judged_new())
    assert kept.reads.count("a.test") == 1


def test_a_version_made_because_a_page_came_to_nothing_is_kept_at_once() -> None:
    """The page that was waited for may fail: the next one is read by what the others taught."""
    learners = Learners(kept := Kept())
    failing = learners.plan("a.test")
    for number in range(ENOUGH):
        teach(learners, kept, "a.test", number)
    assert kept.known["a.test"].version is None
    learners.drop("a.test", failing)
    assert kept.known["a.test"].version == 1
    assert learners.plan("a.test").template == kept.known["a.test"].template


def test_a_page_that_ends_after_the_last_lesson_is_not_forgotten() -> None:
    """That it was served is kept at the end, also where a later plan's lesson was stored before."""
    learners = Learners(kept := Kept())
    for number in range(ENOUGH):
        teach(learners, kept, "a.test", number)
    plan = learners.plan("a.test")
    learners.hear("a.test", learners.plan("a.test"), read(article(98), plan), judged_new())
    assert len(list(learners.unsaved())) == 1
    learners.hear("a.test", plan, read(article(99), plan), judged_new())
    (known,) = learners.unsaved()
    assert Learner.restored(known.state, known.template).figures.served == 2


def test_a_page_that_was_not_asked_to_teach_is_stored_later() -> None:
    """A host may send strange pages without end: packing all that is known each time is dear."""
    learners = Learners(kept := Kept())
    for number in range(ENOUGH):
        teach(learners, kept, "a.test", number)
    plan = learners.plan("a.test")
    strange = "<body><main><section><dl>" + "<dt>Another layout, with its own words</dt>" * 9
    page = read(strange, plan)
    assert page.lesson is not None
    learners.hear("a.test", plan, page, outcome := judged_new())
    assert outcome.learned is None
    (known,) = learners.unsaved()
    assert Learner.restored(known.state, known.template).figures.taught == ENOUGH + 1


def test_what_a_page_changed_is_counted() -> None:
    """The running totals get each version once."""
    learners = Learners(Kept())
    outcomes = [judged_new() for _ in range(ENOUGH)]
    for number, outcome in enumerate(outcomes):
        learners.hear("a.test", learners.plan("a.test"), lesson(number), outcome)
    counts = [dict(outcome.totals.rows()) for outcome in outcomes]
    assert counts == [{}] * (ENOUGH - 1) + [{"templates:made": 1.0}]


@pytest.mark.parametrize(
    "damage", [{"state": b"no state"}, {"template": None}, {"template": b"no template"}]
)
def test_a_damaged_learner_begins_anew_and_counts_on(damage: dict[str, bytes | None]) -> None:
    """It is told of; the next version has a number that no page names yet."""
    kept, told = Kept(), list[str]()
    learners = Learners(kept)
    for number in range(ENOUGH):
        teach(learners, kept, "a.test", number)
    kept.known["a.test"] = replace(kept.known["a.test"], **damage)  # type: ignore[arg-type]
    learners = Learners(kept, report=told.append)
    assert learners.plan("a.test") == Plan(None, True)
    assert [line.partition(":")[0] for line in told] == ["a.test"]
    for number in range(ENOUGH + 1):
        teach(learners, kept, "a.test", number)
    learners.drop("a.test", Plan(None, True))
    assert kept.known["a.test"].version == 2


def test_versions_go_on_where_a_learner_was_lost() -> None:
    """Also where only templates are left: a number stands for one template, for ever."""
    learners = Learners(kept := Kept())
    kept.latest = 5
    for number in range(ENOUGH):
        teach(learners, kept, "a.test", number)
    assert kept.known["a.test"].version == 6
