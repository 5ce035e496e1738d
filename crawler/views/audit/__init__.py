"""What was dropped, audited by eye: a random sample of pairs, marked by a person, and an estimate.

::

    crawl's directory -> sample -> pairs (texts) -> page or terminal -> marks.jsonl -> estimate

`sample` draws pages by a seed, `lines` finds them in the line files, `pairs` puts each beside what
it is said to be like, `compared` tells in what the two differ. `page` and `terminal` show that in
the sentences of `wording` and ask; `marks` are the answers, `estimate` is what follows from them
for the whole crawl.
"""

from __future__ import annotations
