"""What a robots.txt says: groups, rules, delays, odd files, and bounds against hostile ones."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import members, parsed
from support.sampling import sample

from crawler.fetch import robots as robots_file
from crawler.fetch.robots import MAX_BYTES, MAX_WILDCARD_RULES, RobotsFile, RobotsRules

AGENT = "InlineCrawler"
SITE = "http://a.example"


def file(text: str | bytes, agent: str = AGENT) -> RobotsFile:
    """Return a file, read for one product token."""
    return RobotsFile(text if isinstance(text, bytes) else text.encode(), agent).all()


def rules(text: str | bytes, agent: str = AGENT) -> RobotsRules:
    """Return the rules of a file for one product token."""
    return RobotsRules(file(text, agent).rules)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("User-agent: *\nDisallow: /x", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x/y", True),
        ("\ufeffUser-agent: *\nDisallow: /x", False),
        ("User-agent: *\r\rDisallow: /x", False),
        ("User-agent: inlinecrawler/0.1 (robot)\nDisallow: /x", False),
        ("User-agent: Inline Crawler\nDisallow: /x", True),
        ("User-agent: Inline\nDisallow: /x", True),
        ("User-agent: InlineCrawlerNews\nDisallow: /x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: InlineCrawler\nAllow: /", True),
        ("User-agent: other\nUnknown: 1\nUser-agent: *\nDisallow: /x", False),
        ("User-agent: other\nDisallow: /x\nUser-agent: *\nDisallow: /z", True),
        ("User-agent: InlineCrawler\nUser-agent: other\nDisallow: /x", False),
        ("user agent InlineCrawler\ndissallow /x", False),
        ("User-agent: * # all\nDisallow: /x # not this", False),
        ("Disallow: /x", True),
        ("<html><body>User-agent: *<br>Disallow: /</body></html>", True),
        ("User-agent: *\nDisallow: /*y$", False),
    ],
)
def test_groups(text: str, allowed: bool) -> None:
    """Groups are found in files as people write them, and only those that mean us count."""
    assert rules(text).allowed(f"{SITE}/x/y") is allowed


def test_sitemaps_are_for_everybody_and_end_no_group() -> None:
    """They are read wherever they stand, as written; the rules around them hold as without them."""
    text = (
        "Sitemap: https://a.example/1.xml\nUser-agent: *\nsitemap : /2.xml # ours\n"
        "Disallow: /x\nUser-agent: other\nSite-map: http://b.example/3?a:b\nSitemap:\n"
    )
    read = file(text)
    assert read.sitemaps == ["https://a.example/1.xml", "/2.xml", "http://b.example/3?a:b"]
    assert not RobotsRules(read.rules).allowed(f"{SITE}/x")
    many = file("Sitemap: /s\n" * (robots_file.MOST_SITEMAPS + 9))
    assert len(many.sitemaps) == robots_file.MOST_SITEMAPS


def test_other_encodings() -> None:
    """Bytes that are not UTF-8 spoil their own line only."""
    text = "User-agent: *\nDisallow: /中\nDisallow: /x\n"
    assert not rules(text.encode("gbk")).allowed(f"{SITE}/x")
    assert not rules(text).allowed(f"{SITE}/%E4%B8%AD")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("5", 5.0), ("0.5", 0.5), ("-1", None), ("nan", None), ("inf", None), ("x", None)],
)
def test_crawl_delay(value: str, expected: float | None) -> None:
    """Crawl-delay is a finite number of seconds, or it is not there."""
    assert file(f"User-agent: *\nCrawl-delay: {value}").crawl_delay_s == expected


def test_only_the_beginning_is_read() -> None:
    """Beyond 500 KiB nothing counts, and the line that is cut there is left out."""
    head = b"User-agent: *\nDisallow: /x\n"
    filler = b"#" * (MAX_BYTES - len(head) - 12) + b"\n"
    text = head + filler + b"Disallow: /private/area\n"
    assert not rules(text).allowed(f"{SITE}/x")
    assert rules(text).allowed(f"{SITE}/private/area")
    assert rules(text).allowed(f"{SITE}/pri")
    assert not rules(text.replace(filler, b"")).allowed(f"{SITE}/private/area")


def test_rules_are_kept_once() -> None:
    """What is said again is not kept again, be it in another group, and comments are not kept."""
    once = file("User-agent: *\nDisallow: /x").rules
    again = "User-agent: *\n" + "Disallow: /x # why\n" * 999
    assert file(again + "\n" + again).rules == once
    assert len(once) < 12


def test_a_file_without_rules_for_us_keeps_nothing() -> None:
    """Groups of others cost no memory, and neither do those of all beside one of our own."""
    others = "User-agent: other\nDisallow: /x\nUser-agent: *\nDisallow: /z\n"
    assert file(f"{others}User-agent: InlineCrawler\nDisallow:").rules == ""


def test_the_last_delay_holds() -> None:
    """A Crawl-delay that was there before another one counts when it comes again."""
    delays = "\n".join(f"Crawl-delay: {seconds}" for seconds in (1, 5, 1))
    assert file(f"User-agent: *\n{delays}").crawl_delay_s == 1.0


@pytest.mark.parametrize(
    ("text", "allowed", "delay_s"),
    [
        ("User-agent: *\nCrawl-delay: 2\nUser-agent: other\nDisallow: /", False, 2.0),
        ("User-agent: other\nCrawl-delay: 9\nUser-agent: *\nDisallow: /", False, None),
        ("User-agent: *\nCrawl-delay: 2\nUser-agent: other\nCrawl-delay: 9", True, 2.0),
        ("User-agent: *\nUser-agent: other\nCrawl-delay: 9\nDisallow: /", False, 9.0),
        ("User-agent: *\nDisallow: /z\nUser-agent: other\nCrawl-delay: 9", True, None),
        ("User-agent: *\nDisallow: /z\nCrawl-delay: 2\nUser-agent: a\nDisallow: /", True, 2.0),
        ("User-agent: InlineCrawler\nCrawl-delay: 2\nUser-agent: *\nDisallow: /", False, 2.0),
        ("User-agent: *\nSitemap: /s\nNoindex: /\nUser-agent: other\nDisallow: /", False, None),
        ("User-agent: *\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /", False, 2.0),
        ("User-agent: InlineCrawler\nCrawl-delay: 2\nUser-agent: other", True, 2.0),
    ],
)
def test_a_delay_ends_no_group(text: str, allowed: bool, delay_s: float | None) -> None:
    """Rules speak to all that was named since the last rule, as in Google's parser.

    A delay only to those named right above it, since it may be the end of its group.
    """
    assert rules(text).allowed(f"{SITE}/x") is allowed
    assert file(text).crawl_delay_s == delay_s


@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        ("Disallow: http://a.example/x", "/x/y", False),
        ("Disallow: http://a.example/x", "/y", True),
        ("Disallow: HTTPS://a.example:8443/*.pdf$", "/a.pdf", False),
        ("Disallow: https://a.example", "/", False),
        ("Disallow: https://a.example?q=", "/", True),
        ("Disallow: http://a.example/x\nAllow: /x/y", "/x/y", True),
        ("Disallow: /\nAllow: http://a.example/x", "/x", False),
    ],
)
def test_absolute_rules_are_read_as_their_path(lines: str, path: str, allowed: bool) -> None:
    """They close what they name; they open nothing, as they open nothing to any other crawler."""
    assert rules(f"User-agent: *\n{lines}").allowed(SITE + path) is allowed


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("Disallowed: /x", False),
        ("Disallow all: /x", False),
        ("Disallow /x", False),
        ("Disallow http://a.example/x", False),
        ("Disallow/x", True),
        ("Disallow: x", True),
    ],
)
def test_what_sets_a_directive_off(line: str, allowed: bool) -> None:
    """A colon does, or white space; what stands in between is an ending of the directive's name."""
    assert rules(f"User-agents: *\n{line}").allowed(f"{SITE}/x") is allowed


def test_bytes_are_compared_in_any_charset() -> None:
    """A rule in GBK closes the URL that has the same bytes escaped."""
    text = "User-agent: *\nDisallow: /中\n".encode("gbk")
    assert not rules(text).allowed(f"{SITE}/%D6%D0")


def wildcards(count: int, rule: str = "Disallow: /shop/*={}$") -> str:
    """Return a file with so many different rules, and one that opens a page of the shop."""
    lines = (rule.format(number) for number in range(count))
    return "\n".join(["User-agent: *", "Allow: /shop/?open", *lines])


def test_many_wildcards_are_read_strictly() -> None:
    """Beyond the bound a Disallow holds from its wildcard on, and no Allow opens anything."""
    some = rules(wildcards(MAX_WILDCARD_RULES))
    assert some.allowed(f"{SITE}/shop/a")
    assert some.allowed(f"{SITE}/shop/?open")
    assert not some.allowed(f"{SITE}/shop/?a=7")
    many = rules(wildcards(MAX_WILDCARD_RULES + 1))
    assert not many.allowed(f"{SITE}/shop/a")
    assert not many.allowed(f"{SITE}/shop/?open")
    assert many.allowed(f"{SITE}/news")
    assert not rules(wildcards(MAX_WILDCARD_RULES + 1, "Disallow: *{}")).allowed(f"{SITE}/")


def test_many_plain_rules_are_read_as_they_are() -> None:
    """Only wildcards are bounded: real files have twenty thousand plain rules."""
    plain = rules(wildcards(20_000, "Disallow: /shop/{}"))
    assert not plain.allowed(f"{SITE}/shop/19999")
    assert plain.allowed(f"{SITE}/shop/a")
    assert plain.allowed(f"{SITE}/shop/?open")


@given(
    st.lists(st.text("/ab*$%62", max_size=6), max_size=5),
    st.lists(st.text("/ab*$%62", max_size=6), max_size=5),
    st.text("/ab62%", max_size=6),
)
def test_the_strictest_sense_opens_nothing(closed: list[str], opened: list[str], path: str) -> None:
    """A file allows no URL beyond the bound that it does not allow within it."""
    lines = [f"Disallow: /{rule}" for rule in closed] + [f"Allow: /{rule}" for rule in opened]
    text = "\n".join(["User-agent: *", *lines])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(robots_file, "MAX_WILDCARD_RULES", 0)
        strict = rules(text)
    url = f"{SITE}/{path}"
    assert rules(text).allowed(url) or not strict.allowed(url)


KEYS = b"User-agent Disallow Allow Crawl-delay Request-rate Sitemap dissalow x".split()
VALUES = (
    b"* InlineCrawler /*a*$ $ % %zz %7e /%62 //[ http://[ 9e999 /\xff /\xe4\xb8\xad * \0".split()
)
LINES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda key, gap, value: key + gap + value,
        st.sampled_from(KEYS),
        st.sampled_from([b":", b": ", b" ", b"\t:\t", b""]),
        st.binary(max_size=40) | st.sampled_from(VALUES),
    ),
)
BODIES = st.builds(
    lambda mark, end, lines: mark + end.join(lines),
    st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"]),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(LINES, max_size=12),
)


def odd_file(dice: random.Random) -> bytes:
    """Return a file of keys and values as they are and mangled, rubbish in between."""

    def word(words: list[bytes]) -> bytes:
        chosen = dice.choice(words)
        if dice.random() < 0.2:
            at = dice.randrange(len(chosen) + 1)
            chosen = chosen[:at] + dice.randbytes(dice.randrange(4)) + chosen[at + 1 :]
        return chosen * (dice.choice((100, 20_000)) if dice.random() < 0.005 else 1)

    def line() -> bytes:
        if dice.random() < 0.1:
            return dice.randbytes(dice.randrange(80))
        return word(KEYS) + dice.choice((b":", b": ", b" ", b"\t:\t", b"")) + word(VALUES)

    mark = dice.choice((b"", b"\xef\xbb\xbf", b"\xef", b"\xff\xfe", b"\0"))
    lines = [b"User-agent: *"] * dice.randrange(2) + [line() for _ in range(dice.randrange(20))]
    return mark + dice.choice((b"\n", b"\r\n", b"\r")).join(lines)


def usable(body: bytes, path: str) -> bool:
    """Assert that a file's rules answer any URL and give a delay that can be waited; the answer."""
    found = file(body)
    assert found.crawl_delay_s is None or 0.0 <= found.crawl_delay_s < float("inf")
    return RobotsRules(found.rules).allowed(f"{SITE}/{path}")


def test_thousands_of_odd_files() -> None:
    """Generated files, broken in every way that comes to mind, never raise.

    10,000 of them in `make test-hard`, a quarter in the plain suite.
    """
    dice = random.Random(9309)
    paths = ("", "x/y", "%62?a=1", "中", "*$")
    answers = [usable(odd_file(dice), dice.choice(paths)) for _ in sample(range(10_000), 2_500)]
    assert answers.count(False) > 0.03 * len(answers)  # the generator makes files that speak to us


@settings(deadline=None)
@given(BODIES, st.text("/%*$?[]#;=&aZ0", max_size=20))
def test_no_file_is_too_odd(body: bytes, path: str) -> None:
    """Any bytes give rules that answer any URL and a usable delay."""
    usable(body, path)


@given(BODIES)
def test_steps_change_nothing(body: bytes) -> None:
    """A file read line by line says what it says when it is read at once."""
    at_once = file(body).rules
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(robots_file, "STEP_BYTES", 1)
        assert file(body).rules == at_once


@pytest.mark.corpora
def test_conformance() -> None:
    """Every case of RFC 9309 and of Google's suite gives the expected answer."""
    table = parsed("conformance/robots")
    wrong = {
        case["name"]
        for case in table
        if rules(case["robots"], case["user_agent"]).allowed(case["url"]) is not case["allowed"]
    }
    assert len(table) == 199
    assert wrong == set()


@pytest.mark.corpora
def test_marks_and_line_ends() -> None:
    """Byte order marks, whole or cut, and all line ends are read as Google's parser reads them."""
    differ = set()
    for case in parsed("conformance/robots-other")["parse_report"]:
        body = base64.b64decode(case["robots_base64"])
        kept = [file(body, agent).rules for agent in ("foo", "bar")]
        said = [line for text in kept for line in text.split("\n") if line]
        headings = body.count(b"User-Agent")
        if len(said) != case.get("valid_directives", len(said) + headings) - headings:
            differ.add(case["name"])
    assert differ == set()


@pytest.mark.parametrize(
    ("rule", "url", "allowed"),
    [
        ("Disallow: /%7Ea", "/~a", False),  # RFC 9309 2.2.2: decoded before comparison
        ("Disallow: /~a", "/%7Ea", False),
        ("Disallow: /%7Ea", "/%7Ea", False),
        ("Disallow: /\nAllow: /%7Ea", "/~a", False),  # as written, the rule is another path's
        ("Disallow: /\nAllow: /%7Ea", "/%7Ea", True),
        ("Disallow: /\nAllow: /~a", "/~a", True),
        ("Disallow: /\nAllow: /中", "/%E4%B8%AD", True),
        ("Disallow: /\nAllow: /%e4%b8%ad", "/%E4%B8%AD", True),
        ("Disallow: /\nAllow: /f[x]=1,2", "/f%5Bx%5D=1,2", True),  # reserved: one reading
        ("Disallow: /%7Ea\nAllow: /%7Ea/b", "/~a/b", True),
    ],
)
def test_the_stricter_of_two_readings_holds(rule: str, url: str, allowed: bool) -> None:
    """An escape that need not be there can close a path to us, and never opens one."""
    assert rules(f"User-agent: *\n{rule}").allowed(SITE + url) is allowed


@pytest.mark.corpora
def test_real_files() -> None:
    """Hundreds of real files are read, HTML pages and broken encodings among them."""
    bodies = [body for _, body in members("conformance/robots-real")]
    for body in bodies:
        rules(body).allowed(f"{SITE}/some/page?x=1")
    assert len(bodies) > 300
