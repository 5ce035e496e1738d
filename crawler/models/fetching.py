"""URLs on their way: the states of a seen one, a task to fetch it, and what the fetch ended as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple

PDF = "application/pdf"
"""A page where a job says so (`extract.pdf`)."""
PDF_MARK = b"%PDF-"
"""What a PDF begins with (WHATWG MIME Sniffing 7.1)."""

SNIFF_BYTES = 1445
"""The resource header a browser looks at, to sniff a type (WHATWG MIME Sniffing 5.2)."""
BINARY_BYTES = bytes({*range(0x20)} - {*b"\t\n\f\r\x1b"})
"""Binary data bytes (WHATWG MIME Sniffing 3)."""
_BINARY_SHARE = 0.02
"""A stray control character does not make a page binary; of random bytes a tenth are such."""
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

_PICTURES = (b"\x89PNG", b"\xff\xd8\xff")
"""How pictures begin whose first bytes have no binary data byte among them (MIME Sniffing, 6.1)."""


def is_binary(body: bytes) -> bool:
    """Whether a body is no text in any encoding, by its beginning.

    Text has next to no binary data bytes, but for UTF-16 and UTF-32: these begin with a byte order
    mark, or hold zeros in turn with text.
    """
    head = body[:SNIFF_BYTES]
    if len(head) - len(head.translate(None, BINARY_BYTES)) <= _BINARY_SHARE * len(head):
        return head.startswith(_PICTURES)
    zeros, others = sorted((head[::2].count(0), head[1::2].count(0)), reverse=True)
    is_wide = 4 * zeros > len(head) and 20 * others < len(head)
    return not (is_wide or head.startswith(_WIDE_BOMS))


class UrlState(IntEnum):
    """Where a seen URL stands; every URL is in exactly one state (the accounting identity)."""

    PENDING = 0
    STORED = 1
    DUPLICATE = 2
    REDIRECT = 3
    FAILED = 4
    SKIPPED = 5


class Priority(IntEnum):
    """What is taken first from a host's queue, before depth."""

    SITEMAP = -1
    """A file that lists pages (sitemaps.org)."""
    ORDINARY = 0
    DEFERRED = 1
    """Links found on a duplicate: they may lead to new pages, but rarely do."""
    SELDOM = 2
    RARE = 3
    PREDICTED = 4
    """What verdicts on its site foretell of a URL (`crawler.frontier.learning`): that it brings
    something seldom, rarely, or is a predicted duplicate, which brings nothing."""


class Reputation(NamedTuple):
    """What a host's answers are worth where places are short."""

    answers: int
    """Since it last stalled; 0 for a stranger, which has not proved itself."""
    gave_way: int
    """How often in a row its requests were broken off in favour of others."""

    @property
    def is_strange(self) -> bool:
        """Whether it has not proved itself."""
        return not self.answers


@dataclass(frozen=True, slots=True)
class NewUrl:
    """A URL seen for the first time, on its way into the store."""

    url_id: int
    url: str
    host: str
    depth: int
    priority: Priority
    hops: int
    referrer_id: int | None
    seed: bool = False


class SentUrl(NamedTuple):
    """A URL that another partition of the crawl asks for, on its way there."""

    partition: int
    url: str
    depth: int
    priority: Priority
    hops: int
    seed: bool
    via: str | None
    """The host key of the page that led to it."""


class Predicted(NamedTuple):
    """A URL that waits behind those that may bring more, as it is kept."""

    url_id: int
    priority: Priority
    """Where it waits now."""
    before: Priority
    rule: str
    """By which it is expected to bring little or nothing."""
    like: int | None
    """The stored page that it is expected to be."""
    audit: bool = False
    """It keeps its place all the same, to see whether the rule is right."""
    first: bool = False
    """The first one by this rule, or since it was revoked."""


class Released(NamedTuple):
    """What a rule had postponed has its place again."""

    rule: str


class Mirrored(NamedTuple):
    """What is known of a host or folder that shows, page by page, what another one shows."""

    of: str
    """That one, by its name (`crawler.urls.editions.Tree`)."""
    agree: float
    """The share of the paths compared so far at which both led to one page."""
    pages: int
    """How many were compared: those at which both led to a page that was still remembered."""


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server said a representation is known by (RFC 9110 8.8), as it was sent."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class FetchTask:
    """One URL to fetch. `url` is canonical; `host` its host key (`crawler.urls.host_key`)."""

    url_id: int
    url: str
    host: str
    depth: int
    priority: Priority = Priority.ORDINARY
    hops: int = 0
    """Redirects that led here, counted from the last link or seed."""
    referrer: str | None = None
    attempt: int = 0
    """Attempts already made; not kept across a resume."""
    refused: int = 0
    """How often it was answered by 429, which is no attempt."""
    seed: bool = False
    """A seed, or where a seed's own redirects led: its redirect widens the scope."""
    validators: Validators | None = None
    """Those of the page as it was read last: it is asked for if it has changed since."""
    rule: str | None = None
    """By which it waits behind those that may bring more (`Predicted`)."""


class Failure(StrEnum):
    """Why a URL has no page. `crawler.frontier.failures` says what is retried and how often."""

    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT_CONNECT = "timeout-connect"
    TIMEOUT_HEADERS = "timeout-headers"
    TIMEOUT_BODY = "timeout-body"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol-error"
    TRUNCATED = "truncated-body"
    CONTENT_ENCODING = "content-encoding"
    HTTP_CLIENT_ERROR = "http-4xx"
    HTTP_SERVER_ERROR = "http-5xx"
    HTTP_RATE_LIMITED = "http-429"
    HTTP_UNEXPECTED = "http-unexpected-status"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_INVALID = "redirect-invalid"
    BLOCKED_ADDRESS = "blocked-address"
    HOST_UNREACHABLE = "host-unreachable"
    """The host was given up on after repeated failures; the URL itself was not tried."""
    ANALYSIS_TIMEOUT = "analysis-timeout"
    ANALYSIS_CRASH = "analysis-crash"
    ANALYSIS_ERROR = "analysis-error"
    RENDER = "render"
    """A browser did not come to an end with the page, or broke off."""
    PDF_ENCRYPTED = "pdf-encrypted"
    """It opens with a password only."""
    PDF_BROKEN = "pdf-broken"
    """It cannot be opened, or is none."""
    INTERNAL_ERROR = "internal-error"
    """The crawler itself went wrong with this one URL; the log has the traceback."""


class Obstacle(StrEnum):
    """What keeps a URL from being asked, and says nothing of it: it stays pending."""

    MACHINE = "machine"
    """This machine is short of something, or stood still."""
    NETWORK = "network"
    """No answer from DNS just now, or none from anybody: it may be the way there."""
    CROWD = "crowd"
    """It kept the crawl waiting while others needed its place."""


class Skip(StrEnum):
    """Why a seen URL was left out on purpose."""

    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots-unreachable"
    NOINDEX = "noindex"
    CONTENT_TYPE = "content-type"
    TOO_LARGE = "too-large"
    NO_CONTENT = "no-content"
    SITEMAP = "sitemap"
    """It lists pages, and is none."""
    FOLLOW_ONLY = "follow-only"
    """A page that the job wants for its links alone."""
    LANGUAGE = "language"
    """A page in a language that the job does not want."""
    UNCHANGED = "unchanged"
    """A page that was visited again and says what it said: an earlier directory has its text."""
    OUT_OF_SCOPE = "out-of-scope"
    """Seen under an earlier scope; the job now excludes it."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One exchange with a server as an archive keeps it; made only where a job wants archives."""

    url: str
    """As it was asked: canonical, but for what a redirect in place added."""
    target: str
    """What stood in the request line: path and query."""
    at: float
    """When the request was made."""
    address: str | None
    """IP address of the server; None where it was not known any more."""
    request: tuple[tuple[str, str], ...]
    """Fields of the request, as and in the order sent."""
    version: str
    """Of HTTP in the response, e.g. `1.1`."""
    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...]
    """Fields of the response in the order sent, repeated ones too; values without outer spaces."""
    body: bytes = b""
    """Content- and Transfer-Encoding already removed; that of a page is `Fetched.body` itself."""
    truncated: str | None = None
    """Why the body is not whole, in the words of WARC-Truncated (WARC/1.1 5.13)."""
    rendered: bytes | None = None
    """The page that a browser made of it, as UTF-8."""
    route: str = ""
    """The fragment by which that page is known, with its sign; of others empty."""


class Picture(NamedTuple):
    """What a page looks like (`crawler.dedup.pictures`)."""

    average: int
    difference: int
    """Hashes of 64 bits, unsigned."""
    image: bytes = b""
    """A small one, as JPEG."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """How a browser made a page of what a server had answered."""

    plain_digest: str
    """Of what that answer shows by itself, as lines have digests."""
    requests: int
    """To servers, beside the page's own: scripts, and the data that they asked for."""
    bytes: int
    """Of their bodies, as they travelled."""
    seconds: float
    settled: bool
    """Whether it had stopped changing; else it was taken as it was when its time was over."""
    overlay: str | None = None
    """What covers it: the begin of the words of a dialog, of consent or login for instance."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete body of an acceptable type."""

    task: FetchTask
    final_url: str
    """Differs from `task.url` only where a redirect was followed in place (cookie, slash)."""
    status: int
    media_type: str
    """Lower-case essence of Content-Type, e.g. `text/html`."""
    charset: str | None
    """The charset the server declared, as sent, lower-case; None where it declared none."""
    headers: Mapping[str, str]
    """Lower-case names, only those in `crawler.fetch.response.KEPT_HEADERS`."""
    body: bytes
    """Content-Encoding already removed."""
    wire_bytes: int
    """Body bytes as they travelled, before decompression."""
    fetched_at: float
    elapsed_s: float
    asked_headers: Mapping[str, str] | None = None
    """Those that the job asks for by name, lower-case; None where it asks for none."""
    unknown_encoding: str | None = None
    """A Content-Encoding with a coding that nobody knows, as sent: the body was taken as it is."""
    captures: tuple[Capture, ...] = ()
    """Its exchanges for the archive, if there is to be one: what a browser asked for beside it,
    redirects in place, then the page."""
    rendered: Rendered | None = None
    """Where a browser made the body of the one that was sent: `wire_bytes` are of all together."""
    picture: Picture | None = None
    """Of a rendered page, where the job compares by eye."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """A redirect to another page; `target` is absolute and still to be offered to the frontier."""

    task: FetchTask
    status: int
    target: str
    fetched_at: float
    then: FetchOutcome | None = None
    """What came of the target, where it was asked within the same fetch. The task in it has no
    number yet (`url_id` is 0)."""
    captures: tuple[Capture, ...] = ()
    """As of `Fetched`; the last one is the redirect."""

    @property
    def last(self) -> FetchOutcome:
        """What came of the page that was asked last in this fetch."""
        outcome: FetchOutcome = self
        while isinstance(outcome, Redirected) and outcome.then is not None:
            outcome = outcome.then
        return outcome


@dataclass(frozen=True, slots=True)
class Skipped:
    """Left out on purpose."""

    task: FetchTask
    reason: Skip
    detail: str
    fetched_at: float
    captures: tuple[Capture, ...] = ()
    """As of `Fetched`; only of a page that has not changed since it was archived."""


@dataclass(frozen=True, slots=True)
class Failed:
    """No page, and why. `retry_after_s` is what the server asked for, if it did."""

    task: FetchTask
    failure: Failure
    detail: str
    fetched_at: float
    status: int | None = None
    retry_after_s: float | None = None
    captures: tuple[Capture, ...] = ()
    """As of `Fetched`; none where no response began."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """Nothing was learned of the URL: it stays pending and is asked for again, uncounted."""

    task: FetchTask
    obstacle: Obstacle
    detail: str
    fetched_at: float


FetchOutcome = Fetched | Redirected | Skipped | Failed | Postponed


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What came of asking for an origin's robots.txt; one request at most was sent.

    The rules are known, the file could not be read (`failure`), both where older rules are held, it
    has `moved_to` another host, or nothing is known of it yet (`postponed`).
    """

    requested: bool
    """A request was sent just now: not from the cache, not for want of an address."""
    known: bool = False
    """Whether there are rules to go by."""
    expires_at: float = 0.0
    """Reading of the crawl's clock until which fresh rules stand."""
    crawl_delay_s: float | None = None
    """The rules' Crawl-delay, at most `politeness.max_crawl_delay_s`."""
    failure: Failed | None = None
    """Why the file could not be read; its task stands for /robots.txt itself and is nobody's."""
    postponed: Postponed | None = None
    """Why it could not be asked for; the same holds for its task."""
    moved_to: str | None = None
    """Host key of where the file was redirected to: to be asked again when that host may be."""
    moved_to_url: str | None = None
    """Where there."""
    moved_to_delay_s: float | None = None
    """That host's own Crawl-delay, where its rules are known; bounded as the other."""


@dataclass(frozen=True, slots=True)
class KeptRules:
    """What a robots.txt said when it could be read, for the time when it cannot."""

    packed: bytes
    """The groups that speak to us, in the form of `crawler.fetch.robots_cache`."""
    agent: str
    """Product token that they were read for."""
    crawl_delay_s: float | None
