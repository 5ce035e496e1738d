"""Judging corpora that exist already, by the very judge that a crawl uses.

::

    arguments -> inputs -> documents -> [processes: reader] -> judging -> ends -> store
                                                               store -> answers -> writing -> rows

`inputs` finds the files, `streams` opens them whatever they are compressed by, `documents` takes
them apart, rows of `parquet` among them, into `raw` ones, in which `fields` say where a text is.
`reader` reads and signs those in the analysis processes (`crawler.pool` keeps these busy and their
answers in order), and `judging` judges them in turn (`crawler.earlier` puts the pages of earlier
runs and crawls before this run's own). `ends` makes of each what a crawl's store commits
(`crawler.ends` fixes the fields of its lines), `names` gives documents their URLs, `opening` begins
a directory or goes on with it, and `corpus` is the run that holds all this together. When it is
over, `answers` tell what became of each document, and `writing` gives the user's own rows back.
"""

from crawler.ends import CORPUS_SCHEMAS as SCHEMAS
from crawler.ends import corpus_schema as schema

__all__ = ["SCHEMAS", "schema"]
