"""The articles of the demo web.

Seeded choices among words and patterns of English or Chinese, and their edited versions.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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


# Articles: sentence patterns filled with words, the same machinery for every language.
#
# Each article is written from its own small cast (its people, places and a part of its topic's
# words), so two articles share neither sentences nor most of their vocabulary, as real ones do
# not.

SHORT = (13, 24)
LONG = (29, 34)
"""Sentences of an article: 150-400 and 450-600 English words, 350-800 and 900-1,200 Chinese
characters. Near copies are made of long ones, so that an edit stays below a tenth of the text."""

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a heading: `tag` is `p` or `h2`."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """What a page is about; its layout comes later."""

    language: str
    topic: str
    title: str
    author: str
    date: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """Title and blocks, one a line."""
        return "\n".join((self.title, *(block.text for block in self.blocks)))


class Writer:
    """Writes one piece: everything comes from `dice`, so equal dice give equal pieces."""

    def __init__(self, language: Language, dice: Dice, topic: str) -> None:
        self.language = language
        self.topic = topic
        self.dice = dice
        self.cast = language.cast(dice, topic)
        self._patterns: list[str] = []

    def line(self, section: str) -> str:
        """Return one filled pattern of a section, e.g. a title."""
        return self._fill(self.dice.pick(self.language.book.lines[section]))

    def sentence(self) -> str:
        """Return a sentence; every pattern is used once before one comes again."""
        if not self._patterns:
            deck = self.language.book.lines["pattern"]
            self._patterns = list(self.dice.some(deck, len(deck)))
        return self._fill(self._patterns.pop())

    def paragraph(self, sentences: int) -> str:
        """Return that many sentences."""
        return self.language.joiner.join(self.sentence() for _ in range(sentences))

    def article(self, length: tuple[int, int]) -> Article:
        """Return an article of so many sentences, from-to; see SHORT and LONG."""
        title = self.line("title")
        left = self.dice.between(*length)
        blocks: list[Block] = []
        while left > 0:
            if len(blocks) % 4 == 2:
                blocks.append(Block("h2", self.line("heading")))
            size = left if left < 8 else self.dice.between(4, 6)
            blocks.append(Block("p", self.paragraph(size)))
            left -= size
        author = self.dice.pick(self.cast["person"])
        d = self.dice
        date = f"{d.between(2012, 2025)}-{d.between(1, 12):02}-{d.between(1, 28):02}"
        return Article(self.language.code, self.topic, title, author, date, tuple(blocks))

    def _fill(self, pattern: str) -> str:
        return _SLOT.sub(self._word, pattern)

    def _word(self, slot: re.Match[str]) -> str:
        name = slot.group(1)
        word = self.dice.pick(self.cast[name.lower()])
        return word if name.islower() else word[0].upper() + word[1:]


_EDITED_WORDS = 10
_EDITED_CHARACTERS = 22
"""About 2 % of a long article. An edit of n words spoils n + 2 word 3-grams on either side."""

_SHARED = 4
"""Blocks: two paragraphs, a heading and a third. About half of an article, so a Jaccard similarity
of about a third."""


class Library:
    """Articles by key; a pure function of (seed, key), with the recently used ones kept."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._languages: dict[str, Language] = {"en": English(), "zh": Chinese()}
        self._fixed = Wordbook("fixed")
        self.article = lru_cache(maxsize=4096)(self._article)

    def topics(self, language: str) -> tuple[str, ...]:
        """Return the topics a language has words for."""
        return self._languages[language].book.words["topics"]

    def writer(self, language: str, *key: object, topic: str | None = None) -> Writer:
        """Return a writer whose pieces depend on the seed and key only."""
        dice = Dice(self._seed, language, *key)
        return Writer(self._languages[language], dice, topic or dice.pick(self.topics(language)))

    def _article(
        self, key: str, language: str, long: bool = False, topic: str | None = None
    ) -> Article:
        return self.writer(language, key, topic=topic).article(LONG if long else SHORT)

    def bilingual(self, key: str) -> Article:
        """Return an article whose paragraphs are Chinese and English by turns."""
        zh, en = self.article(key, "zh", True), self.article(key, "en", True)
        pairs = zip(zh.blocks[:5], en.blocks[:5], strict=True)
        blocks = tuple(block for pair in pairs for block in pair)
        return replace(zh, title=f"{zh.title} / {en.title}", blocks=blocks)

    def fixed(self, section: str) -> Article:
        """Return the hand-written article of a script without a grammar: `ja` or `big5`."""
        lines = self._fixed.lines[section]
        blocks = tuple(Block("p", "".join(lines[n : n + 4])) for n in range(0, len(lines), 4))
        return Article(section[:2], section, lines[0][:12], lines[1][:4], "2020-02-20", blocks)

    def same_beginning(self, article: Article, other: Article) -> Article:
        """Return `other` opening as `article` does, for three paragraphs: a hard negative."""
        return replace(other, blocks=article.blocks[:_SHARED] + other.blocks[_SHARED:])

    def with_paragraph(self, article: Article, key: str) -> Article:
        """Return the article with one more sentence, as a paragraph of its own.

        There is no number in it: a page that tells one more may be another page.
        """
        sentences = iter(self._editor(article, key).sentence, None)
        extra = Block("p", next(one for one in sentences if _is_plain((one,))))
        middle = len(article.blocks) // 2
        return replace(article, blocks=(*article.blocks[:middle], extra, *article.blocks[middle:]))

    def with_edits(self, article: Article, key: str) -> Article:
        """Return the article with about a fiftieth of its words replaced, all in one place.

        Its numbers are left alone: a page with another number in it may be another page.
        """
        glue, length = (
            (" ", _EDITED_WORDS) if article.language == "en" else ("", _EDITED_CHARACTERS)
        )
        sentences = iter(self._editor(article, key).sentence, None)
        new = next(run for one in sentences if _is_plain(run := _cut(glue, one)[:length]))
        blocks = list(article.blocks)
        for place, block in reversed(list(enumerate(blocks))):
            words = _cut(glue, block.text)
            at = _plain_run(words, length)
            if block.tag == "p" and at is not None:
                words[at : at + length] = new
                blocks[place] = Block("p", glue.join(words))
                break
        return replace(article, blocks=tuple(blocks))

    def _editor(self, article: Article, key: str) -> Writer:
        return self.writer(article.language, "edit", key, topic=article.topic)


def _cut(glue: str, text: str) -> list[str]:
    """Return the words of a text, or its characters."""
    return text.split(glue) if glue else list(text)


def _plain_run(words: Sequence[str], length: int) -> int | None:
    """Return where so many words without a number begin, the first from a third of the text on."""
    third = len(words) // 3
    places = (*range(third, len(words) - length), *range(third))
    return next((n for n in places if _is_plain(words[n : n + length])), None)


def _is_plain(words: Sequence[str]) -> bool:
    return not any(character.isdecimal() for word in words for character in word)
