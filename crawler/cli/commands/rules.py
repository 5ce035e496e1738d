"""What a crawl has learned of its sites' URLs: rules, how right they were, and mirrors."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from crawler.config import parse_job
from crawler.console import say
from crawler.frontier.learning import HEARD, UrlLearning
from crawler.observe.summary import at_most_wrong
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import crawls_in
from crawler.storage.elsewhere import mirrors
from crawler.storage.tables import Meta
from crawler.storage.view import NO_SITES, StoreView, refuse_corpus
from crawler.views.render import console, print_json, table
from crawler.views.report.tables import MIRROR_HEADS, MIRRORS, mirror_rows


def rules(args: Namespace) -> int:
    """Show the rules by which URLs wait behind others, and which places show the same."""
    found: list[dict[str, Any]] = []
    alike: list[dict[str, Any]] = []
    for directory in crawls_in(args.directory):
        with StoreView.read(directory) as view:
            refuse_corpus(view, NO_SITES)
            found += _rules_of(view)
            alike += [one.record() for one in mirrors(view)]
    if args.json:
        print_json({"rules": found, "mirrors": alike})
        return 0
    if alike:
        console().print(table(MIRRORS, MIRROR_HEADS, mirror_rows(alike)))
    if found:
        names = "rule support urls pending audits late wrong at_most_wrong".split()
        heads = ["rule", "rests on", ">URLs", ">waiting", ">audits", ">late", ">wrong", ">at most"]
        rows = [[rule[name] for name in names] for rule in found]
        console().print(table("URLs that bring little, by rule", heads, rows))
    else:
        say(f"{args.directory}: no URL was foreseen to bring nothing there (`learn.urls`)")
    return 0


def _rules_of(view: StoreView) -> Iterator[dict[str, Any]]:
    """Yield the rules of a crawl JSON-ready, those first that had most URLs wait.

    `support` is what one rests on, as far as that is still known; `same` is how `learn.same` of
    another job takes a rule of same pages, with the original of a mirror. The lessons of the latest
    ends are heard again, as a run does that goes on: some .1 ms each.
    """
    uses = view.rule_uses()
    if not uses:
        return
    with reading_stored_values(view.directory):
        learning = UrlLearning(parse_job(view.meta(Meta.JOB), str(view.directory)).learn)
    for lesson in view.lessons(HEARD):
        learning.hear(*lesson)
    support: dict[str, str] = {}
    same: dict[str, dict[str, Any]] = {}
    for _, site in learning.sites():
        for rule, proof in site.same.items():
            within = {"within": rule.within, "original": proof.mirrored}
            same[rule.name] = {**rule.claim._asdict(), **within}
            support[rule.name] = f"{proof.agree:,} pairs agree, {proof.against:,} do not"
        for use in uses:
            support[use.rule] = support.get(use.rule) or site.support(use.rule)
    for use in sorted(uses, key=lambda use: (-use.urls, use.rule)):
        told = {"support": support.get(use.rule, ""), "at_most_wrong": at_most_wrong(use)}
        yield {**use._asdict(), **told, "same": same.get(use.rule)}
