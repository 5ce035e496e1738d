"""Plain text and Markdown from lines of a page: each structure, what is left out, any markup."""

from __future__ import annotations

import re
from itertools import compress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.lines import MOST_SPANNED, Line, visible_lines
from crawler.extract.page import parse
from crawler.extract.rendering import MAX_ADDRESSES, Addresses, markdown, plain


def read(html: str, *, links: bool = False) -> list[Line]:
    """Return the visible lines of a page."""
    return visible_lines(parse(html, "text/html"), links=links)


def as_markdown(html: str, kept: list[bool] | None = None) -> str:
    """Return a page, or some of its lines, as Markdown."""
    lines = read(html)
    return markdown(lines, kept or [True] * len(lines))


def as_plain(html: str, kept: list[bool] | None = None) -> str:
    """Return a page, or some of its lines, as plain text."""
    lines = read(html)
    return plain(lines, kept or [True] * len(lines))


@pytest.mark.parametrize(
    ("html", "expected", "bare"),
    [
        ("<h1>a</h1><h3>b<br>c</h3><p>d", "# a\n\n### b c\n\nd", "a\nb\nc\nd"),
        ("<p>a<br>b<p>c", "a\\\nb\n\nc", "a\nb\nc"),
        ("<p>a<br><br>b", "a\n\nb", "a\nb"),
        (
            "<ul><li>a<ul><li>b<li>c</ul><li>d<p>e</ul>",
            "- a\n  - b\n  - c\n- d\n\n  e",
            "- a\n  - b\n  - c\n- d\n  e",
        ),
        (
            "<ol start=9><li>a<li>b<li value=3>c<li>d</ol>",
            "9. a\n10. b\n3. c\n4. d",
            "- a\n- b\n- c\n- d",
        ),
        ("<ol><li value=x>a<li value=-5>b</ol>", "1. a\n2. b", "- a\n- b"),
        (
            "<dl><dt>a<dd>b<p>c<dt>d<dd><ul><li>e</ul></dl>",
            "- a\n\n  b\n\n  c\n\n- d\n  - e",
            "a\nb\nc\nd\n- e",
        ),
        (
            "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d",
            "> a\n>\n> b\n>\n> > c\n\nd",
            "a\nb\nc\nd",
        ),
        (
            "<table><caption>t</caption><thead><tr><th>a<th>b</thead><tr><td>c|d<td><p>e<p>f</table>",
            "t\n\n| a | b |\n| --- | --- |\n| c\\|d | e<br>f |",
            "t\na | b\nc|d\ne\nf",
        ),
        (
            "<table><tr><td>a<td>b<tr><td><td>d</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n|  | d |",
            "a | b\nd",
        ),
        ("<table><tr><td>a<td>b</table>", "a b", "a b"),
        ("<table><tr><td>a<td><h2>b</h2>c<tr><td>d<td>e</table>", "a\n\n## b\n\nc\n\nd e", None),
        (
            "<p>x<pre><code class=language-py>a\n\n  b\tc\n</code></pre>y",
            "x\n\n```py\na\n\n  b\tc\n```\n\ny",
            "x\na\n\n  b\tc\ny",
        ),
        ("<pre>```\n# a *b*</pre>", "````\n```\n# a *b*\n````", "```\n# a *b*"),
        ("<ul><li>a<pre>b\n c</pre></ul>", "- a\n\n  ```\n  b\n   c\n  ```", "- a\nb\n c"),
        ("<pre>a<br>  b<br><br>c</pre>", "```\na\n  b\n\nc\n```", "a\n  b\n\nc"),
        ("<pre><div>a</div><div>  b</div></pre>", "```\na\n  b\n```", "a\n  b"),
        (
            "<p>a <code> b`c </code>d <kbd>e</kbd>, <tt>`</tt>",
            "a ``b`c`` d `e`, `` ` ``",
            "a b`c d e, `",
        ),
        ("", "", ""),
    ],
)
def test_structures(html: str, expected: str, bare: str | None) -> None:
    """Headings, breaks, lists, definitions, quotes, tables and code are written as such."""
    assert as_markdown(html) == expected
    if bare is not None:
        assert as_plain(html) == bare


@pytest.mark.parametrize(
    ("html", "expected", "bare"),
    [
        ("10<sup>6</sup> m<sup>-2</sup>, H<sub>2</sub>O 2<sup>i</sup>", "10⁶ m⁻², H₂O 2ⁱ", None),
        ("the 1<sup>st</sup> x<sub>k</sub> of <sup> </sup>2", "the 1st xk of 2", None),
        ("<code>a<sup>2</sup></code>", "`a2`", "a²"),
        ("the <del>old</del><ins>new</ins> one", "the ~~old~~ new one", "the old new one"),
        ("<s>a</s>, b<strike>c</strike>d<del> </del>", "~~a~~, b ~~c~~ d", "a, b c d"),
        ("<del>$50</del><ins>$40</ins> (<s>€2</s>)", "~~$50~~ $40 (~~€2~~)", "$50 $40 (€2)"),
        ("<del>a <b>b</b><p>c</del>", "~~a b~~\n\nc", "a b\nc"),
        ("<ruby>漢字<rt>かんじ</rt></ruby>を", "漢字(かんじ)を", None),
        ("<ruby>読<rp>(</rp><rt>よ</rt><rp>)</rp></ruby>む", "読(よ)む", None),
        ("It is.<sup><a href='#n1'>1</a></sup> So", "It is.[^1] So", "It is.[1] So"),
        ("So<a href='#n'><sup>†</sup></a>", "So[^†]", "So[†]"),
        ("So <sup><a href='#n'>[3]</a></sup>.", "So[3].", None),
        ("So<sup><a href='/e'>edit it</a></sup>", "So edit it", None),
    ],
)
def test_signs(html: str, expected: str, bare: str | None) -> None:
    """What is raised, lowered, deleted, a reading or the mark of a note is told from its words."""
    assert as_markdown(f"<p>{html}") == expected
    assert as_plain(f"<p>{html}") == (expected if bare is None else bare)


@pytest.mark.parametrize(
    ("html", "expected", "bare"),
    [
        (
            "<div class='admonition note'><p>a<ul><li>b</ul></div>c",
            "> [!NOTE]\n> a\n> - b\n\nc",
            None,
        ),
        (
            "<ul><li>a<aside class=warning>b</aside></ul>",
            "- a\n\n  > [!WARNING]\n  > b",
            "- a\n  b",
        ),
        ("<blockquote class='note warn'>a</blockquote>", "> [!NOTE]\n> a", "a"),
        ("<div class='markdown-alert markdown-alert-tip'><p>a</div>", "> [!TIP]\n> a", "a"),
        ("<section class=info><h2>a</h2>b</section>", "## a\n\nb", "a\nb"),
        ("<div class='notes release-note'><p class=tip>a</div>", "a", "a"),
    ],
)
def test_kinds_of_notes(html: str, expected: str, bare: str | None) -> None:
    """A note, tip or warning is a quote with its kind (GitHub's alerts); as it is in plain text."""
    assert as_markdown(html) == expected
    assert bare is None or as_plain(html) == bare


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            "<tr><th rowspan=2>A<th colspan=2>B<th>C<tr><th>x<th>y<th>z<tr><td rowspan=3>1<td>2"
            "<td>3<td>4<tr><td>5<td>6<td>7",
            ["| A | B |  | C |", "|  | x | y | z |", "| 1 | 2 | 3 | 4 |", "|  | 5 | 6 | 7 |"],
        ),
        (
            "<tr><td>a<td rowspan=2 colspan=2>b<td rowspan=2>c<tr><td>d<tr><td>e<td>f",
            ["|  |  |  |  |", "| a | b |  | c |", "| d |", "| e | f |"],
        ),
        (
            "<tr><td colspan=0>a<td rowspan=-1>b<td colspan=x>c<tr><td>d<td>e<td>f",
            ["|  |  |  |", "| a | b | c |", "| d | e | f |"],
        ),
    ],
)
def test_values_stand_below_their_heads(table: str, rows: list[str]) -> None:
    """What a cell spans is empty cells, so that those after it stand in columns of their own."""
    first, _, *others = as_markdown(f"<table>{table}</table>").split("\n")
    assert [first, *others] == rows


def test_cells_span_no_more_than_a_page_may() -> None:
    """Cells that span millions of places make a text as long as the page, nearly."""
    row = "<tr>" + "<td rowspan=1000 colspan=1000>a" * 20 + "<tr><td>b" * 50
    assert len(as_markdown(f"<table>{row * 20}</table>")) < 60 * MOST_SPANNED


def test_formulas_in_rows() -> None:
    """An array, as pseudocode is written, has its rows in plain text, and its TeX in Markdown."""
    rows = ("<mtr><mtd><mn>1</mn></mtd><mtd><mi>a</mi></mtd></mtr>", "<mtr><mtd>2</mtd></mtr>")
    html = f"<p>So<math display=block alttext='x'><mtable>{''.join(rows)}</mtable></math>it is"
    assert as_plain(html) == "So\n1 a\n2\nit is"
    assert as_markdown(html) == "So$$x$$it is"
    assert as_markdown("<p>a<mtr>b<mtd>c</mtd></mtr>d") == "a b c d"


CONTENTS = "<ul><li><a href=#a>1. One</a><ul><li><a href=#b>1.1 Two</a></ul><li><a href=#c>3</a>"
SECTIONS = "<h2>One</h2><p>first<h3>1.1 Two</h3><p>second<h2>3</h2><p>third"


def test_the_contents_of_the_page_are_left_out() -> None:
    """Links that say what the page's kept headings say are no text of it, their own heading too."""
    text = as_plain(f"<h2>Contents</h2>{CONTENTS}</ul>{SECTIONS}")
    assert text == "One\nfirst\n1.1 Two\nsecond\n3\nthird"


def test_addresses_of_other_pages_are_no_contents() -> None:
    """Where links are written with their addresses, those that lead elsewhere stay."""
    lines = read(CONTENTS.replace("#", "/") + SECTIONS, links=True)
    assert "(http://a/c)" in markdown(lines, [True] * len(lines), Addresses("http://a/"))


@pytest.mark.parametrize(
    "html",
    [
        f"{CONTENTS}<li><a href=/x>Elsewhere</a><li><a href=/y>And there</a></ul>{SECTIONS}",
        f"{CONTENTS.replace('One', 'Other')}</ul>{SECTIONS}",
        "<h2><a href=1>A</a></h2>a<h2><a href=2>B</a></h2>b<h2><a href=3>C</a></h2>c",
    ],
)
def test_other_links_stay(html: str) -> None:
    """A list with links to elsewhere stays, and headings that are links, as of a list of posts."""
    assert len(as_plain(html).split("\n")) == len(read(html))


@pytest.mark.parametrize(
    ("around", "language"),
    [
        ("<pre class='brush: js; toolbar: false'>{}</pre>", "js"),
        ("<pre class='prettyprint lang-config'>{}</pre>", "config"),
        ("<pre data-lang=Ruby>{}</pre>", "ruby"),
        ("<pre><code class='hljs cpp'>{}</code></pre>", "cpp"),
        ("<pre><code class='cpp hljs'>{}</code></pre>", "cpp"),
        ("<div class='highlight-c++ notranslate'><div class=highlight><pre>{}</pre></div>", "c++"),
        ("<div class='language-go highlighter-rouge'><div><pre><code>{}</code></pre></div>", "go"),
        ("<div class='highlight highlight-source-shell'><pre>{}</pre></div>", "shell"),
        ("<pre class='sourceCode haskell'>{}</pre>", "haskell"),
        ("<pre class='code python literal-block'>{}</pre>", "python"),
        ("<pre class='playground'><code class=rust>{}</code></pre>", "rust"),
        ("<pre class='programlisting output'><code class=nowrap>{}</code></pre>", ""),
        ("<div class=highlight-default><pre>{}</pre></div>", ""),
        ("<div class=language-en><p><p><div><div><div><div><div><pre>{}</pre>", ""),
        ("<pre>{}</pre>", ""),
    ],
)  # fmt: skip
def test_languages(around: str, language: str) -> None:
    """The language of code is found as the common generators mark it."""
    assert as_markdown(around.format("x = 1")) == f"```{language}\nx = 1\n```"


@pytest.mark.parametrize(
    "html",
    [
        "<figure class='highlight js'><table><tr><td class=gutter><pre>1<br>2<br></pre></td>"
        "<td class=code><pre>{<br>  a<br></pre></td></tr></table></figure>",
        "<div class=highlight-js><table><tr><td class=linenos><div><pre>1\n2\n</pre></div>"
        "<td class=code><pre>{\n  a\n</pre></table></div>",
        "<table class=language-js><tr><td><pre>41\n42\n</pre><td><pre>{\n  a\n</pre></table>",
        "<pre class=lang-js><span></span><span class=linenos>1</span>{\n"
        "<span class=linenos>2</span>  a\n</pre>",
        "<pre><code class=language-js><span class=lineno>1 </span>{\n"
        "<span class=lineno>2 </span>  a\n</code></pre>",
    ],
)
def test_gutters(html: str) -> None:
    """The numbers of lines beside code, or in it, are no text, and code is not merged."""
    assert as_markdown(html) == "```js\n{\n  a\n```"
    assert as_plain(html) == "{\n  a"


@pytest.mark.parametrize(
    ("html", "expected", "bare"),
    [
        (
            "<p>so <math data-latex='x^2'><msup><mi>x</mi><mn>2</mn></msup></math> is",
            "so $x^2$ is",
            "so x2 is",
        ),
        (
            "<p><span class=katex><span class=katex-mathml><math display=block><semantics>"
            "<mi>x</mi><annotation encoding='application/x-tex'>\\vec x</annotation></semantics>"
            "</math></span><span class=katex-html aria-hidden=true>x</span></span>",
            "$$\\vec x$$",
            "x",
        ),
        (
            "<p><mjx-container><mjx-math aria-hidden=true>q</mjx-math><mjx-assistive-mml>"
            "<math alttext='q'><mi>q</mi></math></mjx-assistive-mml></mjx-container>",
            "$q$",
            "q",
        ),
        (
            "<p><span style='display: none' class='mwe-math-mathml-inline mwe-math-mathml-a11y'>"
            "<math alttext='{\\displaystyle y}'><mi>y</mi></math></span><img aria-hidden=true>",
            "${\\displaystyle y}$",
            "y",
        ),
        ("<p>a <script type='math/tex'>b_1</script> c", "a $b_1$ c", "a b_1 c"),
        (
            "<p><span class=MathJax>b1</span><script type='math/tex; mode=display'>b_1</script>",
            "b1",
            "b1",
        ),
        ("<p>by \\(a_*\\) and \\[b\\]", "by $a_*$ and $$b$$", "by \\(a_*\\) and \\[b\\]"),
        ("<p><math><mi>z</mi></math>", "z", "z"),
        (
            "<table><tr><td><math alttext='|x|'><mi>x</mi></math><td>a<tr><td>b<td>c</table>",
            "|  |  |\n| --- | --- |\n| $\\vert x\\vert$ | a |\n| b | c |",
            "x | a\nb | c",
        ),
    ],
)
def test_formulas(html: str, expected: str, bare: str) -> None:
    """A formula stands once in either form: as its TeX, and as it reads."""
    assert as_markdown(html) == expected
    assert as_plain(html) == bare


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a", "\\# a"),
        ("#a", "#a"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("1.5 a", "1.5 a"),
        ("> a", "\\> a"),
        ("===", "\\==="),
        ("a *b* c", "a \\*b\\* c"),
        ("2 * 3", "2 * 3"),
        ("snake_case and __init__", "snake_case and \\_\\_init\\_\\_"),
        ("`a`", "\\`a\\`"),
        ("<b> 1 < 2", "\\<b> 1 < 2"),
        ("&amp; & R&D", "\\&amp; & R&D"),
        ("[a](b) [c]", "[a\\](b) [c]"),
        ("~~a~~ ~b", "\\~\\~a\\~\\~ ~b"),
        ("a \\* b", "a \\\\\\* b"),
        ("灯_塔_", "灯_塔\\_"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    """What would be taken for markup is escaped, and nothing else."""
    lines = [Line(text, 0)]
    assert markdown(lines, [True]) == expected
    assert plain(lines, [True]) == text


@pytest.mark.parametrize(
    "chrome",
    [
        "<h2>a<a class=headerlink href=#a>¶</a></h2>",
        "<h2><a href=#a>#</a> a</h2>",
        "<h2>a<span class=mw-editsection>[<a href=e>edit</a>]</span></h2>",
        "<h2>a</h2><ol class=breadcrumb><li><a href=/>Home</a><li>a</ol>",
        "<h2>a</h2><div class='p-breadcrumbs p-breadcrumbs--top'>Home</div>",
        "<h2>a</h2><div class=sharedaddy><h3>Share this:</h3><ul><li><a>Facebook</a></ul></div>",
        "<p>Edit on GitHub</p><h2>a</h2>",
        "<ul><li><a href=x>编辑此页</a></ul><h2>a</h2>",
        "<h2>a</h2><button>Copy</button>",
        "<a href=#m>Skip to content</a><h2>a</h2>",
        "<h2>a</h2><p>This website uses cookies to improve your experience.</p>",
        "<h2>a</h2><div class=cookie-notice><p>Cookies are small files.</p></div>",
        "<h2>a</h2><div class=tabbed-labels><label>C++</label><label>Python</label></div>",
        "<p>© 2026 The harbour. All rights reserved.</p><h2>a</h2>",
        "<p>Copyright © 2026 The harbour</p><h2>a</h2>",
        "<h2>a</h2><div>| /</div><div>Add to cart</div>",
    ],
)  # fmt: skip
def test_chrome_is_left_out(chrome: str) -> None:
    """Anchors, buttons, breadcrumbs and notices are not kept, and are still visible lines."""
    prose = "<p>The harbour master spoke about the new lighthouse, which opens in spring."
    lines = read(chrome + prose)
    assert markdown(lines, [True] * len(lines)).startswith("## a\n\nThe harbour")
    assert plain(lines, [True] * len(lines)).startswith("a\nThe harbour")
    kept = plain(lines, [True] * len(lines)).split()
    assert len("".join(line.text for line in lines).replace(" ", "")) > len("".join(kept))


@pytest.mark.parametrize(
    "text",
    [
        "<h2>Share</h2>",
        "<table><tr><td>Copy<td>Copies<tr><td>Edit<td>Edits</table>",
        "<dl><dt>Copy<dd>Copies the selection.</dl>",
        "<ul><li>Share</ul>",
        "<p>© Reuters",
        "<p>Copyright 2026 is claimed by the harbour.",
        "<table><tr><td>|<td>or<tr><td>/<td>by</table>",
        "<p>We share this with all who use cookies, and with friends of the lighthouse.",
        "<p>See <a href=x>§</a> 3",
        "<div class=skip-link><p>" + "A sentence that has such a class around it is prose. " * 3,
        "<div class=page-with-breadcrumbs><p>Text</div>",
    ],
)
def test_prose_is_kept(text: str) -> None:
    """Words that buttons have may be headings, terms or cells; sentences are never left out."""
    prose = "<p>The harbour master spoke about the new lighthouse, which opens in spring."
    lines = read(text + prose)
    assert not any(line.chrome for line in lines)
    words = " ".join(line.text for line in lines)
    assert plain(lines, [True] * len(lines)).replace(" | ", " ").replace("- ", "").split() == (
        words.split()
    )


def test_a_page_that_is_chrome_by_its_classes_is_kept() -> None:
    """Where a wrapper of the whole page has such a class, nothing is left out."""
    html = "<div class=gutter><p>All of it.<p>And more.</div><p>End."
    assert as_plain(html) == "All of it.\nAnd more.\nEnd."


def test_code_is_kept_whole_or_not_at_all() -> None:
    """A reader that misses a row of code does not tear it, and one that finds a row adds none."""
    html = "<p>a<pre>first line\n}\nthird line</pre>"
    assert as_plain(html, [True, True, False, True]) == "a\nfirst line\n}\nthird line"
    assert as_plain(html, [True, False, True, False]) == "a"


def test_a_table_is_kept_whole() -> None:
    """A row that is missed in the midst of a kept table is part of it."""
    html = "<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table><p>g"
    assert as_plain(html, [True, False, True, False]) == "a | b\nc | d\ne | f"
    assert as_plain(html, [True, False, False, False]) == "a b"


@pytest.mark.parametrize(
    ("below", "left"),
    [
        ("<p>x<p>y<p>z", False),
        ("<p>x<p>y", True),
        ("<p>x<p>y<p>z<h3>Deeper</h3><p>kept", True),
    ],
)
def test_a_heading_goes_with_what_stood_below_it(below: str, left: bool) -> None:
    """Where a list below a heading was left out, so is the heading; not one above subsections."""
    html = f"<p>kept<h2>Related<br>things</h2>{below}<h2>Last</h2><p>kept"
    flags = [line.text not in ("x", "y", "z") for line in read(html)]
    assert ("## Related things" in as_markdown(html, flags)) is left
    assert "## Last" in as_markdown(html, flags)


@pytest.mark.parametrize(
    "kept", ["<h2><a href=x>A card</a></h2>", "<h1>A list</h1>", "<h1>A list</h1><h2>A card</h2>"]
)
def test_a_heading_that_says_something_by_itself_stays(kept: str) -> None:
    """The title of a card leads somewhere, and headings may be all that there is of a text."""
    text = "<p>kept" if "href" in kept else ""
    html = f"{text}{kept}<p>x<p>y<p>z"
    flags = [line.text not in ("x", "y", "z") for line in read(html)]
    assert as_plain(html, flags) == "\n".join(line.text for line in compress(read(html), flags))


def test_what_is_chosen_keeps_its_place() -> None:
    """An item whose first lines are left out has its mark on the next."""
    html = "<ul><li><p>a<p>b<li>c</ul>"
    assert as_markdown(html, [False, True, True]) == "- b\n- c"


def test_links() -> None:
    """By option links lead where they lead, resolved; not those within the page or to scripts."""
    html = (
        "<p>See <a href='b c.html'>the [b] <code>x</code></a>, <a href=#top>top</a>, "
        "<a href='javascript:x()'>run</a>, <a href=http://[>bad</a><a href=y><img></a> "
        "and <code>f(<a href=z>z</a>)</code>."
    )
    lines = read(html, links=True)
    kept = [True] * len(lines)
    written = markdown(lines, kept, Addresses("http://a/x/"))
    assert written == "See [the \\[b\\] `x`](http://a/x/bc.html), top, run, bad and `f(z)`."
    assert markdown(lines, kept) == "See the [b] `x`, top, run, bad and `f(z)`."
    assert plain(lines, kept) == "See the [b] x, top, run, bad and f(z)."


def test_addresses_are_bounded() -> None:
    """Beyond a million characters links are text."""
    addresses = Addresses(f"http://a/{'b' * 100_000}/")
    found = [addresses("c") is not None for _ in range(12)]
    assert found == [True] * 9 + [False] * 3
    assert MAX_ADDRESSES == 1_000_000


PIECES = (
    "<p> </p> <ul> <ol> <li> </ul> <dl> <dt> <dd> <table> <tr> <td> <th> </table> <pre> </pre> "
    "<code> </code> <a~href=x> </a> <h2> </h2> <blockquote> </blockquote> <br> <math> </math> "
    "<span~class=lineno> </span> <nav> </nav> <caption> <div~class=gutter> </div> one two ~ \n "
    "* _x_ | ` # 1. \\( \\) [a](b) ¶ <sup> </sup> <del> </del> <rt> <mtr> <td~rowspan=2~colspan=3>"
).replace("\n", "<!>").split()  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.randoms(use_true_random=False))
def test_any_markup_can_be_written(pieces: list[str], random: object) -> None:
    """However elements are crossed and lines chosen, all kept words stand in both, in order."""
    html = " ".join(pieces).replace("~", " ").replace("<!>", "\n")
    lines = read(html, links=True)
    kept = [random.random() < 0.7 for _ in lines]  # type: ignore[attr-defined]
    written = markdown(lines, kept, Addresses("http://a/"))
    bare = plain(lines, kept)
    words = re.findall(r"one|two", bare)
    assert re.findall(r"one|two", written) == words
    if all(kept) and not any(line.chrome for line in lines) and "lineno" not in html:
        assert words == re.findall(r"one|two", " ".join(line.text for line in lines))
    for text in (written, bare):
        text.encode()


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>a" * 1_500,
        "<blockquote>a" * 2_000,
        "<table><tr><td>a" * 1_000,
        f"<table><tr>{'<td>' * 5_000}a{'<tr><td>b' * 5_000}</table>",
        f"<ul><li>{'<blockquote>' * 30}<pre>{'x' + chr(10) * 20_000}y</pre>",
        "<p>" + "[" * 9_000 + "`" * 9_000 + "&a" * 9_000 + "\\(" * 5_000,
        "<p>" + "<code>`" * 3_000,
        "<p>" + "<a href=x>y</a>" * 5_000,
    ],
)
def test_the_text_is_linear_in_the_page(html: str) -> None:
    """Depth, width and empty lines make no text that is far longer than the page."""
    lines = read(html, links=True)
    kept = [True] * len(lines)
    limit = 50 * len(html) + 1_000
    assert len(markdown(lines, kept, Addresses("http://a/"))) < limit
    assert len(plain(lines, kept)) < limit
