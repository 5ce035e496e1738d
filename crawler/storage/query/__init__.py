"""SQL over the state of a crawl: views with plain names, and one statement that can only read.

::

    views       what can be asked: each view's columns and what they say
    asking      a statement run on them, and refused whatever else it wants
"""

from crawler.storage.query.asking import Answer, ask, columns_of
from crawler.storage.query.views import VIEWS

__all__ = ["VIEWS", "Answer", "ask", "columns_of"]
