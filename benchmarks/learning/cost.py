"""What learning about URLs takes of a crawl's main process.

    python -m benchmarks.learning.cost [--runs 5] [--recorded DIR] [--kept DIR] [SITE ...]

Crawls each site once, as a job does that sets nothing (`learn.urls`, traps are cut), and notes all
calls of `UrlLearning`. They are then repeated in the same order, with nothing remembered of URLs;
of several runs the median of each call counts. So figures hardly differ from run to run, but are
less than in a crawl, where other work comes between the calls: processors forget, too.

crawl         CPU milliseconds an end of a URL, of all calls, in the crawl; reading the clock is
              some .01 of it
replay        the same in the replay
cuts          the same with `learn.urls: false`: traps alone
learn         microseconds of a call: what an end teaches
foresee       what rules say of a URL whose turn comes
link          whether a link that is offered, or a URL from the store, is held back
answers       a digest of all answers and lessons, and of what is known at the end: where it is
              equal of the same calls (`--kept`), two versions of the code decide the same

`--kept DIR` keeps the calls of each site there, and crawls no site of which it has them.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import pickle
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import _lru_cache_wrapper, partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.corpora import CORPORA
from benchmarks.end_to_end import measured
from benchmarks.learning.replaying import replaying
from benchmarks.learning.sites import RECORDED, job_of, names, stage
from benchmarks.served import served
from crawler.config.job import Learn, Traps
from crawler.frontier.learning import UrlLearning
from crawler.models import PageOutcome, Totals

OF_LINKS = ("holder", "holder_of", "led_to")
"""Calls for a link that is offered, and for a URL that comes from the store."""


class Call(NamedTuple):
    """One call of a crawl's `UrlLearning`."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    seen: dict[str, bool]
    """What it asked of the seen set, and was told."""
    took_ns: list[int]
    """CPU of this process in the crawl."""


class Noting:
    """A `UrlLearning` that notes its calls; those that it makes of itself are part of these."""

    def __init__(
        self, calls: list[Call], settings: Learn, is_seen: Callable[[str], bool], *cuts: Any
    ) -> None:
        self._calls = calls
        self._seen = is_seen
        self._learning = UrlLearning(settings, self._is_seen, *cuts)

    def _is_seen(self, url: str) -> bool:
        self._calls[-1].seen[url] = is_seen = self._seen(url)
        return is_seen

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            given = tuple(as_given(one) if isinstance(one, PageOutcome) else one for one in args)
            self._calls.append(Call(name, given, kwargs, {}, took := []))
            ask = getattr(self._learning, name)
            began = time.thread_time_ns()
            answer = ask(*args, **kwargs)
            took.append(time.thread_time_ns() - began)
            return answer

        return noted


def as_given(outcome: PageOutcome) -> PageOutcome:
    """Return what is read of an end, before it is learned from."""
    kept = ("url_id", "state", "end", "duplicate_of", "document", "new_urls", "line_hashes", "look")
    sums = {name: outcome.totals.sums.get(name, 0) for name in ("wire_bytes", "fetch_s")}
    return PageOutcome(**{name: getattr(outcome, name) for name in kept}, totals=Totals(sums))


def crawled(name: str, recordings: Path, corpora: Path) -> list[Call]:
    """Crawl a site and return all calls of its learning."""
    site, calls = stage(name, recordings, corpora), list[Call]()
    with (
        tempfile.TemporaryDirectory() as folder,
        served(partial(replaying, partial(dict, site.site))) as server,
        patch("crawler.frontier.frontier.UrlLearning", partial(Noting, calls)),
    ):
        job = job_of(site, server.web, Path(folder)) | {"output": f"{folder}/out", "traps": {}}
        measured(job, lambda line: None)
    return calls


def noted(name: str, recordings: Path, corpora: Path, kept: Path | None) -> list[Call]:
    """Return the calls of a crawl that are kept, or those of a new one, which are kept."""
    if kept is None:
        return crawled(name, recordings, corpora)
    file = kept / f"{name}.pickle"
    if not file.exists():
        kept.mkdir(parents=True, exist_ok=True)
        calls = crawled(name, recordings, corpora)
        file.write_bytes(pickle.dumps([tuple(call) for call in calls]))
    return [Call(*one) for one in pickle.loads(file.read_bytes())]


class Replay:
    """All calls of a crawl once more, of a `UrlLearning` that is new."""

    def __init__(self, calls: Sequence[Call], *, learns: bool = True) -> None:
        self.calls = calls
        self.learning = UrlLearning(Learn(urls=learns), self._is_seen, Traps())
        self._seen: Mapping[str, bool] = {}

    def __iter__(self) -> Iterator[tuple[Call, Any, int]]:
        """Yield each call with its answer and the nanoseconds that it took."""
        clock = time.perf_counter_ns
        for call in self.calls:
            self._seen = call.seen
            args, ask = call.args, getattr(self.learning, call.name)
            if call.name == "learn":  # fills in the outcome that it is given
                args = args[0], replace(args[1], totals=Totals({**args[1].totals.sums}))
            began_ns = clock()
            answer = ask(*args, **call.kwargs)
            took_ns = clock() - began_ns
            yield call._replace(args=args), answer, took_ns

    def _is_seen(self, url: str) -> bool:
        return self._seen[url]


def digest(calls: Sequence[Call]) -> str:
    """Return a few digits of all that learning decides, and knows at the end."""
    told = hashlib.blake2b(digest_size=6)
    replay = Replay(calls)
    for call, answer, _ in replay:
        told.update(repr((call.name, answer)).encode())
        if call.name == "learn":
            told.update(repr((call.args[1].lesson, call.args[1].totals)).encode())
    told.update(repr(replay.learning.state()).encode())
    for name, site in replay.learning.sites():
        told.update(repr((name, *site.hosts)).encode())
        for rule, proof in site.same.items():
            counted = proof.original, proof.agree, proof.against, proof.least, proof.holds
            told.update(repr((rule, proof.uses, *counted)).encode())
    return told.hexdigest()


def caches() -> list[Any]:
    """Return what functions of the crawler remember by URLs: a crawl meets each for the first time.

    Without what is read once, the list of public suffixes.
    """
    found = (one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper))
    ours = (one for one in found if one.__module__.startswith("crawler."))
    return [one for one in ours if one.cache_parameters()["maxsize"] not in (None, 1)]


def took(calls: Sequence[Call], runs: int, *, learns: bool = True) -> dict[str, float]:
    """Return the nanoseconds of a replay by the names of calls: of each call the median."""
    gc.collect()
    remembered, each = caches(), []
    gc.freeze()  # the calls are no garbage of a crawl
    for _ in range(runs):
        for one in remembered:
            one.cache_clear()
        each.append([took_ns for _, _, took_ns in Replay(calls, learns=learns)])
    gc.unfreeze()
    by_name: dict[str, float] = {}
    for call, times in zip(calls, zip(*each, strict=True), strict=True):
        by_name[call.name] = by_name.get(call.name, 0.0) + median(times)
    return by_name


def row(name: str, calls: Sequence[Call], runs: int) -> str:
    """Return the figures of a site."""
    asked = Counter(call.name for call in calls)
    on, cuts = took(calls, runs), took(calls, runs, learns=False)
    in_crawl = sum(sum(call.took_ns) for call in calls)
    ends = asked["learn"]
    each_ms = [ns / ends / 1e6 for ns in (in_crawl, sum(on.values()), sum(cuts.values()))]
    links = sum(asked[name] for name in OF_LINKS)
    link_us = sum(on.get(name, 0.0) for name in OF_LINKS) / links / 1e3
    calls_us = [*(on[name] / asked[name] / 1e3 for name in ("learn", "foresee")), link_us]
    told = "".join(f"{ms:8.3f}" for ms in each_ms) + "".join(f"{us:9.1f}" for us in calls_us)
    return f"{name:17}{ends:>6}{told}  {digest(calls)}"


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("sites", nargs="*", metavar="SITE")
    flags.add_argument("--runs", type=int, default=5)
    flags.add_argument("--recorded", type=Path, default=RECORDED, metavar="DIR")
    flags.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    flags.add_argument("--kept", type=Path, metavar="DIR")
    args = flags.parse_args()
    there = names(args.recorded, args.corpora)
    if unknown := sorted(set(args.sites) - set(there)):
        flags.error(f"no such site: {', '.join(unknown)}; there are {', '.join(there)}")
    heads = "crawl", "replay", "cuts"
    print(f"{'site':17}{'ends':>6}" + "".join(f"{head:>8}" for head in heads), end="")
    print("".join(f"{head:>9}" for head in ("learn", "foresee", "link")) + "  answers")
    for name in args.sites or there:
        calls = noted(name, args.recorded, args.corpora, args.kept)
        print(row(name, calls, args.runs), flush=True)


if __name__ == "__main__":
    main()
