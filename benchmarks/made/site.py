"""Sites: each dresses texts in a layout of its own, with what else stands on a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from types import MappingProxyType
from urllib.parse import quote

from benchmarks.made.kit import Kit, Values, sections
from crawler.demo.articles import Article, Dice

_TITLES = ("{title} | {site}", "{title} - {site}", "{site}: {title}", "{title} – {site}", "{title}")
_STYLES = (
    "/{section}/{slug}/",
    "/{section}/{slug}.html",
    "/{section}.php?id={id}",
    "/{year}/{mm}/{slug}",
    "/{section}/{id}",
    "/{section}/{year}-{mm}/{id}.htm",
    "/index.php?page={section}&item={id}",
    "/{id}-{slug}",
)
_MARKUP = {"# ": "<h2>{}</h2>", "- ": "<li>{}</li>", "| ": "<tr><td>{}</td></tr>"}
_AROUND = {"<li>": "ul", "<tr>": "table"}


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page with known truth."""

    family: str
    language: str
    """`en` or `zh`."""
    url: str
    html: str
    page: str
    """Pages of one name are copies that a reader would not miss; of two names, other pages."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a page is about.

    A line is a paragraph, `# ` a heading, `- ` an item, `| ` a row; `<` begins a line of markup.
    """

    title: str
    lines: tuple[str, ...]
    h1: str = ""

    @classmethod
    def of(cls, article: Article) -> Text:
        """Return an article's text."""
        lines = (f"# {b.text}" if b.tag == "h2" else b.text for b in article.blocks)
        return cls(article.title, tuple(lines))


@dataclass(frozen=True, slots=True)
class Site:
    """A host with its layout, its menu and its habits."""

    kit: Kit
    host: str
    name: str
    layout: str
    scheme: str
    title: str
    style: str
    section: str
    nav: tuple[str, ...]
    footer: str

    @classmethod
    def make(cls, kit: Kit, dice: Dice) -> Site:
        """Return another site."""
        host = kit.host(dice)
        place = kit.value(dice, "place")
        tail = dice.pick(kit.lists["tails"])
        footer = dice.pick(kit.lists["footers"])
        name = f"{place[:2]}{tail}" if kit.chinese else f"{place} {tail}"
        return cls(
            kit,
            host,
            name,
            dice.pick([layout for layout in layouts() if not layout.startswith("bare")]),
            dice.pick(("http", "https")),
            dice.pick(_TITLES),
            dice.pick(_STYLES),
            dice.pick(kit.lists["sections"]),
            dice.some(kit.lists["nav"], dice.between(5, 8)),
            kit.filled(dice, footer, {"site": name}),
        )

    def dressed(self, layout: str) -> Site:
        """Return the site in another layout."""
        return replace(self, layout=layout)

    def path(
        self,
        dice: Dice,
        title: str,
        number: int,
        style: str = "",
        more: Values = MappingProxyType({}),
    ) -> str:
        """Return the address of a page in the site's style, or in the given one."""
        values = {
            "section": self.section,
            "slug": slug(title),
            "id": str(dice.between(10, 99) * 1000 + number * 7),
            "n": str(number + 1),
            "year": str(dice.between(2015, 2025)),
            "mm": f"{dice.between(1, 12):02}",
        }
        return (style or self.style).format(**{**values, **more})

    def url(self, path: str) -> str:
        """Return a path's address."""
        return f"{self.scheme}://{self.host}{path}"

    def html(
        self,
        text: Text,
        dice: Dice,
        *,
        crumb: str = "",
        canonical: str = "",
        meta: str = "",
        busy: bool = False,
    ) -> str:
        """Return the page; adverts and the like come from the dice, and more if it is busy."""
        kit = self.kit
        extras = {key: kit.value(dice, key) for key in ("counters", "visitors", "weather")}
        crumbs = (kit.labels["home"], crumb or self.section, text.title)
        return layouts()[self.layout].format(
            lang="zh-CN" if kit.chinese else "en",
            title=escape(self.title.format(title=text.title, site=self.name)),
            head=f'<link rel="canonical" href="{escape(canonical)}">' if canonical else "",
            site=escape(self.name),
            nav=_links(self.nav),
            crumbs=_links(crumbs),
            h1=escape(text.h1 or text.title),
            meta=_paragraph("meta", meta),
            body=markup(text.lines),
            aside=self._aside(dice, extras if busy else {}),
            foot=_paragraph("counters", extras["counters"] if busy else ""),
            footer=escape(self.footer),
            visitor=_paragraph("visitor", extras["visitors"] if busy else ""),
        )

    def _aside(self, dice: Dice, extras: Values) -> str:
        kit = self.kit
        lists = [
            f"<h3>{kit.labels[label]}</h3><ul>"
            + _links(tuple(kit.headline(dice) for _ in range(dice.between(3, 6))))
            + "</ul>"
            for label in ("related", "popular")[: dice.between(1, 2)]
        ]
        names = ("adverts", "quotes") if extras else ("adverts",)
        notes = [_paragraph(name, kit.value(dice, name)) for name in names]
        return "\n".join((*lists, *notes, _paragraph("weather", extras.get("weather", ""))))


@cache
def layouts() -> dict[str, str]:
    """Return the layouts by name."""
    return sections("layouts")


def slug(title: str) -> str:
    """Return a title as it stands in an address."""
    words = re.findall(r"\w+", title.lower())
    return quote("-".join(words[:12]))


def markup(lines: tuple[str, ...]) -> str:
    """Return lines as HTML."""
    made: list[str] = []
    around = ""
    for line in lines:
        element = _element(line)
        wanted = _AROUND.get(element[:4], "")
        if wanted != around:
            made.extend(tag for tag in (_tag(around, "/"), _tag(wanted)) if tag)
            around = wanted
        made.append(element)
    return "\n".join((*made, _tag(around, "/")))


def _element(line: str) -> str:
    if line.startswith("<"):
        return line
    pattern = _MARKUP.get(line[:2], "")
    text = escape(line[2:] if pattern else line)
    if line.startswith("| "):
        text = text.replace(" | ", "</td><td>")
    return (pattern or "<p>{}</p>").format(text)


def _tag(name: str, slash: str = "") -> str:
    return f"<{slash}{name}>" if name else ""


def _links(texts: tuple[str, ...]) -> str:
    return "".join(f'<li><a href="/{slug(text)}">{escape(text)}</a></li>' for text in texts)


def _paragraph(name: str, text: str) -> str:
    return f'<p class="{name}">{escape(text)}</p>' if text else ""
