"""Our methods as contestants: texts in, decisions out, with what they cost.

Every contestant is told the texts in order and answers with the id that each is a duplicate of, or
None. Ours go through `Signer` and `Judge`, as in a crawl.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clusters import components, proposer
from crawler import config
from crawler.dedup import Judge, MemoryCatalog, Signer, payload_digest, represents
from crawler.dedup.methods import rivals
from crawler.dedup.signing import load_segmenter, take_apart
from crawler.models import (
    ExactDuplicate,
    NearDuplicate,
    PayloadKey,
    Signature,
    StoredDocument,
    Verdict,
)

Decisions = list[int | None]


@dataclass(frozen=True, slots=True)
class Result:
    """What a contestant answered on one set, and at what price."""

    decisions: Decisions
    cpu_s: float
    """CPU seconds for all texts, loading of dictionaries and imports not counted."""
    memory_bytes: float | None
    """Memory of the index a document that was kept, fixed tables not counted; None if unknown."""


Contestant = Callable[[Sequence[str]], Result]


def inline(settings: config.Dedup) -> Contestant:
    """Return a method as a crawl uses it."""

    def run(texts: Sequence[str]) -> Result:
        signer = Signer(settings)
        signer.warm()
        catalog = MemoryCatalog()
        judge = Judge(settings, catalog, expected_documents=len(texts))
        empty = judge.nbytes
        start = time.process_time()
        signatures = (signer(text, text) for text in texts)
        decisions = [named(verdict) for verdict in judge_all(signatures, judge, catalog)]
        cpu_s = time.process_time() - start
        kept = max(1, decisions.count(None))
        return Result(decisions, cpu_s, (judge.nbytes - empty) / kept)

    return run


def afterwards(settings: config.Dedup) -> Contestant:
    """Return a method's clusters by union-find, each named by its oldest member."""

    def run(texts: Sequence[str]) -> Result:
        signer = Signer(settings)
        signer.warm()
        asked = proposer(settings, len(texts))
        empty = asked.nbytes
        start = time.process_time()
        signatures = [signer(text, text) for text in texts]
        roots = components(signatures, asked, settings.threshold if settings.verify else None)
        cpu_s = time.process_time() - start
        decisions = [None if root == number else root for number, root in enumerate(roots)]
        return Result(decisions, cpu_s, (asked.nbytes - empty) / len(texts))

    return run


def with_lexicon(make: Callable[[config.Dedup], Contestant], method: str) -> Contestant:
    """Return a method whose lexicon is fitted on the very texts it judges: to its favour."""

    def run(texts: Sequence[str]) -> Result:
        segment = load_segmenter()
        counts = (take_apart(text, segment).counts for text in texts)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "lexicon.tsv"
            rivals.save(rivals.fit(counts), path)
            return make(config.Dedup.model_validate({"method": method, "lexicon": path}))(texts)

    return run


def decide(signatures: Sequence[Signature], settings: config.Dedup) -> Decisions:
    """Return the decisions of a judge of its own on texts that are signed already."""
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=len(signatures))
    return [named(verdict) for verdict in judge_all(signatures, judge, catalog)]


def judge_all(
    signatures: Iterable[Signature], judge: Judge, catalog: MemoryCatalog
) -> Iterator[Verdict]:
    """Judge signatures in order, as pages without equal payloads; ids count from 0."""
    for number, signature in enumerate(signatures):
        key = PayloadKey(payload_digest(number.to_bytes(8, "big")), "text/plain")
        verdict = judge.judge(key, signature, number)
        if not isinstance(verdict, ExactDuplicate | NearDuplicate):
            catalog.add(
                StoredDocument(number, number, f"doc:{number}", key, signature, represents(verdict))
            )
        yield verdict


def named(verdict: Verdict) -> int | None:
    """Return the id of the page a verdict names, None for a page that is kept."""
    return verdict.of.id if isinstance(verdict, ExactDuplicate | NearDuplicate) else None
