"""The bound on the memory of an analysis process, on systems that have it and that have not."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIMIT = "from crawler.analysis.worker import _limit_memory\n"
REFUSED = """
import resource
def setrlimit(*_):
    raise {error}
resource.setrlimit = setrlimit
print(repr(_limit_memory(4_000_000_000)))
"""
STRICTER = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
print(repr(_limit_memory(4_000_000_000)), resource.getrlimit(resource.RLIMIT_AS))
"""


def printed(program: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", LIMIT + program], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "error",
    ["ValueError('current limit exceeds maximum limit')", "OSError(22, 'Invalid argument')"],
)
def test_a_system_that_refuses_the_bound_is_worked_on_without(error: str) -> None:
    """A process starts without a bound where, as on macOS, RLIMIT_AS cannot be set."""
    assert printed(REFUSED.format(error=error)) == "''"


def test_a_stricter_bound_of_the_system_stays() -> None:
    """Under `ulimit -v` the process starts with that, rather than fail to raise it."""
    assert printed(STRICTER) == "'' (3000000000, 3000000000)"
