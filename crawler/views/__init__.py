"""What a crawl found, for people and machines. Nothing here changes a directory.

::

    report     what became of a crawl: tables, one HTML page, JSON
    explain    two pages compared, and the verdict with all its evidence
    audit      a random sample of dropped pages, marked by a person; an estimate
    job_rules  which rule of a crawl's job refuses a URL
    live       a running crawl: a page that shows and steers it, a panel in the terminal
    export     the pages as a corpus
    check      the directory held against itself
    wording    what codes mean, in words
    render     how they show it: tables, pages, JSON; what comes from the web is made harmless there
"""
