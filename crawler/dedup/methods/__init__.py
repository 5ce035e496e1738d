"""The field's other methods, each from its paper, behind the protocol of our own.

They are here to be measured against (docs/accuracy.md), and to be chosen where they fit. What a
method keeps of a text is its sketch; a proposer finds rows by it; a matcher or `components` makes
clusters of what is proposed::

    tf_idf, ngrams                   SimHash with other weights and features
    minhash -> lsh                   shingling with MinHash, banded
            -> super_shingles        groups of minima, two of six equal
    document_frequencies -> i_match  one hash of the words that matter, with one lexicon or several
    exact                            the reference: every similarity that counts, exactly

    key_table, proposers             rows by equal keys, by bands, by distance: one protocol
    proposed                         inline: a text joins one representative
    union_find, components           after the fact: everything that is linked

`crawler.dedup.methods.by_name` gives them their names.
"""
