"""What a crawl has learned of its sites' URLs: rules, how right they were, and mirrors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from crawler.config import parse_job
from crawler.frontier.learning import HEARD, UrlLearning
from crawler.models import RuleUse
from crawler.observe.summary import at_most_wrong
from crawler.storage.database import reading_stored_values
from crawler.storage.elsewhere import Mirror
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls.editions import SamePage
from crawler.views.render import table
from crawler.views.report.tables import MIRROR_HEADS, MIRRORS, mirror_rows


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that had URLs wait behind others, and what came of those."""

    use: RuleUse
    support: str
    """What it rests on, as far as that is still known."""
    same: SamePage | None = None
    """Of a rule of same pages: as `learn.same` of another job takes it."""
    original: str | None = None
    """Of one about two hosts or folders: which of them the other one mirrors."""


def rules_of(view: StoreView) -> list[Rule]:
    """Return the rules of a crawl, those first that had most URLs wait.

    The lessons of the latest ends are heard again, as a run does that goes on: some .1 ms each.
    """
    uses = view.rule_uses()
    if not uses:
        return []
    with reading_stored_values(view.directory):
        learning = UrlLearning(parse_job(view.meta(Meta.JOB), str(view.directory)).learn)
    for lesson in view.lessons(HEARD):
        learning.hear(*lesson)
    support: dict[str, str] = {}
    same: dict[str, tuple[SamePage, str | None]] = {}
    for _, site in learning.sites():
        for rule, proof in site.same.items():
            same[rule.name] = rule, proof.mirrored
            support[rule.name] = f"{proof.agree:,} pairs agree, {proof.against:,} do not"
        for use in uses:
            support[use.rule] = support.get(use.rule) or site.support(use.rule)
    uses.sort(key=lambda use: (-use.urls, use.rule))
    return [Rule(use, support.get(use.rule, ""), *same.get(use.rule, (None, None))) for use in uses]


def rule_data(rule: Rule) -> dict[str, Any]:
    """Return a rule JSON-ready."""
    told = {**rule.use._asdict(), "support": rule.support, "at_most_wrong": at_most_wrong(rule.use)}
    if rule.same is None:
        return {**told, "same": None}
    same = {**rule.same.claim._asdict(), "within": rule.same.within, "original": rule.original}
    return {**told, "same": same}


def print_rules(console: Console, rules: Sequence[Rule]) -> None:
    """Print a row for each rule."""
    rows = [
        (
            *(rule.use.rule, rule.support, rule.use.urls, rule.use.pending, rule.use.audits),
            *(rule.use.late, rule.use.wrong, at_most_wrong(rule.use)),
        )
        for rule in rules
    ]
    heads = ["rule", "rests on", ">URLs", ">waiting", ">audits", ">late", ">wrong", ">at most"]
    console.print(table("URLs that bring little, by rule", heads, rows))


def print_mirrors(console: Console, found: Sequence[Mirror]) -> None:
    """Print a row for each pair of trees that show the same."""
    rows = mirror_rows(one.record() for one in found)
    console.print(table(MIRRORS, MIRROR_HEADS, rows))
