"""Two documents and the evidence between them, as text, JSON or a page."""

from __future__ import annotations

from pathlib import Path

from crawler.config import load_job
from crawler.console import say
from crawler.errors import ConfigError
from crawler.views.explain.evidence import explain as explain_pair
from crawler.views.explain.shown import as_page, described
from crawler.views.explain.subjects import open_subjects
from crawler.views.render import console, print_blocks, print_json, write_page


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
        print_json(explanation.data)
    elif html is None:
        print_blocks(console(), described(explanation))
    return 0
