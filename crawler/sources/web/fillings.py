"""Which pages are filled: made of the data that they carry, as a browser makes others of theirs.

Fillings (`crawler.extract.filling`) are learned from rendered pages of one part of a site
(`crawler.sources.web.rendering`), several where its pages are of several kinds. One that was
learned from at least two fills pages once it has been right about another, which it had not learned
from: that one was rendered, filled, and both were read, by the reader of all pages. What is not
filled is rendered, and taught by; so are audits. Where a filling then says something else, it
fills no page until it has been right once more, and after `MOST_WRONG` times none for ever.

To learn takes as long as to render some pages: a part may cost `CREDIT` pages that teach, and one
more for each that was filled.

What is kept of a part (the table `fillings`) is JSON, compressed by zlib (RFC 1950): the numbers of
`_Part`, and of each filling what it was learned from, of which it is learned anew.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from crawler.extract.filling import Items, Unfilled, fill, learn, shown_paths
from crawler.extract.guard import Guard, Unexplained
from crawler.models import KeptFilling

CREDIT = 32
"""Pages that may teach a part without that any was filled."""

MOST_EXAMPLES = 24
"""That a filling is learned from, each some 20 kB, compressed. None is forgotten: what is not known
of a state is told by its guard, that knows them all."""

FORM = "2"
"""In which parts are kept: what is kept in another one is learned anew."""

LEAST_PROOFS = 3
"""Pages that a filling has to be right about before it fills others."""

MOST_FILLINGS = 4
"""Of a part: for its home, articles, lists and authors."""

MOST_WRONG = 2

MOST_EXAMPLE = 1024 * 1024
"""Bytes of a rendered page that is learned from."""

MOST_HELD = 64 * 1024 * 1024
"""Bytes of all examples that a run takes in."""

Example = bytes
"""The state of a page and the HTML that became of it: a list in JSON, compressed."""
Same = Callable[[bytes], Awaitable[bool]]
"""Whether a page reads as the rendered one, given as HTML in UTF-8."""


_Made = TypeVar("_Made")


@dataclass(slots=True)
class _Filling:
    examples: list[Example]
    guard: Guard
    proofs: list[bytes] = field(default_factory=list)
    """States of pages that it had not learned from, and said the same of as a browser."""
    items: Items | None = None
    """None of a single example, and of one that was kept until it is asked for."""
    shown: frozenset[str] = frozenset()

    @classmethod
    def of(cls, examples: list[Example], guard: Guard | None = None) -> _Filling:
        """Learn one. Raises Unexplained."""
        made = cls(examples, guard or Guard())
        made.guard.widen(_example(examples[-1])[0])
        made._learn()
        return made

    def _learn(self) -> None:
        if len(self.examples) > 1:
            self.items = learn([_example(packed) for packed in self.examples])
            self.shown = frozenset(shown_paths(self.items))

    def with_(self, example: Example) -> _Filling:
        """Return one that is learned from one page more. Raises Unexplained.

        What proved this one proves it as well, where it says the same.
        """
        if len(self.examples) == MOST_EXAMPLES or not self.guard.is_like(_example(example)[0]):
            raise Unexplained
        made = _Filling.of([*self.examples, example], self.guard.copy())
        for state in self.proofs:
            if made.fill(state, known=False) == self.fill(state, known=False):
                made.proofs.append(state)
        return made

    @property
    def is_proven(self) -> bool:
        """Whether pages may be filled by it."""
        return len(self.proofs) >= LEAST_PROOFS

    def leaves(self, example: Example) -> bool:
        """Whether enough pages have shown that it will never say what such a one shows."""
        try:
            if self.items and 3 * len(self.examples) >= MOST_EXAMPLES:
                fill(self.items, _example(example)[0])
        except Unexplained:
            return True
        except Unfilled:
            pass
        return False

    def knows(self, state: bytes) -> bool:
        """Whether nothing in a state is new."""
        return self.guard.admits(json.loads(state), self.shown)

    def fill(self, state: bytes, *, known: bool) -> str | None:
        """Return the page of a state; None where that is not known, or not all of it if it has to.

        What is `known` is the guard's to say.
        """
        try:
            parsed = json.loads(state)
            if self.items is None:
                self._learn()
            if self.items is None or (known and not self.guard.admits(parsed, self.shown)):
                return None
            return fill(self.items, parsed)
        except (RecursionError, Unexplained, Unfilled):
            return None


@dataclass(slots=True)
class _Part:
    fillings: list[_Filling] = field(default_factory=list)
    taught: int = 0
    """Pages that were taught by."""
    filled: int = 0
    wrong: int = 0
    """Pages that a filling would have filled otherwise than the browser."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def hopes(self) -> bool:
        """Whether it may learn more."""
        return self.wrong < MOST_WRONG and self.taught - self.filled < CREDIT

    @property
    def fills(self) -> bool:
        """Whether pages of it may be filled."""
        return self.wrong < MOST_WRONG and any(one.is_proven for one in self.fillings)

    def packed(self) -> bytes:
        """Return what is kept of it."""
        fillings = [
            {
                "examples": [b64encode(packed).decode() for packed in one.examples],
                "guard": one.guard.known,
                "proofs": [state.decode() for state in one.proofs],
            }
            for one in self.fillings
        ]
        told = [FORM, self.taught, self.filled, self.wrong, fillings]
        return zlib.compress(json.dumps(told).encode())

    @classmethod
    def unpacked(cls, packed: bytes) -> _Part:
        """Return a part that was kept; a new one in place of another form's."""
        form, *told = json.loads(zlib.decompress(packed))
        if form != FORM or len(told) != 4:
            return cls()
        taught, filled, wrong, fillings = told
        part = cls(taught=taught, filled=filled, wrong=wrong)
        for one in fillings:
            examples = [b64decode(packed) for packed in one["examples"]]
            proofs = [state.encode() for state in one["proofs"]]
            part.fillings.append(_Filling(examples, Guard(one["guard"]), proofs))
        return part


def _example(packed: Example) -> tuple[Any, str]:
    state, html = json.loads(zlib.decompress(packed))
    return state, html


class Fillings:
    """Those of all parts; `kept` are those of earlier runs."""

    def __init__(self, kept: Iterable[KeptFilling]) -> None:
        self._kept = {(one.host, one.part): one.packed for one in kept}
        self._parts: dict[tuple[str, str], _Part] = {}
        self._changed = dict[tuple[str, str], None]()
        self._held = 0
        self._computing = asyncio.Lock()

    def _part(self, host: str, name: str) -> _Part:
        key = host, name
        if key not in self._parts:
            packed = self._kept.pop(key, None)
            self._parts[key] = _Part() if packed is None else _Part.unpacked(packed)
        return self._parts[key]

    def is_on_trial(self, host: str, name: str) -> bool:
        """Whether nothing is filled yet, and the next pages may change that."""
        part = self._part(host, name)
        return part.hopes and not part.fills

    async def fill(self, host: str, name: str, state: bytes) -> str | None:
        """Return a page by its state; None where a browser has to."""
        part = self._part(host, name)
        if not part.fills:
            return None
        trusted = [one for one in part.fillings if one.is_proven]
        found = await self._apart(
            lambda: {html for one in trusted if (html := one.fill(state, known=True)) is not None}
        )
        if len(found) != 1:
            return None
        part.filled += 1
        return found.pop()

    async def taught(
        self, host: str, name: str, state: bytes, html: str | None, same: Same
    ) -> None:
        """Learn of a page that was rendered, or see whether it is as it would have been filled.

        None as its `html` says that it was not seen whole: it only counts.
        """
        part = self._part(host, name)
        async with part.lock:
            if not (part.hopes or part.fills):
                return
            hopes = part.hopes and self._held < MOST_HELD
            part.taught += 1
            self._changed[host, name] = None
            if html is None or len(html) > MOST_EXAMPLE:
                return
            for one in part.fillings:
                filled = await self._apart(partial(one.fill, state, known=not hopes))
                if filled is None:
                    continue
                if await same(filled.encode("utf-8", "replace")):
                    one.guard.widen(json.loads(state))
                    one.proofs = [*one.proofs, state][-LEAST_PROOFS:]
                    return
                if one.knows(state):
                    part.wrong += one.is_proven
                    one.proofs.clear()
            if hopes:
                example = zlib.compress(json.dumps([json.loads(state), html]).encode())
                self._held += len(example)
                await self._apart(partial(self._learn, part, example))
            if not (part.hopes or part.fills):
                part.fillings.clear()

    async def _apart(self, work: Callable[[], _Made]) -> _Made:
        """Have something computed beside the event loop, one thing at a time."""
        async with self._computing:
            return await asyncio.to_thread(work)

    @staticmethod
    def _learn(part: _Part, example: Example) -> None:
        """Learn by one more page: as one of those of a filling, else as the first of another."""
        for number, one in enumerate(part.fillings):
            if one.leaves(example):
                return
            try:
                made = one.with_(example)
            except Unexplained:
                continue
            if made.is_proven or not one.is_proven:
                part.fillings[number] = made
                return
        try:
            part.fillings.append(_Filling.of([example]))
        except Unexplained:
            return
        if len(part.fillings) > MOST_FILLINGS:
            # What no other page was like, the oldest of them, unless all but this one have been.
            lone = next(one for one in part.fillings if len(one.examples) == 1)
            part.fillings.remove(lone)

    def take_changes(self) -> tuple[KeptFilling, ...]:
        """Return, once, what has changed since: to be stored with the next end."""
        changed, self._changed = self._changed, {}
        return tuple(KeptFilling(*key, self._parts[key].packed()) for key in changed)
