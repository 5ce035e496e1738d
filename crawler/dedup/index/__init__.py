"""Which stored pages may be near a new one: two indexes that grow with the crawl.

`block_index` looks by SimHash fingerprint and finds all within its distance. Its `buckets` hold
pages by a block of bits, `probes` says which buckets a query visits, `search_compiled` or
`search_numpy` visits them, and `pairs` is what they find.

`sketch_index` looks by sketch and finds what its `bands` promise: they are its keys, `bucket_table`
maps them to rows, by the same `buckets`. `runs` is the directory of pages in those, and `entries`
writes into them where the kernels were not built.
"""
