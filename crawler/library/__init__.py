"""The parts that other programs import: the judge alone.

::

    from crawler.library import Judge

    with Judge.open("seen") as judge:
        for document in documents:
            if judge.see(document.id, document.text).keep:
                ...

`judge` is what is called, `verdicts` what is answered, `directory` how the directory behind it is
opened, `keeper` the thread in which it is written. Nothing here logs to a terminal, takes a signal
or starts a process.
"""

from crawler.library.judge import Judge
from crawler.library.verdicts import Verdict

__all__ = ["Judge", "Verdict"]
