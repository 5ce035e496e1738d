"""Saving and loading tables, whole and broken."""

import json
from pathlib import Path

import numpy as np
import pytest

from crawler.dedup.tables import PAPER_DESIGNS, TableIndex, TablesError, load, save


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a directory with an index of 500 fingerprints, 10 of them removed."""
    fingerprints = np.random.default_rng(3).integers(0, 2**64, 500, np.uint64)
    index = TableIndex.build(PAPER_DESIGNS[1], np.arange(500), fingerprints, distance=2)
    index.remove(np.arange(10))
    save(index, tmp_path / "tables")
    return tmp_path / "tables"


def test_a_loaded_index_answers_like_the_saved_one(saved: Path) -> None:
    """Design, distance, removals and answers survive, and the tables are mapped, not read."""
    fingerprints = np.random.default_rng(3).integers(0, 2**64, 500, np.uint64)
    index = load(saved)
    queries, ids, distances = index.candidates_many(fingerprints ^ np.uint64(5))
    assert (index.design, index.distance) == (PAPER_DESIGNS[1], 2)
    assert queries.tolist() == ids.tolist() == list(range(10, 500))
    assert set(distances.tolist()) == {2}
    assert all(isinstance(table, np.memmap) for table in index.arrays.tables)


def test_an_index_can_be_saved_over_the_files_it_is_mapped_from(saved: Path) -> None:
    """Removals reach the disk by saving a loaded index into its own directory."""
    index = load(saved)
    index.remove(np.arange(100))
    save(index, saved)
    assert len(load(saved)) == 400


def test_a_flipped_byte_is_noticed(saved: Path) -> None:
    """Damage is named by file, unless the check is waived."""
    path = saved / "table-07.npy"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(TablesError, match=r"table-07\.npy: its checksum"):
        load(saved)
    assert len(load(saved, check=False)) == 490


def test_a_missing_or_cut_file_is_named(saved: Path) -> None:
    """Every file that cannot be used is named with the way out."""
    path = saved / "ids.npy"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TablesError, match=r"ids\.npy: not a whole \.npy file.*build and save"):
        load(saved, check=False)
    path.unlink()
    with pytest.raises(TablesError, match=r"ids\.npy: No such file"):
        load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version 99"),
        ({"format": "something"}, "not the header"),
        ({"splits": [[2, 7]]}, "incomplete header"),
        ({"crc32": None}, "incomplete header"),
        ({"fingerprints": 3}, "do not hold 3"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(
    saved: Path, change: dict[str, object], message: str
) -> None:
    """Another version, format or count is one clear error."""
    header = saved / "tables.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), **change}))
    with pytest.raises(TablesError, match=message):
        load(saved)


def test_a_header_that_is_no_json_or_is_missing_is_refused(saved: Path) -> None:
    """A directory without a readable header is never taken for tables."""
    (saved / "tables.json").write_text("{")
    with pytest.raises(TablesError, match="not a JSON header"):
        load(saved)
    (saved / "tables.json").unlink()
    with pytest.raises(TablesError, match="No such file"):
        load(saved)
