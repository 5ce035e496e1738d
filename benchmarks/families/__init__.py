"""Small made sites of many kinds, each with a known truth: which pages are copies of which.

`kit` says what a family is. Those of `work_*` were looked at while rules were made, those of
`held_*` were not; whoever wrote either had not read the rules. `__main__` judges them.
"""

from benchmarks.families import (
    held_en,
    held_zh,
    work_copies_en,
    work_copies_zh,
    work_drawn,
    work_editions,
    work_en,
    work_last,
    work_mixed,
    work_shown,
    work_software,
    work_zh,
)
from benchmarks.families.kit import FAMILIES, Family, Page

__all__ = [
    "FAMILIES",
    "Family",
    "Page",
    "held_en",
    "held_zh",
    "work_copies_en",
    "work_copies_zh",
    "work_drawn",
    "work_editions",
    "work_en",
    "work_last",
    "work_mixed",
    "work_shown",
    "work_software",
    "work_zh",
]
