"""What hostile servers say: responses that are broken, slow, endless or explode, as bytes or acts.

A reply is bytes, or a coroutine that writes what it likes (see `servers`). Bombs are small and
would be `BOMB_BYTES` if they were blown up.
"""

from __future__ import annotations

import asyncio
import gzip
import struct
import zlib
from collections.abc import Callable
from itertools import count

import brotli
import zstandard

from support.servers import Handler, Request, hang_up, redirect, response, then

BOMB_BYTES = 1_000_000_000
DRIP_S = 0.1
"""Between two bytes of a server that is slow on purpose."""

WORDS = "A page that came although its server did all it could to keep it from being read. "
PAGE = f"<html><head><title>Came</title></head><body><p>{WORDS * 4}</p></body></html>".encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def drip(start: bytes, piece: bytes = b"x") -> Handler:
    """Return a handler that sends `start`, then a piece now and then, for ever."""

    async def handler(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(DRIP_S)

    return handler


def made(make: Callable[[], bytes]) -> Handler:
    """Return a handler whose answer is made when it is asked for."""
    return by_target(lambda target: make())


def by_target(make: Callable[[str], bytes]) -> Handler:
    """Return a handler that answers by what it is asked for.

    In a thread: while a bomb is made, the other hosts of this loop must not seem to be stalling.
    """

    async def handler(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(await asyncio.to_thread(make, request.target))
        await writer.drain()

    return handler


def numbered(make: Callable[[int], bytes]) -> Handler:
    """Return a handler whose every answer is another: `make` of 0, 1, 2 and so on."""
    numbers = count()
    return made(lambda: make(next(numbers)))


def closing(data: bytes) -> Handler:
    """Return a handler that sends `data` and closes in good order."""
    return then(data, hang_up)


def page_with(*header_lines: bytes) -> Handler:
    """Return a handler that sends a page under these header lines as they stand, and closes."""
    return closing(HEAD + b"\r\n".join(header_lines) + b"\r\n\r\n" + PAGE)


def chunked(data: bytes) -> bytes:
    """Return a chunked response: head, then `data` as it stands, chunk sizes and all."""
    return CHUNKED + data


def chunk(data: bytes) -> bytes:
    """Return one chunk as it should be."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def transfer(codings: bytes, data: bytes) -> Handler:
    """Return a handler that sends a body under transfer codings, in chunks if those say so."""
    body = chunk(data) + b"0\r\n\r\n" if codings.endswith(b"chunked") else data
    return closing(HEAD + b"Transfer-Encoding: " + codings + b"\r\n\r\n" + body)


def coded(coding: str, data: bytes) -> bytes:
    """Return a response that claims a Content-Encoding."""
    return response(data, headers={"Content-Encoding": coding})


def html(body: str, head: str = "", charset: str = "; charset=utf-8") -> bytes:
    """Return a page that begins with ordinary words, so that there is something to store."""
    page = f"<html><head>{head}</head><body><p>{WORDS * 4}</p>{body}</body></html>"
    return response(page.encode("utf-8", "surrogatepass"), content_type=f"text/html{charset}")


def gzip_bomb() -> bytes:
    """Return a hundred gzip members of ten million zeros."""
    return gzip.compress(bytes(10_000_000)) * (BOMB_BYTES // 10_000_000)


def nested_bomb() -> bytes:
    """Return gzip of gzip of a bomb: some kilobytes for a gigabyte."""
    return gzip.compress(gzip_bomb())


def brotli_bomb() -> bytes:
    """Return brotli of zeros, a tenth of a bomb: making a whole one takes too long."""
    return bytes(brotli.compress(bytes(BOMB_BYTES // 10), quality=1))


def zstd_bomb() -> bytes:
    """Return a zstd frame of run-length blocks, 128 KiB from four bytes each (RFC 8878 3.1.1.2)."""
    size = 131_072
    block = struct.pack("<I", size << 3 | 2)[:3] + b"a"
    last = struct.pack("<I", size << 3 | 3)[:3] + b"a"
    head = b"\x28\xb5\x2f\xfd\x00\x58"  # size not told, window of 2 MiB
    return head + block * (BOMB_BYTES // size) + last


def wide_window() -> bytes:
    """Return a zstd frame that wants 128 MiB of window to be decoded in."""
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return compressor.compress(PAGE) + compressor.flush()


def empty_members() -> bytes:
    """Return half a megabyte of empty gzip members, and one with a page."""
    empty = gzip.compress(b"")
    return empty * (500_000 // len(empty)) + gzip.compress(PAGE)


def empty_frames() -> bytes:
    """Return half a megabyte of skippable zstd frames (RFC 8878 3.1.2), and one with a page."""
    return (b"\x50\x2a\x4d\x18" + bytes(4)) * (500_000 // 8) + zstandard.compress(PAGE)


def raw_deflate(data: bytes) -> bytes:
    """Return a deflate stream without its zlib wrapping."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def cookie_flood(number: int) -> bytes:
    """Return a redirect to the page itself that sets two hundred cookies, others each time."""
    return redirect("/page", 302, *(f"c{number}_{n}=" + "v" * 1_000 for n in range(200)))
