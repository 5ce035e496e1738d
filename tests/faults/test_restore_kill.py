"""`restore` under SIGKILL, a full disk and a signal: each group is stored wholly or not at all."""

from __future__ import annotations

import random
import subprocess
from functools import partial
from pathlib import Path

import pytest
from support.crawling import finished, program
from support.output import summary_of
from support.processes import limit_files
from support.restoring import (
    GROUP,
    MOMENTS,
    check_all_or_nothing,
    check_whole,
    copied,
    crawl_that_drops,
    dropped,
    restore_and_ask,
    restore_and_die,
    restore_until,
    state_of,
)
from support.victim import begun, killed

from crawler.cli import main

KILLS, CALLS = 8, 2_000
"""How often, and after how many calls at most from its first line on: some pages' commits."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl with dropped pages, exact copies among them."""
    output = tmp_path_factory.mktemp("dropped") / "out"
    crawl_that_drops(output)
    return output


@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_a_group_is_stored_wholly_or_not(
    original: Path, tmp_path: Path, moment: str, group: int
) -> None:
    """Committed groups stay, the one under way leaves nothing, and a second try stores the rest."""
    output, every = copied(original, tmp_path / "out"), set(dropped(original))
    command = ["restore", str(output), *every]
    killed(restore_and_die, command, moment, group)
    whole = group if moment == "after the commit" else group - 1
    assert len(check_all_or_nothing(output, every)) == whole * GROUP
    assert main(command) == 0
    check_whole(output, every)
    assert summary_of(output)["stored"] == summary_of(original)["stored"] + len(every)


def test_killed_again_and_again_it_loses_and_doubles_nothing(
    original: Path, tmp_path: Path
) -> None:
    """Killed at random moments after its first line, `restore` never stores a page by half."""
    output, every = copied(original, tmp_path / "out"), set(dropped(original))
    chance = random.Random(5)
    command = ["restore", str(output), *every]
    before: set[str] = set()
    for _ in range(KILLS):
        killed(restore_until, command, chance.randrange(CALLS))
        now = check_all_or_nothing(output, every)
        assert before <= now
        before = now
    assert len(before) < len(every)
    assert main(command) == 0
    check_whole(output, every)


def test_a_file_that_cannot_grow_is_told_and_nothing_is_lost(
    original: Path, tmp_path: Path
) -> None:
    """Without space `restore` ends by code 3 and says so; with space it ends the work."""
    output, every = copied(original, tmp_path / "out"), set(dropped(original))
    size = (output / "pages.jsonl").stat().st_size + 100

    before = state_of(output)
    full = partial(limit_files, size)
    code, out, err = finished(program("restore", output, *every, preexec_fn=full))
    assert code == 3, err
    assert "Traceback" not in err
    assert out == ""
    assert "File too large" in err or "disk" in err
    assert "repeat the command" in err
    check_all_or_nothing(output, every)
    assert state_of(output)[:-1] == before[:-1]
    assert main(["restore", str(output), *every]) == 0
    check_whole(output, every)


def test_a_signal_ends_it_between_groups(original: Path, tmp_path: Path) -> None:
    """SIGTERM leaves what was restored, says how to go on and ends by code 143."""
    output, every = copied(original, tmp_path / "out"), set(dropped(original))
    pipe = subprocess.PIPE
    with begun(
        restore_and_ask, ["restore", str(output), *every], stdout=pipe, stderr=pipe
    ) as asked:
        code, out, err = finished(asked)
    assert code == 143, err
    assert "repeat the command to restore the other" in err
    now = check_all_or_nothing(output, every)
    assert 2 <= len(now) < len(every)
    assert f"{len(now)} pages restored" in out
    assert summary_of(output)["identity_holds"]
    assert main(["restore", str(output), *every]) == 0
    check_whole(output, every)
