"""Folding on request: traditional Chinese to simplified, full-width forms to ordinary ones.

Off by default. Characters are replaced one phrase at a time by OpenCC (configuration `t2s`), which
knows which of several simplified characters a phrase asks for; NFKC folds full-width letters,
digits and punctuation. Features fold those always; shingles do so only here, because by the
definition of similarity that verdicts are measured by, `２０２４` and `2024` are different words.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from crawler import config
from crawler.errors import ConfigError
from crawler.normal_forms import normalised

Folder = Callable[[str], str]

PACKAGE = "opencc"


def load_folder(settings: config.Dedup) -> Folder | None:
    """Return what is done to a text before it is compared, or None for nothing.

    Raises ConfigError where folding is asked for and OpenCC is not installed.
    """
    if not settings.fold_chinese:
        return None
    check_folding(settings)
    convert: Folder = importlib.import_module(PACKAGE).OpenCC("t2s").convert
    return lambda text: convert(normalised("NFKC", text))


def check_folding(settings: config.Dedup) -> None:
    """Raise ConfigError where folding is asked for and OpenCC is not installed."""
    if settings.fold_chinese and importlib.util.find_spec(PACKAGE) is None:
        raise ConfigError(
            "dedup.fold_chinese: needs OpenCC, which is not installed: pip install opencc"
        )
