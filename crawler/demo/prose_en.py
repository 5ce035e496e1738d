"""English: whom and what an article speaks of."""

from __future__ import annotations

from crawler.demo.dice import Dice
from crawler.demo.prose import Cast, Language, Wordbook

_NUMBERS = tuple("two three four five six seven eight nine eleven twelve forty sixty".split())


def english() -> Language:
    """Return the English language of the demo web."""
    book = Wordbook("en")

    def cast(dice: Dice, topic: str) -> Cast:
        words = {
            "noun": dice.some(book.words(f"{topic}.noun"), 14),
            "verb": dice.some(book.words(f"{topic}.verb"), 9),
            "adj": dice.some(book.words(f"{topic}.adj"), 9),
            "cnoun": dice.some(book.words("common.noun"), 13),
            "cverb": dice.some(book.words("common.verb"), 12),
            "cadj": dice.some(book.words("common.adj"), 11),
            "adverb": dice.some(book.words("adverb"), 9),
            "time": tuple(t.replace("-", " ") for t in dice.some(book.words("time"), 6)),
            "place": tuple(_place(book, dice) for _ in range(5)),
            "person": tuple(_person(book, dice) for _ in range(6)),
            "number": dice.some(_NUMBERS, 5) + tuple(str(dice.between(13, 900)) for _ in range(6)),
        }
        words["nouns"] = tuple(map(_plural, words["noun"]))
        words["cnouns"] = tuple(map(_plural, words["cnoun"]))
        words["org"] = tuple(_organisation(book, dice, words["place"]) for _ in range(3))
        return words

    return Language("en", book, " ", cast)


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _place(book: Wordbook, dice: Dice) -> str:
    name = dice.pick(book.words("syllable")) + dice.pick(book.words("placetail"))
    return name.capitalize()


def _person(book: Wordbook, dice: Dice) -> str:
    surname = "".join(dice.pick(book.words("syllable")) for _ in range(2))
    return f"{dice.pick(book.words('given'))} {surname.capitalize()}"


def _organisation(book: Wordbook, dice: Dice, places: tuple[str, ...]) -> str:
    return f"the {dice.pick(places)} {dice.pick(book.words('orgtail'))}"
