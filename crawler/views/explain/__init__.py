"""Why two documents are, or are not, taken for duplicates: the whole evidence, to be read.

::

    id, URL or file -> subjects (text, appearance, line) -> evidence -> terminal, JSON, page

`subjects` finds the two sides: in files, in a directory, or fetched once more. `evidence` puts
together the decision and its rule (recorded, or made by the judge and every method) and what the
signatures say, `differences` in what the pages differ; `shown` has the words and the three forms.
"""

from __future__ import annotations
