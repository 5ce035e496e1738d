"""From what the user names to two subjects: files, or what a crawl or a run of `dedup` has."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from crawler.analysis import Analyser, AnalysisRequest, AnalysisSettings
from crawler.batch.documents import read_whole
from crawler.batch.inputs import media_type_of
from crawler.config import Dedup, Job, SiblingMode
from crawler.dedup import payload_digest
from crawler.dedup.copies import judged_text, unpack
from crawler.dedup.signing.digests import format_digest
from crawler.errors import InputError
from crawler.explain.again import completed
from crawler.explain.finding import is_number
from crawler.explain.stored import earlier_version, look_up
from crawler.explain.subjects import PLAIN, Subject, choice_of, content_of
from crawler.paths import fault_of
from crawler.printing import Say
from crawler.records import PayloadKey
from crawler.storage import Meta, StoreView


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
        if view is not None and names[0] == names[1]:  # a page, and what it was in an earlier crawl
            second = earlier_version(second, view) or second
        if fetch is not None and view is not None:
            first, second = completed((first, second), view, fetch)
        return first, second, chosen


def _open(name: str, view: StoreView | None, settings: Dedup) -> Subject:
    if not name:
        raise InputError("the name of a document is empty: is a variable unset?")
    if "://" not in name and fault_of(name) is None and Path(name).exists():
        return _read_file(name, settings)
    if view is not None:
        return look_up(name, view)
    if "://" in name:
        raise InputError(f"{name}: a URL is explained from a crawl's directory: add --output DIR")
    of_page = "; for the page of a crawl with this id, add --output DIR" if is_number(name) else ""
    raise InputError(f"{name}: there is no such file{of_page}")


def _read_file(name: str, settings: Dedup) -> Subject:
    """Read a file as a fetched page is read, compressed or not; what begins with `<` is HTML."""
    path = Path(name)
    body = read_whole(path, name)
    media_type = media_type_of(path.name) or PLAIN
    if media_type == PLAIN and body.lstrip()[:1] == b"<":
        media_type = "text/html"
    showing = settings.model_copy(update={"siblings": SiblingMode.TAG})
    analyser = Analyser(AnalysisSettings.of(Job(dedup=showing)))
    url = path.absolute().as_uri()
    page = analyser.analyse(AnalysisRequest(url, body, media_type, charset=None))
    assert page.appearance is not None  # as `showing` asks for it
    appearance = unpack(page.appearance)
    text = judged_text(appearance, page.text)
    return Subject(
        name=name,
        url=url,
        text=text,
        choice=choice_of(content_of(page, media_type), text),
        payload=PayloadKey(format_digest(payload_digest(body, settings.payload_hash)).encode(), ""),
        title=page.title,
        appearance=appearance,
        is_whole=True,
        visible_digest=format_digest(page.signature.visible_digest),
        layout=page.layout,
    )
