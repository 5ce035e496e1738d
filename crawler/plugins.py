"""Plugins: what other packages add to a crawl, or files of the user's own.

::

    plugins:                           UrlFilter, Extractor, Sink   what a plugin must do
      filters: [short_urls]            find    by entry point, or as `module:attribute`
      sinks: [{use: "mine:ToSqlite"}]  made    with its options, its shape checked

Who asks them: `crawler.frontier.scope`, `crawler.workers.analyser` (in the processes that read
pages) and `crawler.sources.web.sinks`. docs/plugins.md tells it with an example of each.
"""

from __future__ import annotations

import difflib
import inspect
import pkgutil
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol

from crawler.config import Plugins, Use
from crawler.errors import ConfigError


class UrlFilter(Protocol):
    """Says which links are queued. Any object with this method is one; nothing is inherited."""

    def admits(self, url: str, depth: int, referrer: str) -> bool:
        """Whether a link may be queued that the job's scope admits and that was not seen before.

        `url` is canonical, `depth` its links from a seed, `referrer` the page that has the link,
        redirects there, or is the sitemap that lists it. Neither seeds nor where these redirect to
        are asked about.

        Called on the event loop, for each new link: microseconds, and no waiting. The answer is to
        follow from the arguments alone: a link may be asked about again. What is raised counts as
        False, and is told once.
        """


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as it was fetched."""

    url: str
    """Where the body came from, after redirects."""
    media_type: str
    """`text/html`, `application/xhtml+xml` or `text/plain`; `application/pdf` where the job reads
    PDFs."""
    charset: str
    """WHATWG name of the encoding that `html` was read in."""
    html: str
    """The body as text: whole, and as it was sent. Of a PDF, what the crawler reads of it, as
    HTML."""
    body: bytes
    """The body in bytes, without Content-Encoding."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extractor found; what is None stays as the crawler finds it."""

    text: str | None = None
    """Stored as the page's text, as it is but for characters that no text should have."""
    title: str | None = None
    markdown: str | None = None
    """Stored where the job asks for Markdown (`extract.markdown`); if only `text` is given, none
    is."""
    fields: Mapping[str, Any] | None = None
    """Stored as `extracted` in the page's line: what JSON can hold, with text as keys, up to
    1,000,000 bytes."""


class Extractor(Protocol):
    """Says what is kept of a page. Which pages are copies of each other does not follow from it."""

    def extract(self, page: WebPage) -> Extracted | None:
        """Return what is to be kept of a page; None leaves it to the next one, or to the crawler.

        Called in the processes that read pages, within `analysis.timeout_s` and
        `analysis.memory_bytes`. The answer is to follow from the page alone: it may be read twice,
        by either process. What is raised counts as None, and is told once.
        """


class Sink(Protocol):
    """Takes the lines of pages, each at least once.

    Its methods are called one after the other. Each is a coroutine function, run on the crawl's
    event loop, or an ordinary function, run in a thread of the sink's own, always the same one.
    What is raised stops the crawl; all that was judged is stored by then, and what was not taken
    comes again with the next run.
    """

    def open(self, directory: Path) -> Awaitable[None] | None:
        """Begin; `directory` is the crawl's output. Called before the first page is asked for."""

    def write(self, kind: str, line: Mapping[str, Any]) -> Awaitable[None] | None:
        """Take a line that is durable: `kind` is `pages` of a stored page, or `duplicates`.

        Lines of one kind come in the order of their file, and each has all fields of its schema
        (docs/output.md).
        """

    def flush(self) -> Awaitable[None] | None:
        """Make durable what was taken: it is not given again. Called at least every few seconds."""

    def close(self) -> Awaitable[None] | None:
        """End. Called once after `open`, also where something went wrong."""


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
        declared = _declared(kind)
        if use not in declared:
            known = ", ".join(sorted(declared)) or "none"
            raise ConfigError(
                f"{key}: there is no {use!r}; installed packages declare ({kind.group}): {known}. "
                "Install the package that has it, or name an object of your own as "
                "`module:attribute`"
            )
        try:
            return declared[use].load()
        except Exception as error:
            whence = version_of(kind, use) or declared[use].value
            why = f"{use} of {whence} cannot be imported: {said(error)}"
            raise ConfigError(f"{key}: {why}") from error
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
            close = difflib.get_close_matches(part, dir(found), n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise ConfigError(f"{key}: {module} has no {attribute!r}{meant}") from None
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


def _declared(kind: Kind) -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=kind.group)}


_METHODS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind.FILTER: {"admits": ("url", "depth", "referrer")},
    Kind.EXTRACTOR: {"extract": ("page",)},
    Kind.SINK: {"open": ("directory",), "write": ("kind", "line"), "flush": (), "close": ()},
}
"""Kind -> the methods that its protocol asks for, with their parameters."""


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
            _confirm(kind, each, f"{kind} {name!r}")
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


def _confirm(kind: Kind, plugin: object, place: str) -> None:
    """Raise ConfigError unless an object has the methods of its protocol."""
    for name, parameters in _METHODS[kind].items():
        method = getattr(plugin, name, None)
        call = f"{name}({', '.join(parameters)})"
        if not callable(method):
            raise ConfigError(f"{place} is no plugin for {kind}: it has no method {call}")
        if fault := _fault(method, [None] * len(parameters), {}):
            raise ConfigError(f"{place}: its method cannot be called as {call}: {fault}")
        if kind is not Kind.SINK and inspect.iscoroutinefunction(method):
            raise ConfigError(f"{place}: {name} is called without waiting: make it no coroutine")


def _all(kind: Kind, uses: Sequence[Use]) -> list[tuple[str, Any]]:
    """Return plugins by name: what is named, or what that makes of the options."""
    plugins: list[tuple[str, Any]] = []
    for number, each in enumerate(uses):
        key = f"plugins.{kind}.{number}"
        plugin, place = find(kind, each.use, key), f"{key}: {each.use}"
        has_shape = all(hasattr(plugin, name) for name in _METHODS[kind])
        if inspect.isclass(plugin) or not has_shape:
            if not callable(plugin):
                raise ConfigError(
                    f"{place} is of the type {type(plugin).__name__}: name a class, a function "
                    "that makes a plugin, or an object with the methods "
                    f"{', '.join(_METHODS[kind])}"
                )
            if fault := _fault(plugin, [], each.options):
                takes = ", ".join(inspect.signature(plugin).parameters) or "none"
                raise ConfigError(
                    f"{place} cannot be made with these options: {fault}; it takes {takes}"
                )
            try:
                plugin = plugin(**each.options)
            except Exception as error:
                raise ConfigError(f"{place} cannot be made: {said(error)}") from error
        elif each.options:
            raise ConfigError(f"{place} takes no options: it is neither a class nor a function")
        _confirm(kind, plugin, place)
        plugins.append((each.name, plugin))
    return plugins


def _fault(call: Any, arguments: Sequence[object], options: Mapping[str, Any]) -> str:
    """Return why something cannot be called so; empty where it can, or does not tell."""
    try:
        inspect.signature(call).bind(*arguments, **options)
    except TypeError as error:
        return str(error)
    except ValueError:  # of something compiled, which has no signature
        pass
    return ""


def _told(kind: Kind, each: Use) -> str:
    whence = version_of(kind, each.use)
    named = each.name if each.name == each.use else f"{each.name} = {each.use}"
    return f"{named} ({whence})" if whence else named
