"""Reading archives: the pipeline of a crawl over what was fetched before, without a network.

::

    files -> records -> exchange -> run: [processes: read] -> judge -> ends -> store

`files` finds the archives, `records` takes them apart (by FastWARC) and finds its way on after
damage, `exchange` makes of a record what a fetch would have ended as, `ends` makes of that the end
that a crawl would have given it, and `run` carries all records through in their order. `revisits`
gives records that refer to the body of an earlier one that body, `passed` counts what holds none.
"""
