"""What a job chooses between, by name.

Apart from `config`, as flags and the frontier need these names and no pydantic.
"""

from __future__ import annotations

from enum import StrEnum


class ScopeMode(StrEnum):
    """How far from the seeds a crawl may go."""

    HOST = "host"
    """The seeds' host names (and ports)."""
    DOMAIN = "domain"
    """The seeds' registrable domains."""
    PATH = "path"
    """The directories that the seeds lie in: their paths up to the last slash."""
    ANY = "any"


class SitemapUse(StrEnum):
    """Which sitemaps of a site are read; one that is a seed is read in any case."""

    NONE = "none"
    ROBOTS = "robots"
    """Those that its robots.txt names."""
    GUESS = "guess"
    """Those, and `/sitemap.xml` where it names none."""


class BrowserUse(StrEnum):
    """Which pages a browser renders before they are read."""

    NEVER = "never"
    AUTO = "auto"
    """Those of parts of sites whose scripts have been seen to bring text or links."""
    ALWAYS = "always"


class Engine(StrEnum):
    """What reads the text of a page by itself, without knowing others of its site."""

    COMBINED = "combined"
    """trafilatura, together with the lines' own structure: where they stand, and what is linked."""
    LEARNED = "learned"
    """A model over what is seen of each line, that was trained on pages with known text."""
    TRAFILATURA = "trafilatura"
    RESILIPARSE = "resiliparse"
    READABILITY = "readability"
    VISIBLE = "visible"
    """All that is visible outside nav, header and footer."""


class ExportFormat(StrEnum):
    """What an exported corpus is written as."""

    PARQUET = "parquet"
    JSONL = "jsonl.zst"
    PLAIN_JSONL = "jsonl"
    CSV = "csv"
    TEXT = "text"
    DOLMA = "dolma"


class NearMode(StrEnum):
    """What becomes of a near duplicate."""

    DROP = "drop"
    """A line in duplicates.jsonl, nothing else."""
    TAG = "tag"
    """That line, and the page is stored with its verdict as well."""
    KEEP = "keep"
    """The near stage is off: near duplicates are not looked for."""


class SiblingMode(StrEnum):
    """What becomes of a sibling: as like as a near duplicate, but another page."""

    TAG = "tag"
    """It is stored, with its verdict, the page that it is like, and the evidence."""
    DROP = "drop"
    """A line in duplicates.jsonl, nothing else."""
    IGNORE = "ignore"
    """No evidence is asked for: whatever is alike is a near duplicate."""


class FollowDuplicates(StrEnum):
    """What becomes of the links found on a duplicate."""

    DEFER = "defer"
    FOLLOW = "follow"
    IGNORE = "ignore"


class WarcNear(StrEnum):
    """What an archive holds of a duplicate that is not stored and has a body of its own."""

    RESPONSE = "response"
    """Its response, as of any page: a replay is complete."""
    METADATA = "metadata"
    """The evidence for the verdict."""


class Method(StrEnum):
    """How near duplicates are recognised (`crawler.dedup.methods`, docs/accuracy.md)."""

    VERIFIED = "verified"
    """Proposed by SimHash and by sketches, confirmed on exact shingle similarity."""
    SIMHASH = "simhash"
    SIMHASH_IDF = "simhash-idf"
    SIMHASH_NGRAMS = "simhash-ngrams"
    MINHASH = "minhash"
    SUPER_SHINGLES = "super-shingles"
    I_MATCH = "i-match"
    I_MATCH_RANDOM = "i-match-random"
    EXACT = "exact"


ALWAYS_VERIFIED = frozenset({Method.VERIFIED, Method.EXACT})
LEXICON_METHODS = frozenset({Method.I_MATCH, Method.I_MATCH_RANDOM})


class Written(StrEnum):
    """What `dedup` writes beside its own lines, a file for each file that it read."""

    ROWS = "rows"
    """What is kept, as it came, with columns that tell the verdict."""
    ALL = "all"
    """The same of every document."""
    IDS = "ids"
    """The ids of what is kept."""
    FLAGS = "flags"
    """For each document whether it is kept."""


class IndexDesign(StrEnum):
    """How near fingerprints are found (docs/index-designs.md); verdicts do not depend on it."""

    BLOCKS = "blocks"
    """Hash tables, one a block of 16 bits."""
    TABLES = "tables"
    """Permuted sorted tables."""


class PayloadHash(StrEnum):
    """How bodies are digested."""

    SHA256 = "sha256"
    SHA1 = "sha1"
