"""Lines apart: what a page shows or holds beside its visible lines, each a line of its kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborNode

from crawler.extract.apart import (
    MAX_CHARACTERS,
    MAX_ELEMENTS,
    MAX_JSON_BYTES,
    MAX_LINE,
    MAX_LINES,
    MAX_VALUES,
    MOST_ELEMENTS,
    MOST_LINKS,
    lines_apart,
)
from crawler.extract.lines import MOST_DRAWN, Drawing, Openable, text_of, visible_lines
from crawler.extract.page import PageHints, parse, read_page
from crawler.models import (
    DATA_LINE,
    DRAWN_LINE,
    EMBED_LINE,
    FRAME_LINE,
    HIDDEN_LINE,
    MARKUP_NOTATION,
    NOTATION_LINE,
    PICTURE_LINE,
    VALUE_LINE,
)
from crawler.urls import Canonicaliser

TEXT = f"<p>{'The keeper wrote down which ships he saw pass in the night. ' * 9}</p>"


def apart(html: str, url: str = "http://h/own.php") -> list[str]:
    """Return the lines apart of a page with a text in it, but for its markup."""
    page, skipped, drawings = TEXT + html, list[tuple[str, LexborNode]](), list[Drawing]()
    openable: list[Openable] = []
    tree = parse(page, "text/html")
    visible = visible_lines(tree, skipped=skipped, drawings=drawings, openable=openable)
    hints, _ = read_page(tree, url, Canonicaliser(), "TestBot")
    _, *lines = lines_apart(
        *(tree, page, hints, visible, skipped, drawings, text_of(visible), url, openable)
    )
    return lines


def data(values: object) -> str:
    """Return a value as JSON-LD."""
    return f'<script type="application/ld+json">{json.dumps(values)}</script>'


def test_the_kinds_of_lines_have_letters() -> None:
    """Each line begins with that of its kind."""
    html = "<footer>Lot 7</footer><p hidden>No.</p><img src=a.png alt=Kiel><embed src=b.swf>"
    html += "<textarea>Six</textarea><p class=stars-4></p>"
    kinds = (
        *(FRAME_LINE, HIDDEN_LINE, PICTURE_LINE, PICTURE_LINE, EMBED_LINE, DATA_LINE, VALUE_LINE),
        DRAWN_LINE,
    )
    lines = "Lot 7", "No.", "a.png", "Kiel", "b.swf", "sku: 1", "Six", "stars-4"
    assert sorted(apart(html + data({"sku": 1}))) == sorted(
        map("".join, zip(kinds, lines, strict=True))
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<b class=sold>x</b>", "<b class=free>x</b>", False),
        ("<script>plot([1, 2])</script>", "<script>plot([2, 1])</script>", False),
        ("<script>if (a<b) plot([1])</script>", "<script>if (a<b) plot([2])</script>", False),
        ("<BODY><SCRIPT>plot([1])</SCRIPT>", "<BODY><SCRIPT>plot([2])</SCRIPT>", False),
        ("<HEAD><META CONTENT=a><BODY>", "<HEAD><META CONTENT=b><BODY>", True),
        ("<i\n\tid=a class=x>", "<i\n\tid=b class=x>", True),
        ("<b aria-controls=a aria-level=1>", "<b aria-controls=b aria-level=1>", True),
        ("<style>.b {color: red}</style>", "<style>.b {color: blue}</style>", False),
        ("<p>I <em>never</em> said", "<p><em>I</em> never said", False),
        ("<i data-at=54.31722>", "<i data-at=54.31822>", False),
        ("<i data-at=7>", "<i data-at=8>", False),
        ("<button disabled>Buy</button>", "<button>Buy</button>", False),
        ("<p id=a>One <b>1,024</b>", "<p id=b>Two <b>1,025</b>", True),
        ("<a class=x href=/b>", "<a class=x href=/c>", True),
        ("<a class=taken>7</a>", "<a class=free>7</a>", False),
        ("<input type=hidden name=t value=a1b2>", "<input name=t type='hidden' value=c3d4>", True),
        ("<input value='a b' checked>", "<input value=c>", True),
        ("<option selected='selected'>", "<option>", True),
        ("<script nonce=a>t=17323091001</script>", "<script nonce=b>t=17323091999</script>", True),
        ("<i data-t='a1b2c3d4e5f6a7b8c9'>", "<i data-t='b1b2c3d4e5f6a7b8c9'>", True),
        ("<i data-s='/l.svg?v=35fc'>", "<i data-s='/l.svg?v=274c'>", True),
        ("<p>One<br><img src=a.png><iframe src=/b></iframe>", "<p>One", True),
        ("<i data-u='/walk/one'>", "<i data-u='/walk/two'>", True),
        (r"<script>u='\/walk\/one'</script>", r"<script>u='\/walk\/two'</script>", True),
        ("<i data-u='/walk/ones'>", "<i data-u='/walk/twos'>", False),
        ("<!-- 7 ms -->", "<!-- 9 ms -->", True),
        ("<head><meta content=a><body>", "<head><meta content=b><body>", True),
    ],
)
def test_the_markup_tells_what_classes_and_scripts_say(one: str, other: str, same: bool) -> None:
    """It is one of two visits to a page, of its addresses, where it leads and its form fields."""
    ours, theirs = (
        lines_apart(parse(html, "text/html"), html, PageHints(), [], [], [], "", url)[0]
        for html, url in ((one, "http://h/walk/one"), (other, "http://h/walk/two"))
    )
    assert ours.startswith(f"{NOTATION_LINE}{MARKUP_NOTATION}")
    assert (ours == theirs) is same


MENU = "".join(f"<a href=/{n}>Lamp {n}</a> " for n in range(MOST_LINKS))
LONG = "This is said in a part of the page that is no menu of it."


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (f"<header><h1>Kiel</h1><p>{LONG}</p></header>", ["fKiel", f"f{LONG}"]),
        (f"<footer><a href=/>Home</a><p>{LONG}</p></footer>", [f"f{LONG}"]),
        (f"<div role=contentinfo>{LONG}</div>", [f"f{LONG}"]),
        (f"<nav>{MENU}<p>{LONG}</p></nav>", [f"f{LONG}"]),
        (f"<nav>{MENU}<a href=/more>More</a><p>{LONG}</p></nav>", []),
        ("<footer>* * *</footer>", []),
        ("<footer><p>Lot  7</p><p>Lot 7</p></footer><header>Lot 7</header>", ["fLot 7"]),
        (f"<article><footer>{LONG}</footer></article>", []),
    ],
)
def test_header_and_footer_are_told_and_menus_are_not(html: str, lines: list[str]) -> None:
    """Their texts but for links, each once; what has more links than a footer is a menu."""
    assert apart(html) == lines


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p hidden>The answer is no.</p>", ["hThe answer is no."]),
        ("<p style='display: none'>No.</p><dialog>Yes.</dialog>", ["hNo.", "hYes."]),
        ("<p aria-hidden=true>Perhaps.</p>", ["hPerhaps."]),
        (f"<div hidden>{LONG}<script>var t = 1</script><style>p {{}}</style></div>", [f"h{LONG}"]),
        (f"<div hidden>{LONG}<select><option>One<option>Two</select></div>", [f"h{LONG}"]),
        (f"<template>{LONG}</template><!-- {LONG} -->", []),
        (f"<noscript>{LONG}<img src=a.png></noscript>", [f"h{LONG}", "pa.png"]),
        (
            "<a href='mailto:a@h.test?subject=Hello'>Write</a> <a href=tel:+491>Call</a>",
            ["hmailto:a@h.test", "htel:+491"],
        ),
        ("<a href=mailto:a@h.test>a@h.test</a><a href='mailto:?body=x'>Share</a>", []),
        ("<a href='javascript:go(1)'>Go</a><a href='https://h.test/x'>x</a>", []),
        ("<script>var t = 'a1'</script><style>p {}</style>", []),
        ("<details><summary>Which?</summary>This one.</details>", []),
    ],
)
def test_hidden_texts_are_told_and_scripts_are_not(html: str, lines: list[str]) -> None:
    """What a reader sees only after asking for it; the choices of a form are no text."""
    assert apart(html) == lines


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<img src=/a/Kiel.PNG alt='The  harbour'>", ["pkiel.png", "pThe harbour"]),
        ("<img src=blank.gif data-src=/r/kiel.png>", ["pkiel.png"]),
        ("<img src=blank.gif data-original=/r/kiel.png>", ["pkiel.png"]),
        ("<img src='data:image/gif;base64,R0' data-src=kiel.png>", ["pkiel.png"]),
        ("<img src='data:image/gif;base64,R0' alt=Kiel>", ["vKiel"]),
        ("<img src=kiel-300x200.jpg><img src=rome@2x.jpg>", ["pkiel.jpg", "prome.jpg"]),
        ("<img src=kiel-1024x768.jpg><img src=http://cdn/w/kiel.jpg?v=2>", ["pkiel.jpg"]),
        ("<img src=/a/K%C3%BCste%201.png>", ["pküste 1.png"]),
        ("<img src='/img?id=7'>", ["pimg?id=7"]),
        ("<amp-img src=kiel.png></amp-img>", ["pkiel.png"]),
        ("<iframe src='https://v.test/embed/aBc?start=3'></iframe>", ["eaBc?start=3"]),
        ("<iframe src=//v.test/watch?v=aBc></iframe>", ["ewatch?v=aBc"]),
        ("<video><source src=/m/clip.mp4></video><audio src=a.mp3>", ["eclip.mp4", "ea.mp3"]),
        ("<img src=''><img alt=''><iframe src=/></iframe>", []),
        ("<map><area href=/kiel alt=Kiel></map>", ["vKiel"]),
        (
            "<i title=Oak></i><span aria-label='4 of 5'></span><b title=No>1</b>",
            ["vOak", "v4 of 5"],
        ),
        (
            "<table><tr><td><i title=Yes></i><td><img src=b.gif alt=No><td title=Yes></td></table>",
            ["vYes", "vYes No Yes", "pb.gif", "pNo"],
        ),
        ("<input aria-label=Search><script src=a.js title=x></script>", []),
    ],
)
def test_pictures_and_embeds_are_told_by_their_names(html: str, lines: list[str]) -> None:
    """Wherever they are served from and in whatever size; embeds by what is asked for, too."""
    assert apart(html) == lines


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<a href=/f/a.pdf>Download</a><a href='/g/a.pdf?v=2#page=3'>Download</a>", ["va.pdf"]),
        ("<a href=walk.gpx>Track</a> <a href='x.tar.gz'>Source</a>", ["vwalk.gpx", "vx.tar.gz"]),
        ("<a href=/photo-1024x768.jpg>Large</a>", ["pphoto.jpg"]),
        ("<a href=b.php>B</a><a href=/c.html>C</a><a href=d.html.en>D</a><a href=/v1.0>E</a>", []),
        (
            "<a href='get.cgi?id=2'>B</a><a href=http://other.test>Other</a><a href=#x.pdf>Up</a>",
            [],
        ),
        ("<a href=/sources/own.rst.txt>Source</a><a href=/print/own.pdf>PDF</a>", []),
    ],
)
def test_files_that_links_lead_to_are_told(html: str, lines: list[str]) -> None:
    """By their names: what ends in no suffix of a page here, and is no program that is asked.

    What is named as the page itself is its text in another form.
    """
    assert apart(html) == lines


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<select><option>Oak 29 EUR<option selected>Ash</select>", ["Oak 29 EUR Ash"]),
        ("<input value='SKU 7'><input type=number value=3><textarea>Six</textarea>",
         ["SKU 7", "3", "Six"]),
        ("<input type=hidden value=f3a9><input type=submit value=Go><input>", []),
        ("<input type=radio><input type=radio checked><input type=checkbox checked>", ["2 3 of 3"]),
        ("<input type=checkbox>", []),
        ("<meter value=.6></meter><progress value=40></progress>", [".6", "40"]),
        ("<svg><style>a{}</style><title>Sales</title><text>May <tspan>120</tspan></text></svg>",
         ["Sales May 120"]),
        ("<svg aria-label='4 of 5'><path d='M0 0'/></svg><svg><path /></svg>", ["4 of 5"]),
        (f"<nav>{MENU}<select><option>x</select><input value=y></nav>", []),
        ("<p>Now <s>48 EUR</s> 36 EUR, was <del>red</del>", ["✗ 48 EUR", "✗ red"]),
        ("".join(f"<li>View <b role=img aria-label='{n} of 5'>★★★★★</b>" for n in (4, 2)),
         ["4 of 5 2 of 5"]),
        ("<form><input value=7><select><option>A<option selected>B</select></form>",
         ["7", "A B", "= B"]),
    ],
)  # fmt: skip
def test_values_of_fields_and_words_of_drawings_are_told(html: str, lines: list[str]) -> None:
    """As far as a reader sees them, which boxes are checked, what is struck; none in a menu."""
    told = [line for line in apart(html) if line[0] not in (DRAWN_LINE, NOTATION_LINE)]
    assert told == [f"v{line}" for line in lines]


def notations(html: str) -> list[str]:
    """Return how lines of a page are written, without the keys of lines and digests of code."""
    lines = (line[1:] for line in apart(html) if line[0] == NOTATION_LINE)
    return [line.partition(" ")[2].rpartition(" …")[0] or line.partition(" ")[2] for line in lines]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>Some 10<sup>2</sup> m of Fe<sub>3</sub>O", ["Some 10↑2 m of Fe↓3"]),
        ("<p>Not<sup>*</sup> the 1<sup>st</sup> one", []),
        ("<p>He is <s>not</s> guilty, <del>he said</del>", ["He is✗not guilty,✗he said"]),
        ("<pre>def one():\n    return 1</pre><p>Then<pre>two()</pre>", ["def one():", "two()"]),
        ("<p><code>one()</code><p>and <code>two()</code>", ["one()"]),
        ("<p>So <script type=math/tex>x - y</script> is", ["x - y"]),
    ],
)
def test_what_words_do_not_tell_of_how_a_line_is_written_is_told(
    html: str, lines: list[str]
) -> None:
    """Powers and what is struck out, by the line; of code and formulas what they begin with."""
    assert notations(html) == lines


INDENTED = "if a:\n    b()\nc()"


@pytest.mark.parametrize(
    ("code", "is_same"),
    [
        ("if a:\n\tb()\nc()", True),
        ("if a:\n  b()  \n\nc()", True),
        ("if spam:\n    egg()\nham()", True),
        ("if a:\n    b()\n    c()", False),
        ("if a:\n    -b()\nc()", False),
        ("if a:\n    b()", False),
    ],
)
def test_code_is_told_by_its_steps_of_indentation_and_signs(code: str, is_same: bool) -> None:
    """However wide the steps are; names and numbers are told by the lines."""
    one, other = (
        next(line for line in apart(f"<pre>{of}</pre>") if line[0] == NOTATION_LINE)
        for of in (INDENTED, code)
    )
    assert (one.rpartition(" ")[2] == other.rpartition(" ")[2]) == is_same


def test_a_chart_is_told_by_its_numbers() -> None:
    """Its key is the same whatever these are, so that two charts face each other."""
    charts = [
        [line for line in apart(f"<p>Rain <svg><rect width={n} /></svg>") if line[0] == "n"]
        for n in (40, 40, 60)
    ]
    assert charts[0] == charts[1] != charts[2]
    assert len({one.partition(" ")[0] for chart in charts for one in chart}) == 1


@pytest.mark.parametrize(
    ("url", "method", "is_told"),
    [
        ("http://h/boot?variant=42", "post", True),
        ("http://h/boot/dark-red", "post", True),
        ("http://h/boot?colour=Dark%20Red&qty=2", "post", True),
        ("http://h/boot", "post", False),
        ("http://h/boot?variant=421", "post", False),
        ("http://h/boot?variant=42", "get", False),
    ],
)
def test_a_choice_is_told_where_the_address_names_it(url: str, method: str, is_told: bool) -> None:
    """By its value or its words, in a form that is sent; not what a visit chose, nor an order."""
    options = "<option value=41>Blue<option value=42 selected>Dark red"
    html = f"<form method={method}><select name=id>{options}</select></form>"
    assert ("v= Dark red" in apart(html, url)) == is_told


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"sku": 44121, "offers": {"price": "29.00"}}, ["dsku: 44121", "dprice: 29.00"]),
        ([{"name": "Kiel"}, {"name": "Rome"}], ["dname: Kiel", "dname: Rome"]),
        ({"name": ["Kiel", "Kiel"]}, ["dname: Kiel"]),
        ({"text": "The keeper wrote  down"}, []),
        ({"@type": "Product", "@id": "7", "url": "x", "image": {"name": "x"}, "logo": "x"}, []),
        ({"sameAs": "https://x.test/7", "at": "/in", "of": "/x y"}, ["dof: /x y"]),
        ({"datePublished": "2024-05-03", "dateModified": "x", "uploadDate": "x"}, []),
        ({"startDate": "2024-05-03"}, ["dstartDate: 2024-05-03"]),
        ({"free": True, "of": None, "name": " "}, []),
        ("Kiel", ["d: Kiel"]),
    ],
)  # fmt: skip
def test_values_of_json_ld_that_are_not_shown_are_told(values: object, lines: list[str]) -> None:
    """But for addresses and the page's own dates, which say nothing of what it tells."""
    assert apart(data(values)) == lines


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p class='stars stars-4'></p>", ["stars stars-4"]),
        ("<p>Love: <span><i style='width:80%'></i></span></p>", ["Love: width:80%"]),
        ("<div class=r4><i></i> <i></i></div>", ["r4"]),
        ("<p><i class=on></i><i class=on></i><i class=off></i></p>", ["on on off"]),
        ("<ul><li class=on></li><li class=on></li><li class=off></li></ul>", ["on on off"]),
        ("<li><i class=yes></i> Tow bar", ["Tow bar yes"]),
        ("<table><tr><td>Camera<td><i class=no></i></table>", ["Camera 2 no"]),
        ("<table><tr><td>Mon<td><td>x</table>", ["Mon x 2"]),
        ("<table><tr><td>Mon<td>x<td>&nbsp;</table>", ["Mon x 3"]),
        ("<table><tr><td bgcolor=red>&nbsp;<td bgcolor=gold>&nbsp;</table>", ["1 red 2 gold"]),
        ("<div data-text='the quick fox' data-url='https://h/one?sid=7'></div>", ["the quick fox"]),
        ("<div data-text='白日依山尽，黄河入海流。'></div>", ["白日依山尽，黄河入海流。"]),
        ("<div data-visit=9f3ac0d1 data-at=1764170000 data-score=4.5></div>", ["4.5"]),
        ("<p><a href=/two class=card><i class=stars-4></i> Two</a></p>", []),
        ("<a class=anchor></a><img class=big><hr class=line><div></div>", []),
        ("<nav><i class=home></i></nav><div class=sharedaddy><i class=x></i></div>", []),
        ("<p hidden class=stars-4></p><table><tr><td><td></table>", []),
    ],
)
def test_what_elements_without_text_are_drawn_by_is_told(html: str, lines: list[str]) -> None:
    """With the line that they stand in and their place in a row; nothing of links and chrome."""
    drawn = [line[1:] for line in apart(html) if line[0] == DRAWN_LINE]
    assert drawn == lines


def test_a_figure_is_known_by_its_shape() -> None:
    """Whatever its parts are called."""

    def drawn(path: str, name: str) -> list[str]:
        return apart(f"<svg><g id={name}><path d='{path}' clip-path='url(#{name})'/></g></svg>")

    assert drawn("M0 0L9 9", "a7") == drawn("M0 0L9 9", "b8") != drawn("M0 0L9 8", "a7")
    rows = "".join(f"<p>Lot {n} <i class=sold></i></p>" for n in range(MOST_DRAWN + 9))
    assert len(apart(rows)) == MOST_DRAWN


def test_other_scripts_and_broken_json_are_passed_over() -> None:
    """What is no JSON says nothing, and the next one is read."""
    json_ld = data({"sku": 1})
    broken = '<script type="application/ld+json">{"sku": 2</script>'
    assert apart(f'<script type="application/json">{{"sku": 3}}</script>{broken}{json_ld}') == [
        "dsku: 1"
    ]


def test_lines_apart_are_bounded() -> None:
    """In each kind, in all, in one line, in elements and in values: the first ones are kept."""
    pictures = "".join(f"<img src={n}.png alt=a{n}>" for n in range(MAX_LINES))
    lines = apart(f"{pictures}<footer>Lot 7</footer>")
    assert len(lines) == MAX_LINES + 1
    assert {"p0.png", "pa0", "fLot 7"} <= {*lines}
    hidden = "".join(f"<p hidden>n{n}</p>" for n in range(MAX_ELEMENTS + 5))
    assert len(apart(hidden)) == MAX_ELEMENTS + 1
    many = "".join(f"<p hidden>{n} {'x' * (MAX_LINE - 10)}</p>" for n in range(MAX_ELEMENTS))
    rows = "".join(f"<p>{n} {'y' * (MAX_LINE - 10)}</p>" for n in range(MAX_LINES))
    assert sum(map(len, apart(f"{many}<div hidden>{rows}</div>"))) <= MAX_CHARACTERS
    assert len(apart(data([f"n{n}" for n in range(MAX_VALUES + 5)]))) == MAX_VALUES
    assert apart(data({"a": "x" * MAX_JSON_BYTES}) + data({"sku": 1})) == []


def test_of_a_long_line_the_rest_counts() -> None:
    """By its digest: two answers that begin alike are two."""
    said = "x" * MAX_LINE
    (one,), (other,) = (apart(f"<p hidden>{said}{end}</p>") for end in "ab")
    assert one != other
    assert one[: MAX_LINE + 1] == other[: MAX_LINE + 1] == f"h{said}"
    assert len(one) < MAX_LINE + 20
    assert apart(f"<p hidden>{said}</p>") == [f"h{said}"]


MANY = "<p hidden>No.</p>" * MAX_ELEMENTS


@pytest.mark.parametrize(
    ("html", "is_told"),
    [
        ("<i aria-hidden=true></i>" * MAX_ELEMENTS + "<p hidden>Lot {}", True),
        (MANY + "<p hidden>Lot {}", True),
        ("<div hidden>" + "".join(f"<p>n{n}" for n in range(MAX_LINES)) + "<p>Lot {}</div>", True),
        (
            f"<p>{LONG * 300}<div hidden>{''.join(f'<p>{n} {LONG}' for n in range(300))}<p>{{}}",
            True,
        ),
        ("<p hidden>No.</p>" * MOST_ELEMENTS + "<p hidden>Lot {}", False),
    ],
    ids=["icons", "elements", "lines", "characters", "most"],
)
def test_hidden_text_beyond_the_limits_counts(html: str, is_told: bool) -> None:
    """By a digest: the last answer of many is a fact, too."""
    one, other = (apart(html.replace("{}", end)) for end in "67")
    assert (one != other) is is_told
    assert sum(map(len, one)) <= MAX_CHARACTERS


def test_hidden_text_that_was_told_is_no_more_beyond_the_limits() -> None:
    """Formulas are hidden many times."""
    assert apart(f"{MANY}<p hidden>No.") == ["hNo."]


def test_a_panel_is_no_menu_however_many_links_it_has() -> None:
    """What stands beside them is told, where a line of the page opens it."""
    panel = f"<div role={{}} hidden><p>In {{}} weeks</p>{MENU}<a href=/more>More</a></div>"
    assert apart(panel.format("tabpanel", 3)) == ["hIn 3 weeks"]
    assert apart(panel.format("menu", 3)) == []


@pytest.mark.parametrize(
    "html",
    [
        "<div hidden>" * 5_000 + "deep",
        "<footer>" * 5_000 + "deep",
        "<p hidden>x</p>" * 8_000,
        "<footer>x</footer>" * 8_000,
        "<img src=x.png alt=x>" * 8_000,
        "<select><option>x</select>" * 8_000,
        "<svg>" * 5_000 + "<text>deep",
        "<table><tr>" + "<td title=x>" * 8_000,
        "".join(f"<a href=mailto:{n}@h.test>x</a>" for n in range(8_000)),
        "<div hidden>" + "<p>line</p>" * 8_000,
        "<p hidden>" + "x" * 1_000_000,
        '<script type="application/ld+json">' + "[" * 8_000,
        '<script type="application/ld+json">{}</script>' * 8_000,
        data(json.loads("[" * 500 + '"deep"' + "]" * 500)),
    ],
    ids=range(14),
)  # fmt: skip
def test_deep_and_huge_pages_have_few_lines(html: str) -> None:
    """However a page is made, its lines apart are within bounds."""
    assert sum(map(len, apart(html))) <= MAX_CHARACTERS


PARTS = st.sampled_from(
    "<header> </header> <p&hidden> <div&hidden> </div> <script> </script> Kiel <nav> <dialog> <a> "
    "<img&src='a?b'&alt=x> <input&value='> <textarea> <svg><text> <option> <a&href=x.pdf> "
    "<sup> <sub>2 <s> <pre> <code> <svg&width=3> <td&title=x> <iframe&src='?'> "
    "<img&src='%FF%00/'> <svg><style>".split()
).map(lambda part: part.replace("&", " ")) | st.sampled_from(
    [data({"a": "\ud800", "b": [1.5, -0.0, {}], "c": "\x00"}), "\n"]
)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_any_page_has_lines_apart(html: str) -> None:
    """Each once, with the letter of a kind, a text behind it and no line end in it."""
    lines = apart(html)
    assert len({*lines}) == len(lines)
    for line in lines:
        assert line[0] in "fhvpedwn"
        assert line[1:].strip()
        assert "\n" not in line
