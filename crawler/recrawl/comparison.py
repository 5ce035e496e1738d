"""What has changed of a page: its bytes, what surrounds its text, or the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a visit found; docs/recrawl.md tells each."""

    NOT_MODIFIED = "not-modified"
    """The server says so (RFC 9110 15.4.5): the `server-not-modified` of WARC 1.1, 6.7.3."""
    UNCHANGED = "unchanged"
    """The same bytes: its `identical-payload-digest`."""
    MARKUP = "markup"
    """Other bytes, and all that is visible outside nav, header and footer is the same."""
    SURROUNDINGS = "surroundings"
    """The same text, and other visible things around it: the site's template, a list, a date."""
    TEXT = "text"
    DUPLICATE = "duplicate"
    """It has the bytes of another page of this directory now."""
    BACK = "back"
    """It was gone, or redirected, and is there again."""
    REDIRECTED = "redirected"
    GONE = "gone"
    """404, 410, or a redirect to the home page of a host."""
    EXCLUDED = "excluded"
    """robots.txt, its type or size, or what it asks for itself keep it out now."""
    FAILED = "failed"
    """Nothing was learned of it."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was found of a page that was read."""

    kind: Kind
    payload_digest: str | None = None
    text_digest: str | None = None
    visible_digest: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    similarity: float | None = None
    """Jaccard of the shingles of both judged texts, 0..1; None where they were not read alike."""
    characters_added: int | None = None
    characters_removed: int | None = None
    """Of lines of the text that kept is; None where the text that it had is not kept."""


def characters(before: str, now: str) -> tuple[int, int]:
    """Return how many characters of lines were added and removed between two texts.

    Lines are compared as a bag, in linear time: a line that moved is no change, and of one in which
    a word differs, all counts on both sides.
    """
    old, new = Counter(before.splitlines()), Counter(now.splitlines())
    return _length(new - old), _length(old - new)


def _length(lines: Counter[str]) -> int:
    return sum(len(line) * number for line, number in lines.items())
