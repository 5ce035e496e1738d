"""The demo web: many hosts on loopback that know their own truth.

A seeded generator writes Chinese and English `articles`, `pages` dress and list them, `hosts` are
the kinds of sites: publishers that copy and edit each other, shops with session ids, an endless
calendar, odd answers, directives for crawlers. Every page is declared with its fate, so the whole
(`web`) can say what a crawl must find (`truth`).

`DemoWeb` is pure and answers without a network; `server` puts it on loopback addresses (`serve`),
or does so in a process of its own (`DemoServer`), and `demo_job` is the job that crawls it.
"""

from crawler.demo.server import DemoServer, serve
from crawler.demo.truth import Comparison, Truth
from crawler.demo.web import DemoWeb, demo_job

__all__ = [
    "Comparison",
    "DemoServer",
    "DemoWeb",
    "Truth",
    "demo_job",
    "serve",
]
