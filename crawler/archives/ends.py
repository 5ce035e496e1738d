"""The end of each record: as a crawl ends a page, and where in which archive it lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from crawler import ends
from crawler.analysis import AnalysisFailed
from crawler.archives.records import Record
from crawler.crawl.responses import Said
from crawler.crawl.verdicts import Verdicts
from crawler.ends import NOTHING_OFFERED, Offered
from crawler.ends.judged import Record as Line
from crawler.extract import PageLinks
from crawler.records import (
    Batch,
    Document,
    ExactDuplicate,
    Failed,
    Fetched,
    FetchTask,
    NewUrl,
    Priority,
    Redirected,
    Skip,
    Skipped,
)

NOT_ASKED = "not-asked"
"""What a redirect's line says of its target: nothing is fetched, it is here if it is archived."""


class NoLinks:
    """Links of archived pages lead nowhere: what is read is what is there."""

    def links(
        self, task: FetchTask, links: Iterable[str], *, follow: bool, copied: bool = False
    ) -> Offered:
        """See `crawler.crawl.verdicts.Links`."""
        return NOTHING_OFFERED


@dataclass(frozen=True, slots=True)
class Ended:
    """An end, and whether the page came to it as one: only then its site learns from it."""

    batch: Batch
    is_page: bool = False


def without_page(outcome: Redirected | Skipped | Failed) -> Ended:
    """Return the end of a record that holds no page."""
    match outcome:
        case Redirected():
            return Ended(ends.redirect_end(outcome, NOT_ASKED))
        case Skipped():
            return Ended(ends.skip_end(outcome))
        case Failed():
            return Ended(ends.fail_end(outcome))


def copied(verdicts: Verdicts, fetched: Fetched, said: Said, known: ExactDuplicate) -> Ended:
    """Return the end of a page whose payload is known: it is not even read."""
    batch = verdicts.copied(fetched, said.key, known, PageLinks((), False), follow=False)
    return Ended(batch)


def with_page(
    verdicts: Verdicts, fetched: Fetched, said: Said, page: Document | AnalysisFailed
) -> Ended:
    """Judge a page that was read and return its end, as `PageLife` does in a crawl."""
    task, at = fetched.task, fetched.fetched_at
    if isinstance(page, AnalysisFailed):
        return Ended(ends.fail_end(Failed(task, page.failure, page.detail, at)))
    if target := said.moved_to(task, page):
        redirected = Redirected(task, fetched.status, target, at)
        return Ended(ends.redirect_end(redirected, NOT_ASKED))
    if said.noindex or page.noindex:
        skipped = Skipped(task, Skip.NOINDEX, "the page asks not to be indexed", at)
        return Ended(ends.skip_end(skipped, spent=ends.costs(fetched, page)))
    if not fetched.body:
        return Ended(ends.skip_end(Skipped(task, Skip.NO_CONTENT, "empty body", at)))
    if page.foreign is not None:
        skipped = Skipped(task, Skip.LANGUAGE, page.foreign, at)
        return Ended(ends.skip_end(skipped, spent=ends.costs(fetched, page)))
    return Ended(verdicts.judged(fetched, said.key, page, follow=False), is_page=True)


def placed(batch: Batch, task: FetchTask, record: Record) -> Batch:
    """Return an end with its own row of the URL table, and its place in each of its lines."""
    name = record.file.path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    place: Line = {"warc_filename": name, "warc_offset": record.offset}
    row = NewUrl(task.url_id, task.url, task.host, 0, Priority.ORDINARY, 0, None, seed=True)
    dropped = batch.dropped
    if dropped is not None:
        dropped = replace(dropped, line={**dropped.line, **place})
    lines = tuple((file, {**line, **place}) for file, line in batch.lines)
    return replace(batch, lines=lines, dropped=dropped, new_urls=(row,))
