"""Totals are read from a state file as they were written there."""

from __future__ import annotations

from dataclasses import fields

from crawler.models import Totals

NAMES = {
    "wire_bytes",
    "dropped-link:seen",
    "over-budget:a.test",
    "drawn:a.test",
    "host-pages:a.test:8080",
    "host-bytes:a.test:8080",
    "duplicate-kind:same-content",
    "evidence:same-text",
    "judged-on:main",
    "read-by:template",
    "reason:too-short",
    "rendering:a.test:8080 5f3a tried",
    "templates:made",
    "revisit:unchanged",
}
"""One of each kind, as state files of all versions have them."""


def test_totals_are_what_their_rows_say() -> None:
    """Each kind has its name in the state file; what is written there is read as it was."""
    rows = {name: float(number) for number, name in enumerate(sorted(NAMES), 1)}
    totals = Totals.of(rows.items())
    assert all(getattr(totals, field.name) for field in fields(totals))
    assert totals.host_pages.keys() == {"a.test:8080"}
    assert dict(totals.rows()) == rows


def test_totals_of_an_unknown_kind_are_passed_over() -> None:
    """A state file of a later version may have some."""
    assert Totals.of([("odd-kind:name", 1.0)]) == Totals()
