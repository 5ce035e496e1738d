"""A web crawler that judges every page while it crawls.

How a page flows, one package a step::

    frontier  which URL next, and when it is polite to ask
    fetch     bytes from the network, or the reason there are none
    analysis  bytes -> Document: extract/ reads it, dedup/ takes its fingerprints   [process pool]
    dedup     Document -> Verdict: new, a copy (of which page, how sure), or not judged
    storage   verdict, page and new URLs in one transaction
    observe   what the user sees of all this

`crawl` is these steps as code (`life`) and their only wiring, `pool` holds the processes, `ends`
makes of each URL's end what is stored. The same parts serve `batch`, which judges corpora that
exist already, and `explain`, which tells why two pages are, or are not, duplicates. `cli` takes
the arguments and `commands` does what they say; `demo` is a web to try all this on.
"""

import logging

# Who wants to see what the modules log adds a handler; without this one Python prints warnings.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__version__ = "0.1.0"
