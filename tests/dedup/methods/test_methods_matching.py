"""How near duplicates are found by each method, inline and after the fact."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judging import index_row
from support.loading import loaded

from crawler import config
from crawler.config import Method
from crawler.dedup import Judge, MemoryCatalog, Signer, represents, signing
from crawler.dedup.methods import METHODS, identity, make_matcher, rivals
from crawler.dedup.methods.rivals import ExactMatcher, KeyTable, SharedBands
from crawler.dedup.signing import load_segmenter, take_apart
from crawler.errors import ConfigError
from crawler.models import IndexRow, NearDuplicate, PayloadKey, Signature, StoredDocument, Verdict
from crawler.models.enums import ALWAYS_VERIFIED

clusters = loaded(Path(__file__).resolve().parents[3] / "benchmarks" / "clusters.py")

LENGTH = 400


def words(seed: int, count: int = LENGTH) -> list[str]:
    """Return random words."""
    return [f"w{n}" for n in np.random.default_rng(seed).integers(0, 3000, count)]


def longer(text: Sequence[str]) -> list[str]:
    """Return a text with its first word repeated at the end: one shingle more."""
    return [*text, text[0]]


def changed(text: Sequence[str], places: Sequence[int], by: str) -> list[str]:
    """Return a text with the words at some places exchanged."""
    return [f"{by}{n}" if n in places else word for n, word in enumerate(text)]


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a lexicon of texts of the same words."""
    path = tmp_path_factory.mktemp("lexicon") / "lexicon.tsv"
    frequencies = rivals.fit(words(seed) for seed in range(100))
    rivals.save(frequencies, path)
    return path


@pytest.fixture
def dedup(lexicon: Path) -> Callable[..., config.Dedup]:
    """Return a maker of settings that gives the methods their lexicon."""
    return lambda **chosen: config.Dedup.model_validate({"lexicon": lexicon, **chosen})


class Site:
    """A judge with its catalogue, fed as a crawl feeds it."""

    def __init__(self, chosen: config.Dedup) -> None:
        self.settings = chosen
        self.sign = Signer(chosen)
        self.catalog = MemoryCatalog()
        self.rows: list[IndexRow] = []
        self.judge = Judge(chosen, self.catalog, 16)

    def page(self, text: str) -> Verdict:
        """Judge a text and store it if it is new."""
        return self.signed(self.sign(text, text))

    def signed(self, text: Signature) -> Verdict:
        """Judge a signature and store it if it is new."""
        number = len(self.rows)
        key = PayloadKey(number.to_bytes(32, "big"), "text/html")
        verdict = self.judge.judge(key, text, number)
        if represents(verdict):
            document = StoredDocument(number, number, f"u{number}", key, text, True)
            self.catalog.add(document)
            self.rows.append(index_row(document))
        return verdict

    def restarted(self) -> None:
        """Replace the judge by one rebuilt from the stored rows."""
        self.judge = Judge(self.settings, self.catalog, 1)
        self.judge.restore(self.rows)


def signature(hashes: Iterable[int], kind: str = signing.WORD3) -> Signature:
    """Return a signature with nothing in it but shingles."""
    return Signature(b"", b"", 0, 100, kind, np.array(sorted(hashes), np.uint32), b"")


def added(catalog: MemoryCatalog, number: int, text: Signature) -> None:
    """Put a signature into a catalogue."""
    key = PayloadKey(number.to_bytes(32, "big"), "")
    catalog.add(StoredDocument(number, number, "", key, text, True))


# --------------------------------------------------------------------------------------------------
# All methods


def test_every_method_has_a_name_and_the_other_way_round() -> None:
    """The registry holds exactly the methods that a job may choose."""
    assert set(METHODS) == set(Method)


@pytest.mark.parametrize("method", list(Method))
def test_every_method_finds_a_longer_copy(
    method: Method, dedup: Callable[..., config.Dedup]
) -> None:
    """A copy with a word repeated at its end joins its original; other texts join nothing."""
    site = Site(dedup(method=method))
    for seed in range(8):
        assert represents(site.page(" ".join(words(seed))))
    verdict = site.page(" ".join(longer(words(3))))
    assert isinstance(verdict, NearDuplicate)
    assert verdict.of.id == 3
    similarity = (LENGTH - 2) / (LENGTH - 1)
    if method in ALWAYS_VERIFIED:
        assert verdict.similarity == pytest.approx(similarity, abs=1e-3)
    elif method is Method.MINHASH:
        assert verdict.similarity == pytest.approx(similarity, abs=0.05)
    else:
        assert verdict.similarity is None


@pytest.mark.parametrize("method", list(Method))
def test_every_method_is_rebuilt_from_stored_rows(
    method: Method, dedup: Callable[..., config.Dedup]
) -> None:
    """After a restart a judge gives the verdicts that it would have given."""
    texts = [words(seed) for seed in range(6)]
    copies = [" ".join(longer(text)) for text in texts] + [" ".join(words(99))]
    site = Site(dedup(method=method))
    for text in texts:
        site.page(" ".join(text))
    signed = [site.sign(copy, copy) for copy in copies]
    key = PayloadKey(bytes(31) + b"x", "text/html")
    before = [site.judge.judge(key, text, 50) for text in signed[:-1]]
    site.restarted()
    assert [site.judge.judge(key, text, 50) for text in signed[:-1]] == before
    assert represents(site.judge.judge(key, signed[-1], 50))
    assert site.judge.nbytes > 0


@pytest.mark.parametrize("method", [m for m in Method if m not in ALWAYS_VERIFIED])
def test_verification_refuses_what_is_not_alike(
    method: Method, dedup: Callable[..., config.Dedup]
) -> None:
    """With `verify` on, a match below the threshold is none, and one above it is exact."""
    text, copy = words(1), longer(words(1))
    for threshold, found in ((0.9, True), (0.9999, False)):
        site = Site(dedup(method=method, verify=True, threshold=threshold))
        site.page(" ".join(text))
        if method is Method.MINHASH and not found:
            continue  # its bands ask for the threshold themselves
        verdict = site.page(" ".join(copy))
        assert isinstance(verdict, NearDuplicate) == found
        if isinstance(verdict, NearDuplicate):
            assert verdict.similarity == (LENGTH - 2) / (LENGTH - 1)


@pytest.mark.parametrize("method", [Method.SIMHASH, Method.MINHASH, Method.SUPER_SHINGLES])
def test_texts_of_different_kinds_are_not_compared(
    method: Method, dedup: Callable[..., config.Dedup]
) -> None:
    """The same sketch and fingerprint under another shingle kind is another text."""
    site = Site(dedup(method=method))
    text = site.sign(" ".join(words(1)))
    site.signed(text)
    other = replace(text, shingle_kind=signing.CHAR4, visible_digest=b"other")
    assert represents(site.signed(other))
    assert isinstance(site.signed(replace(other, visible_digest=b"x")), NearDuplicate)


def test_the_near_stage_can_be_off() -> None:
    """`near: keep` makes no matcher, whatever the method."""
    off = config.Dedup(near=config.NearMode.KEEP, method=Method.MINHASH)
    assert make_matcher(off, MemoryCatalog(), 1) is None


# --------------------------------------------------------------------------------------------------
# Settings


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"verify": False}, ["dedup.verify", "method: simhash"]),
        ({"method": "exact", "verify": False}, ["dedup.verify", "always verifies"]),
        ({"method": "i-match"}, ["dedup.lexicon", "python -m crawler lexicon"]),
        ({"method": "i-match-random"}, ["dedup.lexicon", "python -m crawler lexicon"]),
        ({"method": "shingles"}, ["dedup.method", "super-shingles"]),
    ],
)
def test_impossible_settings_are_told(chosen: dict[str, object], told: list[str]) -> None:
    """What contradicts itself or lacks a lexicon is refused with the way out."""
    with pytest.raises(ConfigError) as raised:
        config.parse_job({"dedup": chosen}, "job.yaml")
    assert all(word in str(raised.value) for word in ["job.yaml", *told])


def test_method_lexicon_and_folding_are_identity(
    lexicon: Path, tmp_path: Path, dedup: Callable[..., config.Dedup]
) -> None:
    """Another method or lexicon is another identity; another distance is not."""
    plain = identity(config.Dedup())
    assert plain == identity(config.Dedup(distance=7, verify=None))
    assert plain != identity(config.Dedup(method=Method.MINHASH))
    assert plain != identity(dedup())
    other = tmp_path / "other.tsv"
    other.write_text(lexicon.read_text().replace("documents: 100", "documents: 101"))
    assert identity(dedup()) != identity(config.Dedup(lexicon=other))


def test_a_missing_lexicon_is_told_before_the_crawl(tmp_path: Path) -> None:
    """The identity of a job is asked for first, and reads the lexicon."""
    with pytest.raises(ConfigError, match="cannot read"):
        identity(config.Dedup(lexicon=tmp_path / "none.tsv"))


def test_a_lexicon_of_too_few_documents_is_refused(tmp_path: Path) -> None:
    """Where no word lies in the band there is nothing to match by."""
    path = tmp_path / "lexicon.tsv"
    rivals.save(rivals.fit([["a"], ["a"]]), path)
    with pytest.raises(ConfigError, match="more documents"):
        Signer(config.Dedup(method=Method.I_MATCH, lexicon=path)).warm()


# --------------------------------------------------------------------------------------------------
# Structures


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40),
    st.tuples(*[st.integers(0, 3)] * 3),
    st.integers(1, 3),
)
def test_equal_keys_are_found_as_by_comparing_all(
    rows: list[tuple[int, ...]], query: tuple[int, ...], agreeing: int
) -> None:
    """A key table finds what a scan finds, however it was filled; 0 agrees with nothing."""
    keys = np.array(rows, np.uint64) * np.uint64(0x4000_0000_0000_0001)
    asked = np.array(query, np.uint64) * np.uint64(0x4000_0000_0000_0001)
    expected = [
        (n, equal)
        for n, row in enumerate(rows)
        if (equal := sum(a == b != 0 for a, b in zip(row, query, strict=True))) >= agreeing
    ]
    one_by_one, at_once = KeyTable(3, 4), KeyTable(3, 4)
    for row in keys:
        one_by_one.insert_many(row[None])
    at_once.insert_many(keys)
    for table in (one_by_one, at_once):
        found, counts = table.find(asked, agreeing)
        assert list(zip(found.tolist(), counts.tolist(), strict=True)) == expected


@given(
    st.lists(st.sets(st.integers(0, 20), min_size=1, max_size=12), min_size=1, max_size=15),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    st.integers(1, 5),
)
def test_the_reference_misses_nothing(sets: list[set[int]], threshold: float, most: int) -> None:
    """The exact matcher answers as a scan of all stored sets does, oldest among equals."""
    catalog = MemoryCatalog()
    matcher = ExactMatcher(config.Dedup(threshold=threshold), catalog, 4)
    for number, members in enumerate(sets[:-1]):
        text = signature([1_000_003 * m for m in members])
        added(catalog, number, text)
        matcher.insert(number, text)
    query = sets[-1]
    scan = [(-len(query & s) / len(query | s), n) for n, s in enumerate(sets[:-1])]
    alike = sorted(pair for pair in scan if -pair[0] >= threshold)
    matches = matcher.matches(signature([1_000_003 * m for m in query]), most)
    found = [(-(match.similarity or 0.0), match.document_id) for match in matches]
    assert found == alike[:most]


def test_the_reference_keeps_kinds_apart() -> None:
    """Equal shingle hashes of another kind are no similarity."""
    catalog = MemoryCatalog()
    matcher = ExactMatcher(config.Dedup(), catalog, 4)
    text = signature(range(10))
    added(catalog, 0, text)
    matcher.insert(0, text)
    assert [match.document_id for match in matcher.matches(text, 9)] == [0]
    assert matcher.matches(replace(text, shingle_kind=signing.CHAR4), 9) == []


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40))
def test_union_find_is_reachability(pairs: list[tuple[int, int]]) -> None:
    """Two members have the same root exactly if a path leads from one to the other."""
    members = clusters.UnionFind(20)
    reached = [{n} for n in range(20)]
    for a, b in pairs:
        assert members.union(a, b) == (b not in reached[a])
        merged = reached[a] | reached[b]
        for one in merged:
            reached[one] = merged
    assert [members.find(n) for n in range(20)] == [min(group) for group in reached]


def test_memory_is_told_within_a_third(dedup: Callable[..., config.Dedup]) -> None:
    """What the reference says of its size is about what Python allocates."""
    texts = [signature(np.random.default_rng(n).integers(0, 2**32, 2000)) for n in range(50)]
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    matcher = ExactMatcher(config.Dedup(), MemoryCatalog(), 1)
    for number, text in enumerate(texts):
        matcher.insert(number, text)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert matcher.nbytes == pytest.approx(after - before, rel=0.33)


# --------------------------------------------------------------------------------------------------
# Leaders and chains


def chain() -> list[str]:
    """Return texts A, B, C, each two steps of J = .86 long, with J(A, C) = .74."""
    a = words(1)
    b = changed(a, range(0, 400, 40), "b")
    c = changed(b, range(20, 400, 40), "c")
    return [" ".join(text) for text in (a, b, c)]


@pytest.mark.parametrize("method", [Method.VERIFIED, Method.EXACT])
def test_inline_leaders_do_not_chain(method: Method) -> None:
    """B joins A; C, like B but unlike A, is new, for only A represents."""
    site = Site(config.Dedup(method=method))
    a, b, c = (site.page(text) for text in chain())
    assert represents(a)
    assert isinstance(b, NearDuplicate)
    assert b.of.id == 0
    assert represents(c)


def test_components_chain(dedup: Callable[..., config.Dedup]) -> None:
    """After the fact A, B and C are one cluster by union-find, in any order of the three."""
    chosen = dedup(method="minhash", verify=True)
    sign, texts = Signer(chosen), chain()
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        signed = [sign(texts[n], "") for n in order] + [sign(" ".join(words(7)), "")]
        proposer = SharedBands(chosen, MemoryCatalog(), 4)
        assert clusters.components(signed, proposer, 0.8) == [0, 0, 0, 3]


def test_components_of_super_shingles(dedup: Callable[..., config.Dedup]) -> None:
    """Copies with a word more at either end are linked to each other by way of the original."""
    chosen = dedup(method="super-shingles")
    sign, text = Signer(chosen), words(5)
    texts = [["before", *text], words(6), text, [*text, "after"]]
    signed = [sign(" ".join(one), "") for one in texts]
    proposer = clusters.proposer(chosen, 4)
    assert clusters.components(signed, proposer) == [0, 1, 0, 0]


def test_bands_propose_the_most_alike_first() -> None:
    """Among texts that share a band the one with the higher estimate comes first."""
    chosen = config.Dedup(method=Method.MINHASH, threshold=0.5)
    sign, text = Signer(chosen), words(5)
    proposer = SharedBands(chosen, MemoryCatalog(), 4)
    far, near = changed(text, range(0, 400, 40), "far"), changed(text, [7], "near")
    proposer.insert_many([0, 1], [sign(" ".join(one), "") for one in (far, near)])
    rows, similarities = proposer.propose(sign(" ".join(text), ""))
    assert rows.tolist() == [1, 0]
    assert similarities is not None
    assert similarities[0] > similarities[1]


def test_a_text_is_taken_apart_once_for_all() -> None:
    """Words, runs and shingles of one text agree with each other."""
    parts = take_apart("Full-width ＡＢＣ and abc", load_segmenter())
    assert parts.counts["abc"] == 2
    assert parts.cut.text.split() == ["full", "width", "ａｂｃ", "and", "abc"]
    assert len(parts.hashes) == 3
