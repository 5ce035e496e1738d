"""A crawl: pages of the web carried to the engine and its outcomes to the store.

::

    crawl       the only wiring: opens the parts, has the frontier's turns played, shows the run to
                who watches it, stops, drains, closes
    pipeline    one page, top to bottom: fetch, read, judge, offer what it leads to, store
    rendering   which pages a browser renders, by what it brought on others of their site
    sinks       lines on their way to the job's own sinks
    checkpoint  what one run leaves for the next, and how seen set and judge are restored: from a
                snapshot, or built from the store
    rescope     a run that reaches farther than the one before
    recrawl     pages of earlier directories visited again: which are due, what visits found
    reindex     stored pages signed anew under other settings
    restore     dropped pages stored after all
"""
