"""The judge of a cluster gives the verdicts of one judge, whole: similarity, evidence, page id."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judge_roles import (
    HOSTS,
    PLACES,
    JudgeRoles,
    Made,
    OneJudge,
    ask_of,
    dealt,
    told,
)
from support.sampling import sample

from crawler import config
from crawler.cluster.protocol import Ahead, PageAsk
from crawler.cluster.shard import Shard
from crawler.config import Method, NearMode, SiblingMode
from crawler.dedup.copies import inquiry
from crawler.dedup.copies.rules import Weighed, weigh
from crawler.dedup.methods import matching
from crawler.errors import ConfigError, StoreMismatch
from crawler.models import Verdict, verdict_name

Pair = tuple[str, str]

PAGES = st.builds(
    Made,
    text=st.integers(0, 4),
    names=st.lists(st.integers(0, 4), max_size=3).map(tuple),
    host=st.integers(0, len(HOSTS) - 1),
    place=st.integers(0, len(PLACES) - 1),
    title=st.integers(0, 3),
    beside=st.integers(0, 3),
    layout=st.integers(0, 2),
    shows=st.integers(0, 3),
    body=st.integers(0, 3),
    sketch=st.integers(0, 8).map(lambda n: n // 8),
)
URLS = st.builds(
    lambda host, place: f"http://{host}{place}", *map(st.sampled_from, (HOSTS, PLACES))
)
SETTINGS = st.builds(
    config.Dedup,
    siblings=st.sampled_from((SiblingMode.TAG, SiblingMode.IGNORE, SiblingMode.DROP)),
    near=st.sampled_from((NearMode.DROP, NearMode.TAG, NearMode.DROP, NearMode.KEEP)),
)


async def judged(
    roles: JudgeRoles, items: Sequence[PageAsk | Pair]
) -> list[tuple[int, Verdict, int | None]]:
    """Have pages judged, and equal payloads observed, in this order; return what is told."""
    found, run, observed = [], [], 0
    async with roles:
        for item in (*items, None):
            if isinstance(item, PageAsk):
                run.append(item)
                continue
            found += told(await roles.sequencer.ask(0, 1, run))
            run.clear()
            if item is not None:
                observed += 1
                assert await roles.sequencer.observe(0, 1, observed, [item]) == observed
    return found


def by_one(
    settings: config.Dedup, items: Sequence[PageAsk | Pair]
) -> list[tuple[int, Verdict, int | None]]:
    """Return what one judge says that is shown the same."""
    one, found = OneJudge(settings), []
    for item in items:
        if isinstance(item, PageAsk):
            found.append(one.shown(item))
        else:
            one.observed(*item)
    return found


@given(
    settings=SETTINGS,
    pages=st.lists(st.one_of(PAGES, PAGES, PAGES, PAGES, st.tuples(URLS, URLS)), max_size=60),
    shards=st.sampled_from((1, 2, 4)),
    batch=st.sampled_from((1, 3, 16, 64)),
)
def test_as_one_judge(
    settings: config.Dedup, pages: Sequence[Made | Pair], shards: int, batch: int
) -> None:
    """For pages that are alike in every way, of any settings, batches and number of shards."""
    items = [
        ask_of(page, number) if isinstance(page, Made) else page
        for number, page in enumerate(pages)
    ]
    with tempfile.TemporaryDirectory() as home:
        roles = JudgeRoles(Path(home), settings, shards, batch=batch)
        assert asyncio.run(judged(roles, items)) == by_one(settings, items)


@pytest.mark.parametrize("near", ["drop", "tag"])
@pytest.mark.parametrize("siblings", ["tag", "ignore"])
def test_as_one_judge_of_many_pages(siblings: str, near: str, tmp_path: Path) -> None:
    """Of 120 pages there are all kinds of verdicts, the same for any number of shards."""
    settings = config.Dedup.model_validate({"siblings": siblings, "near": near})
    dice = random.Random(f"{siblings} {near}")
    asks = [ask_of(dealt(dice), number) for number in range(120)]
    expected = by_one(settings, asks)
    names = Counter(verdict_name(verdict) for _, verdict, _ in expected)
    kinds = {"new", "unjudged", "exact-payload", "exact-text", "near"}
    assert names.keys() == kinds | ({"sibling"} if siblings == "tag" else set())
    for shards, batch in sample(((4, 1), (1, 256), (2, 64), (4, 16)), 2):
        roles = JudgeRoles(tmp_path / f"{shards} {batch}", settings, shards, batch=batch)
        assert asyncio.run(judged(roles, asks)) == expected


def test_shards_compare_pages_ahead_of_the_sequencer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few comparisons are left to the sequencer, also among pages that are mostly alike."""
    by_shards, left = [False], Counter[bool]()
    ahead = Shard.weigh

    async def weigh_ahead(self: Shard, *args: Any) -> dict[int, Ahead]:
        by_shards[0] = True
        try:
            return await ahead(self, *args)
        finally:
            by_shards[0] = False

    def counted(*args: Any, **how: Any) -> Weighed:
        left[not by_shards[0]] += 1
        return weigh(*args, **how)

    dice, settings = random.Random(1), config.Dedup()
    asks = [ask_of(dealt(dice), number) for number in range(120)]
    expected = by_one(settings, asks)
    monkeypatch.setattr(Shard, "weigh", weigh_ahead)
    monkeypatch.setattr(inquiry, "weigh", counted)
    roles = JudgeRoles(tmp_path, settings, 4, batch=4)
    assert asyncio.run(judged(roles, asks)) == expected
    assert left[True] < left[False] / 5, left


def test_shards_are_asked_in_full_where_they_stopped_too_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts with one sketch and other shingles: a shard ends where one judge would go on."""
    asked = []
    compare = matching.VerifiedMatcher.candidates

    def candidates(
        self: matching.VerifiedMatcher, text: object, most: int, *, full: bool = False
    ) -> matching.Candidates:
        asked.append(full)
        return compare(self, text, most, full=full)  # type: ignore[arg-type]

    monkeypatch.setattr(matching.VerifiedMatcher, "candidates", candidates)
    settings = config.Dedup()
    pages = []
    for number in range(12):  # one text under many titles at shard 0, its sketch alone at shard 1
        page = Made(3, (), 0, 8, number // 2 % 4, number // 8, 0, 2, 0, 0)
        pages.append(page if number % 2 else page._replace(names=(1, 2, 3), sketch=1))
    pages.append(Made(3, (), 0, 9, 0, 3, 0, 2, 0, 0))
    asks = [ask_of(page, number) for number, page in enumerate(pages)]
    roles = JudgeRoles(tmp_path, settings, 2, batch=12)
    assert asyncio.run(judged(roles, asks)) == by_one(settings, asks)
    assert any(asked)


def test_one_method_alone_can_be_asked_of_several(tmp_path: Path) -> None:
    """Others propose by all pages together; without a near stage there is nothing to propose."""
    settings = config.Dedup(method=Method.SIMHASH)
    with pytest.raises(ConfigError, match="verified alone"):
        JudgeRoles(tmp_path, settings, 2).made("sequencer")
    JudgeRoles(tmp_path, config.Dedup(method=Method.SIMHASH, near=NearMode.KEEP), 2).made(
        "sequencer"
    )


def test_the_number_of_shards_is_fixed(tmp_path: Path) -> None:
    """A page lies where its number says."""

    async def run() -> None:
        async with JudgeRoles(tmp_path, config.Dedup(), 2):
            pass
        with pytest.raises(StoreMismatch, match="at 2 shards"):
            await JudgeRoles(tmp_path, config.Dedup(), 3).made("sequencer").open()
        async with JudgeRoles(tmp_path, config.Dedup(), 2):
            pass

    asyncio.run(run())
