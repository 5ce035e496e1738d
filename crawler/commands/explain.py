"""Two documents and the evidence between them, as text, JSON or a page."""

from __future__ import annotations

from pathlib import Path

from crawler.commands.showing import print_json, write_page
from crawler.commands.terminal import console
from crawler.config import load_job
from crawler.errors import ConfigError
from crawler.explain.data import as_data
from crawler.explain.explanation import explain as explain_pair
from crawler.explain.opening import open_subjects
from crawler.explain.page import as_page
from crawler.explain.terminal import print_explanation
from crawler.printing import say


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
        write_page(html, as_page(explanation))
    if as_json:
        print_json(as_data(explanation))
    elif html is None:
        print_explanation(console(), explanation)
    return 0
