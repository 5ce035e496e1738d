"""English sites kept apart until the end, whose pages share nearly all words but not their facts.

Where a family is of copies, the facts are the same and only dress, address or chrome differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.families.kit import Page, family

# --- price tables by country -------------------------------------------------------------------

_PRICE_REGIONS = (
    ("en-gb", "United Kingdom"),
    ("en-ie", "Ireland"),
    ("en-au", "Australia"),
    ("en-ca", "Canada"),
)
_PRICES = {
    "en-gb": ("£19", "£34", "£62"),
    "en-ie": ("€22", "€39", "€71"),
    "en-au": ("A$36", "A$64", "A$118"),
    "en-ca": ("C$33", "C$58", "C$106"),
}
_PRICE_ROWS = """
<p class="lead">Every plan includes the online diary, text message reminders, unlimited clients and
help by e-mail. There is no contract: you pay month by month and may leave whenever you like.</p>
<p>Salonbook grows with your business. Most owners begin with Solo while they still cut hair
themselves, move to Team as soon as a second chair is rented out, and change to Studio when they
want stock control and a till in the same place. You can change up or down at any time; what you
have already paid is credited to the next month. A free trial runs for thirty days and needs no
bank card. When it ends you choose a plan or your diary is frozen, but nothing is deleted for a
year. Charities and training colleges may write to us for half the price.</p>
"""
_PRICE_SECURITY = """
<h1>How we look after your clients' details</h1>
<p>Names, telephone numbers and colour notes are personal, so we treat them as we would our own.
All traffic between your browser and our servers is encrypted, and so are the disks on which the
diaries are stored. A copy is made every night and kept for five weeks in a second building.</p>
<p>Only four of our engineers can reach the live database, each with a hardware key, and every
visit is written down in a log that two people read on Monday mornings. We have an outside firm try
to break in twice a year. If you ever find a weakness before they do, please tell us first: we
answer within a day and say thank you in public if you wish us to.</p>
<p>You may export everything as a spreadsheet whenever you want, and erase a client with a
single button. Erased records leave the nightly copies after the five weeks have passed.</p>
"""
_PRICE_TOUR = """
<h1>See how a day runs with Salonbook</h1>
<p>Before you open, the diary lists the appointments of each chair side by side, with gaps shaded
so that you can see where a walk-in would fit. Drag an appointment to move it; the client receives
a text message with the new time by itself.</p>
<p>When somebody arrives, tap the name and the colour card opens: the last mixture, the
developing time, and whatever note you left yourself. At the till the services of the visit are
already listed, and a card reader needs only the amount confirmed.</p>
<p>In the evening one page tells you what each chair took, who did not turn up, and who has not
been in for three months. Send those a friendly note with two clicks, and close the shop.</p>
"""


def _salonbook(region: str, country: str, title: str, main: str) -> str:
    others = "".join(
        f'<li><a href="/{code}/pricing" hreflang="{code}">{name}</a></li>'
        for code, name in _PRICE_REGIONS
    )
    return f"""<!DOCTYPE html>
<html lang="{region}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/site.3f1c.css"></head>
<body class="marketing">
<div class="navbar"><a class="brand" href="/{region}/"><img src="/assets/salonbook.svg"
alt="Salonbook"></a><ul class="nav"><li><a href="/{region}/tour">Tour</a></li>
<li><a href="/{region}/pricing">Pricing</a></li><li><a href="/{region}/security">Security</a></li>
<li><a class="btn btn-primary" href="/signup">Start free trial</a></li></ul></div>
<div class="container">{main}</div>
<div class="footer"><div class="region">Your region: {country}</div><ul>{others}</ul>
<p class="small">&copy; Salonbook Software. Made by people who used to sweep up hair.</p></div>
<div class="cookie-bar">We use cookies to remember your region. <button>Fine</button></div>
</body></html>"""


@family("salonbook", kind="price tables in locale folders", language="en", half="held")
def salonbook() -> Iterator[Page]:
    """Prices differ by country, other pages of the locale folders are copies."""

    def pricing(region: str, country: str) -> Page:
        solo, team, studio = _PRICES[region]
        main = f"""<h1>Simple pricing</h1>{_PRICE_ROWS}
<table class="table plans"><thead><tr><th>Plan</th><th>Chairs</th><th>A month</th></tr></thead>
<tbody><tr><td>Solo</td><td>1</td><td>{solo}</td></tr>
<tr><td>Team</td><td>2 to 5</td><td>{team}</td></tr>
<tr><td>Studio</td><td>6 and more</td><td>{studio}</td></tr></tbody></table>
<p><a href="/{region}/tour">Take the tour</a> before you decide.</p>"""
        html = _salonbook(region, country, "Pricing | Salonbook", main)
        return Page(f"/{region}/pricing", html, what=f"pricing {country}")

    def shared(region: str, country: str, slug: str, title: str, main: str) -> Page:
        html = _salonbook(region, country, f"{title} | Salonbook", main)
        return Page(f"/{region}/{slug}", html, what=slug)

    gb, ie, au, ca = _PRICE_REGIONS
    yield shared(*au, "security", "Security", _PRICE_SECURITY)
    yield pricing(*au)
    yield pricing(*gb)
    yield shared(*gb, "security", "Security", _PRICE_SECURITY)
    yield shared(*gb, "tour", "Tour", _PRICE_TOUR)
    yield pricing(*ca)
    yield shared(*ie, "tour", "Tour", _PRICE_TOUR)
    yield pricing(*ie)
    yield shared(*ca, "security", "Security", _PRICE_SECURITY)
    yield shared(*ca, "tour", "Tour", _PRICE_TOUR)


# --- visa pages ----------------------------------------------------------------------------------

_VISAS = (
    ("is", "Iceland", "90 days", "€80", "15 working days"),
    ("no", "Norway", "90 days", "NOK 980", "15 working days"),
    ("id", "Indonesia", "30 days", "IDR 500,000", "on arrival"),
    ("sq", "Saint Quentin Islands", "21 days", "$45", "4 working days"),
    ("tr", "Turkey", "60 days", "$60", "3 working days"),
    ("vi", "US Virgin Islands", "90 days", "$21", "72 hours"),
    ("it", "Italy", "90 days", "€90", "20 working days"),
)


@family("stampready", kind="countries in two-letter folders", language="en", half="held")
def stampready() -> Iterator[Page]:
    """Two-letter folders are countries to go to, each with a fee and a length of stay."""
    links = "".join(f'<option value="/{code}/">{name}</option>' for code, name, *_ in _VISAS)
    for code, name, stay, fee, wait in _VISAS:
        html = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Entry requirements for tourists - StampReady
</title><meta property="og:site_name" content="StampReady"></head><body>
<header class="site"><a href="/"><img src="/img/stamp-logo.png" alt="StampReady" width="160"></a>
<form action="/go"><label>Going to <select name="c">{links}</select></label></form></header>
<div class="wrap two-col"><main>
<ol class="breadcrumb"><li><a href="/">Home</a></li><li>Destinations</li><li>{name}</li></ol>
<h1>Entry requirements for tourists</h1>
<p>These notes are for holders of an ordinary passport who travel for pleasure, to see relatives
or to attend a short meeting. People who intend to work, to study for more than a season or to
marry need another kind of permission and should write to the consulate in good time.</p>
<h2>What to bring</h2>
<ul><li>a passport that is valid for six months after the day of departure and has two empty
pages facing each other;</li><li>a return ticket, or a ticket onward to a third country;</li>
<li>proof of where you will sleep on the first night;</li><li>a bank statement of the last three
months or a letter from your host.</li></ul>
<h2>How to apply</h2>
<p>Fill in the form without abbreviations and exactly as names are printed in the passport. Upload
a photograph on a white background, without glasses or hat. Pay by card; fees are not returned when
an application is refused. Print the answer and carry it with you, since airlines ask for it at
the desk. Children need a form of their own even when they travel on a parent's booking.</p>
<h2>At the border</h2>
<p>An officer may ask how long you mean to stay and how you will pay for it. Answer briefly and
truthfully. A stamp is evidence of the day of entry: check it before you walk on.</p></main>
<aside class="facts"><h3>At a glance</h3><dl><dt>Longest stay</dt><dd>{stay}</dd>
<dt>Fee</dt><dd>{fee}</dd><dt>Answer</dt><dd>{wait}</dd></dl>
<a class="button" href="/{code}/apply">Begin application</a></aside></div>
<footer>StampReady is a private company and not a government office. <a href="/terms">Terms</a>
</footer></body></html>"""
        yield Page(f"/{code}/", html, what=name)


# --- AMP versions --------------------------------------------------------------------------------

_CLOSURES = (
    (
        "fore-street-closure",
        "Fore Street shut while gas main is replaced",
        """<p>Fore Street will be closed to vehicles between the post office and the Methodist
chapel from 4 March while a gas main laid in 1961 is replaced. The work is expected to last
three weeks.</p>""",
        "Traffic will be sent round by Chapel Lane, which becomes one way for the duration.",
        "fore-street.jpg",
    ),
    (
        "quay-road-closure",
        "Quay Road shut while sea wall is mended",
        """<p>Quay Road will be closed to vehicles between the ice works and the lifeboat house
from 11 March while a hole torn by the January storm is filled. The work is expected to last
five weeks.</p>""",
        "Traffic will be sent round by Higher Terrace, where parking is suspended.",
        "quay-road.jpg",
    ),
    (
        "mill-bridge-closure",
        "Mill Bridge shut while parapet is rebuilt",
        """<p>Mill Bridge will be closed to vehicles and to people on foot from 2 April while the
parapet struck by a lorry before Christmas is rebuilt. The work is expected to last ten days.
</p>""",
        "Traffic will be sent round by the bypass; walkers may use the stepping stones.",
        "mill-bridge.jpg",
    ),
    (
        "station-hill-closure",
        "Station Hill shut while drains are renewed",
        """<p>Station Hill will be closed to vehicles between the signal box and the Red Lion
from 15 April while the drains beneath the road are renewed. The work is expected to last
two months.</p>""",
        "Traffic will be sent round by Vicarage Road, and buses will stop at the school.",
        "station-hill.jpg",
    ),
)
_CLOSURE_COMMON = (
    """<p>The county council has written to every household along the road and says that
residents can reach their own doors at all times, if need be with the help of the foreman. Bins
should be put out as usual before seven in the morning; the contractor carries them to the end of
the works and back again.</p>""",
    """<p>Shopkeepers who lose trade may ask for a reduction of their rates. Forms are kept at
the library and at the one-stop shop in the town hall, and a councillor is there on Thursday
afternoons to help fill them in. Emergency vehicles have been promised a way through at any hour.
</p><p>A spokeswoman for the council said: "Nobody likes a closed road, and we are grateful for
the patience shown so far. We will reopen as soon as it is safe and not a day later."</p>""",
)


def _gazette(slug: str, title: str, lead: str, detour: str, picture: str) -> str:
    links = "".join(
        f'<li><a href="/2024/{other[0]}/">{other[1]}</a></li>'
        for other in _CLOSURES
        if other[0] != slug
    )
    return f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="UTF-8"><title>{title} - Polwithen Gazette</title>
<link rel="stylesheet" href="/wp-content/themes/broadsheet/style.css?ver=6.4">
<meta property="og:title" content="{title}"></head>
<body class="post-template-default single single-post">
<div id="masthead"><a href="/"><img src="/wp-content/uploads/masthead.png" alt="Polwithen Gazette">
</a><ul id="menu-main"><li><a href="/news/">News</a></li><li><a href="/sport/">Sport</a></li>
<li><a href="/tides/">Tides</a></li><li><a href="/notices/">Family notices</a></li></ul></div>
<div id="content"><article class="post hentry"><h1 class="entry-title">{title}</h1>
<div class="entry-meta">By Loveday Tregear | <a href="#respond">Leave a comment</a></div>
<img class="wp-post-image" src="/wp-content/uploads/2024/{picture}" alt="">
<div class="entry-content">{lead}{_CLOSURE_COMMON[0]}<p>{detour}</p>{_CLOSURE_COMMON[1]}</div>
<div class="sharedaddy"><a href="#">Share on Facebook</a> <a href="#">Tweet</a> <a href="#">Print
</a></div></article>
<div id="respond"><h3>Leave a Reply</h3><p>Your email address will not be published. Required
fields are marked *</p><textarea name="comment"></textarea><button>Post Comment</button></div>
</div><div id="secondary" class="widget-area"><div class="widget"><h2>Also in the news</h2>
<ul>{links}</ul></div><div class="widget"><h2>Subscribe</h2><p>Have the paper pushed through your
door every Friday for 85p a week.</p></div></div>
<div id="colophon">&copy; Polwithen Gazette Ltd. Proudly powered by WordPress.</div></body>
</html>"""


def _gazette_amp(slug: str, title: str, lead: str, detour: str, picture: str) -> str:
    return f"""<!doctype html>
<html amp lang="en-GB"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width,minimum-scale=1">
<link rel="canonical" href="http://www.polwithen-gazette.test/2024/{slug}/">
<script async src="https://cdn.ampproject.org/v0.js"></script></head><body>
<header id="top" class="amp-wp-header"><a href="/">Polwithen Gazette</a></header>
<article class="amp-wp-article"><header class="amp-wp-article-header"><h1>{title}</h1>
<div class="amp-wp-meta">Loveday Tregear</div></header>
<amp-img src="/wp-content/uploads/2024/{picture}" width="640" height="400" layout="responsive">
</amp-img><div class="amp-wp-article-content">{lead}{_CLOSURE_COMMON[0]}<p>{detour}</p>
{_CLOSURE_COMMON[1]}</div></article>
<footer class="amp-wp-footer"><a href="/2024/{slug}/">View full version</a>
<a href="#top">Back to top</a></footer></body></html>"""


@family("polwithen-gazette", kind="AMP versions", language="en", half="held")
def polwithen_gazette() -> Iterator[Page]:
    """AMP versions are copies of their articles, the articles are different."""
    fore, quay, mill, station = _CLOSURES
    yield Page(f"/2024/{fore[0]}/", _gazette(*fore), what=fore[1])
    yield Page(f"/2024/{quay[0]}/amp/", _gazette_amp(*quay), what=quay[1])
    yield Page(f"/2024/{mill[0]}/", _gazette(*mill), what=mill[1])
    yield Page(f"/2024/{mill[0]}/?amp=1", _gazette_amp(*mill), what=mill[1])
    yield Page(f"/2024/{fore[0]}/amp/", _gazette_amp(*fore), what=fore[1])
    yield Page(f"/2024/{station[0]}/?amp=1", _gazette_amp(*station), what=station[1])
    yield Page(f"/2024/{station[0]}/", _gazette(*station), what=station[1])
    yield Page(f"/2024/{quay[0]}/", _gazette(*quay), what=quay[1])


# --- mobile subdomain ----------------------------------------------------------------------------

_LOAVES = (
    ("oat-loaf", "Overnight oat loaf", "400 g wheat flour", "100 g rolled oats", "220", "45"),
    ("rye-loaf", "Overnight rye loaf", "250 g wheat flour", "250 g rye flour", "230", "55"),
    ("spelt-loaf", "Overnight spelt loaf", "500 g spelt flour", "a spoon of honey", "210", "40"),
    ("potato-loaf", "Overnight potato loaf", "450 g wheat flour", "200 g mash", "220", "50"),
)


def _loaf_body(flour: str, extra: str, heat: str, minutes: str) -> str:
    return f"""<p>There is nothing quicker than a loaf that makes itself while you sleep. You stir
it together after supper, forget about it, and by breakfast time the kitchen smells like a bakery.
No machine is needed, nor any kneading, and the crumb stays moist for three days.</p>
<ul class="ingredients"><li>{flour}</li><li>{extra}</li><li>2 teaspoons of salt</li>
<li>a quarter teaspoon of dried yeast</li><li>350 ml of cold water</li></ul>
<ol class="method"><li>Mix everything in a large bowl with a wooden spoon until no dry flour is
left. The dough will be sticky; leave it so.</li><li>Cover the bowl with a plate and let it stand
in a cool room for ten to fourteen hours. Bubbles tell you that it is ready.</li>
<li>Fold the dough over itself four times on a floured board and turn it into a greased tin. Let it
rise again for an hour while the oven warms to {heat} degrees.</li><li>Bake for {minutes} minutes.
Knock on the bottom: a hollow sound means that it is done. Let it cool on a rack before you cut it,
however hard that may be.</li></ol>
<p>It freezes well in slices. Stale ends make good crumbs for fishcakes.</p>"""


def _loaf_page(slug: str, title: str, flour: str, extra: str, heat: str, minutes: str) -> str:
    links = "".join(f'<a href="/recipes/{r[0]}.html">{r[1]}</a> ' for r in _LOAVES)
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{title} | The Crumb Tray</title></head><body bgcolor="#fffaf0">
<table width="960" align="center" cellpadding="6"><tr><td colspan="2"><img src="/img/tray.gif"
alt="The Crumb Tray"><br>Home baking since 2006</td></tr><tr><td width="200" valign="top"
class="left"><b>Recipes</b><br><a href="/breads.html">Breads</a><br><a href="/cakes.html">Cakes</a>
<br><a href="/biscuits.html">Biscuits</a><br><a href="/jams.html">Jams</a><br><br><b>About me</b>
<br>I am Odile, I live on a narrowboat with a very small oven and a very large dog.</td>
<td valign="top"><h1>{title}</h1>{_loaf_body(flour, extra, heat, minutes)}
<p class="more">You may also like: {links}</p></td></tr>
<tr><td colspan="2" align="center"><font size="1">Recipes may be copied out for friends, not for
websites. <a href="/guestbook.php">Sign the guestbook</a></font></td></tr></table></body></html>"""


def _loaf_mobile(slug: str, title: str, flour: str, extra: str, heat: str, minutes: str) -> str:
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"></head><body class="m">
<div data-role="page"><div data-role="header"><a href="/">&#9776;</a> Crumb Tray mobile</div>
<div data-role="content"><h2>{title}</h2>{_loaf_body(flour, extra, heat, minutes)}</div>
<div data-role="footer"><a href="http://www.crumb-tray.test/recipes/{slug}.html">Desktop site</a>
</div></div></body></html>"""


@family("crumb-tray", kind="mobile subdomain", language="en", half="held")
def crumb_tray() -> Iterator[Page]:
    """The mobile pages are copies of the desktop ones, each recipe is its own."""
    for number, loaf in enumerate(_LOAVES):
        desktop = Page(f"/recipes/{loaf[0]}.html", _loaf_page(*loaf), what=loaf[1])
        mobile = Page(f"/recipes/{loaf[0]}.html", _loaf_mobile(*loaf), what=loaf[1], host="m")
        if number % 2:
            yield mobile
            yield desktop
        else:
            yield desktop
            yield mobile


# --- photo galleries -----------------------------------------------------------------------------


@family("regatta-album", kind="pictures only differ", language="en", half="held")
def regatta_album() -> Iterator[Page]:
    """Every page shows another photograph under the same words."""
    numbers = (4107, 4108, 4112, 4115, 4131, 4140, 4163)
    for place, number in enumerate(numbers):
        before = numbers[place - 1]
        after = numbers[(place + 1) % len(numbers)]
        html = f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Regatta day | Album of Sandhaven Rowing Club</title>
<link rel="stylesheet" href="/gallery3/themes/wind/screen.css"></head><body>
<div id="g-banner"><a href="/"><img src="/gallery3/lib/club-burgee.png" alt="Club burgee"></a>
<ul id="g-site-menu"><li><a href="/">Albums</a></li><li><a href="/join">Join us</a></li></ul></div>
<div id="g-content"><div id="g-item"><ul class="g-paginator">
<li><a href="/album/regatta/{before}">previous</a></li>
<li><a href="/album/regatta/{after}">next</a></li></ul>
<div id="g-photo"><img class="g-resize" src="/var/resizes/regatta/IMG_{number}.jpg" width="1024"
height="683" alt=""></div><div id="g-info"><h1>Regatta day</h1>
<div>Seen from the committee boat. Members may order prints from the boatman.</div></div></div>
</div><div id="g-footer">Photographs: Sandhaven Rowing Club</div></body></html>"""
        yield Page(f"/album/regatta/{number}", html, what=f"IMG_{number}")


# --- podcast episodes ----------------------------------------------------------------------------

_EPISODES = (
    (61, "The lighthouse that moved", "the-lighthouse-that-moved"),
    (62, "A census of swans", "a-census-of-swans"),
    (63, "Who owns the foreshore?", "who-owns-the-foreshore"),
    (64, "The last rope walk", "the-last-rope-walk"),
    (65, "Listening to eels", "listening-to-eels"),
    (66, "Sand", "sand"),
)


@family("low-water", kind="podcast: title and audio file", language="en", half="held")
def low_water() -> Iterator[Page]:
    """Each episode has a title and a recording of its own under the show's description."""
    for number, title, slug in _EPISODES:
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} &ndash; Low Water</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>
<body class="episode-page"><section class="hero"><p class="eyebrow">Low Water, a podcast</p>
<h1>{title}</h1><audio controls preload="none">
<source src="/media/lw{number:03d}-{slug}.mp3" type="audio/mpeg"></audio></section>
<section class="about grid"><div class="col-8"><h2>About the show</h2>
<p>Low Water is a podcast about the strip of land that belongs to the sea for half of the day.
Every fortnight Marit Quayle and Ben Osei put on their boots, walk out between the tides, and
talk to somebody who knows what lives, lies or is buried there. It is recorded outdoors, so you
will hear wind, gulls and sometimes a puddle.</p>
<p>The programme is made without advertisements. It is paid for by listeners who give the price of
a cup of tea a month, and who receive in return a postcard at midsummer and our heartfelt thanks.
If you would like to be one of them, follow the link below; if you cannot, tell a friend about us,
which is worth as much.</p>
<p>Music is by the Slipway Trio. Our thanks go to the harbour offices that let us borrow tide
tables, oilskins and, once, a boat. Transcripts are sent by post to anybody who asks.</p></div>
<div class="col-4"><h2>Listen elsewhere</h2><ul><li><a href="#">Apple Podcasts</a></li>
<li><a href="#">Spotify</a></li><li><a href="#">Pocket Casts</a></li><li><a href="/feed.xml">RSS
</a></li></ul></div></section><footer><a href="/support">Support us</a> &middot; <a
href="/episodes">All episodes</a> &middot; Licensed for sharing, not for selling</footer>
</body></html>"""
        yield Page(f"/episodes/{number}", html, what=title)


# --- shells of a JavaScript application ----------------------------------------------------------


@family("lettly-app", kind="application shells, only titles differ", language="en", half="held")
def lettly_app() -> Iterator[Page]:
    """The title alone tells which flat is offered."""
    flats = (
        ("48812", "2 bed flat, 14 Mill Lane, £1,150 a month"),
        ("48815", "2 bed flat, 37 Mill Lane, £1,210 a month"),
        ("48960", "1 bed flat, 5 Ropery Court, £845 a month"),
        ("49077", "Studio, 88 Canal Street, £690 a month"),
        ("49103", "3 bed house, 2 Orchard Rise, £1,675 a month"),
    )
    for number, title in flats:
        html = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"/>
<link rel="icon" href="/favicon.ico"/><meta name="theme-color" content="#0b7285"/>
<title>{title} | Lettly</title><script defer src="/static/js/main.7be21c.js"></script>
<link href="/static/css/main.2d9a.css" rel="stylesheet"/></head><body>
<noscript>You need to enable JavaScript to run this app.</noscript>
<div id="root"><div class="splash"><img src="/static/media/lettly.svg" alt="Lettly"/>
<p>Loading your next home&hellip;</p></div></div></body></html>"""
        yield Page(f"/homes/{number}", html, what=title)


# --- regulations by year -------------------------------------------------------------------------

_DUES = (
    ("2021_11", "118", "8 November 2021", "£2.40", "£310", "1 January 2022"),
    ("2022_05", "47", "16 May 2022", "£2.55", "£310", "1 July 2022"),
    ("2022_11", "121", "14 November 2022", "£2.80", "£335", "1 January 2023"),
    ("2023_11", "109", "13 November 2023", "£2.80", "£360", "1 January 2024"),
    ("2024_05", "52", "20 May 2024", "£3.05", "£360", "1 July 2024"),
)


@family("bulletin-of-rules", kind="one regulation, year after year", language="en", half="held")
def bulletin_of_rules() -> Iterator[Page]:
    """Every year's order has its own number, dates and amounts."""
    for folder, number, made, rate, fine, force in _DUES:
        html = f"""<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8">
<title>Harbour Dues Order</title><link rel="stylesheet" type="text/css" href="/print.css"></head>
<body><div id="crest"><img src="/crest.gif" alt="Arms of the Isle"><br>
OFFICIAL BULLETIN OF THE ISLE OF SKARE</div>
<div id="menu"><a href="/">Bulletin</a> | <a href="/{folder}/">This issue</a> |
<a href="/index_of_orders.html">Index of orders</a> | <a href="/repealed.html">Repealed</a></div>
<div class="instrument"><h2>HARBOUR DUES ORDER</h2><p class="preamble">The Board of Harbours, in
exercise of the powers given to it by section 14 of the Harbours Act, and having heard the masters
of vessels and the merchants of the Isle, makes the following Order.</p>
<p><b>1.</b> This Order is to be read as one with the Harbours Act. In it "vessel" means any craft
used in navigation and not propelled by oars alone, "master" includes every person who for the time
being has charge of a vessel, and "the harbour" means the waters enclosed by the north and south
moles and all quays and slips upon them.</p>
<p><b>2.</b> There shall be paid to the harbour master, in respect of every vessel that enters the
harbour and remains there for longer than two hours, a due of {rate} for each metre of the length
of the vessel and for each day or part of a day.</p>
<p><b>3.</b> No due is payable by a vessel that seeks shelter from weather, by a lifeboat, by a
vessel in the service of the Isle, or by a fishing boat registered in one of its parishes.</p>
<p><b>4.</b> The master of a vessel who leaves the harbour without having paid what is owed, or who
gives a false account of its length, is liable on summary conviction to a fine not exceeding
{fine}. The harbour master may detain a vessel, its tackle and its cargo until the due is paid, and
may sell so much of them as is needed after fourteen days' notice upon the door of the custom
house.</p><p><b>5.</b> Any person aggrieved by a decision of the harbour master may appeal within
twenty-one days to the Deemster, whose decision is final. The lodging of an appeal does not release
a vessel that is detained unless security is given.</p>
<p><b>6.</b> The Order that was in force before this one is revoked, without prejudice to dues that
had fallen to be paid under it.</p></div>
<table class="note" border="1"><tr><td>Order No.</td><td>{number}</td></tr><tr><td>Made</td>
<td>{made}</td></tr><tr><td>In operation</td><td>{force}</td></tr></table>
<div id="foot">Published by authority. Copies may be bought at the Rolls Office.</div>
</body></html>"""
        yield Page(f"/{folder}/harbour_dues.html", html, what=f"order {number} of {made}")


# --- court opinions ------------------------------------------------------------------------------

_OPINIONS = (
    ("22-0417", "Harlan Voss", "Tamarack County", "March 9, 2023", "Ruiz"),
    ("22-0533", "Delphine Adair", "Tamarack County", "March 9, 2023", "Ruiz"),
    ("22-0598", "Curtis Ombeline", "Lodge County", "April 20, 2023", "Haverford"),
    ("22-0711", "Peter Szabo", "Greer County", "April 20, 2023", "Lindqvist"),
    ("23-0026", "Annette Coyle", "Lodge County", "May 18, 2023", "Haverford"),
)


@family("high-plains-court", kind="summary opinions of a court", language="en", half="held")
def high_plains_court() -> Iterator[Page]:
    """Each opinion decides the case of another person, in the same words."""
    for docket, name, county, day, judge in _OPINIONS:
        html = f"""<!DOCTYPE html>
<html lang="en-US"><head><meta charset="utf-8"><title>No. {docket} | Court of Appeals</title>
<link href="/sites/all/themes/judicial/css/style.css" rel="stylesheet"></head>
<body class="html not-front page-node node-type-opinion">
<a class="skip-link" href="#main">Skip to main content</a>
<div id="header"><img src="/sites/default/files/seal.png" alt="Seal"><span>Judicial Branch of the
State of High Plains</span></div><ul class="menu"><li><a href="/opinions">Opinions</a></li>
<li><a href="/calendar">Calendar</a></li><li><a href="/rules">Rules</a></li>
<li><a href="/self-help">Self-help</a></li></ul>
<div id="main" class="region-content"><div class="caption"><p>IN THE COURT OF APPEALS</p>
<p>STATE OF HIGH PLAINS, Plaintiff and Appellee, v. {name.upper()}, Defendant and Appellant.</p>
<p>No. {docket}. Filed {day}.</p></div>
<p>Appeal from the District Court of {county}, the Honorable {judge}, Judge. AFFIRMED.</p>
<p>PER CURIAM.</p><p>The appellant was convicted after a trial to the court of driving while his or
her privilege to drive was suspended. On appeal it is argued that the notice of suspension was
never received, that the State did not prove that it had been mailed, and that the conviction
therefore rests on nothing more than a presumption.</p>
<p>We have held that a notice which is sent by ordinary mail to the last address furnished by the
driver is sufficient, and that the department's certified record is evidence of the mailing. A
driver who moves without telling the department does so at his or her peril. The record in this case
contains the certificate, which was received without objection, and the trial court was entitled
to believe it. We do not weigh evidence anew, nor do we judge the credibility of witnesses; we ask
only whether any rational trier of fact could have found the elements of the offense beyond a
reasonable doubt. It could.</p>
<p>The remaining arguments were not made below and we decline to consider them for the first time
on appeal. The judgment is summarily affirmed under Rule 35.1(a)(3). Costs are not allowed to
either party.</p></div><div id="footer">Opinions are posted at nine o'clock on the day of filing
and remain subject to correction before publication in the reporter.</div></body></html>"""
        yield Page(f"/opinions/20{docket[:2]}/{docket}", html, what=f"State v. {name}")


# --- company filings -----------------------------------------------------------------------------

_FILINGS = (
    ("0000912", "2023", "March 31", "45,000", "$18.20", "612,500"),
    ("0000931", "2023", "June 30", "51,200", "$17.85", "561,300"),
    ("0000957", "2023", "September 30", "38,750", "$19.40", "522,550"),
    ("0000978", "2023", "December 31", "60,000", "$20.15", "462,550"),
    ("0001004", "2024", "March 31", "45,000", "$21.70", "417,550"),
)


@family("brandywell-filings", kind="quarterly filings of a company", language="en", half="held")
def brandywell_filings() -> Iterator[Page]:
    """Each filing reports another quarter's purchases."""
    for number, year, end, shares, price, left in _FILINGS:
        html = f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Brandywell Paper Company - Issuer Repurchases</title>
<meta name="description" content="Filings of Brandywell Paper Company"></head>
<body style="font-family:Times New Roman">
<div class="bw-top"><a href="/"><img src="/images/bw-mark.png" alt="Brandywell Paper"></a>
<span><a href="/investors">Investors</a> / <a href="/investors/filings">Filings</a></span></div>
<div class="bw-doc"><p align="center"><b>ISSUER REPURCHASES OF COMMON STOCK</b></p>
<p>Commission file number 1-07714. Brandywell Paper Company (the "Company") is incorporated in
Delaware. Its principal executive offices are at 400 Mill Race Road, Holyfield.</p>
<p>In November 2021 the Board of Directors authorized the Company to buy back its own common stock
in the open market or in privately negotiated transactions. The program does not oblige the Company
to acquire any particular amount and may be suspended or ended at any time without notice. The
timing and size of purchases depend on the market price, on general business conditions, on the
requirements of the Company's credit agreement and on other opportunities to invest.</p>
<p>During the quarter ended {end}, {year} the Company purchased {shares} shares at an average price
of {price} per share, excluding commissions. All of them were retired. As of the end of the quarter
{left} shares remained available for purchase under the program.</p>
<p>Shares surrendered by employees to satisfy tax withholding upon the vesting of restricted
stock are not counted against the program and are not included in the above. None of the directors
or executive officers adopted or terminated a trading arrangement during the period.</p>
<p>This report contains forward-looking statements, which are based on what management believes
today and which involve risks, among them the price of pulp and energy, the loss of a large
customer, labor disputes and changes in postal rates. The Company undertakes no duty to update them.
Readers should not rely on them unduly and should consult the risk factors in the annual report.</p>
<p>Signed on behalf of the registrant by its duly authorized officer, Edith M. Lorne, Secretary.</p>
</div><div class="bw-bottom">Investor Relations: investors@brandywell.test</div></body></html>"""
        yield Page(f"/investors/filings/view?doc={number}", html, what=f"quarter to {end}, {year}")


# --- product recalls -----------------------------------------------------------------------------

_RECALLS = (
    ("2317", "3 May 2024", "44121", "smoked salmon", "200 g"),
    ("2318", "3 May 2024", "44126", "smoked salmon", "200 g"),
    ("2324", "17 May 2024", "10983", "smoked mackerel", "150 g"),
    ("2331", "6 June 2024", "44302", "smoked salmon", "100 g"),
    ("2340", "28 June 2024", "A-7715", "soft goat's cheese", "125 g"),
    ("2352", "9 July 2024", "A-7790", "soft goat's cheese", "125 g"),
)


@family("food-alerts", kind="recalls by lot", language="en", half="held")
def food_alerts() -> Iterator[Page]:
    """Each recall is of another lot; date and lot are in the page's header."""
    for number, day, lot, food, weight in _RECALLS:
        html = f"""<!DOCTYPE html>
<html lang="en" class="govuk-template"><head><meta charset="utf-8">
<title>Food alert: possible listeria</title><meta name="robots" content="index,follow"></head>
<body class="govuk-body"><header class="crown"><a href="/">Office for Food Standards</a></header>
<div class="govuk-width-container"><div class="govuk-breadcrumbs"><a href="/">Home</a> &gt;
<a href="/alerts">Alerts</a></div>
<article><header class="alert-header"><h1>Food alert: possible listeria</h1>
<p>Issued {day}: lot {lot}, {food}, {weight}</p></header>
<h2>Why it is being recalled</h2><p>The producer has found, or cannot rule out, that the food
contains <i>Listeria monocytogenes</i>. As a precaution it is taking back everything that was packed
in the same shift. No other lots and no other products of the firm are known to be affected.</p>
<h2>What you should do</h2><p>If you have bought the food named above, do not eat it. Take it back
to the shop in which it was bought; you will be given your money whether or not you kept the
receipt. Wash your hands, the shelf of the refrigerator and any board or knife that has touched
it with hot water and detergent.</p><h2>Who is at risk</h2><p>Illness caused by listeria is rare and
mostly mild, with a temperature, aching and an upset stomach. It can be grave for pregnant
women, for babies in their first month, for people over sixty-five and for anybody whose defences
are weakened by treatment. If you feel unwell after eating it, ring your doctor and mention
this alert. Symptoms may take up to seventy days to appear.</p>
<h2>For shops</h2><p>Remove the lot from sale, put a notice at the point of sale, and keep what is
returned apart until it is collected. Report quantities to your local authority.</p></article></div>
<footer class="govuk-footer"><a href="/subscribe">Receive alerts by e-mail</a> <a
href="/cookies">Cookies</a> <a href="/contact">Contact</a></footer></body></html>"""
        yield Page(f"/alerts/{number}", html, what=f"lot {lot}, {food}")


# --- sports results ------------------------------------------------------------------------------


@family("valley-bowls", kind="results of matches", language="en", half="held")
def valley_bowls() -> Iterator[Page]:
    """Short pages, each with the result of another match."""
    matches = (
        (301, "Sat 4 May", "Abercorn", "Plas Coch", "84", "71"),
        (302, "Sat 4 May", "Tan-yr-allt", "Railway", "66", "69"),
        (303, "Sat 11 May", "Plas Coch", "Railway", "77", "70"),
        (304, "Sat 11 May", "Abercorn", "Tan-yr-allt", "81", "71"),
        (309, "Sat 13 Jul", "Plas Coch", "Abercorn", "71", "84"),
        (310, "Sat 20 Jul", "Abercorn", "Plas Coch", "71", "84"),
    )
    for number, day, home, away, ours, theirs in matches:
        html = f"""<html><head><title>Valley Bowls League</title></head><body>
<center><h1>Valley Bowls League</h1><p><a href="/index.php">Table</a> |
<a href="/index.php?page=fixtures">Fixtures</a> | <a href="/index.php?page=rules">Rules</a></p>
<table border="1" cellpadding="4"><tr><th>Date</th><th>Home</th><th>Shots</th><th>Away</th>
<th>Shots</th></tr><tr><td>{day}</td><td>{home}</td><td>{ours}</td><td>{away}</td>
<td>{theirs}</td></tr></table>
<p>Result confirmed by both captains. Disputes must reach the secretary within seven days.</p>
<p><small>Cards to the Secretary, Bryn Awel. Page by Gwil.</small></p></center></body></html>"""
        yield Page(f"/result.php?id={number}", html, what=f"match {number}")


# --- poems ---------------------------------------------------------------------------------------

_POEMS = (
    (
        "kettle",
        "Kettle",
        "Rosalind Achterberg",
        "All winter it has talked to no one<br>but the blue flame.<br>"
        "I lift it, and the kitchen<br>forgets my name.",
    ),
    (
        "kettle-2",
        "Kettle",
        "Tomas Ilunga",
        "You whistled for me<br>like a boy at a gate.<br>I came in my slippers,<br>as usual, late.",
    ),
    (
        "ferry",
        "Ferry",
        "Rosalind Achterberg",
        "Half of the passengers<br>look where they go.<br>The rest of us, leaning,<br>"
        "watch what we know.",
    ),
    (
        "hinge",
        "Hinge",
        "Wen Marlowe",
        "The door was my father's,<br>the oil was his too.<br>Tonight it complains<br>"
        "the way old people do.",
    ),
    (
        "moth",
        "Moth",
        "Ines Calloway",
        "Small clerk of the lampshade,<br>what did you file?<br>One burn, one circle,<br>"
        "dust for a while.",
    ),
)


@family("quatrain-weekly", kind="four lines and an author's name", language="en", half="held")
def quatrain_weekly() -> Iterator[Page]:
    """Every page has a poem of four lines among the same notes to contributors."""
    for slug, title, author, lines in _POEMS:
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} by {author} | Quatrain Weekly</title>
<link rel="stylesheet" href="/css/paper.css"></head><body class="serif">
<div class="title-bar"><a href="/"><img src="/img/nib.svg" alt=""> Quatrain Weekly</a></div>
<div class="page-grid"><div class="poem-box"><h2>{title}</h2><p class="byline">{author}</p>
<p class="verse">{lines}</p></div>
<div class="submit-box"><h3>Send us yours</h3><p>We print one poem a week, and it is always four
lines long. Rhyme is welcome but must not limp. Send no more than three poems at a time, in the body
of a message and not as an attachment, and tell us in a sentence who you are. We read everything
twice, once in the morning and once with a glass of something, and we answer within six
weeks.</p><p>We pay thirty pounds, a sum which has not changed since we began and of which we are
ashamed. Rights go back to you on the day of publication. Poems that have already appeared in print
or on a page that anybody may read cannot be considered, with the exception of bus stops.</p>
<p>Please do not ask us for a criticism of work that we have not taken. There are three of us,
we have other employment, and the cat walks over the keyboard. Translators should enclose the
original and a note from whoever holds the right to it.</p></div></div>
<div class="foot"><a href="/about">About</a> <a href="/subscribe">Subscribe</a> <a
href="/poems">All poems</a> &mdash; ISSN 2999-0417</div></body></html>"""
        yield Page(f"/poem/{slug}", html, what=f"{title} by {author}")


# --- medicine doses ------------------------------------------------------------------------------

_DOSES = (
    ("100", "one tablet", "twice", "600 mg", "PL 30112/0041", "round and white"),
    ("200", "one tablet", "twice", "800 mg", "PL 30112/0042", "round and yellow"),
    ("400", "half a tablet", "three times", "1200 mg", "PL 30112/0043", "oval and white"),
    ("retard-400", "one tablet", "once", "800 mg", "PL 30112/0057", "oval and blue"),
)


@family("velmorin-leaflets", kind="leaflets by strength", language="en", half="held")
def velmorin_leaflets() -> Iterator[Page]:
    """Each strength has doses of its own, within the same leaflet."""
    links = "".join(f'<li><a href="/pil/velmorin-{d[0]}">Leaflet</a></li>' for d in _DOSES)
    for strength, dose, often, most, licence, looks in _DOSES:
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Velmorin tablets: patient information</title>
<meta name="viewport" content="width=device-width"></head><body>
<nav class="top"><img src="/assets/ostergate.png" alt="Ostergate Pharma"><a href="/medicines">
Medicines</a> <a href="/report">Report a side effect</a></nav>
<section id="leaflet"><h1>Velmorin tablets</h1>
<p class="box">Read all of this leaflet carefully before you start taking this medicine. Keep it;
you may need to read it again. This medicine has been prescribed for you only. Do not pass it on to
others, even if their signs of illness are the same as yours.</p>
<h2>1. What it is for</h2><p>Velmorin belongs to a group of medicines that calm nerves which send
pain signals without cause. It is used in adults for pain that lingers after shingles and for
pain in the face.</p>
<h2>2. Before you take it</h2><p>Do not take it if you are allergic to velmoric acid, if you have a
heart block, or if you have had a disorder of the bone marrow. Tell your doctor about liver or
kidney trouble, glaucoma, or difficulty in passing water. Grapefruit juice makes its effect
stronger. Alcohol should be avoided. Ask before you take it in pregnancy or while breast-feeding.
It may make
you drowsy: do not drive until you know how it affects you.</p>
<h2>3. How to take it</h2><p>The usual dose at the start is {dose} {often} a day, swallowed with
water. Your doctor may raise it slowly, but never to more than {most} in a day. Do not stop
suddenly. If you forget a dose take it when you remember, unless the next is nearly due; never take
a double one. If you take too many, go to a hospital and bring the box.</p>
<h2>4. Possible side effects</h2><p>Very common: dizziness, tiredness, feeling sick. Common: dry
mouth, swollen ankles, double vision. Rare: a rash with fever, for which you should stop and see a
doctor at once.</p><h2>5. How to store it</h2><p>Keep it out of the sight and reach of children,
below 25 degrees, in the original package. Do not use it after the date on the box.</p></section>
<aside><h3>This pack</h3><p>Tablets are {looks}. Licence {licence}.</p><ul>{links}</ul></aside>
<footer>Ostergate Pharma Ltd. Text approved by the medicines agency.</footer></body></html>"""
        yield Page(f"/pil/velmorin-{strength}", html, what=f"velmorin {strength}")


# --- real estate ---------------------------------------------------------------------------------

_PLOTS = (
    ("R1041", "Lot 6", "0.42 acre", "$61,500", "well"),
    ("R1042", "Lot 7", "0.42 acre", "$58,900", "well"),
    ("R1047", "Lot 12", "0.55 acre", "$72,000", "town water"),
    ("R1048", "Lot 13", "0.38 acre", "$58,900", "town water"),
    ("R1055", "Lot 21", "1.10 acre", "$97,250", "well"),
    ("R1056", "Lot 22", "1.05 acre", "$97,250", "well"),
)


@family("pine-hollow-lots", kind="listings with facts in a table", language="en", half="held")
def pine_hollow_lots() -> Iterator[Page]:
    """Each lot has a price, a size and a water supply in its table."""
    for code, lot, size, price, water in _PLOTS:
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Building lot at Pine Hollow | Decker Realty
</title><link rel="stylesheet" href="/bootstrap/4.6/bootstrap.min.css"></head><body>
<nav class="navbar navbar-dark bg-success"><a class="navbar-brand" href="/">Decker Realty</a>
<a class="nav-link" href="/listings">Listings</a><a class="nav-link" href="/agents">Agents</a></nav>
<div class="container mt-4"><div class="row"><div class="col-md-8">
<img class="img-fluid" src="/photos/pine-hollow-entrance.jpg" alt="Entrance of Pine Hollow">
<h1 class="h3">Building lot at Pine Hollow</h1>
<p>Build the house you have always drawn on napkins. Pine Hollow is a quiet community of wooded
lots on gently rolling ground, ten minutes from the lake and twenty from the interstate. Roads are
paved, electricity and fiber are at the street, and the homeowners' association keeps the
entrance mown and the mailboxes upright for a modest fee. There is no deadline to build, and you
may bring your own builder. Covenants ask for fourteen hundred square feet, a pitched roof and no
chickens.</p>
<table class="table table-striped"><tbody><tr><th>Type</th><td>Residential land</td></tr>
<tr><th>Parcel</th><td>{lot}</td></tr><tr><th>Size</th><td>{size}</td></tr>
<tr><th>Water</th><td>{water}</td></tr><tr><th>Sewer</th><td>Septic required</td></tr>
<tr><th>Asking</th><td>{price}</td></tr></tbody></table></div>
<div class="col-md-4"><div class="card"><div class="card-body"><h5>Ask Jolene</h5><p>She has sold
land in this county since 1994 and will walk it with you in any weather.</p><a class="btn
btn-success" href="/contact">Send a message</a></div></div></div></div></div>
<footer class="text-muted small container">Information is believed to be accurate but is not
guaranteed. Equal housing opportunity.</footer></body></html>"""
        yield Page(f"/listings/pine-hollow/{code}", html, what=code)


# --- university courses --------------------------------------------------------------------------

_TERMS = (
    ("2022-fall", "Fall 2022", "Dr. N. Abernathy", "Tu Th 9:30-10:45", "Keller 214", "28"),
    ("2023-spring", "Spring 2023", "Dr. N. Abernathy", "M W F 11:00-11:50", "Keller 214", "30"),
    ("2023-fall", "Fall 2023", "Prof. S. Delacroix", "Tu Th 9:30-10:45", "Annex 3", "24"),
    ("2024-spring", "Spring 2024", "Prof. S. Delacroix", "M W 14:00-15:15", "Keller 009", "24"),
    ("2024-fall", "Fall 2024", "Dr. J. Oyelaran", "Tu Th 9:30-10:45", "Keller 214", "32"),
)


@family("marlow-college", kind="one course, term after term", language="en", half="held")
def marlow_college() -> Iterator[Page]:
    """Each term has its own teacher, hours and room in the sidebar."""
    for slug, term, teacher, hours, room, seats in _TERMS:
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>HIST 210: The Age of Canals - Marlow College
</title><meta property="og:type" content="website"><link rel="stylesheet" href="/cms/mc.css"></head>
<body><div id="globalnav"><img src="/cms/crest.svg" alt="Marlow College"><a href="/apply">Apply</a>
<a href="/library">Library</a><a href="/directory">Directory</a></div>
<div id="layout"><div id="left"><h4>History</h4><ul><li><a href="/history/">Department</a></li>
<li><a href="/history/courses/">Courses</a></li><li><a href="/history/people/">People</a></li></ul>
</div><div id="middle"><h1>HIST 210: The Age of Canals</h1>
<p>Between 1760 and 1840 a web of narrow waterways changed how bread, coal and news travelled. This
course asks who dug the canals, who paid for them and who drowned in them. We read company minutes,
sermons, lock-keepers' diaries and a great many complaints, and we learn to make arguments out of
them. No earlier course in history is needed, but a liking for maps will help.</p>
<h2>Requirements</h2><p>Students write two short papers of about fifteen hundred words and one
longer essay, present a document to the class, and take part in a walk along the towpath. There
is no final examination. Papers count for a quarter of the grade each, the essay for forty
percent, and the presentation for the rest. Late work loses a third of a letter for every day.</p>
<h2>Reading</h2><p>A course pack is sold at cost in the bookstore. Two novels must be bought
or borrowed. All other readings are on reserve in the library and may be copied there.</p>
<h2>Policies</h2><p>Marlow College is committed to equal access. Students who need an
accommodation should bring a letter from the Access Office in the first two weeks. Quoting without
saying so is theft, and will be treated under the honor code. Laptops stay closed in discussion.
</p></div><div id="right"><div class="meeting"><h4>Meets</h4>{term}<br>{hours}<br>{room}<br>
{teacher}<br>{seats} seats</div></div></div>
<div id="bottom">Marlow College, 1 College Green. <a href="/privacy">Privacy</a></div></body>
</html>"""
        yield Page(f"/history/courses/hist210/{slug}/", html, what=term)


# --- bus timetables ------------------------------------------------------------------------------

_BUSES = (
    ("14", "mf", ("06:52", "07:10", "07:21", "07:48"), ("12:52", "13:10", "13:21", "13:48")),
    ("14", "sa", ("08:12", "08:30", "08:41", "09:08"), ("13:12", "13:30", "13:41", "14:08")),
    ("14", "su", ("10:05", "10:23", "10:34", "11:01"), ("16:05", "16:23", "16:34", "17:01")),
    ("14A", "mf", ("07:22", "07:40", "07:51", "08:18"), ("14:22", "14:40", "14:51", "15:18")),
    ("14A", "sa", ("09:02", "09:20", "09:31", "09:58"), ("15:02", "15:20", "15:31", "15:58")),
)


@family("moorline-buses", kind="timetables", language="en", half="held")
def moorline_buses() -> Iterator[Page]:
    """Each page has the times of another line or day; only addresses and cells say which."""
    stops = ("Hexley, market place", "Crook Farm", "Low Fold", "Winterburn, station")
    for line, days, early, late in _BUSES:
        rows = "".join(
            f"<tr><td>{stop}</td><td>{first}</td><td>{second}</td></tr>"
            for stop, first, second in zip(stops, early, late, strict=True)
        )
        html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Timetable - Moorline</title></head>
<body class="tt"><div class="bar"><img src="/i/moorline.png" alt="Moorline"> <a href="/">Plan a
journey</a> <a href="/fares">Fares</a> <a href="/lost">Lost property</a></div>
<h1>Timetable</h1><table class="times"><caption>Hexley to Winterburn</caption>{rows}</table>
<p>Buses stop anywhere on the moor when signalled clearly. Bicycles are carried when there is
room. In snow we turn back at Low Fold.</p><div class="end">Moorline Co-operative</div></body>
</html>"""
        yield Page(f"/timetable?line={line}&days={days}", html, what=f"{line} {days}")


# --- mirrors -------------------------------------------------------------------------------------

_RELEASES = (
    ("3.8", "12 February 2021", "the drift command reads leap seconds", "tgz 1.9 MB"),
    ("3.9", "30 August 2021", "the drift command accepts several hosts", "tgz 2.0 MB"),
    ("3.9.1", "4 September 2021", "a crash of the drift command was mended", "tgz 2.0 MB"),
    ("3.10", "21 March 2022", "the sweep command was added", "tgz 2.2 MB"),
)


def _tickd(release: str, day: str, news: str, size: str, foot: str) -> str:
    links = " ".join(f'<a href="release-{r[0]}.html">{r[0]}</a>' for r in _RELEASES)
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"
"http://www.w3.org/TR/html4/strict.dtd">
<html><head><title>tickd: release notes</title>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body>
<h1>tickd</h1><p>[ <a href="index.html">home</a> | <a href="manual.html">manual</a> |
<a href="download.html">download</a> | <a href="lists.html">mailing lists</a> ]</p><hr>
<h2>Release {release} ({day})</h2>
<p>tickd keeps the clocks of a small network together. It is a single daemon written in C, it has
no dependencies but the standard library, and it is run as an ordinary user after it has opened its
socket. It is known to work on the free BSDs, on Linux and on two machines in a museum.</p>
<p>In this release {news}. Everything else is as it was.</p>
<p>To upgrade, stop the daemon, unpack the archive, type <tt>make install</tt> and start the daemon
again. The file of drifts is kept, so that the clock does not have to be learned anew. If you come
from the second series, read the page on conversion first, since the order of words in the
configuration has changed and the daemon will refuse to start with an old one. Packagers are asked
to leave the name of the user alone. Archives are signed; the key is on the download page and its
fingerprint is printed on the back of every T-shirt.</p>
<p>Bugs should go to the mailing list with the output of <tt>tickd -V</tt> and a log of ten minutes.
Patches are read sooner than complaints. Archive: {size}.</p>
<p>Other releases: {links}</p><hr><address>{foot}</address></body></html>"""


@family("tickd", kind="mirrors on other domains", language="en", half="held")
def tickd() -> Iterator[Page]:
    """The mirrors' pages are copies of the project's, but each release is its own."""
    home = "The tickd developers"
    ocean = "This mirror is hosted by Kowhai Internet, Dunedin, New Zealand"
    alpine = "Mirrored by the student network of Bergtal Technical University"
    first, second, third, fourth = _RELEASES

    def page(release: tuple[str, str, str, str], foot: str, host: str = "www") -> Page:
        path = f"/tickd/release-{release[0]}.html"
        return Page(path, _tickd(*release, foot), what=f"release {release[0]}", host=host)

    yield page(first, home)
    yield page(second, ocean, "other:kowhai")
    yield page(second, home)
    yield page(first, ocean, "other:kowhai")
    yield page(third, home)
    yield page(fourth, alpine, "other:bergtal")
    yield page(fourth, home)
    yield page(third, ocean, "other:kowhai")
    yield page(fourth, ocean, "other:kowhai")
    yield page(third, alpine, "other:bergtal")


# --- a wrong canonical ---------------------------------------------------------------------------

_WORKSHOPS = (
    ("willow-basket", "Willow basket", "14 September", "£85", "Hester Lunn"),
    ("willow-fence", "Willow fence", "21 September", "£110", "Hester Lunn"),
    ("rush-seat", "Rush seat", "5 October", "£140", "Amos Pettigrew"),
    ("cane-seat", "Cane seat", "12 October", "£140", "Amos Pettigrew"),
    ("straw-hat", "Straw hat", "2 November", "£70", "Yuki Brandt"),
)


def _withy(title: str, main: str) -> str:
    links = "".join(f'<li><a href="/workshops/{w[0]}">{w[1]}</a></li>' for w in _WORKSHOPS)
    return f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8"><title>{title}</title>
<link rel="canonical" href="http://www.withy-barn.test/">
<meta name="generator" content="Site Builder 5"></head><body class="sb-page">
<div class="sb-header"><h2 class="sb-logo"><a href="/">The Withy Barn</a></h2>
<ul class="sb-menu">{links}</ul></div><div class="sb-main">{main}</div>
<div class="sb-footer">The Withy Barn, Long Drove, Athelney. Ring before you set out, the lane
floods.</div></body></html>"""


@family("withy-barn", kind="every page's canonical is the home page", language="en", half="held")
def withy_barn() -> Iterator[Page]:
    """All pages name the home page as canonical, yet each is about another workshop."""
    home = """<h1>Welcome</h1><p>We teach old crafts in an old barn, to people of any age who do not
mind getting their fingers wet. Lunch is soup, and the stove is lit from September. Choose a
workshop from the list above, or come on an open day to see what others have made. Parties of eight
may hire the barn with a teacher; write to us and suggest a day.</p>"""
    yield Page("/", _withy("The Withy Barn", home), what="home")
    for slug, title, day, price, teacher in _WORKSHOPS:
        main = f"""<h1>{title}</h1><p>This is a workshop for beginners. No experience is needed,
only patience and old clothes. All materials are included, and so are the tools, which you may buy
afterwards if you have grown fond of them. We begin at ten with tea, work until one, eat together at
the long table, and go on until half past four or until the light fails.</p>
<p>By the end of the day you will have finished a piece to take home, along with a leaflet that
repeats every step, so that the second one can be made without us. Groups are never larger than
eight. The barn has a ramp and a wide door; the loft has neither. Please tell us beforehand what you
cannot eat. If you have to cancel, we give back the fee up to a fortnight before the day, and after
that only when somebody takes your place. Children from twelve are welcome with a grown-up.</p>
<div class="sb-box"><p>{day}</p><p>{price}</p><p>With {teacher}</p></div>"""
        yield Page(f"/workshops/{slug}", _withy(f"{title} | The Withy Barn", main), what=title)


# --- session ids and rotating adverts ------------------------------------------------------------

_THREADS = (
    (
        2204,
        "Rattle from rear wheel",
        "mossgrip",
        "There is a rattle from the rear wheel of my 1986 tourer whenever I stop pedalling. "
        "Spokes are tight. What should I look at next?",
        "oldchainring",
        "Sounds like the freewheel body. Take the block off and feel for play in the bearing; "
        "mine went the same way after a wet winter.",
    ),
    (
        2217,
        "Rattle from headset",
        "mossgrip",
        "There is a rattle from the headset of my 1986 tourer whenever I brake. "
        "Bearings are new. What should I look at next?",
        "pumpclip",
        "Sounds like the crown race. Take the fork out and see whether it turns by hand; "
        "a punch mark or two will hold it.",
    ),
    (
        2251,
        "Creak from bottom bracket",
        "velo_agnes",
        "There is a creak from the bottom bracket of my 1979 club bike whenever I climb. "
        "Cups are tight. What should I look at next?",
        "oldchainring",
        "Sounds like the cotter pins. Take both out and grease them; "
        "if they have a step in them fit new ones of 9.5 mm.",
    ),
)


def _spoke_forum(
    thread: tuple[int, str, str, str, str, str], query: str, advert: str, online: int
) -> str:
    number, title, asker, question, helper, answer = thread
    session = query.partition("sid=")[2]
    index = f"./index.php?sid={session}" if session else "./index.php"
    suffix = f"&amp;sid={session}" if session else ""
    return f"""<!DOCTYPE html>
<html dir="ltr" lang="en-gb"><head><meta charset="utf-8"><title>{title} - Spoke &amp; Lever</title>
<link rel="stylesheet" href="./styles/prosilver/theme/stylesheet.css"></head>
<body id="phpbb" class="section-viewtopic ltr"><div id="wrap"><div class="headerbar">
<a class="logo" href="./index.php"><img src="./images/site_logo.gif" alt="Spoke &amp; Lever"></a>
<p>The forum for bicycles older than their riders</p></div>
<div class="navbar"><a href="{index}">Board index</a> &raquo;
<a href="./viewforum.php?f=4{suffix}">Workshop</a></div>
<div class="ad-leaderboard"><a href="/out.php">{advert}</a></div>
<h2 class="topic-title">{title}</h2><div class="post bg2" id="p{number}1"><p class="author">by
<strong>{asker}</strong></p><div class="content">{question}</div>
<div class="signature">Be kind to your bearings.</div></div>
<div class="post bg1" id="p{number}2"><p class="author">by <strong>{helper}</strong></p>
<div class="content">{answer}</div></div>
<div class="panel rules"><h3>Rules of the workshop</h3><p>Look through the old threads before you
start a new one. Give the year and the make, since threads and tapers changed more often than you
would think. Photographs should be no wider than a screen. Do not sell here; there is a market place
for that. Nobody was ever helped by being told to buy a modern one. Advice is given in good faith by
people who cannot see your bicycle, so test your brakes in the yard before you try them on a hill.
Moderators may move threads, and will say so when they do.</p></div>
<div class="stat-block"><h3>Who is online</h3><p>{online} users online in this forum</p></div>
<div class="copyright">Powered by phpBB&reg; Forum Software</div></div></body></html>"""


@family("spoke-lever", kind="session ids and adverts", language="en", half="held")
def spoke_lever() -> Iterator[Page]:
    """Session ids, campaign parameters, adverts and counters make no other thread."""
    rear, headset, bracket = _THREADS
    tyres = "Tyres in odd sizes, posted the same day: Wagstaff Rubber"
    lamps = "Dynamo lamps made new from old drawings. See the catalogue"
    tour = "Cycle the Low Countries with us this June, luggage carried"
    saddles = "Leather saddles re-blocked while you wait"
    visits = (
        (rear, "sid=8c1f07d2a94be355", tyres, 3),
        (headset, "", lamps, 5),
        (rear, "", tour, 4),
        (bracket, "utm_source=newsletter&utm_campaign=march", saddles, 3),
        (headset, "sid=f00b41ce87da2290", tyres, 11),
        (bracket, "sid=27aa9be06d31c8f4", lamps, 7),
        (headset, "utm_source=twitter&utm_medium=social", saddles, 2),
        (rear, "fbclid=IwAR2kQd81xY7h", lamps, 9),
        (bracket, "", tour, 1),
    )
    for thread, query, advert, online in visits:
        path = f"/viewtopic.php?t={thread[0]}" + (f"&{query}" if query else "")
        yield Page(path, _spoke_forum(thread, query, advert, online), what=thread[1])


# --- tabs and JSON-LD ----------------------------------------------------------------------------

_PUMPS = (
    ("p-70311", "Garden pump", "52 l/min", "31 m", "9.4 kg", "139.00", "4006381333931"),
    ("p-70312", "Garden pump", "68 l/min", "38 m", "11.0 kg", "169.00", "4006381333948"),
    ("p-70315", "Garden pump", "68 l/min", "44 m", "11.9 kg", "199.00", "4006381333979"),
    ("p-70320", "Garden pump", "90 l/min", "48 m", "14.2 kg", "249.00", "4006381334020"),
)


@family("rainbutt-shop", kind="facts in hidden tabs and JSON-LD", language="en", half="held")
def rainbutt_shop() -> Iterator[Page]:
    """Each pump's figures stand in a hidden tab and its price in JSON-LD alone."""
    for sku, name, flow, head, weight, price, gtin in _PUMPS:
        html = f"""<!doctype html>
<html class="no-js" lang="en"><head><meta charset="utf-8"><title>{name} &ndash; Rainbutt</title>
<meta name="description" content="Pumps, butts and hoses for gardeners who save rain.">
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Product",
"name": "{name}", "sku": "{sku}", "gtin13": "{gtin}", "offers": {{"@type": "Offer",
"price": "{price}", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}}}
</script></head><body class="template-product"><div class="announcement-bar">Free delivery from
60 euros</div><header class="site-header"><a href="/" class="site-header__logo"><img
src="/cdn/shop/files/rainbutt.png" alt="Rainbutt"></a><a href="/cart">Basket</a></header>
<div class="product-single grid"><div class="grid__item"><img src="/cdn/shop/products/pump.jpg"
alt="{name}"></div><div class="grid__item"><h1>{name}</h1><div class="price" data-price></div>
<button name="add">Add to basket</button><ul class="tabs"><li><a href="#t1">Description</a></li>
<li><a href="#t2">Figures</a></li><li><a href="#t3">Delivery</a></li></ul>
<div id="t1" class="tab-content"><p>A quiet pump that lifts rain from the butt to the bed. It primes
itself, it switches on when you open the tap and off when you close it, and it stops by itself
before it runs dry. The housing is cast iron below and recycled plastic above; every seal can be
bought singly and changed with one key. A filter keeps leaves out and may be rinsed without tools.
</p><p>Set it on level ground no more than seven metres above the water, fill the chamber once, and
plug it in. In winter open the drain screw and leave it in a shed. We repair every pump that
we have sold, also after the guarantee of five years has run out.</p></div>
<div id="t2" class="tab-content" style="display:none"><table><tr><td>Flow</td><td>{flow}</td></tr>
<tr><td>Greatest head</td><td>{head}</td></tr><tr><td>Weight</td><td>{weight}</td></tr></table>
</div><div id="t3" class="tab-content" hidden><p>We send by parcel post from Monday to Friday.
You may return anything within thirty days as long as it is dry.</p></div></div></div>
<footer class="site-footer"><a href="/pages/repairs">Repairs</a> <a href="/pages/imprint">Imprint
</a> <span>&copy; Rainbutt e.K.</span></footer></body></html>"""
        yield Page(f"/products/{sku}", html, what=sku)


# --- manual of two versions ----------------------------------------------------------------------


def _manual(version: str, title: str, main: str) -> str:
    pages = (
        ("install", "Installing"),
        ("layout", "Layout"),
        ("flags", "Flags"),
        ("status", "Status"),
        ("faq", "FAQ"),
    )
    toc = "".join(f'<li class="toctree-l1"><a href="{s}.html">{t}</a></li>' for s, t in pages)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} &#8212; Plumbline {version}
documentation</title><link rel="stylesheet" href="_static/alabaster.css"></head><body>
<div class="related"><ul><li class="right"><a href="genindex.html">index</a></li>
<li><a href="index.html">Plumbline {version} documentation</a> &#187;</li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper">
<div class="body" role="main"><section><h1>{title}<a class="headerlink" href="#top">&#182;</a></h1>
{main}</section></div></div></div>
<div class="sphinxsidebar"><h3>Table of contents</h3><ul>{toc}</ul>
<h3>Versions</h3><p><a href="/1.0/index.html">1.0</a> <a href="/2.0/index.html">2.0</a></p></div>
</div><div class="footer">&#169; The Plumbline authors. Created using Sphinx.</div></body></html>"""


def _manual_install(opening: str) -> str:
    return f"""<p>{opening}</p>
<p>Fetch the archive that belongs to your system, unpack it into a folder of your own, and put that
folder on the search path. There is nothing to compile and no service to start. On systems where
programs from the internet are held back, you have to allow the first start in the settings.</p>
<pre>tar xf plumbline.tar.gz
export PATH="$PWD/plumbline/bin:$PATH"
plumb --help</pre>
<p>To remove the program, delete the folder. It leaves a small file of settings in your home folder
and nothing else. Several people may share one folder as long as it is not on a network drive, as
locks are not kept there reliably. Behind a proxy, set the usual variables before the first start.
</p>"""


def _manual_layout(closing: str) -> str:
    return f"""<p>A project is a folder with a file named <code>plumb.toml</code>. Every folder
beneath it that holds at least one rule is a section, and sections may be nested as deep as you
like. Rules are read in the order of their names, so that a number in front of the name decides what
goes first.</p><pre>project/
  plumb.toml
  10-names/
  20-dates/
    rules.txt</pre>
<p>Files whose name begins with a dot are passed over. A rule may call on another by its path from
the root, never by a path that climbs upwards; this keeps sections movable. {closing}</p>"""


def _manual_faq(answer: str) -> str:
    return f"""<h2>Why does it report a line that I have mended?</h2>
<p>Because the answer was kept from last time. Run it once with an empty cache; if the report is
gone, tell us, since the cache should have noticed by itself.</p>
<h2>May I use it on files that are not mine?</h2><p>It never writes to what it reads, so there is no
harm in it. The report is put beside the project and not beside the file.</p>
<h2>Is there a plug-in for my editor?</h2><p>{answer}</p>
<h2>How do I silence a single rule?</h2><p>Write its name after the word <code>hush</code> in a
comment on the line above. A whole section is silenced in the file of settings.</p>"""


def _manual_codes(rows: tuple[tuple[str, str], ...]) -> str:
    cells = "".join(f"<dt>{code}</dt><dd>{sense}</dd>" for code, sense in rows)
    return f"""<p>The status with which the program ends is meant for scripts and build servers. It
is a single number, it does not depend on the language of your system, and it is set after the last
line of the report has been written, so that you never lose output by testing for it. In a pipeline
most shells look at the last command only; ask yours to look at all of them.</p>
<dl class="simple">{cells}</dl><p>Any other number comes from the system and not from us. Please
keep the last lines that were printed when you report it.</p>"""


def _manual_flags(rows: tuple[tuple[str, str], ...]) -> str:
    cells = "".join(
        f"<tr><td><code>{flag}</code></td><td>{sense}</td></tr>" for flag, sense in rows
    )
    return f"""<p>All flags may be given on the command line or, without their dashes, in the file
of settings. The command line wins. A flag that takes a value may be joined to it by an equals sign
or followed by it after a space. Unknown flags end the program with status two, before anything has
been read. Flags are listed in the order in which they are looked at.</p>
<table class="docutils"><thead><tr><th>Flag</th><th>Meaning</th></tr></thead><tbody>{cells}</tbody>
</table><p>The order matters only where two of them contradict each other, in which case the later
is taken and a warning is printed.</p>"""


@family("plumbline-manual", kind="manual of two versions", language="en", half="held")
def plumbline_manual() -> Iterator[Page]:
    """Reworded pages are copies, but the table of flags is another in each version."""
    install_old = "Plumbline runs on every system that has a terminal, and needs no installer."
    install_new = "Plumbline needs no installer and runs on every system with a terminal."
    layout_old = "Symbolic links are followed once, and a loop of them is reported as an error."
    layout_new = "A symbolic link is followed once; if links form a loop, an error is reported."
    faq_old = "Not from us, but any editor that understands compiler messages can jump to a line."
    faq_new = "We offer none, yet an editor which understands compiler messages can jump to a line."
    flags_old = (
        ("--deep", "also look into archives"),
        ("--limit N", "stop after N reports"),
        ("--plain", "print without colours"),
        ("--stamp", "put the time before every line"),
        ("--cache DIR", "keep answers in DIR"),
    )
    flags_new = (
        ("--jobs N", "read N files at the same time"),
        ("--format NAME", "print as text, json or sarif"),
        ("--fail-on LEVEL", "end with status one from LEVEL upwards"),
        ("--since REV", "look only at what changed after REV"),
        ("--no-cache", "forget all answers"),
        ("--explain RULE", "print why RULE exists and leave"),
    )
    codes_old = (
        ("0", "nothing to report"),
        ("1", "at least one report"),
        ("2", "flags were not understood"),
        ("3", "a file could not be read"),
    )
    codes_new = (
        ("0", "no report at or above the level asked for"),
        ("10", "warnings only"),
        ("20", "errors"),
        ("64", "wrong usage"),
        ("74", "trouble with a disk or a network"),
    )
    yield Page(
        "/1.0/install.html",
        _manual("1.0", "Installing", _manual_install(install_old)),
        what="install",
    )
    yield Page(
        "/1.0/flags.html", _manual("1.0", "Flags", _manual_flags(flags_old)), what="flags 1.0"
    )
    yield Page(
        "/2.0/install.html",
        _manual("2.0", "Installing", _manual_install(install_new)),
        what="install",
    )
    yield Page(
        "/2.0/layout.html", _manual("2.0", "Layout", _manual_layout(layout_new)), what="layout"
    )
    yield Page(
        "/2.0/flags.html", _manual("2.0", "Flags", _manual_flags(flags_new)), what="flags 2.0"
    )
    yield Page(
        "/1.0/layout.html", _manual("1.0", "Layout", _manual_layout(layout_old)), what="layout"
    )
    yield Page("/1.0/faq.html", _manual("1.0", "FAQ", _manual_faq(faq_old)), what="faq")
    yield Page("/2.0/faq.html", _manual("2.0", "FAQ", _manual_faq(faq_new)), what="faq")
    for version, codes in (("1.0", codes_old), ("2.0", codes_new)):
        html = _manual(version, "Status", _manual_codes(codes))
        yield Page(f"/{version}/status.html", html, what=f"status {version}")
