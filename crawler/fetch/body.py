"""A response body: read as far as wanted, decoded on the way, within its caps."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.fetch.encoding import ContentDecoder
from crawler.fetch.transport import Exchange
from crawler.fetch.trouble import Unwanted
from crawler.records import Skip


class BodyReader:
    """Reads one body; memory stays within the two caps and one piece."""

    def __init__(self, exchange: Exchange, max_wire_bytes: int, max_body_bytes: int) -> None:
        """Raise Trouble if the exchange's Content-Encoding cannot be undone."""
        encoding = ", ".join(exchange.headers.getall("content-encoding", ()))
        self._exchange = exchange
        self._decoder = ContentDecoder(encoding, max_body_bytes)
        self._max_wire_bytes = max_wire_bytes
        self._max_body_bytes = max_body_bytes
        self._pending: Iterator[bytes] = iter(())
        self._exhausted = False
        self._body = bytearray()
        self.wire_bytes = 0

    async def at_least(self, size: int) -> bytes:
        """Return the body's beginning: `size` bytes or somewhat more, or all where it is shorter.

        Raises Trouble for a body that breaks off or is corrupt, Unwanted(TOO_LARGE) beyond a cap.
        """
        while len(self._body) < size:
            piece = next(self._pending, None)
            if piece is not None:
                self._add(piece)
            elif self._exhausted:
                break
            else:
                await self._refill()
        return bytes(self._body)

    async def whole(self) -> bytes:
        """Return all of the body; see `at_least` for errors."""
        return await self.at_least(self._max_body_bytes + 1)

    async def _refill(self) -> None:
        data = await self._exchange.read()
        self.wire_bytes += len(data)
        if self.wire_bytes > self._max_wire_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"more than {self._max_wire_bytes} bytes on the wire")
        self._exhausted = not data
        self._pending = self._decoder.feed(data) if data else self._decoder.finish()

    def _add(self, piece: bytes) -> None:
        self._body += piece
        if len(self._body) > self._max_body_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"body of more than {self._max_body_bytes} bytes")
