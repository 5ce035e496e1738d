"""The whole evidence on two subjects.

Signatures compared, every method asked, the decision, the rule that made it and what is said of it:
one record, which `--json` prints and `shown` shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

import numpy as np

from crawler import config
from crawler.config import LEXICON_METHODS, Method, NearMode, SiblingMode
from crawler.dedup import Judge, MemoryCatalog, Signer, kernels, represents, signing
from crawler.dedup.columns import hamming
from crawler.dedup.copies import address_key, pack
from crawler.dedup.index import matched_blocks
from crawler.dedup.kinds import kind
from crawler.dedup.methods import rivals
from crawler.dedup.methods.rivals import RANDOM_LEXICONS
from crawler.dedup.signing import (
    WEIGHT_UNIT,
    TextParts,
    layout_similarity,
    load_folder,
    load_segmenter,
    new_key,
    shingle_similarity,
    simhash,
    take_apart,
    weight,
)
from crawler.engine.outcomes import format_fingerprint
from crawler.errors import ConfigError
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    SIBLING,
    Evidence,
    ExactDuplicate,
    NearDuplicate,
    New,
    Shingles,
    Shown,
    Sibling,
    Signature,
    StoredDocument,
    Unjudged,
    Verdict,
    verdict_name,
)
from crawler.views.explain.differences import (
    MAX_CHARACTERS,
    Differences,
    difference,
    differences,
    differing,
    looks,
    surroundings,
)
from crawler.views.explain.subjects import Subject
from crawler.views.wording import EVIDENCE_TOLD, VERDICTS

_SOMEWHERE = "a-file"
"""Folder that a file is taken to lie in on the host of the page it is compared with."""


RECORDED = ("distance", "similarity", "kind", "content_similarity", "layout_similarity")
"""Numbers of a line that tell how like two pages are."""


class Feature(NamedTuple):
    """A word and its weight (1 + ln n) in either text; 0 where it does not occur."""

    word: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two subjects, and how they compare; what needs both texts is empty where one is missing."""

    data: Mapping[str, Any]
    """JSON-ready, as docs/explain.md tells; parts are None where a text or line is missing."""
    differences: Differences | None
    """Of all that either shows."""
    shared: Sequence[Feature]
    """Features of both, the heaviest first."""
    differing: Sequence[Feature]
    """Features whose weight is not the same, the greatest difference first."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on one of two subjects, and the one rule that made it."""

    verdict: str
    """As lines call it: `near`, `sibling`, ..."""
    stored: bool
    on: str
    """The side it is on, `a` or `b`; the other one is what it is like."""
    evidence: Evidence | None
    reason: str | None
    """The rule in words, where no evidence made the verdict."""
    recorded: bool
    """Whether a crawl has decided so; else it would, now."""


def explain(first: Subject, second: Subject, settings: config.Dedup) -> Explanation:
    """Compare two subjects by the settings of a job."""
    sides = ("a", first, second), ("b", second, first)
    alike_layouts = None
    if first.layout is not None and second.layout is not None:
        alike_layouts = layout_similarity(first.layout, second.layout)
    recorded = list(_recorded(*sides))
    then = next((_recorded_decision(one) for one in recorded[::-1] if one["concerns_both"]), None)
    now, comparison, found = None, None, None
    shared, differ = list[Feature](), list[Feature]()
    if first.text is not None and second.text is not None:
        resemblance, shared, differ = compare(first.text, second.text, settings)
        verdict, stored, _ = judge_pair(first, second, settings)
        evidence = verdict.evidence if isinstance(verdict, NearDuplicate | Sibling) else None
        reason = None if evidence else _reason(verdict, resemblance, settings)
        now = Decision(verdict_name(verdict), stored, "b", evidence, reason, recorded=False)
        kind_of = None
        if not isinstance(verdict, New | Unjudged):
            exact = isinstance(verdict, ExactDuplicate)
            kind_of = kind(1.0 if exact else resemblance["similarity"], alike_layouts).value
        found = differences(
            *(
                looks(of.title, of.text or "", of.appearance, is_whole=of.is_whole)
                for of in (first, second)
            ),
            evidence=(then or now).evidence,
        )
        comparison = {
            "verdict": now.verdict,
            "stored": now.stored,
            "evidence": now.evidence,
            "rule": rule_sentence(now, first, second),
            "judged_by": basis(first, second, settings),
            "kind": kind_of,
            **resemblance,
            "methods": [opinion(method, first, second, settings) for method in Method],
            "differences": found.passages,
            "not_compared": dict(zip("ab", found.unknown, strict=True)),
            "nothing_differs": found.is_none,
            "difference": [
                {"change": piece.change, "text": piece.text}
                for piece in difference(first.text, second.text)
            ],
            "difference_cut": max(len(first.text), len(second.text)) > MAX_CHARACTERS,
            "same_lines": found.same_text,
            "difference_beside": differing(first, second),
        }
    decision = then or now
    one, other = (_fingerprint(subject, settings) for subject in (first, second))
    fingerprints = None
    if one is not None and other is not None:
        fingerprints = {
            "a": format_fingerprint(one),
            "b": format_fingerprint(other),
            "distance": hamming(one, other),
            "matched_blocks": matched_blocks(one, other),
        }
    told = "not judged: the text of at least one of the two is missing"
    data = {
        "sentence": told if decision is None else _sentence(decision, first, second),
        "notes": list(_notes(then, now, first, second, settings)),
        "decision": decision and asdict(decision),
        "a": _side(first),
        "b": _side(second),
        "settings": settings.model_dump(mode="json"),
        "fingerprints": fingerprints,
        "layouts": {
            **{side: subject.layout and subject.layout.hex() for side, subject, _ in sides},
            "similarity": alike_layouts,
        },
        "recorded": recorded,
        "comparison": comparison,
    }
    return Explanation(data, found, shared, differ)


def _side(subject: Subject) -> dict[str, Any]:
    return {
        "name": subject.name,
        "title": subject.title,
        "judged_text": subject.choice,
        "text": subject.text,
        "surroundings": surroundings(subject),
        "line": subject.line and dict(subject.line.record),
    }


def _recorded(*sides: tuple[str, Subject, Subject]) -> Iterator[dict[str, Any]]:
    """Yield the verdict on each duplicate or sibling, with null for what its line has not."""
    for side, subject, other in sides:
        record = subject.line.record if subject.line else {}
        of = record.get("duplicate_of") or record.get("sibling_of")
        if subject.line and of:
            yield {
                "on": side,
                "url": subject.name,
                "verdict": record["verdict"],
                "stored": subject.line.is_stored,
                "evidence": record.get("evidence"),
                "of": of["url"],
                "concerns_both": of["url"] == other.name,
                **{name: record.get(name) for name in RECORDED},
            }


def _fingerprint(subject: Subject, settings: config.Dedup) -> int | None:
    """Return a side's fingerprint by our own method: that of its text, or what its line says."""
    if subject.text is not None:
        return simhash(_parts(subject.text, settings).counts)
    recorded = subject.line.record.get("fingerprint") if subject.line else None
    return None if recorded is None else int(recorded, 16)


def compare(
    text: str, other: str, settings: config.Dedup
) -> tuple[dict[str, Any], list[Feature], list[Feature]]:
    """Return what the judge's tools make of two texts, JSON-ready, and their features.

    These are shared and differing ones, see `Explanation`. Similarity, 0..1, is that of the sets of
    shingles, and its estimate that of the 132-byte sketches: 0 for texts of different kinds.
    """
    key = signing.new_key()
    first, second = (_parts(t, settings, key) for t in (text, other))
    sets = [signing.marked(of.hashes, of.marks[0]) for of in (first, second)]
    same_kind, estimate = first.kind == second.kind, 0.0
    if same_kind and len(first.hashes) and len(second.hashes):
        words, _ = signing.unpack(kernels.make_sketch(first.hashes))
        rows, _ = signing.unpack_many([kernels.make_sketch(second.hashes)])
        estimate = float(signing.estimate(words, rows)[0])
    features = []
    for word in first.counts.keys() | second.counts.keys():
        counts = first.counts[word], second.counts[word]
        features.append(Feature(word, *(weight(n) / WEIGHT_UNIT if n else 0.0 for n in counts)))
    shared = sorted((f for f in features if f.a and f.b), key=lambda f: (-min(f.a, f.b), f.word))
    differ = sorted((f for f in features if f.a != f.b), key=lambda f: (-abs(f.a - f.b), f.word))
    resemblance = {
        "similarity": signing.jaccard(*(of[: signing.MAX_SHINGLES] for of in sets))
        if same_kind
        else 0.0,
        "sketch_estimate": estimate,
        "shingle_kinds": (first.kind, second.kind),
        "shingles": (len(first.hashes), len(second.hashes)),
        "shared_shingles": len(set(sets[0].tolist()) & set(sets[1].tolist())),
        "tokens": (first.counts.total(), second.counts.total()),
        **{
            name: [{"word": f.word, "a": round(f.a, 3), "b": round(f.b, 3)} for f in some]
            for name, some in (("shared_features", shared), ("differing_features", differ))
        },
    }
    return resemblance, shared, differ


def _parts(text: str, settings: config.Dedup, *keys: bytes) -> TextParts:
    segment, fold = load_segmenter(), load_folder(settings)
    return take_apart(fold(text) if fold else text, segment, keys)


def judge_pair(
    first: Subject, second: Subject, settings: config.Dedup, *, by_texts_alone: bool = False
) -> tuple[Verdict, bool, list[Signature]]:
    """Judge the second of two subjects by a judge that knows the first.

    By their texts and by what of them is evidence of a copy or sibling. Return the verdict, whether
    a crawl would store it, and both signatures. Raises ConfigError where the method needs something
    that is missing.
    """
    known = not by_texts_alone and basis(first, second, settings) != "texts-alone"
    sign = Signer(settings, (new_key(),))
    signatures = [sign(of.text or "", of.text or "") for of in (first, second)]
    if first.visible_digest is not None and second.visible_digest is not None:
        digests = first.visible_digest, second.visible_digest
        signatures = [
            replace(signature, visible_digest=digest.encode())
            for signature, digest in zip(signatures, digests, strict=True)
        ]
    shown = [_shown(subject, other) for subject, other in ((first, second), (second, first))]
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=16)
    stored = StoredDocument(
        *(1, 1, shown[0].url, first.payload, signatures[0]),
        representative=represents(judge.judge(first.payload, signatures[0], 1)),
        layout=first.layout,
        address=address_key(shown[0].url) if first.is_of_the_web else None,
        appearance=shown[0].appearance,
    )
    catalog.add(stored)
    verdict = judge.judge(second.payload, signatures[1], 2, shown[1] if known else None)
    return verdict, judge.keeps(verdict), signatures


def _shown(subject: Subject, other: Subject) -> Shown:
    page = subject.appearance
    url = subject.url
    if is_placed_beside(subject, other) and other.is_of_the_web:
        url = urljoin(other.url, f"/{_SOMEWHERE}/{quote(PurePath(subject.name).name)}")
    canonical = page.canonical_url if page else None
    return Shown(
        url,
        pack(page) if page else None,
        subject.layout,
        address_key(canonical) if canonical else None,
    )


def is_placed_beside(first: Subject, second: Subject) -> bool:
    """Whether one is a file and the other a page: the file is taken for a page of that host."""
    return first.is_of_the_web != second.is_of_the_web


_BASES = {
    "all": "",
    "without-surroundings": "Judged without what stands beside the texts: of one of the two that "
    "was not kept.",
    "texts-alone": "Judged by the texts alone: title and lines of one of the two are not known, so "
    "no evidence of a copy could be asked for.",
    "no-evidence": "Judged by the texts alone: no evidence of a copy is asked for "
    "(dedup.siblings: ignore).",
}
"""What the verdict on a pair was drawn from, and what must be said of that."""


def basis(first: Subject, second: Subject, settings: config.Dedup) -> str:
    """Return what a verdict on the two is drawn from."""
    if settings.siblings is SiblingMode.IGNORE:
        return "no-evidence"
    if first.appearance is None or second.appearance is None:
        return "texts-alone"
    return "all" if first.is_whole and second.is_whole else "without-surroundings"


def opinion(
    method: Method, first: Subject, second: Subject, settings: config.Dedup
) -> dict[str, Any]:
    """Ask a method, by its own defaults for verification, whether the texts are alike.

    `measure` is what it measures, in words with its number, or why it could not be asked.
    """
    asked: dict[str, Any] = {"method": method.value, "measure": "", "value": None}
    if method in LEXICON_METHODS and settings.lexicon is None:
        return asked | {"measure": "needs a lexicon (dedup.lexicon)", "duplicates": None}
    chosen = config.Dedup.model_validate(settings.model_dump() | {"method": method, "verify": None})
    try:
        verdict, _, signatures = judge_pair(first, second, chosen, by_texts_alone=True)
        measure, value = _MEASURES[method](*signatures)
    except ConfigError as missing:
        return asked | {"measure": str(missing), "duplicates": None}
    duplicates = isinstance(verdict, ExactDuplicate | NearDuplicate)
    return asked | {"measure": measure, "value": value, "duplicates": duplicates}


Measure = Callable[[Signature, Signature], tuple[str, float]]
"""Returns what a method measures of two texts, in words and as a number."""


def _distance(first: Signature, second: Signature) -> tuple[str, float]:
    distance = hamming(first.fingerprint, second.fingerprint)
    return f"distance {distance} of 64", distance


def _similarity(first: Signature, second: Signature) -> tuple[str, float]:
    found = 0.0
    if first.shingle_kind == second.shingle_kind:
        found = shingle_similarity(second, Shingles.of(first))
    return f"similarity {found:.4f}", found


def _minhash(first: Signature, second: Signature) -> tuple[str, float]:
    rows = rivals.unpack([first.sketch, second.sketch], np.uint32, rivals.PERMUTATIONS)
    estimated = float(rivals.estimate(rows[0], rows[1:])[0])
    return f"estimated similarity {estimated:.4f}", estimated


def _equal_keys(keys: int, name: str) -> Measure:
    """Count equal keys as `KeyTable` does: 0 shows nothing and equals nothing."""

    def measure(first: Signature, second: Signature) -> tuple[str, float]:
        rows = rivals.unpack([first.sketch, second.sketch], np.uint64, keys)
        equal = int(((rows[0] == rows[1]) & (rows[0] != 0)).sum())
        return f"{equal} of {keys} {name} equal", equal

    return measure


_MEASURES: dict[Method, Measure] = {
    Method.VERIFIED: _similarity,
    Method.SIMHASH: _distance,
    Method.SIMHASH_IDF: _distance,
    Method.SIMHASH_NGRAMS: _distance,
    Method.MINHASH: _minhash,
    Method.SUPER_SHINGLES: _equal_keys(rivals.GROUPS, "super-shingles"),
    Method.I_MATCH: _equal_keys(1, "hash"),
    Method.I_MATCH_RANDOM: _equal_keys(1 + RANDOM_LEXICONS, "hashes"),
    Method.EXACT: _similarity,
}

_EXACT = {EXACT_PAYLOAD: "the bytes are the same", EXACT_TEXT: "the text is the same"}


def _recorded_decision(recorded: Mapping[str, Any]) -> Decision:
    """Return what a crawl decided; without evidence the rule is that of its time."""
    evidence, reason = recorded["evidence"], None
    if evidence in EVIDENCE_TOLD:
        evidence = Evidence(evidence)
    elif recorded["verdict"] in _EXACT:
        evidence, reason = None, _EXACT[recorded["verdict"]]
    elif evidence is not None:  # of another version of this program
        evidence, reason = None, str(evidence)
    else:
        known = recorded["similarity"]
        alike = "" if known is None else f": similarity {known:.4f}"
        reason = f"the texts are alike{alike}; no evidence of a copy was asked for"
    stored, on = recorded["stored"], recorded["on"]
    return Decision(recorded["verdict"], stored, on, evidence, reason, recorded=True)


def _reason(verdict: Verdict, resemblance: Mapping[str, Any], settings: config.Dedup) -> str:
    """Return in words which rule decides where there is no evidence."""
    tokens, method = min(resemblance["tokens"]), settings.method.value
    match verdict:
        case ExactDuplicate(kind=kind):
            return _EXACT[kind]
        case Unjudged():
            return (
                f"too little text to judge: {tokens} words without stop words, "
                f"dedup.min_tokens is {settings.min_tokens}; only pages with the same bytes are "
                "duplicates"
            )
        case NearDuplicate(similarity=None):
            return f"method {method} takes them for duplicates; nothing was verified"
        case NearDuplicate(similarity=float() as similarity):
            return (
                f"similarity {similarity:.4f} reaches dedup.threshold "
                f"{settings.threshold:g} (method {method})"
            )
        case New(reason=str()):
            return (
                f"no copy, and too short to be told as a sibling: {tokens} words "
                f"without stop words, dedup.min_near_tokens is {settings.min_near_tokens}"
            )
    if settings.near is NearMode.KEEP:
        return "near duplicates are not looked for (dedup.near: keep)"
    one, other = resemblance["shingle_kinds"]
    if one != other:
        return f"texts of different kinds ({one} and {other}) are not compared"
    similarity = resemblance["similarity"]
    if similarity < settings.threshold:
        return f"similarity {similarity:.4f} is below dedup.threshold {settings.threshold:g}"
    if tokens < settings.min_near_tokens:
        return (
            "the first is too short for resemblance to say something (dedup.min_near_tokens is "
            f"{settings.min_near_tokens})"
        )
    return (
        f"similar ({similarity:.4f}), but method {method} did not "
        "propose this pair, so the duplicate is missed"
    )


def rule_sentence(decision: Decision, first: Subject, second: Subject) -> str:
    """Return in words the rule that made a decision."""
    if decision.evidence is None:
        return decision.reason or ""
    if decision.evidence is Evidence.SAME_ADDRESS and first.is_of_the_web and second.is_of_the_web:
        one, other = urlsplit(first.url), urlsplit(second.url)
        if one.netloc == other.netloc:
            return "the same path, but for the language or edition that it names"
        if one[2:4] == other[2:4]:
            return "the same path on another host"
    return EVIDENCE_TOLD[decision.evidence]


def _sentence(decision: Decision, first: Subject, second: Subject) -> str:
    """Return in one sentence what was decided, and by which rule."""
    became = "stored" if decision.stored else "dropped"
    code = decision.verdict if decision.verdict in _EXACT else decision.evidence
    verdict = VERDICTS.get(decision.verdict, decision.verdict)
    rule = rule_sentence(decision, first, second)
    return f"{verdict}, {became}: {rule}{f' ({code})' if code else ''}"


def _notes(
    then: Decision | None,
    now: Decision | None,
    first: Subject,
    second: Subject,
    settings: config.Dedup,
) -> Iterator[str]:
    """Yield what else must be said of the verdict: who decided it, of which side, on what."""
    if then is not None:
        yield f"The crawl recorded this of {then.on.upper()}."
    if now is None:
        if first.can_be_fetched or second.can_be_fetched:
            yield (
                "To compare the texts: --fetch fetches the page again; or give a saved page instead"
                " of its URL."
            )
        else:
            yield (
                "To compare the texts: restore the file that was judged, or give the document as a "
                "separate file."
            )
        return
    if then is None:
        yield "So B would be judged by the current settings, if only A were stored."
    elif (now.verdict, now.stored, now.evidence) == (then.verdict, then.stored, then.evidence):
        return
    else:
        told = _sentence(now, first, second)
        yield f"By the current settings, if only A were stored, B would be: {told}."
    if now.verdict in (NEAR, SIBLING):
        if doubt := _BASES[basis(first, second, settings)]:
            yield doubt
        if is_placed_beside(first, second) and now.evidence is not None:
            yield (
                "From which URL the file was saved is not known: it is judged as another page of "
                "the same host."
            )
