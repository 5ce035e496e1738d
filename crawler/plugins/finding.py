"""What a job names, found: an entry point of an installed package, or `module:attribute`."""

from __future__ import annotations

import difflib
import pkgutil
import sys
from collections.abc import Mapping
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from crawler.errors import ConfigError

_MOST_SHOWN = 300
"""Characters of somebody else's exception."""


class Kind(StrEnum):
    """What a plugin is for: its key below `plugins`, and the end of its entry point group."""

    FILTER = "filters"
    EXTRACTOR = "extractors"
    SINK = "sinks"

    @property
    def group(self) -> str:
        """The group of entry points that packages declare such plugins in."""
        return f"inline_crawler.{self.value}"


def find(kind: Kind, use: str, key: str) -> Any:
    """Return what `use` names; `key` is where the job says so.

    Raises ConfigError where there is no such thing, or it cannot be imported. A module is looked
    for in the directory that the program was started in, too, after all others.
    """
    module, colon, attribute = use.partition(":")
    if not colon:
        return _entry_point(kind, use, key)
    if not module or not attribute:
        raise ConfigError(f"{key}: {use!r} is not `module:attribute`")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found = pkgutil.resolve_name(f"{module}:")
    except Exception as error:
        where = "; it is looked for in the directory where the program was started, too"
        way_out = where if isinstance(error, ModuleNotFoundError) else ""
        raise ConfigError(f"{key}: {module} cannot be imported: {said(error)}{way_out}") from error
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ConfigError(
                f"{key}: {module} has no {attribute!r}{_close(part, found)}"
            ) from None
    return found


def version_of(kind: Kind, use: str) -> str | None:
    """Return name and version of the package that declares an entry point; None where none does."""
    declared = _declared(kind).get(use)
    if declared is None or declared.dist is None:
        return None
    return f"{declared.dist.name} {declared.dist.version}"


def said(error: Exception) -> str:
    """Return what an exception of somebody else's code says, in one line."""
    message = " ".join(str(error).split())[:_MOST_SHOWN]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _entry_point(kind: Kind, use: str, key: str) -> Any:
    declared = _declared(kind)
    if use not in declared:
        known = ", ".join(sorted(declared)) or "none"
        raise ConfigError(
            f"{key}: there is no {use!r}; installed packages declare ({kind.group}): {known}. "
            "Install the package that has it, or name an object of your own as `module:attribute`"
        )
    try:
        return declared[use].load()
    except Exception as error:
        whence = version_of(kind, use) or declared[use].value
        raise ConfigError(f"{key}: {use} of {whence} cannot be imported: {said(error)}") from error


def _declared(kind: Kind) -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=kind.group)}


def _close(name: str, within: Any) -> str:
    close = difflib.get_close_matches(name, dir(within), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
