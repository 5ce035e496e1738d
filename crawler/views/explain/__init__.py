"""Why two documents are, or are not, taken for duplicates: the whole evidence, to be read.

::

    id, URL or file -> subject (text, appearance, line) -> explanation -> terminal, JSON, page

- `subjects` are the two sides. `opening` makes them of what the user names: files, what `stored`
  finds in a directory (its lines are found by `finding`), or what is fetched once more by `again`.
- `explanation` puts together what is found of the two: the `decision` and its rule (recorded, or
  made by `judging`, which asks the judge and every method), the `difference` of the texts, the
  `surroundings` of either text, and the `resemblance` of their signatures.
- `wording` has the sentences and `numbers` the tables that `terminal` and `page` show; `data` is
  the same for JSON.
"""

from __future__ import annotations
