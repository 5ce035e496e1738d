"""`index`: what is known of crawls and corpora in one portable file, to judge others against."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from crawler.console import progress, safe, say
from crawler.errors import InputError
from crawler.sources.inputs import damage_of, decompressed, open_plain
from crawler.storage.reference_index import (
    ColumnWriter,
    IndexFile,
    NewSegment,
    Segment,
    of_cdxj,
    of_directory,
    write,
)
from crawler.units import counted

LARGE_BYTES = 1_000_000_000
"""What is verified in about a second."""
MOST_MERGED = 1_000
"""Segments of one file: the judge asks each of them in turn."""
_HELD = {"shingles": "shingles", "sketch": "sketches"}
"""Column that a segment has -> what it holds, most telling first."""


def index(args: Namespace) -> int:
    """Write an index of the segments that are kept and those of new sources, or show one."""
    action, output = args.action, args.output
    first, *others = args.paths
    if (output is None) == (action in ("build", "merge")):
        needs = "needs --output FILE" if output is None else "has no --output"
        args.error(f"{action} {needs}")
    if args.shingles and action not in ("build", "add"):
        args.error(f"{action} has no --shingles: it was decided when a segment was built")
    if action == "info" and others:
        args.error("info shows one index")
    if action in ("add", "remove") and not others:
        args.error(f"{action} needs an index, and what to {action}")
    if output is not None and output.exists():
        way_out = "add to it with `index add`, or choose" if action == "build" else "choose"
        raise InputError(f"{output} exists: {way_out} another --output")
    opened = {"build": [], "merge": args.paths}.get(action, [first])
    sources = {"build": args.paths, "add": others}.get(action, [])
    unwanted = [str(path) for path in others] if action in ("add", "remove") else []
    with ExitStack() as stack:
        known: dict[str, NewSegment] = {}
        for path in opened:
            found = stack.enter_context(IndexFile(path))
            _say_large("Verifying", path, sum(one.bytes for one in found.segments))
            found.verify()
            if action == "info":
                _tell(path, found.segments)
                return 0
            for segment in found.segments:
                one = known.setdefault(segment.name, NewSegment(segment, found.data(segment)))
                if one.segment.sha256 != segment.sha256:
                    raise InputError(
                        f"{path} and an index before it have different segments {segment.name}: "
                        "remove one of them (`index remove`)"
                    )
        if action == "remove" and (unknown := set(unwanted) - known.keys()):
            raise InputError(
                f"{first} has no segment {', '.join(sorted(unknown))}; it has: "
                f"{', '.join(sorted(known)) or 'none'}"
            )
        kept = [one for name, one in known.items() if name not in unwanted]
        target = output or first
        names = [str(source) for source in sources]
        if twice := {name for name in names if names.count(name) > 1}:
            raise InputError(f"{twice.pop()} is given twice")
        if len(kept) + len(names) > MOST_MERGED:
            raise InputError(f"{target}: more than {MOST_MERGED:,} segments: begin another index")
        made = [_segment(source, stack, shingles=args.shingles) for source in sources]
        for new in (one.segment for one in made):
            old = known[new.name].segment if new.name in known else new
            if old.began != new.began and old.began and new.began:
                raise InputError(
                    f"{target} has another crawl as {new.name}, begun {old.began}: name this "
                    "one by its full path, or take the other out first (`index remove`)"
                )
        _say_large("Writing", target, sum(one.segment.bytes for one in kept))
        _tell(target, write(target, [*kept, *made]))
    return 0


def _say_large(what: str, path: Path, size: int) -> None:
    """Say what is done with a file, where it takes longer than a moment."""
    if size >= LARGE_BYTES:
        say(progress(f"{what} {path} ({size / 1e9:,.1f} GB) ..."))


def _segment(source: Path, stack: ExitStack, *, shingles: bool) -> NewSegment:
    writer = stack.enter_context(ColumnWriter())

    def told(pages: int) -> None:
        say(progress(f"{source}: {counted(pages, 'page')} read"))

    if not source.is_file():
        return of_directory(source, writer, told, shingles=shingles)
    plain = stack.enter_context(open_plain(source))

    def lines() -> Iterator[bytes]:
        try:
            yield from decompressed(plain)
        except Exception as error:
            raise InputError(f"{source}: it cannot be read: {damage_of(error)}") from None

    return of_cdxj(str(source), lines(), writer, told)


def _tell(path: Path, segments: Sequence[Segment]) -> None:
    pages, size = sum(one.pages for one in segments), path.stat().st_size
    held = f"{counted(pages, 'page')} in {counted(len(segments), 'segment')}"
    print(safe(f"{path}: {held}, {size:,} bytes"))
    for one in segments:
        held = next((told for column, told in _HELD.items() if column in one.columns), "digests")
        state = "" if one.complete else "; its source was stopped, or still ran"
        each = f"{one.bytes / max(1, one.pages):.0f} bytes a page"
        print(
            safe(f"  {one.name}: {one.kind}, {counted(one.pages, 'page')}, {held}, {each}{state}")
        )
