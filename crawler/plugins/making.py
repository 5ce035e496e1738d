"""Plugins made: with their options, and seen to have the shape of their protocol."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class Made:
    """The plugins that a crawl itself asks, by name; `told` are all of its job, for people."""

    filters: Sequence[tuple[str, UrlFilter]] = ()
    sinks: Sequence[tuple[str, Sink]] = ()
    told: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Kind -> names, with the packages that they are of; kinds without a plugin are left out."""


def made(
    plugins: Plugins,
    filters: Mapping[str, UrlFilter] | None = None,
    sinks: Mapping[str, Sink] | None = None,
) -> Made:
    """Return the filters and sinks of a job, and objects of the caller's own after them, by name.

    ConfigError as `check`, and where an object has a name that is taken.
    """
    own: Mapping[Kind, Mapping[str, Any]] = {Kind.FILTER: filters or {}, Kind.SINK: sinks or {}}
    for kind, objects in own.items():
        for name, each in objects.items():
            if any(name == use.name for use in getattr(plugins, kind)):
                raise ConfigError(f"plugins.{kind}: {name!r} is there twice: give one another name")
            confirm(kind, each, f"{kind} {name!r}")
    told = {
        kind.value: names
        for kind in Kind
        if (names := [_told(kind, use) for use in getattr(plugins, kind)] + list(own.get(kind, ())))
    }
    return Made(
        [*_all(Kind.FILTER, plugins.filters), *own[Kind.FILTER].items()],
        [*_all(Kind.SINK, plugins.sinks), *own[Kind.SINK].items()],
        told,
    )


def check(plugins: Plugins) -> None:
    """Make every plugin of a job once, so that whatever is wrong is told before a crawl begins.

    Raises ConfigError, which names the key and the way out.
    """
    made(plugins)
    extractors(plugins.extractors)


def extractors(uses: Sequence[Use]) -> list[tuple[str, Extractor]]:
    """Return extractors by name, in order; ConfigError as `check`."""
    return _all(Kind.EXTRACTOR, uses)


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


def confirm(kind: Kind, plugin: object, place: str) -> None:
    """Raise ConfigError unless an object has the methods of its protocol."""
    for name, parameters in _METHODS[kind].items():
        method = getattr(plugin, name, None)
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
        plugin = _called(kind, found, each, place)
    elif each.options:
        raise ConfigError(f"{place} takes no options: it is neither a class nor a function")
    else:
        plugin = found
    confirm(kind, plugin, place)
    return plugin


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
