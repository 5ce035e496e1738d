"""How servers are asked: who says so, how often, and with what patience."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from crawler.config.sections.access import EnvironmentName, OwnFile, ProxyUrl
from crawler.config.sections.base import HeaderName, Section, Whole

MOST_OF_VALUE = 1000
"""Characters of a header's value; servers refuse heads of 8 kB and more."""


def _can_be_sent(value: str) -> str:
    if not (0 < len(value) <= MOST_OF_VALUE and value.isascii() and value.isprintable()):
        raise ValueError(f"must be one line of ASCII, of 1 to {MOST_OF_VALUE} characters")
    if value != value.strip():
        raise ValueError("must not begin or end with a blank")
    return value


HeaderValue = Annotated[str, AfterValidator(_can_be_sent)]
"""A field value of HTTP (RFC 9110 5.5), in ASCII."""

OWN_HEADERS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "if-modified-since",
        "if-none-match",
        "keep-alive",
        "range",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
"""What only the program can say truly: how a message travels, and what it can read."""

_LOGIN = "for a login say fetch.netrc, or basic_env or token_env under hosts"
SECRETS = {
    "authorization": _LOGIN,
    "cookie": "for cookies say fetch.cookies",
    "proxy-authorization": "for the login to a proxy say fetch.proxy_env",
}
"""Headers that a job must not hold, since it is kept beside the output -> the way out."""


def _are_named_once(headers: object) -> object:
    if isinstance(headers, dict) and len({str(n).lower() for n in headers}) < len(headers):
        raise ValueError("a name is there twice: capital and small letters are the same in it")
    return headers


def _may_be_said(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name in SECRETS:
            raise ValueError(f"{name!r} would be kept with the crawl: {SECRETS[name]}")
        if name in OWN_HEADERS:
            way = "; say user_agent.full" if name == "user-agent" else ""
            raise ValueError(f"{name!r} is set by the program itself{way}")
    return headers


Headers = Annotated[
    dict[HeaderName, HeaderValue], BeforeValidator(_are_named_once), AfterValidator(_may_be_said)
]
"""Header fields to be sent: name -> value."""


ProductToken = Annotated[str, Field(pattern=r"^[A-Za-z_-]+$", max_length=64)]
"""What robots.txt files call a crawler (RFC 9309 2.2.1)."""


class Agent(Section):
    """Who the crawler says it is."""

    name: ProductToken = "InlineCrawler"
    """Product token, also the name looked for in robots.txt (RFC 9309 2.2.1)."""
    contact: Annotated[str, Field(pattern=r"^[\x20-\x7e]*$", max_length=200)] | None = None
    """A URL or address where the operator can be reached; public crawls should have one."""
    full: HeaderValue | None = None
    """The whole User-Agent header, in place of the one made of name, version and contact."""

    @field_validator("full")
    @classmethod
    def _names_the_agent(cls, full: str | None, info: ValidationInfo) -> str | None:
        name = info.data.get("name")
        if full is not None and name is not None and name.lower() not in full.lower():
            raise ValueError(
                f"must contain user_agent.name ({name}), which robots.txt files speak to"
            )
        return full


class Politeness(Section):
    """How hard a host may be asked. The defaults suit other people's servers."""

    delay_s: Annotated[float, Field(ge=0, le=3600)] = 1.0
    """Pause between a response and the next request to the same host."""
    delay_factor: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Pause for so many times as long as the answer took, if that is longer than `delay_s` and what
    robots.txt asks for; 0: pauses do not follow it. (Heritrix has the same name for it.)"""
    max_delay_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """The longest pause that `delay_factor` leads to."""
    per_host: Annotated[int, Field(ge=1, le=64)] = 1
    """Requests at once to one host."""
    per_address: Annotated[int, Field(ge=1, le=256)] = 4
    """Requests at once to one IP address, whatever names it has."""
    robots: bool = True
    max_crawl_delay_s: Annotated[float, Field(ge=0)] = 60.0
    """A longer Crawl-delay is cut to this."""
    robots_wait_s: Annotated[float, Field(ge=0)] = 300.0
    """How long a host whose robots.txt answers 5xx or 429 is waited for before it is put aside."""
    dead_after_s: Annotated[float, Field(ge=0)] = 6 * 3600.0
    """How long a host that never answered must have failed, over all runs, until its URLs end."""
    max_retry_after_s: Annotated[float, Field(ge=0)] = 3600.0


class Fetch(Section):
    """The network."""

    workers: Annotated[int, Field(ge=1, le=2000)] = 32
    dns_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10.0
    headers_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """From the request to the end of the response headers."""
    read_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    """The longest silence inside a body."""
    total_timeout_s: Annotated[float, Field(gt=0)] = 120.0
    max_wire_bytes: Annotated[Whole, Field(ge=1024)] = 10_000_000
    max_body_bytes: Annotated[Whole, Field(ge=1024)] = 10_000_000
    """After decompression. A larger page is skipped as `too-large`."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """Upper bound over the failure table's own counts."""
    headers: Headers = Field(default_factory=dict)
    """Header fields sent with every request, in place of our own where we have such: name -> value.
    """
    resolve: dict[str, str] = Field(default_factory=dict)
    """Host name -> IP address, asked before DNS; the name may then lead to a local address, at the
    ports that seeds or `scope.include` name."""
    allow_addresses: tuple[str, ...] = ()
    """CIDR ranges admitted although they are private, loopback or otherwise reserved."""
    proxy: ProxyUrl | None = None
    """Proxy that all requests go through: a URL of http, https, socks4 or socks5, without a login.
    """
    proxy_env: EnvironmentName | None = None
    """Environment variable that holds the proxy's URL, with user and password if it wants them."""
    cookies: OwnFile | None = None
    """File of cookies as browsers export them (Netscape format), each sent where it belongs."""
    netrc: OwnFile | None = None
    """File of logins by host, as curl and ftp read it; its `default` is not used."""
    logins_over_http: bool = False
    """Send logins over http, too, where whoever is on the way can read them."""
    ca_file: OwnFile | None = None
    """Certificates (PEM) of authorities that are trusted beside the system's."""

    @model_validator(mode="after")
    def _has_one_proxy(self) -> Self:
        if self.proxy and self.proxy_env:
            raise ValueError("proxy and proxy_env are both given: leave one out")
        if self.resolve and (self.proxy or self.proxy_env):
            raise ValueError("resolve has no effect with a proxy, which looks names up itself")
        return self

    @field_validator("resolve")
    @classmethod
    def _addresses(cls, names: dict[str, str]) -> dict[str, str]:
        return {name.lower(): str(ip_address(address)) for name, address in names.items()}

    @field_validator("allow_addresses")
    @classmethod
    def _networks(cls, ranges: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(str(ip_network(text)) for text in ranges)
