"""The job: everything a user may decide, as one validated, frozen model.

A YAML job file is `job`, section by section; its choices are `crawler.models.enums`. Unknown keys
are errors, and every error names its source, field and value. `loading` merges environment and
flags over the file before validation (`validated`), `seeds` reads seed lists.
"""

from crawler.config.job import (
    ALL_HOSTS,
    Agent,
    Dedup,
    Extract,
    Fetch,
    HostBlock,
    Job,
    Plugins,
    Politeness,
    Scope,
    Use,
)
from crawler.config.loading import (
    COMMAND_LINE,
    Source,
    keys_like,
    keys_of,
    load_job,
    merge,
    parse_job,
    validated,
)
from crawler.config.seeds import check_seeds, read_lines, read_seeds
from crawler.models.enums import (
    LEXICON_METHODS,
    Engine,
    Method,
    NearMode,
    SiblingMode,
)

__all__ = [
    "ALL_HOSTS",
    "COMMAND_LINE",
    "LEXICON_METHODS",
    "Agent",
    "Dedup",
    "Engine",
    "Extract",
    "Fetch",
    "HostBlock",
    "Job",
    "Method",
    "NearMode",
    "Plugins",
    "Politeness",
    "Scope",
    "SiblingMode",
    "Source",
    "Use",
    "check_seeds",
    "keys_like",
    "keys_of",
    "load_job",
    "merge",
    "parse_job",
    "read_lines",
    "read_seeds",
    "validated",
]
