"""Why two documents are, or are not, taken for duplicates: the whole evidence, to be read.

::

    URL or file -> subject (text, line) -> evidence, judging, difference -> terminal, JSON, page

`subjects` are the two sides: read from files or a corpus, found in a crawl's directory by
`finding`, or fetched again. `evidence` compares their signatures, `judging` asks the
judge and every method, `difference` tells in which passages the texts differ. `explanation` puts it
together, also as plain data; `terminal` and `page` show it in the sentences and tables of
`wording`.
"""
