"""Are dropped pages copies that no reader would miss? Whole sites, judged in a random order.

    python -m benchmarks.copies [--corpora DIR] [--seed N] [--worst N] [--alone] [GROUP ...]

Reads every HTML page of the packed sites as a crawl does, editions and languages of one site
together, in the random order in which they are judged: each site is a host whose template is
learned from its pages, unless each page is to be read `--alone` (`extract.learn: false`). It judges
them by our method, by resemblance alone (`siblings: ignore`), and by SimHash
(distance 3) and MinHash (.8) as they are published. What is true:

- Pages of one path in two editions or languages are versions of one page: each is a **copy** of the
  others where they are alike at all (exact similarity of the texts >= .8, or equal visible texts).
- Pages of different paths are **other pages**, unless all that is visible on them is equal, or
  somebody looked at the two and found them to be one page (`checked_pairs.tsv`, with the reason).
- Pages of the groups `made-1`, `made-4` and `made-5` (`benchmarks.made_pages`, by their seed) say
  which page each of them is.

Prints, by group and pooled, the pages *lost* (dropped, although they are other pages than the one
they are said to copy) as a share of all pages, and the *copies kept* as a share of all copies of a
page that was kept. Texts are read once and kept in `benchmarks/out`; alone, that takes some 25
minutes of CPU, judging them four more.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.contestants import named
from benchmarks.corpora import CORPORA, site_pages
from benchmarks.made_pages import made_pages
from crawler.config import Dedup, Job
from crawler.dedup import Judge, MemoryCatalog, Signer, payload_digest, represents
from crawler.dedup.copies import Appearance, address_key, judged_text, unpack
from crawler.dedup.signing import jaccard
from crawler.engine import outcomes
from crawler.extract.templates import Learner
from crawler.models import Document, PayloadKey, Sibling, Signature, StoredDocument, Verdict
from crawler.workers.analyser import Analyser
from crawler.workers.messages import ANALYSIS_VERSION, AnalysisRequest, AnalysisSettings

OUT = Path(__file__).parent / "out"
CHECKED = Path(__file__).parent / "checked_pairs.tsv"
MADE = "made-"
"""Before the seed of made pages. The rules were chosen on seeds 1 to 3; 4 and 5 are held out."""
GROUPS = {
    "llvm": ("llvm-15", "llvm-16"),
    "hexo": ("hexo-docs", "hexo-docs-2016"),
    "debian-handbook": ("debian-handbook",),
    "libreoffice-help": ("libreoffice-help",),
    "apache2-manual": ("apache2-manual",),
    "openjdk-17-api": ("openjdk-17-api",),
    "postgresql-15": ("postgresql-15",),
    "python-3.11": ("python-3.11",),
    "oi-wiki": ("oi-wiki",),
    **{f"{MADE}{seed}": (f"{MADE}{seed}",) for seed in (1, 4, 5)},
}
METHODS: Mapping[str, Mapping[str, Any]] = {
    "ours": {},
    "resemblance": {"siblings": "ignore"},
    "simhash <= 3": {"siblings": "ignore", "method": "simhash", "distance": 3},
    "minhash .8": {"siblings": "ignore", "method": "minhash"},
}
SIMILAR = 0.8
REFRESH_TOKENS = 16
_SAID = 100
"""Pages after which it is said how many are read."""
_PART = 8
"""Pages read in one go where each is read alone."""
_LANGUAGE = re.compile(r"\A[a-z]{2}(-[A-Za-z]{2})?/")
"""First part of a path in a site that has one tree for each language."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was read."""

    site: str
    url: str
    made: str | None
    """What a made page is, by those who made it."""
    family: str
    """The group of made pages it belongs to; its site for others."""
    document: Document

    @property
    def name(self) -> str:
        """What the page is: equal for versions of one page, as truth has it."""
        return self.made or _LANGUAGE.sub("", self.path)

    @property
    def path(self) -> str:
        """Path on its site."""
        return self.url.partition(".test/")[2]

    @property
    def place(self) -> str:
        """Site and path, as the checked pairs name a page."""
        return f"{self.site}/{self.path}"


@dataclass(slots=True)
class Tally:
    """What became of the pages of a group."""

    pages: int = 0
    dropped: int = 0
    siblings: int = 0
    lost: int = 0
    copies: int = 0
    kept: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of another group."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self, group: str, method: str) -> str:
        """Return a row of the table."""
        lost, kept = self.lost / max(1, self.pages), self.kept / max(1, self.copies)
        return (
            f"{group:18}{method:14}{self.pages:>7,}{self.dropped:>9,}{self.siblings:>10,}"
            f"{self.lost:>7,}{lost:>9.3%}{self.copies:>8,}{self.kept:>7,}{kept:>8.2%}"
        )


# --------------------------------------------------------------------------------------------------
# Reading


def pages_of(corpora: Path, group: str, seed: int, learns: bool) -> list[Page]:
    """Return the pages of a group's sites in a random order, read now or by an earlier run.

    Where a crawl `learns`, each site is a host, and its template is learned in that order.
    """
    how = f"learned-{seed}" if learns else f"alone-{seed}"
    cache = OUT / f"copies-{group}-{ANALYSIS_VERSION}-{how}.pickle"
    if not cache.exists():
        OUT.mkdir(exist_ok=True)
        raw = [page for site in GROUPS[group] for page in _raw_pages(corpora, site)]
        random.Random(seed).shuffle(raw)
        cache.write_bytes(pickle.dumps(_all_read(raw, group, learns)))
    cached: list[Page] = pickle.loads(cache.read_bytes())
    return cached


def _all_read(raw: Sequence[_Raw], group: str, learns: bool) -> list[Page]:
    """Read pages, those of one host one after another if that is learned from; in their order."""
    if learns:
        hosts: dict[str, list[int]] = defaultdict(list)
        for number, page in enumerate(raw):
            hosts[urlsplit(page.url).netloc].append(number)
        parts = sorted(hosts.values(), key=len, reverse=True)
    else:
        parts = [list(range(n, min(n + _PART, len(raw)))) for n in range(0, len(raw), _PART)]
    pages: list[Page | None] = [None] * len(raw)
    done = 0
    with ProcessPoolExecutor() as pool:
        work = pool.map(partial(_read_part, learns=learns), ([raw[n] for n in p] for p in parts))
        for part, read in zip(parts, work, strict=True):
            for number, result in zip(part, read, strict=True):
                pages[number] = result
            done += len(part)
            if done // _SAID > (done - len(part)) // _SAID:
                print(f"\r{group}: {done:,} pages read", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [page for page in pages if page is not None]


@dataclass(frozen=True, slots=True)
class _Raw:
    """A page before it is read."""

    site: str
    url: str
    made: str | None
    family: str
    packed: bytes
    """Its body, compressed: all bodies of a site are held at once."""


def _raw_pages(corpora: Path, site: str) -> Iterator[_Raw]:
    if site.startswith(MADE):
        for made in made_pages(seed=int(site.removeprefix(MADE))):
            family = f"{made.family} {made.language}"
            yield _Raw(site, made.url, made.page, family, zlib.compress(made.html.encode()))
        return
    for member, body in site_pages(corpora, site):
        path = member.partition("/")[2]
        yield _Raw(site, f"http://{site}.test/{path}", None, site, zlib.compress(body, 1))


def _read_part(part: Sequence[_Raw], learns: bool) -> list[Page | None]:
    """Read pages of one host one after another by what they teach of it, or each by itself.

    A page that only refreshes to another URL is None, as a crawl has it.
    """
    learner, texts = Learner(), dict[bytes, bytes]()
    read: list[Page | None] = []
    for raw in part:
        document = _learned(raw, learner, texts) if learns else _read(raw)
        if document.refresh and document.signature.tokens < REFRESH_TOKENS:
            read.append(None)
            continue
        document = replace(document, links=(), lesson=None)
        read.append(Page(raw.site, raw.url, raw.made, raw.family, document))
    return read


def _learned(raw: _Raw, learner: Learner, texts: dict[bytes, bytes]) -> Document:
    """Read a page by its host's template, and let it teach.

    One whose text is another's in `texts`, although other things are visible, is read anew.
    """
    plan = learner.plan()
    document = _read(raw, template=plan.template, teaches=plan.teaches)
    learner.hear(plan, document.lesson, served=document.template is not None)
    made = document.signature
    if document.template is None:
        return document
    if texts.setdefault(made.text_digest, made.visible_digest) != made.visible_digest:
        return _read(raw, doubted=True)
    return document


def _read(raw: _Raw, **plan: Any) -> Document:
    body = zlib.decompress(raw.packed)
    return _analyser().analyse(AnalysisRequest(raw.url, body, "text/html", None, **plan))


def _analyser(made: list[Analyser] = []) -> Analyser:  # noqa: B006 - one for each process
    if not made:
        made.append(Analyser(AnalysisSettings.of(Job())))
    return made[0]


# --------------------------------------------------------------------------------------------------
# Judging


@dataclass(frozen=True, slots=True)
class Pair:
    """A page, another one, and the verdict on the first."""

    page: Page
    other: Page
    """What it was dropped for; of a page that was stored, what it is a copy of."""
    verdict: Verdict

    def is_lost(self, checked: Mapping[frozenset[str], str]) -> bool:
        """Whether a page that was dropped is another one than that it was dropped for."""
        ours, theirs = self.page.document.signature, self.other.document.signature
        if ours.visible_digest == theirs.visible_digest or self.page.name == self.other.name:
            return False
        return checked.get(frozenset((self.page.place, self.other.place))) != "copy"

    @property
    def told(self) -> str:
        """Both pages, and what was said of them."""
        evidence = getattr(self.verdict, "evidence", None)
        return (
            f"{self.page.family}: {self.page.url} ({self.page.document.title}), {self.other.url} "
            f"({self.other.document.title}): {evidence or self.verdict}"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a group was judged."""

    tally: Tally
    lost: list[Pair]
    kept: list[Pair]
    """Copies that were stored."""


def judged(
    pages: Sequence[Page],
    signatures: Sequence[Signature],
    settings: Dedup,
    checked: Mapping[frozenset[str], str],
) -> Outcome:
    """Judge pages in their order."""
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=len(pages))
    outcome = Outcome(Tally(len(pages)), [], [])
    versions: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        verdict = _verdict(judge, catalog, number, page, signatures[number])
        tally, original = outcome.tally, named(verdict)
        tally.siblings += isinstance(verdict, Sibling)
        copied = [pages[other] for other in versions[page.name] if _alike(page, pages[other])]
        tally.copies += bool(copied)
        if original is None:
            versions[page.name].append(number)
            outcome.kept.extend(Pair(page, other, verdict) for other in copied[:1])
            continue
        tally.dropped += 1
        drop = Pair(page, pages[original], verdict)
        if drop.is_lost(checked):
            outcome.lost.append(drop)
    outcome.tally.lost, outcome.tally.kept = len(outcome.lost), len(outcome.kept)
    return outcome


def _verdict(
    judge: Judge, catalog: MemoryCatalog, number: int, page: Page, signature: Signature
) -> Verdict:
    """Judge a page, without equal payloads, and store it where the verdict says so."""
    key = PayloadKey(payload_digest(number.to_bytes(8, "big")), "text/html")
    document = page.document
    verdict = judge.judge(key, signature, number, outcomes.shown(page.url, document))
    if judge.keeps(verdict):
        catalog.add(
            StoredDocument(
                *(number, number, page.url, key, signature, represents(verdict)),
                layout=document.layout,
                address=address_key(page.url),
                appearance=document.appearance,
            )
        )
    return verdict


def _alike(page: Page, version: Page) -> bool:
    """Whether two versions of a page are alike enough to be copies, as judged or all visible."""
    first, second = page.document.signature, version.document.signature
    if first.visible_digest == second.visible_digest or _similar(first, second):
        return True
    return _similar(_signed_visible(page), _signed_visible(version))


def _similar(first: Signature, second: Signature) -> bool:
    if first.shingle_kind != second.shingle_kind:
        return False
    return jaccard(first.shingles, second.shingles) >= SIMILAR


def _signed_visible(page: Page, sign: Signer = Signer(Dedup())) -> Signature:  # noqa: B008 - one
    return sign(_shown(page).visible_text or "")


def _shown(page: Page) -> Appearance:
    assert page.document.appearance is not None  # as all are HTML
    return unpack(page.document.appearance)


def _signed(pages: Sequence[Page], settings: Dedup) -> list[Signature]:
    """Return signatures by another method than ours, with the digests of what was read."""
    sign = Signer(settings)
    return [
        replace(
            sign(judged_text(_shown(page), page.document.text)),
            visible_digest=page.document.signature.visible_digest,
        )
        for page in pages
    ]


def _checked() -> dict[frozenset[str], str]:
    """Return what somebody who looked at two pages found."""
    rows = (line.split("\t") for line in CHECKED.read_text(encoding="utf-8").splitlines()[1:])
    return {frozenset((first, second)): verdict for verdict, first, second, _ in rows}


def main() -> None:
    """Print the table, and some pages that were judged wrongly."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the pages (1)")
    parser.add_argument(
        "--worst", type=int, default=5, help="pages judged wrongly to show a group (5)"
    )
    parser.add_argument("--alone", action="store_true", help="learn no templates")
    arguments = parser.parse_args()
    if not arguments.corpora.is_dir():
        parser.error(f"{arguments.corpora}: no corpora there")
    print(
        f"{'group':18}{'method':14}{'pages':>7}{'dropped':>9}{'siblings':>10}{'lost':>7}{'':9}"
        f"{'copies':>8}{'kept':>7}"
    )
    pooled = {kind: {method: Tally() for method in METHODS} for kind in ("sites", "made")}
    checked = _checked()
    for group in arguments.groups or GROUPS:
        pages = pages_of(arguments.corpora, group, arguments.seed, not arguments.alone)
        print(f"{group:18}{_bases(pages)}")
        for method, fields in METHODS.items():
            settings = Dedup.model_validate(fields)
            signatures = [page.document.signature for page in pages]
            if "method" in fields:
                signatures = _signed(pages, settings)
            began = time.process_time()
            outcome = judged(pages, signatures, settings, checked)
            cost = (time.process_time() - began) / len(pages)
            pooled["made" if group.startswith(MADE) else "sites"][method].add(outcome.tally)
            print(outcome.tally.line(group, method), flush=True)
            if method == "ours":
                print(f"{group:18}judged in {cost * 1e3:.2f} ms of CPU a page")
                show(outcome, arguments.worst)
    for kind, tallies in pooled.items():
        for method, tally in tallies.items():
            print(tally.line(f"all {kind}", method))


def _bases(pages: Sequence[Page]) -> str:
    """Return which texts were judged, as shares of the pages."""
    counts = Counter(page.document.judged_on.value for page in pages)
    told = (f"{basis} {number / len(pages):.1%}" for basis, number in counts.most_common())
    return f"judged on: {', '.join(told)}"


def show(outcome: Outcome, most: int) -> None:
    """Print some pages that were lost and copies that were kept, and how many by family."""
    for name, pairs in (("lost", outcome.lost), ("kept", outcome.kept)):
        for pair in pairs[:most]:
            print(f"    {name}: {pair.told}")
        counts = Counter(pair.page.family for pair in pairs)
        if len(counts) > 1:
            told = ", ".join(f"{family} {number}" for family, number in counts.most_common())
            print(f"    {name}: {told}")


if __name__ == "__main__":
    main()
