"""What an archive keeps of an exchange: taken where it is read, handed on with how the URL ended.

A job without archives has NO_RECORDER, which makes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from crawler.fetch import headers
from crawler.fetch.exchange import BodyReader, Exchange
from crawler.fetch.redirects import Hop, Trail
from crawler.fetch.transport import Transport
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.records import Failure

MAX_ERROR_BYTES = 100_000
"""Of the body of an error that are read for an archive: what says `not found` to people is smaller,
and nothing else reads them."""
_MAX_WIRE_BYTES = 1_000_000
"""The same as they travel: above what one read brings, so that there is a beginning to keep."""


class NoRecorder:
    """Lets exchanges pass."""

    def exchange(
        self, transport: Transport, hop: Hop, conditions: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Exchange]:
        """Open the exchange of a hop."""
        return transport.exchange(hop.url, hop.cookies, conditions)

    def keep(self, exchange: Exchange) -> None:
        """Keep a response whose body is not read."""

    async def read(self, exchange: Exchange, reader: BodyReader) -> bytes:
        """Return the whole body."""
        return await reader.whole()


NO_RECORDER = NoRecorder()


class Recorder(NoRecorder):
    """Keeps one exchange, begun at Unix time `at`, with the trail that it belongs to."""

    def __init__(self, trail: Trail, at: float) -> None:
        self._trail = trail
        self._url = trail.hop.url
        self._at = at

    @asynccontextmanager
    async def exchange(
        self, transport: Transport, hop: Hop, conditions: Mapping[str, str]
    ) -> AsyncIterator[Exchange]:
        """Open the exchange of a hop; where its status is an error, read that one's body too.

        Whatever becomes of that body, the URL ends by its status, as it does without an archive.
        """
        by_status: Trouble | None = None
        try:
            async with transport.exchange(hop.url, hop.cookies, conditions) as exchange:
                try:
                    yield exchange
                except Trouble as trouble:
                    if trouble.status is None or headers.is_redirect(
                        exchange.status, exchange.headers
                    ):
                        raise
                    by_status = trouble
                    await self._read_error(exchange)
                    raise
        except Trouble as trouble:
            if by_status is None or trouble is by_status:
                raise
            raise by_status from trouble

    def keep(self, exchange: Exchange) -> None:
        """Keep a response whose body is not read."""
        has_none = exchange.status == headers.NOT_MODIFIED
        whole = has_none or headers.content_length(exchange.headers) == 0
        self._keep(exchange, b"", None if whole else "unspecified")

    async def read(self, exchange: Exchange, reader: BodyReader) -> bytes:
        """Return the whole body; of one that breaks off, what came is kept."""
        try:
            body = await reader.whole()
        except Unwanted:
            raise
        except BaseException as error:
            self._keep(exchange, reader.so_far, _why_not_whole(error))
            raise
        self._keep(exchange, body)
        return body

    async def _read_error(self, exchange: Exchange) -> None:
        try:
            reader = BodyReader(exchange, _MAX_WIRE_BYTES, MAX_ERROR_BYTES)
        except Trouble:
            self._keep(exchange, b"", "unspecified")
            return
        try:
            await self.read(exchange, reader)
        except Unwanted:
            self._keep(exchange, reader.so_far[:MAX_ERROR_BYTES], "length")
        except Trouble:
            pass  # kept as far as it came

    def _keep(self, exchange: Exchange, body: bytes, truncated: str | None = None) -> None:
        self._trail.keep(exchange.capture(self._url, self._at, body, truncated))


def _why_not_whole(error: BaseException) -> str:
    """Return it in the words of WARC/1.1 5.13."""
    if isinstance(error, asyncio.CancelledError):
        return "time"
    if isinstance(error, Trouble) and error.failure is Failure.CONTENT_ENCODING:
        return "unspecified"
    return "disconnect"
