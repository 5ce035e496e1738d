"""The trap rule: which parts of a site are endless and bring nothing new (docs/traps.md).

::

    naming    the subtrees that a URL lies in, from its own shape up to the whole domain
    novelty   what the end of one URL brought: something new, a copy, nothing
    subtree   one subtree's account of what its pages brought, and its budget
    hosts     what each host of a domain brought: whom a cut of the whole domain spares
    domain    a registrable domain: its subtrees, its hosts, who waits for a try
    rule      TrapRule: learns from every end, cuts what is endless, holds its URLs back
"""

from crawler.frontier.traps.rule import TrapRule, cut_records, released
from crawler.frontier.traps.subtree import Subtree

__all__ = ["Subtree", "TrapRule", "cut_records", "released"]
