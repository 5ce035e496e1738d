"""Whether a page certainly is within bounds, found out at little more than the cost of its tags.

The open elements are followed as the standard has it where each end tag stands for the last open
element, after those that it surely implies. Everything else is a mistake in the markup, and parsers
make more of it than is followed here: how much more is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from crawler.extract.bounds.limits import MAX_DEPTH, MAX_FORMATTING, MAX_ROOTS
from crawler.extract.bounds.nesting import (
    BREAKOUT,
    ENDS,
    FOREIGN,
    FORMATTING,
    MARKERS,
    ROOTS,
    SPECIAL,
    STARTS,
    TABLE_MARKERS,
    TABLE_PARTS,
    VOID,
    Chain,
)
from crawler.extract.bounds.tags import RAW, lowered, tag_names

_FEW = 512
"""Start tags that no page is looked at for: whatever they say, it takes some 50 ms."""
_SMALL = 20_000
"""Characters of such a page that is not looked at for its roots either."""
_MANY_MISTAKES = 1_000
"""End tags for other than the last element, of a page that is not looked at any further."""
_NO_NAME = re.compile(r"\A[^a-z]|[\t\n\f\r />]")
_ROOT = re.compile(r"<(?:html|body|frameset)[\s/>]", re.IGNORECASE)


def may_be_deep(html: str) -> bool:
    """Whether a page may have elements, formatting or roots beyond bounds."""
    if html.count("<") - html.count("</") <= _FEW:
        return len(html) > _SMALL and len(_ROOT.findall(html)) > 2 * MAX_ROOTS
    return not _is_within(map(_Numbers().__getitem__, tag_names(html)))


# --------------------------------------------------------------------------------------------------
# Names as numbers: those of end tags are negative, 0 says nothing. What needs a closer look has
# the smallest ones, formatting first.

_NOTHING = 0
_ODD = 1
"""Whatever makes it doubtful where the next tags are."""
_OTHER_NAMES = sorted(FOREIGN | {"select"})
_RULED = [
    *sorted(FORMATTING),
    *sorted(ROOTS),
    *sorted(VOID - BREAKOUT),
    *_OTHER_NAMES,
    *sorted(STARTS),
]
_KNOWN = [*_RULED, *sorted(SPECIAL - {*_RULED} - RAW - {"head"})]
_ID = {name: number for number, name in enumerate(_KNOWN, _ODD + 1)}
_LAST_FORMATTING = _ID[sorted(FORMATTING)[-1]]
_LAST_ROOT = _ID[sorted(ROOTS)[-1]]
_LAST_VOID = _ID[sorted(VOID - BREAKOUT)[-1]]
_LAST_OTHER = _ID[_OTHER_NAMES[-1]]
_LAST_RULED = _ID[sorted(STARTS)[-1]]
_NUMBERS = {
    **_ID,
    **{f"/{name}": -number for name, number in _ID.items()},
    **dict.fromkeys(("head", "/head", *(f"/{name}" for name in ROOTS)), _NOTHING),
    **dict.fromkeys(VOID & BREAKOUT, _NOTHING),
    **{f"/{name}": _NOTHING for name in VOID},
    "": _NOTHING,
    **dict.fromkeys((*RAW, "frameset"), _ODD),
    **{f"/{name}": -_ODD for name in RAW},
}


class _Numbers(dict[str, int]):
    """The numbers of names as written; other names than the known ones get theirs as they come."""

    def __init__(self) -> None:
        super().__init__(_NUMBERS)

    def __missing__(self, written: str) -> int:
        name = lowered(written)
        if name not in self:
            bare = name.removeprefix("/")
            if _NO_NAME.search(bare):
                self[name] = _ODD
            else:
                self[bare] = number = len(self)
                self[f"/{bare}"] = -number
        self[written] = self[name]
        return self[name]


def _ids(names: Iterable[str]) -> frozenset[int]:
    return frozenset(_ID[name] for name in names if name in _ID)


def _chains(chains: dict[str, Chain]) -> dict[int, tuple[frozenset[int], ...]]:
    return {_ID[name]: tuple(map(_ids, chain)) for name, chain in chains.items()}


_STARTS, _ENDS = _chains(STARTS), _chains(ENDS)
_ENDED = frozenset(tag for chain in _STARTS.values() for tags in chain for tag in tags)
"""What start tags may end at all: most stand within something else."""
_SPECIAL, _MARKERS, _OTHERS = _ids(SPECIAL), _ids(MARKERS), _ids(FOREIGN | {"select"})
_TABLE_PARTS, _TABLE_MARKERS = _ids(TABLE_PARTS), _ids(TABLE_MARKERS)
_BY_NAMESPACE = _ids(("a", "tr", "td", "th", "tbody", "tfoot", "thead", "option", "optgroup"))
"""End others like them only where they are no elements of FOREIGN ones."""


# --------------------------------------------------------------------------------------------------


def _is_within(tags: Iterable[int]) -> bool:
    """Whether elements and formatting that tags, as numbers, leave open stay within bounds.

    What is open to a parser is open here as well, but for what mistakes have ended here
    (`_Mistakes`), and for elements that a parser adds: those of tables, formatting opened anew.
    """
    stack = [_NOTHING] * (MAX_DEPTH + 2)
    mistakes = _Mistakes(stack)
    last = formatting = most = roots = 0
    for tag in tags:
        if tag < _NOTHING:
            if stack[last] == -tag:
                last -= 1
                if tag >= -_LAST_FORMATTING:
                    formatting -= 1
            elif tag == -_ODD:
                if mistakes.may_stand_in_others(last):
                    return False
            else:
                last = mistakes.end(last, -tag)
                formatting -= mistakes.formatting_ended
                if mistakes.count > _MANY_MISTAKES:
                    return False
            continue
        if tag > _LAST_OTHER:
            if tag <= _LAST_RULED and stack[last] in _ENDED:
                last = mistakes.begin(last, tag)
        elif tag > _LAST_VOID:
            mistakes.has_others = True
        elif tag > _LAST_ROOT:
            mistakes.others += mistakes.has_others
            continue
        elif tag > _LAST_FORMATTING:
            roots += 1
            continue
        elif tag > _ODD:
            formatting += 1
            if formatting > most:
                most = formatting
        elif tag == _ODD:
            return False
        else:
            continue
        last += 1
        if last > MAX_DEPTH:
            return False
        stack[last] = tag
    return roots <= 2 * MAX_ROOTS and mistakes.are_within(stack.index(_NOTHING, 1) - 1, most)


class _Mistakes:
    """Tags that end other elements than the last one, and what they may do.

    Elements that they end here may still be open to a parser. A special one of these may keep it
    from ending as many elements as are open at that time, once; others only add to the depth.
    """

    def __init__(self, stack: list[int]) -> None:
        self._stack = stack
        self.count = 0
        self.special = 0
        self.others = 0
        self.formatting = 0
        self.formatting_ended = 0
        """By the last tag."""
        self.has_others = False
        """Whether there were elements in which names mean other things (`_OTHERS`)."""

    def are_within(self, depth: int, formatting: int) -> bool:
        """Whether as many elements, and formatting among them, leave all within bounds."""
        times = self.special + 1
        return (
            times * (depth + 1) + self.others <= MAX_DEPTH
            and times * formatting + self.formatting <= MAX_FORMATTING
        )

    def may_stand_in_others(self, last: int) -> bool:
        """Whether what comes may be part of elements in which names mean other things."""
        self.count += 1
        return self.has_others and (
            self.special > 0 or not _OTHERS.isdisjoint(self._stack[: last + 1])
        )

    def begin(self, last: int, tag: int) -> int:
        """Return which element is the last one after those that a start tag surely ends."""
        stack = self._stack
        for ends in _STARTS[tag]:
            if stack[last] in ends:
                if tag in _BY_NAMESPACE and self.has_others and self.may_stand_in_others(last):
                    return last
                last -= 1
        return last

    def end(self, last: int, tag: int) -> int:
        """Return which element is the last one after an end tag."""
        stack = self._stack
        self.formatting_ended = 0
        implied = last
        for ends in _ENDS.get(tag, ()):
            if stack[implied] in ends:
                implied -= 1
        if stack[implied] == tag:
            return implied - 1
        self.count += 1
        barriers = _SPECIAL
        if tag in _TABLE_PARTS:
            barriers = _TABLE_MARKERS
        elif tag in _SPECIAL:
            barriers = _MARKERS
        for place in range(last, 0, -1):
            if stack[place] == tag:
                self._lose(stack[place + 1 : last + 1])
                return place - 1
            if stack[place] in barriers:
                break
        return last

    def _lose(self, elements: Sequence[int]) -> None:
        special = sum(map(_SPECIAL.__contains__, elements))
        self.special += special
        self.others += len(elements) - special
        self.formatting_ended = sum(element <= _LAST_FORMATTING for element in elements)
        self.formatting += self.formatting_ended
