"""How a template reads a page: what it drops, what it never drops, and when it steps back."""

import random
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st
from support.made_templates import ASIDE, FOOT, MENU, TEXT, lesson, page

from crawler.extract.lines import Line
from crawler.extract.templates import Evidence, Template, Zone, blocks_of
from crawler.extract.templates.template import _MET as MOST_MET
from crawler.extract.templates.template import MAX_STEPS
from crawler.extract.text import word_characters


def learned(pages: int = 12) -> Template:
    """Return what so many pages of a made site teach."""
    evidence = Evidence()
    for number in range(pages):
        evidence.add(lesson(page(number)))
    return evidence.template()


def left(template: Template, lines: list[Line]) -> list[str]:
    """Return the paths of the lines that a template keeps."""
    blocks = blocks_of(lines)
    flags = zip(blocks, template.read(blocks).kept, strict=True)
    return [block.zone.path for block, is_kept in flags if is_kept]


def test_what_lies_outside_of_the_text_is_dropped() -> None:
    """Menu, box and foot line go, the box too though its words differ from page to page."""
    lines = page(77)
    assert left(learned(), lines) == [TEXT] * 6
    assert template_trusts(lines)


def template_trusts(lines: list[Line]) -> bool:
    """Whether the made site's template reads a page."""
    return learned().read(blocks_of(lines)).is_trusted


def test_a_page_is_read_the_same_after_any_others() -> None:
    """What a template remembers of zones is bounded, and changes nothing."""
    template, blocks = learned(), blocks_of(page(77))
    many = [
        Line(f"word {n}", 0, f"body>div.page>div.{'x' * (n % 40)}>p.{n:b}") for n in range(3000)
    ]
    before = template.read(blocks)
    assert template.read(blocks_of(many)) == learned().read(blocks_of(many))
    assert template.read(blocks) == before
    assert template == learned()


def test_a_menu_that_is_kept_now_and_then_is_none_of_the_text() -> None:
    """Links that an extractor keeps on some of twelve pages go where other pages have them, too.

    Each language has a menu of its own: none is on all pages.
    """

    def translated(number: int) -> list[Line]:
        own = f"Language {number % 4}"
        lines = page(number)
        return [
            line._replace(text=f"{own}: {line.text}") if line.linked else line for line in lines
        ]

    for with_menu in (4, 8):
        evidence = Evidence()
        for number in range(12):
            where = "body" if number < with_menu else TEXT
            evidence.add(lesson(translated(number), where=where))
        assert MENU not in left(evidence.template(), translated(77))


READ_ON = f"{TEXT}>ul>li"


def with_links(number: int, links: Sequence[str], label: str = "Read on") -> list[Line]:
    """Return a page of a made site whose text an extractor takes to go on with links."""
    listed = [Line(text, len(word_characters(text)), READ_ON) for text in links]
    *rest, _, foot = page(number)
    return [*rest, Line(label, 0, f"{TEXT}>b"), *listed, foot]


def drawn(number: int) -> list[str]:
    """Return five links of the twenty that a site recommends."""
    return random.Random(number).sample([f"Recommended page {n:02}" for n in range(20)], 5)


def of_links(links: Callable[[int], Sequence[str]], label: str = "Read on") -> Template:
    """Return what twelve such pages teach."""
    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(with_links(number, links(number), label)))
    return evidence.template()


def test_lists_of_links_that_other_pages_have_are_none_of_the_text() -> None:
    """What else to read goes, new entries and label with it, however much an extractor keeps."""
    for label in ("Read on", "相关链接"):
        links = [*drawn(77)[:4], "A page that is recommended for the first time"]
        lines = with_links(77, links, label)
        assert left(of_links(drawn, label), lines) == [TEXT] * 6


def test_links_that_are_a_pages_own_are_text() -> None:
    """So are lists of them, and their labels."""

    def own(number: int) -> list[str]:
        return [f"Chapter {n} of book {number}" for n in range(5)]

    expected = [TEXT] * 6 + [f"{TEXT}>b"] + [READ_ON] * 5
    assert left(of_links(own), with_links(77, own(77))) == expected


def test_a_short_line_on_all_pages_goes_with_a_list_alone() -> None:
    """Values that nearly all pages share stay with their labels, also at the end of the text."""
    facts = [("b", "Stock"), ("i", "Available"), ("b", "Delivery"), ("i", "Free")]

    def product(number: int) -> list[Line]:
        *rest, _, foot = page(number)
        return [*rest, *(Line(text, 0, f"{TEXT}>{tag}") for tag, text in facts), foot]

    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(product(number)))
    assert left(evidence.template(), product(77))[-4:] == [f"{TEXT}>{tag}" for tag, _ in facts]


def test_a_link_by_itself_is_a_value() -> None:
    """A country that other pages name as well stays beside its label; it is in no list."""
    cell = f"{TEXT}>table>td>a"

    def facts(number: int) -> list[Line]:
        *rest, foot = page(number)
        values = [("Country", number % 3), ("Language", number % 4)]
        rows = [
            (Line(name, 0, f"{TEXT}>b"), Line(f"Linked {value}", 7, cell)) for name, value in values
        ]
        return [*rest, *(line for row in rows for line in row), foot]

    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(facts(number)))
    assert left(evidence.template(), facts(77)).count(cell) == 2


def test_repeated_lines_are_as_long_in_chinese_as_they_say() -> None:
    """A short line says where the page stands and goes; a paragraph on all pages is its text."""
    place, clause = "当前位置：首页新闻动态", "本页数据由管理部门发布，" * 6

    def stated(number: int) -> list[Line]:
        *rest, foot = page(number)
        return [*rest, Line(place, 0, TEXT), Line(clause, 0, TEXT), foot]

    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(stated(number)))
    lines = stated(77)
    flags = evidence.template().read(blocks_of(lines)).kept
    kept = [line.text for line, is_kept in zip(lines, flags, strict=True) if is_kept]
    assert clause in kept
    assert place not in kept


def test_few_pages_prove_nothing() -> None:
    """What five judged pages left out is not known yet, so nothing is dropped."""
    assert left(learned(5), page(77)) == [line.path for line in page(77)]


def test_a_page_of_another_layout_is_kept_and_not_trusted() -> None:
    """A zone that was never seen is kept, and with much text in it the page has more to teach."""
    lines = page(77, where="body>main.story>p")
    assert left(learned(), lines) == ["body>main.story>p"] * 6
    assert not template_trusts(lines)


def test_new_places_within_the_text_belong_to_it() -> None:
    """A list among paragraphs, never met while learning, is text of a page that is known."""
    lines = page(77, where="body>div.page>div.text>ul>li")
    assert left(learned(), lines) == ["body>div.page>div.text>ul>li"] * 6
    assert template_trusts(lines)


def test_text_that_moves_into_what_is_dropped_is_noticed() -> None:
    """A box that holds far more words than on any page that taught makes the page untrusted."""
    assert template_trusts(page(77, aside="Read also number 1234 of the long series"))
    assert not template_trusts(page(77, aside="word " * 30))


def test_new_places_under_what_is_dropped_lose_no_text() -> None:
    """Text in an unknown zone below surroundings makes the page untrusted."""
    assert not template_trusts([*page(77), Line("more words " * 9, 0, f"{FOOT}>div.new>p")])


def test_a_page_of_which_nothing_is_left_is_not_trusted() -> None:
    """A template never returns an empty text for a page that says something."""
    menu = [Line("Menu entry 1", 11, MENU), Line("All rights reserved", 0, FOOT)]
    assert not template_trusts(menu)
    assert left(learned(), []) == []


def test_a_page_of_which_hardly_anything_is_left_is_not_trusted() -> None:
    """A page that keeps a far smaller share of itself than any that taught is read by itself."""
    lines = [line for line in page(77) if line.path != TEXT]
    assert not template_trusts([*lines, Line("brief", 0, TEXT)])


def test_code_is_no_boilerplate() -> None:
    """A brace on every page stays where it stands in a listing."""
    evidence = Evidence()
    listing = f"{TEXT}>pre"
    pages = [
        [*page(number), Line("}", 0, listing), Line("int main() {", 0, listing)]
        for number in range(12)
    ]
    for lines in pages:
        evidence.add(lesson(lines))
    blocks = blocks_of(pages[3])
    reading = evidence.template().read(blocks)
    flags = zip(blocks, reading.kept, strict=True)
    assert all(is_kept for block, is_kept in flags if block.zone.path == listing and block.bare)


def test_a_page_met_twice_is_no_repetition() -> None:
    """The same text from twenty addresses shows no line to be surroundings."""
    evidence = Evidence()
    for _ in range(20):
        evidence.add(lesson(page(1), judged=False))
    assert left(evidence.template(), page(1)) == [line.path for line in page(1)]


_PATHS = (MENU, TEXT, ASIDE, FOOT, "body", "body>div.page>div.text>h2")
_TEXTS = [word * 9 for word in "a1 b22 c333 d4444".split()]
# One choice a line, where a choice for each part of it would take most of the time.
_LINES = st.lists(
    st.sampled_from(
        [
            Line(text, linked, path)
            for text in _TEXTS
            for linked in (0, 1, 9, 20, 40)
            for path in _PATHS
        ]
    ),
    max_size=12,
)
_LESSONS = st.lists(st.tuples(_LINES, st.booleans()), min_size=1, max_size=14)


@given(pages=_LESSONS, seed=st.integers(0, 2**32))
def test_the_order_of_lessons_does_not_matter(
    pages: list[tuple[list[Line], bool]], seed: int
) -> None:
    """Pages of different texts make the same template in whatever order they teach."""
    lessons = [lesson(lines, judged=judged) for lines, judged in pages]
    lessons = list({one.identity: one for one in lessons}.values())
    first, second = Evidence(), Evidence()
    for one in lessons:
        first.add(one)
    random.Random(seed).shuffle(lessons)
    for one in lessons:
        second.add(one)
    assert first.template() == second.template()


@given(pages=_LESSONS, lines=_LINES, path=st.sampled_from(("body>new", "body>div.new>p", "x")))
def test_what_is_unknown_is_never_dropped_and_trusted(
    pages: list[tuple[list[Line], bool]], lines: list[Line], path: str
) -> None:
    """A line in a zone of which nothing is known stays, or the page is not read by the template."""
    evidence = Evidence()
    for known, judged in pages:
        evidence.add(lesson(known, judged=judged))
    template = evidence.template()
    blocks = blocks_of([*lines, Line("Something that was never met before " * 9, 0, path)])
    reading = template.read(blocks)
    assert template.known(Zone(path, False)).standing is None or not reading.is_trusted
    assert reading.kept[-1] or not reading.is_trusted


def test_a_page_of_ten_thousand_places_is_read() -> None:
    """Places nested and wide, all unknown: each path is looked at once, and nothing recurses."""
    deep = ">".join(f"div.c{'x' * 3}" for _ in range(64))
    lines = [Line(f"text {n}", 0, f"body>{deep}>p.{'y' * (n % 50)}{n}") for n in range(10_000)]
    reading = learned().read(blocks_of(lines))
    assert all(reading.kept)
    assert not reading.is_trusted
    assert max(len(block.zone.path) for block in blocks_of(lines)) <= 300


def test_what_a_template_remembers_of_pages_is_bounded() -> None:
    """Neither one page of many places nor many pages of a few leave more than the bound."""
    template = learned()
    for places in (10_000, *[300] * 9):
        lines = [Line(f"text {n}", 0, f"body>p.c{places + n}") for n in range(places)]
        template.read(blocks_of(lines))
        assert len(template._met) <= MOST_MET


def test_what_lies_deeper_than_templates_do_counts_to_what_is_around_it() -> None:
    """Places of a hostile page may be 64 elements deep: each element costs in every template."""
    path = ">".join(["body", *["ul"] * 63])
    (block,) = blocks_of([Line("Some text", 0, path)])
    assert block.zone.path == ">".join(["body", *["ul"] * (MAX_STEPS - 1)])


def test_a_bar_of_links_that_stands_twice_needs_a_witness() -> None:
    """Languages above and below the text differ from page to page, and so does who is longer.

    The extractor keeps the upper bar, as a line of the text. Both go; what it keeps in two places
    stays.
    """
    above, below, head = "body>div.page>div.text>p.langs", "body>div.foot>p.langs", TEXT + ">b"

    def translated(number: int) -> list[Line]:
        languages = [name for n, name in enumerate(("de", "en", "fr", "tr")) if number >> n & 1]
        text = f"Available in: {' | '.join(languages)}"
        bar = len("".join(languages))
        menu, *rest = page(number)
        state = [Line(f"State: stable for {number} years", 5, place) for place in (head, TEXT)]
        lines = [menu, Line(text, bar, above), state[0], *rest, state[1], Line(text, bar, below)]
        return lines if languages else page(number)

    evidence = Evidence()
    for number in range(20):
        evidence.add(lesson(translated(number)))
    kept = left(evidence.template(), translated(77))
    assert not {above, below} & {*kept}
    assert kept.count(head) == 1
    assert kept.count(TEXT) == 7
