"""The demo web: many hosts on loopback that know their own truth.

A seeded generator writes Chinese and English articles (`languages`, `prose`, `library`), desks
dress them in layouts and list them (`templates`, `desk`), and the press copies, edits and reprints
them over six hosts (`press`). Other hosts behave as the web does: session ids and an endless
calendar (`shops`), redirects and robots rules (`directives`), errors, odd bodies and charsets
(`responses`). Every page is declared with its fate (`pages`), so the whole (`web`) can say what a
crawl must find (`truth`).

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
