"""What a crawl learns of each site: which zones of its pages are text, which are surroundings.

::

    lesson      what one page teaches: weights of its zones, its lines
    evidence    what the lessons of a host add up to
    template    how a page of that host is read by what was learned
    packing     lessons and templates as bytes

Pure: which pages teach, and which template reads a page, is decided by those who call this.
"""

from crawler.templates.evidence import Evidence
from crawler.templates.lesson import Block, Lesson, Zone, blocks_of, lesson_of
from crawler.templates.packing import (
    pack_lesson,
    pack_template,
    unpack_lesson,
    unpack_template,
)
from crawler.templates.template import Reading, Standing, Template

__all__ = [
    "Block",
    "Evidence",
    "Lesson",
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
