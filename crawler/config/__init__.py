"""The job: everything a user may decide, as one validated, frozen model.

A YAML job file has the sections of `model`, their choices are `crawler.choices`; unknown keys are
errors, and every error names file, field and value. `loading` merges command-line flags over the
file before validation (`load_job`), and reads seed lists.
"""

from crawler.choices import (
    LEXICON_METHODS,
    Engine,
    FollowDuplicates,
    IndexDesign,
    Method,
    NearMode,
    PayloadHash,
    SiblingMode,
)
from crawler.config.loading import load_job, merge, parse_job, read_job
from crawler.config.model import Agent, Dedup, Extract, Fetch, Job, Scope, Traps
from crawler.config.seeds import check_seeds, read_seeds

__all__ = [
    "LEXICON_METHODS",
    "Agent",
    "Dedup",
    "Engine",
    "Extract",
    "Fetch",
    "FollowDuplicates",
    "IndexDesign",
    "Job",
    "Method",
    "NearMode",
    "PayloadHash",
    "Scope",
    "SiblingMode",
    "Traps",
    "check_seeds",
    "load_job",
    "merge",
    "parse_job",
    "read_job",
    "read_seeds",
]
