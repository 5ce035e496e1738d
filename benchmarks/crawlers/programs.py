"""The programs: how each is started on a site, and which pages it says it found."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PEERS_PYTHON = ROOT / ".venv/crawlers/bin/python"
CONCURRENT = 32
"""Requests at once: our default, and what Scrapy and Crawlee are given."""
_LIMIT_BYTES = 20_000_000
"""A page of python-3.11 has 2.6 MB; no program is to leave one out."""
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
_LINES = "lines.jsonl"
_OUTPUT = "out"

OURS = "ours"
OURS_UNLEARNED = "ours, learn: false"
SCRAPY = "Scrapy"
LIMIT = "trafilatura alone"


@dataclass(frozen=True, slots=True)
class Task:
    """One site to be crawled once."""

    corpora: Path
    site: str
    url: str
    home: Path
    """An empty folder for all that is written."""
    processes: int
    """Cores, for those that use more than one."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is measured."""

    name: str
    command: Callable[[Task], list[str]]
    found: Callable[[Path], set[str]]
    """URLs of the pages it wrote of, duplicates among them, below a task's `home`."""


def programs() -> list[Program]:
    """Return all programs, ours first, and last what no crawler can pass."""
    return [
        Program(OURS, partial(_ours, {}), _our_pages),
        Program(OURS_UNLEARNED, partial(_ours, {"extract": {"learn": False}}), _our_pages),
        Program(SCRAPY, partial(_rival, "scrapy_site", False), _pages),
        Program("Scrapy, process pool", partial(_rival, "scrapy_site", True), _pages),
        Program("Crawlee", partial(_rival, "crawlee_site", False), _pages),
        Program("Crawlee, process pool", partial(_rival, "crawlee_site", True), _pages),
        Program(LIMIT, _limit, _pages),
    ]


def environment(**more: str) -> Mapping[str, str]:
    """Return the environment of every program: this tree, and one thread in numpy's algebra.

    All run compiled modules, as packages are installed: a shell that forbids to write bytecode has
    this tree compiled at every start, and no other.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, [more.pop("PYTHONPATH", "")])])
    ours = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
    return {**ours, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", **more}


def _ours(options: Mapping[str, Any], task: Task) -> list[str]:
    job = {
        "seeds": [task.url],
        "output": str(task.home / _OUTPUT),
        "scope": {"exclude": ["/_sources/"]},
        "politeness": {"delay_s": 0.0, "per_host": CONCURRENT, "per_address": CONCURRENT},
        "fetch": {
            "workers": CONCURRENT,
            "max_body_bytes": _LIMIT_BYTES,
            "max_wire_bytes": _LIMIT_BYTES,
        },
        "analysis": {"processes": task.processes + 1},  # its default: one more than there are cores
        **options,
    }
    path = task.home / "job.yaml"
    path.write_text(yaml.safe_dump(job))
    return [sys.executable, "-m", "crawler", "--config", str(path)]


def _rival(module: str, pooled: bool, task: Task) -> list[str]:
    command = [str(PEERS_PYTHON), "-m", f"benchmarks.crawlers.{module}", task.url]
    pool = ["--processes", str(task.processes)] if pooled else []
    return [*command, str(task.home / _LINES), *pool]


def _limit(task: Task) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.crawlers.alone", str(task.corpora), task.site]
    return [*command, str(task.home / _LINES), "--processes", str(task.processes)]


def _our_pages(home: Path) -> set[str]:
    files = [home / _OUTPUT / f"{name}.jsonl" for name in ("pages", "duplicates")]
    return set().union(*(_urls(file, "final_url") for file in files))


def _pages(home: Path) -> set[str]:
    return _urls(home / _LINES)


def _urls(lines: Path, key: str = "url") -> set[str]:
    with lines.open() as file:
        return {json.loads(line)[key] for line in file}
