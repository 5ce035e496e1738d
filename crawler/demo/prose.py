"""Articles: sentence patterns filled with words, the same machinery for every language.

Each article is written from its own small cast (its people, places and a part of its topic's
words), so two articles share neither sentences nor most of their vocabulary, as real ones do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from crawler.demo.languages import Dice, Language

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
        return Article(self.language.code, self.topic, title, author, self._date(), tuple(blocks))

    def _date(self) -> str:
        d = self.dice
        return f"{d.between(2012, 2025)}-{d.between(1, 12):02}-{d.between(1, 28):02}"

    def _fill(self, pattern: str) -> str:
        return _SLOT.sub(self._word, pattern)

    def _word(self, slot: re.Match[str]) -> str:
        name = slot.group(1)
        word = self.dice.pick(self.cast[name.lower()])
        return word if name.islower() else word[0].upper() + word[1:]
