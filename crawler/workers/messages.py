"""What crawler and analysis processes say to each other: small, frozen and picklable.

A message travels as a frame: its length (8 bytes, big-endian) and a pickle. Both ends are this
program. `Start` is told to the fork server, and answered by a str: why nothing can be read, empty
if it can; so is `HELLO`, the first frame to a process. A `Question` is answered by `Document`,
`PageLinks`, `Listing` or `AnalysisFailed`, or what else the started analyser makes.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from crawler.config import Dedup, Extract, Job, Use
from crawler.extract.installed import check_installed
from crawler.models import Failure

HEADER = struct.Struct(">Q")
"""Length of the pickle that follows, in bytes."""

REQUEST = struct.Struct(">cI")
"""What a fork server is asked for: FORK, with the descriptor of a socket, or KILL and an id."""
FORK, KILL = b"f", b"k"

BORN, ENDED, UNBORN = b"b", b"e", b"u"
"""What it tells, each as a tuple in a frame: BORN, an id and 0; ENDED, an id and the exit code (of
a signal, its negative number); or UNBORN, 0 and the system's error number."""

ANALYSIS_VERSION = 6
"""Raised whenever the same bytes would give another text or other links; part of a crawl's
identity."""


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """The part of a job that an analysis process needs."""

    tracking_parameters: frozenset[str]
    agent: str
    """Product token: meta robots may speak to it by name."""
    dedup: Dedup
    extract: Extract = field(default_factory=Extract)
    languages: tuple[str, ...] = ()
    """Those that are wanted; empty: all."""
    keys: tuple[bytes, ...] = field(default=(), repr=False)
    """Of the stores that texts are compared with (`crawler.dedup.Signer`)."""
    learns_urls: bool = False
    """Whether the lines of texts are told, for what the crawl learns of URLs."""

    @classmethod
    def of(cls, job: Job, keys: tuple[bytes, ...] = ()) -> AnalysisSettings:
        """Return the analysis settings of a job.

        Raises ConfigError where the job's engine, or what else it asks for, is not installed.
        """
        check_installed(job.extract)
        tracking = frozenset(job.urls.tracking_parameters)
        agent, languages = job.user_agent.name, job.scope.languages
        return cls(tracking, agent, job.dedup, job.extract, languages, keys, job.learn.urls)


@dataclass(slots=True)
class AnalysisRequest:
    """A page as fetched, and how it is to be read: that is filled in when its turn comes."""

    url: str
    """Where the body came from; links are resolved against it."""
    body: bytes
    media_type: str
    """Lower-case essence of Content-Type."""
    charset: str | None
    """What the server declared, if anything."""
    template: bytes | None = None
    """What was learned of its site, packed (`extract.templates`); it reads the page if it can."""
    teaches: bool = False
    """Whether its site's template is to be learned from it, also where that reads it."""
    doubted: bool = False
    """Whether the template's text was like another page's, or too short: it is read without, and
    judged on all that is visible."""
    agent: str | None = None
    """Product token that its host knows us by; None: that of the settings."""
    routes: bool = False
    """Whether fragments that are paths lead to other pages, since scripts have made this one."""


@dataclass(frozen=True, slots=True)
class AnalysisFailed:
    """A page that could not be read; `failure` is one of `ANALYSIS_*` or `PDF_*`."""

    failure: Failure
    detail: str


@dataclass(frozen=True, slots=True)
class Start:
    """What to run, told to a fork server.

    `make` is picklable, so it is a module's own class or function. What it makes can `warm` (load
    what the first question should not wait for) and `analyse` a request, and `links` where that is
    asked for; None: `crawler.workers.analyser.Analyser`, with the job's own `extractors`.
    `memory_bytes` bounds the process's whole address space (RLIMIT_AS) once it is warm,
    where the system has such a bound.
    """

    make: Callable[[AnalysisSettings], Any] | None
    settings: AnalysisSettings
    memory_bytes: int
    extractors: tuple[Use, ...] = ()


class Asks(StrEnum):
    """What is asked of an analyser: the name of its method.

    Any later frame is one of these, and an AnalysisRequest, or what another analyser takes.
    """

    PAGE = "analyse"
    LINKS = "links"
    LISTING = "listing"
    SHELL = "shell"


def frame(message: Any) -> bytes:
    """Return a message as it travels."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body)) + body


HELLO = frame("")
"""Asks a process whether it is ready."""
