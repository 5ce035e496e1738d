"""The judge: exact and near duplicates, short pages, thresholds, and the same after a restart."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest
from support.judging import JudgedPages

from crawler import config
from crawler.config import NearMode
from crawler.dedup import Judge, Signer, payload_digest, represents
from crawler.dedup.methods.matching import MAX_VERIFIED
from crawler.models import (
    ExactDuplicate,
    NearDuplicate,
    New,
    PayloadKey,
    Shingles,
    Signature,
    StoredDocument,
    StoredRef,
    Unjudged,
    Verdict,
)

pytestmark = pytest.mark.usefixtures("either_way")

Text = Callable[..., str]

SHORT = New("short", represents=False)


@pytest.fixture(scope="module")
def sign() -> Signer:
    """Return a warm signer."""
    signer = Signer(config.Dedup())
    signer.warm()
    return signer


def words(seed: int, count: int = 300) -> str:
    """Return random English-like text."""
    rng = np.random.default_rng(seed)
    return " ".join(f"w{n}" for n in rng.integers(0, 5000, count))


def edited(text: str, edits: int, seed: int = 0) -> str:
    """Return a text with some of its words replaced, far from each other."""
    parts = text.split()
    for place in np.linspace(2, len(parts) - 13, edits).astype(int) + 5 * (seed % 3):
        parts[place] = f"edit{seed}x{place}"
    return " ".join(parts)


class Site(JudgedPages):
    """A judge with its catalogue, fed as a crawl feeds it."""

    def page(self, text: str, body: bytes | None = None, visible: str | None = None) -> Verdict:
        """Judge a page and store it if the verdict lets it be stored."""
        signature = self.sign(text, text if visible is None else visible)
        digest = payload_digest(str(len(self.stored)).encode() + text.encode())
        return self.signed(signature, digest if body is None else payload_digest(body))

    def signed(self, signature: Signature, digest: bytes, declared: str = "text/html") -> Verdict:
        """Judge a signature."""
        key, number = PayloadKey(digest, declared), 1 + len(self.stored)
        verdict = self.judge.judge(key, signature, number)
        tagged = isinstance(verdict, NearDuplicate) and self.settings.near is NearMode.TAG
        if isinstance(verdict, New | Unjudged) or tagged:
            document = StoredDocument(
                number, number, f"http://h/{number}", key, signature, represents(verdict)
            )
            self.store(document)
        return verdict


def test_same_bytes_are_an_exact_duplicate(sign: Signer) -> None:
    """The payload is known before parsing and tested again when judged."""
    site = Site(sign)
    key = PayloadKey(payload_digest(b"body"), "text/html")
    assert site.judge.known_payload(key) is None
    assert site.page(words(1), b"body") == New()
    duplicate = ExactDuplicate("exact-payload", StoredRef(1, "http://h/1"))
    assert site.judge.known_payload(key) == duplicate
    assert site.page(words(2), b"body") == duplicate


def test_same_bytes_under_another_charset_are_another_page(sign: Signer) -> None:
    """What the server declared is part of the key."""
    site = Site(sign)
    site.signed(sign(words(1)), b"d" * 32, "text/html;charset=gbk")
    assert site.signed(sign(words(2)), b"d" * 32, "text/html;charset=big5") == New()


def test_an_exact_text_duplicate_is_one_of_all_that_is_visible(sign: Signer) -> None:
    """The same judged text in pages that show different things is no exact copy, another is."""
    site = Site(sign)
    site.page(words(1), visible="shown")
    assert isinstance(site.page(words(1), visible="other"), NearDuplicate)
    assert site.page(words(1) + "\n", visible=" shown") == ExactDuplicate(
        "exact-text", StoredRef(1, "http://h/1")
    )


@pytest.mark.parametrize(
    ("text", "reason"), [("", "no-text"), ("。 !", "no-text"), ("one two words", "too-short")]
)
def test_tiny_texts_are_told_apart_by_payload_only(sign: Signer, text: str, reason: str) -> None:
    """Pages with no or little text are stored each, and found again by their bytes."""
    site = Site(sign)
    assert site.page(text, b"1") == Unjudged(reason)
    assert site.page(text, b"2") == Unjudged(reason)
    assert isinstance(site.page(text, b"1"), ExactDuplicate)


def test_min_tokens_is_the_first_length_that_is_compared(sign: Signer) -> None:
    """Six tokens are enough, five are not; without a shingle no number is."""
    site = Site(sign)
    assert site.page(words(1, 5)) == Unjudged("too-short")
    assert site.page(words(1, 6)) == SHORT
    assert Site(sign, min_tokens=1).page("word") == Unjudged("too-short")


@pytest.mark.parametrize("restarted", [False, True])
def test_what_a_page_shows_is_remembered_however_little_of_it_was_judged(
    sign: Signer, restarted: bool
) -> None:
    """A page that shows the same as one with too little text is its copy, in any run."""
    site = Site(sign)
    assert site.page(words(1, 5), b"1", visible="shown") == Unjudged("too-short")
    if restarted:
        site.restarted()
    shown = ExactDuplicate("exact-text", StoredRef(1, "http://h/1"))
    assert site.page(words(2), b"2", visible="shown") == shown


def test_parts_are_of_pages_up_to_an_id(sign: Signer) -> None:
    """A judge made of them knows those by what is like them, and none that came later."""
    site = Site(sign)
    for seed in (1, 2, 3):
        site.page(words(seed))
    parts = site.judge.parts(2)
    assert parts is not None
    site.judge = Judge(site.settings, site.catalog, 100)
    for part in parts:
        site.judge.take_part(*part)
    assert isinstance(site.page(edited(words(2), 3)), NearDuplicate)
    assert site.page(edited(words(3), 3)) == New()


def test_short_texts_are_compared_exactly_only(sign: Signer) -> None:
    """Below `min_near_tokens` one other word makes a new page, and no page joins a short one."""
    site = Site(sign)
    text = words(1, 63)
    assert site.page(text, b"1") == SHORT
    assert site.page(edited(text, 1), b"2") == SHORT
    assert site.page(text + " longer", b"3") == New()
    assert isinstance(site.page(text, b"4"), ExactDuplicate)
    assert site.page(words(2, 64), b"6") == New()
    assert isinstance(site.page(words(2, 64) + " more", b"7"), NearDuplicate)


def test_a_near_duplicate_is_explained(sign: Signer) -> None:
    """The verdict names page, distance, exact similarity, fingerprints, blocks; no evidence."""
    site = Site(sign)
    text, other = words(1), edited(words(1), 3)
    site.page(words(9))
    site.page(text)
    verdict = site.page(other)
    assert isinstance(verdict, NearDuplicate)
    assert verdict.of == StoredRef(2, "http://h/2")
    assert verdict.evidence is None
    shared = len(_trigrams(text) & _trigrams(other))
    assert verdict.similarity == shared / len(_trigrams(text) | _trigrams(other))
    assert verdict.fingerprint == sign(other, "").fingerprint
    assert verdict.of_fingerprint == sign(text, "").fingerprint
    difference = verdict.fingerprint ^ verdict.of_fingerprint
    assert verdict.distance == difference.bit_count()
    assert verdict.matched_blocks == tuple(n for n in range(4) if not difference >> 16 * n & 0xFFFF)


def test_the_threshold_is_inclusive_and_exact(sign: Signer) -> None:
    """A text at the threshold is a duplicate, the same text is new just above it."""
    text, other = words(1), edited(words(1), 5)
    one, two = _trigrams(text), _trigrams(other)
    similarity = len(one & two) / len(one | two)
    for threshold, expected in ((similarity, NearDuplicate), (similarity + 1e-9, New)):
        site = Site(sign, threshold=threshold)
        site.page(text)
        assert isinstance(site.page(other), expected)


def test_a_page_joins_the_most_similar_then_the_oldest(sign: Signer) -> None:
    """Of several representatives the nearest in text wins; among equals the first stored."""
    base = words(1, 600)
    first, second, third = edited(base, 40, 1), edited(base, 20, 2), edited(base, 20, 3)
    site = Site(sign, threshold=0.6)
    assert [site.page(text) for text in (first, second)] == [New(), New()]
    verdict = site.page(base)
    assert isinstance(verdict, NearDuplicate)
    assert verdict.of.id == 2
    twins = Site(sign)
    for text in (second, third):
        assert twins.page(text) == New()
    equal = twins.page(base)
    assert isinstance(equal, NearDuplicate)
    assert equal.of.id == 1


def test_clusters_do_not_chain(sign: Signer) -> None:
    """A page near a near duplicate, but not near its representative, is new."""
    base = words(1, 600)
    site = Site(sign)
    chain = [edited(base, count) for count in (0, 15)]
    far = edited(edited(base, 15), 21, 5)
    assert [type(site.page(text)) for text in (*chain, far)] == [New, NearDuplicate, New]


def test_texts_of_different_kinds_are_not_compared(sign: Signer) -> None:
    """Word shingles and character shingles never meet, whatever the sketch says."""
    site = Site(sign)
    signature = sign(words(1))
    site.signed(signature, b"1" * 32)
    other = replace(signature, shingle_kind="char4", visible_digest=b"2" * 32)
    assert site.signed(other, b"2" * 32) == New()


@pytest.mark.parametrize(
    ("mode", "kind", "stored"),
    [("drop", NearDuplicate, 1), ("tag", NearDuplicate, 2), ("keep", New, 2)],
)
def test_near_mode(sign: Signer, mode: str, kind: type, stored: int) -> None:
    """Near duplicates are dropped, stored with their verdict, or not looked for."""
    site = Site(sign, near=mode)
    site.page(words(1))
    assert isinstance(site.page(edited(words(1), 3), b"near"), kind)
    assert len(site.stored) == stored
    again = site.page(edited(words(1), 3), b"near")
    assert isinstance(again, NearDuplicate if mode == "drop" else ExactDuplicate)


def test_a_tagged_page_is_no_representative(sign: Signer) -> None:
    """A stored near duplicate attracts no others."""
    site = Site(sign, near="tag")
    site.page(words(1))
    site.page(edited(words(1), 3))
    verdict = site.page(edited(words(1), 3) + " tail")
    assert isinstance(verdict, NearDuplicate)
    assert verdict.of.id == 1


def test_textbook_mode_takes_the_nearest_fingerprint(sign: Signer) -> None:
    """Without verification distance decides, inclusively, then age; no similarity is claimed."""
    site = Site(sign, method="simhash", distance=3)
    signature = sign(words(1))

    def at(bits: int, number: int) -> Verdict:
        return site.signed(
            replace(
                signature,
                fingerprint=signature.fingerprint ^ bits,
                visible_digest=bytes([number]) * 32,
            ),
            bytes([number]) * 32,
        )

    assert [at(0, 1), at(0xF, 2), at(0xF0, 3)] == [New(), New(), New()]
    for bits, named, distance in ((0x7, 2, 1), (0x70, 3, 1), (0x3, 1, 2), (0x700, 1, 3)):
        verdict = at(bits, 9)
        assert isinstance(verdict, NearDuplicate)
        assert (verdict.of.id, verdict.distance, verdict.similarity) == (named, distance, None)


class YesFilter:
    """A filter that claims to hold every key."""

    def add(self, key: bytes) -> bool:
        """Say that the key may have been there."""
        return False

    def __contains__(self, key: bytes) -> bool:
        return True


def test_a_filter_that_says_yes_to_everything_loses_no_page(
    sign: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters only propose: verdicts are those of a good filter."""
    texts = [words(n % 7) for n in range(20)] + ["short", "short"]
    expected = list(map(Site(sign).page, texts))
    monkeypatch.setattr("crawler.dedup.judge.SeenFilter", lambda expected_keys: YesFilter())
    assert list(map(Site(sign).page, texts)) == expected


def test_a_full_filter_loses_no_page(sign: Signer) -> None:
    """Ten times more pages than expected: each new page stays new, each copy is found."""
    site = Site(sign)
    site.judge = Judge(site.settings, site.catalog, 1)
    signature = sign("", "")
    keys = [number.to_bytes(32, "big") for number in range(10_000)]
    assert all(site.signed(signature, key) == Unjudged("no-text") for key in keys)
    assert all(isinstance(site.signed(signature, key), ExactDuplicate) for key in keys[::100])


def _crawl(sign: Signer, restart_every: int | None = None) -> list[Verdict]:
    site, verdicts = Site(sign), list[Verdict]()
    for number, text in enumerate(_mixed()):
        if restart_every and number % restart_every == 0:
            site.restarted()
        verdicts.append(site.page(text))
    return verdicts


def _mixed() -> Iterable[str]:
    rng = np.random.default_rng(11)
    for number in range(90):
        base = words(int(rng.integers(0, 30)))
        text = edited(base, int(rng.integers(0, 9)), number)
        yield {0: "tiny", 5: words(99)}.get(number % 9, text)


def test_replaying_the_order_gives_the_same_verdicts(sign: Signer) -> None:
    """Verdicts depend on the pages and their order only, and on no restart in between."""
    verdicts = _crawl(sign)
    assert {type(v) for v in verdicts} == {New, Unjudged, NearDuplicate, ExactDuplicate}
    assert _crawl(sign) == verdicts
    assert _crawl(sign, restart_every=7) == verdicts


def test_a_restored_judge_logs_how_much_it_restored(
    sign: Signer, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has numbers of pages, and nothing of their texts or URLs."""
    site = Site(sign)
    for text in (words(1), "tiny", words(2)):
        site.page(text)
    with caplog.at_level("DEBUG", logger="crawler.dedup"):
        site.restarted()
    assert "restored 3 stored pages, 2 representatives" in caplog.text
    assert "tiny" not in caplog.text
    assert "http:" not in caplog.text


def test_verification_is_bounded_and_begins_with_the_likeliest(sign: Signer) -> None:
    """Hundreds of likely candidates cost at most MAX_VERIFIED reads, and the true one is found."""
    site, base = Site(sign, threshold=0.8), words(1, 600)
    signature = sign(base, base)
    for number in range(300):
        text = sign(edited(base, 25, number), "")
        site.judge._matcher.insert(1000 + number, text)  # type: ignore[union-attr]
    near = replace(sign(edited(base, 2), ""), visible_digest=b"x" * 32)
    site.judge._matcher.insert(5000, near)  # type: ignore[union-attr]
    reads: list[int] = []
    unlike = sign(words(77), "")

    def read(document_id: int) -> object:
        reads.append(document_id)
        return Shingles.of(near if document_id == 5000 else unlike)

    site.catalog.shingles = read  # type: ignore[method-assign, assignment]
    site.catalog.ref = lambda document_id: StoredRef(document_id, "u")  # type: ignore[method-assign]
    verdict = site.signed(signature, b"q" * 32)
    assert isinstance(verdict, NearDuplicate)
    assert verdict.of.id == reads[0] == 5000
    assert len(reads) <= MAX_VERIFIED


def _trigrams(text: str) -> set[tuple[str, ...]]:
    parts = text.split()
    return {tuple(parts[i : i + 3]) for i in range(len(parts) - 2)}
