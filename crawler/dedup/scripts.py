"""Which characters belong to scripts written without spaces, and how a text is cut by script.

Word boundaries are spaces in most scripts, a dictionary's business in Chinese, and neither in
Japanese kana, Thai, Lao, Khmer and Myanmar. So a text is cut by script before anything else.
"""

from __future__ import annotations

import re

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

_UNSPACED_RUN = re.compile(f"[{_SEGMENTED}{_UNSEGMENTED}]+")
_UNSPACED_OR_RUN = re.compile(rf"[{_SEGMENTED}{_UNSEGMENTED}]|[^\W{_SEGMENTED}{_UNSEGMENTED}]+")


def word_runs(text: str) -> list[str]:
    """Return a text's runs of letters, digits and `_`, lower-case: all that is compared of it.

    Combining marks end a run (Python's word characters leave them out), which cuts Thai and Khmer
    words into more pieces than they have; the same pieces on every page.
    """
    return _WORD_RUN.findall(text.lower())


def words_and_characters(runs: list[str]) -> list[str]:
    """Return runs with each character of a script written without spaces as a word of its own."""
    if all(run.isascii() for run in runs):
        return runs
    return [unit for run in runs for unit in _UNSPACED_OR_RUN.findall(run)]


def unspaced_share(runs: str) -> float:
    """Return the share (0..1) of characters of scripts written without spaces."""
    if not runs or runs.isascii():
        return 0.0
    return sum(map(len, _UNSPACED_RUN.findall(runs))) / len(runs)
