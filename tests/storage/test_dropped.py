"""Dropped pages kept as differences, and had again whatever became of what they are like."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import Appearance
from crawler.dedup.copies import pack as pack_appearance
from crawler.models import Dropped
from crawler.storage.dropped import MAX_BYTES, Kept, pack, unpack

TEXT = tuple(f"line {n * 7919 % 1000} of a text" for n in range(300))
LIKE = pack_appearance(Appearance("a title", text=TEXT))
LINE = {
    "url": "http://a.test/",
    "text": "\n".join(TEXT),
    "title": "a title",
    "canonical_url": None,
    "judged_on": "main",
}


def test_what_is_like_a_page_makes_it_small() -> None:
    """A page is had again as it was, from a fraction of its bytes."""
    packed = pack(Dropped(LINE, LIKE))
    assert packed is not None
    assert unpack(packed, LIKE) == Kept(LINE, None)
    alone = pack(Dropped(LINE, b""))
    assert alone is not None
    assert len(packed) < len(alone) / 3


def test_what_was_packed_alone_needs_nothing() -> None:
    """A page whose original had no appearance is had again also when that has got one since."""
    packed = pack(Dropped(LINE, b""))
    assert packed is not None
    assert unpack(packed, b"") == unpack(packed, LIKE) == Kept(LINE, None)


def test_another_page_is_told() -> None:
    """From what it is not the difference from, a page cannot be made, and no wrong one is."""
    packed = pack(Dropped(LINE, LIKE))
    assert packed is not None
    for like in (b"", pack_appearance(Appearance("another title", text=TEXT[1:]))):
        with pytest.raises(ValueError, match="not the difference from this page"):
            unpack(packed, like)
    for cut in (b"", packed[:5], packed[:-1]):
        with pytest.raises(ValueError, match=r"cut short|not the difference"):
            unpack(cut, LIKE)


def test_a_page_beyond_the_limit_is_not_kept() -> None:
    """Its line in JSON decides, to the byte."""
    text = os.urandom(MAX_BYTES // 2).hex()
    assert pack(Dropped({"text": text[: MAX_BYTES - 18]}, LIKE)) is not None
    assert pack(Dropped({"text": text[: MAX_BYTES - 17]}, LIKE)) is None


def test_lone_surrogates_become_replacements() -> None:
    """A text that UTF-8 cannot hold is kept as JSON lines have it."""
    packed = pack(Dropped({"text": "a\ud800b", "depth": 1}, LIKE))
    assert packed is not None
    assert unpack(packed, LIKE).line == {"text": "a\ufffdb", "depth": 1}


def test_what_stands_beside_the_text_is_kept_too() -> None:
    """The page's own appearance comes back, and costs next to nothing where both pages agree."""
    shown = Appearance("a title", "a heading", text=TEXT, beside=("an advert",), links=("a link",))
    packed, bare = (pack(Dropped(LINE, LIKE, own)) for own in (pack_appearance(shown), None))
    assert packed is not None
    assert bare is not None
    kept = unpack(packed, LIKE)
    assert kept.line == LINE
    assert kept.appearance == shown
    assert len(packed) < len(bare) + 300


def test_what_both_pages_show_is_not_kept_twice() -> None:
    """Of 400 lines beside the text, as long as the window, nothing is left; all comes back."""
    beside = tuple(os.urandom(100).hex() for _ in range(400))
    own, other = (Appearance(title, text=TEXT, beside=beside) for title in ("mine", "yours"))
    like = pack_appearance(other)
    packed = pack(Dropped(LINE, like, pack_appearance(own)))
    assert packed is not None
    assert len(packed) < 1_000
    assert unpack(packed, like) == Kept(LINE, own)
    with pytest.raises(ValueError, match="not the difference from this page"):
        unpack(packed, b"no appearance")


SOUND = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | SOUND | st.lists(SOUND)


@given(st.dictionaries(SOUND, VALUES), st.sampled_from([b"", LIKE]))
def test_any_line_comes_back_as_it_was(line: dict[str, Any], like: bytes) -> None:
    """Whatever is in it, with or without an appearance to differ from."""
    packed = pack(Dropped(line, like))
    assert packed is not None
    assert unpack(packed, like) == Kept(line, None)


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_is_kept_as_lines_have_it(text: str, title: str) -> None:
    """Every lone surrogate is replaced, and nothing else."""
    packed = pack(Dropped({"text": text, "title": title}, LIKE))
    assert packed is not None
    for name, value in (("text", text), ("title", title)):
        told = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert unpack(packed, LIKE).line[name] == told
