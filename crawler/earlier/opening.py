"""What a run is judged against: opened as it stood when the run began, or told why it cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

from crawler.earlier.directories import DirectoryPages, check_comparable
from crawler.earlier.index_file import IndexFile
from crawler.earlier.layers import LayeredCatalog
from crawler.earlier.segments import SegmentCatalog, SegmentPages
from crawler.errors import StoreMismatch
from crawler.storage import Meta, Store


def resolved(against: Sequence[Path]) -> list[str]:
    """Return directories and files as a run's identity names them, under the key `against`."""
    return [str(path.resolve()) for path in against]


def open_layers(
    against: Sequence[Path], store: Store, identity: Mapping[str, Any], stack: ExitStack
) -> LayeredCatalog:
    """Open all that a run of `identity` is judged against, until the stack closes.

    A run that goes on sees each as it was at its beginning. Raises StoreMismatch for what is no
    crawl, cannot be compared, or is not any more what it was then.
    """
    opened = [pages for path in against for pages in _opened(path, identity, stack)]
    began: list[Any] = store.meta(Meta.AGAINST, [])
    for pages, then in zip_longest(opened, began) if began else ():
        _as_it_was(pages, then)
    store.set_meta(Meta.AGAINST, [{"documents": p.documents, "mark": p.mark} for p in opened])
    return LayeredCatalog(store.catalog, store.key, opened)


def _opened(
    path: Path, identity: Mapping[str, Any], stack: ExitStack
) -> Iterator[DirectoryPages | SegmentPages]:
    """Yield the pages of a directory, or of each segment of a portable index."""
    if not path.is_file():
        pages = DirectoryPages(path)
        stack.callback(pages.close)
        check_comparable(str(path), pages.identity, identity)
        yield pages
        return
    index = stack.enter_context(IndexFile(path))
    index.verify()
    for segment in index.segments:
        name = f"{path} (segment {segment.name})"
        check_comparable(name, segment.settings, identity, segment.settings.keys())
        yield SegmentPages(str(path), segment, SegmentCatalog(index, segment))


def _as_it_was(pages: DirectoryPages | SegmentPages | None, then: Any) -> None:
    """Look at no more pages than there were; StoreMismatch where it is another crawl by now."""
    if pages is None or then is None:
        raise StoreMismatch(f"an index that this run is judged against {_CHANGED}")
    known = then if isinstance(then, dict) else {"documents": then, "mark": ""}  # older runs
    replaced = known["mark"] and pages.mark and known["mark"] != pages.mark
    if replaced or pages.documents < known["documents"]:
        raise StoreMismatch(f"{pages.name} {_CHANGED}")
    if isinstance(pages, DirectoryPages):
        pages.documents = known["documents"]


_CHANGED = (
    "is not what this run has been judged against so far: put back what was there when it began, "
    "or begin anew in another directory"
)
