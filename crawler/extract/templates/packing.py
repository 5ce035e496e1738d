"""Templates, lessons and a learner's state as bytes: how they travel and are kept.

Each is JSON, compressed, in which a path is its last element and the number of the path around it:
the paths of a site share most of what they say. The keys of lines, which nothing compresses,
follow as they are.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from typing import Any

import orjson

from crawler.extract.templates.template import (
    Compared,
    Evidence,
    Known,
    Lesson,
    Standing,
    Template,
    Weights,
    Zone,
)

_LENGTH = struct.Struct(">I")
_KEY = 6
"""Bytes of a line's key (`key_of`)."""
_STANDINGS = (None, *Standing)


def pack_template(template: Template, version: int) -> bytes:
    """Return a template and which of its host's it is, as bytes."""
    paths = _Paths()
    zones, keys = [], []
    for zone, known in sorted(template.zones.items()):
        standing = _STANDINGS.index(known.standing)
        zones.append((paths.number(zone.path), zone.linked, standing, known.most, len(known.lines)))
        keys += sorted(known.lines)
    around = [
        (paths.number(path), _STANDINGS.index(standing))
        for path, standing in sorted(template.around.items(), key=itemgetter(0))
    ]
    return _packed([version, template.least, paths.steps, zones, around], keys)


def unpack_template(packed: bytes) -> tuple[Template, int]:
    """Undo `pack_template`. Raises ValueError for other bytes."""
    with _telling("a packed template"):
        (version, least, steps, zones, around), keys = _unpacked(packed)
        paths = _paths_of(steps)
        return Template(
            {
                Zone(paths[path], linked): Known(
                    _STANDINGS[standing], most, frozenset(_next(keys, lines))
                )
                for path, linked, standing, most, lines in zones
            },
            {paths[path]: _STANDINGS[standing] for path, standing in around},
            least,
        ), version


def pack_lesson(lesson: Lesson) -> bytes:
    """Return a lesson as bytes."""
    lines = dict.fromkeys(lesson.lines, 1)
    sums, keys = _pack_sums(lesson.zones, lines, lesson.examples)
    rest = [lesson.identity, lesson.is_judged, lesson.share, lesson.compared and [*lesson.compared]]
    return _packed([sums, rest], keys)


def unpack_lesson(packed: bytes) -> Lesson:
    """Undo `pack_lesson`. Raises ValueError for other bytes."""
    with _telling("a packed lesson"):
        (sums, (identity, is_judged, share, compared)), keys = _unpacked(packed)
        zones, lines, examples = _unpack_sums(sums, keys)
        audit = Compared(*compared) if compared else None
        return Lesson(zones, frozenset(lines), identity, is_judged, share, audit, examples)


def pack_state(course: Sequence[Any], evidence: Evidence) -> bytes:
    """Return where a learner stands, as values of JSON, and its evidence, as bytes."""
    sums, keys = _pack_sums(evidence.zones, evidence.lines, evidence.examples)
    numbers = [evidence.pages, evidence.judged, evidence.least]
    return _packed([course, sums, sorted(evidence.seen), numbers], keys)


def unpack_state(packed: bytes) -> tuple[list[Any], Evidence]:
    """Undo `pack_state`. Raises ValueError for other bytes."""
    with _telling("the state of a template's learner"):
        (course, sums, seen, (pages, judged, least)), keys = _unpacked(packed)
        zones, lines, examples = _unpack_sums(sums, keys)
        counts = Counter(lines)
        evidence = Evidence(zones, counts, set(seen), pages, judged, least, examples)
        return list(course), evidence


def _pack_sums(
    zones: Mapping[Zone, Weights],
    lines: Mapping[tuple[int, Zone], int],
    examples: Mapping[Zone, str],
) -> tuple[list[Any], list[int]]:
    """Return zones, examples and lines' counts as values of JSON, and the keys of these lines."""
    paths = _Paths()
    counts: dict[Zone, list[tuple[int, int]]] = defaultdict(list)
    for (key, zone), count in lines.items():
        counts[zone].append((key, count))
    rows, keys = [], []
    for zone, weights in sorted(zones.items()):
        own = sorted(counts[zone])
        told = [*weights], [n for _, n in own], examples.get(zone, "")
        rows.append((paths.number(zone.path), zone.linked, *told))
        keys += [key for key, _ in own]
    return [paths.steps, rows], keys


def _unpack_sums(
    sums: Sequence[Any], keys: Iterator[int]
) -> tuple[dict[Zone, Weights], dict[tuple[int, Zone], int], dict[Zone, str]]:
    steps, rows = sums
    paths = _paths_of(steps)
    zones: dict[Zone, Weights] = {}
    lines: dict[tuple[int, Zone], int] = {}
    examples: dict[Zone, str] = {}
    for path, linked, weights, counts, example in rows:
        zone = Zone(paths[path], linked)
        zones[zone] = Weights(*weights)
        if example:
            examples[zone] = example
        lines.update(zip(((key, zone) for key in _next(keys, len(counts))), counts, strict=True))
    return zones, lines, examples


class _Paths:
    """Paths as steps: (number of the path around it, its last element)."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, str]] = []
        self._numbers: dict[str, int] = {"": -1}

    def number(self, path: str) -> int:
        """Return the number of a path's step; those around it are made with it."""
        below = []
        while path not in self._numbers:
            below.append(path)
            path = path.rpartition(">")[0]
        for inner in reversed(below):
            around, _, label = inner.rpartition(">")
            self._numbers[inner] = len(self.steps)
            self.steps.append((self._numbers[around], label))
        return self._numbers[below[0] if below else path]


def _paths_of(steps: Iterable[tuple[int, str]]) -> list[str]:
    paths: list[str] = []
    for around, label in steps:
        paths.append(label if around < 0 else f"{paths[around]}>{label}")
    return paths


def _packed(data: Any, keys: Iterable[int]) -> bytes:
    head = zlib.compress(orjson.dumps(data))
    return b"".join((_LENGTH.pack(len(head)), head, *(key.to_bytes(_KEY, "big") for key in keys)))


def _unpacked(packed: bytes) -> tuple[Any, Iterator[int]]:
    begin = _LENGTH.size
    end = begin + _LENGTH.unpack_from(packed)[0]
    keys = range(end, len(packed), _KEY)
    data = orjson.loads(zlib.decompress(packed[begin:end]))
    return data, (int.from_bytes(packed[key : key + _KEY], "big") for key in keys)


def _next(keys: Iterator[int], number: int) -> list[int]:
    own = list(islice(keys, number))
    if len(own) < number:
        raise ValueError("cut off")
    return own


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Turn what unpacking other bytes may raise into one ValueError."""
    try:
        yield
    except (TypeError, ValueError, LookupError, struct.error, zlib.error) as error:
        raise ValueError(f"not {what}: {error}") from None
