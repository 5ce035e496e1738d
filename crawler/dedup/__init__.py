"""Judging pages: new, exact duplicate, near duplicate, of which stored page, and why.

In the analysis process a `Signer` turns a page's text into a `Signature`::

    text -> word runs -> features  -> fingerprint (SimHash)
                      -> shingles  -> sketch
         -> text digest

In the crawl's own process a `Judge` holds everything it knows of stored pages in arrays and asks
the `Catalog` only to confirm::

    payload seen? -> enough text? -> text seen? -> candidates -> sketch -> shingles -> verdict

Parts: `digests`, `bloom` (exact stages); `scripts`, `segmenter`, `stop_words`, `features`,
`simhash` (the fingerprint); `shingles`, `sketch` (similarity); `growing`, `runs`,
`bucket_table`, `hamming`, `block_index`, `bands`, `sketch_index`, `matcher` (the near stage);
`tables` (the same search by sorted tables, built once); `catalog`, `judge`, `signer` (the
interface). `methods` names the ways a near duplicate may be recognised: ours, and those of the
field in `rivals`; `text_parts` is what they are given of a text, `folding` what may be done to it
before. `layout` fingerprints the skeleton of a page, and `kinds` says in what a duplicate equals
its original. Synchronous throughout: no loop, no clock; the only files are lexicons and tables.
"""

from crawler.dedup.catalog import Catalog, MemoryCatalog
from crawler.dedup.digests import payload_digest, text_digest
from crawler.dedup.judge import Judge, represents
from crawler.dedup.kinds import likeness
from crawler.dedup.layout import layout_fingerprint
from crawler.dedup.signer import Signer

__all__ = [
    "Catalog",
    "Judge",
    "MemoryCatalog",
    "Signer",
    "layout_fingerprint",
    "likeness",
    "payload_digest",
    "represents",
    "text_digest",
]
