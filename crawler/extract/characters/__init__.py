"""Bytes to characters: `charset` decides which encoding a page is in, and reads it.

`prescan` finds what the page says of itself, by the labels of `encodings`; `detect` guesses where
it says nothing.
"""
