"""The analysis pool: pages are read in processes that may hang, crash or eat memory.

One process a slot, one page at a time in it, so that a lost process loses one page and names it::

    AnalysisPool -> free slot -> AnalysisProcess -> stdin/stdout -> crawler.analysis.worker

A page has `timeout_s` of wall clock; what is not done by then is killed and blamed. A process that
dies is replaced and its page tried once more, for the fault may have been another's: the kernel's
OOM killer picks whom it likes. Replacements start when their slot is next used. `slots` decides all
this, `process` does it. `AnalysisPool` asks for pages; a `WorkerPool` runs anything else, and reads
ahead where a whole source is to be worked through in its order (`WorkerPool.read_ahead`).
"""

from crawler.pool.slots import AnalysisPool, WorkerPool

__all__ = ["AnalysisPool", "WorkerPool"]
