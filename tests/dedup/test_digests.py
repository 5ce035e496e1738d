"""Digests of bytes and texts: standard algorithms, and what counts as the same text."""

import hashlib

import pytest

from crawler.dedup import signing
from crawler.models.enums import PayloadHash

pytestmark = pytest.mark.usefixtures("either_way")


def test_payload_digest_is_the_named_algorithm() -> None:
    """Either algorithm gives the standard digest of the body."""
    assert signing.payload_digest(b"abc") == hashlib.sha256(b"abc").digest()
    assert signing.payload_digest(b"abc", PayloadHash.SHA1) == hashlib.sha1(b"abc").digest()


def test_warc_form_is_unpadded_base32() -> None:
    """The empty body has the digest that every WARC file shows for it."""
    empty = signing.payload_digest(b"", PayloadHash.SHA1)
    assert signing.format_digest(empty) == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert signing.format_digest(signing.payload_digest(b"")) == (
        "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ"
    )


def test_a_digest_of_another_size_is_refused() -> None:
    """Nothing that is no digest is written as one."""
    with pytest.raises(ValueError, match="20 or 32 bytes"):
        signing.format_digest(b"123")


@pytest.mark.parametrize(
    ("text", "other"),
    [("caf\u00e9", "cafe\u0301"), ("a  b\n c ", "a b c"), ("一\u3000二", "一 二")],
)
def test_text_digest_folds_nfc_and_white_space(text: str, other: str) -> None:
    """Composition and white space do not make another text."""
    assert signing.text_digest(text) == signing.text_digest(other)


@pytest.mark.parametrize(
    ("text", "other"), [("A", "a"), ("Ａ", "A"), ("，", ","), ("ab", "a b"), ("國", "国")]
)
def test_text_digest_folds_nothing_else(text: str, other: str) -> None:
    """Case, width, punctuation, word boundaries and script do make another text."""
    assert signing.text_digest(text) != signing.text_digest(other)


def test_lone_surrogates_have_a_digest() -> None:
    """A text no encoder takes is digested all the same, and not as another one."""
    assert signing.text_digest("a\ud800") != signing.text_digest("a\ud801")
