"""Real web sites crawled together over loopback, and their verdicts held against the pages' bodies.

    python -m benchmarks.real_sites [--sites ../shared/corpora/sites] [--cache DIR] [NAME ...]

Serves the named sites (default: five) each on its own loopback address, crawls them in one job
without a pause, and prints pages a second, peak memory and verdict counts. Then every duplicate is
compared with the page it names on the text of the two files' bodies, navigation removed: word
3-grams, or character 4-grams where the script has no spaces. Needs nginx.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from benchmarks.corpora import CORPORA
from benchmarks.end_to_end import measured
from benchmarks.soak.checks import lines

FIVE = ("oi-wiki", "python-3.11", "debian-handbook", "llvm-15", "llvm-16")
JOB = {
    "politeness": {"delay_s": 0.0, "per_host": 4, "per_address": 4},
    "fetch": {"workers": 16, "max_body_bytes": 20_000_000, "max_wire_bytes": 20_000_000},
}
AROUND = "script,style,nav,header,footer,[role=navigation],.related,.sphinxsidebar,.docnav,.footer"
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def listed(home: Path) -> list[dict[str, Any]]:
    """Return the descriptions of all sites."""
    sites: list[dict[str, Any]] = json.loads((home / "sites.json").read_text())["sites"]
    return sites


@contextmanager
def served(home: Path, cache: Path, names: list[str]) -> Iterator[list[str]]:
    """Serve sites while the context lasts; yield their entry URLs."""
    command = [sys.executable, str(home / "serve.py"), str(cache), *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        sites = {site["name"]: site for site in listed(home)}
        expected = sum(len(sites[name]["entries"]) for name in names)
        entries = [server.stdout.readline().split()[1] for _ in range(expected)]
        yield entries
        server.terminate()


class Bodies:
    """The sites' files as sets of shingles, read when asked for."""

    def __init__(self, home: Path, cache: Path) -> None:
        self._roots = {
            site["address"]: cache / "sites" / site["name"] / site["docroot"]
            for site in listed(home)
        }
        self.similarity = lru_cache(maxsize=None)(self._similarity)
        self._shingles = lru_cache(maxsize=None)(self._read)

    def _similarity(self, url: str, other: str) -> float:
        one, two = self._shingles(url), self._shingles(other)
        return len(one & two) / len(one | two) if one | two else 1.0

    def _read(self, url: str) -> frozenset[Any]:
        parts = urlsplit(url)
        path = self._roots[parts.hostname or ""] / parts.path.lstrip("/")
        tree = LexborHTMLParser((path / "index.html" if path.is_dir() else path).read_bytes())
        for node in tree.css(AROUND):
            node.decompose()
        words = re.findall(r"\w+", tree.body.text(separator=" ").lower() if tree.body else "")
        joined = "".join(words)
        if len(UNSPACED.findall(joined)) > 0.1 * len(joined):
            return frozenset(joined[i : i + 4] for i in range(len(joined) - 3))
        return frozenset(zip(words, words[1:], words[2:], strict=False))


def print_verdicts(output: Path) -> None:
    """Print how many pages of each host ended how."""
    counts: dict[str, Counter[str]] = {}
    for page in chain(lines(output, "pages"), lines(output, "duplicates")):
        counts.setdefault(page["host"], Counter())[page["verdict"]] += 1
    for host, verdicts in sorted(counts.items()):
        print(f"  {host}  {sum(verdicts.values()):6} pages  {dict(sorted(verdicts.items()))}")


def print_wrong_drops(output: Path, bodies: Bodies) -> None:
    """Print duplicates whose body is less than .8 like that of the page they name."""
    found = [
        (bodies.similarity(line["url"], line["duplicate_of"]["url"]), line)
        for line in lines(output, "duplicates")
    ]
    wrong = [(similarity, line) for similarity, line in found if similarity < 0.8]
    print(f"duplicates {len(found)}, bodies less than .8 alike: {len(wrong)}")
    for similarity, line in sorted(wrong, key=lambda pair: pair[0])[:20]:
        of = line["duplicate_of"]["url"]
        print(f"  {similarity:.3f} ({line['verdict']}) {line['url']} -> {of}")


def print_release_pairs(output: Path, bodies: Bodies) -> None:
    """Print what became of pages that stand under one path in both releases of LLVM."""
    of = {line["url"]: line["duplicate_of"]["url"] for line in lines(output, "duplicates")}
    urls = {line["url"] for line in lines(output, "pages")} | set(of)
    older = "http://127.0.0.14:8800"
    pairs = [(u, u.replace(".14:", ".15:")) for u in urls if u.startswith(older)]
    table: Counter[tuple[str, str]] = Counter()
    for one, two in (pair for pair in pairs if pair[1] in urls):
        alike = bodies.similarity(one, two)
        band = next(name for least, name in BANDS if alike >= least)
        table[band, _outcome(one, two, of, bodies, alike)] += 1
    for (band, outcome), number in sorted(table.items()):
        print(f"  bodies {band:10} {outcome:42} {number:5}")


BANDS = ((1.0, "equal"), (0.95, ".95 to 1"), (0.8, ".8 to .95"), (0.0, "below .8"))


def _outcome(one: str, two: str, of: dict[str, str], bodies: Bodies, alike: float) -> str:
    if of.get(one) == two or of.get(two) == one:
        return "one is a duplicate of the other"
    if one not in of and two not in of:
        return "both stored"
    copy = two if two in of else one
    closer = bodies.similarity(copy, of[copy]) >= alike
    return f"duplicate of a page {'as much' if closer else 'less'} alike"


def crawl(entries: list[str], output: Path) -> None:
    """Crawl from the sites' entry pages; print rate and memory."""
    data = {**JOB, "seeds": entries, "output": str(output)}
    took = measured(data, lambda line: print(line, flush=True))
    rate = took.pages / took.wall_s
    print(f"{took.pages} pages in {took.wall_s:.0f} s: {rate:.1f} pages/s")
    own_mb, analysis_mb = took.own_bytes / 1e6, took.analysis_bytes / 1e6
    print(f"peak memory: crawl {own_mb:.0f} MB, one analysis process {analysis_mb:.0f} MB")


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--sites", type=Path, default=CORPORA / "sites")
    flags.add_argument("--cache", type=Path, help="where sites are unpacked (default: temporary)")
    flags.add_argument("names", nargs="*", default=list(FIVE))
    args = flags.parse_args()
    if not (args.sites / "serve.py").exists():
        sys.exit(f"{args.sites}: no sites to serve there; nothing was measured")
    with tempfile.TemporaryDirectory() as home:
        cache, output = args.cache or Path(home) / "cache", Path(home) / "out"
        with served(args.sites, cache, args.names) as entries:
            crawl(entries, output)
        bodies = Bodies(args.sites, cache)
        print_verdicts(output)
        print_wrong_drops(output, bodies)
        if {"llvm-15", "llvm-16"} <= set(args.names):
            print("pages under one path in both releases of LLVM:")
            print_release_pairs(output, bodies)


if __name__ == "__main__":
    main()
