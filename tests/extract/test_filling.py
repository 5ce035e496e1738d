"""Pages made of their data, as others were."""

from __future__ import annotations

import random
from typing import Any

import pytest

from crawler.extract.filling import (
    Unfilled,
    fill,
    learn,
    shown_paths,
    tree_of,
)
from crawler.extract.guard import Guard, Unexplained

WORDS = "harbour lantern orchard velvet mirror canyon thunder meadow copper violin".split()
State = dict[str, Any]
Examples = list[tuple[State, str]]


def post(number: int) -> State:
    """Return the data of an article, some of which not all have."""
    chance = random.Random(number)

    def some(count: int) -> str:
        return " ".join(chance.choices(WORDS, k=count))

    return {
        "page": "post",
        "post": {
            "title": f"{some(3)} & {number}",
            "slug": f"{some(1)} {number}",
            "lead": some(5) if number % 2 else None,
            "views": chance.randrange(9000),
            "tags": chance.sample(WORDS, number % 4),
            "body": f"<p>{some(9)}</p><p>{some(9)} <b>&lt;{some(1)}&gt;</b></p>",
            "notes": [
                {"by": some(1), "text": some(7), "pinned": chance.random() < 0.4}
                for _ in range(chance.randrange(5))
            ],
        },
    }


def shown(state: State) -> str:
    """Return an article as its scripts show it."""

    def safe(text: str) -> str:
        return text.replace("&", "&amp;")

    one = state["post"]
    lead = f"<h2>{one['lead']}</h2>" if one["lead"] else ""
    tags = ", ".join(f"<a href='/tag/{tag}'>{tag}</a>" for tag in one["tags"])
    notes = "".join(
        f"<li>{'<i>Pinned</i>' if note['pinned'] else ''}<b>{note['by']}</b>: {note['text']}</li>"
        for note in one["notes"]
    )
    title, slug = safe(one["title"]), one["slug"].replace(" ", "%20")
    return (
        f"<!doctype html><title>{title} - Site</title><nav><a href=/>Home</a></nav><h1>{title}</h1>"
        f"{lead}<p>{one['views']:,} views</p><div>{one['body']}</div><p>{tags}</p>"
        f"<ul>{notes}</ul><a href='/next/{slug}'>on</a>"
    )


def same(one: str, other: str) -> bool:
    """Whether two pages have the same trees."""
    return tree_of(one).inner == tree_of(other).inner


def test_a_page_is_filled_as_others_were_rendered() -> None:
    """With what some have and others do not, lists of any length, HTML, and how values are spelled.

    What it was not learned from is filled rightly or not at all, and most of it is filled.
    """
    items = learn([(post(n), shown(post(n))) for n in range(16)])
    filled = 0
    for number in range(16, 68):
        try:
            page = fill(items, post(number))
        except Unfilled:
            continue
        filled += 1
        assert same(page, shown(post(number))), number
    assert filled > 40


def filled_by(examples: Examples, state: State) -> str | None:
    """Learn, and return a page; None where the filling does not say."""
    try:
        return fill(learn(examples), state)
    except Unfilled:
        return None


def paragraph(text: object) -> str:
    """Return a page of one."""
    return f"<!doctype html><html><head></head><body><p>{text}</p></body></html>"


def test_where_explanations_say_different_things_a_page_is_not_filled() -> None:
    """Two paths that said the same, and a constant that some path said as well."""
    two: Examples = [({"a": n, "b": n}, paragraph(n)) for n in ("red", "blue")]
    assert filled_by(two, {"a": "green", "b": "green"}) == paragraph("green")
    assert filled_by(two, {"a": "green", "b": "grey"}) is None
    one: Examples = [({"a": "News", "id": n}, paragraph("News")) for n in (1, 2)]
    assert filled_by(one, {"a": "News", "id": 3}) == paragraph("News")
    assert filled_by(one, {"a": "Sports", "id": 3}) is None
    both: Examples = [*one, ({"a": "Sports", "id": 3}, paragraph("Sports"))]
    assert filled_by(both, {"a": "Art", "id": 4}) == paragraph("Art")


def test_what_was_seen_once_is_not_filled() -> None:
    """An element that one example alone shows, or alone does not, may have any reason."""
    examples: Examples = [
        ({"a": "red", "more": None}, paragraph("red")),
        ({"a": "teal", "more": None}, paragraph("teal")),
        ({"a": "blue", "more": "dark"}, paragraph("blue<b>dark</b>")),
    ]
    for more in (None, "light"):
        assert filled_by(examples, {"a": "grey", "more": more}) is None
    examples.append(({"a": "pink", "more": "pale"}, paragraph("pink<b>pale</b>")))
    assert filled_by(examples, {"a": "grey", "more": "light"}) == paragraph("grey<b>light</b>")


def test_text_that_may_be_markup_is_not_filled_before_it_was_seen() -> None:
    """A string with a tag is shown as it is, or taken for HTML: only an example tells."""
    plain: Examples = [({"a": n}, paragraph(n)) for n in ("red", "blue")]
    assert filled_by(plain, {"a": "<i>x</i>"}) is None
    escaped: Examples = [*plain, ({"a": "a<b"}, paragraph("a&lt;b"))]
    assert filled_by(escaped, {"a": "<i>x</i>"}) == paragraph("&lt;i&gt;x&lt;/i&gt;")
    taken: Examples = [*plain, ({"a": "a<u>b</u>"}, paragraph("a<u>b</u>"))]
    assert filled_by(taken, {"a": "<i>x</i>"}) == paragraph("<i>x</i>")


def test_of_a_list_that_is_cut_as_many_are_shown() -> None:
    """And where no list was longer than what was shown, any number is."""

    def rows(some: list[str]) -> str:
        return "".join(f"<i>{one}</i>" for one in some)

    cut: Examples = [({"a": WORDS[n:]}, paragraph(rows(WORDS[n:][:3]))) for n in (0, 2)]
    assert filled_by(cut, {"a": WORDS[4:]}) == paragraph(rows(WORDS[4:7]))
    whole: Examples = [({"a": WORDS[n:]}, paragraph(rows(WORDS[n:]))) for n in (3, 6)]
    assert filled_by(whole, {"a": WORDS}) == paragraph(rows(WORDS))


@pytest.mark.parametrize("text", ["from elsewhere", "Saturday", "1/2"])
def test_what_the_state_does_not_hold_is_not_explained(text: str) -> None:
    """A text that scripts compute, or ask a server for, and that differs."""
    with pytest.raises(Unexplained):
        learn([({"a": 1}, paragraph(text)), ({"a": 2}, paragraph("another"))])


def test_a_page_that_takes_too_long_is_not_explained() -> None:
    """Many equal elements beside many lists: tried in all ways it would take hours."""
    state = {"a": [[str(n)] * 3 for n in range(900)]}
    page = paragraph("".join(f"<i>{n % 7}</i>" for n in range(2_000)))
    with pytest.raises(Unexplained):
        learn([(state, page), (state, page.replace("<i>3</i>", "<i>x</i>", 1))])


def test_a_page_of_which_a_list_makes_too_much_is_not_filled() -> None:
    """Lists within lists make a page of any size of a small state."""
    inner = ["each", [0, "a"], [["text", [["word"]], False]], None, "", 2, 0]
    items = [["each", [0, "a"], [inner], None, "", 2, 0]]
    assert fill(items, {"a": [1, 2]}) == "<!doctype html>wordwordwordword"
    with pytest.raises(Unfilled):
        fill(items, {"a": [1] * 5_000})


def test_a_guard_knows_states_by_what_scripts_may_look_at() -> None:
    """Keys, sorts, lengths, and values that name kinds; not those that each page has of its own."""
    states = [
        {"id": n, "kind": kind, "note": None, "tags": ["x"] * n, "site": "S", "author": "Ada"}
        for n, kind in enumerate(("news", "blog", "news"), 1)
    ]
    guard = Guard()
    for state in states:
        guard.widen(state)
    shows = frozenset({"\nauthor"})
    like = {**states[0], "id": 9, "author": "Bob"}
    assert guard.admits(like, shows)
    for other in (
        {**like, "note": "new"},
        {**like, "kind": "film"},
        {**like, "site": "T"},
        {**like, "tags": ["x"] * 4},
        {**like, "tags": []},
        {**like, "more": 1},
        {key: value for key, value in like.items() if key != "note"},
    ):
        assert not guard.admits(other, shows), other
    assert not guard.admits(like, frozenset())


def test_the_paths_that_a_filling_shows_are_known() -> None:
    """Those of texts, attributes and HTML, with a star for the places of lists."""
    items = learn([(post(n), shown(post(n))) for n in range(8)])
    paths = {path.replace("\n", ".") for path in shown_paths(items)}
    assert {".post.title", ".post.slug", ".post.body", ".post.tags.*", ".post.notes.*.by"} <= paths
    assert ".post.notes.*.pinned" not in paths


def test_what_is_not_explained_is_left_to_a_browser() -> None:
    """Pages that show what scripts compute do not keep the others from being filled."""

    def shows(state: State) -> str:
        note = f"<b>{state['note'][::-1]}</b>" if state["note"] else ""
        return paragraph(f"{state['a']}{note}")

    states = [{"a": f"{word} {n}", "note": word * (n % 3 == 0)} for n, word in enumerate(WORDS)]
    items = learn([(state, shows(state)) for state in states])
    assert fill(items, {"a": "grey", "note": ""}) == paragraph("grey")
    with pytest.raises(Unexplained):
        fill(items, {"a": "grey", "note": "dark"})


def test_a_page_of_another_status_shows_other_things() -> None:
    """Where all that is left is other, each kind is explained by itself."""

    def shows(state: State) -> str:
        if state["status"] == "draft":
            return paragraph(f"{state['a']}</p><p class=draft>Come back later.")
        lead = f"<p class=lead>{state['lead']}</p>" if state["lead"] else ""
        return paragraph(f"{state['a']}</p>{lead}<p class=by>{state['by']}</p><p>Bye")

    states = [
        {
            "a": f"{word} {n}",
            "by": WORDS[-n],
            "lead": n % 2 * f"on {word}",
            "status": "draft" if n % 4 > 1 else "live",
        }
        for n, word in enumerate(WORDS)
    ]
    items = learn([(state, shows(state)) for state in states])
    for state in (
        {"a": "grey", "by": "Ada", "lead": lead, "status": status}
        for lead in ("", "new")
        for status in ("draft", "live")
    ):
        assert same(fill(items, state), shows(state)), state


def test_what_parts_pages_by_chance_is_no_reason() -> None:
    """With few examples any value may: nothing is filled by it."""
    examples: Examples = [
        ({"a": word, "x": n > 2}, paragraph(word + "<b>new</b>" * (n > 2)))
        for n, word in enumerate(WORDS[:5])
    ]
    for x in (True, False):
        assert filled_by(examples, {"a": "grey", "x": x}) is None


def test_the_only_key_of_an_object_may_be_of_each_page_its_own() -> None:
    """As the address that its data was asked from."""
    examples: Examples = [({"data": {f"/{n}": {"a": n}}}, paragraph(n)) for n in WORDS[:2]]
    assert filled_by(examples, {"data": {"/x": {"a": "grey"}}}) == paragraph("grey")
    guard = Guard()
    for state, _ in examples:
        guard.widen(state)
    assert guard.admits({"data": {"/x": {"a": "grey"}}}, frozenset())
    assert not guard.admits({"data": {"/x": {"a": "grey"}, "/y": {"a": "teal"}}}, frozenset())


def test_a_value_that_one_page_had_is_not_known() -> None:
    """What that page shows may have other reasons."""
    guard = Guard()
    kinds = ("news", "news", "blog", "blog", "film")
    for kind in kinds:
        guard.widen({"kind": kind})
    assert [guard.admits({"kind": kind}, frozenset()) for kind in ("news", "film")] == [True, False]
