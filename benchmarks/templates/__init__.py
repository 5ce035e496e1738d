"""What a crawl could learn of each site: which zones of its pages are text, which surroundings.

::

    alignment   which visible lines the extractor's text holds
    lesson      what one page teaches: weights of its zones, its lines
    template    what the lessons of a host say, and how a page is read by it

No crawl uses this yet: `python -m benchmarks.templates` measures what it would bring.
"""
