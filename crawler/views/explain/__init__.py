"""Why two documents are, or are not, taken for duplicates: the whole evidence, to be read.

::

    id, URL or file -> subjects (text, appearance, line) -> evidence -> terminal, JSON, page

`subjects` finds the two sides: in files, in a directory, or fetched once more. `evidence` makes one
record of them: the decision and its rule (recorded, or made by the judge and every method), in the
words of `wording`, what the signatures say, and by `differences` in what the pages differ. That
record is the JSON; `shown` describes it for the renderer.
"""

from __future__ import annotations
