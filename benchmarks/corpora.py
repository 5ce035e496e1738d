"""The corpora that benchmarks read: pages with gold texts, and real sites as archives."""

from __future__ import annotations

import importlib.util
import io
import json
import lzma
import tarfile
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from crawler.extract.page import parse

CORPORA = Path(__file__).resolve().parents[1] / "../shared/corpora"
SETS = ("articles-en", "docs-zh", "pages-en")
HANDBOOK = "debian-handbook"
_AROUND = ("ul.docnav", "#banner", "#title")
"""What the handbook's template puts around a page's body."""

Score = Callable[[str, str], tuple[float | None, float | None]]
"""(gold text, extracted text) -> precision and recall; None where nothing can be divided."""


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and its authors' own text."""

    html: str
    text: str
    group: str
    """Type of page, or the site."""


def records(home: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of one of `SETS`."""
    with lzma.open(home / f"extraction/{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def gold_pages(home: Path, name: str) -> list[GoldPage]:
    """Return the pages of one of `SETS`."""
    return [
        GoldPage(page["html"], page["text"], page.get("page_type") or page.get("site") or "")
        for page in records(home, name)
    ]


def scorer(home: Path) -> Score:
    """Return the sets' own measure: shingles of four tokens as multisets."""
    spec = importlib.util.spec_from_file_location("score", home / "extraction/score.py")
    assert spec is not None
    assert spec.loader is not None
    program: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return lambda gold, text: program.precision_recall(gold, text, program.TOKEN)


def site_pages(
    home: Path, site: str, wanted: Callable[[str], bool] = lambda path: True
) -> Iterator[tuple[str, bytes]]:
    """Yield (path, body) of a site's wanted HTML pages, in the archive's order."""
    return site_files(home, site, lambda path: path.endswith(".html") and wanted(path))


def site_files(
    home: Path, site: str, wanted: Callable[[str], bool] = lambda path: True
) -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) of a site's wanted files, in the archive's order."""
    packed = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    with (
        (home / f"sites/{site}.tar.zst").open("rb") as file,
        packed.stream_reader(file) as stream,
        tarfile.open(fileobj=io.BufferedReader(stream), mode="r|") as archive,
    ):
        for member in archive:
            if member.isfile() and wanted(member.name):
                content = archive.extractfile(member)
                assert content is not None
                yield member.name, content.read()


def handbook_body(html: str) -> str:
    """Return a handbook page's own content, found by its template's marks."""
    tree = parse(html, "text/html")
    for node in tree.css(",".join(_AROUND)):
        node.decompose()
    return folded(tree.body.text(separator=" ")) if tree.body else ""


def folded(text: str) -> str:
    """Return a text as digests see it: NFC, white space folded."""
    return " ".join(unicodedata.normalize("NFC", text).split())
