"""What the live page tells of an end, and how it counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.paths import PACKAGE

from crawler.models import PageOutcome, UrlState
from crawler.views.live.ends import MOST_CHARACTERS, end_of, entry
from crawler.views.live.server import (
    HOSTS_HEARD,
    KINDS,
    MOST_KEPT,
    STRETCHES,
    Hosts,
    LivePage,
    Rates,
)


def ended(state: UrlState, verdict: str, name: str = "pages", **line: Any) -> PageOutcome:
    """Return an end with one line."""
    return PageOutcome(1, state, ((name, {"url": "http://a.test/", **line}),), end=verdict)


@pytest.mark.parametrize(
    ("batch", "of", "why"),
    [
        (ended(UrlState.STORED, "new"), None, ""),
        (
            ended(UrlState.STORED, "new", reason="too-short"),
            None,
            "too short: stored, compared by their bytes only: dedup.min_tokens",
        ),
        (
            ended(
                UrlState.DUPLICATE,
                "exact-payload",
                "duplicates",
                duplicate_of={"id": 1, "url": "http://b.test/"},
            ),
            "http://b.test/",
            "the same bytes",
        ),
        (
            ended(
                UrlState.DUPLICATE,
                "near",
                "duplicates",
                duplicate_of={"id": 1, "url": "http://b.test/"},
                similarity=0.9312,
                evidence="same-address",
            ),
            "http://b.test/",
            "93.1% of the text in common; the same address, but for the host, language or edition "
            "that it names",
        ),
        (
            ended(
                UrlState.STORED,
                "sibling",
                sibling_of={"id": 1, "url": "http://b.test/"},
                similarity=None,
                evidence="other-title",
            ),
            "http://b.test/",
            "the titles differ",
        ),
        (
            ended(UrlState.REDIRECT, "301", "redirects", status=301, target="http://c.test/"),
            "http://c.test/",
            "answered 301",
        ),
        (
            ended(UrlState.FAILED, "http-4xx", "failures", detail="HTTP status 404"),
            None,
            "HTTP status 404",
        ),
    ],
)
def test_an_end_is_told_with_its_reason(batch: PageOutcome, of: str | None, why: str) -> None:
    """Each verdict names the page that it is like, and why, in words."""
    told = entry(batch)
    assert (told["of"], told["why"]) == (of, why)
    assert (told["state"], told["verdict"]) == (batch.state.name.lower(), batch.detail)


def test_texts_from_the_web_are_short_and_harmless() -> None:
    """No control characters, no password, no more characters than a line has room for."""
    title = "\x1b[31m\u202e" + "x" * 10_000
    told = entry(ended(UrlState.STORED, "new", title=title, duplicate_of=None))
    assert told["title"].startswith("\\x1b[31m\\u202e")
    assert len(told["title"]) == MOST_CHARACTERS
    secret = entry(ended(UrlState.FAILED, "tls", "failures", detail="at http://me:pw@a.test/"))
    assert "pw" not in secret["why"]


def test_a_reader_gets_each_end_once_and_the_latest_where_there_are_too_many(
    tmp_path: Path,
) -> None:
    """`after` begins behind a number; what is no longer kept is left out."""
    page, last = LivePage(tmp_path), MOST_KEPT + 50
    for _ in range(last):
        page.add(end_of(ended(UrlState.STORED, "new")))

    def after(number: int) -> list[int]:
        return [told["number"] for told in page.look(number)["feed"]]

    assert page.look(0)["last"] == last
    assert after(MOST_KEPT + 48) == [MOST_KEPT + 49, last]
    assert after(0) == list(range(51, last + 1))
    assert after(last) == after(10**9) == []
    assert end_of(PageOutcome(1, UrlState.SKIPPED)).entry is None


def test_bars_have_every_stretch_and_no_more_than_ten_minutes() -> None:
    """A stretch in which nothing ended is a bar of nothing; the rate is of pages alone."""
    rates = Rates(begun_at=100.0)
    for at in (100.0, 101.0, 112.0):
        rates.add(ended(UrlState.STORED, "new"), at)
    rates.add(ended(UrlState.FAILED, "new"), 112.0)
    bars = rates.bars(112.0)
    assert [sum(bar) for bar in bars] == [2, 0, 2]
    assert dict(zip(KINDS, bars[2], strict=True)) | {"new": 1, "rest": 1} == dict(
        zip(KINDS, bars[2], strict=True)
    )
    assert rates.pages_a_second(112.0) == pytest.approx(3 / 12)
    assert len(rates.bars(10_000.0)) == STRETCHES
    assert rates.pages_a_second(10_000.0) == 0.0


def test_only_the_latest_hosts_are_kept() -> None:
    """The last one to end something comes first, and the number of hosts is bounded."""
    hosts = Hosts()
    for n in range(HOSTS_HEARD + 5):
        hosts.add(f"h{n}", ended(UrlState.STORED, "new"))
    hosts.add("h10", ended(UrlState.DUPLICATE, "near"))
    hosts.add("h10", ended(UrlState.FAILED, "dns"))
    assert len(hosts.latest) == HOSTS_HEARD
    assert hosts.latest[0] == "h10"
    assert hosts.of("h10") == (1, 1, 1)
    assert hosts.of("h0") == (0, 0, 0)


def test_the_script_sets_nothing_as_html() -> None:
    """What comes from the web has no other way onto the page than as text."""
    script = (PACKAGE / "views/live/page.js").read_text(encoding="utf-8")
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script
