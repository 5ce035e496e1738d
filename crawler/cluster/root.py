"""The directory of a crawl of several partitions: what is fixed of it, and where each role lies.

::

    ROOT/cluster.json      partitions, shards of the judge, the key of shingles, the job
    ROOT/p000, p001 ...    a crawl each
    ROOT/judge/            the sequencer's log, and a directory for each shard
    ROOT/lock              held by the run, and by what changes the directories between runs
    ROOT/undone            there while a command changes several of them: the command
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.config import Job, parse_job
from crawler.console import command
from crawler.engine.identity import identity
from crawler.errors import StoreError, StoreInUse, StoreMismatch
from crawler.storage.directory import CHANGE, PARTITIONS, STATE, durably, is_root, lock
from crawler.urls import registrable_domain

if sys.platform != "win32":  # the command line refuses it before it comes here; a library may not
    import fcntl

VERSION = 1
_KEY_BYTES = 24
_UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is fixed when a crawl of several partitions begins, and its job."""

    partitions: int
    judge_shards: int
    key: str
    """What all mark shingles by, in hexadecimal."""
    suffixes: str
    """The public suffix list by which hosts are given to partitions."""
    job: Mapping[str, Any]
    version: int = VERSION
    recrawl: Mapping[str, Any] | None = None
    """What is visited again, if anything: a `Plan` of `crawler.sources.web.recrawl` whose
    directories are crawls of as many partitions."""


class Root:
    """The directory of all partitions and of the judge."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.partition_of = lru_cache(maxsize=100_000)(self._partition_of)
        self.job = parse_job(plan.job, str(path / PARTITIONS))

    def __reduce__(self) -> tuple[type[Root], tuple[Path, Plan]]:
        """Travel to other processes, whose machines may not see the directory's plan."""
        return Root, (self.path.absolute(), self.plan)

    @classmethod
    def create(cls, path: Path, job: Job, recrawl: Mapping[str, Any] | None = None) -> Self:
        """Begin in a directory, or in one where nothing but a plan was written.

        Raises StoreMismatch where a crawl is there, StoreError where it cannot be written.
        """
        if is_root(path):
            raise StoreMismatch(
                f"{path} already holds a crawl of several partitions; continue it with: "
                + command("cluster", "resume", path)
            )
        if path.exists() and any(path.iterdir()):
            raise StoreMismatch(
                f"{path} is not empty: choose another --output for a crawl of several partitions"
            )
        assert job.cluster.partitions is not None
        plan = Plan(
            job.cluster.partitions,
            job.cluster.judge_shards,
            secrets.token_bytes(_KEY_BYTES).hex(),
            _suffixes(),
            job.model_dump(mode="json"),
            recrawl=recrawl,
        )
        root = cls(path, plan)
        root._write()
        return root

    @classmethod
    def open(cls, path: Path) -> Self:
        """Take up the crawl in a directory. Raises StoreMismatch where there is none."""
        try:
            data = orjson.loads((path / PARTITIONS).read_bytes())
            plan = Plan(**data)
        except FileNotFoundError:
            raise StoreMismatch(
                f"{path} holds no crawl of several partitions (it has no {PARTITIONS}): check the "
                "path"
            ) from None
        except (OSError, TypeError, ValueError) as error:
            raise StoreError(f"{path / PARTITIONS}: {error}; restore it from a backup") from error
        if plan.version != VERSION:
            raise StoreMismatch(
                f"{path / PARTITIONS}: version {plan.version} is of another program"
            )
        if plan.suffixes != _suffixes():
            raise StoreMismatch(
                f"{path} was begun with another public suffix list ({plan.suffixes}, now "
                f"{_suffixes()}), by which hosts are given to partitions: install the "
                "publicsuffixlist that it was begun with"
            )
        return cls(path, plan)

    def changed(self, job: Job) -> Root:
        """Return the same with another job, which it has from now on."""
        root = Root(self.path, replace(self.plan, job=job.model_dump(mode="json")))
        root._write()
        return root

    @contextmanager
    def held(self, change: Sequence[str] = ()) -> Iterator[None]:
        """Hold the crawl, so that no other run or change of it begins meanwhile.

        A `change` of several directories is a command and its arguments but for the directory; it
        `begins` within. Where it was interrupted then, nothing else may hold the crawl until it was
        repeated to its end. Raises StoreInUse, and StoreMismatch where another change was
        interrupted.
        """
        descriptor = lock(self.path, CHANGE if change else "a crawl in partitions")
        try:
            if self.undone and not self.is_undone(change):
                raise StoreMismatch(
                    f"{self.path}: a command was interrupted, repeat it first: {self.undone}"
                )
            yield
            if change:
                (self.path / _UNDONE).unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def begins(self, change: Sequence[str]) -> None:
        """Note that a change begins, durably. Raises StoreError."""
        path = self.path / _UNDONE
        try:
            with durably(path.with_suffix(".new"), path) as file:
                file.write(orjson.dumps(list(change)))
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}; nothing has changed") from error

    def is_undone(self, change: Sequence[str]) -> bool:
        """Whether this very change was interrupted."""
        return self._undone() == [*change]

    @property
    def undone(self) -> str:
        """The command line of the change that was interrupted; empty where none was."""
        left = self._undone()
        return command(left[0], self.path, *left[1:]) if left else ""

    def _undone(self) -> list[str]:
        """Return the change that was interrupted, if any."""
        path = self.path / _UNDONE
        try:
            return list(map(str, orjson.loads(path.read_bytes()))) if path.exists() else []
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"{path}: {error}; restore it from a backup") from error

    @property
    def modified(self) -> int:
        """When the plan was written last: another number after each change."""
        try:
            return (self.path / PARTITIONS).stat().st_mtime_ns
        except OSError:  # on another machine
            return 0

    @property
    def is_held(self) -> bool:
        """Whether a run, or a change of it, goes on."""
        try:
            os.close(lock(self.path, "a look at it"))
        except StoreInUse:
            return True
        return False

    @property
    def directories(self) -> list[Path]:
        """The directories of all partitions; StoreMismatch where one is not to be seen here."""
        found = [self.partition(number) for number in self.partitions]
        for directory in found:
            if not (directory / STATE).exists():
                raise StoreMismatch(
                    f"{directory} holds no partition, and this takes all of them: repeat the "
                    "command on a machine that sees all directories, or `resume` first a crawl "
                    "that was stopped as it began"
                )
        return found

    def add_seeds(self, urls: Iterable[str]) -> None:
        """Name canonical URLs as further seeds: a run that goes on takes them (`Coordinator`).

        Others may do so at the same time. Raises StoreError.
        """
        alone = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(alone, fcntl.LOCK_EX)  # waits until nobody else changes the plan
            now = Root.open(self.path)
            seeds = tuple(dict.fromkeys((*now.job.seeds, *urls)))
            now.changed(now.job.model_copy(update={"seeds": seeds}))
        finally:
            os.close(alone)

    def partition(self, number: int) -> Path:
        """Return the directory of a partition."""
        return self.path / f"p{number:03d}"

    @property
    def partitions(self) -> range:
        """The numbers of all partitions."""
        return range(self.plan.partitions)

    def recrawl(self, number: int) -> dict[str, Any] | None:
        """Return what a partition visits again: the same one of each earlier crawl."""
        if self.plan.recrawl is None:
            return None
        name = self.partition(number).name
        return {**self.plan.recrawl, "of": [f"../{of}/{name}" for of in self.plan.recrawl["of"]]}

    def identity(self, number: int) -> dict[str, Any]:
        """Return the settings of a partition that are the same for ever."""
        return {
            **identity(self.job),
            "partition": [number, self.plan.partitions, self.plan.suffixes],
        }

    @property
    def sequencer(self) -> Path:
        """The directory of the sequencer."""
        return self.path / "judge" / "sequencer"

    def shard(self, number: int) -> Path:
        """Return the directory of a shard of the judge."""
        return self.path / "judge" / f"s{number}"

    def _partition_of(self, host: str) -> int:
        """Return which partition asks for a host's URLs: all of one registrable domain the same."""
        digest = blake2b(registrable_domain(host).encode(), digest_size=8).digest()
        return int.from_bytes(digest) % self.plan.partitions

    def _write(self) -> None:
        """Write the plan, whole or not at all."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with durably(self.path / f"{PARTITIONS}.new", self.path / PARTITIONS) as file:
                file.write(orjson.dumps(asdict(self.plan), option=orjson.OPT_INDENT_2))
        except OSError as error:
            raise StoreError(f"{self.path / PARTITIONS}: {error.strerror}") from error


def _suffixes() -> str:
    return f"publicsuffixlist {version('publicsuffixlist')}"
