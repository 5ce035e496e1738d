"""A crawl: the life of one page, and the wiring that gives many of them their turns.

::

    run         a run seen from the outside: event loop, signals, a summary however it ended
    crawl       the only wiring: opens the parts, plays the frontier's turns, drains, closes
    life        one page, top to bottom: fetch, read, judge, store
    checkpoint  what one run leaves for the next, beside its URLs and pages
    identity    the settings that decide what equals what: a resume must match
    summary     a crawl in numbers, from its store alone
    reindex     stored pages signed anew under other settings
"""
