"""A response: its head, its body read within caps and decoded on the way, its archive record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import aiohttp
from multidict import CIMultiDictProxy

from crawler.fetch.deadline import Deadline, Phase
from crawler.fetch.encoding import ContentDecoder
from crawler.fetch.headers import joined
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.fetch.wire import TooMuchOnTheWire
from crawler.records import Capture, Skip

BREATH_BYTES = 1 << 20
"""Of a body that are decompressed at once: some 3 ms. One read can bring all of 10 MB."""


class Exchange:
    """A response whose headers have arrived."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        deadline: Deadline,
        judged: Callable[[Exception], Trouble],
        secret: frozenset[str] = frozenset(),
    ) -> None:
        """`judged` tells what an exception of the response means.

        `secret` are lower-case names of header fields that no archive may have.
        """
        self._response = response
        self._deadline = deadline
        self._judged = judged
        self._secret = secret
        self.status: int = response.status
        self.headers: CIMultiDictProxy[str] = response.headers

    def capture(self, url: str, at: float, body: bytes, truncated: str | None) -> Capture:
        """Return this exchange for an archive: what was really sent and received."""
        response, asked = self._response, self._response.request_info
        version = response.version
        return Capture(
            url=url,
            target=asked.url.raw_path_qs,
            at=at,
            address=getattr(response, "address", None),
            request=tuple(
                pair for pair in asked.headers.items() if pair[0].lower() not in self._secret
            ),
            version=f"{version.major}.{version.minor}" if version else "1.1",
            status=response.status,
            reason=response.reason or "",
            headers=tuple(response.raw_headers),
            body=body,
            truncated=truncated,
        )

    async def read(self) -> bytes:
        """Return the next piece of the body as it travelled, b"" at its end.

        Raises Unwanted(TOO_LARGE) where chunks have more framing than bodies may have bytes, and
        Trouble for whatever else goes wrong.
        """
        self._deadline.enter(Phase.BODY)
        try:
            return await self._response.content.readany()
        except TooMuchOnTheWire as flood:
            raise Unwanted(Skip.TOO_LARGE, str(flood)) from flood
        except Exception as error:
            raise self._judged(error) from error


class AddressedResponse(aiohttp.ClientResponse):
    """A response that knows who sent it, also when its connection has been given back."""

    address: str | None = None

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Take what `connection` brings."""
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        self.address = peer[0] if peer else None
        return await super().start(connection)


class BodyReader:
    """Reads one body; memory stays within the two caps and one piece."""

    def __init__(self, exchange: Exchange, max_wire_bytes: int, max_body_bytes: int) -> None:
        """Raise Trouble if the exchange's Content- or Transfer-Encoding cannot be undone."""
        encoding = joined(exchange.headers, "content-encoding")
        transfer = joined(exchange.headers, "transfer-encoding")
        self._exchange = exchange
        self._decoder = ContentDecoder(encoding, max_body_bytes, transfer)
        self._max_wire_bytes = max_wire_bytes
        self._max_body_bytes = max_body_bytes
        self._pending: Iterator[bytes] = iter(())
        self._exhausted = False
        self._body = bytearray()
        self.wire_bytes = 0

    @property
    def unknown_encoding(self) -> str | None:
        """The Content-Encoding, where a coding in it is unknown and was taken for none."""
        return self._decoder.unknown

    @property
    def so_far(self) -> bytes:
        """What was read by now."""
        return bytes(self._body)

    async def at_least(self, size: int) -> bytes:
        """Return the body's beginning: `size` bytes or somewhat more, or all where it is shorter.

        Raises Trouble for a body that breaks off or is corrupt, Unwanted(TOO_LARGE) beyond a cap.
        """
        made = 0
        while len(self._body) < size:
            piece = next(self._pending, None)
            if piece is not None:
                self._body += piece
                made += len(piece)
                if made >= BREATH_BYTES:
                    made = 0
                    await asyncio.sleep(0)
                if len(self._body) > self._max_body_bytes:
                    what = f"body of more than {self._max_body_bytes} bytes"
                    raise Unwanted(Skip.TOO_LARGE, what)
            elif self._exhausted:
                break
            else:
                await self._refill()
                made = 0
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
