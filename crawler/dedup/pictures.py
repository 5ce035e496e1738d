"""Pages compared by eye: fingerprints of what they look like, and which stored ones look alike.

A page's picture is its first screen, rendered in a window of one size. Two hashes of 64 bits stand
for it (N. Krawetz, "Looks Like It", 2011, and "Kind of Like That", 2013, as the package imagehash
has them): which of 8x8 cells are lighter than their mean, and which are lighter than their right
neighbour. Pictures are the same where at most SAME bits of the first and SAME_EDGES of the second
differ, and alike up to ALIKE of the first.

No picture ever drops a page: a template with another headline looks the same. Where a page has no
text to speak of, nothing else tells whether it is another one.

All hashes are looked at for each page, which takes .1 ms for a hundred thousand: to find what
differs in ten of 64 bits an index of blocks would have blocks of five bits, and propose a third.
"""

from __future__ import annotations

from array import array
from io import BytesIO
from typing import NamedTuple

import numpy as np

from crawler.models import Picture

SAME = 5
ALIKE = 10
"""Differing bits of average hashes, inclusive. docs/browser.md has what they are good for."""

SAME_EDGES = 10
"""Differing bits of difference hashes, inclusive, up to which pictures are the same: two that are
light above and dark below have one average hash, whatever is on them."""

SIDE = 320
"""Pixels of the wider side of a picture that is kept."""
QUALITY = 60

_LEAST_CONTRAST = 4.0
"""Standard deviation of brightness, 0..255, below which a picture shows nothing: a blank page."""


def picture_of(png: bytes) -> Picture | None:
    """Return the picture of a screenshot; None for one that shows nothing. Takes some 20 ms."""
    import imagehash  # of an extra, as is PIL
    from PIL import Image, ImageStat

    with Image.open(BytesIO(png)) as opened:
        screen = opened.convert("RGB")
    if ImageStat.Stat(screen.convert("L")).stddev[0] < _LEAST_CONTRAST:
        return None
    average, difference = (
        int(str(hashed(screen)), 16) for hashed in (imagehash.average_hash, imagehash.dhash)
    )
    screen.thumbnail((SIDE, SIDE))
    kept = BytesIO()
    screen.save(kept, "JPEG", quality=QUALITY)
    return Picture(average, difference, kept.getvalue())


class Lookalike(NamedTuple):
    """A stored page that looks like another one."""

    id: int
    average: int
    """Bits in which the average hashes differ, at most ALIKE."""
    difference: int
    """The same of the difference hashes."""

    @property
    def is_same(self) -> bool:
        """Whether both have one picture."""
        return self.average <= SAME and self.difference <= SAME_EDGES


class Pictures:
    """The hashes of all stored pages that have a picture."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._ids = array("q")
        self._averages, self._differences = array("Q"), array("Q")

    def add(self, id_: int, average: int, difference: int) -> None:
        """Remember a stored page; ids grow."""
        self._rows[id_] = len(self._ids)
        self._ids.append(id_)
        self._averages.append(average)
        self._differences.append(difference)

    def like(self, picture: Picture) -> Lookalike | None:
        """Return the stored page that looks most like this one, the oldest of several; or None."""
        if not self._ids:
            return None
        averages, differences = (
            np.frombuffer(column, np.uint64) for column in (self._averages, self._differences)
        )
        apart = np.bitwise_count(averages ^ np.uint64(picture.average))
        average = int(apart.min())
        if average > ALIKE:
            return None
        rows = np.flatnonzero(apart == average)
        edges = np.bitwise_count(differences[rows] ^ np.uint64(picture.difference))
        nearest = int(np.argmin(edges))
        return Lookalike(self._ids[int(rows[nearest])], average, int(edges[nearest]))

    def are_alike(self, id_: int, picture: Picture) -> bool | None:
        """Whether a stored page looks like this one; None where it has no picture."""
        row = self._rows.get(id_)
        if row is None:
            return None
        return (self._averages[row] ^ picture.average).bit_count() <= ALIKE
