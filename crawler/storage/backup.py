"""A copy of a crawl's directory from which it can be resumed, taken while it runs or afterwards.

The state file is copied first, as one consistent view; then each line file and archive as far as
that state counts it. They only grow, so what it counts is there whatever the crawl does meanwhile.
"""

from __future__ import annotations

import os
from pathlib import Path

from crawler.console import Say, progress
from crawler.errors import StoreError, StoreMismatch
from crawler.storage.database import Database, reading_stored_values
from crawler.storage.directory import STATE, archive_path, line_path, make_directory, sync_directory
from crawler.storage.journal import check_extents, check_length
from crawler.storage.view import StoreView

_CHUNK = 1 << 20


def back_up(directory: Path, target: Path, say: Say = lambda line: None) -> int:
    """Copy the crawl in `directory` into the new or empty directory `target`; return the bytes.

    The state comes last to its name, so a target that has one is complete. Raises StoreMismatch
    where there is no crawl, its line files were cut short, or the target is not empty or lies in
    `directory`; StoreError where reading or writing fails.
    """
    part = target / f"{STATE}.part"
    try:
        with StoreView.read(directory) as view:
            if target.resolve().is_relative_to(directory.resolve()):
                raise StoreMismatch(
                    f"{target} lies in {directory}, which is to be copied: name a directory "
                    "outside it"
                )
            make_directory(target)
            if any(target.iterdir()):
                raise StoreMismatch(f"{target} is not empty: name a new directory for the copy")
            say(progress(f"Copying {STATE} ..."))
            # Not SQLite's backup interface: it starts again whenever another process commits.
            view.database.rows("VACUUM INTO ?", (str(part),))
        with part.open("rb") as file:
            os.fsync(file.fileno())
        with reading_stored_values(directory):
            with StoreView(target, Database(part, "ro")) as copy:
                extents, archives = copy.all_files(), copy.archives()
                without = [kind for kind, files in copy.files().items() if not files]
            check_extents(directory, extents)
        copied = [(line_path(Path(), file), extent.bytes) for file, extent in extents.items()]
        # Without their indexes, which the next run makes again.
        copied += [(archive_path(Path(), file), extent.bytes) for file, extent in archives.items()]
        for path, size in copied:
            check_length(directory / path, size)
        if archives:
            archive_path(target, "").mkdir()
        for path, size in copied:
            say(progress(f"Copying {path.name} ({size:,} bytes) ..."))
            source = directory / path
            with source.open("rb") as lines, (target / path).open("wb") as copied_to:
                while size and (chunk := lines.read(min(size, _CHUNK))):
                    copied_to.write(chunk)
                    size -= len(chunk)
                if size:
                    raise OSError(f"{source} was cut short while it was copied")
                copied_to.flush()
                os.fsync(copied_to.fileno())
        if archives:
            sync_directory(archive_path(target, ""))
        for kind in without:  # as in the original, each has a file
            line_path(target, kind).touch()
        part.rename(target / STATE)
        sync_directory(target)
    except OSError as error:
        raise StoreError(
            f"{target}: the copy failed: {error}. The crawl is unharmed; remove the copy, repair "
            "the cause (free space, permissions), then repeat the command"
        ) from None
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
