"""What a run is judged against: opened as it stood when the run began, or told why it cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from crawler.earlier.directories import DirectoryPages, check_comparable
from crawler.earlier.layers import LayeredCatalog
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
    opened = []
    for path in against:
        pages = DirectoryPages(path)
        stack.callback(pages.close)
        check_comparable(str(path), pages.identity, identity)
        opened.append(pages)
    began: list[Any] = store.meta(Meta.AGAINST, [])
    for pages, then in zip(opened, began, strict=False):
        _as_it_was(pages, then)
    store.set_meta(Meta.AGAINST, [{"documents": p.documents, "mark": p.mark} for p in opened])
    return LayeredCatalog(store.catalog, store.key, opened)


def _as_it_was(pages: DirectoryPages, then: Any) -> None:
    """Look at no more pages than there were; StoreMismatch where it is another crawl by now."""
    known = then if isinstance(then, dict) else {"documents": then, "mark": ""}  # older runs
    replaced = known["mark"] and pages.mark and known["mark"] != pages.mark
    if replaced or pages.documents < known["documents"]:
        raise StoreMismatch(
            f"{pages.name} is not what this run has been judged against so far, "
            f"{known['documents']:,} pages: put that back, or begin anew in another directory"
        )
    pages.documents = known["documents"]
