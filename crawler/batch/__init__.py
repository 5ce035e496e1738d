"""Judging corpora that exist already, by the very judge that a crawl uses.

::

    arguments -> inputs -> raw documents -> [processes: reader] -> corpus: judge -> ends -> store

`inputs` finds the files, `streams` opens them whatever they are compressed by, `raw` takes them
apart into documents, `reader` reads and signs those in the analysis processes (`crawler.pool` keeps
these busy and their answers in order; `crawler.earlier` puts the pages of earlier runs and crawls
before this run's own), `ends` makes of each document what a crawl's store commits (`crawler.ends`
fixes the fields of its lines), `names` gives documents their URLs, `opening` begins a directory or
goes on with it, and `corpus` is the run that holds all this together.
"""

from crawler.ends import CORPUS_SCHEMAS as SCHEMAS
from crawler.ends import corpus_schema as schema

__all__ = ["SCHEMAS", "schema"]
