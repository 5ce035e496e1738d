"""What a crawl learns of each site: which zones of its pages are text, which are surroundings.

`template` is what one page teaches, what the lessons of a host add up to, and how a page is read by
it; `learner` decides which pages teach, when a template is made, audited and given up; `packing`
has all of it as bytes. Pure: no clock, no I/O. `crawler.engine.templates` owns those of all hosts.
"""

from __future__ import annotations

from crawler.extract.templates.learner import Figures, Learner, Plan
from crawler.extract.templates.packing import (
    pack_lesson,
    pack_template,
    unpack_lesson,
    unpack_template,
)
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
