"""The arguments of every command: each function adds those of the command of its name.

Its docstring is the command's help. What a command does is in the module of its name in
`crawler.commands` (`resume` in `crawl`).
"""

from __future__ import annotations

from crawler.cli.arguments.corpora import dedup, export, index, lexicon, read, reread
from crawler.cli.arguments.crawling import crawl, demo, dry_run, recrawl, resume
from crawler.cli.arguments.keeping import add, backup, check, purge, reindex, restore, retry
from crawler.cli.arguments.looking import audit, explain, inspect, query, report, templates

IN_ORDER = (
    *(crawl, resume, dry_run, recrawl, add, retry, restore, purge, reindex, backup, check),
    *(report, inspect, query, templates),
    *(export, demo, dedup, read, reread, index, explain, audit, lexicon),
)
"""The commands as the help lists them."""
