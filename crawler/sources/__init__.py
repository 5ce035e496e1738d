"""Sources beside the web that feed the same engine: archives (WARC, WET) and corpora.

::

    run        the life of a run, the same for all; and what judges in it
    archives   one run over archives; `records`: archives taken apart, as a fetch would have ended
    corpus     one run over a corpus: its directory, the end of each document
    inputs     the files of a run, whatever they are compressed by
    documents  the documents in them; `reader` reads and signs them in reader processes
    parts      one run over a corpus in parts, on several machines
    writing    the user's own rows written again without copies; `parquet`: rows of Parquet files
"""
