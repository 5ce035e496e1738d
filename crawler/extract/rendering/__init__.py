"""The text that is kept of a page, as plain text and as Markdown, from any choice of its lines.

::

    lines, kept -> selection -> outline -> plain
                                        -> markdown (with inline)

`selection` leaves out what belongs to the page and not to its text, and keeps code and tables
whole; `outline` groups lines into paragraphs, headings, tables and blocks of code, each in the
lists and quotes around it; `addresses` tells where links lead. Pure; time and
text are linear in the page.
"""

from crawler.extract.rendering.addresses import Addresses
from crawler.extract.rendering.markdown import markdown
from crawler.extract.rendering.plain import plain

__all__ = ["Addresses", "markdown", "plain"]
