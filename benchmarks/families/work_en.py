"""English sites whose pages share nearly all of their words, whether or not they are copies."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.families.kit import Page, family


def _document(title: str, body: str, *, head: str = "", lang: str = "en") -> str:
    return f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{title}</title>
{head}
</head>
{body}
</html>
"""


def _items(lines: tuple[str, ...] | list[str], css: str = "") -> str:
    attribute = f' class="{css}"' if css else ""
    return "\n".join(f"<li{attribute}>{line}</li>" for line in lines)


def _paragraphs(text: tuple[str, ...]) -> str:
    return "\n".join(f"<p>{paragraph}</p>" for paragraph in text)


# 1. US states, in folders that could as well be languages

_STATES = (
    ("de", "Delaware", "$40", "60 days", "Division of Motor Vehicles, Dover", "MV212"),
    ("id", "Idaho", "$45 to $69", "90 days", "county assessor's office", "ITD 3337"),
    ("in", "Indiana", "$21.35", "45 days", "Bureau of Motor Vehicles branch", "44049"),
    ("me", "Maine", "$35", "30 days", "town hall, then the BMV", "MVT-2"),
    ("la", "Louisiana", "$20 to $82", "20 days", "Office of Motor Vehicles", "DPSMV 1799"),
    ("pa", "Pennsylvania", "$45", "20 days", "any PennDOT agent", "MV-1"),
    ("or", "Oregon", "$126 to $316", "30 days", "DMV field office", "735-226"),
    ("co", "Colorado", "by weight", "90 days", "county motor vehicle office", "DR 2395"),
)


@family("plate-guide", kind="two-letter folders that are states", language="en", half="work")
def plate_guide() -> Iterator[Page]:
    """Each state's guide has a fee, deadline, office and form of its own, in a sidebar list."""
    for code, name, fee, days, office, form in _STATES:
        body = f"""<body class="guide-page">
<a class="skip" href="#content">Skip to content</a>
<header class="site-head"><a href="/"><img src="/img/plate-logo.svg" alt="Plate Guide"></a>
<nav><ul><li><a href="/">Home</a></li><li><a href="/{code}/title/">Titles</a></li>
<li><a href="/{code}/register/">Registration</a></li><li><a href="/{code}/renew/">Renewal</a></li>
</ul></nav></header>
<ol class="breadcrumb"><li><a href="/">States</a></li><li>{name}</li><li>Register</li></ol>
<div class="layout">
<main id="content">
<h1>How to register a vehicle you have just bought</h1>
<p>Whether you bought from a dealer or from a neighbor, the car has to be registered in your name
before its temporary tag runs out. A dealer usually files the papers for you and adds the cost to
the invoice; after a private sale the errand is yours. This guide walks you through it in order.</p>
<h2>What to bring</h2>
<ul><li>The title, signed over to you by the seller on the back</li>
<li>A bill of sale that names the price, the mileage and the day of the sale</li>
<li>Proof of insurance in your own name, on paper or on your phone</li>
<li>A driver's license or another identity card with a photograph</li></ul>
<h2>At the counter</h2>
<p>Arrive early in the week and early in the day, since lines grow toward the end of the month. The
clerk compares the identification number on the title with the one you have copied from the
dashboard, so write it down carefully. Sales tax is collected at the same time. You leave with two
plates or one, a card for the glove box and a sticker, and may drive home at once.</p>
<h2>If something is missing</h2>
<p>A lost title must be replaced by the seller, not by you. Where a lender still holds a lien, ask
for a letter of release before you pay anybody. Never accept a title on which a line has been
crossed out: the office will send you away, and the seller may be hard to find again.</p>
</main>
<div class="sidebar"><div class="facts"><h3>Your state at a glance</h3><dl>
<dt>State</dt><dd>{name}</dd><dt>Fee</dt><dd>{fee}</dd><dt>Deadline</dt><dd>{days}</dd>
<dt>Where</dt><dd>{office}</dd><dt>Form</dt><dd>{form}</dd></dl></div>
<div class="promo"><a href="/newsletter/">Get a reminder before your sticker expires</a></div></div>
</div>
<footer><p>&copy; Plate Guide. We are not a government agency.</p>
<a href="/about/">About</a> <a href="/privacy/">Privacy</a></footer>
</body>"""
        yield Page(
            f"/{code}/register/",
            _document(
                "How to Register a Vehicle | Plate Guide",
                body,
                head='<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                '<link rel="stylesheet" href="/css/guide.css">',
            ),
            what=name,
        )


# 2. Job ads

_JOBS = (
    (48211, "Ludlow", "WLC-1187", "£12.10 per hour", "37.5 hours, days"),
    (48212, "Ludlow", "WLC-1188", "£13.45 per hour", "30 hours, nights"),
    (48230, "Kidderminster", "WLC-1190", "£12.10 per hour", "37.5 hours, days"),
    (48233, "Hereford", "WLC-1204", "£12.35 per hour", "24 hours, weekends"),
    (48240, "Leominster", "WLC-1209", "£12.10 per hour", "37.5 hours, days"),
    (48251, "Tenbury Wells", "WLC-1215", "£12.60 per hour", "20 hours, mornings"),
    (48262, "Bromyard", "WLC-1221", "£12.10 per hour", "37.5 hours, days"),
)


@family("willowlea-care", kind="job ads with facts in an aside", language="en", half="work")
def willowlea_care() -> Iterator[Page]:
    """Each vacancy has a place, a reference, a pay and hours of its own, in an aside only."""
    for number, place, reference, pay, hours in _JOBS:
        body = f"""<body>
<div class="topbar"><span>Call our recruitment team on 01584 555 0100</span></div>
<nav class="navbar navbar-expand-lg"><a class="navbar-brand" href="/">Willowlea Care</a>
<a class="nav-link" href="/homes">Our homes</a><a class="nav-link" href="/careers">Careers</a>
<a class="nav-link" href="/families">For families</a></nav>
<div class="container"><div class="row">
<article class="col-md-8 vacancy">
<h1>Care Assistant</h1>
<p class="lead">We are looking for kind, patient and reliable people who would like to make an
older person's day a little better. Experience is welcome, but it is not what we look for first.</p>
<h2>The role</h2>
<p>You will help residents to wash, dress, eat and move about, and you will sit with them when there
is nothing to do but talk. You write up each shift in the care record, tell the senior on duty of
anything that worries you, and join in with outings and birthdays. You will never be asked to lift
anybody alone, and you will shadow a colleague for your first two weeks.</p>
<h2>What you bring</h2>
<ul><li>Warmth, a sense of humour and respect for people's privacy</li>
<li>Spoken and written English good enough for the care record</li>
<li>The right to work in the United Kingdom</li>
<li>Willingness to work towards a diploma in adult care, which we pay for</li></ul>
<h2>What we offer</h2>
<p>Paid breaks, a uniform, free parking, a pension, twenty-eight days of holiday, meals on duty, and
a bonus for every friend you bring who stays for three months. Your background check is at our
expense. All of our managers began as carers, and we are proud of that.</p>
<p>To apply, send a short letter or simply ring us. We read every application and answer within a
week. Interviews take place in the home itself so that you can meet the people who live there.</p>
</article>
<aside class="col-md-4"><div class="card"><div class="card-body">
<p><strong>Location</strong><br>{place}</p><p><strong>Reference</strong><br>{reference}</p>
<p><strong>Pay</strong><br>{pay}</p><p><strong>Shift</strong><br>{hours}</p>
<a class="btn btn-primary" href="/careers/{number}/apply">Apply now</a></div></div></aside>
</div></div>
<footer class="bg-dark"><p>Willowlea Care Ltd, registered in England. <a href="/legal">Legal</a>
</p></footer>
</body>"""
        yield Page(
            f"/careers/{number}/care-assistant",
            _document(
                "Care Assistant | Careers at Willowlea Care",
                body,
                head='<meta name="description" content="Join our team as a care assistant.">\n'
                '<link rel="stylesheet" href="/assets/bootstrap.min.css">',
            ),
            what=reference,
        )


# 3. Variants of a product

_JACKETS = (
    (39411, "Slate", "£89.00", "HRJ-SLT-M", "slate"),
    (39412, "Mustard", "£89.00", "HRJ-MUS-M", "mustard"),
    (39415, "Bottle green", "£95.00", "HRJ-BGR-M", "bottle-green"),
    (39418, "Brick", "£62.50", "HRJ-BRK-M", "brick"),
    (39420, "Navy", "£89.00", "HRJ-NVY-M", "navy"),
    (39427, "Sand", "£71.00", "HRJ-SND-M", "sand"),
)


@family("saltmarsh-outfitters", kind="product variants", language="en", half="work")
def saltmarsh_outfitters() -> Iterator[Page]:
    """Each colour of one jacket has a price, SKU and picture of its own, in the buy box."""
    for number, colour, price, sku, picture in _JACKETS:
        body = f"""<body class="template-product">
<div id="announcement">Free delivery on orders over £60</div>
<header class="site-header"><a href="/" class="logo"><img src="/cdn/logo.png" alt="Saltmarsh"></a>
<a href="/collections/coats">Coats</a><a href="/collections/boots">Boots</a>
<a href="/cart">Cart (0)</a></header>
<section class="product-grid">
<div class="gallery"><img src="/cdn/harbour-jacket-{picture}-front_800x.jpg" alt="Harbour jacket">
<img src="/cdn/harbour-jacket-{picture}-back_800x.jpg" alt="Harbour jacket"></div>
<div class="buy-box"><h1 class="product-title">Harbour Rain Jacket</h1>
<div class="price"><span class="money">{price}</span> <small>incl. VAT</small></div>
<p>Colour: <span class="swatch-value">{colour}</span></p><p class="sku">SKU {sku}</p>
<form action="/cart/add" method="post"><input type="hidden" name="id" value="{number}">
<button type="submit">Add to cart</button></form></div>
</section>
<section class="description"><h2>Description</h2>
<p>We made this jacket for the people who mend nets on our quay, and it has not changed much since.
The shell is a waxed cotton of middling weight, cut long enough to sit down in, with a storm flap
over a brass zip and a hood that turns with your head. The seams are taped by hand. Two deep pockets
are lined with brushed flannel, and a third, inside, is just large enough for a folded chart.</p>
<p>It will soften over the first winter and keep the creases of whoever wears it. Sponge it with
cold water, never put it in a machine, and wax it again every other autumn; a tin of dressing comes
with it. If a seam gives way we repair it for nothing, however old the jacket is.</p>
<h2>Delivery and returns</h2>
<p>Parcels leave our workshop on weekdays before noon. You have thirty days to change your mind; the
label for the way back is in the box. Sale items may be exchanged but not refunded.</p></section>
<footer><a href="/policies/terms">Terms</a> <a href="/policies/privacy">Privacy</a>
<p>Saltmarsh Outfitters, The Old Sail Loft</p></footer>
</body>"""
        yield Page(
            f"/products/harbour-rain-jacket?variant={number}",
            _document(
                "Harbour Rain Jacket &ndash; Saltmarsh Outfitters",
                body,
                head='<meta property="og:type" content="product">\n'
                '<meta property="og:title" content="Harbour Rain Jacket">\n'
                '<link href="/cdn/theme.css" rel="stylesheet">',
            ),
            what=sku,
        )


# 4. Events

_EVENINGS = (
    ("", "6 March", "7.30 pm", "Corn Hall"),
    ("-2", "13 March", "7.30 pm", "Corn Hall"),
    ("-3", "20 March", "7.30 pm", "St Mary's Church Room"),
    ("-4", "20 March", "3.00 pm", "Corn Hall"),
    ("-5", "3 April", "7.30 pm", "Corn Hall"),
    ("-6", "10 April", "8.00 pm", "The Malthouse"),
)


@family("ceilidh-nights", kind="events with bare dates", language="en", half="work")
def ceilidh_nights() -> Iterator[Page]:
    """Each evening has a date or a venue of its own under the same title and text."""
    for suffix, date, hour, venue in _EVENINGS:
        body = f"""<body class="single single-tribe_events">
<div id="page"><header id="masthead"><p class="site-title"><a href="/">Ceilidh Nights</a></p>
<ul class="menu"><li><a href="/events/">Events</a></li><li><a href="/band/">The band</a></li>
<li><a href="/contact/">Contact</a></li></ul></header>
<div id="tribe-events-content">
<p class="tribe-events-back"><a href="/events/">&laquo; All Events</a></p>
<h1 class="tribe-events-single-event-title">Ceilidh for Beginners</h1>
<div class="tribe-events-schedule"><span class="start">{date} @ {hour}</span></div>
<div class="tribe-events-content"><p>Come and dance, even if you have never danced before. Our
caller walks everybody through each figure before the music starts, and nobody minds if you turn the
wrong way. Bring flat shoes and a friend, though you will find partners enough if you come alone.
There is a bar, a tea urn and a table for cakes. Children are welcome with a grown-up. Tickets are
sold at the door for as long as there is room, and we stop when the last bus leaves.</p></div>
<div class="tribe-events-meta-group"><h2>Venue</h2><address>{venue}</address></div>
</div>
<footer id="colophon">Proudly powered by WordPress</footer></div>
</body>"""
        yield Page(
            f"/event/ceilidh-for-beginners{suffix}/",
            _document("Ceilidh for Beginners &#8211; Ceilidh Nights", body),
            what=f"{date}, {hour}, {venue}",
        )


# 5. Pages of comments

_SLOW_ARTICLE = (
    "For eleven years I have kept the same two compost heaps behind the shed, and for ten of them I"
    " did everything the books say. I layered the green with the brown, I turned the heaps on the"
    " first of the month, I watered them in a drought and covered them in the rain. The compost was"
    " good. It was also a great deal of work, and one spring, when my back gave out, I stopped.",
    "What happened next is the reason for this post. Nothing happened. The heap that I no longer"
    " turned sank a little more slowly than the other, but it sank. By the following spring the"
    " bottom third was as dark and crumbly as anything I had ever made with the fork. The worms had"
    " done the turning, and they had not asked for the first of the month off.",
    "I have since tried to find out how little one can do. You need air, so start with a layer of"
    " sticks as thick as your arm. You need something dry for each bucket from the kitchen, and a"
    " torn cardboard box is perfect. You do not need an activator, a thermometer, a tumbler or a"
    " lid. You do not need to chop anything, though a cabbage stump will still be there in summer.",
    "The price of laziness is time. A heap that is turned is ready in three or four months; one"
    " that is left alone takes a year, and the seeds of weeds survive in it because it never gets"
    " hot. So keep the docks and the bindweed out of it and give them to the council. Everything"
    " else may go in, be forgotten, and come out as soil.",
    "If you have room for three heaps, the arithmetic is simple: one that you fill, one that waits,"
    " and one that you empty. Each autumn they change places. I take a chair out there on the day"
    " when they do, and a flask of tea, and I count it among the holidays of the year.",
)

_COMMENT_PAGES: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (
        (
            "Maureen T.",
            "March 3",
            "I gave up turning mine as well and never told a soul. Thanks!",
        ),
        ("Oakapple", "March 3", "Does the layer of sticks have to be renewed every year?"),
        ("Piotr", "March 4", "Here in Gdynia the winter stops the worms until April, be warned."),
    ),
    (
        ("Greta Lind", "March 9", "Rats moved into my unturned heap. Wire mesh below solved it."),
        ("Col. Hobbs", "March 11", "Humbug. A heap that has not steamed is merely a pile."),
    ),
    (
        ("Anneke", "April 2", "Could I put in the bedding of two rabbits, straw and all?"),
        ("Oakapple", "April 2", "I do so with guinea pigs, and it works like a charm."),
        ("D. Farrow", "April 5", "Citrus peel took eighteen months with me. Just saying."),
    ),
    (
        ("Sunil", "June 21", "On a balcony I use a laundry basket and the same idea, in small."),
        ("Maureen T.", "June 30", "Update: first barrow out today, black as a hat."),
    ),
    (
        ("Hettie", "October 8", "We changed our heaps today, chair and flask included. Cheers!"),
        ("Bram de Wit", "October 12", "Leaves alone, in a cage of netting, need two full years."),
        ("Joan", "October 19", "My council charges for bindweed now, nine pounds a bag."),
    ),
)


@family("lazy-allotment", kind="comment pages of one article", language="en", half="work")
def lazy_allotment() -> Iterator[Page]:
    """Each page of comments holds other comments under the same long article."""
    count = len(_COMMENT_PAGES)
    for number, comments in enumerate(_COMMENT_PAGES, 1):
        folder = f"comment-page-{number}/" if number > 1 else ""
        pages = " ".join(
            f'<span class="page-numbers current">{n}</span>'
            if n == number
            else f'<a class="page-numbers" href="/2021/03/compost/comment-page-{n}/">{n}</a>'
            for n in range(1, count + 1)
        )
        listed = "\n".join(
            f'<li class="comment"><div class="comment-author"><img class="avatar" alt="" '
            f'src="/avatar.png"><cite>{who}</cite> says:</div><div class="comment-meta">{when}'
            f"</div><p>{text}</p></li>"
            for who, when, text in comments
        )
        body = f"""<body class="post-template-default single">
<div class="site"><header class="site-header"><h2><a href="/">The Lazy Allotment</a></h2>
<p>Growing more by doing less</p></header>
<article class="post"><header class="entry-header"><h1 class="entry-title">Why I stopped turning my
compost</h1><span class="posted-on">March 2, 2021</span></header>
<div class="entry-content">
{_paragraphs(_SLOW_ARTICLE)}
</div></article>
<div id="comments" class="comments-area"><h2 class="comments-title">13 thoughts on &ldquo;Why I
stopped turning my compost&rdquo;</h2>
<ol class="comment-list">
{listed}
</ol>
<nav class="comments-pagination">{pages}</nav>
<div id="respond"><h3>Leave a Reply</h3><p>Your email address will not be published.</p></div></div>
<aside class="widget-area"><h2>Categories</h2><ul><li><a href="/category/soil/">Soil</a></li>
<li><a href="/category/tools/">Tools</a></li></ul></aside>
<footer class="site-footer">Theme: Twenty Nineteen</footer></div>
</body>"""
        yield Page(
            f"/2021/03/compost/{folder}",
            _document("Why I stopped turning my compost - The Lazy Allotment", body),
            what=f"comments {number}",
        )


# 6. Print versions

_HARBOUR_NEWS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "crane-retires",
        "The oldest crane on the quay retires",
        (
            "After sixty-one years and, by the reckoning of its last driver, two million lifts, the"
            " yellow crane at the north end of Fenwick Quay was switched off on Tuesday. A small"
            " crowd had come to see it set down a crate of oranges, which was then shared out.",
            "The crane was built in Carlisle and came by barge. It landed timber, then fertiliser,"
            " and lately parts of wind turbines too heavy for it, which took two hooks and a good"
            " deal of nerve. The harbour board has promised that it will stay where it is, painted"
            " and lit at night, with a stair for visitors as far as the cabin.",
        ),
    ),
    (
        "dredging-week-14",
        "Dredging notice, week 14",
        (
            "The dredger Marigold will work in the inner channel between buoys 4 and 9 from Monday"
            " to Thursday, between 0600 and 1800. Vessels shall pass at dead slow on the side"
            " that shows two green lights and shall call on channel 12 before they enter.",
            "The least depth to be reckoned with during the work is 4.2 metres. Moorings on the"
            " south wall must be cleared by Sunday evening. Spoil goes to the ground off the"
            " point, and fishermen are asked to keep their pots half a mile away from it.",
        ),
    ),
    (
        "dredging-week-15",
        "Dredging notice, week 15",
        (
            "The dredger Marigold will work in the inner channel between buoys 9 and 13 from Monday"
            " to Wednesday, between 0600 and 1800. Vessels shall pass at dead slow on the side"
            " that shows two green lights and shall call on channel 12 before they enter.",
            "The least depth to be reckoned with during the work is 3.7 metres. Moorings on the"
            " west wall must be cleared by Sunday evening. Spoil goes to the ground off the"
            " point, and fishermen are asked to keep their pots half a mile away from it.",
        ),
    ),
    (
        "seal-in-lock",
        "Seal spends a night in the lock",
        (
            "A young grey seal followed the evening tide into the lock at Fenwick on Friday and was"
            " still there when the gates had closed. Keeper Ida Marsh gave it two mackerel and"
            " her company until dawn, when it left with the trawler Providence.",
            "It is the third seal this year. The lifeboat station asks people not to feed them,"
            " a rule of which Mrs Marsh says that she was not aware at three in the morning.",
        ),
    ),
)


def _harbour_page(title: str, text: tuple[str, ...]) -> str:
    body = f"""<body>
<div id="wrap"><div id="head"><a href="/"><img src="/images/harbour.gif" alt="Harbour News"
width="240" height="60"></a></div>
<div id="left"><ul><li><a href="/news/">News</a></li><li><a href="/tides/">Tides</a></li>
<li><a href="/notices/">Notices to mariners</a></li><li><a href="/history/">History</a></li></ul>
<p><b>Harbour office</b><br>Open on weekdays from nine until five. Out of hours please ring the
watch.</p></div>
<div id="main"><h1>{title}</h1>
{_paragraphs(text)}
<p class="tools"><a href="#">Send to a friend</a> | <a href="#">Share on Facebook</a></p></div>
<div id="right"><h4>Also in the news</h4><ul><li><a href="/news/crane-retires.html">Crane</a></li>
<li><a href="/news/seal-in-lock.html">Seal</a></li></ul></div>
<div id="foot">Fenwick Harbour Board &middot; <a
href="/accessibility/">Accessibility</a></div></div>
</body>"""
    head = '<link rel="stylesheet" href="/style.css" media="screen">'
    return _document(f"{title} - Harbour News", body, head=head)


def _harbour_print(title: str, text: tuple[str, ...]) -> str:
    body = f"""<body onload="window.print()">
<p><img src="/images/harbour-bw.gif" alt="Harbour News"></p><hr>
<h2>{title}</h2>
{_paragraphs(text)}
<hr><p><small>Printed from Harbour News. Please think of the trees.</small></p>
</body>"""
    return _document(f"Print: {title}", body, head='<meta name="robots" content="nofollow">')


def _harbour_plain(title: str, text: tuple[str, ...]) -> str:
    body = f"""<body bgcolor="white"><center><table width="600"><tr><td>
<font size="5"><b>{title}</b></font>
{_paragraphs(text)}
<a href="/text/">Text only index</a></td></tr></table></center></body>"""
    return _document(title, body)


@family("fenwick-harbour", kind="print versions without canonical", language="en", half="work")
def fenwick_harbour() -> Iterator[Page]:
    """Print and text versions are copies of their article; two notices differ in their numbers."""
    crane, first, second, seal = _HARBOUR_NEWS
    for slug, title, text in (crane, first):
        yield Page(f"/news/{slug}.html", _harbour_page(title, text), what=slug)
    for slug, title, text in (second, crane):
        yield Page(f"/print/{slug}.html", _harbour_print(title, text), what=slug)
    for slug, title, text in (second, seal):
        yield Page(f"/news/{slug}.html", _harbour_page(title, text), what=slug)
    for slug, title, text in (crane, first):
        yield Page(f"/text/{slug}.htm", _harbour_plain(title, text), what=slug)
    for slug, title, text in (first, seal):
        yield Page(f"/print/{slug}.html", _harbour_print(title, text), what=slug)


# 7. Videos

_CLIPS = (
    ("bow-hold", "Bow hold", "vimeo", "331840127"),
    ("left-hand", "Left hand", "vimeo", "331840552"),
    ("vibrato", "Vibrato", "youtube", "Qh3x_vT0aLk"),
    ("recital-1", "Student recital", "youtube", "b7Wq1mZc2Ns"),
    ("recital-2", "Student recital", "youtube", "k0Lp8RtYvEo"),
    ("recital-3", "Student recital", "vimeo", "345512906"),
    ("recital-4", "Student recital", "youtube", "Zt4uHn6GdXc"),
)

_PLAYERS = {
    "vimeo": "https://player.vimeo.com/video/",
    "youtube": "https://www.youtube.com/embed/",
}


@family("fiddle-clips", kind="pages of videos", language="en", half="work")
def fiddle_clips() -> Iterator[Page]:
    """Each page shows another video; some have a title of their own, four have not."""
    for slug, title, player, video in _CLIPS:
        body = f"""<body class="dark">
<div class="bar"><a href="/" class="brand">Fiddle Clips</a> <a href="/watch/bow-hold">Lessons</a>
<a href="/watch/recital-1">Recitals</a> <a href="/join">Join</a></div>
<main class="player"><h1>{title}</h1>
<div class="ratio ratio-16x9"><iframe src="{_PLAYERS[player]}{video}" title="Video player"
allowfullscreen></iframe></div>
<p>Free for members of our violin studio. Turn on the captions for the names of the pieces, and slow
the player down if you want to play along.</p>
<div class="share"><a href="#">Tweet</a> <a href="#">Pin</a> <a href="#">Mail</a></div></main>
<footer>Filmed in our front room. All rights reserved.</footer>
</body>"""
        yield Page(
            f"/watch/{slug}",
            _document(f"{title} | Fiddle Clips", body),
            what=f"video {video}",
        )


# 8. Release notes

_RELEASES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("4.2.0", "2022-01-18", ("New: export of ledgers as OFX", "Fixed: totals in the year view")),
    ("4.2.1", "2022-01-25", ("Fixed: a crash when a ledger has no accounts",)),
    ("4.2.2", "2022-02-08", ("Fixed: a crash when a ledger has no currency",)),
    ("4.2.3", "2022-02-10", ("Security: imported files may no longer name a path outside",)),
    ("4.3.0", "2022-05-03", ("New: budgets by quarter", "Removed: the Flash charts")),
    ("4.3.1", "2022-05-04", ("Fixed: budgets by quarter began in February",)),
    ("4.3.2", "2022-06-21", ("No changes but a new signing certificate",)),
)


@family("tallyhouse", kind="release notes by version", language="en", half="work")
def tallyhouse() -> Iterator[Page]:
    """Each version's notes have other changes under the same instructions for the upgrade."""
    for version, date, changes in _RELEASES:
        body = f"""<body data-theme="light">
<nav class="navbar"><div class="navbar__inner"><a class="navbar__brand" href="/">Tallyhouse</a>
<a class="navbar__item" href="/docs/">Docs</a><a class="navbar__item" href="/releases/">Releases</a>
<a class="navbar__item" href="https://forum.tallyhouse.test/">Forum</a></div></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar"><ul class="menu__list">
{_items([f'<a href="/releases/{number}">{number}</a>' for number, _, _ in _RELEASES], "menu__item")}
</ul></aside>
<main><article class="theme-doc-markdown markdown"><header><h1>Tallyhouse {version}</h1></header>
<p>Released on <time datetime="{date}">{date}</time>.</p>
<h2 id="changes">Changes</h2>
<ul>
{_items(changes)}
</ul>
<h2 id="upgrade">How to upgrade</h2>
<p>Close every window of the program and make a copy of the folder in which your ledgers are kept.
Download the installer for your system from the page of downloads and run it; there is no need to
remove the version that you have. The first start takes longer than usual, because the index of
transactions is built anew. If you share ledgers over a network, upgrade all of the computers on the
same day, since an older program will refuse to open a file that a newer one has touched.</p>
<p>On Linux the package can be had from our repository. Import our key if you have not done so,
refresh the list of packages, and install the one called tallyhouse. People who build from source
need a compiler for C++17, the Qt libraries and a free afternoon.</p>
<h2 id="back">How to go back</h2>
<p>Uninstall the program, install the old version, and replace the folder of ledgers by the copy
that you made. Entries made since then are lost, so print them or export them first. When in doubt
ask in the forum before you do anything; we are friendly, and somebody has always made the same
mistake before you.</p>
<h2 id="thanks">Thanks</h2>
<p>To all who reported bugs, translated a string or bought a licence. You keep this going.</p>
</article></main></div>
<footer class="footer footer--dark"><div>Copyright © Tallyhouse contributors. Built with Docusaurus.
</div></footer>
</body>"""
        yield Page(
            f"/releases/{version}",
            _document(
                f"Tallyhouse {version} | Tallyhouse",
                body,
                head='<meta name="generator" content="Docusaurus v2.0.0-beta.15">\n'
                '<link rel="stylesheet" href="/assets/css/styles.3f1.css">',
            ),
            what=version,
        )


# 9. Threads of a forum

_KETTLE = (
    "My Brunel 40 kettle has begun to click off at about eighty degrees instead of at the boil. It"
    " is four years old, I descale it every other month with citric acid, and the base looks clean."
    " Things that I have tried so far: another socket, less water, more water, drying the contacts"
    " of the base with a hair dryer, and bending the little strip under the lid back a touch, which"
    " helped for a single day. The switch in the handle feels loose compared with that of a"
    " neighbour's kettle of the same make. I can solder and own a meter. Before I drill out the"
    " rivets I should like to know whether anybody has opened one, whether the thermostat can be"
    " had as a part, and what it is called. Photographs of mine are below. Please do not tell me to"
    " buy a new one; that is not what this forum is for."
)

_LAMP = (
    "I have been given a Tarn desk lamp from the sixties with a spring arm that will not stay up."
    " There are four springs at the lower joint and two at the upper one, all of them original as"
    " far as I can see, and none of them broken. When I tighten the wing nut the arm stays where it"
    " is for a minute and then sinks until the shade lies on the desk. The cable has been renewed"
    " by somebody who knew what he did, so the weight ought to be right. Has anybody here shortened"
    " such springs, or found new ones of the same strength, and is there an order in which one"
    " should hang them? I would rather not replace the nut by a modern clamp, since the lamp looks"
    " so well as it is."
)

_THREADS: tuple[tuple[int, str, str, str, tuple[tuple[tuple[str, str], ...], ...]], ...] = (
    (
        4412,
        "Kettle clicks off too early",
        "tinwhistle",
        _KETTLE,
        (
            (
                ("Rosalind", "Seen it twice. The part is a KSD-201 and costs next to nothing."),
                ("old_volt", "Don't drill: the rivets are brass screws under a cap of paint."),
            ),
            (
                ("tinwhistle", "You are right, screws! Two of them came out, the third sheared."),
                ("Mack", "Left-hand thread on the third one. Sorry, I should have said."),
            ),
            (
                ("tinwhistle", "New thermostat fitted, boils at last. Cost: 3.80 with postage."),
                ("Rosalind", "Lovely. Mark this one as solved, please."),
            ),
        ),
    ),
    (
        4460,
        "Desk lamp will not stay up",
        "Harriet_B",
        _LAMP,
        (
            (
                ("Mack", "Swap the two pairs below; the stronger springs belong in front."),
                ("anvil", "A drop of rosin on the friction washer did it for me."),
            ),
            (
                ("Harriet_B", "Swapped. It now rises by itself, slowly, like a ghost."),
                ("Mack", "Then hang one of the front springs a notch lower, and report."),
            ),
            (("Harriet_B", "A notch lower it was. It has not moved since Sunday. Thank you!"),),
        ),
    ),
)


@family("mend-it-board", kind="thread pages that repeat post one", language="en", half="work")
def mend_it_board() -> Iterator[Page]:
    """Each page of a thread has other replies under the first post, which is on all of them."""
    for page in (0, 1, 2):
        for topic, title, author, first, pages in _THREADS:
            posts = "\n".join(
                f"""<div class="post bg{1 + number % 2}"><div class="inner"><dl class="postprofile">
<dt><a href="/memberlist.php?mode=viewprofile&amp;u={len(who) * 31}">{who}</a></dt></dl>
<div class="postbody"><h3>Re: {title}</h3><div class="content">{text}</div></div></div></div>"""
                for number, (who, text) in enumerate(pages[page])
            )
            links = " ".join(
                f"<strong>{n + 1}</strong>"
                if n == page
                else f'<a href="/viewtopic.php?f=7&amp;t={topic}&amp;start={n * 10}">{n + 1}</a>'
                for n in range(3)
            )
            body = f"""<body id="phpbb" class="section-viewtopic ltr">
<div id="wrap"><div id="page-header"><h1>Mend It Board</h1><p>Repair before you replace</p>
<ul class="linklist navlinks"><li><a href="/index.php">Board index</a> &#8249;
<a href="/viewforum.php?f=7">Household</a></li></ul></div>
<div id="page-body"><h2><a href="/viewtopic.php?f=7&amp;t={topic}">{title}</a></h2>
<div class="topic-actions"><a href="/posting.php?mode=reply&amp;t={topic}">Post a reply</a>
<div class="pagination">Page <strong>{page + 1}</strong> of 3 &bull; {links}</div></div>
<div class="post bg2 sticky"><div class="inner"><dl class="postprofile"><dt><a href="#">{author}</a>
</dt></dl><div class="postbody"><h3>{title}</h3><div class="content">{first}</div></div></div></div>
{posts}
<p class="rules"><b>Forum permissions</b><br>You cannot post new topics in this forum<br>You cannot
reply to topics in this forum<br>You cannot edit your posts in this forum</p></div>
<div id="page-footer">Powered by phpBB &copy; phpBB Group</div></div>
</body>"""
            start = f"&start={page * 10}" if page else ""
            yield Page(
                f"/viewtopic.php?f=7&t={topic}{start}",
                _document(f"Mend It Board &bull; View topic - {title}", body),
                what=f"{title}, replies {page + 1}",
            )


# 10. Lists of products, page by page

_LAMPS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("Alder", "49.00"), ("Beck", "65.00"), ("Brae", "58.00"), ("Carr", "112.00")),
    (("Cove", "45.00"), ("Dell", "79.00"), ("Eyot", "65.00"), ("Fell", "88.00")),
    (("Force", "139.00"), ("Garth", "52.00"), ("Holm", "49.00"), ("Howe", "71.00")),
    (("Knott", "95.00"), ("Lathe", "65.00"), ("Mere", "39.00"), ("Ness", "120.00")),
    (("Pike", "84.00"), ("Rigg", "49.00")),
)


@family("lowlight-lamps", kind="paginated product lists", language="en", half="work")
def lowlight_lamps() -> Iterator[Page]:
    """Each page of the list shows other lamps under the same text on the range."""
    for number, lamps in enumerate(_LAMPS, 1):
        cards = "\n".join(
            f"""<li class="product type-product"><a href="/lamp/{name.lower()}/">
<img width="300" height="300" src="/uploads/{name.lower()}-300x300.jpg" alt="">
<h2 class="woocommerce-loop-product__title">{name}</h2>
<span class="price">&euro;{price}</span></a></li>"""
            for name, price in lamps
        )
        pages = "".join(
            f'<li><a class="page-numbers" href="/table-lamps/?paged={n}">{n}</a></li>'
            for n in range(1, len(_LAMPS) + 1)
        )
        body = f"""<body class="archive woocommerce">
<header class="top"><div class="wrap"><a href="/">Lowlight</a><form role="search"><input
type="search" placeholder="Search lamps"></form></div></header>
<main class="site-main"><h1 class="page-title">Table lamps</h1>
<div class="term-description"><p>A good table lamp lights the page and leaves the room in peace.
Ours
are turned from ash and beech in a workshop of four people, wired with cloth-covered flex and fitted
with a shade of paper that we press ourselves. Each takes an ordinary bulb with a screw base, of up
to eight watts if it is an LED, and none is included, since you will know best how warm you like the
light to be. The feet are weighted with a disc of iron so that a cat may pass.</p>
<p>Lamps are sent in a box without plastic within ten days. If the flex is to be longer than two
metres, tell us in the note to your order and we shall do it without asking for more
money.</p></div>
<ul class="products columns-4">
{cards}
</ul>
<nav class="woocommerce-pagination"><ul>{pages}</ul></nav></main>
<footer><p>Lowlight makes lamps in Groningen</p><a href="/shipping/">Shipping</a></footer>
<div class="cookie-notice">We use cookies to keep your basket. <a href="#">Fine</a></div>
</body>"""
        yield Page(
            f"/table-lamps/?paged={number}" if number > 1 else "/table-lamps/",
            _document("Table lamps &#8211; Lowlight", body),
            what=f"lamps {number}",
        )


# 11. A tutorial of code

_PROGRAMS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (
        11,
        ("def answer(n):", "    if n &lt; 2:", "        return n", "    return n + answer(n - 1)"),
    ),
    (
        12,
        (
            "def answer(n):",
            "    a, b = 0, 1",
            "    while n:",
            "        a, b, n = b, a + b, n - 1",
            "    return a",
        ),
    ),
    (13, ("from math import gcd", "", "def answer(a, b):", "    return a * b // gcd(a, b)")),
    (14, ("def answer(word):", "    return word == word[::-1]")),
    (15, ("def answer(rows):", "    return [list(c) for c in zip(*rows)]")),
    (16, ("def answer(text):", "    return max(text.split(), key=len)")),
)


@family("kata-evenings", kind="same words and other listings", language="en", half="work")
def kata_evenings() -> Iterator[Page]:
    """Each page shows another program, in a listing with line numbers, under the same words."""
    for number, lines in _PROGRAMS:
        gutter = "".join(f'<span class="line">{n}</span><br>' for n in range(1, len(lines) + 1))
        code = "".join(f'<span class="line">{line}</span><br>' for line in lines)
        body = f"""<body>
<div class="container one-collumn sidebar-position-left page-post-detail">
<div class="headband"></div>
<header class="header"><div class="site-brand"><a href="/" class="brand">Kata Evenings</a></div>
<ul id="menu" class="menu"><li><a href="/archives/">Archives</a></li><li><a href="/tags/">Tags</a>
</li></ul></header>
<main class="main"><div class="post-block"><h1 class="post-title">A solution to last week's
kata</h1>
<div class="post-body"><p>As on every Thursday, here is the solution that we liked best when we went
through yours. It is not the shortest one, and it is certainly not the fastest, but it was read
aloud once and everybody in the room understood it, which is what we are after.</p>
<figure class="highlight python"><table><tr><td class="gutter"><pre>{gutter}</pre></td>
<td class="code"><pre>{code}</pre></td></tr></table></figure>
<p>Read it from the top. Say in your own words what goes in and what comes out, then cover the body
with your hand and write it again from memory. When you compare the two, do not count the lines; ask
instead which of them you could explain to your sister. Try it with nothing, with one thing and with
many things. Then break it on purpose and look at the message that Python prints.</p>
<p>If yours was quite different, so much the better. Post it to the list, say why you prefer it, and
be kind to those of the others. The next kata is on the front page from tonight.</p></div>
<footer class="post-footer"><div class="post-tags"><a href="/tags/python/"># python</a></div>
</footer></div></main>
<footer class="footer">Powered by <a href="https://hexo.io">Hexo</a> | Theme
NexT.Pisces</footer></div>
</body>"""
        yield Page(
            f"/kata/{number}/solution/",
            _document(
                "A solution to last week's kata | Kata Evenings",
                body,
                head='<meta name="generator" content="Hexo 5.4.0">\n'
                '<link rel="stylesheet" href="/css/main.css?v=7.8">',
            ),
            what=f"program {number}",
        )


# 12. Branches on subdomains

_BRANCHES = (
    ("skipton", ("9 - 5.30", "9 - 5.30", "10 - 4"), "01756 555 014"),
    ("ilkley", ("9 - 5.30", "9 - 7", "10 - 4"), "01943 555 190"),
    ("otley", ("9 - 5", "9 - 5", "closed"), "01943 555 221"),
    ("settle", ("10 - 5.30", "9 - 5.30", "10 - 2"), "01729 555 003"),
    ("keighley", ("8.30 - 6", "8.30 - 7", "9 - 5"), "01535 555 640"),
    ("bingley", ("9 - 5.30", "9 - 5.30", "9 - 1"), "01274 555 077"),
)


@family("dales-opticians", kind="opening hours on subdomains", language="en", half="work")
def dales_opticians() -> Iterator[Page]:
    """Each branch has hours and a telephone number of its own on a short page."""
    for branch, (week, thursday, saturday), phone in _BRANCHES:
        body = f"""<body>
<div class="hero"><img src="/theme/dales-opticians.png" alt="Dales Opticians"></div>
<ul class="tabs"><li><a href="/">Welcome</a></li><li><a href="/opening-hours">Hours</a></li></ul>
<section class="hours"><h1>When we are open</h1>
<table class="table table-striped"><tbody><tr><th>Monday to Wednesday,
Friday</th><td>{week}</td></tr>
<tr><th>Thursday</th><td>{thursday}</td></tr><tr><th>Saturday</th><td>{saturday}</td></tr>
<tr><th>Sunday</th><td>closed</td></tr></tbody></table>
<p>Eye tests are by appointment. Repairs while you wait.</p></section>
<footer>Telephone {phone}</footer>
</body>"""
        yield Page(
            "/opening-hours",
            _document("Opening hours - Dales Opticians", body),
            what=branch,
            host=branch,
        )


# 13. Session ids and counters

_WALKS: tuple[tuple[int, str, str], ...] = (
    (
        3,
        "Cuckoo Down from Lustleigh",
        "Leave the village by the lane beside the church and turn left at the granite trough. The"
        " path climbs through oaks for twenty minutes and comes out on the down at a gate that has"
        " no fence. Keep the wall on your right as far as the second tor, from which you can see"
        " the sea on a clear day. Go down by the bridleway and return along the brook. The walk is"
        " 5 miles long and takes about three hours; there is a tea room near its end.",
    ),
    (
        8,
        "Cuckoo Down from Manaton",
        "Leave the village by the lane beside the green and turn right at the granite trough. The"
        " path climbs through oaks for fifty minutes and comes out on the down at a gate that has"
        " no fence. Keep the wall on your left as far as the first tor, from which you can see"
        " the sea on a clear day. Go down by the bridleway and return along the road. The walk is"
        " 7 miles long and takes about four hours; there is an inn near its end.",
    ),
    (
        14,
        "The old tramway",
        "Stone from the quarries was once drawn down to the canal on rails that were themselves of"
        " granite, and most of them are still there. Begin at the car park under the rocks, find"
        " the first points in the turf, and follow them without a map: you cannot lose your way."
        " The siding with the broken wagon wheel is a sheltered place for lunch. Allow two hours,"
        " and another if you have children who like to be trains.",
    ),
    (
        21,
        "Reservoirs in winter",
        "Three sheets of water lie one above the other in the plantations, and in January they are"
        " worth the drive for the light alone. The round of all three is level, gravelled and fit"
        " for a pushchair. Goosanders winter on the lowest, and at dusk the starlings come in over"
        " the dam. Parking costs two pounds, in coins. The gate is shut at six whether or not you"
        " are behind it.",
    ),
)

_WALK_VISITS = (
    (3, "PHPSESSID=8f14e45fceea167a5a36dedd4bea2543", 18234, 4, "0.0413"),
    (14, "PHPSESSID=8f14e45fceea167a5a36dedd4bea2543", 9120, 4, "0.0398"),
    (8, "utm_source=newsletter&utm_medium=email&utm_campaign=spring", 7711, 11, "0.1207"),
    (3, "utm_source=newsletter&utm_medium=email&utm_campaign=spring", 18251, 11, "0.0640"),
    (21, "", 22900, 2, "0.0377"),
    (8, "PHPSESSID=c9f0f895fb98ab9159f51fd0297e236d", 7719, 7, "0.0455"),
    (14, "fbclid=IwAR2kPz7qYt0sWmHcLxVb", 9133, 23, "0.2019"),
    (21, "PHPSESSID=c9f0f895fb98ab9159f51fd0297e236d", 22904, 7, "0.0391"),
    (3, "", 18302, 1, "0.0402"),
    (14, "", 9151, 3, "0.0388"),
)


@family("moorland-walks", kind="session ids and page counters", language="en", half="work")
def moorland_walks() -> Iterator[Page]:
    """A walk is the same under each session or campaign; two walks differ in a few words."""
    walks = {number: (title, text) for number, title, text in _WALKS}
    for number, extra, count, online, seconds in _WALK_VISITS:
        title, text = walks[number]
        session = f"&amp;{extra}" if extra.startswith("PHP") else ""
        links = "<br>".join(
            f'<a href="/walk.php?id={other}{session}">{name}</a>' for other, name, _ in _WALKS
        )
        body = f"""<body bgcolor="#eef3e6" link="#225522">
<table width="780" align="center" cellpadding="6" border="0">
<tr><td colspan="2"><img src="/gfx/banner.jpg" width="768" height="90" alt="Moorland
Walks"></td></tr>
<tr><td width="170" valign="top"><b>Our walks</b><br>{links}
<p><font size="1">Visitors online: {online}</font></p></td>
<td valign="top"><h1>{title}</h1>
<p>{text}</p>
<p>Wear boots, carry water, and tell somebody where you have gone. Shut the gates that you found
shut. Keep dogs on a lead from March to July, when birds nest on the ground. The ranges may be in
use: a red flag by day or a red lamp by night means that you have to turn back.</p>
<p><font size="1">This page has been viewed {count} times.</font></p></td></tr>
<tr><td colspan="2" align="center"><font size="1">Moorland Walks, since 1999. Page generated in
{seconds} seconds with 9 queries.</font></td></tr></table>
</body>"""
        query = f"&{extra}" if extra else ""
        yield Page(
            f"/walk.php?id={number}{query}",
            _document(f"Moorland Walks :: {title}", body),
            what=f"walk {number}",
        )


# 14. Portions

_PORTIONS = (
    (4, "200 g", "2 tins", "2", "3 tbsp", "1 litre"),
    (2, "100 g", "1 tin", "1", "1½ tbsp", "500 ml"),
    (6, "300 g", "3 tins", "3", "4½ tbsp", "1.5 litres"),
    (8, "400 g", "4 tins", "4", "6 tbsp", "2 litres"),
    (12, "600 g", "6 tins", "6", "9 tbsp", "3 litres"),
)


@family("pot-and-ladle", kind="a recipe by portions", language="en", half="work")
def pot_and_ladle() -> Iterator[Page]:
    """Each number of portions has quantities of its own."""
    for portions, lentils, tins, onions, oil, stock in _PORTIONS:
        ingredients = (
            f"<span>{lentils}</span> red lentils, rinsed",
            f"<span>{tins}</span> chopped tomatoes",
            f"<span>{onions}</span> onions, in fine dice",
            f"<span>{oil}</span> olive oil",
            f"<span>{stock}</span> vegetable stock",
            "cumin, salt and a lemon, to taste",
        )
        body = f"""<body class="recipe">
<header class="masthead"><a href="/"><img src="/static/ladle.svg" alt="Pot and Ladle"></a>
<nav><a href="/soups">Soups</a> <a href="/bread">Bread</a> <a href="/pudding">Pudding</a></nav>
</header>
<article><h1>Red lentil soup with lemon</h1>
<figure><img src="/photos/lentil-soup.jpg" alt="A bowl of soup"><figcaption>Best on a wet Monday.
</figcaption></figure>
<p>This is the soup that I make when there is nothing in the house. It asks for a single pan, for no
skill at all and for half an hour, most of which you may spend with a book. It freezes well.</p>
<div class="portions">Serves {portions}. Change: {
            " ".join(f'<a href="/soups/red-lentil?serves={n}">{n}</a>' for n, *_ in _PORTIONS)
        }</div>
<ul class="ingredients">
{_items(ingredients)}
</ul>
<ol class="method"><li>Warm the oil in a heavy pan, add the onions with a pinch of salt, and let
them go soft and gold without hurry. Stir in the cumin and wait until you can smell it.</li>
<li>Tip in the lentils and turn them over until they shine. Add the tomatoes and the stock, bring
everything to the boil, skim off the foam and turn down the heat.</li>
<li>Simmer with the lid ajar until the lentils have given up their shape. Stir now and then, for
they like to catch on the bottom. Thin the soup with water if it has become a stew.</li>
<li>Taste it. It will want salt and it will want lemon, more of both than you think. Serve it with
bread, yogurt and whatever green leaves you have.</li></ol></article>
<footer>Pot and Ladle, recipes for small kitchens. <a href="/imprint">Imprint</a></footer>
</body>"""
        yield Page(
            f"/soups/red-lentil?serves={portions}",
            _document("Red lentil soup with lemon — Pot and Ladle", body),
            what=f"serves {portions}",
        )


# 15. An API in two versions

_METHODS: tuple[tuple[str, str, tuple[tuple[str, str, str], ...], str, str], ...] = (
    (
        "list_parcels",
        "Returns the parcels of an account, newest first. Parcels that have been archived are left"
        " out unless they are asked for. The list comes in pages; follow the cursor in the answer"
        " until there is none.",
        (
            ("account", "required", "The account whose parcels are listed."),
            ("limit", "20", "How many parcels a page holds at the most."),
            ("archived", "false", "Whether archived parcels are listed too."),
        ),
        "20",
        "50",
    ),
    (
        "get_parcel",
        "Returns a single parcel with its address, weight, label and all of the scans so far. Scans"
        " are sorted by time. A parcel that has never been scanned has an empty list.",
        (
            ("parcel", "required", "The identifier that was returned on creation."),
            ("scans", "true", "Whether the scans are part of the answer."),
        ),
        "",
        "",
    ),
    (
        "wait_for_scan",
        "Blocks until the parcel is scanned again and returns the new scan, or nothing when the"
        " time is up. Do not call it from more than one thread for the same parcel.",
        (
            ("parcel", "required", "The parcel to be waited for."),
            ("timeout", "30", "How long to wait at most, in seconds."),
        ),
        "in seconds",
        "in milliseconds",
    ),
    (
        "cancel_label",
        "Cancels a label which has been bought and not used. The price is credited to the account"
        " with the next invoice. A label that was scanned cannot be cancelled any more.",
        (
            ("label", "required", "The label to be cancelled."),
            ("reason", "none", "A text of up to 200 characters, for your own books."),
        ),
        "",
        "",
    ),
    (
        "list_events",
        "Returns what has happened to the parcels of an account in a period. Events of deleted"
        " parcels are kept for ninety days. The order of events of the same second is undefined.",
        (
            ("since", "required", "Begin of the period, inclusive."),
            ("until", "now", "End of the period, inclusive."),
        ),
        "End of the period, inclusive",
        "End of the period, exclusive",
    ),
)


def _api_page(number: str, name: str, text: str, rows: tuple[tuple[str, str, str], ...]) -> str:
    table = "\n".join(
        f'<tr class="row"><td><code class="docutils literal">{parameter}</code></td>'
        f"<td>{default}</td><td><p>{meaning}</p></td></tr>"
        for parameter, default, meaning in rows
    )
    menu = "".join(
        f'<li class="toctree-l1"><a class="reference internal" href="/{number}/{other[0]}.html">'
        f"{other[0]}</a></li>"
        for other in _METHODS
    )
    body = f"""<body class="wy-body-for-nav">
<div class="wy-grid-for-nav"><nav class="wy-nav-side"><div class="wy-side-nav-search">
<a href="/{number}/" class="icon icon-home">parcelkit</a><div class="version">{number}</div></div>
<div class="wy-menu wy-menu-vertical"><ul>{menu}</ul></div></nav>
<section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content">
<ul class="wy-breadcrumbs"><li><a href="/{number}/">Docs</a> &raquo;</li><li>{name}</li></ul>
<div role="main" class="document"><div class="section" id="{name}"><h1>{name}<a class="headerlink"
href="#{name}">¶</a></h1>
<p>{text}</p>
<table class="docutils"><thead><tr><th>Parameter</th><th>Default</th><th>Meaning</th></tr></thead>
<tbody>
{table}
</tbody></table>
<div class="admonition note"><p class="admonition-title">Note</p><p>Every method may raise
<code>Throttled</code> when it is called more often than the plan of the account permits. The error
tells after how long the call may be repeated. It may also raise <code>Unauthorised</code> if the
key
has been withdrawn, and <code>Unavailable</code> during maintenance, which is announced by mail.
Calls
are idempotent for as long as the same token is passed, so that it is safe to repeat them after the
loss of a connection. Times are always in UTC, and weights are always in grams.</p></div>
</div></div>
<footer><hr><p>&copy; Copyright Parcelkit.</p>Built with <a href="http://sphinx-doc.org/">Sphinx</a>
using a theme provided by <a href="https://readthedocs.org">Read the Docs</a>.</footer>
</div></div></section></div>
</body>"""
    head = '<link rel="stylesheet" href="/_static/css/theme.css" type="text/css">'
    return _document(f"{name} &mdash; parcelkit documentation", body, head=head)


@family("parcelkit", kind="API reference in two versions", language="en", half="work")
def parcelkit() -> Iterator[Page]:
    """Methods whose page is unchanged are copies; a default, unit or bound has changed in three."""
    for version in ("v1", "v2"):
        for name, text, rows, before, after in _METHODS:
            shown = rows
            if version == "v2" and before:
                shown = tuple(
                    (parameter, default.replace(before, after), meaning.replace(before, after))
                    for parameter, default, meaning in rows
                )
            what = f"{name} {version}" if before else name
            yield Page(f"/{version}/{name}.html", _api_page(version, name, text, shown), what=what)


# 16. Stations

_STATIONS = (
    ("Ashby Road", "ashby-road", ("06:12", "07:12", "08:12", "17:42"), "1"),
    ("Barley Mow", "barley-mow", ("06:19", "07:19", "08:19", "17:49"), "2"),
    ("Cotes Halt", "cotes-halt", ("06:25", "07:25", "08:25", "17:55"), "1"),
    ("Dunham", "dunham", ("06:31", "07:31", "08:31", "18:01"), "3"),
    ("Elm Park", "elm-park", ("06:38", "07:38", "08:38", "18:08"), "1"),
    ("Foxhole", "foxhole", ("06:44", "07:44", "08:44", "18:14"), "2"),
)


@family("soar-valley-line", kind="timetables by station", language="en", half="work")
def soar_valley_line() -> Iterator[Page]:
    """Each station has departures of its own; its name is in the header and the breadcrumbs."""
    for name, slug, times, platform in _STATIONS:
        rows = "".join(
            f"<tr><td>{time}</td><td>Soar Bridge</td><td>{platform}</td></tr>" for time in times
        )
        body = f"""<body>
<div class="page"><div class="crumbs"><a href="/">Home</a> / <a href="/stations">Stations</a> /
{name}</div>
<header class="page-header"><p class="kicker">{name}</p><h1>Departures</h1></header>
<table class="board"><caption>Mondays to Fridays, except on public holidays</caption>
<thead><tr><th>Time</th><th>To</th><th>Platform</th></tr></thead><tbody>{rows}</tbody></table>
<p>Trains stop here on request: please give a clear signal to the driver. Bicycles travel free of
charge outside the peak. Tickets can be bought from the guard, in cash or by card, and there is no
extra charge for doing so. If a connection is missed because our train was late, the guard will call
a taxi.</p>
<ul class="links"><li><a href="/fares">Fares</a></li><li><a href="/lost">Lost property</a></li></ul>
<footer>Soar Valley Line &middot; A community railway</footer></div>
</body>"""
        yield Page(
            f"/stations/{slug}",
            _document("Departures | Soar Valley Line", body),
            what=name,
        )


# 17. Weather

_TOWNS = (
    (101, "Ballycastle", "11&deg;C", "Drizzle", "W 24 km/h"),
    (102, "Coleraine", "13&deg;C", "Cloudy", "W 15 km/h"),
    (103, "Dungannon", "14&deg;C", "Bright spells", "SW 11 km/h"),
    (104, "Enniskillen", "13&deg;C", "Showers", "SW 15 km/h"),
    (105, "Larne", "11&deg;C", "Drizzle", "W 26 km/h"),
    (106, "Newry", "16&deg;C", "Sunny", "S 7 km/h"),
)


@family("hill-and-lough-weather", kind="weather in a widget", language="en", half="work")
def hill_and_lough_weather() -> Iterator[Page]:
    """Each town has weather of its own in a widget beside an explanation that is on all pages."""
    for number, town, degrees, sky, wind in _TOWNS:
        towns = _items([f'<a href="/forecast?loc={n}">{other}</a>' for n, other, *_ in _TOWNS])
        body = f"""<body class="wx">
<div class="w-100 d-flex header-strip"><a href="/" class="logo-text">Hill &amp; Lough Weather</a>
<span class="tag">A service of volunteers</span></div>
<div class="grid"><div class="col widget-col"><div class="weather-widget" data-loc="{number}">
<div class="place">{town}</div><div class="temp">{degrees}</div><div class="sky">{sky}</div>
<div class="wind">Wind {wind}</div></div>
<div class="box"><h4>Other towns</h4><ul>{towns}</ul></div></div>
<div class="col text-col"><h1>Today's forecast</h1>
<p>Our forecasts are made each morning by people who live here and look out of the window before
they
look at the models. We begin with the chart of pressure at sea level, compare three computer runs
from the night, and then argue about the hills. A wind from the west drops its rain on the slopes
that face it and leaves the lee side dry, so that two towns which are ten miles apart may have
nothing in common but the date.</p>
<p>The temperature is what we expect in the shade, at the height of a man's chest, at two in the
afternoon. The wind is the mean over ten minutes; gusts can be half as strong again. Drizzle means
that you will want a hat, showers that you will want a doorway, and rain that you will want to stay
at home. We do not give percentages, since nobody has ever come home forty per cent wet.</p>
<p>If we were wrong yesterday, please write to us and say where you stood. We keep all such letters
in a book, and the book is the reason why we are wrong a little less often than we used to be.</p>
</div></div>
<footer class="foot"><a href="/stations">Our stations</a> <a href="/donate">Donate</a>
<p>Do not use this forecast at sea or in the air.</p></footer>
</body>"""
        yield Page(
            f"/forecast?loc={number}",
            _document(
                "Today's forecast - Hill &amp; Lough Weather",
                body,
                head='<meta name="description" content="Local forecasts by local people.">',
            ),
            what=town,
        )


# 18. Hidden answers

_QUESTIONS = (
    "When can I check in?",
    "Is breakfast included?",
    "May I bring my dog?",
    "Where can I park?",
    "How do I get there from the station?",
)

_HOUSES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "a1",
        (
            "From three in the afternoon until eleven at night.",
            "Yes, it is served from seven until ten in the conservatory.",
            "Yes, for nine pounds a night.",
            "In our own yard, free of charge.",
            "Take bus 14 to the last stop.",
        ),
    ),
    (
        "b2",
        (
            "From two in the afternoon until eleven at night.",
            "No, but there is a bakery next door.",
            "Yes, for nine pounds a night.",
            "In the garage in Mill Street, for twelve pounds a day.",
            "Walk down the hill; it takes six minutes.",
        ),
    ),
    (
        "c3",
        (
            "From three in the afternoon, and all night with a code.",
            "Yes, it is brought to your door in a basket.",
            "We are sorry, but there are cats in the house.",
            "In our own yard, free of charge.",
            "Take the ferry, then turn left at the chapel.",
        ),
    ),
    (
        "d4",
        (
            "From four in the afternoon until ten at night.",
            "Yes, it is served from eight until eleven in the bar.",
            "Yes, and there is no charge.",
            "On the street, with a disc that you get from us.",
            "Take bus 3 as far as the town hall.",
        ),
    ),
    (
        "e5",
        (
            "From three in the afternoon until eleven at night.",
            "Yes, it is served from seven until ten in the conservatory.",
            "Yes, for fifteen pounds a night.",
            "In our own yard, free of charge.",
            "Take bus 41 to the last stop.",
        ),
    ),
)


@family("lantern-inns", kind="answers behind display:none", language="en", half="work")
def lantern_inns() -> Iterator[Page]:
    """Each inn answers the same questions otherwise, in panels that are folded."""
    for house, answers in _HOUSES:
        panels = "\n".join(
            f'<div class="accordion-item"><button class="accordion-title" type="button" '
            f'aria-expanded="false">{question}</button>\n'
            f'<div class="accordion-panel" style="display:none"><p>{answer}</p></div></div>'
            for question, answer in zip(_QUESTIONS, answers, strict=True)
        )
        body = f"""<body class="page-faq">
<header id="top"><div class="inner"><a href="/"><img src="/i/lantern.png" alt="Lantern Inns"></a>
<a class="cta" href="/book?house={house}">Book a room</a></div></header>
<main class="inner"><h1>Frequently asked questions</h1>
<p>Most of what our guests would like to know before they come is answered below. Touch a question
to
unfold it. If yours is not among them, ring the desk at any hour: somebody is always awake, and glad
of the company. Please understand that we cannot hold rooms without a card, and that we let them go
at midnight when we have heard nothing from you.</p>
<div class="accordion">
{panels}
</div>
<p>A booking may be cancelled without charge until noon of the day before. Groups of more than six
are
asked to write to us, as we should like to seat you at one table. Lantern Inns are small old houses
with steep stairs, thick walls and a fire in the parlour from October to Easter; none of them has a
lift, and all of them have a library. Vouchers are valid in each of our houses for three years.</p>
</main>
<footer><div class="inner"><a href="/houses">All houses</a> <a href="/vouchers">Vouchers</a>
<a href="/terms">Terms</a></div></footer>
</body>"""
        yield Page(
            f"/faq?house={house}",
            _document("Frequently asked questions | Lantern Inns", body),
            what=f"house {house}",
        )


# 19. One article in two sections

_STORIES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "fisheries-vote-first-reading",
        "Assembly passes fisheries bill at first reading",
        "Nora Petersen",
        (
            "The assembly in Port Elsin passed the fisheries bill at its first reading on Wednesday"
            " by 31 votes to 26, with two abstentions, after a debate of nine hours that was"
            " broken off twice when the gallery had to be cleared.",
            "The bill would divide the northern grounds among the five islands by the size of their"
            " fleets in 2015. Members from Great Skerry, whose fleet has doubled since, called"
            " that year an insult; the minister called it a beginning.",
            "A delegation from the mainland followed the debate from the front row and left"
            " without a word to the press. The bill now goes to the committee on marine affairs.",
        ),
    ),
    (
        "fisheries-vote-second-reading",
        "Assembly passes fisheries bill at second reading",
        "Nora Petersen",
        (
            "The assembly in Port Elsin passed the fisheries bill at its second reading on Friday"
            " by 33 votes to 25, with one abstention, after a debate of four hours that was"
            " broken off once when the gallery had to be cleared.",
            "The bill would divide the northern grounds among the five islands by the size of their"
            " fleets in 2018. Members from Great Skerry, whose fleet has doubled since, called"
            " that year an insult; the minister called it a compromise.",
            "A delegation from the mainland followed the debate from the front row and left"
            " without a word to the press. The bill now goes to the governor for signature.",
        ),
    ),
    (
        "ferry-treaty",
        "Mainland and islands sign ferry treaty",
        "Tomas Hale",
        (
            "After three years of talks the two governments have agreed who shall pay for the"
            " night ferry. The treaty, signed aboard the ship itself on Saturday, splits the loss"
            " in equal parts and forbids either side to change the timetable alone.",
            "Islanders will keep their half fare. In return the mainland may berth two ships at"
            " Elsin in winter, which the harbour master says will be a squeeze. The opposition"
            " has asked for the annexes, which have not been made public.",
        ),
    ),
    (
        "consul-recalled",
        "Consul recalled after speech on rights of seabirds",
        "Ivy Okafor",
        (
            "The honorary consul in Port Elsin has been recalled after a speech at a school, in"
            " which he compared the culling of gulls to a crime and the children to accomplices."
            " He said on Sunday that he had meant it as a joke and stood by every word.",
            "A successor has not been named. The cull goes on, as it does each spring, on the"
            " roofs of the fish market, and is supervised by a vet.",
        ),
    ),
)

_SECTION_SIDES = {
    "politics": (
        "Politics",
        ("Budget: what is in it for you", "Who is who in the new cabinet", "Poll of polls"),
        "Our political editor writes every Monday. Sign up for the letter from the lobby.",
    ),
    "world": (
        "World",
        ("Heat closes schools in the south", "Ten years after the quake", "Letter from Lima"),
        "Follow our correspondents on four continents in a podcast, new on Thursdays.",
    ),
}


def _story_page(section: str, slug: str, title: str, author: str, text: tuple[str, ...]) -> str:
    name, most_read, promotion = _SECTION_SIDES[section]
    data = json.dumps({"@type": "NewsArticle", "headline": title, "articleSection": name})
    side = _items([f'<a href="/{section}/most-read-{n}">{t}</a>' for n, t in enumerate(most_read)])
    body = f"""<body class="section-{section}">
<div class="masthead"><a href="/">The Elsin Courier</a></div>
<nav class="sections"><a href="/politics/">Politics</a> <a href="/world/">World</a>
<a href="/sport/">Sport</a> <a href="/culture/">Culture</a></nav>
<div class="breadcrumbs"><a href="/">Front page</a> &gt; <a href="/{section}/">{name}</a></div>
<div class="content-grid"><article itemscope itemtype="https://schema.org/NewsArticle">
<h1 itemprop="headline">{title}</h1><p class="byline">By {author}</p>
<div itemprop="articleBody">
{_paragraphs(text)}
</div><div class="share-bar"><a href="#">Share</a> <a href="#">Save</a></div></article>
<div class="right-rail"><h3>Most read in {name}</h3><ol>
{side}
</ol><div class="promo"><p>{promotion}</p></div></div></div>
<footer>&copy; The Elsin Courier. Reproduction only with permission.</footer>
</body>"""
    head = (
        f'<meta property="og:title" content="{title}">\n'
        f'<script type="application/ld+json">{data}</script>'
    )
    return _document(f"{title} | {name} | The Elsin Courier", body, head=head)


@family("elsin-courier", kind="an article in two sections", language="en", half="work")
def elsin_courier() -> Iterator[Page]:
    """A story is the same in either section; two stories differ in their numbers and outcome."""
    first, second, treaty, consul = _STORIES
    for section, story in (
        ("politics", first),
        ("world", treaty),
        ("world", second),
        ("world", first),
        ("politics", consul),
        ("politics", second),
        ("politics", treaty),
        ("world", consul),
    ):
        slug, title, author, text = story
        yield Page(f"/{section}/{slug}", _story_page(section, slug, title, author, text), what=slug)
