"""The bound on the memory of an analysis process, on systems that have it and that have not."""

from __future__ import annotations

import resource
import subprocess
import sys
from io import BytesIO

import pytest

from crawler.workers import analyser
from crawler.workers.messages import frame

LIMIT = "import resource\nfrom crawler.workers.analyser import _limit_memory, too_little\n"
REFUSED = """
def setrlimit(*_):
    raise {error}
resource.setrlimit = setrlimit
_limit_memory(4_000_000_000)
print(repr(too_little(4_000_000_000)))
"""
STRICTER = """
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
_limit_memory(4_000_000_000)
print(repr(too_little(4_000_000_000)), resource.getrlimit(resource.RLIMIT_AS))
"""


def printed(program: str) -> str:
    """Return what a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", LIMIT + program], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_a_system_that_refuses_the_bound_is_worked_on_without() -> None:
    """A process starts without a bound where, as on macOS, RLIMIT_AS cannot be set."""
    errors = "ValueError('current limit exceeds maximum limit')", "OSError(22, 'Invalid argument')"
    assert printed("".join(REFUSED.format(error=error) for error in errors)) == "''\n''"


def test_a_stricter_bound_of_the_system_stays() -> None:
    """Under `ulimit -v` the process starts with that, rather than fail to raise it."""
    assert printed(STRICTER) == "'' (3000000000, 3000000000)"


def test_a_bound_that_is_too_small_is_never_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is asked for under it says why it cannot work, and has no bound to die of."""
    monkeypatch.setattr(resource, "setrlimit", lambda *_: pytest.fail("bound"))
    outgoing = BytesIO()
    analyser.serve(analyser.Prepared(None, ""), 30_000_000, BytesIO(frame("ready?")), outgoing)
    outgoing.seek(0)
    assert analyser.receive(outgoing).startswith("analysis.memory_bytes: 30,000,000 is too little")
