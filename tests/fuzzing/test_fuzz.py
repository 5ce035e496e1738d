"""Entry points for strangers' input, under generated input; `make fuzz` does it for longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_targets import TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SLOW = {"extract", "analyse", "config", "state"}
"""Targets whose runs take milliseconds: they get a third of the examples."""
EXAMPLES = 2 * settings().max_examples

FINDINGS = [
    (
        "state",
        b"\0\xee\x95\x0e\xcc\xe3\x17\xed\xd9\x15\n\x02\xd1\xb6\xbdR\xeeA\xf3ZA\xd6=O\x08\xc0",
    ),
    ("state", b"\2\x87\x8d\x97/"),  # a sketch that is text
    ("state", b"\2h]%x"),  # meta with half a character
    ("state", b"\2\xab\x13k\xdc"),  # shingles of three bytes
    ("state", b"\2\6\1\12\0"),  # a job that is a list
    ("state", b"\2qW\x12\x80\xf0D\x12\xa4"),  # a state that is none
    ("state", b"\2\x82\xb2\x04\xcd"),  # a file of half a byte
    ("state", b"\2,\xe0\x96d1\xfb\xafB\x97\xbdNd\x99\x8b:}\x92t\xae\xba \xd7"),  # runs: 5
]
"""What was found once, and the inputs that showed it."""


def spliced(seeds: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    """Return inputs that are seeds with pieces cut out, repeated, or replaced by other bytes."""
    pieces = st.sampled_from(seeds)
    place = st.integers(0, 400)
    return st.builds(
        lambda one, other, a, b, c, middle: one[:a] + middle + other[c : c + b] + one[a + b :],
        *(pieces, pieces, place, place, place, st.binary(max_size=12)),
    )


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    """Each target takes its seeds: small valid inputs, one for each feature."""
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_generated_input(name: str) -> None:
    """No input breaks a promise of an entry point, and nothing but told errors is raised."""
    target = TARGETS[name]

    @settings(
        max_examples=EXAMPLES // 3 if name in SLOW else EXAMPLES,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(spliced(target.seeds) | st.binary(max_size=200))
    def run(data: bytes) -> None:
        target.run(data)

    run()


@pytest.mark.parametrize(("name", "data"), FINDINGS)
def test_findings_stay_fixed(name: str, data: bytes) -> None:
    """What fuzzing found once is handled."""
    TARGETS[name].run(data)


def test_a_finding_can_be_repeated(tmp_path: Path) -> None:
    """The file that `make fuzz` leaves of a finding is run again by one command."""
    found = tmp_path / "crash-1"
    found.write_bytes(TARGETS["url"].seeds[0])
    fuzz = Path(__file__).with_name("fuzz.py")
    done = subprocess.run(
        [sys.executable, fuzz, "url", "--repeat", found],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"url: {found} is handled\n")
