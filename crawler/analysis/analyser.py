"""From bytes to `Document`: the one pure function that analysis processes run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from selectolax.lexbor import LexborNode

from crawler.analysis.extractors import Extractors, Found
from crawler.analysis.messages import AnalysisRequest, AnalysisSettings
from crawler.analysis.reading import TextRead, chosen, read_text
from crawler.config import SiblingMode, Use
from crawler.dedup import Signer, layout_fingerprint
from crawler.dedup.copies import Appearance, lines_of, pack
from crawler.dedup.signing.digests import text_digest
from crawler.dedup.signing.looks import look
from crawler.extract import (
    XHTML,
    Listing,
    PageHints,
    PageLinks,
    PageReader,
    bounded,
    decode,
    layout_paths,
    lines_apart,
    listing,
    page_parts,
    parse,
    plain_text,
    shown_text,
    text_of,
    visible_lines,
)
from crawler.extract.language import foreign, language_detector
from crawler.extract.lines.visible import Line
from crawler.extract.links import Resolver
from crawler.extract.metadata import declared_language, page_metadata
from crawler.extract.rendering import Addresses, markdown, plain
from crawler.plugins import WebPage
from crawler.records import PLAIN, Document, JudgedOn, Signature
from crawler.records.metadata import Metadata
from crawler.urls import Canonicaliser

MOST_OUTLINKS = 5_000
"""Kept of one page; of 15,466 real ones none has as many."""

_PLAIN, _HTML = "text/plain", "text/html"
_WARM_UP = "<!doctype html><html><body><article><p>Warm up. 预热。</p></article></body></html>"


class Analyser:
    """Reads pages; a pure function of request and settings, but for the CPU seconds it reports.

    `sign`, (judged, visible, kept text) -> signature, is the settings' own signer unless given. Not
    thread-safe.
    """

    def __init__(
        self,
        settings: AnalysisSettings,
        sign: Callable[[str, str, str], Signature] | None = None,
        extractors: Sequence[Use] = (),
    ) -> None:
        """`extractors` are plugins of the job; ConfigError where one cannot be made."""
        self._extractors = Extractors(extractors)
        self._canonicalise = Canonicaliser(settings.tracking_parameters)
        self._reader = PageReader(self._canonicalise, settings.agent)
        self._sign = sign or Signer(settings.dedup, settings.keys)
        self._engine = settings.extract.engine
        self._marks_up = settings.extract.markdown
        self._links = settings.extract.markdown and settings.extract.links
        self._declares = settings.extract.metadata
        self._language = language_detector() if settings.extract.language else None
        self._wanted = settings.languages
        self._leads = settings.extract.outlinks
        self._shows = settings.dedup.siblings is not SiblingMode.IGNORE

    def warm(self) -> None:
        """Load what is loaded lazily (dictionaries, trafilatura) before the first page."""
        request = AnalysisRequest("http://localhost/", _WARM_UP.encode(), "text/html", "utf-8")
        extractors, self._extractors = self._extractors, Extractors()  # it is no page of the crawl
        self.analyse(request)
        self._extractors = extractors

    def analyse(self, request: AnalysisRequest) -> Document:
        """Return all that the page says; a body without sense is a page that says nothing."""
        laps = _Laps()
        decoded = decode(request.body, request.charset, request.media_type)
        laps.end("decode")
        read = _read_plain if request.media_type == _PLAIN else self._read
        page = read(decoded.text, request, laps)
        found = self._found(request, decoded.text, decoded.encoding)
        text = page.text if found.text is None else found.text
        laps.end("extract")
        signature = self._sign(page.judged, page.visible, text)
        own_digest = signature.text_digest if text == page.text else text_digest(page.text)
        laps.end("fingerprint")
        appearance = pack(page.appearance()) if self._shows or page.lines else None
        laps.end("appearance")
        language = self._language(text) if self._language else None
        return Document(
            title=page.hints.title if found.title is None else found.title,
            text=text,
            markdown=self._markdown(page, found),
            judged_on=page.read.judged_on,
            charset=decoded.encoding,
            links=page.found.links,
            canonical_url=page.hints.canonical_url,
            refresh=page.hints.refresh,
            noindex=page.found.noindex,
            nofollow=page.found.nofollow,
            signature=signature,
            stage_s=laps.seconds,
            layout=page.layout,
            appearance=appearance,
            read_by=page.read.read_by,
            template=page.read.template,
            lesson=page.read.lesson,
            look=look(page.text, own_digest),
            metadata=page.metadata,
            language=language,
            foreign=foreign(language if self._language else page.declared, self._wanted),
            outlinks=page.found.links[:MOST_OUTLINKS] if self._leads else None,
            doubted=page.read.doubted,
            own_digest=own_digest if found.by else None,
            extracted_by=found.by,
            extracted=found.fields,
            trouble=found.trouble,
        )

    def links(self, request: AnalysisRequest) -> PageLinks:
        """Return only where the page leads, at a tenth of the cost: for copies of stored pages."""
        if request.media_type == _PLAIN:
            return PageLinks()
        decoded = decode(request.body, request.charset, request.media_type)
        html = bounded(decoded.text, xml=request.media_type == XHTML)
        return self._reader.links(parse(html, request.media_type), request.url, request.agent)

    def listing(self, request: AnalysisRequest) -> Listing | None:
        """Return what a sitemap or feed lists, None where it is none (`crawler.extract.listing`).

        Text is one only where the server does not call it a page.
        """
        resolve = Resolver(self._canonicalise, request.url)
        return listing(request.body, resolve, plain=request.media_type != _HTML)

    def _found(self, request: AnalysisRequest, html: str, charset: str) -> Found:
        """Ask the job's extractors about a page."""
        if not self._extractors:
            return Found()
        page = WebPage(request.url, request.media_type, charset, html, request.body)
        return self._extractors.find(page)

    def _markdown(self, page: _Reading | _Plain, found: Found) -> str | None:
        """Return a page's kept text as Markdown; None where no such is asked for, or given."""
        if not self._marks_up or found.markdown is not None or found.text is not None:
            return found.markdown if self._marks_up else None
        return page.markdown

    def _read(self, html: str, request: AnalysisRequest, laps: _Laps) -> _Reading:
        html = bounded(html, xml=request.media_type == XHTML)
        tree = parse(html, request.media_type)
        hints, found = self._reader.read(tree, request.url, request.agent)
        base = self._reader.base_url(tree, request.url) if self._links else request.url
        skipped: list[tuple[str, LexborNode]] = []
        lines = visible_lines(tree, links=self._links, skipped=skipped)
        shown = text_of(lines)
        apart = lines_apart(tree, html, hints, skipped, shown) if self._shows else ()
        layout = layout_fingerprint(layout_paths(tree))
        metadata = page_metadata(tree) if self._declares else None
        declared = declared_language(tree)
        skipped.clear()
        del tree  # trafilatura builds its own: not both at once
        laps.end("parse")
        if hints.refresh is not None:
            # Whether it says more than where it moved is asked of what is judged: a template may
            # leave too little of a short page.
            request = replace(request, template=None)
        read = read_text(html, lines, request, self._engine)
        laps.end("extract")
        return _Reading(hints, found, read, lines, apart, layout, base, metadata, declared)


@dataclass(frozen=True)
class _Reading:
    """A page before it is signed."""

    hints: PageHints
    found: PageLinks
    read: TextRead
    lines: Sequence[Line]
    """All that is visible."""
    apart: tuple[str, ...]
    """What it shows or holds besides (`crawler.extract.apart`)."""
    layout: bytes | None
    base: str
    """What its links are resolved against."""
    metadata: Metadata | None
    declared: str | None
    """Its language, as the markup says."""

    @cached_property
    def text(self) -> str:
        """The text that is kept."""
        return plain(self.lines, self.read.kept)

    @property
    def markdown(self) -> str:
        """The text that is kept, as Markdown."""
        return markdown(self.lines, self.read.kept, Addresses(self.base))

    @cached_property
    def judged(self) -> str:
        """The text that speaks for the page."""
        return self._of(self.read.judged)

    @cached_property
    def visible(self) -> str:
        """All that is visible, with the page's heading wherever that stands."""
        return shown_text(text_of(self.lines), self.hints.heading)

    def appearance(self) -> Appearance:
        """Return the page as its reader sees it."""
        hints = self.hints
        parts = page_parts(self.lines, self.read.judged)
        return Appearance(
            hints.title,
            hints.heading,
            hints.canonical_url,
            hints.alternates,
            text=parts.text,
            beside=parts.beside,
            links=parts.links,
            signs=parts.signs,
            order=parts.order,
            apart=self.apart,
            language=self.declared,
        )

    def _of(self, flags: Iterable[bool]) -> str:
        return text_of(chosen(self.lines, flags))


@dataclass(frozen=True)
class _Plain:
    """A page of plain text: its own main text, which leads nowhere and has no layout."""

    text: str
    hints = PageHints()
    found = PageLinks()
    read = TextRead((), JudgedOn.MAIN, (), PLAIN)
    lines = ()
    layout = None
    metadata = None
    declared = None

    @property
    def markdown(self) -> str:
        """The text as it stands: plain text has no structure."""
        return self.text

    @property
    def judged(self) -> str:
        """The text that speaks for the page."""
        return self.text

    @property
    def visible(self) -> str:
        """All that is visible."""
        return self.text

    def appearance(self) -> Appearance:
        """Return the page as its reader sees it."""
        return Appearance(text=lines_of(self.text))


def _read_plain(text: str, request: AnalysisRequest, laps: _Laps) -> _Plain:
    text = plain_text(text)
    laps.end("parse")
    return _Plain(text)


class _Laps:
    """CPU seconds of this thread, stage by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.thread_time()

    def end(self, stage: str) -> None:
        now = time.thread_time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._begun
        self._begun = now
