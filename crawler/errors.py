"""The errors a user can meet. Each carries the exit code the command line ends with.

Trouble with one page is never an exception: it is a `Failed` or `Skipped` outcome (see
`crawler.models`). What is raised here stops the program, and its message names the file, field or
URL at fault and the way out.
"""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class CrawlerError(Exception):
    """Base of every error shown to the user as one line, without a traceback."""

    exit_code = 2


class ConfigError(CrawlerError):
    """A job file, flag or seed list that cannot be used as it stands."""


class NotInstalled(ConfigError):
    """A package that is asked for and not there, such as one of an extra.

    The one place that says how it is installed: the command finds a program that is installed by
    its name, from any directory, and brings what that lacks.
    """

    def __init__(self, what: str, package: str, extra: str = "", instead: str = "") -> None:
        """`what` needs the package, which an extra brings, or the program itself; or `instead`."""
        brings = f"pip install 'inline-crawler[{extra}]'" if extra else "pip install inline-crawler"
        way_out = f"{brings}, or {instead}" if instead else brings
        super().__init__(f"{what} needs {package}, which is not installed: {way_out}")


class CannotListen(ConfigError):
    """An address that a flag names, and nobody can listen at."""

    def __init__(self, flag: str, host: str, port: int, error: OSError | UnicodeError) -> None:
        """Say what the system has against it, and what to give instead."""
        match getattr(error, "errno", None):
            case errno.EADDRINUSE:
                why = f"another program has port {port}: stop it, or give another port"
                way_out = f"{why} (0: any that is free)"
            case errno.EACCES:
                way_out = f"port {port} is not for this user: give one above 1023"
            case errno.EADDRNOTAVAIL:
                way_out = f"{host} is no address of this machine: give one that is, or no host"
            case _:
                way_out = f"{reason(error)}: give another address"
        super().__init__(f"{flag} {host}:{port}: cannot listen there: {way_out}")


class PlatformError(CrawlerError):
    """An operating system on which the crawler does not run."""


class InputError(CrawlerError):
    """A file or document given to be judged or explained that cannot be read as it stands."""


class StoreError(CrawlerError):
    """The output directory cannot be read, written or trusted; the crawl must stop."""

    exit_code = 3


class StoreInUse(StoreError):
    """Another process holds the output directory."""

    exit_code = 2


class LinesLost(StoreError):
    """A line file was deleted, replaced or changed by another program while this one wrote it."""


class StoreMismatch(StoreError):
    """The directory holds no crawl, another schema, or a crawl with other identity settings."""

    exit_code = 2


class SinkError(CrawlerError):
    """A sink of the job's own failed (`crawler.plugins.Sink`); the crawl must stop."""

    exit_code = 3


class JudgeDamaged(CrawlerError):
    """What is known of stored pages went wrong in memory; the crawl must stop, and can resume."""

    exit_code = 3


class AnalysisUnavailable(CrawlerError):
    """The processes that read pages cannot be started; the crawl must stop.

    `passes` where this machine is short of something just now, such as files or memory.
    """

    exit_code = 3

    def __init__(self, message: str, *, passes: bool = False) -> None:
        super().__init__(message)
        self.passes = passes


@contextmanager
def needed_by(what: str) -> Iterator[None]:
    """Load modules for a part of the program; NotInstalled where a package that they need lacks."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("crawler", "inline_crawler", *sys.stdlib_module_names):
            raise
        raise NotInstalled(what, package) from None


def reason(error: OSError | UnicodeError) -> str:
    """Return why a file cannot be read, without its name, which an OSError repeats."""
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text: save it as that"
    return getattr(error, "strerror", None) or str(error)
