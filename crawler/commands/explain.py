"""Two documents and the evidence between them, as text, JSON or a page."""

from __future__ import annotations

from pathlib import Path

import orjson

from crawler.commands.report import console
from crawler.config import load_job
from crawler.errors import ConfigError, InputError
from crawler.explain.data import as_data
from crawler.explain.explanation import explain as explain_pair
from crawler.explain.opening import open_subjects
from crawler.explain.page import as_page
from crawler.explain.terminal import print_explanation
from crawler.printing import escape_json, say


def explain(
    names: tuple[str, str],
    output: Path | None,
    config: Path | None,
    fetch: bool,
    as_json: bool,
    html: Path | None,
) -> int:
    """Show why two documents are, or are not, taken for duplicates."""
    settings = load_job(config).dedup if config else None
    if fetch and output is None:
        raise ConfigError("--fetch fetches pages of a crawl: add its --output DIR")
    sides = open_subjects(names, output, settings, say if fetch else None)
    explanation = explain_pair(*sides)
    if html is not None:
        try:
            html.write_text(as_page(explanation), encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"{html}: cannot write the page: {error.strerror}") from None
        say(f"Page: {html}")
    if as_json:
        data = orjson.dumps(as_data(explanation), option=orjson.OPT_INDENT_2)
        print(escape_json(data).decode())
    elif html is None:
        print_explanation(console(), explanation)
    return 0
