"""A corpus judged in parts, on as many machines as there are: the verdicts are those of one.

A verdict depends on stored documents that have a key in common with the document that is judged and
an estimate that allows a match, and on their order; on nothing else. So documents that no chain of
such pairs joins can be judged apart, by the same `Judge`, in the order of the input::

    sign    part   -> its documents, read and signed; the keys by which they may be found
    join    keys   -> pairs that agree in a key and that their sketches allow: edges
            edges  -> components, joined here; small ones share a bundle
    route   part   -> the rows of its documents, by bundle; a document alone is judged at once
    judge   bundle -> verdicts, by part
    write   parts  -> the lines and the state of the run, as one machine writes them

- `files` are what is handed on: all of it lies in one directory that every machine sees, so a run
  that was killed goes on with what is there.
- `keys` says by what documents are found, and joins those that may matter to each other.
- `stages` are sign, join, route and judge: functions from files to files.
- `driver` has them done and writes; its `Executor` is who does them: `in_process`, or `on_ray`.
"""
