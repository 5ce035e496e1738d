"""From a text to its `Signature`, in the analysis process: a file for every step.

::

    text -> `scripts`: runs of words -> `segmenter`, `stop_words` -> `features` -> `simhash`
                                     -> `shingles`                -> `sketch`
         -> `digests`

Where a kernel does a step (`crawler.dedup.native`), its file chooses that in one place, and has the
Python that gives the same result without.

`folding` is what may be done to a text before, `text_parts` what a method is given of it, and
`layout` fingerprints the skeleton of the page, whatever its text.
"""
