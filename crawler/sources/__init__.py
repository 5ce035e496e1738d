"""What feeds the engine: the web, archives (WARC, WET) and corpora.

::

    web        a crawl, and what is done to its directory afterwards
    event_loop a run of any source seen from the outside: event loop, signals, a summary
    run        the life of a run over what is there already; and what judges in it
    archives   one run over archives; `records`: archives taken apart, as a fetch would have ended
    corpus     one run over a corpus: its directory, the end of each document
    inputs     the files of a run, whatever they are compressed by
    documents  the documents in them; `reader` reads and signs them in reader processes
    parts      one run over a corpus in parts, on several machines
    writing    the user's own rows written again without copies; `parquet`: rows of Parquet files
"""
