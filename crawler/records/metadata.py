"""What is known of a text beside itself: its language, and when, by whom and where it was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
