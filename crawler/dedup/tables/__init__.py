"""Permuted sorted tables: the index of Manku, Jain and Das Sarma (WWW 2007), section 3.

Every table holds all fingerprints with some of their bits moved to the front, and sorted. Two
fingerprints within the distance agree in the leading bits of at least one table, so a query is one
search in each table and an exact comparison of the run found there::

    TableDesign   which bits lead in which table, and the arithmetic of it     design
    Permutation   moving those bits to the front and back                      permutation
    Planner       the design for a number of fingerprints and a memory limit   planner
    Search        binary or by interpolation                                   search
    TableIndex    the tables themselves: single and batch queries, removal     index
    save, load    memory-mapped files with a checked header                    files

The tables are built once. For fingerprints that arrive one at a time there is
`crawler.dedup.index.block_index`; docs/index-designs.md compares the two.
"""

from crawler.dedup.tables.design import PAPER_DESIGNS, Split, TableDesign
from crawler.dedup.tables.files import TablesError, load, save
from crawler.dedup.tables.growing import GrowingTables
from crawler.dedup.tables.index import TableIndex
from crawler.dedup.tables.planner import Plan, Planner

__all__ = [
    "PAPER_DESIGNS",
    "GrowingTables",
    "Plan",
    "Planner",
    "Split",
    "TableDesign",
    "TableIndex",
    "TablesError",
    "load",
    "save",
]
