"""The two sides that are explained: what each is called, what it says, how its text was chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.analysis import Analyser, AnalysisRequest, AnalysisSettings
from crawler.config import Dedup, Job
from crawler.errors import InputError
from crawler.explain.finding import Line, find_line
from crawler.records import JudgedOn, PayloadKey
from crawler.storage import StoreView

_HTML_NAMES = {".html", ".htm", ".xhtml", ".xht", ".shtml"}

_CHOICES = {
    JudgedOn.MAIN.value: "main text: extraction found the page's content",
    JudgedOn.VISIBLE.value: "visible text outside nav, header and footer: "
    "extraction covered too little of it",
}
_AS_IT_IS = "the text as it stands"


@dataclass(frozen=True, slots=True)
class Subject:
    """One side."""

    name: str
    """The URL, or the file as it was given."""
    text: str | None
    """The judged text; None for a near duplicate that was dropped: only its line is left."""
    choice: str
    """Which text that is, and why."""
    payload: PayloadKey
    line: Line | None = None
    """Its line in the crawl's output; None for a file."""


def open_subjects(
    names: tuple[str, str], output: Path | None, settings: Dedup | None
) -> tuple[Subject, Subject, Dedup]:
    """Return both sides and the settings to judge them by: given, the crawl's, or the defaults.

    A name that is a file is read as one; any other is looked up in the crawl in `output`. Raises
    InputError for what is not found, StoreMismatch and StoreError as `StoreView.read` does.
    """
    with ExitStack() as stack:
        view = stack.enter_context(StoreView.read(output)) if output else None
        chosen = settings or _settings_of(view) or Dedup()
        first, second = (_open(name, view, chosen) for name in names)
        return first, second, chosen


def _settings_of(view: StoreView | None) -> Dedup | None:
    job: Mapping[str, Any] | None = view.meta("job") if view else None
    return Dedup.model_validate(job["dedup"]) if job else None


def _open(name: str, view: StoreView | None, settings: Dedup) -> Subject:
    if "://" not in name and Path(name).exists():
        return _read(Path(name), name, settings)
    if view is not None:
        return _look_up(name, view)
    if "://" in name:
        raise InputError(f"{name}: a URL is explained from a crawl's directory: add --output DIR")
    raise InputError(f"{name}: there is no such file")


def _read(path: Path, name: str, settings: Dedup) -> Subject:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    is_html = path.suffix.lower() in _HTML_NAMES or body.lstrip()[:1] == b"<"
    media_type = "text/html" if is_html else "text/plain"
    analyser = Analyser(AnalysisSettings.of(Job(dedup=settings)))
    page = analyser.analyse(
        AnalysisRequest(path.absolute().as_uri(), body, media_type, charset=None)
    )
    choice = _CHOICES[page.judged_on.value] if is_html else _AS_IT_IS
    return Subject(name, page.text, choice, _payload_of(hashlib.sha256(body).hexdigest()))


def _look_up(name: str, view: StoreView) -> Subject:
    line = find_line(view, name)
    url, record = line.record["url"], line.record
    match line.file:
        case "pages":
            return _stored(url, line)
        case "duplicates":
            return _duplicate(url, line, view)
        case "redirects":
            raise InputError(f"{url} is no page: it redirects to {record['target']}")
        case _:
            why = record.get("failure") or record.get("reason")
            raise InputError(f"{url} has no text: {why} ({record['detail']})")


def _stored(url: str, line: Line) -> Subject:
    record = line.record
    choice = _AS_IT_IS if record["content_type"] == "text/plain" else _CHOICES[record["judged_on"]]
    return Subject(url, record["text"], choice, _payload_of(record["payload_digest"]), line)


def _duplicate(url: str, line: Line, view: StoreView) -> Subject:
    """Return a dropped duplicate: an exact one has its original's text, a near one has none."""
    record, of = line.record, line.record["duplicate_of"]
    payload = _payload_of(record["payload_digest"])
    if record["verdict"] == "near" or "against" in of:
        choice = "dropped, so no text of it was kept: told from its line in duplicates.jsonl"
        return Subject(url, None, choice, payload, line)
    original = find_line(view, of["url"]).record
    why = "bytes" if record["verdict"] == "exact-payload" else "text"
    return Subject(
        url, original["text"], f"dropped; it has the same {why} as {of['url']}", payload, line
    )


def _payload_of(digest: str) -> PayloadKey:
    """Return a payload's key as far as it is known: equal digests, equal keys."""
    return PayloadKey(digest.encode(), "")
