"""What is true of the demo web, and how a crawl's findings are held against it.

Which page of a cluster is stored depends on what arrives first, so truth names clusters, not
originals: one member has to be stored, and every other has to be called a duplicate of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from crawler.demo.pages import Fate, Outcome

Records = Iterable[Mapping[str, Any]]

STORED = "stored page"
EXACT = "exact copy"
"""The same bytes as the stored page: verdict `exact-payload`."""
NEAR = "near copy"
"""The same text in other bytes, or nearly the same text: verdicts `exact-text` and `near`."""
FALSE = "false copy"
"""Called a duplicate of a page that it is no copy of, or that is not stored."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A URL whose verdict is not the expected one; `got` is empty where it has none."""

    url: str
    expected: str
    got: str


class Row(NamedTuple):
    """One kind's counts. `wrong` URLs were given this kind though truth says otherwise."""

    kind: str
    expected: int
    found: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """A crawl beside the truth, URL by URL."""

    expected: Mapping[str, str]
    """URL -> kind."""
    got: Mapping[str, str]
    """URL -> kind; see FALSE for the one kind that is never expected."""

    def rows(self) -> tuple[Row, ...]:
        """Counts of every kind, stored pages and copies first."""
        expected, got = Counter(self.expected.values()), Counter(self.got.values())
        right = Counter(kind for url, kind in self.got.items() if self.expected.get(url) == kind)
        first = [kind for kind in (STORED, EXACT, NEAR) if kind in expected or kind in got]
        kinds = first + sorted({*expected, *got}.difference(first))
        return tuple(Row(k, expected[k], right[k], got[k] - right[k]) for k in kinds)

    @property
    def wrong(self) -> tuple[Difference, ...]:
        """URLs with another verdict than expected, or that should not have been met at all."""
        return tuple(
            Difference(url, self.expected.get(url, ""), kind)
            for url, kind in sorted(self.got.items())
            if self.expected.get(url) != kind
        )

    @property
    def missed(self) -> tuple[Difference, ...]:
        """Expected URLs without any verdict."""
        missing = sorted(self.expected.keys() - self.got.keys())
        return tuple(Difference(url, self.expected[url], "") for url in missing)


@dataclass(frozen=True, slots=True)
class Truth:
    """The fate of every URL that an ordinary crawl meets.

    Ordinary: robots obeyed, the demo job's scope and depth limit, no page limit. Inside a cluster
    the texts' Jaccard similarity is at least .9 in every pair (3-grams of words for English,
    4-grams of characters for Chinese, lower case); texts of different clusters stay below .5.
    """

    fates: Mapping[str, Fate]

    def urls(self, outcome: Outcome, detail: str = "") -> frozenset[str]:
        """Return the URLs that end so; with `detail`, for that failure class or skip reason."""
        return frozenset(
            url
            for url, fate in self.fates.items()
            if fate.outcome is outcome and detail in ("", fate.detail)
        )

    def compare(
        self,
        pages: Records,
        duplicates: Records,
        redirects: Records | None = None,
        failures: Records | None = None,
        skipped: Records | None = None,
    ) -> Comparison:
        """Compare with the records of a crawl's output files; what is None is not compared.

        Read are `url` everywhere, `verdict` and `duplicate_of.url` of duplicates, `failure` and
        `reason`. A page that was stored and tagged as a duplicate as well counts as the duplicate.
        """
        copies = {record["url"]: record for record in duplicates}
        kept = dict.fromkeys(record["url"] for record in pages)
        stored = [url for url in kept if url not in copies]
        got = dict.fromkeys(stored, STORED)
        got.update({url: self._claim(record, kept) for url, record in copies.items()})
        seen = {Outcome.STORED}
        for outcome, records, key in (
            (Outcome.REDIRECT, redirects, ""),
            (Outcome.FAILED, failures, "failure"),
            (Outcome.SKIPPED, skipped, "reason"),
        ):
            if records is not None:
                seen.add(outcome)
                got.update({r["url"]: _kind(outcome, str(r.get(key, ""))) for r in records})
        originals: dict[str, str] = {}  # cluster -> the first of its members that was stored
        for url in stored:
            fate = self.fates.get(url)
            if fate and fate.cluster:
                originals.setdefault(fate.cluster, url)
        expected = {
            url: self._copy_kind(url, originals.get(fate.cluster, url))
            if fate.outcome is Outcome.STORED
            else _kind(fate.outcome, fate.detail)
            for url, fate in self.fates.items()
            if fate.outcome in seen
        }
        return Comparison(expected, got)

    def _copy_kind(self, url: str, original: str) -> str:
        if url == original:
            return STORED
        payload = self.fates[url].payload
        return EXACT if payload and payload == self.fates[original].payload else NEAR

    def _claim(self, record: Mapping[str, Any], kept: Container[str]) -> str:
        original = record["duplicate_of"]["url"]
        fate, of = self.fates.get(record["url"]), self.fates.get(original)
        copied = fate and of and fate.cluster and fate.cluster == of.cluster
        if not copied or original not in kept:
            return FALSE
        return EXACT if record["verdict"] == "exact-payload" else NEAR


def _kind(outcome: Outcome, detail: str) -> str:
    return f"{outcome}: {detail}" if detail else outcome.value
