"""Nobody can have another's page dropped as a near duplicate of a page that is not like it."""

from pathlib import Path

import pytest
from support.attacks.forged import ATTACKS, NEAR, REAL
from support.attacks.mixed import crawl_beside
from support.documents import dedup, text, write
from support.output import lines

from crawler.config import Dedup
from crawler.dedup import Signer
from crawler.dedup.columns import hamming
from crawler.dedup.signing import jaccard, new_key, shingle_similarity
from crawler.models import Shingles


async def test_real_pages_are_stored_beside_forged_ones(tmp_path: Path) -> None:
    """The forged page is stored first, and the real one after it, as a page like no other."""
    mixed = await crawl_beside(ATTACKS, tmp_path)
    assert mixed.lost == frozenset()
    stored = [page for page in lines(mixed.output, "pages") if page["title"] == "Reef"]
    assert [page["text"].split() for page in stored] == [NEAR.split(), REAL.split()]
    assert {page["verdict"] for page in stored} == {"new"}


def test_the_forged_text_deceives_who_knows_no_key() -> None:
    """By hashes alone the two texts are near duplicates; by hashes and marks they share nothing.

    Their fingerprints are nearer than those of many true pairs: no limit on these would help.
    """
    sign = Signer(Dedup(), (new_key(),))
    forged, real = (sign(words, words) for words in (NEAR, REAL))
    assert jaccard(real.shingles, forged.shingles) > 0.84
    assert hamming(real.fingerprint, forged.fingerprint) == 10
    assert shingle_similarity(real, Shingles.of(forged)) < 0.05


@pytest.mark.usefixtures("no_analysis_processes")
def test_documents_are_kept_beside_forged_ones(tmp_path: Path) -> None:
    """`dedup` keeps a real text after a forged one, in one run and against an earlier one."""
    forged = write(tmp_path / "forged.jsonl", [{"text": NEAR}, {"text": text(1)}])
    real = write(tmp_path / "real.jsonl", [{"text": REAL}, {"text": f"{text(1)} end"}])
    both, first, second = (tmp_path / name for name in ("both", "first", "second"))
    assert dedup(forged, real, "--output", both) == 0
    assert dedup(forged, "--output", first) == 0
    assert dedup(real, "--against", first, "--output", second) == 0
    assert [page["text"] for page in lines(both, "pages")] == [NEAR, text(1), REAL]
    assert [page["text"] for page in lines(second, "pages")] == [REAL]
    for output in (both, second):
        [near] = lines(output, "duplicates")
        assert near["similarity"] > 0.9
