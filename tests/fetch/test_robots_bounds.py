"""What a robots.txt can cost at most: work in one step and for one URL, and memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

import pytest
from support.fetching import Keeper
from support.transports import FakeTransport, Says, over_fake

from crawler.fetch import robots as robots_rules
from crawler.fetch import robots_cache as robots_known
from crawler.fetch.robots import (
    MAX_BYTES,
    MAX_LINE_BYTES,
    MAX_STEPS,
    MAX_WILDCARD_RULES,
    STEP_BYTES,
    RobotsFile,
    RobotsRules,
    RuleTable,
)

SITE = "http://a.example/"


def filled(lines: Iterable[str]) -> bytes:
    """Return a file with as many of the lines as are read."""
    size, start = 0, "User-agent: *"

    def fits(line: str) -> bool:
        nonlocal size
        size += len(line.encode()) + 1
        return size < MAX_BYTES - len(start)

    return "\n".join([start, *takewhile(fits, lines)]).encode()


def numbers() -> Iterator[int]:
    """Return more numbers than there are lines in a file."""
    return iter(range(MAX_BYTES))


FILES = {
    "rules": filled(f"Disallow:/{n:x}" for n in numbers()),
    "escapes": filled(f"Disallow:/{n}" + "%7e" * 5_000 for n in numbers()),
    "octets": filled(f"Disallow:/{n}" + "中" * 5_000 for n in numbers()),
    "agents": filled(f"User-agent:{n}" for n in numbers()),
    "lengths": filled("Disallow:/" + "a" * (n % 1_000) + "!" for n in numbers()),
}


class Path(str):
    """A path that counts the characters that are compared, and the rules that are looked up."""

    compared = 0
    looked_up = 0

    def find(self, piece: str, at: Any = None, end: Any = None) -> int:
        """Look for a piece, and count what that takes at worst."""
        found = super().find(piece, at)
        behind = len(self) if found < 0 else found + len(piece)
        self.compared += len(piece) * (behind - at)
        return found

    def __getitem__(self, part: Any) -> str:
        """Take the beginning, which is to be looked up."""
        self.looked_up += 1
        return super().__getitem__(part)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_in_small_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No step reads more than its bytes and the line in which they end."""
    read = [0]
    kept = RobotsFile._read

    def counted(self: RobotsFile, kind: bytes, value: bytes) -> None:
        read[0] += len(value)
        kept(self, kind, value)

    monkeypatch.setattr(RobotsFile, "_read", counted)
    most = 0
    for _ in RobotsFile(FILES[name], "InlineCrawler").steps():
        most, read[0] = max(most, read[0]), 0
    assert max(most, read[0]) <= STEP_BYTES + MAX_LINE_BYTES


def reading(rules: Iterable[str]) -> robots_rules._Reading:
    """Return what forbids these patterns."""
    table = RuleTable()
    for pattern in rules:
        table.add(pattern, allow=False)
    plain, wild = table.plain, table.wild
    return robots_rules._Reading([], list(plain), [], list(wild))


@pytest.mark.parametrize(
    "rules",
    [
        [f"/*{'*a' * 200}*b{number}" for number in range(MAX_WILDCARD_RULES)],
        [f"/*{'a' * (50 + n)}b{'a' * (40 + n)}" for n in range(MAX_WILDCARD_RULES)],
        [f"/{'*a' * 8_000}b{number}" for number in range(30)],
    ],
)
def test_a_url_costs_a_bounded_number_of_steps(rules: list[str]) -> None:
    """Where that is not enough to know, it counts as forbidden; usual URLs need next to nothing."""
    path = Path("/" + "a" * 2_040)
    found = reading(rules)
    found.allows(path)
    assert path.compared <= MAX_STEPS + len(path) ** 2
    short = Path("/articles/2024/some-page?x=1")
    assert found.allows(short)
    assert short.compared < MAX_STEPS / 50


def test_a_url_that_takes_too_long_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked for because it was too costly to see that it must not be."""
    text = RobotsFile(b"User-agent: *\nDisallow: /*b\nDisallow: /*c", "x").all().rules
    assert RobotsRules(text).allowed(SITE + "a" * 100)
    monkeypatch.setattr(robots_rules, "MAX_STEPS", 50)
    assert not RobotsRules(text).allowed(SITE + "a" * 100)


def test_rules_without_wildcards_are_looked_up_by_length() -> None:
    """Tens of thousands of them cost as many steps as they have lengths, of which few fit in."""
    rules = RobotsFile(FILES["lengths"], "x").all().rules.split("\n")
    path = Path("/" + "a" * 2_040)
    assert reading(rule for rule in rules if rule).allows(path)
    assert path.looked_up <= 1_012  # the sum of 1 to 1,012 is what is read of a file
    path = Path("/" + "f" * 2_040)
    reading(f"/{n:x}" for n in range(20_000)).allows(path)
    assert path.looked_up <= 5


@pytest.mark.parametrize("name", ["rules", "lengths", "octets"])
def test_what_rules_take_in_memory_is_known(name: str) -> None:
    """The bound in bytes is one of memory: what rules say they take is about what they take."""
    text = RobotsFile(FILES[name], "x").all().rules
    tracemalloc.start()
    rules = RobotsRules(text)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken <= 1.2 * rules.bytes


async def test_all_rules_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many origins have however many rules, each is answered for, from the keeper."""
    monkeypatch.setattr(robots_known, "PARSED_BYTES", 400_000)
    monkeypatch.setattr(robots_known, "PACKED_BYTES", 40_000)
    script: dict[str, Says] = {}
    async with over_fake(FakeTransport(script), rules=Keeper()) as fetcher:
        robots = fetcher.robots
        for number in range(40):
            lines = "\n".join(f"Disallow: /{number}/{n:x}" for n in range(1_200))
            script["/robots.txt"] = Says(200, (), (f"User-agent: *\n{lines}".encode(),))
            assert (await robots.refresh(f"http://h{number}.test")).known
        for number in (*range(40), 0):
            assert not robots.allowed(f"http://h{number}.test/{number}/a")
            assert robots.allowed(f"http://h{number}.test/{number + 1}/a")
            assert robots._parsed.bytes <= 400_000
            assert robots._packed.bytes <= 40_000
