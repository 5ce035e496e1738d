"""`dedup` beside other deduplication programs: whole commands over the same Parquet files.

`corpus` makes the files and scores what is kept, `programs` runs a command, `rivals` is what some
of them are in their own environment, `__main__` runs all in turns and prints the tables.
"""
