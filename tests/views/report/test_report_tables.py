"""Summary and tables: what a user reads of a crawl in a terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from crawler.console import safe
from crawler.models import DuplicateKind, Evidence, StoredRef, Totals, UrlState
from crawler.observe.summary import counts, summarise
from crawler.views.report.tables import (
    VerdictsByHost,
    comparison,
    print_report,
    reading,
    report,
    template_warnings,
)

OUTCOMES = {
    (UrlState.STORED, "new"): 8,
    (UrlState.STORED, "unjudged"): 1,
    (UrlState.STORED, "sibling"): 2,
    (UrlState.DUPLICATE, "exact-payload"): 4,
    (UrlState.DUPLICATE, "near"): 3,
    (UrlState.REDIRECT, "301"): 2,
    (UrlState.FAILED, "dns"): 1,
    (UrlState.SKIPPED, "robots"): 5,
    (UrlState.PENDING, ""): 6,
}
NUMBERS = {"analysed": 14, "parse_s": 7.0, "duplicate_bytes": 900, "dropped-link:seen": 8} | {
    "duplicate-kind:same-content-same-layout": 6,
    "duplicate-kind:partial-content": 2,
    "judged-on:main": 9,
    "judged-on:visible": 5,
    "read-by:template": 9,
    "read-by:trafilatura": 1,
    "templates:made": 3,
    "templates:audits": 2,
    "templates:revoked": 1,
    "evidence:same-text": 3,
    "evidence:other-title": 2,
    "reason:short": 3,
    "reason:too-short": 1,
}
TOTALS = Totals.of(NUMBERS.items())
STALLS = {"stall_s": 0.0, "stall_p99_s": 0.0}
RUNS = [
    {"started_at": 0.0, "finished_at": 10.0, "stopped": True, **STALLS},
    {"started_at": 100.0, "finished_at": 105.0, "stopped": False, **STALLS},
]

HOME = Path("crawl-out")


def summary() -> dict[str, Any]:
    """Return the summary of a small crawl in two runs."""
    return summarise(OUTCOMES, [], TOTALS, RUNS, hosts=2)


def printed(parts: Any, width: int = 120) -> str:
    """Return what a terminal of so many columns shows."""
    out = io.StringIO()
    print_report(Console(file=out, width=width, markup=False), parts)
    return out.getvalue()


def test_the_summary_adds_up() -> None:
    """Seen is the sum of all ends, and each group says what it is made of."""
    s = summary()
    ends = s["stored"] + s["redirects"] + s["pending"]
    ends += sum(sum(s[group].values()) for group in ("duplicates", "failures", "skipped"))
    assert s["seen"] == ends == 32
    assert s["duplicates"] == {"exact-payload": 4, "exact-text": 0, "near": 3, "sibling": 0}
    assert s["elapsed_s"] == 15.0
    assert s["dropped_links"] == {"seen": 8}
    assert s["evidence"] == {"same-text": 3, "other-title": 2}
    assert s["stored_by_verdict"]["sibling"] == 2
    assert s["duplicate_kinds"] == {"partial-content": 2, "same-content-same-layout": 6}
    assert not any(":" in name for name in s["totals"])


def test_the_report_tells_what_templates_did() -> None:
    """The share of pages they read, the audits, and the hosts whose templates were given up."""
    hosts = [{"host": f"{n}\x1b.example", "times": 1, "misread": 0} for n in range(7)]
    told = summary()
    told["templates"]["revoked_of"] = hosts
    assert told["read_by"] == {"template": 9, "trafilatura": 1}
    assert told["templates"]["made"] == 3
    assert told["templates"]["revoked_of"] == hosts
    assert reading(told) == (
        "90% of the pages that were read were read by learned templates; 2 of them were read by "
        "the extractor too, as audits. 1 template was given up because audits disagreed with it, "
        "and is learned anew: 0\\x1b.example, 1\\x1b.example, 2\\x1b.example, "
        "3\\x1b.example, 4\\x1b.example and others."
    )
    assert "given up" not in reading(summary())
    assert not [*template_warnings(told, HOME)]


def test_the_report_warns_of_wrong_and_of_doubtful_templates() -> None:
    """Audits keep precision and recall apart; a command stands on a line of its own, unbroken."""
    numbers = {"weighed": 4, "precision": 3.2, "recall": 3.0, "misread": 1_200, "doubted": 1}
    totals = Totals.of([(f"templates:{name}", number) for name, number in numbers.items()])
    totals.templates["audits"], totals.read_by = 4, {"template": 9}
    revoked = [{"host": "a\x1b.test", "times": 1, "misread": 1_200}]
    doubted = {"host": "c.test", "precision": 0.71, "recall": 0.99}
    again = f"crawler reread {'/long' * 30}"
    told = summarise(OUTCOMES, [], totals, RUNS, 2)
    told["templates"] |= {"revoked_of": revoked, "doubted_of": [doubted], "read_again": again}
    assert "audits (precision 80%, recall 75% in the mean)" in reading(told)
    [(wrong, way), (doubt, look)] = template_warnings(told, HOME)
    assert wrong.startswith("1,200 pages were read by a template that was found wrong")
    assert r"a\x1b.test (1,200)." in wrong
    assert way == again
    assert "c.test (precision 71%, recall 99%). Either may be right" in doubt
    assert "crawler templates crawl-out c.test --html template.html" in look
    assert again in printed(report(told, HOME, [], []), width=80)


def test_savings_are_the_mean_cost_of_what_was_not_analysed() -> None:
    """Four payload copies at half a second of analysis a page save two seconds."""
    assert summary()["saved"] == {"bytes": 900, "analysis_s": 2.0}


def test_a_contradiction_is_shown_in_the_report() -> None:
    """Where files and table disagree, the identity is said not to hold, and why."""
    s = summarise(OUTCOMES, ["pages.jsonl has 9 lines"], TOTALS, RUNS, hosts=2)
    assert not s["identity_holds"]
    assert "does not add up: pages.jsonl has 9 lines" in printed(report(s, HOME, [], []))


def test_the_report_shows_every_kind_of_end() -> None:
    """All states, the hosts, the clusters, failures by class and the savings are printed."""
    text = printed(
        report(
            summary(), HOME, [("a.test", OUTCOMES)], [(StoredRef(7, "http://a.test/original"), 3)]
        )
    )
    for words in (
        "stored",
        "exact-payload 4",
        "near 3",
        "seen",
        "32",
        "sibling 2",
        "a.test",
        "dns",
        "robots",
    ):
        assert words in text
    assert "http://a.test/original" in text
    assert "= the sum of the above" in text


def test_the_report_shows_the_kinds_of_duplicate() -> None:
    """Each kind that occurred has its row with number and share; without duplicates no table."""
    text = printed(report(summary(), HOME, [], []))
    rows = text.split("Kinds of duplicate")[1].splitlines()
    assert any(line.split() == ["same", "same", "6", "75%"] for line in rows)
    assert any(line.split() == ["partly", "the", "same", "none", "2", "25%"] for line in rows)
    bare = summarise(OUTCOMES, [], Totals(), RUNS, hosts=2)
    assert "Kinds of duplicate" not in printed(report(bare, HOME, [], []))


def test_the_report_shows_what_pages_were_judged_by() -> None:
    """Main text, visible text, bytes alone and too little text, each of all pages; or no table."""
    s = summary()
    assert s["judged_on"] == {"main": 9, "visible": 5}
    assert s["stored_by_reason"] == {"short": 3, "too-short": 1}
    rows = printed(report(s, HOME, [], [])).split("Text on which pages were judged")[1].splitlines()
    for label, number, share in (
        ("main text", 9, 50.0), ("visible text", 5, 27.8), ("bytes alone", 4, 22.2),
        ("short", 3, 16.7), ("too short", 1, 5.6),
    ):  # fmt: skip
        told = [*label.split(), str(number), f"{share}%"]
        assert any(line.split()[: len(told)] == told for line in rows), label
    bare = summarise(OUTCOMES, [], Totals(), RUNS, hosts=2)
    assert "pages were judged" not in printed(report(bare, HOME, [], []))


def test_the_report_names_domains_with_links_that_were_not_queued() -> None:
    """Those with most links first, no more than can be read, and no word where there are none."""
    over = {f"over-budget:d{n}.test": n for n in range(1, 30)} | {"drawn:d1.test": 5}
    totals = Totals.of((NUMBERS | over).items())
    s = summarise(OUTCOMES, [], totals, RUNS, hosts=2)
    assert s["over_budget"][0] == {"domain": "d29.test", "links": 29}
    assert len(s["over_budget"]) == 29
    assert not any(":" in name for name in s["totals"])
    assert counts(totals.drawn) == {"d1.test": 5}
    text = printed(report(s, HOME, [], []))
    assert "long_url_bytes" in text
    assert "the 20 largest of 29" in text
    assert "d29.test" in text
    assert "d9.test" not in text
    assert "long_url_bytes" not in printed(report(summary(), HOME, [], []))


def test_the_report_tells_copies_from_siblings() -> None:
    """A row for each evidence that occurred, families apart from clusters; or no such tables."""
    clusters, families = (
        [(StoredRef(7, "http://a.test/original"), 3)],
        [(StoredRef(9, "http://a.test/like"), 2)],
    )
    text = printed(report(summary(), HOME, [], clusters, families))
    rows = text.split("Copies and siblings, by evidence")[1].splitlines()
    assert any(line.split()[:4] == ["near", "same-text", "3", "the"] for line in rows)
    assert any(line.split()[:4] == ["sibling", "other-title", "2", "another"] for line in rows)
    told = text.split("Largest clusters")[1].split("Largest families of siblings")
    assert ["http://a.test/original" in part for part in told] == [True, False]
    assert ["http://a.test/like" in part for part in told] == [False, True]
    bare = printed(report(summarise(OUTCOMES, [], Totals(), RUNS, hosts=2), HOME, [], []))
    assert "evidence" not in bare
    assert "families" not in bare


def test_every_evidence_has_a_row() -> None:
    """No evidence is counted and left out of the table, and no row is wider than a terminal."""
    s = summary() | {"evidence": dict.fromkeys(Evidence, 1000)}
    told = printed(report(s, HOME, [], []), width=80).split("by evidence")[1]
    rows = told.split("Failures")[0].splitlines()
    for code in Evidence:
        verdict = "near" if code.is_copy else "sibling"
        assert any(line.split()[:3] == [verdict, code.value, "1,000"] for line in rows)
    assert sum("1,000" in line for line in rows) == len(Evidence)


def test_what_is_nothing_has_no_row() -> None:
    """Neither of ends, nor of columns of hosts, nor of costs, and these only where asked for."""
    none = summarise({(UrlState.STORED, "new"): 2}, [], Totals(), RUNS, hosts=1)
    hosts = [("a.test", {(UrlState.STORED, "new"): 2})]
    told = printed(report(none, HOME, hosts, []))
    assert "Costs and savings" not in told
    assert not re.search(r"redirects|failures|skipped|pending|near|templates", told)
    told = printed(report(none, HOME, hosts, [], with_costs=True)).split("Costs and savings")[1]
    assert "15.0 s in 2 runs" in told
    assert "not stored" not in told
    assert "not analysed" not in told


def test_of_a_corpus_documents_are_told() -> None:
    """Nothing of URLs, pages, hosts and what travelled."""
    ends = {(UrlState.STORED, "new"): 2, (UrlState.DUPLICATE, "near"): 1}
    totals = Totals.of([("judged-on:main", 3), ("read-by:trafilatura", 3), ("body_bytes", 10**6)])
    s = summarise(ends, [], totals, RUNS, hosts=1)
    clusters = [(StoredRef(1, "file:///c.jsonl#id=a"), 1)]
    told = printed(report(s, HOME, [("c.jsonl", ends)], clusters, with_costs=True, of_corpus=True))
    assert re.search(r"every document ended", told)
    assert re.search(r"^ +kept +2 ", told, re.MULTILINE)
    assert "1.0 MB of documents" in told
    assert not re.search(r"URL|[Pp]age|host|stored|transferred|template|bodies", told)


@pytest.mark.parametrize("dropped", [False, True])
def test_verdicts_by_host_fit_a_terminal(dropped: bool) -> None:
    """80 columns hold each number of a large host, and its name; siblings only where dropped."""
    name = "news.first.test"
    outcomes = dict.fromkeys(OUTCOMES, 9_999)
    outcomes[UrlState.DUPLICATE, "exact-text"] = 8
    if dropped:
        outcomes[UrlState.DUPLICATE, "sibling"] = 7
    text = printed([VerdictsByHost([(name, outcomes)], 1)], width=80)
    [row] = [line.split() for line in text.splitlines() if name in line]
    assert row[1:6] == ["29,997", "9,999", "8", "9,999", "7" if dropped else "9,999"]
    assert len(row) == 9 + dropped
    assert ("lings" in text) == dropped


def test_every_kind_of_duplicate_has_a_row() -> None:
    """No kind is counted and left out of the table."""
    s = summary() | {"duplicate_kinds": dict.fromkeys(DuplicateKind, 1000)}
    assert printed(report(s, HOME, [], [])).count("1,000") == len(DuplicateKind)


def test_text_from_the_web_cannot_speak_to_the_terminal() -> None:
    """Escape sequences, markup and bidirectional controls in URLs and host names come out inert."""
    evil = "http://a.test/\x1b[31m[red]\u202e"
    text = printed(report(summary(), HOME, [(evil, OUTCOMES)], [(StoredRef(1, evil), 2)]))
    assert "\x1b[31m" not in text
    assert "\u202e" not in text
    assert "[red]" in text


@given(st.text())
def test_safe_text_is_printable(text: str) -> None:
    """Whatever the web sends, what is shown has no control or format character."""
    assert not any(ord(c) < 32 or ord(c) == 127 for c in safe(text))
    assert "\u2028" not in safe(text)


def test_found_and_expected_stand_side_by_side() -> None:
    """The comparison with a known truth shows kind, expected, found and wrong."""
    assert "near" in (text := printed([comparison([("near", 10, 9, 1)])]))
    assert text.split("near")[1].split()[:3] == ["10", "9", "1"]


def test_the_report_names_the_way_to_what_may_succeed_later() -> None:
    """Classes that pass by themselves are named with the command; others and none are not."""
    outcomes = {
        (UrlState.FAILED, "dns"): 3,
        (UrlState.FAILED, "http-5xx"): 2,
        (UrlState.FAILED, "http-4xx"): 7,
        (UrlState.SKIPPED, "robots-unreachable"): 4,
        (UrlState.SKIPPED, "robots"): 1,
    }
    shown = " ".join(
        printed(report(summarise(outcomes, [], Totals(), RUNS, hosts=1), HOME, [], [])).split()
    )
    assert "May succeed later: dns, http-5xx, 5 in all." in shown
    assert "May succeed later: robots-unreachable, 4 in all." in shown
    assert shown.count("python -m crawler retry crawl-out") == 2
    assert "retry crawl-out --class robots-unreachable" in shown
    lasting = {key: number for key, number in outcomes.items() if key[1] in ("http-4xx", "robots")}
    assert "retry" not in printed(
        report(summarise(lasting, [], Totals(), RUNS, hosts=1), HOME, [], [])
    )
