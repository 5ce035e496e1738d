"""Plugins made: with their options, and seen to have the shape of their protocol."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from crawler.config import Plugins, Use
from crawler.errors import ConfigError
from crawler.plugins.finding import Kind, find, said, version_of
from crawler.plugins.protocols import Extractor, Sink, UrlFilter

_METHODS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind.FILTER: {"admits": ("url", "depth", "referrer")},
    Kind.EXTRACTOR: {"extract": ("page",)},
    Kind.SINK: {"open": ("directory",), "write": ("kind", "line"), "flush": (), "close": ()},
}
"""Kind -> the methods that its protocol asks for, with their parameters."""

_MAY_WAIT = Kind.SINK
"""Whose methods may be coroutine functions."""


def check(plugins: Plugins) -> None:
    """Make every plugin of a job once, so that whatever is wrong is told before a crawl begins.

    Raises ConfigError, which names the key and the way out.
    """
    filters(plugins)
    extractors(plugins.extractors)
    sinks(plugins)


def filters(plugins: Plugins) -> list[tuple[str, UrlFilter]]:
    """Return the filters of a job by name, in order; ConfigError as `check`."""
    return _all(Kind.FILTER, plugins.filters)


def extractors(uses: Sequence[Use]) -> list[tuple[str, Extractor]]:
    """Return extractors by name, in order; ConfigError as `check`."""
    return _all(Kind.EXTRACTOR, uses)


def sinks(plugins: Plugins) -> list[tuple[str, Sink]]:
    """Return the sinks of a job by name, in order; ConfigError as `check`."""
    return _all(Kind.SINK, plugins.sinks)


def identity(plugins: Plugins) -> list[dict[str, Any]]:
    """Return what the text of pages follows from: each extractor, its options, its version.

    As JSON-ready data. Nothing is imported: what is not installed has no version.
    """
    return [
        {
            "use": each.use,
            "version": version_of(Kind.EXTRACTOR, each.use),
            "options": dict(each.options),
        }
        for each in plugins.extractors
    ]


def in_use(plugins: Plugins) -> dict[str, list[str]]:
    """Return kind -> the names of the job's plugins, with the packages they are of."""
    return {kind.value: [_told(kind, each) for each in getattr(plugins, kind)] for kind in Kind}


def confirm(kind: Kind, made: object, place: str) -> None:
    """Raise ConfigError unless an object has the methods of its protocol."""
    for name, parameters in _METHODS[kind].items():
        method = getattr(made, name, None)
        call = f"{name}({', '.join(parameters)})"
        if not callable(method):
            raise ConfigError(f"{place} is no plugin for {kind}: it has no method {call}")
        if fault := _fault(method, [None] * len(parameters), {}):
            raise ConfigError(f"{place}: its method cannot be called as {call}: {fault}")
        if kind is not _MAY_WAIT and inspect.iscoroutinefunction(method):
            raise ConfigError(f"{place}: {name} is called without waiting: make it no coroutine")


def _all(kind: Kind, uses: Sequence[Use]) -> list[tuple[str, Any]]:
    return [
        (each.name, _made(kind, each, f"plugins.{kind}.{number}"))
        for number, each in enumerate(uses)
    ]


def _made(kind: Kind, each: Use, key: str) -> Any:
    """Return a plugin: what is named, or what that makes of the options."""
    found, place = find(kind, each.use, key), f"{key}: {each.use}"
    if inspect.isclass(found) or not _has_shape(kind, found):
        made = _called(kind, found, each, place)
    elif each.options:
        raise ConfigError(f"{place} takes no options: it is neither a class nor a function")
    else:
        made = found
    confirm(kind, made, place)
    return made


def _has_shape(kind: Kind, found: object) -> bool:
    return all(hasattr(found, name) for name in _METHODS[kind])


def _called(kind: Kind, make: Any, each: Use, place: str) -> Any:
    """Call a class or function with the options, by name."""
    if not callable(make):
        raise ConfigError(
            f"{place} is of the type {type(make).__name__}: name a class, a function that makes a "
            f"plugin, or an object with the methods {', '.join(_METHODS[kind])}"
        )
    if fault := _fault(make, [], each.options):
        raise ConfigError(f"{place} cannot be made with these options: {fault}{_takes(make)}")
    try:
        return make(**each.options)
    except Exception as error:
        raise ConfigError(f"{place} cannot be made: {said(error)}") from error


def _fault(call: Any, arguments: Sequence[object], options: Mapping[str, Any]) -> str:
    """Return why something cannot be called so; empty where it can, or does not tell."""
    try:
        inspect.signature(call).bind(*arguments, **options)
    except TypeError as error:
        return str(error)
    except ValueError:  # of something compiled, which has no signature
        return ""
    return ""


def _takes(make: Any) -> str:
    names = ", ".join(inspect.signature(make).parameters)
    return f"; it takes {names}" if names else "; it takes none"


def _told(kind: Kind, each: Use) -> str:
    whence = version_of(kind, each.use)
    named = each.name if each.name == each.use else f"{each.name} = {each.use}"
    return f"{named} ({whence})" if whence else named
