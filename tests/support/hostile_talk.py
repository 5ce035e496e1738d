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
    Case("closed", "nobody listens at the port", Failure.CONNECT, door=Door.CLOSED),
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
        "closes every connection at once",
        _NO_RULES,
        door=Door.HUNG_UP,
        either=Failure.CONNECT,
    ),
    Case(
        "reset",
        "resets every connection at once",
        Failure.CONNECT,
        door=Door.RESET,
        either=_NO_RULES,
    ),
    Case("tls-expired", "certificate expired", Failure.TLS, door=Door.EXPIRED, tells="expired"),
    Case(
        "tls-not-yet",
        "certificate of the future",
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
        "certificate signed by itself",
        Failure.TLS,
        door=Door.SELF_SIGNED,
        tells="self-signed",
    ),
    Case(
        "tls-unknown-ca",
        "certificate of an authority nobody knows",
        Failure.TLS,
        door=Door.UNKNOWN_CA,
        tells="unable to get local issuer",
    ),
    Case("tls-alert", "refuses every TLS handshake", Failure.TLS, door=Door.TLS_ALERT),
    Case("tls-stall", "never shakes hands for TLS", Failure.TIMEOUT_CONNECT, door=Door.TLS_STALL),
    Case("tls-reset", "resets in the TLS handshake", Failure.CONNECT, door=Door.TLS_RESET),
    Case("tls-garbage", "speaks plain HTTP where TLS is due", Failure.TLS, door=Door.TLS_GARBAGE),
    Case(
        "tls-cut",
        "ends TLS in the middle of a body",
        _CUT,
        then(HEAD + b"Content-Length: 999\r\n\r\nx", reset),
        door=Door.TLS,
    ),
    Case("tls-good", "a good certificate, to compare", _STORED, door=Door.TLS),
)

HEADERS = (
    Case("close-unasked", "closes instead of answering", _LOST, hang_up),
    Case("reset-unasked", "resets instead of answering", _LOST, reset),
    Case("stall-status", "never answers", _LATE, stall),
    Case("close-status", "closes in the status line", _LOST, closing(b"HTTP/1.1 20")),
    Case("reset-headers", "resets in the headers", _LOST, then(HEAD + b"X: y", reset)),
    Case("close-headers", "closes in the headers", _LOST, closing(HEAD + b"X: y")),
    Case("stall-headers", "stops in the headers", _LATE, then(HEAD, stall)),
    Case("slow-headers", "a byte of header now and then", _LATE, drip(HEAD + b"X: ")),
    Case("slow-lines", "a header line now and then", _LATE, drip(HEAD, b"X: y\r\n")),
    Case("endless-headers", "headers without end", _BROKEN, then(HEAD, endless(b"X: y\r\n" * 99))),
    Case(
        "endless-header",
        "one header without end",
        _BROKEN,
        then(HEAD + b"X: ", endless(b"y" * 999)),
    ),
    Case(
        "endless-status",
        "a status line without end",
        _BROKEN,
        then(b"HTTP/1.1 200 ", endless(b"y" * 999)),
    ),
    Case("huge-header", "a header of a megabyte", _BROKEN, page_with(b"X: " + b"y" * 1_000_000)),
    Case("many-headers", "ten thousand headers", _BROKEN, page_with(*[b"X: y"] * 10_000)),
    Case("interim", "twenty interim responses, then a page", _STORED, _HINTS * 20 + response(PAGE)),
    Case("interim-flood", "interim responses without end", _BROKEN, endless(_INTERIM * 99)),
    Case(
        "switching",
        "switches to another protocol",
        Failure.HTTP_UNEXPECTED,
        response(b"", status=101, headers={"Upgrade": "websocket", "Connection": "upgrade"}),
    ),
    Case("http-0.9", "HTTP/0.9: a body and nothing else", _BROKEN, closing(PAGE)),
    Case("http-2", "speaks HTTP/2", _BROKEN, closing(bytes((0, 0, 6, 4, 0, 0, 0, 0, 0)) * 9)),
    Case("ssh", "speaks SSH", _BROKEN, closing(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")),
    Case("icy", "speaks a radio's HTTP", _BROKEN, closing(b"ICY 200 OK\r\n\r\n" + PAGE)),
    Case("no-status", "a status that is no number", _BROKEN, closing(b"HTTP/1.1 abc OK\r\n\r\n")),
    Case("status-999", "a status beyond all", Failure.HTTP_UNEXPECTED, response(PAGE, status=999)),
    Case("nul-header", "a NUL byte in a header", _BROKEN, page_with(b"X: a\0b")),
    Case("no-colon", "a header line without a colon", _BROKEN, page_with(b"no colon here")),
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
        "a content type of noise, which is none",
        _STORED,
        response(PAGE, content_type="image/\x7fpng\xff"),
    ),
    Case(
        "cookie-headers",
        "two hundred cookies with the page",
        _STORED,
        response(PAGE, headers=tuple(("Set-Cookie", f"c{n}=" + "v" * 1_000) for n in range(200))),
    ),
)
