"""What a learned reader sees of each line of a page: numbers, counted from text and place.

All are counts, or quotients of two of them: trees ask only which is larger, and a logarithm's last
digit depends on the processor. So a page has the same features, and the same text, everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crawler.extract.text import PROSE, PROSE_LINKED

if TYPE_CHECKING:
    from crawler.extract.lines import Element, Line

Numbers: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

# Of characters.

_WORD, _IDEOGRAPH, _UPPER, _DIGIT, _SENTENCE, _COMMA, _END, _SIGN = (1 << n for n in range(8))
_COUNTED = (_UPPER, _DIGIT, _SENTENCE, _COMMA, _SIGN)
_BY_SIGN = {
    _SENTENCE: ".,;:!?。，；：！？、",
    _COMMA: ",，、;；",
    _END: ".!?。！？…",
    _SIGN: "|·»›©@",
}
_CHARACTERS = 0x10000
"""Looked up; those beyond count as no part of a word."""


def _is_ideograph(code: int) -> bool:
    """Whether each such character counts as a word, as in Chinese and Japanese."""
    return 0x3040 <= code < 0x3100 or 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00


@lru_cache(1)
def _characters() -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    """Return by code what a character is, and its lower case with one added."""
    kinds = np.zeros(_CHARACTERS, np.uint8)
    lower = np.arange(1, _CHARACTERS + 1, dtype=np.uint64)
    for code in range(_CHARACTERS):
        character = chr(code)
        if character.isalnum() or character == "_":
            kinds[code] |= _WORD | _IDEOGRAPH * _is_ideograph(code)
            kinds[code] |= _UPPER * character.isupper() | _DIGIT * character.isdigit()
            small = character.lower()
            if len(small) == 1:
                lower[code] = ord(small) + 1
    for kind, signs in _BY_SIGN.items():
        kinds[list(map(ord, signs))] |= kind
    return kinds, lower


# Of words: each has a hash, a polynomial of its characters modulo 2^64 (Karp and Rabin, 1987).

_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


def _powers(most: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the first powers of the base, and those of its inverse."""
    up, down = np.full(most, _BASE, np.uint64), np.full(most, _INVERSE, np.uint64)
    up[0] = down[0] = 1
    return np.multiply.accumulate(up), np.multiply.accumulate(down)


class _Words(NamedTuple):
    """The words of lines."""

    kinds: NDArray[np.uint8]
    """By character, each line with its end."""
    starts: Integers
    """Of the lines, in characters."""
    hashes: NDArray[np.uint64]
    """By word."""
    lengths: Integers
    """By word, in characters."""
    lines: Integers
    """By word, the number of its line."""


def _words(texts: Iterable[str]) -> _Words:
    joined = "\n".join((*texts, ""))
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.flatnonzero(codes == ord("\n"))
    codes = np.minimum(codes, _CHARACTERS - 1)
    table, lower = _characters()
    kinds = table[codes]
    alone = (kinds & _IDEOGRAPH) != 0
    letters = ((kinds & _WORD) != 0) & ~alone
    is_first, is_last = letters.copy(), letters.copy()
    is_first[1:] &= ~letters[:-1]
    is_last[:-1] &= ~letters[1:]
    first, last = np.flatnonzero(is_first | alone), np.flatnonzero(is_last | alone)
    up, down = _powers(len(codes))
    summed = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(lower[codes] * up, out=summed[1:])
    hashes = (summed[last + 1] - summed[first]) * down[first]
    starts = np.concatenate(([0], ends[:-1] + 1))
    return _Words(kinds, starts, hashes, last - first + 1, np.searchsorted(ends, first))


@lru_cache(1)
def _telling() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the hashes of words without content, and of those that dates are made of, sorted."""
    years = " ".join(map(str, range(1990, 2040)))
    stop_words, dates = (_words((words,)).hashes for words in (_STOP_WORDS, f"{_MONTHS} {years}"))
    return np.unique(stop_words), np.unique(dates)


def _are_in(hashes: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which are among the known ones, which are sorted."""
    at = known.searchsorted(hashes)
    is_in: NDArray[np.bool_] = known[np.minimum(at, len(known) - 1)] == hashes
    return is_in


_STOP_WORDS = """the of and to in a is that for it as was with be by on not he i this are or his
from at which but have an had they you were their one all we can her has there been if more when
will would who so no she other its may these what them than some him time into only do such my new
about out also two any up how then our your just because de la el en les des du et un une der die
und den von mit ist das le que los las para por con il di per
的是了在和有我不人这中大为上个到说们以要时来用就出会也可对能与而于其之被从或等但所后"""

_MONTHS = """jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june
july august september october november december"""
PRICE = re.compile(r"[$€£¥￥]\s?\d|\d\s?(?:€|USD|EUR|元|kr|zł)")
"""A number beside the sign of a currency."""
_LONG = 6
"""Characters of a word of the common ones, at most."""

# Of places.

_TAGS: Final = """p li td th div h1 h2 h3 h4 h5 h6 dt dd pre blockquote figcaption section article
    body label tr caption summary address legend fieldset header footer main aside figure ul ol dl
    table form details nav center""".split()
_NUMBER = {tag: number for number, tag in enumerate(_TAGS, 1)}
_AROUND = """article main aside nav header footer form section table ul ol dl li blockquote details
    figure""".split()
"""Elements of which it is said whether a line stands in one."""
_BIT = {tag: 1 << number for number, tag in enumerate(_AROUND)}

_LEVELS = 6
"""Elements around a line that are looked at one by one."""
_NAMED_LEVELS = 12
"""Elements around a line whose names are looked at."""
_WINDOWS = (2, 4, 8, 16)
"""Lines on either side of one that are looked at together."""
_BESIDE = 3
"""Lines on either side of one that are looked at one by one."""
_SHARES = (0.5, 0.75)
"""Of a page's prose, characters, stop words: the innermost elements that hold so much of them."""

Names: TypeAlias = Callable[[str, str], tuple[float, float, float, float]]
"""Of an element's classes and id: the least, the largest and the sum of what its known words say
for text, and how many are known (`crawler.extract.learned`)."""


class Features(NamedTuple):
    """What is seen of a page's lines."""

    blocks: dict[str, Numbers]
    """By name; each has a row a line, and one or more columns."""
    words: Integers
    """By line, how many words it has; an ideograph is one."""

    @property
    def table(self) -> NDArray[np.float32]:
        """All of them, a row a line."""
        return np.concatenate(list(self.blocks.values()), axis=1, dtype=np.float32)


def features(lines: Sequence[Line], title: str, names: Names) -> Features:
    """Return what is seen of lines, at least one, of a page of this title."""
    page = _Page(lines, title, names)
    blocks = {
        "text": page.text,
        "line": page.line,
        "in page": page.in_page(),
        "place": page.place(),
        "names": page.names(),
        **page.like(),
        "around": page.around(),
        "most": page.in_most(),
        "beside": page.beside(),
        "window": page.window(),
        "heading": page.under_heading(),
    }
    blocks["page"] = np.repeat(page.whole()[None], len(lines), axis=0)
    return Features(blocks, page.words)


class _Page:
    """A page's lines, and the elements they stand in."""

    def __init__(self, lines: Sequence[Line], title: str, names: Names) -> None:
        self._lines = lines
        self._n = n = len(lines)
        self._index = np.arange(n)
        self._linked = np.array([line.linked for line in lines], float)
        self._heading = np.array([_heading(line) for line in lines], float)
        self.text = self._read([*(line.text for line in lines), title])
        self._chars = chars = self.text[:, 0]
        prose = chars * ((chars >= PROSE) & (self._linked <= PROSE_LINKED * chars))
        self._prose = prose
        self.line = self._of_lines()
        each = (
            np.ones(n), chars, self._linked, prose, self.text[:, 2], self.text[:, 1],
            self._heading > 0, self._ends,
        )  # fmt: skip
        self._sums = np.stack(each, axis=1)
        """Of each line: 1, characters, linked ones, those of prose, stop words, words, whether it
        is a heading, whether it ends as a sentence."""
        self._before = np.zeros((n + 1, len(each)))
        np.cumsum(self._sums, axis=0, out=self._before[1:])
        self._total = np.maximum(self._before[-1], 1)
        self._grow(names)

    def _read(self, texts: list[str]) -> Numbers:
        """Return what the texts of lines say, the last one of `texts` being the title."""
        n = self._n
        words = _words(texts)
        ends = np.append(words.starts, len(words.kinds))

        def of_kind(kind: int) -> Numbers:
            at = np.flatnonzero((words.kinds & kind) != 0)
            return np.diff(at.searchsorted(ends))[:n].astype(float)

        stop_words, dates = _telling()
        of_title = words.hashes[words.lines == n]
        flags = (
            _are_in(words.hashes, stop_words),
            _are_in(words.hashes, dates),
            words.lengths > _LONG,
            np.isin(words.hashes, of_title),
        )
        count = np.bincount(words.lines, minlength=n + 1)
        self.words = count[:n]
        stops, dated, long, shared = (
            np.bincount(words.lines[flag], minlength=n + 1).astype(float)[:n] for flag in flags
        )
        chars = of_kind(_WORD)
        last = words.kinds[ends[1 : n + 1] - 2]
        self._ends = ((last & _END) != 0).astype(float)
        first = words.kinds[words.starts[:n]]
        is_letter = (first & (_WORD | _DIGIT)) == _WORD
        upper, digits, signs, commas, others = map(of_kind, _COUNTED)
        linked = self._linked / np.maximum(chars, 1)
        per_word, per_char = np.maximum(self.words, 1), np.maximum(chars, 1)
        self._dated = dated
        return np.stack(
            (
                chars, self.words, stops, commas, others, dated, linked, stops / per_word,
                signs / per_word, upper / per_char, digits / per_char, long / per_word,
                chars / per_word, self._ends, is_letter & ((first & _UPPER) != 0),
                is_letter & ((first & (_UPPER | _IDEOGRAPH)) == 0), (first & _DIGIT) != 0,
                shared / per_word, shared / max(1, len(of_title)),
            ),
            axis=1,
        )  # fmt: skip

    def _of_lines(self) -> Numbers:
        """Return what is known of each line besides its words."""
        times = Counter(line.text for line in self._lines)
        return np.array(
            [
                (
                    times[line.text],
                    PRICE.search(line.text) is not None,
                    line.text.isascii(),
                    line.text.endswith((":", "：")),
                    line.text.endswith(("...", "…")),
                    "?" in line.text or "？" in line.text,
                    line.marked != "",
                    line.broken,
                    line.chrome,
                    *_boxed(line),
                )
                for line in self._lines
            ],
            dtype=float,
        )

    def _grow(self, names: Names) -> None:
        """Number the elements in which lines stand, each after the one around it."""
        numbers: dict[Element, int] = {}
        elements: list[Element] = []
        of_line: list[int] = []
        parents: list[int] = []
        first: list[int] = []
        last: list[int] = []
        around: list[int] = []
        order: list[int] = []
        siblings: Counter[tuple[int, str]] = Counter()
        for number, line in enumerate(self._lines):
            element: Element | None = line.element
            chain = []
            while element is not None and element not in numbers:
                chain.append(element)
                element = element.parent
            above = numbers[element] if element is not None else -1
            for new in reversed(chain):
                numbers[new] = len(elements)
                elements.append(new)
                parents.append(max(above, 0))
                held = around[above] if above >= 0 else 0
                around.append(held | _BIT.get(new.tag, 0))
                first.append(number)
                last.append(number)
                siblings[above, new.place.path] += 1
                order.append(siblings[above, new.place.path])
                above = numbers[new]
            last[above] = number
            of_line.append(above)
        children = [0] * len(elements)
        for number in range(len(elements) - 1, 0, -1):
            parent = parents[number]
            children[parent] += 1
            last[parent] = max(last[parent], last[number])
        like = [
            siblings[parent if number else -1, element.place.path]
            for number, (parent, element) in enumerate(zip(parents, elements, strict=True))
        ]
        depth = [0] * len(elements)
        for number in range(1, len(elements)):
            depth[number] = depth[parents[number]] + 1
        self._elements = elements
        self._of_line = np.array(of_line)
        self._parents = np.array(parents)
        self._first, self._last = np.array(first), np.array(last)
        self._depth = np.array(depth)
        self._within = np.array(around)
        tags = np.array([_NUMBER.get(element.tag, 0) for element in elements], float)
        self._beside = np.stack((order, like, children, tags), axis=1).astype(float)
        self._named = np.array([names(one.classes, one.name) for one in elements])
        up = np.empty((_NAMED_LEVELS, self._n), int)
        up[0] = self._of_line
        for level in range(1, _NAMED_LEVELS):
            up[level] = self._parents[up[level - 1]]
        self._up = up

    def in_page(self) -> Numbers:
        """Return where in its page a line stands, by lines, characters and prose."""
        n, index, total = self._n, self._index, self._total
        before, after = self._before[:-1], self._before[1:]
        return np.stack(
            (
                index, n - index, index / n, after[:, 1] / total[1],
                (after[:, 3] - self._prose / 2) / total[3], before[:, 3], total[3] - after[:, 3],
            ),
            axis=1,
        )  # fmt: skip

    def place(self) -> Numbers:
        """Return what holds where a line stands: depth, elements around it."""
        depth = self._depth[self._of_line]
        within = self._within[self._of_line]
        places = [line.element.place for line in self._lines]
        said = [(place.sectioned, place.chrome) for place in places]
        bits = (within[:, None] >> np.arange(len(_AROUND))) & 1
        return np.column_stack((depth, said, bits)).astype(float)

    def names(self) -> Numbers:
        """Return what is known of the names of a line's element, of two around it, and of all."""
        named = self._named[self._up]  # level, line, (least, largest, sum, known)
        near = named[1:3]
        return np.column_stack(
            (
                named[0], near[..., 0].min(0), near[..., 1].max(0),
                named[..., 0].min(0), named[..., 1].max(0),
                named[..., 2].sum(0), named[..., 3].sum(0),
            )
        )  # fmt: skip

    def like(self) -> dict[str, Numbers]:
        """Return what the lines are together that stand as a line does."""
        elements = [self._elements[number] for number in self._of_line]
        around = [one.parent.place.path if one.parent else "" for one in elements]
        keys: tuple[tuple[str, list[Hashable]], ...] = (
            ("same path", [one.place.path for one in elements]),
            ("same parent", [*around]),
            ("same element", [(one.tag, one.classes) for one in elements]),
        )
        return {name: self._together(of) for name, of in keys}

    def _together(self, keys: Iterable[Hashable]) -> Numbers:
        numbers: dict[Hashable, int] = {}
        groups: Integers = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
        columns = self._sums.shape[1]
        flat: Integers = (groups[:, None] * columns + np.arange(columns)).ravel()
        held = np.bincount(flat, self._sums.ravel(), len(numbers) * columns).astype(np.float64)
        held = held.reshape(-1, columns)
        span = np.zeros((len(numbers), 2))
        span[groups, 1] = self._index  # the last one is written last
        span[groups[::-1], 0] = self._index[::-1]
        apart = (span[:, 1] - span[:, 0] + 1) / held[:, 0]
        together: Numbers = np.concatenate((self._shares(held), apart[:, None]), axis=1)
        return together[groups]

    def _shares(self, held: Numbers) -> Numbers:
        """Return of sums over lines, (any number, 8): their sizes, and shares of them."""
        lines, chars = np.maximum(held[..., 0], 1), np.maximum(held[..., 1], 1)
        return np.stack(
            (
                held[..., 0], held[..., 1], held[..., 1] / self._total[1], held[..., 2] / chars,
                held[..., 3] / chars, held[..., 3] / self._total[3],
                held[..., 4] / np.maximum(held[..., 5], 1), held[..., 6] / lines,
                held[..., 7] / lines, held[..., 1] / lines,
            ),
            axis=-1,
        )  # fmt: skip

    def around(self) -> Numbers:
        """Return what the elements around a line hold, and how they stand, innermost first."""
        up = self._up[:_LEVELS]
        held = self._shares(self._before[self._last + 1] - self._before[self._first])
        seen = np.concatenate((held, self._beside), axis=1)[up]
        return seen.transpose(1, 0, 2).reshape(self._n, -1)

    def in_most(self) -> Numbers:
        """Return how a line stands to the innermost elements that hold most of the page."""
        held = self._before[self._last + 1] - self._before[self._first]
        columns: list[Numbers] = []
        index, depth = self._index, self._depth[self._of_line]
        for what in 3, 1, 4:
            for share in _SHARES:
                holds = np.flatnonzero(held[:, what] >= share * self._total[what])
                best = holds[self._depth[holds].argmax()] if len(holds) else 0
                first, last = self._first[best], self._last[best]
                is_in = (index >= first) & (index <= last)
                columns += [
                    is_in,
                    np.clip((index - first) / max(last - first, 1), -1, 2),
                    np.maximum(first - index, 0) - np.maximum(index - last, 0),
                    np.where(is_in, depth - self._depth[best], -1),
                    np.full(self._n, held[best, 1] / self._total[1]),
                ]
        return np.stack(columns, axis=1).astype(float)

    def beside(self) -> Numbers:
        """Return what the next lines on either side are."""
        kinds: dict[str, int] = {}
        paths = [self._elements[number].place.path for number in self._of_line]
        path = np.array([kinds.setdefault(one, len(kinds)) for one in paths], float)
        seen = np.stack(
            (
                self._chars, self.text[:, 6], self._ends, self._heading, self.text[:, 7],
                self._beside[self._of_line, 3], path,
            ),
            axis=1,
        )  # fmt: skip
        padded = np.full((self._n + 2 * _BESIDE, seen.shape[1]), -1.0)
        padded[_BESIDE : _BESIDE + self._n] = seen
        columns = []
        for offset in range(-_BESIDE, _BESIDE + 1):
            if offset:
                there = padded[_BESIDE + offset :][: self._n].copy()
                there[:, -1] = there[:, -1] == path
                columns.append(there)
        return np.concatenate(columns, axis=1)

    def window(self) -> Numbers:
        """Return what a line and those near it are together."""
        columns = []
        for reach in _WINDOWS:
            first = np.maximum(self._index - reach, 0)
            last = np.minimum(self._index + reach + 1, self._n)
            held = self._shares(self._before[last] - self._before[first])
            columns.append(held[:, 1:])
        return np.concatenate(columns, axis=1)

    def under_heading(self) -> Numbers:
        """Return how a line stands to the last heading before it, and to the first h1."""
        at = np.maximum.accumulate(np.where(self._heading > 0, self._index, -1))
        last = np.concatenate(([-1], at[:-1]))
        far = np.where(last >= 0, self._index - last, self._n)
        level = np.where(last >= 0, self._heading[last], 0)
        h1 = np.flatnonzero(self._heading == 1)
        after = self._index - h1[0] if len(h1) else np.full(self._n, -9999)
        return np.stack((far, level, after), axis=1).astype(float)

    def whole(self) -> Numbers:
        """Return what the page is."""
        n, total = self._n, self._total
        tags = self._beside[self._of_line, 3]
        counted = np.concatenate(
            (
                [self.line[:, column].sum() for column in (1, 5)],
                [self._dated.sum()],
                [(tags == _NUMBER[tag]).sum() for tag in ("p", "li", "td", "tr", "dd")],
                [(self._prose > 0).sum(), (self._heading > 0).sum(), self.line[:, 2].sum()],
            )
        )
        return np.concatenate(
            (
                self._shares(self._before[-1])[[0, 1, 3, 4, 6, 7, 8, 9]], counted, counted / n,
                [total[3], self._chars.max(), (self._heading == 1).sum()],
            )
        )  # fmt: skip


def _heading(line: Line) -> int:
    heading = line.inside.heading
    return heading.level if heading is not None else 0


def _boxed(line: Line) -> tuple[int, bool, bool]:
    """Return how deep in boxes of structure a line stands, and whether in code or a table."""
    depth = line.box.depth if line.box is not None else 0
    return depth, line.inside.code is not None, line.inside.table is not None
