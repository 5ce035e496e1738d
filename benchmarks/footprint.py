"""What a crawl takes of the disk, by file, table and index: bytes a URL and bytes a stored page.

    python -m benchmarks.footprint DIR [DIR ...]

Reads directories of finished crawls (`python -m crawler demo` makes one). A table or index has
whole pages of the state file, so what is unused in them counts (SQLite's `dbstat`, which this
Python's SQLite must have; that of python.org and of Debian has it).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from crawler.storage.directory import STATE
from crawler.storage.view import StoreView

_SMALL = 0.005
"""Share of all bytes below which tables are told together."""


class Footprint(NamedTuple):
    """What a directory holds, and what that takes."""

    urls: int
    pages: int
    shingles: int
    """Bytes of their rows."""
    files: dict[str, int]
    """Bytes by kind of line, and by table or index of the state file."""


def footprint(directory: Path) -> Footprint:
    """Measure a directory."""
    with StoreView.read(directory) as view:
        files = {f"{kind}.jsonl": extent.bytes for kind, extent in view.extents().items()}
        tables = view.database.rows("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
        files |= {f"{STATE}, {name}": size for name, size in tables}
        shingles = view.database.rows("SELECT ifnull(sum(length(hashes)), 0) FROM shingles")[0][0]
        return Footprint(view.next_url_id - 1, view.next_document_id - 1, shingles, files)


def main() -> None:
    """Print a table for each directory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR")
    for directory in parser.parse_args().directories:
        found = footprint(directory)
        everything = sum(found.files.values())
        large = {name: size for name, size in found.files.items() if size >= _SMALL * everything}
        rest = {"all others": everything - sum(large.values()), "everything": everything}
        shingles = found.shingles / max(1, found.pages)
        print(f"{directory}: {found.urls:,} URLs, {found.pages:,} stored pages")
        print(f"  a page's shingles as they are packed: {shingles:,.0f} bytes")
        print(f"{'':44}{'bytes':>14}{'a URL':>10}{'a page':>10}")
        for name, size in [*sorted(large.items(), key=lambda item: -item[1]), *rest.items()]:
            each = size / max(1, found.urls), size / max(1, found.pages)
            print(f"  {name:42}{size:14,}{each[0]:10,.0f}{each[1]:10,.0f}")


if __name__ == "__main__":
    main()
