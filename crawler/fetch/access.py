"""How a crawl gets through: its proxy; logins, cookies and certificates, each for its own host.

Logins and cookies are chosen for every request anew, by its own URL: that of a page, of a
robots.txt, of what a redirect leads to. A job names environment variables and files; what these
hold is read once (`Access`), stays in memory, and is shown by no error, `repr` or log.
"""

from __future__ import annotations

import netrc
import os
import ssl
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Self

import ada_url

import crawler
from crawler import config
from crawler.config.job import split_proxy
from crawler.errors import ConfigError, NotInstalled, reason
from crawler.fetch.response import http_date
from crawler.fetch.trouble import Trouble
from crawler.frontier.scope import HostOverrides
from crawler.models import Failure, Obstacle
from crawler.urls import Canonicaliser, host_key, hostname

MAX_COOKIES = 50
MAX_COOKIE_BYTES = 4096
"""What a user agent should be able to keep for a host (RFC 6265 6.1), and what we keep."""
MAX_HEADER_BYTES = 16_384
"""All of them together: more than servers take in a request's head."""

MAX_ATTRIBUTES = 32
"""Of a cookie; RFC 6265 5.2 knows six."""

_Key = tuple[str, str]
"""Name and path."""


class ChainCookies:
    """What the pages of one origin set on the way of one redirect chain.

    They go back to that origin only, so that a Domain can but refuse a cookie, and Secure says
    nothing: they came by the same channel. Neither `repr` nor any message shows them.
    """

    def __init__(self) -> None:
        self._kept: dict[_Key, str] = {}

    def keep(self, set_cookies: Iterable[str], url: str, now: float) -> None:
        """Take the Set-Cookie headers of the response to a request for `url` at Unix time `now`.

        What is malformed, meant for another host, or beyond the bounds above is left out.
        """
        parsed = ada_url.URL(url)
        for header in set_cookies:
            # RFC 6265 5.2: the pair ends at the first semicolon.
            pair, _, rest = header.partition(";")
            name, separator, value = (part.strip() for part in pair.partition("="))
            # Of one that is repeated the last (RFC 6265 5.3).
            parts = rest.split(";", MAX_ATTRIBUTES)[:MAX_ATTRIBUTES]
            read = (part.partition("=") for part in parts)
            attributes = {key.strip().lower(): said.strip() for key, _, said in read}
            domain = attributes.get("domain", "").lower().removeprefix(".")
            if not (separator and name and pair.isascii() and pair.isprintable()):
                continue
            host = parsed.hostname
            below = host.endswith(f".{domain}") and not host[-1].isdigit()
            if domain and host != domain and not below:  # no domain-match (RFC 6265 5.1.3)
                continue
            path = attributes.get("path", "")
            if not path.startswith("/"):  # the default-path (RFC 6265 5.1.4)
                path = parsed.pathname[: parsed.pathname.rfind("/")] or "/"
            key = (name, path)
            if _expired(attributes, now):
                self._kept.pop(key, None)
            else:
                fits = len(f"{name}={value}") <= MAX_COOKIE_BYTES
                kept = {**self._kept, key: value}
                together = sum(len(f"{n}={v}; ") for (n, _), v in kept.items()) - len("; ")
                if fits and len(kept) <= MAX_COOKIES and together <= MAX_HEADER_BYTES:
                    self._kept = kept

    def header(self, url: str) -> str:
        """Return the Cookie header of a request for `url` at the same origin; longer paths first.

        Empty where nothing is to be sent.
        """
        path = ada_url.URL(url).pathname
        fitting = [key for key in self._kept if leads_to(key[1], path)]
        fitting.sort(key=lambda key: -len(key[1]))
        return "; ".join(f"{name}={self._kept[name, path]}" for name, path in fitting)


def _expired(attributes: dict[str, str], now: float) -> bool:
    """Whether a cookie is to be forgotten: Max-Age outranks Expires (RFC 6265 5.3)."""
    age = attributes.get("max-age", "")
    if age.removeprefix("-").isdecimal() and age.isascii():
        return age.startswith("-") or not age.strip("0")
    ends_at = http_date(attributes.get("expires", ""))
    return ends_at is not None and ends_at <= now


def leads_to(cookie_path: str, path: str) -> bool:
    """Whether a request's path path-matches (RFC 6265 5.1.4)."""
    if not path.startswith(cookie_path):
        return False
    return cookie_path.endswith("/") or path[len(cookie_path) :][:1] in ("", "/")


MAX_FILE_BYTES = 10_000_000
_HTTP_ONLY = "#HttpOnly_"
"""Put before the domain of a cookie that scripts may not read, which is no comment."""
_FIELDS = 7
_TRUTH = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, slots=True)
class _Cookie:
    path: str
    below: bool
    secure: bool
    expires_at: int
    """Unix time; 0: with the session, which lasts as long as the crawl."""
    name: str
    pair: str = field(repr=False)


class CookieFile:
    """The cookies of a Netscape file (cookies.txt), as it was when the crawl began.

    Each line has seven fields between tabs: domain, whether hosts below it are meant, path, whether
    https only, Unix time of its end or 0, name, value. The standard library reads such files too,
    but shows a faulty line, and so a cookie, in its error, and refuses domains without a leading
    dot.
    """

    def __init__(self, path: Path) -> None:
        """Read a file; ConfigError, which shows no cookie, where it is none."""
        self._of: dict[str, list[_Cookie]] = defaultdict(list)
        try:
            with path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"fetch.cookies: cannot read {path}: {reason(error)}") from None
        if len(text) > MAX_FILE_BYTES:
            raise ConfigError(f"fetch.cookies: {path} has more than {MAX_FILE_BYTES:,} bytes")
        for number, line in enumerate(text.split("\n"), 1):
            try:
                self._take(line.rstrip("\r"))
            except ValueError as error:
                raise ConfigError(
                    f"fetch.cookies: {path}, line {number}: {error}; export the cookies in "
                    "Netscape format (cookies.txt)"
                ) from None
        if not self._of:
            raise ConfigError(f"fetch.cookies: {path} holds no cookie; take the key out")

    def _take(self, line: str) -> None:
        """Take one line; ValueError, which does not show it, where it is no cookie."""
        line = line.removeprefix(_HTTP_ONLY)
        if not line.strip() or line.startswith("#"):
            return
        fields = line.split("\t")
        if len(fields) == _FIELDS - 1:  # an empty value may have lost its tab
            fields.append("")
        if len(fields) != _FIELDS:
            raise ValueError(f"{len(fields)} fields between tabs, not {_FIELDS}")
        domain, below, path, secure, ends, name, value = fields
        if below.upper() not in _TRUTH or secure.upper() not in _TRUTH:
            raise ValueError("the second and fourth field must be TRUE or FALSE")
        if not (ends.removeprefix("-").split(".")[0] or "0").isdecimal():
            raise ValueError("the fifth field must be a Unix time, or 0")
        pair = f"{name}={value}" if name else value
        if not (pair.isascii() and pair.isprintable()) or ";" in pair:
            raise ValueError("name and value must be printable ASCII without semicolons")
        cookie = _Cookie(
            path if path.startswith("/") else "/",
            _TRUTH[below.upper()],
            _TRUTH[secure.upper()],
            int(ends.split(".")[0] or 0),
            name,
            pair,
        )
        try:  # as URLs have it: names of other scripts in Punycode
            host = ada_url.URL(f"http://{domain.removeprefix('.')}/").hostname
        except ValueError:
            raise ValueError("the first field must be a domain") from None
        self._of[host.rstrip(".")].append(cookie)

    def pairs(self, url: str, now: float) -> dict[str, str]:
        """Return name -> `name=value` of what is to be sent with a request, longer paths first.

        A cookie goes to its own host, or to those below its domain; to paths below its own; over
        https alone where it says so; and not after its end (RFC 6265 5.4). `now` is Unix time.
        """
        parsed = ada_url.URL(url)
        host, path = parsed.hostname.rstrip("."), parsed.pathname
        fitting = [
            cookie
            for domain in _domains(host)
            for cookie in self._of.get(domain, ())
            if (cookie.below or domain == host)
            and leads_to(cookie.path, path)
            and (parsed.protocol == "https:" or not cookie.secure)
            and not 0 < cookie.expires_at <= now
        ]
        fitting.sort(key=lambda cookie: -len(cookie.path))
        pairs: dict[str, str] = {}
        for cookie in fitting:
            pairs.setdefault(cookie.name, cookie.pair)
        return pairs


def _domains(host: str) -> list[str]:
    """Return a host and the domains that it lies in; an address lies in none."""
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        return [host]
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(len(labels))]


MAX_SECRET = 8000
"""Characters; servers refuse heads that are longer."""

Environment = Mapping[str, str]


def from_environment(field: str, name: str, environment: Environment) -> str:
    """Return what a variable holds; ConfigError, which names `field` of the job, without it."""
    value = environment.get(name, "").strip()
    if not value:
        raise ConfigError(
            f"{field}: the environment variable {name} is not set; set it before the crawl, or "
            f"take {field} out of the job"
        )
    if len(value) > MAX_SECRET or not value.isprintable():
        raise ConfigError(
            f"{field}: the environment variable {name} must hold one line of at most "
            f"{MAX_SECRET:,} characters"
        )
    return value


def _basic(login: str) -> str:
    """Return the field value of `user:password`, in UTF-8 (RFC 7617 2.1)."""
    return f"Basic {b64encode(login.encode()).decode()}"


def _netrc_logins(path: Path) -> dict[str, str]:
    """Return host name -> field value. `default` is left out: it would go to every host."""
    try:
        hosts = netrc.netrc(str(path)).hosts
    except netrc.NetrcParseError as error:  # its message may show a password
        where = f"line {error.lineno}" if error.lineno else "its end"
        raise ConfigError(
            f"fetch.netrc: {path}, {where}: not as netrc files are; an entry is `machine NAME "
            "login USER password PASSWORD`"
        ) from None
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"fetch.netrc: cannot read {path}: {reason(error)}") from None
    hosts.pop("default", None)
    canonicalise = Canonicaliser()
    logins = {}
    for machine, (login, _, password) in hosts.items():
        url = canonicalise(f"https://{machine}/")
        if url is None:
            raise ConfigError(f"fetch.netrc: {path}: {machine!r} is no host name")
        logins[hostname(host_key(url))] = _basic(f"{login}:{password}")
    if not logins:
        raise ConfigError(f"fetch.netrc: {path} names no host; take the key out")
    return logins


LOGIN_WANTED = 407
"""Proxy Authentication Required (RFC 9110 15.5.8): only proxies should answer so, and any server
can."""


class SocksFailed(OSError):
    """No connection by a SOCKS proxy; `by_proxy`: it is the proxy that does not do its work."""

    def __init__(self, number: int | None, detail: str, *, by_proxy: bool) -> None:
        super().__init__(number, detail)
        self.by_proxy = by_proxy


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where it is, and what it is to be told. Neither `repr` nor any message shows its login.

    A proxy looks names up itself, and opens connections that this program never sees: nothing is
    known of where a host is.
    """

    scheme: str
    """`http`, `https` (TLS to the proxy itself), `socks4` or `socks5`."""
    host: str
    """A name, or an address without brackets."""
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    of_all: bool = True
    """Whether it is the job's own, and not one for some hosts."""

    @classmethod
    def of(
        cls, where: str, says: config.Fetch | config.HostBlock, environment: Environment
    ) -> Self | None:
        """Return the proxy of a section, None where it has none; `where` names the section.

        Raises ConfigError where it cannot be used.
        """
        written, variable = says.proxy, says.proxy_env
        if written is None:
            if variable is None:
                return None
            written = from_environment(f"{where}.proxy_env", variable, environment)
        try:
            proxy = cls(*split_proxy(written), of_all=isinstance(says, config.Fetch))
        except ValueError as error:  # of the variable: what a job has itself was checked
            raise ConfigError(
                f"{where}.proxy_env: the environment variable {variable}: {error}"
            ) from None
        if proxy.is_socks and find_spec("aiohttp_socks") is None:
            raise NotInstalled(
                f"the proxy {proxy.url}", "aiohttp-socks", "socks", "name a proxy of http"
            )
        return proxy

    @property
    def is_socks(self) -> bool:
        """Whether it speaks SOCKS, and not HTTP."""
        return self.scheme.startswith("socks")

    @property
    def url(self) -> str:
        """Its URL without the login."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def login(self) -> Mapping[str, str]:
        """The header field that an HTTP proxy is told; of none without user and password."""
        if not (self.user or self.password) or self.is_socks:
            return {}
        return {"Proxy-Authorization": _basic(f"{self.user}:{self.password}")}

    def login_wanted(self) -> Trouble:
        """Return what an answer of 407 means."""
        why = "it does not take its login" if self.login else "it asks for a login"
        key = "fetch.proxy_env" if self.of_all else "proxy_env"
        return self.fails(f"{why} (407); {key} names a variable with the whole URL")

    def fails(self, why: str) -> Trouble:
        """Return what it means that the proxy does not do its work.

        With that of some hosts it is these that cannot be reached, and others need not wait.
        """
        kind = Obstacle.NETWORK if self.of_all else Failure.CONNECT
        return Trouble(kind, f"the proxy {self.url}: {why}")


def user_agent(agent: config.Agent, token: str | None = None) -> str:
    """Return the User-Agent header: product token, version, and the contact where one is given.

    Or what the job has in `full`. `token` is the product token, if that is not the job's.
    """
    if agent.full is not None:
        return agent.full
    product = f"{token or agent.name}/{crawler.__version__}"
    return f"{product} (+{agent.contact})" if agent.contact else product


def _tls(authorities: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if authorities is not None:
        try:
            context.load_verify_locations(authorities)
        except OSError as error:
            raise ConfigError(
                f"fetch.ca_file: cannot use {authorities}: {_why(error)}; it must hold "
                "certificates in PEM form"
            ) from None
    return context


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return str(reason or error).replace("_", " ").lower()


class Access:
    """What goes with the requests of a job, chosen by their URL; certificates are always verified.

    Variables and files are read as it is made, before any request.
    """

    def __init__(self, job: config.Job, environment: Environment | None = None) -> None:
        """Read it; ConfigError, which names the job's field, where something cannot be used."""
        environment = os.environ if environment is None else environment
        authorities = job.fetch.ca_file
        self.proxy = Proxy.of("fetch", job.fetch, environment)
        """The one that hosts go by of which nothing else is said."""
        self._proxies = {
            pattern: proxy
            for pattern, block in job.hosts.items()
            if (proxy := Proxy.of(f"hosts.{pattern}", block, environment)) is not None
        }
        direct = job.fetch.no_proxy
        self._direct_ranges = [ip_network(entry) for entry in direct if "/" in entry]
        self._direct_names = frozenset(entry for entry in direct if "/" not in entry)
        pdf = ",application/pdf;q=0.9" if job.extract.pdf else ""
        self.every = {
            "user-agent": user_agent(job.user_agent),
            "accept": f"text/html,application/xhtml+xml,text/plain;q=0.9{pdf},*/*;q=0.1",
            "accept-encoding": "gzip, deflate, br, zstd",
            **job.fetch.headers,
        }
        """The header fields of every request."""
        self._overrides = HostOverrides(job)
        self._over_http = job.fetch.logins_over_http
        self._headers: dict[str, Mapping[str, str]] = {}
        self._secrets: dict[str, dict[str, str]] = {}
        self._shown: dict[str, ssl.SSLContext] = {}
        for pattern, block in job.hosts.items():
            self._secrets[pattern] = _secrets(f"hosts.{pattern}", block, environment)
            agent = user_agent(job.user_agent, block.robots_agent)
            own = {} if block.robots_agent is None else {"user-agent": agent}
            self._headers[pattern] = {**own, **block.headers}
        self._logins = {} if job.fetch.netrc is None else _netrc_logins(job.fetch.netrc)
        self._cookies = None if job.fetch.cookies is None else CookieFile(job.fetch.cookies)
        self.default_tls: ssl.SSLContext | bool = True if authorities is None else _tls(authorities)
        """What connections to most hosts are set up with; True: by the system's authorities."""
        for pattern, block in job.hosts.items():
            if block.client_certificate is not None:
                self._shown[pattern] = _showing(_tls(authorities), f"hosts.{pattern}", block)
        self.secret_names = frozenset(name for own in self._secrets.values() for name in own)
        """Lower-case names of all header fields that are secret, but those that always are."""

    @property
    def ways(self) -> list[Proxy | None]:
        """All that requests may go by: proxies, each once; None: no proxy."""
        direct = [None] if self._direct_names or self._direct_ranges else []
        return list(dict.fromkeys([self.proxy, *direct, *self._proxies.values()]))

    def proxy_of(self, host: str) -> Proxy | None:
        """Return what requests to a host key go by; None: no proxy."""
        if self._proxies and (pattern := self._overrides.pattern(host)) in self._proxies:
            return self._proxies[pattern]
        direct = (self._direct_names or self._direct_ranges) and self._goes_directly(host)
        return None if direct else self.proxy

    def _goes_directly(self, host: str) -> bool:
        """Whether the job has no proxy asked for a host: it, a domain, or a range that it is in.

        A range holds addresses that URLs have: names are not looked up for it, as in curl.
        """
        name = hostname(host).strip("[]")
        if not self._direct_names.isdisjoint((config.ALL_HOSTS, *_domains(name))):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return any(address in network for network in self._direct_ranges)

    def tls(self, url: str) -> ssl.SSLContext | bool:
        """Return what a connection for a URL is set up with; True: as most are."""
        if not self._shown:
            return True
        return self._shown.get(self._overrides.pattern(host_key(url)) or "", True)

    def of_host(self, host: str) -> Mapping[str, str]:
        """Return the header fields that only this host key is sent, none of them secret."""
        return self._headers.get(self._overrides.pattern(host) or "", {})

    def agent(self, host: str) -> str:
        """Return the User-Agent that a host is told."""
        agent: str = {**self.every, **self.of_host(host)}["user-agent"]
        return agent

    def secrets(self, url: str) -> Mapping[str, str]:
        """Return the header fields, cookies apart, that open doors to a request for `url`.

        What the job says of a host comes before its netrc. Over http only if the job allows that.
        """
        if not (self._secrets or self._logins) or not (self._over_http or url.startswith("https:")):
            return {}
        host = host_key(url)
        own = self._secrets.get(self._overrides.pattern(host) or "", {})
        login = self._logins.get(hostname(host))
        if login is None or "authorization" in own:
            return own
        return {"authorization": login, **own}

    def held_back(self, url: str) -> bool:
        """Whether a login for this URL's host is not sent only since the URL is one of http."""
        return not self.secrets(url) and bool(self.secrets(f"https:{url.partition(':')[2]}"))

    def cookies(self, url: str, set_on_the_way: str, now: float) -> str:
        """Return the Cookie header: of the file what the site itself has not set anew."""
        if self._cookies is None:
            return set_on_the_way
        newer = {pair.partition("=")[0] for pair in set_on_the_way.split("; ") if pair}
        kept = self._cookies.pairs(url, now).items()
        pairs = [pair for name, pair in kept if name not in newer]
        return "; ".join([*pairs, set_on_the_way] if set_on_the_way else pairs)


def _secrets(field: str, block: config.HostBlock, known: Environment) -> dict[str, str]:
    named = {f"headers_env.{name}": (name, key) for name, key in block.headers_env.items()}
    if block.token_env:
        named["token_env"] = ("authorization", block.token_env)
    fields = {}
    for key, (name, variable) in named.items():
        value = from_environment(f"{field}.{key}", variable, known)
        if not value.isascii():
            raise ConfigError(f"{field}.{key}: the environment variable {variable} must hold ASCII")
        fields[name] = f"Bearer {value}" if key == "token_env" else value
    if block.basic_env:
        login = from_environment(f"{field}.basic_env", block.basic_env, known)
        if ":" not in login:
            raise ConfigError(
                f"{field}.basic_env: the environment variable {block.basic_env} must hold "
                "user:password"
            )
        fields["authorization"] = _basic(login)
    return fields


def _showing(context: ssl.SSLContext, field: str, block: config.HostBlock) -> ssl.SSLContext:
    certificate, key = block.client_certificate, block.client_key
    assert certificate is not None
    for name, path in (("client_certificate", certificate), ("client_key", key)):
        if path is not None and not path.is_file():
            raise ConfigError(f"{field}.{name}: there is no file {path}")
    try:
        # Without a password of its own OpenSSL would ask for one at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "?")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{field}.client_certificate: cannot use {certificate}: {_why(error)}; certificate and "
            "key must fit together, in PEM form, the key not encrypted"
        ) from None
    return context
