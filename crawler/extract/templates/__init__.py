"""What a crawl learns of each site: which zones of its pages are text, which are surroundings.

`template` is what one page teaches, what the lessons of a host add up to, how a page is read by it,
and all of that as bytes; `learner` decides which pages teach, when a template is made, audited and
given up. Pure: no clock, no I/O. `crawler.engine.engine` owns those of all hosts.
"""

from __future__ import annotations

from crawler.extract.templates.learner import Figures, Learner, Plan
from crawler.extract.templates.template import (
    Block,
    Evidence,
    Lesson,
    Reading,
    Standing,
    Template,
    Zone,
    blocks_of,
    lesson_of,
    pack_lesson,
    pack_template,
    unpack_lesson,
    unpack_template,
)

__all__ = [
    "Block",
    "Evidence",
    "Figures",
    "Learner",
    "Lesson",
    "Plan",
    "Reading",
    "Standing",
    "Template",
    "Zone",
    "blocks_of",
    "lesson_of",
    "pack_lesson",
    "pack_template",
    "unpack_lesson",
    "unpack_template",
]
