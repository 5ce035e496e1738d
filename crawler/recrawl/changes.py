"""`changes.jsonl`: what a recrawl found of each page, as one file made from its lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from crawler.observe.summary import format_time
from crawler.recrawl.history import History, interval_s
from crawler.recrawl.pages import seconds
from crawler.storage import LINE_FILES, StoreView, reading_line
from crawler.storage.directory import replacing

CHANGES = "changes.jsonl"


def write_changes(directory: Path, min_s: float, max_s: float) -> None:
    """Write the file in one step, so that no reader finds half of it.

    In the order of the line files, and of the lines in each. Raises StoreError where the directory
    cannot be read or written.
    """
    path = directory / CHANGES
    with replacing(path) as part, StoreView.read(directory) as view, part.open("wb") as file:
        for record in _changes(view, min_s, max_s):
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


def _changes(view: StoreView, min_s: float, max_s: float) -> Iterator[dict[str, Any]]:
    for name in LINE_FILES:
        for line in view.lines(name):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                visit = record.get("revisit")
                if visit:
                    yield _change(name, record, visit, min_s, max_s)


def _change(
    name: str, record: dict[str, Any], visit: dict[str, Any], min_s: float, max_s: float
) -> dict[str, Any]:
    history = History(*(visit[field] for field in History._fields))
    wait_s = interval_s(history, min_s, max_s)
    return {
        "url": record["url"],
        "at": record["fetched_at"],
        **visit,
        "line_in": name,
        **{key: record[key] for key in ("status", "failure", "reason") if record.get(key)},
        "interval_s": round(wait_s, 3),
        "due_at": format_time(seconds(visit["visited_at"]) + wait_s),
    }
