"""Pages of earlier crawls and corpora, read beside a run's own (`--against`): never written to.

::

    directories   a crawl's or a run's directory, as it stood when this run began
    columns       what is kept of each page of a source, as one column after another in a file
    index_file    a portable index: such sources, each a segment that is added and taken out whole
    segments      the pages of a portable index, mapped into memory
    building      a directory's pages, or the digests of a CDXJ file, as a segment
    opening       what a run is judged against, and whether it is still the same on resume
    layers        all of them before the run's own pages: one catalogue for the judge
"""
