"""The pages of a crawl, or of a run of `dedup`, as a corpus."""

from __future__ import annotations

from argparse import Namespace

from crawler.console import safe, say
from crawler.errors import ConfigError
from crawler.models.enums import ExportFormat
from crawler.units import counted
from crawler.views.export import OPEN, PART_BYTES, Asked, export_crawl

MIN_PART_BYTES = 1 << 16
"""A part is a file with a header of its own; a million of them help nobody."""


def export(args: Namespace) -> int:
    """Write a corpus and say what is in it."""
    if args.part_size is not None and args.part_size < MIN_PART_BYTES:
        raise ConfigError(f"--part-size {args.part_size}: give 64KiB or more")
    for ending, _ in OPEN.values():
        if args.output.name.lower().endswith(f".{ending}"):
            raise ConfigError(
                f"--output {safe(str(args.output))}: export makes a directory, with files in "
                f"unique/ and duplicates/; give it a name without .{ending}"
            )
    asked = Asked(
        ExportFormat(args.format),
        args.where,
        args.markdown,
        args.with_dropped_text,
        args.dump,
        args.part_size or PART_BYTES,
    )
    exported = export_crawl(args.directory, args.output, asked, say)
    unique, duplicates = exported.rows["unique"], exported.rows["duplicates"]
    print(
        f"{safe(str(args.output))}: {counted(unique, 'document')} in unique/, "
        f"{duplicates:,} in duplicates/"
        f" ({args.format})"
    )
    if exported.without_text:
        say(
            f"{exported.without_text:,} duplicates are left out, since nothing is kept of their "
            "text; of those that are no copies to the byte it may be had by --with-dropped-text"
        )
    if exported.unmet:
        for told in exported.unmet:
            say(told)
    elif args.where and not unique + duplicates:
        say(f"No page passes --where {' --where '.join(args.where)}")
    elif not args.with_dropped_text and any(test.startswith("chars") for test in args.where):
        say("Dropped pages pass no test of `chars`: their texts are read by --with-dropped-text")
    return 0
