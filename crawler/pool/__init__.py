"""The analysis pool: pages are read in processes that may hang, crash or eat memory.

One process a slot, one page at a time in it, so that a lost process loses one page and names it::

    AnalysisPool -> turn -> free slot -> AnalysisProcess -> socket -> crawler.analysis.worker

A page has `timeout_s`, or less where others of its domain took too long; what is not done by then
is killed and blamed. A process that dies is replaced and its page tried once more, for the fault
may have been another's: the kernel's OOM killer picks whom it likes.

One module a decision: `turns` whose page is next, and how long it may take; `pages` puts that into
practice; `slots` what is done when a process is lost; `patience` how long one is waited for;
`process` does it, `pipes` carries what is said, and `nursery` has warm processes forked.
`AnalysisPool` asks for pages; a `WorkerPool` (`workers`) runs anything else, and reads ahead where
a whole source is to be worked through in its order (`WorkerPool.read_ahead`).
"""

from crawler.pool.pages import AnalysisPool, Planned, as_it_is
from crawler.pool.workers import WorkerPool, reading_apart

__all__ = ["AnalysisPool", "Planned", "WorkerPool", "as_it_is", "reading_apart"]
