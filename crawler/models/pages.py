"""What a page says: its text, metadata and signature, and what its reader sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

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

FRAME_LINE, HIDDEN_LINE, VALUE_LINE, PICTURE_LINE, EMBED_LINE, DATA_LINE = "fhvped"
"""What a page shows or holds apart from its visible lines: a text in its own header or footer, one
that is hidden, values of a form or words of a drawing, a picture (its name, its alternative), what
is embedded or attached, a value of JSON-LD."""

TEMPLATE = "template"
PLAIN = "plain"
"""What read a page's text, beside the engines of `enums.Engine`: its site's template, or
nothing, as plain text is its own text. `Document.read_by`."""


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
    """Layout fingerprint (`crawler.dedup.signing`); None for plain text, which has none."""
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


@dataclass(frozen=True, slots=True)
class PayloadKey:
    """Bytes and how the server told us to read them: equal keys mean equal documents."""

    digest: bytes
    """SHA-256 (32 bytes) or SHA-1 (20 bytes) of the body."""
    declared: str
    """`media/type` or `media/type;charset`: under another charset bytes are another text."""


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
