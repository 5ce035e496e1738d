"""Judging pages: new, exact duplicate, near duplicate, of which stored page, and why.

In the analysis process a `Signer` turns a page's text into a `Signature`::

    text -> word runs -> features  -> fingerprint (SimHash)
                      -> shingles  -> sketch
         -> text digest

In the crawl's own process a `Judge` holds everything it knows of stored pages in arrays and asks
the `Catalog` only to confirm::

    payload seen? -> enough text? -> text seen? -> candidates -> sketch -> shingles -> verdict

Parts:

- `signing` is what a signature is made of: digests (exact stages), fingerprint, shingles and sketch
  (similarity), and the layout and look of a page.
- `index` finds what may be near, in arrays that grow: by fingerprint and by sketch. `tables` finds
  the same fingerprints by sorted tables, where a job asks for them (`dedup.index`).
- `methods` are the ways to recognise a near duplicate, of which a job names one (`dedup.method`),
  and the `Signer` that signs by it; `kinds` says in what a duplicate equals its original, `copies`
  tells copies from siblings.
- `pictures` compares rendered pages by eye.
- `judge` draws the verdict, `catalog` is what it asks; `columns` are the arrays, filters and
  arithmetic under all of them.
- `kernels` are the inner loops, in C where it was compiled, else in numpy.

Nothing here waits (`Judge.decide` is awaited for the sake of others): no loop, no clock; the only
files read are lexicons.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler.dedup.catalog import Catalog, MemoryCatalog
    from crawler.dedup.judge import Judge, Judged, represents
    from crawler.dedup.kinds import likeness
    from crawler.dedup.methods import Signer
    from crawler.dedup.signing import layout_fingerprint, payload_digest

__all__ = [
    "Catalog",
    "Judge",
    "Judged",
    "MemoryCatalog",
    "Signer",
    "layout_fingerprint",
    "likeness",
    "payload_digest",
    "represents",
]

_NAMES = {
    "catalog": ("Catalog", "MemoryCatalog"),
    "judge": ("Judge", "Judged", "represents"),
    "kinds": ("likeness",),
    "methods": ("Signer",),
    "signing": ("layout_fingerprint", "payload_digest"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load what is asked for (PEP 562): to name the kernels in use takes no numpy."""
        for module, names in _NAMES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
