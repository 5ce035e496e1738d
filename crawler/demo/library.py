"""The library: every article of a web, written when first asked for, and its edited versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from crawler.demo.languages import Chinese, Dice, English, Language, Wordbook
from crawler.demo.prose import LONG, SHORT, Article, Block, Writer

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
