"""One way to show what was found: in a terminal, as an HTML page, as JSON.

A view tells once what it shows, in blocks: headings, lines, tables, texts with marks, drawings,
parts side by side. `print_blocks` prints them, `as_html` makes a page's HTML of them. JSON is the
record that they were told from.

What comes from the web is made harmless here and nowhere else: `safe` for a terminal (nothing can
style it or move its cursor), `shown` for a page. A page makes no request: its style and its script
are in it, and its policy allows nothing else.
"""

from __future__ import annotations

import hashlib
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
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


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str | int | Text] | None] = ()
) -> RichTable:
    """Return a table; `>` before a column's name puts it to the right.

    Texts need not be harmless; after None comes a section of its own.
    """
    made = RichTable(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in columns:
        justify: Any = "right" if name.startswith(">") else "left"
        made.add_column(name.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        if row is None:
            made.add_section()
        else:
            made.add_row(*map(_cell, row))
    return made


def _cell(cell: str | int | Text) -> str | Text:
    if isinstance(cell, int):
        return f"{cell:,}"
    return Text(safe(cell)) if isinstance(cell, str) else cell


def print_json(data: Any) -> None:
    """Print JSON-ready data, indented."""
    print(escape_json(orjson.dumps(data, option=orjson.OPT_INDENT_2)).decode())


def print_json_line(data: Any) -> None:
    """Print JSON-ready data in one line."""
    print(escape_json(orjson.dumps(data)).decode())


# What a view shows, told once: `print_blocks` gives the form of a terminal, `as_html` of a page.

Spans = Sequence[tuple[str, str]]
"""A text in stretches that are harmless for a terminal, each with its mark, if it has one."""

_TAGS = {
    "removed": "<del>{}</del>",
    "added": "<ins>{}</ins>",
    "note": '<span class="quiet">{}</span>',
    "bit": '<span class="bit">{}</span>',
    "bold": "<b>{}</b>",
}
_STYLES = {
    "removed": "red strike",
    "added": "green",
    "note": "dim",
    "elided": "dim",
    "bold": "bold",
}
_SIGNS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
"""wdiff's marks: what is read where there is no colour."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; what follows it in `legend` explains marks."""

    text: str
    level: int = 2
    legend: Spans = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on a line of its own."""

    lines: Iterable[str]
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with marks, from the web as it is: it keeps its line ends."""

    spans: Spans


@dataclass(frozen=True, slots=True)
class Drawn:
    """Lines whose columns stand below one another; `below` points at some of them."""

    lines: Sequence[Spans]
    below: str = ""


Cells = Sequence[str | int]
"""A row of a table: texts, which need not be harmless, and numbers."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `>` before a column's name puts it to the right.

    Without columns it has no head.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Cells]


@dataclass(frozen=True, slots=True)
class Beside:
    """Parts that stand side by side on a page, below one another in a terminal."""

    parts: Sequence[Sequence[Block]]


@dataclass(frozen=True, slots=True)
class PageOnly:
    """HTML for what a terminal does not show."""

    html: str


@dataclass(frozen=True, slots=True)
class TerminalOnly:
    """A line for what a page does not show, such as an empty one."""

    line: Spans = ()


Block = Heading | Lines | Passage | Drawn | Table | Beside | PageOnly | TerminalOnly


def print_blocks(console: Console, blocks: Iterable[Block]) -> None:
    """Print what a view shows: in colours, or with wdiff's marks."""
    for block in blocks:
        match block:
            case Heading(text, level, legend):
                indent = "   " if level == 3 else ""
                line = Text.assemble((f"{indent}{safe(text)}", "bold"))
                for span in legend:
                    line.append("   ").append(marked(console, [span]))
                print_line(console, line)
            case Lines(lines):
                for text in lines:
                    print_line(console, f"   {safe(text)}")
            case Passage(spans):
                for line in marked(console, spans).split("\n"):
                    print_line(console, Text.assemble("      ", line))
            case Drawn(rows, below):
                for row in rows:
                    print_line(console, "   " + "".join(text for text, _ in row))
                if below:
                    print_line(console, f"   {below}".rstrip(), "red")
            case Table(title, columns, cells):
                print_line(console, title, "bold")  # a table's own title wraps at its width
                made = table("", columns or ("", ""), cells)
                made.show_header = bool(columns)
                console.print(made)
            case Beside(parts):
                for part in parts:
                    print_blocks(console, part)
            case TerminalOnly(spans):
                print_line(console, marked(console, spans))


def marked(console: Console, spans: Spans) -> Text:
    """Return a text with its marks as a terminal shows them."""
    made = Text()
    for text, mark in spans:
        before, after = ("", "") if console.is_terminal else _SIGNS.get(mark, ("", ""))
        made.append(f"{before}{text}{after}", _STYLES.get(mark, ""))
    return made


def as_html(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the same as HTML."""
    for block in blocks:
        match block:
            case Heading(text, level, legend):
                legend_html = "".join(f" {marked_html([span])}" for span in legend)
                yield f"<h{level}>{shown(text)}{legend_html}</h{level}>"
            case Lines(lines, quiet):
                tag = '<div class="quiet">{}</div>' if quiet else "<p>{}</p>"
                yield from (tag.format(shown(line)) for line in lines)
            case Passage(spans):
                yield f'<div class="text" dir="auto">{marked_html(spans)}</div>'
            case Drawn(rows):
                yield f"<pre>{'<br>'.join(map(marked_html, rows))}</pre>"
            case Table(title, columns, cells):
                yield f"<h2>{shown(title)}</h2>{html_table(columns, cells)}"
            case Beside(parts):
                made = "".join(f"<div>{''.join(as_html(part))}</div>" for part in parts)
                yield f'<div class="sides">{made}</div>'
            case PageOnly(html):
                yield html


class Html(str):
    """HTML that is harmless already: a cell of it is taken as it is."""

    __slots__ = ()


def html_table(columns: Sequence[str], rows: Iterable[Cells], name: str = "") -> str:
    """Return a table as `Table` has it, of texts, numbers and `Html`."""
    made = []
    heads = [column.removeprefix(">") for column in columns]
    for tag, of, cells in (("th", ' scope="col"', heads), *(("td", "", row) for row in rows)):
        line = ""
        for cell, column in zip(cells, columns or [""] * len(cells), strict=True):
            text = f"{cell:,}" if isinstance(cell, int) else cell
            right = ' class="n"' if column.startswith(">") else ""
            inner = text if isinstance(text, Html) else shown(text)
            line += f"<{tag}{of}{right}>{inner}</{tag}>"
        made.append(f"<tr>{line}</tr>")
    top = f"<thead>{made[0]}</thead>" if columns else ""
    named = f' id="{name}"' if name else ""
    body = "".join(made[1:])
    return f'<div class="scroll"><table{named}>{top}<tbody>{body}</tbody></table></div>'


def marked_html(spans: Spans) -> str:
    """Return a text with its marks as HTML."""
    return "".join(_TAGS.get(mark, "{}").format(escape(text)) for text, mark in spans if text)


def visible(text: str) -> str:
    """Return a text with its control characters shown as escapes, line ends kept."""
    return "\n".join(map(safe, text.split("\n")))


def shown(text: str) -> str:
    """Return one line of text that can do no harm in a page."""
    return escape(safe(text))


def packaged(package: str, name: str) -> str:
    """Return a style sheet or script that lies beside the modules of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def page(
    title: str,
    style: str,
    body: Iterable[str],
    *,
    script: str = "",
    key: str = "",
    inline_styles: bool = False,
    pictures: bool = False,
) -> str:
    """Return a page; title and body are HTML already. A script runs by its hash.

    `key` is what the script keeps its data under. `inline_styles` is for pages with attributes of
    style, such as the widths of bars: these cannot be told by a hash. `pictures` is for one that
    has some within itself.
    """
    may_show = "; img-src data:" if pictures else ""
    may_run = f"; script-src {_hash(script)}" if script else ""
    styles = "'unsafe-inline'" if inline_styles or not script else _hash(style)
    scale = ", initial-scale=1" if inline_styles else ""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta name="viewport" content="width=device-width{scale}">',
            '<meta http-equiv="Content-Security-Policy"'
            f" content=\"default-src 'none'; style-src {styles}{may_run}{may_show}\">",
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title><style>{style}</style></head>",
            f'<body data-key="{key}">' if key else "<body>",
            *body,
            *([f"<script>{script}</script>"] if script else []),
            "</body></html>\n",
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
