"""Which documents may matter to each other: judged apart, the rest decides the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.documents import edited, text

from crawler import config
from crawler.config import NearMode, SiblingMode
from crawler.dedup import Judge, MemoryCatalog, Signer, payload_digest, represents
from crawler.dedup.copies import Appearance, lines_of, pack
from crawler.dedup.kernels import make_sketch
from crawler.dedup.signing import CHAR4, WORD3
from crawler.models import NearDuplicate, PayloadKey, Shown, Signature, StoredDocument, Verdict
from crawler.sources.parts.files import GroupFile, write_groups
from crawler.sources.parts.keys import Components, PartKeys
from crawler.sources.parts.stages import Scratch, join, joins_of

Documents = Sequence[tuple[PayloadKey, Signature, Shown]]


def decide(documents: Documents, numbers: Sequence[int], job: config.Dedup) -> dict[int, Verdict]:
    """Return a judge's verdicts on some documents, in their order, by number from 1."""
    catalog = MemoryCatalog()
    judge = Judge(job, catalog, 100)
    found: dict[int, Verdict] = {}
    for number in numbers:
        payload, made, shown = documents[number - 1]
        verdict = found[number] = judge.judge(payload, made, number, shown)
        if judge.keeps(verdict):
            catalog.add(
                StoredDocument(
                    *(number, number, shown.url, payload, made, represents(verdict)),
                    appearance=shown.appearance,
                )
            )
    return found


def decide_apart(
    documents: Documents, job: config.Dedup, directory: Path, cuts: Sequence[int] = ()
) -> tuple[dict[int, Verdict], list[int]]:
    """Return the verdicts of a judge for each component, and how many documents each has."""
    scratch = Scratch(directory)
    bounds = [0, *sorted(cuts), len(documents)]
    offsets: list[int] = []
    for part, (start, end) in enumerate(pairwise(bounds)):
        keys = PartKeys(job)
        for number, (payload, made, shown) in enumerate(documents[start:end]):
            keys.add(number, payload, made, has_evidence=shown.appearance is not None)
        write_groups(scratch("keys", part), keys.groups())
        offsets.append(start)
    files = [GroupFile(scratch("keys", part)) for part in range(len(offsets))]
    components = Components(len(documents))
    for task, groups in enumerate(joins_of(files)):
        join(scratch, task, groups, offsets, job)
        components.join(np.load(scratch("edges", task)))
    bundles = components.bundles(1)
    apart: dict[int, list[int]] = {}
    for number, bundle in enumerate(bundles.tolist(), 1):
        apart.setdefault(bundle if bundle >= 0 else -number, []).append(number)
    found: dict[int, Verdict] = {}
    for numbers in apart.values():
        found |= decide(documents, numbers, job)
    return found, [len(numbers) for numbers in apart.values()]


@cache
def base(family: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the shingles that texts of a family are made of."""
    rng = np.random.default_rng(family)
    return np.unique(rng.integers(0, 2**32, 400, np.uint64).astype(np.uint32))


@st.composite
def adverse(draw: st.DrawFn) -> Documents:
    """Documents of a few families, alike by shingles, by sketch or by fingerprint, or not.

    Sketches that agree in no band, fingerprints that are near by chance, twins in sketch that are
    no twins in shingles, repeated payloads and visible texts, short texts: all that the keys and
    bounds of a judge are about.
    """
    documents = []
    for number in range(draw(st.integers(2, 40))):
        rng = np.random.default_rng(draw(st.integers(0, 2**20)))
        family = draw(st.integers(0, 2))
        kept = base(family)[rng.random(400) < draw(st.sampled_from([1.0, 0.98, 0.9, 0.8]))]
        sketch = bytearray(make_sketch(kept if draw(st.booleans()) else base(family)))
        if draw(st.booleans()):  # a bin of each band is another one
            for band in range(16):
                sketch[3 * band + int(rng.integers(3))] ^= int(rng.integers(1, 256))
        fingerprint = family * 0x0123_4567_89AB_CDEF & 2**64 - 1
        for bit in rng.choice(64, draw(st.sampled_from([0, 1, 3, 4, 30])), replace=False).tolist():
            fingerprint ^= 1 << bit
        digest = payload_digest(str(draw(st.integers(0, 30))).encode())
        visible = payload_digest(b"visible %d" % draw(st.integers(0, 30)))
        made = Signature(
            *(digest, visible, fingerprint, draw(st.sampled_from([2, 20, 200]))),
            draw(st.sampled_from([WORD3, WORD3, CHAR4])),
            *(kept, bytes(sketch)),
        )
        title = draw(st.sampled_from(["", "One", "Two"]))
        lines = lines_of(f"the text of {family}\nand {draw(st.integers(0, 3))}")
        shown = Shown(
            f"file:///c.jsonl#line={number + 1}",
            pack(Appearance(title, text=lines)) if title else None,
        )
        documents.append((PayloadKey(digest, "text/plain"), made, shown))
    return documents


@given(
    adverse(),
    st.sampled_from([0.3, 0.6, 0.8, 0.95]),
    st.sampled_from(list(NearMode)),
    st.sampled_from(list(SiblingMode)),
    st.sampled_from([0, 3, 4, 7, 11]),
    st.lists(st.integers(0, 40), max_size=3),
)
def test_components_are_judged_as_the_whole(
    tmp_path_factory: pytest.TempPathFactory,
    documents: Documents,
    threshold: float,
    near: NearMode,
    siblings: SiblingMode,
    distance: int,
    cuts: list[int],
) -> None:
    """Judges of the components decide as one judge of all documents, in whatever parts they lie."""
    job = config.Dedup(threshold=threshold, near=near, siblings=siblings, distance=distance)
    cuts = [min(cut, len(documents)) for cut in cuts]
    whole = decide(documents, range(1, len(documents) + 1), job)
    apart, _ = decide_apart(documents, job, tmp_path_factory.mktemp("parts"), cuts)
    assert apart == whole


VOCABULARY = [f"w{n}" for n in range(30)]


@given(
    st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 80), st.sampled_from(VOCABULARY))),
)
@settings(max_examples=settings().max_examples // 2)
def test_texts_of_few_words(
    tmp_path_factory: pytest.TempPathFactory,
    starts: list[list[str]],
    edits: list[tuple[int, int, str]],
) -> None:
    """The same of texts of few words, of which later ones edit earlier ones."""
    sign, job = Signer(config.Dedup()), config.Dedup(siblings=SiblingMode.IGNORE)
    texts = [" ".join(words * 20) for words in starts]
    for which, place, word in edits:
        if texts:
            words = texts[-1 - which % len(texts)].split()
            words[place % len(words)] = word
            texts.append(" ".join(words))
    documents = [document(number, one, sign) for number, one in enumerate(texts, 1)]
    whole = decide(documents, range(1, len(documents) + 1), job)
    assert decide_apart(documents, job, tmp_path_factory.mktemp("parts"))[0] == whole


def document(number: int, body: str, sign: Signer) -> tuple[PayloadKey, Signature, Shown]:
    """Return a text as it is judged."""
    key = PayloadKey(payload_digest(body.encode()), "text/plain")
    return key, sign(body, body), Shown(f"file:///c.jsonl#line={number}")


def test_one_component_has_a_tenth_of_everything(tmp_path: Path) -> None:
    """A large family is one component and judged as in the whole, unlike texts are each alone."""
    sign, job = Signer(config.Dedup()), config.Dedup(near=NearMode.TAG, siblings=SiblingMode.IGNORE)
    rng = np.random.default_rng(1)
    documents = []
    for number in range(1, 801):
        words = text(0 if number % 10 == 0 else number).split()
        if number % 10 == 0:
            for place in rng.choice(len(words), int(rng.integers(0, 4)), replace=False).tolist():
                words[place] = f"other{number}"
        documents.append(document(number, " ".join(words), sign))
    apart, sizes = decide_apart(documents, job, tmp_path, [300, 600])
    assert sorted(sizes)[-2:] == [1, 80]
    assert apart == decide(documents, range(1, 801), job)


def unlike(made: Signature, *, but_band: int | None = None) -> Signature:
    """Return a signature of the same shingles that no key finds by another's, but for one band."""
    sketch = bytearray(made.sketch)
    for band in range(16):
        sketch[3 * band] ^= 0xFF if band != but_band else 0
    return replace(made, sketch=bytes(sketch), fingerprint=~made.fingerprint & 2**64 - 1)


def pair(tmp_path: Path, second: Signature, **job: Any) -> tuple[bool, bool]:
    """Return whether a text and a second one are joined, and whether a judge takes it for near."""
    dedup = config.Dedup(siblings=SiblingMode.IGNORE, **job)
    documents = [document(1, text(1), Signer(dedup)), document(2, edited(1), Signer(dedup))]
    documents[1] = (documents[1][0], second, documents[1][2])
    _, sizes = decide_apart(documents, dedup, tmp_path)
    whole = decide(documents, (1, 2), dedup)
    return sizes == [2], isinstance(whole[2], NearDuplicate)


SIGN = Signer(config.Dedup())
MADE, EDITED = (SIGN(one, one) for one in (text(1), edited(1)))
APART = replace(EDITED, **{name: getattr(unlike(MADE), name) for name in ("sketch", "fingerprint")})


@pytest.mark.parametrize("band", range(16))
def test_each_band_joins(tmp_path: Path, band: int) -> None:
    """One band in common is enough, whichever it is."""
    second = replace(APART, sketch=unlike(MADE, but_band=band).sketch)
    assert pair(tmp_path, second) == (True, True)


@pytest.mark.parametrize("distance", range(12))
def test_fingerprints_join_up_to_the_distance(tmp_path: Path, distance: int) -> None:
    """Without a common band, fingerprints within the distance are enough, wherever they differ."""
    rng = np.random.default_rng(distance)
    spread = [64 * n // max(1, distance) for n in range(distance)]
    chosen = [rng.choice(64, distance, replace=False).tolist() for _ in range(3)]
    for bits in (spread, list(range(distance)), *chosen):
        flipped = MADE.fingerprint ^ sum(1 << bit for bit in bits)
        second = replace(APART, fingerprint=flipped)
        assert pair(tmp_path / str(bits), second, distance=distance) == (True, True)


@pytest.mark.parametrize("first", [100, 80])
def test_texts_as_unlike_in_size_as_a_match_allows(tmp_path: Path, first: int) -> None:
    """A text that has four fifths of another one's shingles is joined with it, in either order."""
    job = config.Dedup(siblings=SiblingMode.IGNORE)
    documents = []
    for number, size in enumerate((first, 180 - first), 1):
        key, _, shown = document(number, str(number), SIGN)
        sketch = MADE.sketch[:-4] + size.to_bytes(4, "little")
        made = replace(MADE, shingles=base(1)[:size], sketch=sketch, visible_digest=key.digest)
        documents.append((key, made, shown))
    found, sizes = decide_apart(documents, job, tmp_path)
    assert sizes == [2]
    assert isinstance(found[2], NearDuplicate)


def test_what_is_alike_by_a_third_one_is_joined(tmp_path: Path) -> None:
    """Two that are unlike each other are joined by one that is like both, in one bucket too."""
    documents = []
    for number, changed in enumerate((range(48, 68), range(0), range(68, 88))):
        sketch = bytearray(MADE.sketch)
        for place in changed:
            sketch[place] ^= 0xFF
        for band in range(1, 16):  # in common is the first one alone
            sketch[3 * band] ^= number
        fingerprint = number * 0x1111_1111_1111_1111
        key, made, shown = document(number, text(number), SIGN)
        made = replace(made, sketch=bytes(sketch), fingerprint=fingerprint)
        documents.append((key, made, shown))
    job = config.Dedup(siblings=SiblingMode.IGNORE)
    assert decide_apart([documents[0], documents[2]], job, tmp_path / "two")[1] == [1, 1]
    assert decide_apart(documents, job, tmp_path / "three")[1] == [3]


def test_what_no_key_finds_is_judged_apart(tmp_path: Path) -> None:
    """Texts that are alike and share no key are not joined: one judge does not see it either."""
    assert pair(tmp_path, APART) == (False, False)


def test_empty_texts_that_differ_in_bytes_are_not_joined(tmp_path: Path) -> None:
    """Of texts too short to be compared nobody asks for those with the same visible text."""
    sign, job = Signer(config.Dedup()), config.Dedup(siblings=SiblingMode.IGNORE)
    documents = [document(number, " " * number, sign) for number in range(1, 5)]
    assert len({made.visible_digest for _, made, _ in documents}) == 1
    assert decide_apart(documents, job, tmp_path)[1] == [1, 1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30), st.integers(1, 9))
def test_components_are_what_edges_join(edges: list[tuple[int, int]], least: int) -> None:
    """Joined documents share a bundle of whole components, in order; the others have none."""
    components = Components(20)
    for start in range(0, len(edges), 7):
        components.join(np.array(edges[start : start + 7], np.int64).reshape(-1, 2))
    sets = [{number} for number in range(20)]
    for one, other in edges:
        if sets[one] is not sets[other]:
            sets[one] |= sets[other]
            for number in sets[other]:
                sets[number] = sets[one]
    bundles = components.bundles(least).tolist()
    assert [bundle < 0 for bundle in bundles] == [len(of) == 1 for of in sets]
    assert all(bundles[one] == bundles[other] for of in sets for one in of for other in of)
    assert sorted({*bundles} - {-1}) == list(range(len({*bundles} - {-1})))
    for bundle in {*bundles} - {-1}:
        inside = [sets[number] for number in range(20) if bundles[number] == bundle]
        firsts = sorted({min(of): len(of) for of in inside}.items())
        assert sum(size for _, size in firsts[:-1]) < least
