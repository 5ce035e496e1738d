"""The pages of a crawl, or of a run of `dedup`, as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler.console import safe, say
from crawler.errors import ConfigError
from crawler.models.enums import ExportFormat
from crawler.views.export import PART_BYTES, Asked, export_crawl

MIN_PART_BYTES = 1 << 16
"""A part is a file with a header of its own; a million of them help nobody."""


def export(
    directory: Path,
    target: Path,
    format_: ExportFormat,
    where: Sequence[str],
    options: tuple[bool, bool, str | None, int | None],
) -> int:
    """Write a corpus and say what is in it.

    `options`: whether Markdown, and whether the texts of dropped pages are wanted; the name of the
    dump; the size of a part in bytes.
    """
    markdown, dropped_text, dump, part_bytes = options
    if part_bytes is not None and part_bytes < MIN_PART_BYTES:
        raise ConfigError(f"--part-size {part_bytes}: give 64KiB or more")
    asked = Asked(format_, where, markdown, dropped_text, dump, part_bytes or PART_BYTES)
    exported = export_crawl(directory, target, asked, say)
    unique, duplicates = exported.rows["unique"], exported.rows["duplicates"]
    print(
        f"{safe(str(target))}: {unique:,} documents in unique/, {duplicates:,} in duplicates/"
        f" ({format_.value})"
    )
    if exported.without_text:
        say(
            f"{exported.without_text:,} duplicates are left out, since nothing is kept of their "
            "text; of those that are no copies to the byte it may be had by --with-dropped-text"
        )
    if where and not unique + duplicates:
        say(f"No page passes --where {' --where '.join(where)}")
    return 0
