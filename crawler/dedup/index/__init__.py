"""Which stored pages may be near a new one: two indexes that grow with the crawl.

`block_index` looks by SimHash fingerprint and finds all within its distance; `sketch_index` looks
by sketch and finds what its bands promise, by way of `bucket_table`, which maps their keys to rows.
Both keep rows in the same `buckets`. The arrays are owned here, `crawler.dedup.kernels` searches
them and writes to them.
"""
