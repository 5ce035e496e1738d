"""Markup brought within bounds before it is parsed, so that parsing it is linear.

The HTML standard lets a page say things that take quadratic time: an element may be nested in any
number of others, which every further tag looks through; formatting that is never closed is opened
anew in every block; each attribute of a tag is compared with all others. Pages of that kind are
read here as browsers read them that set bounds, and what they say comes out.

    tags        a page taken apart, as the standard's tokenizer does
    nesting     which elements of HTML end which others
    depth       whether a page certainly is within bounds: nearly all are, and stay as they are
    rewriting   the others, written anew with every end tag, so that nothing is left to guess
"""

from __future__ import annotations

from crawler.extract.bounds.depth import may_be_deep
from crawler.extract.bounds.limits import MAX_ATTRIBUTES, MAX_DEPTH, MAX_FORMATTING
from crawler.extract.bounds.rewriting import rewritten
from crawler.extract.bounds.tags import has_long_tags
from crawler.extract.page import written_out

__all__ = ["MAX_ATTRIBUTES", "MAX_DEPTH", "MAX_FORMATTING", "bounded"]


def bounded(html: str, *, xml: bool) -> str:
    """Return a page that is parsed in linear time; the page itself where it certainly is already.

    `xml` tells that `<div/>` is closed. All text remains, and so does each link. Where a page is
    written anew, formatting may end with the block that it began in.
    """
    read = written_out(html) if xml else html
    if has_long_tags(read) or may_be_deep(read):
        return rewritten(read)
    return html
