"""The kernels in C: that they are built where they can be, are chosen, and change no answer."""

from __future__ import annotations

import importlib
import shutil
import sysconfig
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup import kernels
from crawler.dedup.index import BlockIndex, Buckets, BucketTable, SketchIndex
from crawler.dedup.kernels import plain
from crawler.dedup.signing import CHAR4, WORD3

needs_kernels = pytest.mark.skipif(
    "C" not in kernels.AVAILABLE, reason="installed without a C compiler"
)


def test_kernels_were_built_where_there_is_a_compiler() -> None:
    """An installation with a C compiler and Python's headers has the kernels of this version."""
    headers = Path(sysconfig.get_paths()["include"], "Python.h")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if not headers.is_file() or shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} or no {headers}")
    assert kernels.IN_USE == "C", "the build failed: `pip install -v -e .` says why"


@needs_kernels
def test_kernels_of_another_version_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an older installation left behind is passed over: its arguments may be others."""
    old: Any = importlib.import_module("crawler.dedup.kernels._compiled")
    monkeypatch.setattr(old, "VERSION", kernels.VERSION - 1)
    assert importlib.reload(kernels).AVAILABLE == ("numpy",)
    assert kernels.IN_USE == "numpy"
    assert kernels.make_sketch is plain.make_sketch
    monkeypatch.undo()
    assert importlib.reload(kernels).IN_USE == "C"
    assert kernels.make_sketch is old.make_sketch


@needs_kernels
def test_all_kernels_are_exchanged_together_and_put_back() -> None:
    """What is in use is used for all of them, also after an error and one within the other."""
    in_c = {name: getattr(kernels, name) for name in kernels.__all__}
    with kernels.using("numpy"):
        assert kernels.IN_USE == "numpy"
        for name, compiled in in_c.items():
            assert getattr(kernels, name) is not compiled
        with kernels.using("C"):
            assert {name: getattr(kernels, name) for name in kernels.__all__} == in_c
        assert kernels.IN_USE == "numpy"
    with pytest.raises(ZeroDivisionError), kernels.using("numpy"):
        raise ZeroDivisionError
    assert kernels.IN_USE == "C"
    assert {name: getattr(kernels, name) for name in kernels.__all__} == in_c
    with pytest.raises(KeyError):
        kernels.use("fortran")


@needs_kernels
@pytest.mark.parametrize("name", kernels.__all__)
def test_kernels_refuse_what_they_cannot_read(name: str) -> None:
    """Too few arguments, or objects that are no arrays, raise TypeError and harm nothing."""
    kernel = getattr(kernels, name)
    with pytest.raises(TypeError, match=name):
        kernel()
    with kernels.using("numpy"):
        count = getattr(kernels, name).__code__.co_argcount
    with pytest.raises(TypeError):
        kernel(*[object()] * count)


@needs_kernels
def test_a_search_beyond_what_its_tables_are_made_for_is_refused() -> None:
    """No distance and no length of a key leads out of the list of buckets."""
    cells = Buckets(4 << 8, 0).cells
    for key_bits, distance in ((17, 3), (8, 12)):
        with pytest.raises(ValueError, match="at most"):
            kernels.near_fingerprints(bytes(8), bytes(8), 1, cells, key_bits, distance, 0)


SHINGLES = st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=60)
EDITS = st.lists(st.tuples(st.integers(0, 5), SHINGLES), min_size=1, max_size=25)


def sketches(bases: list[set[int]], edits: list[tuple[int, set[int]]]) -> list[bytes]:
    """Return sketches of texts that share much with one of a few others, or nothing."""
    sets = [bases[base] | added if base < len(bases) else added for base, added in edits]
    return [kernels.make_sketch(np.array(sorted(found), np.uint32)) for found in sets]


def answers(texts: list[bytes], kinds: list[str], threshold: float, expected: int) -> list[Any]:
    """Return all that an index answers about its own texts, half of them inserted one by one."""
    index, half = SketchIndex(threshold, expected), len(texts) // 2
    index.insert_many(texts[:half], kinds[:half])
    for text, kind in zip(texts[half:], kinds[half:], strict=True):
        index.insert(text, kind)
    found = list[Any]()
    for text, kind in zip(texts, kinds, strict=True):
        proposed = index.proposals(text)
        rows, estimates = index.likely(proposed.copy(), text, kind)
        twins = index.twins(text, kind)
        found += [proposed.tolist(), rows.tolist(), estimates.tolist(), twins.tolist()]
    return [*found, index.nbytes]


@needs_kernels
@given(
    bases=st.lists(SHINGLES, max_size=4),
    edits=EDITS,
    kinds=st.integers(0, 2**25 - 1),
    threshold=st.sampled_from([0.3, 0.8, 1.0]),
    expected=st.sampled_from([0, 1000, 2**20]),
)
def test_sketch_index_answers_the_same_without_kernels(
    bases: list[set[int]],
    edits: list[tuple[int, set[int]]],
    kinds: int,
    threshold: float,
    expected: int,
) -> None:
    """Proposals, twins, what is likely and bytes in use are the same, filled in either way."""
    texts = sketches(bases, edits)
    named = [CHAR4 if kinds >> place & 1 else WORD3 for place in range(len(texts))]
    compiled = answers(texts, named, threshold, expected)
    with kernels.using("numpy"):
        assert answers(texts, named, threshold, expected) == compiled


@pytest.mark.parametrize("threshold", [1e-310, 1e-20, 1e-5, 1.0])
@pytest.mark.parametrize("kind", [WORD3, CHAR4])
@pytest.mark.usefixtures("either_way")
def test_any_threshold_lets_a_text_find_its_like(threshold: float, kind: str) -> None:
    """However many shingles a threshold would allow, sizes that may be alike stay in range."""
    text = kernels.make_sketch(np.arange(0, 2**32, 2**17, dtype=np.uint64).astype(np.uint32))
    index = SketchIndex(threshold, 10)
    index.insert(text, kind)
    assert index.likely(index.proposals(text), text, kind)[0].tolist() == [0]


@pytest.mark.usefixtures("either_way")
def test_queries_may_be_any_array_of_fingerprints() -> None:
    """Strides and byte order of a batch change nothing."""
    stored = np.random.default_rng(7).integers(0, 2**64, 200, np.uint64)
    index = BlockIndex(3, 200, scanned=0)
    index.insert_many(np.arange(200), stored)
    for queries in (stored[::2], stored[::2].astype(">u8")):
        _, ids, distances = index.candidates_many(queries)
        assert ids.tolist() == list(range(0, 200, 2))
        assert not distances.any()


def test_a_fingerprint_that_is_none_leaves_an_index_as_it_was() -> None:
    """What cannot be stored is refused before anything is."""
    index = BlockIndex(3)
    with pytest.raises(OverflowError):
        index.insert(1, -1)
    index.insert(2, 5)
    assert index.candidates_many(np.array([5], np.uint64))[1].tolist() == [2]


@needs_kernels
@given(
    keys=st.lists(st.integers(0, 3).map(lambda n: n * 0x5555) | st.integers(0, 65535), max_size=90),
    expected=st.sampled_from([0, 3000, 2**20]),
)
def test_a_table_finds_the_rows_of_a_key_in_order(keys: list[int], expected: int) -> None:
    """Rows come bucket by bucket in the order they were inserted in, with and without kernels."""
    table, numbers = BucketTable(1, expected), np.array(keys, np.int64)
    half = len(keys) // 2
    table.insert_many(numbers[:half], np.arange(half, dtype=np.uint32))
    for row in range(half, len(keys)):
        table.insert(numbers[row : row + 1], row)
    asked = [*sorted(set(keys)), 4]
    wanted = [row for key in asked for row, found in enumerate(keys) if found == key]
    assert table.find(np.array(asked, np.int64)).tolist() == wanted
    with kernels.using("numpy"):
        assert table.find(np.array(asked, np.int64)).tolist() == wanted


@needs_kernels
@given(
    pages=st.lists(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 40), max_size=60)),
    size=st.sampled_from([1, 2, 64, 1 << 15]),
)
def test_a_filter_knows_the_same_lines_without_kernels(pages: list[list[int]], size: int) -> None:
    """Both ways keep the same lines, in order, none that was noted, and write the same filter."""
    compiled, plainly = bytearray(size), bytearray(size)
    for page in pages:
        lines = array("I", page)
        kept = kernels.keep_new_lines(lines, compiled)
        assert plain.keep_new_lines(lines, plainly) == kept
        kernels.note_lines(lines, compiled)
        plain.note_lines(lines, plainly)
        assert compiled == plainly
        assert kernels.keep_new_lines(lines, compiled) == b""
