"""The table of attacks: each is told in the docs, and crawled by the test of its topic."""

from __future__ import annotations

import re
from pathlib import Path

from support import attacks
from support.attacks import ATTACKS
from support.paths import doc

_NO_TOPICS = {"__init__", "attack", "mixed"}


def test_every_attack_is_documented() -> None:
    """docs/hostile-web.md has a row for each attack, in its own words, and no other."""
    _, _, section = doc("hostile-web").partition("## Attacks on other hosts")
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert dict(rows[1:]) == {attack.name: attack.does for attack in ATTACKS}
    assert len(rows[1:]) == len(ATTACKS) >= 25


def test_no_topic_is_left_out() -> None:
    """What a module of attacks has is among all of them, and a test beside this one crawls it."""
    topics = {path.stem for path in Path(attacks.__path__[0]).glob("*.py")} - _NO_TOPICS
    tests = [path.read_text() for path in Path(__file__).parent.glob("test_attack_*.py")]
    for topic in topics:
        assert all(attack in ATTACKS for attack in getattr(attacks, topic).ATTACKS)
        assert any(f"from support.attacks.{topic} import" in text for text in tests), topic
