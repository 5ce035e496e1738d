"""Servers that are hostile before a body begins: in connecting, in TLS, in status and headers."""

from __future__ import annotations

from crawler.models import Failure, Skip, UrlState
from support.hostile_case import Case, Door
from support.hostile_replies import HEAD, PAGE, closing, drip, page_with
from support.servers import endless, hang_up, reset, response, stall, then

_STORED = UrlState.STORED
_BROKEN, _CUT, _LOST = Failure.PROTOCOL, Failure.TRUNCATED, Failure.DISCONNECTED
_LATE = Failure.TIMEOUT_HEADERS
_NO_RULES = Skip.ROBOTS_UNREACHABLE
_INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"

CONNECTING = (
    Case("closed", "nothing listens", Failure.CONNECT, door=Door.CLOSED),
    Case(
        "silent",
        "the port never answers",
        Failure.TIMEOUT_CONNECT,
        door=Door.SILENT,
        tells="within",
    ),
    Case("nameless", "DNS has no such name", Failure.DNS, door=Door.NAMELESS),
    Case(
        "hung-up",
        "closes at once",
        _NO_RULES,
        door=Door.HUNG_UP,
        either=Failure.CONNECT,
    ),
    Case(
        "reset",
        "resets at once",
        Failure.CONNECT,
        door=Door.RESET,
        either=_NO_RULES,
    ),
    Case("tls-expired", "certificate expired", Failure.TLS, door=Door.EXPIRED, tells="expired"),
    Case(
        "tls-not-yet",
        "certificate not valid yet",
        Failure.TLS,
        door=Door.NOT_YET,
        tells="not yet valid",
    ),
    Case(
        "tls-wrong-host",
        "certificate of another host",
        Failure.TLS,
        door=Door.WRONG_HOST,
        tells="ostname mismatch",
    ),
    Case(
        "tls-self-signed",
        "self-signed certificate",
        Failure.TLS,
        door=Door.SELF_SIGNED,
        tells="self-signed",
    ),
    Case(
        "tls-unknown-ca",
        "unknown authority",
        Failure.TLS,
        door=Door.UNKNOWN_CA,
        tells="unable to get local issuer",
    ),
    Case("tls-alert", "refuses every TLS handshake", Failure.TLS, door=Door.TLS_ALERT),
    Case(
        "tls-stall", "never answers the TLS handshake", Failure.TIMEOUT_CONNECT, door=Door.TLS_STALL
    ),
    Case("tls-reset", "resets in the TLS handshake", Failure.CONNECT, door=Door.TLS_RESET),
    Case("tls-garbage", "speaks plain HTTP", Failure.TLS, door=Door.TLS_GARBAGE),
    Case(
        "tls-cut",
        "ends TLS within a body",
        _CUT,
        then(HEAD + b"Content-Length: 999\r\n\r\nx", reset),
        door=Door.TLS,
    ),
    Case("tls-good", "good certificate", _STORED, door=Door.TLS),
)

HEADERS = (
    Case("close-unasked", "closes unasked", _LOST, hang_up),
    Case("reset-unasked", "resets unasked", _LOST, reset),
    Case("stall-status", "never answers", _LATE, stall),
    Case("close-status", "closes in the status line", _LOST, closing(b"HTTP/1.1 20")),
    Case("reset-headers", "resets in the headers", _LOST, then(HEAD + b"X: y", reset)),
    Case("close-headers", "closes in the headers", _LOST, closing(HEAD + b"X: y")),
    Case("stall-headers", "stops in the headers", _LATE, then(HEAD, stall)),
    Case("slow-headers", "sends byte by byte", _LATE, drip(HEAD + b"X: ")),
    Case("slow-lines", "sends line by line", _LATE, drip(HEAD, b"X: y\r\n")),
    Case("endless-headers", "endless headers", _BROKEN, then(HEAD, endless(b"X: y\r\n" * 99))),
    Case(
        "endless-header",
        "endless header",
        _BROKEN,
        then(HEAD + b"X: ", endless(b"y" * 999)),
    ),
    Case(
        "endless-status",
        "endless status line",
        _BROKEN,
        then(b"HTTP/1.1 200 ", endless(b"y" * 999)),
    ),
    Case("huge-header", "header of a megabyte", _BROKEN, page_with(b"X: " + b"y" * 1_000_000)),
    Case("many-headers", "ten thousand headers", _BROKEN, page_with(*[b"X: y"] * 10_000)),
    Case(
        "interim", "twenty interim responses before the page", _STORED, _HINTS * 20 + response(PAGE)
    ),
    Case("interim-flood", "endless interim responses", _BROKEN, endless(_INTERIM * 99)),
    Case(
        "switching",
        "switches protocol",
        Failure.HTTP_UNEXPECTED,
        response(b"", status=101, headers={"Upgrade": "websocket", "Connection": "upgrade"}),
    ),
    Case("http-0.9", "speaks HTTP/0.9", _BROKEN, closing(PAGE)),
    Case("http-2", "speaks HTTP/2", _BROKEN, closing(bytes((0, 0, 6, 4, 0, 0, 0, 0, 0)) * 9)),
    Case("ssh", "speaks SSH", _BROKEN, closing(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")),
    Case("icy", "speaks radio HTTP", _BROKEN, closing(b"ICY 200 OK\r\n\r\n" + PAGE)),
    Case("no-status", "status that is no number", _BROKEN, closing(b"HTTP/1.1 abc OK\r\n\r\n")),
    Case("status-999", "status out of range", Failure.HTTP_UNEXPECTED, response(PAGE, status=999)),
    Case("nul-header", "NUL in header", _BROKEN, page_with(b"X: a\0b")),
    Case("no-colon", "header without colon", _BROKEN, page_with(b"no colon here")),
    Case(
        "odd-header",
        "invalid UTF-8 and escapes in headers",
        _STORED,
        page_with(
            b"X-Robots-Tag: \xff\xfe\x1b[2J", b"Content-Language: \x9b31m", b"ETag: \xed\xa0\x80"
        ),
    ),
    Case(
        "odd-type",
        "random content type",
        _STORED,
        response(PAGE, content_type="image/\x7fpng\xff"),
    ),
    Case(
        "cookie-headers",
        "two hundred cookies",
        _STORED,
        response(PAGE, headers=tuple(("Set-Cookie", f"c{n}=" + "v" * 1_000) for n in range(200))),
    ),
)
