"""Sources beside the web that feed the same engine: archives (WARC, WET) and corpora.

::

    archives   one run over archives; `records`: archives taken apart, as a fetch would have ended
    corpus     one run over a corpus: its directory, each document judged and ended
    inputs     the files of a run, whatever they are compressed by
    documents  the documents in them; `reader` reads and signs them in reader processes
    writing    the user's own rows written again without copies; `parquet`: rows of Parquet files
"""
