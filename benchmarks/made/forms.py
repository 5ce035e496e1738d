"""Families of pages that are filled in: products, laws, minutes, calendars, branches and more."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.made.kit import Form, Kit, Slot, Values, iso
from benchmarks.made.site import MadePage, Site, Text
from crawler.demo.articles import Dice

_WHEN = re.compile(r"([+-])(\d) ")
_SLOT = re.compile(r"\{(\w+)\}")
_QUERIES = (
    "utm_source=newsletter&utm_medium=email&utm_campaign=spring",
    "sort=price_asc&view=grid",
    "sid=8f3a91c04be27d65",
    "ref=start&pos=3",
)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A page of a form before it is dressed."""

    site: Site
    path: str
    text: Text
    name: str

    @property
    def url(self) -> str:
        return self.site.url(self.path)


def form_pages(kit: Kit, family: str) -> Iterator[MadePage]:
    """Yield the pages of all forms of a family, group by group, copies last."""
    for form in kit.forms:
        if form.family == family:
            groups, pages = map(int, form.settings["groups"].split("x"))
            for number in range(groups):
                yield from _group(kit, form, f"{family}/{kit.language}/{form.name}/{number}", pages)


def _group(kit: Kit, form: Form, name: str, pages: int) -> Iterator[MadePage]:
    dice = kit.dice(name)
    lively, canonical = dice.below(2), dice.below(2)
    sheets = list(_sheets(kit, form, name, pages))
    for sheet in sheets:
        around = dice if lively else kit.dice(sheet.site.host)
        html = sheet.site.html(sheet.text, around, canonical=sheet.url if canonical else "")
        yield MadePage(form.family, kit.language, sheet.url, html, sheet.name)
    for sheet in dice.some(sheets, int(form.settings.get("copies", "0"))):
        for path, section in _copies(kit, sheet.path, dice):
            canonical_url = sheet.url if canonical else ""
            html = sheet.site.html(sheet.text, dice, crumb=section, canonical=canonical_url)
            yield MadePage(form.family, kit.language, sheet.site.url(path), html, sheet.name)


def _copies(kit: Kit, path: str, dice: Dice) -> Iterator[tuple[str, str]]:
    """Yield the address with parameters, and that under another category, with its name."""
    yield f"{path}{'&' if '?' in path else '?'}{dice.pick(_QUERIES)}", ""
    section = dice.pick(kit.lists["sections"])
    yield f"/{section}-2{path}", section


def _sheets(kit: Kit, form: Form, name: str, pages: int) -> Iterator[_Sheet]:
    dice, settings = kit.dice(name, "texts"), form.settings
    site = first = Site.make(kit, dice)
    style = dice.pick(settings["paths"].split(" | ")) if "paths" in settings else ""
    lines = [line.removeprefix("? ") for line in form.lines if line[0] != "?" or dice.below(2)]
    used: set[str] = set()
    for number, row in enumerate(_rows(kit, form, name, pages)):
        if number and "hosts" in settings:
            site = Site.make(kit, dice)
            site = site.dressed(first.layout) if dice.below(2) else site
        values = {**row, "host": site.host.removeprefix("www."), "grid": _grid(kit, row)}
        title, h1, name_in_path = (
            kit.filled(dice, settings.get(key, ""), values) for key in ("title", "h1", "slug")
        )
        path = site.path(dice, name_in_path or h1 or title, number, style, row)
        if site.url(path) in used:
            path += f"{'&' if '?' in path else '?'}v={number}"
        used.add(site.url(path))
        text = Text(title, _filled(kit, lines, dice, values, number), h1)
        yield _Sheet(site, path, text, f"{name}/{number}")


def _filled(kit: Kit, lines: list[str], dice: Dice, values: Values, number: int) -> tuple[str, ...]:
    """Return the lines that the form has on its page of that number."""
    made = []
    for line in lines:
        when = _WHEN.match(line)
        if when and (number >= int(when[2])) != (when[1] == "+"):
            continue
        if "none" not in (values.get(slot) for slot in _SLOT.findall(line)):
            made.append(kit.filled(dice, line[when.end() :] if when else line, values))
    return tuple(made)


def _rows(kit: Kit, form: Form, name: str, pages: int) -> Iterator[dict[str, str]]:
    """Yield what is put into the slots of each page; no two pages agree in the first that varies.

    Where slots are amended, no two pages agree in all of these, either. What is the same for all
    pages of a group goes through its options from group to group.
    """
    dice, group = kit.dice(name, "values"), int(name.rpartition("/")[2])
    leader = next(slot for slot in form.slots if slot.how == "vary")
    start = dice.below(max(1, len(leader.options) - pages + 1))
    row = {
        slot.name: kit.value(dice, slot.options[group % len(slot.options)])
        for slot in form.slots
        if slot.how == "same"
    }
    amended = [slot.name for slot in form.slots if slot.how == "amend"]
    leaders: set[str] = set()
    versions: set[tuple[str, ...]] = set()
    while len(leaders) < pages:
        row = row | _changes(kit, form, dice, leader, start + len(leaders), row)
        version = tuple(row[slot] for slot in amended)
        if row[leader.name] not in leaders and (not amended or version not in versions):
            leaders.add(row[leader.name])
            versions.add(version)
            yield row


def _changes(
    kit: Kit, form: Form, dice: Dice, leader: Slot, number: int, before: Values
) -> dict[str, str]:
    """Return what is another on the page of that number than on the one before it."""
    made = {}
    for slot in form.slots:
        if slot.how == "same" or (
            slot.how == "amend" and slot.name in before and dice.below(5) > 1
        ):
            continue
        several = len(slot.options) == len(leader.options) > 1
        option = slot.options[number] if several and slot.how == "vary" else dice.pick(slot.options)
        made[slot.name] = kit.value(dice, option)
        if option.startswith("date"):
            made[f"{slot.name}_iso"] = iso(kit, made[slot.name])
    return made


def _grid(kit: Kit, row: Values) -> str:
    """Return the days of a month as a table, if the form has months."""
    if "mm" not in row:
        return ""
    weeks = calendar.monthcalendar(int(row["year"]), int(row["mm"]))
    rows = [kit.labels["weekdays"].split(), *([str(day or "") for day in week] for week in weeks)]
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return f'<table class="grid">{"".join(f"<tr>{row}</tr>" for row in cells)}</table>'
