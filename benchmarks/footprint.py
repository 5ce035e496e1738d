"""What a crawl takes of the disk: bytes a URL, a stored page and a duplicate.

    python -m benchmarks.footprint DIR

Reads a finished crawl's directory (`python -m crawler demo` makes one). Shingles are counted from
their column, as are appearances and kept drops; what else the state file holds (URLs, documents,
their indexes) is told a URL.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crawler.storage import LINE_FILES, StoreView

STATE = "state.sqlite"
_SHINGLE_BYTES = 5
"""A hash and its mark."""


def rows(directory: Path) -> list[tuple[str, int, int]]:
    """Return (what, how many of them, bytes in all)."""
    with StoreView.read(directory) as view:
        extents = view.extents()
        documents = view.next_document_id - 1
        urls = view.next_url_id - 1
        total = "SELECT ifnull(sum(length(hashes)), 0) FROM shingles"
        shingles = int(view.database.rows(total)[0][0])
        kept = [
            int(view.database.rows(f"SELECT {sum_}({of}) FROM {table}")[0][0] or 0)
            for table, of in (("appearances", "packed"), ("dropped", "line"))
            for sum_, of in (("count", of), ("sum", f"length({of})"))
        ]
    found = [
        (f"{name}.jsonl, a line", extents[name].lines, extents[name].bytes) for name in LINE_FILES
    ]
    state = (directory / STATE).stat().st_size
    return [
        *found,
        (f"{STATE}, a shingle", shingles // _SHINGLE_BYTES, shingles),
        (f"{STATE}, an appearance", kept[0], kept[1]),
        (f"{STATE}, a dropped page that is kept", kept[2], kept[3]),
        (f"{STATE} without these, a URL", urls, state - shingles - kept[1] - kept[3]),
        (f"{STATE}, a stored page", documents, state),
        ("everything, a stored page", documents, state + sum(size for _, _, size in found)),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("directory", type=Path)
    directory = parser.parse_args().directory
    for what, number, size in rows(directory):
        print(f"{what:42}{number:12,}{size:16,} bytes{size / max(1, number):12,.0f} each")


if __name__ == "__main__":
    main()
