"""The errors a user can meet. Each carries the exit code the command line ends with.

Trouble with one page is never an exception: it is a `Failed` or `Skipped` outcome (see
`crawler.models`). What is raised here stops the program, and its message names the file, field or
URL at fault and the way out.
"""


class CrawlerError(Exception):
    """Base of every error shown to the user as one line, without a traceback."""

    exit_code = 2


class ConfigError(CrawlerError):
    """A job file, flag or seed list that cannot be used as it stands."""


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


def reason(error: OSError | UnicodeError) -> str:
    """Return why a file cannot be read, without its name, which an OSError repeats."""
    return getattr(error, "strerror", None) or str(error)
