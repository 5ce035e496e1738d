"""The sample: uniform, the same for the same seed, the smaller part of the larger."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.auditing import drawn, leave_crawl

from crawler.errors import ConfigError
from crawler.views.audit.sample import MAX_PAIRS, Sample, Stratum, check


def sizes(sample: Sample) -> tuple[int, int]:
    """Return how many near duplicates and how many siblings were drawn."""
    of = Counter(one.stratum for one in sample.drawn)
    return of[Stratum.DROPPED], of[Stratum.SIBLINGS]


async def test_half_are_siblings_and_what_is_short_is_filled_up(tmp_path: Path) -> None:
    """The default is half and half; a stratum with too few leaves its places to the other."""
    await leave_crawl(tmp_path / "out", near=12, siblings=4)
    assert sizes(drawn(tmp_path / "out", 6)) == (3, 3)
    assert sizes(drawn(tmp_path / "out", 7)) == (4, 3)
    assert sizes(drawn(tmp_path / "out", 12)) == (8, 4)
    assert sizes(drawn(tmp_path / "out", 50)) == (12, 4)
    assert sizes(drawn(tmp_path / "out", 6, siblings=1)) == (5, 1)
    assert sizes(drawn(tmp_path / "out", 6, siblings=0)) == (6, 0)
    assert drawn(tmp_path / "out", 1).populations == {
        Stratum.DROPPED: 12,
        Stratum.SAME_TEXT: 0,
        Stratum.SIBLINGS: 4,
    }


async def test_dropped_ones_are_of_either_kind(tmp_path: Path) -> None:
    """Half of them have the same text, and what is short is filled up by all others."""
    await leave_crawl(tmp_path / "out", near=8, siblings=4, same_text=6)

    def of_kinds(total: int, siblings: int | None = None) -> list[int]:
        strata = Counter(one.stratum for one in drawn(tmp_path / "out", total, siblings).drawn)
        return [strata[stratum] for stratum in Stratum]

    assert of_kinds(8) == [2, 2, 4]
    assert of_kinds(12) == [4, 4, 4]
    assert of_kinds(17) == [7, 6, 4]
    assert of_kinds(50) == [8, 6, 4]
    assert of_kinds(9, siblings=0) == [5, 4, 0]


async def test_the_same_seed_draws_the_same_and_a_larger_sample_holds_the_smaller(
    tmp_path: Path,
) -> None:
    """Pairs and their order depend on the seed alone; more pairs come in addition."""
    await leave_crawl(tmp_path / "out", near=40, siblings=40)
    small, large = drawn(tmp_path / "out", 10), drawn(tmp_path / "out", 30)
    assert small == drawn(tmp_path / "out", 10)
    assert set(small.drawn) < set(large.drawn)
    assert [one for one in large.drawn if one in small.drawn] == list(small.drawn)
    assert set(small.drawn) != set(drawn(tmp_path / "out", 10, seed=2).drawn)


async def test_every_page_is_drawn_equally_often(tmp_path: Path) -> None:
    """Over many seeds no page is preferred, neither in the sample nor as its first pair."""
    await leave_crawl(tmp_path / "out", near=10, siblings=0)
    samples = [drawn(tmp_path / "out", 5, seed=seed).drawn for seed in range(400)]
    all_pairs = Counter(one.url for sample in samples for one in sample)
    first = Counter(sample[0].url for sample in samples)
    assert len(all_pairs) == len(first) == 10
    # five standard deviations of the binomial distributions B(400, 1/2) and B(400, 1/10)
    assert all(abs(number - 200) < 50 for number in all_pairs.values())
    assert all(abs(number - 40) < 30 for number in first.values())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, None, 1), "--sample 0"),
        ((MAX_PAIRS + 1, None, 1), f"--sample {MAX_PAIRS + 1}"),
        ((5, 6, 1), "--siblings 6"),
        ((5, -1, 1), "--siblings -1"),
        ((5, None, -1), "--seed -1"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(
    arguments: tuple[int, int | None, int], named: str
) -> None:
    """The flag at fault is named."""
    with pytest.raises(ConfigError, match=named):
        check(*arguments)
