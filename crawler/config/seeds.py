"""Seed lists: where a crawl begins."""

from __future__ import annotations

import re
from pathlib import Path

from crawler import urls
from crawler.errors import ConfigError, reason


def read_seeds(path: Path) -> tuple[str, ...]:
    """Return the seed URLs of a text file: one a line, `#` begins a comment, blanks are skipped.

    Raises ConfigError naming the line that is no http(s) URL.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot read the seed list: {reason(error)}") from None
    seeds = []
    for number, line in enumerate(lines, 1):
        seed = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if seed:
            _check_seed(seed, f"{path}:{number}")
            seeds.append(seed)
    if not seeds:
        raise ConfigError(f"{path}: no seed URL in it; write one http(s) URL a line")
    return tuple(seeds)


def check_seeds(seeds: tuple[str, ...], source: str) -> None:
    """Raise ConfigError if there is no seed or one of them cannot be crawled."""
    if not seeds:
        raise ConfigError(f"{source}: no seeds; give --seeds FILE or `seeds:` in the job")
    for seed in seeds:
        _check_seed(seed, source)


def _check_seed(seed: str, where: str) -> None:
    if urls.Canonicaliser()(seed) is None:
        hint = "" if "://" in seed else f" (did you mean https://{seed} ?)"
        raise ConfigError(f"{where}: {seed!r} is not an http(s) URL{hint}")
