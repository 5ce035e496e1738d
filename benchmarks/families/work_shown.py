"""Sites whose facts are seen but stand in no sentence.

Pages of one family share title, heading and nearly every word; what tells them apart is an option,
a value, a drawing, a formula, a target, an icon. Real copies of the very same pages stand beside
them, with all that a server puts anew into each answer: tokens, ids, versions of assets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from benchmarks.families.kit import Page, family


@dataclass(frozen=True, slots=True)
class _Visit:
    """One answer of a server: where it was asked for, and what it puts in anew each time."""

    host: str
    path: str
    view: str
    """`desk`, `print`, `mobile` or `amp`."""

    def token(self, use: str, length: int = 8) -> str:
        text = f"{self.host}{self.path}{self.view}{use}"
        return hashlib.sha256(text.encode()).hexdigest()[:length]

    def csrf(self, name: str = "csrf_token") -> str:
        return f'<input type="hidden" name="{name}" value="{self.token(name, 40)}">'

    def asset(self, path: str) -> str:
        return f"{path}?v={self.token('assets')}"

    def out(self, target: str) -> str:
        return f"/out?u={quote(target, safe='')}&amp;sid={self.token('session', 16)}"

    def here(self) -> str:
        return quote(self.path, safe="")

    def odd(self, use: str) -> bool:
        return int(self.token(use), 16) % 2 == 1


@dataclass(frozen=True, slots=True)
class _Words:
    """What the chrome of a language says."""

    home: str
    search: str
    go: str
    login: str
    language: str
    share: str
    printed: str
    full: str


_WORDS = {
    "en": _Words(
        "Home", "Search", "Go", "Sign in", "Language", "Share", "Printed from", "Full site"
    ),
    "zh": _Words("首页", "搜索", "搜一下", "登录", "语言", "分享到", "打印自", "访问电脑版"),
}


@dataclass(frozen=True, slots=True)
class _Site:
    """A site and its chrome in each view."""

    name: str
    language: str
    nav: tuple[tuple[str, str], ...]
    foot: str
    old: bool = False
    """Whether it is laid out in tables."""

    def page(self, visit: _Visit, title: str, main: str, side: str = "") -> str:
        lang = "zh-CN" if self.language == "zh" else "en"
        full = f"{title} - {self.name}"
        make = {"desk": self._desk, "print": self._print, "mobile": self._mobile, "amp": self._amp}
        head, body = make[visit.view](visit, main, side)
        amp = " amp" if visit.view == "amp" else ""
        return f"""<!DOCTYPE html>
<html{amp} lang="{lang}"><head><meta charset="utf-8"><title>{full}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}</head>
{body}
</html>"""

    def _links(self) -> str:
        return "".join(f'<li><a href="{href}">{text}</a></li>' for href, text in self.nav)

    def _search(self, visit: _Visit) -> str:
        words = _WORDS[self.language]
        last = self.nav[0][1] if visit.odd("search") else ""
        return f"""<form action="/search" role="search" id="f-{visit.token("form", 4)}">
<input type="search" name="q" value="{last}" aria-label="{words.search}">
{visit.csrf("_token")}<button type="submit">{words.go}</button></form>"""

    def _tongues(self, visit: _Visit) -> str:
        chosen = "de" if visit.odd("tongue") else self.language
        tongues = (("en", "English"), ("zh", "中文"), ("de", "Deutsch"), ("fr", "Français"))
        options = "".join(
            f'<option value="{code}"{" selected" if code == chosen else ""}>{name}</option>'
            for code, name in tongues
        )
        label = _WORDS[self.language].language
        return f"""<form action="/language" method="post">{visit.csrf()}<label>{label}
<select name="lang" id="u-{visit.token("lang", 4)}">{options}</select></label></form>"""

    def _desk(self, visit: _Visit, main: str, side: str) -> tuple[str, str]:
        words = _WORDS[self.language]
        head = f"""<link rel="stylesheet" href="{visit.asset("/static/site.css")}">
<meta name="csrf-token" content="{visit.token("meta", 40)}">
<script nonce="{visit.token("nonce", 16)}" src="{visit.asset("/static/site.js")}"></script>
"""
        login = f'<a href="/login?next={visit.here()}" rel="nofollow">{words.login}</a>'
        share = visit.out("https://social.example/share")
        shares = f'<p class="share">{words.share} <a href="{share}">Social</a></p>'
        if self.old:
            return (
                head,
                f"""<body bgcolor="#ffffff"><table width="960" align="center"><tr>
<td colspan="2"><img src="{visit.asset("/images/top.gif")}" alt="{self.name}"> {login}
{self._tongues(visit)}</td></tr>
<tr><td width="170" valign="top"><ul>{self._links()}</ul>{self._search(visit)}{side}</td>
<td valign="top">{main}{shares}</td></tr>
<tr><td colspan="2" align="center"><font size="2">{self.foot}</font></td></tr></table></body>""",
            )
        return (
            head,
            f"""<body id="b-{visit.token("body", 6)}"><header class="site-header">
<a class="logo" href="/"><img src="{visit.asset("/static/logo.svg")}" alt="{self.name}"></a>
<nav><ul class="menu">{self._links()}<li>{login}</li></ul></nav>{self._search(visit)}</header>
<div class="layout"><main id="main">{main}{shares}</main>
<aside class="sidebar">{side}{self._tongues(visit)}</aside></div>
<footer class="site-footer">{self.foot}</footer>
<script nonce="{visit.token("nonce", 16)}">track("{visit.token("hit", 12)}")</script></body>""",
        )

    def _print(self, visit: _Visit, main: str, side: str) -> tuple[str, str]:
        words = _WORDS[self.language]
        head = f'<link rel="stylesheet" href="{visit.asset("/static/print.css")}">\n'
        return (
            head,
            f"""<body class="print" onload="window.print()"><div class="letterhead">
{self.name}</div>{main}{side}<hr><p class="source">{words.printed} {visit.path}</p></body>""",
        )

    def _mobile(self, visit: _Visit, main: str, side: str) -> tuple[str, str]:
        words = _WORDS[self.language]
        head = f'<link rel="stylesheet" href="{visit.asset("/m/touch.css")}">\n'
        return (
            head,
            f"""<body class="touch"><div class="bar"><a href="/">{words.home}</a>
<b>{self.name}</b><a href="/login?back={visit.here()}">{words.login}</a></div>
<div class="content" id="c-{visit.token("content", 6)}">{main}{side}</div>
<div class="bottom"><ul>{self._links()}</ul>{self._search(visit)}
<a href="{visit.out("/?desktop=1")}">{words.full}</a></div></body>""",
        )

    def _amp(self, visit: _Visit, main: str, side: str) -> tuple[str, str]:
        plain = visit.path.replace("/amp", "")
        head = f"""<link rel="canonical" href="{plain}">
<script async src="https://cdn.ampproject.org/v0.js"></script>
<style amp-boilerplate>body{{-webkit-animation:none}}</style>
"""
        return (
            head,
            f"""<body><header class="amp-bar"><a href="/">{self.name}</a></header>
<article class="amp-article">{main}{side}</article>
<amp-pixel src="https://stats.example/hit?r={visit.token("hit", 12)}" layout="nodisplay">
</amp-pixel><footer>{self.foot}</footer></body>""",
        )


def _paragraphs(text: str) -> str:
    """Return paragraphs of a text whose lines are joined as its script joins them."""
    joint = "" if "。" in text else " "
    parts = (joint.join(part.split("\n")) for part in text.strip().split("\n\n"))
    return "\n".join(f"<p>{part}</p>" for part in parts)


def _served(
    make: Callable[[_Visit, str], str], rows: Iterable[tuple[str, str, str, str]]
) -> Iterator[Page]:
    """Yield the page of each row: host, path, view, and what it is."""
    for host, path, view, what in rows:
        yield Page(path, make(_Visit(host, path, view), what), what, host)


# --- options of a select -------------------------------------------------------------------------

_FELLSIDE = _Site(
    "Fellside Outdoor Exchange",
    "en",
    (("/boots", "Boots"), ("/packs", "Packs"), ("/tents", "Tents"), ("/sell", "Sell to us")),
    "Fellside Outdoor Exchange, Unit 6, Old Tannery, Kendal. Returns within 30 days.",
)
_FELLSIDE_TEXT = """\
These boots did one season with a guiding company and came back to our bench in the autumn. Each
pair was stripped of its laces and insoles, washed, waxed twice and fitted with a new sole of the
same pattern as the old one. The leather has creases at the ankle where it has bent, which is how
a boot should look after a summer on rough ground, and it will need no breaking in.

We list every lot on its own, because sizes arrive as the guides' feet happen to be. Choose what
you want below; whatever is not in the list has been sold. Postage is the same for one pair or for
five. Send them back unworn if they do not fit and we return the whole price.
"""
_FELLSIDE_LOTS = {
    "lot 2201": ("UK 6 - £48", "UK 7 - £48", "UK 9 - £52"),
    "lot 2207": ("UK 8 - £55", "UK 10 - £55"),
    "lot 2214": ("UK 6 - £62", "UK 7 - £62", "UK 9 - £66"),
    "lot 2230": ("UK 11 - £45", "UK 12 - £40", "UK 13 - £35"),
}


@family("fellside-lots", kind="sizes and prices in a select", language="en", half="work")
def fellside_lots() -> Iterator[Page]:
    """Lots of boots with one text; their sizes and prices are options."""

    def make(visit: _Visit, what: str) -> str:
        options = "".join(
            f'<option value="{number}">{text}</option>'
            for number, text in enumerate(_FELLSIDE_LOTS[what])
        )
        field = f"size-{visit.token('size', 4)}"
        main = f"""<h1>Walking boots, ex-hire, resoled</h1>
<img src="{visit.asset("/photos/resoled.jpg")}" alt="A pair of brown boots">
{_paragraphs(_FELLSIDE_TEXT)}
<form method="post" action="/basket/add">{visit.csrf("authenticity_token")}
<label for="{field}">Size</label><select id="{field}" name="size">{options}</select>
<button>Add to basket</button></form>"""
        return _FELLSIDE.page(visit, "Walking boots, ex-hire, resoled", main)

    return _served(
        make,
        (
            ("www", "/boots/2201", "desk", "lot 2201"),
            ("www", "/boots/2207", "desk", "lot 2207"),
            ("www", "/boots/2201?utm_source=letter&utm_medium=email", "desk", "lot 2201"),
            ("www", "/boots/2214", "desk", "lot 2214"),
            ("m", "/boots/2207", "mobile", "lot 2207"),
            ("www", "/boots/2230", "desk", "lot 2230"),
            ("www", "/boots/2214?print=1", "print", "lot 2214"),
            ("www", "/boots/2230?sid=5d8e2fa0c1", "desk", "lot 2230"),
        ),
    )


# --- values of fields, meters and progress bars --------------------------------------------------

_WEIR = _Site(
    "Lower Teme Weir Keepers",
    "en",
    (("/readings", "Readings"), ("/weirs", "Weirs"), ("/canoes", "Canoes"), ("/join", "Join")),
    "A society of volunteers since 1974. Readings are provisional.",
    old=True,
)
_WEIR_TEXT = """\
A keeper walks to the gauge board each Saturday before breakfast and writes down what it says. The
board was levelled by the county surveyor and its nought is the sill of the old mill. A reading
above the red mark means that the stepping stones are under water and that canoes should leave the
river at the meadow, well before the weir comes into sight.

The sluice is wound by hand. When it stands half open the pond behind it falls by about a hand's
width in an hour. Please tell the keeper before you touch the wheel, as the pawl slips in frost.
Readings are checked against the recorder at the bridge once a month and put right when they
differ.
"""
_WEIR_READINGS = {
    "reading 881": ("2024-01-06", "1.42 m", "0.71", "60", "stones under water"),
    "reading 882": ("2024-01-13", "0.93 m", "0.46", "25", "stones dry"),
    "reading 883": ("2024-01-20", "0.88 m", "0.44", "25", "stones dry"),
    "reading 884": ("2024-01-27", "1.67 m", "0.84", "90", "keep off the bank"),
}


@family("weir-readings", kind="values of readonly fields and meters", language="en", half="work")
def weir_readings() -> Iterator[Page]:
    """Each reading stands in fields that cannot be written into."""

    def make(visit: _Visit, what: str) -> str:
        day, level, share, sluice, remark = _WEIR_READINGS[what]
        row = f"r-{visit.token('row', 4)}"
        main = f"""<h2>Gauge reading</h2>{_paragraphs(_WEIR_TEXT)}
<fieldset id="{row}"><legend>What the keeper wrote</legend>
<label>Day <input type="text" readonly value="{day}"></label>
<label>Level <output name="level">{level}</output></label>
<meter min="0" max="1" high="0.7" value="{share}"></meter>
<label>Sluice open <progress max="100" value="{sluice}"></progress></label>
<label>Remark <textarea readonly rows="2">{remark}</textarea></label></fieldset>
<form action="/comment" method="post">{visit.csrf()}<button>Report an error</button></form>"""
        return _WEIR.page(visit, "Gauge reading", main)

    return _served(
        make,
        (
            ("www", "/reading.php?id=881", "desk", "reading 881"),
            ("www", "/reading.php?id=882", "desk", "reading 882"),
            ("www", "/reading.php?id=883", "desk", "reading 883"),
            ("www", "/reading.php?id=882&PHPSESSID=9f31c0aa72be", "desk", "reading 882"),
            ("www", "/print.php?id=881", "print", "reading 881"),
            ("www", "/reading.php?id=884", "desk", "reading 884"),
            ("www", "/print.php?id=883", "print", "reading 883"),
            ("web", "/reading.php?id=884", "desk", "reading 884"),
        ),
    )


# --- text in drawings ----------------------------------------------------------------------------

_PLAYHOUSE = _Site(
    "The Corn Hall Players",
    "en",
    (("/season", "Season"), ("/tickets", "Tickets"), ("/hire", "Hire the hall"), ("/bar", "Bar")),
    "Registered charity. Box office open an hour before curtain up.",
)
_PLAYHOUSE_TEXT = """\
The plan shows the hall as the doorkeeper sees it this morning. Numbers are printed on seats that
are still free; a seat without a number has gone. Rows A and B are loose chairs on the flat floor,
the rest is raked, so nobody will have a head in front of them from row C upwards. The two places
at the end of row B can be taken out for a wheelchair.

Seats are held for ten minutes after you choose them. Children under five sit on a lap and pay
nothing. Latecomers are let in at the first change of scene. If the house is full, come anyway: a
few tickets are always handed back in the last quarter of an hour, and we keep a list at the door.
"""
_PLAYHOUSE_SEATS = {
    "performance 31": ("Thu 6 June 19.30", "A3 A4 B1 B2 C7 C8 D5", "£9"),
    "performance 32": ("Fri 7 June 19.30", "A1 D11 D12", "£12"),
    "performance 33": ("Sat 8 June 14.30", "B5 B6 C1 C2 C3 D1 D2 D3", "£9"),
    "performance 34": ("Sat 8 June 19.30", "C12", "£12"),
}


@family("cornhall-seats", kind="seat plans as inline SVG", language="en", half="work")
def cornhall_seats() -> Iterator[Page]:
    """Day, price and free seats of a performance are text in a drawing."""

    def make(visit: _Visit, what: str) -> str:
        when, free, price = _PLAYHOUSE_SEATS[what]
        clip = f"clip-{visit.token('clip', 4)}"
        seats = "".join(
            f'<g transform="translate({24 * int(seat[1:])},{30 * ord(seat[0]) - 1900})">'
            f'<rect width="20" height="20" rx="3"/><text x="3" y="14">{seat}</text></g>'
            for seat in free.split()
        )
        main = f"""<h1>Choose your seats</h1><div class="plan">
<svg viewBox="0 0 360 240" width="720" role="img"><defs><clipPath id="{clip}">
<rect width="360" height="240"/></clipPath></defs><g clip-path="url(#{clip})">
<text x="10" y="20" class="when">{when}</text><text x="300" y="20">{price}</text>
<path d="M40 230h280" stroke="#333"/><text x="160" y="226">STAGE</text>{seats}</g></svg></div>
{_paragraphs(_PLAYHOUSE_TEXT)}
<form method="post" action="/hold">{visit.csrf()}<button>Hold these seats</button></form>"""
        return _PLAYHOUSE.page(visit, "Choose your seats", main)

    return _served(
        make,
        (
            ("www", "/seats/31", "desk", "performance 31"),
            ("www", "/seats/32", "desk", "performance 32"),
            ("www", "/seats/31?ref=poster", "desk", "performance 31"),
            ("www", "/seats/33", "desk", "performance 33"),
            ("www", "/seats/34", "desk", "performance 34"),
            ("m", "/seats/34", "mobile", "performance 34"),
            ("www", "/seats/33/print", "print", "performance 33"),
            ("tickets", "/seats/32", "desk", "performance 32"),
        ),
    )


# --- formulas ------------------------------------------------------------------------------------

_DRILL = _Site(
    "Mr Abbott's Sums",
    "en",
    (("/algebra", "Algebra"), ("/geometry", "Geometry"), ("/answers", "Answers")),
    "Free for schools. Written in the evenings by a retired teacher.",
)
_DRILL_TEXT = """\
Find every real number for which the equation below is true. Begin by bringing all terms to one
side so that the other is nought. Look for a common factor before you reach for the formula; four
times out of five there is one, and it saves a page of fractions. Then split the middle term,
factor by grouping, and set each bracket to nought in turn.

Check each root by putting it back into the line you were given, not into the line you ended with,
because a slip on the way may have made them differ. Write the roots in order of size. If you are
stuck for longer than a quarter of an hour, leave it and come back after supper.
"""
_DRILLS = {
    "sheet 4": (("5", "6"), ("7", "12")),
    "sheet 5": (("9", "14"), ("8", "15")),
    "sheet 6": (("11", "24"), ("10", "21")),
    "sheet 7": (("13", "36"), ("12", "35")),
}


def _quadratic(middle: str, last: str) -> str:
    return f"""<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>
<msup><mi>x</mi><mn>2</mn></msup><mo>-</mo><mn>{middle}</mn><mi>x</mi><mo>+</mo><mn>{last}</mn>
<mo>=</mo><mn>0</mn></mrow></math>"""


@family("abbotts-sums", kind="exercises in MathML", language="en", half="work")
def abbotts_sums() -> Iterator[Page]:
    """The same advice on each sheet, and other equations."""

    def make(visit: _Visit, what: str) -> str:
        sums = "".join(f"<li>{_quadratic(*one)}</li>" for one in _DRILLS[what])
        main = f"""<h1>Solve these equations</h1>{_paragraphs(_DRILL_TEXT)}
<ul class="sums" id="s-{visit.token("sums", 6)}">{sums}</ul>"""
        side = '<h4>More</h4><p><a href="/hints">Hints</a> <a href="/why">Why bother?</a></p>'
        return _DRILL.page(visit, "Solve these equations", main, side)

    return _served(
        make,
        (
            ("www", "/algebra/sheet?n=4", "desk", "sheet 4"),
            ("www", "/algebra/sheet?n=5", "desk", "sheet 5"),
            ("www", "/algebra/sheet?n=6", "desk", "sheet 6"),
            ("www", "/algebra/sheet?n=4&format=print", "print", "sheet 4"),
            ("www", "/amp/algebra/sheet?n=5", "amp", "sheet 5"),
            ("www", "/algebra/sheet?n=7", "desk", "sheet 7"),
            ("m", "/algebra/sheet?n=6", "mobile", "sheet 6"),
            ("www", "/algebra/sheet?n=7&from=list", "desk", "sheet 7"),
        ),
    )


# --- targets of downloads ------------------------------------------------------------------------

_STILE = _Site(
    "Stile & Gate Walking Club",
    "en",
    (("/walks", "Walks"), ("/programme", "Programme"), ("/members", "Members"), ("/shop", "Shop")),
    "Stile &amp; Gate is affiliated to the national ramblers' federation.",
)
_STILE_TEXT = """\
Thank you for walking with us. The files below hold everything a leader needs: the track for your
receiver, a leaflet to fold into the map case, and an entry for your calendar with the meeting
place and the time of the last bus. Please load them at home, because there is no signal in the
valley.

Bring a packed lunch, something warm and something waterproof. Dogs are welcome on a lead. The
leader counts heads at every gate; tell him if you mean to turn back. Paths may be ploughed after
harvest, and in that case we follow the edge of the field. If the weather is plainly foul the
leader will write to all members before seven in the morning.
"""


@family("stile-and-gate", kind="other files under the word Download", language="en", half="work")
def stile_and_gate() -> Iterator[Page]:
    """Each page offers other files under the same words."""

    def make(visit: _Visit, what: str) -> str:
        stem = f"https://files.stileandgate.example/{what.replace(' ', '-')}"
        gpx, pdf, ics = (f"{stem}.{end}" for end in ("gpx", "pdf", "ics"))
        if visit.view != "print":
            gpx, pdf, ics = (visit.out(target) for target in (gpx, pdf, ics))
        main = f"""<h1>Files for walk leaders</h1>{_paragraphs(_STILE_TEXT)}
<ul class="downloads"><li>Track <a href="{gpx}" download>Download</a></li>
<li>Leaflet <a href="{pdf}" type="application/pdf">Download</a></li>
<li>Calendar <a href="{ics}">Download</a></li></ul>"""
        return _STILE.page(visit, "Files for walk leaders", main)

    return _served(
        make,
        (
            ("www", "/leaders/17/files", "desk", "clee hill"),
            ("www", "/leaders/18/files", "desk", "mortimer forest"),
            ("www", "/leaders/17/files?sid=77ab01", "desk", "clee hill"),
            ("www", "/leaders/19/files", "desk", "wenlock edge"),
            ("m", "/leaders/18/files", "mobile", "mortimer forest"),
            ("www", "/leaders/20/files", "desk", "long mynd"),
            ("www", "/leaders/19/files?sort=name", "desk", "wenlock edge"),
            ("www", "/leaders/20/files/print", "print", "long mynd"),
        ),
    )


# --- addresses behind words ----------------------------------------------------------------------

_WARDEN = _Site(
    "Hollin District Flood Wardens",
    "en",
    (("/warnings", "Warnings"), ("/wardens", "Wardens"), ("/sandbags", "Sandbags")),
    "Hollin District Council. In danger of life always call the emergency services first.",
)
_WARDEN_TEXT = """\
Every street below the ten metre line has a flood warden: a neighbour who was trained by the
council and has a key to the store of sandbags. Your warden will knock when a warning is given at
night, and knows who in the street is hard of hearing or cannot climb stairs.

Please speak to the warden before you move sandbags yourself, and tell us when somebody in your
house is ill or newly born. Move the car uphill early. Turn the electricity off at the board if
water comes near the sockets, and take medicine, papers and a torch upstairs. The warden tells the
control room when the street is dry, and only then will the pumps be taken away.
"""
_WARDENS = {
    "warden bridge street": ("m.oakes", "+441632960114", "53.8126,-1.9561"),
    "warden mill lane": ("p.dhillon", "+441632960127", "53.8119,-1.9602"),
    "warden tannery row": ("s.fairhurst", "+441632960145", "53.8140,-1.9533"),
    "warden staithe": ("j.okafor", "+441632960168", "53.8097,-1.9510"),
}


@family("flood-wardens", kind="mail, telephone and map targets", language="en", half="work")
def flood_wardens() -> Iterator[Page]:
    """Whom to call and where to go is only in the targets of links."""

    def make(visit: _Visit, what: str) -> str:
        mail, telephone, place = _WARDENS[what]
        chart = f"https://maps.example/?q={place}&z=17"
        target = visit.out(chart) if visit.view != "print" else chart.replace("&", "&amp;")
        main = f"""<h1>Your flood warden</h1>{_paragraphs(_WARDEN_TEXT)}
<p class="actions"><a class="button" href="tel:{telephone}">Call</a>
<a class="button" href="mailto:{mail}@hollinwardens.example">Write to us</a>
<a class="button" href="{target}">Show the sandbag store on the map</a></p>"""
        side = f"""<form action="/subscribe" method="post">{visit.csrf()}
<label>Warnings by e-mail <input type="email" name="mail" placeholder="you@example.org"></label>
<button>Subscribe</button></form>"""
        return _WARDEN.page(visit, "Your flood warden", main, side)

    return _served(
        make,
        (
            ("www", "/wardens/3", "desk", "warden bridge street"),
            ("www", "/wardens/4", "desk", "warden mill lane"),
            ("www", "/wardens/5", "desk", "warden tannery row"),
            ("www", "/wardens/3?fbclid=IwAR0x81", "desk", "warden bridge street"),
            ("www", "/wardens/6", "desk", "warden staithe"),
            ("www", "/wardens/5?view=print", "print", "warden tannery row"),
            ("m", "/wardens/4", "mobile", "warden mill lane"),
            ("www", "/amp/wardens/6", "amp", "warden staithe"),
        ),
    )


# --- icons in cells ------------------------------------------------------------------------------

_HUTS = _Site(
    "Bothy & Bunkhouse Guide",
    "en",
    (("/map", "Map"), ("/huts", "Huts"), ("/rules", "Rules of the house"), ("/news", "News")),
    "Compiled by hut wardens. Nothing here is advertising.",
)
_HUTS_TEXT = """\
The table tells you what you will find when you push the door open. It was filled in by the warden
on the last round and holds until the next one. A tick means that the thing is there and works, a
cross that you must carry it up yourself.

Leave the hut as you would like to find it. Sweep, shut the damper, close the shutters on the
weather side and write your names in the book. Candles go out when the last of you goes to sleep.
Boots stay in the porch. There is no charge, but the tin by the door buys the glass that the wind
breaks. Parties of more than six are asked to bring a tent as well.
"""
_HUTS_THINGS = ("Stove", "Water within a minute", "Mattresses", "Saw and axe", "Signal", "Privy")
_HUTS_HAVE = {
    "hut 11": "ynyynn",
    "hut 12": "yynnny",
    "hut 13": "nynnyn",
    "hut 14": "yyyyny",
}


@family("bunkhouse-guide", kind="ticks and crosses as icons", language="en", half="work")
def bunkhouse_guide() -> Iterator[Page]:
    """What a hut has is told by icons and by boxes that are ticked."""

    def make(visit: _Visit, what: str) -> str:
        have = _HUTS_HAVE[what]
        rows = "".join(
            f"<tr><th>{thing}</th><td>"
            + (
                '<i class="icon icon-ok" role="img" aria-label="yes" title="yes"></i>'
                if mark == "y"
                else '<i class="icon icon-no" role="img" aria-label="no" title="no"></i>'
            )
            + "</td></tr>"
            for thing, mark in zip(_HUTS_THINGS, have, strict=True)
        )
        main = f"""<h1>What is in the hut</h1>{_paragraphs(_HUTS_TEXT)}
<table class="inventory" id="t-{visit.token("table", 6)}">{rows}</table>
<form action="/report" method="post">{visit.csrf()}<button>Something is wrong</button></form>"""
        return _HUTS.page(visit, "What is in the hut", main)

    return _served(
        make,
        (
            ("www", "/huts/11/inventory", "desk", "hut 11"),
            ("www", "/huts/12/inventory", "desk", "hut 12"),
            ("www", "/huts/13/inventory", "desk", "hut 13"),
            ("www", "/huts/11/inventory?print", "print", "hut 11"),
            ("www", "/huts/14/inventory", "desk", "hut 14"),
            ("m", "/huts/12/inventory", "mobile", "hut 12"),
            ("www", "/huts/13/inventory?s=c07e991d", "desk", "hut 13"),
            ("huts", "/huts/14/inventory", "desk", "hut 14"),
        ),
    )


# --- days behind a word --------------------------------------------------------------------------

_AUCTION = _Site(
    "Pettigrew's Rooms",
    "en",
    (("/sales", "Sales"), ("/consign", "Consign"), ("/fees", "Fees"), ("/visit", "Visit")),
    "Pettigrew &amp; Daughter, auctioneers and valuers since 1911.",
    old=True,
)
_AUCTION_TEXT = """\
A timed sale has no room and no hammer. Lots are listed, bidders leave their highest offers, and
the machine raises each by the smallest step that beats the next. When the clock stops, the best
offer has the lot. An offer made in the last two minutes moves the end by five, so that nobody can
win by being quicker with a thumb.

You need a paddle number, which costs nothing but a copy of a passport. The buyer's premium is the
usual one. Lots can be looked at in the rooms on any weekday before the sale ends. Settle within
seven days and collect within fourteen; we can name carriers but do not pack glass or clocks.
"""
_AUCTIONS = {
    "sale 410": ("2024-09-01", "2024-09-08T19:00+01:00"),
    "sale 411": ("2024-09-15", "2024-09-22T19:00+01:00"),
    "sale 412": ("2024-09-15", "2024-09-24T12:00+01:00"),
    "sale 413": ("2024-10-06", "2024-10-13T19:00+01:00"),
}


@family("pettigrews-sales", kind="days in time elements and clocks", language="en", half="work")
def pettigrews_sales() -> Iterator[Page]:
    """Begin and end of a sale are attributes that a script turns into words."""

    def make(visit: _Visit, what: str) -> str:
        begin, end = _AUCTIONS[what]
        main = f"""<h1>Timed sale of furniture and clocks</h1>
<p class="when">Listed <time datetime="{begin}">some time ago</time>. The sale ends in
<span class="countdown" id="cd-{visit.token("clock", 5)}" data-until="{end}">&nbsp;</span>
(<time datetime="{end}">local time</time>).</p>{_paragraphs(_AUCTION_TEXT)}
<form action="/paddle" method="post">{visit.csrf("__RequestVerificationToken")}
<button>Ask for a paddle</button></form>"""
        return _AUCTION.page(visit, "Timed sale of furniture and clocks", main)

    return _served(
        make,
        (
            ("www", "/sale.aspx?no=410", "desk", "sale 410"),
            ("www", "/sale.aspx?no=411", "desk", "sale 411"),
            ("www", "/sale.aspx?no=412", "desk", "sale 412"),
            ("www", "/sale.aspx?no=410&gclid=Cj0KCQ91", "desk", "sale 410"),
            ("www", "/sale.aspx?no=413", "desk", "sale 413"),
            ("www", "/(S(k1mz3qf4yw))/sale.aspx?no=411", "desk", "sale 411"),
            ("m", "/sale.aspx?no=412", "mobile", "sale 412"),
            ("www", "/saleprint.aspx?no=413", "print", "sale 413"),
        ),
    )


# --- colours -------------------------------------------------------------------------------------

_WOOL = _Site(
    "Hanks & Skeins",
    "en",
    (("/yarn", "Yarn"), ("/needles", "Needles"), ("/patterns", "Patterns"), ("/mill", "The mill")),
    "Spun at Garth Mill from the fleece of eleven farms.",
)
_WOOL_TEXT = """\
Four hundred metres of two-ply in a hank of a hundred grams, spun from a fleece with some lustre
and a little kemp. It blooms when it is washed and pulls back into shape when it dries. Wind it
before you knit, as it comes to you in a hank and not in a ball.

This is one bath of our small dye house. A bath gives about forty hanks and cannot be made twice:
water, weather and the age of the madder all have a say. Buy what your garment needs at one time,
and one more for the elbows. The shades of the bath are shown below as they look in daylight on a
north-facing sill; lamps make them warmer.
"""
_WOOL_SHADES = {
    "bath 61": (("#7b3f2a", "Bracken"), ("#c9a227", "Gorse")),
    "bath 62": (("#2f4f6f", "Slate quarry"), ("#a8b8c0", "Drizzle"), ("#e5dccb", "Fleece")),
    "bath 63": (("#5a6b3b", "Moss"), ("#94a56a", "Larch in May")),
    "bath 64": (("#6d2c46", "Bilberry"), ("#c47a92", "Heather"), ("#5a6b3b", "Moss")),
}


@family("hanks-and-skeins", kind="colours as titles of swatches", language="en", half="work")
def hanks_and_skeins() -> Iterator[Page]:
    """The shades of a dye bath are swatches with titles."""

    def make(visit: _Visit, what: str) -> str:
        swatches = "".join(
            f'<span class="swatch" id="sw-{visit.token(name, 5)}" '
            f'style="background:{colour}" title="{name}"></span>'
            for colour, name in _WOOL_SHADES[what]
        )
        main = f"""<h1>Garth two-ply, single bath</h1><p class="price">£14 a hank</p>
<div class="swatches">{swatches}</div>{_paragraphs(_WOOL_TEXT)}
<form method="post" action="/cart">{visit.csrf("form_key")}
<input type="number" name="qty" value="1" min="1"><button>Put in the basket</button></form>"""
        return _WOOL.page(visit, "Garth two-ply, single bath", main)

    return _served(
        make,
        (
            ("www", "/yarn/garth-61", "desk", "bath 61"),
            ("www", "/yarn/garth-62", "desk", "bath 62"),
            ("www", "/new/garth-62", "desk", "bath 62"),
            ("www", "/yarn/garth-63", "desk", "bath 63"),
            ("m", "/yarn/garth-61", "mobile", "bath 61"),
            ("www", "/yarn/garth-64", "desk", "bath 64"),
            ("www", "/yarn/garth-64?sort=price", "desk", "bath 64"),
            ("www", "/yarn/garth-63/amp", "amp", "bath 63"),
        ),
    )


# --- where a list begins -------------------------------------------------------------------------

_ANSWERS = _Site(
    "County Quiz League",
    "en",
    (("/fixtures", "Fixtures"), ("/table", "Table"), ("/sheets", "Sheets"), ("/rules", "Rules")),
    "The question setter's decision is final, even when wrong.",
    old=True,
)
_ANSWERS_TEXT = """\
Print one sheet for each team and fold it along the dotted line. Write one answer on each line, in
capitals, with a pen and not with a pencil. A joker doubles the round and may be played once. The
captain hands the sheet to the table on the left for marking, and no answer may be changed after
the marker has uncapped a pen. Half points are given only where the setter has said so before the
round.

Spelling does not count unless the question is about spelling. Surnames are enough, except where
two famous people share one. Telephones stay in the bowl on the bar. Sheets with no team name
score nought.
"""


@family("quiz-sheets", kind="numbers of a list by its start", language="en", half="work")
def quiz_sheets() -> Iterator[Page]:
    """Sheets of blank lines that only the numbers of the lines tell apart."""
    starts = {"lines 1-8": 1, "lines 9-16": 9, "lines 17-24": 17, "lines 25-32": 25}

    def make(visit: _Visit, what: str) -> str:
        lines = "<li>______________________________</li>" * 8
        main = f"""<h1>Answer sheet</h1>{_paragraphs(_ANSWERS_TEXT)}
<p>Team ____________________ Joker ☐</p><ol start="{starts[what]}">{lines}</ol>"""
        return _ANSWERS.page(visit, "Answer sheet", main)

    return _served(
        make,
        (
            ("www", "/sheets/a.html", "desk", "lines 1-8"),
            ("www", "/sheets/b.html", "desk", "lines 9-16"),
            ("www", "/sheets/c.html", "desk", "lines 17-24"),
            ("www", "/sheets/a-print.html", "print", "lines 1-8"),
            ("www", "/sheets/d.html", "desk", "lines 25-32"),
            ("www", "/sheets/b-print.html", "print", "lines 9-16"),
            ("old", "/sheets/c.html", "desk", "lines 17-24"),
        ),
    )


# --- readings above characters -------------------------------------------------------------------

_YINDU = _Site(
    "乡音诵读馆",
    "zh",
    (("/shici", "诗词"), ("/fangyan", "方言"), ("/langsong", "朗诵"), ("/liuyan", "留言")),
    "乡音诵读馆 志愿者共同维护 欢迎指正",
)
_YINDU_TEXT = """\
这首诗写于诗人客居扬州的一个秋夜，全篇没有一个生僻的字，却把离家在外的人的心事说尽了。诵读的时候不
必急，前两句平缓，像是刚刚醒来，第三句抬头，声音可以稍稍扬起，末句低头，气息放长，落在最后一个字
上。

注音由本地的老先生逐字校过，标在每个字的上方。同一个字在不同的地方读音不一样，押韵的感觉也就不同，
请照着注音慢慢念三遍，再合上书念一遍。入声字读得短促，收尾要干净。如果您家乡的读法和这里不同，请在
留言里告诉我们，附上录音更好，编辑会在月底统一整理。
"""
_YINDU_LINES = "床前明月光 疑是地上霜"
_YINDU_READINGS = {
    "putonghua": "chuáng qián míng yuè guāng yí shì dì shàng shuāng",
    "yueyu": "cong4 cin4 ming4 jyut6 gwong1 ji4 si6 dei6 soeng6 soeng1",
    "minnan": "tshn̂g tsîng bîng gua̍t kong gî sī tē siōng song",
    "kejia": "cong2 qien2 min2 ngied6 gong1 ngi2 sii4 ti4 song4 song1",
}


@family("xiangyin-songdu", kind="readings in ruby", language="zh", half="work")
def xiangyin_songdu() -> Iterator[Page]:
    """One poem in four pronunciations."""

    def make(visit: _Visit, what: str) -> str:
        readings = iter(_YINDU_READINGS[what].split())
        lines = "<br>".join(
            "".join(f"<ruby>{sign}<rt>{next(readings)}</rt></ruby>" for sign in line)
            for line in _YINDU_LINES.split()
        )
        main = f"""<h1>静夜思（注音）</h1><p class="author">唐 · 李白</p>
<div class="poem" id="p-{visit.token("poem", 6)}">{lines}</div>{_paragraphs(_YINDU_TEXT)}
<form action="/liuyan" method="post">{visit.csrf()}<textarea name="t"></textarea>
<button>留言</button></form>"""
        return _YINDU.page(visit, "静夜思（注音）", main)

    return _served(
        make,
        (
            ("www", "/du/118.html", "desk", "putonghua"),
            ("www", "/du/119.html", "desk", "yueyu"),
            ("www", "/du/118.html?from=timeline&isappinstalled=0", "desk", "putonghua"),
            ("www", "/du/120.html", "desk", "minnan"),
            ("m", "/du/119.html", "mobile", "yueyu"),
            ("www", "/du/121.html", "desk", "kejia"),
            ("www", "/du/print/120.html", "print", "minnan"),
            ("www", "/amp/du/121.html", "amp", "kejia"),
        ),
    )


# --- image maps ----------------------------------------------------------------------------------

_DAOLAN = _Site(
    "锦程百货",
    "zh",
    (("/floor", "楼层导览"), ("/brand", "品牌"), ("/vip", "会员"), ("/traffic", "交通")),
    "锦程百货有限公司 营业时间10:00—22:00",
)
_DAOLAN_TEXT = """\
点击平面图上的铺位可以查看品牌介绍、当季活动和联系电话。图中浅色部分为公共通道，深色部分为营业区
域，扶梯位于中庭两侧，客梯在东南角，母婴室和无障碍卫生间在客梯旁边，服务台可以借用轮椅和雨伞。

停车场入口在建设路一侧，消费满额可以凭小票减免停车费，请在离场前到服务台或者自助机登记。儿童乘坐扶
梯时请由成人牵手陪同，宠物请放入推车。铺位调整期间以现场指引为准，如需团购发票请携带开票资料到收银
台办理。遗失物品统一保管在一楼，保管期三个月。
"""
_DAOLAN_SHOPS = {
    "floor 1": (("A101", "云裳珠宝"), ("A102", "素颜美妆"), ("A105", "时光钟表")),
    "floor 2": (("B201", "锦织女装"), ("B203", "慢步女鞋"), ("B207", "青禾内衣")),
    "floor 3": (("C301", "北麓户外"), ("C302", "飞轮运动"), ("C308", "乐童玩具")),
    "floor 4": (("D401", "渝味火锅"), ("D402", "一碗面馆"), ("D406", "光影影城")),
}


@family("jincheng-baihuo", kind="shops as areas of an image map", language="zh", half="work")
def jincheng_baihuo() -> Iterator[Page]:
    """Which shops a floor has is in the areas of its plan."""

    def make(visit: _Visit, what: str) -> str:
        name = f"map{visit.token('map', 5)}"
        areas = "".join(
            f'<area shape="rect" coords="{80 * n},20,{80 * n + 70},90" alt="{shop}" '
            f'title="{shop}" href="/shop/{place}.html">'
            for n, (place, shop) in enumerate(_DAOLAN_SHOPS[what])
        )
        main = f"""<h1>楼层导览</h1><img src="{visit.asset("/img/plan.png")}" usemap="#{name}"
alt="平面图" width="760"><map name="{name}">{areas}</map>{_paragraphs(_DAOLAN_TEXT)}"""
        return _DAOLAN.page(visit, "楼层导览", main)

    return _served(
        make,
        (
            ("www", "/floor/1.html", "desk", "floor 1"),
            ("www", "/floor/2.html", "desk", "floor 2"),
            ("www", "/floor/3.html", "desk", "floor 3"),
            ("m", "/floor/1.html", "mobile", "floor 1"),
            ("www", "/floor/4.html", "desk", "floor 4"),
            ("www", "/floor/2.html?spm=a21bo.50862", "desk", "floor 2"),
            ("www", "/floor/3.html?jsessionid=0A9C1F", "desk", "floor 3"),
            ("www", "/print/floor/4.html", "print", "floor 4"),
        ),
    )


# --- abbreviations -------------------------------------------------------------------------------

_ZHIBAN = _Site(
    "青石镇卫生院",
    "zh",
    (("/yisheng", "医生"), ("/zhiban", "值班"), ("/yimiao", "疫苗"), ("/jianyi", "建议")),
    "青石镇卫生院 地址：青石镇卫国路12号",
    old=True,
)
_ZHIBAN_TEXT = """\
门诊时间为上午八点到十一点半，下午两点到五点半，夜间和节假日由值班医生接诊，请直接到急诊楼一层按
铃。表中只写姓氏，鼠标停在姓氏上可以看到全名和职称。值班医生临时有事会互相调换，以当天门口的牌子为
准。

看病请带好身份证和医保卡，儿童请带预防接种本。发热病人请从西门进入，先到预检台量体温。慢性病患者可
以一次开一个月的药，需要长期处方的请提前和家庭医生联系。救护车随叫随到，山路较远的村请先拨打院里的
电话，说清楚路口的位置，安排人在路口接应。
"""
_ZHIBAN_DOCTORS = {
    "week 10": ("张建平 主治医师", "李秋月 全科医师", "王守义 副主任医师"),
    "week 11": ("张小燕 住院医师", "李秋月 全科医师", "王立新 主治医师"),
    "week 12": ("张建平 主治医师", "李国栋 外科医师", "王守义 副主任医师"),
    "week 13": ("张小燕 住院医师", "李国栋 外科医师", "王立新 主治医师"),
}


@family("qingshi-zhiban", kind="full names as titles of abbr", language="zh", half="work")
def qingshi_zhiban() -> Iterator[Page]:
    """Rotas of the same surnames, which are of other people."""

    def make(visit: _Visit, what: str) -> str:
        days = ("周一、周四", "周二、周五", "周三、周末")
        rows = "".join(
            f'<tr><td>{day}</td><td><abbr title="{doctor}">{doctor[0]}</abbr></td></tr>'
            for day, doctor in zip(days, _ZHIBAN_DOCTORS[what], strict=True)
        )
        main = f"""<h2>值班安排</h2><table border="1" id="tb{visit.token("tb", 5)}">
<tr><th>时间</th><th>医生</th></tr>{rows}</table>{_paragraphs(_ZHIBAN_TEXT)}"""
        return _ZHIBAN.page(visit, "值班安排", main)

    return _served(
        make,
        (
            ("www", "/zhiban/show.asp?id=210", "desk", "week 10"),
            ("www", "/zhiban/show.asp?id=211", "desk", "week 11"),
            ("www", "/zhiban/show.asp?id=212", "desk", "week 12"),
            ("www", "/zhiban/show.asp?id=210&sid=ADKJFHCB", "desk", "week 10"),
            ("wap", "/zhiban/show.asp?id=211", "mobile", "week 11"),
            ("www", "/zhiban/show.asp?id=213", "desk", "week 13"),
            ("www", "/zhiban/print.asp?id=212", "print", "week 12"),
            ("www", "/zhiban/show.asp?id=213&type=week", "desk", "week 13"),
        ),
    )


# --- charts --------------------------------------------------------------------------------------

_KONGQI = _Site(
    "临江市空气质量发布",
    "zh",
    (("/ribao", "日报"), ("/zhandian", "站点"), ("/yubao", "预报"), ("/kepu", "科普")),
    "临江市环境监测中心站主办 数据未经审核，仅供参考",
)
_KONGQI_TEXT = """\
本页数据由自动监测设备每小时采集一次，按照国家标准计算指数，每日零点汇总。指数在五十以内为优，一百
以内为良，超过一百时敏感人群应当减少户外锻炼，超过二百时学校停止室外体育课。设备校准或者停电期间没
有数据，图上以断线表示，不作插补。

图表下方可以切换污染物，拖动时间轴可以放大。原始数据可以在数据开放平台下载，转载请注明来源。市民如
果发现工地扬尘、露天焚烧、餐饮油烟等问题，可以拨打热线举报，核实之后给予奖励。监测站点的位置和周边
情况见站点介绍。
"""
_KONGQI_FIGURES = {
    "ribao 0301": (("06时", 58), ("12时", 73), ("18时", 91)),
    "ribao 0302": (("06时", 112), ("12时", 134), ("18时", 128)),
    "ribao 0303": (("06时", 47), ("12时", 39), ("18时", 44)),
    "ribao 0304": (("06时", 61), ("12时", 70), ("18时", 95)),
}


@family("linjiang-kongqi", kind="figures in data-chart and noscript", language="zh", half="work")
def linjiang_kongqi() -> Iterator[Page]:
    """Daily bulletins whose figures are drawn by a script, with a table for those without it."""

    def make(visit: _Visit, what: str) -> str:
        figures = _KONGQI_FIGURES[what]
        values = ",".join(str(value) for _, value in figures)
        rows = "".join(f"<tr><td>{hour}</td><td>{value}</td></tr>" for hour, value in figures)
        main = f"""<h1>空气质量日报</h1>
<div class="chart" id="chart-{visit.token("chart", 6)}" data-chart="[{values}]"></div>
<noscript><table><tr><th>时间</th><th>指数</th></tr>{rows}</table></noscript>
{_paragraphs(_KONGQI_TEXT)}"""
        side = '<h3>常用链接</h3><ul><li><a href="/kepu/1.html">指数怎么看</a></li></ul>'
        return _KONGQI.page(visit, "空气质量日报", main, side)

    return _served(
        make,
        (
            ("www", "/ribao/5501", "desk", "ribao 0301"),
            ("www", "/ribao/5502", "desk", "ribao 0302"),
            ("www", "/ribao/5503", "desk", "ribao 0303"),
            ("www", "/ribao/5501?print=true", "print", "ribao 0301"),
            ("www", "/ribao/5504", "desk", "ribao 0304"),
            ("m", "/ribao/5502", "mobile", "ribao 0302"),
            ("www", "/ribao/5503?token=d41d8cd98f", "desk", "ribao 0303"),
            ("www", "/ribao/5504?from=singlemessage", "desk", "ribao 0304"),
        ),
    )


# --- what opens on a click -----------------------------------------------------------------------

_DIANJIA = _Site(
    "和润物业服务",
    "zh",
    (("/gonggao", "公告"), ("/jiaofei", "缴费"), ("/baoxiu", "报修"), ("/wenda", "问答")),
    "和润物业服务有限公司 24小时值班",
)
_DIANJIA_TEXT = """\
为了方便业主了解各项收费，我们把大家问得最多的问题整理在这里，点开每一条就能看到答案。收费标准经业
主大会表决通过并报主管部门备案，每年公示一次收支明细，公示栏在小区大门内侧，也可以到物业办公室查阅
账册。

缴费可以在线办理，也可以到前台刷卡或者现金缴纳，开具发票请提供抬头和税号。逾期未缴的先由管家上门提
醒。装修期间请先办理登记，装修垃圾在指定位置堆放。如果对收费有疑问，可以先向管家咨询，也可以向业主
委员会反映，七个工作日之内给予书面答复。
"""
_DIANJIA_ANSWERS = {
    "compound 1": ("每平方米每月 1.60 元", "每度 0.52 元", "地面 120 元，地下 260 元", "5 日"),
    "compound 2": ("每平方米每月 2.15 元", "每度 0.52 元", "地面 150 元，地下 300 元", "10 日"),
    "compound 3": ("每平方米每月 1.85 元", "每度 0.61 元", "地面 120 元，地下 280 元", "5 日"),
    "compound 4": ("每平方米每月 2.80 元", "每度 0.61 元", "只有地下，400 元", "15 日"),
}


@family("herun-wuye", kind="answers in details and dialog", language="zh", half="work")
def herun_wuye() -> Iterator[Page]:
    """Charges of each compound open on a click."""

    def make(visit: _Visit, what: str) -> str:
        fee, power, parking, day = _DIANJIA_ANSWERS[what]
        box = f"dlg-{visit.token('dialog', 5)}"
        main = f"""<h1>收费问答</h1>{_paragraphs(_DIANJIA_TEXT)}
<details><summary>物业费是多少？</summary><p>{fee}</p></details>
<details><summary>公共用电怎么算？</summary><p>{power}</p></details>
<details><summary>停车每月多少钱？</summary><p>{parking}</p></details>
<button data-open="{box}">每月几号之前缴费？</button>
<dialog id="{box}"><p>每月 {day}之前</p><form method="dialog"><button>知道了</button></form>
</dialog><form action="/ask" method="post">{visit.csrf()}<button>我还有问题</button></form>"""
        return _DIANJIA.page(visit, "收费问答", main)

    return _served(
        make,
        (
            ("www", "/c/101/wenda", "desk", "compound 1"),
            ("www", "/c/102/wenda", "desk", "compound 2"),
            ("www", "/c/103/wenda", "desk", "compound 3"),
            ("www", "/c/104/wenda", "desk", "compound 4"),
            ("m", "/c/101/wenda", "mobile", "compound 1"),
            ("www", "/c/102/wenda?dayin=1", "print", "compound 2"),
            ("www", "/c/103/wenda?s=8c1d77e2", "desk", "compound 3"),
            ("wx", "/c/104/wenda", "mobile", "compound 4"),
        ),
    )


# --- elements of one's own -----------------------------------------------------------------------

_TINGCHE = _Site(
    "云泊停车",
    "zh",
    (("/chewei", "找车位"), ("/yueka", "办月卡"), ("/fapiao", "开发票"), ("/bangzhu", "帮助")),
    "云泊停车运营中心 客服每日8:00—20:00",
)
_TINGCHE_TEXT = """\
进场的时候摄像头自动识别车牌，不用取卡，离场之前扫码缴费，十五分钟之内驶出即可。新能源车在充电期间
免收停车费，以充电桩的结束时间为准，充满之后请及时挪车，超过半小时恢复计费。残疾人车辆凭证免费，军
车和救护车不收费。

月卡按自然月计算，可以绑定两辆车，但是同一时间只能有一辆在场。车位紧张的时候闸机前的屏幕会提示，请
前往附近的停车场。车内请勿放置贵重物品，剐蹭请保留现场并按下立柱上的求助按钮，值班员会调取录像协助
处理。
"""
_TINGCHE_FEES = {
    "park 1": ("6", "3", "40", "480"),
    "park 2": ("8", "4", "60", "650"),
    "park 3": ("6", "2", "30", "360"),
    "park 4": ("10", "5", "80", "900"),
}


@family("yunbo-tingche", kind="charges in custom elements", language="zh", half="work")
def yunbo_tingche() -> Iterator[Page]:
    """Charges are the fallback of an element of the site's own."""

    def make(visit: _Visit, what: str) -> str:
        first, following, day, month = _TINGCHE_FEES[what]
        main = f"""<h1>收费标准</h1>
<fee-board id="fb-{visit.token("board", 6)}" first="{first}" next="{following}" cap="{day}">
<span slot="first">{first}</span><span slot="next">{following}</span>
<span slot="cap">{day}</span></fee-board>
<month-card price="{month}"><data value="{month}" title="{month} 元">月卡</data></month-card>
{_paragraphs(_TINGCHE_TEXT)}
<script nonce="{visit.token("n2", 16)}" type="module" src="{visit.asset("/js/fee.js")}"></script>"""
        return _TINGCHE.page(visit, "收费标准", main)

    return _served(
        make,
        (
            ("www", "/park/3301/fee", "desk", "park 1"),
            ("www", "/park/3302/fee", "desk", "park 2"),
            ("www", "/park/3303/fee", "desk", "park 3"),
            ("www", "/park/3301/fee?channel=wxgzh", "desk", "park 1"),
            ("www", "/park/3304/fee", "desk", "park 4"),
            ("h5", "/park/3302/fee", "mobile", "park 2"),
            ("www", "/park/3303/fee?sessionId=7F3C20", "desk", "park 3"),
            ("h5", "/park/3304/fee", "mobile", "park 4"),
        ),
    )


# --- boxes that are ticked -----------------------------------------------------------------------

_TIJIAN = _Site(
    "康和体检中心",
    "zh",
    (("/taocan", "套餐"), ("/yuyue", "预约"), ("/baogao", "查报告"), ("/lianxi", "联系我们")),
    "康和体检中心 周一至周六7:30开始抽血",
)
_TIJIAN_TEXT = """\
下面列出本中心可以做的全部项目，打勾的项目包含在这个套餐里，没有打勾的可以到前台加做，按单项收费。
检查前一天晚上十点之后不要进食，可以少量饮水，正在服用降压药的照常服用。女士请避开生理期，备孕和怀
孕的请提前告诉医生，不要做放射检查。

体检当天请携带身份证，从东门进入，先到前台领取导引单，抽血和超声做完之后可以到二楼用早餐。报告在五
个工作日之后发到手机上，也可以到前台领取纸质报告，发现重大异常当天电话通知。套餐只限本人使用，可以
提前一天改期，不能转让。
"""
_TIJIAN_ITEMS = ("血常规", "肝功能", "血脂", "甲状腺超声", "胸部CT", "心电图", "骨密度", "胃幽门")
_TIJIAN_CHOSEN = {
    "package 1": ("11000100", "每日限 60 人"),
    "package 2": ("11100110", "每日限 40 人"),
    "package 3": ("11110101", "每日限 40 人"),
    "package 4": ("11111111", "每日限 20 人"),
}


@family("kanghe-tijian", kind="checked boxes and placeholders", language="zh", half="work")
def kanghe_tijian() -> Iterator[Page]:
    """What a package includes is which boxes are ticked."""

    def make(visit: _Visit, what: str) -> str:
        chosen, limit = _TIJIAN_CHOSEN[what]
        boxes = "".join(
            f'<li><label><input type="checkbox" disabled id="k{visit.token(item, 5)}"'
            f"{' checked' if mark == '1' else ''}> {item}</label></li>"
            for item, mark in zip(_TIJIAN_ITEMS, chosen, strict=True)
        )
        main = f"""<h1>体检套餐</h1><ul class="items">{boxes}</ul>{_paragraphs(_TIJIAN_TEXT)}
<form action="/yuyue" method="post">{visit.csrf("__token__")}
<input type="text" name="day" placeholder="{limit}"><button>预约</button></form>"""
        return _TIJIAN.page(visit, "体检套餐", main)

    return _served(
        make,
        (
            ("www", "/taocan/21.html", "desk", "package 1"),
            ("www", "/taocan/22.html", "desk", "package 2"),
            ("www", "/taocan/23.html", "desk", "package 3"),
            ("www", "/taocan/24.html", "desk", "package 4"),
            ("www", "/taocan/21.html?utm_campaign=spring", "desk", "package 1"),
            ("m", "/taocan/22.html", "mobile", "package 2"),
            ("www", "/taocan/23.html?order=asc", "desk", "package 3"),
            ("m", "/taocan/24.html", "mobile", "package 4"),
        ),
    )


# --- options, telephone and map of a branch ------------------------------------------------------

_DINGNAI = _Site(
    "晨牧鲜奶",
    "zh",
    (("/nai", "鲜奶"), ("/zhan", "奶站"), ("/dingdan", "我的订单"), ("/muchang", "牧场")),
    "晨牧乳业有限公司 每天凌晨四点发车",
    old=True,
)
_DINGNAI_TEXT = """\
鲜奶当天挤、当天灭菌、当晚装车，第二天早上七点之前送到您家门口的奶箱。第一次订奶由奶站的师傅上门安
装奶箱，押金二十元，退订的时候凭收据退还。出差或者放假可以提前一天暂停，剩下的天数往后顺延。

鲜奶保质期短，收到之后请放进冰箱，两天之内喝完，出现少量奶油上浮是正常现象，摇匀即可。空瓶请洗净放
回奶箱，师傅第二天收走。各个奶站供应的品种和价格略有不同，请在下面选择。如果漏送或者破损，当天联系
奶站，次日补送。
"""
_DINGNAI_STATIONS = {
    "station 1": (("250毫升 4.5元", "500毫升 8元"), "05550120131", "31.2304,118.3716"),
    "station 2": (("250毫升 4.8元", "500毫升 8.5元"), "05550120177", "31.2391,118.3880"),
    "station 3": (("250毫升 4.5元", "950毫升 14元"), "05550120216", "31.2177,118.3652"),
    "station 4": (("500毫升 8元", "酸奶 6元"), "05550120290", "31.2450,118.3509"),
}


@family("chenmu-xiannai", kind="options, telephone and map of stations", language="zh", half="work")
def chenmu_xiannai() -> Iterator[Page]:
    """Each station has its prices in a select and its place behind words."""

    def make(visit: _Visit, what: str) -> str:
        goods, telephone, place = _DINGNAI_STATIONS[what]
        options = "".join(f"<option>{one}</option>" for one in goods)
        chart = f"https://ditu.example/marker?location={place}"
        target = chart if visit.view == "print" else visit.out(chart)
        main = f"""<h2>在线订奶</h2>{_paragraphs(_DINGNAI_TEXT)}
<form action="/order" method="post">{visit.csrf()}品种
<select name="kind" id="k{visit.token("kind", 5)}">{options}</select><button>下单</button></form>
<p><a href="tel:{telephone}">打电话</a> <a href="{target}">看地图</a></p>"""
        return _DINGNAI.page(visit, "在线订奶", main)

    return _served(
        make,
        (
            ("www", "/order.php?zhan=1", "desk", "station 1"),
            ("www", "/order.php?zhan=2", "desk", "station 2"),
            ("www", "/order.php?zhan=3", "desk", "station 3"),
            ("www", "/order.php?zhan=1&PHPSESSID=qv81kd0s", "desk", "station 1"),
            ("www", "/order.php?zhan=4", "desk", "station 4"),
            ("m", "/order.php?zhan=2", "mobile", "station 2"),
            ("www", "/order.php?zhan=3&print=1", "print", "station 3"),
            ("www", "/order.php?from=ad&zhan=4", "desk", "station 4"),
        ),
    )
