"""What the directory of a crawl, or of a run of `dedup`, still has of a page.

::

    stored                        its line, its appearance
    the same as a stored page     the line of that one
    dropped near duplicate        the difference that was kept; of a document, its source
    anything else                 no text
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from crawler.analysis import AnalysisSettings
from crawler.batch.reader import Reading, read_again
from crawler.config import Job, SiblingMode
from crawler.dedup.copies import Appearance, judged_text, lines_of, unpack
from crawler.dedup.signing.digests import format_digest
from crawler.errors import InputError
from crawler.explain.finding import Line, find_line, find_original
from crawler.explain.subjects import Subject, choice_of, content_of
from crawler.records import EXACT_PAYLOAD, NEAR, SIBLING, PayloadKey
from crawler.storage import Meta, StoreView, reading_stored_values
from crawler.storage.dropped import MAX_BYTES


def look_up(name: str, view: StoreView) -> Subject:
    """Return the subject of a URL or id; InputError for what has no page, or was never seen."""
    line = find_line(view, name)
    url, record = line.record["url"], line.record
    match line.kind:
        case "pages":
            stored = _stored(line, view)
            return replace(stored, choice=stored.choice + _place(line, view))
        case "duplicates" if record["verdict"] in (NEAR, SIBLING):
            return _dropped(line, view)
        case "duplicates":
            return _same_as(line, view)
        case "redirects":
            raise InputError(f"{url} is no page: it redirects to {record['target']}")
    why = record.get("failure") or record.get("reason")
    raise InputError(f"{url} has no text: {why} ({record['detail']})")


def earlier_version(subject: Subject, view: StoreView) -> Subject | None:
    """Return what an earlier directory has at a page's own URL, where its line names that."""
    if subject.line is None or subject.line.is_document:
        return None
    found = find_original(view, subject.line)
    if found is None or found.record["url"] != subject.line.record["url"]:
        return None
    stored = _stored(found, view)
    return replace(stored, choice=stored.choice + _place(found, view))


def _place(line: Line, view: StoreView) -> str:
    """Return in words where a line lies, if that is elsewhere."""
    return "" if line.directory == view.directory else f" (in {line.directory})"


def _stored(line: Line, view: StoreView) -> Subject:
    """Return a stored page, with what the state has of it beside its line."""
    record = line.record
    with ExitStack() as stack:
        if line.directory != view.directory:
            view = stack.enter_context(StoreView.read(line.directory))
        id_: int | None = record["id"]
        if line.is_document:  # its line has the user's own id
            id_ = view.document_id(record["url"])
        if id_ is None:
            return _of_line(line, record, None)
        digest = view.visible_digest(id_)
        with reading_stored_values(view.directory):
            packed = view.appearance(id_)
            appearance = unpack(packed) if packed else None
    subject = _of_line(line, record, appearance)
    return replace(subject, visible_digest=format_digest(digest) if digest else None)


def _dropped(line: Line, view: StoreView) -> Subject:
    """Return a near duplicate or sibling that was not stored."""
    if line.is_document:
        return _read_again(line, view)
    url_id = view.url_id(line.record["url"])
    kept = view.dropped(url_id) if url_id is not None else None
    if kept is None:
        return replace(_bare(line), choice=_why_not_kept(view))
    subject = _of_line(line, kept.line, kept.appearance)
    choice = f"dropped; its text was kept as a difference: {subject.choice}"
    return replace(subject, choice=choice)


def _same_as(line: Line, view: StoreView) -> Subject:
    """Return an exact duplicate, which has the text of its original."""
    of = line.record["duplicate_of"]["url"]
    found = find_original(view, line)
    if found is None:
        raise InputError(f"{of}, of which {line.record['url']} is a copy, is not there any more")
    original = _stored(found, view)
    of += _place(found, view)
    if line.record["verdict"] == EXACT_PAYLOAD:
        choice = f"dropped; it has the same bytes as {of}"
        name, payload = line.record["url"], original.payload
        return replace(original, name=name, url=name, choice=choice, payload=payload, line=line)
    choice = f"dropped; it has the same text as {of}"
    url_id = None if line.is_document else view.url_id(line.record["url"])
    if url_id is not None and (kept := view.dropped(url_id)) is not None:
        subject = _of_line(line, kept.line, kept.appearance)
        return replace(subject, choice=f"{choice}; what else is on it was kept as a difference")
    return replace(_bare(line), text=original.text, choice=choice)


def _read_again(line: Line, view: StoreView) -> Subject:
    """Return a document that a run of `dedup` dropped, from its source."""
    try:
        job = Job.model_validate(view.meta(Meta.JOB))
        dedup = job.dedup.model_copy(update={"siblings": SiblingMode.TAG})
        settings = AnalysisSettings.of(job.model_copy(update={"dedup": dedup}))
        read = read_again(line.record, view.meta(Meta.IDENTITY), settings)
    except InputError as why:
        return replace(_bare(line), choice=f"dropped; its text cannot be read again: {why}")
    return _of_reading(_bare(line), read)


def _of_reading(subject: Subject, read: Reading) -> Subject:
    document = read.document
    assert document.appearance is not None  # as `_read_again` asks for it
    appearance = unpack(document.appearance)
    text = judged_text(appearance, document.text)
    chosen = choice_of(content_of(document, read.media_type), text)
    return replace(
        subject,
        text=text,
        choice=f"dropped; its text was read again from its source: {chosen}",
        title=appearance.title,
        appearance=appearance,
        is_whole=True,
    )


def _of_line(line: Line, content: Mapping[str, Any], seen: Appearance | None) -> Subject:
    """Return a subject of the content of a page's line and of what its reader saw.

    Where that is not known, the line has not what stands beside the text. `fields` of a document
    may hold its title and URL, so of one its line tells too little.
    """
    text, title, appearance = judged_text(seen, content["text"]), content["title"], seen
    if seen is None and not line.is_document:
        appearance = Appearance(title, canonical_url=content["canonical_url"], text=lines_of(text))
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
        text=None,
        choice="",
        payload=PayloadKey(record["payload_digest"].encode(), ""),
        visible_digest=record.get("visible_digest"),
        layout=_layout(record),
        line=line,
    )


def _why_not_kept(view: StoreView) -> str:
    if view.meta(Meta.JOB)["dedup"].get("keep_dropped") is False:
        return "dropped; no text of it was kept (dedup.keep_dropped: false)"
    return (
        "dropped; no text of it was kept: an older version of this program dropped it, or it is "
        f"larger than {MAX_BYTES / 1e6:.0f} MB"
    )


def _layout(record: Mapping[str, Any]) -> bytes | None:
    layout = record.get("layout")
    return None if layout is None else bytes.fromhex(layout)
