"""Where an object or a row keeps a document: names of fields, also of nested ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TELLING = ("title", "url")
"""Fields that tell, where they are there, whether two documents are one page."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Where an object keeps a document.

    A name with dots leads into objects within objects, `metadata.url` to the `url` of the object
    `metadata`, unless there is a field whose own name has those dots.
    """

    text: str = "text"
    id: str | None = None
    """None: `id` where there is one, else the number of the line."""

    @property
    def id_name(self) -> str:
        """Return the name under which an id is looked for."""
        return "id" if self.id is None else self.id


def take(record: dict[str, Any], name: str) -> Any:
    """Remove a field from an object and return it; KeyError where there is none."""
    if name in record:
        return record.pop(name)
    outer, dot, inner = name.partition(".")
    while dot:
        if isinstance(within := record.get(outer), dict):
            try:
                return take(within, inner)
            except KeyError:
                pass
        more, dot, inner = inner.partition(".")
        outer += f".{more}"
    raise KeyError(name)


def names(record: Mapping[str, Any]) -> str:
    """Return the first names of an object's fields, for a message."""
    return ", ".join(map(repr, list(record)[:8])) or "none"
