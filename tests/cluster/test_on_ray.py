"""A private Ray cluster: the same output, and nothing that listens to the network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.documents import mixed, outcome
from support.paths import TESTS

from crawler.cli import main

pytest.importorskip("ray", reason="Ray is an extra: pip install 'inline-crawler[cluster]'")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sockets are told by /proc")

LISTENING = """
import os
from contextlib import suppress
from pathlib import Path
from crawler.sources.parts.driver import on_ray
from support.processes import below

with on_ray(None, 1):
    sockets = set()
    for pid in (os.getpid(), *below(os.getpid())):
        with suppress(OSError):  # it has ended
            for file in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    sockets.add(os.readlink(file))
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                print(fields[1].partition(":")[0])
"""


def test_a_private_cluster_listens_to_this_machine_alone() -> None:
    """Every socket on which Ray listens has a loopback address (127.x.x.x, also as IPv6)."""
    ran = subprocess.run(
        [sys.executable, "-c", LISTENING], cwd=TESTS, check=True, capture_output=True, text=True
    )
    found = ran.stdout.split()
    assert found
    assert all(address.endswith("7F") for address in found)


def test_the_command_gives_the_output_of_one_machine(tmp_path: Path) -> None:
    """With --engine ray all lines are the same to the byte."""
    corpus = mixed(tmp_path / "c.jsonl", 400)
    flags = ["dedup", str(corpus), "--skip-bad", "--processes", "1", "--quiet", "--output"]
    assert main([*flags, str(tmp_path / "one")]) == 0
    command = [sys.executable, "-m", "crawler", *flags, str(tmp_path / "ray"), "--engine", "ray"]
    subprocess.run(command, check=True)
    assert outcome(tmp_path / "one") == outcome(tmp_path / "ray")
