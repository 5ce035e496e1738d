"""The state of a crawl asked by SQL."""

from __future__ import annotations

import csv
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any

import orjson

from crawler.console import csv_cell, escape_json, say
from crawler.storage.directory import crawls_in
from crawler.storage.query import Answer, ask, columns_of
from crawler.storage.view import StoreView
from crawler.views.render import console, table

MOST_ROWS = 1_000
"""Rows of a table for a terminal; as JSON or CSV all are printed."""


def query(args: Namespace) -> int:
    """Print what a SELECT on the views of a crawl gives; without one, which views there are.

    JSON is an object a line; what is no text or number is in hexadecimal. Partitions of a crawl are
    asked one after another: a first column says which has a row.
    """
    with ExitStack() as stack:
        directories = crawls_in(args.directory)
        views = [stack.enter_context(StoreView.read(directory)) for directory in directories]
        for view in views:
            stack.enter_context(view.database.translated())
        if args.sql is None:
            named = [(name, ", ".join(names)) for name, names in columns_of(views[0]).items()]
            answer = Answer(["view", "columns"], iter(named))
        elif directories == [args.directory]:
            answer = ask(views[0], args.sql)
        else:
            answer = _of_partitions([(view.directory.name, ask(view, args.sql)) for view in views])
        if args.json:
            out = sys.stdout.buffer
            for row in answer.rows:
                record = dict(zip(answer.columns, _plain(row), strict=True))
                out.write(escape_json(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)))
            out.flush()
        elif args.csv:
            written = csv.writer(sys.stdout, lineterminator="\n")
            written.writerow(answer.columns)
            written.writerows(map(csv_cell, _plain(row)) for row in answer.rows)
        else:
            # Columns of numbers, by the first row, are to the right.
            rows = [
                [one if isinstance(one, int) else "" if one is None else str(one) for one in cells]
                for cells in map(_plain, islice(answer.rows, MOST_ROWS))
            ]
            numbers = {n for row in rows[:1] for n, one in enumerate(row) if isinstance(one, int)}
            heads = [f">{name}" if n in numbers else name for n, name in enumerate(answer.columns)]
            console().print(table("", heads, rows))
            if next(answer.rows, None) is not None:
                say(f"The first {MOST_ROWS:,} rows; --json or --csv prints all")
    return 0


def _of_partitions(answers: Sequence[tuple[str, Answer]]) -> Answer:
    rows = ((name, *row) for name, answer in answers for row in answer.rows)
    return Answer(["partition", *answers[0][1].columns], rows)


def _plain(row: Sequence[Any]) -> Iterator[Any]:
    return (cell.hex() if isinstance(cell, bytes) else cell for cell in row)
