"""A crawl: pages of the web carried to the engine and its outcomes to the store.

::

    run         a run seen from the outside: event loop, signals, a summary however it ended
    crawl       the only wiring: opens the parts, lets turns be played, stops, drains, closes
    dispatch    plays the frontier's turns: asks for the next one when there is room, answers each
    pipeline    one page, top to bottom: fetch, read, judge, store
    offers      what pages and sitemaps lead to, offered to the frontier
    sinks       lines on their way to the job's own sinks
    memory      seen set and judge as a run begins: from a snapshot, or built from the store
    checkpoint  what one run leaves for the next, beside its URLs and pages
    rescope     a run that reaches farther than the one before
    revisit     pages of earlier directories visited again
    recrawl     what is known of them: which are due, what visits found
    steering    a run as it is shown to who watches and measures it, and what they may ask
    reindex     stored pages signed anew under other settings
    restore     dropped pages stored after all
"""
