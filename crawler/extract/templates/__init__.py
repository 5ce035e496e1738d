"""What a crawl learns of each site: which zones of its pages are text, which are surroundings.

::

    blocks      a page: its lines, each in its zone
    lesson      what one page teaches: weights of its zones, its lines
    evidence    what the lessons of a host add up to
    template    how a page of that host is read by what was learned
    learner     which pages of a host teach, when its template is made, audited and given up
    packing     lessons, templates and a learner's state as bytes

Pure: no clock, no I/O. Who keeps the learners of all hosts is not decided here.
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
