"""The demo web as a function of its seed: the same everywhere, and as its truth says."""

import os
import random
import re
import subprocess
import sys
from html import unescape

import pytest
from support.asking import ask, digest
from support.paths import TESTS

from crawler.config import parse_job
from crawler.demo import DemoWeb, demo_job
from crawler.demo.articles import Dice
from crawler.demo.hosts import MAX_BODY_BYTES
from crawler.demo.pages import Outcome
from crawler.demo.web import OUTSIDE
from crawler.models import Failure, Skip
from crawler.urls import Canonicaliser

SMALL = 30
_LINK = re.compile(r'(?:href|src)="([^"]*)"|content="0; url=([^"]*)"')
_canonical = Canonicaliser()


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    """A small web."""
    return DemoWeb(seed=5, articles=SMALL)


def links(web: DemoWeb, url: str) -> list[str]:
    """Return where an obedient crawler may go from a URL."""
    answer = ask(web, url)
    if "Location" in answer.headers:
        return [answer.headers["Location"]]
    markup = answer.body.decode("utf-8", "replace")
    if 'content="nofollow"' in markup or answer.headers.get("X-Robots-Tag") == "nofollow":
        return []
    return [unescape(found[1] or found[2]) for found in _LINK.finditer(markup)]


def reached(web: DemoWeb, order: random.Random, limit: int) -> set[str]:
    """Crawl in a random order with every seed first offered; return the URLs met."""
    depths = dict.fromkeys(web.seeds, 0)
    queue = list(web.seeds)
    closed = web.truth.urls(Outcome.SKIPPED, Skip.ROBOTS_UNREACHABLE)
    closed |= web.truth.urls(Outcome.SKIPPED, Skip.ROBOTS)
    while queue:
        url = queue.pop(order.randrange(len(queue)))
        if url in closed:
            continue
        step = int("Location" not in ask(web, url).headers)
        for link in links(web, url):
            target = _canonical(link, url)
            depth = depths[url] + step
            if target and target not in depths and OUTSIDE not in target and depth <= limit:
                depths[target] = depth
                queue.append(target)
    return set(depths)


def test_dice_never_change() -> None:
    """The stream of choices is the one that every machine and Python version makes."""
    dice = Dice(2026, "golden")
    assert [dice.below(1000) for _ in range(6)] == [523, 829, 644, 998, 277, 87]
    assert dice.some("abcdef", 4) == ("c", "f", "e", "b")


def test_same_seed_same_bytes_in_any_process(web: DemoWeb) -> None:
    """A second process with another hash seed makes every body byte for byte again."""
    code = f"import support.asking as a; print(a.digest(a.DemoWeb(seed=5, articles={SMALL})))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=TESTS,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(web)
    assert digest(DemoWeb(seed=6, articles=SMALL)) != digest(web)


def test_answers_do_not_depend_on_the_order_of_requests(web: DemoWeb) -> None:
    """A page asked for last, from a fresh web, is the page that was asked for first."""
    urls = list(web.truth.fates)
    backwards = DemoWeb(seed=5, articles=SMALL)
    bodies = {url: ask(backwards, url).body for url in reversed(urls)}
    assert all(ask(web, url).body == bodies[url] for url in urls)


@pytest.mark.parametrize("order", range(4))
def test_a_crawl_in_any_order_meets_exactly_what_truth_names(web: DemoWeb, order: int) -> None:
    """Whatever the order of fetches, the depth limit leaves the same URLs: those of the truth."""
    limit = parse_job(demo_job(web, "out"), "demo").limits.depth
    assert limit is not None
    met = reached(web, random.Random(order), limit)
    assert met == set(web.truth.fates)


def test_every_behaviour_is_there_at_the_smallest_size(web: DemoWeb) -> None:
    """Even a web of 30 articles has every skip reason and failure it promises."""
    truth = web.truth
    for skip in (Skip.ROBOTS, Skip.ROBOTS_UNREACHABLE, Skip.NOINDEX, Skip.CONTENT_TYPE):
        assert truth.urls(Outcome.SKIPPED, skip), skip
    for failure in (
        *(Failure.HTTP_CLIENT_ERROR, Failure.HTTP_SERVER_ERROR, Failure.DISCONNECTED),
        *(Failure.TRUNCATED, Failure.TIMEOUT_HEADERS, Failure.TIMEOUT_BODY),
        *(Failure.REDIRECT_LOOP, Failure.REDIRECT_INVALID),
    ):
        assert truth.urls(Outcome.FAILED, failure), failure
    statuses = {ask(web, url).status for url in truth.urls(Outcome.REDIRECT)}
    assert statuses == {200, 301, 302, 303, 307, 308}
    assert 220 < len(truth.fates) < 300


def test_articles_scale_the_web() -> None:
    """The default size is some 950 URLs, and the number grows with the articles."""
    assert 900 < len(DemoWeb().truth.fates) < 1500
    assert len(DemoWeb(articles=600).truth.fates) > 1500


def test_bodies_lie_on_the_right_side_of_the_limit(web: DemoWeb) -> None:
    """Pages called too large exceed the job's limit, and no other page comes near it."""
    large = web.truth.urls(Outcome.SKIPPED, Skip.TOO_LARGE)
    assert len(large) == 2
    for url in web.truth.fates:
        size = len(ask(web, url).body)
        assert size > MAX_BODY_BYTES if url in large else size < MAX_BODY_BYTES / 5


def test_the_job_is_valid_and_names_every_host(web: DemoWeb) -> None:
    """The demo job passes validation, maps all hosts, and two names share an address."""
    job = parse_job(demo_job(web, "out"), "demo")
    assert job.seeds == web.seeds
    assert job.fetch.resolve == dict(web.hosts)
    assert len(set(web.hosts.values())) < len(web.hosts)
    assert job.fetch.max_body_bytes == MAX_BODY_BYTES


def test_urls_are_canonical_and_follow_the_port() -> None:
    """Every URL of the truth is its own canonical form, with the port the web is served on."""
    web = DemoWeb(articles=10, port=8123)
    for url in web.truth.fates:
        assert _canonical(url) == url
        assert ":8123/" in url
    assert (
        web.get("moved.demo.test", "/abroad").headers["Location"] == "http://elsewhere.test:8123/"
    )


def test_a_mirror_has_the_same_bytes(web: DemoWeb) -> None:
    """Every page of the handbook is on the mirror, byte for byte."""
    paths = [u.split("/", 3)[3] for u in web.truth.fates if "//handbook." in u]
    assert len(paths) > 5
    for path in paths:
        mirrored = web.get("mirror.demo.test", "/" + path)
        assert mirrored.status == 200
        assert mirrored.body == web.get("handbook.demo.test", "/" + path).body


def test_the_calendar_has_no_end(web: DemoWeb) -> None:
    """Months far from the first are answered and lead further; other paths are not found."""
    page = web.get("calendar.demo.test", "/calendar/2300/12")
    assert page.status == 200
    assert b"/calendar/2301/01" in page.body
    assert web.get("calendar.demo.test", "/calendar/soon").status == 404
    assert web.get("nobody.demo.test", "/").status == 404
