"""What learning about URLs is worth: made sites, replay, and the figures of a crawl."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import cache, partial
from html import unescape
from pathlib import Path

import pytest

from benchmarks.learning.__main__ import crawled, figures
from benchmarks.learning.made import MADE, Made, forms, hidden, mirror
from benchmarks.learning.measures import Walk, area, at, page_lines, texts
from benchmarks.learning.replaying import Answer, Recorded, Replay, asked, replaying
from benchmarks.learning.rivals import RIVALS, Miqps, Page, StaticList, foreseen, graph, walk
from benchmarks.learning.sites import Stage

SMALL = 12
"""Articles of the sites here."""


def linked(made: Made) -> set[str]:
    """Return all URLs that a made site's pages link to."""
    bodies = (answer.body.decode() for answer in made.answers.values())
    return {unescape(url) for body in bodies for url in re.findall(r'href="([^"]+)"', body)}


@pytest.mark.parametrize(
    "make",
    [
        partial(forms, number=SMALL, most=60),
        partial(mirror, number=SMALL),
        partial(hidden, 4, alike=True, number=SMALL),
        partial(hidden, 4, alike=False, number=SMALL),
    ],
)
def test_a_made_site_is_closed_and_always_the_same(make: Callable[[], Made]) -> None:
    """All that it links to is there, its seed is, and it is equal when made again."""
    made = make()
    assert {made.seed, *linked(made)} <= set(made.answers)
    assert make() == made


def test_forms_of_a_url_have_the_same_text() -> None:
    """Though there are several times as many addresses, there are as many texts as articles."""
    made = forms(number=SMALL, most=60)
    read = texts(made.answers)
    assert len(read) > 4 * SMALL
    articles = {frozenset(lines) for url, lines in read.items() if url != made.seed}
    mains = {line for lines in articles for line in lines}
    walk = Walk(list(read), read, frozenset(read))
    assert len([lines for lines in walk.brought if lines]) <= SMALL + 1
    assert walk.new_lines[-1] >= len(mains)


def test_a_mirror_differs_in_so_many_pages() -> None:
    """Of each page that is not as on the first host one line stands nowhere else."""
    read = texts(mirror(number=SMALL, different=3).answers)
    only = {line for lines in read.values() for line in lines if line.startswith("Only here")}
    assert len(only) == 3


@pytest.mark.parametrize("alike", [True, False])
def test_hidden_pages_are_reached_by_the_parameter_alone(alike: bool) -> None:
    """Each has text of its own, at an address whose value is a digit as others have, or is not."""
    made = hidden(4, alike=alike, number=SMALL)
    read = texts(made.answers)
    secret = [u for u, lines in read.items() if any("nowhere else" in line for line in lines)]
    assert len(secret) == 4
    assert set(secret) <= linked(made)
    assert all(bool(re.search(r"\?ref=\d$", url)) == alike for url in secret)


def test_all_made_sites_have_a_name() -> None:
    """Their names tell how many pages are hidden, and how these look."""
    assert set(MADE) == {"forms", "mirror"} | {
        f"hidden-{pages}-{look}" for pages in (1, 4, 40) for look in ("alike", "other")
    }


def test_a_line_is_what_stands_in_a_block() -> None:
    """Inline markup does not end a line, blocks and breaks do; scripts and heads have none."""
    html = (
        b"<title>a title of some length</title><script>var of_some_length = 1</script>"
        b"<p>one line <b>of a</b> paragraph<br>another line of it<p>short"
        b"<pre>first line of code\nsecond line of code</pre>text after the code"
    )
    found = page_lines("http://a.test/", html)
    assert sorted(found) == [
        "another line of it",
        "first line of code",
        "one line of a paragraph",
        "second line of code",
        "text after the code",
    ]


def test_a_pages_own_parameters_and_its_time_are_no_lines() -> None:
    """A line that shows a value of the query is as without it; what changes is no line."""

    def page(said: str) -> Answer:
        return Answer(200, (("Content-Type", "text/html"),), f"<p>{said}".encode())

    asked_with = {
        "http://a.test/?id=0123": page("the page of id 0123 is this<p>the view is full of it"),
        "http://a.test/?id=4567": page("the page of id 4567 is this<p>the view is full of it"),
        "http://a.test/?view=full": page("the view is full of it"),
    }
    lines = frozenset({"the page of id is this", "the view is full of it"})
    assert texts(asked_with) == {
        "http://a.test/?id=0123": lines,
        "http://a.test/?id=4567": lines,
        "http://a.test/?view=full": {"the view is full of it"},
    }
    site = {
        "http://a.test/1": page("made at 10:11:12 by it<p>the text of page one"),
        "http://a.test/2": page("made at 9:09:09 by it<p>the text of page two"),
    }
    again = {"http://a.test/1": page("made at 10:11:13 by it<p>the text of page one")}
    assert texts(site, again) == {
        "http://a.test/1": {"the text of page one"},
        "http://a.test/2": {"the text of page two"},
    }


def test_what_asks_not_to_be_indexed_is_no_page() -> None:
    """By its markup or by its header; an error is none either, nor is robots.txt."""
    html, plain = (("Content-Type", "text/html"),), (("Content-Type", "text/plain"),)
    said = b"<p>a line of the page that says so"
    site = {
        "http://a.test/": Answer(200, html, said),
        "http://a.test/meta": Answer(200, html, b'<meta name=robots content="NoIndex">' + said),
        "http://a.test/head": Answer(200, (*html, ("X-Robots-Tag", "noindex")), said),
        "http://a.test/lost": Answer(404, html, said),
        "http://a.test/file": Answer(200, plain, b"a line of a file"),
        "http://a.test/robots.txt": Answer(200, plain, b"Disallow: /all-of-it"),
    }
    assert set(texts(site)) == {"http://a.test/", "http://a.test/file"}


READ = {
    "a": frozenset({"one", "two"}),
    "b": frozenset({"two"}),
    "c": frozenset({"three"}),
    "d": frozenset({"one", "three"}),
}


def test_figures_of_a_walk() -> None:
    """New texts count once and where they were stored; what brought nothing could be avoided."""
    base = Walk(["a", "b", "x", "c", "d"], READ, frozenset("abc"))
    assert base.brought == [2, 0, 0, 1, 0]
    assert base.new_texts == [1, 1, 1, 2, 2]
    assert base.avoidable == 3
    assert base.put_off() == 1
    assert not base.missed()
    better = Walk(["a", "c", "b", "x", "d"], READ, frozenset("abc"))
    told = figures(better, base)
    assert told.area_texts == pytest.approx((1 + 2 + 2 + 2 + 2) / (1 + 1 + 1 + 2 + 2))
    assert told.area_at_most == told.area_texts
    assert told.after_nearly == told.after_all == told.avoidable == 3
    assert told.missed == 0
    assert figures(Walk(["a", "b"], READ, frozenset("ab")), base).missed == 1
    assert figures(base, Walk(["a", "b"], READ, frozenset("ab"))).missed == 0
    assert Walk(["a", "b"], READ, frozenset()).missed() == {"three"}
    assert Walk(["a", "b"], READ, frozenset()).new_texts == [0, 0]
    assert Walk(["a", "b", "c"], READ, frozenset("bc")).dropped() == {"one"}


def test_a_curve_stays_as_it_ended() -> None:
    """A crawl that ended early has all its texts from then on."""
    assert [at([1, 3], n) for n in (0, 1, 2, 5)] == [0, 1, 3, 3]
    assert area([1, 3], 4) == 1 + 3 + 3 + 3


def test_a_replay_answers_what_was_recorded_and_counts() -> None:
    """What it has is sent as it was, what it has not is a 404; all is told in order."""
    page = Answer(200, (("Content-Type", "text/html"), ("Content-Length", "9")), b"<p>A")
    replay = Replay({"http://a.test/": page})
    assert replay.get("http://a.test/").endswith(b"Content-Length: 4\r\n\r\n<p>A")
    assert replay.get("http://a.test/no").startswith(b"HTTP/1.1 404")

    async def served() -> list[str]:
        async with replaying(lambda: {"http://a.test/": page}) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for target, host in (("http://a.test/", "x"), ("/no", "a.test")):
                writer.write(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                await reader.readuntil(b"\r\n\r\n")
            writer.close()
            return await asyncio.to_thread(asked, port)

    assert asyncio.run(served()) == ["http://a.test/", "http://a.test/no"]


def test_a_crawl_is_kept_to_what_was_recorded(tmp_path: Path) -> None:
    """The filter admits the URLs of its file alone."""
    listed = tmp_path / "urls.txt"
    listed.write_text("http://a.test/\n", encoding="utf-8")
    recorded = Recorded(str(listed))
    assert recorded.admits("http://a.test/", 1, "")
    assert not recorded.admits("http://a.test/no", 1, "")


def test_a_made_site_is_crawled_whole() -> None:
    """The real crawler asks for all that is linked, by the proxy, and no line is missed."""
    made = hidden(2, alike=True, number=SMALL)
    site = Stage("hidden", [made.seed], made.answers)
    run = crawled(site, texts(made.answers), {})
    assert set(run.walk.urls) == {made.seed, *linked(made)}
    assert not run.absent
    assert not run.walk.missed()
    told = figures(run.walk, run.walk)
    assert told.area_texts == told.area_lines == 1


def test_a_walk_that_foresees_has_what_brings_nothing_last() -> None:
    """It fetches all that the other does, the pages with new lines first, by the shortest way."""
    made = hidden(2, alike=True, number=SMALL)
    read = texts(made.answers)
    pages = graph(Stage("hidden", [made.seed], made.answers), read)
    plain = Walk(walk([made.seed], pages, RIVALS["canonical"]()), read, frozenset(read))
    best = Walk(foreseen([made.seed], pages), read, frozenset(read))
    assert sorted(best.urls) == sorted(plain.urls)
    assert best.put_off() == best.avoidable == plain.avoidable > 0
    leads = {"a": "bc", "b": "d", "c": "e", "d": "f", "e": "", "f": ""}
    there = {url: Page([*to], None, frozenset(url * (url in "aef"))) for url, to in leads.items()}
    assert foreseen("a", there) == [*"acebdf"]


class Many:
    """A site whose pages have nine addresses each, and what rivals fetch of it."""

    def __init__(self) -> None:
        self.made = forms(number=SMALL, most=600)
        self.read = texts(self.made.answers)
        self.pages = graph(Stage("forms", [self.made.seed], self.made.answers), self.read)

    @cache  # noqa: B019 (there is one)
    def fetched(self, rival: str) -> list[str]:
        """Return the URLs that a rival fetches, in their order."""
        return walk([self.made.seed], self.pages, RIVALS[rival]())


@pytest.fixture(scope="module")
def many() -> Many:
    """Such a site."""
    return Many()


@pytest.mark.parametrize("rival", RIVALS)
def test_a_rival_fetches_no_url_twice_and_none_that_is_not_linked(rival: str, many: Many) -> None:
    """Whatever it leaves out, what it fetches are URLs of the site, the seed first."""
    fetched = many.fetched(rival)
    assert fetched[0] == many.made.seed
    assert len(set(fetched)) == len(fetched)
    assert set(fetched) <= set(many.made.answers)


@pytest.mark.parametrize("rival", ["DustBuster", "DUSTER", "MIQPS"])
def test_a_rival_that_learns_leaves_out_forms_and_no_text(rival: str, many: Many) -> None:
    """It fetches fewer than there are, and misses no line."""
    gone = Walk(many.fetched(rival), many.read, frozenset(many.read))
    assert len(gone.urls) < len(many.pages)
    assert not gone.missed()


def test_a_list_of_parameters_does_not_know_the_site() -> None:
    """It takes two URLs for one that differ in a session, or in the order of parameters."""
    key = StaticList().key
    assert key("http://a.test/?sid=1&a=2&b=3") == key("http://a.test/?b=3&a=2")
    assert key("http://a.test/?a=2") != key("http://a.test/?a=3")


def test_a_parameter_is_dropped_once_enough_pages_show_that_it_means_nothing() -> None:
    """One sample in twenty may differ; `id`, whose pages differ, stays."""
    rival = Miqps()
    for n in range(20):
        lines = frozenset({f"the text of page {n}"})
        for tab in range(3):
            rival.pages[f"http://a.test/?id={n}&tab={tab}"] = Page([], None, lines)
    rival.train()
    assert rival.key("http://a.test/?id=7&tab=9") == rival.key("http://a.test/?tab=1&id=7")
    assert rival.key("http://a.test/?id=7&tab=9") != rival.key("http://a.test/?id=8&tab=9")
