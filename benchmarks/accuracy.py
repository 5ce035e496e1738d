"""Precision, recall and cost of every method and of installed peers, on sets with exact truth.

    python -m benchmarks.accuracy [--sets DIR] [--methods NAME ...] [--threshold J] [--plots]

Judged inline, one pass in file order (`benchmarks.scoring` has the rules); `... clusters` rows are
union-find clusters of the whole set instead. CPU time is signing and judging; memory is that of
near indexes and filters, without texts and shingles, which a store keeps on disk.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.contestants import Contestant, afterwards, inline, with_lexicon
from benchmarks.peers import peers
from benchmarks.plots import draw
from benchmarks.scoring import SETS, Score, TruthSet, read_sets, score
from crawler import config
from crawler.config import Method
from crawler.dedup.methods.rivals import banding_for

OUT = Path(__file__).parent / "out"
IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"


def contestants(threshold: float) -> dict[str, Contestant]:
    """Return everything that can compete, by the name it is chosen and printed by."""
    known: dict[str, Contestant] = {}
    for method in Method:
        name = method.value
        if method in config.LEXICON_METHODS:
            known[name] = with_lexicon(inline, name)
            continue
        known[name] = inline(_settings(name, threshold))
        if method is Method.SIMHASH_IDF:
            known[f"{name}, fitted"] = with_lexicon(inline, name)
    known["simhash, verified"] = inline(_settings("simhash", threshold, verify=True))
    known["minhash, verified"] = inline(_settings("minhash", threshold, verify=True))
    known["minhash clusters"] = afterwards(_settings("minhash", threshold, verify=True))
    known["super-shingles clusters"] = afterwards(_settings("super-shingles", threshold))
    return known | peers(threshold)


def main() -> None:
    """Print the table set by set and pooled; with `--plots`, draw as well."""
    arguments = _parser().parse_args()
    known = contestants(arguments.threshold)
    chosen = arguments.methods or list(known)
    if unknown := set(chosen) - known.keys():
        raise SystemExit(
            f"no such method: {', '.join(sorted(unknown))}; there are: {', '.join(known)}"
        )
    sets = list(read_sets(arguments.sets))
    if not sets:
        raise SystemExit(
            f"{arguments.sets}: no sets (<name>.jsonl.xz and <name>.pairs.json) there: nothing to "
            "measure; name a directory with --sets"
        )
    for verify in (None, True):
        settings = _settings("minhash", arguments.threshold, verify)
        print(f"minhash{', verified' if verify else ''}: {banding_for(settings)}")
    _table(sets, {name: known[name] for name in chosen}, arguments.threshold)
    if arguments.plots:
        for path in draw(sets, OUT, IMAGES):
            print(f"wrote {path}")


def _table(sets: Sequence[TruthSet], chosen: Mapping[str, Contestant], threshold: float) -> None:
    pooled = dict.fromkeys(chosen, Score())
    print(
        f"{'set':12}{'method':29}{'P':>8}{'R':>8}{'right':>7}{'wrong':>7}{'missed':>7}"
        f"{'CPU ms/doc':>12}{'bytes/doc':>11}"
    )
    for truth in sets:
        for name, run in chosen.items():
            result = run(truth.texts)
            scored = score(result.decisions, truth.pairs, threshold)
            pooled[name] += scored
            cpu_ms = 1000 * result.cpu_s / len(truth.texts)
            memory = "-" if result.memory_bytes is None else f"{result.memory_bytes:,.0f}"
            _row(truth.name, name, scored, f"{cpu_ms:12.2f}{memory:>11}")
    for name, total in pooled.items():
        _row("pooled", name, total, "")


def _row(set_name: str, method: str, scored: Score, costs: str) -> None:
    print(
        f"{set_name:12}{method:29}{scored.precision:8.4f}{scored.recall:8.4f}"
        f"{scored.right:7}{scored.wrong:7}{scored.missed:7}{costs}",
        flush=True,
    )


def _settings(method: str, threshold: float, verify: bool | None = None) -> config.Dedup:
    return config.Dedup.model_validate({"method": method, "threshold": threshold, "verify": verify})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--sets", type=Path, default=SETS, metavar="DIR")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="default: all of them")
    parser.add_argument("--threshold", type=float, default=config.Dedup().threshold, metavar="J")
    parser.add_argument("--plots", action="store_true", help=f"draw into {OUT} and {IMAGES}")
    return parser


if __name__ == "__main__":
    main()
