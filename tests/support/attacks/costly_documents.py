"""Small documents that take long to read: hosts of them, and what each kind holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from support.attacks.attack import ADDRESS, Attack, Staged, by_host
from support.servers import response, serve

PAGES = 3
"""Of each host."""

SIZE = 150_000
"""Bytes of a page, or a little more. Unbounded, each takes 2 to 60 s of a process."""


@asynccontextmanager
async def _staged(name: str, start: str, unit: str, kind: str) -> AsyncIterator[Staged]:
    """Serve one host whose pages hold `start` and then `unit`, numbered, again and again."""
    units = (unit.format(number) for number in range(SIZE // len(unit.encode())))
    body, host = "".join((start, *units)), f"{name}.test"
    pages = [_page(f"{name}{number}", body) for number in range(PAGES)]
    answers = {f"/{n}": response(page, content_type=kind) for n, page in enumerate(pages)}
    async with serve(by_host({host: answers})) as site:
        seeds = tuple(f"http://{host}:{site.port}{path}" for path in answers)
        yield Staged(seeds, {host: ADDRESS}, innocents=seeds)


def _page(name: str, body: str) -> bytes:
    """Return a page; what it says stands behind what it costs."""
    words = " ".join(f"{name}x{place}" for place in range(40))
    head = "<!doctype html><html><head><title>Costly</title></head><body>"
    return f"{head}{body}><p>{words}</p></body></html>".encode()


def _attack(
    name: str, does: str, start: str, unit: str, kind: str = "text/html; charset=utf-8"
) -> Attack:
    return Attack(name, does, partial(_staged, name, start, unit, kind), _SETTINGS)


_SETTINGS: Mapping[str, Mapping[str, object]] = {
    "analysis": {"timeout_s": 10.0},
    "dedup": {"near": "keep"},
}

ATTACKS = (
    _attack("nesting", "pages of elements that never close", "", "<ul><li>"),
    _attack(
        "formatting", "pages of formatting that is opened anew in every block", "", "<b id={}><p>"
    ),
    _attack(
        "spans",
        "pages of cells that span a thousand places each",
        "<table><tr>",
        "<td colspan=1000>",
    ),
    _attack("marks", "pages of combining marks", "x", "\u0301\u0327"),
    _attack("names", "XHTML pages with a name that never ends", "<", "a", "application/xhtml+xml"),
)
