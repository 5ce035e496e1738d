"""Small crawls with near duplicates and siblings to audit, and `python -m crawler audit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.config import Job
from crawler.dedup.copies import Appearance, pack
from crawler.models import EXACT_TEXT, NEAR, SIBLING, Dropped, Evidence, PageOutcome, UrlState
from crawler.storage.store import Store
from crawler.storage.view import StoreView
from crawler.views.audit.sample import Sample, draw
from support.crawling import command
from support.store_material import IDENTITY, document, new_url, page, url_of

TEXT = " ".join(f"Sentence {n} speaks of matter {n * 7}." for n in range(40))
EVIL = '<script>alert(1)</script><img src="http://evil.example/">\x1b[31m\u202e'
ORIGINAL = url_of(1)


async def leave_crawl(
    directory: Path,
    near: int = 6,
    siblings: int = 4,
    *,
    same_text: int = 0,
    kept: bool = True,
    evil: str = "",
    alike: Sequence[float] = (0.93,),
) -> None:
    """Leave a finished crawl: one page, `near` copies of it dropped, `siblings` of it stored.

    The near duplicates come first, from URL id 2 on, `same_text` pages with its text come last.
    `kept` says whether their texts are there, `evil` is put into every text and line, `alike` are
    the similarities of near duplicates in turn.
    """
    seen = _seen("Original", "whole.jpg")
    first = page(1, 1)
    assert first.document is not None
    line = {"id": 1, "url": ORIGINAL, "title": "Original", "text": TEXT, "verdict": "new"}
    first = replace(
        first,
        lines=(("pages", line),),
        document=replace(first.document, appearance=pack(seen)),
        new_urls=tuple(new_url(n) for n in range(2, 2 + near + siblings + same_text)),
    )
    async with Store.create(directory, IDENTITY) as store:
        settings = {"keep_dropped": kept}
        store.begin_run(Job().model_dump(mode="json") | {"dedup": settings})
        store.submit_urls([new_url(1, seed=True)])
        store.submit(first)
        for url_id in range(2, 2 + near):
            similarity = alike[(url_id - 2) % len(alike)]
            store.submit(_copy(url_id, pack(seen) if kept else None, evil, similarity))
        for number in range(siblings):
            store.submit(_sibling(2 + near + number, 2 + number, evil))
        for url_id in range(2 + near + siblings, 2 + near + siblings + same_text):
            store.submit(_of_same_text(url_id, pack(seen) if kept else None))


def _seen(title: str, picture: str) -> Appearance:
    surroundings = "Menu", "Ten comments"
    return Appearance(title, text=(TEXT,), beside=surroundings, apart=(f"p{picture}",))


def _of_same_text(url_id: int, like: bytes | None) -> PageOutcome:
    of = {"id": 1, "url": ORIGINAL}
    said = {"url": url_of(url_id), "verdict": EXACT_TEXT, "duplicate_of": of}
    line = {**said, "title": "Original", "text": TEXT}
    seen = pack(_seen("Original", "torn.jpg"))
    return PageOutcome(
        url_id,
        UrlState.DUPLICATE,
        (("duplicates", said),),
        EXACT_TEXT,
        1,
        dropped=None if like is None else Dropped(line, like, seen),
    )


def _copy(url_id: int, like: bytes | None, evil: str, similarity: float) -> PageOutcome:
    said: dict[str, Any] = {
        "url": url_of(url_id),
        "verdict": NEAR,
        "duplicate_of": {"id": 1, "url": ORIGINAL},
        "evidence": Evidence.REPRINT.value,
        "similarity": similarity,
    }
    text = TEXT.replace("Sentence 7 speaks", f"Sentence {evil} {url_id} whispers")
    line = {**said, "title": f"Copy {url_id} {evil}", "text": text}
    return PageOutcome(
        url_id,
        UrlState.DUPLICATE,
        (("duplicates", said),),
        NEAR,
        1,
        dropped=None if like is None else Dropped(line, like),
    )


def _sibling(url_id: int, document_id: int, evil: str) -> PageOutcome:
    text = TEXT.replace("matter 7", f"dose {url_id}{evil}")
    seen = Appearance("Sibling", text=(text,), beside=(f"Menu. Table of {url_id} Rows {evil}",))
    line = {
        "id": document_id,
        "url": url_of(url_id),
        "title": "Sibling",
        "text": text,
        "verdict": SIBLING,
        "sibling_of": {"id": 1, "url": ORIGINAL},
        "evidence": Evidence.OTHER_TEXT.value,
        "similarity": 0.97,
    }
    stored = replace(document(document_id, url_id), appearance=pack(seen))
    return PageOutcome(url_id, UrlState.STORED, (("pages", line),), SIBLING, 1, document=stored)


def drawn(directory: Path, total: int = 50, siblings: int | None = None, seed: int = 1) -> Sample:
    """Draw a sample."""
    with StoreView.read(directory) as view:
        return draw(view, total, siblings, seed, lambda line: None)


def audit(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command in this process; return exit code, stdout, stderr."""
    return command(capsys, "audit", *arguments)
