"""English sites which serve one page at several addresses, under another dress each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.families.kit import Page, family


class _Text(NamedTuple):
    """One article, before any site has dressed it."""

    slug: str
    title: str
    body: str


def _paras(text: str) -> str:
    """Return paragraphs, which an empty line separates in the source."""
    return "\n".join(f"<p>{' '.join(p.split())}</p>" for p in text.strip().split("\n\n"))


def _items(entries: tuple[str, ...]) -> str:
    return "\n".join(f"<li>{entry}</li>" for entry in entries)


def _links(entries: tuple[str, ...], folder: str) -> str:
    """Return list items, each of them a link into a folder."""
    pairs = (("".join(c if c.isalnum() else "-" for c in e.lower()), e) for e in entries)
    return "\n".join(f'<li><a href="{folder}{slug}/">{entry}</a></li>' for slug, entry in pairs)


# ---------------------------------------------------------------------------------------------
# 1. AMP pages of a newspaper


def _burst_main(street: str, homes: str, time: str, school: str) -> str:
    return f"""
Residents were left without water on Tuesday after a main under {street} gave way shortly before
{time}, sending a brown torrent down the hill and into several front gardens.

Some {homes} homes lost their supply altogether, and many more reported pressure so low that
showers and washing machines would not run. Coastwater, which owns the network, said the cast iron
pipe dated from before the war and had been due to be replaced within two years.

"Our teams were on site within the hour and have isolated the damaged section," a spokeswoman
said. "We are sorry for the disruption, and would ask customers to run their cold tap for a few
minutes once the supply is back, until the water is clear."

Bottled water was handed out in the car park of {school} from mid-morning, with deliveries made to
customers on the priority register. Volunteers from the lifeboat station helped to carry crates to
older neighbours, some of whom had not been told where to go.

Councillors have asked the company for a timetable of works. A similar burst in the autumn took
three days to repair because the trench filled at every high tide. The company said that this time
it expected to finish the work overnight and to resurface the road by the weekend, and that anyone
who had been without water for more than twelve hours would receive a payment automatically.
"""


_GAZETTE = (
    _Text(
        "burst-main-ferrow-road",
        "Residents without water after main bursts",
        _burst_main("Ferrow Road", "340", "6am", "St Bride's Primary School"),
    ),
    _Text(
        "last-loaf-pennings-bakery",
        "Last loaf after 41 years at Penning's bakery",
        """
Bob Penning pulled his final tray of lardy cakes from the oven on Saturday, forty-one years after
he took over the corner shop from his uncle with a loan of nine hundred pounds.

A queue had formed by five in the morning. By half past eight there was nothing left on the
shelves but a single seeded loaf, which Mr Penning wrapped for himself. "I thought I would be glad
of the lie-in," he said. "Now I am not so sure what I will do with it."

The shop has been sold to a couple from Orme who will keep the ovens and hope to open again before
midsummer under the same name. Both worked there as teenagers.
""",
    ),
    _Text(
        "burst-main-chantry-lane",
        "Residents without water after main bursts",
        _burst_main("Chantry Lane", "85", "11pm the night before", "the Methodist Hall"),
    ),
    _Text(
        "reading-room-reopens",
        "Reading room reopens with its ceiling restored",
        """
Visitors looked up rather than down when the reading room of the Harbour Library opened its doors
on Monday for the first time since the winter storms of two years ago.

Plasterers have rebuilt eleven of the sixteen panels of the painted ceiling from photographs, many
of them sent in by readers of this newspaper. The work cost £212,000, two thirds of it paid by
the insurers and the rest raised by the Friends of the Library.

The local history collection, kept in the crypt of St Bride's in the meantime, returns next month.
Until then the room is open on weekdays only, from ten until four.
""",
    ),
)


def _gazette_full(text: _Text, head: str, byline: str, sidebar: tuple[str, ...]) -> str:
    return f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8">
<title>{text.title} | Saltmere Gazette</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/gazette.css">{head}
</head><body class="single single-post">
<div id="masthead"><a href="/"><img src="/assets/masthead.svg" alt="Saltmere Gazette"></a>
<span class="strap">The voice of the estuary since 1871</span></div>
<nav class="main-nav"><ul><li><a href="/news/">News</a></li><li><a href="/sport/">Sport</a></li>
<li><a href="/whats-on/">What's on</a></li><li><a href="/notices/">Family notices</a></li>
<li><a href="/jobs/">Jobs</a></li><li><a href="/subscribe/">Subscribe</a></li></ul></nav>
<div class="wrap"><article class="entry">
<header><h1 class="entry-title">{text.title}</h1><div class="byline">{byline}</div>
<ul class="share"><li><a href="#">Facebook</a></li><li><a href="#">WhatsApp</a></li>
<li><a href="#">Email</a></li></ul></header>
<div class="entry-content">
{_paras(text.body)}
</div></article>
<aside class="rail"><h3>Most read</h3><ol>
{_links(sidebar, "/news/")}
</ol><div class="promo"><h3>Get the Gazette by email</h3>
<p>Our newsletter has the day's headlines at half past six every evening. It is free.</p></div>
</aside></div>
<footer><p>Saltmere Gazette, 14 Fish Row. A member of the Estuary Press Group. We subscribe to the
editors' code of practice; to complain about a story, write to the editor.</p>
<p><a href="/privacy/">Privacy</a> <a href="/terms/">Terms</a> <a href="/cookies/">Cookies</a></p>
</footer></body></html>"""


def _gazette_amp(text: _Text, head: str, byline: str) -> str:
    return f"""<!doctype html>
<html amp lang="en-GB"><head><meta charset="utf-8">
<script async src="https://cdn.ampproject.org/v0.js"></script>
<title>{text.title}</title>{head}
<meta name="viewport" content="width=device-width">
<style amp-custom>body{{font:18px Georgia,serif}}.amp-wp-header{{background:#123}}</style>
</head><body class="amp-mode-mouse">
<header id="top" class="amp-wp-header"><div><a href="/"><amp-img src="/assets/amp-logo.png"
 width="32" height="32" alt="Gazette"></amp-img> Saltmere Gazette</a></div></header>
<article class="amp-wp-article"><header class="amp-wp-article-header">
<h1 class="amp-wp-title">{text.title}</h1><div class="amp-wp-meta">{byline}</div></header>
<div class="amp-wp-article-content">
{_paras(text.body)}
</div>
<amp-ad width="300" height="250" type="doubleclick"></amp-ad>
<footer class="amp-wp-article-footer"><a href="/news/{text.slug}/">View full site</a></footer>
</article>
<footer class="amp-wp-footer"><p>Estuary Press Group</p><a href="#top">Back to top</a></footer>
</body></html>"""


@family(
    "saltmere-gazette",
    kind="AMP versions of a newspaper's articles (copies)",
    language="en",
    half="work",
)
def saltmere_gazette() -> Iterator[Page]:
    """Each article has an AMP version; two bursts of water mains are two events."""
    base = "http://www.saltmere-gazette.test"
    lists = (
        (
            "Man fined over dog on beach",
            "Ten things to do this bank holiday",
            "Ferry fares to rise",
        ),
        ("Ferry fares to rise", "Pier cafe for sale", "Letters: who planned this junction?"),
    )
    stamps = ("2 hours ago", "Yesterday", "14th May", "3 days ago")
    for n, text in enumerate(_GAZETTE):
        path = f"/news/{text.slug}/"
        amp_path = f"{path}amp/" if n < 2 else f"{path}?amp=1"
        linked = n in (1, 2)
        head = f'\n<link rel="amphtml" href="{base}{amp_path}">' if linked else ""
        amp_head = f'\n<link rel="canonical" href="{base}{path}">' if linked else ""
        byline = f"By Ruth Amery, Reporter &middot; {stamps[n]}"
        full = Page(path, _gazette_full(text, head, byline, lists[n % 2]), text.slug)
        amp = Page(amp_path, _gazette_amp(text, amp_head, "Ruth Amery"), text.slug)
        yield from (full, amp) if n % 2 == 0 else (amp, full)


# ---------------------------------------------------------------------------------------------
# 2. Mobile subdomain of a recipe site


class _Recipe(NamedTuple):
    slug: str
    title: str
    intro: str
    needs: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]


def _traybake(fruit: str, grams: int, sugar: int, minutes: int) -> _Recipe:
    return _Recipe(
        f"easy-{fruit}-traybake",
        "Easy fruit traybake",
        "This is the cake I make when somebody rings to say they are ten minutes away. It wants "
        "one bowl and one tin, it forgives a careless hand with the scales, and it is better on "
        "the second day, should any of it last that long. Serve it warm with cold cream as a "
        "pudding, or cut it into squares for a lunch box.",
        (
            (f"ripe {fruit}, halved and stoned", f"{grams} g"),
            ("self-raising flour", "250 g"),
            ("soft butter, and a little more for the tin", "200 g"),
            ("golden caster sugar", f"{sugar} g"),
            ("large eggs", "4"),
            ("whole milk", "3 tbsp"),
            ("flaked almonds", "30 g"),
            ("fine salt", "1 pinch"),
        ),
        (
            "Heat the oven to 180&deg;C, or 160&deg;C with the fan. Butter a tin of about 20 by "
            "30 centimetres and line it with baking paper so that two sides hang over.",
            "Beat the butter with the sugar until it is pale, which takes longer than you think. "
            "Add the eggs one by one, with a spoonful of flour each if the mixture splits.",
            "Fold in the rest of the flour and the salt, then loosen with the milk until the "
            "batter drops from the spoon. Scrape it into the tin and level the top.",
            "Push the fruit into the batter, cut side up and close together, and scatter the "
            "almonds over everything.",
            f"Bake for {minutes} minutes until golden and springy; a skewer should come out clean. "
            "Cool in the tin for a quarter of an hour before you lift it out by the paper.",
        ),
    )


_RECIPES = (
    _traybake("plums", 450, 180, 40),
    _Recipe(
        "green-lentil-soup-with-lemon",
        "Green lentil soup with lemon",
        "A soup for the week after a holiday, when the fridge is empty and so is the purse. The "
        "lemon goes in at the very end and wakes the whole pot up.",
        (
            ("small green lentils", "300 g"),
            ("onions, chopped", "2"),
            ("carrots, diced", "3"),
            ("ground cumin", "2 tsp"),
            ("vegetable stock", "1.5 litres"),
            ("lemon, juice and zest", "1"),
        ),
        (
            "Soften the onions and carrots in olive oil for ten minutes, with the lid on.",
            "Stir in the cumin, then the rinsed lentils and the stock. Simmer for 35 minutes.",
            "Blend a third of the soup and return it to the pot. Add the lemon and salt to taste.",
        ),
    ),
    _traybake("apricots", 600, 220, 45),
    _Recipe(
        "no-knead-rye-loaf",
        "No-knead rye loaf",
        "Stir it before bed, bake it before lunch. The dough looks like wet cement, as it must.",
        (
            ("wholemeal rye flour", "400 g"),
            ("strong white flour", "100 g"),
            ("instant yeast", "half a teaspoon"),
            ("lukewarm water", "430 ml"),
            ("treacle", "1 tbsp"),
        ),
        (
            "Mix everything with a wooden spoon, cover the bowl and leave it for twelve hours.",
            "Scrape the dough into an oiled loaf tin, smooth it with a wet hand and wait an hour.",
            "Bake at 220&deg;C for 50 minutes. Do not cut it until the next day.",
        ),
    ),
)


def _recipe_desktop(recipe: _Recipe, saved: str) -> str:
    rows = "\n".join(f"<tr><td>{q}</td><td>{name}</td></tr>" for name, q in recipe.needs)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{recipe.title} - Tin &amp; Crumb</title>
<meta property="og:site_name" content="Tin &amp; Crumb">
<link rel="stylesheet" href="/css/desktop-v7.css"></head><body>
<div class="topbar"><a href="/login">Log in</a> | <a href="/join">Join</a> |
<a href="/basket">Shop</a></div>
<div class="header"><a class="logo" href="/"><img src="/img/tin-crumb.png"
 alt="Tin &amp; Crumb"></a>
<form action="/search"><input name="q" placeholder="Search 4,000 recipes"></form></div>
<ul class="menu"><li><a href="/baking">Baking</a></li><li><a href="/soups">Soups</a></li>
<li><a href="/weeknight">Weeknight</a></li><li><a href="/seasonal">In season</a></li>
<li><a href="/kit">Kitchen kit</a></li></ul>
<div class="columns"><div class="col-main"><h1>{recipe.title}</h1>
<img class="hero" src="/img/recipes/{recipe.slug}.jpg" alt="">
<p class="lead">{recipe.intro}</p>
<div class="box ingredients"><h2>Ingredients</h2><table>
{rows}
</table></div>
<div class="box method"><h2>Method</h2><ol>
{_items(recipe.steps)}
</ol></div>
<div class="tools"><a href="#">Save to my book ({saved})</a> <a href="#">Print</a>
<a href="#">Pin it</a></div></div>
<div class="col-side"><h3>You may also like</h3><ul><li><a href="/recipes/seed-crackers">Seed
crackers
</a></li><li><a href="/recipes/malt-loaf">Sticky malt loaf</a></li>
<li><a href="/recipes/pea-fritters">Pea fritters</a></li></ul>
<h3>Our conversion charts</h3><p>Every recipe is tested in metric. Our charts help with cups,
ounces and old gas marks, and with tins of another size than the one we used.</p></div></div>
<div class="footer"><p>&copy; Tin &amp; Crumb Media. All recipes are tested twice in our kitchen.
Always check labels for allergens.</p><a href="http://m.tin-and-crumb.test/">Mobile site</a></div>
</body></html>"""


def _recipe_mobile(recipe: _Recipe) -> str:
    needs = "\n".join(
        f'<li class="ing"><span>{name}</span> <b>{q}</b></li>' for name, q in recipe.needs
    )
    steps = "\n".join(
        f'<section class="step"><h3>Step {n}</h3><p>{step}</p></section>'
        for n, step in enumerate(recipe.steps, 1)
    )
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{recipe.title} | T&amp;C mobile</title>
<meta name="viewport" content="width=device-width,user-scalable=no">
<link rel="stylesheet" href="/m.css"></head><body>
<div id="bar"><a href="#nav">&#9776;</a> <a href="/">Tin &amp; Crumb</a> <a
href="/s">Search</a></div>
<div id="page"><h1>{recipe.title}</h1>
<img src="http://www.tin-and-crumb.test/img/recipes/{recipe.slug}-320.jpg" alt="" width="320">
<div class="intro">{recipe.intro}</div>
<div class="acc"><a class="acc-t" href="#i">You will need</a><ul id="i">
{needs}
</ul></div>
<div class="acc"><a class="acc-t" href="#m">What to do</a><div id="m">
{steps}
</div></div></div>
<div class="install">Get our free app for hands-free cooking <a href="/app">Install</a></div>
<div id="foot"><a href="http://www.tin-and-crumb.test/recipes/{recipe.slug}">Full site</a> &middot;
<a href="/privacy">Privacy</a></div>
</body></html>"""


@family(
    "tin-and-crumb",
    kind="a recipe site and its mobile subdomain (copies)",
    language="en",
    half="work",
)
def tin_and_crumb() -> Iterator[Page]:
    """The mobile pages are the desktop's; plums and apricots are two cakes of one title."""
    for recipe, saved in zip(_RECIPES[:2], ("2,118", "860"), strict=True):
        yield Page(f"/recipes/{recipe.slug}", _recipe_desktop(recipe, saved), recipe.slug)
    for recipe in _RECIPES:
        yield Page(f"/recipes/{recipe.slug}", _recipe_mobile(recipe), recipe.slug, host="m")
    for recipe, saved in zip(_RECIPES[2:], ("1,904", "77"), strict=True):
        yield Page(f"/recipes/{recipe.slug}", _recipe_desktop(recipe, saved), recipe.slug)


# ---------------------------------------------------------------------------------------------
# 3. Mirrors of a software project


def _release(version: str, bugs: tuple[str, str], size: str, digest: str) -> str:
    return f"""<p>The Larkspur team is happy to announce a maintenance release of the Larkspur text
editor. It repairs faults which users have reported since the last release and adds no features.
Everybody who runs the 4.x series is advised to upgrade at a convenient moment; settings, macros
and session files of all earlier 4.x releases will be read without conversion.</p>
<p>As always, sources and binaries are available from the download page and from a mirror near you.
Please verify the signature before you install. The release key has not changed since 2019, and its
fingerprint is printed in the installation notes. Packagers are asked to pick up the tarball rather
than the repository tag, because the tarball holds the generated parser tables.</p>
<ul><li>{bugs[0]}</li><li>{bugs[1]}</li><li>Translations have been brought up to date.</li></ul>
<table border="1" cellpadding="4"><tr><th>File</th><th>Size</th><th>SHA-1</th></tr>
<tr><td>larkspur-{version}.tar.xz</td><td>{size}</td><td><tt>{digest}</tt></td></tr></table>
<p>Many thanks to all who sent reports, patches and postcards. Questions about this release belong
on the users' list, bugs in the tracker; please search both before you write.</p>"""


_LARKSPUR: tuple[tuple[str, str, str], ...] = (
    (
        "/install.html",
        "Installation notes",
        """<p>Larkspur builds on any system with a C99 compiler and the curses library. Unpack the
sources, change into the directory and run <tt>./configure</tt>, then <tt>make</tt> and, as root,
<tt>make install</tt>. The default prefix is <tt>/usr/local</tt>.</p>
<p>To check the signature, import the release key first. Its fingerprint is 7C31 90AE 44D2 0B6F. If
your keyring says something else, stop and write to us.</p>
<p>On systems without a writable home directory, point <tt>LARKSPUR_HOME</tt> to a place for
settings. Without it, the editor starts in read-only mode and says so in the status line.</p>""",
    ),
    (
        "/news/release-a.html",
        "Maintenance release",
        _release(
            "4.6.2",
            (
                "Undo no longer jumps to the top of the file after a rectangular paste.",
                "The Latin-2 keyboard tables are loaded again on startup.",
            ),
            "1.31 MB",
            "90c5d0e1f27ab34a66c1d8e9b0a3fd41b7725c06",
        ),
    ),
    (
        "/news/release-b.html",
        "Maintenance release",
        _release(
            "4.6.3",
            (
                "Searching backwards across a fold no longer loops.",
                "A crash when the terminal shrinks below eight lines is gone.",
            ),
            "1.32 MB",
            "2fe7719b04ac85d3310fbb7c6e5288a1d90e4f3b",
        ),
    ),
    (
        "/faq.html",
        "Frequently asked questions",
        """<dl><dt>Why another editor?</dt><dd>Because in 1994 we had a terminal of forty columns
and nothing else would fit. Habit did the rest.</dd>
<dt>Does it run on Windows?</dt><dd>In a terminal, yes. There is no graphical version, and nobody
has offered to maintain one.</dd>
<dt>May I use the name and the flower?</dt><dd>For packages of unmodified sources, gladly. For a
fork, please choose a flower of your own.</dd>
<dt>How can I become a mirror?</dt><dd>Fetch the tree with rsync twice a day and tell us your name,
your bandwidth and whom to write to when it breaks.</dd></dl>""",
    ),
)

_MIRRORS: dict[str, tuple[str, str]] = {
    "www": (
        '<td><a href="/"><img src="/pix/flower.gif" alt="Larkspur"></a></td>'
        "<td><font size=6>Larkspur</font><br>a small text editor</td>",
        "Larkspur is free software. Comments on these pages to "
        "<a href='mailto:web@larkspur.test'>web@larkspur.test</a>. Hosting kindly given by Tarn "
        "Networks.",
    ),
    "other:uni": (
        '<td><img src="/uni-crest.png" alt="University of Varnholt"></td>'
        "<td><font size=5>Mirror service of the University of Varnholt</font><br>Larkspur mirror, "
        "synchronised every 12 hours</td>",
        "This mirror is run by the Computing Centre, Building C4, and is funded by the Faculty of "
        "Mathematics. Trouble? Write to <a href='mailto:ftpadmin@varnholt.test'>ftpadmin</a> or "
        "call extension 3391. Last synchronised: Thu 04:10.",
    ),
    "other:koala": (
        '<td bgcolor="#ffee88"><b>KOALA.NET</b> mirrors</td>'
        "<td>Your fast Larkspur mirror in Australia, sponsored by Koala Broadband</td>",
        "Koala Broadband: 100 Mbit for $49. Mirror contact: "
        "<a href='mailto:mirrors@koala.test'>mirrors@koala.test</a>. We are not the authors of "
        "this software. Mirror updated Wed 22:00 AEST.",
    ),
}


def _larkspur(host: str, title: str, body: str) -> str:
    top, foot = _MIRRORS[host]
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>Larkspur: {title}</title></head><body bgcolor="#ffffff" link="#334488">
<table width="100%" cellpadding="6"><tr>{top}</tr></table><hr>
<table width="100%" cellspacing="8"><tr valign="top"><td width="140">
<a href="/index.html">Home</a><br><a href="/install.html">Installation</a><br>
<a href="/faq.html">Questions</a><br><a href="/news/release-a.html">News</a><br>
<a href="/lists.html">Mailing lists</a><br><a href="/mirrors.html">Mirrors</a></td>
<td><h2>{title}</h2>
{body}
</td></tr></table><hr><small>{foot}</small></body></html>"""


@family(
    "larkspur-editor",
    kind="mirrors on other domains with the mirror's own header and footer (copies)",
    language="en",
    half="work",
)
def larkspur_editor() -> Iterator[Page]:
    """A mirror's page is the original's; two releases of one title are two releases."""
    order = (
        ("other:uni", (0, 1, 2, 3)),
        ("www", (3, 2, 1, 0)),
        ("other:koala", (1, 2)),
    )
    for host, picks in order:
        for pick in picks:
            path, title, body = _LARKSPUR[pick]
            yield Page(path, _larkspur(host, title, body), what=path, host=host)


# ---------------------------------------------------------------------------------------------
# 4. Session ids, adverts, a greeting and a quote of the day


class _Water(NamedTuple):
    code: str
    body: str
    facts: tuple[tuple[str, str], ...]


_DAY_TICKET = """
Our day ticket waters are open to everybody with a valid rod licence, whether or not you are a
member of the club. Tickets are sold in advance only; there is no longer a warden on the bank to
take your money, and anybody found fishing without a ticket will be asked to leave.

Two rods are allowed per ticket. Barbless hooks only, please, and no keepnets between May and the
end of August. Carp must be returned at once and must be held over a wet mat while you unhook them.
Bait boats, drones and fixed leads are not allowed, nor are fires or loud music.

The gate is locked at dusk. Park on the hard standing, close the gate behind you even if you found
it open, and take your litter home. Dogs are welcome on a lead. Juniors under fourteen fish free in
the company of an adult who holds a ticket.

In hard weather the water may be closed at short notice to protect the fish, and the club does not
refund tickets in that case but will gladly move them to another day.
"""

_WATERS = (
    _Water(
        "day-ticket",
        _DAY_TICKET,
        (
            ("Water", "Harrow Mere"),
            ("Size", "11 acres"),
            ("Pegs", "38"),
            ("Ticket", "&pound;9.50"),
            ("Key code", "ask for it with your ticket"),
        ),
    ),
    _Water(
        "knots",
        """
Most fish are lost at the knot, and most knots fail because they were pulled tight when dry. Wet
the line with your lips, draw the turns together slowly and look at the result before you trim it.

For hooks with an eye, five turns of the grinner will do for any monofilament up to ten pounds. For
braid, double the line first. For spade ends there is no way around the whipping that your
grandfather used; a hook tyer makes it quicker, never better.

Tie each knot twenty times at the kitchen table before you tie it on the bank with cold hands. Cut
off the last metre after every session, and change the whole line once a year.
""",
        (("Level", "Beginner"), ("You need", "line, scissors, patience")),
    ),
    _Water(
        "day-ticket",
        _DAY_TICKET,
        (
            ("Water", "Barrow Pool"),
            ("Size", "4 acres"),
            ("Pegs", "16"),
            ("Ticket", "&pound;7.00"),
            ("Key code", "ask for it with your ticket"),
        ),
    ),
    _Water(
        "juniors",
        """
Our junior evenings run on Wednesdays in the summer holidays, from six until the light goes. Tackle
and bait are provided, and so is a hot dog. Children should wear boots and bring a drink and a coat.

Every junior fishes beside a coach who has been checked and trained. Parents are welcome to stay but
are asked to keep their own rods in the car, as this is the children's evening and the fish are few.

At the end of August we hold a small match with prizes for the heaviest net, the smallest fish and
the best tangle.
""",
        (("Ages", "8 to 16"), ("Price", "&pound;2 each evening")),
    ),
)

_WATER_TITLES = {
    "day-ticket": "Day ticket waters",
    "knots": "Three knots you need",
    "juniors": "Junior evenings",
}

_VISITS: tuple[tuple[str, str, str, str], ...] = (
    (
        "Good morning, guest!",
        '<a href="/out?b=17"><img src="/ads/reels.gif" alt="Reels from 19.99: Tackle Shed"></a>',
        "The gods do not deduct from man's allotted span the hours spent in fishing.",
        "14 users online",
    ),
    (
        "Good evening, guest! You have visited us 3 times.",
        '<a href="/out?b=4"><img src="/ads/waders.gif" alt="Dry feet all winter: Norse waders"></a>'
        '<p class="ad-text">Hire a narrowboat with fishing rights. Half-term weeks free.</p>',
        "There is a fine line between fishing and standing on the bank like an idiot.",
        "3 users online (1 member, 2 guests)",
    ),
    (
        "Hello again!",
        '<p class="ad-text">Maggots by post, Monday to Thursday, from Wrigley &amp; Daughters.</p>',
        "Even a fish would not get into trouble if it kept its mouth shut.",
        "41 users online, most ever 203",
    ),
)


def _angler_page(water: _Water, visit: int, crumb: str) -> str:
    greeting, advert, quote, online = _VISITS[visit]
    title = _WATER_TITLES[water.code]
    facts = "\n".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in water.facts)
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{title} - Stillwater Anglers</title><link rel="stylesheet" href="/style.css" /></head><body>
<div id="greet">{greeting} <a href="/login.do{crumb}">Sign in</a></div>
<div id="banner">{advert}</div>
<div id="nav"><a href="/home.do{crumb}">Home</a> | <a href="/waters.do{crumb}">Waters</a> |
<a href="/matches.do{crumb}">Matches</a> | <a href="/join.do{crumb}">Join the club</a> |
<a href="/forum.do{crumb}">Forum</a></div>
<div id="side"><dl class="facts">
{facts}
</dl></div>
<div id="text"><h2>{title}</h2>
{_paras(water.body)}
</div>
<div id="quote"><b>Quote of the day</b><br /><i>{quote}</i></div>
<div id="foot">{online}. Stillwater Anglers, affiliated to the county association. Site by
Derek.</div>
</body></html>"""


@family(
    "stillwater-anglers",
    kind="session ids and tracking parameters with rotating chrome (copies)",
    language="en",
    half="work",
)
def stillwater_anglers() -> Iterator[Page]:
    """Another session's page is the same page; two waters of one title are two places."""
    mere, knots, pool, juniors = _WATERS
    plan: tuple[tuple[_Water, str, str, int, str], ...] = (
        (mere, "mere", "/waters/view.do?id=31", 0, ""),
        (pool, "pool", "/waters/view.do?id=32&visit=88213", 1, "?visit=88213"),
        (
            mere,
            "mere",
            "/waters/view.do;jsessionid=4F0A92C7D1?id=31",
            1,
            ";jsessionid=4F0A92C7D1",
        ),
        (knots, "knots", "/tips/knots.do?trk=nl0524", 2, ""),
        (knots, "knots", "/tips/knots.do", 0, ""),
        (juniors, "juniors", "/juniors.do?s=9c1e77ab", 1, "?s=9c1e77ab"),
        (pool, "pool", "/waters/view.do?id=32", 2, ""),
        (juniors, "juniors", "/juniors.do?s=02bd4410", 2, "?s=02bd4410"),
        (mere, "mere", "/waters/view.do?id=31&trk=home-box", 2, ""),
        (pool, "pool", "/waters/view.do?id=32&trk=home-box", 0, ""),
    )
    for water, what, path, visit, crumb in plan:
        yield Page(path, _angler_page(water, visit, crumb), what=what)


# ---------------------------------------------------------------------------------------------
# 5. A manual in two versions


def _import_chapter(kind: str, menu: str, limit: str, ending: str, first: str) -> str:
    return f"""
{first}

Choose <b>File &rarr; Import &rarr; {menu}</b> and point the dialog to your file. Tallybook accepts
files whose name ends in <code>{ending}</code>, up to a size of {limit}. A preview of the first
twenty records appears below the list of accounts. Nothing is written to the ledger yet, so you can
leave the dialog at any time without harm.

Match each field of the {kind} file with a field of the ledger. Date, amount and account are
required; payee, note and category may stay empty. Tallybook remembers the match under the name of
the bank, and offers it when you import a file of the same shape again.

Press <b>Check</b>. Records that exist already are shown in grey, and records with an unknown
account in red. Tick the records you want and press <b>Import</b>. The batch gets a number, which
you find under <b>Ledger &rarr; Batches</b>, and a whole batch can be taken back as long as the
period it belongs to has not been closed.

If amounts come out a hundred times too large, the file uses a comma for decimals: set this in the
lower part of the dialog and check again. If umlauts or accents look wrong, change the encoding.
"""


def _tally_options(rows: tuple[tuple[str, str, str], ...]) -> str:
    table = "\n".join(
        f"<tr><td><code>{name}</code></td><td>{value}</td><td>{text}</td></tr>"
        for name, value, text in rows
    )
    return f"""<p>The program reads its options from <code>tallybook.conf</code> in the data
directory when it starts. Lines that begin with a hash sign are comments. An option that is missing,
or that cannot be understood, takes its default, and the fact is noted in the log. Options given on
the command line win over the file, and the dialog <b>Edit &rarr; Preferences</b> writes the file
anew, so that your comments are lost if you use both.</p>
<table class="options"><tr><th>Option</th><th>Default</th><th>Meaning</th></tr>
{table}
</table>
<p>After a change, start the program again. On a shared installation the administrator may lock
single options by putting them into the system-wide file; locked options appear in grey in the
dialog.</p>"""


_TALLY_V1: tuple[tuple[str, str, str], ...] = (
    (
        "install",
        "Installing Tallybook",
        _paras("""
Tallybook needs a machine with 512 MB of memory and about 80 MB of disk space. It does not need a
database server: the ledger is a single file which you may copy, mail or keep on a stick.

Unpack the archive into a directory of its own and start the program called tally. At first start
it asks for the data directory. Choose one that is part of your backups.

You can remove the program by deleting its directory. The ledger is not touched.
"""),
    ),
    (
        "import-csv",
        "Importing records",
        _paras(
            _import_chapter(
                "CSV",
                "Delimited text",
                "20 MB",
                ".csv",
                "Most banks let you download your transactions, and typing them again is a waste "
                "of an evening. This chapter shows how to bring them into the ledger.",
            )
        ),
    ),
    (
        "import-mt940",
        "Importing records",
        _paras(
            _import_chapter(
                "MT940",
                "Bank statement",
                "5 MB",
                ".sta",
                "Most banks let you download your transactions, and typing them again is a waste "
                "of an evening. This chapter shows how to bring them into the ledger.",
            )
        ),
    ),
    (
        "closing",
        "Closing a period",
        _paras("""
When all records of a month are in and the balances agree with your statements, close the month.
Closed records can be read and searched but no longer changed.

Open <b>Ledger &rarr; Close</b>, choose the last day of the period and press the button. Tallybook
compares the sum of every account with the balance that you enter, and refuses to close while any of
them is off.

To open a closed period again you need the master password. The ledger keeps a note of who did so,
and of the reason that was given, and prints both in the yearly report.
"""),
    ),
    (
        "options",
        "Options",
        _tally_options(
            (
                ("autosave", "10 min", "How often the ledger is saved."),
                ("currency", "EUR", "Currency of new accounts."),
                ("backup_count", "3", "Number of old ledgers to keep."),
                ("date_order", "dmy", "Order of day, month and year."),
                ("round_to", "0.01", "Smallest amount."),
            )
        ),
    ),
)

_TALLY_V2: tuple[tuple[str, str, str], ...] = (
    (
        "install",
        "Installing Tallybook",
        _TALLY_V1[0][2].replace(
            "You can remove the program by deleting its directory. The ledger is not touched.",
            "To remove the program, simply delete its directory; this leaves the ledger alone.",
        ),
    ),
    (
        "import-csv",
        "Importing records",
        _TALLY_V1[1][2].replace(
            "and typing them again is a waste of an evening.",
            "so there is no need to spend an evening typing them again.",
        ),
    ),
    (
        "import-mt940",
        "Importing records",
        _TALLY_V1[2][2].replace(
            "and typing them again is a waste of an evening.",
            "so there is no need to spend an evening typing them again.",
        ),
    ),
    (
        "closing",
        "Closing a period",
        _TALLY_V1[3][2].replace(
            "When all records of a month are in and the balances agree with your statements, close "
            "the month.",
            "Close a month once all of its records are in and its balances agree with your "
            "statements.",
        ),
    ),
    (
        "options",
        "Options",
        _tally_options(
            (
                ("autosave", "2 min", "How often the ledger is saved."),
                ("currency", "EUR", "Currency of new accounts."),
                ("backup_count", "12", "Number of old ledgers to keep."),
                ("date_order", "dmy", "Order of day, month and year."),
                ("lock_after", "15 min", "Idle time until the password is asked for again."),
                ("round_to", "0.01", "Smallest amount."),
            )
        ),
    ),
)


def _tally_page(version: str, slug: str, title: str, body: str, year: str) -> str:
    chapters = {
        "install": "1. Installing",
        "import-csv": "2. Importing CSV",
        "import-mt940": "3. Importing MT940",
        "closing": "4. Closing",
        "options": "5. Options",
    }
    toc = "\n".join(
        f'<li class="{"here" if name == slug else "ch"}"><a href="{name}.html">{text}</a></li>'
        for name, text in chapters.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<title>{title} &mdash; Tallybook {version} User Manual</title>
<link rel="stylesheet" href="/{version}/manual.css"></head><body>
<div class="manual-head"><span class="product">Tallybook</span> <span class="ver">User Manual for
version {version}</span></div>
<div class="toc"><h4>Contents</h4><ul>
{toc}
</ul></div>
<div class="chapter"><h1>{title}</h1>
{body}
</div>
<div class="manual-foot">Tallybook {version} User Manual. Copyright &copy; {year} Oakfield Software.
This manual may be copied freely for use with the program. Made with DocBook.</div>
</body></html>"""


@family(
    "tallybook-manual",
    kind="a manual for two versions of a program, slightly reworded (copies)",
    language="en",
    half="work",
)
def tallybook_manual() -> Iterator[Page]:
    """Reworded chapters say the same in both versions; only the options have changed."""
    for one, two in zip(_TALLY_V1, _TALLY_V2, strict=True):
        slug, title, body = one
        assert body != two[2]
        old = Page(
            f"/1.0/{slug}.html",
            _tally_page("1.0", slug, title, body, "2019"),
            what=f"{slug} 1.0" if slug == "options" else slug,
        )
        new = Page(
            f"/2.0/{slug}.html",
            _tally_page("2.0", slug, title, two[2], "2023"),
            what=f"{slug} 2.0" if slug == "options" else slug,
        )
        yield from (new, old) if slug in ("import-csv", "options") else (old, new)


# ---------------------------------------------------------------------------------------------
# 6. API docs, latest and stable


def _meter_read(name: str, what: str, code: str, most: str, kind: str) -> str:
    return f"""<dl class="py method"><dt class="sig sig-object py">
<em class="property">async </em><code>{name}(address, count=1, *, unit=None, timeout=5.0)</code>
<a class="headerlink" href="#{name}">&para;</a></dt>
<dd><p>Read {what} from a device and wait for its answer. The request is sent when the bus has been
quiet for the silent interval; if another task holds the bus, the call queues behind it in order of
arrival. The coroutine can be cancelled at any time, in which case the answer, should it still come
in, is read and thrown away, so that it is not mistaken for the answer to a later request.</p>
<dl class="field-list"><dt>Parameters</dt><dd><ul>
<li><strong>address</strong> (int) &ndash; Number of the first item, counted from zero.</li>
<li><strong>count</strong> (int) &ndash; How many to read, at most {most}.</li>
<li><strong>unit</strong> (int or None) &ndash; The device on the bus; by default the client's
own.</li>
<li><strong>timeout</strong> (float) &ndash; Seconds to wait for an answer before giving
up.</li></ul></dd>
<dt>Returns</dt><dd><p>A list of {kind}, as long as count.</p></dd>
<dt>Raises</dt><dd><ul><li><strong>BusTimeout</strong> &ndash; The device did not answer in
time.</li>
<li><strong>BadChecksum</strong> &ndash; The answer was garbled three times in a row.</li>
<li><strong>DeviceError</strong> &ndash; The device refused; its code is in the attribute
<code>code</code>.</li></ul></dd></dl>
<div class="admonition note"><p class="admonition-title">Note</p><p>On the wire this is function
code
{code}. Devices that do not know it answer with error 1, and some cheap converters swallow
it.</p></div>
</dd></dl>"""


def _meter_config(retries: str, gap: str) -> str:
    return f"""<p>Every client takes a <code>Config</code>, whose fields say how patient it is with
a bus. The defaults suit a short line with few devices. On long lines, on radio bridges and behind
serial servers you will want to raise the gap, and perhaps the number of retries, until the error
counter of the client stays at rest for a day.</p>
<table class="docutils"><thead><tr><th>Field</th><th>Type</th><th>Default</th></tr></thead><tbody>
<tr><td>baudrate</td><td>int</td><td>9600</td></tr><tr><td>parity</td><td>str</td><td>"E"</td></tr>
<tr><td>retries</td><td>int</td><td>{retries}</td></tr>
<tr><td>gap</td><td>float</td><td>{gap}</td></tr>
<tr><td>echo</td><td>bool</td><td>False</td></tr></tbody></table>
<p>A configuration cannot be changed once a client uses it. Make another with
<code>config.replace(...)</code> and open the client again. Configurations can be compared, hashed
and written to JSON, and read back from it with <code>Config.from_json</code>.</p>"""


_METER: tuple[tuple[str, str, str, str], ...] = (
    (
        "read_coils",
        "Reading coils",
        _meter_read("read_coils", "the state of coils", "1", "2000", "bool"),
        "",
    ),
    (
        "read_inputs",
        "Reading inputs",
        _meter_read("read_inputs", "input registers", "4", "125", "int"),
        "",
    ),
    (
        "config",
        "Configuration",
        _meter_config("5", "0.02"),
        _meter_config("3", "0.01"),
    ),
    (
        "simulator",
        "The simulator",
        """<p>You rarely have a meter on your desk. The class <code>Simulator</code> plays a device,
in the same process or behind a pseudo-terminal, and answers with values that you give to it as a
dictionary or compute in a function.</p>
<div class="highlight"><pre>sim = Simulator({40001: 17, 40002: lambda: clock()})
async with sim.connect() as client:
    print(await client.read_inputs(40001))</pre></div>
<p>Faults can be played, too: <code>sim.drop(0.1)</code> loses one answer in ten, and
<code>sim.garble()</code> flips a bit of the next. This is how the library's own tests are made.</p>
<p>The simulator does not keep to the timing of a real line unless
<code>realtime=True</code>.</p>""",
        "",
    ),
)


def _meter_page(release: str, branch: str, title: str, body: str, banner: str, rev: str) -> str:
    return f"""<!DOCTYPE html>
<html class="writer-html5" lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1.0"/>
<title>{title} &mdash; pymeterbus {release} documentation</title>
<link rel="stylesheet" href="../_static/css/theme.css" type="text/css"/></head>
<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav class="wy-nav-side">
<div class="wy-side-nav-search"><a href="../index.html" class="icon icon-home">pymeterbus</a>
<div class="version">{branch}</div><form action="../search.html"><input type="text" name="q"
 placeholder="Search docs"/></form></div>
<div class="wy-menu wy-menu-vertical"><p class="caption">API reference</p><ul>
<li class="toctree-l1"><a href="read_coils.html">Reading coils</a></li>
<li class="toctree-l1"><a href="read_inputs.html">Reading inputs</a></li>
<li class="toctree-l1"><a href="config.html">Configuration</a></li>
<li class="toctree-l1"><a href="simulator.html">The simulator</a></li></ul></div></nav>
<section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content">
<div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs">
<li><a href="../index.html">Docs</a> &raquo;</li><li>{title}</li>
<li class="wy-breadcrumbs-aside"><a href="/edit/{branch}">Edit on GitHub</a></li></ul></div>{banner}
<div role="main" class="document"><section><h1>{title}</h1>
{body}
</section></div>
<footer><div role="contentinfo"><p>&copy; Copyright the pymeterbus authors. <span class="commit">
Revision <code>{rev}</code>.</span></p></div>Built with <a href="#">Sphinx</a> using a theme
provided by Read the Docs.</footer></div></div></section></div>
<div class="rst-versions">Read the Docs v: {branch} <dl><dt>Versions</dt><dd>latest</dd>
<dd>stable</dd></dl></div></body></html>"""


@family(
    "pymeterbus-docs",
    kind="API docs of the latest and the stable version (copies)",
    language="en",
    half="work",
)
def pymeterbus_docs() -> Iterator[Page]:
    """Pages are the same in both branches but for the configuration, whose defaults differ."""
    banner = (
        '<div class="admonition warning"><p>This document is for an unreleased version. See the '
        '<a href="/en/stable/">stable version</a> instead.</p></div>'
    )
    for branch in ("stable", "latest"):
        for slug, title, stable, latest in _METER:
            old = branch == "stable"
            what = f"{slug} {branch}" if latest else slug
            html = _meter_page(
                "2.4.1" if old else "2.5.0.dev3",
                branch,
                title,
                stable if old or not latest else latest,
                "" if old else banner,
                "b81f0c2e" if old else "e4470d19",
            )
            yield Page(f"/en/{branch}/api/{slug}.html", html, what=what)


# ---------------------------------------------------------------------------------------------
# 7. Untranslated pages in folders of languages, with the language declared


class _Menu(NamedTuple):
    code: str
    folder: str
    links: tuple[str, ...]
    crumb: str
    back: str
    note: str
    legal: str


_VALVE_MENUS = (
    _Menu(
        "en",
        "",
        ("Products", "Industries", "Service", "Downloads", "Careers", "Contact"),
        "You are here: Home / Products / Valves",
        "Back to the list",
        "",
        "All rights reserved. Imprint. Privacy policy. Terms of delivery.",
    ),
    _Menu(
        "fr",
        "/fr",
        ("Produits", "Secteurs", "Service", "Téléchargements", "Carrières", "Nous contacter"),
        "Vous êtes ici : Accueil / Produits / Vannes",
        "Retour à la liste",
        "",
        "Tous droits réservés. Mentions légales. Protection des données. Conditions de livraison.",
    ),
    _Menu(
        "de",
        "/de",
        ("Produkte", "Branchen", "Service", "Downloads", "Karriere", "Kontakt"),
        "Sie sind hier: Start / Produkte / Armaturen",
        "Zurück zur Übersicht",
        "",
        "Alle Rechte vorbehalten. Impressum. Datenschutz. Lieferbedingungen.",
    ),
)


def _valve_text(bore: str, pressure: str, weight: str, order: str) -> str:
    return f"""<p>The V30 series are full-bore ball valves for water, oil and neutral gases. The
body is forged from a single piece of brass and needs no gasket between its halves, which is where
valves of the usual construction begin to weep after years of heat and cold. The ball is turned,
ground and plated with hard chrome, and runs in seats of reinforced PTFE which the pressure of the
line itself pushes against it.</p>
<p>The stem can not be blown out. Its packing is adjusted from outside with a common spanner while
the line is under pressure. The lever is made of zinc-plated steel with a sleeve of vinyl and may be
turned by 180 degrees for tight corners; for lines that must not be closed by accident, a lever with
an eye for a padlock is available.</p>
<p>Every single valve is tested with air under water before it leaves the works. On request we
supply inspection certificates, and valves degreased for oxygen. Install in any position, with the
lever in reach, and operate at least twice a year so that scale does not build up on the ball.</p>
<table class="table table-striped"><tbody><tr><th>Nominal bore</th><td>{bore}</td></tr>
<tr><th>Nominal pressure</th><td>{pressure}</td></tr><tr><th>Temperature</th><td>-20 to 150
&deg;C</td></tr>
<tr><th>Weight</th><td>{weight}</td></tr><tr><th>Order
number</th><td>{order}</td></tr></tbody></table>"""


_VALVES: tuple[tuple[str, str, str], ...] = (
    (
        "v30-020",
        "Ball valve V30 DN 20",
        _valve_text("DN 20 (3/4 in)", "PN 40", "0.36 kg", "30-020-4"),
    ),
    (
        "v30-032",
        "Ball valve V30 DN 32",
        _valve_text("DN 32 (1 1/4 in)", "PN 25", "0.91 kg", "30-032-2"),
    ),
    (
        "check-valves",
        "Check valves: choosing the spring",
        """<p>A check valve opens when the pressure in front of it exceeds the force of its spring.
If the spring is too strong, the pump works against it all day; if it is too weak, the valve
chatters. As a rule, choose the weakest spring at which the valve is fully open at the normal flow
of the line.
</p><p>For vertical lines with the flow upwards, the weight of the disc adds to the spring; with the
flow downwards it must be carried by it. Our springs are marked with paint: white opens at 10 mbar,
yellow at 50 and red at 200. Springs can be changed without taking the valve out of the
line.</p>""",
    ),
)


def _valve_page(menu: _Menu, slug: str, title: str, body: str) -> str:
    nav = "\n".join(
        f'<li class="nav-item"><a class="nav-link" href="{menu.folder}/{n}">{text}</a></li>'
        for n, text in enumerate(menu.links, 1)
    )
    return f"""<!DOCTYPE html>
<html lang="{menu.code}"><head><meta charset="utf-8"><title>{title} | Ondaflow</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link href="/static/bootstrap.min.css" rel="stylesheet"></head><body>
<nav class="navbar navbar-expand-lg"><div class="container">
<a class="navbar-brand" href="{menu.folder}/"><img src="/static/ondaflow.svg" alt="Ondaflow"></a>
<ul class="navbar-nav">
{nav}
</ul><div class="lang"><a href="/products/{slug}">EN</a> <a href="/fr/products/{slug}">FR</a>
<a href="/de/products/{slug}">DE</a></div></div></nav>
<div class="container"><ol class="breadcrumb"><li>{menu.crumb}</li></ol>
<div class="row"><div class="col-md-9"><h1>{title}</h1>
{body}
<a class="btn btn-default" href="{menu.folder}/products/">{menu.back}</a></div>
<div class="col-md-3"><img class="img-fluid" src="/media/{slug}.jpg" alt=""></div></div></div>
<footer class="bg-dark"><div class="container">&copy; Ondaflow S.p.A. {menu.legal}</div></footer>
</body></html>"""


@family(
    "ondaflow-valves",
    kind="English pages in folders of other languages, lang declared (copies)",
    language="en",
    half="work",
)
def ondaflow_valves() -> Iterator[Page]:
    """Only menus are translated; two valves of one series differ in their table."""
    english, french, german = _VALVE_MENUS
    for menu in (french, english, german):
        for slug, title, body in _VALVES:
            path = f"{menu.folder}/products/{slug}"
            yield Page(path, _valve_page(menu, slug, title, body), what=slug)


# ---------------------------------------------------------------------------------------------
# 8. Untranslated pages without a declared language


_HUT_MENUS = (
    _Menu(
        "en",
        "",
        ("Huts", "Trails", "Weather", "Membership", "Shop"),
        "Hochkar Alpine Huts",
        "All huts",
        "",
        "Hochkar Alpine Club, founded 1889. Photos by our members.",
    ),
    _Menu(
        "de",
        "/de",
        ("Hütten", "Wege", "Wetter", "Mitglied werden", "Laden"),
        "Berghütten am Hochkar",
        "Alle Hütten",
        "Diese Seite ist noch nicht übersetzt.",
        "Alpenverein Hochkar, gegründet 1889. Fotos von unseren Mitgliedern.",
    ),
    _Menu(
        "fr",
        "/fr",
        ("Refuges", "Sentiers", "Météo", "Adhésion", "Boutique"),
        "Refuges du Hochkar",
        "Tous les refuges",
        "Cette page n'a pas encore été traduite.",
        "Club alpin du Hochkar, fondé en 1889. Photos de nos membres.",
    ),
)


def _hut_text(lead: str, height: str, beds: str, phone: str, key: str) -> str:
    return f"""<div class="tabs"><a href="#about">About</a><a href="#facts">Facts</a></div>
<div class="tab" id="about"><p>{lead}</p>
<p>The hut is looked after by volunteers and offers what you need but no more: a stove, wood,
blankets, pots and a bed. There is no warden, no kitchen and no mobile signal. Bring your own
sleeping bag liner, food and a torch, and carry everything down again that you carried up, down to
the last tea bag.</p>
<p>Water comes from the spring behind the house and should be boiled in late summer. In winter the
spring freezes, and you will have to melt snow; leave the two big pots full for whoever comes next.
Wood is flown in once a year. Please burn as little as you can, and split some more before you
go.</p>
<p>Groups of more than six should tell us in advance. Write your names and your plan for the next
day into the hut book, even if you only stop for a rest, since this is where the rescue service
looks first. Fees are put into the iron box by the door; members pay half, and children
nothing.</p></div>
<div class="tab" id="facts" style="display:none"><ul><li>Altitude: {height}</li><li>Beds:
{beds}</li>
<li>Emergency radio: channel {phone}</li><li>Key: {key}</li></ul></div>"""


_HUTS: tuple[tuple[str, str, str], ...] = (
    (
        "unstaffed-east",
        "Unstaffed hut",
        _hut_text(
            "A small stone house on the edge of the meadows, three hours from the road.",
            "1,912 m",
            "10",
            "6",
            "bakery Moser in Lassing",
        ),
    ),
    (
        "unstaffed-west",
        "Unstaffed hut",
        _hut_text(
            "A small stone house on the edge of the meadows, three hours from the road.",
            "2,140 m",
            "14",
            "9",
            "post office in Göstling",
        ),
    ),
    (
        "ridge-trail-closure",
        "Ridge trail: detour at the Black Steps",
        """<p>Rockfall has carried away about forty metres of the cable at the Black Steps. The
section is closed to everyone until the guides have cleared the face above, which will not be before
July.</p>
<p>The detour leaves the ridge at the iron cross, drops to the upper lake and comes back to the
trail at the saddle. It is marked with yellow paint and takes an hour and a quarter longer. There is
no shade, and no water after the lake. In wet weather the scree below the saddle is best avoided
altogether.</p>""",
    ),
)


def _hut_page(menu: _Menu, title: str, body: str) -> str:
    nav = " ".join(f'<a href="{menu.folder}/{n}">{t}</a>' for n, t in enumerate(menu.links, 1))
    note = f'<p class="untranslated">{menu.note}</p>' if menu.note else ""
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title} - {menu.crumb}</title>
<link rel="stylesheet" href="/layout.css"></head><body>
<div id="top"><img src="/edelweiss.png" alt="" width="60"><span>{menu.crumb}</span></div>
<div id="menu">{nav}</div>
<div id="content">{note}<h2>{title}</h2>
{body}
<p><a href="{menu.folder}/1">&laquo; {menu.back}</a></p></div>
<div id="bottom">{menu.legal}</div></body></html>"""


@family(
    "hochkar-huts",
    kind="English pages in folders of other languages, no lang (copies)",
    language="en",
    half="work",
)
def hochkar_huts() -> Iterator[Page]:
    """Only menus are translated; two huts differ in the facts behind a hidden tab."""
    for n, (slug, title, body) in enumerate(_HUTS):
        for menu in _HUT_MENUS[n:] + _HUT_MENUS[:n]:
            path = f"{menu.folder}/{slug}.html"
            yield Page(path, _hut_page(menu, title, body), what=slug)


# ---------------------------------------------------------------------------------------------
# 9. Press releases on other people's sites


class _Release(NamedTuple):
    slug: str
    title: str
    place: str
    day: str
    body: str


def _depot(place: str, region: str, staff: str, cost: str, manager: str) -> str:
    return f"""
Brandt Lifts, maker of passenger and goods lifts, has opened a service depot in {place}, from which
it will look after customers throughout {region}. The depot takes the place of two rented workshops
and brings engineers, spare parts and training under one roof for the first time.

With an investment of {cost}, the company has built a store for nine thousand parts, a test shaft of
eighteen metres and a classroom in which customers' own caretakers learn how to free trapped
passengers safely. {staff} people work at the site, among them six apprentices. The roof carries
solar panels, and the vans are to be replaced with electric ones as their leases end.

"Our customers do not count the years between faults, they count the minutes until somebody comes,"
said {manager}, who leads the new depot. "Being an hour closer to them is the best thing we could
possibly do for them, and for the nerves of our own people on call."

The depot is open for emergencies around the clock. Contracts, telephone numbers and contacts stay
as they are, and customers need not do anything.

Brandt Lifts was founded in 1922 and is owned by the third and fourth generation of the founder's
family. The company employs 1,450 people in five countries, maintains some 31,000 lifts and turned
over 246 million euros in the last financial year.
"""


_RELEASES = (
    _Release(
        "service-depot-lindholm",
        "Brandt Lifts opens new service depot in Lindholm",
        "Lindholm",
        "16 April 2024",
        _depot("Lindholm", "the northern coast", "Fifty-two", "7.4 million euros", "Inga Thorup"),
    ),
    _Release(
        "service-depot-karsted",
        "Brandt Lifts opens new service depot in Karsted",
        "Karsted",
        "3 June 2024",
        _depot("Karsted", "the lake district", "Thirty-one", "4.9 million euros", "Paul Avery"),
    ),
    _Release(
        "retrofit-kit-door-sensors",
        "Door sensor kit makes old lifts gentler",
        "Lindholm",
        "22 May 2024",
        """
Lifts built before the turn of the century often notice a passenger in the door only by bumping into
them. A retrofit kit presented by Brandt Lifts this week replaces the mechanical safety edge with a
curtain of 154 infrared beams, and can be fitted in under two hours.

The kit suits sliding doors of any make with openings of up to 2.4 metres. It draws its power from
the existing door drive and needs no change of the controller. In a trial with a housing
association, complaints about doors fell by two thirds in half a year.

Brandt Lifts sells the kit through its depots and to independent service firms, at 890 euros a door.
""",
    ),
    _Release(
        "apprentice-prize",
        "Apprentice from Brandt Lifts wins national prize",
        "Lindholm",
        "28 June 2024",
        """
Mira Solheim, in her fourth year with Brandt Lifts, has won the national prize for apprentices in
mechatronics. The jury praised the brake tester which she designed for her final piece of work, and
which the company's engineers have begun to carry in their vans.

The prize comes with 3,000 euros and a term at a technical college abroad. "I will be back for the
brake tester, mark two," said Ms Solheim.

Brandt Lifts trains 84 apprentices in four trades at present.
""",
    ),
)


def _press_room(text: _Release) -> str:
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{text.title} - Brandt Lifts Press Room</title>
<meta name="description" content="Press release of Brandt Lifts, {text.day}">
<script type="application/ld+json">{{"@type":"NewsArticle","headline":"{text.title}",
"contentLocation":"{text.place}","publisher":"Brandt Lifts"}}</script></head><body>
<header class="corporate"><a href="/"><img src="/img/brandt.svg" alt="Brandt Lifts"></a><nav>
<a href="/lifts">Lifts</a><a href="/service">Service</a><a href="/company">Company</a>
<a class="active" href="/press">Press</a></nav></header>
<main class="press-release"><p class="kicker">Press release</p><h1>{text.title}</h1>
<p class="date">{text.place}, {text.day}</p>
{_paras(text.body)}
<section class="contact"><h2>Press contact</h2><p>Hanne Lorenz, Corporate Communications,
press@brandt-lifts.test. Photographs for editorial use can be had from the media library.</p>
</section></main>
<footer class="corporate-foot">&copy; Brandt Lifts <a href="/imprint">Imprint</a></footer>
</body></html>"""


def _wire(text: _Release, stamp: str, views: str, number: str) -> str:
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{text.title} | FreeWire PR distribution</title>
<link rel="stylesheet" href="/c/wire.css"></head><body>
<div class="bar"><b>FreeWire</b> <a href="/submit">Submit a release</a> <a
href="/pricing">Pricing</a>
<a href="/industry/engineering">Engineering</a> <a href="/industry/health">Health</a></div>
<table class="layout"><tr><td class="main"><h1>{text.title}</h1>
<p class="cred">Distributed by FreeWire on {stamp} on behalf of Brandt Lifts. Release no. {number}.
Read {views} times.</p>
<p class="loc">{text.place.upper()}, {text.day}</p>
{_paras(text.body)}
<p class="small">FreeWire accepts no responsibility for the content of this release, which was
provided by a third party. Contact: press@brandt-lifts.test</p></td>
<td class="right"><h4>More on FreeWire</h4><ul><li>Crane maker names finance chief</li>
<li>Five trends in building cleaning</li><li>Webinar: pricing your patents</li></ul>
<div class="ad">Reach 9,000 newsrooms from $99</div></td></tr></table>
<div class="end">FreeWire Inc. Terms. Privacy. Remove a release.</div></body></html>"""


def _trade(text: _Release, stamp: str) -> str:
    return f"""<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><title>{text.title} - Vertical Transport News</title>
<meta property="og:type" content="article"></head><body class="post-template">
<div class="site-header"><p class="site-title">Vertical Transport News</p>
<p class="site-description">Lifts, escalators and moving walks since 1998</p>
<ul
class="menu"><li>News</li><li>Projects</li><li>Directory</li><li>Magazine</li><li>Events</li></ul>
</div><div class="content-area"><article class="hentry"><h2 class="entry-title">{text.title}</h2>
<div class="entry-meta">Posted by VTN Staff on {stamp} in Industry news</div>
<div class="entry-content"><p><em>{text.place}, {text.day}.</em></p>
{_paras(text.body)}
<p class="source">Source: Brandt Lifts</p></div>
<div class="tags">Tags: Brandt, business, Europe</div></article>
<div class="widget-area"><section class="widget"><h3>Lift Expo: register now</h3><p>Three halls, 210
exhibitors and the longest escalator ever shown under a roof.</p></section>
<section class="widget"><h3>Popular</h3><p>Why counterweights squeak</p><p>A tour of the tallest
shaft in Asia</p></section></div></div>
<div class="site-footer">VTN is published by Plumb Line Media Ltd. Circulation 6,200.</div>
</body></html>"""


@family(
    "brandt-press",
    kind="press releases on two other sites (copies)",
    language="en",
    half="work",
)
def brandt_press() -> Iterator[Page]:
    """Syndicated releases are the originals; two depots in the same words are two stories."""
    lindholm, karsted, kit, prize = _RELEASES
    yield Page("/press/" + lindholm.slug, _press_room(lindholm), lindholm.slug)
    yield Page("/press/" + karsted.slug, _press_room(karsted), karsted.slug)
    plan = (
        (kit, "May 24, 2024", "312", "40871", "24 May 2024"),
        (karsted, "June 4, 2024", "190", "41455", "10 June 2024"),
        (lindholm, "April 17, 2024", "845", "38209", "18 April 2024"),
    )
    for text, wired, views, number, posted in plan:
        wire = _wire(text, wired, views, number)
        yield Page(f"/release/{number}.html", wire, text.slug, host="other:wire")
        if text is not kit:
            html = _trade(text, posted)
            yield Page(f"/industry-news/{text.slug}/", html, text.slug, host="other:trade")
    yield Page("/press/" + kit.slug, _press_room(kit), kit.slug)
    yield Page(
        f"/industry-news/{prize.slug}/", _trade(prize, "1 July 2024"), prize.slug, "other:trade"
    )
    yield Page("/press/" + prize.slug, _press_room(prize), prize.slug)


# ---------------------------------------------------------------------------------------------
# 10. Print views


class _Notice(NamedTuple):
    number: int
    title: str
    box: tuple[tuple[str, str], ...]
    body: str


_PERMIT_TEXT = """
You need a permit if you wish to place a skip, scaffold, hoarding or building materials on a road, a
pavement or any other public land. The permit must be in place before anything is delivered. Most
hire firms apply on behalf of their customers, but it remains your duty to check that they have.

Apply at least five working days before the date on which you need the space. Give the exact
position, preferably with a sketch, and say how you will keep a way open that is wide enough for a
wheelchair or a pushchair. We may refuse a permit, or attach conditions to it, where the street is
narrow, near a junction or on a bus route.

Whatever stands on the road at night must be lit and marked with reflecting boards on every side.
Waste must not overflow, and must be covered when the wind is strong. You are liable for damage to
the surface and to cables and drains, and will need public liability insurance of five million
pounds.

If the work takes longer, ask for an extension before the permit ends. Objects without a valid
permit will be removed at the owner's expense, and a penalty may be charged for each day.
"""

_NOTICES = (
    _Notice(
        2107,
        "Permit to occupy the highway",
        (
            ("Applies to", "Wexley town centre and Old Quay"),
            ("Fee", "&pound;64 for 7 days"),
            ("Form", "HW-12"),
            ("Office", "Guildhall, room 9"),
        ),
        _PERMIT_TEXT,
    ),
    _Notice(
        2112,
        "Permit to occupy the highway",
        (
            ("Applies to", "All parishes outside the ring road"),
            ("Fee", "&pound;28 for 14 days"),
            ("Form", "HW-14"),
            ("Office", "Depot, Marsh Lane"),
        ),
        _PERMIT_TEXT,
    ),
    _Notice(
        1840,
        "Report a noisy neighbour",
        (("Phone", "0555 014 220"), ("Open", "Monday to Friday, 9 to 5")),
        """
Talk to your neighbour first, if you feel safe to do so: many people have no idea that they can be
heard. If nothing changes, keep a diary for two weeks of when the noise starts, how long it lasts
and what it stops you from doing. Without a diary we can seldom act.

Then send us the diary. An officer will write to your neighbour without giving your name, and may
lend you a recorder to be left in the room where the noise is worst. If the noise is a statutory
nuisance we can serve a notice, and a person who ignores it can be taken to court.

We cannot deal with noise from children playing, from everyday living or from traffic on the road.
""",
    ),
    _Notice(
        1933,
        "Hire a hall or a playing field",
        (("Phone", "0555 014 305"), ("Deposit", "&pound;100, returned within ten days")),
        """
Halls can be booked by the hour, and playing fields by the half day. Charities and youth clubs of
the borough pay a reduced rate, and have first call on the halls on weekday evenings during term.

The price covers heating, chairs and the use of the kitchen, though not of its crockery. Music must
end at eleven. You may put up decorations with string but not with tape, nails or glue, and should
leave the room as you would like to find it.

Cancel at least two weeks ahead to get your money back.
""",
    ),
)


def _council_page(notice: _Notice, reviewed: str) -> str:
    box = "\n".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in notice.box)
    return f"""<!DOCTYPE html>
<html lang="en" class="govuk-like"><head><meta charset="utf-8">
<title>{notice.title} - Wexley Borough Council</title>
<meta name="DC.identifier" content="{notice.number}"><link rel="stylesheet" href="/site/main.css">
</head><body><a class="skip" href="#main">Skip to main content</a>
<div class="cookie-banner"><p>We use cookies to count visits and to remember your settings.</p>
<button>Accept</button><button>Reject</button></div>
<header role="banner"><img src="/site/crest.png" alt="Wexley Borough Council">
<form action="/search"><label>Search this site<input name="q"></label></form></header>
<nav><a href="/bins">Bins and recycling</a><a href="/council-tax">Council tax</a>
<a href="/planning">Planning</a><a href="/roads">Roads and parking</a><a
href="/leisure">Leisure</a></nav>
<div id="crumbs">Home &gt; Advice &gt; {notice.title}</div>
<main id="main"><h1>{notice.title}</h1>
{_paras(notice.body)}
<p class="links"><a href="/print/{notice.number}">Print this page</a> <a
href="#">Listen</a></p></main>
<aside class="meta-box"><h2>At a glance</h2><dl>
{box}
</dl></aside>
<div class="feedback"><h2>Was this page useful?</h2><a href="#">Yes</a> <a href="#">No</a></div>
<footer><p>Last reviewed {reviewed}</p><ul><li>Accessibility</li><li>Privacy</li><li>Jobs</li>
<li>Contact the council</li></ul></footer></body></html>"""


def _council_print(notice: _Notice, printed: str) -> str:
    box = "\n".join(f"<tr><td><b>{k}</b></td><td>{v}</td></tr>" for k, v in notice.box)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Print: {notice.title}</title>
<link rel="stylesheet" href="/site/print.css" media="all"></head><body onload="window.print()">
<p>Wexley Borough Council &ndash; printed {printed}</p><hr>
<h1>{notice.title}</h1>
<table>
{box}
</table>
{_paras(notice.body)}
<hr><p>www.wexley-council-advice.test/advice/{notice.number} <a
href="javascript:history.back()">Close
</a></p></body></html>"""


@family(
    "wexley-council-advice",
    kind="print views by parameter and by folder (copies)",
    language="en",
    half="work",
)
def wexley_council_advice() -> Iterator[Page]:
    """A print view is its page; two permits of one text have other fees, forms and offices."""
    centre, parishes, noise, halls = _NOTICES
    printed = "12/05/2024 09:14"
    today = "12/05/2024 09:31"
    yield Page(f"/advice/{centre.number}", _council_page(centre, "March 2024"), "centre")
    yield Page(f"/print/{parishes.number}", _council_print(parishes, printed), "parishes")
    yield Page(f"/advice/{noise.number}", _council_page(noise, "January 2024"), "noise")
    yield Page(f"/advice/{centre.number}?print=1", _council_print(centre, today), "centre")
    yield Page(f"/advice/{parishes.number}", _council_page(parishes, "March 2024"), "parishes")
    yield Page(f"/print/{halls.number}", _council_print(halls, printed), "halls")
    yield Page(f"/advice/{halls.number}", _council_page(halls, "May 2023"), "halls")
    yield Page(f"/advice/{noise.number}?print=1", _council_print(noise, today), "noise")
    yield Page(f"/print/{centre.number}", _council_print(centre, printed), "centre")


# ---------------------------------------------------------------------------------------------
# 11. One article in two sections and in an archive


def _lecture(video: str, place: str) -> str:
    return f"""<figure class="wp-block-embed"><iframe width="640" height="360"
 src="https://player.vidhost.test/embed/{video}" allowfullscreen></iframe>
<figcaption>Recorded at {place}.</figcaption></figure>
<p>Every spring the Northshore Review and the Society for Coastal Studies invite a speaker to give
an evening lecture, followed by questions from the floor and by a glass of something. The lectures
are free, and they are recorded for those who live too far away, or who could not get a seat. We
thank the technicians of the college for their patience with our microphones.</p>
<p>The recording begins after the words of welcome and includes the discussion, in which the names
of those who asked are left out. Subtitles can be switched on at the lower edge of the player. They
were made by volunteers and have been checked by the speaker. A transcript is in preparation, and
will be printed in the yearbook that members receive in December.</p>
<p>Recordings may be shown in classrooms and at meetings of clubs, provided that no admission is
charged and that the Review is named. If you wish to show one to a paying public, or to use a part
of it in a film of your own, please write to the editors beforehand. Slides remain the property of
the speaker and can be had on request.</p>"""


_REVIEW: tuple[_Text, ...] = (
    _Text("spring-lecture-salt", "Watch: the spring lecture", _lecture("k7Qm2xA9", "Orme College")),
    _Text(
        "spring-lecture-dunes",
        "Watch: the spring lecture",
        _lecture("p3Vd8rT4", "the Drill Hall, Saltmere"),
    ),
    _Text(
        "the-last-shrimpers",
        "The last shrimpers of Gull Sand",
        _paras("""
At low water the sand runs out for seven miles, and for two hundred years men and horses followed
it. Now there are two tractors, and on most days only one of them goes.

Jim Pye is sixty-eight. He learned the sands from his grandfather, who could not swim and saw no
point in it. "If you are in the water out there you have made your mistake already," he says,
letting in the clutch. Behind us two nets hiss through a foot of sea.

What ended the trade was not the sea but the price of boiling. When the last cannery closed, the
catch had to be driven a hundred miles, and the fuel ate what the shrimps brought in. Pye sells his
by the pint from the garage door, to people who have known him all their lives, and there are fewer
of those as well.

He has offered to teach anybody who asks. In eleven years three have come. One stayed for a season.
"""),
    ),
)


def _review_page(
    text: _Text, section: str, crumbs: str, related: tuple[str, ...], extra: str
) -> str:
    return f"""<!DOCTYPE html>
<html lang="en-US"><head><meta charset="UTF-8"><title>{text.title} &#8211; Northshore Review</title>
<link rel="stylesheet" href="/wp-content/themes/newsmag/style.css?ver=5.4">
<meta name="generator" content="WordPress"></head><body class="post-template-default {section}">
<div class="td-header"><div class="td-logo"><a href="/">Northshore <em>Review</em></a></div>
<ul class="sf-menu"><li><a href="/culture/">Culture</a></li><li><a href="/coast/">Coast</a></li>
<li><a href="/essays/">Essays</a></li><li><a href="/events/">Events</a></li></ul></div>
<div class="td-crumb-container">{crumbs}</div>
<div class="td-container td-pb-row"><div class="td-pb-span8"><article>
<h1 class="entry-title">{text.title}</h1><div class="td-post-content">
{text.body}
</div></article>
<div class="td-related"><h4>Related articles</h4><ul>
{_links(related, "/essays/")}
</ul></div></div>
<div class="td-pb-span4 sidebar">{extra}
<div class="widget"><h4>Support us</h4><p>The Review has no owner and no debts. It lives on the
subscriptions of some nine hundred readers.</p></div></div></div>
<div class="td-footer">Northshore Review, P.O. Box 18. ISSN on request. &copy; the authors.</div>
</body></html>"""


@family(
    "northshore-review",
    kind="one article in two sections and a date archive (copies)",
    language="en",
    half="work",
)
def northshore_review() -> Iterator[Page]:
    """An article is itself in each section; two lectures of one text are two videos."""
    dressed = {
        "culture": (
            "Home &rsaquo; Culture",
            ("A chapel turned into a cinema", "Poems: three tides", "The luthier of Orme"),
            '<div class="widget"><h4>In Culture</h4><p>Book of the month: a herbarium of weeds</p>'
            "<p>Five concerts in barns</p></div>",
        ),
        "coast": (
            "Home &rsaquo; Coast &rsaquo; People",
            ("Who owns a beach?", "Counting seals from the air"),
            '<div class="widget"><h4>Tide table</h4><p>High water 05:48 and 18:10</p></div>'
            '<div class="widget"><h4>In Coast</h4><p>Why the lighthouse went dark</p></div>',
        ),
        "2024/05": (
            "Archives: May 2024",
            (
                "The luthier of Orme",
                "Who owns a beach?",
                "Letters to the editors",
                "From our attic",
            ),
            '<div class="widget"><h4>Archives</h4><ul><li>June 2024 (12)</li><li>May 2024 (9)</li>'
            "<li>April 2024 (14)</li><li>March 2024 (11)</li></ul></div>",
        ),
    }
    orders = (
        ("coast", "2024/05", "culture"),
        ("2024/05", "culture", "coast"),
        ("culture", "coast", "2024/05"),
    )
    for n in range(3):
        for text, order in zip(_REVIEW, orders, strict=True):
            folder = order[n]
            crumbs, related, extra = dressed[folder]
            mark = "archive" if folder[0] == "2" else folder
            html = _review_page(text, mark, crumbs, related, extra)
            yield Page(f"/{folder}/{text.slug}/", html, what=text.slug)


# ---------------------------------------------------------------------------------------------
# 12. A blog with two addresses for each post


def _walk(month: str, when: str, start: str, miles: str, pub: str) -> str:
    return f"""
Here are the details for the {month} walk. We meet at {start} on {when} at ten and set off a quarter
of an hour later, whatever the weather is doing. The route is about {miles} miles, most of it on
paths and farm tracks, with one stiff climb and a good many stiles.

Bring a packed lunch, something waterproof and more to drink than you think you will need. Boots are
better than trainers. Dogs that get along with sheep and with other dogs are very welcome, and so
are children who can manage the distance. We go at the pace of the slowest, and we stop to look at
things.

Afterwards those who like will end up in the {pub}, where they have promised us the back room. If
you need a lift, or have a seat to offer, leave a comment below or ring Maureen before the Thursday.

There is no charge and no need to book. You come at your own risk, as ever, and are asked to shut
gates, keep to the path through crops and not to feed the horses, however they look at you. If the
walk has to be called off for ice or flood I will say so here by eight that morning.
"""


_POSTS: tuple[tuple[int, str, str, str, str], ...] = (
    (
        412,
        "club-walk-details-2",
        "May 7, 2024",
        "Club walk: the details",
        _walk("May", "Sunday the 19th", "Thornley station", "8", "Plough at Harle"),
    ),
    (
        398,
        "mending-a-boot",
        "May 2, 2024",
        "Mending a boot that should have been binned",
        """
The sole came off halfway down Carrock, in the manner of a tongue, and I walked the last four miles
with the toe tied up in garden twine. My wife held the bin open when I got home. I did not look at
her.

What you need is a rasp, a pot of contact adhesive and far more patience than I have. Clean both
faces until they are dull, spread the glue thinly, and then, and this is the bit that everyone gets
wrong, wait. Fifteen minutes. It must be dry to the touch. Press, hammer, and stand the leg of a
table on it overnight.

They have done ninety miles since. The other one is beginning to grin.
""",
    ),
    (
        431,
        "club-walk-details-3",
        "May 28, 2024",
        "Club walk: the details",
        _walk("June", "Saturday the 15th", "the Kirkby lay-by", "11", "Drovers at Scarth"),
    ),
    (
        405,
        "a-word-about-stiles",
        "May 5, 2024",
        "A word about stiles",
        """
I have been counting. Between my front door and the trig point there are twenty-six stiles, of which
nine are rotten, four face the wrong way and one is a bedstead.

The council mends what is reported, so I have begun to report them, with a photograph and a grid
reference. In two months they have replaced five with gates. Gates! My knees have written to thank
them.

If you would like to do the same on your own patch, the form is called "path problem" and takes
about a minute. Do not be clever in the box for comments, as I was. They read it out at meetings.
""",
    ),
)


def _boots_page(
    title: str, day: str, body: str, latest: tuple[str, ...], comments: tuple[str, ...], hits: str
) -> str:
    return f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="UTF-8" /><title>{title} &laquo; Muddy Boots</title>
<link rel="stylesheet" href="/wp-content/themes/kubrick/style.css" type="text/css" />
<link rel="alternate" type="application/rss+xml" title="RSS 2.0" href="/feed/" /></head><body>
<div id="page"><div id="header"><h1><a href="/">Muddy Boots</a></h1>
<div class="description">Notes from a slow walker</div></div><hr />
<div id="content" class="widecolumn"><div class="post"><h2>{title}</h2><small>{day} by Alan</small>
<div class="entrytext">
{_paras(body)}
</div></div></div>
<div id="sidebar"><ul><li><h2>Latest posts</h2><ul>
{_links(latest, "/2024/05/")}
</ul></li><li><h2>Recent comments</h2><ul>
{_items(comments)}
</ul></li><li><h2>Meta</h2><ul><li>Log in</li><li>RSS</li></ul></li></ul></div><hr />
<div id="footer"><p>Muddy Boots is proudly powered by WordPress. {hits} visitors since
2009.</p></div>
</div></body></html>"""


@family(
    "muddy-boots-blog",
    kind="blog posts by id and by permalink, with a changed sidebar (copies)",
    language="en",
    half="work",
)
def muddy_boots_blog() -> Iterator[Page]:
    """A post is itself under both addresses; two months' walks are two events."""
    early = (
        ("Club walk: the details", "A word about stiles", "Mending a boot", "Lambs, at last"),
        (
            "Maureen on A word about stiles: the bedstead was my aunt's",
            "Tom H. on Mending a boot: use Shoe Goo",
            "Priya on Lambs, at last: lovely photos!",
        ),
        "88,120",
    )
    late = (
        (
            "Midges: a confession",
            "Club walk: the details",
            "Lost glove, red",
            "The new map is wrong",
        ),
        (
            "Alan on Lost glove, red: found, thank you",
            "Geoff on The new map is wrong: so was the old one",
            "Tom H. on Midges: a confession: smoke a pipe",
        ),
        "89,407",
    )
    walk_may, boot, walk_june, stiles = _POSTS
    plan = (
        (walk_may, True, early),
        (boot, False, early),
        (stiles, True, early),
        (walk_june, False, late),
        (boot, True, late),
        (walk_may, False, late),
        (walk_june, True, early),
        (stiles, False, late),
    )
    for (number, slug, day, title, body), short, (latest, comments, hits) in plan:
        path = f"/?p={number}" if short else f"/2024/05/{slug}/"
        yield Page(path, _boots_page(title, day, body, latest, comments, hits), what=slug)
