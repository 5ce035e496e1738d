"""A crawl: the life of one page, and the wiring that gives many of them their turns.

::

    run         a run seen from the outside: event loop, signals, a summary however it ended
    crawl       the only wiring: opens the parts, lets turns be played, drains, closes
    dispatch    plays the frontier's turns: asks for the next one when there is room, answers each
    parts       what `life` asks of the other packages, as protocols
    life        one page, top to bottom: fetch, read, judge, store
    responses   what a response says beside its body
    sites       a page read by what its site taught, and again where that is in doubt
    learners    what is known of the templates of all hosts: their one owner
    twins       pages whose templates left the same text, though they show different things
    reading     a page on its way to the processes that read it: it holds no place meanwhile
    verdicts    a page that was read is judged: the verdict, and the batch with which it ends
    offers      what a page leads to: its links, the target of its redirect, what they unlock
    sitemaps    sitemaps and feeds: found, read, and what they list is offered
    follow_only  pages that are wanted for their links alone
    again, revisited  a recrawl: which pages are visited, and those that are as they were
    copied_links  the links of copies, read once for all that differ in their query
    sinks       lines on their way to the job's own sinks; sink_thread: where these may wait
    slices      long synchronous work cut into slices, so that the loop is free in between
    internal    our own mistakes with one page: noted, and the crawl goes on
    metering    what a run shows to who measures it
    steering    what it shows to who watches it, and does for him
    telling     what it says beside its progress
    disk        how much of the disk it has taken, and whether that is enough
    garbage     collections of garbage beside millions of objects that last
    memory      seen set and judge as a run begins: from a snapshot, or built from the store
    checkpoint  what one run leaves for the next, beside its URLs and pages
    wider       links of stored pages, offered again to a job that reaches farther
    brought_back  URLs that were left out, put back for such a job
    archiving   what goes into the archives of a run
    identity    the settings that decide what equals what: a resume must match
    summary     a crawl in numbers, from its store alone
    reindex     stored pages signed anew under other settings
    restore     dropped pages stored after all
"""
