"""Reader processes: pages are read in processes that may hang, crash or eat memory.

::

    pool -> turn -> free slot -> process -> socket -> analyser -> Document

`pool` chooses whose page is next and how long it may take, `process` is one of them seen from the
crawl, `fork_server` the program that loads libraries once and forks them (`launch` starts it before
all else is loaded). There `analyser` answers one question (`messages`) at a time.
"""
