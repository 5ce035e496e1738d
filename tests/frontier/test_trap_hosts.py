"""A cut of a whole domain holds back who brought nothing, and nobody else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from support.trap_web import (
    Page,
    Site,
    archive,
    comics,
    deeper,
    endless_prose,
    monthly,
    wild,
    words,
)
from support.trap_worlds import TrapWorld
from support.worlds import cutting, record

from crawler.frontier.traps import (
    FREED_AT_ONCE,
    MAX_HOSTS,
    PROBATION,
    Novelty,
    Subtrees,
)
from crawler.models import FetchTask
from crawler.urls import hostname

LETTERS = "abcdefghijklmn"
EVIL: Mapping[str, Site] = {f"evil-{letter}.blogs.test": deeper for letter in LETTERS}
"""Fourteen endless hosts."""
CUT = {"blogs.test": [record("*.blogs.test", "cut")]}
"""The state of a rule that has cut the domain, and knows none of its hosts."""


BLOG = "/2020/1/1"
BLOG_URLS = 29
"""Twenty days, eight that are linked and not there, and the index of a month."""


def used_up(alone: float, spoken_for: float = 0.0) -> dict[str, list[dict[str, Any]]]:
    """Return the state of a rule that has cut the domain, after so many fruitless tries."""
    hosts = {"counts": [], "spoken_for": {}, "debts": [alone, spoken_for]}
    return {"blogs.test": [{**record("*.blogs.test", "cut"), "hosts": hosts}]}


def blog(host: str) -> Site:
    """Return a diary of twenty days, from one to the next, unlike that of any other host."""

    def site(path: str) -> Page | None:
        page = archive(path, days=20)
        return page and Page(host + page.about, words(host + page.text), page.links)

    return site


def fetched(w: TrapWorld) -> Counter[str]:
    """Count the fetched URLs by host name."""
    return Counter(hostname(task.host) for task in w.fetched)


def portal(path: str, to: tuple[str, ...], late: int = 0) -> Page | None:
    """New pages from one to the next, of which the `late`th leads elsewhere."""
    n = int(path.strip("/") or 0)
    links = (f"/{n + 1}", *(to if n == late else ()))
    return Page(path, words(f"portal{path}{to}"), links) if n <= late else None


def test_all_ports_of_a_host_are_one_host() -> None:
    """An endless host on fourteen ports is cut as one, at its usual cost, and its domain is not."""
    ports = [f"evil.blogs.test:{8000 + n}" for n in range(14)]
    w = TrapWorld({**dict.fromkeys(ports, monthly), "good.blogs.test": blog("good")})
    seeds = [f"http://{port}/cal.php?view=month&m=1" for port in ports]
    w.crawl(*seeds, f"http://good.blogs.test{BLOG}")
    assert w.cuts == ["evil.blogs.test/cal.php?m&view"]
    assert fetched(w)["good.blogs.test"] == BLOG_URLS
    assert fetched(w)["evil.blogs.test"] <= 500


def test_hosts_that_brought_something_go_on() -> None:
    """Beside fourteen endless hosts, for which their domain is cut, three diaries stay whole."""
    blogs = [f"{name}.blogs.test" for name in ("ann", "bob", "cat")]
    w = TrapWorld({**EVIL, **{host: blog(host) for host in blogs}}, {"budget": 40})
    w.crawl(*(f"http://{host}/red/" for host in EVIL), *(f"http://{b}{BLOG}" for b in blogs))
    assert "*.blogs.test" in w.cuts
    assert {fetched(w)[host] for host in blogs} == {BLOG_URLS}


@pytest.mark.parametrize("place", ["www.blogs.test", "elsewhere.test"])
@pytest.mark.parametrize("first", [False, True])
def test_hosts_that_others_lead_to_get_their_chance(place: str, first: bool) -> None:
    """Found after the cut, by a good host or another domain, be it that an endless one was first.

    Those who were first to lead there are of no account.
    """
    blogs = [f"{words(str(n), 1)}.blogs.test" for n in range(FREED_AT_ONCE + 8)]
    urls = tuple(f"http://{host}{BLOG}" for host in blogs)

    def endless(path: str) -> Page:
        page = deeper(path)
        poisoned = first and path.count("/") == 8
        return Page(page.about, page.text, (*page.links, *urls)) if poisoned else page

    sites = {**dict.fromkeys(EVIL, endless), **{host: blog(host) for host in blogs}}
    w = TrapWorld({**sites, place: partial(portal, to=urls, late=90)}, {"budget": 40})
    w.crawl(*(f"http://{host}/red/" for host in EVIL), f"http://{place}/")
    assert "*.blogs.test" in w.cuts
    assert {fetched(w)[host] for host in blogs} == {BLOG_URLS}
    assert sum(fetched(w)[host] for host in EVIL) < 14 * 40


@pytest.mark.parametrize("place", ["www.blogs.test", "elsewhere.test"])
def test_who_leads_to_a_host_first_is_of_no_account(place: str) -> None:
    """An empty host was first, and its kind has no tries left: who leads there later decides.

    Nobody waits for the end of the crawl, which does not come.
    """
    sites: dict[str, Site] = {f"{word}.blogs.test": blog(word) for word in words("a", 5).split()}
    urls = tuple(f"http://{host}{BLOG}" for host in sites)
    sites["evil.blogs.test"] = lambda path: Page(path, links=urls)
    sites[place] = partial(portal, to=urls, late=5)
    w = TrapWorld({**sites, "prose.test": endless_prose}, state=used_up(1e9), most=600)
    for start in ("http://prose.test/x", "http://evil.blogs.test/a/a/a", f"http://{place}/"):
        w.offer(start, seed=True)
    w.crawl()
    assert {fetched(w)[host] for host in sites} == {BLOG_URLS, 1, 7}


def test_a_seed_in_a_cut_domain_is_crawled() -> None:
    """Whatever tries are used up: somebody asked for it, in this run or a later one."""
    sites = {"ann.blogs.test": blog("ann"), "bob.blogs.test": blog("bob")}
    w = TrapWorld(sites, state=used_up(1e9, 1e9))
    w.offer(f"http://ann.blogs.test{BLOG}", seed=True)
    w.crawl(f"http://bob.blogs.test{BLOG}")
    assert fetched(w) == {"ann.blogs.test": BLOG_URLS}


def test_who_had_to_wait_is_tried_at_last() -> None:
    """Hosts that nobody speaks for have the tries that new pages gave back by the end."""
    hosts = [f"{word}.blogs.test" for word in words("hosts", 12).split()]
    w = TrapWorld({host: blog(host) for host in hosts}, {"budget": 40}, used_up(9.0))
    w.crawl(*(f"http://{host}{BLOG}" for host in hosts))
    assert {fetched(w)[host] for host in hosts} == {BLOG_URLS}
    assert w.frontier.pending == 0


def test_a_front_page_that_is_everywhere_the_same_is_no_proof() -> None:
    """A host is judged by more than its first page."""

    def placeholder(host: str, path: str) -> Page | None:
        return Page("welcome", links=(BLOG,)) if path == "/" else blog(host)(path)

    hosts = [f"{word}.blogs.test" for word in words("hosts", 20).split()]
    sites: dict[str, Site] = {host: partial(placeholder, host) for host in hosts}
    sites["x.test"] = partial(portal, to=tuple(f"//{host}/" for host in hosts))
    w = TrapWorld(sites, state=CUT)
    w.crawl("http://x.test/")
    assert {fetched(w)[host] for host in hosts} == {BLOG_URLS + 1}


@pytest.mark.parametrize("hosts", [1, 1_000])
def test_a_wildcard_costs_a_quarter_of_a_budget_more(hosts: int) -> None:
    """Its hosts share their tries, those under way included: endlessly many get as few."""
    w = TrapWorld(
        {"*.wild.test": wild}, {"budget": 40}, {"wild.test": [record("*.wild.test", "cut")]}
    )
    w.crawl(*(f"http://w{n}.wild.test/?n={n}" for n in range(hosts)))
    assert 10 <= len(w.fetched) <= 10 + 4  # the first page is new, and gives three tries back
    assert w.frontier.pending == len(w.pending) > 0


def test_a_second_domain_that_leads_there_brings_one_budget_more() -> None:
    """Hosts that a stranger leads to are bounded as well, however many there are."""
    to = tuple(f"http://w{n}.wild.test/?n={n}" for n in range(10**6, 10**6 + 500))
    sites: dict[str, Site] = {"*.wild.test": wild, "x.test": partial(portal, to=to)}
    w = TrapWorld(sites, {"budget": 40}, state={"wild.test": [record("*.wild.test", "cut")]})
    w.crawl("http://x.test/")
    assert 40 <= fetched(w).total() - fetched(w)["x.test"] <= 40 + 10 + 8


def cut_domain(budget: int = 200) -> Subtrees:
    """Return what is known of a domain all of which was cut, and none of its hosts."""
    return Subtrees("blogs.test", budget, CUT["blogs.test"])


def task(host: str, path: str = "/") -> FetchTask:
    """Return a task that nobody led to."""
    return FetchTask(1, f"http://{host}{path}", host, 1)


def is_held(domain: Subtrees, host: str, *, seed: bool = False) -> bool:
    """Whether a URL of a host of the domain is held back, which nobody led to."""
    return domain.holder(f"http://{host}/x", host, seed=seed) is not None


def test_a_fruitless_host_of_a_cut_domain_is_held_back() -> None:
    """Four pages tell, a host that brought something is not held back for three of them."""
    domain, ann = cut_domain(), "ann.blogs.test"
    for _ in range(PROBATION - 1):
        domain.count_host(task(ann), Novelty.NOTHING)
    assert domain.is_good(ann) is None
    domain.count_host(task(ann), Novelty.COPY)
    assert domain.is_good(ann) is None
    domain.count_host(task(ann, "/a/a/a"), Novelty.NEW)
    assert domain.is_good(ann) is False
    assert is_held(domain, ann, seed=True)
    for _ in range(2):
        domain.count_host(task(ann), Novelty.NEW)
    assert domain.is_good(ann)
    assert not is_held(domain, ann)


def test_a_trap_on_a_spared_host_is_cut_by_itself() -> None:
    """A host that is good, and goes on for ever later, costs what it does in any domain."""

    def turns(path: str) -> Page | None:
        return comics(path, 60) if path.count("/") == 2 and path != "/61/" else deeper(path)

    w = TrapWorld({"ann.blogs.test": turns, "x.test": partial(portal, to=("//ann.blogs.test/1/",))},
                  {"budget": 40}, state=CUT)  # fmt: skip
    w.crawl("http://x.test/")
    assert any(name.startswith("ann.blogs.test/") for name in w.cuts)
    assert fetched(w)["ann.blogs.test"] < 300


def test_the_memory_of_hosts_is_bounded() -> None:
    """However many hosts a domain has, visited, led to or waiting, so many are remembered."""
    domain = cut_domain()  # only then hosts wait
    for n in range(MAX_HOSTS + 50):
        domain.count_host(task(f"h{n}.blogs.test"), Novelty.NEW)
        domain.hear(f"g{n}.blogs.test", "x.test")
        domain.wait(f"w{n}.blogs.test")
    (kept,) = (record["hosts"] for record in domain.record())
    assert len(kept["counts"]) == len(kept["spoken_for"]) == len(domain._waiting) == MAX_HOSTS
    assert domain.is_good(f"h{MAX_HOSTS + 49}.blogs.test")


def test_a_voice_that_counts_is_not_drowned_out() -> None:
    """Who leads to a host later is of no account once a stranger or a good host does."""
    domain = cut_domain(budget=8)
    assert not domain.hear("ann.blogs.test", "evil.blogs.test")
    assert domain.hear("ann.blogs.test", "x.test")
    assert not domain.hear("ann.blogs.test", "evil.blogs.test")
    assert not is_held(domain, "ann.blogs.test")
    for _ in range(2):
        domain.count_host(task("nobody.blogs.test"), Novelty.NOTHING)
    assert is_held(domain, "bob.blogs.test")
    assert not is_held(domain, "ann.blogs.test")


def test_what_is_known_of_hosts_outlives_the_run() -> None:
    """Good hosts are good in the next run, fruitless ones are not, and used tries are used."""
    rule = cutting(CUT, budget=8)
    known = rule._sites["blogs.test"].subtrees
    for _ in range(PROBATION):
        known.count_host(task("evil.blogs.test"), Novelty.NOTHING)
    known.count_host(task("ann.blogs.test"), Novelty.NEW)
    for n in range(4):
        known.count_host(task(f"w{n}.blogs.test"), None)
    later = cutting(rule.state(), budget=8)
    for one in (rule, later):
        assert one.holder("http://ann.blogs.test/x", "ann.blogs.test") is None
        for host in ("evil.blogs.test", "w9.blogs.test"):
            assert one.holder(f"http://{host}/x", host) is not None
        assert one.holder("http://w9.blogs.test/x", "w9.blogs.test", "http://x.test/") is None
