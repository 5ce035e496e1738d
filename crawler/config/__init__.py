"""The job: everything a user may decide, as one validated, frozen model.

A YAML job file is `job`, section by section; its choices are `crawler.models.enums`. Unknown keys
are errors, and every error names file, field and value. `loading` merges command-line flags over
the file before validation (`load_job`), `seeds` reads seed lists.
"""

from crawler.config.job import (
    Agent,
    Dedup,
    Extract,
    Fetch,
    HostBlock,
    Job,
    Plugins,
    Politeness,
    Scope,
    Traps,
    Use,
)
from crawler.config.loading import load_job, merge, parse_job, read_job
from crawler.config.seeds import check_seeds, read_lines, read_seeds
from crawler.models.enums import (
    LEXICON_METHODS,
    Engine,
    FollowDuplicates,
    IndexDesign,
    Method,
    NearMode,
    PayloadHash,
    SiblingMode,
)

__all__ = [
    "LEXICON_METHODS",
    "Agent",
    "Dedup",
    "Engine",
    "Extract",
    "Fetch",
    "FollowDuplicates",
    "HostBlock",
    "IndexDesign",
    "Job",
    "Method",
    "NearMode",
    "PayloadHash",
    "Plugins",
    "Politeness",
    "Scope",
    "SiblingMode",
    "Traps",
    "Use",
    "check_seeds",
    "load_job",
    "merge",
    "parse_job",
    "read_job",
    "read_lines",
    "read_seeds",
]
