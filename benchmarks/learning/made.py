"""Made sites: what a rule about URLs may be right about, and what it may be wrong about.

    forms        nine forms of each URL: index.html, slash, print view, parameters that mean nothing
    mirror       two hosts with the same pages, but for four
    hidden-N-X   six addresses of each page by a parameter that means nothing, and N pages that only
                 that parameter leads to; their values look as the others do (alike), or not (other)

Each is an article with links to four others, in English and Chinese by turns. A site is closed: all
that it links to is there. All choices come from dice: the sites are the same on every machine.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from benchmarks.learning.replaying import ROBOTS, Answer, Site
from crawler.demo.articles import Article, Dice, Library

ARTICLES = 200
DIFFERENT = 4
"""Pages of the mirror that are not as they are on the first host."""
_SECTIONS = ("guide", "notes", "news")
_HTML = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class Made:
    """A made site."""

    seed: str
    answers: Site


def _articles(library: Library, number: int) -> Sequence[Article]:
    return [library.article(f"learning {n}", ("en", "zh")[n % 2]) for n in range(number)]


def _path(n: int, article: Article) -> str:
    mark = hashlib.sha256(article.title.encode()).hexdigest()[:6]
    return f"/{_SECTIONS[n % len(_SECTIONS)]}/{n}-{mark}"


def _related(n: int, number: int) -> Sequence[int]:
    """Return which articles one links to: the next, and three far away."""
    return [(n + 1) % number, (7 * n + 3) % number, (13 * n + 5) % number, (n + 50) % number]


def page(title: str, lines: Sequence[str], links: Mapping[str, str], head: str = "") -> Answer:
    """Return a page; `links` are URL -> what is said of it, `head` stands beside the title."""
    said = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
    listed = "".join(
        f'<li><a href="{escape(url)}">{escape(name)}</a></li>\n' for url, name in links.items()
    )
    html = (
        f"<!DOCTYPE html>\n<html><head><title>{escape(title)}</title>{head}</head><body>\n"
        f"<header><p>Manuals and notes</p></header>\n<main><h1>{escape(title)}</h1>\n{said}"
        f"</main>\n<nav><h2>Next</h2><ul>\n{listed}</ul></nav>\n"
        "<footer><p>About this site</p></footer>\n</body></html>\n"
    )
    return Answer(200, _HTML, html.encode())


def article_lines(article: Article) -> list[str]:
    """Return what an article says, a line for each block."""
    return [block.text for block in article.blocks]


def robots(hosts: Sequence[str]) -> Site:
    """Return rules of hosts that allow all."""
    free = Answer(200, (("Content-Type", "text/plain"),), b"User-agent: *\nDisallow:\n")
    return {f"{host}{ROBOTS}": free for host in hosts}


def forms(seed: int = 5, number: int = ARTICLES, most: int = 4_000) -> Made:
    """Return a site whose every link is one of nine forms of its target's URL.

    Sessions are of the page that has the link, so forms do not end: from `most` pages on links are
    to the plain form.
    """
    host, articles, dice = (
        "http://forms.test",
        _articles(Library(seed), number),
        Dice(seed, "forms"),
    )
    answers = robots([host])

    def form(n: int, kind: int, source: int) -> str:
        path = _path(n, articles[n])
        session = hashlib.sha256(f"{source} {n} {kind}".encode()).hexdigest()[:6]
        return (
            host
            + (
                f"{path}/",
                f"{path}/index.html",
                path,
                f"{path}/?ref=nav",
                f"{path}/?ref=foot",
                f"/print{path}/",
                f"{path}/?sid={session}",
                f"/article.php?id={n}&view=full",
                f"{path}/?sid={session}&ref=nav",
            )[kind]
        )

    first = {form(n, 0, 0): n for n in range(0, number, 9)}
    todo, known = deque(first.items()), dict(first)
    while todo:
        url, n = todo.popleft()
        source = len(answers)
        links = {}
        for other in _related(n, number):
            link = form(other, dice.below(9), source)
            if link not in known and len(known) >= most:
                link = form(other, 0, source)
            links[link] = articles[other].title
            if link not in known:
                known[link] = other
                todo.append((link, other))
        answers[url] = page(articles[n].title, article_lines(articles[n]), links)
    listed = {url: articles[n].title for url, n in first.items()}
    answers[f"{host}/"] = page("Manuals", [], listed)
    return Made(f"{host}/", answers)


def mirror(seed: int = 5, number: int = ARTICLES, different: int = DIFFERENT) -> Made:
    """Return two hosts of one domain with the same pages; `different` of the second are others."""
    articles = _articles(Library(seed), number)
    hosts = ["http://www.site.test", "http://site.test"]
    others = {(2 * place + 1) * number // (2 * different) for place in range(different)}
    answers = robots(hosts)
    for host, twin in zip(hosts, reversed(hosts), strict=True):
        for n, article in enumerate(articles):
            lines = article_lines(article)
            if n in others and host == hosts[1]:
                lines = [*lines[:2], f"Only here: {article.title} is not as it was told, case {n}."]
            links = {
                f"{host}{_path(other, articles[other])}": articles[other].title
                for other in _related(n, number)
            }
            if n % 4 == 0:
                links |= {f"{twin}{_path(n, article)}": "Mirror", f"{hosts[1]}/": "All mirrored"}
            answers[f"{host}{_path(n, article)}"] = page(article.title, lines, links)
        listed = {f"{host}{_path(n, articles[n])}": articles[n].title for n in range(0, number, 9)}
        answers[f"{host}/"] = page("Manuals", [], listed)
    return Made(f"{hosts[0]}/", answers)


def hidden(pages: int, *, alike: bool, seed: int = 5, number: int = ARTICLES) -> Made:
    """Return a site that teaches that `ref` means nothing, and hides `pages` behind it."""
    host, articles = "http://hidden.test", _articles(Library(seed), number)
    dice = Dice(seed, "hidden", pages)
    answers = robots([host])
    for n, article in enumerate(articles):
        url = f"{host}{_path(n, article)}"
        links = {
            f"{host}{_path(other, articles[other])}?ref={dice.between(1, 5)}": articles[other].title
            for other in _related(n, number)
        }
        links[f"{host}{_path((n + 1) % number, articles[(n + 1) % number])}"] = "On"
        if n >= number - pages:
            secret = f"{url}?ref={6 + n % 4 if alike else f's{n}'}"
            links[secret] = "More"
            told = f"What stands nowhere else, number {n}: {dice.below(10**9)} and so on."
            answers[secret] = page(f"Hidden {n}", [told], links)
        answers[url] = whole = page(article.title, article_lines(article), links)
        answers |= {f"{url}?ref={value}": whole for value in range(1, 6)}
    return Made(f"{host}{_path(0, articles[0])}", answers)


MADE: Mapping[str, Callable[[], Made]] = {
    "forms": forms,
    "mirror": mirror,
    **{
        f"hidden-{pages}-{look}": partial(hidden, pages, alike=look == "alike")
        for pages in (1, 4, 40)
        for look in ("alike", "other")
    },
}
"""Name -> what makes the site."""
