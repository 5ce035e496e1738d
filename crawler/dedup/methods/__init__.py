"""The ways to recognise near duplicates, which a job chooses by name (`dedup.method`).

What a method keeps of a text is its fingerprint and its sketch. In the judge its matcher finds, by
those, the representative that a text joins::

    verified  the default: fingerprints and sketches propose, shingles decide
    rivals    the classics: exact similarity, SimHash believed (TF-IDF, n-grams), MinHash with bands
              and super-shingles, I-Match with one lexicon or several
    matching  what every method offers the judge; the matcher over mere proposals
    by_name   the table of all methods, and how to add one

docs/accuracy.md measures them against each other.
"""
