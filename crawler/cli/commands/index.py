"""`index`: what is known of crawls and corpora in one portable file, to judge others against."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType

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

LARGE_BYTES = 1_000_000_000
"""What is verified in about a second."""
MOST_MERGED = 1_000
"""Segments of one file: the judge asks each of them in turn."""


def index(args: Namespace) -> int:
    """Do with an index what is asked for."""
    action, paths, output = args.action, args.paths, args.output
    if (output is None) == (action in ("build", "merge")):
        needs = "needs --output FILE" if output is None else "has no --output"
        args.error(f"{action} {needs}")
    if args.shingles and action not in ("build", "add"):
        args.error(f"{action} has no --shingles: it was decided when a segment was built")
    first, *others = paths
    if action == "info" and others:
        args.error("info shows one index")
    if action in ("add", "remove") and not others:
        args.error(f"{action} needs an index, and what to {action}")
    match action:
        case "build":
            _build(paths, output, args.shingles)
        case "add":
            _add(first, others, args.shingles)
        case "remove":
            _remove(first, others)
        case "merge":
            _merge(paths, output)
        case _:
            with _opened(first) as found:
                _tell(first, found.segments)
    return 0


def _build(sources: Sequence[Path], output: Path, shingles: bool) -> None:
    """Write a new index of some directories and CDXJ files."""
    if output.exists():
        raise InputError(f"{output} exists: add to it with `index add`, or choose another --output")
    _write(output, [], sources, shingles)


def _add(path: Path, sources: Sequence[Path], shingles: bool) -> None:
    """Add sources to an index, each in place of what the index has of it."""
    with _kept(path, {str(source) for source in sources}) as (kept, known):
        _write(path, kept, sources, shingles, known)


def _remove(path: Path, names: Sequence[Path]) -> None:
    """Take segments out of an index, by their names."""
    unwanted = {str(name) for name in names}
    with _kept(path, unwanted) as (kept, known):
        if unknown := unwanted - known.keys():
            raise InputError(
                f"{path} has no segment {', '.join(sorted(unknown))}; it has: "
                f"{', '.join(sorted(known)) or 'none'}"
            )
        _write(path, kept, (), shingles=False)


def _merge(paths: Sequence[Path], output: Path) -> None:
    """Write all segments of some indexes into a new one; what several have alike, once."""
    if output.exists():
        raise InputError(f"{output} exists: choose another --output")
    merged: dict[str, NewSegment] = {}
    with ExitStack() as stack:
        for path in paths:
            index = stack.enter_context(_opened(path))
            for segment in index.segments:
                known = merged.setdefault(segment.name, _as_it_is(index, segment))
                if known.segment.sha256 != segment.sha256:
                    raise InputError(
                        f"{path} and an index before it have different segments {segment.name}: "
                        "remove one of them (`index remove`)"
                    )
        _write(output, list(merged.values()), (), shingles=False)


def _write(
    path: Path,
    kept: Sequence[NewSegment],
    sources: Sequence[Path],
    shingles: bool,
    known: Mapping[str, Segment] = MappingProxyType({}),
) -> None:
    names = [str(source) for source in sources]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"{twice.pop()} is given twice")
    if len(kept) + len(names) > MOST_MERGED:
        raise InputError(f"{path}: more than {MOST_MERGED:,} segments: begin another index")
    with ExitStack() as stack:
        made = [_segment(source, stack, shingles=shingles) for source in sources]
        for new in (one.segment for one in made):
            old = known.get(new.name)
            if old is not None and old.began != new.began and old.began and new.began:
                raise InputError(
                    f"{path} has another crawl as {new.name}, begun {old.began}: name this one by "
                    "its full path, or take the other out first (`index remove`)"
                )
        _say_large("Writing", path, sum(one.segment.bytes for one in kept))
        _tell(path, write(path, [*kept, *made]))


def _say_large(what: str, path: Path, size: int) -> None:
    """Say what is done with a file, where it takes longer than a moment."""
    if size >= LARGE_BYTES:
        say(progress(f"{what} {path} ({size / 1e9:,.1f} GB) ..."))


def _segment(source: Path, stack: ExitStack, *, shingles: bool) -> NewSegment:
    writer = stack.enter_context(ColumnWriter())

    def told(pages: int) -> None:
        say(progress(f"{source}: {pages:,} pages read"))

    if not source.is_file():
        return of_directory(source, writer, told, shingles=shingles)
    plain = stack.enter_context(open_plain(source))

    def lines() -> Iterator[bytes]:
        try:
            yield from decompressed(plain)
        except Exception as error:
            raise InputError(f"{source}: it cannot be read: {damage_of(error)}") from None

    return of_cdxj(str(source), lines(), writer, told)


@contextmanager
def _kept(
    path: Path, unwanted: set[str]
) -> Iterator[tuple[list[NewSegment], Mapping[str, Segment]]]:
    """Yield the segments of an index but for some, as they lie in it, and all by name."""
    with _opened(path) as index:
        kept = [_as_it_is(index, one) for one in index.segments if one.name not in unwanted]
        yield kept, {one.name: one for one in index.segments}


@contextmanager
def _opened(path: Path) -> Iterator[IndexFile]:
    with IndexFile(path) as index:
        _say_large("Verifying", path, sum(one.bytes for one in index.segments))
        index.verify()
        yield index


def _as_it_is(index: IndexFile, segment: Segment) -> NewSegment:
    return NewSegment(segment, index.data(segment))


def _tell(path: Path, segments: Sequence[Segment]) -> None:
    pages, size = sum(one.pages for one in segments), path.stat().st_size
    print(safe(f"{path}: {pages:,} pages in {len(segments):,} segments, {size:,} bytes"))
    for one in segments:
        held = next((told for column, told in _HELD.items() if column in one.columns), "digests")
        state = "" if one.complete else "; its source was stopped, or still ran"
        each = f"{one.bytes / max(1, one.pages):.0f} bytes a page"
        print(safe(f"  {one.name}: {one.kind}, {one.pages:,} pages, {held}, {each}{state}"))


_HELD = {"shingles": "shingles", "sketch": "sketches"}
"""Column that a segment has -> what it holds, most telling first."""
