"""Chinese words: jieba's tokens of Han runs, by rjieba (the same in Rust) where it is installed.

Loading a dictionary takes up to a second and some 100 MB; it happens in `load_segmenter`, once a
process, and leaves nothing behind: no log lines, no cache file.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import warnings
from collections.abc import Callable, Sequence

Segmenter = Callable[[str], Sequence[str]]
"""Cuts a text into words. Only Han runs may be given, apart by new-lines: on mixed runs such as
`stdio.h` the two implementations differ, on Han runs they do not."""


def load_segmenter() -> Segmenter:
    """Return rjieba's segmenter if that is installed, else jieba's."""
    return load_rjieba() if importlib.util.find_spec("rjieba") else load_jieba()


def load_rjieba() -> Segmenter:
    """Return rjieba's segmenter; ImportError where it is not installed."""
    segmenter: Segmenter = importlib.import_module("rjieba").cut
    return segmenter


def load_jieba() -> Segmenter:
    """Return jieba's segmenter, loaded from its dictionary.

    jieba would otherwise trust, or write, `jieba.cache` in the shared temporary directory, where
    any user of the machine may have put another dictionary; so that step is gone round.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources in jieba 0.42
        jieba = importlib.import_module("jieba")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    segmenter: Segmenter = tokenizer.lcut
    return segmenter
