"""Other people's packages as contestants: datasketch, rensa, simhash, each where installed.

All are given the same features, the shingles by which truth is defined (word 3-grams, or character
4-grams where a text is Chinese), as strings, and are asked inline: query, then insert what is kept.
Memory is what Python allocated while the index was filled (tracemalloc, in a run of its own over
the first texts); of rensa, which allocates in Rust, nothing is known.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import logging
import re
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.contestants import Contestant, Decisions, Result
from crawler.dedup import signing

PERMUTATIONS = 128
RENSA_BANDS = 16
SIMHASH_DISTANCE = 3
TRACED_TEXTS = 150
_SIMHASH_WORDS = re.compile(r"[\w\u4e00-\u9fcc]+")

Features = set[str]
Inline = Callable[[Sequence[str]], tuple[Decisions, object]]
"""Texts in; decisions, and the index that must stay alive while its memory is measured."""


def peers(threshold: float) -> dict[str, Contestant]:
    """Return the contestants whose packages are installed, by name."""
    known: Mapping[str, tuple[str, Inline]] = {
        "datasketch LSH 128": ("datasketch", lambda texts: _datasketch(texts, threshold, False)),
        "datasketch LSH 128 verified": (
            "datasketch",
            lambda texts: _datasketch(texts, threshold, True),
        ),
        "rensa LSH 128": ("rensa", lambda texts: _rensa(texts, threshold)),
        "simhash (package)": ("simhash", _simhash),
    }
    return {
        name: _measured(run, in_python=package != "rensa")
        for name, (package, run) in known.items()
        if importlib.util.find_spec(package)
    }


def _measured(run: Inline, in_python: bool) -> Contestant:
    def contest(texts: Sequence[str]) -> Result:
        run(texts[:2])  # imports
        start = time.process_time()
        decisions, index = run(texts)
        cpu_s = time.process_time() - start
        del index
        memory = _python_bytes(run, texts[:TRACED_TEXTS]) if in_python else None
        return Result(decisions, cpu_s, memory)

    return contest


def _python_bytes(run: Inline, texts: Sequence[str]) -> float:
    """Return the bytes allocated for each text that was kept."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held = run(texts)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    decisions, _ = held
    return (after - before) / max(1, decisions.count(None))


def _features(text: str) -> Features:
    """Return a text's shingles as strings."""
    cut = signing.cut_by_script(text)
    if signing.shingle_kind(cut) == signing.CHAR4:
        characters = cut.text.replace(" ", "")
        return {characters[n : n + 4] for n in range(len(characters) - 3)}
    runs = cut.text.split()
    return {" ".join(runs[n : n + 3]) for n in range(len(runs) - 2)}


def _datasketch(texts: Sequence[str], threshold: float, verified: bool) -> tuple[Decisions, object]:
    """MinHashLSH with its own choice of bands; the candidate with the best estimate is named.

    Verified: the one with the highest exact similarity, if that reaches the threshold.
    """
    datasketch = importlib.import_module("datasketch")
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    kept: dict[int, Any] = {}
    decisions: Decisions = []
    for number, text in enumerate(texts):
        features = _features(text)
        minhash = datasketch.MinHash(num_perm=PERMUTATIONS)
        minhash.update_batch([feature.encode() for feature in features])
        stored = features if verified else minhash
        likeness = _jaccard if verified else datasketch.MinHash.jaccard
        ranked = sorted((-likeness(stored, kept[n]), n) for n in index.query(minhash))
        found = bool(ranked) and (not verified or -ranked[0][0] >= threshold)
        decisions.append(ranked[0][1] if found else None)
        if not found:
            index.insert(number, minhash)
            kept[number] = stored
    return decisions, (index, kept)


def _rensa(texts: Sequence[str], threshold: float) -> tuple[Decisions, object]:
    """RMinHashLSH, 16 bands of 8 values, and as its README does, the threshold put to estimates."""
    rensa = importlib.import_module("rensa")
    index = rensa.RMinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, num_bands=RENSA_BANDS)
    kept: dict[int, Any] = {}
    decisions: Decisions = []
    for number, text in enumerate(texts):
        minhash = rensa.RMinHash(num_perm=PERMUTATIONS, seed=42)
        minhash.update(list(_features(text)))
        ranked = sorted((-minhash.jaccard(kept[n]), n) for n in index.query(minhash))
        found = bool(ranked) and -ranked[0][0] >= threshold
        decisions.append(ranked[0][1] if found else None)
        if not found:
            index.insert(number, minhash)
            kept[number] = minhash
    return decisions, (index, kept)


def _simhash(texts: Sequence[str]) -> tuple[Decisions, object]:
    """SimhashIndex at distance 3 over the package's own features; the nearest is named.

    Its weights are cut at 255, since with numpy 2 the package raises OverflowError beyond it.
    """
    simhash = importlib.import_module("simhash")
    quiet = logging.getLogger("benchmarks.simhash")
    quiet.setLevel(logging.ERROR)
    index = simhash.SimhashIndex([], k=SIMHASH_DISTANCE, log=quiet)
    kept: dict[str, Any] = {}
    decisions: Decisions = []
    for number, text in enumerate(texts):
        fingerprint = simhash.Simhash(_four_characters(text), log=quiet)
        near = ((fingerprint.distance(kept[n]), int(n)) for n in index.get_near_dups(fingerprint))
        _, nearest = min(near, default=(0, None))
        decisions.append(nearest)
        if nearest is None:
            index.add(str(number), fingerprint)
            kept[str(number)] = fingerprint
    return decisions, (index, kept)


def _four_characters(text: str) -> dict[str, int]:
    """Return what the package makes of a text: every four neighbouring word characters."""
    characters = "".join(_SIMHASH_WORDS.findall(text.lower()))
    windows = (characters[n : n + 4] for n in range(max(1, len(characters) - 3)))
    return {feature: min(count, 255) for feature, count in Counter(windows).items()}


def _jaccard(features: Features, other: Features) -> float:
    union = len(features | other)
    return len(features & other) / union if union else 0.0
