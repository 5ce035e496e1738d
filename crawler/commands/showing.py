"""What several commands do with what they found: JSON on stdout, or a page in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from crawler.errors import InputError
from crawler.printing import escape_json, say


def print_json(data: Any) -> None:
    """Print JSON-ready data, indented."""
    print(escape_json(orjson.dumps(data, option=orjson.OPT_INDENT_2)).decode())


def print_json_line(data: Any) -> None:
    """Print JSON-ready data in one line."""
    print(escape_json(orjson.dumps(data)).decode())


def write_page(file: Path, page: str) -> None:
    """Write an HTML page and say where it is. Raises InputError where it cannot be written."""
    try:
        file.write_text(page, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot write the page: {error.strerror}") from None
    say(f"Page: {file}")
