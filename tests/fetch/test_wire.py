"""The framing of a response, chunks and interim responses, costs no more than it is allowed to."""

from __future__ import annotations

import asyncio

import pytest
from support.fetching import fetch_reply
from support.hostile_replies import CHUNKED, chunk
from support.servers import response, then

from crawler.fetch.transport import MAX_HEAD_BYTES
from crawler.models import Failed, Failure, Fetched, Skip, Skipped

LINE = b"<p>Honest servers send what they have, line by line.</p>\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\n\r\n"


def in_chunks(body: bytes, size: int) -> bytes:
    """Return a page in chunks of `size` bytes."""
    chunks = (chunk(body[at : at + size]) for at in range(0, len(body), size))
    return CHUNKED + b"".join(chunks) + chunk(b"")


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (LINE * 400, 1),
        (LINE * 1_000, 3),
        (LINE * 20_000, len(LINE)),
    ],
    ids=["letters", "words", "lines"],
)
async def test_small_chunks_are_read(body: bytes, size: int) -> None:
    """A page that is flushed letter by letter, or a large one line by line, comes whole."""
    outcome = await fetch_reply(in_chunks(body, size))
    assert isinstance(outcome, Fetched)
    assert outcome.body == body


@pytest.mark.parametrize("size", [1, 9, 24])
async def test_tiny_chunks_are_cut_by_their_framing(size: int) -> None:
    """A large body in tiny chunks is cut long before its content reaches a cap."""
    outcome = await fetch_reply(in_chunks(bytes(200_000 * size), size))
    assert isinstance(outcome, Skipped)
    assert outcome.reason is Skip.TOO_LARGE
    content = int(outcome.detail.removesuffix(" of content").rpartition(" ")[2])
    assert content < 1_500_000


async def test_framing_counts_over_many_reads() -> None:
    """The bound holds as well where every chunk comes by itself."""

    async def drops(request: object, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"1;" + b"e" * 2000 + b"\r\nx\r\n")
            await writer.drain()

    outcome = await fetch_reply(then(CHUNKED, drops))
    assert isinstance(outcome, Skipped)
    assert "of framing for" in outcome.detail


async def test_a_page_may_fill_many_reads() -> None:
    """Neither content under a length nor large chunks have framing to speak of."""
    body = LINE * 50_000
    for reply in (response(body), in_chunks(body, 100_000)):
        outcome = await fetch_reply(reply)
        assert isinstance(outcome, Fetched)
        assert outcome.body == body


async def test_a_flood_is_seen_before_it_is_parsed() -> None:
    """Interim responses beyond the bound end the exchange, whatever comes in the same read."""
    outcome = await fetch_reply(INTERIM * 1000 + b"what no parser takes\r\n\r\n")
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.PROTOCOL
    assert "interim" in outcome.detail


async def test_heads_of_many_slices_are_read() -> None:
    """A head of 200 KB, within the bounds, and what came with it, is read as it is."""
    cookies = tuple(("Set-Cookie", f"c{n}=" + "v" * 8000) for n in range(25))
    outcome = await fetch_reply(INTERIM * 20 + response(LINE, headers=cookies))
    assert isinstance(outcome, Fetched)
    assert outcome.body == LINE


async def test_a_head_is_bounded_as_a_whole() -> None:
    """Lines that are each within the bounds are refused where they are too much together."""
    outcome = await fetch_reply(response(LINE, headers=(("X-Robots-Tag", "," * 16_000),) * 20))
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.PROTOCOL
    assert outcome.detail == f"more than {MAX_HEAD_BYTES} bytes of headers"
