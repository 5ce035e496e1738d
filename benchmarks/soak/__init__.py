"""The crawler on bad days, for long: `python -m benchmarks.soak` (docs/operations.md).

`kills` kills a crawl in named phases of its life; `hours` crawls through faults of every kind and
watches memory, files and handles. Both end by themselves and hold every directory against the web:
`checks` says what must be true. `web` is the demo web with troubles on command, `victim` the
crawler as a program that is watched and killed.
"""
