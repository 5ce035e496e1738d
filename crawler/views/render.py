"""One way to show what was found: lines and tables in a terminal, HTML pages, JSON.

What comes from the web is made harmless here and nowhere else: `safe` for a terminal (nothing can
style it or move its cursor), `shown` for a page. A page makes no request: its style and its script
are in it, and its policy allows nothing else.
"""

from __future__ import annotations

import hashlib
import sys
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.console import drop_output, escape_json, safe, say
from crawler.errors import InputError

PIPED_COLUMNS = 150
LEAST_HOST = 15
"""Columns of a host's name, however narrow the terminal is."""


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Print no more where the reader has gone; rich would end the program by exit code 1."""
        drop_output()


def console() -> Console:
    """Return a terminal as it is; what is piped is as wide as the tables need."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return _Terminal(markup=False, highlight=False, width=width)


def print_line(console: Console, line: str | Text, style: str = "") -> None:
    """Print a line that is not broken at the terminal's width."""
    console.print(Text(line, style) if isinstance(line, str) else line, soft_wrap=True)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print (name, text) one below the other; a text without a name goes on from the one before."""
    rows = list(facts)
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str | int | Text]] = ()
) -> Table:
    """Return a table; `>` before a column's name puts it to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in columns:
        justify: Any = "right" if name.startswith(">") else "left"
        made.add_column(name.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        made.add_row(*(f"{cell:,}" if isinstance(cell, int) else cell for cell in row))
    return made


def print_json(data: Any) -> None:
    """Print JSON-ready data, indented."""
    print(escape_json(orjson.dumps(data, option=orjson.OPT_INDENT_2)).decode())


def print_json_line(data: Any) -> None:
    """Print JSON-ready data in one line."""
    print(escape_json(orjson.dumps(data)).decode())


def visible(text: str) -> str:
    """Return a text with its control characters shown as escapes, line ends kept."""
    return "\n".join(map(safe, text.split("\n")))


def shown(text: str) -> str:
    """Return one line of text that can do no harm in a page."""
    return escape(safe(text))


def packaged(package: str, name: str) -> str:
    """Return a style sheet or script that lies beside the modules of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def page(title: str, style: str, body: Iterable[str]) -> str:
    """Return a page without a script; title and body are HTML already."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            '<meta http-equiv="Content-Security-Policy"',
            " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{title}</title><style>{style}</style></head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def scripted_page(
    title: str,
    style: str,
    script: str,
    body: Iterable[str],
    *,
    key: str = "",
    inline_styles: bool = False,
) -> str:
    """Return a page with a script, which runs by its hash; title and body are HTML already.

    `key` is what the script keeps its data under. `inline_styles` is for pages with attributes of
    style, such as the widths of bars: these cannot be told by a hash.
    """
    styles = "'unsafe-inline'" if inline_styles else _hash(style)
    policy = f"default-src 'none'; style-src {styles}; script-src {_hash(script)}"
    scale = ", initial-scale=1" if inline_styles else ""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta name="viewport" content="width=device-width{scale}">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title><style>{style}</style></head>",
            f'<body data-key="{key}">' if key else "<body>",
            *body,
            f"<script>{script}</script></body></html>\n",
        ]
    )


def write_page(file: Path, page: str) -> None:
    """Write an HTML page and say where it is. Raises InputError where it cannot be written."""
    try:
        file.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot write the page: {error.strerror}") from None
    say(f"Page: {file}")


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
