"""URLs: parsing by the WHATWG standard, one canonical form, host keys, registrable domains.

The canonical form is what the seen set compares and what is fetched, so it must never merge two
URLs that servers tell apart in practice, beyond what the standards call equivalent (RFC 3986
section 6.2.2) and the listed tracking parameters. Everything here is pure and synchronous; the
rules with examples, and what is left alone on purpose, are in docs/urls.md. `editions` says what an
address alone may mean, and what a site's own pages have proven of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, unquote

import ada_url
from publicsuffixlist import PSLFILE, PublicSuffixList

from crawler.errors import ConfigError

MAX_URL_LENGTH = 2048
"""Longer URLs are refused: beyond this, servers and proxies disagree (RFC 9110 4.1 asks for 8000,
sitemaps.org limits to 2048), and traps begin."""

MAX_REFERENCE_LENGTH = 4 * MAX_URL_LENGTH
"""Longer references (without their fragment) are refused unparsed. More than MAX_URL_LENGTH, since
a reference may shrink on the way to its canonical form: by dot segments, white space, user info or
tracking parameters."""

TRACKING_PARAMETERS = frozenset(
    """
    utm_source utm_medium utm_campaign utm_term utm_content utm_id utm_name utm_reader utm_social
    utm_brand utm_cid utm_place utm_pubreferrer utm_swu utm_viz_id utm_source_platform
    utm_creative_format utm_marketing_tactic
    gclid gclsrc dclid wbraid gbraid gad_source gad_campaignid srsltid _ga _gl
    fbclid igshid igsh msclkid yclid _openstat twclid ttclid li_fat_id rdt_cid
    mc_cid mc_eid _hsenc _hsmi __hssc __hstc hsctatracking mkt_tok oly_anon_id oly_enc_id vero_id
    wickedid
    mtm_campaign mtm_keyword mtm_source mtm_medium mtm_content mtm_cid mtm_group mtm_placement
    pk_campaign pk_kwd pk_source pk_medium pk_content pk_cid
    spm scm bd_vid hmsr hmpl hmcu hmkw hmci
    """.split()
)
"""Query parameters that name the click and not the page, compared without regard to ASCII case.
Overridden by `urls.tracking_parameters` in a job. `spm` and `scm` are Alibaba's, `bd_vid` and
`hm..` Baidu's."""

MAX_HOST_LENGTH = 253
"""Characters of a host name in ASCII: 255 octets in the DNS (RFC 1035, 2.3.4). No longer one has an
address, so its URL cannot be crawled."""

MAX_LABEL_LENGTH = 63
"""Characters of each label of it (RFC 1035, 2.3.4)."""

_WRITTEN_FACTOR = 3
"""A name as written, escapes decoded, may be so many times longer than in ASCII: characters may be
composed (a syllable of three Korean letters) or left out (soft hyphens). A label has to be short
before it is converted, as Punycode (RFC 3492) takes quadratic time: 3 ms for 1,360 ideographs, so
that 10 MB of such links took 13 s."""

_WRITTEN_HOST = re.compile(r"[\0- ]*(https?:)?([/\\\\]*)([^/\\\\?]*)", re.IGNORECASE)
"""Scheme, slashes and authority of a reference without fragment (WHATWG 4.4)."""
_BLANKS = re.compile(r"[\t\n\r]+")
"""Removed wherever they stand in a reference."""
_LABEL_END = re.compile("[.\u3002\uff0e\uff61]")
"""What UTS 46 takes for the dot between labels."""

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_LEGAL = _UNRESERVED | frozenset("!$&'()*+,;=:@/?%")
"""What RFC 3986 appendix A lets stand for itself in a path or query, and the sign of escapes."""
_ESCAPED = {code: f"%{code:02X}" for code in range(128) if chr(code) not in _LEGAL}
_IRREGULAR = re.compile(
    f"[{re.escape(''.join(map(chr, _ESCAPED)))}]"
    "|%(?![89A-F][0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[BCDE]|60|7[BCDF]|[01][0-9A-F])"
)
"""A character that must be escaped, or a percent sign that begins no regular escape."""
_ESCAPE_LENGTH = 3
"""Characters of an escape, which may come to one: no path shrinks by more."""
_REGULAR = {
    f"{high}{low}": chr(code) if chr(code) in _UNRESERVED else f"%{code:02X}"
    for code in range(256)
    for high in {f"{code:02X}"[0], f"{code:02x}"[0]}
    for low in {f"{code:02X}"[1], f"{code:02x}"[1]}
}
"""Two hexadecimal digits, in any case -> what an escape of them is written as."""
_ROOT_DOT = re.compile(r"(?<=[^.])\.(?=:|\Z)")
"""The dot of an absolute domain name (RFC 1034 3.1). After an empty label it must stay: `1.2.3..`
is a name, and cut down to `1.2.3` it would be read as the address 1.2.0.3."""
_PLAIN_SITE = re.compile(r"https?://[a-z0-9.:-]{1,300}/")
"""Scheme, host and port as a canonical URL has them, unless the host is an IPv6 address: whatever
follows them in ASCII is read as path, query and fragment, and says nothing of the host."""
_SITES_REMEMBERED = 16_384
"""Some 5 MB. Politeness, robots.txt and time limits each ask for the host of a URL: to parse it
each time was a fourteenth of what the crawl's own process did for a page."""


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """Return the public suffix list, read when it is first asked for.

    The library writes each of its rules in punycode, too, and takes 35 ms: here only those are
    written so that have another spelling then.
    """
    written = Path(PSLFILE).read_text("utf-8").splitlines()
    rules = [line for line in written if line and not line.startswith("//")]
    encoded = [ada_url.idna.encode(rule).decode() for rule in rules if not rule.isascii()]
    return PublicSuffixList(rules + encoded, accept_encoded_idn=False)


@lru_cache(maxsize=16)
def _as_in_queries(names: frozenset[str]) -> frozenset[str]:
    """Return parameters as they stand in a canonical query, in lower case.

    Remembered: some 70 names take .1 ms, and each seed of a long list is looked at by itself.
    """
    return frozenset(regular(quote(name, safe="!$()*+,;:@/?%")).lower() for name in names)


class Canonicaliser:
    """Brings URLs into canonical form; idempotent, and None for whatever cannot be crawled.

    With `routes`, a fragment that is a path stays: it names a page that scripts make.
    """

    def __init__(
        self,
        tracking_parameters: frozenset[str] = TRACKING_PARAMETERS,
        *,
        routes: bool = False,
    ) -> None:
        self.tracking_parameters = _as_in_queries(tracking_parameters)
        self.routes = routes

    def __call__(self, url: str, base: str | None = None) -> str | None:
        """Return the canonical form of `url`, resolved against `base`, or None.

        None means: does not parse, neither http nor https, a lone surrogate in it, a host name or
        label longer than the DNS has, canonical form longer than MAX_URL_LENGTH, or `url` or `base`
        longer than MAX_REFERENCE_LENGTH without its fragment. Never raises, and what it returns is
        ASCII and a URI by RFC 3986.

        Rules, in order: WHATWG parsing (lower-case scheme and host, IDNA, addresses in their usual
        notation, default port and dot segments removed); user info, fragment (but for routes) and
        the host's root dot removed; percent-encodings of unreserved characters decoded, the rest in
        upper case (RFC 3986 6.2.2.1-2), illegal characters and stray percent signs encoded; empty
        and tracking parameters removed, the order of the others kept; an empty query removed.
        """
        href = _resolve(url, base)
        if href is None or not href.startswith(("http://", "https://")):
            return None
        location, _, query = href.partition("?")
        scheme, _, authority, path = location.split("/", 3)
        if len(path) > _ESCAPE_LENGTH * MAX_URL_LENGTH:
            return None
        site = _site(authority)
        if len(site) > MAX_LABEL_LENGTH and not _is_short(hostname(site), 1):
            return None
        canonical = f"{scheme}//{site}/{regular(path)}"
        if query:
            tracking = self.tracking_parameters
            parameters = filter(None, regular(query).split("&"))
            kept = [text for text in parameters if text.partition("=")[0].lower() not in tracking]
            canonical += f"?{'&'.join(kept)}" if kept else ""
        if self.routes and (route := route_of(url)):
            canonical += f"#{regular(route)}"
        return canonical if len(canonical) <= MAX_URL_LENGTH else None


_ROUTE = re.compile(r"#(!?/[^#]*)")


def route_of(url: str) -> str:
    """Return the fragment of a URL if it is a path, as `/guide` or `!/guide`; else nothing.

    Applications that keep their place in the fragment write it so (Google's scheme for crawling
    AJAX of 2009, and the hash mode of routers); what begins otherwise is a place within a page.
    """
    at = url.find("#")
    found = _ROUTE.match(url, at) if at >= 0 else None
    return quote(found[1].strip(), safe="!$&'()*+,;=:@/?%-._~") if found else ""


def without_route(url: str) -> str:
    """Return a canonical URL as a server is asked for it."""
    return url.partition("#")[0]


def _resolve(url: str, base: str | None) -> str | None:
    # The first "#" always begins the fragment (WHATWG 4.4), so what follows can go before the
    # parser, and before the length counts. The sign itself keeps a space in front of it from being
    # taken for white space at the end.
    reference, mark, _ = url.partition("#")
    base = None if base is None else base.partition("#")[0]
    if max(len(reference), len(base or "")) > MAX_REFERENCE_LENGTH:
        return None
    if len(reference) > MAX_LABEL_LENGTH and not _may_have_address(reference, base):
        return None
    href = _parse(reference + mark, base)
    return href and href.partition("#")[0]


def _may_have_address(reference: str, base: str | None) -> bool:
    """Whether a reference names no host, or one that is not far too long for a host name."""
    found = _WRITTEN_HOST.match(_BLANKS.sub("", reference))
    assert found is not None
    scheme, slashes, authority = found.groups()
    if len(slashes) < 2 and (not scheme or (base or "").lower().startswith(scheme.lower())):
        return True
    return _is_short(unquote(hostname(authority.rpartition("@")[2])), _WRITTEN_FACTOR)


def _is_short(host: str, factor: int) -> bool:
    """Whether a host name is at most `factor` times as long as the DNS has any, and its labels."""
    if len(host) > factor * MAX_HOST_LENGTH:
        return False
    longest = factor * MAX_LABEL_LENGTH
    return all(len(label) <= longest for label in _LABEL_END.split(host))


def _parse(url: str, base: str | None = None) -> str | None:
    try:
        return ada_url.normalize_url(url) if base is None else ada_url.join_url(base, url)
    except ValueError:
        return None


def _site(authority: str) -> str:
    """Return `host[:port]` of a parsed URL's authority, without user info and root dot."""
    return _ROOT_DOT.sub("", authority.rpartition("@")[2])


def regular(text: str) -> str:
    """Return a parsed path or query in the one form RFC 3986 6.2.2 gives to equivalent ones.

    `text` is ASCII. One pass is enough: every percent sign put out begins an escape of something
    that is not unreserved, so nothing is left to decode; and a dot segment spelt with %2E was
    removed by the parser, which reads it as a dot, so decoding makes none.
    """
    if not _IRREGULAR.search(text):
        return text
    first, *others = text.translate(_ESCAPED).split("%")
    return first + "".join([_REGULAR.get(part[:2], "%25" + part[:2]) + part[2:] for part in others])


def host_key(url: str) -> str:
    """Return the key politeness counts by: host name, with its port where that is not 80 or 443.

    http and https of one name share a key: they are one machine to be polite to. `url` must be
    canonical (or at least parse as http or https), else ValueError.
    """
    plain = _PLAIN_SITE.match(url) if url.isascii() else None
    return (_remembered_site(plain[0]) if plain else _parsed_site(url))[0]


def origin(url: str) -> str:
    """Return `scheme://host[:port]`, the unit robots.txt speaks for (RFC 9309 section 2.3).

    ValueError where `host_key` raises it.
    """
    plain = _PLAIN_SITE.match(url) if url.isascii() else None
    return (_remembered_site(plain[0]) if plain else _parsed_site(url))[1]


def _parsed_site(url: str) -> tuple[str, str]:
    """Return host key and origin of a URL."""
    href = _parse(url)
    if href is None or not href.startswith(("http://", "https://")):
        raise ValueError(f"not an http(s) URL: {url!r}")
    scheme, _, authority, _ = href.split("/", 3)
    site = _site(authority)
    host, _, port = site.rpartition(":")
    return host if host and port in ("80", "443") else site, f"{scheme}//{site}"


_remembered_site = lru_cache(_SITES_REMEMBERED)(_parsed_site)


def hostname(host: str) -> str:
    """Return the host key without its port; IPv6 literals keep their brackets."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host


@lru_cache(maxsize=65_536)
def host_of(url: str) -> str:
    """Return the host key of a page's URL; documents of files have none."""
    return host_key(url) if url.startswith("http") else ""


@lru_cache(_SITES_REMEMBERED)
def registrable_domain(host: str) -> str:
    """Return the registrable domain of a host key by the public suffix list, private part included.

    IP addresses, single labels and public suffixes are their own registrable domain. The port is
    not part of the answer.
    """
    name = hostname(host)
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return _suffixes().privatesuffix(name) or name
    return name


def given_host(host: str) -> str:
    """Return a host as lines name it: in lower case, with a port that is not the usual one.

    Raises ConfigError for what is no name of a host.
    """
    canonical = Canonicaliser()(f"http://{host}/")
    key = host_key(canonical) if canonical else ""
    if not key or canonical != f"http://{key}/":
        raise ConfigError(f"--host {host}: give the name of a host as in `report`, such as a.test")
    return key
