"""A page: what it says, its verdict, what that rests on, and what became of it for the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from crawler.models.fetching import (
    Capture,
    Failure,
    NewUrl,
    Picture,
    SentUrl,
    Skip,
    UrlState,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Metadata:
    """As the page declares it, cut and folded; None where it does not. Nothing is guessed."""

    declared_language: str | None = None
    """Of the html element's `lang`, as a BCP 47 tag; sites often leave a template's value here."""
    published: str | None = None
    """ISO 8601, a date or a time in seconds; with an offset only where the page gives one."""
    modified: str | None = None
    """Of the same form."""
    author: str | None = None
    """Names, joined by `; `."""
    description: str | None = None
    site_name: str | None = None


class Language(NamedTuple):
    """The language of a text, as a detector has it."""

    code: str
    """ISO 639-1 where there is one, else 639-3."""
    score: float
    """What the detector gives for the probability, 0..1."""


class JudgedOn(StrEnum):
    """Which of a page's visible lines the verdict speaks of."""

    TEMPLATE = "template"
    """Those that its site's template holds for text."""
    MAIN = "main"
    """Those that an extractor took for the main text."""
    VISIBLE = "visible"
    """All outside nav, header and footer: extraction covered too little of them."""


TEXT_LINE, BESIDE_LINE, LINK_LINE, SIGN_LINE = "tbls"
"""What a visible line of a page is: text, what stands beside it, a link, or without a word. Where a
page's lines are told in their order, one letter a line, capitals stand for the judged ones."""

FRAME_LINE, HIDDEN_LINE, VALUE_LINE, PICTURE_LINE, EMBED_LINE, DATA_LINE, DRAWN_LINE = "fhvpedw"
NOTATION_LINE = "n"
"""What a page shows or holds apart from its visible lines: a text in its own header or footer, one
that is hidden, values of a form or words of a drawing, a picture (its name, its alternative), what
is embedded or attached, a value of JSON-LD, what an element without text is drawn by; and how a
visible line is written, where its words do not tell that: indented, raised, struck out."""

CODE_NOTATION, MARKUP_NOTATION = "code: ", "markup: "
"""What the notation of a block of code begins with, and that of all tags and scripts of a page;
both end with a digest. Any other begins with the key of the line that it is of."""


def notation_key(text: str) -> str:
    """Return by what a notation names a visible line of this text."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()


TEMPLATE = "template"
PLAIN = "plain"
READ_AS_PDF = "pdf"
"""What read a page's text, beside the engines of `enums.Engine`: its site's template; nothing, as
plain text is its own text; or the reader of PDFs. `Document.read_by`."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All that the judge needs to know of a text; a pure function of (text, settings, version)."""

    text_digest: bytes
    """32 bytes over the text that is kept, NFC and white space folded."""
    visible_digest: bytes
    """32 bytes over the visible text outside nav, header and footer, folded alike: what makes two
    pages exact copies, however they were read."""
    fingerprint: int
    """64-bit SimHash, unsigned."""
    tokens: int
    """Number of features counted with repetition; the measure of 'too short to judge'."""
    shingle_kind: str
    """`word3` or `char4`; texts of different kinds are never compared."""
    shingles: npt.NDArray[np.uint32]
    """Sorted unique shingle hashes, shape (n,)."""
    sketch: bytes
    """Fixed-size summary of `shingles` (`crawler.dedup.signing`)."""
    marks: tuple[npt.NDArray[np.uint8], ...] = ()
    """The mark of each of `shingles`, shape (n,), by every key that the text was signed with: first
    that of the store it may be kept in."""


@dataclass(frozen=True, slots=True)
class Shingles:
    """What is kept of a stored text's shingles (`crawler.dedup.signing`)."""

    hashes: npt.NDArray[np.uint32]
    """Sorted unique hashes, shape (n,)."""
    marks: npt.NDArray[np.uint8] | None = None
    """The mark of each; None for a text stored by a program that did not mark them."""
    key: int = 0
    """Which of the keys that texts are signed with these marks are made by."""
    sketch: bytes | None = None
    """The sketch of a text of which nothing else is kept; then there are no hashes."""

    @classmethod
    def of(cls, text: Signature) -> Shingles:
        """Return what is kept of a text."""
        return cls(text.shingles, text.marks[0] if text.marks else None)


@dataclass(frozen=True, slots=True)
class Document:
    """What one page says; made from bytes in the process pool, no parse tree in it."""

    title: str | None
    text: str
    """The text that is kept, as plain text. Judged are its `judged_on`, which may be more."""
    judged_on: JudgedOn
    charset: str
    """WHATWG name of the encoding that was used."""
    links: tuple[str, ...]
    """Canonical http(s) URLs in page order, unique; frames, meta refresh, rel=canonical too."""
    canonical_url: str | None
    """rel=canonical, canonicalised: a hint, never an identity."""
    refresh: str | None
    """Canonical target of a meta refresh, also in `links`."""
    noindex: bool
    nofollow: bool
    signature: Signature
    stage_s: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds by stage: decode, parse, extract, fingerprint, appearance."""
    layout: bytes | None = None
    """Layout fingerprint (`crawler.dedup.signing`); None: plain text, a PDF."""
    appearance: bytes | None = None
    """What its reader sees, packed (`crawler.dedup.copies`), from which its judged text can be had
    again; None of plain text, which is that text, where siblings are not asked for."""
    read_by: str = PLAIN
    """What found the text that is kept: TEMPLATE, PLAIN or an engine."""
    template: int | None = None
    """Version of the site's template, where that read it."""
    markdown: str | None = None
    """The text that is kept, as Markdown, where the job asks for it."""
    lesson: bytes | None = None
    """What it teaches of its site's template, packed (`extract.templates`); None if it was not
    asked to."""
    look: bytes = b""
    """8 bytes that texts share which differ in digits and white space only, for the trap rule
    (`crawler.dedup.signing`)."""
    line_hashes: bytes = b""
    """Of the lines of its text, where the crawl learns of URLs by them (`dedup.signing`)."""
    metadata: Metadata | None = None
    """What its markup declares, where the job asks for it."""
    language: Language | None = None
    """Of the text that is kept, where the job asks for it and there is enough text."""
    foreign: str | None = None
    """How it is known to be in a language that the job does not want, in words; None where it is in
    one that is wanted, or tells none."""
    outlinks: tuple[str, ...] | None = None
    """The first of `links`, where the job asks for them."""
    doubted: bool = False
    """Whether its site's template left of it the text of another page that shows other things, or
    far less than of its like: it was read without, and is judged on all that is visible."""
    own_digest: bytes | None = None
    """Digest of the text that the crawler itself would keep, where an extractor may have given
    another; as `Signature.text_digest`."""
    extracted_by: str | None = None
    """Which of the job's own extractors said what is kept; None: none of them."""
    extracted: Mapping[str, Any] | None = None
    """The fields that it gave, as plain data."""
    trouble: tuple[tuple[str, str], ...] = ()
    """Of each of the job's own extractors that failed: its name, and what it raised."""
    pages: int | None = None
    """Of a PDF, how many it has."""
    pages_read: int | None = None
    """How many of these were read; fewer of one beyond the bounds of `crawler.extract.pdf`."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where a page leads, and what it asks of robots: all that a copy of a stored page still needs.

    The links of a page that says `nofollow` are listed too: heeding it is the caller's part.
    """

    links: tuple[str, ...] = ()
    noindex: bool = False
    nofollow: bool = False


class ListKind(StrEnum):
    """What a file is that lists URLs."""

    SITEMAP = "sitemap"
    INDEX = "sitemap index"
    FEED = "feed"
    TEXT = "list of URLs"


@dataclass(frozen=True, slots=True)
class Listing:
    """The URLs that a file lists, canonical, each once: pages, or further sitemaps of an index.

    In the order of their `priority`, those of one priority newest first by `lastmod`, as far as
    the file says so; else in the file's own order.
    """

    kind: ListKind
    urls: tuple[str, ...]

    @property
    def is_index(self) -> bool:
        """Whether these are sitemaps and not pages."""
        return self.kind is ListKind.INDEX


@dataclass(frozen=True, slots=True)
class Shell:
    """What a page shows before its scripts run."""

    app: str
    """Of which application it is, by the scripts that it loads; empty: none run."""
    words: int
    """That it shows."""
    leads_on: bool
    """Whether a link of it leads to another page."""
    digest: bytes
    """Of what it shows, SHA-256."""


@dataclass(frozen=True, slots=True)
class PayloadKey:
    """Bytes and how the server told us to read them: equal keys mean equal documents."""

    digest: bytes
    """SHA-256 (32 bytes) or SHA-1 (20 bytes) of the body."""
    declared: str
    """`media/type` or `media/type;charset`: under another charset bytes are another text."""


class ReadPage(NamedTuple):
    """A page that waits for its verdict: a later run concludes on it if this one is killed."""

    url_id: int
    packed: Callable[[], bytes]
    """Gives it as `crawler.engine.engine.unpacked` reads it."""


@dataclass(frozen=True, slots=True)
class StoredRef:
    """A page in `pages.jsonl`."""

    id: int
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a page stands and what its reader sees: evidence for or against a copy."""

    url: str
    appearance: bytes | None = None
    """See `Document.appearance`."""
    layout: bytes | None = None
    canonical_address: int | None = None
    """Key of the address of the page it names as canonical."""


@dataclass(frozen=True, slots=True)
class AddressedPage:
    """A stored page as it is found by its address."""

    id: int
    fingerprint: int
    shingle_kind: str


class VerdictKind(StrEnum):
    """What a verdict is called in files and reports."""

    NEW = "new"
    """Nothing that was seen before is like it."""
    UNJUDGED = "unjudged"
    """Too little text to compare."""
    EXACT_PAYLOAD = "exact-payload"
    """A copy: the same bytes; of a document that is no file, the same text."""
    EXACT_TEXT = "exact-text"
    """A copy: the same words."""
    NEAR = "near"
    """A copy, nearly the same."""
    SIBLING = "sibling"
    """Another page of the same template."""


EXACT_PAYLOAD = VerdictKind.EXACT_PAYLOAD.value
EXACT_TEXT = VerdictKind.EXACT_TEXT.value
NEAR = VerdictKind.NEAR.value
"""What duplicates are called in lines, details and reports: `ExactDuplicate.kind`, and near ones,
dropped (state DUPLICATE) or tagged (state STORED)."""
SIBLING = VerdictKind.SIBLING.value
"""What siblings are called there, stored or dropped."""
RESTORED_SIBLING = "restored-sibling"
"""The detail of a sibling that was dropped and is stored now: unlike other stored siblings it has a
line in duplicates.jsonl, too."""


@dataclass(frozen=True, slots=True)
class New:
    """No stored page is like it. Also every page when the near stage is switched off."""

    reason: str | None = None
    """Why pages that are like it are not told, if they are not: the text is short."""
    represents: bool = True
    """Whether later pages may be near duplicates of it, by their texts."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Too little text to compare; stored, found again by its payload only."""

    reason: str


@dataclass(frozen=True, slots=True)
class ExactDuplicate:
    """`kind` is `exact-payload` (same bytes) or `exact-text` (same text, enough of it)."""

    kind: str
    of: StoredRef


class Evidence(StrEnum):
    """What tells whether a page that is like a stored one is its copy, or a sibling.

    The rules are those of `crawler.dedup.copies.rules`; docs/siblings.md has their reasons.
    """

    CANONICAL = "canonical"
    """One page names the other as the same page (rel=canonical, hreflang), and nothing in title or
    text contradicts that."""
    SAME_ADDRESS = "same-address"
    """The other is an edition of it (version, language, mirror), by what this site's pages have
    proven of their addresses (`crawler.urls.editions`), and names and numbers agree."""
    SAME_TEXT = "same-text"
    """On one site, the stored page shows all that the page shows; or it is the same page in another
    dress, for printing or for phones."""
    RENDITION = "rendition"
    """One of the two is a PDF, the other none, and the stored one shows all that the page shows."""
    REPRINT = "reprint"
    """The same text on another site: neither names nor numbers stand for others."""
    OTHER_TITLE = "other-title"
    OTHER_TEXT = "other-text"
    """Something in the text is only on one of the two."""
    OTHER_SURROUNDINGS = "other-surroundings"
    """Something else that the page shows or holds is not on the stored one: beside the text, in
    header or footer, hidden, a picture, a video."""
    OTHER_NAME = "other-name"
    """What titles or hosts name is called so throughout the text; or another word is, on another
    site."""
    OTHER_NUMBERS = "other-numbers"
    """Numbers stand for others: of an edition, or on another site."""
    UNKNOWN = "unknown"
    """Too little is kept of the stored page to tell."""

    @property
    def is_copy(self) -> bool:
        """Whether this is evidence of a copy; any other is of a sibling."""
        return self in _OF_COPIES


_OF_COPIES = frozenset(
    {
        Evidence.CANONICAL,
        Evidence.SAME_ADDRESS,
        Evidence.SAME_TEXT,
        Evidence.RENDITION,
        Evidence.REPRINT,
    }
)


@dataclass(frozen=True, slots=True)
class _Alike:
    """A page that is like a representative; `similarity` is None in unverified (textbook) mode."""

    of: StoredRef
    """The representative. Of a near duplicate, its id names the cluster."""
    distance: int
    """Hamming distance of the two fingerprints, 0..64."""
    similarity: float | None
    """Exact Jaccard of the two shingle sets, 0..1."""
    fingerprint: int
    of_fingerprint: int
    matched_blocks: tuple[int, ...]
    """Which of the four 16-bit blocks are equal (0 = lowest); may be none beyond distance 3."""
    evidence: Evidence | None = None
    """What made it a copy or a sibling; None where siblings are not asked for."""


@dataclass(frozen=True, slots=True)
class NearDuplicate(_Alike):
    """A copy of a representative, nearly the same; it joins the cluster of that."""


@dataclass(frozen=True, slots=True)
class Sibling(_Alike):
    """Another page of the template of a representative, and a representative itself."""


Verdict = New | Unjudged | ExactDuplicate | NearDuplicate | Sibling


def verdict_name(verdict: Verdict) -> str:
    """Return what a verdict is called in files and reports."""
    match verdict:
        case New():
            return VerdictKind.NEW.value
        case Unjudged():
            return VerdictKind.UNJUDGED.value
        case ExactDuplicate():
            return verdict.kind
        case NearDuplicate():
            return NEAR
        case Sibling():
            return SIBLING


class DuplicateKind(StrEnum):
    """In what a duplicate equals its original: content and layout compared separately.

    The last two are said where one of the pages has no layout.
    """

    SAME_CONTENT_SAME_LAYOUT = "same-content-same-layout"
    SAME_CONTENT_OTHER_LAYOUT = "same-content-other-layout"
    PARTIAL_CONTENT_SAME_LAYOUT = "partial-content-same-layout"
    PARTIAL_CONTENT_OTHER_LAYOUT = "partial-content-other-layout"
    SAME_CONTENT = "same-content"
    PARTIAL_CONTENT = "partial-content"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike a duplicate and its original are."""

    kind: DuplicateKind
    content_similarity: float
    """1 for exact duplicates, else the Jaccard similarity of the shingle sets; 0..1."""
    layout_similarity: float | None
    """Estimated Jaccard similarity of the tag paths, 0..1; None where a page has no layout."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A stored page's row: what the indexes are rebuilt from."""

    id: int
    url_id: int
    url: str
    payload: PayloadKey
    signature: Signature
    representative: bool
    """True where near duplicates may join it."""
    layout: bytes | None = None
    """Layout fingerprint; None for plain text."""
    address: int | None = None
    """Key of its address (`crawler.urls.editions.address_key`)."""
    appearance: bytes | None = None
    """See `Document.appearance`."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A page that was dropped, as it would have been stored, so that it can be had again."""

    line: Mapping[str, Any]
    """Its line for `pages.jsonl`, but for the id."""
    like: bytes
    """The appearance of what it equals or is like, packed: it is kept as a difference from that."""
    appearance: bytes | None = None
    """See `Document.appearance`."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the judge's in-memory indexes need of a stored page when they are rebuilt."""

    id: int
    payload: PayloadKey
    visible_digest: bytes
    fingerprint: int
    tokens: int
    shingle_kind: str
    sketch: bytes
    representative: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of one host's template, as it is kept (`crawler.extract.templates`)."""

    host: str
    """Host key of its pages' final URLs."""
    state: bytes
    """Its learner, packed."""
    version: int | None = None
    """Of the template that reads its pages now; None while there is none."""
    template: bytes | None = None
    """That template, packed."""
    revoked: int = 0
    """How many of its templates were revoked."""

    @property
    def size(self) -> int:
        """How much it takes, packed."""
        return len(self.state) + len(self.template or b"")


class EditionCount(NamedTuple):
    """What pages of a site say of two addresses that differ in one place, as it is kept.

    See `crawler.urls.editions`.
    """

    slot: str
    """Where the addresses differ."""
    one: str
    other: str
    """What stands there in either of them."""
    agree: int
    """Pairs of pages that show the same."""
    against: int
    """Pairs of pages that contradict that."""


class RuleUse(NamedTuple):
    """What came of the URLs that a rule had wait behind others (`crawler.frontier.learning`)."""

    rule: str
    urls: int
    """Of which it said that they bring little or nothing."""
    pending: int
    """Of these, they wait."""
    audits: int
    """They were asked for in their turn, to see whether it is right."""
    late: int
    """They were asked for at the end."""
    wrong: int
    """Of audits and late ones: they brought lines that no page of the site had shown."""


class ArchivedPayload(NamedTuple):
    """The record of an archive that holds a payload: what a revisit of it refers to."""

    url: str
    """Its WARC-Target-URI."""
    date: str | None = None
    """Its WARC-Date; None where no archive is known to hold it."""
    digest: str | None = None
    """Its WARC-Payload-Digest."""


@dataclass(slots=True)
class Totals:
    """What the ends of URLs add up to: what one end adds, or all those of a crawl. By name.

    The state file calls a number by its name, after the field's (`judged-on:main`) but for `sums`.
    """

    sums: dict[str, float] = field(default_factory=dict)
    """`wire_bytes`, `body_bytes`, `duplicate_bytes` (not stored), `analysed` pages, `fetch_s`, how
    many were asked for that rules had `foretold`, their `foretold_bytes` and `foretold_s`, and CPU
    seconds by analysis stage (`Document.stage_s`)."""
    dropped_link: dict[str, float] = field(default_factory=dict)
    """Links refused by the frontier, by reason."""
    over_budget: dict[str, float] = field(default_factory=dict)
    """Links too long for what was left, by the registrable domain of their page."""
    drawn: dict[str, float] = field(default_factory=dict)
    """Bytes that domains drew for long URLs."""
    host_pages: dict[str, float] = field(default_factory=dict)
    host_bytes: dict[str, float] = field(default_factory=dict)
    """What hosts had that have a limit of their own."""
    duplicate_kind: dict[str, float] = field(default_factory=dict)
    """Duplicates, dropped and tagged, by `DuplicateKind`."""
    evidence: dict[str, float] = field(default_factory=dict)
    """Near duplicates and siblings, by `Evidence`."""
    judged_on: dict[str, float] = field(default_factory=dict)
    """Pages, stored or not, by the text they were judged on."""
    read_by: dict[str, float] = field(default_factory=dict)
    """Pages, stored or not, by what read the text that is kept."""
    reason: dict[str, float] = field(default_factory=dict)
    """Stored pages with a reason: too little text."""
    templates: dict[str, float] = field(default_factory=dict)
    """What became of templates: `made`, `audits`, `revoked`; how many audits were `weighed`, their
    `precision` and `recall` summed up; pages `misread` by what was revoked; hosts `doubted` now."""
    rendering: dict[str, float] = field(default_factory=dict)
    """By host, part of it and what is counted (`crawler.sources.web.rendering`): what a browser
    brought, and what it took."""
    revisit: dict[str, float] = field(default_factory=dict)
    """Pages that were visited again, by what was found."""

    def rows(self) -> Iterator[tuple[str, float]]:
        """Yield each number by the name that the state file has for it."""
        for group, prefix in _PREFIXES.items():
            for name, number in getattr(self, group).items():
                yield prefix + name, number

    @classmethod
    def of(cls, rows: Iterable[tuple[str, float]]) -> Self:
        """Return the totals that a state file has; those of a kind that nobody knows are left."""
        found = cls()
        for whole, number in rows:
            group, colon, name = whole.partition(":")
            if not colon:
                found.sums[whole] = number
            elif (known := group.replace("-", "_")) in _PREFIXES:
                getattr(found, known)[name] = number
        return found


_PREFIXES = {
    group.name: "" if group.name == "sums" else f"{group.name.replace('_', '-')}:"
    for group in fields(Totals)
}


@dataclass(slots=True)
class PageOutcome:
    """What became of a URL: one record from its verdict to its commit, for frontier and store.

    It is made once and filled in by what happens to its page until it is handed to the store; all
    of it is written in one transaction, or nothing.
    """

    url_id: int
    state: UrlState
    lines: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """(file name without `.jsonl`, record) pairs; the record must be JSON-serialisable."""
    end: Verdict | Failure | Skip | str = ""
    """The verdict on a page that was judged, or why there is none: as a text, the status of a
    redirect, and what a page is called that was dropped and is stored after all."""
    duplicate_of: int | None = None
    """Number of the page that it equals or is like, if this store has that."""
    original: Mapping[str, Any] | None = None
    """What lines say of that page, wherever it is; its `id` names the cluster, too."""
    likeness: Likeness | None = None
    """Of a duplicate that was compared with its original, and of a sibling that is dropped."""
    payload: PayloadKey | None = None
    """What the bytes of a page that was judged are known by."""
    document: StoredDocument | None = None
    dropped: Dropped | None = None
    """What is kept of a page that is not stored; None where nothing is."""
    learned: Learned | None = None
    """What is known of its host's template, where the page has changed that."""
    editions: tuple[EditionCount, ...] = ()
    """What the page has changed of what its site's addresses mean."""
    new_urls: tuple[NewUrl, ...] = ()
    sent: tuple[SentUrl, ...] = ()
    """URLs that other partitions of the crawl ask for."""
    totals: Totals = field(default_factory=Totals)
    """What it adds to the running totals."""
    captures: tuple[Capture, ...] = ()
    """What an archive keeps of it: its exchanges, the last of which is the URL's own."""
    picture: Picture | None = None
    """What it looks like, where a browser rendered it and the job compares by eye."""
    visual: Mapping[str, Any] | None = None
    """What its lines say of that, and of the stored page that looks most like it."""
    unchanged: ArchivedPayload | None = None
    """Of a page that was visited again and found as it was: what the archive of an earlier
    directory has of it."""
    line_hashes: bytes = b""
    """Of a page that is stored, see `Document.line_hashes`."""
    lesson: bytes | None = None
    """What it taught of its site's URLs, packed (`crawler.frontier.learning`)."""
    look: bytes = b""
    """For the trap rule, that of a page that is stored or in another language (`Document.look`); of
    one that is followed only, something if it led to a page that is to be stored."""

    @property
    def detail(self) -> str:
        """Verdict kind, failure class or skip reason: what the report groups by."""
        end = self.end
        if isinstance(end, str):
            return end.value if isinstance(end, Failure | Skip) else end
        return verdict_name(end)

    def place(self, where: Mapping[str, Any]) -> None:
        """Have all its lines say this as well: in which mirror and archive it lies, and where."""
        self.lines = tuple((file, {**line, **where}) for file, line in self.lines)
        if self.dropped is not None:
            self.dropped = replace(self.dropped, line={**self.dropped.line, **where})

    @property
    def is_page(self) -> bool:
        """Whether it was judged: no redirect, no failure, and not left out otherwise."""
        return self.state is UrlState.STORED or self.state is UrlState.DUPLICATE
