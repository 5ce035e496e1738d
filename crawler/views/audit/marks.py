"""What a person says of each pair, and the estimate for the whole crawl that follows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import orjson

from crawler.errors import InputError, reason
from crawler.models import EXACT_TEXT, NEAR, SIBLING
from crawler.observe.summary import wilson
from crawler.storage.view import StoreView
from crawler.views.audit.sample import MAX_SEED, Pair, Sample, Stratum, crawl_of

# What a person says of each pair, and the file it is kept in: one JSON object a line.
#
# Each line tells which sample it belongs to, so that a file is enough for an estimate, and marks
# of two samples are never mixed.


class Mark(StrEnum):
    """What a person says of a pair."""

    COPY = "copy"
    OTHER = "other page"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Marked:
    """A line of the file."""

    url: str
    of: str
    """URL of the stored page; empty where that is not known."""
    verdict: str
    """`near`, `exact-text` or `sibling`."""
    evidence: str | None
    mark: Mark | None
    """None for a pair of the sample that was not marked."""
    seed: int
    stratum: Stratum
    population: int
    """Pages of the stratum in the whole crawl, when the sample was drawn."""
    crawl: str
    """When the crawl began."""
    by_doubt: bool = False
    """Whether the most doubtful pairs were shown first: then a part of them says nothing of all."""


def marked(sample: Sample, pair: Pair, mark: Mark | None = None) -> Marked:
    """Return the line of a pair."""
    drawn = pair.drawn
    return Marked(
        url=drawn.url,
        of=pair.stored.url,
        verdict=_VERDICTS[drawn.stratum],
        evidence=pair.evidence,
        mark=mark,
        seed=sample.seed,
        stratum=drawn.stratum,
        population=sample.populations[drawn.stratum],
        crawl=sample.crawl,
        by_doubt=sample.by_doubt,
    )


def as_json(line: Marked) -> bytes:
    """Return a line without its end."""
    return orjson.dumps(asdict(line))


def write_marks(path: Path, lines: Iterable[Marked]) -> None:
    """Replace a file in one step; InputError where that cannot be done."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(b"".join(as_json(line) + b"\n" for line in lines))
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot write the marks: {reason(error)}") from None


def read_marks(path: Path) -> list[Marked]:
    """Return the lines of a file, all of one sample.

    Raises InputError, with file and line, for a damaged one, one of another sample, and a pair that
    has a line already.
    """
    try:
        rows = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot read the marks: {reason(error)}") from None
    marks: list[Marked] = []
    places: dict[str, int] = {}
    populations: dict[Stratum, Marked] = {}
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        line = _parse(row, f"{path}:{number}")
        if line.url in places:
            raise InputError(
                f"{path}:{number}: {line.url} has a line already, line {places[line.url]}: "
                "remove one of the two"
            )
        places[line.url] = number
        marks.append(line)
        of = marks[0], marks[0], populations.setdefault(line.stratum, line)
        for name, before in zip(("crawl", "seed", "population"), of, strict=True):
            if (value := getattr(line, name)) != (other := getattr(before, name)):
                raise InputError(
                    f"{path}:{number}: this line is of another sample than those before it "
                    f"({name} {value}, before {other}): give the marks of one sample"
                )
    if not marks:
        raise InputError(f"{path}: there are no marks in this file")
    return marks


def refuse_foreign(
    path: Path, marks: Sequence[Marked], view: StoreView, seed: int | None = None
) -> None:
    """Raise InputError unless marks are of this directory's crawl, and of `seed` if it is given."""
    first, crawl = marks[0], crawl_of(view)
    if first.crawl != crawl:
        raise InputError(
            f"{path}: these marks are of a crawl that began at {first.crawl}; the one in "
            f"{view.directory} began at {crawl}: name the directory they were made for"
        )
    if seed is not None and seed != first.seed:
        raise InputError(
            f"{path}: these marks are of a sample with seed {first.seed}, not {seed}: leave out "
            "--seed, or name another file"
        )
    unseen = {line.url for line in marks}
    for url in view.seen_urls():
        unseen.discard(url)
        if not unseen:
            return
    raise InputError(
        f"{path}: {min(unseen)} was never seen by the crawl in {view.directory}: name the "
        "directory that these marks were made for"
    )


def _parse(row: bytes, place: str) -> Marked:
    damaged = f"{place}: this line is damaged"
    try:
        data = orjson.loads(row)
    except ValueError as error:
        raise InputError(f"{damaged}: it is not JSON ({error})") from None
    if not isinstance(data, dict):
        raise InputError(f"{damaged}: it is no JSON object")
    try:
        for name, kinds in _FIELDS.items():
            value = data[name]
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise ValueError(f"{name}: {value!r} cannot be")
        if not 0 <= data["seed"] <= MAX_SEED or data["population"] < 1:
            raise ValueError("seed and population must be whole numbers, from 0 and from 1")
        known = {name: data[name] for name in _FIELDS}
        mark = None if data["mark"] is None else Mark(data["mark"])
        by_doubt = data.get("by_doubt", False)
        if not isinstance(by_doubt, bool):
            raise ValueError(f"by_doubt: {by_doubt!r} cannot be")
        known |= {"mark": mark, "stratum": Stratum(data["stratum"]), "by_doubt": by_doubt}
        return Marked(**known)
    except KeyError as error:
        raise InputError(f"{damaged}: it has no field {error}") from None
    except ValueError as error:
        raise InputError(f"{damaged}: {error}") from None


_VERDICTS = {
    Stratum.DROPPED: NEAR,
    Stratum.SAME_TEXT: EXACT_TEXT,
    Stratum.SIBLINGS: SIBLING,
}
_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "url": str,
    "of": str,
    "verdict": str,
    "evidence": (str, type(None)),
    "mark": (str, type(None)),
    "seed": int,
    "stratum": str,
    "population": int,
    "crawl": str,
}


# From marks to the whole crawl: how many pages were judged wrongly, and how sure that is.
#
# The interval is Wilson's (`wilson`). No finite population correction is made: without it the
# interval is too wide if anything, and a crawl has many times more pages than a sample.
# `marking.js` computes the same while a person marks.

WRONG = {
    Stratum.DROPPED: Mark.OTHER,
    Stratum.SAME_TEXT: Mark.OTHER,
    Stratum.SIBLINGS: Mark.COPY,
}
"""The mark that contradicts the verdict."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the marks of one stratum say."""

    stratum: Stratum
    population: int
    wrong: int
    decided: int
    """Pairs marked as copy or other page; what the share is of."""
    unsure: int
    unmarked: int
    by_doubt: bool = False
    """Whether any pair was marked in order of doubt."""

    @property
    def is_biased(self) -> bool:
        """Whether only the more doubtful pairs are marked: no sample of all."""
        return self.by_doubt and self.unmarked > 0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share that is wrong, 0..1."""
        return wilson(self.wrong, self.decided)

    @property
    def pages(self) -> tuple[int, int]:
        """The same in pages of the whole crawl, never beyond what the marks themselves say."""
        low, high = self.interval
        fewest = max(self.wrong, math.floor(low * self.population))
        most = min(self.population - (self.decided - self.wrong), math.ceil(high * self.population))
        return fewest, max(fewest, most)


def estimates(marks: Iterable[Marked]) -> list[Estimate]:
    """Return an estimate of each stratum that has lines."""
    lines, found = list(marks), []
    for stratum in Stratum:
        of = [line for line in lines if line.stratum is stratum]
        counts = Counter(line.mark for line in of)
        if of:
            found.append(
                Estimate(
                    stratum,
                    of[0].population,
                    wrong=counts[WRONG[stratum]],
                    decided=counts[Mark.COPY] + counts[Mark.OTHER],
                    unsure=counts[Mark.UNSURE],
                    unmarked=counts[None],
                    by_doubt=any(line.by_doubt for line in of),
                )
            )
    return found
