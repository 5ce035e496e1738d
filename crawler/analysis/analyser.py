"""From bytes to `Document`: the one pure function that analysis processes run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from crawler.analysis.messages import AnalysisRequest, AnalysisSettings
from crawler.dedup import Signer, layout_fingerprint
from crawler.extract import (
    PageHints,
    PageLinks,
    PageReader,
    decode,
    judged_on,
    layout_paths,
    main_text,
    parse,
    plain_text,
    text_of,
    visible_lines,
)
from crawler.records import Document, JudgedOn, Signature
from crawler.urls import Canonicaliser

_PLAIN = "text/plain"
_WARM_UP = "<!doctype html><html><body><article><p>Warm up. 预热。</p></article></body></html>"


class Analyser:
    """Reads pages; a pure function of request and settings, but for the CPU seconds it reports.

    `sign`, (judged text, visible text) -> signature, is the settings' own signer unless given. Not
    thread-safe.
    """

    def __init__(
        self, settings: AnalysisSettings, sign: Callable[[str, str], Signature] | None = None
    ) -> None:
        self._reader = PageReader(Canonicaliser(settings.tracking_parameters), settings.agent)
        self._sign = sign or Signer(settings.dedup)

    def warm(self) -> None:
        """Load what is loaded lazily (dictionaries, trafilatura) before the first page."""
        self.analyse(AnalysisRequest("http://localhost/", _WARM_UP.encode(), "text/html", "utf-8"))

    def analyse(self, request: AnalysisRequest) -> Document:
        """Return all that the page says; a body without sense is a page that says nothing."""
        laps = _Laps()
        decoded = decode(request.body, request.charset, request.media_type)
        laps.end("decode")
        read = _read_plain if request.media_type == _PLAIN else self._read
        page = read(decoded.text, request, laps)
        signature = self._sign(page.text, page.visible)
        laps.end("fingerprint")
        return Document(
            title=page.hints.title,
            text=page.text,
            judged_on=page.judged_on,
            charset=decoded.encoding,
            links=page.found.links,
            canonical_url=page.hints.canonical_url,
            refresh=page.hints.refresh,
            noindex=page.found.noindex,
            nofollow=page.found.nofollow,
            signature=signature,
            stage_s=laps.seconds,
            layout=page.layout,
        )

    def links(self, request: AnalysisRequest) -> PageLinks:
        """Return only where the page leads, at a tenth of the cost: for copies of stored pages."""
        if request.media_type == _PLAIN:
            return PageLinks()
        decoded = decode(request.body, request.charset, request.media_type)
        return self._reader.links(parse(decoded.text, request.media_type), request.url)

    def _read(self, html: str, request: AnalysisRequest, laps: _Laps) -> _Reading:
        tree = parse(html, request.media_type)
        hints = self._reader.hints(tree, request.url)
        found = self._reader.links(tree, request.url)
        lines = visible_lines(tree)
        layout = layout_fingerprint(layout_paths(tree))
        del tree  # trafilatura builds its own: not both at once
        laps.end("parse")
        main, visible = main_text(html), text_of(lines)
        basis = judged_on(main, lines)
        laps.end("extract")
        text = main if basis is JudgedOn.MAIN else visible
        return _Reading(hints, found, basis, text, visible, layout)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A page before it is signed."""

    hints: PageHints
    found: PageLinks
    judged_on: JudgedOn
    text: str
    visible: str
    layout: bytes | None


def _read_plain(text: str, request: AnalysisRequest, laps: _Laps) -> _Reading:
    """Plain text is its own main text, leads nowhere and has no layout."""
    text = plain_text(text)
    laps.end("parse")
    return _Reading(PageHints(), PageLinks(), JudgedOn.MAIN, text, text, None)


class _Laps:
    """CPU seconds of this thread, stage by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.thread_time()

    def end(self, stage: str) -> None:
        now = time.thread_time()
        self.seconds[stage] = now - self._begun
        self._begun = now
