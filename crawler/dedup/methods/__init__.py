"""The ways to recognise near duplicates, which a job chooses by name (`dedup.method`).

What a method keeps of a text is its fingerprint and its sketch. In the judge its matcher finds, by
those, the representative that a text joins::

    verified              the default: fingerprints and sketches propose, shingles decide
    exact                 the reference: every similarity that counts, exactly
    simhash               near fingerprints, believed; with TF-IDF weights or n-grams too
    minhash               shingling with MinHash, banded; and super-shingles
    i_match               one hash of the words that matter, with one lexicon or several
    document_frequencies  the lexicon of I-Match and TF-IDF

    matching              what every method offers the judge; the matcher over mere proposals
    shared_keys           proposals by equal keys
    by_name               the table of all methods, and how to add one

docs/accuracy.md measures them against each other.
"""
