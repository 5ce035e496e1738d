"""What the codes of a report mean, in a few words: for its tables and for its page."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.models import DuplicateKind, Evidence
from crawler.units import counted


@dataclass(frozen=True, slots=True)
class Words:
    """What a report calls the things that it counts, in the singular; an `s` makes the plural."""

    page: str
    url: str
    """What ends: each is seen, and accounted for."""
    host: str
    """What pages lie on."""
    address: str
    """What a page is found by."""
    stored: str
    """What became of a page that is no copy."""


OF_A_CRAWL = Words("page", "URL", "host", "URL", "stored")
OF_A_CORPUS = Words("document", "document", "file", "name", "kept")


def ran(seconds: float, runs: int, digits: int = 1) -> str:
    """Return how long all runs took together."""
    return f"{seconds:,.{digits}f} s in {counted(runs, 'run')}"


KINDS = (
    (DuplicateKind.SAME_CONTENT_SAME_LAYOUT, "same", "same"),
    (DuplicateKind.SAME_CONTENT_OTHER_LAYOUT, "same", "other"),
    (DuplicateKind.SAME_CONTENT, "same", "none"),
    (DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, "partly the same", "same"),
    (DuplicateKind.PARTIAL_CONTENT_OTHER_LAYOUT, "partly the same", "other"),
    (DuplicateKind.PARTIAL_CONTENT, "partly the same", "none"),
)
"""Kind, its content, its layout; the most alike first."""

JUDGED_ON = {
    "template": ("site's template", "what the crawl learned of the page's site"),
    "main": ("main text", "extraction found the content, or the page is plain text"),
    "visible": ("visible text", "neither template nor extraction could be trusted"),
    "bytes": ("bytes alone", "same bytes as a stored page, not read"),
}

EVIDENCE = {
    Evidence.CANONICAL: "a page names the other as the same (rel=canonical, hreflang)",
    Evidence.SAME_ADDRESS: "another edition, as pages of the site have proven",
    Evidence.SAME_TEXT: "the stored page shows all that it shows",
    Evidence.RENDITION: "the same as PDF and as a page",
    Evidence.REPRINT: "the same text on another host",
    Evidence.OTHER_TITLE: "another title",
    Evidence.OTHER_TEXT: "other words in the text",
    Evidence.OTHER_NAME: "another name throughout the text",
    Evidence.OTHER_NUMBERS: "other numbers in lines that are alike",
    Evidence.OTHER_SURROUNDINGS: "other things beside the text: header or footer, facts, pictures",
    Evidence.UNKNOWN: "too little is kept of the stored page to tell",
}
"""What each evidence means, in a few words."""

TOO_LITTLE = {
    "short": (
        "short",
        "stored; no siblings of it are told: dedup.min_near_tokens",
    ),
    "too-short": ("too short", "stored, compared by their bytes only: dedup.min_tokens"),
    "no-text": ("no text", "stored, compared by their bytes only"),
}
"""Name in the summary -> what the report calls it and says of it."""


def misread(pages: int) -> str:
    """Return what became of pages that a wrong template read."""
    told = f"{counted(pages, 'page')} {'was' if pages == 1 else 'were'}"
    return f"{told} read by a template that was found wrong and given up later"


_WAYS_OUT = (
    (
        "dns connect timeout-connect",
        "DNS says that there is no such name, or no address; nothing listens; no answer",
        "check your resolver, your firewall and fetch.dns_timeout_s; otherwise the host is gone",
    ),
    (
        "tls",
        "the certificate or the handshake is bad",
        "check your clock and CA certificates; otherwise nothing",
    ),
    (
        "timeout-headers timeout-body",
        "connected, then no data",
        "raise fetch.headers_timeout_s or fetch.read_timeout_s; if the host is overloaded, "
        "raise politeness.delay_s",
    ),
    (
        "disconnected truncated-body protocol-error content-encoding",
        "the response broke off, is not valid HTTP, or its compression cannot be undone",
        "nothing; if it happens with all hosts at once, check your connection and any proxy",
    ),
    (
        "http-4xx http-unexpected-status",
        "refused or not found",
        "many 401 and 403 mean that the site does not want this crawler",
    ),
    (
        "http-429 http-5xx",
        "this page answered so each time, while others of its host did not",
        "raise politeness.delay_s, lower politeness.per_host",
    ),
    (
        "redirect-loop redirect-invalid",
        "the redirect leads to no page",
        "nothing",
    ),
    (
        "blocked-address",
        "the name or redirect leads into a private network",
        "fetch.allow_addresses, if that network is yours",
    ),
    (
        "host-unreachable",
        "the host never answered for politeness.dead_after_s, so all its URLs were given up",
        "retry later",
    ),
    (
        "analysis-timeout analysis-crash analysis-error",
        "this page exceeded the time limit of its analysis process, ended the process or "
        "raised an error. A page is first tried again if its process was killed from outside "
        "or got no CPU time. After other bad pages of its domain a page has less time; the "
        "line says so: no answer within 15 s, not 30",
        "a few are normal; otherwise check analysis.timeout_s, analysis.memory_bytes and the "
        "memory of the machine. What had less time than the job gives: retry",
    ),
    (
        "render",
        "a browser broke on this page, hung, or the page's own host did not answer what its "
        "scripts asked for",
        "retry later; the memory of the machine; a higher browser.timeout_s",
    ),
    (
        "pdf-encrypted pdf-broken",
        "a PDF that opens with a password only; one that is damaged, or none",
        "nothing",
    ),
    (
        "internal-error",
        "the crawler itself went wrong with this page; all others went on",
        "report the traceback on stderr; once mended, retry DIR --class internal-error",
    ),
    (
        "robots",
        "robots.txt forbids it",
        "nothing: the site asks for this; on your own servers politeness.robots: false",
    ),
    (
        "robots-unreachable",
        "robots.txt could never be read in politeness.dead_after_s, over all runs, so nothing"
        " may be fetched",
        "retry DIR --class robots-unreachable later",
    ),
    (
        "sitemap",
        "a list of pages, read for what it lists",
        "nothing",
    ),
    (
        "noindex",
        "the page asks not to be kept; its links are followed",
        "nothing",
    ),
    (
        "content-type",
        "neither HTML nor plain text, nor a PDF where extract.pdf asks for these",
        "use scope.exclude to request fewer of them",
    ),
    (
        "too-large",
        "larger than fetch.max_wire_bytes, or than fetch.max_body_bytes when decompressed",
        "raise these limits if you want such pages",
    ),
    (
        "no-content",
        "the request succeeded but there is no page: 204, 205, an empty body",
        "nothing",
    ),
    (
        "follow-only",
        "scope.follow_only asks for its links alone; they are followed",
        "nothing; without the pattern, retry DIR --class follow-only",
    ),
    (
        "language",
        "in none of scope.languages; its links are followed",
        "nothing; with more languages, retry DIR --class language",
    ),
    (
        "unchanged",
        "a recrawl found what an earlier directory has",
        "nothing",
    ),
    (
        "out-of-scope",
        "queued before the job's scope was narrowed",
        "nothing; a wider scope at a resume brings them back",
    ),
)
"""Failure classes and reasons of skipping, what they mean, and what to do if there are many; the
tables of docs/operations.md, word by word."""

WAYS_OUT = {name: (meaning, way) for names, meaning, way in _WAYS_OUT for name in names.split()}
"""Failure class, or reason of skipping -> what it means, and what to do if there are many."""
