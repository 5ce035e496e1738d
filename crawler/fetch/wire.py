"""Connections that bound what a server may say in one exchange, framing included.

aiohttp bounds the lines of one response's head. Its caller sees the body without the framing, and
so cannot bound four kinds of flood: interim responses, tiny chunks, chunk extensions, and responses
that nobody asked for. They are cut off here, where bytes arrive, since each takes time of the event
loop and so of all other hosts.
"""

from __future__ import annotations

import asyncio
from functools import partial
from operator import itemgetter
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

MAX_HEADER_LINE_BYTES = 16_384
MAX_HEADER_LINES = 256
MAX_HEAD_BYTES = 256 * 1024
"""Together a bound on header memory, and on the time to read values; policies in headers reach 8
KiB on real sites. Chrome takes as many bytes (HttpStreamParser::kMaxHeaderBufSize)."""

MAX_INTERIM = 32
"""Interim (1xx) responses before the real one. A server sends one or two (RFC 9110 15.2)."""

FREE_FRAMING_BYTES = 128 * 1024
BODY_PER_FRAMING = 8
"""What chunks may cost: so much framing whatever the body, which is some 20,000 chunks of any size,
and beyond it a byte for every eight of the body. That is 40 bytes a chunk, half a line of HTML.
Servers that send every piece of a page as they make it stay within the first bound; nobody who
means well sends a larger body in smaller chunks, and each takes a microsecond to parse."""

_SLICE_BYTES = 4096
"""What is parsed at once outside bodies. A read brings up to 256 KiB, ten thousand interim
responses, and all of them would be parsed before the first is seen here."""


class TooMuchOnTheWire(aiohttp.ClientPayloadError):
    """An exchange brings more than it may, or a body more framing than chunks need."""


_FAULTS = (HttpProcessingError, TooMuchOnTheWire)


def max_exchange_bytes(max_wire_bytes: int) -> int:
    """Return the bytes that one exchange may bring, for bodies of at most `max_wire_bytes`."""
    framing = FREE_FRAMING_BYTES + max_wire_bytes // BODY_PER_FRAMING
    return MAX_HEAD_BYTES + max_wire_bytes + framing


class BoundedConnector(aiohttp.TCPConnector):
    """A connector whose connections take at most `max_bytes` in one exchange.

    `limit` holds for all connections: idle ones are closed, the oldest first, to make room.
    """

    def __init__(self, max_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        # aiohttp has no public way to say what a connection is made of.
        self._factory: Any = partial(
            BoundedConnection, max_bytes=max_bytes, loop=asyncio.get_running_loop()
        )

    async def _create_connection(self, *request: Any) -> ResponseHandler:
        # The new one is among those acquired. aiohttp has no bound for those that nobody uses.
        self.close_idle(keep=max(0, self.limit - len(self._acquired)))
        return await super()._create_connection(*request)

    def close_idle(self, keep: int = 0) -> None:
        """Close connections that no exchange uses, but for the `keep` youngest."""
        idle = sum(map(len, self._conns.values()))
        if idle <= keep:
            return
        by_age = sorted(
            ((since, key) for key, pooled in self._conns.items() for _, since in pooled),
            key=itemgetter(0),
        )
        for _, key in by_age[: idle - keep]:
            connection, _ = self._conns[key].popleft()
            connection.close()
            if not self._conns[key]:
                del self._conns[key]


class BoundedConnection(ResponseHandler):
    """One connection; `set_response_params` begins an exchange on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_bytes: int) -> None:
        super().__init__(loop=loop)
        self._max_bytes = max_bytes
        self._begin()

    def _begin(self) -> None:
        self._bytes_left = self._max_bytes
        self._interim_left = MAX_INTERIM
        self._head_left = MAX_HEAD_BYTES
        self._answered = False
        self._body_bytes = 0
        """Of the body with its framing, and a slice at most of what came before it."""

    def set_response_params(self, **params: Any) -> None:
        """Begin an exchange: what is counted is counted anew."""
        self._begin()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the socket, as long as they are within the bounds."""
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            self._refuse(TooMuchOnTheWire(f"more than {self._max_bytes} bytes with framing"))
            return
        while len(data) > _SLICE_BYTES and self._body_under_way() is None:
            self._parse(data[:_SLICE_BYTES])
            data = data[_SLICE_BYTES:]
            if self.transport is None or self.transport.is_closing():
                return
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        if not self._answered:
            self._head_left -= len(data)
            if self._head_left < 0:
                what = f"more than {MAX_HEAD_BYTES} bytes of headers"
                self._refuse(HttpProcessingError(message=what))
                return
        super().data_received(data)
        if (body := self._body_under_way()) is not None:
            self._body_bytes += len(data)
            most = FREE_FRAMING_BYTES + body.total_bytes // BODY_PER_FRAMING
            # While reading is paused the parser holds bytes back, which are no framing.
            if self._body_bytes - body.total_bytes > most and not self._reading_paused:
                what = f"more than {most} bytes of framing for {body.total_bytes} of content"
                self._refuse(TooMuchOnTheWire(what))

    def _body_under_way(self) -> aiohttp.StreamReader | None:
        return None if self._payload is None or self._payload.is_eof() else self._payload

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on after a pause; without one there is nothing to do.

        aiohttp asks for it with every chunk that is read, and then wakes its parser for nothing.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Take a response's parsed head, and the stream of its body."""
        if self._answered:
            self._close()  # nobody asked for another one
        elif 100 <= data[0].code < 200 and data[0].code != 101:
            self._interim_left -= 1
            if self._interim_left < 0:
                reason = f"more than {MAX_INTERIM} interim responses"
                self._refuse(HttpProcessingError(message=reason))
            # Not passed on: the reader of the queue would only throw them away.
        else:
            self._answered = True
            super().feed_data(data, size)

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        """End the exchange with an error; one in framing is also the body's, if that has begun.

        Otherwise the body's reader would be told of a connection that ended early, or not,
        depending on whether the broken chunk came together with the head.
        """
        super().set_exception(exc, *cause)
        if isinstance(exc, _FAULTS) and self._payload is not None and not self._payload.is_eof():
            self._payload.set_exception(exc)

    def _refuse(self, error: Exception) -> None:
        self.set_exception(error)
        self._close()

    def _close(self) -> None:
        self.force_close()
        if self.transport is not None:
            self.transport.close()
