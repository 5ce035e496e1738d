"""robots.txt of all origins: whether a URL may be fetched.

`origins` answers for an origin, and shares what is under way; `way` is where the search for a file
may go from a redirect, `asking` one request for a file, its answer shared by URL, `file` what a
file says, read in steps, `rules` whether that allows a URL, and `known` the rules of all origins in
bounded memory.
"""
