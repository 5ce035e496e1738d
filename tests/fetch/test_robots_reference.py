"""Our reader and matcher of robots.txt beside two others: Google's, told plainly, and protego."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego
from support.corpora import members, parsed
from support.googlebot import Googlebot
from support.sampling import sample

from crawler.fetch.robots import MAX_BYTES, RobotsFile, RobotsRules
from crawler.urls import Canonicaliser

AGENT = "InlineCrawler"
SITE = "http://a.example"
PATHS = st.text("/ab.", max_size=7)
RULES = st.builds(
    lambda key, path, end: f"{key}: /{path}{end}",
    st.sampled_from(["Allow", "Disallow"]),
    st.text("/ab.*", max_size=6),
    st.sampled_from(["", "", "$"]),
)
LINES = st.one_of(
    RULES,
    st.sampled_from(
        ["User-agent: *", f"User-agent: {AGENT}", "User-agent: other", "Crawl-delay: 3", "", "x: y"]
    ),
)


def ours(body: bytes, agent: str = AGENT) -> RobotsRules:
    """Return a file's rules for an agent."""
    return RobotsRules(RobotsFile(body, agent).all().rules)


@settings(max_examples=3 * settings().max_examples)
@given(st.lists(RULES, max_size=6), PATHS)
def test_rules_match_as_protego_has_them(rules: list[str], path: str) -> None:
    """In one group, without escapes, two matchers written apart from each other agree."""
    text = "\n".join(["User-agent: *", *rules])
    url = f"{SITE}/{path}"
    assert ours(text.encode()).allowed(url) is Protego.parse(text).can_fetch(url, AGENT)


@settings(max_examples=3 * settings().max_examples)
@given(st.lists(LINES, max_size=12), PATHS)
def test_groups_are_those_of_google(lines: list[str], path: str) -> None:
    """Whatever stands between them, lines speak to whom Google's parser has them speak to."""
    body = "\n".join(lines).encode()
    url = f"{SITE}/{path}"
    assert ours(body).allowed(url) is Googlebot(body, AGENT).allows(url)


@pytest.mark.corpora
def test_the_reference_is_google() -> None:
    """The plain telling gives every answer of Google's own suite."""
    table = [case for case in parsed("conformance/robots") if case["source"] == "google"]
    for case in table:
        told = Googlebot(case["robots"].encode(), case["user_agent"]).allows(case["url"])
        assert told is case["allowed"], case["name"]
    assert len(table) == 145


def questions(body: bytes, dice: random.Random) -> Iterator[tuple[str, list[str]]]:
    """Yield agents that a file may mean, each with URLs that its rules may match."""
    named = re.findall(rb"(?im)^\s*user-agent:\s*([a-z_-]+)", body)
    agents = sorted({name.decode().lower() for name in named})
    values = re.findall(rb"(?im)^\s*(?:dis)?allow\s*:\s*([^\s#]+)", body)
    canonical = Canonicaliser(frozenset())
    for agent in [AGENT, *dice.sample(agents, min(len(agents), 3))]:
        some = [canonical(f"{SITE}/some/page?x=1")]
        for value in dice.sample(values, min(len(values), 100)):
            path = re.sub(r"^https?://[^/]*", "", value.decode("utf-8", "replace"))
            path = path.rstrip("$").replace("*", dice.choice(("", "x", "a/b")))
            some.append(canonical(f"{SITE}/{path.lstrip('/')}{dice.choice(('', 'z'))}"))
        yield agent, [url for url in some if url is not None]


@pytest.mark.corpora
def test_real_files_are_never_read_more_laxly_than_google_reads_them() -> None:
    """Of real files no rule is lost; where we are stricter, docs/politeness.md says why.

    `make test-hard` reads all 388, the plain suite a third.
    """
    stricter: Counter[str] = Counter()
    asked = 0
    for name, body in sample(list(members("conformance/robots-real")), 130):
        if len(body) > MAX_BYTES:
            continue  # Google's parser reads on, RFC 9309 2.5 need not
        for agent, some in questions(body, random.Random(name)):
            rules, google = ours(body, agent), Googlebot(body, agent)
            for url in some:
                allowed, theirs = rules.allowed(url), google.allows(url)
                assert theirs or not allowed, (name, agent, url)
                stricter[name.rpartition("/")[2]] += theirs and not allowed
                asked += 1
    assert asked > 5_000
    absolute, braces = {"artofmanliness.com", "case.edu"}, {"msdn.microsoft.com"}
    assert set(+stricter) <= absolute | braces
