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
    rb"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    rb"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)",
    re.IGNORECASE,
)
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
    folded = _SESSION.sub(b"", _folded(query))
    parts = sorted(part.split(b"=", 1) for part in folded.split(b"&"))
    return b"&".join(map(b"=".join, parts)).decode("ascii")


def _folded(text: str) -> bytes:
    """Return a part of a URL in lower case, with nothing escaped but what must be."""
    folded = text.encode("utf-8", "surrogateescape")
    for _ in range(_MOST_ROUNDS):
        plain = unquote_to_bytes(folded)
        if plain == folded:
            break
        folded = plain
    return b"".join(map(_ESCAPED.__getitem__, folded)).lower()
