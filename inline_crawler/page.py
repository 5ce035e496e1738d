"""One page, read as a crawl reads a page of a site that it knows nothing of yet."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from crawler.console import sound
from crawler.errors import InputError
from crawler.models import PDF, Signature, is_binary
from crawler.models.enums import Engine, SiblingMode
from crawler.models.pages import Metadata

if TYPE_CHECKING:
    from crawler.workers.analyser import Analyser

HTML = "text/html"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says."""

    url: str
    """Where it is from, as it was given."""
    title: str | None
    text: str
    """Its main text; where none is found all that is visible outside nav, header and footer. May be
    empty, and is never None."""
    markdown: str
    """The same as Markdown."""
    links: tuple[str, ...]
    """Canonical http(s) URLs in page order, each once, the page's own frames included."""
    language: str | None
    """ISO 639 code of the language that the text is in; None where that cannot be told, or the
    extra `language` is not installed. What the markup says is `metadata.declared_language`."""
    metadata: Metadata
    """What its markup declares: dates, author, description, site."""

    @classmethod
    def of_line(cls, line: Mapping[str, Any]) -> Self:
        """Return the page of a line of `pages.jsonl`, whose job asked for all of it (`WANTED`)."""
        declared = {field.name: line.get(field.name) for field in fields(Metadata)}
        return cls(
            line["url"],
            line.get("title"),
            line["text"],
            line.get("markdown") or "",
            tuple(line.get("outlinks") or ()),
            line.get("language"),
            Metadata(**declared),
        )


WANTED = {"markdown": True, "metadata": True, "outlinks": True}
"""What a page is asked for, as keys of `extract` in a job."""


def extract(
    html: str | bytes,
    url: str,
    *,
    engine: Engine | str = Engine.LEARNED,
    keep_links: bool = False,
    charset: str | None = None,
    media_type: str = HTML,
) -> Page:
    """Read a page: its text, title, links, language and what it declares.

    It is read as a crawl reads it before it has learned the template of its site, without network
    and without a process of its own: one page at a time, some milliseconds each; the first one
    loads what reads within a second. `url` is what its links are resolved against. `engine` finds
    the text (`extract.engine` of a job), `keep_links` has the Markdown say where links lead. Bytes
    are decoded as browsers do, by what they declare unless a `charset` is given, as of
    Content-Type. `media_type` may be `application/xhtml+xml` or `text/plain`, too, and
    `application/pdf` with the extra `pdf`.

    Any text is a page, though it may say nothing; what takes quadratic time is cut down, as in a
    crawl. Raises InputError for a `url` that is none of http, https or file, for what is no text,
    for binary data and for a PDF that cannot be opened; ConfigError for an engine or extra that
    does not exist or is not installed.
    """
    from crawler.extract.pdf import PdfUnreadable
    from crawler.urls import Canonicaliser
    from crawler.workers.messages import AnalysisRequest

    if not str(url).startswith("file:") and Canonicaliser()(str(url)) is None:
        raise InputError(f"{url!r} is no URL: give the http(s) address that the page is from")
    if not isinstance(html, str | bytes):
        raise InputError(f"{url}: a page is str or bytes, not {type(html).__name__}")
    analyser, reading = _analyser(engine, keep_links, media_type == PDF)
    if isinstance(html, str):
        html, charset = sound(html).encode(), "utf-8"
    elif media_type != PDF and is_binary(html):
        raise InputError(f"{url}: binary data, neither page nor text")
    try:
        with reading:
            found = analyser.analyse(AnalysisRequest(url, html, media_type, charset))
    except PdfUnreadable as error:
        raise InputError(f"{url}: {error}") from None
    return Page(
        url,
        found.title,
        found.text,
        found.markdown or "",
        found.outlinks or (),
        found.language.code if found.language else None,
        found.metadata or Metadata(),
    )


@cache
def _analyser(engine: Engine | str, keep_links: bool, pdf: bool) -> tuple[Analyser, threading.Lock]:
    """Return what reads by an engine, and the lock for it: no two threads may use it at once."""
    from crawler.config import parse_job
    from crawler.workers.analyser import Analyser
    from crawler.workers.messages import AnalysisSettings

    sections = {
        "extract": {**reading_settings(engine, keep_links), "pdf": pdf},
        "dedup": {"siblings": SiblingMode.IGNORE},
    }
    settings = AnalysisSettings.of(parse_job(sections, "extract"))
    return Analyser(settings, _unsigned), threading.Lock()


def reading_settings(engine: Engine | str, keep_links: bool) -> dict[str, Any]:
    """Return the section `extract` of a job whose pages are read like this."""
    from crawler.extract.installed import LANGUAGE_PACKAGE, PDF_PACKAGE, is_installed

    extras = {"language": is_installed(LANGUAGE_PACKAGE), "pdf": is_installed(PDF_PACKAGE)}
    return {**WANTED, **extras, "engine": engine, "links": keep_links}


def _unsigned(judged: str, visible: str, text: str) -> Signature:
    """Return a signature that says nothing: nobody compares the page."""
    import numpy as np

    return Signature(b"", b"", 0, 0, "", np.empty(0, np.uint32), b"")
