"""The trap rule: endless sites get bounded effort, finite ones are crawled whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from support.sampling import sample
from support.trap_web import (
    Page,
    Site,
    archive,
    broken,
    comics,
    deeper,
    deeper_and_new,
    empty_calendar,
    endless_prose,
    facets,
    forum,
    handbooks,
    mirror,
    monthly,
    session_queries,
    sessions,
    soft_404,
    versions,
    wild,
)
from support.trap_worlds import TrapWorld
from support.worlds import record

from crawler.frontier import released

ENDLESS: Mapping[str, tuple[str, Site, str]] = {
    "empty calendar": ("http://t.test/cal/2031/1", empty_calendar, "t.test/cal/#/"),
    "calendar of near duplicates": (
        "http://t.test/cal.php?view=month&m=1", monthly, "t.test/cal.php?m&view"),
    "ever deeper": ("http://t.test/red/", deeper, "t.test/red/"),
    "ever deeper with new texts": ("http://t.test/left/", deeper_and_new, "t.test/left/"),
    "session in the path": ("http://t.test/s/ab12/page-0", sessions, "t.test/s/#/page-#"),
    "session in the query": ("http://t.test/page-0?sid=1", session_queries, "t.test/page-#?sid"),
    "facets": ("http://t.test/goods?f0=0", facets, "t.test/goods?f#"),
    "soft 404": ("http://t.test/x", soft_404, "t.test/"),
}  # fmt: skip
"""Name -> seed, site, the subtree that is cut."""

FINITE: Mapping[str, tuple[str, Site, int]] = {
    "diary": ("http://n.test/2020/1/1", partial(archive, days=600), 638),
    "two versions": ("http://n.test/docs/v0/0", partial(versions, pages=300), 600),
    "five versions": ("http://n.test/docs/v0/0", partial(versions, pages=300, of=5), 1500),
    "many versions with contents": ("http://n.test/docs/v0/0", partial(handbooks, pages=30), 600),
    "forum with print versions": ("http://n.test/thread?page=1", partial(forum, pages=500), 999),
    "comics of a few words": ("http://n.test/1/", partial(comics, pages=750), 751),
    "dead links": ("http://n.test/", partial(broken, pages=200), 1201),
}
"""Name -> seed, site, all its URLs."""


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_site_gets_bounded_effort(name: str) -> None:
    """At most 500 of its pages are fetched, and what is cut is the place where they come from."""
    seed, site, cut = ENDLESS[name]
    w = TrapWorld({"t.test": site})
    w.crawl(seed)
    assert len(w.fetched) <= 500
    assert w.cuts == [cut]
    assert w.frontier.pending == len(w.pending) > 0


def test_endless_subdomains_get_bounded_effort() -> None:
    """A page under any host name costs the whole domain no more than one site."""
    w = TrapWorld({"*.wild.test": wild})
    w.crawl("http://w0.wild.test/?n=0")
    assert len(w.fetched) <= 500
    assert w.cuts == ["*.wild.test"]


@pytest.mark.parametrize("name", FINITE)
def test_a_finite_site_is_crawled_whole(name: str) -> None:
    """However much of it is duplicates, short or dead, nothing of it is cut."""
    seed, site, size = FINITE[name]
    w = TrapWorld({"n.test": site})
    w.crawl(seed)
    assert len(w.fetched) == size
    assert w.frontier.pending == 0
    assert w.cuts == []


def test_a_mirror_on_another_host_is_crawled_whole() -> None:
    """A chain of five hundred copies, each leading to the next only, is no trap."""
    w = TrapWorld(dict.fromkeys(("n.test", "m.test"), partial(mirror, pages=500)))
    w.crawl("http://n.test/m-0", "http://m.test/m-0")
    assert len(w.fetched) == 1002
    assert w.cuts == []


@pytest.mark.parametrize("name", sample([*ENDLESS][::-1], 4))
def test_neighbours_on_the_same_host_are_spared(name: str) -> None:
    """Beside a trap, a forum and a diary of the same host are crawled whole."""
    seed, trap, _ = ENDLESS[name]
    w = TrapWorld({"t.test": partial(neighbours, trap)})
    w.crawl(seed, "http://t.test/thread?page=1", "http://t.test/2020/1/1")
    fetched = {task.url for task in w.fetched}
    assert sum("thread" in url for url in fetched) == 599
    assert sum("t.test/20" in url for url in fetched) == 232
    # A soft 404 has no place of its own: its host may cost as much again as it brought.
    assert len(w.fetched) - 599 - 232 <= (1000 if name == "soft 404" else 500)
    assert w.cuts


def neighbours(trap: Site, path: str) -> Page | None:
    """A trap, a forum and a diary behind one host name."""
    if path.startswith("/thread"):
        return forum(path, pages=300)
    return archive(path, days=200) if path.startswith("/20") else trap(path)


def test_without_the_rule_nothing_changes() -> None:
    """Turned off, the rule holds nothing back and keeps no account."""
    seed, site, _ = ENDLESS["session in the path"]
    w = TrapWorld({"t.test": site}, {"enabled": False}, most=600)
    w.crawl(seed)
    assert len(w.fetched) == 600
    assert w.frontier.learning.state() == {}


def test_endless_new_text_is_not_cut() -> None:
    """Pages that are all new are no trap by what they say: the documented limit of the rule."""
    w = TrapWorld({"t.test": endless_prose}, most=1_000)
    w.crawl("http://t.test/x")
    assert len(w.fetched) == 1_000
    assert w.cuts == []


def test_a_domain_of_endless_hosts_is_cut_in_the_end() -> None:
    """Each host is cut by itself, and after some of them their domain."""

    def host(path: str) -> Page:
        n = int(path.rpartition("=")[2] or 0)
        on = (f"/cal?m={n + 1}", f"http://h{n + 1}.many.test/cal?m={1000 * n}")
        return Page(f"month {n % 3}", "", on if n % 10 == 0 else on[:1])

    w = TrapWorld({"*.many.test": host}, {"budget": 20}, most=5_000)
    w.crawl("http://h0.many.test/cal?m=0")
    assert "*.many.test" in w.cuts
    assert len(w.fetched) < 1_000


def test_a_cut_outlives_the_run_until_it_is_released() -> None:
    """A resumed crawl fetches nothing of what was cut; released, it goes on there for good."""
    seed, site, cut = ENDLESS["calendar of near duplicates"]
    first = TrapWorld({"t.test": site})
    first.crawl(seed)
    state = first.frontier.learning.state()
    assert len(resumed(first, site, state).fetched) == 0
    free, names = released(state, "t.test/cal")
    assert names == [cut]
    again = resumed(first, site, free)
    assert len(again.fetched) == 700
    assert again.cuts == []
    off = resumed(first, site, state, enabled=False)
    assert len(off.fetched) == 700


def resumed(before: TrapWorld, site: Site, state: Mapping[str, Any], **traps: object) -> TrapWorld:
    """Crawl on from where a world stands."""
    w = TrapWorld({"t.test": site}, traps, state, most=700)
    w.frontier.next_url_id = 10_000
    w.pending, w.originals = dict(before.pending), dict(before.originals)
    for task in (*before.fetched, *before.pending.values()):
        w.frontier.seen.add(task.url)
    w.frontier.restore("t.test", len(w.pending), answered=True)
    w.crawl()
    return w


def test_what_lies_in_a_released_subtree_speaks_against_no_other() -> None:
    """Going on with a released calendar for ever does not cut its host."""
    state = {"t.test": [record("t.test/cal/", "released")]}
    w = TrapWorld({"t.test": empty_calendar}, state=state, most=1_000)
    w.crawl("http://t.test/cal/2031/1")
    assert len(w.fetched) == 1_000
    assert w.cuts == []
