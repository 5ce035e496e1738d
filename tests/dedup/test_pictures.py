"""What pages look like: hashes, and which stored page looks most like another."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.pictures import ALIKE, Pictures, picture_of
from crawler.models import Picture

HASHES = st.integers(0, 2**64 - 1)


@given(st.lists(st.tuples(HASHES, st.integers(0, 2**64 - 1)), max_size=20), HASHES, HASHES)
def test_the_nearest_picture_is_found(
    stored: list[tuple[int, int]], average: int, difference: int
) -> None:
    """It is the one that a look at all of them finds, the oldest of equals; none beyond ALIKE."""
    stored = [*stored, *((average ^ flips, other) for flips, other in stored[:3])]
    pictures, best = Pictures(), None
    for number, hashes in enumerate(stored, 1):
        pictures.add(number, *hashes)
        apart = (hashes[0] ^ average).bit_count(), (hashes[1] ^ difference).bit_count()
        if apart[0] <= ALIKE and (best is None or apart < best[1:]):
            best = (number, *apart)
    assert pictures.like(Picture(average, difference)) == best


def test_a_screen_that_shows_nothing_has_no_picture() -> None:
    """So blank pages do not all look the same; one that shows something has a small picture."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("imagehash")
    blank, drawn = BytesIO(), BytesIO()
    image.new("RGB", (640, 512), "white").save(blank, "PNG")
    made = image.new("RGB", (640, 512), "white")
    made.paste("black", (0, 0, 320, 512))
    made.save(drawn, "PNG")
    assert picture_of(blank.getvalue()) is None
    picture = picture_of(drawn.getvalue())
    assert picture is not None
    assert picture.average == int("0f" * 8, 16)  # lighter on the right half
    with image.open(BytesIO(picture.image)) as small:
        assert small.size == (320, 256)
