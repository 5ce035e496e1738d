"""The inner loops of signing, indexes and known lines: in C where that was compiled, else in numpy.

A kernel is a function over arrays of its caller that keeps nothing. Each is documented once, beside
its Python in `plain`, which is the reference; the C in this directory (`_compiled`)
gives the same results, as the tests hold it to. It is built when the package is installed, if there
is a C compiler. Without one the Python does the work, more slowly: docs/judging.md has the figures.

Callers write `kernels.make_sketch(hashes)` and know no more. Which of the two they get is chosen
here alone, and `IN_USE` says it.

- Numbers come in as contiguous buffers (arrays, memoryviews, bytes) of the type that the docstring
  names. They are only read, except the arrays of `BucketCells` and a filter, and never kept.
- Numbers go out as a new buffer that belongs to the caller: read it with `np.frombuffer`.
- An object that is no buffer of numbers, or no text where one is wanted, raises TypeError. That
  arrays are long enough, and rows and buckets within them, is the caller's promise: C does not
  check it.

`plain` has all of them in Python; `module.c` has the table of those in C and reads their
arguments.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `use` gives each of these names its function
    from crawler.dedup.kernels.plain import (
        cut_by_script,
        find_rows,
        fingerprint_words,
        fold_spaces,
        insert_entries,
        keep_likely_rows,
        keep_new_lines,
        make_sketch,
        near_fingerprints,
        note_lines,
        place_entries,
        shingle_hashes,
    )

__all__ = [
    "cut_by_script",
    "find_rows",
    "fingerprint_words",
    "fold_spaces",
    "insert_entries",
    "keep_likely_rows",
    "keep_new_lines",
    "make_sketch",
    "near_fingerprints",
    "note_lines",
    "place_entries",
    "shingle_hashes",
]
"""The kernels: these names are what is exchanged."""

VERSION = 4
"""Of the kernels' signatures; C that an older installation left behind is not used."""

IN_USE = "numpy"
"""Which kernels are in use, `C` or `numpy`. Ask as `kernels.IN_USE`: the name is set anew."""

_MODULES = {"numpy": "plain", "C": "_compiled"}
"""Way -> the module of this package that has its kernels. C is used without loading numpy."""


def _is_built() -> bool:
    try:
        built = importlib.import_module(f"{__name__}._compiled")
    except ImportError:  # the package was installed where there is no compiler
        return False
    return bool(built.VERSION == VERSION)


AVAILABLE = ("numpy", "C") if _is_built() else ("numpy",)
"""What can be in use here: `numpy`, and `C` where it was built."""


def use(way: str) -> None:
    """Use the kernels of one way from now on: for measurements. KeyError if not `AVAILABLE`."""
    if way not in AVAILABLE:
        raise KeyError(way)
    module = importlib.import_module(f"{__name__}.{_MODULES[way]}")
    globals().update({name: getattr(module, name) for name in __all__}, IN_USE=way)


@contextmanager
def using(way: str) -> Iterator[None]:
    """Use the kernels of one way, then those used before: for tests. KeyError as for `use`."""
    before = IN_USE
    use(way)
    try:
        yield
    finally:
        use(before)


use(AVAILABLE[-1])
