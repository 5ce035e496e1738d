"""A copy of a crawl of several partitions while it does not run: what one has sent, others have."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

from crawler.cluster.resting import resting
from crawler.cluster.root import Root
from crawler.console import Say, progress
from crawler.errors import StoreError, StoreMismatch
from crawler.storage.backup import back_up
from crawler.storage.database import Database
from crawler.storage.directory import PARTITIONS, STATE, make_directory, sync_directory


def back_up_all(root: Root, target: Path, say: Say) -> int:
    """Copy partitions, judge and plan into a new or empty directory; return the bytes.

    The plan comes last: a target that has one is complete. Raises StoreInUse while the crawl runs,
    StoreMismatch where the target is not empty, lies in the crawl, or a directory is not to be seen
    here; StoreError.
    """
    if target.resolve().is_relative_to(root.path.resolve()):
        raise StoreMismatch(f"{target} lies in {root.path}, which is to be copied: name another")
    with root.held(), resting(root):
        directories = root.directories
        make_directory(target)
        if any(target.iterdir()):
            raise StoreMismatch(f"{target} is not empty: name a new directory for the copy")
        for directory in directories:
            say(progress(f"Copying {directory.name} ..."))
            back_up(directory, target / directory.name, say)
        shards = (root.shard(number) for number in range(root.plan.judge_shards))
        try:
            for directory in (root.sequencer, *shards):
                place = directory.relative_to(root.path)
                say(progress(f"Copying {place} ..."))
                make_directory(target / place)
                with closing(Database(directory / STATE, "ro")) as database:
                    database.rows("VACUUM INTO ?", (str(target / place / STATE),))
                with (target / place / STATE).open("rb") as file:
                    os.fsync(file.fileno())
            shutil.copyfile(root.path / PARTITIONS, target / PARTITIONS)
            sync_directory(target)
        except OSError as error:
            raise StoreError(
                f"{target}: the copy failed: {error}. The crawl is unharmed; remove the copy, "
                "repair the cause (free space, permissions), then repeat the command"
            ) from None
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
