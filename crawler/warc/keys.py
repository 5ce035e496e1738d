"""What an index of an archive sorts URLs by: the SURT (Sort-friendly URI Reordering Transform).

The form is that of the Internet Archive's tools, in which pywb looks URLs up: the host reversed,
`www.` and scheme left out, all in lower case, the parts of a query in order, session ids gone. What
comes here is canonical by the URL standard already (`crawler.urls`).
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(rb"/{2,}")
_SESSION = re.compile(
    rb"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24})\Z"
)
"""At the end of a part of a query in lower case."""
_ID, _TOKEN = b"cfid=", b"cftoken="
_MOST_ROUNDS = 8
"""In which `%25` may become `%`; tools go on for ever, which takes time in the square."""
_KEPT = frozenset(range(0x21, 0x7F)) - frozenset(b"#%")
_ESCAPED = {byte: bytes([byte]) if byte in _KEPT else b"%%%02x" % byte for byte in range(256)}


def surt(url: str) -> str:
    """Return the key of a canonical http(s) URL, such as `com,example)/a?b=1`."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port
    if www := _WWW.match(host):
        host = host[www.end() :]
    placed = "" if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    path = _SLASHES.sub(b"/", _folded(parts.path)) or b"/"
    if len(path) > 1:
        path = path.removesuffix(b"/")
    query = _query(parts.query)
    reversed_ = ",".join(reversed(host.split(".")))
    return f"{reversed_}{placed}){path.decode('ascii')}" + (f"?{query}" if query else "")


def _query(query: str) -> str:
    folded = _without_sessions(_folded(query))
    parts = sorted(part.split(b"=", 1) for part in folded.split(b"&"))
    return b"&".join(map(b"=".join, parts)).decode("ascii")


def _without_sessions(query: bytes) -> bytes:
    """Return a query without session ids, each with the `&` behind it.

    Part by part, so that each is looked at once: a session of ColdFusion is two of them, and an
    expression that finds it anywhere looks for its second part from each begin of the first.
    """
    parts = query.split(b"&")
    left, at = bytearray(), 0
    while at < len(parts):
        part, following = parts[at], b"".join(parts[at + 1 : at + 2])
        session = _SESSION.search(part)
        end = session.start() if session else len(part)
        begun = part.find(_ID, 0, end)
        is_pair = 0 <= begun < len(part) - len(_ID) and len(following) > len(_TOKEN)
        is_pair = is_pair and following.startswith(_TOKEN)
        left += part[: begun if is_pair else end]
        at += 2 if is_pair else 1
        if not (session or is_pair) and at < len(parts):
            left += b"&"
    return bytes(left)


def _folded(text: str) -> bytes:
    """Return a part of a URL in lower case, with nothing escaped but what must be."""
    folded = text.encode("utf-8", "surrogateescape")
    for _ in range(_MOST_ROUNDS):
        plain = unquote_to_bytes(folded)
        if plain == folded:
            break
        folded = plain
    return b"".join(map(_ESCAPED.__getitem__, folded)).lower()
