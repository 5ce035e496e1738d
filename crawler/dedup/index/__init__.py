"""Which stored pages may be near a new one: two indexes that grow with the crawl.

`block_index` looks by SimHash fingerprint and finds all within its distance: its `buckets` hold
pages by a block of bits, and `probes` says which buckets a query visits. `sketch_index` looks by
sketch and finds what its `bands` promise: they are its keys, `bucket_table` maps them to pages.
`runs` is the directory of pages under both.
"""
