"""One hostile behaviour: what a server does, and what the crawl must say of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, auto

from crawler.models import Failure, Skip, UrlState
from support.hostile_replies import PAGE
from support.servers import Reply, response

_PAGE = response(PAGE)
_NO_ROBOTS = response(b"", status=404)

End = Failure | Skip | UrlState


class Door(StrEnum):
    """How a host is entered; whatever is not plain HTTP goes wrong before a request is read."""

    HTTP = auto()
    CLOSED = auto()
    SILENT = auto()
    NAMELESS = auto()
    HUNG_UP = auto()
    RESET = auto()
    TLS = auto()
    EXPIRED = auto()
    NOT_YET = auto()
    WRONG_HOST = auto()
    SELF_SIGNED = auto()
    UNKNOWN_CA = auto()
    TLS_ALERT = auto()
    TLS_STALL = auto()
    TLS_RESET = auto()
    TLS_GARBAGE = auto()

    @property
    def scheme(self) -> str:
        """The scheme of the host's URLs."""
        return "http" if self in _PLAIN else "https"


_PLAIN = frozenset({Door.HTTP, Door.CLOSED, Door.SILENT, Door.NAMELESS, Door.HUNG_UP, Door.RESET})


@dataclass(frozen=True)
class Case:
    """One behaviour."""

    name: str
    does: str
    """What the server does or sends; docs/hostile-web.md has the same."""
    end: End
    page: Reply = _PAGE
    """Answers everything but /robots.txt."""
    robots: Reply = _NO_ROBOTS
    door: Door = Door.HTTP
    either: End | None = None
    """How it may end as well, where two events race."""
    tells: str = ""
    """What the failure's detail must hold."""
    after: End | None = None
    """How another URL of the same host must have ended."""
