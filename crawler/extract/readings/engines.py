"""The readers of single pages that a job chooses between, and what none of them is called for.

An engine gives the main text of a page as plain text; which visible lines that is, `alignment`
finds. Packages are loaded by the processes that read pages, as they warm up: the crawl's own
process names these functions and never calls them.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from importlib.metadata import version

from crawler.choices import Engine
from crawler.errors import ConfigError
from crawler.extract.lines.visible import text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings.main_text import main_text
from crawler.extract.text import clean

MOST_CHARACTERS = 5_000_000
"""Of a page's markup; longer ones are read by what is visible. trafilatura takes a second of CPU
for a million characters of paragraphs, readability half of one, and resiliparse two where they are
nested 500 deep, the most that `bounds` leaves (quadratic in depth: 20,000 elements would take
minutes). So no engine takes much more than 10 s for what is plain, of the 30 s that a page has."""

_PACKAGES: Mapping[Engine, str] = {
    Engine.RESILIPARSE: "resiliparse",
    Engine.READABILITY: "readability",
}
"""Of engines that are not always installed."""

_DISTRIBUTIONS: Mapping[Engine, str] = {
    Engine.COMBINED: "trafilatura",
    Engine.TRAFILATURA: "trafilatura",
    Engine.RESILIPARSE: "resiliparse",
    Engine.READABILITY: "readability-lxml",
}
"""Of engines that find a main text: what is installed for them."""

EXTRA = "engines"
"""The extra that holds them (pyproject.toml)."""


def check_engine(engine: Engine) -> None:
    """Raise ConfigError where the engine's package is not installed."""
    package = _PACKAGES.get(engine)
    if package is not None and importlib.util.find_spec(package) is None:
        raise ConfigError(
            f"extract.engine: {engine.value} is not installed: pip install '.[{EXTRA}]', or choose "
            f"{Engine.COMBINED.value}, {Engine.TRAFILATURA.value} or {Engine.VISIBLE.value}"
        )


def extractor(engine: Engine) -> str:
    """Return what finds the main text on which pages are judged, with its version.

    Raises ConfigError where the engine's package is not installed.
    """
    check_engine(engine)
    package = _DISTRIBUTIONS.get(engine)
    return engine.value if package is None else f"{package} {version(package)}"


def engine_text(engine: Engine, html: str) -> str:
    """Return a page's main text as plain text; empty if the engine finds none.

    `html` is within bounds (`bounded`). Pages over `MOST_CHARACTERS` have none.
    """
    if len(html) > MOST_CHARACTERS:
        return ""
    return _TEXTS[engine](html)


def _resiliparse(html: str) -> str:
    """Rules over a Lexbor tree, as used on Common Crawl (Bevendorff et al., ECIR 2018)."""
    plain = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    text: str = plain(clean(html), main_content=True, alt_texts=False, links=False)
    return clean(text)


def _readability(html: str) -> str:
    """Mozilla's Readability in Python: the article as HTML, read as we read visible text."""
    package = importlib.import_module("readability")
    try:
        article: str = package.Document(clean(html)).summary()
    except Exception:  # `Unparseable` and what lxml raises: no text was found
        return ""
    return text_of(visible_lines(parse(article, "text/html")))


_TEXTS: Mapping[Engine, Callable[[str], str]] = {
    Engine.COMBINED: main_text,
    Engine.TRAFILATURA: main_text,
    Engine.RESILIPARSE: _resiliparse,
    Engine.READABILITY: _readability,
    Engine.VISIBLE: lambda html: "",
}
