"""Sorted tables that grow find what the block index finds, and give the same verdicts."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cli import main, parser
from crawler.config import Dedup
from crawler.dedup import tables
from crawler.dedup.index import BlockIndex
from crawler.dedup.methods.matching import fingerprint_index
from crawler.dedup.tables import GrowingTables
from crawler.models.enums import IndexDesign

ANY = st.integers(0, 2**64 - 1)
CROWDED = st.sets(st.integers(0, 63), max_size=9).map(lambda bits: sum(1 << b for b in bits))
PARTS = st.lists(st.lists(CROWDED | ANY, max_size=8), max_size=8)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sort after a few rows, and merge often."""
    monkeypatch.setattr(tables, "SCANNED", 4)
    monkeypatch.setattr(tables, "FACTOR", 2)


@pytest.mark.usefixtures("soon")
@given(PARTS, st.integers(0, 11), st.sampled_from([None, 1, 10**6]))
def test_they_find_what_the_block_index_finds(
    parts: list[list[int]], distance: int, limit: int | None
) -> None:
    """Rows, ids and fingerprints agree after every insert, at every distance and memory limit."""
    tables, blocks = GrowingTables(distance, 0, limit), BlockIndex(distance)
    for number, part in enumerate(parts):
        ids = np.arange(100 * number, 100 * number + len(part), dtype=np.int64)
        if number % 2:
            for id_, fingerprint in zip(ids.tolist(), part, strict=True):
                tables.insert(id_, fingerprint)
                blocks.insert(id_, fingerprint)
        else:
            tables.insert_many(ids, np.array(part, np.uint64))
            blocks.insert_many(ids, np.array(part, np.uint64))
        for query in (0, 2**64 - 1, *part):
            assert tables.rows(query).tolist() == blocks.rows(query).tolist()
            assert set(tables.proposals(query).tolist()) == set(blocks.proposals(query).tolist())
    assert tables.ids.tolist() == blocks.ids.tolist()
    assert tables.fingerprints.tolist() == blocks.fingerprints.tolist()


@pytest.mark.usefixtures("soon")
def test_stretches_fall_by_the_factor_and_cover_all_sorted_rows() -> None:
    """However many rows come one by one, few stretches are asked, and none misses one."""
    tables = GrowingTables(3)
    for number in range(300):
        tables.insert(number, number << 20)
        tables.rows(0)
        lengths = [len(stretch) for stretch in tables._stretches]
        assert sum(lengths) == tables._sorted >= number + 1 - 4
        assert all(longer >= 2 * next_one for longer, next_one in itertools.pairwise(lengths))
    assert tables.nbytes >= 300 * 48


def test_a_job_chooses_the_index() -> None:
    """`dedup.index` says which index the SimHash methods and the verified one propose by."""
    assert isinstance(fingerprint_index(Dedup(), 1), BlockIndex)
    assert isinstance(fingerprint_index(Dedup(index=IndexDesign.TABLES), 1), GrowingTables)


def corpus(path: Path, seed: int) -> Path:
    """Write 60 texts, copies and edited copies among them."""
    dice = random.Random(seed)
    words = [f"word{n}" for n in range(500)]
    texts = [dice.choices(words, k=120) for _ in range(20)]
    for text in dice.choices(texts, k=40):
        edited = text.copy()
        for place in dice.choices(range(120), k=dice.randrange(4)):
            edited[place] = "edited"
        texts.append(edited)
    path.write_text("".join(json.dumps({"text": " ".join(text)}) + "\n" for text in texts))
    return path


@pytest.mark.usefixtures("soon", "no_analysis_processes")
@pytest.mark.parametrize(
    "chosen",
    [["--method", "verified"], ["--method", "simhash", "--distance", "11"], ["--near", "tag"]],
    ids=str,
)
def test_both_indexes_write_the_same_lines(tmp_path: Path, chosen: list[str]) -> None:
    """`--index tables` writes byte for byte what the default writes, against earlier pages too."""
    first, second = corpus(tmp_path / "a.jsonl", 1), corpus(tmp_path / "b.jsonl", 2)
    second.write_text(second.read_text() + first.read_text())
    common = [*chosen, "--processes", "1"]
    assert main(["dedup", str(first), "--output", str(tmp_path / "earlier"), *common]) == 0
    written = []
    for index in IndexDesign:
        against = ["--against", str(tmp_path / "earlier"), "--index", index.value]
        output = tmp_path / index.value
        assert main(["dedup", str(second), "--output", str(output), *against, *common]) == 0
        written.append({path.name: path.read_bytes() for path in output.glob("*.jsonl")})
    assert written[0] == written[1]
    assert len(written[0]["duplicates.jsonl"].splitlines()) > 50


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_run_goes_on_with_another_index(tmp_path: Path) -> None:
    """No verdict depends on the index, so it is not part of what a run was begun with."""
    run = ["dedup", str(corpus(tmp_path / "a.jsonl", 1)), "--output", str(tmp_path / "out")]
    assert main([*run, "--processes", "1"]) == 0
    assert main([*run, "--processes", "1", "--index", "tables", "--memory", "1GB"]) == 0


# --------------------------------------------------------------------------------------------------
# The plan


def test_a_plan_shows_every_design_and_the_chosen_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Designs come with tables, bits, comparisons and bytes; without a limit the fastest is chosen.

    Nothing is read, and no directory made: neither is named.
    """
    assert main(["dedup", "--plan", "--documents", "10000000"]) == 0
    shown = capsys.readouterr().out
    rows = {line[:18].strip(): line[18:].split() for line in shown.splitlines()[1:6]}
    assert rows["1 of 4"] == ["4", "16", "610.4", "48", "480,000,000"]
    assert rows["2 of 5"] == ["10", "25", "2.1", "96", "960,000,000", "chosen"]
    assert len(rows) == 5
    assert "choose 2 of 5: 10 tables" in shown
    assert "510,000,000 bytes" in shown


def test_memory_and_distance_change_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What does not fit is marked; the distance may come from a flag or a job."""
    plan = ["dedup", "--plan", "--documents", "10000000"]
    assert main([*plan, "--memory", "500MB"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("too large") == 4
    assert "choose 1 of 4: 4 tables" in shown
    job = tmp_path / "job.yaml"
    job.write_text("dedup: {distance: 7}\n")
    assert main([*plan, "--config", str(job)]) == 0
    assert main([*plan, "--distance", "7"]) == 0
    assert capsys.readouterr().out.count("distance <= 7\n  blocks      choose 2 of 9") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--plan"], "--plan needs --documents N"),
        (["--documents", "5", "x", "--output", "y"], "--documents is for --plan only"),
        (["--plan", "--documents", "0"], "--documents 0: give a number"),
        (["--plan", "--documents", "1000", "--memory", "1KB"], "need at least 48,000"),
        (["--plan", "--documents", "5", "--memory", "4XB"], "'4XB' is no size"),
        (["--plan", "--documents", "5", "--memory", "GB"], "'GB' is no size"),
        ([], "the following arguments are required: FILE"),
    ],
)
def test_what_cannot_be_planned_or_judged_is_told(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is one line and exit code 2."""
    try:
        code: object = main(["dedup", *arguments])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("written", "size"), [("512", 512), ("7B", 7), ("3KB", 3000), ("2GiB", 2**31), ("1TB", 10**12)]
)
def test_sizes_have_units(written: str, size: int) -> None:
    """Decimal and binary units are told apart."""
    assert parser.size(written) == size
