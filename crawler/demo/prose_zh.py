"""Chinese: whom and what an article speaks of, in words that a dictionary tokenizer knows."""

from __future__ import annotations

from crawler.demo.dice import Dice
from crawler.demo.prose import Cast, Language, Wordbook

_NUMBERS = tuple("两 三 四 五 六 七 八 九 十二 二十 四十 六十 一百".split())


def chinese() -> Language:
    """Return the Chinese language of the demo web."""
    book = Wordbook("zh")

    def cast(dice: Dice, topic: str) -> Cast:
        words = {
            "noun": dice.some(book.words(f"{topic}.noun"), 13),
            "verb": dice.some(book.words(f"{topic}.verb"), 7),
            "adj": dice.some(book.words(f"{topic}.adj"), 6),
            "cnoun": dice.some(book.words("common.noun"), 13),
            "cverb": dice.some(book.words("common.verb"), 12),
            "cadj": dice.some(book.words("common.adj"), 10),
            "adverb": dice.some(book.words("adverb"), 9),
            "time": dice.some(book.words("time"), 7),
            "place": tuple(_place(book, dice) for _ in range(5)),
            "person": tuple(_person(book, dice) for _ in range(6)),
            "number": dice.some(_NUMBERS, 7) + tuple(str(dice.between(13, 900)) for _ in range(4)),
        }
        words["org"] = tuple(
            dice.pick(words["place"])[:2] + dice.pick(book.words("orgtail")) for _ in range(3)
        )
        return words

    return Language("zh", book, "", cast)


def _place(book: Wordbook, dice: Dice) -> str:
    return "".join(dice.some(book.words("placechar"), 2)) + dice.pick(book.words("placetail"))


def _person(book: Wordbook, dice: Dice) -> str:
    given = "".join(dice.some(book.words("givenchar"), 2))
    return dice.pick(book.words("surname")) + given
