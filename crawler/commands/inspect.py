"""All that a crawl knows of one URL, shown."""

from __future__ import annotations

from pathlib import Path

from crawler.commands.showing import print_json
from crawler.commands.terminal import print_facts
from crawler.inspection import data, history, terminal
from crawler.storage import StoreView


def inspect(directory: Path, name: str, as_json: bool) -> int:
    """Show where a URL came from, what became of it and why, and what its page is like."""
    with StoreView.read(directory) as view:
        found = history.inspect(view, name)
    if as_json:
        print_json(data.as_data(found))
        return 0
    print_facts(terminal.told(found))
    for line in terminal.next_steps(found, directory):
        print(f"\n{line}")
    return 0
