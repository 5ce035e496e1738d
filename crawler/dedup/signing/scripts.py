"""Which characters belong to scripts written without spaces, and how a text is cut by script.

Word boundaries are spaces in most scripts, a dictionary's business in Chinese, and neither in
Japanese kana, Thai, Lao, Khmer and Myanmar. So a text is cut by script before anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEGMENTED = "\u4e00-\u9fd5"
"""The Han characters jieba's dictionary speaks of (its own range); it leaves others uncut."""

_UNSEGMENTED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, 々〇
    "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # rarer Han
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eae\u0eb0-\u0ebd\u0ec0-\u0ece"  # Thai, Lao
    "\u1780-\u17d3\u1000-\u103f\u1050-\u109d"  # Khmer, Myanmar
)

_WORD_RUN = re.compile(r"\w+")
HAN_RUN = re.compile(f"[{_SEGMENTED}]+")
UNSEGMENTED_RUN = re.compile(f"[{_UNSEGMENTED}]+")
SPACED_RUN = re.compile(rf"[^\W{_SEGMENTED}{_UNSEGMENTED}]+")
"""Where words are written apart; a run ends where another script begins (`stdio.h头文件`)."""

_HAN_RUNS_APART = re.compile(f"([{_SEGMENTED}]+)")
_UNSPACED_OR_RUN = re.compile(rf"[{_SEGMENTED}{_UNSEGMENTED}]|[^\W{_SEGMENTED}{_UNSEGMENTED}]+")

_ASCII_SEPARATORS = {code: " " for code in range(128) if not _WORD_RUN.match(chr(code))}


@dataclass(frozen=True, slots=True)
class Cut:
    """A text's word runs cut by script, each kind apart by new-lines."""

    text: str
    """All runs."""
    han: list[str]
    """Han runs, in order."""
    other: str
    """What is left without them."""
    unsegmented: list[str]
    """Runs of the other scripts without spaces, in order."""

    def spaced(self) -> list[str]:
        """Return the words of scripts that write them apart, in order."""
        return SPACED_RUN.findall(self.other) if self.unsegmented else self.other.split()

    def unspaced_share(self) -> float:
        """Return the share (0..1) of characters of scripts written without spaces."""
        unspaced = sum(map(len, self.han)) + sum(map(len, self.unsegmented))
        return unspaced / (len(self.text) - self.text.count("\n")) if unspaced else 0.0


def word_runs(text: str) -> list[str]:
    """Return a text's runs of letters, digits and `_`, lower-case: all that is compared of it.

    Combining marks end a run (Python's word characters leave them out), which cuts Thai and Khmer
    words into more pieces than they have; the same pieces on every page.
    """
    if text.isascii():  # the same by other means, at a third of the cost
        return text.lower().translate(_ASCII_SEPARATORS).split()
    return _WORD_RUN.findall(text.lower())


def cut(text: str) -> Cut:
    """Return word runs, given apart by new-lines, cut by script."""
    if text.isascii():
        return Cut(text, [], text, [])
    pieces = _HAN_RUNS_APART.split(text)
    other = "\n".join(pieces[::2])
    return Cut(text, pieces[1::2], other, UNSEGMENTED_RUN.findall(other))


def words_and_characters(runs: list[str]) -> list[str]:
    """Return runs with each character of a script written without spaces as a word of its own."""
    if "".join(runs).isascii():
        return runs
    return [unit for run in runs for unit in _UNSPACED_OR_RUN.findall(run)]
