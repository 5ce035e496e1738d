"""A crawl that learns of URLs, killed with SIGKILL, goes on with what it knew."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import mirrored
from support.crawling import write_job
from support.foreseen import PENDING, lessons, ran, resumed, rows, waiting
from support.spelled import MIRROR, SpelledWeb, one_after_another, spelled_web, texts
from support.victim import killed

from crawler.cli import main
from crawler.models import PageOutcome
from crawler.storage.store import Group, GroupLimits, Store, Writer


@pytest.fixture(scope="module")
def web() -> Iterator[SpelledWeb]:
    """The made web, asked one page after another."""
    with spelled_web() as served, one_after_another():
        yield served


def die_at(ends: int, arguments: list[str]) -> None:
    """Run a command; end by SIGKILL as so many URLs have ended, all but the last five durable."""
    left, waiting, submit, commit = ends, 0, Store.submit, Writer._commit
    changed = threading.Condition()

    def counted(self: Store, outcome: PageOutcome) -> None:
        nonlocal left, waiting
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        with changed:
            waiting += 1
        submit(self, outcome)
        with changed:  # a group is due by now, or under way
            changed.wait_for(lambda: waiting < 5)

    def committed(self: Writer, group: Group) -> None:
        nonlocal waiting
        commit(self, group)
        with changed:
            waiting -= len(group.outcomes)
            changed.notify()

    def opening(way: str) -> Any:
        opened = getattr(Store, way)

        def begin(*given: Any, **named: Any) -> Any:
            return opened(*given, **named | {"limits": GroupLimits(outcomes=5, age_s=600.0)})

        return begin

    Store.submit = counted  # type: ignore[method-assign]
    Writer._commit = committed  # type: ignore[method-assign]
    for way in ("create", "open"):
        setattr(Store, way, opening(way))
    with one_after_another():
        main(arguments)


def test_a_killed_crawl_goes_on_with_what_it_knew(web: SpelledWeb, tmp_path: Path) -> None:
    """Killed before rules, as URLs are postponed, and as these are asked for, it loses nothing.

    Each time it knows what an undisturbed crawl knew by then, and what waits keeps its place.
    """
    calm = ran(web, tmp_path / "calm", "hostile.test")
    unlearned = ran(web, tmp_path / "unlearned", "hostile.test", learn={"urls": False})
    known = lessons(calm.output)
    output = tmp_path / "out"
    config = write_job(web.job(output, "hostile.test"), tmp_path / "job.yaml")
    killed(die_at, 20, ["crawl", "--config", str(config)])
    heard = lessons(output)
    assert heard == known[: len(heard)]
    assert not waiting(output)
    kept: dict[str, tuple[int, int, str]] = {}
    for ends in (50, 30):
        killed(die_at, ends, ["resume", str(output)])
        assert lessons(output)[: len(heard)] == heard
        heard, postponed = lessons(output), waiting(output)
        assert all(place > before for place, before, _ in postponed.values())
        still = {url for (url,) in rows(output, PENDING)}
        assert all(postponed[url][0] >= kept[url][0] for url in kept if url in still)
        kept = postponed
    assert kept
    resumed(output)
    assert texts(output) == texts(unlearned.output)
    assert main(["check", str(output), "--all"]) == 0


def test_lines_of_a_killed_crawl_say_of_mirrors_what_those_of_another_would(
    web: SpelledWeb, tmp_path: Path
) -> None:
    """Killed once while nothing is known of a mirror, and once it is, lines go on with that."""
    output = tmp_path / "out"
    data = web.job(output, "a.test", MIRROR)
    killed(die_at, 15, ["crawl", "--config", str(write_job(data, tmp_path / "job.yaml"))])
    assert not any(mirrored.told(output).values())
    killed(die_at, 60, ["resume", str(output)])
    known = mirrored.told(output)
    assert any(known.values())
    resumed(output)
    told = mirrored.told(output)
    assert told == mirrored.heard(output, told)
    assert told.items() >= {(url, mirror) for url, mirror in known.items() if mirror is None}
