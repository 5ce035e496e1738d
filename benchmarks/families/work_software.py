"""Ordinary copies as popular software makes them.

Nobody means to deceive here: a blog answers by number and by name, a forum has a print view, a
shop hangs an article under each of its shelves. Each family also has articles that are simply
other articles. A translation is another page; a page that is not translated yet and shows the
English text in the folder of another language is a copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.families.kit import Page, family


@dataclass(frozen=True, slots=True)
class _Text:
    """One article."""

    slug: str
    number: int
    title: str
    day: str
    author: str
    paragraphs: tuple[str, ...]

    @property
    def body(self) -> str:
        return "\n".join(f"<p>{part}</p>" for part in self.paragraphs)

    @property
    def lead(self) -> str:
        return self.paragraphs[0][:90]


@dataclass(frozen=True, slots=True)
class _Ask:
    """One request for an article: under which address, and how it is to be laid out."""

    text: _Text
    host: str
    path: str
    view: str

    def tag(self, use: str, length: int = 8) -> str:
        """Return what a server makes up anew for each answer."""
        name = f"{self.host}{self.path}{use}"
        return hashlib.sha256(name.encode()).hexdigest()[:length]

    def count(self, use: str, most: int) -> int:
        return int(self.tag(use), 16) % most


def _texts(source: str) -> dict[str, _Text]:
    """Return the articles of a source, each under a line `@ slug | title | day | author`."""
    texts = {}
    for place, block in enumerate(source.strip().removeprefix("@ ").split("\n@ ")):
        heading, _, rest = block.partition("\n")
        slug, title, day, author = heading.split(" | ")
        joint = "" if "。" in rest else " "
        parts = tuple(joint.join(part.split("\n")) for part in rest.strip().split("\n\n"))
        texts[slug] = _Text(slug, 41 + 13 * place, title, day, author, parts)
    return texts


def _served(
    texts: Mapping[str, _Text],
    make: Callable[[_Ask], str],
    rows: Iterable[tuple[str, str, str, str]],
) -> Iterator[Page]:
    """Yield the page of each row: host, path with places for the text, view, slug."""
    for host, pattern, view, slug in rows:
        text = texts[slug]
        path = pattern.format(t=text)
        yield Page(path, make(_Ask(text, host, path, view)), slug, host)


_TEASERS = (
    "Opening hours over the holidays",
    "A few words about our new website",
    "Results of the readers' survey",
    "Photographs from last weekend",
    "Minutes of the spring meeting",
    "We are looking for volunteers",
    "How to find us by train",
    "The calendar for next year is out",
    "Thank you to everyone who helped",
    "Questions we are often asked",
)
_TEASERS_ZH = (
    "关于国庆期间服务安排的说明",
    "网站改版上线，欢迎提出意见",
    "一组图片回顾上周末的活动",
    "志愿者招募正在进行",
    "读者来信选登",
    "本月热门话题盘点",
    "春季讲座报名通知",
    "这些常见问题有了新答案",
    "老照片征集结果公布",
    "雨季出行安全提示",
)


def _teasers(ask: _Ask, number: int = 5, *, zh: bool = False) -> str:
    """Return a list of other articles, which moves on while a site is being crawled."""
    titles = _TEASERS_ZH if zh else _TEASERS
    first = ask.count("teasers", len(titles))
    chosen = [titles[(first + place) % len(titles)] for place in range(number)]
    rows = "".join(f'<li><a href="/archive/{900 + titles.index(t)}">{t}</a></li>' for t in chosen)
    return f"<ul>{rows}</ul>"


def _doc(title: str, body: str, head: str = "", lang: str = "en", attrs: str = "") -> str:
    return f"""<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>
{head}</head>
<body{attrs}>
{body}
</body></html>"""


# --- WordPress -----------------------------------------------------------------------------------

_MARROW = _texts(
    """\
@ forcing-rhubarb | Forcing rhubarb under a bucket | 2024-02-04 | Hetty
The old crown by the water butt has had two years to settle, so this winter I put the big black
bucket over it with a brick on top. In three weeks there were stems as long as my forearm, pink as
a tongue and so tender that they needed only five minutes in the oven with orange peel.

Do not force the same crown two years running. It spends all it has on that one early crop and
must be left alone afterwards, fed with muck in the autumn and allowed to keep every leaf. I now
have three crowns in turn, which is enough for us and for the neighbour who lent the bucket.
@ slug-beer | What slugs really think of beer | 2024-04-19 | Hetty
I sank six yoghurt pots around the lettuces and filled three with bitter and three with water and
yeast. In the morning the yeast pots had caught forty slugs and the bitter only eleven, and a
hedgehog had been at both. So much for the expensive bottle.

The traps need emptying daily, which is a job for people with no sense of smell. What helped more
was moving the board under which they sleep: lift it at noon, scrape, put it back. After two weeks
of that the second sowing came up untouched, and I have stopped going out with the torch.
@ bean-poles | Cutting bean poles from the hazel | 2024-03-09 | Rob
The hazel at the bottom of the lane had not been cut for a dozen years and was throwing shade over
two plots. The committee gave leave, the owner wanted only the thick wood for his stove, and so
four of us spent a dry Saturday with bow saws and went home with sixty poles each.

Cut low and on a slope so that rain runs off the stool. Trim the tops for pea sticks, tie the
poles in tens, and stand them upright until April, because those that lie on the ground root or
rot. They last three seasons. A bought cane lasts longer but a bean climbs rough bark far more
gladly.
@ show-day | Our first village show | 2024-08-26 | Hetty
Third for shallots, nothing for the sweet peas, and a certificate for the longest runner bean,
which was not straight but which nobody could beat. The judge was kind about the marrow and said
that it had plenty of promise for a marrow of that size, which I have decided to take as praise.

I learned that onions must be tied with raffia and not with string, that plates must be white, and
that one does not polish apples. The tea tent made two hundred pounds for the roof. Next year I
shall sow the sweet peas in October and keep my hands off the scales until the evening before.
"""
)


@family("marrow-notes", kind="WordPress by name, number, category", language="en", half="work")
def marrow_notes() -> Iterator[Page]:
    """A blog that answers under five addresses, with comments below."""

    def make(ask: _Ask) -> str:
        text = ask.text
        plain = f"/{text.day[:4]}/{text.day[5:7]}/{text.slug}/"
        if ask.view == "print":
            return _doc(
                f"Marrow Notes » {text.title} » Print",
                f"""<p>- Marrow Notes - <a href="/">http://marrow-notes.test</a> -</p>
<h1>{text.title}</h1><p>Posted By {text.author} On {text.day} In Plot | 2 Comments</p><hr>
{text.body}<hr><p>Article printed from Marrow Notes: {plain}</p>
<p>Click <a href="#Print" onclick="window.print()">here</a> to print.</p>""",
                '<meta name="robots" content="noindex,nofollow">',
            )
        if ask.view == "amp":
            return _doc(
                text.title,
                f"""<header class="amp-wp-header"><a href="/">Marrow Notes</a></header>
<article class="amp-wp-article"><h1 class="amp-wp-title">{text.title}</h1>
<p class="amp-wp-meta">By {text.author} &middot; {text.day}</p>
<div class="amp-wp-article-content">{text.body}</div>
<p>Categories: <a href="/category/plot/">Plot</a></p></article>
<footer class="amp-wp-footer"><h2>Marrow Notes</h2><a href="#top">Back to top</a></footer>""",
                f'<link rel="canonical" href="{plain}">',
            )
        reply = "Leave a Reply"
        if ask.view == "reply":
            reply = f"""Leave a Reply to Joan <small><a rel="nofollow" href="{plain}#respond">Cancel
reply</a></small>"""
        return _doc(
            f"{text.title} – Marrow Notes",
            f"""<div id="page" class="hfeed site"><header id="masthead"><h1 class="site-title">
<a href="/">Marrow Notes</a></h1><p class="site-description">Two people and ten rods of clay</p>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about/">About</a></li>
<li><a href="/category/kitchen/">Kitchen</a></li></ul></nav></header>
<div id="content"><article id="post-{text.number}" class="post-{text.number} post hentry">
<header><h1 class="entry-title">{text.title}</h1><div class="entry-meta">Posted on
<time datetime="{text.day}">{text.day}</time> by {text.author}</div></header>
<div class="entry-content">{text.body}
<div class="sharedaddy">Share this: <a href="?share=mail&amp;nb=1">Email</a>
<a href="?share=facebook&amp;nb=1">Facebook</a></div></div></article>
<div id="comments"><h2>2 thoughts on “{text.title}”</h2><ol><li><b>Joan</b> says: I enjoyed this, we
shall try it here. <a href="?replytocom=7">Reply</a></li><li><b>Alun</b> says: Same on our plot.
<a href="?replytocom=9">Reply</a></li></ol><div id="respond"><h3>{reply}</h3>
<form action="/wp-comments-post.php" method="post"><textarea name="comment"></textarea>
<input type="hidden" name="comment_post_ID" value="{text.number}">
<input type="hidden" name="akismet_comment_nonce" value="{ask.tag("nonce", 10)}">
<input type="submit" value="Post Comment"></form></div></div></div>
<div id="secondary"><h2>Recent Posts</h2>{_teasers(ask)}<h2>Archives</h2><ul>
<li><a href="/2024/04/">April 2024</a></li><li><a href="/2024/03/">March 2024</a></li></ul></div>
<footer id="colophon">Proudly powered by WordPress</footer></div>""",
            f"""<link rel="stylesheet" href="/wp-content/themes/twenty/style.css?ver=6.4">
<link rel="shortlink" href="/?p={text.number}">""",
            attrs=f' class="single postid-{text.number}"',
        )

    return _served(
        _MARROW,
        make,
        (
            ("www", "/2024/02/{t.slug}/", "post", "forcing-rhubarb"),
            ("www", "/2024/04/{t.slug}/", "post", "slug-beer"),
            ("www", "/?p={t.number}", "post", "forcing-rhubarb"),
            ("www", "/2024/04/{t.slug}/?replytocom=7", "reply", "slug-beer"),
            ("www", "/2024/03/{t.slug}/", "post", "bean-poles"),
            ("www", "/kitchen/{t.slug}/", "post", "forcing-rhubarb"),
            ("www", "/2024/03/{t.slug}/amp/", "amp", "bean-poles"),
            ("www", "/2024/08/{t.slug}/", "post", "show-day"),
            ("www", "/2024/08/{t.slug}/?print=1", "print", "show-day"),
            ("www", "/2024/02/{t.slug}/?print=1", "print", "forcing-rhubarb"),
        ),
    )


# --- MediaWiki -----------------------------------------------------------------------------------

_PEAT = _texts(
    """\
@ Sphagnum | Sphagnum | 21 March 2024 | Bogtrotter
Sphagnum is a genus of some three hundred and eighty mosses that build most of the peat in cool,
wet countries. Dead cells with pores hold up to twenty times the weight of the plant in water, so
that a lawn of it lifts the water table with itself as it grows.

The living plant exchanges hydrogen for other ions and so makes its surroundings sour, which keeps
bacteria from rotting what lies beneath. Dressings of dried moss were used for wounds in the First
World War. On cut-over bogs it may be brought back by spreading fragments under straw once the
drains have been blocked.
@ Blanket_bog | Blanket bog | 2 May 2024 | Hagg
A blanket bog covers hill and hollow alike, wherever rain falls on more than two days in three and
summers are cool. The peat is from one to six metres thick and thins out on slopes steeper than
about fifteen degrees. It needs no basin, since all its water comes from above.

Burning, drainage and grazing have left gullies, called grips where they were dug and haggs where
they were not. Bare peat dries, cracks and blows away. Repair begins with dams of heather bales or
stone, goes on with reprofiling of edges, and ends with a nurse crop of grass.
@ Turbary | Turbary | 11 November 2023 | Slane
Turbary is the right to cut turf for fuel on land that belongs to someone else, and also the piece
of land on which the right holds. It was commonly attached to a house and could not be sold
without it. The holder might cut as much as the hearth would burn in a year and no more.

Banks were numbered and marked with stones. A household took turns of the wide cutting spade, laid
the wet turves on the heather, and footed them a fortnight later in little pyramids for the wind
to dry. Most registers of such rights were closed in the twentieth century.
"""
)


@family("peatland-wiki", kind="MediaWiki, printable, mobile, oldid", language="en", half="work")
def peatland_wiki() -> Iterator[Page]:
    """A wiki whose current revision also has an address of its own."""

    def make(ask: _Ask) -> str:
        text = ask.text
        title = f"{text.title} - Peatland Wiki"
        edited = f"This page was last edited on {text.day}, at 18:0{text.number % 10}."
        if ask.view == "mobile":
            first, *rest = text.paragraphs
            return _doc(
                title,
                f"""<div id="mw-mf-viewport"><header class="minerva-header"><a href="/">Peatland
Wiki
</a><form action="/w/index.php"><input name="search" placeholder="Search Peatland Wiki"></form>
</header><main id="content"><h1 id="firstHeading">{text.title}</h1><ul id="page-actions">
<li>Language</li><li>Watch</li><li>Edit</li></ul><section class="mf-section-0"><p>{first}</p>
</section>{"".join(f"<section><p>{part}</p></section>" for part in rest)}</main>
<footer>Last edited on {text.day} by {text.author}. Content is available under CC BY-SA.
<a href="/terms">Terms of Use</a> <a href="/desktop">Desktop</a></footer></div>""",
                attrs=' class="mediawiki skin-minerva"',
            )
        above = "From Peatland Wiki"
        if ask.view == "oldid":
            above += f"""<div id="mw-revision-info">This is the <a href="/wiki/{text.slug}">current
revision</a> of this page, as edited by {text.author} at 18:0{text.number % 10}, {text.day}. The
present address (URL) is a permanent link to this version.</div>"""
        if ask.view == "redirect":
            above += f'<div class="mw-redirectedfrom">(Redirected from {ask.path[6:]})</div>'
        chrome = f"""<div id="mw-navigation"><div id="p-personal"><ul><li>Not logged in</li>
<li>Talk</li><li><a href="/w/index.php?title=Special:UserLogin&amp;returnto={text.slug}">Log in</a>
</li></ul></div><div id="p-namespaces"><ul><li>Page</li><li>Discussion</li></ul></div>
<div id="mw-panel"><ul><li><a href="/wiki/Main_Page">Main page</a></li><li>Recent changes</li>
<li>Random page</li><li>What links here</li><li>Printable version</li>
<li>Permanent link</li></ul></div></div>"""
        if ask.view == "printable":
            chrome = ""
        return _doc(
            title,
            f"""<div id="content" class="mw-body"><h1 id="firstHeading">{text.title}</h1>
<div id="bodyContent"><div id="siteSub">{above}</div><div id="mw-content-text">
<div class="mw-parser-output">{text.body}</div><div class="printfooter">Retrieved from
"/w/index.php?title={text.slug}&amp;oldid={text.number * 31}"</div></div>
<div id="catlinks">Categories: <a href="/wiki/Category:Peat">Peat</a></div></div></div>{chrome}
<div id="footer"><ul><li>{edited}</li><li>Content is available under CC BY-SA.</li>
<li>Privacy policy</li><li>About Peatland Wiki</li></ul></div>""",
            f'<script>RLCONF={{"wgRequestId":"{ask.tag("request", 24)}"}};</script>',
            attrs=' class="mediawiki skin-vector"',
        )

    return _served(
        _PEAT,
        make,
        (
            ("www", "/wiki/{t.slug}", "page", "Sphagnum"),
            ("www", "/wiki/{t.slug}", "page", "Blanket_bog"),
            ("www", "/w/index.php?title={t.slug}&printable=yes", "printable", "Sphagnum"),
            ("www", "/wiki/{t.slug}", "page", "Turbary"),
            ("m", "/wiki/{t.slug}", "mobile", "Blanket_bog"),
            ("www", "/w/index.php?title={t.slug}&oldid=2077", "oldid", "Turbary"),
            ("www", "/wiki/Peat_moss", "redirect", "Sphagnum"),
            ("m", "/wiki/{t.slug}", "mobile", "Turbary"),
            ("www", "/w/index.php?title={t.slug}&oldid=1674", "oldid", "Blanket_bog"),
        ),
    )


# --- Drupal --------------------------------------------------------------------------------------

_TOLL = _texts(
    """\
@ toll-board | The Elmbridge toll board | 2023-09-12 | curator
This oak board hung over the gate at Elmbridge from 1774 until the trust was wound up. It lists
what was due for a score of sheep, a coach and four, a waggon with wheels broader than nine
inches, and a funeral, which passed free. The paint has been renewed at least three times, each
time with a higher sum for waggons.

It came to us from a public house, where it had been cut down to fit above the fire. The missing
left edge was found in the cellar and is shown beside it. Please do not touch the lettering.
@ keepers-lantern | A keeper's lantern | 2023-10-02 | curator
A gate had to be lit from dusk to dawn, and a keeper who let it go out could be fined a week's
pay. This lantern is of tinned iron with panes of horn, which do not break when a horse throws up
a stone. The soot inside has been left as it was found.

On the base a row of scratches may be a tally of nights. We counted one hundred and eighty-three,
and then a gap, and then nine more. The name of the keeper is not recorded, but the gate was Cold
Ash.
@ rebecca-letter | A threatening letter | 2023-11-20 | archivist
In the winter of 1843 a letter was pushed under the door of the surveyor. It warns him, in two
languages and a good hand, to take down the new bar within ten days or see it burnt. The bar was
burnt on the eleventh.

Nobody was tried. The paper is of a kind sold to schools, and the surveyor seems to have thought
that he knew the writer, for he noted on the back that he would say nothing. It can be seen by
appointment in the reading room on Tuesdays.
"""
)


@family("tollgate-museum", kind="Drupal alias, node and print", language="en", half="work")
def tollgate_museum() -> Iterator[Page]:
    """A museum whose objects answer by alias, by node and in print."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "print":
            return _doc(
                text.title,
                f"""<div class="print-logo"><img src="/logo.png" alt=""></div>
<div class="print-site_name">Published on <em>Tollgate Museum</em> (<a href="/">
http://www.tollgate-museum.test</a>)</div>
<div class="print-breadcrumb"><a href="/">Home</a> &gt; {text.title}</div>
<h1 class="print-title">{text.title}</h1>
<div class="print-content"><div class="node clearfix">{text.body}</div></div>
<div class="print-source_url"><strong>Source URL:</strong>
http://www.tollgate-museum.test/collection/{text.slug}</div>""",
                '<meta name="robots" content="noindex, nofollow, noarchive">',
            )
        return _doc(
            f"{text.title} | Tollgate Museum",
            f"""<div id="page-wrapper"><div id="header"><a href="/" title="Home" rel="home"><img
src="/logo.png" alt="Home"></a><div id="main-menu"><ul class="links"><li>Visit</li><li>Collection
</li><li>Learn</li><li>Support us</li></ul></div></div>
<div id="breadcrumb"><h2 class="element-invisible">You are here</h2><a href="/">Home</a></div>
<div id="content"><h1 class="title">{text.title}</h1>
<div id="node-{text.number}" class="node node-object" about="/collection/{text.slug}">
<div class="submitted">Submitted by {text.author} on {text.day}</div>
<div class="field field-name-body">{text.body}</div>
<ul class="links inline"><li><a href="/print/node/{text.number}">Printer-friendly version</a></li>
</ul></div></div>
<div id="sidebar-first"><div class="block"><h2>From the workshop</h2>{_teasers(ask, 4)}</div>
<div class="block block-user"><h2>User login</h2><form method="post"
action="/collection/{text.slug}?destination=node/{text.number}"><input name="name"><input
name="pass" type="password">
<input type="hidden" name="form_build_id" value="form-{ask.tag("build", 24)}"></form></div></div>
<div id="footer">Tollgate Museum, Turnpike House. Closed on Mondays.</div></div>""",
            f'<link rel="stylesheet" href="/sites/default/files/css/css_{ask.tag("css")}.css">',
            attrs=f' class="html node-type-object page-node-{text.number}"',
        )

    return _served(
        _TOLL,
        make,
        (
            ("www", "/collection/{t.slug}", "node", "toll-board"),
            ("www", "/node/{t.number}", "node", "keepers-lantern"),
            ("www", "/node/{t.number}", "node", "toll-board"),
            ("www", "/print/node/{t.number}", "print", "toll-board"),
            ("www", "/collection/{t.slug}", "node", "keepers-lantern"),
            ("www", "/collection/{t.slug}", "node", "rebecca-letter"),
            ("www", "/print/{t.number}", "print", "rebecca-letter"),
        ),
    )


# --- Joomla --------------------------------------------------------------------------------------

_CHOIR = _texts(
    """\
@ easter-concert | Easter concert in the lifeboat house | 12 March 2024 | Moira
We sing on Easter Sunday at four among the slipway winches, as we have done since the church roof
was found to be unsafe. The first half is Tallis and Byrd, the second belongs to the shanty men,
and between them there is tea from the crew's urn.

Doors open at half past three. There are a hundred chairs and no reserved places. If the pagers go
off we stop, everyone leaves by the land side, and your ticket is good for the Monday after. Wear
a coat: the big doors stay ajar for the radio mast.
@ new-tenors | Three new tenors | 3 February 2024 | Moira
After eleven years of asking, the choir has found tenors. Two have moved here to run the boatyard
and the third turns out to have been singing alone on the ferry all this time. Each has promised
to stay until Christmas at least.

With six voices in the section we can at last try pieces in eight parts. Rehearsals are on
Wednesday at half past seven in the net loft. Basses, do not be jealous: you have always been
splendid, and the new arrangement gives you the tune for nineteen bars.
@ music-library | Please return your copies | 20 January 2024 | Librarian
Forty-one of our two hundred vocal scores are missing. Some will be under piano stools, some were
lent to a cousin, and a few have surely gone to sea. Please look, and leave what you find in the
box by the post office counter before the end of the month.

We hire scores from the county library at a pound for each week, and a lost one costs us fifteen.
No names will be read out. If your copy has been rained on, bring it anyway; the binder can do
wonders with a flat iron and blotting paper.
"""
)


@family("harbour-choir", kind="Joomla component and print", language="en", half="work")
def harbour_choir() -> Iterator[Page]:
    """Articles behind a menu, behind the component, and in a window for printing."""

    def make(ask: _Ask) -> str:
        text = ask.text
        article = f"""<div class="item-page" itemscope><div class="page-header">
<h2>{text.title}</h2>
</div><dl class="article-info"><dt>Details</dt><dd>Written by {text.author}</dd>
<dd>Category: <a href="/index.php/news">News</a></dd><dd>Published: {text.day}</dd>
<dd>Hits: {300 + ask.count("hits", 90)}</dd></dl><div itemprop="articleBody">{text.body}</div>
</div>"""
        if ask.view == "print":
            return _doc(
                text.title,
                f"""<div class="contentpane"><a href="#"
onclick="window.print();return false;">Print
</a>{article}</div>""",
                '<meta name="robots" content="noindex, nofollow">',
                attrs=' class="contentpane modal"',
            )
        return _doc(
            f"{text.title} - Harbour Choir",
            f"""<div class="body"><div class="container"><header class="header"><a class="brand"
href="/">Harbour Choir</a></header><nav><ul class="nav menu"><li>Home</li><li>News</li>
<li>Concerts</li><li>Join us</li></ul></nav><div class="row-fluid"><main id="content" class="span9">
{article}<ul class="pager pagenav"><li><a href="/index.php/news/38">Prev</a></li>
<li><a href="/index.php/news/44">Next</a></li></ul></main>
<div id="aside" class="span3"><div class="well"><h3>Latest Articles</h3>{_teasers(ask, 4)}</div>
<div class="well"><h3>Login Form</h3><form method="post"><input name="username"><input type="hidden"
name="{ask.tag("token", 32)}" value="1"></form></div></div></div></div></div>
<footer>© 2024 Harbour Choir. Back to Top</footer>""",
            '<meta name="generator" content="Joomla! - Open Source Content Management">',
            attrs=' class="site com_content view-article"',
        )

    return _served(
        _CHOIR,
        make,
        (
            ("www", "/index.php/news/{t.number}-{t.slug}", "page", "easter-concert"),
            ("www", "/index.php/news/{t.number}-{t.slug}", "page", "new-tenors"),
            (
                "www",
                "/index.php/news/{t.number}-{t.slug}?tmpl=component&print=1&layout=default",
                "print",
                "easter-concert",
            ),
            (
                "www",
                "/index.php?option=com_content&view=article&id={t.number}:{t.slug}&catid=8",
                "page",
                "new-tenors",
            ),
            ("www", "/index.php/component/content/article/{t.number}", "page", "easter-concert"),
            ("www", "/index.php/news/{t.number}-{t.slug}", "page", "music-library"),
            ("www", "/index.php/8-news/{t.number}-{t.slug}", "page", "music-library"),
        ),
    )


# --- TYPO3 ---------------------------------------------------------------------------------------

_INSTITUTE = _texts(
    """\
@ soil | Soils and water | 2024 | Dr. Lindqvist
The group studies how water finds its way through cracked clay. On two fields at the edge of the
campus we have buried four hundred probes that report every ten minutes, and a rain machine on
rails lets us repeat the same shower as often as we wish.

Our main result of recent years is that a third of the water passes the roots through fewer than
one in a hundred of the cracks. At present we ask how long such a path stays open once it has
formed. Students who are not afraid of spades are welcome to write to us.
@ timber | Timber engineering | 2024 | Prof. Achterberg
We test joints. A press of two hundred tonnes bends beams up to eighteen metres long until they
break, and cameras follow every fibre on the way. The results go into the tables on which
engineers rely when they build halls and bridges of glued wood.

Lately much of the work has been on beech, which is stronger than spruce but moves more with the
weather. A footbridge near the canteen serves as a trial in the open. Firms can hire the press
together with a technician by the day.
@ archive | Archive of instruments | 2024 | M. Okonjo
The institute keeps some nine hundred instruments that were used in its own laboratories, from a
balance of 1868 to the first automatic level. About fifty are shown in the stairwell; the others
stand in the store and can be seen on request.

Every piece is recorded with the experiments it served, as far as the notebooks tell us. Loans to
other museums are possible for up to two years. We do not restore instruments to working order,
but we make copies on which visitors may turn the screws.
"""
)


@family("ardmore-institute", kind="TYPO3 by path, id and type", language="en", half="work")
def ardmore_institute() -> Iterator[Page]:
    """Pages by speaking path and by id, and the print type 98."""

    def make(ask: _Ask) -> str:
        text = ask.text
        content = f"""<!--TYPO3SEARCH_begin--><div id="c{text.number * 3}" class="frame">
<h1>{text.title}</h1></div><div id="c{text.number * 3 + 1}"
class="frame ce-textpic">{text.body}</div>
<p class="contact">Contact: {text.author}</p><!--TYPO3SEARCH_end-->"""
        if ask.view == "print":
            return _doc(
                text.title,
                f"""<p>Ardmore Institute of Technology - print version</p>{content}
<p>URL: http://www.ardmore-institute.test/research/{text.slug}/</p>""",
            )
        return _doc(
            f"{text.title}: Ardmore Institute of Technology",
            f"""<div id="meta"><a href="/sitemap/">Sitemap</a> <a href="/contact/">Contact</a>
<a href="/imprint/">Imprint</a></div><div id="logo"><a href="/">Ardmore Institute of
Technology</a></div>
<ul id="nav"><li>Institute</li><li class="act">Research<ul><li>Soils and water</li>
<li>Timber engineering</li><li>Archive of instruments</li></ul></li><li>Teaching</li><li>Jobs</li>
</ul>
<div id="rootline">You are here: <a href="/">Start</a> / <a href="/research/">Research</a></div>
<div id="main">{content}<p><a href="/index.php?id={text.number}&amp;type=98">Print</a>
<a href="#top">Top</a></p></div><div id="right"><h3>News</h3>{_teasers(ask, 3)}</div>
<div id="footer">© Ardmore Institute of Technology. Last update: {text.day}</div>""",
            '<meta name="generator" content="TYPO3 CMS">',
        )

    return _served(
        _INSTITUTE,
        make,
        (
            ("www", "/research/{t.slug}/", "page", "soil"),
            ("www", "/research/{t.slug}/", "page", "timber"),
            ("www", "/index.php?id={t.number}", "page", "soil"),
            ("www", "/index.php?id={t.number}&type=98", "print", "timber"),
            ("www", "/research/{t.slug}/", "page", "archive"),
            ("www", "/index.php?id={t.number}&L=0&cHash=1f6a22", "page", "archive"),
            ("www", "/index.php?id={t.number}&type=98", "print", "soil"),
        ),
    )


# --- forums --------------------------------------------------------------------------------------

_LATHE = _texts(
    """\
@ chatter | Chatter when parting off | Tue Mar 05, 2024 8:14 pm | brassnail
I get terrible chatter when I part off anything thicker than my thumb. The tool is sharp and on
centre as far as I can see with the steel rule trick. It is an elderly lathe with a flat belt.
What should I look at before I buy something?

Tighten the gibs and lock the saddle first. Then go slower than you dare and feed harder than you
like; a tool that rubs will sing. Nine times in ten it is the top slide that moves.

Try it upside down from the rear. It pulls the slack out of the cross slide instead of climbing on
the work. I never went back.

Gibs it was. I had a full turn on two of the screws. Thank you both, the house is quiet again.
@ change-gears | Change gears for a metric thread | Sat Jan 20, 2024 10:02 am | okapi
My leadscrew has eight threads to the inch and I need a pitch of one and a quarter millimetres for
a camera part. I do not have a wheel of a hundred and twenty-seven teeth and there is no room for
one. How close can one get?

With a sixty-three in place of it the error is one part in about eight thousand. Over a nut's
length you will never see it. Somebody will write that it is wrong in principle.

It is wrong in principle. It is also what I have done for thirty years.
@ rust | Storing tools in a damp shed | Sun Oct 08, 2023 6:40 pm | sedgely
Everything I put down in the shed is brown by the weekend. The roof is sound and the floor is
concrete on earth. I have tried oil and newspaper. Heating is out of the question. Ideas?

Warm metal does not rust: one lamp of forty watts under the bench with a blanket over the lot
costs little. Mine has run since the old queen's jubilee.

Seal the floor. The water comes up, not down. Two coats of garage paint and a sheet of plastic
under the mats made all the difference here, and camphor in the drawers.
"""
)


def _posts(text: _Text, row: str) -> str:
    """Return the posts of a thread, each laid out as `row` says."""
    zh = "。" in text.paragraphs[0]
    first, second = ("渔人码头", "老竿") if zh else ("tinkerfield", "old_jacob")
    names = (text.author, first, second, text.author)
    return "".join(
        row.format(name=name, number=text.number * 10 + place, day=text.day, said=said)
        for place, (name, said) in enumerate(zip(names, text.paragraphs, strict=False))
    )


@family("lathe-forum", kind="phpBB with sid, post and print view", language="en", half="work")
def lathe_forum() -> Iterator[Page]:
    """Topics under the board, under a post, with a session, and for printing."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "print":
            posts = _posts(
                text,
                """<div class="post"><h3>{name}</h3><div class="date">Posted: <b>{day}</b></div>
<div class="content">{said}</div></div><hr>""",
            )
            return _doc(
                f"The Bench Lathe Forum :: View topic - {text.title}",
                f"""<div id="wrap"><div id="page-header"><h1>The Bench Lathe Forum</h1><p>For people
with swarf in their slippers</p></div><h2>{text.title}</h2><p>Page 1 of 1</p>{posts}
<div id="page-footer">All times are UTC. Powered by phpBB</div></div>""",
                '<meta name="robots" content="noindex">',
            )
        sid = f"sid={ask.tag('sid', 32)}"
        posts = _posts(
            text,
            """<div id="p{number}" class="post"><div class="postbody"><h3><a
href="#p{number}">Re</a>
</h3><p class="author">by <strong>{name}</strong> » {day}</p><div class="content">{said}</div></div>
<dl class="postprofile"><dt>{name}</dt><dd>Posts: 112</dd><dd>Joined: Mon Feb 03, 2014</dd></dl>
</div>""",
        )
        return _doc(
            f"{text.title} - The Bench Lathe Forum",
            f"""<div id="wrap"><div class="headerbar"><a href="./index.php?{sid}">The Bench Lathe
Forum
</a><form action="./search.php"><input name="keywords" placeholder="Search…"></form></div>
<ul class="navlinks"><li><a href="./index.php?{sid}">Board index</a></li>
<li><a href="./viewforum.php?f=3&amp;{sid}">Turning</a></li>
<li><a href="./ucp.php?mode=login&amp;{sid}">Login</a></li></ul><h2><a
href="./viewtopic.php?f=3&amp;t={text.number}&amp;{sid}">{text.title}</a></h2>
<div class="topic-actions"><a href="./posting.php?mode=reply&amp;{sid}">Post a reply</a>
{len(text.paragraphs)} posts • Page 1 of 1</div>{posts}
<h3>Who is online</h3><p>Users browsing this forum: No registered users and
{1 + ask.count("guests", 6)} guests</p><ul><li>All times are UTC</li><li>Delete cookies</li></ul>
<div class="copyright">Powered by phpBB® Forum Software © phpBB Limited</div></div>""",
        )

    return _served(
        _LATHE,
        make,
        (
            ("www", "/viewtopic.php?f=3&t={t.number}", "topic", "chatter"),
            ("www", "/viewtopic.php?f=3&t={t.number}", "topic", "change-gears"),
            ("www", "/viewtopic.php?f=3&t={t.number}&sid=0b8ae2f1d4c7", "topic", "chatter"),
            ("www", "/viewtopic.php?p={t.number}1", "topic", "change-gears"),
            ("www", "/viewtopic.php?f=3&t={t.number}&view=print", "print", "chatter"),
            ("www", "/viewtopic.php?f=3&t={t.number}", "topic", "rust"),
            ("www", "/viewtopic.php?t={t.number}", "topic", "rust"),
            ("www", "/viewtopic.php?f=3&t={t.number}&start=0", "topic", "change-gears"),
        ),
    )


_SIDECAR = _texts(
    """\
@ wheel-lead | How much wheel lead for a heavy chair? | 14th April 2024, 21:15 | steib_lad
Fitting a bigger chair with a child seat to my old twin and the book gives wheel lead only for the
sports body. I have two hundred millimetres now and it pulls left at anything over forty. Toe-in
is fifteen. Should I move the wheel forward or add toe-in?

Lead first, toe-in last. Two hundred and sixty works for the same chair on mine, loaded with dog
and groceries. Check the lean-out as well, an inch at the bars.

Agree with the above. And pump the chair's tyre harder than you think.
@ ferry-fee | Ferry counts the outfit as a car | 2nd June 2024, 09:31 | midgebite
Has anyone managed to talk the island ferry down to the motorcycle fare? They charged me as a car
under five metres, which is four times as much, and then parked me among the motorcycles anyway.

Book by telephone and say combination, not sidecar. There is a fare for it that the web page does
not know about. Take a printed copy for the man at the ramp.

Worked for me in May. He looked it up in a ring binder.
@ screen | Making a screen for the chair | 30th January 2024, 18:47 | plexi
The passenger says that she is not going to Wales again without a screen. I have a sheet of three
millimetre acrylic and a heat gun. Any tips before I ruin it?

Buy polycarbonate, which bends cold and does not shatter. Cut it with a fine jigsaw with the film
still on, and round the corners with a file.

Make one of cardboard first and drive round the block with it. Mine ended up a hand lower than I
drew.
"""
)


@family("sidecar-owners", kind="vBulletin printthread and archive", language="en", half="work")
def sidecar_owners() -> Iterator[Page]:
    """Threads, their print pages and their plain archive."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "print":
            posts = _posts(
                text,
                """<table class="tborder" width="100%"><tr><td class="page"><table width="100%"><tr>
<td style="font-size:14pt">{name}</td><td align="right" class="smallfont">{day}</td></tr></table>
<hr size="1"><div>{said}</div></td></tr></table><br>""",
            )
            return _doc(
                f"Sidecar Owners - {text.title}",
                f"""<table width="100%"><tr><td><a href="index.php">Sidecar Owners</a>
(<span dir="ltr">http://www.sidecar-owners.test/index.php</span>)</td></tr><tr><td>- Technical</td>
</tr><tr><td>- - <strong>{text.title}</strong>
(<span dir="ltr">http://www.sidecar-owners.test/showthread.php?t={text.number}</span>)</td></tr>
</table><br>{posts}<div class="smallfont" align="center">All times are GMT. The time now is
<span class="time">0{1 + ask.count("hour", 9)}:12</span>.</div>""",
            )
        if ask.view == "archive":
            posts = _posts(
                text,
                """<div class="post"><div class="posttop"><div class="username">{name}</div>
<div class="date">{day}</div></div><div class="posttext">{said}</div></div><hr>""",
            )
            return _doc(
                f"{text.title} [Archive] - Sidecar Owners",
                f"""<div class="pagebody"><div id="navbar"><a href="/archive/">Sidecar Owners</a>
&gt;
<a href="/archive/f-4.html">Technical</a> &gt; {text.title}</div><hr><p class="largefont">View Full
Version : <a href="/showthread.php?t={text.number}">{text.title}</a></p><hr>{posts}
<div id="copyright">Powered by vBulletin</div></div>""",
            )
        posts = _posts(
            text,
            """<table id="post{number}" class="tborder"><tr><td class="thead">{day}</td><td
class="thead" align="right">#1</td></tr><tr><td class="alt2" width="175"><b>{name}</b><br>Senior
Member<br>Join Date: Mar 2009</td><td class="alt1"><div id="post_message_{number}">{said}</div></td>
</tr></table>""",
        )
        return _doc(
            f"{text.title} - Sidecar Owners",
            f"""<a name="top"></a><table class="tborder" width="100%"><tr><td><a href="index.php?s={
                ask.tag("s", 32)
            }">Sidecar Owners</a> &gt; Technical<br><b>{text.title}</b></td><td><form
action="login.php" method="post">User Name <input name="vb_login_username"> Password <input
type="password" name="vb_login_password"><input type="hidden" name="s" value="{ask.tag("s", 32)}">
</form></td></tr></table><table class="tborder"><tr><td>Register</td><td>FAQ</td><td>Calendar</td>
<td>Today's Posts</td><td>Search</td></tr></table><div id="posts">{posts}</div>
<table class="tborder"><tr><td>« <a href="showthread.php?t=12&amp;goto=nextoldest">Previous
Thread</a>
| <a href="showthread.php?t=12&amp;goto=nextnewest">Next Thread</a> »</td></tr></table>
<div>Posting Rules: You may not post new threads. BB code is On. Smilies are On. HTML code is
Off.</div>
<h4>Similar Threads</h4>{_teasers(ask, 3)}<div class="smallfont">Powered by vBulletin®</div>""",
        )

    return _served(
        _SIDECAR,
        make,
        (
            ("www", "/showthread.php?t={t.number}", "thread", "wheel-lead"),
            ("www", "/showthread.php?t={t.number}", "thread", "ferry-fee"),
            ("www", "/printthread.php?t={t.number}", "print", "wheel-lead"),
            ("www", "/archive/index.php/t-{t.number}.html", "archive", "ferry-fee"),
            ("www", "/showthread.php?t={t.number}", "thread", "screen"),
            ("www", "/showthread.php?s=9d1e44a0b7c2&t={t.number}", "thread", "wheel-lead"),
            ("www", "/printthread.php?t={t.number}&pp=40", "print", "screen"),
            ("www", "/archive/index.php/t-{t.number}.html", "archive", "wheel-lead"),
        ),
    )


# --- sessions in the path ------------------------------------------------------------------------

_LIBRARY = _texts(
    """\
@ loans | Borrowing and renewing | 6 January 2024 | Lending desk
You may have twelve books at once for three weeks. Renew twice by telephone, in person or on your
account, as long as nobody is waiting. After the third time please bring the book so that we can
see that it still exists.

Late books cost ten pence a day for adults and nothing for children. We never send more than two
letters. If a book has been chewed, dropped in the bath or left on a bus, tell us; most can be
replaced from the shop next door for less than you fear.
@ rooms | Reading rooms for hire | 15 February 2024 | Caretaker
Three rooms on the upper floor can be hired by societies of the borough. The Green Room seats ten
round one table, the Map Room twenty in rows, and the Gallery sixty without tables. Charges begin
at six pounds an hour, with tea at cost.

Keys are handed out at the desk against a signature. There is no lift to the Gallery. Chairs go
back as shown on the card by the door, and the last to leave rings the porter's bell twice.
@ local | Local history collection | 9 March 2024 | Reference desk
Rate books, six newspapers on film, eleven thousand photographs and all that the old museum could
not house: the collection lives behind the iron door and is open on Tuesday and Thursday
afternoons. Bring a pencil.

The index on cards is being typed up by volunteers and has reached the letter M. Copies of
photographs cost four pounds. We are glad of gifts, above all of albums with names written under
the faces.
"""
)


@family("borough-library", kind="ASP.NET session in the path", language="en", half="work")
def borough_library() -> Iterator[Page]:
    """Pages with and without a session without cookies, and a page for printing."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "print":
            return _doc(
                f"Borough Library - {text.title}",
                f"""<h2>Borough Library</h2><h1>{text.title}</h1>{text.body}<p>{text.author},
{text.day}</p>""",
            )
        return _doc(
            f"Borough Library - {text.title}",
            f"""<form method="post" action="./page.aspx?id={text.number}" id="aspnetForm">
<input type="hidden" name="__VIEWSTATE" value="/wEPDwUK{ask.tag("state", 40)}">
<input type="hidden" name="__EVENTVALIDATION" value="/wEdAAI{ask.tag("event", 30)}">
<div id="ctl00_Header"><h2>Borough Library</h2><a href="default.aspx">Home</a> |
<a href="opening.aspx">Opening times</a> | <a href="catalogue.aspx">Catalogue</a> |
<a href="account.aspx">My account</a></div>
<table width="100%"><tr><td id="ctl00_Left" width="180"><b>In this
section</b>{_teasers(ask, 4)}</td>
<td id="ctl00_Main"><h1>{text.title}</h1>{text.body}
<p><span id="ctl00_Main_lblDate">{text.day}</span> <span>{text.author}</span>
<a href="print.aspx?id={text.number}">Print this page</a></p></td></tr></table>
<div id="ctl00_Footer">Borough Library, Corporation Street. Accessibility. Privacy.</div></form>""",
        )

    return _served(
        _LIBRARY,
        make,
        (
            ("www", "/page.aspx?id={t.number}", "page", "loans"),
            ("www", "/(S(q2xv0u55jk1mzf45))/page.aspx?id={t.number}", "page", "loans"),
            ("www", "/page.aspx?id={t.number}", "page", "rooms"),
            ("www", "/(S(q2xv0u55jk1mzf45))/page.aspx?id={t.number}", "page", "local"),
            ("www", "/print.aspx?id={t.number}", "print", "rooms"),
            ("www", "/(S(0ycfd2rwo3l1ab99))/page.aspx?id={t.number}", "page", "local"),
            ("www", "/Page.aspx?ID={t.number}", "page", "rooms"),
        ),
    )


_COURSES = _texts(
    """\
@ BOT210 | BOT210 Field botany | Autumn term | Dr. Farrow
Twelve afternoons out of doors whatever the weather. Participants learn to use a key, to record a
square metre honestly, and to press a plant so that it can still be named in a century. Two
weekends are spent on chalk and on dunes.

Assessment is by a herbarium of thirty sheets and one walk with the examiner, who points. Boots, a
lens of ten times and a notebook with waterproof paper are needed. Places are limited to sixteen
because of the minibus.
@ LAT101 | LAT101 Latin from nothing | Autumn term | Ms. Quayle
No knowledge is assumed, not even of grammar. By the end of the term you will be able to read an
inscription, a letter of Pliny cut down a little, and most of the motto on the library. Three
classes a week, and a word list at each.

Assessment is by a test every second Friday and one longer paper in December. The book costs
thirty pounds and can be bought from last year's students for ten, with their answers in pencil.
@ SUR330 | SUR330 Surveying with level and tape | Spring term | Mr. Oduya
Students measure the same valley that every class since 1922 has measured and compare results with
all of them. Closing errors are read aloud. Lectures deal with the theory of errors, with datum
planes, and with what to do when a cow stands on the mark.

Assessment is by a plan at one to five hundred, drawn by hand, and by a short defence. The course
may not be combined with SUR331, which does the same by satellite.
"""
)


@family("ridgeway-university", kind="jsessionid in the path", language="en", half="work")
def ridgeway_university() -> Iterator[Page]:
    """Course pages of a Java application."""

    def make(ask: _Ask) -> str:
        text = ask.text
        session = f";jsessionid={ask.tag('session', 32).upper()}"
        return _doc(
            f"{text.title} :: Ridgeway University",
            f"""<div class="topbar"><a href="/index.do{session}">Ridgeway University</a>
<form action="/search.do{session}"><input name="query"><input type="hidden"
name="org.apache.struts.taglib.html.TOKEN" value="{ask.tag("struts", 32)}"></form></div>
<div class="tabs"><a href="/course/list.do{session}">Courses</a>
<a href="/staff/list.do{session}">Staff</a> <a href="/calendar.do{session}">Calendar</a>
<a href="/login.do{session}">Student login</a></div>
<div class="content"><h1>{text.title}</h1><table class="facts"><tr><th>Term</th><td>{text.day}</td>
</tr><tr><th>Taught by</th><td>{text.author}</td></tr><tr><th>Credits</th><td>10</td></tr></table>
{text.body}<p><a href="/course/list.do{session}">Back to the list</a></p></div>
<div class="foot">Ridgeway University is a charity. Problems with this page? Quote
{ask.tag("request", 6)}.</div>""",
            f'<link rel="stylesheet" href="/css/main.css{session}">',
        )

    return _served(
        _COURSES,
        make,
        (
            ("www", "/course/view.do?code={t.slug}", "page", "BOT210"),
            ("www", "/course/view.do;jsessionid=4E1A77C0?code={t.slug}", "page", "LAT101"),
            ("www", "/course/view.do;jsessionid=4E1A77C0?code={t.slug}", "page", "BOT210"),
            ("www", "/course/view.do?code={t.slug}", "page", "LAT101"),
            ("www", "/course/view.do?code={t.slug}", "page", "SUR330"),
            ("www", "/course/view.do;jsessionid=90B2F1D3?code={t.slug}", "page", "SUR330"),
            ("www", "/course/view.do?method=show&code={t.slug}", "page", "BOT210"),
        ),
    )


# --- shops ---------------------------------------------------------------------------------------

_KILN = _texts(
    """\
@ porridge-bowl-oat | Porridge bowl, oat | £18.00 | PB-01
Thrown on the wheel from a speckled stoneware and glazed inside and out in the colour of oats.
Holds a proper breakfast, 450 ml to the line. The foot is left bare and polished so that it will
not mark a table.

Each bowl differs by a few millimetres. Safe in the dishwasher, the microwave and a low oven, but
not from cold to hot in one go. We pack in straw and paper, and replace whatever arrives broken.
@ porridge-bowl-slate | Porridge bowl, slate | £18.00 | PB-02
Thrown on the wheel from a dark stoneware and glazed inside only, in the blue grey of wet slate.
Holds a proper breakfast, 450 ml to the line. The outside is bare clay, rough like a fine file,
and darkens with use.

Each bowl differs by a few millimetres. Wash by hand for the sake of the bare clay. We pack in
straw and paper, and replace whatever arrives broken.
@ butter-keeper | Butter keeper | £32.00 | BK-01
A bell of butter stands upside down in a little cold water and stays soft enough to spread for a
week without a refrigerator. Ours is cast rather than thrown, so that the two halves always fit,
and takes one packet of 250 g.

Change the water every second day. In a heatwave put it in the cellar. Comes with a card that
explains the trick to guests, who otherwise look for the butter in vain.
@ garlic-plate | Garlic grating plate | £12.00 | GP-01
Rub a clove over the spikes in the middle and it turns to cream in a few seconds; add oil and dip
bread. The rest comes off under the tap. The spikes are pressed into the clay before firing and
are sharper than they look.

Twelve centimetres across, in white only. Works for ginger and nutmeg as well, and for the last of
a hard cheese. We pack in straw and paper.
"""
)


@family("kiln-and-crate", kind="Shopify products in collections", language="en", half="work")
def kiln_and_crate() -> Iterator[Page]:
    """Products under each of their collections, and as a search found them."""

    def make(ask: _Ask) -> str:
        text = ask.text
        crumb = '<a href="/">Home</a>'
        if "/collections/" in ask.path:
            shelf = ask.path.split("/")[2]
            crumb += f' / <a href="/collections/{shelf}">{shelf.title()}</a>'
        return _doc(
            f"{text.title} – Kiln &amp; Crate",
            f"""<div id="shopify-section-announcement">Free delivery over £50</div>
<header class="site-header"><a href="/">Kiln &amp; Crate</a><nav><a href="/collections/all">Shop</a>
<a href="/pages/about">About</a><a href="/cart">Cart (0)</a></nav></header>
<nav class="breadcrumb">{crumb} / {text.title}</nav><main id="MainContent"><div class="product">
<img src="/cdn/shop/products/{text.slug}.jpg?v=16{text.number}" alt="{text.title}">
<h1 class="product-single__title">{text.title}</h1><span class="price">{text.day}</span>
<p class="sku">SKU {text.author}</p><form action="/cart/add" method="post"><input type="hidden"
name="form_type" value="product"><input type="hidden" name="id" value="39{text.number}">
<label>Quantity <input type="number" name="quantity" value="1"></label>
<button>Add to cart</button></form><div class="rte">{text.body}</div>
<p>Share <a href="//facebook.example/sharer?u={text.slug}">Facebook</a> Pin it</p></div></main>
<section id="related"><h2>From the journal</h2>{_teasers(ask, 3)}</section>
<footer>© 2024 Kiln &amp; Crate. Powered by Shopify. Refund policy. Shipping.</footer>
<script>var meta={{"page":{{"rid":"{ask.tag("rid", 12)}"}}}};</script>""",
            f'<link rel="canonical" href="/products/{text.slug}">',
            attrs=' class="template-product"',
        )

    return _served(
        _KILN,
        make,
        (
            ("www", "/collections/breakfast/products/{t.slug}", "page", "porridge-bowl-oat"),
            ("www", "/products/{t.slug}", "page", "porridge-bowl-slate"),
            ("www", "/products/{t.slug}", "page", "porridge-bowl-oat"),
            ("www", "/collections/breakfast/products/{t.slug}", "page", "butter-keeper"),
            ("www", "/collections/all/products/{t.slug}", "page", "butter-keeper"),
            ("www", "/products/{t.slug}?_pos=1&_sid=3fb1c0&_ss=r", "page", "porridge-bowl-slate"),
            ("www", "/products/{t.slug}", "page", "garlic-plate"),
            ("www", "/collections/gifts/products/{t.slug}", "page", "garlic-plate"),
        ),
    )


_TOOLS = _texts(
    """\
@ spokeshave-flat | Spokeshave, flat sole | 46.50 | NT-2210
A spokeshave with a body of malleable iron and a sole of fifty-two millimetres, ground flat. Two
screws set the depth and the tilt of the iron. Suits convex work such as chair legs, oars and
handles.

The iron is of carbon steel, hardened to about sixty on the Rockwell scale, and needs only a
minute on a fine stone before its first use. Guaranteed against breakage for ten years. Delivered
oiled, in a box of card.
@ spokeshave-round | Spokeshave, round sole | 48.00 | NT-2211
A spokeshave with a body of malleable iron and a sole rounded to a radius of forty millimetres.
Two screws set the depth and the tilt of the iron. Suits concave work such as seats, crooks and
the inside of curves.

The iron is of carbon steel, hardened to about sixty on the Rockwell scale. It asks for some
practice, because there is little sole to rest on. Guaranteed against breakage for ten years.
@ drawknife | Drawknife, ten inches | 71.00 | NT-2304
Forged from one piece, with handles of ash that are turned down slightly so that the wrists stay
straight. The bevel is on the upper side. Takes off bark or a shaving as thin as paper, as you
tilt it.

Comes with a guard of leather, which should be kept on whenever the knife is not in both your
hands. Weight six hundred grams. Sharpen with the stone moving and the knife still.
"""
)


@family("northgate-tools", kind="Magento categories, id, store", language="en", half="work")
def northgate_tools() -> Iterator[Page]:
    """Products by key, under a category, by id, and with the view of a store."""

    def make(ask: _Ask) -> str:
        text = ask.text
        return _doc(
            f"{text.title} - Northgate Tools",
            f"""<div class="page-wrapper"><header class="page-header"><div class="panel">
<a href="#contentarea">Skip to Content</a> Welcome to Northgate Tools <a
href="/customer/account/login/referer/{ask.tag("referer", 40)}/">Sign In</a></div>
<a class="logo" href="/">Northgate Tools</a><form action="/catalogsearch/result/"><input name="q"
placeholder="Search entire store here..."></form></header>
<nav class="navigation"><ul><li>Hand tools</li><li>Sharpening</li><li>Timber</li><li>Sale</li></ul>
</nav><main id="maincontent"><h1 class="page-title"><span
data-ui-id="page-title-wrapper">{text.title}
</span></h1><div class="product-info-price">£{text.day} <span>In stock</span> SKU#
{text.author}</div>
<form id="product_addtocart_form" method="post"><input type="hidden" name="product"
value="{text.number}"><input type="hidden" name="form_key" value="{ask.tag("key", 16)}">
<label>Qty <input name="qty" value="1"></label><button>Add to Cart</button></form>
<a href="#" class="action towishlist">Add to Wish List</a> <a class="action tocompare">Add to
Compare</a>
<div class="product attribute description">{text.body}</div>
<div class="block related"><h3>We found other articles you might like</h3>{_teasers(ask, 3)}</div>
</main><footer class="page-footer"><ul><li>Privacy and Cookie Policy</li><li>Orders and Returns</li>
<li>Contact Us</li></ul><small>Copyright © 2024 Northgate Tools Ltd.</small></footer></div>""",
            attrs=' class="catalog-product-view"',
        )

    return _served(
        _TOOLS,
        make,
        (
            ("www", "/{t.slug}.html", "page", "spokeshave-flat"),
            ("www", "/hand-tools/shaves/{t.slug}.html", "page", "spokeshave-flat"),
            ("www", "/hand-tools/shaves/{t.slug}.html", "page", "spokeshave-round"),
            ("www", "/catalog/product/view/id/{t.number}", "page", "spokeshave-flat"),
            ("www", "/{t.slug}.html", "page", "drawknife"),
            ("www", "/{t.slug}.html", "page", "spokeshave-round"),
            ("www", "/{t.slug}.html?___store=default&___from_store=trade", "page", "drawknife"),
            ("www", "/catalog/product/view/id/{t.number}/category/9/", "page", "drawknife"),
        ),
    )


# --- a newspaper ---------------------------------------------------------------------------------

_TARN = _texts(
    """\
@ bakery-flood | Bakery opens again after flood | 2024-01-18 | Ewan Birkett
The bakery in Tarn Street sold its first loaves yesterday since the beck came through the back
door in November. A queue had formed before six in the morning, and everything was gone by half
past eight.

Owner Lil Postlethwaite said that the oven had survived because her grandfather had built it a
yard above the floor. "He was laughed at for it," she said. "He measured the mark of 1898 and
added a bit." A fund set up by customers has paid for a new mixer.
@ bus-cut | Evening bus to be cut | 2024-02-01 | Ewan Birkett
The last bus from the town to the head of the valley will leave at ten past seven from April
instead of at twenty to ten. The operator says that it carries four people on an average night and
costs ninety pounds.

Parish councils are asking for a trial of a smaller bus that runs when it is called for. The
landlord of the Fleece said that he would rather drive people home himself, and has been doing so
on Fridays. A meeting takes place in the institute on Monday.
@ bell-recast | Cracked bell goes to be recast | 2024-02-22 | Shona Pirie
The tenor of St Oswald's was lowered through the floor of the tower on Tuesday and left for the
foundry on the back of a potato lorry. It cracked on the night of the new year, at the fourth
stroke.

The bell weighs eleven hundredweight and was cast in 1731. Its inscription will be copied on the
new one. Ringers have raised two thirds of the cost so far, much of it by a sponsored silence of
the children of the Sunday school.
@ lambs-snow | Late snow catches first lambs | 2024-03-14 | Shona Pirie
Farmers on the high ground spent two nights with torches and sledges after a foot of snow fell on
the first week of lambing. Most losses were among twins.

At Skelgill forty ewes were found alive behind a wall that had drifted over. The road over the top
stayed shut until Thursday noon, and the school took the chance to close. Forecasters expect a
thaw by Sunday with some risk of flooding lower down.
"""
)


@family("tarn-herald", kind="news with AMP, mobile and print", language="en", half="work")
def tarn_herald() -> Iterator[Page]:
    """Articles on four kinds of page."""

    def make(ask: _Ask) -> str:
        text = ask.text
        first, *rest = text.paragraphs
        if ask.view == "amp":
            return _doc(
                text.title,
                f"""<header><a href="/">Tarn Herald</a><button on="tap:menu.toggle">Menu</button>
</header><amp-ad width="320" height="50" type="doubleclick"></amp-ad><article><h1>{text.title}</h1>
<p class="byline">{text.author}</p><time>{text.day}</time>
<amp-img src="/img/{text.slug}.jpg" width="640" height="360"></amp-img>{text.body}</article>
<amp-social-share type="email"></amp-social-share><footer>© Tarn Herald</footer>""",
                f'<link rel="canonical" href="/news/{text.slug}-{text.number}">',
                attrs=' class="amp"',
            )
        if ask.view == "print":
            return _doc(
                f"{text.title} | Print",
                f"""<img src="/img/herald-bw.gif" alt="Tarn Herald"><p>{text.day}</p>
<h2>{text.title}</h2><p>By {text.author}</p>{text.body}<p>© Tarn Herald 2024. Reproduction without
permission is prohibited.</p>""",
            )
        if ask.view == "mobile":
            return _doc(
                f"{text.title} - Tarn Herald mobile",
                f"""<div class="m-top"><a href="/">Tarn Herald</a> <a href="/menu">Menu</a></div>
<h1>{text.title}</h1><div class="m-by">{text.author} | {text.day}</div>
<div class="m-body">{text.body}</div><div class="m-more"><h4>Most read</h4>{_teasers(ask, 3)}</div>
<div class="m-foot">Desktop site | Privacy | Contact</div>""",
            )
        return _doc(
            f"{text.title} | Tarn Herald",
            f"""<div id="top"><div class="weather">Today: 7°C, showers</div><a href="/">Tarn
Herald</a>
<ul><li>News</li><li>Sport</li><li>Farming</li><li>Letters</li><li>Deaths</li></ul></div>
<div id="col1"><h1>{text.title}</h1><p class="byline">By <a href="/by/1">{text.author}</a>,
<span>{text.day}</span></p><ul class="tools"><li><a href="/news/print/{text.number}">Print</a></li>
<li>Email</li><li>Text size</li></ul><p class="intro">{first}</p>
<div class="ad">Advertisement</div>{"".join(f"<p>{part}</p>" for part in rest)}
<div class="share">Share this story: Facebook Twitter</div></div>
<div id="col2"><h3>Latest</h3>{_teasers(ask)}<h3>Most read</h3><ol><li>Road over the top
reopens</li>
<li>Planning: what was decided</li></ol></div><div id="foot">Tarn Herald, Market Place. Established
1866. Terms. Cookies. Advertise with us.</div>""",
        )

    return _served(
        _TARN,
        make,
        (
            ("www", "/news/{t.slug}-{t.number}", "page", "bakery-flood"),
            ("www", "/news/{t.slug}-{t.number}", "page", "bus-cut"),
            ("www", "/amp/news/{t.slug}-{t.number}", "amp", "bakery-flood"),
            ("m", "/news/{t.slug}-{t.number}", "mobile", "bus-cut"),
            ("www", "/news/print/{t.number}", "print", "bakery-flood"),
            ("www", "/news/{t.slug}-{t.number}", "page", "bell-recast"),
            ("www", "/news/{t.slug}-{t.number}?ref=rss", "page", "bell-recast"),
            ("m", "/news/{t.slug}-{t.number}", "mobile", "lambs-snow"),
            ("www", "/farming/{t.slug}-{t.number}", "page", "lambs-snow"),
        ),
    )


# --- documentation -------------------------------------------------------------------------------

_ROOKERY = _texts(
    """\
@ install | Installation | 2.4 | rookery
Rookery needs Python 3.9 or later and nothing else. Install it with pip into an environment of its
own, or copy the single file rookery.py next to your script, which works as well and is what most
people with locked-down machines do.

To see that it works, run python -m rookery check. It makes a nest in a temporary folder, puts
three eggs into it, reads them back and tells you how long this took. If the last line says ok you
may delete the folder.
@ queues | Queues and nests | 2.4 | rookery
A nest is a folder that holds one file for each waiting job. Putting a job writes a file under a
name that begins with a dot and then renames it, so that a reader never sees half of a job. Taking
one renames it again, into the folder of the worker.

Nothing is locked, and any number of processes may put and take at the same time. Order is by time
of arrival, to the resolution of the clock of the file system. A job that was taken but never
finished is put back after the grace period.
@ settings | Settings | 2.4 | rookery
Settings are read from rookery.ini in the working folder, then from the environment. The option
nest names the folder; grace says for how many seconds a job may be out before it is put back, and
is 600 unless set; and keep tells how many finished jobs remain for inspection.

Unknown options are an error. A setting given in both places is taken from the environment, in
which names are in capitals and begin with ROOKERY.
@ settings-dev | Settings | 2.5 | rookery
Settings are read from rookery.toml in the working folder, then from the environment. The option
nest names the folder; grace says for how many seconds a job may be out before it is put back, and
is 900 unless set; and keep is gone, since finished jobs are now kept in one journal.

Unknown options are a warning. A setting given in both places is taken from the environment, in
which names are in capitals and begin with ROOKERY. The old file is still read when there is no
new one.
"""
)


@family("rookery-docs", kind="Sphinx latest and stable", language="en", half="work")
def rookery_docs() -> Iterator[Page]:
    """Two versions of a manual, of which one chapter was rewritten."""

    def make(ask: _Ask) -> str:
        text = ask.text
        version = "2.5.dev0" if "/latest/" in ask.path else "2.4.1"
        here = ask.path.rsplit("/", 1)[-1].removesuffix(".html")
        source = f'<a href="../_sources/{here}.rst.txt" rel="nofollow">Show Source</a>'
        return _doc(
            f"{text.title} &#8212; Rookery {version} documentation",
            f"""<div class="related"><h3>Navigation</h3><ul><li><a href="genindex.html">index</a>
</li>
<li><a href="queues.html">next</a> |</li><li><a href="index.html">Rookery {version}
documentation</a>
&#187;</li></ul></div><div class="document"><div class="documentwrapper"><div class="body"
role="main">
<section id="{text.title.lower()}"><h1>{text.title}<a class="headerlink" href="#">¶</a>
</h1>{text.body}
</section></div></div><div class="sphinxsidebar"><h1 class="logo"><a href="index.html">Rookery</a>
</h1>
<p>Queues made of files</p><h3>Navigation</h3><ul><li><a href="install.html">Installation</a></li>
<li><a href="queues.html">Queues and nests</a></li><li><a href="settings.html">Settings</a></li>
</ul>
<div role="note"><h3>This Page</h3>{source}</div><form action="search.html"><input name="q"></form>
</div></div><div class="footer">&#169;2024, Rookery contributors. | Powered by Sphinx 7.2.6 |
{source}
</div>""",
            f'<link rel="stylesheet" href="_static/alabaster.css?v={ask.tag(version)}">',
        )

    return _served(
        _ROOKERY,
        make,
        (
            ("www", "/en/latest/install.html", "page", "install"),
            ("www", "/en/latest/queues.html", "page", "queues"),
            ("www", "/en/latest/settings.html", "page", "settings-dev"),
            ("www", "/en/stable/install.html", "page", "install"),
            ("www", "/en/stable/queues.html", "page", "queues"),
            ("www", "/en/stable/settings.html", "page", "settings"),
            ("www", "/en/2.4.1/settings.html", "page", "settings"),
            ("www", "/en/2.4.1/install.html?highlight=pip", "page", "install"),
        ),
    )


# --- Discuz --------------------------------------------------------------------------------------

_DIAOYOU = _texts(
    """\
@ yutang | 新手第一次去鱼塘要带什么 | 2024-3-2 09:14 | 河边小马
周末想跟同事去郊区的鱼塘，听说是按小时收费的，一根杆八十块钱四个小时。我只有一根三米六的手杆，线和
钩都是店里配好的，饵料不知道该买哪种，请老师傅们指点一下。

鱼塘里主要是鲤鱼和草鱼，三米六够用了，主线换成一点五的，子线一点零。饵料就用店家推荐的那种颗粒，和
得软一点，勤抛竿。记得带抄网和遮阳帽。

补充一句，去之前打电话问问放没放新鱼，放鱼当天是最好钓的。椅子能借，别自己背。

谢谢两位，昨天去了，钓了六条鲤鱼，手都拉酸了。
@ yuhu | 野河里白条太闹怎么办 | 2024-4-11 20:37 | 柳荫
最近在城西的野河钓鲫鱼，饵还没到底就被白条抢光了，一下午换了三次饵都不行。换大钩也试过，口是少了，
可是鲫鱼也不咬了。大家有什么好办法？

把饵开得黏一点重一点，不要雾化，铅坠加半克，快速到底。实在不行就用红虫或者蚯蚓，白条不太吃沉底的活
饵。

我是先在旁边撒一把碎米把白条引开，隔一会儿撒一次，效果还可以。

试了加铅坠的办法，果然好多了，傍晚连上了七八条鲫鱼。
@ zhuzi | 老竹竿怎么保养 | 2024-1-20 16:02 | 竹里人
父亲留下一根五节的竹竿，有三十多年了，接口的铜箍松了，竿身也有点弯。我不打算真的用它钓鱼，只想保养
好挂在墙上，请问应该怎么处理？

先用湿布擦干净，阴干几天，不要晒。弯的地方在炭火上远远地烤热，戴手套慢慢掰直，固定一夜。最后上一层
薄薄的桐油。

铜箍松了可以缠一圈丝线再涂大漆，老师傅都是这么做的，别用胶水。
"""
)


@family("hebian-diaoyou", kind="Discuz by module, static, archiver", language="zh", half="work")
def hebian_diaoyou() -> Iterator[Page]:
    """Threads by module, as if static, on telephones, and in the archive."""

    def make(ask: _Ask) -> str:
        text = ask.text
        title = f"{text.title} - 野钓交流 - 河边钓友"
        if ask.view == "archiver":
            posts = _posts(text, '<p class="author"><strong>{name}</strong> 发表于 {day}</p>{said}')
            return _doc(
                f"{title} - Powered by Discuz! Archiver",
                f"""<div id="nav"><a href="./"><strong>河边钓友</strong></a> &rsaquo;
<a href="./?fid-2.html">野钓交流</a> &rsaquo; {text.title}</div><div id="content">{posts}
<div class="page"></div></div><div id="end">查看完整版本: <a
href="../thread-{text.number}-1-1.html">
{text.title}</a></div>""",
                lang="zh-CN",
            )
        if ask.view == "mobile":
            posts = _posts(
                text,
                """<div class="plc"><span class="avatar"></span><ul class="authi"><li>{name}</li>
<li>{day}</li></ul><div class="message">{said}</div></div>""",
            )
            return _doc(
                f"{text.title} - 手机版 - Powered by Discuz!",
                f"""<header class="header"><a href="forum.php?mobile=2">河边钓友</a></header>
<div class="postlist"><h2>{text.title}</h2>{posts}</div><div class="footer">
<a href="member.php?mod=logging">登录</a> 标准版 | 触屏版 | 电脑版</div>""",
                lang="zh-CN",
            )
        posts = _posts(
            text,
            """<div id="post_{number}"><table class="plhin"><tr><td class="pls"><div class="authi">
{name}</div><p>主题 21 | 帖子 340 | 积分 1287</p><p>高级会员</p></td><td class="plc"><div
class="pi">
<em>发表于 {day}</em> <a href="#">只看该作者</a></div><div class="t_f">{said}</div>
<div class="po"><a href="#">回复</a> <a href="#">举报</a></div></td></tr></table></div>""",
        )
        return _doc(
            f"{title} - Powered by Discuz!",
            f"""<div id="toptb"><a href="#">设为首页</a><a href="#">收藏本站</a></div>
<div id="hd"><a href="./">河边钓友</a><form method="post" action="member.php">账号 <input
name="username"> 密码 <input type="password" name="password"><input type="hidden" name="formhash"
value="{ask.tag("formhash")}"></form><ul><li>论坛</li><li>门户</li><li>排行榜</li></ul></div>
<div id="pt">论坛 &rsaquo; 垂钓天地 &rsaquo; 野钓交流 &rsaquo; {text.title}</div>
<div id="postlist"><table><tr><td>查看: {1200 + ask.count("views", 300)} | 回复:
{len(text.paragraphs) - 1}</td><td><h1 class="ts">{text.title}</h1></td></tr></table>{posts}</div>
<div id="f_pst">您需要登录后才可以回帖 <a href="#">登录</a> | <a href="#">立即注册</a></div>
<div class="bm"><h2>相关帖子</h2>{_teasers(ask, 4, zh=True)}</div>
<div id="ft">Archiver | 手机版 | 小黑屋 | 河边钓友 GMT+8, 2024-5-{1 + ask.count("day", 28)}
Powered by Discuz! X3.4</div>""",
            lang="zh-CN",
        )

    return _served(
        _DIAOYOU,
        make,
        (
            ("www", "/thread-{t.number}-1-1.html", "thread", "yutang"),
            ("www", "/forum.php?mod=viewthread&tid={t.number}", "thread", "yuhu"),
            ("www", "/forum.php?mod=viewthread&tid={t.number}", "thread", "yutang"),
            ("www", "/archiver/?tid-{t.number}.html", "archiver", "yutang"),
            ("www", "/thread-{t.number}-1-1.html", "thread", "zhuzi"),
            ("www", "/thread-{t.number}-1-2.html", "thread", "yuhu"),
            (
                "www",
                "/forum.php?mod=viewthread&tid={t.number}&extra=page%3D1&mobile=2",
                "mobile",
                "yuhu",
            ),
            (
                "www",
                "/forum.php?mod=viewthread&tid={t.number}&extra=page%3D1",
                "thread",
                "zhuzi",
            ),
        ),
    )


# --- notices in two columns ----------------------------------------------------------------------

_BEIYUAN = _texts(
    """\
@ tingshui | 关于老城区供水管网改造期间临时停水的通知 | 2024-03-12 | 县住建局
为提升老城区供水质量，县自来水公司定于三月十六日晚十时至次日早六时对文庙街至东关桥一段的供水主管进
行更换，届时文庙街、书院巷、东关里等片区暂停供水，地势较高的楼栋恢复时间可能推迟。

请沿线居民和单位提前储水，关好水龙头。恢复供水之初如有少量浑浊，放水几分钟即可。如遇下雨，施工时间
顺延一天，另行通知。咨询电话由自来水公司值班室二十四小时接听。
@ zhaosheng | 2024年义务教育阶段招生工作有关事项的公告 | 2024-04-28 | 县教育局
今年小学一年级招收年满六周岁的适龄儿童，按照就近入学的原则，由居住地所在学区的学校接收。登记时间为
六月一日至六月十日，家长携带户口簿、房产证或者租房合同到学校现场办理，也可以在网上提交材料。

随迁子女凭居住证和务工证明，由教育局统筹安排。任何学校不得以考试、面试等方式选拔学生，不得收取与入
学挂钩的费用。录取名单六月二十五日在校门口张贴，对结果有异议的可以在五个工作日之内提出复核。
@ chunhan | 县农业农村局部署春季抗旱工作 | 2024-03-20 | 县农业农村局
入春以来全县降水比常年同期少四成，部分塬区小麦出现旱情。三月十九日，县农业农村局召开会议，要求各乡
镇抓紧抢修机井和渠道，优先保证返青麦田用水，组织技术人员下到村里指导镇压保墒。

目前全县已经投入抗旱机具一千二百台套，浇灌麦田六万八千亩。气象部门预计月底有一次降水过程，将择机开
展人工增雨。会议还对春耕农资供应和价格监测作出安排。
@ tushuguan | 县图书馆新馆开放公告 | 2024-05-06 | 县文旅局
县图书馆新馆位于文化广场北侧，五月十八日起正式对外开放，周二至周日上午九时至下午八时，周一闭馆整
理。新馆共四层，设少儿借阅、地方文献、自习和报告厅等区域，座位六百个，首次办证免收押金。

老馆的图书将分批搬迁，五月十日以前借出的图书请在新馆归还，逾期的天数不计。开馆当周有三场讲座和一场
古籍修复展示，凭身份证入场，名额有限，先到先得。
"""
)


@family("beiyuan-gov", kind="one notice in two columns", language="zh", half="work")
def beiyuan_gov() -> Iterator[Page]:
    """One notice has an address in each of two columns."""
    columns = {
        "tzgg": ("政务公开", "通知公告"),
        "zxdt": ("新闻中心", "最新动态"),
        "msfw": ("民生服务", "便民信息"),
        "bmdt": ("新闻中心", "部门动态"),
    }

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "print":
            return _doc(
                text.title,
                f"""<h1 align="center">{text.title}</h1><p align="center">来源：{text.author}
{text.day}</p>{text.body}<p><a href="javascript:window.print()">打印</a></p>""",
                lang="zh-CN",
            )
        upper, lower = columns[ask.view]
        return _doc(
            f"{text.title}_{lower}_北塬县人民政府",
            f"""<div class="top"><a href="/">北塬县人民政府</a> <span>今天是星期一</span> 无障碍浏览
繁体 邮箱</div><ul class="nav"><li>首页</li><li>走进北塬</li><li>政务公开</li><li>政务服务</li>
<li>互动交流</li></ul><div class="crumb">当前位置：<a href="/">首页</a> &gt; {upper} &gt;
{lower}</div>
<div class="left"><h3>{upper}</h3>{_teasers(ask, 4, zh=True)}</div><div class="article">
<h1>{text.title}</h1><div class="info">发布日期：{text.day} 来源：{text.author} 浏览次数：
{500 + ask.count("hits", 400)} 字体：【大 中 小】</div><div class="TRS_Editor">{text.body}</div>
<div class="tools">打印本页 关闭窗口 分享到微信</div></div>
<div class="foot">主办：北塬县人民政府办公室 网站标识码：6100000000 联系我们 网站地图</div>""",
            f'<meta name="ColumnName" content="{lower}"><meta name="PubDate" content="{text.day}">',
            lang="zh-CN",
        )

    return _served(
        _BEIYUAN,
        make,
        (
            ("www", "/zwgk/tzgg/202403/t20240312_{t.number}.html", "tzgg", "tingshui"),
            ("www", "/msfw/bmxx/202403/t20240312_{t.number}.html", "msfw", "tingshui"),
            ("www", "/zwgk/tzgg/202404/t20240428_{t.number}.html", "tzgg", "zhaosheng"),
            ("www", "/xwzx/bmdt/202403/t20240320_{t.number}.html", "bmdt", "chunhan"),
            ("www", "/xwzx/zxdt/202403/t20240320_{t.number}.html", "zxdt", "chunhan"),
            ("www", "/zwgk/tzgg/202405/t20240506_{t.number}.html", "tzgg", "tushuguan"),
            ("www", "/xwzx/zxdt/202404/t20240428_{t.number}.html", "zxdt", "zhaosheng"),
            ("www", "/print.jsp?id={t.number}", "print", "tushuguan"),
        ),
    )


# --- reprints ------------------------------------------------------------------------------------

_CHENGNAN = _texts(
    """\
@ laodian | 城南最后一家修伞铺 | 2024-05-11 | 阿沅
巷口的修伞铺只有两个平方，墙上挂满了伞骨。何师傅今年七十四岁，十六岁跟着舅舅学徒，修过油纸伞、黑布
伞，也修过一万把折叠伞。他说伞坏无非三处，骨、面、柄，换一根骨收五块钱，二十年没涨过。

年轻人的伞坏了就扔，他不生气，只是看到垃圾桶边上有好好的伞骨，会捡回来擦干净留着。去年冬天有个姑娘
抱来一把外婆的伞，面子全破了，他照着原来的花样找了三个月的布。

铺子明年要拆，他没想好去哪里。“下雨天总会有人来找我的。”他说。
@ zaocan | 一碗汤粉的早晨 | 2024-05-18 | 阿沅
天还没亮，城南菜场后门的汤粉摊已经坐满了人。骨头汤从夜里两点开始熬，粉是隔壁作坊当天做的，烫七秒捞
起来，浇一勺汤，放两片猪肝、一撮葱花，六块钱。

老板娘记得每个熟客的口味，不用开口，坐下来就有。卖菜的、开出租的、刚下夜班的护士挤在一张桌上，谁也
不说话，只有吸粉的声音。七点半，粉卖完了，桌子一收，这里又成了停电动车的地方。

我问她为什么不多做一点，她说，多做了，汤就不对了。
@ duchuan | 渡口停航那天 | 2024-06-01 | 老邱
新桥通车之后，渡口还开了三个月。最后一天坐船的人比平时多出好几倍，有人带着孩子来看，有人来回坐了四
趟。船票还是一块钱，船老大说今天不收，大家还是往箱子里放。

船是一九八二年造的，柴油机换过两台。船老大的父亲也是摆渡的，那时候用的是木船和竹篙。他说以后去儿子
的厂里看大门，晚上大概会睡不着，因为太安静了。

船靠岸的时候，有人鼓掌，后来所有人都鼓起掌来。
"""
)


@family("chengnan-gushi", kind="reprints with other chrome", language="zh", half="work")
def chengnan_gushi() -> Iterator[Page]:
    """Essays of one account, reprinted by a portal and by a blog."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "portal":
            return _doc(
                f"{text.title}_生活频道_江畔网",
                f"""<div class="topnav">江畔网 新闻 财经 体育 房产 汽车 <a href="/login">登录</a>
</div>
<div class="path"><a href="/">江畔网</a> &gt; 生活 &gt; 正文</div><div class="main">
<h1>{text.title}</h1>
<p class="from">{text.day} 08:2{text.number % 10} 来源：城南故事 作者：{text.author}
参与评论 {ask.count("talk", 40)} 人</p>
<div class="text">{text.body}</div><p>责任编辑：方晴 （声明：转载目的在于传递更多信息）</p>
<div class="next"><h3>相关阅读</h3>{_teasers(ask, 4, zh=True)}</div></div>
<div class="right"><h3>24小时排行</h3><ol><li>端午假期天气</li><li>地铁新线试跑</li></ol></div>
<div class="bottom">关于我们 | 广告服务 | 法律声明 江畔网版权所有</div>""",
                lang="zh-CN",
            )
        if ask.view == "blog":
            return _doc(
                f"{text.title} | 旧街拾遗",
                f"""<div class="wrap"><h2 class="site">旧街拾遗</h2><p>收集关于老街的文字</p>
<div class="entry"><h3>{text.title}</h3><p class="meta">{text.day} 分类：转载
标签：老街</p>{text.body}
<p>本文转自公众号“城南故事”，作者{text.author}，侵删。</p></div><div class="nav">上一篇 下一篇</div>
</div><div class="side"><h4>近期文章</h4>{_teasers(ask, 5, zh=True)}</div>""",
                lang="zh-CN",
            )
        return _doc(
            text.title,
            f"""<div id="js_article" class="rich_media"><h1
class="rich_media_title">{text.title}</h1>
<div class="rich_media_meta_list"><span>原创</span> <span>{text.author}</span> <a>城南故事</a>
<em>{text.day}</em></div><div class="rich_media_content" id="js_content">{text.body}</div>
<p class="tips">喜欢此内容的人还喜欢</p><div class="qr">微信扫一扫关注该公众号</div>
<span class="read">阅读 {2000 + ask.count("read", 900)}</span> <span>赞</span> <span>在看</span>
</div>
<script nonce="{ask.tag("nonce", 10)}">var biz="{text.number}";</script>""",
            lang="zh-CN",
        )

    return _served(
        _CHENGNAN,
        make,
        (
            ("mp", "/s?__biz=MzA3&mid=26{t.number}&idx=1", "mp", "laodian"),
            ("other:jiangpan", "/life/2024/{t.number}.shtml", "portal", "laodian"),
            ("mp", "/s?__biz=MzA3&mid=26{t.number}&idx=1", "mp", "zaocan"),
            ("other:jiujie", "/archives/{t.number}", "blog", "laodian"),
            ("mp", "/s?__biz=MzA3&mid=26{t.number}&idx=1&scene=21", "mp", "zaocan"),
            ("mp", "/s?__biz=MzA3&mid=26{t.number}&idx=1", "mp", "duchuan"),
            ("other:jiujie", "/archives/{t.number}", "blog", "duchuan"),
            ("other:jiangpan", "/life/2024/{t.number}.shtml", "portal", "zaocan"),
        ),
    )


# --- old telephones ------------------------------------------------------------------------------

_SHANNAN = _texts(
    """\
@ chaye | 高山茶园开采 鲜叶价格上涨 | 2024-03-25 | 记者 罗青
三月二十四日，海拔八百米的云峰茶园迎来今年第一批采茶工。受倒春寒影响，今年开采比去年晚了六天，鲜叶
收购价每斤一百二十元，比去年同期上涨一成半。

合作社负责人介绍，早芽受冻的面积大约两百亩，好在及时覆盖了无纺布，损失不大。今年采茶工紧缺，工钱涨
到每天一百八十元，包吃住。第一批干茶预计二十八日上市。
@ tielu | 山南支线恢复客运 每天两对慢车 | 2024-04-02 | 记者 石磊
停运七年的山南支线四月一日恢复客运，早上六点四十的首趟列车载着三百多名旅客驶出县城。列车全程一百一
十公里，停靠十四个车站，票价最高十八元五角，运行三小时零五分。

沿线村民最高兴的是可以把蔬菜和鸡蛋带上车。列车专门腾出半节车厢放扁担箩筐，座椅也改成了靠窗长凳。铁
路部门表示，试运行三个月之后，将根据客流决定是否增开周末班次。
@ gudeng | 六百盏花灯点亮古镇 | 2024-02-24 | 记者 罗青
元宵之夜，沙溪古镇停电一小时，六百盏手工花灯同时点亮。鲤鱼灯、走马灯和一条长三十二米的草龙沿着石板
街走了一圈，最后在渡口的空地上会合。

扎灯的大多是六十岁以上的老人，今年第一次有小学生参加，孩子们扎的兔子灯走在最前面。镇上的客栈全部住
满，不少游客在渡口等到半夜。明年元宵，镇里打算办一个扎灯比赛。
"""
)


@family("shannan-ribao", kind="www, 3g, wap and print of a daily", language="zh", half="work")
def shannan_ribao() -> Iterator[Page]:
    """A daily for desks, for two kinds of telephones, and for paper."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "wap":
            return _doc(
                text.title,
                f"""<p><a href="/">山南日报wap</a>-<a href="/local">本地</a></p><p>
<b>{text.title}</b>
<br/>{text.day}</p>{text.body}<p>[{text.author}]</p><p><a href="/local">返回列表</a>
<a href="/">返回首页</a><br/>报时 0{ask.count("hour", 9)}:31</p>""",
                lang="zh-CN",
            )
        if ask.view == "3g":
            return _doc(
                f"{text.title}-手机山南日报",
                f"""<div class="hd"><a href="/"><img src="/i/logo.png" alt="手机山南日报"></a>
<a href="/nav">导航</a></div><div class="bd"><h1>{text.title}</h1><p class="t">{text.day}
{text.author}</p>{text.body}<div class="hot"><b>热点</b>{_teasers(ask, 3, zh=True)}</div></div>
<div class="ft">触屏版 | 电脑版 | 意见反馈</div>""",
                lang="zh-CN",
            )
        if ask.view == "print":
            return _doc(
                f"打印-{text.title}",
                f"""<p>山南日报 打印文章</p><h2>{text.title}</h2><p>{text.day} {text.author}</p>
{text.body}<input type="button" value="打印">""",
                lang="zh-CN",
            )
        return _doc(
            f"{text.title}--山南日报",
            f"""<table width="980"><tr><td>山南日报 本地 时政 教育 健康 副刊 图片 视频 数字报</td>
</tr>
</table><div class="pos">您所在的位置：首页 &gt; 本地新闻</div><div class="l"><h1>{text.title}</h1>
<h5>{text.day} {text.author} 稿件来源：山南日报 【字号 大 中 小】【打印】【收藏】</h5>
<div id="zoom">{text.body}</div><p>编辑：周舟</p><div>分享到：微博 微信 更多</div>
<div class="pl">网友评论仅供其表达个人看法 已有 {ask.count("talk", 30)} 条评论</div></div>
<div class="r"><h3>图片新闻</h3>{_teasers(ask, 5, zh=True)}</div><div class="b">山南日报社主办
新闻热线
广告热线 未经授权不得转载</div>""",
            lang="zh-CN",
        )

    return _served(
        _SHANNAN,
        make,
        (
            ("www", "/bendi/2024-03/25/content_{t.number}.htm", "page", "chaye"),
            ("www", "/bendi/2024-04/02/content_{t.number}.htm", "page", "tielu"),
            ("3g", "/bendi/content_{t.number}.htm", "3g", "chaye"),
            ("wap", "/show.php?id={t.number}", "wap", "tielu"),
            ("www", "/bendi/2024-02/24/content_{t.number}.htm", "page", "gudeng"),
            ("www", "/print.php?contentid={t.number}", "print", "gudeng"),
            ("wap", "/show.php?id={t.number}", "wap", "chaye"),
            ("3g", "/bendi/content_{t.number}.htm", "3g", "gudeng"),
        ),
    )


# --- translations --------------------------------------------------------------------------------

_LAMP = _texts(
    """\
@ trim-en | Trimming the wick | en | Support
Cut the wick straight across with sharp scissors, then take a hair off each corner so that the
flame comes out round. A wick that is too long smokes and blackens the chimney; one that is too
short will not draw oil.

Soak a new wick for half an hour before you light it the first time. Trim it when the flame shows
two points, which is about every tenth evening. Never trim a wick that is still warm.
@ trim-de | Den Docht schneiden | de | Support
Schneiden Sie den Docht mit einer scharfen Schere gerade ab und nehmen Sie an jeder Ecke eine Spur
weg, damit die Flamme rund wird. Ein zu langer Docht rußt und schwärzt den Zylinder; ein zu kurzer
zieht kein Öl.

Tränken Sie einen neuen Docht eine halbe Stunde, bevor Sie ihn zum ersten Mal anzünden. Schneiden
Sie nach, sobald die Flamme zwei Spitzen zeigt, also etwa an jedem zehnten Abend, und nie im
warmen Zustand.
@ trim-zh | 修剪灯芯 | zh | Support
请用锋利的剪刀把灯芯剪平，再把两角各修去一点，这样火焰才圆。灯芯太长会冒烟，熏黑灯罩；太短则吸不上
油。

新灯芯第一次点燃之前请先浸油半小时。火焰出现两个尖的时候就该修剪，大约每十个晚上一次。灯芯还热的时
候不要修剪。
@ oil-en | Which oil to burn | en | Support
Burn clear paraffin sold for lamps and nothing else. Scented oils leave a crust on the wick, and
petrol or spirit will explode. Coloured oil stains the glass over the years, though it does no
other harm.

Fill the font to two fingers below the collar. A full font burns for some sixteen hours at half
height. Keep oil in the can in which it was bought, away from children, and wipe up what you spill
before you strike a match.
@ oil-de | Welches Öl | de | Support
Brennen Sie nur klares Petroleum, das für Lampen verkauft wird. Duftöle verkrusten den Docht,
Benzin oder Spiritus explodieren. Gefärbtes Öl trübt mit den Jahren das Glas, schadet sonst aber
nicht.

Füllen Sie den Behälter bis zwei Finger unter den Kragen. Voll brennt er bei halber Höhe etwa
sechzehn Stunden. Bewahren Sie Öl im gekauften Kanister auf, fern von Kindern, und wischen Sie
Verschüttetes auf.
@ repair-en | Sending a lamp for repair | en | Support
Empty the lamp, let it air for a day, and pack the chimney apart from the burner. Write the number
that is stamped under the base on a slip of paper and put it in the box. We answer with a price
within a week and begin only when you agree.

Burners made after 1930 can nearly always be saved. We straighten, braze and polish, but do not
lacquer. Chimneys are replaced by new ones of the same shape. Repairs are guaranteed for two
years.
"""
)


@family("brass-lamp", kind="hreflang in three languages", language="en", half="work")
def brass_lamp() -> Iterator[Page]:
    """Translated pages differ; those not yet translated show the English text."""
    menus = {
        "en": ("Lamps", "Help", "Contact", "All rights reserved"),
        "de": ("Lampen", "Hilfe", "Kontakt", "Alle Rechte vorbehalten"),
        "zh": ("灯具", "帮助", "联系我们", "版权所有"),
    }

    def make(ask: _Ask) -> str:
        text = ask.text
        lamps, help_, contact, rights = menus[ask.view]
        page = ask.path.rsplit("/", 1)[-1]
        links = "".join(
            f'<link rel="alternate" hreflang="{code}" href="/{code}/help/{page}">\n'
            for code in menus
        )
        return _doc(
            f"{text.title} | Brass Lamp",
            f"""<header><a href="/{ask.view}/">Brass Lamp</a><nav><a
href="/{ask.view}/lamps">{lamps}
</a> <a href="/{ask.view}/help">{help_}</a> <a href="/{ask.view}/contact">{contact}</a></nav>
<p class="tongues"><a href="/en/help/{page}">English</a> <a href="/de/help/{page}">Deutsch</a>
<a href="/zh/help/{page}">中文</a></p></header><main><h1>{text.title}</h1>{text.body}</main>
<footer>© Brass Lamp GmbH. {rights}.</footer>""",
            links,
            lang=ask.view,
        )

    return _served(
        _LAMP,
        make,
        (
            ("www", "/en/help/trim", "en", "trim-en"),
            ("www", "/de/help/trim", "de", "trim-de"),
            ("www", "/zh/help/trim", "zh", "trim-zh"),
            ("www", "/en/help/oil", "en", "oil-en"),
            ("www", "/zh/help/oil", "zh", "oil-en"),
            ("www", "/de/help/oil", "de", "oil-de"),
            ("www", "/en/help/repair", "en", "repair-en"),
            ("www", "/de/help/repair", "de", "repair-en"),
            ("www", "/zh/help/repair", "zh", "repair-en"),
        ),
    )


# --- mirrors and syndication ---------------------------------------------------------------------


@family(
    "rookery-mirror",
    kind="mirrors in the same and another theme",
    language="en",
    half="work",
    texts="rookery-docs",
)
def rookery_mirror() -> Iterator[Page]:
    """A manual on its own host, on a mirror of it, and in another theme."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "other":
            return _doc(
                f"{text.title} - rookery - Package manuals",
                f"""<div class="navbar">Package manuals <a href="/">Browse</a> <a
href="/search">Search
</a></div><div class="row"><div class="col-3"><p>rookery 2.4</p>{_teasers(ask, 3)}</div>
<div class="col-9"><h2>{text.title}</h2>{text.body}<p><small>Rebuilt each night from the source
package. Problems: write to the maintainer of the mirror.</small></p></div></div>""",
            )
        return _doc(
            f"{text.title} | rookery",
            f"""<header><b>rookery</b> <a href="/manual/">Manual</a> <a
href="/download/">Download</a>
</header><article><h1>{text.title}</h1>{text.body}</article><footer>rookery {text.day}. Generated by
mkpages.</footer>""",
        )

    return _served(
        _ROOKERY,
        make,
        (
            ("www", "/manual/{t.slug}.html", "own", "install"),
            ("www", "/manual/{t.slug}.html", "own", "queues"),
            ("other:mirror", "/rookery/manual/{t.slug}.html", "own", "install"),
            ("other:manuals", "/r/rookery/{t.slug}", "other", "queues"),
            ("www", "/manual/{t.slug}.html", "own", "settings"),
            ("other:mirror", "/rookery/manual/{t.slug}.html", "own", "settings"),
            ("other:manuals", "/r/rookery/{t.slug}", "other", "install"),
        ),
    )


_WIRE = _texts(
    """\
@ ferry | Skerry ferry refit runs into sixth month | 2024-03-04 | Wire staff
The ferry that links the Skerries with the mainland will not be back before the end of May, the
owners said on Monday, after corrosion was found in a tank that nobody had opened since 2006.

Islanders have been served since October by a smaller boat that cannot carry lorries. The hotel
has closed for the winter and the shop rations eggs. A spokeswoman said that the yard was working
two shifts and that further surprises were not expected, which she agreed was what had been said
in January.
@ kelp | Kelp farm given leave to double | 2024-03-19 | Wire staff
A seaweed farm in the Sound of Garra may double its ropes to eighty kilometres under a licence
granted on Tuesday. It employs nine people and sells to a maker of ice cream and to a maker of
plant feed.

Creel fishermen had objected because buoys drift in winter. The licence requires tracking devices
on every fourth buoy and a fund for lost gear. The first of the new ropes go into the water in
October, when spores settle best.
@ school | School with two pupils to stay open | 2024-04-10 | Wire staff
The primary school on Fethay will keep its teacher for at least two more years, councillors
decided by a vote of eleven to ten. It has two pupils, who are brothers.

Closing it would have saved seventy thousand pounds a year but meant a boat every morning. Three
families have asked about the empty houses since the matter was in the news. The younger brother
told a reporter that he would like somebody else to be in goal.
"""
)


@family("skerry-wire", kind="syndication on two papers", language="en", half="work")
def skerry_wire() -> Iterator[Page]:
    """Agency reports as the agency and two papers show them, each in its own chrome."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "garra":
            return _doc(
                f"{text.title} - Garra Advertiser",
                f"""<div class="strap">Garra Advertiser | Wednesdays, 80p</div><div
class="menu">Home
News Shinty Classified Tides</div><h2>{text.title}</h2><p class="meta">Published {text.day} from our
news agency</p><div class="story">{text.body}</div><div class="rail"><h4>Also today</h4>
{_teasers(ask, 4)}</div><p>Advertiser Press, Pier Road. Complaints are dealt with by the
editor.</p>""",
            )
        if ask.view == "north":
            return _doc(
                f"{text.title} | The North Post",
                f"""<header><h1 class="masthead">The North Post</h1><a href="/subscribe">Subscribe
from
£1 a week</a><ul><li>Islands</li><li>Politics</li><li>Money</li><li>Culture</li></ul></header>
<article><h1>{text.title}</h1><span>Skerry Wire</span> <time>{text.day}</time>{text.body}
<p>Read more: <a href="/islands">all from the islands</a></p></article>
<aside>{_teasers(ask)}</aside>
<footer>North Post Media 2024. Cookie settings. Newsletters. Crossword.</footer>""",
            )
        return _doc(
            f"{text.title} - Skerry Wire",
            f"""<div>Skerry Wire - reports for editors</div><h1>{text.title}</h1><p>{text.author}
{text.day}</p>{text.body}<p>ENDS. Free for subscribers to publish.</p>""",
        )

    return _served(
        _WIRE,
        make,
        (
            ("www", "/report/{t.number}", "wire", "ferry"),
            ("other:garra", "/news/{t.slug}-{t.number}", "garra", "ferry"),
            ("other:north", "/islands/{t.day}/{t.slug}", "north", "ferry"),
            ("www", "/report/{t.number}", "wire", "kelp"),
            ("other:north", "/islands/{t.day}/{t.slug}", "north", "kelp"),
            ("other:garra", "/news/{t.slug}-{t.number}", "garra", "school"),
            ("www", "/report/{t.number}", "wire", "school"),
        ),
    )


# --- static sites --------------------------------------------------------------------------------


@family(
    "plot-diary",
    kind="index.html, case and two archives",
    language="en",
    half="work",
    texts="marrow-notes",
)
def plot_diary() -> Iterator[Page]:
    """A static blog served with and without its file names, in either case, by day and by slug."""

    def make(ask: _Ask) -> str:
        text = ask.text
        return _doc(
            f"{text.title} · Plot Diary",
            f"""<header><a href="/">Plot Diary</a> <a href="/posts/">Posts</a> <a
href="/tags/">Tags</a>
<a href="/index.xml">RSS</a></header><main><h1>{text.title}</h1><p class="meta">{text.day} · 1 min
read
· {text.author}</p>{text.body}<p class="tags">#garden #clay</p></main><nav class="pager"><a
href="/posts/">Older</a></nav><footer>Built with Hugo. Theme: quiet.</footer>""",
            '<meta name="generator" content="Hugo 0.123.8">',
        )

    return _served(
        _MARROW,
        make,
        (
            ("www", "/posts/{t.slug}/", "page", "bean-poles"),
            ("www", "/posts/{t.slug}/index.html", "page", "bean-poles"),
            ("www", "/posts/{t.slug}/", "page", "slug-beer"),
            ("www", "/Posts/{t.slug}/", "page", "slug-beer"),
            ("www", "/2024/08/26/{t.slug}.html", "page", "show-day"),
            ("www", "/posts/{t.slug}/", "page", "show-day"),
            ("www", "/posts/{t.slug}/index.html", "page", "forcing-rhubarb"),
            ("www", "/2024/02/04/{t.slug}.html", "page", "forcing-rhubarb"),
        ),
    )


# --- Chinese manuals and colleges ----------------------------------------------------------------

_MUXING = _texts(
    """\
@ kaishi | 快速开始 | 3.1 | 木星文档组
木星是一个轻量的定时任务框架，只依赖标准库。安装之后新建一个目录，在里面写一个任务文件，声明任务的
名字、执行的时间和要调用的函数，然后运行启动命令，调度器就会常驻在前台。

如果需要放到后台，建议交给系统的服务管理器，不要自己写守护脚本。日志默认输出到标准输出，可以用参数
改成文件。停止的时候发送终止信号，调度器会等正在执行的任务结束再退出，最多等三十秒。
@ shijian | 时间表达式 | 3.1 | 木星文档组
时间表达式由五个字段组成，依次是分、时、日、月、星期，字段之间用空格隔开。星号表示任意值，逗号列出
多个值，连字符表示范围，斜杠表示间隔。日和星期同时指定的时候，满足其中一个就会触发。

时区默认使用机器的本地时区，可以在任务里单独指定。遇到夏令时切换，跳过的时刻不补执行，重复的时刻只
执行一次。表达式写错的时候，启动命令会报出任务名和出错的字段，并以非零状态退出。
@ shibai | 失败与重试 | 3.1 | 木星文档组
任务函数抛出异常就算失败。默认不重试，设置重试次数之后，每次等待的时间翻倍，最长十分钟。超过次数的
任务进入失败列表，可以用命令查看和重新执行，重新执行不影响原来的时间安排。

超时的任务会先收到取消信号，五秒之后仍未结束则强制终止。请注意在函数里释放文件和连接。失败通知可以
发送邮件或者调用网址，同一个任务一小时之内只通知一次。
"""
)


@family("muxing-docs", kind="manual on cn. and www., versions", language="zh", half="work")
def muxing_docs() -> Iterator[Page]:
    """One manual on two hosts, and under its version."""

    def make(ask: _Ask) -> str:
        text = ask.text
        mirror = '<p class="mirror">国内镜像站</p>' if ask.host == "cn" else ""
        return _doc(
            f"{text.title} | 木星文档",
            f"""<header>{mirror}<a href="/">木星</a> <input placeholder="搜索…"> <a
href="/blog">博客</a>
</header><aside><p>版本 {text.day}</p><ul><li><a href="kaishi">快速开始</a></li><li><a
href="shijian">
时间表达式</a></li><li><a href="shibai">失败与重试</a></li></ul></aside><main><h1>{text.title}</h1>
{text.body}<p>这篇文档有帮助吗？是 否</p><p>最近更新于 2 个月前</p></main>
<footer>由 GitBook 提供支持</footer>""",
            lang="zh-CN",
        )

    return _served(
        _MUXING,
        make,
        (
            ("www", "/{t.slug}", "page", "kaishi"),
            ("cn", "/{t.slug}", "page", "kaishi"),
            ("www", "/v/3.1/{t.slug}", "page", "shijian"),
            ("www", "/{t.slug}", "page", "shijian"),
            ("www", "/{t.slug}", "page", "shibai"),
            ("cn", "/{t.slug}", "page", "shibai"),
            ("www", "/v/3.1/{t.slug}", "page", "kaishi"),
        ),
    )


_JINGHU = _texts(
    """\
@ jiangzuo | 水利系举办古代灌溉工程讲座 | 2024-04-17 | 水利系
四月十六日下午，水利系邀请省考古所研究员在报告厅作了题为“陂塘与渠首”的讲座，两百多名师生参加。主讲
人结合近年三处遗址的发掘，介绍了古人怎样利用地势分水、排沙和量水。

互动环节，同学们就木制闸门的防腐和石堰的砌筑提出问题。主讲人建议大家到现场去看，渠水至今还在流。讲
座之后，系里计划暑期组织一次为期五天的考察。
@ yundong | 第三十二届田径运动会圆满落幕 | 2024-04-28 | 体育部
为期两天的学校第三十二届田径运动会四月二十七日闭幕，二十一个代表队的一千一百多名运动员参加了四十六
个项目的比赛，三人打破两项校纪录，其中女子三千米纪录已经保持了十九年。

机械系获得团体总分第一名。今年首次设置教工接力，图书馆队出人意料地进入决赛。闭幕式上，志愿者代表为
运动员颁奖，学校对后勤和医务人员表示感谢。
@ zhaopin | 实验中心招聘实验员启事 | 2024-05-09 | 人事处
因工作需要，实验中心公开招聘实验员两名，负责材料力学实验室的设备维护、实验准备和安全管理。应聘者应
当具有相关专业本科以上学历，能够熟练操作万能试验机，身体健康，三十五周岁以下。

有意者请于五月三十一日之前将简历和证书扫描件发送到人事处邮箱，初审通过之后通知面试，面试包括实际操
作。录用人员签订三年合同，待遇按照学校有关规定执行。
"""
)


@family("jinghu-xueyuan", kind="DedeCMS by day, number, department", language="zh", half="work")
def jinghu_xueyuan() -> Iterator[Page]:
    """College news by day, by number, on telephones, and on the site of a department."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "mobile":
            return _doc(
                f"{text.title}_手机版",
                f"""<header><a href="/m/">镜湖学院</a></header><h2>{text.title}</h2>
<p>{text.day}</p>
{text.body}<footer>电脑版 返回顶部</footer>""",
                lang="zh-CN",
            )
        name = "镜湖学院水利系" if ask.host == "sl" else "镜湖学院"
        return _doc(
            f"{text.title}_{name}",
            f"""<div class="head"><a href="/">{name}</a><ul><li>概况</li><li>师资</li><li>教学</li>
<li>科研</li><li>学生工作</li></ul></div><div class="place">当前位置: 主页 &gt; 新闻 &gt;</div>
<div class="viewbox"><h2>{text.title}</h2><div class="info">时间:{text.day} 来源:{text.author}
点击:{90 + ask.count("clicks", 60)} 次</div><div class="content">{text.body}</div>
<div class="handle">上一篇：没有了 下一篇：返回列表 收藏 挑错 推荐 打印</div></div>
<div class="side"><h3>推荐内容</h3>{_teasers(ask, 5, zh=True)}</div>
<div class="foot">{name} 版权所有 Power by DedeCms</div>""",
            lang="zh-CN",
        )

    return _served(
        _JINGHU,
        make,
        (
            ("www", "/a/xinwen/2024/0417/{t.number}.html", "page", "jiangzuo"),
            ("sl", "/a/xinwen/2024/0417/{t.number}.html", "page", "jiangzuo"),
            ("www", "/a/xinwen/2024/0428/{t.number}.html", "page", "yundong"),
            ("www", "/plus/view.php?aid={t.number}", "page", "yundong"),
            ("www", "/a/gonggao/2024/0509/{t.number}.html", "page", "zhaopin"),
            ("www", "/m/view.php?aid={t.number}", "mobile", "zhaopin"),
            ("www", "/plus/view.php?aid={t.number}", "page", "jiangzuo"),
        ),
    )


# --- a Chinese shop and a Chinese blog -----------------------------------------------------------

_CHAJU = _texts(
    """\
@ gaiwan | 手绘青花盖碗 150毫升 | 168.00 | CJ-1011
景德镇高白泥手工拉坯，青花料手绘缠枝纹，一千三百二十度还原焰烧成。碗壁薄而匀，敞口外撇，倒茶的时候
不烫手。

容量一百五十毫升，适合两到三人。手工制品尺寸略有误差，釉面偶有针眼属于正常现象。运输破损请在签收当
天拍照联系客服，免费补发。可以放入消毒柜，不建议用微波炉加热。
@ gaiwan-bai | 甜白釉盖碗 120毫升 | 138.00 | CJ-1012
景德镇高白泥手工拉坯，通体甜白釉，不绘纹饰，一千三百二十度还原焰烧成。盖沿略厚，出水快，适合冲泡岩
茶和单丛。

容量一百二十毫升，适合一到两人。手工制品尺寸略有误差，釉面偶有针眼属于正常现象。运输破损请在签收当
天拍照联系客服，免费补发。可以放入消毒柜，不建议用微波炉加热。
@ chalu | 竹编白泥小炭炉 | 320.00 | CJ-2003
潮州白泥炉身，外面套一层手编竹篮，提梁可以拆下。炉膛能放七八块橄榄炭，烧一壶水大约十二分钟，余温可
以再煮两壶。

第一次使用请先用小火烘炉半小时。使用的时候保持通风，炉底垫上隔热板，熄火之后用灰盖住，不要用水浇。
竹篮怕潮，长期不用请放在通风的地方，附送炭夹和羽扇各一把。
"""
)


@family("yaoli-chaju", kind="shop items under shelves and on m.", language="zh", half="work")
def yaoli_chaju() -> Iterator[Page]:
    """Goods by number, with the trail of a visitor, under a shelf, and on telephones."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view == "mobile":
            return _doc(
                text.title,
                f"""<div class="h5-top"><a href="/">窑里茶具</a></div><img
src="/pic/{text.number}.jpg"
alt="{text.title}"><h1>{text.title}</h1><p class="price">￥{text.day}</p><p>货号 {text.author}</p>
<div class="detail">{text.body}</div><div class="bar">客服 购物车 立即购买</div>""",
                lang="zh-CN",
            )
        shelf = " &gt; 盖碗" if ask.view == "shelf" else ""
        return _doc(
            f"{text.title} - 窑里茶具",
            f"""<div class="topbar">您好，欢迎来到窑里茶具！ <a href="/login">请登录</a> 免费注册
我的订单</div><form action="/search.php"><input name="keywords" placeholder="茶壶"></form>
<div class="here">当前位置: 首页{shelf} &gt; {text.title}</div><div class="goods">
<h1>{text.title}</h1>
<p>本店售价：￥{text.day} 货号：{text.author} 累计售出 {60 + ask.count("sold", 5)} 件</p>
<form action="/flow.php">数量 <input name="number" value="1"><button>加入购物车</button></form>
</div>
<div class="tabs">商品描述 商品评价 售后服务</div><div class="desc">{text.body}</div>
<div class="hist"><h3>本店文章</h3>{_teasers(ask, 4, zh=True)}</div>
<div class="foot">配送方式 支付方式 退换货 Powered by ECShop</div>""",
            lang="zh-CN",
        )

    return _served(
        _CHAJU,
        make,
        (
            ("www", "/goods.php?id={t.number}", "page", "gaiwan"),
            ("www", "/goods.php?id={t.number}", "page", "gaiwan-bai"),
            ("www", "/goods-{t.number}.html", "page", "gaiwan"),
            ("www", "/goods.php?id={t.number}&cat=7", "shelf", "gaiwan-bai"),
            ("m", "/goods.php?id={t.number}", "mobile", "gaiwan"),
            ("www", "/goods.php?id={t.number}", "page", "chalu"),
            ("www", "/goods.php?id={t.number}&spm=a1z10.3-c.w4002", "page", "chalu"),
            ("m", "/goods.php?id={t.number}", "mobile", "gaiwan-bai"),
        ),
    )


@family(
    "laoqiu-biji",
    kind="Chinese WordPress, AMP and print",
    language="zh",
    half="work",
    texts="chengnan-gushi",
)
def laoqiu_biji() -> Iterator[Page]:
    """A blog by number, by name, as AMP, in print, and under its category."""

    def make(ask: _Ask) -> str:
        text = ask.text
        if ask.view in ("amp", "print"):
            foot = "返回顶部" if ask.view == "amp" else f"打印自老邱笔记：/{text.number}.html"
            return _doc(
                text.title,
                f"""<header><a href="/">老邱笔记</a></header><h1>{text.title}</h1><p>{text.author} ·
{text.day}</p>{text.body}<footer>{foot}</footer>""",
                f'<link rel="canonical" href="/{text.number}.html">',
                lang="zh-CN",
            )
        return _doc(
            f"{text.title} – 老邱笔记",
            f"""<header><h1><a href="/">老邱笔记</a></h1><p>走走停停</p><ul><li>首页</li>
<li>归档</li>
<li>友情链接</li><li>关于</li></ul></header><article><h1>{text.title}</h1><p>发布于 {text.day} 作者
{text.author} 分类：<a href="/category/city">城市</a></p>{text.body}</article><div id="respond"><h3>
发表评论</h3><form action="/wp-comments-post.php" method="post"><textarea name="comment"></textarea>
<input type="hidden" name="comment_nonce" value="{ask.tag("nonce", 10)}">昵称 <input name="author">
<button>发表评论</button></form></div><aside>
<h2>近期文章</h2>{_teasers(ask, 5, zh=True)}<h2>近期评论
</h2><p>小满 发表在《留言板》</p></aside><footer>自豪地采用 WordPress</footer>""",
            lang="zh-CN",
        )

    return _served(
        _CHENGNAN,
        make,
        (
            ("www", "/{t.number}.html", "page", "laodian"),
            ("www", "/?p={t.number}", "page", "laodian"),
            ("www", "/{t.number}.html", "page", "zaocan"),
            ("www", "/{t.number}.html?amp=1", "amp", "laodian"),
            ("www", "/city/{t.slug}", "page", "zaocan"),
            ("www", "/{t.number}.html", "page", "duchuan"),
            ("www", "/{t.number}.html?print=print", "print", "duchuan"),
        ),
    )
