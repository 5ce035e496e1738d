"""Cryptographic digests: of bodies (`payload_digest`) and of folded text (`text_digest`).

Both decide whether a page is dropped, so both must be collision resistant; the fast hashes of
`simhash` and `shingles` never are asked to tell documents apart.
"""

from __future__ import annotations

import base64
import hashlib

from crawler.config import PayloadHash
from crawler.dedup import kernels
from crawler.normal_forms import normalised

_NAMES_BY_SIZE = {20: "sha1", 32: "sha256"}


def payload_digest(body: bytes, algorithm: PayloadHash = PayloadHash.SHA256) -> bytes:
    """Return the digest of a body after Content-Encoding was removed: 20 or 32 bytes."""
    return hashlib.new(algorithm.value, body, usedforsecurity=False).digest()


def format_digest(digest: bytes) -> str:
    """Return a digest as WARC-Payload-Digest writes it, e.g. `sha1:3I42H3S6NNFQ...`.

    WARC 1.1 (section 5.8) says `algorithm ":" value` and leaves the encoding open; its own example
    and the field's tools write SHA-1 in base32. SHA-256 is written in base32 too, as warcio and
    Heritrix do, without the `=` padding that the `token` grammar of a value does not allow.

    Raises ValueError for a digest of neither size.
    """
    name = _NAMES_BY_SIZE.get(len(digest))
    if name is None:
        raise ValueError(f"a payload digest has 20 or 32 bytes, not {len(digest)}")
    return f"{name}:{base64.b32encode(digest).decode('ascii').rstrip('=')}"


def parse_digest(text: str) -> bytes:
    """Undo `format_digest`. Raises ValueError for what it never returns."""
    name, _, value = text.partition(":")
    digest = base64.b32decode(value + "=" * (-len(value) % 8))
    if _NAMES_BY_SIZE.get(len(digest)) != name:
        raise ValueError(f"no digest: {text}")
    return digest


def text_digest(text: str) -> bytes:
    """Return 32 bytes that two texts share if they differ in nothing but NFC and white space.

    Nothing else is folded: case, width or punctuation folding made different pages equal.
    """
    return hashlib.sha256(kernels.fold_spaces(normalised("NFC", text))).digest()
