"""The job: everything a user may decide, as one validated, frozen model.

A YAML job file is `model`, made of `sections`; their choices are `crawler.choices`. Unknown keys
are errors, and every error names file, field and value. `loading` merges command-line flags over
the file before validation (`load_job`), `seeds` reads seed lists.
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
from crawler.config.model import Job
from crawler.config.sections.asking import Agent, Fetch
from crawler.config.sections.hosts import HostBlock
from crawler.config.sections.judging import Dedup
from crawler.config.sections.plugins import Plugins, Use
from crawler.config.sections.reach import Scope, Traps
from crawler.config.sections.reading import Extract
from crawler.config.seeds import check_seeds, read_lines, read_seeds

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
