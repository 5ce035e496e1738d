"""Which characters belong to scripts written without spaces, and how a text is cut by script.

Word boundaries are spaces in most scripts, a dictionary's business in Chinese, and neither in
Japanese kana, Thai, Lao, Khmer and Myanmar. So a text is cut by script before anything else.

Regular expressions say which characters belong where. They are asked about every character once;
a text is then cut by the table of their answers, at a third of what the expressions cost, or by the
kernel, at a fraction of that.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from crawler.dedup import native

_SEGMENTED = "\u4e00-\u9fd5"
"""The Han characters jieba's dictionary speaks of (its own range); it leaves others uncut."""

_UNSEGMENTED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, 々〇
    "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # rarer Han
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ebd\u0ec0-\u0ece"  # Thai, Lao
    "\u1780-\u17d3\u1000-\u103f\u1050-\u109d"  # Khmer, Myanmar
)

HAN_RUN = re.compile(f"[{_SEGMENTED}]+")
UNSEGMENTED_RUN = re.compile(f"[{_UNSEGMENTED}]+")
SPACED_RUN = re.compile(rf"[^\W{_SEGMENTED}{_UNSEGMENTED}]+")
"""Where words are written apart; a run ends where another script begins (`stdio.h头文件`)."""

_UNSPACED_OR_RUN = re.compile(rf"[{_SEGMENTED}{_UNSEGMENTED}]|[^\W{_SEGMENTED}{_UNSEGMENTED}]+")

_ASCII_SEPARATORS = {code: " " for code in range(128) if not re.match(r"\w", chr(code))}

_OTHER, _SPACED, _UNSEG, _HAN = range(4)
"""Classes of characters; `_OTHER` are no word characters."""
_CLASSED = 0x4_0000
"""From here on there are no word characters."""
_PAGE = 256
_CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_SPACE = np.uint32(ord(" "))

Codes = npt.NDArray[np.uint32]
Classes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Cut:
    """A text cut by script."""

    text: str
    """All of it in lower case, with a space for every character that is no letter, digit or `_`."""
    han: str
    """Han runs, in order, a new-line between two."""
    unspaced_share: float
    """Share (0..1) of letters, digits and `_` that are of scripts written without spaces."""

    @cached_property
    def words(self) -> list[str]:
        """Runs of scripts that write words apart, in order."""
        return self._runs_of(_SPACED) if self.unspaced_share else self.text.split()

    @cached_property
    def unsegmented(self) -> list[str]:
        """Runs of the scripts without spaces other than Han, in order."""
        return self._runs_of(_UNSEG) if self.unspaced_share else []

    def runs(self) -> list[str]:
        """Return the runs of letters, digits and `_`, whatever their script, in order.

        Combining marks end a run (Python's word characters leave them out), which cuts Thai and
        Khmer words into more pieces than they have; the same pieces on every page.
        """
        return self.text.split()

    def characters(self) -> str:
        """Return all runs joined."""
        return self.text.replace(" ", "")

    def words_and_characters(self) -> list[str]:
        """Return all runs, each character of a script without spaces as a word of its own."""
        return _UNSPACED_OR_RUN.findall(self.text) if self.unspaced_share else self.words

    def _runs_of(self, script: int) -> list[str]:
        codes = _codes(self.text)
        return _kept(codes, _classes_of(codes) == script).split()


def cut(text: str) -> Cut:
    """Return a text cut by script: all that is compared of it."""
    kernels, text = native.kernels, text.lower()
    if kernels is None:
        return _cut_by_table(text)
    text, han, unspaced, characters = kernels.cut_by_script(text, paged_table())
    return Cut(text, han, unspaced / characters if unspaced else 0.0)


def _cut_by_table(text: str) -> Cut:
    """Return a text in lower case cut by script."""
    if text.isascii():
        return Cut(text.translate(_ASCII_SEPARATORS), "", 0.0)
    codes = _codes(text)
    classes = _classes_of(codes)
    text = _kept(codes, classes != _OTHER)
    unspaced = np.count_nonzero(classes > _SPACED)
    if not unspaced:
        return Cut(text, "", 0.0)
    han = "\n".join(_kept(codes, classes == _HAN).split())
    return Cut(text, han, unspaced / np.count_nonzero(classes))


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode(_CODEC, "surrogatepass"), np.uint32)


def _classes_of(codes: Codes) -> Classes:
    return _class_table().take(codes, mode="clip")


def _kept(codes: Codes, is_kept: npt.NDArray[np.bool_]) -> str:
    """Return a text with spaces in place of the characters that are not kept."""
    return np.where(is_kept, codes, _SPACE).tobytes().decode(_CODEC)


@cache
def _class_table() -> Classes:
    """Return the class of every character below _CLASSED, and `_OTHER` for all above; 40 ms."""
    table = np.full(_CLASSED + 1, _OTHER, np.uint8)
    characters = re.sub(r"\W", " ", "".join(map(chr, range(_CLASSED))))
    for number, run in ((_SPACED, SPACED_RUN), (_UNSEG, UNSEGMENTED_RUN), (_HAN, HAN_RUN)):
        for match in run.finditer(characters):
            table[match.start() : match.end()] = number
    return table


@cache
def paged_table() -> bytes:
    """Return the table as the kernels read it: the page of each block of 256, then 256 pages.

    Most blocks are all of one class, so half of the pages say all, and a text touches few of them.
    """
    blocks = _class_table()[:_CLASSED].reshape(-1, _PAGE)
    pages, numbers = np.unique(blocks, axis=0, return_inverse=True)
    filled = np.zeros((_PAGE, _PAGE), np.uint8)
    filled[: len(pages)] = pages
    return numbers.astype(np.uint8).tobytes() + filled.tobytes()
