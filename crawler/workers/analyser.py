"""What a reader process does: it answers questions from its socket by reading pages, one at a time.

::

    serve -> AnalysisRequest -> Analyser.analyse -> Document
                         extractors of the job, if there are any: what is kept
                         read_text: which lines speak for the page, and which are kept

`messages` is what is said. A process is forked by the `fork_server`, a program of its own rather
than a child of the crawl's process: it has the readers of pages and nothing of the crawler around
them, its state is a local variable, and there is no queue, thread or semaphore to leak when it is
killed.
"""

from __future__ import annotations

import pickle
import resource
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib import import_module
from itertools import compress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.config import Engine, SiblingMode, Use
from crawler.console import JSON_ROOM, json_of
from crawler.dedup import Signer, layout_fingerprint
from crawler.dedup.copies import Appearance, lines_of, pack
from crawler.dedup.signing import line_hashes, look, text_digest
from crawler.extract.apart import lines_apart
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.learned import can_choose, choose
from crawler.extract.lines import Drawing, Line, Openable, languages, text_of, visible_lines
from crawler.extract.listing import listing
from crawler.extract.page import (
    NO_OFFER,
    NOTHING,
    XHTML,
    Declared,
    PageHints,
    Resolver,
    declared_language,
    declared_offer,
    declares_article,
    layout_paths,
    page_links,
    page_metadata,
    parse,
    read_page,
)
from crawler.extract.pdf import PdfUnreadable, load_pdfium, read_pdf
from crawler.extract.readings import (
    Aligned,
    aligned,
    as_declared,
    combined_lines,
    engine_text,
    judged_on,
    learned_lines,
    page_parts,
    speak_for,
    with_opened,
    without_surroundings,
)
from crawler.extract.rendering import Addresses, markdown, plain
from crawler.extract.scripts import shell_of
from crawler.extract.templates import Block, blocks_of, lesson_of, pack_lesson, unpack_template
from crawler.extract.text import clean, foreign, language_detector, plain_text, shown_text
from crawler.models import (
    PDF,
    PLAIN,
    TEMPLATE,
    Document,
    Failure,
    JudgedOn,
    Listing,
    PageLinks,
    Shell,
    Signature,
)
from crawler.models.pages import READ_AS_PDF, Language, Metadata
from crawler.plugins import Extracted, Extractor, WebPage
from crawler.plugins import extractors as made
from crawler.urls import Canonicaliser
from crawler.urls.editions import own_words
from crawler.workers.messages import (
    HEADER,
    AnalysisFailed,
    AnalysisRequest,
    AnalysisSettings,
    Start,
    frame,
)

# The job's own extractors: plugins, asked in the processes that read pages.
#
# What they find is kept; it speaks for no page. Pages are judged on what the crawler itself reads
# of them: an extractor that returns the same text for a hundred pages makes no copies of them.

MOST_CHARACTERS = 20_000_000
"""Of text, title and Markdown together: twice as many as the largest body that a job takes unless
it says more. A line of them, each six bytes long in JSON, can still be read back."""
MOST_FIELD_BYTES = 1_000_000
"""Of fields, as JSON."""
_MOST_SAID = 300


class Found(NamedTuple):
    """What the extractors made of a page."""

    by: str | None = None
    """Who answered first; None: nobody."""
    extracted: Extracted = Extracted()
    """As it can be stored, fields as plain data."""
    trouble: tuple[tuple[str, str], ...] = ()
    """Of each that failed: its name, and what it raised and where."""


class _Unusable(Exception):
    """What an extractor returned cannot be stored, and why."""


def first_answer(extractors: Iterable[tuple[str, Extractor]], page: WebPage) -> Found:
    """Return what is to be kept of a page, by the first of the job's extractors that says it.

    MemoryError is no extractor's fault, and ends this process, as everywhere in it.
    """
    trouble: list[tuple[str, str]] = []
    for name, each in extractors:
        try:
            extracted = each.extract(page)
            if extracted is not None:
                return Found(name, _checked(extracted), tuple(trouble))
        except MemoryError:
            raise
        except Exception as error:
            trouble.append((name, _said(error)))
    return Found(trouble=tuple(trouble))


def _checked(extracted: Any) -> Extracted:
    """Return an answer as it can be stored; _Unusable where it cannot be."""
    if not isinstance(extracted, Extracted):
        raise _Unusable(f"it is {type(extracted).__name__}, not Extracted or None")
    texts: dict[str, str | None] = {}
    for part in ("text", "title", "markdown"):
        value: Any = getattr(extracted, part)
        if value is not None and not isinstance(value, str):
            raise _Unusable(f"{part} is {type(value).__name__}, not text")
        texts[part] = None if value is None else clean(value)
    if (characters := sum(len(one or "") for one in texts.values())) > MOST_CHARACTERS:
        told = f"{characters:,} characters, more than {MOST_CHARACTERS:,}"
        raise _Unusable(f"text, title and markdown have {told}")
    given: Any = extracted.fields
    if given is not None and not isinstance(given, Mapping):
        raise _Unusable(f"fields is {type(given).__name__}, not a mapping")
    try:
        packed = b"null" if given is None else json_of(dict(given), JSON_ROOM)
    except TypeError as error:
        raise _Unusable(f"fields are not what JSON can hold: {error}") from None
    if len(packed) > MOST_FIELD_BYTES:
        raise _Unusable(f"fields take {len(packed):,} bytes, more than {MOST_FIELD_BYTES:,}")
    return Extracted(**texts, fields=orjson.loads(packed))


def _said(error: Exception) -> str:
    """Return what was raised and where, in one line."""
    if isinstance(error, _Unusable):
        return f"cannot keep what it returned: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    message = clean(" ".join(str(error).split()))[:_MOST_SAID]
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"{said} ({place.filename}, line {place.lineno})"


# Which of a page's visible lines are its text: by its site's template, or by itself.
#
# Two purposes: `judged` are the lines that speak for the page's identity, as safe as can be; `kept`
# are those that a reader of its text wants.

_TEMPLATES = 64
"""Templates that a process holds at once."""


_LEAST_SURE = 0.5
"""Share of what a template keeps that an extractor keeps of its like, below which all of it speaks
for the page: an index or a table says hardly anything else, and may have no sure line at all. With
.25 ten of 498 copies are stored on two editions of a manual, with .5 five (`benchmarks.copies`)."""


@dataclass(frozen=True, slots=True)
class TextRead:
    """What was made of a page's visible lines."""

    judged: Sequence[bool]
    """By line: whether it speaks for the page."""
    judged_on: JudgedOn
    kept: Sequence[bool]
    """By line: whether it is part of the text that is kept."""
    read_by: str
    """What found the kept lines (`Document.read_by`)."""
    template: int | None = None
    """Version of the template that read it."""
    lesson: bytes | None = None
    """See `Document.lesson`."""
    doubted: bool = False
    """See `Document.doubted`."""


def read_text(
    html: str,
    lines: Sequence[Line],
    request: AnalysisRequest,
    by: Engine,
    declared: Declared = NOTHING,
) -> TextRead:
    """Return which visible lines of a page are its text; a pure function of its arguments.

    `html` is the page of these lines, as its engine `by` is to read it. A lesson comes with it if
    the request asks for one, or the site's template does not know the page.
    """
    blocks = blocks_of(lines)
    own = partial(_by_engine, html, lines, blocks, by, declared)
    if request.template is None or request.doubted:
        return _by_itself(lines, blocks, own(), request, by)
    template, version = _template(request.template)
    reading = template.read(blocks)
    if not reading.is_trusted:
        # Where text may have been lost, nothing less than all that is visible speaks for the page.
        again = replace(request, teaches=True, doubted=reading.is_short)
        return _by_itself(lines, blocks, own(), again, by)
    kept = _spread(len(lines), blocks, reading.kept)
    lesson = None
    if request.teaches:
        lesson = pack_lesson(lesson_of(blocks, own().taught, reading.kept))
    # What an extractor leaves out of all pages (bylines, notes) is kept, but speaks for no page:
    # its other versions may lack it, or have another.
    sure = _spread(len(lines), blocks, reading.sure)
    least = _LEAST_SURE * reading.weight
    is_enough = reading.sure_weight >= least and speak_for(lines, sure)
    judged = sure if is_enough else kept
    shown = without_surroundings(lines, kept, surely=True)
    return TextRead(judged, JudgedOn.TEMPLATE, shown, TEMPLATE, version, lesson)


def _by_itself(
    lines: Sequence[Line], blocks: Sequence[Block], own: _Own, request: AnalysisRequest, by: Engine
) -> TextRead:
    """Read a page as if it were alone, and take the lesson from it if it is to teach."""
    lesson = pack_lesson(lesson_of(blocks, own.taught)) if request.teaches else None
    everything = [True] * len(lines)
    surely, main = (_spread(len(lines), blocks, found) for found in own.found)
    is_main = own.is_trusted and not request.doubted
    judged, judged_by = (surely, JudgedOn.MAIN) if is_main else (everything, JudgedOn.VISIBLE)
    if by is Engine.COMBINED:
        kept = combined_lines(lines, main, trusted=own.is_trusted)
    elif by is Engine.LEARNED and any(main):
        kept = learned_lines(lines, main, request.url)
    elif own.is_trusted:
        kept = main
    else:
        kept, by = everything, Engine.VISIBLE
    return TextRead(judged, judged_by, kept, by.value, None, lesson, request.doubted)


class _Own(NamedTuple):
    """What an engine says of a page."""

    found: Aligned
    """Which blocks its text has."""
    is_trusted: bool
    """Whether that is the page's content (`crawler.extract.readings`)."""
    taught: Sequence[bool] | None
    """What its site learns to be text; None where nothing is to be trusted."""


def _by_engine(
    html: str, lines: Sequence[Line], blocks: Sequence[Block], by: Engine, declared: Declared
) -> _Own:
    if by is Engine.LEARNED:
        if not can_choose(lines):
            nothing = [False] * len(blocks)
            return _Own(Aligned(nothing, nothing), is_trusted=False, taught=None)
        chosen = choose(lines, declared.title or "")
        kept, perhaps = (
            as_declared(lines, flags, declared) for flags in (chosen.kept, chosen.perhaps)
        )
        flagged = kept, chosen.sure, perhaps
        kept, sure, perhaps = ([flags[block.line] for block in blocks] for flags in flagged)
        is_trusted = any(sure) and speak_for(lines, chosen.sure)
        return _Own(Aligned(sure, kept), is_trusted, perhaps if is_trusted else None)
    main = engine_text(by, html)
    found = aligned(main, [block.bare for block in blocks])
    is_trusted = judged_on(main, lines) is JudgedOn.MAIN and any(found.surely)
    return _Own(found, is_trusted, found.surely if is_trusted else None)


def _spread(count: int, blocks: Sequence[Block], kept: Iterable[bool]) -> list[bool]:
    """Return the flags of blocks for all `count` lines.

    One without word characters goes with the block before it.
    """
    if len(blocks) == count:
        return list(kept)
    spread: list[bool] = []
    own = False
    for block, is_kept in zip(blocks, kept, strict=True):
        spread += [own] * (block.line - len(spread))
        own = is_kept
    return spread + [own] * (count - len(spread))


_template = lru_cache(_TEMPLATES)(unpack_template)


MOST_OUTLINKS = 5_000
"""Kept of one page; of 15,466 real ones none has as many."""

_PLAIN, _HTML = "text/plain", "text/html"
_WARM_UP = "<!doctype html><html><body><article><p>Warm up. 预热。</p></article></body></html>"


class _Source(NamedTuple):
    """A page as characters; a PDF as HTML."""

    text: str
    charset: str
    pages: int | None = None
    pages_read: int | None = None


def _source(request: AnalysisRequest) -> _Source:
    if request.media_type == PDF:
        pdf = read_pdf(request.body)
        return _Source(pdf.html, "utf-8", pdf.pages, pdf.read)
    decoded = decode(request.body, request.charset, request.media_type)
    return _Source(decoded.text, decoded.encoding)


def _parsed(html: str, media_type: str) -> tuple[str, LexborHTMLParser]:
    """Return a page within bounds, and its tree."""
    html = bounded(html, xml=media_type == XHTML)
    return html, parse(html, media_type)


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
        self._extractors = made(extractors)
        self._canonicalise = Canonicaliser(settings.tracking_parameters)
        self._with_routes = Canonicaliser(settings.tracking_parameters, routes=True)
        self._sign = sign or Signer(settings.dedup, settings.keys)
        self._settings = settings
        self._extract = settings.extract
        self.language: Callable[[str], Language | None] | None = None
        """What tells the language of a text, where the settings ask for it."""
        if settings.extract.language:
            self.language = language_detector()
        self._shows = settings.dedup.siblings is not SiblingMode.IGNORE

    def warm(self) -> None:
        """Load what is loaded lazily (dictionaries, model, packages) before the first page."""
        import_module("charset_normalizer")  # of pages and sitemaps that come late, if at all
        import_module("lxml.etree")
        languages()
        if self._extract.pdf:
            load_pdfium()
        request = AnalysisRequest("http://localhost/", _WARM_UP.encode(), "text/html", "utf-8")
        extractors, self._extractors = self._extractors, []  # it is no page of the crawl
        self.analyse(request)
        self._extractors = extractors

    def analyse(self, request: AnalysisRequest) -> Document:
        """Return all that the page says; a body without sense is a page that says nothing.

        Raises PdfUnreadable for a PDF that cannot be opened.
        """
        laps = _Laps()
        source = _source(request)
        laps.end("decode")
        if request.media_type == _PLAIN:
            own = plain_text(source.text)
            page = _Reading(own, own, own, TextRead((), JudgedOn.MAIN, (), PLAIN))
            laps.end("parse")
        else:
            page = self._read(source.text, request, laps)
        told = request.url, request.media_type, source.charset, source.text, request.body
        found = first_answer(self._extractors, WebPage(*told))
        kept = found.extracted
        text = page.text if kept.text is None else kept.text
        laps.end("extract")
        signature = self._sign(page.judged, page.visible, text)
        own_digest = signature.text_digest if text == page.text else text_digest(page.text)
        laps.end("fingerprint")
        appearance = pack(page.appearance()) if self._shows or page.lines else None
        laps.end("appearance")
        language = self.language(text) if self.language else None
        marked = kept.markdown if self._extract.markdown else None
        if self._extract.markdown and kept.markdown is None and kept.text is None:
            marked = page.markdown
        return Document(
            title=page.hints.title if kept.title is None else kept.title,
            text=text,
            markdown=marked,
            judged_on=page.read.judged_on,
            charset=source.charset,
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
            line_hashes=(
                line_hashes(page.text, page.visible, own_words(request.url))
                if self._settings.learns_urls
                else b""
            ),
            metadata=page.metadata,
            language=language,
            foreign=foreign(language if self.language else page.declared, self._settings.languages),
            outlinks=page.found.links[:MOST_OUTLINKS] if self._extract.outlinks else None,
            doubted=page.read.doubted,
            own_digest=own_digest if found.by else None,
            extracted_by=found.by,
            extracted=kept.fields,
            trouble=found.trouble,
            pages=source.pages,
            pages_read=source.pages_read,
        )

    def links(self, request: AnalysisRequest) -> PageLinks:
        """Return only where the page leads, at a tenth of the cost: for copies of stored pages."""
        if request.media_type == _PLAIN:
            return PageLinks()
        _, tree = _parsed(_source(request).text, request.media_type)
        return page_links(tree, request.url, *self._by(request))

    def _by(self, request: AnalysisRequest) -> tuple[Canonicaliser, str]:
        """Return what brings a page's links into canonical form, and the product token there."""
        canonicalise = self._with_routes if request.routes else self._canonicalise
        return canonicalise, request.agent or self._settings.agent

    def shell(self, request: AnalysisRequest) -> Shell | None:
        """Return what a page shows without its scripts; None for one that can have none."""
        if request.media_type in (_PLAIN, PDF):
            return None
        return shell_of(_parsed(_source(request).text, request.media_type)[1])

    def listing(self, request: AnalysisRequest) -> Listing | None:
        """Return what a sitemap or feed lists, None where it is none (`crawler.extract.listing`).

        Text is one only where the server does not call it a page.
        """
        resolve = Resolver(self._canonicalise, request.url)
        return listing(request.body, resolve, plain=request.media_type != _HTML)

    def _read(self, html: str, request: AnalysisRequest, laps: _Laps) -> _Reading:
        html, tree = _parsed(html, request.media_type)
        hints, found = read_page(tree, request.url, *self._by(request))
        with_links = self._extract.markdown and self._extract.links
        skipped: list[tuple[str, LexborNode]] = []
        drawings: list[Drawing] = []
        openable: list[Openable] = []
        lines = visible_lines(
            tree, links=with_links, skipped=skipped, drawings=drawings, openable=openable
        )
        shown = text_of(lines)
        apart = (
            lines_apart(tree, html, hints, lines, skipped, drawings, shown, request.url, openable)
            if self._shows
            else ()
        )
        is_pdf = request.media_type == PDF  # its markup is our own, and no template
        layout = None if is_pdf else layout_fingerprint(layout_paths(tree))
        metadata = page_metadata(tree) if self._extract.metadata else None
        language = declared_language(tree)
        declared = Declared(
            hints.title,
            declared_offer(tree) if "rice" in html else NO_OFFER,  # `price`, `lowPrice`
            "omment" in html and declares_article(tree, html),
        )
        skipped.clear()
        drawings.clear()
        del tree  # trafilatura builds its own: not both at once
        laps.end("parse")
        if hints.refresh is not None:
            # Whether it says more than where it moved is asked of what is judged: a template may
            # leave too little of a short page.
            request = replace(request, template=None)
        if is_pdf:
            everything = [True] * len(lines)
            read = TextRead(everything, JudgedOn.MAIN, everything, READ_AS_PDF)
        else:
            read = read_text(html, lines, request, self._extract.engine, declared)
        if read.read_by == Engine.VISIBLE:
            openable.clear()  # no line was chosen
        opened = with_opened(lines, read.kept, openable)
        laps.end("extract")
        return _Reading(
            plain(*opened),
            text_of(compress(lines, read.judged)),
            shown_text(shown, hints.heading),
            read,
            lines,
            opened,
            hints,
            found,
            apart,
            layout,
            metadata,
            language,
            is_pdf,
        )


class _Reading(NamedTuple):
    """A page before it is signed. One of plain text has no lines, leads nowhere, has no layout."""

    text: str
    """The text that is kept."""
    judged: str
    """The text that speaks for the page."""
    visible: str
    """All that is visible, with the page's heading wherever that stands."""
    read: TextRead
    lines: Sequence[Line] = ()
    """All that is visible."""
    opened: tuple[Sequence[Line], Sequence[bool]] = (), ()
    """With them what kept ones open, and which of these are kept."""
    hints: PageHints = PageHints()
    found: PageLinks = PageLinks()
    apart: tuple[str, ...] = ()
    """What it shows or holds besides (`crawler.extract.apart`)."""
    layout: bytes | None = None
    metadata: Metadata | None = None
    declared: str | None = None
    """Its language, as the markup says."""
    is_pdf: bool = False

    @property
    def markdown(self) -> str:
        """The text that is kept, as Markdown; plain text as it stands, for it has no structure."""
        if not self.lines:
            return self.text
        return markdown(*self.opened, Addresses(self.hints.base))

    def appearance(self) -> Appearance:
        """Return the page as its reader sees it."""
        if not self.lines:
            shown = Appearance(text=lines_of(self.text))
        else:
            shown = Appearance(**page_parts(self.lines, self.read.judged)._asdict())
        hints = self.hints
        return replace(
            shown,
            title=hints.title,
            heading=hints.heading,
            canonical_url=hints.canonical_url,
            alternates=hints.alternates,
            apart=self.apart,
            language=self.declared,
            is_pdf=self.is_pdf,
        )


class _Laps:
    """CPU seconds of this thread, stage by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.thread_time()

    def end(self, stage: str) -> None:
        now = time.thread_time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._begun
        self._begun = now


_MAX_DETAIL = 500
"""Characters kept of an exception's message."""

PAGE_ROOM_BYTES = 32 * 1024 * 1024
"""Address space beyond what is loaded without which no page can be read: a tree of a usual page
takes a few MiB, and the allocators ask for whole arenas."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What answers, warm; or why nothing can, which is empty if it can."""

    analyser: Any
    trouble: str


def made_for(start: Start) -> Any:
    """Make what a crawler wants to run."""
    if start.make is None:
        return Analyser(start.settings, extractors=start.extractors)
    return start.make(start.settings)


def prepare(start: Start) -> Prepared:
    """Make and warm up what a crawler wants to run."""
    try:
        analyser = made_for(start)
        analyser.warm()
    except Exception as error:
        return Prepared(None, _describe(error))
    return Prepared(analyser, "")


def serve(prepared: Prepared, memory_bytes: int, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer frames until `incoming` ends or memory runs out.

    The first one, whatever it says, is answered by why the process cannot work.
    """
    if receive(incoming) is None:
        return
    trouble = prepared.trouble or too_little(memory_bytes)
    if not trouble:
        _limit_memory(memory_bytes)
    _send(outgoing, frame(trouble))
    while not trouble and (asked := receive(incoming)) is not None:
        answer, exhausted = _answer(prepared.analyser, *asked)
        _send(outgoing, answer)
        if exhausted:
            return


def _answer(analyser: Any, asks: str, request: Any) -> tuple[bytes, bool]:
    """Return the framed answer, and whether memory ran out: then this process is worn out."""
    try:
        return frame(getattr(analyser, asks)(request)), False
    except MemoryError as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_CRASH, _describe(error))), True
    except PdfUnreadable as error:
        return frame(AnalysisFailed(error.failure, str(error))), False
    except Exception as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_ERROR, _describe(error))), False


def _describe(error: Exception) -> str:
    message = clean(str(error))[:_MAX_DETAIL]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def receive(incoming: BinaryIO) -> Any:
    """Return the next message, or None at the end."""
    header = incoming.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = incoming.read(length)
    return pickle.loads(body) if len(body) == length else None


def _send(outgoing: BinaryIO, framed: bytes) -> None:
    outgoing.write(framed)
    outgoing.flush()


def too_little(memory_bytes: int) -> str:
    """Return what is wrong with a bound on a process that has what this one has, or nothing.

    The least it needs is computed: all that is loaded, and room for a page. A process that found
    out by itself would die of it, before or after it could say so as the machine will have it.
    Where the system does not tell what is loaded (macOS) any bound will do.
    """
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return ""
    least_bytes = int(statm.read_text().split()[0]) * resource.getpagesize() + PAGE_ROOM_BYTES
    bound_bytes = _bound(memory_bytes)
    if bound_bytes >= least_bytes:
        return ""
    return (
        f"analysis.memory_bytes: {bound_bytes:,} is too little: an analysis process needs "
        f"{least_bytes:,} for what it loads and one page"
    )


def _bound(memory_bytes: int) -> int:
    """Return the bound that holds: a stricter one of the system's stays."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    return memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)


def _limit_memory(memory_bytes: int) -> None:
    """Bound the address space from now on.

    Where the system knows no bound (macOS refuses to set it) the process works without.
    """
    bound_bytes = _bound(memory_bytes)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (bound_bytes, bound_bytes))
