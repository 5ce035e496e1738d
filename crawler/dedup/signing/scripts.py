"""Which characters belong to scripts written without spaces, and how a text is cut by script.

Word boundaries are spaces in most scripts, a dictionary's business in Chinese, and neither in
Japanese kana, Thai, Lao, Khmer and Myanmar. So a text is cut by script before anything else.

Regular expressions say which characters belong where. They are asked about every character once; a
text is then cut by the table of their answers, at a third of what the expressions cost in Python
and at a fraction of that in C.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from crawler.dedup import kernels
from crawler.dedup.kernels import plain_texts
from crawler.dedup.kernels.plain_texts import BLOCKS, HAN, OTHER, PAGE, SPACED, UNSEGMENTED

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


@dataclass(frozen=True)
class Cut:
    """A text cut by script."""

    text: str
    """All of it in lower case, with a space for every character that is no letter, digit or `_`.

    Combining marks are none (Python's word characters leave them out), which cuts Thai and Khmer
    words into more pieces than they have; the same pieces on every page.
    """
    han: str
    """Han runs, in order, a new-line between two."""
    unspaced_share: float
    """Share (0..1) of letters, digits and `_` that are of scripts written without spaces."""

    def characters(self) -> str:
        """Return the text without its spaces."""
        return self.text.replace(" ", "")

    def words_and_characters(self) -> list[str]:
        """Return all runs, each character of a script without spaces as a word of its own."""
        return plain_texts.words_and_characters(self.text, class_table())


def cut(text: str) -> Cut:
    """Return a text cut by script: all that is compared of it."""
    kept, han, unspaced, characters = kernels.cut_by_script(text.lower(), class_table())
    return Cut(kept, han, unspaced / characters if unspaced else 0.0)


@cache
def class_table() -> bytes:
    """Return the class of every character as the kernels read it (`kernels.plain_texts`); 40 ms.

    Most blocks are all of one class, so fewer than 256 different pages say all.
    """
    classes = np.full(BLOCKS * PAGE, OTHER, np.uint8)
    characters = re.sub(r"\W", " ", "".join(map(chr, range(len(classes)))))
    for number, run in ((SPACED, SPACED_RUN), (UNSEGMENTED, UNSEGMENTED_RUN), (HAN, HAN_RUN)):
        for match in run.finditer(characters):
            classes[match.start() : match.end()] = number
    pages, numbers = np.unique(classes.reshape(-1, PAGE), axis=0, return_inverse=True)
    filled = np.zeros((PAGE, PAGE), np.uint8)
    filled[: len(pages)] = pages
    return numbers.astype(np.uint8).tobytes() + filled.tobytes()
