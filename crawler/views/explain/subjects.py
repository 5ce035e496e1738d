"""The two sides that are explained.

Found in a directory or given as files, with all that is still kept of them.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Dedup, Extract, Job, SiblingMode, merge, parse_job
from crawler.console import Level, Message, Say, command, fault_of, progress
from crawler.dedup import payload_digest
from crawler.dedup.copies import Appearance, judged_text, lines_of, unpack
from crawler.dedup.signing import format_digest, text_digest
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreError, StoreMismatch
from crawler.extract.pdf import PdfUnreadable
from crawler.models import EXACT_TEXT, NEAR, PDF, SIBLING, TEMPLATE, Document, JudgedOn, PayloadKey
from crawler.sources.documents import PLAIN, read_page
from crawler.sources.inputs import document_name
from crawler.sources.reader import read_again
from crawler.sources.web.crawl import run_crawl
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import INPUTS, LINE_FILES
from crawler.storage.dropped import MAX_BYTES
from crawler.storage.journal import reading_line
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls import Canonicaliser
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

_SUGGESTED = 3
_COMPARED_URLS = 50_000
"""URLs looked through for one that resembles a mistyped one."""
_DIGITS = 18
"""Of the largest id that SQLite can hold."""


@dataclass(frozen=True, slots=True)
class Line:
    """A committed line."""

    kind: str
    """One of LINE_FILES."""
    record: Mapping[str, Any]
    directory: Path
    """Whose line it is: that of the crawl, or one it was judged against."""

    @property
    def is_document(self) -> bool:
        """Whether it is of a run of `dedup`, not of a crawl."""
        return "source" in self.record

    @property
    def is_stored(self) -> bool:
        """Whether its page was stored."""
        return self.kind == "pages"


def find_line(view: StoreView, name: str) -> Line:
    """Return the line of a URL, of the id of a crawl's stored page, or of a document's id.

    Of a page that was stored and has a line in duplicates.jsonl too, it is that of pages.jsonl.
    Originals of a run of `dedup` may be in the directories it was judged against. Raises InputError
    for one that is not there, naming similar ones, and for an id of several documents.
    """
    is_run = INPUTS in view.meta(Meta.IDENTITY, {})
    if is_number(name) and not is_run:
        for line in _lines_with(view, b'"id":%d,' % int(name), ("pages",)):
            if line.record["id"] == int(name):
                return line
        highest = view.next_document_id - 1
        ids = f"its pages have the ids 1 to {highest:,}" if highest else "it has stored no page yet"
        raise InputError(
            f"{int(name)}: the crawl in {view.directory} has no page with this id, and there is no "
            f"such file; {ids} (`id` in pages.jsonl)"
        )
    names = tuple(dict.fromkeys((name, Canonicaliser()(name) or name)))
    found = _find(view, names)
    for directory in map(Path, view.meta(Meta.IDENTITY, {}).get("against", [])):
        if found is None:
            with suppress(StoreMismatch), StoreView.read(directory) as earlier:
                found = _find(earlier, names)
    if found is not None:
        return found
    no_file = "" if "://" in name else ", and there is no such file"
    if is_run and no_file:
        raise InputError(f"no document of the run in {view.directory} has the id {name}{no_file}")
    close = similar_urls(view, name)
    hint = "; did you mean\n  " + "\n  ".join(close) if close else ""
    by = "run" if is_run else "crawl"
    raise InputError(f"{name} was never seen by the {by} in {view.directory}{no_file}{hint}")


def find_original(view: StoreView, line: Line) -> Line | None:
    """Return the line of the page that a line names, in the directory that it names.

    None where it names none, or one that is not there. Raises InputError for a directory that
    cannot be read, and for a portable index, which has no lines.
    """
    of = line.record.get("duplicate_of") or line.record.get("sibling_of") or {}
    against = None if line.is_document else of.get("against")
    if against is None:
        return find_line(view, of["url"]) if of else None
    if Path(against).is_file():
        raise InputError(
            f"{line.record['url']} is like {of['url']} in {against}, a portable index: that holds "
            f"no text; what it was built of may have it, {of['segment']}"
        )
    try:
        with StoreView.read(Path(against)) as earlier:
            return find_url(earlier, of["url"])
    except StoreError as why:
        raise InputError(
            f"{line.record['url']} is like {of['url']} of another directory: {why}"
        ) from None


def find_url(view: StoreView, url: str) -> Line | None:
    """Return the line of exactly this URL, None where there is none."""
    needle = orjson.dumps(url).strip(b'"')
    found = (line for line in _lines_with(view, needle) if line.record["url"] == url)
    return next(found, None)


def similar_urls(view: StoreView, name: str) -> list[str]:
    """Return URLs of a crawl that a mistyped one may stand for."""
    urls = list(islice(view.seen_urls(), _COMPARED_URLS))
    return difflib.get_close_matches(name, urls, n=_SUGGESTED, cutoff=0.6)


def is_number(name: str) -> bool:
    """Whether a name may be the id of a stored page."""
    return name.isascii() and name.isdecimal() and len(name) <= _DIGITS


def _find(view: StoreView, names: Iterable[str]) -> Line | None:
    """Return the line of the first of some URLs or ids of documents that has one."""
    lines = (find_url(view, name) or _find_id(view, name) for name in names)
    return next((line for line in lines if line is not None), None)


def _find_id(view: StoreView, id_: str) -> Line | None:
    """Return the line of the document with an id; InputError where several have it."""
    found: dict[str, Line] = {}
    for line in _lines_with(view, orjson.dumps(id_).strip(b'"')):
        if line.is_document and str(line.record.get("id")) == id_:
            found.setdefault(line.record["url"], line)
    if len(found) > 1:
        some = "\n  ".join(islice(found, _SUGGESTED))
        raise InputError(
            f"{id_} is the id of {len(found)} documents; give a URL, such as\n  {some}"
        )
    return next(iter(found.values()), None)


def _lines_with(
    view: StoreView, needle: bytes, kinds: tuple[str, ...] = LINE_FILES
) -> Iterator[Line]:
    """Yield the lines of some kinds that hold a few bytes; only those are parsed."""
    for kind in kinds:
        for line in view.lines(kind):
            if needle in line.data:
                with reading_line(line.place):
                    record = orjson.loads(line.data)
                yield Line(kind, record, view.directory)


_CHOICES = {
    JudgedOn.TEMPLATE.value: "what its site's template holds for text",
    JudgedOn.MAIN.value: "main text: extraction found the page's content",
    JudgedOn.VISIBLE.value: "visible text outside nav, header and footer: "
    "extraction covered too little of it",
}
_WHOLE = "the whole text"


@dataclass(frozen=True, slots=True)
class Subject:
    """One side."""

    name: str
    """The URL, or the file as it was given."""
    url: str
    """Its URL; of a file, where it lies (`file:`)."""
    payload: PayloadKey
    text: str | None = None
    """The judged text; None for a near duplicate that was dropped and is not kept."""
    choice: str = ""
    """Which text that is, and why; or why there is none."""
    title: str | None = None
    """None also where it is not known."""
    appearance: Appearance | None = None
    """What evidence is taken from; None where too little is known of the page."""
    is_whole: bool = False
    """Whether its appearance holds what stands beside the text, too."""
    visible_digest: str | None = None
    """Of all visible text; None where it is not known."""
    layout: bytes | None = None
    """Layout fingerprint; None for plain text, or where it is not known."""
    line: Line | None = None
    """Its line in the crawl's output; None for a file."""

    @property
    def can_be_fetched(self) -> bool:
        """Whether its text is missing and the web may still have it."""
        return self.text is None and self.line is not None and not self.line.is_document

    @property
    def is_of_the_web(self) -> bool:
        """Whether it is a page of a crawl."""
        return not self.url.startswith("file:")


def choice_of(content: Mapping[str, Any], judged: str) -> str:
    """Return in words which text of a page was judged, and which is stored if that is another.

    `content` are the fields of its line, `judged` is the judged text.
    """
    if content["content_type"] in (PLAIN, PDF):
        return _WHOLE
    told, by = _CHOICES[content["judged_on"]], content.get("read_by")
    if content["judged_on"] == JudgedOn.TEMPLATE:
        told += f" (version {content['template']})"
    if by == TEMPLATE:
        by = f"version {content['template']} of its site's template"
    if content["text_digest"] != format_digest(text_digest(judged)):
        return f"{told}; stored is another text{f', read by {by}' if by else ''}"
    return told


# What the directory of a crawl, or of a run of `dedup`, still has of a page:
#
#     stored                        its line, its appearance
#     the same bytes as a stored    the line of that one
#     any other that was dropped    the difference that was kept; of a document, its source
#     anything else                 no text


def look_up(name: str, view: StoreView) -> Subject:
    """Return the subject of a URL or id; InputError for what has no page, or was never seen."""
    line = find_line(view, name)
    url, record = line.record["url"], line.record
    if line.kind == "pages":
        return _stored(line, view)
    if line.kind == "redirects":
        raise InputError(f"{url} is no page: it redirects to {record['target']}")
    if line.kind != "duplicates":
        why = record.get("failure") or record.get("reason")
        raise InputError(f"{url} has no text: {why} ({record['detail']})")
    verdict, dropped = record["verdict"], None
    if verdict in (NEAR, SIBLING, EXACT_TEXT):
        dropped = _dropped(line, view)
        if verdict != EXACT_TEXT or dropped.text is not None:
            return dropped
    of = record["duplicate_of"]["url"]
    found = find_original(view, line)
    if found is None:
        raise InputError(f"{of}, of which {url} is a copy, is not there any more")
    original, of = _stored(found, view), document_name(of) + _place(found, view)
    if dropped is not None:  # all that is known of it is that its text is that of its original
        choice = f"{dropped.choice}; it has the same text as {of}"
        return replace(_bare(line), text=original.text, choice=choice)
    # All that it shows is what the original shows.
    choice = f"dropped; it has the same bytes as {of}"
    return replace(original, name=url, url=url, choice=choice, line=line)


def _place(line: Line, view: StoreView) -> str:
    """Return in words where a line lies, if that is elsewhere."""
    return "" if line.directory == view.directory else f" (in {line.directory})"


def _stored(line: Line, view: StoreView) -> Subject:
    """Return a stored page, with what the state has of it beside its line."""
    record, place = line.record, _place(line, view)
    id_: int | None = record["id"]
    appearance = digest = None
    with ExitStack() as stack:
        if place:
            view = stack.enter_context(StoreView.read(line.directory))
        if line.is_document:  # its line has the user's own id
            id_ = view.document_id(record["url"])
        if id_ is not None:
            digest = view.visible_digest(id_)
            with reading_stored_values(view.directory):
                packed = view.appearance(id_)
                appearance = unpack(packed) if packed else None
    subject = _of_line(line, record, appearance)
    known = format_digest(digest) if digest else None
    if id_ is None:
        known = subject.visible_digest
    return replace(subject, choice=subject.choice + place, visible_digest=known)


def _dropped(line: Line, view: StoreView) -> Subject:
    """Return a page that was not stored, though its bytes are its own."""
    if line.is_document:
        return _read_again(line, view)
    url_id = view.url_id(line.record["url"])
    kept = view.dropped(url_id) if url_id is not None else None
    if kept is None:
        why = " (dedup.keep_dropped: false)"
        if view.meta(Meta.JOB)["dedup"]["keep_dropped"]:
            why = f": it is larger than {MAX_BYTES / 1e6:.0f} MB"
        return replace(_bare(line), choice=f"dropped; no text of it was kept{why}")
    subject = _of_line(line, kept.line, kept.appearance)
    choice = f"dropped; its text was kept as a difference: {subject.choice}"
    return replace(subject, choice=choice)


def _read_again(line: Line, view: StoreView) -> Subject:
    """Return a document that a run of `dedup` dropped, from its source."""
    bare = _bare(line)
    try:
        job = Job.model_validate(view.meta(Meta.JOB))
        dedup = job.dedup.model_copy(update={"siblings": SiblingMode.TAG})
        settings = AnalysisSettings.of(job.model_copy(update={"dedup": dedup}))
        read = read_again(line.record, view.meta(Meta.IDENTITY), settings)
    except InputError as why:
        return replace(bare, choice=f"dropped; its text cannot be read again: {why}")
    subject = _of_document(bare, read.document, read.media_type)
    choice = f"dropped; its text was read again from its source: {subject.choice}"
    return replace(subject, choice=choice)


def _of_document(subject: Subject, document: Document, media_type: str) -> Subject:
    """Return a subject with what was just read of it by an analyser that tags siblings."""
    assert document.appearance is not None
    appearance = unpack(document.appearance)
    text = judged_text(appearance, document.text)
    content = {
        "content_type": media_type,
        "judged_on": document.judged_on,
        "read_by": document.read_by,
        "template": document.template,
        "text_digest": format_digest(document.signature.text_digest),
    }
    return replace(
        subject,
        text=text,
        choice=choice_of(content, text),
        title=appearance.title,
        appearance=appearance,
        is_whole=True,
    )


def _of_line(line: Line, content: Mapping[str, Any], seen: Appearance | None) -> Subject:
    """Return a subject of the content of a page's line and of what its reader saw.

    Where that is not known, the line has not what stands beside the text. `fields` of a document
    may hold its title and URL, so of one its line tells too little.
    """
    text, title, appearance = judged_text(seen, content["text"]), content.get("title"), seen
    if seen is None and not line.is_document:
        canonical_url = content.get("canonical_url")
        appearance = Appearance(title, canonical_url=canonical_url, text=lines_of(text))
    return replace(
        _bare(line),
        text=text,
        choice=choice_of(content, text),
        title=title,
        appearance=appearance,
        is_whole=seen is not None,
        layout=_layout(content),
    )


def _bare(line: Line) -> Subject:
    """Return a subject without a text."""
    record = line.record
    return Subject(
        name=record["url"],
        url=record["url"],
        payload=PayloadKey(record["payload_digest"].encode(), ""),
        visible_digest=record.get("visible_digest"),
        layout=_layout(record),
        line=line,
    )


def _layout(record: Mapping[str, Any]) -> bytes | None:
    layout = record.get("layout")
    return None if layout is None else bytes.fromhex(layout)


ROBOTS_WAIT_S = 30.0
"""How long a failing robots.txt is tried again at most: a user waits for the answer."""


def completed(
    subjects: tuple[Subject, Subject], view: StoreView, say: Say
) -> tuple[Subject, Subject]:
    """Return subjects with texts fetched again where a crawl kept none, by the settings of its job.

    The crawl that is explained is only read. `say` is told of progress. Raises InputError for a
    page that is not there any more.
    """
    urls = list(dict.fromkeys(subject.name for subject in subjects if subject.can_be_fetched))
    if not urls:
        say("Nothing is fetched: the texts of both are kept")
        return subjects
    for url in urls:
        say(progress(f"Fetching {url} again ..."))
    changes = {
        "seeds": urls,
        "limits": {"depth": 0, "pages": None},
        "scope": {"include": [], "exclude": []},
        "dedup": {"near": "keep", "siblings": "tag", "against": []},
    }
    with small_crawl(view.meta(Meta.JOB), changes, "the crawl's job", say) as again:
        first, second = (
            _fetched(subject, again) if subject.can_be_fetched else subject for subject in subjects
        )
    return first, second


@contextmanager
def small_crawl(
    job: Mapping[str, Any], changes: dict[str, Any], name: str, say: Say
) -> Iterator[StoreView]:
    """Crawl by a changed job into a temporary directory; yield what is in it.

    Everything that makes a crawl polite holds: robots.txt, pauses, limits, the guard of addresses.
    Every URL has a line in it, its page or why there is none. Of its progress is told only what is
    waited for. Raises KeyboardInterrupt where a signal stops it.
    """

    def heard(line: str) -> None:
        message = Message.of(line)
        if message.event != "progress":
            say(line)
        elif message.level == Level.PROGRESS:  # the last one stands for the end of a crawl
            say(progress(f"Fetching ... {message.fields['waits']}".rstrip()))

    with tempfile.TemporaryDirectory(prefix="small-crawl-") as home:
        data = deepcopy(dict(job))
        wait_s = data.get("politeness", {}).get("robots_wait_s", ROBOTS_WAIT_S)
        merge(
            data,
            {
                "output": str(Path(home) / "crawl"),
                "politeness": {"robots_wait_s": min(wait_s, ROBOTS_WAIT_S), "dead_after_s": 0.0},
                "analysis": {"processes": 1},
                "plugins": {"sinks": []},
            },
        )
        merge(data, changes)
        small = parse_job(data, name)
        if run_crawl(small, Store.create(small.output, identity(small)), heard):
            raise KeyboardInterrupt
        with StoreView.read(small.output) as view:
            yield view


def _fetched(subject: Subject, again: StoreView) -> Subject:
    assert subject.line is not None
    if find_url(again, subject.name) is None:
        raise InputError(f"{subject.name} cannot be fetched again: its host stopped answering")
    try:
        now = look_up(subject.name, again)
    except InputError as why:
        raise InputError(
            f"fetched again just now: {why}. Without --fetch, `explain` shows what the crawl "
            "recorded"
        ) from None
    assert now.line is not None
    same = now.visible_digest == subject.visible_digest
    told = "it shows what was judged" if same else "it has changed since it was judged"
    if subject.line.record.get("judged_on") == JudgedOn.TEMPLATE:
        told += ", read without what was learned of its site"
    return replace(now, choice=f"fetched again, {told}; {now.choice}", line=subject.line)


def open_subjects(
    names: tuple[str, str], output: Path | None, settings: Dedup | None, fetch: Say | None = None
) -> tuple[Subject, Subject, Dedup]:
    """Return both sides and the settings to judge them by: given, the crawl's, or the defaults.

    A name that is a file is read as one; any other is looked up in the crawl in `output`. With
    `fetch`, which is told of progress, pages of a crawl whose text was not kept are fetched again.
    Raises InputError for what is not found or cannot be read, StoreMismatch and StoreError as
    `StoreView.read` does.
    """
    with ExitStack() as stack:
        view = stack.enter_context(StoreView.read(output)) if output else None
        job = view.meta(Meta.JOB) if view else None
        chosen = settings or (Dedup.model_validate(job["dedup"]) if job else Dedup())
        first, second = (_open(name, view, chosen) for name in names)
        if view is not None and names[0] == names[1] and (line := second.line):
            # A page, and what it was in an earlier crawl, where its line names that.
            found = None if line.is_document else find_original(view, line)
            if found is not None and found.record["url"] == line.record["url"]:
                second = _stored(found, view)
        if fetch is not None and view is not None:
            first, second = completed((first, second), view, fetch)
        return first, second, chosen


def _open(name: str, view: StoreView | None, settings: Dedup) -> Subject:
    if not name:
        raise InputError("the name of a document is empty: is a variable unset?")
    if "://" not in name and fault_of(name) is None and Path(name).exists():
        if Path(name).is_dir():
            raise InputError(
                f"{name} is a directory: name two documents of it after it; what is known of one "
                f"URL is shown by `{command('inspect', name, 'URL')}`"
            )
        return _read_file(name, settings)
    if view is not None:
        return look_up(name, view)
    if "://" in name:
        raise InputError(f"{name}: a URL is explained from a crawl's directory: name that first")
    raise InputError(
        f"{name}: there is no such file; for a page of a crawl, or a document of a run of `dedup`, "
        "name its directory first"
    )


def _read_file(name: str, settings: Dedup) -> Subject:
    """Read a file as a fetched page is read, compressed or not.

    By its first bytes one without a suffix of pages is HTML (`<`) or a PDF.
    """
    path = Path(name)
    body, media_type = read_page(path, name)
    showing = settings.model_copy(update={"siblings": SiblingMode.TAG})
    settings_of = Job(dedup=showing, extract=Extract(pdf=media_type == PDF))
    analyser = Analyser(AnalysisSettings.of(settings_of))
    url = path.absolute().as_uri()
    try:
        page = analyser.analyse(AnalysisRequest(url, body, media_type, charset=None))
    except PdfUnreadable as error:
        raise InputError(f"{name}: {error}") from None
    digest = format_digest(payload_digest(body, settings.payload_hash)).encode()
    subject = Subject(
        name=name,
        url=url,
        payload=PayloadKey(digest, ""),
        visible_digest=format_digest(page.signature.visible_digest),
        layout=page.layout,
    )
    return replace(_of_document(subject, page, media_type), title=page.title)
