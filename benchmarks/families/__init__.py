"""Small made sites of many kinds, each with a known truth: which pages are copies of which.

`kit` says what a family is. Those of `work_en` and `work_zh` were looked at while rules were made,
those of `held_*` were not; whoever wrote either had not read the rules. `__main__` judges them.
"""

from benchmarks.families import (
    held_copies,
    held_en,
    held_shown,
    held_zh,
    work_copies_en,
    work_copies_zh,
    work_en,
    work_zh,
)
from benchmarks.families.kit import FAMILIES, Family, Page

__all__ = [
    "FAMILIES",
    "Family",
    "Page",
    "held_copies",
    "held_en",
    "held_shown",
    "held_zh",
    "work_copies_en",
    "work_copies_zh",
    "work_en",
    "work_zh",
]
