"""Which visible lines of a page an extractor's text holds: the longest chain of both in order.

The extractor gives text without places, and may join lines, split them, or say a line once that
stands twice. Both texts run in document order, so of all the places where a line could be found
those are taken that keep the order and cover most characters.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crawler.extract.text import word_characters

GRAM = 16
"""Word characters looked up at once; a shorter line is found only where it is a line there too."""

SMALL_GRAM = 4
"""Word characters looked up at once between lines that were found; of shorter lines nothing is
known but their neighbours. Formulas break Chinese text into short pieces."""

_SLACK = 20
"""Word characters by which places may be off, for lines that hold more or less than the text."""

_FAR = 2_000
"""Word characters that are looked through for the lines of one gap: in more of them small grams
are found by chance."""

MOST_PLACES = 8
"""Places of one gram or short line that are tried, the first ones: what stands oftener says
little, and time stays linear."""

_ENOUGH = 0.5
"""Share of a line's grams that must be found for the line to be."""


class _Found(NamedTuple):
    """A line at a place of the extractor's text."""

    line: int
    place: int
    weight: float
    """Word characters of the line that were found there."""


class Aligned(NamedTuple):
    """Which lines of a page a main text holds, by line."""

    surely: Sequence[bool]
    """Those of the chain. Nearly all that are flagged are there, but of short ones many are not."""
    perhaps: Sequence[bool]
    """Those, and the lines between them that are like what the main text has in their place."""


def aligned(main: str, lines: Sequence[str]) -> Aligned:
    """Return which lines, given as their word characters, a main text holds.

    Lines that the chain leaves out are looked for once more in what the main text has at their
    place, in small grams: there is little to mistake them for. Time is n log n in the characters
    of both.
    """
    whole, starts = _starts(main)
    chain = _longest_chain(_places(whole, starts, lines))
    surely = [False] * len(lines)
    for found in chain:
        surely[found.line] = True
    perhaps = list(surely)
    for gap in _gaps(chain, lines, len(whole)):
        _find_again(perhaps, lines, gap, whole)
    return Aligned(surely, perhaps)


class _Gap(NamedTuple):
    """Lines between two of the chain, and what the main text has between those."""

    first: int
    end: int
    place: int
    place_end: int


def _gaps(chain: Sequence[_Found], lines: Sequence[str], length: int) -> Iterator[_Gap]:
    first = place = 0
    for found in chain:
        if found.line > first:
            yield _Gap(first, found.line, max(0, place - _SLACK), found.place + _SLACK)
        first, place = found.line + 1, found.place + len(lines[found.line])
    if first < len(lines):
        yield _Gap(first, len(lines), max(0, place - _SLACK), length)


def _find_again(kept: list[bool], lines: Sequence[str], gap: _Gap, whole: str) -> None:
    """Flag the lines of a gap most of whose small grams stand in it."""
    place_end = min(gap.place_end, gap.place + _FAR)
    there = set(_small_grams(whole[gap.place : place_end]))
    if not there:
        return
    for number in range(gap.first, gap.end):
        grams = list(_small_grams(lines[number]))
        if grams and sum(gram in there for gram in grams) >= _ENOUGH * len(grams):
            kept[number] = True


def _small_grams(text: str) -> Iterator[str]:
    return (text[start : start + SMALL_GRAM] for start in range(len(text) - SMALL_GRAM + 1))


def _places(whole: str, starts: Mapping[str, Sequence[int]], lines: Sequence[str]) -> list[_Found]:
    """Return where lines could stand, by line, later places first."""
    grams = _wanted_grams(whole, lines)
    found = []
    for number, line in enumerate(lines):
        if len(line) < GRAM:
            places = {place: float(len(line)) for place in starts.get(line, ())[:MOST_PLACES]}
        else:
            places = _by_grams(line, grams)
        found += [_Found(number, place, places[place]) for place in sorted(places, reverse=True)]
    return found


def _wanted_grams(whole: str, lines: Sequence[str]) -> dict[str, list[int]]:
    """Return where the grams of the lines stand; others of `whole`, most of them, cost little."""
    grams: dict[str, list[int]] = {
        line[offset : offset + GRAM]: []
        for line in lines
        if len(line) >= GRAM
        for offset in _offsets(line)
    }
    for place in range(len(whole) - GRAM + 1):
        if (gram := whole[place : place + GRAM]) in grams:
            grams[gram].append(place)
    return grams


def _starts(main: str) -> tuple[str, Mapping[str, list[int]]]:
    """Return the word characters of a text, and where each of its lines begins in them."""
    starts: dict[str, list[int]] = defaultdict(list)
    pieces, length = [], 0
    for line in main.split("\n"):
        if bare := word_characters(line):
            starts[bare].append(length)
            pieces.append(bare)
            length += len(bare)
    return "".join(pieces), starts


def _by_grams(line: str, grams: Mapping[str, list[int]]) -> dict[int, float]:
    """Return place -> weight of a line, where enough of it was found anywhere."""
    offsets = _offsets(line)
    places: set[int] = set()
    hits = 0
    for offset in offsets:
        if at := grams[line[offset : offset + GRAM]]:
            hits += 1
            places.update(place - offset for place in at[:MOST_PLACES])
    if hits < _ENOUGH * len(offsets):
        return {}
    weight = len(line) * hits / len(offsets)
    return dict.fromkeys(sorted(places)[:MOST_PLACES], weight)


def _offsets(line: str) -> list[int]:
    """Return where the grams that cover a line begin."""
    return [*range(0, len(line) - GRAM, GRAM), len(line) - GRAM]


def _longest_chain(found: Sequence[_Found]) -> list[_Found]:
    """Return the chain of most weight in which both lines and places ascend, in that order.

    A Fenwick tree over the places holds the best chain that ends at or before each (Fenwick, 1994).
    """
    ranks = sorted({one.place for one in found})
    best: list[tuple[float, int]] = [(0.0, -1)] * (len(ranks) + 1)
    before = []
    for number, one in enumerate(found):
        rank = bisect_left(ranks, one.place) + 1
        weight, previous = _upto(best, rank - 1)
        before.append(previous)
        chain = (weight + one.weight, number)
        while rank <= len(ranks):
            if chain[0] > best[rank][0]:
                best[rank] = chain
            rank += rank & -rank
    _, last = _upto(best, len(ranks))
    chain_found = []
    while last >= 0:
        chain_found.append(found[last])
        last = before[last]
    return chain_found[::-1]


def _upto(best: Sequence[tuple[float, int]], rank: int) -> tuple[float, int]:
    most = (0.0, -1)
    while rank > 0:
        if best[rank][0] > most[0]:
            most = best[rank]
        rank -= rank & -rank
    return most
