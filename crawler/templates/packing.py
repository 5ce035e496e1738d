"""Templates and lessons as bytes, and back: how they travel between processes and are kept."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from crawler.templates.evidence import Evidence
from crawler.templates.lesson import Compared, Lesson, Weights, Zone
from crawler.templates.template import Standing, Template


def pack_template(template: Template, version: int) -> bytes:
    """Return a template and which of its host's it is, as bytes."""
    around = {path: standing and standing.value for path, standing in template.around.items()}
    standings = [(*zone, standing.value) for zone, standing in template.standings.items()]
    repeated = list(template.repeated.items())
    return _packed(
        [version, template.pages, template.most_lost, standings, list(around.items()), repeated]
    )


def unpack_template(packed: bytes) -> tuple[Template, int]:
    """Undo `pack_template`. Raises ValueError for other bytes."""
    try:
        version, pages, most_lost, standings, around, repeated = _unpacked(packed)
        template = Template(
            {Zone(path, linked): Standing(standing) for path, linked, standing in standings},
            {path: Standing(standing) if standing else None for path, standing in around},
            dict(repeated),
            pages,
            most_lost,
        )
    except (TypeError, KeyError) as error:
        raise ValueError(f"not a packed template: {error}") from None
    return template, version


def pack_lesson(lesson: Lesson) -> bytes:
    """Return a lesson as bytes."""
    zones = [(*zone, *weights) for zone, weights in lesson.zones.items()]
    keys = sorted(lesson.lines)
    return _packed([zones, keys, lesson.identity, lesson.is_judged, lesson.lost, lesson.compared])


def unpack_lesson(packed: bytes) -> Lesson:
    """Undo `pack_lesson`. Raises ValueError for other bytes."""
    try:
        zones, keys, identity, is_judged, lost, compared = _unpacked(packed)
        weights = {Zone(path, linked): Weights(*numbers) for path, linked, *numbers in zones}
        audit = Compared(*compared) if compared else None
    except TypeError as error:
        raise ValueError(f"not a packed lesson: {error}") from None
    return Lesson(weights, frozenset(keys), identity, is_judged, lost, audit)


def pack_state(course: Sequence[Any], evidence: Evidence) -> bytes:
    """Return where a learner stands, as values of JSON, and its evidence, as bytes."""
    zones = [(*zone, *weights) for zone, weights in sorted(evidence.zones.items())]
    lines = [sorted(evidence.lines), [evidence.lines[key] for key in sorted(evidence.lines)]]
    numbers = [evidence.pages, evidence.judged, evidence.most_lost]
    return _packed([course, zones, lines, sorted(evidence.seen), numbers])


def unpack_state(packed: bytes) -> tuple[list[Any], Evidence]:
    """Undo `pack_state`. Raises ValueError for other bytes."""
    try:
        course, zones, (keys, counts), seen, numbers = _unpacked(packed)
        weights = {Zone(path, linked): Weights(*numbers) for path, linked, *numbers in zones}
        lines = Counter(dict(zip(keys, counts, strict=True)))
        return list(course), Evidence(weights, lines, set(seen), *numbers)
    except TypeError as error:
        raise ValueError(f"not the state of a template's learner: {error}") from None


def _packed(data: Any) -> bytes:
    return zlib.compress(orjson.dumps(data))


def _unpacked(packed: bytes) -> Any:
    try:
        return orjson.loads(zlib.decompress(packed))
    except zlib.error as error:
        raise ValueError(f"not packed here: {error}") from None
