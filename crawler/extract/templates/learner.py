"""What is known of one host's template, page by page: who teaches, which version reads.

A pure state machine without clock and I/O: the same calls in the same order give the same plans.
What a version is made of depends on the *set* of pages that taught it, not on their order: a
version is made when all pages that were asked to teach have answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crawler.extract.templates.template import (
    Evidence,
    Lesson,
    Template,
    pack_state,
    pack_template,
    unpack_lesson,
    unpack_state,
    unpack_template,
)

ENOUGH_JUDGED = 8
"""Pages with a trusted main text after which a template is made: with 5 the text is worse
(4-gram F1 .954 instead of .964, on article sites .881 instead of .965), with more hardly better."""

ENOUGH_PAGES = 20
"""Pages after which it is made where an extractor understood none: some sites it never does."""

MOST_PAGES = 60
"""Pages after which it is made in any case. Twenty pages that are mostly lists are too few: crawled
from its first page on, a manual in eleven languages had four trusted ones among them, and 221 of
259 pages kept its menu; now 7 of 245 do."""

AUDIT_FIRST, AUDIT_STEP, AUDIT_LAST = 20, 8, 100
"""Served pages from one audit to the next: at first, more after each audit, and at most."""

DOUBT_MISSED = 0.10
"""Share of the words that a trusted extractor keeps which an audit may find dropped. No template of
nine sites, 14 made ones, and mixtures of them was revoked."""
DOUBT_RECENT, DOUBT_FAILED = 5, 2
"""So many of the last audits that find more revoke the template."""

DOUBT_MEAN, DOUBT_AUDITS = 0.8, 3
"""Precision or recall in the mean of the audits, and of how many of them, below which people are
told to look. It revokes nothing: of Java's API the extractor leaves out what the template keeps by
right (in two orders of five precision is .75 and .77, F1 of the pages .993)."""

MOST_REVOKED = 3
"""Templates of a host that are revoked before it is left alone for long."""
REST = 1_000
"""Pages that such a host is then read without learning; twice as many each further time."""

GROWTH = 0.25
"""Share by which the pages that taught must have grown for a new version: F1 of served pages is
.9856, with .5 it is .9843, with .15 .9849."""

MAX_VERSIONS = 64
"""Versions made of one host; the last one stays."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one page of a host is read."""

    template: bytes | None
    """Packed; None: the page is read by itself."""
    teaches: bool
    """Whether its lesson is wanted also where the template reads it."""


class Figures(NamedTuple):
    """What came of a host's template so far."""

    taught: int = 0
    """Pages whose lesson was taken in,"""
    judged: int = 0
    """and those of them that an extractor's text was trusted on."""
    served: int = 0
    """Pages that a template read."""
    audits: int = 0
    """Served pages that a trusted extractor read as well."""
    agreement: float = 1.0
    """Mean of the audits, 0 to 1: what both keep, as a share of what either keeps (Jaccard over
    word characters)."""
    revoked: int = 0
    """Templates given up."""
    versions: int = 0
    """Templates made."""
    weighed: int = 0
    """Audits with precision and recall."""
    precision: float | None = None
    """Mean of these: what both keep, as a share of what the template keeps; None of no audit."""
    recall: float | None = None
    """The same, as a share of what the extractor keeps."""
    misread: int = 0
    """Pages read by templates that were given up later."""
    wrong: int = 0
    """The latest version that was given up: it and all before rest on evidence that was, too."""

    @property
    def is_doubted(self) -> bool:
        """Whether template and extractor differ so much that somebody should look who is right."""
        if self.precision is None or self.recall is None or self.weighed < DOUBT_AUDITS:
            return False
        return min(self.precision, self.recall) < DOUBT_MEAN


@dataclass(slots=True)
class Course:
    """Where a host's learner stands, besides its evidence."""

    version: int = 0
    has_template: bool = False
    built_on: int = 0
    """Pages that had taught when the template was made."""
    taught: int = 0
    judged: int = 0
    served: int = 0
    audits: int = 0
    agreement: float = 0.0
    """Sum over the audits."""
    audited_at: int = 0
    """Served pages at the last audit."""
    recent: Sequence[bool] = ()
    """Whether the last audits of this template failed, oldest first."""
    revoked: int = 0
    rest: int = 0
    """Pages to come that are read without learning."""
    weighed: int = 0
    precision: float = 0.0
    recall: float = 0.0
    """Sums over the audits that were weighed."""
    wrong: int = 0
    misread: int = 0
    sound_at: int = 0
    """Served pages that are counted in `misread`, or were read when a version was given up last."""


class Learner:
    """The template of one host. Some 100 kB while it learns, then some ten.

    It alone changes what it holds. Each plan is answered once, by `hear` or by `drop`. Versions are
    numbered from `version` + 1, where that many were made of the host and nothing else is known of
    them any more.
    """

    def __init__(self, version: int = 0) -> None:
        self._course = Course(version)
        self.evidence = Evidence()
        """What the pages that taught add up to."""
        self.template: bytes | None = None
        """The latest template, packed; None while learning, and after a revocation."""
        self._unpacked: Template | None = None
        self._teaching = 0
        """Pages under way that were asked to teach."""

    @classmethod
    def restored(cls, state: bytes, template: bytes | None) -> Learner:
        """Return the learner that had this state and latest template, no page under way.

        Raises ValueError for bytes that are none, and for a template of another version.
        """
        learner = cls()
        course, learner.evidence = unpack_state(state)
        try:
            learner._course = Course(*course)
        except TypeError as error:
            raise ValueError(f"not the state of a template's learner: {error}") from None
        if learner._course.has_template:
            version = learner._course.version
            if template is None:
                raise ValueError(f"version {version} of the template is missing")
            learner._unpacked, found = unpack_template(template)
            if found != version:
                raise ValueError(f"version {found} of the template, and not {version}")
            learner.template = template
        return learner

    def plan(self) -> Plan:
        """Return how the host's next page is read."""
        course = self._course
        if self.template is not None:
            interval = min(AUDIT_LAST, AUDIT_FIRST + AUDIT_STEP * course.audits)
            teaches = not self._teaching and course.served - course.audited_at >= interval
        elif course.rest or course.version >= MAX_VERSIONS or self._is_enough:
            teaches = False
        else:
            teaches = self.evidence.pages + self._teaching < self._most_pages
        self._teaching += teaches
        if course.rest:
            course.rest -= 1
        return Plan(self.template, teaches)

    @property
    def _is_enough(self) -> bool:
        evidence = self.evidence
        return evidence.judged >= ENOUGH_JUDGED or evidence.pages >= self._most_pages

    @property
    def _most_pages(self) -> int:
        return MOST_PAGES if self.evidence.judged else ENOUGH_PAGES

    def hear(self, plan: Plan, lesson: bytes | None, *, served: bool) -> bool:
        """Take in how a page was read, and return whether `state` is to be stored with it.

        So it is where the page was asked to teach, or changed the template; what else changes can
        wait. `served` says that the plan's template read it; `lesson` is what it teaches, if it
        does.
        """
        self._teaching -= plan.teaches
        if served:
            self._serve(plan)
        if lesson is None:
            return self._settle()
        told, before = unpack_lesson(lesson), self.template
        is_wrong = self._unpacked is not None and self._unpacked.is_contradicted(told)
        self._learn(plan, told, served)
        self._settle(at_once=is_wrong)
        return plan.teaches or self.template != before

    def drop(self, plan: Plan) -> None:
        """Forget a page that came to nothing: it failed, or is not to be stored."""
        self._teaching -= plan.teaches
        self._settle()

    @property
    def version(self) -> int:
        """The latest template's number; 0 if none was made. Grows by one each."""
        return self._course.version

    @property
    def figures(self) -> Figures:
        """What came of it so far."""
        course = self._course
        agreement = course.agreement / course.audits if course.audits else 1.0
        return Figures(
            course.taught,
            course.judged,
            course.served,
            course.audits,
            agreement,
            course.revoked,
            course.version,
            course.weighed,
            course.precision / course.weighed if course.weighed else None,
            course.recall / course.weighed if course.weighed else None,
            course.misread,
            course.wrong,
        )

    def state(self) -> bytes:
        """Return all but the template and the pages under way, for `restored`."""
        return self._state(self._course)

    def inherited(self) -> bytes:
        """Return the state of one that knows what this one does, and has read no page by it."""
        was = self._course
        known = was.version, was.has_template, was.built_on, was.taught, was.judged
        return self._state(Course(*known, rest=was.rest, wrong=was.wrong))

    def _state(self, course: Course) -> bytes:
        return pack_state([getattr(course, name) for name in Course.__slots__], self.evidence)

    def _serve(self, plan: Plan) -> None:
        """Count a page that a template read; it may have been given up meanwhile."""
        course = self._course
        course.served += 1
        if course.wrong and plan.template is not None and plan.template != self.template:
            is_wrong = unpack_template(plan.template)[1] <= course.wrong
            course.misread += is_wrong
            course.sound_at += is_wrong

    def _learn(self, plan: Plan, lesson: Lesson, served: bool) -> None:
        course = self._course
        if course.rest:
            return
        self.evidence.add(lesson)
        course.taught += 1
        course.judged += lesson.is_judged
        if served and plan.template == self.template:
            course.audited_at = course.served
            if lesson.compared is not None:
                failed = lesson.compared.missed > DOUBT_MISSED * lesson.compared.kept
                course.audits += 1
                course.agreement += lesson.compared.agreement
                course.weighed += 1
                course.precision += lesson.compared.precision
                course.recall += lesson.compared.recall
                course.recent = [*course.recent, failed][-DOUBT_RECENT:]
            if sum(course.recent) >= DOUBT_FAILED:
                course.revoked += 1
                beyond = course.revoked - MOST_REVOKED
                course.rest = REST << beyond if beyond >= 0 else 0
                course.has_template, course.recent = False, ()
                course.misread += course.served - course.sound_at
                course.wrong, course.sound_at = course.version, course.served
                self.template = self._unpacked = None
                self.evidence = Evidence()

    def _settle(self, *, at_once: bool = False) -> bool:
        """Make a version if it is time, and return whether one was made.

        A first one waits for all that were asked to teach; with `at_once` a later one for nothing.
        """
        course, evidence = self._course, self.evidence
        if course.version >= MAX_VERSIONS:
            return False
        if self.template is None:
            if self._teaching or not self._is_enough:
                return False
        elif not at_once and evidence.pages < (1 + GROWTH) * course.built_on:
            return False
        course.version += 1
        course.has_template = True
        course.built_on, course.audited_at = evidence.pages, course.served
        self._unpacked = evidence.template()
        self.template = pack_template(self._unpacked, course.version)
        evidence.forget_single()
        return True
