"""Are pages lost on small sites of ordinary kinds? Families of made pages, judged as a crawl does.

    python -m benchmarks.families [--half work|held|all] [--orders N] [--live] [--show] [NAME ...]

Each family is a site of its own (`benchmarks.families.kit`), some ten pages whose truth was written
down by hand by somebody who had not read the rules: pages of one name are copies, of two names
pages that a reader would miss. All families are judged by one judge, in the order in which a crawl
meets their pages, and `--orders` more times in random ones; templates are learned as they come.

Prints, for each family and all of them, pages *lost* (dropped for a page of another name) as a
share of the pages, and *copies kept* (stored although a page of that name is) as a share of the
copies. `--live` crawls them over loopback with default settings, pauses aside, and counts the
lines of `pages.jsonl` and `duplicates.jsonl`. `--show` names each pair that was judged wrongly.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from aiohttp import web

from benchmarks.families import FAMILIES, Family, Page
from crawler.config import Job
from crawler.dedup import Judge, MemoryCatalog, payload_digest, represents
from crawler.dedup.copies import address_key
from crawler.engine import outcomes
from crawler.extract.templates import Learner
from crawler.models import (
    Document,
    ExactDuplicate,
    NearDuplicate,
    PayloadKey,
    Sibling,
    StoredDocument,
)
from crawler.urls import Canonicaliser
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

HALVES = ("work", "held", "all")


@dataclass
class Tally:
    """What became of the pages of a family, over all orders."""

    pages: int = 0
    lost: int = 0
    copies: int = 0
    kept: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add another tally."""
        self.pages += other.pages
        self.lost += other.lost
        self.copies += other.copies
        self.kept += other.kept

    def line(self, name: str) -> str:
        """Return a row of the table."""
        lost, kept = self.lost / max(1, self.pages), self.kept / max(1, self.copies)
        return (
            f"{name:34}{self.pages:>7,}{self.lost:>6,}{lost:>8.2%}{self.copies:>8,}"
            f"{self.kept:>6,}{kept:>8.1%}"
        )


Visits = Sequence[tuple[Family, str, Page]]


def visits(families: Sequence[Family], seed: int | None) -> Visits:
    """Return all pages: family by family in their own order, or each family's in a random one."""
    found = []
    for family in families:
        pages = [(family, url, page) for url, page in family.pages()]
        if seed is not None:
            random.Random(f"{seed} {family.name}").shuffle(pages)
        found += pages
    return found


class Reader:
    """Reads pages by the templates that their hosts teach, as a crawl does one after another."""

    def __init__(self) -> None:
        self._analyser = Analyser(AnalysisSettings.of(Job()))
        self._learners: defaultdict[str, Learner] = defaultdict(Learner)
        self._kept: dict[str, dict[bytes, bytes]] = defaultdict(dict)

    def read(self, url: str, html: str) -> Document:
        """Return what a page says."""
        host = urlsplit(url).netloc
        learner, plan = self._learners[host], self._learners[host].plan()
        request = AnalysisRequest(url, html.encode(), "text/html", "utf-8")
        planned = replace(request, template=plan.template, teaches=plan.teaches)
        page = self._analyser.analyse(planned)
        learner.hear(plan, page.lesson, served=page.template is not None)
        made = page.signature
        if page.template is None:
            return page
        kept = self._kept[host].setdefault(made.text_digest, made.visible_digest)
        if kept == made.visible_digest:
            return page
        return self._analyser.analyse(replace(request, teaches=True, doubted=True))


def judged(pages: Visits, settings: Job) -> Mapping[str, str | None]:
    """Return, for each URL, that of the page it was dropped for; None for stored ones."""
    reader, catalog = Reader(), MemoryCatalog()
    judge = Judge(settings.dedup, catalog, expected_documents=1_000)
    dropped: dict[str, str | None] = {}
    evidence: dict[str, str] = {}
    for number, (_, url, page) in enumerate(pages, 1):
        key = PayloadKey(payload_digest(page.html.encode()), "text/html;utf-8")
        document = reader.read(url, page.html)
        verdict = judge.judge(key, document.signature, number, outcomes.shown(url, document))
        dropped[url] = None
        if isinstance(verdict, ExactDuplicate):
            judge.observe(url, verdict)
        if isinstance(verdict, ExactDuplicate | NearDuplicate | Sibling):
            why = getattr(verdict, "evidence", None) or getattr(verdict, "kind", "")
            evidence[url] = f"{why} of {verdict.of.url}"
        else:
            evidence[url] = str(verdict)
        if judge.keeps(verdict):
            catalog.add(
                StoredDocument(
                    *(number, number, url, key, document.signature, represents(verdict)),
                    layout=document.layout,
                    address=address_key(url),
                    appearance=document.appearance,
                )
            )
        elif isinstance(verdict, ExactDuplicate | NearDuplicate | Sibling):
            dropped[url] = verdict.of.url
    EVIDENCE.update(evidence)
    return dropped


EVIDENCE: dict[str, str] = {}
"""Of the last order: what was said of each page."""


def tallied(pages: Visits, dropped: Mapping[str, str | None]) -> dict[str, Tally]:
    """Compare with the truth, family by family."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    what = {url: (family.texts, page.what) for family, url, page in pages}
    stored: set[tuple[str, str]] = set()
    for family, url, page in pages:
        tally, name = tallies[family.name], (family.texts, page.what)
        if url not in dropped:  # its parameters say nothing: it was asked for without them
            continue
        tally.pages += 1
        if name in stored:
            tally.copies += 1
        original = dropped.get(url)
        if original is None:
            if name in stored:
                tally.kept += 1
                tally.wrong.append(f"kept: {url}: {EVIDENCE.get(url)}")
            stored.add(name)
        elif what[original] != name:
            tally.lost += 1
            tally.wrong.append(f"LOST: {url}: {EVIDENCE.get(url)}")
    return tallies


async def _crawled(pages: Visits) -> Mapping[str, str | None]:
    """Crawl all pages over loopback; return what became of each URL."""
    html = {url: page.html for _, url, page in pages}
    canonicalise = Canonicaliser(frozenset(Job().urls.tracking_parameters))
    asked = {canonicalise(url): page for url, page in html.items()} | html
    written = {canonicalise(url): url for url in reversed(html)} | {url: url for url in html}

    async def answer(request: web.Request) -> web.Response:
        page = asked.get(f"http://{request.host.partition(':')[0]}{request.raw_path}")
        if page is None:
            return web.Response(status=404)
        return web.Response(text=page, content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    hosts = {urlsplit(url).netloc for url in html}
    with tempfile.TemporaryDirectory(prefix="families-") as home:
        output, job = Path(home) / "crawl", Path(home) / "job.yaml"
        settings = {
            "seeds": [_at(url, port) for url in html],
            "output": str(output),
            "fetch": {"resolve": dict.fromkeys(sorted(hosts), "127.0.0.1")},
            "politeness": {"delay_s": 0.0},
            "limits": {"depth": 0},
        }
        job.write_text(yaml.safe_dump(settings), encoding="utf-8")
        command = sys.executable, "-m", "crawler", "crawl", "--quiet", "--config", str(job)
        crawl = await asyncio.create_subprocess_exec(*command)
        if await crawl.wait():
            raise SystemExit("the crawl failed")
        await runner.cleanup()
        dropped: dict[str, str | None] = {}
        for name in ("pages", "duplicates"):
            for path in sorted(output.glob(f"{name}*.jsonl")):
                for line in path.read_text(encoding="utf-8").splitlines():
                    record = json.loads(line)
                    of = record["duplicate_of"]["url"] if name == "duplicates" else None
                    url = written[_plain(record["url"])]
                    dropped[url] = of and written[_plain(of)]
                    EVIDENCE[url] = f"{record.get('evidence')} of {of}"
    return dropped


def _at(url: str, port: int) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{parts.netloc}:{port}").geturl()


def _plain(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.partition(":")[0]).geturl()


def chosen(half: str, names: Sequence[str]) -> Iterator[Family]:
    """Yield the families of a half, or those of these names."""
    for family in FAMILIES.values():
        if family.name in names or (not names and half in ("all", family.half)):
            yield family


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--half", choices=HALVES, default="work")
    parser.add_argument("--orders", type=int, default=2, help="random orders besides their own (2)")
    parser.add_argument("--live", action="store_true", help="crawl them over loopback, once")
    parser.add_argument("--show", action="store_true", help="name what was judged wrongly")
    arguments = parser.parse_args()
    families = list(chosen(arguments.half, arguments.names))
    totals: dict[str, Tally] = {family.name: Tally() for family in families}
    seen: Counter[str] = Counter()
    for seed in [None] if arguments.live else [None, *range(arguments.orders)]:
        pages = visits(families, seed)
        dropped = asyncio.run(_crawled(pages)) if arguments.live else judged(pages, Job())
        for name, tally in tallied(pages, dropped).items():
            totals[name].add(tally)
            seen.update(tally.wrong)
            totals[name].wrong += tally.wrong
    print(f"{'family':34}{'pages':>7}{'lost':>6}{'':8}{'copies':>8}{'kept':>6}")
    whole = Tally()
    for family in families:
        tally = totals[family.name]
        whole.add(tally)
        print(tally.line(family.name))
        if arguments.show:
            for wrong in dict.fromkeys(tally.wrong):
                print(f"    {wrong}")
    print(whole.line(f"all of {len(families)}"))


if __name__ == "__main__":
    main()
