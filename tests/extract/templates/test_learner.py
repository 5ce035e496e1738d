"""When a host's template is made, how it is audited, and what ends it."""

import itertools
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made_templates import ASIDE, TEXT, lesson, page, told

from crawler.extract.lines import Line
from crawler.extract.templates import (
    Evidence,
    Learner,
    Lesson,
    Plan,
    blocks_of,
    lesson_of,
    pack_lesson,
    pack_template,
    unpack_template,
)
from crawler.extract.templates.learner import (
    AUDIT_FIRST,
    AUDIT_LAST,
    DOUBT_AUDITS,
    ENOUGH_JUDGED,
    ENOUGH_PAGES,
    MOST_PAGES,
    MOST_REVOKED,
    REST,
)
from crawler.extract.templates.template import MAX_LINES


def read(learner: Learner, lines: list[Line], *, judged: bool = True, where: str = "") -> Plan:
    """Read a page as planned, with an extractor that keeps what is at `where`."""
    plan = learner.plan()
    how = {"where": where} if where else {}
    if plan.template is None:
        answer = told(lines, judged=judged, **how) if plan.teaches else None
        learner.hear(plan, answer, served=False)
        return plan
    template, _ = unpack_template(plan.template)
    served = template.read(blocks_of(lines)).is_trusted
    answer = None
    if plan.teaches or not served:
        answer = told(lines, judged=judged, read=template if served else None, **how)
    learner.hear(plan, answer, served=served)
    return plan


def taught(pages: int = 12) -> Learner:
    """Return a learner that has read so many pages."""
    learner = Learner()
    for number in range(pages):
        read(learner, page(number))
    return learner


def test_a_template_is_made_of_the_pages_judged_on_main_text() -> None:
    """The first pages teach until enough were judged; the next one is read by version 1."""
    learner = Learner()
    plans = [read(learner, page(number)) for number in range(ENOUGH_JUDGED + 1)]
    assert [plan.teaches for plan in plans] == [True] * ENOUGH_JUDGED + [False]
    assert plans[-1].template == learner.template is not None
    assert learner.version == 1


def test_a_host_that_no_extractor_understands_learns_by_repetition() -> None:
    """Without one judged page a template is made of the first twenty, and drops what repeats."""
    learner = Learner()
    for number in range(ENOUGH_PAGES):
        assert read(learner, page(number), judged=False).template is None
    template, version = unpack_template(learner.template or b"")
    blocks = blocks_of(page(99))
    reading = template.read(blocks)
    dropped = {
        block.text for block, is_kept in zip(blocks, reading.kept, strict=True) if not is_kept
    }
    assert version == 1
    assert "Menu entry 1" in dropped
    assert "All rights reserved by the makers" in dropped
    assert not any(text.startswith("word") for text in dropped)


def test_a_host_that_is_seldom_understood_teaches_longer() -> None:
    """With some trusted pages, but few, more pages teach, up to a number."""
    learner = Learner()
    for number in range(MOST_PAGES):
        assert read(learner, page(number), judged=number % 10 == 0).template is None
    assert learner.version == 1
    learner = Learner()
    plans = [read(learner, page(number), judged=number % 4 == 0) for number in range(MOST_PAGES)]
    assert sum(plan.template is None for plan in plans) == 4 * (ENOUGH_JUDGED - 1) + 1


def test_a_version_waits_for_all_that_were_asked_to_teach() -> None:
    """No template comes between two of its teachers: which ones they are is fixed when planned."""
    learner = Learner()
    plans = [learner.plan() for _ in range(ENOUGH_PAGES)]
    assert not learner.plan().teaches
    for number, plan in enumerate(plans[:-1]):
        learner.hear(plan, told(page(number)), served=False)
    assert learner.template is None
    learner.drop(plans[-1])
    assert learner.template is not None


def test_answers_in_another_order_make_the_same_template() -> None:
    """A template follows from the set of its teachers, not from who was read first."""
    answers = [told(page(number)) for number in range(ENOUGH_JUDGED)]
    made = set()
    for order in (answers, answers[::-1], answers[3:] + answers[:3]):
        learner = Learner()
        plans = [learner.plan() for _ in order]
        for plan, answer in zip(plans, order, strict=True):
            learner.hear(plan, answer, served=False)
        made.add(learner.template)
    assert len(made) == 1
    assert None not in made


LIST, FOOT = "body>div.index>ul>li", "body>div.foot"
FEET = [Line(f"Foot line {number} of the whole site", 0, FOOT) for number in range(5)]


@cache
def index_lessons() -> list[Lesson]:
    """Return what six pages teach that have long lists of their own, and one foot."""
    indexes = [
        [*(Line(f"Entry {page_}.{number}", 0, LIST) for number in range(1_500)), *FEET]
        for page_ in range(6)
    ]
    return [lesson_of(blocks_of(index), None) for index in indexes]


@settings(max_examples=settings().max_examples // 2)
@given(st.permutations(range(6)))
def test_long_lists_crowd_out_no_foot_line(order: list[int]) -> None:
    """Of each zone as many lines are counted, and the same ones in any order of pages."""
    evidence = Evidence()
    for number in order:
        evidence.add(index_lessons()[number])
    assert len(evidence.lines) == MAX_LINES
    feet = [count for (_, zone), count in evidence.lines.items() if zone.path == FOOT]
    assert feet == [6] * len(FEET)
    first = Evidence()
    for one in index_lessons():
        first.add(one)
    assert evidence.lines == first.lines


def test_served_pages_are_audited_less_and_less_and_for_ever() -> None:
    """The first audit comes after 20 served pages, later ones each 100."""
    learner = taught(ENOUGH_JUDGED)
    pages = (page(1_000 + number, paragraphs=2) for number in range(1_200))
    audits = [number for number, lines in enumerate(pages) if read(learner, lines).teaches]
    gaps = [after - before for before, after in itertools.pairwise(audits)]
    assert audits[0] == AUDIT_FIRST
    assert gaps == sorted(gaps)
    assert gaps[-1] == AUDIT_LAST + 1
    assert learner.figures.audits == len(audits)
    assert learner.figures.agreement > 0.95


def test_a_page_that_a_template_does_not_know_teaches() -> None:
    """Pages of another layout are not served at first, and are once enough of them have taught."""
    learner = taught()
    other = "body>section.card>div.story>p"
    plans = [read(learner, page(100 + n, where=other), where=other) for n in range(30)]
    template, version = unpack_template(learner.template or b"")
    assert learner.figures.taught > ENOUGH_JUDGED
    assert version > 1
    assert plans[0].template != learner.template
    assert template.read(blocks_of(page(500, where=other))).is_trusted
    assert template.read(blocks_of(page(501))).is_trusted


def test_audits_that_find_text_dropped_revoke_the_template() -> None:
    """Where the text has moved into small boxes that were dropped, two audits end the template."""
    learner = taught()
    assert learner.template is not None
    for number in range(200):
        plan = learner.plan()
        lines = page(2_000 + number)
        answer = None
        if plan.teaches:
            template, _ = unpack_template(plan.template or b"")
            answer = pack_lesson(lesson(lines, read=template, where=ASIDE))
        learner.hear(plan, answer, served=True)
        if learner.template is None:
            break
    assert learner.template is None
    figures = learner.figures
    assert (figures.revoked, figures.audits) == (1, 2)
    assert (figures.misread, figures.wrong) == (figures.served, learner.version)
    assert learner.plan().teaches
    # A page that was under way by then is one more, and whoever goes on with this has read none.
    late = Plan(pack_template(template, learner.version), teaches=False)
    learner.hear(late, None, served=True)
    assert learner.figures.misread == figures.misread + 1
    again = Learner.restored(learner.inherited(), None)
    assert (again.version, again.figures.misread, again.figures.wrong) == (
        *(learner.version, 0, figures.wrong),
    )
    assert again.evidence == learner.evidence


def test_audits_keep_apart_what_either_keeps_alone() -> None:
    """A teacher that leaves half of the text out lowers precision alone: a doubt, no revocation."""
    learner = taught()
    while learner.figures.weighed < DOUBT_AUDITS:
        plan = learner.plan()
        lines, answer = page(2_000 + learner.figures.served), None
        if plan.teaches:
            assert not learner.figures.is_doubted
            template, _ = unpack_template(plan.template or b"")
            blocks = blocks_of(lines)
            seen = [block.zone.path == TEXT and block.line % 2 == 0 for block in blocks]
            answer = pack_lesson(lesson_of(blocks, seen, template.read(blocks).kept))
        learner.hear(plan, answer, served=True)
    figures = learner.figures
    assert figures.precision == pytest.approx(0.5, abs=0.05)
    assert figures.recall == 1
    assert figures.is_doubted
    assert figures.revoked == 0


def test_text_found_in_a_dropped_zone_makes_a_version_at_once() -> None:
    """One audited page with much text in what was dropped is enough to keep that zone."""
    learner = taught()
    before = learner.version
    template, _ = unpack_template(learner.template or b"")
    long = page(5, aside="word " * 120)
    plan = Plan(learner.template, teaches=False)
    learner.hear(plan, pack_lesson(lesson(long, where=ASIDE)), served=False)
    after, version = unpack_template(learner.template or b"")
    blocks = blocks_of(page(7))
    beside = next(n for n, block in enumerate(blocks) if block.zone.path == ASIDE)
    assert version == before + 1
    assert not template.read(blocks).kept[beside]
    assert after.read(blocks).kept[beside]


def test_a_host_whose_templates_are_revoked_again_and_again_is_left_alone() -> None:
    """After the third revocation the host's next thousand pages neither teach nor are served."""
    learner = Learner()
    revoked = 0
    for number in itertools.count():
        plan = learner.plan()
        where = ASIDE if plan.template and plan.teaches else ""
        read_by = unpack_template(plan.template)[0] if plan.template else None
        how = {"where": where} if where else {}
        answer = told(page(number), read=read_by, **how) if plan.teaches else None
        learner.hear(plan, answer, served=plan.template is not None)
        revoked = learner.figures.revoked
        if revoked == MOST_REVOKED:
            break
    plans = [read(learner, page(number)) for number in range(REST + 1)]
    assert all(plan == Plan(None, teaches=False) for plan in plans[:REST])
    assert plans[REST].teaches


def test_other_bytes_are_no_state() -> None:
    """Damaged state, another version's template, or none where one is due, is one ValueError."""
    learner = taught()
    state, template = learner.state(), learner.template
    for broken in (b"", b"x", state[:20], state[:-8]):
        with pytest.raises(ValueError, match="not the state"):
            Learner.restored(broken, template)
    with pytest.raises(ValueError, match="missing"):
        Learner.restored(state, None)
    later = learner
    for number in range(400):
        read(later, page(300 + number, where="body>div.other>p"), where="body>div.other>p")
    with pytest.raises(ValueError, match="and not"):
        Learner.restored(state, later.template)


@given(
    before=st.integers(0, 40),
    after=st.integers(1, 30),
    kinds=st.lists(st.integers(0, 2), min_size=70, max_size=70),
)
def test_a_restored_learner_goes_on_like_the_first(
    before: int, after: int, kinds: list[int]
) -> None:
    """Whenever it is stored and restored, its plans, templates and figures are the same."""
    paths = ("body>div.page>div.text>p", "body>section.card>p", "body>div.page>div.long>p")

    def go(learner: Learner, first: int, last: int) -> list[Plan]:
        return [
            read(learner, page(n, where=paths[kinds[n]], paragraphs=2), where=paths[kinds[n]])
            for n in range(first, last)
        ]

    learner = Learner()
    go(learner, 0, before)
    again = Learner.restored(learner.state(), learner.template)
    assert go(learner, before, before + after) == go(again, before, before + after)
    assert (learner.figures, learner.state()) == (again.figures, again.state())


def test_a_hostile_host_costs_a_bounded_state() -> None:
    """Lines that each stand in a place of their own, page after page, do not add up."""
    learner = Learner()
    sizes = []
    for number in range(ENOUGH_PAGES + 4):
        label = "x" * 60 + str(number)
        lines = [Line(f"{number} {n} text", 0, f"body>div.{label}-{n}>p") for n in range(200)]
        read(learner, lines)
        sizes.append(len(learner.state()) if number > 9 else 0)
    assert learner.version < 6
    assert max(sizes) < 50_000
    assert max(sizes[10:]) < 1.2 * sizes[10]
