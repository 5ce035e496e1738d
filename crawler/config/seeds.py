"""Where a crawl begins: lists of URLs, told by line where one is none."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from crawler import urls
from crawler.console import as_documents, meant, without_passwords
from crawler.errors import ConfigError, reason
from crawler.units import fault_of_port

STDIN = Path("-")
_SEVERAL = re.compile(r"\shttps?://|^[^?#\s]*,https?://", re.IGNORECASE)
"""What no one URL has, but behind a `?`."""
MOST_TOLD = 20
"""Lines that are no URLs, told of one by one."""
MOST_SHOWN = 200
"""Characters of such a line."""


def read_seeds(path: Path, *, skip_bad: bool = False) -> tuple[tuple[str, ...], list[str]]:
    """Return the seed URLs of a text file, and what was wrong with lines that were skipped.

    One URL a line, `#` begins a comment, blanks are skipped; `-` is standard input. Raises
    ConfigError naming all lines that are no http(s) URLs, unless these are to be skipped, and where
    no seed is left.
    """
    name = _name(path)
    seeds, bad = [], []
    for number, seed in read_lines(path):
        fault = _fault(seed)
        if fault is None:
            seeds.append(seed)
        else:
            bad.append(f"{name}:{number}: {fault}")
    if bad and not skip_bad:
        hidden = len(bad) - MOST_TOLD
        more = [f"... and {hidden:,} more lines"] if hidden > 0 else []
        way_out = "correct them, or leave them out with --skip-bad"
        if not seeds and path != STDIN:
            way_out += f"; or did you mean {as_documents(name)} ?"
        raise ConfigError("\n".join([*bad[:MOST_TOLD], *more, way_out]))
    if not seeds:
        raise ConfigError(f"{name}: no seed URL in it; write one http(s) URL a line")
    return tuple(seeds), bad


def check_seeds(seeds: tuple[str, ...], source: str) -> None:
    """Raise ConfigError if there is no seed or one of them cannot be crawled."""
    if not seeds:
        raise ConfigError(f"{source}: no seeds; give URLs, --seeds FILE or `seeds:` in the job")
    for seed in seeds:
        if fault := _fault(seed):
            raise ConfigError(f"{source}: {fault}")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of the lines of a URL list, comments and blanks left out.

    Raises ConfigError where it cannot be read.
    """
    name = _name(path)
    try:
        data = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{name}: cannot read the seed list: {reason(error)}") from None
    for number, line in enumerate(lines, 1):
        if seed := re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip():
            yield number, seed


def _name(path: Path) -> str:
    return "standard input" if path == STDIN else str(path)


def _fault(seed: str) -> str | None:
    """Return what is wrong with a seed, None where it can be crawled."""
    told = without_passwords(repr(seed[:MOST_SHOWN] + "…" if len(seed) > MOST_SHOWN else seed))
    if urls.Canonicaliser()(seed) is not None:
        if _SEVERAL.search(seed.strip()):
            return f"{told} is more than one URL: give each by itself"
        return None
    if "://" in seed and (fault := fault_of_port(seed)):
        return f"{told}: {fault}"
    hint = f" (did you mean {it} ?)" if (it := meant(seed)) else ""
    return f"{told} is not an http(s) URL{hint}"
