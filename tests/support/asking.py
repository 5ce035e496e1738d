"""The demo web asked without a network, and what all its answers come to."""

from __future__ import annotations

import hashlib

from crawler.demo import DemoWeb
from crawler.demo.pages import Answer
from crawler.urls import host_key

_IN_PLACE = {"/tracked": "/tracked?utm_source=gate", "/folder": "/folder/"}
"""Path -> where it redirects to as the same page."""


def ask(web: DemoWeb, url: str) -> Answer:
    """Answer a URL as to a client that keeps cookies and follows redirects in place."""
    path = "/" + url.split("/", 3)[3]
    return web.get(host_key(url), _IN_PLACE.get(path, path), {"Cookie": "welcome=1"})


def digest(web: DemoWeb) -> str:
    """Digest every body of the truth, in its order."""
    total = hashlib.sha256()
    for url in web.truth.fates:
        total.update(url.encode() + ask(web, url).body)
    return total.hexdigest()
