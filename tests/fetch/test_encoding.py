"""Content-Encoding is undone within the caps, whole, cut, corrupt or made to explode."""

from __future__ import annotations

import gzip
import hashlib
import tracemalloc
import zlib
from collections import deque
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import members, parsed
from support.hostile_replies import raw_deflate
from support.loops import other_turns

from crawler.fetch.response import (
    BREATH_BYTES,
    PIECE_BYTES,
    BodyReader,
    ContentDecoder,
    Headers,
    Response,
)
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.models import Failure, Skip

TEXT = "".join(f"<p>paragraph {n} 段落</p>\n" for n in range(2600)).encode()
assert len(TEXT) > PIECE_BYTES


def br(data: bytes) -> bytes:
    """Like `brotli.compress`, whose usual quality takes a hundred times as long."""
    packed: bytes = brotli.compress(data, quality=1)
    return packed


def zstd(data: bytes) -> bytes:
    """One frame."""
    return zstandard.ZstdCompressor().compress(data)


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", br),
    "zstd": ("zstd", zstd),
}


def decode(coding: str, data: bytes, max_bytes: int = 10_000_000, step: int = 1000) -> bytes:
    """Decode `data` cut into pieces of `step` bytes."""
    decoder = ContentDecoder(coding, max_bytes)
    pieces = [p for i in range(0, len(data), step) for p in decoder.feed(data[i : i + step])]
    return b"".join([*pieces, *decoder.finish()])


@pytest.mark.parametrize("step", [1, 777, 10**9])
@pytest.mark.parametrize("name", ENCODERS)
def test_every_coding_comes_back(name: str, step: int) -> None:
    """Each coding is undone, however the bytes are cut."""
    coding, encode = ENCODERS[name]
    assert decode(coding, encode(TEXT), step=step) == TEXT


@settings(max_examples=2 * settings().max_examples)
@given(
    st.binary(max_size=400),
    st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3),
    st.integers(1, 50),
)
def test_stacked_codings_come_back(data: bytes, names: list[str], step: int) -> None:
    """Up to three codings are undone in the reverse of the order in which they were applied."""
    body = data
    for name in names:
        body = ENCODERS[name][1](body)
    assert decode(", ".join(ENCODERS[name][0] for name in names), body, step=step) == data


@settings(max_examples=4 * settings().max_examples)
@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=200), st.integers(0, 60))
def test_garbage_is_an_outcome(name: str, noise: bytes, at: int) -> None:
    """Corrupt streams end in bytes or in one of the two known ways, never in another exception."""
    coding, encode = ENCODERS[name]
    whole = encode(b"some text " * 20)
    with suppress(Trouble, Unwanted):
        decode(coding, whole[:at] + noise + whole[at + 3 :], step=7)


@pytest.mark.parametrize("name", ENCODERS)
def test_truncated_stream(name: str) -> None:
    """A stream that stops before its end is reported as truncated, even if only the trailer is."""
    coding, encode = ENCODERS[name]
    body = encode(TEXT)
    for cut in (len(body) // 2, len(body) - 1):
        with pytest.raises(Trouble) as caught:
            decode(coding, body[:cut])
        assert caught.value.failure is Failure.TRUNCATED


@pytest.mark.parametrize("name", ENCODERS)
def test_bomb_stops_at_the_cap(name: str) -> None:
    """A body that expands a thousandfold is refused without memory beyond the cap being taken."""
    coding, encode = ENCODERS[name]
    bomb = encode(bytes(8_000_000))
    cap = 400_000
    tracemalloc.start()
    try:
        sizes = map(len, ContentDecoder(coding, cap).feed(bomb))
        with pytest.raises(Unwanted) as caught:
            deque(sizes, maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.reason is Skip.TOO_LARGE
    assert peak < 2 * cap


@pytest.mark.parametrize(
    ("coding", "empty"),
    [("gzip", gzip.compress(b"", mtime=0)), ("zstd", b"\x50\x2a\x4d\x18" + bytes(4))],
    ids=["gzip", "zstd"],
)
def test_streams_in_a_row_are_counted(coding: str, empty: bytes) -> None:
    """Empty streams cost time and no room; after a thousand of them the body is refused."""
    with pytest.raises(Trouble) as caught:
        decode(coding, empty * 5000)
    assert caught.value.failure is Failure.CONTENT_ENCODING
    assert decode(coding, empty * 1000) == b""


def test_bomb_inside_a_bomb() -> None:
    """The cap holds for what one coding hands to the next, not only for the end."""
    member = gzip.compress(b"")
    named = b"\x1f\x8b\x08\x08" + member[4:10] + b"n" * 8_000_000 + b"\0" + member[10:]
    bomb = gzip.compress(named)
    with pytest.raises(Unwanted):
        decode("gzip, gzip", bomb, max_bytes=1_000_000, step=10**9)


@pytest.mark.parametrize("name", ENCODERS)
def test_exactly_the_cap_is_allowed(name: str) -> None:
    """A body of as many bytes as the cap passes, one byte more does not."""
    coding, encode = ENCODERS[name]
    assert decode(coding, encode(TEXT), max_bytes=len(TEXT)) == TEXT
    with pytest.raises(Unwanted):
        decode(coding, encode(TEXT), max_bytes=len(TEXT) - 1)


@pytest.mark.parametrize("extra", [1, 3, 5, 39])
@pytest.mark.parametrize("name", ENCODERS)
def test_nothing_stays_inside_a_decoder(name: str, extra: int) -> None:
    """Output just beyond a full piece comes out although no input is left to push it."""
    coding, encode = ENCODERS[name]
    size = PIECE_BYTES + extra
    assert decode(coding, encode(bytes(size)), step=10**9) == bytes(size)


def test_gzip_members_and_padding() -> None:
    """Members are joined, and what follows the last one is no error."""
    body = gzip.compress(b"one ") + gzip.compress(b"two")
    for step in (1, 10**9):
        assert decode("gzip", body + b"\0\0\0", step=step) == b"one two"
        assert decode("gzip", body + b"\x1f", step=step) == b"one two"


def test_zstd_frames_and_padding() -> None:
    """Frames are joined, skippable ones passed over, and what follows the last is no error."""
    skippable = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    body = skippable + zstd(b"one ") + zstd(b"two")
    for step in (1, 10**9):
        assert decode("zstd", body + b"\0\0\0\0", step=step) == b"one two"
        assert decode("zstd", body + b"\x28\xb5", step=step) == b"one two"


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "zstd"])
def test_uncompressed_text_is_accepted(coding: str) -> None:
    """A page that was never compressed although its header says so is taken as it is."""
    assert decode(coding, TEXT) == TEXT
    assert decode(coding, b"ok", step=1) == b"ok"
    assert decode(coding, b"") == b""
    with pytest.raises(Trouble):
        decode(coding, b"\x00\x01\x02\x03 binary")


def test_too_many_codings() -> None:
    """More than three are a failure, known or not."""
    for coding in ("gzip, gzip, gzip, gzip", "a, b, c, d"):
        with pytest.raises(Trouble) as caught:
            ContentDecoder(coding, 1000)
        assert caught.value.failure is Failure.CONTENT_ENCODING


@pytest.mark.parametrize("step", [1, 777, 10**9])
@pytest.mark.parametrize(
    "body", [TEXT, b"", b"hi", b"\xef\xbb\xbftext", "<p>段落</p>".encode("gbk")]
)
def test_a_made_up_coding_of_text_is_none(body: bytes, step: int) -> None:
    """Text and HTML come through a coding nobody knows as they are, and those known are undone."""
    assert decode("utf-8", body, step=step) == body
    assert decode("none, GZIP", gzip.compress(body), step=step) == body
    assert decode("gzip, none", gzip.compress(body), step=step) == body


@pytest.mark.parametrize("step", [1, 777, 10**9])
def test_an_unknown_coding_of_anything_else_is_a_failure(step: int) -> None:
    """What does not read as text was coded indeed: it is a failure and not a guess."""
    for coding, body in (("compress", b"\x1f\x9d\x90" + bytes(range(200))), ("sdch", b"a\0b")):
        with pytest.raises(Trouble) as caught:
            decode(coding, body, step=step)
        assert caught.value.failure is Failure.CONTENT_ENCODING
        assert coding in caught.value.detail
    with pytest.raises(Trouble):
        decode("sdch, gzip", gzip.compress(bytes(5000)), step=step)


def test_an_unknown_coding_is_told() -> None:
    """The value is told as it was sent, cut and fit to be printed; of known ones nothing is."""
    assert ContentDecoder("gzip, Foo", 10).unknown == "gzip, Foo"
    assert ContentDecoder("gzip, identity", 10).unknown is None
    told = ContentDecoder("\x1b[31m" + "x" * 500, 10).unknown
    assert told is not None
    assert len(told) <= 100
    assert told.isprintable()


def test_a_cap_holds_for_a_made_up_coding() -> None:
    """A bomb below a coding nobody knows stops at the cap of the one that is known."""
    with pytest.raises(Unwanted):
        decode("none, gzip", gzip.compress(b"a" * 5_000_000), max_bytes=1_000_000)


def test_identity_is_nothing() -> None:
    """`identity`, empty members and letter case of the field do not matter."""
    assert decode(" , Identity,GZIP, ", gzip.compress(b"x")) == b"x"


@pytest.mark.corpora
def test_real_bodies() -> None:
    """Bodies of real test suites decode to the known bytes; bombs and truncation are told."""
    bodies = dict(members("conformance/compressed"))
    for case in parsed("conformance/compressed"):
        _check(case, bodies[f"compressed/{case['file']}"])


def _check(case: dict[str, str], body: bytes) -> None:
    coding = case["content_encoding"]
    if case["kind"] == "truncated":
        with pytest.raises(Trouble) as caught:
            decode(coding, body)
        assert caught.value.failure is Failure.TRUNCATED
        return
    if case["kind"] == "bomb":
        with pytest.raises(Unwanted):
            decode(coding, body)
    plain = decode(coding, body, max_bytes=20_000_000)
    assert hashlib.sha256(plain).hexdigest() == case["plain_sha256"]


@pytest.mark.parametrize(
    ("content", "transfer", "encode"),
    [
        ("", "gzip, chunked", gzip.compress),
        ("", "Gzip", gzip.compress),
        ("", "deflate, identity, chunked", zlib.compress),
        ("", "chunked", bytes),
        ("br", "x-gzip, chunked", lambda data: gzip.compress(br(data))),
    ],
)
def test_transfer_codings_are_undone_first(
    content: str, transfer: str, encode: Callable[[bytes], bytes]
) -> None:
    """What was applied to the message lies over what was applied to the page (RFC 9112 6.1)."""
    decoder = ContentDecoder(content, 10_000_000, transfer)
    pieces = [*decoder.feed(encode(TEXT)), *decoder.finish()]
    assert b"".join(pieces) == TEXT


@pytest.mark.parametrize(
    ("content", "transfer"),
    [
        ("", "x-made-up, chunked"),
        ("", "chunked, gzip"),
        ("", "chunked, chunked"),
        ("gzip, gzip", "gzip, gzip, chunked"),
    ],
)
def test_other_transfer_codings_are_refused(content: str, transfer: str) -> None:
    """A body whose end or whose codings cannot be known is a failure that names them."""
    with pytest.raises(Trouble, match=r"gzip|Transfer-Encoding") as raised:
        ContentDecoder(content, 10_000_000, transfer)
    assert raised.value.failure is Failure.CONTENT_ENCODING


async def test_the_loop_breathes_while_a_body_expands() -> None:
    """One piece on the wire can be all of a large body; others run while it is decompressed."""
    packed = gzip.compress(b"a" * (5 * BREATH_BYTES))

    pieces = iter((packed, b""))

    async def at_once() -> bytes:
        return next(pieces)

    async def close() -> None:
        pass

    sent = Response(200, Headers([("Content-Encoding", "gzip")]), at_once, close)
    async with other_turns() as turns:
        body = await BodyReader(sent, 10**9, 10**9).whole()
    assert len(body) == 5 * BREATH_BYTES
    assert turns.count >= 4


WHOLE, ENDS = "whole", "ends with the first"
_CHECKED = ("gzip", "x-gzip", "zlib", "zstd")
SAID: dict[str, dict[str, str | Failure]] = {
    "two streams": {
        **dict.fromkeys(("gzip", "x-gzip", "zstd"), WHOLE),
        **dict.fromkeys(("zlib", "raw deflate", "br"), ENDS),
    },
    "cut": dict.fromkeys(ENCODERS, Failure.TRUNCATED),
    "zeros behind": dict.fromkeys(ENCODERS, ENDS),
    "text behind": dict.fromkeys(ENCODERS, ENDS),
    "one byte behind": dict.fromkeys(ENCODERS, ENDS),
    "a wrong checksum": dict.fromkeys(_CHECKED, Failure.CONTENT_ENCODING),
    "a wrong byte": dict.fromkeys(("gzip", "zlib", "zstd"), Failure.CONTENT_ENCODING),
}
"""What is decided for each coding (see the module): all is read, the first stream, or a failure."""


def harmed(how: str, whole: bytes, place: int) -> bytes:
    """Return a stream with what this word says."""
    match how:
        case "two streams":
            return whole * 2
        case "cut":
            return whole[:-1]
        case "a wrong checksum":
            return whole[:-place] + bytes([whole[-place] ^ 1]) + whole[len(whole) - place + 1 :]
        case "a wrong byte":
            middle = len(whole) - 30
            return whole[:middle] + bytes([whole[middle] ^ 0x55]) + whole[middle + 1 :]
    return (
        whole + {"zeros": b"\0" * 100, "text": b"trailing garbage", "one": b"\x1f"}[how.split()[0]]
    )


def zstd_checked(data: bytes) -> bytes:
    """One frame with a checksum, which zstd has only where it is asked for."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


@pytest.mark.parametrize("step", [1, 7, 5000, 10**9])
@pytest.mark.parametrize(("how", "name"), [(how, name) for how in SAID for name in SAID[how]])
def test_what_comes_of_a_stream(how: str, name: str, step: int) -> None:
    """Members, cuts, bytes behind the end, wrong ones: as decided, wherever pieces are cut."""
    coding, encode = ENCODERS[name] if name != "zstd" else ("zstd", zstd_checked)
    # More than comes out at once, of little that goes in: each byte may be a piece of its own.
    data = b"".join(b"<p>what it says %d, %x</p>%90s" % (n, n**5, b"") for n in range(600))
    assert len(data) > PIECE_BYTES
    # The CRC of gzip is before the length; the others end with their checksum.
    body = harmed(how, encode(data), 8 if "gzip" in name else 1)
    said = SAID[how][name]
    if isinstance(said, Failure):
        with pytest.raises(Trouble) as caught:
            decode(coding, body, step=step)
        assert caught.value.failure is said
    else:
        assert decode(coding, body, step=step) == data * (2 if said is WHOLE else 1)


@pytest.mark.parametrize("step", [1, 5000, 10**9])
def test_brotli_that_is_damaged_is_no_page(step: int) -> None:
    """What does not come to an end is damage, and its end is not looked for beyond that."""
    whole = br(bytes(n * n % 251 for n in range(100_000)))
    with pytest.raises(Trouble) as caught:
        decode("br", whole[:3] + b"\xff" * 10_000, step=step)
    assert caught.value.failure is Failure.CONTENT_ENCODING
