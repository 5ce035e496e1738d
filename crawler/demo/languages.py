"""What articles are made of: seeded choices among the words and patterns of English or Chinese."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import ClassVar, TypeVar

T = TypeVar("T")

Cast = Mapping[str, tuple[str, ...]]
"""Slot name -> the words one article may put there."""

_SECTION = re.compile(r"^\[([\w.]+)\]$", re.MULTILINE)
_SLOTS = {
    "noun": "{topic}.noun",
    "verb": "{topic}.verb",
    "adj": "{topic}.adj",
    "cnoun": "common.noun",
    "cverb": "common.verb",
    "cadj": "common.adj",
    "adverb": "adverb",
    "time": "time",
}
"""Slot -> the section its words are drawn from, in the order in which they are drawn."""


class Dice:
    """Choices from a named stream, the same on every machine and Python version.

    Only `Random.random()` is used: Python promises its sequence for a seed across versions, and
    promises nothing of the kind for `choice`, `sample` or `shuffle`. String seeds are hashed with
    SHA-512 by `random`, so neither PYTHONHASHSEED nor the platform matters.
    """

    def __init__(self, *name: object) -> None:
        self._random = random.Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """Return an integer in 0..limit-1."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return an integer in low..high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of `options`."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], count: int) -> tuple[T, ...]:
        """Return `count` different positions of `options` in random order (all, if fewer)."""
        deck = list(options)
        for place in range(min(count, len(deck))):
            other = place + self.below(len(deck) - place)
            deck[place], deck[other] = deck[other], deck[place]
        return tuple(deck[:count])


class Wordbook:
    """The sections of one file in `crawler/demo/words`."""

    def __init__(self, name: str) -> None:
        source = resources.files("crawler.demo") / "words" / f"{name}.txt"
        _, *parts = _SECTION.split(source.read_text(encoding="utf-8"))
        sections: dict[str, str] = dict(zip(parts[::2], parts[1::2], strict=True))
        self.words = {name: tuple(text.split()) for name, text in sections.items()}
        """Section -> its words; a hyphen within one stays."""
        self.lines = {name: tuple(text.strip().split("\n")) for name, text in sections.items()}
        """Section -> its patterns."""


class Language(ABC):
    """What tells one language's prose from another's."""

    code: ClassVar[str]
    joiner: ClassVar[str]
    """Between sentences."""
    _sizes: ClassVar[tuple[int, ...]]
    """How many words an article has for each of `_SLOTS`."""
    _numerals: ClassVar[tuple[str, ...]]
    _numbers: ClassVar[tuple[int, int]]
    """How many numbers of an article are words, and how many are digits."""

    def __init__(self) -> None:
        self.book = Wordbook(self.code)

    def cast(self, dice: Dice, topic: str) -> Cast:
        """Return the words of one article."""
        words = {
            slot: dice.some(self.book.words[section.format(topic=topic)], size)
            for (slot, section), size in zip(_SLOTS.items(), self._sizes, strict=True)
        }
        words["place"] = tuple(self._place(dice) for _ in range(5))
        words["person"] = tuple(self._person(dice) for _ in range(6))
        spelt, digits = self._numbers
        words["number"] = dice.some(self._numerals, spelt) + tuple(
            str(dice.between(13, 900)) for _ in range(digits)
        )
        words["org"] = tuple(self._organisation(dice, words["place"]) for _ in range(3))
        return words

    @abstractmethod
    def _place(self, dice: Dice) -> str:
        """Return the name of a place."""

    @abstractmethod
    def _person(self, dice: Dice) -> str:
        """Return the name of a person."""

    @abstractmethod
    def _organisation(self, dice: Dice, places: tuple[str, ...]) -> str:
        """Return the name of an organisation, at one of the places."""


class English(Language):
    """English, with plurals and names made of syllables."""

    code = "en"
    joiner = " "
    _sizes = (14, 9, 9, 13, 12, 11, 9, 6)
    _numerals = tuple("two three four five six seven eight nine eleven twelve forty sixty".split())
    _numbers = (5, 6)

    def cast(self, dice: Dice, topic: str) -> Cast:
        """Return the words of one article, nouns in both numbers."""
        words = dict(super().cast(dice, topic))
        words["time"] = tuple(time.replace("-", " ") for time in words["time"])
        words["nouns"] = tuple(map(_plural, words["noun"]))
        words["cnouns"] = tuple(map(_plural, words["cnoun"]))
        return words

    def _place(self, dice: Dice) -> str:
        name = dice.pick(self.book.words["syllable"]) + dice.pick(self.book.words["placetail"])
        return name.capitalize()

    def _person(self, dice: Dice) -> str:
        surname = "".join(dice.pick(self.book.words["syllable"]) for _ in range(2))
        return f"{dice.pick(self.book.words['given'])} {surname.capitalize()}"

    def _organisation(self, dice: Dice, places: tuple[str, ...]) -> str:
        return f"the {dice.pick(places)} {dice.pick(self.book.words['orgtail'])}"


class Chinese(Language):
    """Chinese, in words that a dictionary tokenizer knows."""

    code = "zh"
    joiner = ""
    _sizes = (13, 7, 6, 13, 12, 10, 9, 7)
    _numerals = tuple("两 三 四 五 六 七 八 九 十二 二十 四十 六十 一百".split())
    _numbers = (7, 4)

    def _place(self, dice: Dice) -> str:
        name = "".join(dice.some(self.book.words["placechar"], 2))
        return name + dice.pick(self.book.words["placetail"])

    def _person(self, dice: Dice) -> str:
        given = "".join(dice.some(self.book.words["givenchar"], 2))
        return dice.pick(self.book.words["surname"]) + given

    def _organisation(self, dice: Dice, places: tuple[str, ...]) -> str:
        return dice.pick(places)[:2] + dice.pick(self.book.words["orgtail"])


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
