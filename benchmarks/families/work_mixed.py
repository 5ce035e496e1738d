"""Ordinary small sites, English and Chinese, that hold distinct pages and copies side by side.

Most families have two to five documents, some of them under two or three addresses, so that a
judge loses whether it drops too much or too little. No text is used by two families. Read once when
the rules stood; looked at since.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.families.kit import Page, family


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text constant, with its line ends undone as its script asks."""
    joint = " " if text.count(" ") * 12 > len(text) else ""  # Chinese runs on without a space.
    return [joint.join(part.split("\n")) for part in text.strip().split("\n\n")]


def _p(text: str) -> str:
    return "\n".join(f"<p>{part}</p>" for part in _paragraphs(text))


def _doc(title: str, body: str, *, lang: str = "en", head: str = "", attrs: str = "") -> str:
    return f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}</head>
<body{attrs}>
{body}
</body>
</html>
"""


def _hits(path: str) -> int:
    """Return what the visit counter of a page shows, another number at nearly every address."""
    return 200 + 7 * sum(map(ord, path)) % 900


# --- vacancies of a hospital trust ---

_TRUST_NURSE = """
You will join a friendly team of registered nurses who look after adults recovering from planned
surgery. Each shift starts with a short handover at the bedside, and you will have between five
and seven patients of your own, supported by a health care assistant and a ward clerk.

We expect you to assess, plan and review care, to give medicines safely, to keep records that
somebody else can read, and to speak up when you are worried. You will mentor students from the
university and take your turn at being in charge once you feel ready for it.

You need current registration, a willingness to learn venepuncture if you cannot do it yet, and the
patience to explain the same thing to three relatives in one afternoon. Newly qualified nurses are
welcome: our preceptorship lasts twelve months and comes with six study days.

The trust offers the national pension scheme, subsidised parking, a nursery on two of our sites and
an orchard where people eat their sandwiches in summer. We guarantee an interview to disabled
applicants who meet the essential criteria. Applications are read as they arrive, and we may close
a vacancy early when enough have come in.
"""
_TRUST_PORTER = """
Porters move patients, beds, blood samples, oxygen and post around the building, and are often the
person a frightened visitor meets first. You will carry a radio and take jobs from the helpdesk in
the order of their urgency.

No qualification is asked for. You will be on your feet all shift and walk about nine miles, so you
should be reasonably fit; we teach you to handle loads, cylinders and the bariatric hoist. Some
calls are to the mortuary, and we will talk with you about that before you start.

Shifts are six till two, two till ten, and ten till six, on a rota published eight weeks ahead.
Uniform and boots are provided. Many of our supervisors began as porters.
"""
_TRUST_JOBS = {
    "2188": ("Porter", "Hexgate Infirmary", "Band 2", "37.5 hours", "30 June"),
    "2207": ("Staff Nurse", "Linden Ward, Hexgate Infirmary", "Band 5", "37.5 hours", "14 June"),
    "2211": ("Staff Nurse", "Rowan Ward, Hexgate Infirmary", "Band 5", "30 hours", "14 June"),
    "2219": ("Staff Nurse", "Harcombe Cottage Hospital", "Band 5", "37.5 hours", "21 June"),
    "2230": ("Staff Nurse", "Night team, Hexgate Infirmary", "Band 6", "34.5 hours", "28 June"),
}


@family("fernhollow-trust", kind="vacancies with facts in a dl", language="en", half="work")
def fernhollow_trust() -> Iterator[Page]:
    """Four posts share one description; print and campaign addresses show the same post."""

    def page(number: str, query: str = "") -> Page:
        title, where, band, hours, closing = _TRUST_JOBS[number]
        text = _TRUST_PORTER if title == "Porter" else _TRUST_NURSE
        others = "".join(
            f'<li><a href="/jobs/{ref}">{name} FH-{ref}</a></li>'
            for ref, (name, *_) in _TRUST_JOBS.items()
            if ref != number
        )
        facts = f"""<dl class="job-facts"><dt>Reference</dt><dd>FH-{number}</dd>
<dt>Where</dt><dd>{where}</dd><dt>Pay</dt><dd>{band}</dd><dt>Hours a week</dt><dd>{hours}</dd>
<dt>Closing date</dt><dd>{closing}</dd></dl>"""
        if query == "?print=yes":
            body = f"""<div id="printout"><img src="/img/trust-bw.png" alt="Fernhollow NHS Trust">
<h1>{title}</h1>{facts}{_p(text)}<p class="url">Printed from www.fernhollow-trust.test/jobs/{number}
</p></div>"""
        else:
            body = f"""<a class="skip" href="#main">Skip to content</a>
<header><a href="/"><img src="/img/trust.svg" alt="Fernhollow NHS Trust"></a>
<nav><ul><li><a href="/services">Our services</a></li><li><a href="/visiting">Visiting</a></li>
<li><a href="/jobs" aria-current="true">Work for us</a></li><li><a href="/contact">Contact us</a>
</li></ul></nav></header>
<main id="main"><h1>{title}</h1><div class="columns"><article>{_p(text)}
<p><a class="apply" href="/jobs/{number}/apply">Apply online</a>
<a href="/jobs/{number}?print=yes" rel="nofollow">Print this page</a></p></article>
<aside>{facts}<h2>Other vacancies</h2><ul>{others}</ul></aside></div></main>
<footer><a href="/accessibility">Accessibility</a> <a href="/privacy">Privacy</a>
<p>Switchboard 01632 960114</p></footer>"""
        return Page(f"/jobs/{number}{query}", _doc(f"{title} | Fernhollow Jobs", body), number)

    yield page("2207")
    yield page("2211")
    yield page("2211", "?utm_source=newsletter&utm_medium=email")
    yield page("2207", "?print=yes")
    yield page("2219")
    yield page("2188")
    yield page("2230")
    yield page("2188", "?print=yes")


# --- branches of a bank on subdomains ---

_BANK_BRANCH = """
Come in and talk to people who know the town. Our cashiers can pay in cheques and coins, order
foreign money, open accounts for children and put a stop on a lost card while you wait. For a
mortgage or a loan please make an appointment, so that an adviser has an hour free for you.

A private room is available for conversations that should not be overheard. There is a step-free
entrance, a hearing loop at every counter, and a chair beside the queue for anybody who would
rather sit. Guide dogs get a bowl of water.

Bring your passport or driving licence and a letter with your address when you want to open an
account. Businesses may use the night safe after we have given them a wallet and a key.
"""
_BANK_SAVER = """
The Harvest Saver pays you for leaving your money where it is. Open it with one pound, add up to
three hundred a month by standing order, and after twelve months we add the interest in one sum.

You may take money out once in the year without losing anything; on a second withdrawal the account
turns into an Easy Saver and earns the lower rate from that day. Interest is worked out daily on
what is in the account at midnight. Children over seven may hold one in their own name.

The account is covered by the national deposit protection scheme. Rates are fixed for the twelve
months and are printed in the leaflet that every branch has on its counter. We write to you three
weeks before the year ends to ask what you would like to do next.
"""
_BANK_BRANCHES = (
    ("hexby", "Hexby", "14 Market Place, Hexby", "01632 960201", "20-41-07", "9.30 to 4.30"),
    ("skelding", "Skelding", "2 Cross Street, Skelding", "01632 960202", "20-41-09", "9.30 to 3"),
    ("port-ansel", "Port Ansel", "61 Quayside, Port Ansel", "01632 960203", "20-41-12", "10 to 4"),
    (
        "thrupp",
        "Thrupp",
        "The Old Forge, Thrupp",
        "01632 960204",
        "20-41-15",
        "Tue and Fri, 10 to 1",
    ),
)


@family("otterbridge-bank", kind="branches on subdomains", language="en", half="work")
def otterbridge_bank() -> Iterator[Page]:
    """Branch pages differ by address and hours; products are the same under every branch."""

    def page(branch: tuple[str, ...], path: str) -> Page:
        host, town, address, phone, sort_code, hours = branch
        if path.startswith("/savings"):
            title, what = "Harvest Saver", "saver"
            main = f"<h1>Harvest Saver</h1>{_p(_BANK_SAVER)}"
        else:
            title, what = "Your local branch", host
            main = f"""<h1>Your local branch</h1>{_p(_BANK_BRANCH)}
<div class="vcard"><span class="adr">{address}</span><br><span class="tel">{phone}</span><br>
Sort code {sort_code}<br>Open {hours}</div>"""
        body = f"""<table class="top" width="100%"><tr><td><img src="/gfx/otter.gif" alt=""></td>
<td class="name">Otterbridge Bank<br><small>{town}</small></td>
<td align="right"><a href="http://www.otterbridge-bank.test/login">Log in</a></td></tr></table>
<div id="tabs"><a href="/">Branch</a> <a href="/savings/harvest-saver.html">Saving</a>
<a href="/borrowing/">Borrowing</a> <a href="/insurance/">Insurance</a></div>
<div id="content">{main}</div>
<div id="foot">Otterbridge Bank is a mutual society owned by its members. Calls may be recorded.
Visitors: {_hits(host + path)} <a href="/legal.html">Legal</a> |
<a href="/complaints.html">Complaints</a></div>"""
        return Page(path, _doc(f"{title} - Otterbridge Bank", body), what, host=host)

    hexby, skelding, ansel, thrupp = _BANK_BRANCHES
    yield page(hexby, "/")
    yield page(hexby, "/savings/harvest-saver.html")
    yield page(skelding, "/")
    yield page(skelding, "/index.html")
    yield page(skelding, "/savings/harvest-saver.html")
    yield page(ansel, "/savings/harvest-saver.html")
    yield page(ansel, "/")
    yield page(thrupp, "/")
    yield page(hexby, "/index.html")


# --- council tax by district ---

_TAX_TEXT = """
Council tax pays for schools, roads, libraries, bin lorries, the fire brigade and a share of the
police. What you owe depends on the band your home was put into in April 1991 and on the district
or parish it stands in, because some parish councils ask for a little more to run a hall or a
cemetery.

If you live alone you pay a quarter less. Homes in which everybody is a full-time student pay
nothing. Empty and unfurnished homes are free for one month and pay in full after that; after two
years the charge doubles. People on a low income may apply for support, which we can backdate by
up to six months.

Bills are sent in the second week of March. You may pay in ten or in twelve instalments, by direct
debit on the first, fifteenth or twenty-fifth of the month. Tell us within three weeks when you
move, or when the number of grown-ups in the house changes.
"""
_TAX_DISTRICTS = (
    ("alderholt-vale", "Alderholt Vale", (1402, 1636, 1870, 2103, 2571)),
    ("burnt-oaks", "Burnt Oaks", (1388, 1619, 1851, 2082, 2545)),
    ("cold-ash", "Cold Ash and Priorsfield", (1431, 1669, 1908, 2146, 2623)),
    ("dunmere", "Dunmere", (1395, 1628, 1860, 2093, 2558)),
)


@family("wendlebury-council", kind="council tax by district", language="en", half="work")
def wendlebury_council() -> Iterator[Page]:
    """Bands differ by district in a small table; the high contrast view is the same page."""

    def page(slug: str, query: str = "") -> Page:
        name, bands = next((n, b) for s, n, b in _TAX_DISTRICTS if s == slug)
        rows = "".join(
            f"<tr><th>{band}</th><td>£{amount:,}</td></tr>"
            for band, amount in zip("ABCDE", bands, strict=True)
        )
        sheet = "contrast" if query else "wendlebury"
        switch = "Standard view" if query else "High contrast"
        body = f"""<div class="cookie">We use only essential cookies. <a href="/cookies">More</a>
</div>
<div class="topline"><a href="/">Wendlebury District Council</a> <a href="?view=contrast">{switch}
</a> <form action="/search"><input name="q" placeholder="Search"></form></div>
<p class="crumb"><a href="/">Home</a> / <a href="/council-tax">Council tax</a> /
<a href="/council-tax/bands">Bands and charges</a></p>
<div class="grid"><div class="main"><h1>Bands and charges</h1>{_p(_TAX_TEXT)}</div>
<div class="side"><table><caption>{name}, this year</caption>{rows}</table>
<ul><li><a href="/council-tax/pay">Pay your bill</a></li><li><a href="/council-tax/moving">Tell us
you are moving</a></li><li><a href="/council-tax/discounts">Discounts</a></li></ul></div></div>
<div class="foot">Wendlebury District Council, Shire Hall, Castle Street.
<a href="/foi">Freedom of information</a></div>"""
        head = f'<link rel="stylesheet" href="/css/{sheet}.css">\n'
        html = _doc("Bands and charges - Wendlebury District Council", body, head=head)
        return Page(f"/council-tax/bands/{slug}{query}", html, what=name)

    yield page("alderholt-vale")
    yield page("burnt-oaks")
    yield page("alderholt-vale", "?view=contrast")
    yield page("cold-ash")
    yield page("dunmere")
    yield page("dunmere", "?view=contrast")
    yield page("dunmere", "?view=contrast&size=large")


# --- recalls by lot ---

_RECALL_TEXT = """
Kettlewise is recalling this product because the thermostat may fail to switch off when the
water has boiled. In rare cases the base can overheat and deform, with a risk of scalding. We know
of eleven incidents in this country; nobody has been seriously hurt.

Please stop using the kettle, unplug it and let it cool. Look at the rating plate on the underside
of the base: the lot number is the second line, printed below the voltage. If it matches the lot on
this page, cut off the plug, take a photograph of the plate and send it to us with your address. We
will post a replacement within ten working days. You do not need a receipt.

Kettles with any other lot number are safe and may be used as before. If you have given the kettle
away or sold it, please pass this notice on. We apologise for the trouble this causes. Questions are
answered on 0808 555 0110, free of charge, from eight till eight.
"""
_RECALLS = (
    ("k17-0419", "K17 Classic, cream", "0419", "4 March", "2,300"),
    ("k17-0422", "K17 Classic, cream", "0422", "4 March", "1,150"),
    ("k20-0503", "K20 Rapid, steel", "0503", "19 April", "6,800"),
    ("k20-0511", "K20 Rapid, black", "0511", "2 May", "940"),
)


@family("kettlewise", kind="recalls by lot", language="en", half="work")
def kettlewise() -> Iterator[Page]:
    """Each notice is for one lot; AMP and m-dot addresses show the same notice."""

    def page(number: int, style: str = "") -> Page:
        slug, model, lot, day, units = _RECALLS[number]
        facts = f"""<ul class="recall"><li>Model: {model}</li><li>Lot: {lot}</li>
<li>Published: {day}</li><li>Units sold: {units}</li></ul>"""
        if style == "amp":
            html = f"""<!doctype html>
<html amp lang="en"><head><meta charset="utf-8"><title>Safety recall</title>
<link rel="canonical" href="http://www.kettlewise.test/safety/{slug}">
<script async src="https://cdn.ampproject.org/v0.js"></script></head>
<body><header><amp-img src="/logo.png" width="120" height="30"></amp-img></header>
<h1>Safety recall</h1>{facts}{_p(_RECALL_TEXT)}<footer>Kettlewise Ltd</footer></body></html>"""
            return Page(f"/safety/{slug}/amp", html, what=slug)
        if style == "m":
            body = f"""<div class="m-bar"><a href="#menu">Menu</a> Kettlewise</div>
<h1>Safety recall</h1>{_p(_RECALL_TEXT)}{facts}<a href="tel:08085550110">Call us</a>
<div class="m-foot"><a href="http://www.kettlewise.test/safety/{slug}">Full site</a></div>"""
            return Page(f"/safety/{slug}", _doc("Safety recall", body), slug, host="m")
        latest = "".join(
            f'<li><a href="/safety/{other}">Safety recall, {when}</a></li>'
            for other, _, _, when, _ in _RECALLS[number + 1 :] + _RECALLS[:number]
        )
        body = f"""<header class="shop"><a href="/">Kettlewise</a><a href="/kettles">Kettles</a>
<a href="/toasters">Toasters</a><a href="/spares">Spare parts</a><a href="/basket">Basket (0)</a>
</header><main><h1>Safety recall</h1>{facts}{_p(_RECALL_TEXT)}
<p><a class="button" href="/safety/form">Send us your details</a></p></main>
<aside><h2>Latest notices</h2><ul>{latest}</ul></aside>
<footer><form action="/news">Sign up for offers <input type="email"></form>
<p>Kettlewise Ltd, Unit 9, Bellfield Way</p></footer>"""
        return Page(f"/safety/{slug}", _doc("Safety recall | Kettlewise", body), slug)

    yield page(0)
    yield page(0, "amp")
    yield page(1)
    yield page(2)
    yield page(2, "m")
    yield page(2, "amp")
    yield page(3)
    yield page(1, "m")


# --- product variants ---

_WOOL_TEXT = """
A jumper for people who go out anyway. Knitted in one piece on our old frames from three-ply wool of
sheep that graze within sight of the mill, so there is no seam to rub under a rucksack. The yarn
keeps a little of its grease, turns light rain and smells faintly of farm for the first week.

The neck is high enough to do without a scarf, the cuffs are ribbed for four inches and can be
folded back. Elbows are doubled on the inside. After some years you will want to darn it: every
jumper comes with a card of matching yarn.

Wash by hand in cool water with a drop of shampoo, roll it in a towel and dry it flat, away from
the stove. Do not hang it up wet. If it has shrunk, it was the machine.

We post on Tuesdays and Fridays. Returns are free for thirty days, worn or not, as long as the dog
has not slept on it.
"""
_WOOL_CAP = """
The same yarn, doubled over the ears. Made on Thursdays from what is left on the cones, which is why
the stripes are never twice alike. One size stretches from a child of ten to a rugby forward, and
the brim may be folded once or twice.

Wash it with your jumper. A cap that has lost its shape can be steamed over a kettle and dried on a
pudding basin. If you lose yours within the first winter, write us a letter that makes us laugh and
we will send another at half the price.
"""
_WOOL = (
    ("peat", "m", "Peat", "M", "£118.00", "BW-J-211-M", "In stock"),
    ("peat", "xl", "Peat", "XL", "£126.00", "BW-J-211-XL", "2 left"),
    ("slate", "m", "Slate", "M", "£118.00", "BW-J-214-M", "Made to order, 5 weeks"),
    ("gorse", "m", "Gorse", "M", "£132.00", "BW-J-219-M", "In stock"),
)


@family("brackenwool", kind="variants by parameter", language="en", half="work")
def brackenwool() -> Iterator[Page]:
    """Colour and size have price, number and stock of their own; sid and ref change nothing."""

    def shop(path: str, title: str, box: str, text: str, what: str, basket: int = 0) -> Page:
        body = f"""<div class="announcement-bar">Free delivery in Britain over £80</div>
<header><a href="/">Bracken Wool Mill</a><nav><a href="/shop">Shop</a><a href="/mill">The mill</a>
<a href="/mending">Mending</a></nav><a href="/cart">Cart ({basket})</a></header>
<main class="product"><div class="media"><img src="/cdn/{what}.jpg" alt="{title}"></div>
<div class="info"><h1>{title}</h1>{box}<button>Add to cart</button>
<div class="rte">{_p(text)}</div></div></main>
<section class="also"><h2>You may also like</h2><a href="/shop/cap">Thursday Cap</a>
<a href="/shop/socks">Fell Socks</a><a href="/shop/hill-jumper">Hill Jumper</a></section>
<footer>Bracken Wool Mill, Low Row. <a href="/shipping">Shipping</a> <a href="/returns">Returns</a>
</footer>"""
        return Page(path, _doc(f"{title} - Bracken Wool Mill", body), what)

    def jumper(number: int, extra: str = "", basket: int = 0) -> Page:
        colour, size, colour_name, size_name, price, sku, stock = _WOOL[number]
        box = f"""<div class="price">{price}</div><p class="opts">Colour: {colour_name}, size:
{size_name}</p><p class="sku">{sku}</p><p class="stock">{stock}</p>"""
        path = f"/shop/hill-jumper?colour={colour}&size={size}{extra}"
        return shop(path, "Hill Jumper", box, _WOOL_TEXT, sku, basket)

    cap_box = '<div class="price">£29.00</div><p class="sku">BW-C-040</p>'
    yield jumper(0)
    yield jumper(1)
    yield jumper(0, "&sid=9f31c07ab2", 1)
    yield shop("/shop/cap", "Thursday Cap", cap_box, _WOOL_CAP, "cap")
    yield jumper(2)
    yield jumper(3)
    yield jumper(3, "&ref=instagram")
    yield shop("/shop/cap?sid=9f31c07ab2", "Thursday Cap", cap_box, _WOOL_CAP, "cap", 1)


# --- decisions of a tribunal ---

_TRIBUNAL = (
    (
        "fhl-2019-113",
        "[2019] FHL 113",
        "Mrs J Aldous",
        "Penfold Estates Ltd",
        "£1,240",
        "34 days",
        "allowed",
        "7 May 2019",
    ),
    (
        "fhl-2019-187",
        "[2019] FHL 187",
        "Mr T Okoro",
        "Bexmoor Lettings",
        "£860",
        "61 days",
        "dismissed",
        "22 August 2019",
    ),
    (
        "fhl-2020-021",
        "[2020] FHL 21",
        "Ms R Vance",
        "Penfold Estates Ltd",
        "£1,075",
        "12 days",
        "allowed",
        "30 January 2020",
    ),
)


@family("tenancy-tribunal", kind="decisions with one skeleton", language="en", half="work")
def tenancy_tribunal() -> Iterator[Page]:
    """Decisions share their law and differ in parties, sums and outcome; two addresses for each."""

    def page(number: int, path: str, printed: bool = False) -> Page:
        slug, cite, tenant, landlord, deposit, delay, outcome, day = _TRIBUNAL[number]
        finding = (
            "We find that the deposit was not protected in time and that the landlord has shown no "
            "reason why the penalty should be less than twice the sum."
            if outcome == "allowed"
            else "We find that the tenant was sent the certificate to the address she or he had "
            "given, and that the delay was explained by the closure of the scheme's office."
        )
        decision = f"""<h1>Decision of the Tribunal</h1>
<p class="cite">{cite}</p><table class="parties"><tr><th>Applicant</th><td>{tenant}</td></tr>
<tr><th>Respondent</th><td>{landlord}</td></tr><tr><th>Heard</th><td>{day}</td></tr></table>
<ol class="paras"><li>This is an application under section 214 of the Act for a sum not less than
the deposit and not more than three times the deposit.</li>
<li>The tenancy was an assured shorthold tenancy in the usual printed form. The applicant paid a
deposit of {deposit}, which the respondent lodged with an authorised scheme {delay} after the end of
the statutory period.</li>
<li>Section 213 requires that the initial requirements of the scheme be complied with within thirty
days beginning with the date on which the deposit is received, and that the prescribed information
be given to the tenant within the same time. The duty is strict; good intentions go only to the
amount.</li>
<li>We heard evidence from both sides by video link. There was no dispute about the dates on the
bank statements, and the only question was what followed from them.</li>
<li>{finding}</li>
<li>In fixing the amount the Tribunal looks at the culpability of the landlord, whether he is
experienced, whether the tenant lost anything, and how soon the fault was put right.</li>
<li>The application is {outcome}. Either party may ask for permission to appeal within twenty-eight
days of the date on which this decision is sent out.</li></ol>"""
        if printed:
            body = f'<div class="a4">{decision}<p>Page 1 of 1</p></div>'
        else:
            body = f"""<div id="banner">First Housing List<form action="/search">
<input name="cite"><button>Find decision</button></form></div>
<div id="left"><ul><li><a href="/about">About us</a></li><li><a href="/apply">Make an application
</a></li><li><a href="/decisions">Decisions</a></li><li><a href="/listings">Hearings today</a></li>
</ul></div><div id="middle">{decision}</div>
<div id="bottom">Decisions are published under the Open Justice Licence.
Read {_hits(path)} times.</div>"""
        return Page(path, _doc("Decision of the Tribunal - FHL", body), what=slug)

    yield page(0, "/decisions/2019/113")
    yield page(1, "/decisions/2019/187")
    yield page(0, "/decisions/2019/113/print", printed=True)
    yield page(2, "/decisions/2020/21")
    yield page(1, "/view.aspx?id=40187")
    yield page(2, "/view.aspx?id=41021")
    yield page(2, "/decisions/2020/21/print", printed=True)


# --- pollen by town ---

_POLLEN_TEXT = """
How we count: a small pump on a roof draws ten litres of air a minute past a sticky tape. Every
morning a volunteer cuts off the piece for the last twenty-four hours, stains it pink and counts
grains under a microscope along four lines. The figure is grains in a cubic metre of air, averaged
over the day.

Below thirty grains of grass pollen few people notice anything. Between thirty and fifty most
sufferers begin to sneeze; above a hundred and fifty nearly everyone who is allergic will have
streaming eyes. Tree pollen bothers people at lower numbers, mugwort at lower ones still.

Rain washes the air clean within an hour, but a thunderstorm can burst the grains and make things
worse for asthmatics. Keep bedroom windows shut in the evening, when grains that rose in the
afternoon settle again. Wash your hair before bed rather than in the morning.
"""
_POLLEN = (
    ("Ashcombe", "64", "12", "3", "high"),
    ("Brindle", "41", "18", "2", "moderate"),
    ("Cawston", "22", "9", "0", "low"),
    ("Eastry", "158", "4", "11", "very high"),
)


@family("pollen-desk", kind="counts by town in a widget", language="en", half="work")
def pollen_desk() -> Iterator[Page]:
    """Only the widget names town and counts; case and index.html of the path change nothing."""

    def page(number: int, path: str) -> Page:
        town, grass, birch, mugwort, level = _POLLEN[number]
        body = f"""<header><h1><a href="/">The Pollen Desk</a></h1><p>Counted by hand since 1988</p>
</header><div class="row"><article><h2>Today's count</h2>{_p(_POLLEN_TEXT)}</article>
<div class="widget"><h3>{town}</h3><p class="level {level.split()[0]}">{level}</p>
<table><tr><td>Grass</td><td>{grass}</td></tr><tr><td>Birch</td><td>{birch}</td></tr>
<tr><td>Mugwort</td><td>{mugwort}</td></tr></table></div></div>
<ul class="towns">{"".join(f'<li><a href="/{t}/">{t}</a></li>' for t, *_ in _POLLEN)}</ul>
<footer>The counts may be reprinted if you name us. Volunteers wanted.
Visits today: {_hits(path)}</footer>"""
        return Page(path, _doc("Today's count - The Pollen Desk", body), what=town)

    yield page(0, "/Ashcombe/")
    yield page(1, "/Brindle/")
    yield page(0, "/ashcombe/")
    yield page(2, "/Cawston/")
    yield page(3, "/Eastry/")
    yield page(3, "/Eastry/index.html")
    yield page(2, "/cawston/index.html")


# --- match reports ---

_MATCHES = (
    (
        "411",
        "Glenurra",
        "Kilbrack",
        "3",
        "1",
        "D. Rennie",
        "a low drive from the edge of the D",
        "12 April",
        "318",
    ),
    (
        "412",
        "Strathord",
        "Ballendean",
        "0",
        "2",
        "F. Maclure",
        "a free hit that the keeper saw late",
        "12 April",
        "205",
    ),
    (
        "419",
        "Kilbrack",
        "Strathord",
        "2",
        "2",
        "A. Tolmie",
        "a scramble after the third corner",
        "19 April",
        "276",
    ),
    (
        "420",
        "Ballendean",
        "Glenurra",
        "1",
        "4",
        "D. Rennie",
        "a shot on the turn",
        "19 April",
        "251",
    ),
)


@family("camanachd-scores", kind="match reports with one skeleton", language="en", half="work")
def camanachd_scores() -> Iterator[Page]:
    """The league's reports are reprinted by a club in a theme of its own."""

    def report(number: int) -> tuple[str, str]:
        match, home, away, scored, let_in, scorer, how, day, crowd = _MATCHES[number]
        text = f"""<p class="score">{home} {scored} - {let_in} {away}</p>
<p>{home} received {away} on {day} in a Premier Division tie watched by {crowd} people. The pitch
was heavy after a wet week and both sides took some time to find their footing.</p>
<p>The opening goal came from {scorer} with {how}. From then on the play went from end to end, and
the referee had to speak to both captains about late swings. The teams changed ends after forty-five
minutes with everything still to play for.</p>
<p>In the second half both managers sent on fresh legs. The final whistle went at {scored}-{let_in},
a result that either camp will call fair in public and unfair in the car home.</p>
<p>Results should be sent to the fixtures secretary by six on the day of the match. Points are
given provisionally until the registration of all players has been checked.</p>"""
        return match, text

    def league(number: int, query: str = "") -> Page:
        match, text = report(number)
        body = f"""<div class="masthead">North Camanachd League</div><div class="menu">
<a href="/fixtures">Fixtures</a> <a href="/results">Results</a> <a href="/tables">Tables</a>
<a href="/discipline">Discipline</a></div><div class="content"><h1>Match report</h1>{text}</div>
<div class="rightcol"><h4>Table</h4><table><tr><td>Glenurra</td><td>14</td></tr>
<tr><td>Kilbrack</td><td>9</td></tr><tr><td>Ballendean</td><td>8</td></tr>
<tr><td>Strathord</td><td>6</td></tr></table></div><div class="foot">Sponsored by Rennie Coaches.
Page made in 0.{_hits(query)} s</div>"""
        return Page(f"/match.php?id={match}{query}", _doc("Match report - NCL", body), what=match)

    def club(number: int, slug: str) -> Page:
        match, text = report(number)
        body = f"""<header class="wp-block"><a href="/"><img src="/crest.png" alt="Glenurra CC"></a>
<nav><a href="/juniors/">Juniors</a> <a href="/clubhouse/">Clubhouse hire</a> <a href="/shop/">Shop
</a></nav></header><article class="post"><h2>{slug.replace("-", " ").title()}</h2>
<p class="meta">Posted by Secretary in First team</p>{text}</article>
<aside><h3>Recent posts</h3><ul><li><a href="/ceilidh/">Ceilidh tickets</a></li>
<li><a href="/agm/">Annual meeting</a></li></ul></aside><footer>Proudly powered by WordPress
</footer>"""
        html = _doc("Glenurra Camanachd Club", body)
        return Page(f"/first-team/{slug}/", html, what=match, host="other:glenurra")

    yield league(0)
    yield league(1)
    yield league(0, "&season=24")
    yield club(0, "win-over-kilbrack")
    yield league(2)
    yield league(3)
    yield club(3, "away-to-ballendean")


# --- bus timetables ---

_BUS_TEXT = """
Buses stop on request anywhere it is safe between the quarry and the reservoir: hold out your arm
in good time. Please have the fare ready; drivers carry little change, and cards are taken when
there is a signal. Dogs travel free and sit on the floor. Two bicycles fit on the rack at the back.

In snow the service ends at the lower lodge. We post a message here before seven in the morning when
that happens, and on the board in the shop. Passes for older people are valid after half past nine.
Children under five need no ticket, and a family of up to five may ride all day for twelve pounds.

The service is run with support from the county and with the help of forty volunteers. If you would
like to learn to drive a minibus, come to the depot on the first Saturday of the month.
"""
_BUS_STOPS = ("Mill Square", "Quarry Gate", "Top Chapel", "Reservoir")
_BUS_TABLES = {
    "out-weekday": ("7.10", "9.40", "12.40", "15.55", "17.45"),
    "back-weekday": ("7.50", "10.25", "13.25", "16.40", "18.25"),
    "out-saturday": ("8.40", "11.40", "16.10"),
    "out-summer-sunday": ("9.30", "11.30", "14.30", "17.00"),
}


@family("upland-minibus", kind="timetables by day and direction", language="en", half="work")
def upland_minibus() -> Iterator[Page]:
    """Timetables differ in their minutes; the print and large print views do not."""

    def page(key: str, view: str = "") -> Page:
        stops = _BUS_STOPS[::-1] if key.startswith("back") else _BUS_STOPS
        rows = ""
        for late, stop in enumerate(stops):
            cells = ""
            for start in _BUS_TABLES[key]:
                hour, minute = start.split(".")
                total = int(hour) * 60 + int(minute) + 8 * late
                cells += f"<td>{total // 60}.{total % 60:02}</td>"
            rows += f"<tr><th>{stop}</th>{cells}</tr>"
        main = f"<h1>Service 12: timetable</h1><table>{rows}</table>{_p(_BUS_TEXT)}"
        if view == "print":
            body = f"<center><b>Upland Community Minibus</b></center>{main}"
        else:
            body = f"""<div id="logo"><a href="/">Upland Community Minibus</a></div>
<div id="nav"><a href="/12/out-weekday">Out, Mon-Fri</a> <a href="/12/back-weekday">Back, Mon-Fri
</a> <a href="/12/out-saturday">Saturdays</a> <a href="/12/out-summer-sunday">Summer Sundays</a>
<a href="/hire">Hire a bus</a></div><div id="page">{main}
<p class="tools"><a href="?view=print">Print</a> <a href="?view=large">Large print</a></p></div>
<div id="bottom">Depot: Old Dairy, Mill Square. Ring 01632 960388 before eight in the evening.
</div>"""
        query = f"?view={view}" if view else ""
        attrs = ' class="large"' if view == "large" else ""
        return Page(f"/12/{key}{query}", _doc("Service 12", body, attrs=attrs), what=key)

    yield page("out-weekday")
    yield page("back-weekday")
    yield page("out-weekday", "print")
    yield page("out-saturday")
    yield page("back-weekday", "large")
    yield page("back-weekday", "print")
    yield page("out-summer-sunday")


# --- poems under one title ---

_POEMS = (
    (
        "evening-hallam",
        "Ruth Hallam",
        """The gate has closed on the last of the ewes,
the dog lies down where the step is warm,
and someone across the valley renews
an argument with a piece of a storm.

I wind the clock, and the clock winds me,
one tooth at a time, to the edge of the bed;
whatever the day had wanted to be
is written in chalk on the door of the shed.

Let rain come down and take it away.
I never could read my own hand by night.
There is bread, there is oil, there is hardly a day
that has not been mended by somebody's light.""",
    ),
    (
        "evening-ode",
        "Peter Ode",
        """Four trains go by and I am on none of them.
The platform empties like a glass of milk.
A girl sweeps tickets with a broom whose hem
of bristle makes a noise like tearing silk.

Above the sidings hangs a single crane
that holds up nothing, carefully, all week.
I practise what I did not say again
and find it fits exactly when I speak.

The lamps come on in order, west to east,
each surer than the one that went before.
The guard says, Sir, the service now has ceased.
I tell him that I know. I ask for more.""",
    ),
    (
        "evening-savage",
        "Lil Savage",
        """Mother is boiling the jars.
Steam has the window, and I have a finger
to draw on the steam: a house, two stars,
a cat with its tail curled round to linger.

Plums are a colour that has no name
until they are opened. Then it is red.
We carry them down to the dark, the same
as carrying somebody small to bed.

In winter we'll lift them up by the neck,
and summer will shake in its sleep, and stay.
She dries her hands. She goes to check
that nobody's taken the ladder away.""",
    ),
)
_POEM_NOTE = """
Poems on this site are printed with the permission of their authors or of those who look after their
papers. You may copy one by hand and give it to a friend; for anything else please write to us. New
poems appear on Sunday evenings. We read what is sent to us in March and in October and answer
everybody, though not quickly.
"""


@family("lamplit-verse", kind="poems under one title", language="en", half="work")
def lamplit_verse() -> Iterator[Page]:
    """Three poems are called Evening; each has further addresses in the same plain theme."""

    def page(number: int, path: str, older: str) -> Page:
        slug, poet, text = _POEMS[number]
        stanzas = "".join(
            "<p>" + "<br>\n".join(part.split("\n")) + "</p>\n" for part in text.split("\n\n")
        )
        body = f"""<div id="header"><h1><a href="/">Lamplit</a></h1></div>
<div class="post"><h2>Evening</h2><p class="by">{poet}</p><div class="verse">{stanzas}</div></div>
<div class="sidebar"><h3>About</h3>{_p(_POEM_NOTE)}<h3>Lately</h3><ul>
<li><a href="/?p=88">The Ferryman's Shoes</a></li><li><a href="/?p=91">{older}</a></li></ul></div>
<div class="foot">Lamplit, a small magazine</div>"""
        return Page(path, _doc("Evening - Lamplit", body), what=slug)

    yield page(0, "/2016/10/evening/", "Salt")
    yield page(1, "/2017/03/evening/", "Salt")
    yield page(0, "/?p=52", "Two Wrens")
    yield page(2, "/2019/09/evening/", "Two Wrens")
    yield page(2, "/category/harvest/evening/", "Salt")
    yield page(1, "/2017/03/evening/?share=facebook", "Two Wrens")


# --- a manual in versions ---

_SLUICE_INSTALL = """
Sluice reads lines from one or more files, splits them into fields and writes the fields to a queue.
It is a single program without dependencies. Download the archive for your system, unpack it and
put the program somewhere on the search path. On Debian and its relatives a package is in the
contributed archive; on the BSDs a port exists.

Run <code>sluice --version</code> to see that everything is in its place. The first start writes a
commented configuration file into your home directory. Open it in an editor, name a file to follow
and a queue to fill, and start the program again in the foreground. You should see one line for
every hundred records it has sent.

To run it at boot, copy the unit file from the <code>contrib</code> folder and enable it. The
program drops its privileges as soon as it has opened its files, so the account it runs under
needs to read them once only. Removing the program and the state directory undoes everything.
"""
_SLUICE_FORMATS = """
A format says how a line falls into fields. <code>csv</code> follows the usual rules: a field may be
quoted, a quote within quotes is doubled, and a quoted field may run over several lines.
<code>logfmt</code> takes pairs of key and value; <code>columns</code> cuts at fixed positions that
you list.

Fields get names from the first line or from the <code>names</code> key, and types from
<code>types</code>: text, whole number, decimal, moment. A moment is written in ISO 8601 unless a
pattern is given. A value that does not fit its type is handled as the <code>bad</code> key says:
keep the text, leave the field empty, or drop the record and count it.

Several formats can be tried in order. The first that fits a line wins, and a line that fits none
goes to the reject file with its number in front.
"""
_SLUICE_OPTIONS = """
<code>batch</code> is the number of records that are sent together. Larger batches are faster, but
after a crash up to a whole batch may be sent twice. The default is {batch}.

<code>flush</code> is the time after which a batch is sent although it is not full, in seconds. The
default is {flush}. Zero sends every record at once.

<code>retry</code> says how often a failed batch is tried again before the program stops. Pauses
between tries double each time, beginning at one second. The default is {retry}.

<code>compress</code> turns on compression of batches on the wire. The receiving queue must
understand it. The default is {compress}.

<code>state</code> names the directory in which positions are kept. Do not place it on a network
disk: locks there are a matter of belief. <code>workers</code> is the number of threads that parse;
one reads and one writes in any case. Options may be written in the file, or given in the
environment in capitals with SLUICE_ in front; the environment wins.
"""
_SLUICE_DEFAULTS = {
    "1.8": {"batch": "100", "flush": "5", "retry": "3", "compress": "off"},
    "2.0": {"batch": "500", "flush": "5", "retry": "forever", "compress": "on"},
}


@family("sluice-docs", kind="manual in versions, a default changed", language="en", half="work")
def sluice_docs() -> Iterator[Page]:
    """Stable is 2.0; chapters of 1.8 that nobody touched are the same, the options are not."""

    def page(shown: str, chapter: str) -> Page:
        version = "2.0" if shown == "stable" else shown
        if chapter == "options":
            title, what = "Options", f"options {version}"
            text = _SLUICE_OPTIONS.format(**_SLUICE_DEFAULTS[version])
        elif chapter == "install":
            title, what, text = "Installing", chapter, _SLUICE_INSTALL
        else:
            title, what, text = "Formats", chapter, _SLUICE_FORMATS
        body = f"""<div class="related" role="navigation"><ul><li class="right">
<a href="genindex.html">
index</a></li><li><a href="index.html">Sluice {version} documentation</a> &raquo;</li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body">
<section><h1>{title}<a class="headerlink" href="#x">¶</a></h1>{_p(text)}</section></div></div></div>
<div class="sphinxsidebar"><h3>Contents</h3><ul><li><a href="install.html">Installing</a></li>
<li><a href="formats.html">Formats</a></li><li><a href="options.html">Options</a></li></ul>
<h3>Version: {shown}</h3><ul><li><a href="/stable/">stable</a></li><li><a href="/2.0/">2.0</a></li>
<li><a href="/1.8/">1.8</a></li></ul></div></div>
<div class="footer">&copy; the Sluice authors. Created using Sphinx.</div>"""
        html = _doc(f"{title} — Sluice {version} documentation", body)
        return Page(f"/{shown}/{chapter}.html", html, what)

    for shown, chapter in (
        ("stable", "install"),
        ("stable", "options"),
        ("1.8", "install"),
        ("1.8", "options"),
        ("2.0", "options"),
        ("stable", "formats"),
        ("2.0", "install"),
        ("1.8", "formats"),
    ):
        yield page(shown, chapter)


# --- a forum ---

_LOCK_POSTS = (
    (
        "pennyless",
        """Has anyone been through the Tarrow flight since the stoppage ended? I have a full
length boat and a week in hand, and I would rather not find out halfway up that pound seven is still
the colour of soup and a foot down.""",
    ),
    (
        "BrassMonkey",
        """Came down on Tuesday. Pound seven is fine, pound nine is not. A volunteer told
us to ring before four o'clock and they run water down overnight. We did, and it was level with the
stone in the morning.""",
    ),
    (
        "grebe",
        """The bottom paddle on the towpath side of lock eleven is out of action and wrapped
in yellow tape. You can work it with the other one, it only takes twice as long. Do not be tempted
to flush it, the cill is exposed.""",
    ),
    (
        "pennyless",
        """Thank you both. Is there anywhere to tie up between six and twelve, or is it all in
one go? My crew is seventy and has opinions about lunch.""",
    ),
)
_LOCK_POSTS_LATER = (
    (
        "grebe",
        """Two rings above nine, on the off side, room for one boat if the reeds have been cut.
Otherwise the winding hole at the top of the flight. The pub is half an hour's walk and has changed
hands, the pies are smaller.""",
    ),
    (
        "Old Rope",
        """I would add that the lock keeper's cottage sells eggs on a trust box, and that the
water point by it has been mended after two years of complaints. Low pressure, but it fills a kettle
faster than a bowl of rain.""",
    ),
    (
        "pennyless",
        """We are up! Six hours including eggs. Number eleven was the only slow one. A boy with a
windlass as long as himself helped us through the last three and refused money, but took a biscuit.
Marking this as solved.""",
    ),
)
_LOCK_OTHER = (
    (
        "Teasel",
        """My stern gland drips about once every four seconds when the engine is running and
not at all when it is off. The surveyor says this is how it should be, and my brother in law, who
owns a caravan, says that the boat is sinking.""",
    ),
    (
        "BrassMonkey",
        """Once every ten seconds or so, while turning, is what keeps the packing cool. Every four
is a little much. Give both nuts an eighth of a turn, evenly, and feel the gland after half an hour:
warm is fine, hot means you have gone too far.""",
    ),
    (
        "Old Rope",
        """And grease it at the end of the day, one turn of the cap until it stiffens. If it still
runs when you have used up the thread, it wants new packing. That can be done afloat if you are
quick and do not mind wet socks.""",
    ),
)


@family("towpath-talk", kind="thread pages, sids and print views", language="en", half="work")
def towpath_talk() -> Iterator[Page]:
    """Two pages of one thread and another thread; sid and print view show the same posts."""
    threads = {
        "t=318": ("Tarrow flight, any news?", _LOCK_POSTS),
        "t=318&start=4": ("Tarrow flight, any news?", _LOCK_POSTS_LATER),
        "t=322": ("Stern gland drip: how much?", _LOCK_OTHER),
    }

    def page(key: str, *, sid: str = "", printed: bool = False, views: int = 311) -> Page:
        title, posts = threads[key]
        if printed:
            shown = "".join(
                f"<div><h3>{title}</h3><p>Posted by <b>{who}</b></p>{_p(text)}</div><hr>"
                for who, text in posts
            )
            body = f"<h1>Towpath Talk</h1><p>A place for people on boats</p>{shown}"
        else:
            shown = "".join(
                f"""<div class="post"><div class="postprofile"><b>{who}</b><br>Posts: {20 + 7 * i}
</div><div class="postbody"><p class="author">by {who} &raquo; Sat May {3 + i}</p>{_p(text)}</div>
<div class="sig">Please search before you ask.</div></div>"""
                for i, (who, text) in enumerate(posts)
            )
            start = "<strong>1</strong> <a>2</a>" if "start" not in key else "<a>1</a> <b>2</b>"
            body = f"""<div id="wrap"><div id="page-header"><h1>Towpath Talk</h1>
<p>A place for people on boats</p><ul class="linklist"><li><a href="./index.php">Board index</a>
</li>
<li><a href="./faq.php">FAQ</a></li><li><a href="./ucp.php?mode=register">Register</a></li>
<li><a href="./ucp.php?mode=login">Login</a></li></ul></div>
<h2>{title}</h2><div class="topic-actions"><a href="./posting.php?mode=reply">Post a reply</a>
<div class="pagination">{views} views {start}</div></div>{shown}
<div class="topic-actions">Return to Afloat</div><h3>Who is online</h3>
<p>Users browsing this forum: no registered users and {views % 7} guests</p>
<div class="copyright">Powered by phpBB</div></div>"""
        query = key + (f"&sid={sid}" if sid else "") + ("&view=print" if printed else "")
        return Page(f"/viewtopic.php?f=4&{query}", _doc(f"{title} - Towpath Talk", body), what=key)

    yield page("t=318")
    yield page("t=318&start=4")
    yield page("t=322", views=87)
    yield page("t=318", sid="5c1f0e2b88d1437a", views=315)
    yield page("t=322", sid="77ab01c2d93e4f60", views=90)
    yield page("t=318", printed=True)
    yield page("t=318&start=4", sid="77ab01c2d93e4f60", views=316)


# --- a blog with pages of comments ---

_HEDGE_POST = """
A hedge is laid between October and March, while the sap is down and no bird has built in it. You
cut each stem nearly through, close to the ground, and bend it over uphill, so that it hangs on by
a strap of bark and a finger of wood. It looks like murder. In May it will be green from end to end.

Begin by taking out everything dead, the brambles, the wire that somebody's grandfather left and the
bottles he emptied while he did so. Choose the stems to keep, one every foot or so, and cut off the
side that will lie against its neighbour. A billhook is enough up to the thickness of a wrist; above
that use a small axe, or a saw if nobody is watching.

Stakes go in at every eighteen inches, hazel for preference, and the tops are woven together with
long thin rods called heathering. In our valley the brush is left on the field side to keep the
sheep from nibbling the new growth. Ten yards is a good day for a beginner and thirty for my uncle,
who is eighty-one.
"""
_HEDGE_COMMENTS = (
    (
        (
            "Marian",
            "We have a hedge of field maple and nothing else. Will it lie, or does it snap?",
        ),
        (
            "The author",
            "It will lie if you cut it longer and thinner than you dare. Do it in mild weather.",
        ),
        (
            "Geoff B",
            "My father always burned the trimmings on the spot. I chip them now and use it on "
            "the paths, but I miss the smell of it at dusk.",
        ),
        (
            "Sal",
            "Eighteen inches seems close. Round here it is an arm's length, elbow to finger tip, "
            "whoever the arm belongs to.",
        ),
    ),
    (
        (
            "Ines",
            "Translated this for my mother in Asturias, who says that they did the same with "
            "chestnut until the tractors came.",
        ),
        (
            "Geoff B",
            "Back again. The neighbour's flail went over ours by mistake, a year after laying. "
            "It has come up thicker than before, so perhaps I owe him a pint.",
        ),
        (
            "Toby",
            "Could you say a word on gloves? I tried with gardening gloves and have been picking "
            "out blackthorn ever since; one knuckle is still the size of a plum.",
        ),
        (
            "The author",
            "Welder's gauntlets, the long ones. And go to the doctor about that knuckle, "
            "blackthorn is no joke.",
        ),
    ),
)


@family("billhook-blog", kind="comment pages and replytocom", language="en", half="work")
def billhook_blog() -> Iterator[Page]:
    """Two pages of comments under one post are two pages; links to reply are not."""

    def page(path: str, comments: int, recent: str, replying: str = "") -> Page:
        items = "".join(
            f"""<li class="comment"><cite>{who}</cite> <span class="says">says:</span><p>{text}</p>
<a class="comment-reply-link" href="{path.split("?")[0]}?replytocom={40 + 10 * comments + i}">Reply
</a></li>"""
            for i, (who, text) in enumerate(_HEDGE_COMMENTS[comments])
        )
        body = f"""<div class="site"><header class="site-header"><h1><a href="/">Billhook</a></h1>
<p>Notes from a wet farm</p></header><main><article class="post"><header>
<h1 class="entry-title">How to lay a hedge</h1><time>9 November</time></header>
<div class="entry-content">{_p(_HEDGE_POST)}</div></article>
<div id="comments"><h2>8 thoughts on “How to lay a hedge”</h2><ol class="comment-list">{items}</ol>
<nav class="comment-navigation"><a href="/hedge/comment-page-1/">Older</a> <a href="/hedge/">Newer
</a></nav><div id="respond"><h3>{replying or "Leave a reply"}</h3><form>
<textarea name="comment"></textarea><button>Post comment</button></form></div></div></main>
<aside><h2>Recent comments</h2><ul><li>{recent}</li><li>Sal on Gateposts</li></ul></aside>
<footer>Proudly powered by WordPress</footer></div>"""
        return Page(path, _doc("How to lay a hedge – Billhook", body), what=f"comments {comments}")

    yield page("/hedge/", 1, "Toby on How to lay a hedge")
    yield page("/hedge/comment-page-1/", 0, "Toby on How to lay a hedge")
    yield page("/hedge/?replytocom=52", 1, "Dai on Slurry", "Leave a reply to Toby")
    yield page(
        "/hedge/comment-page-1/?replytocom=40",
        0,
        "Dai on Slurry",
        "Leave a reply to Marian",
    )
    yield page("/hedge/?replytocom=50", 1, "Dai on Slurry", "Leave a reply to Ines")


# --- episodes with one description ---

_RADIO_ABOUT = """
Late Shift is a programme for everybody who works while others sleep. Once a week Moira Finch visits
a place that is open at three in the morning, switches on her recorder and lets people talk: bakers,
nurses, signalmen, the woman who feeds the otters. There is no music under the voices and nobody is
asked to be funny.

You can listen on this page, in any podcast player, or on the medium wave in the valley, where the
transmitter is older than the presenter. Each programme lasts about forty minutes. Transcripts are
made by volunteers and arrive some weeks later. We have no advertisements; if you would like to keep
it so, put something in the tin.
"""
_RADIO = (
    ("61", "the-lift-bridge", "The Lift Bridge", "41:07", "8 January"),
    ("62", "sorting-office", "Sorting Office", "38:52", "15 January"),
    ("63", "ward-nine", "Ward Nine", "44:30", "22 January"),
    ("64", "bread", "Bread", "39:18", "29 January"),
)


@family("late-shift-radio", kind="episodes with one description", language="en", half="work")
def late_shift_radio() -> Iterator[Page]:
    """Episodes differ by name and recording; short links and bare players are copies."""

    def page(number: int, style: str = "slug") -> Page:
        count, slug, name, length, day = _RADIO[number]
        player = f"""<figure class="episode"><h2>{name}</h2><audio controls
src="/media/late-shift-{count}.mp3"></audio><figcaption>No. {count}, {day}, {length}</figcaption>
</figure>"""
        if style == "fragment":
            html = (
                f'<div class="ep-panel">{player}<div class="about">{_p(_RADIO_ABOUT)}</div></div>'
            )
            return Page(f"/episodes/{slug}?fragment=1", html, what=count)
        others = "".join(
            f'<li><a href="/episodes/{s}">{n}</a></li>' for c, s, n, *_ in _RADIO if c != count
        )
        body = f"""<header><a href="/">Late Shift</a> <a href="/episodes">All episodes</a>
<a href="/tin">The tin</a> <a href="/feed.xml">RSS</a></header>
<main><h1>Late Shift</h1>{player}<div class="about">{_p(_RADIO_ABOUT)}</div>
<div class="share">Share: <a href="#">Mastodon</a> <a href="#">E-mail</a></div></main>
<aside><h3>More</h3><ul>{others}</ul></aside>
<footer>{_hits(style)} are listening now. Valley Radio, studio in the old chapel</footer>"""
        path = f"/e/{count}" if style == "short" else f"/episodes/{slug}"
        return Page(path, _doc("Late Shift", body), what=count)

    yield page(0)
    yield page(1)
    yield page(0, "short")
    yield page(2)
    yield page(2, "fragment")
    yield page(3)
    yield page(3, "short")
    yield page(3, "fragment")


# --- regional papers ---

_PAPER_BRIDGE = """
A footbridge that has been shut since the floods of two winters ago will open again on Monday, the
navigation trust said yesterday. The wooden span at Sedge Lode carries the long distance path over
the old course of the river, and walkers have had to go round by the main road in the meantime.

Engineers found in spring that the oak piles beneath the water were sound and that only the deck
needed replacing. The new one is made of larch from an estate eight miles away and was floated into
place on two barges last week, to the delight of a crowd on the bank.

The work cost £184,000, of which the county paid half. The trust raised the rest with a raffle, a
concert in the pumping station and a sponsored swim. “People wrote to us from Canada,” said its
chairman, Hugh Petts. “It seems that half the world proposed on that bridge.”
"""
_PAPER_ONION = """
Onion growers on the black soil say that they will lose a third of the crop to white rot unless the
coming weeks are dry. The fungus lives in the ground for twenty years and wakes up when it smells a
root. Nothing that may still be sprayed will stop it.

Frances Mottram, who farms 140 acres by the Twenty Foot drain, has ploughed in two fields already.
“You can see it from the tractor,” she said. “The tops go yellow in a circle, and next day the
circle is a pond.” She has put her hopes in a garlic extract that tricks the fungus into waking when
no onion is there.

Buyers for the supermarkets have been told to expect smaller bulbs and higher prices from August. A
trial with the extract on six farms is paid for by the growers' levy; its first results are due in
November.
"""
_PAPER_SCHOOL = """
Pupils at St Guthlac's have built an electric boat out of a scrapped canoe, eleven laptop batteries
and the motor of a wheelchair. It made its first journey on Thursday, from the school's landing to
the sluice and back, at a little under four miles an hour.

The project began when a teacher of physics was left the canoe by a neighbour. Fourteen children met
on Wednesday afternoons for a year, learned to solder and to sew sailcloth, and wrote to firms for
parts. The local tip let them have the batteries for nothing.

They mean to enter it for the solar race in July. Until then it will carry the caretaker to the far
playing field, a journey that takes him twenty minutes on foot. He has asked for a horn.
"""


@family("fenland-post", kind="two columns and a second paper", language="en", half="work")
def fenland_post() -> Iterator[Page]:
    """Stories stand in two columns of one paper, and in a sister paper of another dress."""
    stories = {
        "bridge": ("Footbridge to open after two winters", _PAPER_BRIDGE, "Tom Leary"),
        "onions": ("Rot threatens a third of onion crop", _PAPER_ONION, "Asha Pell"),
        "canoe": ("Children put a motor in a canoe", _PAPER_SCHOOL, "Tom Leary"),
    }

    def post(column: str, key: str, number: int) -> Page:
        title, text, who = stories[key]
        most = [head for name, (head, _, _) in stories.items() if name != key]
        body = f"""<div class="top-strip">Wednesday <a href="/subscribe">Subscribe</a></div>
<header class="paper"><a href="/"><img src="/fp.svg" alt="Fenland Post"></a><nav>
<a href="/news">News</a><a href="/farming">Farming</a><a href="/villages">Villages</a>
<a href="/sport">Sport</a><a href="/notices">Notices</a></nav></header>
<div class="cols"><article><p class="section">{column.title()}</p><h1>{title}</h1>
<p class="byline">By {who}</p>{_p(text)}<div class="social"><a href="#">Share</a>
<a href="#">Tweet</a></div></article><aside><h3>Most read</h3><ol><li>{most[number % 2]}</li>
<li>{most[1 - number % 2]}</li></ol><h3>Weather</h3><p>Dry, {11 + number}°</p></aside></div>
<footer>Fenland Post, 3 Hythe Lane. <a href="/complain">How to complain</a></footer>"""
        html = _doc(f"{title} | Fenland Post", body)
        return Page(f"/{column}/{7400 + number}-{key}", html, what=key)

    def wisp(key: str) -> Page:
        title, text, who = stories[key]
        body = f"""<div class="w-nav"><b>The Wisp</b> <span>Edge of the marsh, every morning</span>
</div><div class="hero"><img src="/i/{key}.webp" alt=""></div><h1>{title}</h1>
<div class="text">{_p(text)}</div><p class="credit">{who}, Fenland Post</p>
<div class="newsletter">Get the Wisp in your inbox <input type="email"><button>Yes</button></div>
<div class="w-foot"><a href="/jobs">Jobs with us</a> <a href="/ads">Advertise</a></div>"""
        return Page(f"/{key}.html", _doc(f"{title} - The Wisp", body), key, host="other:wisp")

    yield post("news", "bridge", 1)
    yield post("farming", "onions", 2)
    yield post("villages", "bridge", 3)
    yield wisp("bridge")
    yield post("villages", "canoe", 4)
    yield wisp("canoe")
    yield post("news", "onions", 5)


# --- a site that is half translated ---

_SOFT_HOME = """
Tonewheel turns an old tablet into the control panel of a pipe organ. Couplers, stops and pistons
are drawn the way you like, sent to the console by wireless, and stored under the name of the
organist so that the next one does not find them changed.

It works with most consoles built since 1990 and with everything that speaks MIDI. A church can
use it free of charge; teaching institutions and concert halls pay by the year.
"""
_SOFT_HOME_DE = """
Tonewheel macht aus einem alten Tablet das Bedienpult einer Pfeifenorgel. Koppeln, Register und
Setzer werden so gezeichnet, wie Sie es mögen, per Funk an den Spieltisch geschickt und unter dem
Namen des Organisten gespeichert, damit der Nächste sie nicht verstellt vorfindet.

Das Programm arbeitet mit den meisten Spieltischen seit 1990 und mit allem, was MIDI spricht.
Kirchengemeinden nutzen es kostenlos; Hochschulen und Konzerthäuser zahlen jährlich.
"""
_SOFT_GUIDE = """
Place the bridge, a grey box the size of a prayer book, inside the console and plug it into the MIDI
output. Its lamp turns from red to green when it has found the network. Open Tonewheel on the tablet
and choose Search: the name of the bridge should appear within ten seconds.

Now press every piston on the console once, from left to right. The panel writes down what each of
them sends and draws a button for it. Buttons can be moved, coloured and named while the drawing
mode is on; a long press ends it. Try the swell pedal last, since it sends many values and the panel
wants to see both ends.

When a stop hangs, which old relays do, press Cancel twice. That sends an off command for everything
the panel has ever seen. If the lamp goes out altogether, look whether the verger has unplugged the
bridge to charge the candle sticks.
"""
_SOFT_LICENCE = """
You may install the program on as many tablets as you like within one building. You may not sell it,
rent it out or take it apart in order to make another like it, except where the law allows this in
spite of what we say.

A church may use it free of charge for worship, practice and concerts whose takings go to the
church. Other users need a key, which is valid for a year from the day of payment and for one bridge
at a time. A key may be passed on with the instrument.

The program is provided as it is. We test it on four organs and one harmonium, and cannot promise
that it will suit yours. If it damages anything through our fault, we pay back what you have paid
us. The law of Scotland applies.
"""


@family("tonewheel-soft", kind="half translated site", language="en", half="work")
def tonewheel_soft() -> Iterator[Page]:
    """Of three pages under /de/ one is translated; the other two show the English text."""

    def page(lang: str, slug: str, title: str, text: str, what: str) -> Page:
        words = {
            "en": ("Home", "Guide", "Licence", "Made in Fife", "Language"),
            "de": ("Start", "Anleitung", "Lizenz", "Hergestellt in Fife", "Sprache"),
            "nl": ("Begin", "Handleiding", "Licentie", "Gemaakt in Fife", "Taal"),
        }[lang]
        body = f"""<nav class="navbar"><a href="/{lang}/">{words[0]}</a>
<a href="/{lang}/guide">{words[1]}</a><a href="/{lang}/licence">{words[2]}</a>
<span>{words[4]}: <a href="/en/{slug}">English</a> <a href="/de/{slug}">Deutsch</a>
<a href="/nl/{slug}">Nederlands</a></span></nav>
<main><h1>{title}</h1>{_p(text)}</main><footer>&copy; Tonewheel Software. {words[3]}.</footer>"""
        html = _doc(f"{title} · Tonewheel", body, lang=lang)
        return Page(f"/{lang}/{slug}", html, what=what)

    home = "A panel for your organ"
    yield page("en", "", home, _SOFT_HOME, "home en")
    yield page("en", "guide", "Setting up", _SOFT_GUIDE, "guide")
    yield page("de", "", "Ein Pult für Ihre Orgel", _SOFT_HOME_DE, "home de")
    yield page("de", "guide", "Setting up", _SOFT_GUIDE, "guide")
    yield page("en", "licence", "Licence", _SOFT_LICENCE, "licence")
    yield page("nl", "", home, _SOFT_HOME, "home en")
    yield page("de", "licence", "Licence", _SOFT_LICENCE, "licence")
    yield page("nl", "guide", "Setting up", _SOFT_GUIDE, "guide")


# --- 土地出让公告 ---

_LAND_TEXT = """
经区人民政府批准，区自然资源局决定以挂牌方式出让下列国有建设用地使用权，现将有关事项公告如下。

中华人民共和国境内外的法人、自然人和其他组织，除法律另有规定外，均可申请参加竞买；申请人可以单独
申请，也可以联合申请。欠缴土地出让金、闲置土地未处置完毕的，不得参加。

本次挂牌按照价高者得的原则确定竞得人。申请人应在截止时间前提交书面申请并交纳竞买保证金，经审查符
合条件的，区局在一个工作日内确认其竞买资格。竞得人须在成交后十个工作日内签订出让合同，逾期视为放
弃，保证金不予退还。

地块按现状交付，场地内的管线迁移由竞得人自行承担。规划设计条件、宗地图和勘测定界报告随挂牌文件发
放，可到区政务服务中心二楼窗口领取，也可以从网上下载。挂牌期间如有变更，以变更公告为准。
"""
_LANDS = {
    "20231": ("沙湾储2023-04号", "工业用地", "28614平方米", "860万元", "5月18日17时"),
    "20236": ("沙湾储2023-05号", "工业用地", "31207平方米", "940万元", "5月18日17时"),
    "20240": ("沙湾储2023-07号", "商业用地", "9450平方米", "4130万元", "6月2日17时"),
    "20252": ("沙湾储2023-08号", "工业用地", "28614平方米", "860万元", "6月20日17时"),
}


@family("shawan-tudi", kind="地块公告，截止时间在表格里", language="zh", half="work")
def shawan_tudi() -> Iterator[Page]:
    """Each notice is for one parcel; print view and second column show the same notice."""

    def page(number: str, path: str, column: str = "公示公告", clicks: int = 120) -> Page:
        parcel, use, area, price, until = _LANDS[number]
        table = f"""<table border="1" cellspacing="0"><tr><td>地块编号</td><td>{parcel}</td></tr>
<tr><td>土地用途</td><td>{use}</td></tr><tr><td>出让面积</td><td>{area}</td></tr>
<tr><td>起始价</td><td>{price}</td></tr><tr><td>保证金截止</td><td>{until}</td></tr></table>"""
        title = "国有建设用地使用权挂牌出让公告"
        if "print" in path:
            body = f"<h2 align='center'>{title}</h2>{_p(_LAND_TEXT)}{table}<p>沙湾区自然资源局</p>"
        else:
            body = f"""<div class="head"><img src="/images/banner.jpg" alt="沙湾区自然资源局"></div>
<div class="menu"><a href="/">首页</a><a href="/jgzn/">机构职能</a><a href="/gsgg/">公示公告</a>
<a href="/tdsc/">土地市场</a><a href="/bszn/">办事指南</a></div>
<div class="pos">当前位置：首页 &gt; {column}</div><div class="con"><h1>{title}</h1>
<div class="info">来源：区自然资源局　点击数：{clicks}　【<a href="?print=1">打印</a>】
【<a href="javascript:window.close()">关闭</a>】</div>{_p(_LAND_TEXT)}{table}</div>
<div class="foot">主办：沙湾区自然资源局　地址：沙湾区滨河路18号　备案号：00000000</div>"""
        return Page(path, _doc(f"{title}_沙湾区自然资源局", body, lang="zh-CN"), what=parcel)

    yield page("20231", "/gsgg/20231.html", clicks=431)
    yield page("20236", "/gsgg/20236.html", clicks=390)
    yield page("20240", "/gsgg/20240.html", clicks=288)
    yield page("20231", "/tdsc/crgg/20231.html", "土地市场", 433)
    yield page("20240", "/gsgg/20240.html?print=1")
    yield page("20252", "/gsgg/20252.html", clicks=97)
    yield page("20252", "/tdsc/crgg/20252.html", "土地市场", 101)


# --- 奖学金 ---

_SCHOLAR_TEXT = """
为支持学生到海外高校交流学习，学校设立南湖交换奖学金，资助在校本科生和硕士生赴合作院校学习一个学
期或者一个学年。奖学金由校友捐赠，不需要偿还，获奖者回校后要在学院做一次分享。

申请人应当热爱祖国，品行端正，已修完第一学年的课程，平均学分绩点不低于三点零，没有不及格科目。语
言成绩应达到合作院校的要求，成绩单在有效期内。家庭经济困难的学生在同等条件下优先。

申请分为三步：先在系统里填写表格，上传成绩单、学习计划和一封推荐信；再由学院评审小组面试，面试约
十五分钟，中外文各半；最后由国际处公示名单，公示期五天。被录取而又放弃的，两年内不得再次申请。

资助金额按月发放，包括住宿费和生活费，国际旅费凭票报销一次。签证、保险和教材由个人负担。延期回校
的，超出部分自理。
"""
_SCHOLAR_OTHER = """
交换生在外学习的课程，回校后可以认定为本校学分。出国之前先到教务系统提交选课对照表，由专业负责人
签字；改课要在开学两周之内报备，否则回来以后只能认定为公共选修课。

成绩按合作院校寄来的原始成绩单换算，百分制直接登记，等级制按照对照表取中间值，只分合格与不合格的
课程不计入绩点。论文指导、实习和语言班一般不认定，确有需要的由学院开会讨论。

材料齐全的，教务处在十个工作日之内办结。寄送原件的，请写明学号和姓名，以免和同名同学混淆。毕业班
同学要在四月底以前办完，过期影响学位审核。
"""
_SCHOLARS = {
    "de": ("德国", "每月 861 欧元", "8 名", "3月15日"),
    "fr": ("法国", "每月 750 欧元", "6 名", "3月15日"),
    "jp": ("日本", "每月 8 万日元", "12 名", "10月20日"),
    "pt": ("葡萄牙", "每月 680 欧元", "3 名", "4月8日"),
}


@family("nanhu-guoji", kind="各国奖学金，事实在侧栏", language="zh", half="work")
def nanhu_guoji() -> Iterator[Page]:
    """Countries differ in the side box; the mobile host shows the same pages."""

    def page(key: str, host: str = "www") -> Page:
        if key in _SCHOLARS:
            country, money, places, until = _SCHOLARS[key]
            title, text, path = "南湖交换奖学金", _SCHOLAR_TEXT, f"/scholarship/{key}.htm"
            box = f"""<dl><dt>目的国</dt><dd>{country}</dd><dt>资助</dt><dd>{money}</dd>
<dt>名额</dt><dd>{places}</dd><dt>截止</dt><dd>{until}</dd></dl>"""
        else:
            title, text, path, box = "学分认定", _SCHOLAR_OTHER, "/credit.htm", ""
        if host == "m":
            body = f"""<div class="mhd"><a href="/">☰</a> 南湖大学国际处</div><h1>{title}</h1>{box}
<div class="art">{_p(text)}</div><div class="mft"><a href="#top">返回顶部</a> 电脑版</div>"""
        else:
            body = f"""<div class="top"><img src="/logo_nh.png" alt="南湖大学国际合作与交流处">
</div>
<ul class="nav"><li><a href="/">首页</a></li><li><a href="/out.htm">学生出国</a></li>
<li><a href="/in.htm">留学生</a></li><li><a href="/expert.htm">外国专家</a></li>
<li><a href="/down.htm">下载专区</a></li></ul>
<div class="wrap"><div class="left">{box}<h4>通知</h4><ul><li><a href="/n/1.htm">护照办理</a></li>
<li><a href="/n/2.htm">行前教育</a></li></ul></div><div class="right"><h1>{title}</h1>{_p(text)}
</div></div><div class="copy">南湖大学国际处　行政楼 305　电话 0000-5550118</div>"""
        html = _doc(f"{title}-南湖大学国际处", body, lang="zh")
        return Page(path, html, what=key, host=host)

    yield page("de")
    yield page("fr")
    yield page("credit")
    yield page("de", "m")
    yield page("jp")
    yield page("credit", "m")
    yield page("pt")
    yield page("pt", "m")


# --- 水库水位 ---

_WATER_TEXT = """
水位以吴淞基面为准，由浮子式水位计每五分钟测量一次，整点上传。显示的是最近一次整点值，遇到通信中
断时显示最后一次收到的数值，并在后面标注时间。未经审核的数据仅供参考，不作为防汛调度的依据。

汛限水位是汛期允许蓄水的上限，超过以后水库要开闸泄洪。泄洪之前，下游两岸的高音喇叭会连续鸣响三次，
每次一分钟，听到以后请马上离开河滩，不要返回取物。钓鱼、游泳、洗衣服的群众尤其要注意。

库容根据水位库容曲线查得，曲线于去年重新测定。雨量是从早上八点到现在的累计值，雨量桶设在坝顶管理
房旁边，冬季停测。
"""
_WATERS = {
    "1101": ("青石岭水库", "187.42 米", "4120 万立方米", "12.5 毫米", "未超汛限"),
    "1102": ("石门坎水库", "243.06 米", "865 万立方米", "31.0 毫米", "超汛限 0.56 米"),
    "1105": ("罗汉塘水库", "96.80 米", "212 万立方米", "3.5 毫米", "未超汛限"),
    "1109": ("双龙桥水库", "151.33 米", "1740 万立方米", "12.5 毫米", "未超汛限"),
}


@family("huashui-fangxun", kind="各站水位，一段说明", language="zh", half="work")
def huashui_fangxun() -> Iterator[Page]:
    """Stations differ in a widget; path case, index page and fragment view do not matter."""

    def page(number: str, path: str) -> Page:
        name, level, volume, rain, state = _WATERS[number]
        widget = f"""<div class="sk"><h3>{name}</h3><ul><li>水位：{level}</li>
<li>库容：{volume}</li>
<li>雨量：{rain}</li><li class="state">{state}</li></ul></div>"""
        note = f'<div class="note"><h2>水库水情</h2>{_p(_WATER_TEXT)}</div>'
        if "ajax" in path:
            return Page(path, f"{widget}\n{note}", what=name)
        stations = "".join(
            f'<option value="/Station/{n}/">{v[0]}</option>' for n, v in _WATERS.items()
        )
        body = f"""<div class="header"><b>花水县防汛信息</b> <select>{stations}</select></div>
<div class="sidebar"><a href="/">雨情</a><a href="/Station/">水情</a><a href="/Typhoon/">台风</a>
<a href="/Plan/">应急预案</a></div><div class="main">{widget}{note}</div>
<div class="footer">花水县水利局　值班电话 0000-5550177　访问量 {_hits(path)}</div>"""
        return Page(path, _doc("水库水情 - 花水县防汛信息", body, lang="zh"), what=name)

    yield page("1101", "/Station/1101/")
    yield page("1102", "/Station/1102/")
    yield page("1101", "/station/1101/")
    yield page("1105", "/Station/1105/")
    yield page("1102", "/Station/1102/index.html")
    yield page("1109", "/Station/1109/")
    yield page("1105", "/Station/1105/?ajax=1")


# --- 一部办法的几次修正 ---

_DOGS = """
第一条　为了规范养犬行为，维护公共秩序和环境卫生，根据有关法律法规，结合本市实际，制定本办法。

第二条　本市城市建成区内的养犬登记、免疫和监督管理，适用本办法。军犬、警犬和导盲犬的管理，依照国
家有关规定执行。

第三条　公安机关是养犬管理的主管部门，负责登记和处理违法行为；农业农村部门负责免疫和检疫；城市管
理部门负责查处犬只影响市容环境的行为。

第四条　每户限养犬{count}。犬只出生满三个月的，养犬人应当自满三个月之日起{days}内到接种点注射狂犬
病疫苗，凭免疫证明到派出所登记。

第五条　携犬外出应当为犬只系上长度不超过{leash}的牵引绳，由成年人牵领，主动避让老人、孕妇和儿童。
乘坐电梯的，应当避开高峰时间，或者给犬只戴上嘴套。

第六条　养犬人应当即时清除犬只在公共场所排泄的粪便。违反本条规定的，由城市管理部门责令改正，处
{fine}罚款。

第七条　犬只伤人的，养犬人应当立即把受伤者送到医疗机构，并先行支付费用。

第八条　本办法自公布之日起三十日后施行。
"""
_DOG_YEARS = {
    "2009": {"count": "一只", "days": "三十日", "leash": "二米", "fine": "二十元以上五十元以下"},
    "2016": {
        "count": "一只",
        "days": "三十日",
        "leash": "一点五米",
        "fine": "五十元以上二百元以下",
    },
    "2022": {
        "count": "二只",
        "days": "十五日",
        "leash": "一点五米",
        "fine": "二百元以上五百元以下",
    },
}


@family("fenghe-fagui", kind="一部办法的历次修正", language="zh", half="work")
def fenghe_fagui() -> Iterator[Page]:
    """Versions of the rules differ in four figures; the same version stands in two columns."""

    def page(year: str, path: str, skin: str = "law") -> Page:
        title = "枫河市养犬管理办法"
        text = _p(_DOGS.format(**_DOG_YEARS[year]))
        if skin == "law":
            body = f"""<div class="hd">枫河市法规规章库</div><div class="search"><form>
<input name="k">
<button>检索</button></form></div><div class="doc"><h1>{title}</h1>
<div class="ver">（{year}年）</div>{text}</div><div class="bq"><a href="/lishi/">历史版本</a>
<a href="/xiazai/">下载 WORD</a></div>
<div class="ft">枫河市司法局立法科　阅读 {_hits(path)}</div>"""
        else:
            body = f"""<div class="t"><a href="/">枫河公安</a></div><div class="n">
<a href="/jwgk/">警务公开
</a> <a href="/bsdt/">办事大厅</a> <a href="/ajfb/">案件发布</a> <a href="/fgwj/">法规文件</a></div>
<div class="c"><div class="l"><h3>热点</h3><p>身份证异地办理</p><p>电动自行车上牌</p></div>
<div class="r"><h2>{title}（{year}年）</h2><p class="d">发布：治安支队　浏览：{int(year) % 900}</p>
{text}<p>责任编辑：警民联络科</p></div></div><div class="b">枫河市公安局　报警电话 110</div>"""
        host = "www" if skin == "law" else "gongan"
        return Page(path, _doc(f"{title}（{year}年）", body, lang="zh"), what=year, host=host)

    yield page("2009", "/guizhang/2009/yangquan.html")
    yield page("2016", "/guizhang/2016/yangquan.html")
    yield page("2022", "/guizhang/2022/yangquan.html")
    yield page("2022", "/fgwj/t20220704_8812.html", "police")
    yield page("2016", "/guizhang/2016/yangquan.html?from=lishi")
    yield page("2009", "/fgwj/t20091120_1204.html", "police")


# --- 签证 ---

_VISA_TEXT = """
通达签证中心代办旅游签证十六年，材料由专人初审，缺什么当面说清楚，不让客人跑第二趟。以下说明适用
于因私普通护照持有人，公务护照请联系所在单位的外事部门。

基本材料包括：护照原件，有效期在六个月以上，至少留有两张空白页；近六个月内拍摄的白底彩色照片两张；
身份证和户口本整本复印件；在职证明或者退休证、学生证；最近半年的银行流水，余额建议不少于三万元。

十八周岁以下的申请人，还要提供出生证明和父母双方同意出行的公证书。曾经被拒签的，请如实告知，隐瞒
的后果比拒签更严重。

递交以后进度可以在网站查询，也可以扫描收据上的二维码。领馆有权要求补充材料或面谈，出签时间以领馆
为准，遇到节假日顺延。未出签之前请不要购买不能退改的机票。
"""
_VISAS_ZH = {
    "xinxilan": ("新西兰", "1380 元", "20 个工作日", "3 个月"),
    "moxige": ("墨西哥", "560 元", "10 个工作日", "180 天"),
    "aiji": ("埃及", "420 元", "7 个工作日", "30 天"),
    "laowo": ("老挝", "320 元", "4 个工作日", "30 天"),
}


@family("tongda-qianzheng", kind="各国签证页", language="zh", half="work")
def tongda_qianzheng() -> Iterator[Page]:
    """Countries differ in fee, wait and stay; tracking parameters and /index.html do not matter."""

    def page(key: str, tail: str = "", seen: str = "墨西哥") -> Page:
        country, fee, wait, stay = _VISAS_ZH[key]
        body = f"""<div class="site-nav"><span>全国热线 400-555-0199</span><a href="/login">登录</a>
<a href="/order">我的订单</a></div><div class="logo-bar"><a href="/">通达签证中心</a></div>
<div class="crumbs"><a href="/">首页</a> &gt; <a href="/visa/">旅游签证</a></div>
<div class="visa-box"><h2>{country}</h2><p>服务费 <em>{fee}</em></p><p>办理时长 {wait}</p>
<p>停留 {stay}</p><a class="btn-buy" href="/buy">立即预订</a></div>
<div class="visa-detail"><h1>旅游签证办理说明</h1>{_p(_VISA_TEXT)}</div>
<div class="history"><h4>最近浏览</h4><p>{seen} 旅游签证</p></div>
<div class="float-bar"><a>在线客服</a><a>回到顶部</a></div>
<div class="bottom">通达签证服务有限公司　营业执照信息</div>"""
        html = _doc("旅游签证办理说明-通达签证中心", body, lang="zh")
        return Page(f"/visa/{key}/{tail}", html, what=country)

    yield page("xinxilan")
    yield page("moxige", seen="新西兰")
    yield page("moxige", "?utm_source=baidu&utm_term=qianzheng", seen="埃及")
    yield page("aiji")
    yield page("laowo", seen="埃及")
    yield page("laowo", "index.html", seen="新西兰")
    yield page("aiji", "?bd_vid=77120345", seen="老挝")


# --- 方言词典 ---

_WORDS = {
    "3021": (
        "落雨",
        "动词，下雨。城里老派说落雨，新派多说下雨，两说并存的人家，祖父母与孙辈各说各的。例句："
        "看样子要落雨，把衣裳收进来。又指雨天：落雨天不出摊。与之相对，下雪也说落雪，降霜说打霜，"
        "不说落霜。北乡读音前字短促，南乡前字拖长。谚语有早落雨，晚穿蓑，说的是清早的雨一时停不"
        "下来。",
    ),
    "3022": (
        "落苏",
        "名词，茄子。本地菜市只说落苏，写牌子时写茄子。紫而长的叫线落苏，圆的叫荷包落苏，后者近"
        "年少见。例句：落苏要用手撕，刀切的不入味。相传因避某王跛足之讳而改名，未可尽信。霜前最"
        "后一茬皮厚，切片晒干，冬天烧肉。比喻面色发紫的人，叫他霜打的落苏。",
    ),
    "3027": (
        "落脚",
        "动词，暂时住下。例句：先在娘舅家落脚，寻到房子再搬。作名词时指剩下的、挑剩的东西，多带"
        "儿音，如落脚货、落脚菜。摊贩傍晚把落脚菜堆在一起论堆卖，不论斤。又有落脚生活一说，指收"
        "尾的零活，由学徒来做。两义读音相同，前后字不变调者为名词。",
    ),
    "3040": (
        "发松",
        "形容词，有趣，惹人发笑。用于人也用于事。例句：这个小囡讲话真发松。语气里常有几分疼爱，"
        "用来说长辈则不太恭敬。同义词有好白相，范围更宽，凡是好玩的都可以说；发松只限于引人发笑"
        "的。由来不明，一说是笑的时候筋骨都松了。现在四十岁以下的人听得懂，自己不太用。",
    ),
}
_WORDS_NOTE = """
条目由本地六十岁以上的发音人提供，记音用国际音标，此处从略。引用请注明出处，发现错误请写信给编写组。
"""


@family("tuyu-cidian", kind="词典条目，短而不同", language="zh", half="work")
def tuyu_cidian() -> Iterator[Page]:
    """Entries are short; each has up to three addresses, one of them for old telephones."""

    def page(number: str, path: str, wap: bool = False) -> Page:
        word, meaning = _WORDS[number]
        if wap:
            body = f"""<p><a href="/wap/">土语词典</a></p><h3>{word}</h3><p>{meaning}</p>
{_p(_WORDS_NOTE)}<p><a href="/wap/rand.php">换一条</a></p>"""
        else:
            near = "".join(f'<a href="/ci/{n}.html">{w}</a> ' for n, (w, _) in _WORDS.items())
            body = f"""<div id="h"><a href="/">土语词典</a><form action="/s"><input name="wd"
placeholder="查一个词"></form></div><div id="e"><h1>{word}</h1><p class="def">{meaning}</p>
<div class="tip">{_p(_WORDS_NOTE)}</div></div><div id="n">相邻条目：{near}</div>
<div id="f">土语词典编写组　编号 {number}　本条已查 {_hits(path)} 次</div>"""
        return Page(path, _doc(f"{word} - 土语词典", body, lang="zh"), what=word)

    yield page("3021", "/ci/3021.html")
    yield page("3022", "/ci/3022.html")
    yield page("3021", "/view.php?id=3021")
    yield page("3027", "/ci/3027.html")
    yield page("3022", "/wap/3022.html", wap=True)
    yield page("3040", "/ci/3040.html")
    yield page("3040", "/view.php?id=3040")
    yield page("3040", "/wap/3040.html", wap=True)


# --- 菜谱，按人数 ---

_SOUP_STEPS = """
老鸭洗净，剁成大块，冷水下锅，加几片姜和一勺黄酒，烧开以后撇去浮沫，再煮三分钟，捞出来用温水冲净。
这一步不能省，省了汤就浑，还有腥气。

扁尖笋用清水泡软，撕成细丝，泡的水留着，沉淀以后取上面清的部分。火腿切成半厘米厚的片，先用热水烫
一遍，去掉表面的油和盐。

砂锅里放鸭块、火腿和姜，一次加足热水，大火烧开，转最小的火。锅盖上压一条湿毛巾，尽量不漏气。炖到
鸭腿能用筷子轻轻戳穿的时候，放入笋丝和留着的水，再炖半个钟头。

关火以前尝一尝，火腿和笋都是咸的，多半不用再放盐。浮在上面的油撇到小碗里，第二天可以炒青菜。汤要
趁热喝，放凉的鸭肉有点柴，蘸一点酱油倒也好吃。
"""
_CAKE_STEPS = """
糯米粉和粳米粉按七比三混在一起，慢慢洒水，用手搓到能捏成团、一碰又散的程度，过一遍粗筛，盖上湿布
醒一个晚上。水多了发黏，水少了夹生，老人说粉是听手的话的。

模子里刷一层薄油，先铺一半粉，用手指轻轻按出一个窝，放一勺豆沙和一小块猪板油，再铺另一半，用直尺
刮平。不要压，压实了蒸不透。

笼屉垫上荷叶，水开以后上笼，旺火蒸二十五分钟。中途不要揭盖。看到表面没有白点，用筷子插进去不带粉，
就是熟了。倒扣出来，在正面点一个红点，趁热吃。隔夜的可以切片用油煎，两面金黄，另有一种香。
"""
_SOUP = {
    "2": (
        "2 人份",
        ("老鸭 半只（约 600 克）", "扁尖笋 40 克", "火腿 30 克", "热水 1.5 升"),
        "2 小时",
    ),
    "6": (
        "6 人份",
        ("老鸭 1 只（约 1800 克）", "扁尖笋 120 克", "火腿 90 克", "热水 4 升"),
        "3 小时 20 分",
    ),
    "10": (
        "10 人份",
        ("老鸭 2 只（约 3200 克）", "扁尖笋 200 克", "火腿 150 克", "热水 7 升"),
        "4 小时",
    ),
}


@family("laozao-caipu", kind="同一道菜的不同份量", language="zh", half="work")
def laozao_caipu() -> Iterator[Page]:
    """Amounts and times differ by number of eaters; AMP and print pages repeat them."""

    def page(key: str, style: str = "") -> Page:
        if key == "cake":
            title, text, path, box = "豆沙方糕", _CAKE_STEPS, "/caipu/fanggao", ""
        else:
            size, needs, time = _SOUP[key]
            title, text, path = "扁尖老鸭煲", _SOUP_STEPS, f"/caipu/laoyabao/{key}"
            items = "".join(f"<li>{need}</li>" for need in needs)
            box = (
                f"<div class='yl'><h3>用料（{size}）</h3><ul>{items}</ul><p>用时：{time}</p></div>"
            )
        if style == "print":
            body = f"<h1>{title}</h1>{box}<h3>做法</h3>{_p(text)}"
            path += "?print"
        elif style == "amp":
            body = f"""<header class="amp-h"><a href="/">老灶</a></header><h1>{title}</h1>
<amp-img src="/p/{key}.jpg" width="600" height="400"></amp-img>{box}{_p(text)}
<footer>打开 App 看视频</footer>"""
            path = "/amp" + path
        else:
            body = f"""<div class="tb"><a href="/">老灶菜谱</a><a href="/fenlei/">分类</a>
<a href="/caidan/">菜单</a><a href="/login/">登录</a></div><div class="pic">
<img src="/p/{key}.jpg" alt="{title}"></div><h1>{title}</h1>
<p class="by">阿芬嫂　收藏 {len(text)}</p>
{box}<div class="bz"><h3>做法</h3>{_p(text)}</div><div class="tj"><h3>大家还在做</h3>
<a href="/caipu/fanggao">豆沙方糕</a><a href="/caipu/laoyabao/2">扁尖老鸭煲</a>
<a href="/caipu/qingtuan">青团</a></div><div class="ft">老灶菜谱　沪公网备 00000000</div>"""
        return Page(path, _doc(f"{title}的做法_老灶菜谱", body, lang="zh"), what=key)

    yield page("2")
    yield page("6")
    yield page("cake")
    yield page("2", "amp")
    yield page("10")
    yield page("6", "print")
    yield page("cake", "amp")
    yield page("10", "amp")


# --- 更新日志与下载 ---

_SOFT_ABOUT = """
竹简是一款离线的笔记软件，文件保存为纯文本，不绑定账号，不上传任何内容。它适合用来写长一点的东西：
小说的草稿、课堂笔记、田野调查的记录。

安装之前请先备份笔记目录。程序会在第一次打开时建立索引，笔记多的需要几分钟，期间可以照常书写。若
要退回旧版，请先关闭程序，再删除索引文件夹，笔记本身不受影响。

校验值随安装包一起发布，下载以后建议核对。遇到杀毒软件误报，可以把文件提交给厂商复核，不放心的也
可以从源码自行编译，步骤写在说明里。个人使用永远免费，学校和图书馆批量部署请来信告知，我们会寄一
张感谢卡。
"""
_SOFT_RELEASES = {
    "3.4.1": (
        "6月9日",
        "46.2 MB",
        (
            "修复在繁体输入法下光标跳到行首的问题",
            "修复导出时脚注编号重复",
            "索引速度提高约三成",
        ),
    ),
    "3.4.0": (
        "5月21日",
        "46.0 MB",
        (
            "新增竖排阅读，可以在视图菜单里打开",
            "新增按写作时间查找",
            "删除了不再维护的云盘插件",
        ),
    ),
    "3.3.6": (
        "3月30日",
        "44.7 MB",
        (
            "修复在高分屏上图标模糊",
            "打开超过十万字的文件不再停顿",
            "更新了词频表",
        ),
    ),
}


@family("zhujian-xiazai", kind="各版本下载页", language="zh", half="work")
def zhujian_xiazai() -> Iterator[Page]:
    """A page a release; /latest/ shows the newest one, and a mirror site shows two of them."""

    def page(version: str, path: str, mirror: bool = False) -> Page:
        day, size, changes = _SOFT_RELEASES[version]
        items = "".join(f"<li>{change}</li>" for change in changes)
        main = f"""<h1>竹简 {version}</h1><p>发布于 {day}，安装包 {size}</p><h2>更新内容</h2>
<ul>{items}</ul><h2>下载之前</h2>{_p(_SOFT_ABOUT)}"""
        if mirror:
            body = f"""<div class="mirror">松果开源镜像站 <a href="/">目录</a> <a href="/status">
状态</a></div><pre>/pub/zhujian/{version}/</pre><div class="readme">{main}</div>
<address>带宽由松果网络赞助，每天四点同步</address>"""
        else:
            body = f"""<header><a href="/">竹简</a><a href="/features">功能</a>
<a href="/download">下载
</a><a href="/help">帮助</a></header><main>{main}<p><a class="dl" href="/f/zhujian-{version}.exe">
下载安装包</a></p></main><aside>其他版本：<a href="/v/3.4.1/">3.4.1</a>
<a href="/v/3.4.0/">3.4.0</a>
<a href="/v/3.3.6/">3.3.6</a></aside><footer>© 竹简开发组　今日下载 {_hits(path)}</footer>"""
        html = _doc(f"下载竹简 {version}", body, lang="zh")
        return Page(path, html, version, host="other:songguo" if mirror else "www")

    yield page("3.4.1", "/v/3.4.1/")
    yield page("3.4.0", "/v/3.4.0/")
    yield page("3.4.1", "/latest/")
    yield page("3.3.6", "/v/3.3.6/")
    yield page("3.4.0", "/zhujian/3.4.0/", mirror=True)
    yield page("3.3.6", "/zhujian/3.3.6/", mirror=True)


# --- 论坛 ---

_BEES_ONE = (
    (
        "山里老蜂",
        "今年油菜花期短，八群中蜂只摇了二十来斤，往年有四十斤。天一热巢虫就多，前天清理箱底，扫"
        "出来一把。大家的蜂现在什么情况，说说看。",
    ),
    (
        "三月槐",
        "我这边也一样，倒春寒冻了十天，蜂出不去，只好喂了两次糖水。槐花还有一周开，就指望它了。"
        "巢虫的话，把旧脾换掉比什么药都管用。",
    ),
    (
        "木桶匠",
        "用的是圆桶还是活框？圆桶底下铺一层石灰，半个月换一次，我连着三年没见过巢虫。活框的要把"
        "缝隙用蜂蜡抹平，虫卵就没地方藏。",
    ),
    (
        "山里老蜂",
        "活框，杉木的，缝是有一点大。明天就去抹。石灰会不会呛着蜂，桶放在屋檐底下，通风一般。",
    ),
)
_BEES_TWO = (
    (
        "木桶匠",
        "隔一层纱网就行，不要直接撒在巢门口。再说石灰放一夜就不冲了。",
    ),
    (
        "新手小雨",
        "借楼问一下，分蜂收回来的一团，第二天又飞走了，是不是箱子有味道？新买的松木箱，我用艾草"
        "熏过了还是不行。",
    ),
    (
        "三月槐",
        "松木有油味，蜂不喜欢。拿淘米水泡两天，太阳底下晒干，里面刷一点旧蜡，再放一张带子的老脾"
        "进去，有小蜂要喂，它就舍不得走了。",
    ),
    (
        "新手小雨",
        "照做了，住下了！还剪了一点蜂王的翅膀，手抖得不行。谢谢各位前辈，等有蜜了请大家来喝茶。",
    ),
)
_BEES_SALE = (
    (
        "河东蜂场",
        "出十箱意蜂，每箱六脾，带王，子旺。因为要去外地带孙子，没人照看，所以转让。箱子七成新，"
        "另送摇蜜机一台、起刮刀三把。只要本地自提的，路上颠坏了说不清。",
    ),
    (
        "新手小雨",
        "请问单箱卖不卖？我只放得下两箱，院子小，隔壁还有小孩，凶不凶？",
    ),
    (
        "河东蜂场",
        "不凶，我穿短袖看蜂的。两箱也行，摇蜜机就不送了，送一把刮刀。价格面议，早上七点以前来，"
        "趁蜂没出门。",
    ),
)


@family("shanfeng-luntan", kind="论坛分页、静态与动态地址", language="zh", half="work")
def shanfeng_luntan() -> Iterator[Page]:
    """Two pages of a thread and another thread; dynamic, ordered and print addresses are copies."""
    threads = {
        "5120-1": ("中蜂春季不旺，大家都怎么样", _BEES_ONE),
        "5120-2": ("中蜂春季不旺，大家都怎么样", _BEES_TWO),
        "5133-1": ("转让意蜂十箱，本地自提", _BEES_SALE),
    }

    def page(key: str, path: str, seen: int, printed: bool = False) -> Page:
        title, posts = threads[key]
        if printed:
            shown = "".join(
                f"<p><b>作者: {who}</b> 标题: {title}</p><p>{t}</p>" for who, t in posts
            )
            body = f"""<b>标题:</b> {title} [打印本页]<hr>{shown}
<p>欢迎光临 山蜂论坛　Powered by Discuz!</p>"""
            return Page(path, _doc(f"{title} - 山蜂论坛", body, lang="zh"), what=key)
        first = 1 if key.endswith("1") else 5
        replies = sum(len(part) for name, (_, part) in threads.items() if name[:4] == key[:4]) - 1
        shown = "".join(
            f"""<table class="plhin"><tr><td class="pls"><b>{who}</b><p>主题 {len(who) * 3}</p>
<p>积分 {len(t) * 2}</p></td><td class="plc"><div class="pi"><strong>{first + i}#</strong>
发表于 2021-4-{17 + i} <a>只看该作者</a></div><div class="pct">{t}</div>
<div class="po"><a>回复</a> <a>支持</a> <a>举报</a></div></td></tr></table>"""
            for i, (who, t) in enumerate(posts)
        )
        body = f"""<div id="toptb"><a>设为首页</a> <a>收藏本站</a></div><div id="hd">
<a href="/">山蜂论坛</a>
<form>用户名 <input> 密码 <input> <a>找回密码</a> <a>立即注册</a></form></div>
<div id="pt"><a>论坛</a> › <a>养蜂交流</a> › {title}</div>
<div id="postlist"><h1>{title}</h1><p>查看: {seen} | 回复: {replies}</p>{shown}</div>
<div id="f_pst">您需要登录后才可以回帖</div><div id="ft">Powered by Discuz! X3.4
<p>GMT+8, Processed in 0.0{seen % 90 + 10} second(s)</p></div>"""
        return Page(path, _doc(f"{title} - 养蜂交流 - 山蜂论坛", body, lang="zh"), what=key)

    yield page("5120-1", "/thread-5120-1-1.html", 816)
    yield page("5120-2", "/thread-5120-2-1.html", 817)
    yield page("5133-1", "/thread-5133-1-1.html", 142)
    yield page("5120-1", "/forum.php?mod=viewthread&tid=5120", 822)
    yield page("5133-1", "/forum.php?mod=viewthread&tid=5133&extra=page%3D1", 145)
    yield page("5120-2", "/forum.php?mod=viewthread&tid=5120&page=2", 823)
    yield page("5133-1", "/forum.php?mod=viewthread&action=printable&tid=5133", 145, printed=True)


# --- 图集 ---

_BRIDGE_INTRO = """
八字桥所在的老街明年开始修缮，摄影师戚文用一个冬天拍下了桥边的日常。他住在桥东的阁楼上，每天早晨
六点开窗，把镜头架在晒衣服的竹竿旁边，等第一条运菜的船过来。
"""
_BRIDGE_SHOTS = (
    "卖豆腐的陈阿婆在桥堍摆了四十一年摊。她的木盆里永远只放两板豆腐，卖完就收，从不吆喝。邻居说，"
    "听见木盆翻过来的声音，就知道快八点了。",
    "补伞匠每逢下雨天反而不出门。他说雨天大家都在用伞，没有人舍得拿来修，要等天晴，伞骨断在哪里"
    "才看得清楚。",
    "桥洞下面的石壁上有十几道纤绳磨出来的凹痕，最深的能放进一个拳头。孩子们把凹痕当作刻度，用来"
    "比谁划船时手伸得更低。",
    "茶馆的老虎灶还在烧砻糠。伙计凌晨三点起来生火，茶客四点到齐，说的还是前一天没说完的话，一壶"
    "茶两块钱，可以坐到中午。",
)


@family("qiaobian-tuji", kind="图集逐页与全图", language="zh", half="work")
def qiaobian_tuji() -> Iterator[Page]:
    """Each picture has a page and a caption; the page of all pictures has two addresses."""

    def page(path: str, shots: tuple[int, ...], what: str, likes: int, other: str = "") -> Page:
        figures = "".join(
            f'<div class="fig"><img src="/pic/bzq{n}.jpg" alt=""><p>{_BRIDGE_SHOTS[n]}</p></div>'
            for n in shots
        )
        pager = (
            "<a href='all.html'>查看全图</a>"
            if len(shots) == 1
            else "<a href='1.html'>逐张浏览</a>"
        )
        count = f"{shots[0] + 1}/{len(_BRIDGE_SHOTS)}" if len(shots) == 1 else "共 4 张"
        body = f"""<div class="bar">
<a href="/">湖镇画报</a> <a href="/tuji/">图集</a> <a href="/renwu/">
人物</a> <a href="/jiuying/">旧影</a></div><h1>八字桥边的冬天</h1><div class="lead">
{_p(_BRIDGE_INTRO)}</div><div class="viewer"><span>{count}</span>{figures}<div>{pager}</div></div>
<div class="act">赞 {likes} <a>收藏</a> <a>分享到微信</a></div><div class="more"><h3>相关图集</h3>
<a>{other or "打年糕"}</a> <a>修船厂的最后一天</a></div>
<div class="end">湖镇画报社　摄影 戚文</div>"""
        return Page(path, _doc("八字桥边的冬天_湖镇画报", body, lang="zh"), what=what)

    yield page("/tuji/812/1.html", (0,), "shot 1", 57)
    yield page("/tuji/812/2.html", (1,), "shot 2", 57)
    yield page("/tuji/812/all.html", (0, 1, 2, 3), "all", 58)
    yield page("/tuji/812/3.html", (2,), "shot 3", 58)
    yield page("/tuji/812/4.html", (3,), "shot 4", 58, "龙灯")
    yield page("/tuji/812/3.html?from=singlemessage", (2,), "shot 3", 61, "龙灯")
    yield page("/mtuji/812.html", (0, 1, 2, 3), "all", 61)


# --- 药品说明书 ---

_DRUG_TEXT = """
请仔细阅读说明书，并在药师指导下购买和使用。

【适应症】用于缓解感冒或过敏引起的流涕、打喷嚏、鼻塞，也用于荨麻疹引起的皮肤瘙痒。

【不良反应】少数人可有轻度困倦、口干、头痛，一般停药后消失。偶见心悸、皮疹，如持续不退，应停药并
就医。

【禁忌】对本品任何成分过敏者禁用。严重肾功能不全者禁用。

【注意事项】服药期间不宜饮酒，驾驶车辆和操作机器前应观察自己是否困倦。孕妇和哺乳期妇女使用前请咨
询医师。皮肤试验前四十八小时应停用本品。请将药品放在儿童不能接触的地方，性状改变时不要使用。如正
在使用其他药品，请先询问药师。

【贮藏】遮光，密封，在阴凉干燥处保存。
"""
_DRUGS = {
    "60127": ("片剂 10 毫克×12 片", "成人一次 1 片，一日 1 次", "18.50 元", "24 个月"),
    "60128": ("片剂 5 毫克×24 片", "成人一次 2 片，一日 1 次", "21.00 元", "24 个月"),
    "60133": ("口服溶液 60 毫升", "成人一次 10 毫升，一日 1 次", "26.80 元", "18 个月"),
    "60140": ("滴剂 20 毫升", "一岁以上儿童一次 0.25 毫升，一日 2 次", "32.00 元", "18 个月"),
}


@family("baihe-dayaofang", kind="不同规格的说明书", language="zh", half="work")
def baihe_dayaofang() -> Iterator[Page]:
    """Packs differ in strength, dose and price; spm, sort and session do not matter."""

    def page(number: str, query: str = "", bought: int = 37) -> Page:
        size, dose, price, life = _DRUGS[number]
        body = f"""<div class="topbar">您好，欢迎来到百合大药房！ <a>请登录</a> <a>免费注册</a>
</div>
<div class="search"><input placeholder="搜索药品"><a>购物车 0</a></div><div class="cat">
<a>感冒发烧</a>
<a>皮肤用药</a><a>儿童用药</a><a>维生素</a></div><div class="goods">
<img src="/g/{number}.jpg" alt="">
<h1>舒敏宁 盐酸西替利嗪</h1><p class="price">{price}</p><p>规格：{size}</p><p>用法：{dose}</p>
<p>有效期：{life}</p><p>编号：{number}</p><button>加入需求清单</button></div>
<div class="tabs"><a>说明书</a><a>评价</a><a>配送</a></div><div class="sms">{_p(_DRUG_TEXT)}</div>
<div class="rank"><h4>热销</h4><p>碘伏棉签 已售 {bought + 200}</p>
<p>医用口罩 已售 {bought + 920}</p>
</div><div class="foot">互联网药品信息服务资格证书　客服 8:00-22:00</div>"""
        html = _doc("舒敏宁 盐酸西替利嗪 说明书 - 百合大药房", body, lang="zh")
        return Page(f"/goods/{number}.html{query}", html, what=number)

    yield page("60127")
    yield page("60128", bought=39)
    yield page("60127", "?spm=a21bo.2017.201867.1", bought=41)
    yield page("60133", bought=41)
    yield page("60140", bought=44)
    yield page("60140", "?spm=a21bo.2017.201867.4&scm=1007", bought=45)
    yield page("60133", "?PHPSESSID=e0b7d2519c", bought=46)


# --- 转载 ---

_NEWS_CRANE = """
昨天下午四点，首批南迁的灰鹤降落在白沙湖西岸的稻茬地里，比去年早了九天。湿地保护站的观测员数了三
遍，一共六十四只，其中十一只是当年的幼鸟。

保护站站长裴云介绍，今年湖区水位偏低，浅滩露出得早，田里收割机漏下的稻谷也多，鹤群有可能停留到十
一月底。为了不惊扰它们，西岸的机耕路从今天起限行，观鸟的市民可以到望湖亭使用固定望远镜，早上八点
以前和下午三点以后最容易看到。

六年前，附近村民和保护站签了协议，留出三百亩稻茬不翻耕，每亩补贴两百元。种粮大户老唐说，鹤来了以
后田鼠少了，他打算明年再多留五十亩。
"""
_NEWS_TUNNEL = """
连接东港和云屏的鹅岭隧道今天凌晨贯通。两支队伍从两头掘进了二十六个月，在地下一百八十米处碰头，误
差只有一厘米七。

隧道全长四千三百米，穿过两条断层和一段含水的砂层。去年七月的一次涌水曾经让施工停了四十天，技术人
员用冷冻的办法把砂层冻硬，再一米一米地往前挖。项目总工邵立平说，最难的不是石头，是水。

接下来要浇筑路面，安装通风和照明。明年国庆节前后通车以后，从东港到云屏的车程将由一小时二十分缩短
到二十五分钟。盘山老路继续保留，供自行车和农用车通行。
"""
_NEWS_OPERA = """
停演三年的县睦剧团，本周六晚上将在新修好的城隍庙戏台上演出《南山种麦》。票价十元，六十岁以上的老
人凭身份证免费入场。

剧团现有演员十九人，最年轻的只有二十岁，白天在超市上班，晚上排练。班主方金凤今年七十三岁，这出戏
的丑角她演了半个世纪，这一次改坐在台侧打板。她说，嗓子不行了，手上的点子还没丢。

老戏台的木雕在修缮时只做了清洗，没有重新上漆，台口那对缺了一只角的狮子也照原样留着。演出大约两个
小时，下雨则改到文化馆小剧场。
"""


@family("baisha-chenbao", kind="两个栏目和两家转载", language="zh", half="work")
def baisha_chenbao() -> Iterator[Page]:
    """Three stories; two stand in two columns, and a portal reprints two of them."""
    stories = {
        "crane": ("首批灰鹤飞抵白沙湖", _NEWS_CRANE, "记者 乔若"),
        "tunnel": ("鹅岭隧道今天凌晨贯通", _NEWS_TUNNEL, "记者 骆一川"),
        "opera": ("睦剧团周六重登老戏台", _NEWS_OPERA, "通讯员 方远"),
    }

    def paper(key: str, path: str, column: str, hot: str) -> Page:
        title, text, who = stories[key]
        body = f"""<div class="h"><a href="/"><img src="/cb.png" alt="白沙晨报"></a>
<span>星期四 农历九月
</span></div><div class="nv"><a>要闻</a><a>民生</a><a>文体</a><a>生态</a><a>评论</a><a>电子报</a>
</div>
<div class="lj">首页 &gt; {column} &gt; 正文</div><div class="zw"><h1>{title}</h1>
<p class="ly">白沙晨报　{who}</p>{_p(text)}<p class="bj">编辑：老梁</p></div>
<div class="yl"><h3>热点</h3><p>{hot}</p><p>公交 7 路改线</p><h3>今日版面</h3><p>A1 A2 A3 A4</p>
</div>
<div class="by">白沙晨报社　未经授权不得转载　广告热线 0000-5550163</div>"""
        return Page(path, _doc(f"{title}-{column}-白沙晨报", body, lang="zh"), what=key)

    def portal(key: str, number: int) -> Page:
        title, text, _ = stories[key]
        body = f"""<div class="tp-head"><a>云屏在线</a><a>新闻</a><a>房产</a><a>招聘</a><a>论坛</a>
</div>
<div class="tp-art"><h2>{title}</h2><div class="tp-src">来源：白沙晨报　阅读 {number % 977}</div>
<div class="tp-text">{_p(text)}</div>
<div class="tp-warn">免责声明：本网转载是为传播信息，版权属于原作者，如有异议请与我们联系。</div>
</div><div class="tp-cmt">网友评论 0 条</div>
<div class="tp-side"><p>云屏二手房急售</p><p>诚聘收银员</p><p>同城拼车</p></div>
<div class="tp-foot">云屏在线　增值电信业务许可证</div>"""
        html = _doc(f"{title} - 云屏在线", body, lang="zh")
        return Page(f"/news/show-{number}.html", html, key, host="other:yunping")

    yield paper("crane", "/shengtai/202110/t4471.shtml", "生态", "睦剧团周六重登老戏台")
    yield paper("tunnel", "/yaowen/202110/t4472.shtml", "要闻", "睦剧团周六重登老戏台")
    yield paper("crane", "/yaowen/202110/t4473.shtml", "要闻", "菜场里的秤")
    yield portal("tunnel", 88120)
    yield paper("opera", "/wenti/202110/t4475.shtml", "文体", "菜场里的秤")
    yield portal("crane", 88131)
    yield paper("opera", "/minsheng/202110/t4476.shtml", "民生", "鹅岭隧道今天凌晨贯通")


# --- 常见问题，分页签 ---

_CARD_FAQ = {
    "kaika": (
        (
            "办卡要带什么？",
            "带本人身份证到任一服务点即可，外地户籍不需要居住证。未成年人由监护人代办，带户口本。",
        ),
        ("卡费多少？", "工本费二十元，不含余额，退卡时不退。首张学生卡和老年卡免费。"),
        ("多久能拿到？", "普通卡立等可取，印照片的卡要七个工作日，可以邮寄到家，邮费到付。"),
        ("可以办两张吗？", "普通卡不限张数；带优惠的卡一人只能有一张，重复办理的，旧卡自动停用。"),
    ),
    "chongzhi": (
        (
            "在哪里充值？",
            "地铁站的自助机、便利店和手机都可以。用手机充值的，还要把卡贴在手机背面写入余额。",
        ),
        ("最多能存多少？", "卡内余额上限一千元。一次充值不少于十元，按十元的整数倍递增。"),
        ("充错了能退吗？", "当天没有使用的，凭小票在原服务点退回，隔天就只能用完或者退卡。"),
        ("发票怎么开？", "充值时不开票，乘车后在网站上按月打印电子行程单，可以报销。"),
    ),
    "guashi": (
        ("丢了怎么办？", "记名卡拨打热线挂失，二十四小时后生效，余额转到新卡。不记名卡不能挂失。"),
        (
            "卡刷不出来？",
            "先到服务点检测。芯片损坏、外观完好的免费更换；折断、打孔、贴纸的要付工本费。",
        ),
        (
            "余额什么时候到新卡？",
            "补卡后的第八天起，在自助机上选择余额转入。之前的消费全部结清才能转。",
        ),
        ("捡到别人的卡？", "请交给车站工作人员。能查到主人的，由我们通知；一年无人认领的注销。"),
    ),
}


_CARD_HELP = """
客服热线每天七点到二十二点有人接听，高峰时请稍候。也可以在公众号里留言，工作日两小时内回复。投诉
请说明卡号后四位、线路和大致时间。
"""


@family("tongcheng-ka", kind="页签里的常见问题", language="zh", half="work")
def tongcheng_ka() -> Iterator[Page]:
    """Each tab is a page of its own; the first is the default, and pjax and order are views."""
    names = {"kaika": "办卡", "chongzhi": "充值", "guashi": "挂失与换卡"}

    def page(tab: str, path: str) -> Page:
        items = "".join(f"<dt>{q}</dt><dd>{a}</dd>" for q, a in _CARD_FAQ[tab])
        answers = f"""<dl class="faq">{items}</dl>
<section class="help"><h3>没有找到答案？</h3>{_p(_CARD_HELP)}</section>"""
        if "pjax" in path:
            return Page(path, answers, what=tab)
        tabs = "".join(
            f'<li{" class=on" if key == tab else ""}><a href="/faq?tab={key}">{name}</a></li>'
            for key, name in names.items()
        )
        body = f"""<header><a href="/"><img src="/tck.svg" alt="同城卡"></a><a>网点查询</a>
<a>余额查询</a>
<a>优惠政策</a><a>联系我们</a></header><h1>常见问题</h1><ul class="tabs">{tabs}</ul>{answers}
<footer>同城卡运营有限公司　您是第 {_hits(path)} 位访客</footer>"""
        return Page(path, _doc("常见问题 - 同城卡", body, lang="zh"), what=tab)

    yield page("kaika", "/faq?tab=kaika")
    yield page("chongzhi", "/faq?tab=chongzhi")
    yield page("kaika", "/faq")
    yield page("guashi", "/faq?tab=guashi")
    yield page("chongzhi", "/faq?tab=chongzhi&_pjax=%23main")
    yield page("guashi", "/faq?tab=guashi&order=default")


# --- 讲座 ---

_TALK_TEXT = """
“旧物课堂”是民俗馆的公益活动，每次请一位匠人或者研究者，从一件用旧了的东西讲起：一把秤、一顶轿子、
一只米缸。没有课本，也不考试，听完可以上手试一试。

活动免费，需要提前在公众号报名，额满为止。每场六十个座位，报名以后不能来的，请至少提前一天取消，
把位子让给别人；两次不来又不取消的，三个月内不能再报。十岁以下的孩子要由家长陪同。

请提前十分钟入场，从北门进，南门正在维修。场内可以拍照，不要使用闪光灯，展柜里的东西请勿触摸。馆
内没有停车位，建议乘坐公共交通。讲座录音一个月以后放在网站上，供没有来的朋友收听。
"""
_TALKS = (
    ("t0312", "3月12日 周六 14:00", "一杆秤的十六两", "秤匠 郁根发", "二楼讲厅"),
    ("t0326", "3月26日 周六 14:00", "花轿是怎么抬的", "民俗馆 苏琪", "二楼讲厅"),
    ("t0409", "4月9日 周六 14:00", "米缸、米桶与米囤", "箍桶匠 诸阿二", "东院"),
    ("t0410", "4月10日 周日 10:00", "米缸、米桶与米囤", "箍桶匠 诸阿二", "东院"),
)


@family("minsu-ketang", kind="场次写在页眉的讲座", language="zh", half="work")
def minsu_ketang() -> Iterator[Page]:
    """Talks differ in a header; one is given on two days, and these are two events."""

    def page(number: int, dated: bool = False, host: str = "www") -> Page:
        slug, day, theme, who, room = _TALKS[number]
        path = f"/2022/{slug[1:3]}/{slug[3:]}/event.html" if dated else f"/event/{slug}"
        head = f'<div class="ev"><b>{day}</b><h2>{theme}</h2><p>主讲：{who}　地点：{room}</p></div>'
        if host == "m":
            body = f"""<div class="m">
<a href="/">‹ 返回</a> 活动详情</div>{head}<div>{_p(_TALK_TEXT)}</div>
<button>我要报名</button>"""
        else:
            future = "".join(f"<li>{t[1].split()[0]} {t[2]}</li>" for t in _TALKS if t[0] != slug)
            body = f"""<div class="logo">水乡民俗馆</div><div class="mn"><a>参观</a><a>展览</a>
<a>活动</a>
<a>藏品</a><a>文创</a></div>{head}<div class="tx"><h1>旧物课堂</h1>{_p(_TALK_TEXT)}</div>
<div class="sd"><h4>近期场次</h4><ul>{future}</ul></div>
<div class="btm">开放时间 9:00—17:00
浏览 {_hits(path)}</div>"""
        html = _doc("旧物课堂 - 水乡民俗馆", body, lang="zh")
        return Page(path, html, what=slug, host=host)

    yield page(0)
    yield page(1)
    yield page(0, dated=True)
    yield page(2)
    yield page(3)
    yield page(1, host="m")
    yield page(3, dated=True)
    yield page(2, host="m")


# --- 分章手册与单页查看 ---

_STOVE_CHAPTERS = {
    "anzhuang": (
        "第一章　安装",
        """
炉子应当放在不燃的地面上，水泥地、砖地都可以，木地板要先铺一块至少一毫米厚的钢板，并向炉门前伸出
五十厘米。炉身离墙不少于四十厘米，墙上有隔热板的可以减到二十厘米。

烟囱每一节的承口朝上插接，让冷凝水流回炉膛，而不是滴到地上。穿墙处用陶瓷套管，室外部分高出屋脊六
十厘米，顶上装防风帽。安装好以后，用点着的香沿着接口走一圈，烟被吸进去的地方就是漏气的地方，用耐
火泥补好。
""",
    ),
    "shenghuo": (
        "第二章　生火",
        """
第一次生火要慢，让油漆和耐火砖里的水分散出来，屋里会有一点气味，打开窗子即可。先放两根粗柴，中间
架细柴和引火的松明，上面再放两根，从上往下烧，烟最少。

风门全开，等火焰烧稳，再关到三分之一。木柴要晒足一年，敲起来声音发脆。不要烧刷过漆的旧家具、煤和
垃圾。添柴的时候先把炉门开一条缝，停三秒再全部打开，免得烟倒出来。睡觉以前不要把风门关死，一定要
装一氧化碳报警器。
""",
    ),
    "qingli": (
        "第三章　清理",
        """
炉灰不用每天掏，留两指厚的一层，火更容易保持。掏出来的灰放进带盖的铁桶，在屋外搁四十八小时，确认
没有火星再倒进菜地，种洋葱和大蒜最好。

烟囱每烧掉两立方木柴刷一次，从上面放下合适口径的钢丝刷，来回三遍。炉门玻璃熏黑了，用湿报纸蘸一点
细灰擦，比什么清洁剂都好。密封绳压扁了就换新的，换的时候先把旧胶刮干净。夏天不用时，在炉膛里放一
包干石灰防潮，风门打开。
""",
    ),
}


@family("nuanshan-luzao", kind="分章、单页查看和打印", language="zh", half="work")
def nuanshan_luzao() -> Iterator[Page]:
    """Chapters are pages; the whole on a single page is another, and its print view a copy."""

    def chapter(key: str, path: str) -> Page:
        title, text = _STOVE_CHAPTERS[key]
        links = "".join(
            f'<li><a href="{k}.html">{t}</a></li>' for k, (t, _) in _STOVE_CHAPTERS.items()
        )
        body = f"""<div class="brand"><a href="/">暖山炉灶</a><a href="/products/">产品</a>
<a href="/manual/">
说明书</a><a href="/parts/">配件</a></div>
<div class="toc"><ul>{links}</ul>
<a href="all.html">单页查看</a></div>
<div class="txt"><h1>{title}</h1>{_p(text)}</div><div class="pn"><a>上一章</a>
<a>下一章</a>
</div><div class="fo">暖山炉灶厂　保修两年　售后 0000-5550129　浏览 {_hits(path)} 次</div>"""
        return Page(path, _doc(f"{title} - 暖山炉灶", body, lang="zh"), what=key)

    def whole(path: str, printed: bool = False) -> Page:
        parts = "".join(f"<h2>{t}</h2>{_p(text)}" for t, text in _STOVE_CHAPTERS.values())
        if printed:
            body = f"<h1>柴火炉使用说明书</h1>{parts}<p>——　完　——</p>"
        else:
            body = f"""<div class="brand"><a href="/">暖山炉灶</a><a href="/products/">产品</a>
<a href="/manual/">说明书</a><a href="/parts/">配件</a></div><div class="txt">
<h1>柴火炉使用说明书</h1>
{parts}</div><div class="fo">暖山炉灶厂　保修两年　售后 0000-5550129</div>"""
        return Page(path, _doc("柴火炉使用说明书 - 暖山炉灶", body, lang="zh"), what="whole")

    yield chapter("anzhuang", "/manual/v3/anzhuang.html")
    yield chapter("shenghuo", "/manual/v3/shenghuo.html")
    yield whole("/manual/v3/all.html")
    yield chapter("qingli", "/manual/v3/qingli.html")
    yield chapter("anzhuang", "/manual/latest/anzhuang.html")
    yield whole("/manual/v3/all.html?print=1", printed=True)
    yield chapter("qingli", "/manual/latest/qingli.html")


# --- 只翻译了一半的景区网站 ---

_GORGE_INTRO = """
龙溪峡谷全长七公里，最窄的地方只有三米，抬头看得见一线天。谷里有大小瀑布二十三处，水从灰白色的石
灰岩上淌下来，冬天也不断流，雨后的水声在山门口就听得到。

步道沿着溪水修建，多数路段平缓，有四处台阶较陡，装了扶手。走完全程大约三个半小时，中途有两个休息
亭，可以买到热水和烤红薯。体力不够的游客可以在第二个亭子折返，或者乘电瓶车下山。
"""
_GORGE_INTRO_EN = """
Longxi Gorge is seven kilometres long and only three metres wide at its narrowest, where nothing is
left of the sky but a ribbon. There are twenty-three waterfalls, large and small, which run over
pale
limestone all through the winter; after rain you can hear them from the gate.

The path keeps to the stream and is mostly level, with four steep flights of steps that have
railings. Allow three and a half hours for the whole of it. Two pavilions on the way sell hot water
and baked sweet potatoes. Those who are tired may turn back at the second, or ride down in a buggy.
"""
_GORGE_TRAFFIC = """
从市区出发，在汽车南站乘坐到龙溪的班车，每四十分钟一班，末班十七点二十分，车程一小时十分，票价十
四元。下车以后往山的方向走六百米就是售票处。

自驾的游客从高速公路龙溪出口下，右转沿着溪边的路走十二公里。停车场有三百个车位，节假日上午九点以
后常常停满，请听从指挥停到小学操场，有摆渡车接送，不另收费。

旺季每逢周末，高铁站西广场有直达专线，凭当天的火车票半价。网约车可以送到山门，回程山里信号弱，最
好提前约好时间。骑车来的，在游客中心左侧存放，有打气筒和简单的工具。
"""
_GORGE_NOTICE = """
请不要离开步道，不要下到深潭里游泳，水温常年只有十二度，容易抽筋。雷雨天气和上游放水的时候，会响
警报，请就近往高处走，等工作人员带领。

谷里全程禁止吸烟和使用明火，打火机在检票口寄存。不要投喂猴子，也不要在它们面前拿出塑料袋。拾到的
石头请放回原处，好看的石头离了水就不好看了。

七十岁以上的老人要有人陪同。患有心脏病、高血压的游客请量力而行，两个亭子里都有急救箱和电话。遗失
物品在游客中心登记，找到后免费寄回。
"""


@family("longxi-xiagu", kind="译了一半的景区网站", language="zh", half="work")
def longxi_xiagu() -> Iterator[Page]:
    """Of three pages under /en/ one is in English, the others still show the Chinese text."""

    def page(lang: str, slug: str, title: str, text: str, what: str) -> Page:
        chinese = ("首页", "交通", "须知", "订票", "龙溪峡谷旅游开发公司")
        english = ("Home", "Getting here", "Notice", "Tickets", "Longxi Gorge Tourism Co.")
        words = english if lang == "en" else chinese
        prefix = "/en" if lang == "en" else ""
        body = f"""<div class="top"><img src="/longxi.jpg" alt=""><span><a href="/{slug}">中文</a> |
<a href="/en/{slug}">English</a></span></div><div class="nav"><a href="{prefix}/">{words[0]}</a>
<a href="{prefix}/traffic.html">{words[1]}</a><a href="{prefix}/notice.html">{words[2]}</a>
<a href="{prefix}/ticket.html">{words[3]}</a></div><div class="body">
<h1>{title}</h1>{_p(text)}</div>
<div class="bot">{words[4]}</div>"""
        return Page(f"{prefix}/{slug}", _doc(title, body, lang=lang), what=what)

    yield page("zh", "intro.html", "峡谷简介", _GORGE_INTRO, "intro zh")
    yield page("en", "intro.html", "About the gorge", _GORGE_INTRO_EN, "intro en")
    yield page("zh", "traffic.html", "交通指南", _GORGE_TRAFFIC, "traffic")
    yield page("zh", "notice.html", "游客须知", _GORGE_NOTICE, "notice")
    yield page("en", "traffic.html", "交通指南", _GORGE_TRAFFIC, "traffic")
    yield page("en", "notice.html", "游客须知", _GORGE_NOTICE, "notice")


# --- 书目列表 ---

_SHELF = (
    (
        ("水车考", "陆廷之", "讲筒车、翻车和龙骨车的构造，附测绘图四十幅。"),
        ("候鸟不识字", "温小满", "在岛上教书九年的随笔，写学生，也写台风。"),
        ("一个村庄的账本", "钱守仁", "从一九五三年记到一九九八年的家庭收支。"),
        ("烧窑人", "邢丽", "访问三十二位窑工，谈火候、行规和手上的伤。"),
        ("夜航灯", "周子渔", "长篇小说，一艘客轮上的三代人。"),
    ),
    (
        ("豆的旅行", "范晓", "大豆、蚕豆和豌豆怎样走遍世界。"),
        ("听石头", "白露", "写给孩子的地质学，配有收集矿物的方法。"),
        ("旧城门", "侯一平", "十二座已经拆除的城门，靠照片和口述复原。"),
        ("慢船", "陶然", "诗集，收短诗九十首。"),
        ("药铺里的秤", "郝文锦", "中药计量的历史，兼谈作伪和辨伪。"),
    ),
)


_SHELF_ABOUT = """
书屋在半塘桥北，门口有一棵柿子树。周二休息，其余每天十点到八点开门。可以坐着看，不买也没关系；书
里夹着的纸条请不要拿走，那是别的读者写给下一位读者的。想要的书店里没有，留下电话，到了通知您。
"""


@family("bantang-shuwu", kind="列表分页与排列方式", language="zh", half="work")
def bantang_shuwu() -> Iterator[Page]:
    """Two pages of new books; grid view and order within a page do not matter."""

    def page(
        query: str, books: int, what: str, *, grid: bool = False, turned: bool = False
    ) -> Page:
        rows = _SHELF[books][::-1] if turned else _SHELF[books]
        tag = "div" if grid else "li"
        items = "".join(
            f'<{tag} class="bk"><img src="/c/{n}.jpg" alt=""><h3>{name}</h3>'
            f"<p>{who}</p><p>{about}</p></{tag}>"
            for n, (name, who, about) in enumerate(rows)
        )
        shown = items if grid else f"<ul>{items}</ul>"
        body = f"""<div class="hd"><a href="/">半塘书屋</a><a href="/new">新到</a>
<a href="/old">旧书</a>
<a href="/about">关于</a></div><h1>新到的书</h1><div class="sw">排列：<a>列表</a> <a>网格</a> 顺序：
<a>默认</a> <a>倒序</a></div><div class="ls">{shown}</div><div class="pg"><a href="/new">1</a>
<a href="/new?page=2">2</a></div><div class="ab">{_p(_SHELF_ABOUT)}</div>
<div class="ft">半塘书屋　电话 0000-5550146</div>"""
        return Page(f"/new{query}", _doc("新到的书 - 半塘书屋", body, lang="zh"), what=what)

    yield page("", 0, "new 1")
    yield page("?page=2", 1, "new 2")
    yield page("?view=grid", 0, "new 1", grid=True)
    yield page("?page=2&view=grid", 1, "new 2", grid=True)
    yield page("?order=desc", 0, "new 1", turned=True)
