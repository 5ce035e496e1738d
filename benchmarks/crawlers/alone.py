"""The limit: trafilatura alone, on all cores, over a site's pages in memory.

    python -m benchmarks.crawlers.alone CORPORA SITE LINES --processes N

No crawler that gives every page to trafilatura can be faster than this.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.corpora import site_pages
from benchmarks.crawlers import equal_job

_AT_ONCE = 16
"""Pages handed to a process in one message."""


def characters(page: tuple[str, bytes]) -> tuple[str, int]:
    """Return a page's path, and how many characters its text has."""
    path, body = page
    return path, len(equal_job.text(body.decode(errors="replace")))


def main() -> None:
    """Read a site from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("corpora", type=Path)
    flags.add_argument("site")
    flags.add_argument("lines", type=Path)
    flags.add_argument("--processes", type=int, required=True)
    args = flags.parse_args()
    pages = site_pages(args.corpora, args.site)
    with args.lines.open("w") as lines, ProcessPoolExecutor(args.processes) as pool:
        for path, number in pool.map(characters, pages, chunksize=_AT_ONCE):
            print(json.dumps({"url": path, "characters": number}), file=lines)


if __name__ == "__main__":
    main()
