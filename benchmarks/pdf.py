"""PDFs beside pdftotext, and manuals that are there as PDF and as one page of HTML.

    python -m benchmarks.pdf [DIR...] [--pages N]

Reads all PDFs below the directories (/usr/share/doc: Debian's packages of documentation have
hundreds, `apt-get install debian-policy developers-reference debian-edu-doc-de ...`), also in gzip.
Of each document N pages are compared, evenly spread: word characters in the order in which both
programs have them, F1 of their longest common subsequence, running heads included. `any order`
counts characters wherever they stand: what is lost is lost by both measures. pdftotext (Debian:
poppler-utils, and poppler-data for Chinese, Japanese and Korean) reads tables by columns, here they
are read by rows; so it is the order of another reader and no gold. Then CPU time of reading whole
documents, and the most memory.

Of each pair NAME.pdf and NAME.html in one directory, what a judge says that has stored the one as
the other comes. Says what is missing, and ends, where there is nothing to read.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from unicodedata import normalize

from crawler.config import Extract, Job
from crawler.dedup.copies.agreement import Page
from crawler.dedup.copies.appearance import unpack
from crawler.dedup.copies.rules import Site, weigh
from crawler.dedup.signing import shingle_similarity
from crawler.errors import ConfigError
from crawler.extract.installed import check_installed
from crawler.extract.pdf import HYPHEN, MOST_PAGES, Pdf, PdfUnreadable, read_pdf
from crawler.extract.text import word_characters
from crawler.models import PDF, Document, Evidence
from crawler.models.pages import Shingles
from crawler.urls.editions import Editions
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

HOME = Path("/usr/share/doc")
PAGES = 60
LEAST = 0.8
"""Similarity from which the judge looks at a pair at all (`dedup.threshold`)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was measured, and on what."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="*", type=Path, default=[HOME], metavar="DIR")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N")
    asked = parser.parse_args(arguments)
    try:
        check_installed(Extract(pdf=True))
    except ConfigError as error:
        print(f"skipped: {error}")
        return 0
    files = sorted({file for place in asked.places for file in found(place, ".pdf")})
    if not files:
        print(f"skipped: no PDFs in {', '.join(map(str, asked.places))}")
        return 0
    if shutil.which("pdftotext") is None:
        print("not compared: there is no pdftotext (Debian: poppler-utils)")
    else:
        beside(files, asked.pages)
    pairs(files)
    return 0


def found(place: Path, suffix: str) -> Iterator[Path]:
    """Yield the files with a suffix, also in gzip; links once."""
    seen = set[Path]()
    for file in sorted(place.rglob(f"*{suffix}*")):
        if file.name.removesuffix(".gz").endswith(suffix) and file.is_file():
            if file.resolve() not in seen:
                yield file
            seen.add(file.resolve())


def data_of(file: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def beside(files: Sequence[Path], most: int) -> None:
    """Compare pages of each file with what pdftotext has of them."""
    rows: list[tuple[float, float]] = []
    pages, seconds, costs = 0, 0.0, list[float]()
    print(f"{'F1':>7} {'any order':>9} {'pages':>6} {'ms/page':>8}")
    for file in files:
        data = data_of(file)
        try:
            with Pdf(data) as pdf:
                numbers = range(0, min(pdf.pages, MOST_PAGES), max(1, pdf.pages // most))
                ours = [bare("".join(line.text for line in pdf.lines(n))) for n in numbers]
        except PdfUnreadable as error:
            print(f"{'':>33} {file.name}: {error}")
            continue
        theirs = [bare(text) for text in by_pdftotext(data)]
        facing = [
            (one, theirs[n] if n < len(theirs) else "")
            for n, one in zip(numbers, ours, strict=True)
        ]
        total = sum(len(one) + len(other) for one, other in facing)
        if not total:
            print(f"{'':>33} {file.name}: no text")
            continue
        ordered = 2 * sum(common(*pair) for pair in facing) / total
        anyhow = 2 * sum((Counter(one) & Counter(other)).total() for one, other in facing) / total
        begun = time.process_time()
        read = read_pdf(data).read
        took = time.process_time() - begun
        rows.append((ordered, anyhow))
        costs.append(1000 * took / max(1, read))
        pages, seconds = pages + read, seconds + took
        print(f"{ordered:7.4f} {anyhow:9.4f} {read:6} {costs[-1]:8.1f} {file.name}")
    if rows:
        ordered_, anyhow_ = ([row[n] for row in rows] for n in (0, 1))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"\n{len(rows)} documents, {pages} pages read: F1 mean {fmean(ordered_):.4f}, median "
            f"{median(ordered_):.4f}, {sum(one >= 0.97 for one in ordered_)} of {len(rows)} at .97 "
            f"or more; in any order mean {fmean(anyhow_):.4f}. {1000 * seconds / pages:.1f} ms of "
            f"CPU a page (median of documents {median(costs):.1f}); at most {peak:.0f} MB"
        )


def by_pdftotext(data: bytes) -> list[str]:
    """Return the pages of a PDF as pdftotext reads them in its usual, reading order."""
    command = ["pdftotext", "-enc", "UTF-8", "-", "-"]
    said = subprocess.run(command, input=data, capture_output=True, check=False).stdout
    return said.decode("utf-8", "replace").split("\f")


def bare(text: str) -> str:
    """Return the word characters of a text, in their ordinary forms."""
    return word_characters(normalize("NFKC", text.replace(HYPHEN, "")))


def common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence (Hyyrö 2004: by words of bits)."""
    places: dict[str, int] = {}
    for place, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << place
    whole = row = (1 << len(one)) - 1
    for letter in other:
        met = row & places.get(letter, 0)
        row = ((row + met) | (row - met)) & whole
    return len(one) - row.bit_count()


def pairs(files: Sequence[Path]) -> None:
    """Judge each manual that is there as PDF and as a page."""
    analyser = Analyser(AnalysisSettings.of(Job.model_validate({"extract": {"pdf": True}})))

    def read(file: Path, media_type: str) -> tuple[Document, Page]:
        name = file.name.removesuffix(".gz")
        request = AnalysisRequest(f"http://site.test/{name}", data_of(file), media_type, None)
        page = analyser.analyse(request)
        return page, Page(unpack(page.appearance or b""), request.url, page.layout)

    alike = copies = told = 0
    for pdf in files:
        html = pdf.with_name(pdf.name.removesuffix(".gz").removesuffix(".pdf") + ".html")
        if not html.is_file():
            continue
        (one, as_pdf), (other, as_html) = read(pdf, PDF), read(html, "text/html")
        similarity = shingle_similarity(one.signature, Shingles.of(other.signature))
        ways = ((as_pdf, as_html), (as_html, as_pdf))
        first, second = (weigh(new, old, Site(Editions())).evidence for new, old in ways)
        told += 1
        if similarity >= LEAST:
            alike += 1
            copies += Evidence.RENDITION in (first, second)
        print(f"{similarity:.3f} PDF last: {first}, page last: {second}; {html}")
    print(
        f"\n{told} manuals as PDF and page: {alike} are alike (.8), {copies} of these copies in at "
        "least one order; others are stored, and named as siblings"
    )


if __name__ == "__main__":
    sys.exit(main())
