"""Servers that are hostile in the body: its length, its chunks, its Content-Encoding."""

from __future__ import annotations

import gzip

import brotli
import zstandard

from crawler.models import Failure, Skip, UrlState
from support.hostile_case import Case
from support.hostile_replies import (
    CHUNKED,
    HEAD,
    PAGE,
    brotli_bomb,
    chunk,
    chunked,
    closing,
    coded,
    drip,
    empty_frames,
    empty_members,
    gzip_bomb,
    made,
    nested_bomb,
    raw_deflate,
    transfer,
    wide_window,
    zstd_bomb,
)
from support.servers import endless, reset, response, stall, then

_STORED = UrlState.STORED
_BROKEN, _CUT, _LATE = Failure.PROTOCOL, Failure.TRUNCATED, Failure.TIMEOUT_BODY
_CODING = Failure.CONTENT_ENCODING
_ZIPPED = gzip.compress(PAGE)

BODIES = (
    Case("slow-body", "sends byte by byte", _LATE, drip(HEAD + b"\r\n")),
    Case("slow-chunks", "sends small chunks slowly", _LATE, drip(CHUNKED, chunk(b"x"))),
    Case("stall-body", "stops in the body", _LATE, then(response(PAGE, length=9999), stall)),
    Case("reset-body", "resets in the body", _CUT, then(response(PAGE, length=9999), reset)),
    Case("close-body", "closes before Content-Length", _CUT, closing(response(PAGE, length=9999))),
    Case(
        "long-body",
        "exceeds Content-Length",
        _BROKEN,
        response(PAGE + b"x" * 99_999, length=len(PAGE)),
    ),
    Case("zero-length", "Content-Length 0 and a body", _BROKEN, response(PAGE, length=0)),
    Case("negative-length", "negative Content-Length", _BROKEN, response(PAGE, length=-1)),
    Case(
        "two-lengths",
        "two different Content-Lengths",
        _BROKEN,
        response(PAGE, headers={"Content-length": "7"}),
    ),
    Case(
        "length-and-chunks",
        "Content-Length and chunks",
        _BROKEN,
        HEAD
        + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunk(PAGE)
        + b"0\r\n\r\n",
    ),
    Case(
        "huge-length",
        "announces a petabyte",
        Skip.TOO_LARGE,
        then(response(PAGE, length=10**15), stall),
    ),
    Case(
        "endless-body",
        "endless body",
        Skip.TOO_LARGE,
        then(HEAD + b"\r\n", endless(b"<p>x" * 9999)),
    ),
    Case(
        "endless-chunks",
        "endless chunks",
        Skip.TOO_LARGE,
        then(CHUNKED, endless(chunk(b"x" * 9999))),
    ),
    Case(
        "tiny-chunks",
        "endless tiny chunks",
        Skip.TOO_LARGE,
        then(CHUNKED, endless(chunk(b"x" * 9) * 999)),
    ),
    Case(
        "chunk-extension",
        "endless chunk extension",
        Skip.TOO_LARGE,
        then(chunked(b"5;"), endless(b"e" * 9999)),
    ),
    Case("chunk-no-number", "chunk size that is no number", _BROKEN, chunked(b"zz\r\n" + PAGE)),
    Case("chunk-negative", "negative chunk size", _BROKEN, chunked(b"-5\r\n" + PAGE)),
    Case(
        "chunk-overflow",
        "chunk size of 65 bits",
        _BROKEN,
        chunked(b"f" * 17 + b"\r\n" + PAGE),
    ),
    Case("chunk-short", "chunk longer than its size", _BROKEN, chunked(b"5\r\n" + PAGE)),
    Case("chunk-close", "closes between chunks", _CUT, closing(chunked(chunk(PAGE)))),
    Case("chunk-reset", "resets in a chunk", _CUT, then(chunked(b"ffff\r\n" + PAGE), reset)),
    Case(
        "trailers",
        "endless trailers",
        _BROKEN,
        then(chunked(chunk(PAGE) + b"0\r\n"), endless(b"X: y\r\n" * 99)),
    ),
    Case("body-of-204", "body of a 204", _BROKEN, response(PAGE, status=204)),
    Case(
        "partial",
        "unasked half page",
        Failure.HTTP_UNEXPECTED,
        response(PAGE, status=206),
    ),
)

CODINGS = (
    Case("gzip-cut", "gzip that stops", _CUT, coded("gzip", _ZIPPED[:-9])),
    Case("br-cut", "brotli that stops", _CUT, coded("br", brotli.compress(PAGE)[:-9])),
    Case("zstd-cut", "zstd that stops", _CUT, coded("zstd", zstandard.compress(PAGE)[:-9])),
    Case(
        "gzip-corrupt",
        "gzip with noise inside",
        _CODING,
        coded("gzip", _ZIPPED[:20] + b"\xff" * 99),
    ),
    Case("br-corrupt", "brotli that is noise", _CODING, coded("br", b"\xff" * 99)),
    Case(
        "zstd-corrupt",
        "zstd with noise inside",
        _CODING,
        coded("zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 99),
    ),
    Case(
        "gzip-bomb", "gzip of a gigabyte", Skip.TOO_LARGE, made(lambda: coded("gzip", gzip_bomb()))
    ),
    Case(
        "br-bomb",
        "brotli of a hundred megabytes",
        Skip.TOO_LARGE,
        made(lambda: coded("br", brotli_bomb())),
    ),
    Case(
        "zstd-bomb", "zstd of a gigabyte", Skip.TOO_LARGE, made(lambda: coded("zstd", zstd_bomb()))
    ),
    Case(
        "nested-bomb",
        "a gigabyte, gzipped twice",
        Skip.TOO_LARGE,
        made(lambda: coded("gzip, gzip", nested_bomb())),
    ),
    Case(
        "wide-window",
        "zstd with a window of 128 MiB",
        _CODING,
        made(lambda: coded("zstd", wide_window())),
    ),
    Case(
        "empty-members",
        "20,000 empty gzip streams",
        _CODING,
        made(lambda: coded("gzip", empty_members())),
    ),
    Case(
        "empty-frames",
        "60,000 empty zstd frames",
        _CODING,
        made(lambda: coded("zstd", empty_frames())),
    ),
    Case(
        "many-codings",
        "ten nested codings",
        _CODING,
        coded(", ".join(["gzip"] * 10), _ZIPPED),
    ),
    Case("no-coding", "unknown coding", _STORED, coded("x-\x1b[31mhostile", PAGE)),
    Case("not-gzip", "declared gzip, not gzip", _STORED, coded("gzip", PAGE)),
    Case(
        "raw-deflate", "deflate without its wrapping", _STORED, coded("deflate", raw_deflate(PAGE))
    ),
    Case(
        "transfer-gzip",
        "gzip transfer coding, chunked",
        _STORED,
        transfer(b"gzip, chunked", _ZIPPED),
    ),
    Case("transfer-close", "gzip transfer coding until close", _STORED, transfer(b"gzip", _ZIPPED)),
    Case(
        "transfer-unknown",
        "unknown transfer coding",
        _CODING,
        transfer(b"x-hostile, chunked", PAGE),
    ),
    Case("padded-gzip", "noise after the gzip", _STORED, coded("gzip", _ZIPPED + b"\0" * 9999)),
)
