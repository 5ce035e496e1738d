"""Chinese beside English: whole crawls of one site's pages in both, in turns.

    python -m benchmarks.crawlers.languages [SITE ...] [--turns 3] [--processes N]

Each of the two sites has the same pages in both languages, of nearly the same size, in two trees
that do not link each other: the help of LibreOffice, 2,253 pages that are mostly markup, and the
handbook of Debian, 127 that are mostly text. Each turn crawls each tree with learned templates and
without. Printed are medians, and the medians of the turns' own ratios.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.crawlers.measuring import Run, measure
from benchmarks.crawlers.programs import OURS, OURS_UNLEARNED, Program, Task, programs

ENTRIES = {"libreoffice-help": "text/shared/main0500.html", "debian-handbook": "index.html"}
"""Site -> page of a tree from which all others are reached."""
TREES = {"English": "en-US", "Chinese": "zh-CN"}


@dataclass(frozen=True, slots=True)
class Crawl:
    """A tree crawled once."""

    run: Run
    page_bytes: float
    """Of HTML, a page that was found."""

    @property
    def ms_100_kb(self) -> float:
        """CPU milliseconds for 100 kB of pages."""
        return 1e5 * self.run.cpu_ms / self.page_bytes


Turn = dict[tuple[str, str], Crawl]
"""(program, language) -> its crawl."""


def of_tree(program: Program, tree: str) -> Program:
    """Return a program that begins at a tree's entry."""

    def command(task: Task) -> list[str]:
        return program.command(replace(task, url=f"{task.url}{tree}/{ENTRIES[task.site]}"))

    return replace(program, command=command)


def crawl_all(corpora: Path, site: str, number: int, processes: int) -> list[Turn]:
    """Crawl both trees in both ways, in so many turns that each begin with another one."""
    sizes = {f"/{path.partition('/')[2]}": len(body) for path, body in site_pages(corpora, site)}
    kinds = [program for program in programs() if program.name in (OURS, OURS_UNLEARNED)]
    chosen = [(program, language) for program in kinds for language in TREES]
    turns = []
    for turn in range(number):
        done: Turn = {}
        start = turn % len(chosen)
        for program, language in (*chosen[start:], *chosen[:start]):
            run = measure(of_tree(program, TREES[language]), corpora, site, processes)
            known = [size for path in run.found if (size := sizes.get(path))]
            page_bytes = sum(known) / len(known)
            done[program.name, language] = Crawl(run, page_bytes)
        turns.append(done)
    return turns


def print_table(site: str, turns: Sequence[Turn]) -> None:
    """Print a row for each crawl, and of each program Chinese as a share of English."""
    print(
        f"{site:28}{'pages':>7}{'kB':>6}{'pages/s':>9}{'CPU ms':>8}{'main ms':>9}{'ms/100 kB':>11}"
    )
    for name, language in turns[0]:
        crawls = [turn[name, language] for turn in turns]
        first, runs = crawls[0], [crawl.run for crawl in crawls]
        print(
            f"{name + ', ' + language:28}{len(first.run.found):7,}{first.page_bytes / 1e3:6.1f}"
            f"{median(run.rate for run in runs):9.0f}{median(run.cpu_ms for run in runs):8.2f}"
            f"{median(run.main_ms for run in runs):9.2f}"
            f"{median(crawl.ms_100_kb for crawl in crawls):11.1f}"
        )
    for name in dict.fromkeys(name for name, _ in turns[0]):
        pairs = [(turn[name, "Chinese"], turn[name, "English"]) for turn in turns]
        rate = median(chinese.run.rate / english.run.rate for chinese, english in pairs)
        cpu = median(chinese.run.cpu_ms / english.run.cpu_ms for chinese, english in pairs)
        size = median(chinese.ms_100_kb / english.ms_100_kb for chinese, english in pairs)
        print(
            f"{name}: Chinese makes {rate:.2f} times the pages a second of English, for "
            f"{cpu:.2f} times the CPU a page, {size:.2f} times the CPU a byte"
        )
    others = max(crawl.run.others for turn in turns for crawl in turn.values())
    print(f"Others took at most {100 * others:.0f} % of the machine.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("sites", nargs="*", metavar="SITE", default=list(ENTRIES))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    args = parser.parse_args()
    for site in args.sites:
        print_table(site, crawl_all(args.corpora, site, args.turns, args.processes))


if __name__ == "__main__":
    main()
