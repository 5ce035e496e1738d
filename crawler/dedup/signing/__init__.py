"""From a text to its `Signature`, in the analysis process: a file for every step.

::

    text -> `scripts`: runs of words -> `segmenter` -> `simhash`
                                     -> `shingles`  -> `sketch`
         -> `digests`

The loops over characters, words and hashes are `crawler.dedup.kernels`.

`folding` is what may be done to a text before, `text_parts` what a method is given of it, and
`layout` fingerprints the skeleton of the page, whatever its text.
"""
