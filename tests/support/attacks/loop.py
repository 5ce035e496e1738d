"""Attacks on the event loop: what a page, its links or its headers make the crawler itself do."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial

from support.attacks.attack import ADDRESS, Attack, Staged
from support.servers import Reply, redirect, response, serve

PAGES = 2
"""Of each attacker, all of them seeds: one of them alone could be an accident."""
BODY_BYTES = 9_900_000
"""Just within `fetch.max_body_bytes`."""
CONTROLS = "\x7f\x80"
"""One a page: a line would hold each as six bytes."""
MARKS = "\u202e\u2066"
"""What is text, and is escaped in a line since terminals obey it."""
SEGMENTS, LINKS = 960, 10_000
NEW_SEGMENTS, NEW_LINKS = 330, 5_000
_ENDS = [f"z{segment:x}" for segment in range(NEW_SEGMENTS)]
FIELDS, FIELD_BYTES = 240, 16_000
"""Just within the lines and bytes a line that aiohttp takes of a response's head."""

_RULES = response(b"User-agent: *\nDisallow: /x/\n", content_type="text/plain")
"""Nobody asks for what links lead to: each attack is over with the pages that attack."""


def _attack(name: str, does: str, page: Callable[[int], bytes]) -> Attack:
    """Return an attack by one host, of which each `page` is a seed."""

    @asynccontextmanager
    async def staged() -> AsyncIterator[Staged]:
        host = f"{name}.test"
        pages: dict[str, Reply] = {f"/{number}": page(number) for number in range(PAGES)}
        async with serve(pages | {"/robots.txt": _RULES}) as site:
            seeds = tuple(f"http://{host}:{site.port}{path}" for path in pages)
            yield Staged(seeds, {host: ADDRESS})

    return Attack(name, does, staged)


def _packed(
    body: bytes, content_type: str = "text/html; charset=utf-8", *, level: int = 1
) -> bytes:
    return response(
        gzip.compress(body, level), content_type=content_type, headers={"Content-Encoding": "gzip"}
    )


@cache
def _repeated(characters: str, number: int) -> bytes:
    """Return a text of one character, after a number that makes it another page."""
    written = characters[number].encode()
    body = str(number).encode() + written * (BODY_BYTES // len(written))
    return _packed(body, "text/plain; charset=utf-8", level=6)


@cache
def _deep_base(number: int) -> bytes:
    base = f"/x/{'a/' * SEGMENTS}"
    links = "".join(f"<a href={number}-{link}>" for link in range(LINKS))
    return _packed(f"<base href='{base}'><p>{number}{links}".encode())


@cache
def _new_segments(number: int) -> bytes:
    return _packed(
        f"<p>{number}{''.join(map(partial(_new_link, number), range(NEW_LINKS)))}".encode()
    )


def _new_link(number: int, link: int) -> str:
    name = f"/{number * NEW_LINKS + link:x}"
    return f"<a href=/x{name}{name.join(_ENDS)[:1900]}>"


@cache
def _alike(number: int) -> bytes:
    """Return a page that differs from the others in the midst of a sentence of one word."""
    lines = "".join(f"<p>{' '.join(f'{12 * n + k:x}w' for k in range(12))}." for n in range(2_000))
    return _packed(f"<title>One</title>{lines}<p>{'x ' * 4_000}{number} {'x ' * 4_000}.".encode())


def _flooded(name: str, value: str, status: int = 200) -> Callable[[int], bytes]:
    """Return what makes pages with a head full of one field."""
    fields = (("Location", "/x/"), *((name, value[:FIELD_BYTES]),) * FIELDS)
    return lambda number: response(f"<p>{number}".encode(), status=status, headers=fields)


def _long_location(number: int) -> bytes:
    return redirect(f"//{number}/{'http:' * (FIELD_BYTES // 5)}")


ATTACKS: tuple[Attack, ...] = (
    _attack(
        "control-characters",
        "10 MB of control characters in 10 KB of gzip",
        partial(_repeated, CONTROLS),
    ),
    _attack(
        "direction-marks",
        "10 MB of marks that terminals obey in 10 KB of gzip",
        partial(_repeated, MARKS),
    ),
    _attack("deep-base", "a base of 960 segments under 10,000 links", _deep_base),
    _attack("new-segments", "5,000 links of 330 segments that were never seen", _new_segments),
    _attack(
        "long-sentence", "pages alike but for a sentence of 8,000 words, all but one alike", _alike
    ),
    _attack(
        "robots-tag-flood",
        "a head full of X-Robots-Tag",
        _flooded("X-Robots-Tag", "," * FIELD_BYTES),
    ),
    _attack(
        "cookie-attributes",
        "a head full of cookies' attributes, with a redirect",
        _flooded("Set-Cookie", "a=b" + ";" * FIELD_BYTES, status=302),
    ),
    _attack(
        "coding-flood",
        "a head full of codings that do not exist",
        _flooded("Content-Encoding", "," * FIELD_BYTES),
    ),
    _attack("long-location", "a Location of 16,000 characters full of schemes", _long_location),
)
