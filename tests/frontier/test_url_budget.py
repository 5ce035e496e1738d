"""What pages pay for long URLs: in proportion to what they sent, and no more than a domain has."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from support.worlds import job

from crawler.frontier import Frontier, Refusal, UrlBudget
from crawler.frontier.seen import BYTES_A_BYTE, ORDINARY_LENGTH, cost_of
from crawler.models import FetchTask, NewUrl, SentUrl

PAGE = FetchTask(1, "http://a.test/page", "a.test", depth=0)
LONG = f"http://a.test/{'x' * 1_000}/"
COST = cost_of(f"{LONG}00", PAGE)


def frontier(limit: int | None, drawn: dict[str, int] | None = None) -> Frontier:
    """Return a frontier in which a domain may draw so much."""
    return Frontier(job(frontier={"long_url_bytes": limit}), drawn=drawn)


def offered(f: Frontier, budget: UrlBudget | None, *urls: str) -> list[NewUrl | SentUrl | str]:
    """Return the answers to links of PAGE."""
    return [f.offer(url, depth=1, via=PAGE, budget=budget) for url in urls]


def long_urls(number: int, host: str = "a.test") -> list[str]:
    """Return different long URLs, all of the same length."""
    return [f"{LONG.replace('a.test', host)}{n:02}" for n in range(number)]


def test_ordinary_urls_cost_nothing() -> None:
    """A page that sent nothing, of a domain that has nothing left, may lead to any number."""
    f = frontier(0)
    paying = f.url_budget(PAGE, 0)
    urls = [f"http://a.test/{n}/{'x' * 80}" for n in range(2_000)]
    assert max(map(len, urls)) + len(PAGE.url) <= 2 * ORDINARY_LENGTH
    assert all(isinstance(new, NewUrl) for new in offered(f, paying, *urls))
    assert paying is not None
    assert (paying.drawn, paying.refused) == (0, 0)


def test_a_page_pays_with_what_it_sent_and_then_with_what_its_domain_has() -> None:
    """Beyond both, long links are refused, ordinary ones are not, and the refused are counted."""
    f = frontier(3 * COST)
    paying = f.url_budget(PAGE, 2 * COST // BYTES_A_BYTE + 1)
    answers = offered(f, paying, *long_urls(8), "http://a.test/short")
    assert [isinstance(answer, NewUrl) for answer in answers] == [True] * 5 + [False] * 3 + [True]
    assert set(answers[5:8]) == {Refusal.OVER_BUDGET}
    assert paying is not None
    assert paying.refused == 3
    assert 2 * COST < paying.drawn <= 3 * COST


def test_hosts_and_ports_of_a_domain_share_what_it_has() -> None:
    """What costs an attacker nothing brings no more; another domain is not concerned."""
    drawn = Counter[str]()
    assert UrlBudget("one.a.test", 0, drawn, 100).pay(100)
    for host in ("two.a.test", "a.test:81", "one.a.test:8080"):
        assert not UrlBudget(host, 0, drawn, 100).pay(1)
    assert UrlBudget("b.test", 0, drawn, 100).pay(100)


def test_a_neighbour_of_an_attacker_has_what_its_pages_send() -> None:
    """Where its domain has nothing left, a page of 10 KB leads to a hundred links of a kilobyte."""
    paying = UrlBudget("good.a.test", 10_000, Counter({"a.test": 1_000}), 1_000)
    assert all(paying.pay(1_000) for _ in range(100))


def test_the_page_pays_and_not_the_host_that_it_leads_to() -> None:
    """An attacker who leads to a victim again and again costs the victim nothing."""
    f = frontier(0)
    assert set(offered(f, f.url_budget(PAGE, 0), *long_urls(3, "victim.test"))) == {
        Refusal.OVER_BUDGET
    }
    own = FetchTask(2, "http://victim.test/", "victim.test", depth=0)
    paying = f.url_budget(own, 1_000)
    assert isinstance(
        f.offer(long_urls(1, "victim.test")[0], depth=1, via=own, budget=paying), NewUrl
    )


def test_a_long_page_pays_for_itself_beside_every_link() -> None:
    """The line of each of its links would hold its URL."""
    page = FetchTask(1, LONG, "a.test", depth=0)
    f = frontier(0)
    paying = f.url_budget(page, 0)
    answer = f.offer("http://a.test/short", depth=1, via=page, budget=paying)
    assert answer is Refusal.OVER_BUDGET


def test_what_was_refused_is_not_seen_and_what_was_seen_costs_nothing() -> None:
    """Another page may lead there and pay; a third one that leads there pays nothing."""
    f = frontier(0)
    [url] = long_urls(1)
    assert offered(f, f.url_budget(PAGE, 0), url) == [Refusal.OVER_BUDGET]
    assert len(f.seen) == 0
    [new] = offered(f, f.url_budget(PAGE, COST), url)
    assert isinstance(new, NewUrl)
    poor = f.url_budget(PAGE, 0)
    assert offered(f, poor, url) == [Refusal.SEEN]
    assert poor is not None
    assert poor.refused == 0


def test_seeds_and_redirects_pay_nothing_and_none_means_no_limit() -> None:
    """A redirect sends as many bytes as it leads to; a job may have no limit."""
    [url, other] = long_urls(2)
    f = frontier(0)
    assert isinstance(f.offer(url, depth=0, seed=True), NewUrl)
    assert isinstance(f.offer(other, depth=0, hops=1, via=PAGE), NewUrl)
    free = frontier(None)
    assert free.url_budget(PAGE, 0) is None
    assert all(isinstance(a, NewUrl) for a in offered(free, None, *long_urls(50)))


def test_what_was_drawn_in_an_earlier_run_is_gone() -> None:
    """A resume begins with what the domain had left."""
    f = frontier(5 * COST, {"a.test": 4 * COST})
    answers = offered(f, f.url_budget(PAGE, 0), *long_urls(3))
    assert [isinstance(answer, NewUrl) for answer in answers] == [True, False, False]


@given(
    pages=st.lists(st.tuples(st.integers(0, 50), st.lists(st.integers(0, 2_000), max_size=20))),
    limit=st.integers(0, 5_000),
)
def test_no_domain_gets_more_than_it_sent_and_has(
    pages: list[tuple[int, list[int]]], limit: int
) -> None:
    """Whatever the pages ask for, in whatever order: sixteen for each byte, and once the limit."""
    drawn, paid = Counter[str](), 0
    for sent, costs in pages:
        paying = UrlBudget("a.test", sent, drawn, limit)
        paid += sum(cost for cost in costs if paying.pay(cost))
        assert paying.refused <= len(costs)
    assert paid <= BYTES_A_BYTE * sum(sent for sent, _ in pages) + limit
