"""Settings for some hosts that differ from the job's."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import Field, model_validator

from crawler import urls
from crawler.config.sections.access import EnvironmentName, OwnFile, SecretHeaders
from crawler.config.sections.asking import Headers, ProductToken
from crawler.config.sections.base import Section, Whole
from crawler.config.sections.reach import Patterns

_PATTERN = re.compile(r"(\*\.)?([^\s/?#*:@]+)(?::([0-9]+))?")
_USUAL_PORTS = ("80", "443")


def as_host_pattern(written: str) -> str:
    """Return a pattern of hosts with its name as host keys have it: `*.例子.中国` in Punycode.

    That is a host's name, or `*.` and a name for that and all below it; with a port only that.
    ValueError where it is none.
    """
    parts = _PATTERN.fullmatch(written)
    canonical = urls.Canonicaliser()(f"http://{parts[2]}/") if parts else None
    if parts is None or canonical is None:
        raise ValueError(
            f"{written!r} is no pattern of hosts, such as shop.example.org or *.example.org"
        )
    if parts[3] in _USUAL_PORTS:
        raise ValueError(f"{written!r}: leave out the port, which is the usual one")
    port = f":{int(parts[3])}" if parts[3] else ""
    return f"{parts[1] or ''}{urls.host_key(canonical)}{port}"


class HostBlock(Section):
    """What holds for the hosts of one pattern; None: what the job says for all."""

    delay_s: Annotated[float, Field(ge=0, le=3600)] | None = None
    delay_factor: Annotated[float, Field(ge=0, le=1000)] | None = None
    per_host: Annotated[int, Field(ge=1, le=64)] | None = None
    pages: Annotated[Whole, Field(ge=0)] | None = None
    """Pages fetched of one host, over all runs; its other URLs stay pending."""
    bytes: Annotated[Whole, Field(ge=1)] | None = None
    """Of bodies of one host as they travelled, over all runs; likewise."""
    robots_agent: ProductToken | None = None
    """Product token in place of `user_agent.name`: these hosts are told it, and what their
    robots.txt and pages say to it is obeyed."""
    headers: Headers = Field(default_factory=dict)
    """Sent to these hosts beside the job's, in place of those of the same name."""
    basic_env: EnvironmentName | None = None
    """Environment variable that holds `user:password`, sent to these hosts only (RFC 7617)."""
    token_env: EnvironmentName | None = None
    """Environment variable that holds a token, sent as `Authorization: Bearer` (RFC 6750)."""
    headers_env: SecretHeaders = Field(default_factory=dict)
    """Header field -> environment variable that holds its value, such as `x-api-key`."""
    client_certificate: OwnFile | None = None
    """Certificate (PEM) shown to these hosts if they ask for one, with its key or without."""
    client_key: OwnFile | None = None
    """Its key (PEM, not encrypted)."""
    include: Patterns = ()
    """Beside the job's own: a URL must be admitted by both."""
    exclude: Patterns = ()
    follow_only: Patterns = ()
    """Beside the job's own: one of them is enough."""

    @model_validator(mode="after")
    def _has_one_login(self) -> Self:
        if self.basic_env and self.token_env:
            raise ValueError("basic_env and token_env are both given: leave one out")
        if self.client_key and not self.client_certificate:
            raise ValueError("client_key is given without client_certificate")
        return self
