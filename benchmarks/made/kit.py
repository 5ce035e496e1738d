"""What made pages of one language are written with: names, dates, lists of words, forms, prose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.demo.articles import Article, Chinese, Dice, English, Library, Writer

WORDS = Path(__file__).parent / "words"
_SECTION = re.compile(r"^\[([\w/-]+)\]\n", re.MULTILINE)
_SETTING = re.compile(r"@(\w+) (.*)")
_SLOT = re.compile(r"\{(\w+)\}")
_RANGES = {"digit": (2, 9), "small": (10, 60), "big": (1100, 9800)}

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that a form's lines have: `same` for a group, or `vary` or `amend` from page to page.

    `options` are literal texts, or specifications as `Kit.value` takes them.
    """

    name: str
    how: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A text with slots, from which pages are made that differ in what is put there."""

    family: str
    name: str
    settings: Values
    slots: tuple[Slot, ...]
    lines: tuple[str, ...]


def sections(name: str) -> dict[str, str]:
    """Return the sections of a file of words."""
    _, *parts = _SECTION.split((WORDS / f"{name}.txt").read_text(encoding="utf-8"))
    return {part: text.strip() for part, text in zip(parts[::2], parts[1::2], strict=True)}


class Kit:
    """Words, forms and generators of one language. All choices come from the dice given."""

    def __init__(self, language: str, seed: int) -> None:
        self.language = language
        self.chinese = language == "zh"
        self._seed = seed
        self._casts = Chinese() if self.chinese else English()
        self._library = Library(seed)
        self._hosts: set[str] = set()
        texts = sections(language)
        forms = [name.split("/") for name in texts if not name.startswith("chrome/")]
        self.forms = [_form(family, name, texts[f"{family}/{name}"]) for family, name in forms]
        lists: dict[str, Sequence[str]] = {
            name.removeprefix("chrome/"): text.split("\n")
            for name, text in texts.items()
            if name.startswith("chrome/")
        }
        self.labels = dict(_settings(lists["labels"]))
        self.lists = lists
        self.lists["hosts"] = " ".join(lists["hosts"]).split()
        self.lists["sections"] = lists["sections"][0].split()
        self.lists["tlds"] = lists["tlds"][0].split()

    def dice(self, *key: object) -> Dice:
        """Return dice that depend on the seed and the key only."""
        return Dice(self._seed, self.language, *key)

    def writer(self, *key: object) -> Writer:
        """Return a writer of prose."""
        return self._library.writer(self.language, "made", *key)

    def article(self, *key: object, sentences: tuple[int, int]) -> Article:
        """Return an article of so many sentences, from-to."""
        return self.writer(*key).article(sentences)

    def headline(self, dice: Dice) -> str:
        """Return the title of some article."""
        return self.writer("headline", dice.below(1 << 30)).line("title")

    def host(self, dice: Dice) -> str:
        """Return a host that no other site has."""
        while True:
            words = dice.some(self.lists["hosts"], dice.between(1, 2))
            prefix = dice.pick(("www.", "www.", "", "blog.", "portal."))
            host = f"{prefix}{dice.pick(('', '-')).join(words)}.{dice.pick(self.lists['tlds'])}"
            if host not in self._hosts:
                self._hosts.add(host)
                return host

    def value(self, dice: Dice, option: str) -> str:
        """Return what an option means: something generated, or else its own words.

        `person`, `place`, `date 2023`, `price 4 40`, `range 3 29`, `big` and the like, the name of
        a list, or a text whose slots are named so.
        """
        name, *arguments = option.split(" ")
        limits = [int(argument) for argument in arguments] if _numeric(arguments) else []
        match name:
            case "person" | "place":
                return self._name(dice, name)
            case "surname":
                return self._name(dice, "person").split(" ")[-1]
            case "title":
                return self.headline(dice)
            case "date" | "year":
                year = limits[0] if limits else dice.between(2016, 2025)
                return str(year) if name == "year" else self.day(dice, year)
            case "time":
                return f"{dice.between(7, 22)}:{dice.between(10, 59)}"
            case "range" if limits:
                return str(dice.between(*limits))
            case "price":
                low, high = limits or (19, 190)
                return f"{dice.between(low, high)}.{dice.pick(('00', '50', '90', '95'))}"
            case "digit" | "small" | "big":
                return str(dice.between(*_RANGES[name]))
        if option in self.lists:
            return self.filled(dice, dice.pick(self.lists[option]))
        return self.filled(dice, option)

    def filled(self, dice: Dice, text: str, values: Values | None = None) -> str:
        """Return a text with its slots filled, by values or else by what they are named after."""
        known = values or {}

        def word(slot: re.Match[str]) -> str:
            name = slot.group(1)
            return known[name] if name in known else self.value(dice, name)

        return _SLOT.sub(word, text)

    def label(self, name: str, **values: str) -> str:
        """Return a label with slots filled by values."""
        return self.labels[name].format(**values)

    def day(self, dice: Dice, year: int) -> str:
        """Return a date of a year as it is written out."""
        month = dice.pick(self.labels["months"].split())
        return self.label("day", d=str(dice.between(1, 28)), month=month, y=str(year))

    def reworded(self, dice: Dice, text: str, percent: int) -> str:
        """Return a text in which some adverbs and adjectives are replaced by others.

        So that about `percent` of a hundred words are others, as an editor does.
        """
        words = self._casts.book.words
        pools = [words["adverb"], words["common.adj"]]
        spots = [(m, pool) for pool in pools for m in re.finditer(_either(pool, self), text)]
        size = len(text) / 2 if self.chinese else len(text.split())
        chosen = dice.some(spots, max(1, round(size * percent / 100)))
        for match, pool in sorted(chosen, key=lambda spot: -spot[0].start()):
            text = text[: match.start()] + dice.pick(pool) + text[match.end() :]
        return text

    def _name(self, dice: Dice, kind: str) -> str:
        topic = dice.pick(self._casts.book.words["topics"])
        return dice.pick(self._casts.cast(dice, topic)[kind])


def iso(kit: Kit, date: str) -> str:
    """Return a date, written out by `Kit.day`, in digits."""
    months = kit.labels["months"].split()
    if kit.chinese:
        year, month, day = re.findall(r"\d+", date)
    else:
        day, month, year = date.split()
        month = str(months.index(month) + 1)
    return f"{year}-{int(month):02}-{int(day):02}"


def _form(family: str, name: str, text: str) -> Form:
    lines = text.split("\n")
    settings, slots = {}, []
    for key, value in _settings(lines):
        if key in ("same", "vary", "amend"):
            slot, _, options = value.partition(": ")
            slots.append(Slot(slot, key, tuple(options.split(" | "))))
        else:
            settings[key] = value
    written = tuple(line for line in lines if not line.startswith("@"))
    return Form(family, name, settings, tuple(slots), written)


def _settings(lines: Sequence[str]) -> list[tuple[str, str]]:
    found = [_SETTING.fullmatch(line) for line in lines]
    return [(match[1], match[2]) for match in found if match]


def _numeric(arguments: Sequence[str]) -> bool:
    return all(argument.isdecimal() for argument in arguments)


def _either(pool: Sequence[str], kit: Kit) -> str:
    words = "|".join(map(re.escape, pool))
    return f"(?:{words})" if kit.chinese else rf"\b(?:{words})\b"
