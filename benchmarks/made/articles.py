"""Families of pages around articles: lists, reprints, surroundings, mirrors, threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from benchmarks.made.kit import Kit
from benchmarks.made.site import MadePage, Site, Text, slug
from crawler.demo.articles import Dice

SHORT = (6, 12)
MIDDLE = (16, 26)
LONG = (28, 34)
LEAD = (36, 38)
"""Sentences of an article; one has some 16 words."""

_BELOW = ("table", "links", "form", "comments")
_TREES = (
    ((0, "/en/", ""), (0, "/de/", ""), (0, "/fr/", "")),
    ((0, "/v1.2/", "1.2"), (0, "/v1.3/", "1.3"), (0, "/latest/", "1.4")),
    ((0, "/manual/", "2.0"), (1, "/mirror/manual/", "2.0"), (2, "/pub/docs/manual/", "2.1")),
    ((0, "/handbook/", "7"), (1, "/handbook/", "7"), (2, "/doc/handbook/", "8")),
)
"""Of each manual: on which of its hosts and where it stands, and which version it is for."""


def article_other_lists(kit: Kit) -> Iterator[MadePage]:
    """Yield articles with different lists, tables, forms or comments below them."""
    for group in range(8):
        name = f"article-other-lists/{kit.language}/{group}"
        dice, kind = kit.dice(name), _BELOW[group % 4]
        site = Site.make(kit, dice)
        text = Text.of(kit.article(name, sentences=SHORT))
        numbered = kind == "comments" or group < 4
        for number in range(5):
            issue = kit.label("issue", n=str(number + 31))
            title = f"{text.title} ({issue})" if numbered else text.title
            lines = (*text.lines, *_below(kit, dice, kind, dice.between(20, 60)))
            path = _numbered(site.path(kit.dice(name), text.title, 0), "list", number)
            html = site.html(Text(title, lines), dice)
            yield _made(kit, site, path, html, f"{name}/{number}")


def list_and_articles(kit: Kit) -> Iterator[MadePage]:
    """Yield articles, and pages that list their beginnings, or have some of them in whole."""
    for group in range(4):
        name = f"list-and-articles/{kit.language}/{group}"
        dice = kit.dice(name)
        site = Site.make(kit, dice)
        lengths = (LEAD, LEAD, LEAD, SHORT, SHORT, SHORT)
        texts = [Text.of(kit.article(name, n, sentences=size)) for n, size in enumerate(lengths)]
        for number, text in enumerate(texts):
            path = site.path(dice, text.title, number)
            yield _made(kit, site, path, site.html(text, dice), f"{name}/{number}")
        tags = [kit.value(dice, "place") for _ in range(3)]
        lists = [("/", site.name, texts[3:]), (f"/{site.section}/", site.section, [])]
        lists += [(f"/tag/{slug(tag)}/", tag, [texts[n]]) for n, tag in enumerate(tags)]
        for number, (path, title, whole) in enumerate(lists):
            listing = _listing(title, whole, [text for text in texts if text not in whole])
            yield _made(kit, site, path, site.html(listing, dice), f"{name}/list-{number}")


def _listing(title: str, whole: list[Text], teasers: list[Text]) -> Text:
    """Return a list of articles: some in whole, of others the first paragraph or sentence."""
    lines: list[str] = []
    for text in whole:
        lines += (f"# {text.title}", *text.lines)
    for text in teasers:
        teaser = re.split(r"(?<=[.。])", text.lines[0])[0] if whole else text.lines[0]
        lines += (f"# {text.title}", teaser)
    return Text(title, tuple(lines))


def reprints(kit: Kit) -> Iterator[MadePage]:
    """Yield articles as they are printed by several hosts."""
    for group in range(10):
        name = f"reprints/{kit.language}/{group}"
        dice = kit.dice(name)
        text = Text.of(kit.article(name, sentences=MIDDLE if group % 2 else LONG))
        writer = kit.writer(name)
        titles = {writer.line("title") for _ in range(4)} | {text.title}
        first, author = Site.make(kit, dice), _byline(kit, dice)
        path = first.path(dice, text.title, group)
        yield _made(kit, first, path, first.html(text, dice, meta=author), name)
        for number in range(3):
            site = Site.make(kit, dice)
            title = dice.pick((text.title, dice.pick(sorted(titles))))
            printed = replace(_reprinted(kit, dice, text, first.host), title=title)
            meta = dice.pick((author, author, kit.value(dice, "date"), ""))
            path = site.path(dice, title, number)
            yield _made(kit, site, path, site.html(printed, dice, meta=meta), name)


def _reprinted(kit: Kit, dice: Dice, text: Text, host: str) -> Text:
    """Return a text as another host prints it."""
    lines = list(text.lines)
    if dice.below(2):
        lines = [kit.reworded(dice, line, 1) if dice.below(2) else line for line in lines]
    date = kit.value(dice, "date")
    if dice.below(2):
        lines.insert(dice.pick((0, len(lines))), kit.label("source", host=host, date=date))
    if dice.below(3) == 0:
        lines.append(kit.labels["edited"])
    return replace(text, lines=tuple(lines))


def surroundings(kit: Kit) -> Iterator[MadePage]:
    """Yield articles at several addresses of one host, with other things around them."""
    for group in range(10):
        name = f"surroundings/{kit.language}/{group}"
        dice = kit.dice(name)
        site = Site.make(kit, dice)
        text = Text.of(kit.article(name, sentences=MIDDLE if group % 2 else LONG))
        path = site.path(dice, text.title, group)
        url, section = site.url(path), dice.pick(kit.lists["sections"])
        joint = "&" if "?" in path else "?"
        others = (
            (site, f"{path}{joint}ref={section}&visit={dice.between(100, 999)}"),
            (site, f"/tag/{slug(kit.value(dice, 'place'))}{path}"),
            (site.dressed("bare-print"), f"/print{path}" if group % 3 else f"{path}{joint}print=1"),
            (site.dressed("bare-amp"), f"/amp{path}"),
        )
        byline = _byline(kit, dice)
        for dressed, other in ((site, path), *dice.some(others, 3)):
            html = dressed.html(
                text, dice, canonical=url if group % 2 else "", meta=byline, busy=True
            )
            yield _made(kit, site, other, html, name)


def mirrors(kit: Kit) -> Iterator[MadePage]:
    """Yield chapters of manuals on mirrors, in other trees of languages and of versions."""
    for group in range(8):
        name = f"mirrors/{kit.language}/{group}"
        dice = kit.dice(name)
        layout = "manual" if group < 4 else dice.pick(("divs", "semantic"))
        sites = [Site.make(kit, dice).dressed(layout) for _ in range(3)]
        texts = [Text.of(kit.article(name, n, sentences=MIDDLE)) for n in range(2)]
        for host, tree, version in _TREES[group % 4]:
            site = sites[host]
            site = replace(site, footer=f"{site.footer} {kit.value(dice, 'date')}")
            for number, text in enumerate(texts):
                path = f"{tree}ch{number + 1:02}.html"
                html = site.html(_edition(kit, dice, text, version), dice)
                yield _made(kit, site, path, html, f"{name}/{number}")


def _edition(kit: Kit, dice: Dice, text: Text, version: str) -> Text:
    lines = [kit.reworded(dice, line, 2) if dice.below(6) == 0 else line for line in text.lines]
    if version:
        code = f"<pre><code>fetch manual-{version}.tar.gz\nmake install</code></pre>"
        lines.insert(2, code)
        lines.insert(2, kit.label("install", version=version))
        lines.append(kit.label("applies", version=version))
    title = f"{text.title} — {kit.label('version', version=version)}" if version else text.title
    return Text(title, tuple(lines), text.title)


def paginated(kit: Kit) -> Iterator[MadePage]:
    """Yield pages of threads, all of which begin with the first post, and of long articles."""
    for group in range(10):
        name = f"paginated/{kit.language}/{group}"
        dice = kit.dice(name)
        site = Site.make(kit, dice)
        text = Text.of(kit.article(name, sentences=LONG))
        base = site.path(dice, text.title, group)
        for number in range(4):
            page = kit.label("page", n=str(number + 1), all="4")
            title = text.title if group % 2 else f"{text.title} ({page})"
            added = _posts(kit, dice) if group % 5 else (kit.writer(name, number).paragraph(5),)
            lines = (*text.lines, f"# {page}", *added)
            path = _numbered(base, "page", number) if number else base
            html = site.html(Text(title, lines, text.title), kit.dice(site.host))
            yield _made(kit, site, path, html, f"{name}/{number}")


def _posts(kit: Kit, dice: Dice) -> tuple[str, ...]:
    """Return what is answered on one page of a thread."""
    made: list[str] = []
    for _ in range(dice.between(2, 4)):
        made += (f"<h4>{kit.value(dice, 'person')}</h4>", kit.value(dice, "replies"))
    return tuple(made)


def _below(kit: Kit, dice: Dice, kind: str, count: int) -> tuple[str, ...]:
    """Return so many entries of a table, links, choices of a form, or comments."""
    names = [kit.value(dice, "place") for _ in range(count)]
    if kind == "table":
        return tuple(f"| {place} | {kit.value(dice, 'price')}" for place in names)
    if kind == "links":
        return tuple(f'<li><a href="/{slug(place)}">{escape(place)}</a></li>' for place in names)
    if kind == "form":
        choices = "".join(f"<option>{escape(place)}</option>" for place in names)
        label, send = kit.labels["choose"], kit.labels["send"]
        select = f"<label>{label} <select name='c'>{choices}</select></label>"
        return (f'<form action="/go" method="get">{select}<button>{send}</button></form>',)
    posts = "".join(
        f'<div class="comment"><b>{escape(kit.value(dice, "person"))}</b>'
        f"<p>{escape(kit.value(dice, 'replies'))}</p></div>"
        for _ in names[:24]
    )
    return (f'<div id="comments"><h3>{kit.labels["comments"]}</h3>{posts}</div>',)


def _numbered(path: str, word: str, number: int) -> str:
    """Return the address of a numbered page below another."""
    if path.endswith("/"):
        return f"{path}{word}/{number + 1}/"
    if path.endswith((".html", ".htm")):
        stem, _, ending = path.rpartition(".")
        return f"{stem}-{number + 1}.{ending}"
    return f"{path}{'&' if '?' in path else '?'}{word}={number + 1}"


def _byline(kit: Kit, dice: Dice) -> str:
    return kit.filled(dice, kit.labels["byline"]) + ", " + kit.value(dice, "date")


def _made(kit: Kit, site: Site, path: str, html: str, name: str) -> MadePage:
    return MadePage(name.partition("/")[0], kit.language, site.url(path), html, name)
