"""The corpora beside the project: real sites, true texts, near-duplicate sets, conformance tables.

A test that reads them is marked `corpora`; `conftest.py` skips it where they are absent.
"""

from __future__ import annotations

import io
import json
import lzma
import sys
import tarfile
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import zstandard

from support.paths import ROOT

CORPORA = ROOT.parent / "shared/corpora"


def parsed(name: str) -> Any:
    """Return what `<name>.json` holds."""
    return json.loads((CORPORA / f"{name}.json").read_text(encoding="utf-8"))


def records(name: str, chosen: Collection[int] = range(sys.maxsize)) -> Iterator[dict[str, Any]]:
    """Yield the records of `<name>.jsonl.xz` that have these places in it, in their order.

    What comes after the last of them is not unpacked.
    """
    last = chosen[-1] if isinstance(chosen, range) else max(chosen)
    with lzma.open(CORPORA / f"{name}.jsonl.xz") as file:
        for place, line in enumerate(islice(file, last + 1)):
            if place in chosen:
                yield json.loads(line)


def members(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each file in `<name>.tar.zst`, in their order."""
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    with (
        (CORPORA / f"{name}.tar.zst").open("rb") as file,
        unpacker.stream_reader(file) as stream,
        tarfile.open(fileobj=io.BufferedReader(stream), mode="r|") as archive,
    ):
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                yield member.name, content.read()
