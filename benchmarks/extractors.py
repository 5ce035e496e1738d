"""Ways to a page's text: ours, and other people's packages, each where installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from crawler.extract.lines import Line, text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import engine_text, judged_on
from crawler.extract.text import clean, word_characters
from crawler.models import JudgedOn
from crawler.models.enums import Engine

Extractor = Callable[[str], str]
"""HTML in, text out."""

Choice = Callable[[str, Sequence[Line]], str]
"""(main text, visible lines) -> the text that is judged."""


def judged(main: str, lines: Sequence[Line]) -> str:
    """Return the text that the crawler judges a page by."""
    return main if judged_on(main, lines) is JudgedOn.MAIN else text_of(lines)


def main_from(share: float) -> Choice:
    """Return the obvious rule: main text where it has that share of the visible characters."""

    def choose(main: str, lines: Sequence[Line]) -> str:
        visible = text_of(lines)
        enough = len(word_characters(main)) >= share * len(word_characters(visible))
        return main if enough else visible

    return choose


CHOICES: Mapping[str, Choice] = {
    "main text always (trafilatura)": lambda main, lines: main,
    "visible text always (selectolax)": lambda main, lines: text_of(lines),
    "main if >= 50 % of the visible": main_from(0.5),
    "main if >= 90 % of the visible": main_from(0.9),
    "the rule": judged,
}


def visible(html: str) -> list[Line]:
    """Return a page's visible lines."""
    return visible_lines(parse(html, "text/html"))


def peers() -> dict[str, Extractor]:
    """Return the extractors of other packages that are installed, by name."""
    known: Mapping[str, tuple[str, Callable[[], Extractor]]] = {
        "readability-lxml": ("readability", lambda: partial(engine_text, Engine.READABILITY)),
        "resiliparse": ("resiliparse", lambda: partial(engine_text, Engine.RESILIPARSE)),
        "jusText": ("justext", lambda: _justext(importlib.import_module("justext"))),
    }
    return {
        name: make() for name, (package, make) in known.items() if importlib.util.find_spec(package)
    }


def _justext(package: Any) -> Extractor:
    """Paragraphs by link density and stop words; Chinese has no list, so it goes without one."""
    english = package.get_stoplist("English")

    def extract(html: str) -> str:
        is_english = "的" not in html
        flags = {} if is_english else {"stopwords_low": 0.0, "stopwords_high": 0.0}
        stop_words = english if is_english else frozenset()
        try:
            paragraphs = package.justext(clean(html).encode(), stop_words, **flags)
        except Exception:  # what lxml raises for a page without a tree
            return ""
        return "\n".join(part.text for part in paragraphs if not part.is_boilerplate)

    return extract
