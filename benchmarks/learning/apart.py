"""Sites as other software makes them, held apart: no rule was written while looking at them.

    shop       listings by page, sort order and two facets; products in any colour; a basket
    forum      topics by `t`, with and without `f`, by the `p` of each post; profiles, sessions
    sessions   a session id within the path of each page, another one for each page that links
    calendar   months, weeks and days of six years by three views, and 60 events
    wiki       print, source, export, history, old revisions and comparisons of each page
    questions  sort orders, tags, users with four tabs, short links, revisions
    news       AMP and print copies, tracking parameters, tags, authors, months, answers

Each hides a few texts where most of the like bring nothing: a product that only one facet lists, a
topic that only a post's address shows, a revision with what was taken out later, an article that
stands on its AMP page alone. All choices come from dice, as in `made`.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from benchmarks.learning.made import Made, article_lines, page, robots
from benchmarks.learning.replaying import Answer, Site
from crawler.demo.articles import Article, Dice, Library
from crawler.urls import Canonicaliser

_LIBRARY = Library(77)
MOST = 3_000
"""URLs of a site, in the order in which links are met; sites that would go on are cut there."""


@dataclass(slots=True)
class Shown:
    """What a program says at a URL."""

    title: str
    lines: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    """Address within the site -> what is said of it."""
    head: str = ""
    """What stands in the head beside the title."""
    to: str = ""
    """Where it redirects to, and shows nothing."""


Program = Callable[[Sequence[str], Mapping[str, str]], Shown | None]
"""What a site says at the segments of a path and a query; None: nothing is there."""


def _closed(host: str, start: str, program: Program) -> Made:
    """Return all that can be reached from a page, up to `MOST` URLs."""
    canonicalise = Canonicaliser()
    site: Site = robots([host])
    todo, known = deque([f"{host}{start}"]), {f"{host}{start}"}
    while todo:
        url = todo.popleft()
        parts = urlsplit(url)
        shown = program(parts.path.strip("/").split("/"), dict(parse_qsl(parts.query)))
        if shown is None:
            site[url] = Answer(404, (("Content-Type", "text/html"),), b"<p>Nothing is here.")
            continue
        links = {f"{host}{shown.to}": ""} if shown.to else {}
        links |= {f"{host}{at}": said for at, said in shown.links.items()}
        kept = {}
        for link, said in links.items():
            target = canonicalise(link, url) or link
            if target not in known and len(known) < MOST:
                known.add(target)
                todo.append(target)
            if target in known:
                kept[link] = said
        if shown.to:
            gone = (("Location", next(iter(kept), f"{host}{start}")),)
            site[url] = Answer(302, gone, b"")
        else:
            site[url] = page(shown.title, shown.lines, kept, shown.head)
    return Made(f"{host}{start}", site)


def _articles(of: str, number: int) -> Sequence[Article]:
    return [_LIBRARY.article(f"{of} {n}", ("en", "zh")[n % 3 == 2]) for n in range(number)]


def _slug(article: Article) -> str:
    return hashlib.sha256(article.title.encode()).hexdigest()[:5]


def _words(article: Article) -> str:
    """Return some letters that stand for an article's title in its address."""
    digest = hashlib.sha256(article.title.encode()).digest()
    return "-".join("".join(chr(97 + b % 26) for b in digest[n : n + 5]) for n in (0, 5))


def _listed(items: Sequence[int], number: int, size: int = 12) -> Sequence[int]:
    return items[(number - 1) * size : number * size]


def _at(path: str, **query: object) -> str:
    told = "&".join(f"{key}={value}" for key, value in query.items() if value not in ("", None))
    return f"{path}?{told}" if told else path


def shop(products: int = 240) -> Made:
    """Return a shop: all that its facets and orders list is in its categories, but three."""
    articles = _articles("shop", products)
    colours, brands = ("red", "blue", "green", "black"), ("acme", "zenit", "orion")
    dice = Dice("apart", "shop")
    of = [(n % 8, dice.pick(colours), dice.pick(brands)) for n in range(products)]
    hidden = {17, 101, 202}  # only where both facets are set
    variants = {33, 90, 150}  # told otherwise in one colour

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        match path:
            case [""]:
                links = {f"/c/{n}": f"Category {n}" for n in range(8)}
                return Shown("Shop", ["Everything for house and garden"], links)
            case ["c", number]:
                return category(int(number), query)
            case ["p", name]:
                return product(int(name.rpartition("-")[2]), query)
            case ["basket"] | ["wishlist"]:
                return Shown("", to="/login")
            case ["login"]:
                return Shown("Log in", ["Please log in with your address to go on"])
            case ["p", name, "reviews"]:
                n = int(name.rpartition("-")[2])
                said = (
                    article_lines(articles[n])[-1:] if n % 5 == 0 else ["There are no reviews yet."]
                )
                return Shown("Reviews", said, {f"/p/{name}": "Back"})
        return None

    def name_of(n: int) -> str:
        return f"{_words(articles[n])}-{n}"

    def category(n: int, query: Mapping[str, str]) -> Shown:
        colour, brand = query.get("colour", ""), query.get("brand", "")
        found = [
            k
            for k, (c, one, other) in enumerate(of)
            if c == n and colour in ("", one) and brand in ("", other)
            if k not in hidden or (colour and brand)
        ]
        order, number = query.get("sort", ""), int(query.get("page", 1))
        found.sort(
            key={"price": lambda k: k * 37 % 101, "name": lambda k: articles[k].title}.get(
                order, lambda k: k
            )
        )
        at = f"/c/{n}"
        links = {
            f"/p/{name_of(k)}" + (f"?colour={colour}" if colour else ""): articles[k].title
            for k in _listed(found, number)
        }
        links |= {_at(at, colour=one, brand=brand, sort=order): one for one in colours}
        links |= {_at(at, colour=colour, brand=one, sort=order): one for one in brands}
        links |= {
            _at(at, colour=colour, brand=brand, sort=one): f"By {one}"
            for one in ("price", "name", "new")
        }
        if number * 12 < len(found):
            links[_at(at, colour=colour, brand=brand, sort=order, page=number + 1)] = "Next"
        return Shown(f"Category {n}", [], links)

    def product(n: int, query: Mapping[str, str]) -> Shown:
        told, name = article_lines(articles[n]), name_of(n)
        colour = query.get("colour", "")
        if n in variants and colour == of[n][1]:
            told = [
                *told,
                f"In {colour} this one comes with a cover that {articles[n].author} made.",
            ]
        links = {
            f"/p/{name_of((n * 7 + k) % products)}": articles[(n * 7 + k) % products].title
            for k in (1, 8)
            if (n * 7 + k) % products not in hidden
        }
        links |= {f"/p/{name}?colour={one}": one for one in colours}
        links |= {
            f"/p/{name}/reviews": "Reviews",
            f"/basket?add={n}": "Buy",
            f"/wishlist?add={n}": "Keep",
        }
        return Shown(articles[n].title, told, links)

    return _closed("http://shop.test", "/", program)


def forum(topics: int = 160) -> Made:
    """Return a forum; four topics are reached by the address of a post alone."""
    articles = _articles("forum", topics)
    lines = [article_lines(one) for one in articles]
    hidden = {11, 54, 98, 131}
    users = 60

    def posts(t: int) -> int:
        return len(lines[t])

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        get = query.get
        match path[-1]:
            case "index.php" | "":
                return Shown("Board", [], {f"/viewforum.php?f={f}": f"Forum {f}" for f in range(6)})
            case "viewforum.php":
                f, start = int(get("f", 0)), int(get("start", 0))
                there = [t for t in range(topics) if t % 6 == f and t not in hidden]
                links = {
                    f"/viewtopic.php?f={f}&t={t}": articles[t].title
                    for t in there[start : start + 10]
                }
                links |= {
                    f"/viewtopic.php?f={f}&t={t}&p={t * 100 + posts(t) - 1}": "Last post"
                    for t in there[start : start + 10]
                }
                links |= {
                    f"/memberlist.php?mode=viewprofile&u={t % users}": articles[t].author
                    for t in there[start : start + 10]
                }
                links |= {
                    f"/viewforum.php?f={f}&start={n}": "Page" for n in range(0, len(there), 10)
                }
                links |= {
                    f"/posting.php?mode=post&f={f}": "New",
                    "/search.php": "Search",
                    f"/viewforum.php?f={f}&sid={start:08x}{f:08x}": "Here",
                }
                return Shown(f"Forum {f}", [], links)
            case "viewtopic.php":
                return topic(query)
            case "memberlist.php":
                u = int(get("u", 0))
                own = [f"{articles[u].author} says: {lines[u][0][:60]}"] if u % 4 == 0 else []
                return Shown(
                    "Profile",
                    own,
                    {
                        f"/search.php?author_id={u}&sr=posts": "Posts",
                        f"/ucp.php?i=pm&mode=compose&u={u}": "Write",
                    },
                )
            case "search.php":
                u = int(get("author_id", 0))
                return Shown(
                    "Found",
                    [],
                    {
                        f"/viewtopic.php?p={t * 100 + 1}": articles[t].title
                        for t in range(u, topics, users)
                    },
                )
            case "posting.php" | "ucp.php":
                return Shown(
                    "Log in",
                    ["You must be registered and logged in to do that."],
                    head='<meta name="robots" content="noindex">' if get("mode") == "reply" else "",
                )
        return None

    def topic(query: Mapping[str, str]) -> Shown:
        if "p" in query:
            t, n = divmod(int(query["p"]), 100)
            start = n // 4 * 4
        else:
            t, start = int(query.get("t", 0)), int(query.get("start", 0))
        if query.get("view") in ("next", "previous"):
            return Shown(
                "", to=f"/viewtopic.php?t={(t + (6 if query['view'] == 'next' else -6)) % topics}"
            )
        f = t % 6
        shown = range(start, min(start + 4, posts(t)))
        links = {f"/viewtopic.php?p={t * 100 + n}": f"Post {n}" for n in shown}
        links |= {f"/posting.php?mode=quote&f={f}&p={t * 100 + n}": "Quote" for n in shown}
        links |= {f"/viewtopic.php?f={f}&t={t}&start={n}": "Page" for n in range(0, posts(t), 4)}
        links |= {f"/viewtopic.php?f={f}&t={t}&view={v}": v for v in ("next", "previous", "print")}
        links |= {f"/posting.php?mode=reply&f={f}&t={t}": "Reply", f"/viewforum.php?f={f}": "Forum"}
        links[f"/memberlist.php?mode=viewprofile&u={t % users}"] = articles[t].author
        if t + 1 in hidden:
            links[f"/viewtopic.php?p={(t + 1) * 100}"] = "As was said"
        return Shown(articles[t].title, lines[t][start : start + 4], links)

    return _closed("http://forum.test", "/index.php", program)


def sessions(number: int = 150) -> Made:
    """Return a site that has a session in the path; three pages are told to one session alone."""
    articles = _articles("sessions", number)

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        session = path.pop(0) if path[0].startswith("(S(") else ""  # type: ignore[attr-defined]
        at = "/".join(path)
        n = int(path[-1].rpartition("-")[2]) if at else 0
        new = hashlib.sha256(f"{session} {at}".encode()).hexdigest()[:12]
        new = new if n % 3 else session[3:-2] or new
        there = [(n + k) % number for k in (1, 17, 40)] if at else range(0, number, 10)
        links = {f"/(S({new}))/docs/{_words(articles[k])}-{k}": articles[k].title for k in there}
        links[f"/(S({new}))/"] = "Start"
        if not at:
            return Shown("Documents", [], links)
        told = article_lines(articles[n])
        if n in (40, 77, 120) and session[3:4] in "01":
            told = [
                *told,
                f"To this guest is said what {articles[n].author} keeps from others, {n}.",
            ]
        return Shown(articles[n].title, told, links)

    return _closed("http://sessions.test", "/", program)


def calendar(events: int = 60) -> Made:
    """Return a calendar of six years of which hardly a day has an event."""
    articles = _articles("calendar", events)
    dice = Dice("apart", "calendar")
    days = {
        (2020 + dice.below(6), 1 + dice.below(12), 1 + dice.below(28)): n for n in range(events)
    }

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        match path:
            case [""]:
                return Shown("Calendar", [], {"/calendar/2022/06": "Now"})
            case ["calendar", year, month]:
                return month_of(int(year), int(month), query)
            case ["calendar", year, month, day]:
                n = days.get((int(year), int(month), int(day)))
                links = {
                    f"/calendar/{year}/{month}": "Month",
                    f"/calendar/{year}/{month}/{day}?view=hours": "Hours",
                }
                if n is not None:
                    links[f"/event/{n}"] = articles[n].title
                told = (
                    article_lines(articles[n])[:1]
                    if n is not None
                    else ["Nothing takes place on this day."]
                )
                return Shown(f"{day}.{month}.{year}", told, links)
            case ["event", number]:
                n = int(number)
                return Shown(
                    articles[n].title,
                    article_lines(articles[n]),
                    {f"/event/{n}/ics": "Export", f"/event/{n}?share=mail": "Send"},
                )
            case ["event", number, "ics"]:
                return None
        return None

    def month_of(year: int, month: int, query: Mapping[str, str]) -> Shown | None:
        if not 2020 <= year <= 2025:
            return Shown("Calendar", ["There is nothing before or after these years."])
        own = [days[of] for of in sorted(days) if of[:2] == (year, month)]
        after, before = (
            (year + month // 12, month % 12 + 1),
            (year - (month == 1), (month - 2) % 12 + 1),
        )
        links = {f"/calendar/{y}/{m:02}": "Other" for y, m in (after, before)}
        links |= {f"/calendar/{year}/{month:02}/{d:02}": f"{d}" for d in range(1, 29)}
        links |= {
            f"/calendar/{year}/{month:02}?view={view}": view for view in ("list", "week", "year")
        }
        if query.get("view") == "list":
            links |= {f"/event/{n}": articles[n].title for n in own}
        return Shown(f"{month:02}/{year}", [articles[n].title for n in own], links)

    return _closed("http://calendar.test", "/", program)


def wiki(number: int = 120) -> Made:
    """Return a wiki whose old revisions say what new ones do, but for five."""
    articles = _articles("wiki", number)
    taken_out = {9, 30, 61, 83, 110}

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        if path == [""]:
            return Shown("", to="/wiki/Start")
        name = path[1] if len(path) > 1 else "Start"
        at = f"/wiki/{name}"
        if name.startswith(("Special:", "Category:")):
            n = int(name[-1]) if name[-1].isdigit() else 0
            links = {f"/wiki/{_name(k)}": articles[k].title for k in range(n, number, 10)}
            return Shown(
                name,
                [],
                links
                if name.startswith("Category")
                else {f"/wiki/{_name(k)}": articles[k].title for k in range(20)},
            )
        if name.startswith("Talk:"):
            n = int(name.rpartition("_")[2]) if "_" in name else 1
            said = (
                article_lines(articles[n])[-1][:80]
                if n % 9 == 0
                else "There is no discussion of this page so far."
            )
            return Shown("Talk", [said], {at.replace("Talk:", ""): "Page"})
        n = int(name.rpartition("_")[2]) if "_" in name else -1
        told = article_lines(articles[n]) if n >= 0 else ["This is where the wiki begins."]
        links = {
            f"/wiki/{_name((n * 3 + k) % number)}": articles[(n * 3 + k) % number].title
            for k in (1, 2, 5)
        }
        action = query.get("action", "")
        revision = int(query.get("rev", 0))
        if len(path) > 2 and path[2] == "history":
            links = {f"{at}?rev={r}": f"Version {r}" for r in (1, 2, 3)}
            return Shown(
                "History",
                [],
                links
                | {f"{at}?diff={r}&old={r - 1}": "Differences" for r in (2, 3)}
                | {at: "Page"},
            )
        if action == "edit":
            return Shown(
                "Edit",
                ["You may not change this page."],
                {at: "Page"},
                '<meta name="robots" content="noindex">' if n % 2 else "",
            )
        if action == "export":
            return Shown("Export", told)
        if revision and n in taken_out and revision == 1:
            told = [
                *told[:2],
                f"This was taken out later: {articles[n].author} had promised it, {n}.",
            ]
        elif revision:
            told = told[: len(told) - 3 + revision]
        if "diff" in query:
            told = told[-2:]
        if action == "print":
            return Shown(name, told)
        links |= {f"{at}?action={a}": a for a in ("edit", "print", "export")}
        links |= {
            f"{at}/history": "History",
            f"/wiki/Talk:{name}": "Talk",
            f"/wiki/Special:Links/{name}": "Links",
            f"/wiki/Category:{n % 10}": "Category",
        }
        return Shown(name, told, links)

    def _name(n: int) -> str:
        return f"{_words(articles[n]).title().replace('-', '')}_{n}"

    return _closed("http://wiki.test", "/", program)


def questions(number: int = 200) -> Made:
    """Return questions with answers; a few users say something of themselves."""
    articles = _articles("questions", number)
    users, tags = 90, 25

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        match path:
            case [""] | ["questions"]:
                return listing("/questions", range(number), query)
            case ["questions", "tagged", tag]:
                return listing(f"/questions/tagged/{tag}", range(int(tag[1:]), number, tags), query)
            case ["q", number_of, *_]:
                n = int(number_of)
                return Shown("", to=f"/questions/{n}/{_words(articles[n])}")
            case ["a", answer]:
                n = int(answer) // 10
                return Shown("", to=f"/questions/{n}/{_words(articles[n])}?answer={answer}")
            case ["questions", number_of, *rest]:
                return question(int(number_of), query) if rest else Shown("", to=f"/q/{number_of}")
            case ["users", "login"]:
                return Shown("Log in", ["You must log in to change what others wrote."])
            case ["users", number_of, *_]:
                u, tab = int(number_of), query.get("tab", "profile")
                own = (
                    [f"{articles[u].author}: {article_lines(articles[u])[1][:70]}"]
                    if u % 6 == 0 and tab == "profile"
                    else []
                )
                links = {
                    f"/users/{u}/{_slug(articles[u])}?tab={t}": t
                    for t in ("answers", "questions", "badges", "activity")
                }
                asked = range(u, number, users) if tab == "questions" else ()
                return Shown("User", own, links | {f"/q/{n}": articles[n].title for n in asked})
            case ["posts", number_of, "revisions"]:
                n = int(number_of)
                told = article_lines(articles[n])[:2]
                if n in (44, 123, 180):
                    told = [
                        *told,
                        f"Before it was shortened, {articles[n].author} had also asked why, {n}.",
                    ]
                return Shown("Revisions", told, {f"/q/{n}": "Question"})
            case ["posts", n, "edit"] | ["posts", n, "flag"]:
                return Shown("", to=f"/users/login?returnurl={n}")
            case ["tags"]:
                return Shown("Tags", [], {f"/questions/tagged/t{t}": f"t{t}" for t in range(tags)})
        return None

    def listing(at: str, found: range, query: Mapping[str, str]) -> Shown:
        tab, number_of = query.get("tab", ""), int(query.get("page", 1))
        there = list(found)
        there.sort(key=lambda n: {"votes": n * 31 % 97, "active": n * 17 % 89}.get(tab, n))
        links = {
            f"/questions/{n}/{_words(articles[n])}": articles[n].title
            for n in _listed(there, number_of, 15)
        }
        links |= {
            f"/users/{n % users}/{_slug(articles[n % users])}": articles[n % users].author
            for n in _listed(there, number_of, 15)
        }
        links |= {_at(at, tab=t): t for t in ("newest", "active", "votes", "unanswered")} | {
            "/tags": "Tags"
        }
        if number_of * 15 < len(there):
            links[_at(at, tab=tab, page=number_of + 1)] = "Next"
        return Shown("Questions", [], links)

    def question(n: int, query: Mapping[str, str]) -> Shown:
        at, told = f"/questions/{n}/{_words(articles[n])}", article_lines(articles[n])
        if query.get("answertab") == "oldest":
            told = [told[0], *reversed(told[1:])]
        links = {f"{at}?answertab={tab}": tab for tab in ("votes", "oldest")}
        links |= {f"/posts/{n}/{what}": what for what in ("revisions", "edit", "flag")}
        links |= {f"/a/{n * 10 + k}": "Share" for k in range(2)} | {f"/q/{n}": "Share"}
        links |= {
            f"/questions/tagged/t{n % tags}": f"t{n % tags}",
            f"/users/{n % users}/{_slug(articles[n % users])}": articles[n % users].author,
        }
        near = (n * 3 + 1) % number
        links[f"/questions/{near}/{_words(articles[near])}?noredirect=1"] = "Related"
        return Shown(articles[n].title, told, links)

    return _closed("http://questions.test", "/questions", program)


def news(number: int = 220) -> Made:
    """Return a newspaper; three articles are whole on their AMP pages alone."""
    articles = _articles("news", number)
    short = {25, 111, 190}

    def path_of(n: int) -> str:
        return f"/{2020 + n % 5}/{1 + n % 12:02}/{_words(articles[n])}-{n}"

    def program(path: Sequence[str], query: Mapping[str, str]) -> Shown | None:
        match path:
            case [""]:
                return listing("", range(number - 1, -1, -1), query, 1)
            case ["page", p]:
                return listing("", range(number - 1, -1, -1), query, int(p))
            case ["tag" | "author" as kind, name, *rest]:
                step = {"tag": 20, "author": 14}[kind]
                return listing(
                    f"/{kind}/{name}",
                    range(int(name[1:]), number, step),
                    query,
                    int(rest[1]) if len(rest) > 1 else 1,
                )
            case [year, month]:
                there = [
                    n
                    for n in range(number)
                    if 2020 + n % 5 == int(year) and 1 + n % 12 == int(month)
                ]
                return listing(f"/{year}/{month}", there, query, 1)
            case [_, _, name, *view]:
                return article(int(name.rpartition("-")[2]), view[0] if view else "", query)
        return None

    def listing(at: str, found: Sequence[int], query: Mapping[str, str], number_of: int) -> Shown:
        there = _listed(found, number_of, 10)
        links = {f"{path_of(n)}": articles[n].title for n in there}
        links |= {f"{path_of(n)}?utm_source=list&utm_medium=t{n % 3}": "Read on" for n in there[:3]}
        links |= {f"/{2020 + n % 5}/{1 + n % 12:02}": "Month" for n in there[:4]}
        if number_of * 10 < len(found):
            links[f"{at}/page/{number_of + 1}"] = "Older"
        return Shown("News", [article_lines(articles[n])[0][:90] for n in there], links)

    def article(n: int, view: str, query: Mapping[str, str]) -> Shown:
        told, at = article_lines(articles[n]), path_of(n)
        others = [articles[(n + k) % number] for k in range(n % 4)]
        comments = [f"{one.author}: {article_lines(one)[-1][:50]}" for one in others]
        canonical = f'<link rel="canonical" href="http://news.test{at}">'
        if n in short and view != "amp":
            told = told[:2]
        if view in ("amp", "print"):
            return Shown(articles[n].title, told, {at: "Whole page"}, canonical if n % 2 else "")
        links = {f"{at}/{one}": one for one in ("amp", "print")}
        links |= {f"{at}?replytocom={n * 10 + k}": "Answer" for k in range(n % 4)}
        links |= {
            f"/tag/t{n % 20}": f"t{n % 20}",
            f"/author/a{n % 14}": articles[n].author,
            f"{at}/feed": "Feed",
        }
        links[f"{path_of((n * 5 + 2) % number)}?utm_source=related"] = "Related"
        if "replytocom" in query:
            told = [*told, "You are answering a comment of this article."]
        return Shown(articles[n].title, [*told, *comments], links, canonical)

    return _closed("http://news.test", "/", program)


APART: Mapping[str, Callable[[], Made]] = {
    one.__name__: one for one in (shop, forum, sessions, calendar, wiki, questions, news)
}
"""Name -> what makes the site."""
