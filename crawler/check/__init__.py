"""Whether a crawl's directory is sound: state, lines and texts held against each other.

::

    state file: SQLite's own check, references, what is packed -> problems
    URL table -> hashes of how each URL ended -----+
    line files: parsed, valid, whole --------------+--> the same URLs, ended alike, once each
    archives: every record whole, where lines and index say
    stored pages: digests and fingerprints made again from the texts

`checking` has the order, `problems` what is found and said, the others a part of it each. Nothing
is changed and no lock is taken; of a running crawl, what is committed by then counts.
"""

from crawler.check.checking import SAMPLE, check_directory, ways_out
from crawler.check.problems import Findings, Problem

__all__ = ["SAMPLE", "Findings", "Problem", "check_directory", "ways_out"]
