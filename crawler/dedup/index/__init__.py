"""Which stored pages may be near a new one: two indexes that grow with the crawl, never miss.

`block_index` looks by SimHash fingerprint: its `buckets` hold pages by a block of bits, and
`probes` says which buckets a query visits. `sketch_index` looks by sketch: `bands` are its keys,
`bucket_table` maps them to pages. `runs` is the directory of pages under both.
"""
