"""The demo web crawled, and the duplicates found compared with those known to be in it."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path

from crawler.cli.commands.running import tell_end, watched
from crawler.config import Job, parse_job
from crawler.console import progress, say
from crawler.demo import DemoServer, DemoWeb, demo_job
from crawler.engine.identity import identity
from crawler.errors import ConfigError
from crawler.sources.web.crawl import run_crawl
from crawler.storage.store import Store

LEAST_ARTICLES = 10
"""Size of the smallest demo web with every behaviour that docs/demo.md tells of."""


def demo(args: Namespace) -> int:
    """Crawl the demo web and compare the duplicates found with those known to be in it."""
    articles = args.articles
    if articles < LEAST_ARTICLES:
        raise ConfigError(
            f"--articles {articles}: give {LEAST_ARTICLES} or more; in a smaller web some "
            "behaviours are missing"
        )
    names = chain(["demo-out"], (f"demo-out-{n}" for n in count(2)))
    output = args.output or next(path for path in map(Path, names) if not path.exists())
    with ExitStack() as unless_begun:
        # Taken before the web is written, which takes its time; the demo job leaves identity alone.
        store = Store.create(output, identity(Job()))
        unless_begun.callback(store.close)
        say(progress(f"Serving the demo web ({articles} articles) on loopback ..."))
        web = DemoWeb(args.seed, articles)
        with DemoServer(web):
            unless_begun.pop_all()
            job = parse_job(demo_job(web, output), "demo")
            with watched(job, args) as (watcher, _):
                return tell_end(job, run_crawl(job, store, say, watcher=watcher), web.truth)
