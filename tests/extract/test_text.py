"""Visible text and main text: what a reader of the page sees, line by line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.lines import ROOT, Line, text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import judged_on, main_text
from crawler.extract.text import clean, folded, plain_text, word_characters
from crawler.models import JudgedOn

PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse. "


def visible(html: str) -> str:
    """Return the visible text of a page."""
    return text_of(visible_lines(parse(html, "text/html")))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<b>b</b>c <i>d</i>", "abc d"),
        ("<p>one<p>two<div>three<div>four</div>five</div>six", "one\ntwo\nthree\nfour\nfive\nsix"),
        (" <p> much \n\t white&nbsp; space </p> ", "much white space"),
        ("a<br>b<hr>c", "a\nb\nc"),
        ("<table><tr><td>a<td>b<tr><th>c</th><td>d</table>", "a b\nc d"),
        ("<ul><li>x<li>y</ul>", "x\ny"),
        ("<pre>a  b\n\nc</pre>d", "a b\nc\nd"),
        ("a<!-- b -->c", "ac"),
        (
            "<button>press</button><details><summary>s</summary>open me</details>",
            "press\ns\nopen me",
        ),
        ("a<button>press</button><button>again</button>b<label>c</label>", "a press again b c"),
        ("m<sup>2</sup>, as said<sup><a href=#n>3</a></sup>.", "m2, as said 3."),
        ("said<a href=#n><sup>3</sup></a> and <a href=/x>10<sup>6</sup></a>", "said 3 and 106"),
        ("<pre>a<button>copy</button>b</pre>", "acopyb"),
        ("<p>a<p>\ufeff<p> \u200b\xad <p>b\u200bc", "a\nb\u200bc"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", "漢kan字"),
        ("x &#0; &#xDC00; y", "x \ufffd \ufffd y"),
        ("", ""),
        ("<frameset><frame src=a></frameset>", ""),
    ],
)
def test_lines(html: str, expected: str) -> None:
    """Blocks make lines, inline elements do not, white space folds, blank lines vanish."""
    assert visible(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<template><p>x</template>",
        "<noscript>x</noscript>",
        "<p hidden>x</p>",
        "<div aria-hidden=TRUE><p>x</div>",
        '<p style="color:red; DISPLAY : none">x</p>',
        "<dialog>x</dialog>",
        "<svg><text>x</text></svg>",
        "<math><semantics><annotation encoding=tex>x</annotation></semantics></math>",
        "<select><option>x</select><textarea>x</textarea>",
        "<iframe>x</iframe><video>x</video>",
        "<div hidden><div hidden>x</div><p aria-hidden=true>y</p></div>",
    ],
)
def test_unseen(hidden: str) -> None:
    """What is not shown is not read, and what stands around it is."""
    assert visible(f"<p>before {hidden}<p>after") == "before\nafter"


@pytest.mark.parametrize(
    "shown",
    [
        "<p aria-hidden=false style='display:block'>x</p>",
        "<p hidden=until-found>x</p>",
        "<dialog open>x</dialog>",
        "<math><mi>x</mi></math>",
        "<object>x</object>",
    ],
)
def test_seen(shown: str) -> None:
    """What only looks hidden is read."""
    assert visible(shown) == "x"


def test_a_hidden_body_is_read() -> None:
    """Pages that hide their body until a script ran are read all the same."""
    assert visible("<body style='display:none' hidden>text") == "text"


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav>x</nav>",
        "<header>x</header>",
        "<footer><p>x</footer>",
        "<div role=navigation>x</div>",
        "<div role='Banner region'>x</div>",
        "<p role=contentinfo>x</p>",
        "<article><nav>x</nav></article>",
        "<header><article>x</article></header>",
    ],
)
def test_furniture(furniture: str) -> None:
    """Navigation, and the page's own header and footer, are no content."""
    assert visible(f"<p>one</p>{furniture}<p>two</p>") == "one\ntwo"


@pytest.mark.parametrize("section", ["article", "main", "section", "aside"])
def test_a_sections_header_is_content(section: str) -> None:
    """A header or footer inside a section is the section's, also further down; after it no more."""
    html = (
        f"<{section}><div><header>h</header>t<footer>f</footer></div></{section}><footer>x</footer>"
    )
    assert visible(html) == "h\nt\nf"


def test_a_page_of_furniture_only() -> None:
    """Where all text stands in an unclosed nav, it is the page's text."""
    assert visible("<nav><a>menu</a><p>the text<footer>f</footer>") == "menu\nthe text\nf"


@pytest.mark.parametrize("unclosed", ["<header>", "<nav>", "<header role=banner><div>"])
def test_what_holds_the_main_is_no_furniture(unclosed: str) -> None:
    """A header that was never closed holds the page, with a nav and a footer of its own."""
    page = f"{unclosed}logo<nav>menu</nav><main><p>one</main><footer>f</footer>"
    assert visible(f"<p>skip</p>{page}") == "skip\nlogo\none"


def test_link_text_is_counted() -> None:
    """A line knows how many of its word characters are links."""
    tree = parse("<p>see <a href=x>the <b>other</b> page</a>, it says</p><p>next", "text/html")
    assert [(line.text, line.linked, line.path) for line in visible_lines(tree)] == [
        ("see the other page, it says", 12, "body>p"),
        ("next", 0, "body>p"),
    ]


def test_a_link_within_a_link_leaves_it_open() -> None:
    """The parser nests links in an `object`: what follows the inner one is of the outer one."""
    page = "<a href=/1>one<object><a href=/2>two</a>three</object>four</a> five"
    (line,) = visible_lines(parse(page, "text/html"))
    assert (line.text, line.linked) == ("onetwothreefour five", len("onetwothreefour"))


def test_chrome_in_code_is_the_same_whatever_roles_a_page_has() -> None:
    """Code is looked through for chrome where it has line numbers, and not for a menu elsewhere."""
    code = f"<pre>{'<span>x</span>' * 9}<span class=headerlink>y</span></pre>"
    (alone,) = visible_lines(parse(code, "text/html"))
    (line,) = visible_lines(parse(f"<div role=navigation>menu</div>{code}", "text/html"))
    assert line.marked == alone.marked == "xxxxxxxxxy"


def test_a_menu_in_a_list_counts_among_its_items() -> None:
    """Furniture is left alone only where nothing around it depends on what it holds."""
    page = "<ol><li>one</li><nav><li>two</li></nav><li>three</ol>"
    lines = visible_lines(parse(page, "text/html"))
    assert [(line.text, line.box.number) for line in lines if line.box] == [
        ("one", 1),
        ("three", 3),
    ]


TOKENS = st.sampled_from(
    """
    <span> <span>\n</span> </span> <b> </b> <span\thidden>x</span> <i\tstyle=display:none>y</i> <br>
    <span\tclass=headerlink>¶</span> <a\tid=l1></a> <a\thref=/x>z</a> <code> </code> <div> </div>
    <script\ttype=math/tex>t</script> <!--c--> <td> name \n\n \n ( &nbsp; <label>l</label>
    <span\trole=navigation>r</span> <span\taria-hidden=true>h</span>
    """.split(" ")
)


@given(
    st.lists(TOKENS), st.sampled_from(("pre", "pre><code", "table><tr><td><pre", "a href=/><pre"))
)
def test_code_that_is_only_coloured_reads_like_any_other(tokens: list[str], around: str) -> None:
    """Reading a listing at once gives the lines that walking through its tokens gives."""
    page = f"<p>a<{around}>{''.join(tokens)}</pre></code></a></table><p>b"
    lines = visible_lines(parse(page, "text/html"))
    walked = visible_lines(parse(page.replace("span", "bdi"), "text/html"))
    told, retold = (
        [
            (one._replace(box=None, element=ROOT), one.box and (one.box.tag, one.box.count))
            for one in both
        ]
        for both in (lines, walked)
    )
    assert told == retold
    assert [one.element.classes for one in lines] == [one.element.classes for one in walked]


@given(st.text(st.characters() | st.sampled_from("\0\x1b\x1c\x85\ud800 \n\xa0\xad\u3000_")))
def test_folding_leaves_out_what_no_record_holds(text: str) -> None:
    """Texts that are printable take another way than those with controls, to the same end."""
    kept = [
        char for char in text if char.isspace() or unicodedata.category(char) not in ("Cc", "Cs")
    ]
    assert clean(text) == "".join(kept)
    assert folded(text) == " ".join("".join(kept).split())
    words = [char for char in text if char.isalnum() or char == "_"]
    assert word_characters(text) == "".join(words)


def test_depth_does_no_harm() -> None:
    """Elements 20,000 deep are walked without recursion."""
    assert visible("<b><i>" * 10_000 + "deep" + "</i></b>" * 10_000 + " flat") == "deep flat"


@given(
    st.lists(
        st.sampled_from(
            "<p> </p> <nav> </nav> <header> <main> </main> <pre> </pre> <a> </a> <td> <table> <b> "
            "<script> </script> <svg> </svg> <i hidden> </i> a b <br> <!-- --> <select>".split()
        ),
        max_size=30,
    )
)
def test_any_markup_can_be_read(pieces: list[str]) -> None:
    """However elements are crossed, lines are folded and not empty, and texts keep their order."""
    lines = visible_lines(parse("".join(pieces), "text/html"))
    for line in lines:
        assert line.text
        assert line.text == " ".join(line.text.split())


def test_main_text() -> None:
    """The article is found, with its table and without comments and surroundings."""
    html = f"""<html><head><meta charset=gb2312></head><body>
        <div class=menu><a href=x>Menu</a></div><article><h1>灯塔</h1><p>{PROSE * 3}</p>
        <p>港口的新灯塔将于明年春天开放，届时欢迎市民参观。</p>
        <table><tr><td>Height</td><td>42 m</td></tr></table></article>
        <div id=comments><p>I liked the old one.</p></div></body></html>"""
    text = main_text(html)
    assert PROSE.strip() in text
    assert "港口的新灯塔将于明年春天开放" in text
    assert "42 m" in text
    assert "Menu" not in text
    assert "old one" not in text


def test_main_text_does_not_depend_on_pages_before() -> None:
    """The same page gives the same text the tenth time: no cache drops what was seen before."""
    paragraphs = [f"Chapter {number}. {PROSE * 3}".strip() for number in range(4)]
    html = f"<html><body><article><p>{'<p>'.join(paragraphs)}</article></body></html>"
    assert {main_text(html) for _ in range(10)} == {"\n".join(paragraphs)}


def test_main_text_is_fit_for_records() -> None:
    """NULs neither end a page nor reach a record, nor do surrogates."""
    html = f"<html>\0<body><article><p>{PROSE * 3}\0 &#0; &#xD800; \ud800 end.</p></article></body>"
    text = main_text(html)
    assert text.endswith("end.")
    assert "\0" not in text
    assert text.encode()


@pytest.mark.parametrize("html", ["", " ", "<", "plain words", "<p></p>", "\0", "<!--"])
def test_main_text_of_hardly_a_page(html: str) -> None:
    """What holds no article has none, without an error."""
    assert isinstance(main_text(html), str)


def test_plain_text() -> None:
    """Plain text stays as it is written, but for line ends and unstorable characters."""
    assert plain_text("\ufeffa\r\n  b\0\r\n\r\nc\ud800\n") == "\ufeffa\n  b\n\nc"


def lines(*texts: str) -> list[Line]:
    """Return lines without links."""
    return [Line(text, 0) for text in texts]


PARAGRAPHS = [f"Paragraph {n}: {PROSE}{PROSE[::-1]}" for n in range(10)]


@pytest.mark.parametrize(
    ("main", "seen", "expected"),
    [
        (PARAGRAPHS, PARAGRAPHS, JudgedOn.MAIN),
        (PARAGRAPHS, ["A heading", *PARAGRAPHS, "Share this page with friends"], JudgedOn.MAIN),
        (PARAGRAPHS[2:8], PARAGRAPHS, JudgedOn.MAIN),
        (PARAGRAPHS[:1], PARAGRAPHS, JudgedOn.VISIBLE),
        (PARAGRAPHS[:1] + PARAGRAPHS[-1:], PARAGRAPHS, JudgedOn.VISIBLE),
        (PARAGRAPHS[:3] + PARAGRAPHS[5:], PARAGRAPHS, JudgedOn.VISIBLE),
        (["A notice found on every page."], PARAGRAPHS, JudgedOn.VISIBLE),
        (["Hidden text."], ["Short."], JudgedOn.MAIN),
        ([], PARAGRAPHS, JudgedOn.VISIBLE),
        ([], [], JudgedOn.VISIBLE),
        (PARAGRAPHS, [], JudgedOn.MAIN),
    ],
)
def test_which_text_is_judged(main: list[str], seen: list[str], expected: JudgedOn) -> None:
    """Main text speaks for a page unless paragraphs are missing in it, or more around it."""
    assert judged_on("\n".join(main), lines(*seen)) is expected


def test_many_small_holes_count() -> None:
    """A main text without any of the page's captions does not speak for it, few as they weigh."""
    captions = [f"Figure {n}. The desktop" for n in range(10)]
    both = [text for pair in zip(PARAGRAPHS, captions, strict=True) for text in pair]
    assert judged_on("\n".join(PARAGRAPHS), lines(*both)) is JudgedOn.VISIBLE
    assert judged_on("\n".join(PARAGRAPHS), lines(*PARAGRAPHS, *captions)) is JudgedOn.MAIN


def test_menus_do_not_speak_for_a_short_page() -> None:
    """A short main text that stands largely outside the content is the menus, not the page."""
    menu = [f"Chapter {n}: Installation" for n in range(20)]
    assert judged_on("\n".join([*menu, PARAGRAPHS[0]]), lines(PARAGRAPHS[0])) is JudgedOn.VISIBLE
    assert judged_on("\n".join([menu[0], PARAGRAPHS[0]]), lines(PARAGRAPHS[0])) is JudgedOn.MAIN


def test_links_between_paragraphs_are_no_holes() -> None:
    """Lines that are mostly links may be left out anywhere."""
    teasers = [Line(f"Read also: another story number {n}", 20) for n in range(10)]
    both = [line for pair in zip(lines(*PARAGRAPHS), teasers, strict=True) for line in pair]
    assert judged_on("\n".join(PARAGRAPHS), both) is JudgedOn.MAIN


def test_a_list_of_links_speaks_for_itself() -> None:
    """Where links say four times as much as the main text, the page is judged on all of it."""
    contents = [Line(f"Chapter {n} tells of something else", 27) for n in range(400)]
    few = contents[: len(contents) // 40]
    assert judged_on("\n".join(PARAGRAPHS), [*lines(*PARAGRAPHS), *contents]) is JudgedOn.VISIBLE
    assert judged_on("\n".join(PARAGRAPHS), [*lines(*PARAGRAPHS), *few]) is JudgedOn.MAIN


def test_layout_of_the_main_text_does_not_matter() -> None:
    """Lines are found however the extractor broke, spaced and marked them."""
    main = " | ".join(text.replace(" ", "\n- ") for text in PARAGRAPHS)
    assert judged_on(main, lines(*PARAGRAPHS)) is JudgedOn.MAIN


def test_control_characters_are_no_text() -> None:
    """What is no white space among them is left out of lines and plain texts; the rest folds."""
    others = (*range(1, 9), *range(14, 28), *range(127, 133), *range(134, 160))
    one = f"one{''.join(map(chr, others))}"
    assert visible(f"<p>{one}two\x85three") == "onetwo three"
    assert plain_text(f"{one}two\x1fthree\x0cfour") == "onetwo three\nfour"


def test_a_page_that_hides_most_of_its_prose_is_read_with_it() -> None:
    """As a script shows it; beside a text of its own, what is hidden stays so."""
    prose = "<p>The keeper of the lighthouse rowed ashore twice a week and wrote down what he saw."
    notice = "<p>Please wait while this page is made ready for you, it takes a moment."
    hidden = f"<div style='display: none'>{prose * 20}</div>"
    shown = visible_lines(parse(f"{notice}{hidden}", "text/html"))
    assert [line.text[:10] for line in shown] == ["Please wai", *["The keeper"] * 20]
    for text in (prose * 10 + hidden, notice + hidden.replace("p>", "p><a href=/>")):
        lines = visible_lines(parse(text, "text/html"))
        assert len(lines) == text.partition("<div")[0].count("<p>")
