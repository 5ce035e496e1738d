"""Permuted sorted tables: the index of Manku, Jain and Das Sarma (WWW 2007), section 3.

Every table holds all fingerprints with some of their bits moved to the front, and sorted. Two
fingerprints within the distance agree in the leading bits of at least one table, so a query is one
search in each table and an exact comparison of the run found there::

    TableDesign    which bits lead in which table, and the arithmetic of it     design
    Planner        the design for a number of fingerprints and a memory limit   planner
    TableIndex     tables built once: single and batch queries                  index
    GrowingTables  several of them, for fingerprints that arrive one by one     growing

A job chooses them by `dedup.index: tables`; `dedup --plan` shows what the planner reckons. The
default is `crawler.dedup.index.block_index`, which finds the same and is faster;
docs/index-designs.md compares the two.
"""

from crawler.dedup.tables.growing import GrowingTables
from crawler.dedup.tables.planner import Planner

__all__ = [
    "GrowingTables",
    "Planner",
]
