"""Whether learning which URLs bring nothing brings texts earlier, and what is lost by it.

    python -m benchmarks.learning [--runs 3] [--arms off on] [--recorded DIR] [--plot SVG]
                                  [SITE ...]

Crawls each site whole, with the real crawler, by a replay of what it answers
(`benchmarks.learning.sites`), with `learn.urls: false` (off) and `true` (on): one fetch at a time
of each host, no pause, no traps cut. Where the crawler has no such key both arms are the same. The
order of fetches is that in which the server was asked; what they brought is told by the pages
themselves (`benchmarks.learning.measures`). Of several runs each printed figure is the median.

texts at 10, 25, 50 %   new texts stored after such a share of the fetches that a whole crawl
                        without learning makes
area                    under the curves of new texts and of new lines, as ratios to the first arm;
                        where few pages show what many do, in a good order there are fewer texts
                        with the same lines; beside it what nobody can surpass: of texts, if each
                        fetch brings one as long as there are any
avoidable               fetches that brought no new line; of them, how many came after 95 %, 99 %
                        and all of those that did. Of 250 texts 99 % is all but two: where three
                        hide among hundreds of addresses alike, it tells when the first of them came
missed                  lines that the first crawl without learning fetched and this one did not:
                        must be 0
dropped                 lines of fetched pages that no stored page has: which of two like pages is
                        the duplicate follows from the order
absent                  requests for what was not recorded
ms                      CPU of the crawl's main process a fetch

All of it goes to `benchmarks/out/learning.json` too, with what rules were learned where the crawler
tells. `--plot` draws the curves of new texts of the sites named, as that file has them of their
last runs; a site that it has is not crawled again for that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.corpora import CORPORA
from benchmarks.end_to_end import measured
from benchmarks.learning.measures import Texts, Walk, area, at, most, texts
from benchmarks.learning.replaying import ROBOTS, asked, replaying
from benchmarks.learning.sites import RECORDED, Stage, job_of, names, stage
from benchmarks.served import served
from benchmarks.soak.checks import lines
from crawler.config import Job

OUT = Path(__file__).resolve().parents[1] / "out/learning.json"
ARMS: Mapping[str, Mapping[str, Any]] = {
    "off": {"learn": {"urls": False}},
    "on": {"learn": {"urls": True}},
}
SHARES = (0.1, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl: what it fetched, and what it took."""

    walk: Walk
    absent: int
    main_ms: float
    """CPU milliseconds a fetch."""
    wall_s: float
    rules: Any
    """As the crawler tells them; None where it does not."""

    def curve(self) -> list[int]:
        """Return how many new texts were stored after each hundredth of the fetches."""
        fetches = len(self.walk.urls)
        return [at(self.walk.new_texts, round(n / 100 * fetches)) for n in range(101)]


@dataclass(frozen=True, slots=True)
class Figures:
    """What is told of a run; shares and areas against the first arm's."""

    fetches: int
    new_texts: int
    texts_at: tuple[int, ...]
    """By `SHARES`."""
    area_texts: float
    area_lines: float
    area_at_most: float
    """Of texts, in any order."""
    avoidable: int
    after_nearly: int
    """Avoidable fetches after 95 % of the others."""
    after_most: int
    """Avoidable fetches after 99 % of the others."""
    after_all: int
    missed: int
    dropped: int
    absent: int
    main_ms: float


def crawled(site: Stage, read: Texts, arm: Mapping[str, Any]) -> Run:
    """Crawl a site whole and return what became of it."""
    known = {key: value for key, value in arm.items() if key in Job.model_fields}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with served(partial(replaying, partial(dict, site.site))) as server:
            job = job_of(site, server.web, place) | known | {"output": str(place / "out")}
            took = measured(job, lambda line: None)
            urls = [url for url in asked(server.web) if not url.endswith(ROBOTS)]
        pages = list(lines(place / "out", "pages"))
        rules = _rules(place / "out")
    fetched = list(dict.fromkeys(urls))
    absent = sum(url not in site.site for url in fetched)
    main_ms = 1000 * took.own_cpu_s / len(fetched)
    stored = frozenset(page[key] for page in pages for key in ("url", "final_url"))
    return Run(Walk(fetched, read, stored), absent, main_ms, took.wall_s, rules)


def _rules(output: Path) -> Any:
    """Return the rules that a crawl has learned, None where the crawler has no such command."""
    command = [sys.executable, "-m", "crawler", "rules", str(output), "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(told.stdout) if told.returncode == 0 else None


def figures(walk: Walk, base: Walk, *, absent: int = 0, main_ms: float = 0.0) -> Figures:
    """Return what is told of a walk beside the one that the first arm took."""
    whole = len(base.urls)
    return Figures(
        fetches=len(walk.urls),
        new_texts=at(walk.new_texts, len(walk.urls)),
        texts_at=tuple(at(walk.new_texts, round(share * whole)) for share in SHARES),
        area_texts=area(walk.new_texts, whole) / max(1, area(base.new_texts, whole)),
        area_lines=area(walk.new_lines, whole) / max(1, area(base.new_lines, whole)),
        area_at_most=most(base.new_texts) / max(1, area(base.new_texts, whole)),
        avoidable=walk.avoidable,
        after_nearly=walk.put_off(0.95),
        after_most=walk.put_off(0.99),
        after_all=walk.put_off(),
        missed=len(walk.missed() - base.missed()),
        dropped=len(walk.dropped()),
        absent=absent,
        main_ms=main_ms,
    )


def middle(several: Sequence[Figures]) -> dict[str, Any]:
    """Return each figure's median, by name."""
    columns = {name: [asdict(one)[name] for one in several] for name in asdict(several[0])}
    texts_at = [median(column) for column in zip(*columns.pop("texts_at"), strict=True)]
    return {name: median(column) for name, column in columns.items()} | {"texts_at": texts_at}


HEAD = (
    f"{'site':17}{'arm':12}{'fetches':>8}{'texts':>7}{'at 10':>7}{'25':>6}{'50 %':>6}"
    f"{'area: texts':>13}{'at most':>9}{'lines':>7}{'avoidable':>11}{'after 95 %':>12}{'99 %':>7}"
    f"{'all':>7}"
    f"{'missed':>8}{'dropped':>9}{'absent':>8}{'ms':>7}"
)


def row(site: str, arm: str, told: Mapping[str, Any]) -> str:
    """Return a row of the table from figures by name."""
    ten, quarter, half = told["texts_at"]
    spare = max(1, told["avoidable"])
    return (
        f"{site:17}{arm:12}{told['fetches']:>8.0f}{told['new_texts']:>7.0f}{ten:>7.0f}"
        f"{quarter:>6.0f}{half:>6.0f}{told['area_texts']:>13.3f}{told['area_at_most']:>9.3f}"
        f"{told['area_lines']:>7.3f}{told['avoidable']:>11.0f}"
        f"{told['after_nearly'] / spare:>12.1%}{told['after_most'] / spare:>7.1%}"
        f"{told['after_all'] / spare:>7.1%}{told['missed']:>8.0f}{told['dropped']:>9.0f}"
        f"{told['absent']:>8.0f}{told['main_ms']:>7.2f}"
    )


def measure(site: Stage, arms: Sequence[str], runs: int) -> Mapping[str, Any]:
    """Crawl a site by each arm in turns; print a row for each, return all figures."""
    read = texts(site.site, site.second)
    done: dict[str, list[Run]] = {arm: [] for arm in arms}
    for _ in range(runs):
        for arm in arms:
            done[arm].append(run := crawled(site, read, ARMS[arm]))
            print(
                f"{site.name}, {arm}: {len(run.walk.urls)} fetches in {run.wall_s:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    # Runs differ by which page was judged first: each arm's are held against the same walk.
    base = done[arms[0]][0].walk
    told: dict[str, Any] = {
        "urls": len(site.site),
        "pages": len(read),
        "unreached_lines": len(base.missed()),
    }
    for arm, several in done.items():
        each = [figures(run.walk, base, absent=run.absent, main_ms=run.main_ms) for run in several]
        print(row(site.name, arm, middle(each)), flush=True)
        told[arm] = {
            "runs": [asdict(one) for one in each],
            "rules": several[-1].rules,
            "curve": several[-1].curve(),
        }
    return told


def plot(told: Mapping[str, Any], path: Path) -> None:
    """Draw the curve of each arm, a panel a site; where matplotlib is not installed, nothing."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path} is not drawn: matplotlib is not installed (pip install matplotlib)")
        return
    with rc_context({"svg.hashsalt": "learning", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 2.9 * ceil(len(told) / 3)), layout="constrained")
        panels = figure.subplots(ceil(len(told) / 3), 3, squeeze=False, sharex=True, sharey=True)
        for axes, (site, arms) in zip(panels.flat, told.items(), strict=False):
            for (arm, colour), style in zip(_COLOURS.items(), ("--", "-"), strict=True):
                curve = arms[arm]["curve"]
                shares = [100 * texts / max(1, curve[-1]) for texts in curve]
                axes.plot(range(101), shares, style, color=colour, label=f"learn.urls {arm}")
            axes.set_title(site)
            axes.grid(alpha=0.3)
        panels.flat[0].legend()
        figure.supxlabel("% of the fetches")
        figure.supylabel("% of the texts stored")
        figure.savefig(path, metadata={"Date": None})


_COLOURS = {"off": "#888888", "on": "#2166ac"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("sites", nargs="*", metavar="SITE")
    flags.add_argument("--runs", type=int, default=3)
    flags.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    flags.add_argument("--recorded", type=Path, default=RECORDED, metavar="DIR")
    flags.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    flags.add_argument("--plot", type=Path, metavar="SVG")
    args = flags.parse_args(arguments)
    there = names(args.recorded, args.corpora)
    if unknown := sorted(set(args.sites) - set(there)):
        flags.error(f"no such site: {', '.join(unknown)}; there are {', '.join(there)}")
    named = args.sites or there
    if not (args.plot and set(named) <= set(_kept())):
        print(HEAD)
        for name in named:
            told = measure(stage(name, args.recorded, args.corpora), args.arms, args.runs)
            OUT.parent.mkdir(exist_ok=True)
            OUT.write_text(json.dumps(_kept() | {name: told}, indent=1))
    if args.plot:
        kept = _kept()
        plot({name: kept[name] for name in named}, args.plot)


def _kept() -> dict[str, Any]:
    """Return what was measured last of each site."""
    found: dict[str, Any] = json.loads(OUT.read_text()) if OUT.exists() else {}
    return found


if __name__ == "__main__":
    main()
