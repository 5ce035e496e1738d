"""The two sides that are explained: what each is called, what it says, how its text was chosen."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crawler.analysis import Analyser, AnalysisRequest, AnalysisSettings
from crawler.batch.inputs import media_type_of
from crawler.batch.raw import read_whole
from crawler.batch.reader import read_again
from crawler.config import Dedup, Job, merge, parse_job
from crawler.crawl.identity import identity
from crawler.crawl.run import run
from crawler.dedup.signing.digests import format_digest
from crawler.errors import InputError
from crawler.explain.finding import Line, find_line, find_url
from crawler.printing import Say
from crawler.records import JudgedOn, PayloadKey
from crawler.storage import Meta, Store, StoreView

_CHOICES = {
    JudgedOn.MAIN.value: "main text: extraction found the page's content",
    JudgedOn.VISIBLE.value: "visible text outside nav, header and footer: "
    "extraction covered too little of it",
}
_WHOLE = "the whole text"
_PLAIN = "text/plain"

ROBOTS_WAIT_S = 30.0
"""How long a failing robots.txt is tried again at most: a user waits for the answer."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One side."""

    name: str
    """The URL, or the file as it was given."""
    text: str | None
    """The judged text; None for a near duplicate that was dropped: only its line was kept."""
    choice: str
    """Which text that is, and why; or why there is none."""
    payload: PayloadKey
    layout: bytes | None = None
    """Layout fingerprint; None for plain text, or where it is not known."""
    line: Line | None = None
    """Its line in the crawl's output; None for a file."""

    @property
    def can_be_fetched(self) -> bool:
        """Whether its text is missing and the web may still have it."""
        return self.text is None and self.line is not None and not self.line.is_document


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
        if fetch is not None and view is not None:
            first, second = _completed((first, second), view, fetch)
        return first, second, chosen


def _open(name: str, view: StoreView | None, settings: Dedup) -> Subject:
    if not name:
        raise InputError("the name of a document is empty: is a variable unset?")
    if "://" not in name and Path(name).exists():
        return _read_file(name, settings)
    if view is not None:
        return _look_up(name, view)
    if "://" in name:
        raise InputError(f"{name}: a URL is explained from a crawl's directory: add --output DIR")
    raise InputError(f"{name}: there is no such file")


def _read_file(name: str, settings: Dedup) -> Subject:
    """Read a file as a fetched page is read, compressed or not; what begins with `<` is HTML."""
    path = Path(name)
    body = read_whole(path, name)
    media_type = media_type_of(path.name) or _PLAIN
    if media_type == _PLAIN and body.lstrip()[:1] == b"<":
        media_type = "text/html"
    analyser = Analyser(AnalysisSettings.of(Job(dedup=settings)))
    page = analyser.analyse(
        AnalysisRequest(path.absolute().as_uri(), body, media_type, charset=None)
    )
    payload = PayloadKey(format_digest(hashlib.sha256(body).digest()).encode(), "")
    return Subject(name, page.text, _choice(page.judged_on, media_type), payload, page.layout)


def _look_up(name: str, view: StoreView) -> Subject:
    line = find_line(view, name)
    url, record, layout = line.record["url"], line.record, _layout_of(line.record)
    match line.file:
        case "pages":
            text: str | None = record["text"]
            choice = _choice(record["judged_on"], record["content_type"])
        case "duplicates" if record["verdict"] == "near":
            text, choice = _near_text(line, view)
        case "duplicates":
            of = record["duplicate_of"]["url"]
            original = find_line(view, of).record
            same_bytes = record["verdict"] == "exact-payload"
            text = original["text"]
            choice = f"dropped; it has the same {'bytes' if same_bytes else 'text'} as {of}"
            layout = layout or (_layout_of(original) if same_bytes else None)
        case "redirects":
            raise InputError(f"{url} is no page: it redirects to {record['target']}")
        case _:
            why = record.get("failure") or record.get("reason")
            raise InputError(f"{url} has no text: {why} ({record['detail']})")
    payload = PayloadKey(record["payload_digest"].encode(), "")
    return Subject(url, text, choice, payload, layout, line)


def _near_text(line: Line, view: StoreView) -> tuple[str | None, str]:
    """Return the text of a dropped near duplicate, None where there is none any more, and why.

    A document of a corpus is read from its file again.
    """
    if not line.is_document:
        return None, "dropped as a near duplicate, so no text of it was kept"
    try:
        settings = AnalysisSettings.of(Job.model_validate(view.meta(Meta.JOB)))
        read = read_again(line.record, view.meta(Meta.IDENTITY), settings)
    except InputError as why:
        return None, f"dropped as a near duplicate; its text cannot be read again: {why}"
    chosen = _choice(read.document.judged_on, read.media_type)
    return read.document.text, f"dropped; its text was read again from its source: {chosen}"


def _completed(
    subjects: tuple[Subject, Subject], view: StoreView, say: Say
) -> tuple[Subject, Subject]:
    """Return subjects with texts fetched again where a crawl kept none."""
    urls = [subject.name for subject in subjects if subject.can_be_fetched]
    if not urls:
        return subjects
    with _fetched_again(view.meta(Meta.JOB), list(dict.fromkeys(urls)), say) as again:
        first, second = (
            _fetched(subject, again) if subject.can_be_fetched else subject for subject in subjects
        )
    return first, second


@contextmanager
def _fetched_again(job: Mapping[str, Any], urls: Sequence[str], say: Say) -> Iterator[StoreView]:
    """Fetch URLs by the settings of a crawl's job; yield the small crawl of just these.

    Everything that makes a crawl polite holds: robots.txt, pauses, limits, the guard of addresses.
    Its output directory is a temporary one; the crawl that is explained is only read. Every URL has
    a line in it, its page or why there is none. Raises KeyboardInterrupt where a signal stops it.
    """
    with tempfile.TemporaryDirectory(prefix="explain-") as home:
        small = _small_job(job, urls, Path(home) / "crawl")
        for url in urls:
            say(f"Fetching {url} again ...")
        if run(small, Store.create(small.output, identity(small)), say):
            raise KeyboardInterrupt
        with StoreView.read(small.output) as view:
            yield view


def _small_job(job: Mapping[str, Any], urls: Sequence[str], output: Path) -> Job:
    data = deepcopy(dict(job))
    changes = {
        "seeds": list(urls),
        "output": str(output),
        "limits": {"depth": 0, "pages": None},
        "scope": {"include": [], "exclude": []},
        "politeness": {
            "robots_wait_s": min(data["politeness"]["robots_wait_s"], ROBOTS_WAIT_S),
            "dead_after_s": 0.0,
        },
        "dedup": {"near": "keep"},
        "analysis": {"processes": 1},
    }
    merge(data, changes)
    return parse_job(data, "the crawl's job")


def _fetched(subject: Subject, again: StoreView) -> Subject:
    assert subject.line is not None
    if find_url(again.directory, subject.name) is None:
        raise InputError(f"{subject.name} cannot be fetched again: its host stopped answering")
    try:
        now = _look_up(subject.name, again)
    except InputError as why:
        raise InputError(
            f"fetched again just now: {why}. Without --fetch, `explain` shows what the crawl "
            "recorded"
        ) from None
    assert now.line is not None
    same = now.line.record["text_digest"] == subject.line.record["text_digest"]
    told = "the text that was judged" if same else "its text has changed since it was judged"
    return replace(now, choice=f"fetched again, {told}; {now.choice}", line=subject.line)


def _choice(judged_on: str, media_type: str) -> str:
    """Return in words which text of a document was judged."""
    return _WHOLE if media_type == _PLAIN else _CHOICES[judged_on]


def _layout_of(record: Mapping[str, Any]) -> bytes | None:
    layout = record.get("layout")
    return None if layout is None else bytes.fromhex(layout)
