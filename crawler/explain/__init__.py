"""Why two documents are, or are not, taken for duplicates: the whole evidence, to be read.

::

    URL or file -> subject (text, report line) -> evidence, methods, verdict -> terminal, JSON, page
                                               -> differences of the texts  ->

`subjects` are the two sides, found in a crawl's directory by `finding`, read from files or a corpus
by `reading`, or fetched again by `refetch`;
`evidence` compares their signatures, `methods` asks every method for its answer, `verdict` asks the
judge itself, `difference` sets the texts side by side. `explanation` puts it together; `terminal`,
`page` and `data` show it, the first two in the sentences of `wording`.
"""

from crawler.explain.data import as_data
from crawler.explain.explanation import Explanation, explain
from crawler.explain.page import as_page
from crawler.explain.subjects import Subject, open_subjects
from crawler.explain.terminal import print_explanation

__all__ = [
    "Explanation",
    "Subject",
    "as_data",
    "as_page",
    "explain",
    "open_subjects",
    "print_explanation",
]
