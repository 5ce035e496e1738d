"""Host names to addresses, and the guard: which addresses a connection may be opened to.

The decision falls where the socket is made, with the address the socket will connect to. Nothing
can slip past it between look-up and connection: not a name that resolves to a private address, not
an IP literal that never meets a resolver, not the second address tried after a first one failed,
not a redirect.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Coroutine, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from math import inf
from typing import Any, Generic, TypeVar

import ada_url
import aiodns
import pycares
from aiodns.error import ARES_ETIMEOUT
from pycares.errno import ARES_EBADNAME, ARES_ENODATA, ARES_ENOTFOUND

from crawler import config
from crawler.fetch.access import Access
from crawler.fetch.exchange import fair_timeout
from crawler.fetch.trouble import AddressRefused, NameUnavailable
from crawler.urls.editions import Latest

log = logging.getLogger(__name__)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SingleFlight(Generic[K, V]):
    """Runs one task a key; later callers wait for the running one.

    The work must return its failures as values. Cancelling a caller leaves the work running for
    the others; `close` cancels and awaits what is left.
    """

    def __init__(self) -> None:
        self._tasks: dict[K, asyncio.Task[V]] = {}

    async def run(self, key: K, work: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Return the result of `work()`, or of the call already under way for `key`."""
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.create_task(work())
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Cancel and await everything under way."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_CLOSED_IPV4 = (
    IPv4Network("0.0.0.0/8"),  # this network
    IPv4Network("10.0.0.0/8"),  # private (RFC 1918)
    IPv4Network("100.64.0.0/10"),  # shared by carriers (RFC 6598); metadata at 100.100.100.200
    IPv4Network("127.0.0.0/8"),  # loopback
    IPv4Network("168.63.129.16/32"),  # a cloud's host services: public number, local meaning
    IPv4Network("169.254.0.0/16"),  # link-local; metadata services at 169.254.169.254
    IPv4Network("172.16.0.0/12"),  # private
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.0.2.0/24"),  # documentation
    IPv4Network("192.88.99.0/24"),  # 6to4 relays, deprecated (RFC 7526)
    IPv4Network("192.168.0.0/16"),  # private
    IPv4Network("198.18.0.0/15"),  # benchmarks
    IPv4Network("198.51.100.0/24"),  # documentation
    IPv4Network("203.0.113.0/24"),  # documentation
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, and broadcast
)
"""IANA IPv4 Special-Purpose Address Registry (RFC 6890), what is not globally reachable unicast.
Kept here since `ipaddress.is_global` changed between the Python versions we run on."""

_OPEN_IPV6 = IPv6Network("2000::/3")
"""All global unicast there is (IANA IPv6 Address Space); the rest of IPv6 is closed."""

_CLOSED_IPV6 = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo, benchmarks, ORCHID
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4, unfolded below
    IPv6Network("3fff::/20"),  # documentation (RFC 9637)
)
_NAT64 = IPv6Network("64:ff9b::/96")
"""The well-known prefix (RFC 6052); the local one (RFC 8215) stays closed."""

_MAPPED_BITS = 96
"""What ::ffff:0:0/96 (RFC 4291 2.5.5.2) has before the IPv4 address."""

LOCAL_NAMES = {"localhost": ("127.0.0.1", "::1")}
"""Names of this machine (RFC 6761 6.3), which a seed may use like its addresses."""


class ConnectorSocket(socket.socket):
    """A socket that is closed when told to, never by garbage collection.

    uvloop closes the descriptor of a connection that breaks off while it is set up, and does not
    tell the socket object: collected later, it would close whatever has that number by then,
    another connection or the state file.
    """

    def __del__(self) -> None:
        self.detach()


class AddressGuard:
    """Admits public addresses, the job's `allow_addresses`, and single (address, port) pairs."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed: tuple[Network, ...] = tuple(map(_plain_network, allowed))
        self._pairs: set[tuple[Address, int]] = set()

    def admit(self, address: str, port: int) -> None:
        """Admit one address at one port, whatever it is."""
        self._pairs.add((_plain(address), port))

    def admit_seed(self, url: str) -> None:
        """Admit what a seed names, if it is an IP literal or `localhost`: its address and port.

        Any other host name admits nothing: that it leads to a private address is for its DNS to
        say, and the DNS is not the user. Such a seed needs `fetch.resolve` or `allow_addresses`.
        """
        name, port = site(url)
        with suppress(ValueError):  # any other name
            for address in LOCAL_NAMES.get(name, (name,)):
                self.admit(address, port)

    def admits(self, address: str, port: int) -> bool:
        """Whether a connection to this address and port may be opened."""
        return (_plain(address), port) in self._pairs or self.admits_name(address)

    def admits_name(self, address: str) -> bool:
        """Whether a name may lead to this address: DNS is not the user, so no pair counts.

        Else any name could be made to lead to the machine that a local seed has opened.
        """
        plain = _plain(address)
        reached = _embedded(plain) or (plain,)
        return self._allows(plain) or all(is_public(one) or self._allows(one) for one in reached)

    def _allows(self, address: Address) -> bool:
        return any(address in network for network in self._allowed)

    def socket_factory(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """Return a new socket for a `getaddrinfo` entry, or raise AddressRefused."""
        family, kind, protocol, _, sockaddr = addr_info
        if not self.admits(sockaddr[0], sockaddr[1]):
            log.debug("%s port %d: refused", sockaddr[0], sockaddr[1])
            raise AddressRefused(sockaddr[0], sockaddr[1])
        return ConnectorSocket(family, kind, protocol)


def site(url: str) -> tuple[str, int]:
    """Return the host name (IPv6 literals without brackets) and port that a URL leads to."""
    parsed = ada_url.URL(url)
    usual = 443 if parsed.protocol == "https:" else 80
    return parsed.hostname.rstrip(".").strip("[]"), int(parsed.port or usual)


def is_public(address: Address) -> bool:
    """Whether an address, taken as it is and not unfolded, is globally reachable unicast."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_IPV4)
    return address in _OPEN_IPV6 and not any(address in network for network in _CLOSED_IPV6)


def _plain(address: str) -> Address:
    """Return the address without scope id; an IPv4-mapped one is the IPv4 address it reaches."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def _plain_network(text: str) -> Network:
    """Return a range; one of IPv4-mapped addresses is the IPv4 range it reaches."""
    network = ip_network(text)
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _MAPPED_BITS:
        return network
    return ip_network((mapped, network.prefixlen - _MAPPED_BITS))


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses a transition address leads packets to, none for other ones."""
    if not isinstance(address, IPv6Address):
        return ()
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    if address in _NAT64:
        return (IPv4Address(int(address) & 0xFFFF_FFFF),)
    return ()


_WEB_PORTS = frozenset({80, 443})
"""One opens the other: http and https of a name are one machine to be polite to, too
(`crawler.urls.host_key`), and the one usually redirects to the other."""

TTL_S = 300.0
"""For all names alike: a crawl asks a host for hours, and is counted by address meanwhile."""
NEGATIVE_TTL_S = 30.0
"""RFC 2308 section 5 caps negative answers at hours; a crawl wants to retry within the minute."""
UNAVAILABLE_TTL_S = 1.0
"""No answer is no knowledge: only those who ask at the same time share it."""
CAPACITY = 20_000
"""Names kept: those that were looked up last, whose answers stand for longest."""

_FINAL = frozenset({ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME})
"""What says that there is no such name, or that it has no address: NXDOMAIN, NODATA, a name that no
DNS can hold. Everything else (SERVFAIL, REFUSED, silence, no server) may be otherwise in a
minute."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a name: its addresses in order of preference, or why there are none."""

    addresses: tuple[str, ...]
    error: str
    expires_at: float
    final: bool = True
    """Whether DNS has said so; False: it has said nothing, and may be asked again."""


class Resolver:
    """The system's name servers behind a cache, with the job's own names first; and the guard.

    A look-up takes no thread, so those that wait hinder no other. c-ares reads /etc/hosts,
    resolv.conf and the `hosts` line of nsswitch.conf (files and dns), follows their changes, and
    sorts addresses by RFC 6724, as the system does.

    With `fetch.resolve` the user has named a machine, but any page of the web can link to the name
    at any port: were all of them open, such a link would reach every service of that machine. So an
    address that is not public is opened to mapped names only at the ports that the job itself names
    with one of them: in seeds, and literally as `name:port` in `scope.include`.
    """

    def __init__(self, job: config.Job, access: Access, clock: Callable[[], float]) -> None:
        self.guard = AddressGuard(job.fetch.allow_addresses)
        self._mapped = job.fetch.resolve
        plain = " ".join(job.scope.include).replace("\\", "").lower()
        for name, port in re.findall(r"(?<![\w.-])([\w.-]+):(\d{1,5})(?!\d)", plain):
            self._open_mapped(name, int(port))
        self._proxies = frozenset(way.host for way in access.ways if way is not None)
        """Names that the user has given the crawl, and may lead anywhere."""
        self._timeout_s = job.fetch.dns_timeout_s
        self._clock = clock
        self._channel: aiodns.DNSResolver | None = None
        self._cache = Latest[str, Answer](CAPACITY)
        self._flights: SingleFlight[str, Answer] = SingleFlight()

    def admit_seed(self, url: str) -> None:
        """Admit a seed's own address and port if it names a local IP address or `localhost`.

        One with a name of `fetch.resolve` opens its port to that name.
        """
        self.guard.admit_seed(url)
        self._open_mapped(*site(url))

    def _open_mapped(self, name: str, port: int) -> None:
        if (address := self._mapped.get(name)) is not None:
            for open_port in _WEB_PORTS if port in _WEB_PORTS else (port,):
                self.guard.admit(address, open_port)

    async def lookup(self, name: str) -> Answer:
        """Return the addresses of a host name (no port, IPv6 literals without brackets)."""
        return self._known(name) or await self._flights.run(name, lambda: self._ask(name))

    async def open_addresses(self, name: str, port: int) -> tuple[str, ...]:
        """Return where a name may be connected to; raises OSError where that is nowhere."""
        answer = await self.lookup(name)
        if not answer.addresses:
            raise (OSError if answer.final else NameUnavailable)(None, answer.error)
        if (address := self._mapped.get(name)) is not None:
            if not self.guard.admits(address, port):
                way_out = (
                    f"fetch.resolve opens it only at ports that the job names: a seed at "
                    f"{name}:{port} opens this one, fetch.allow_addresses all"
                )
                raise AddressRefused(address, port, way_out)
        elif not (name in self._proxies or name.rstrip(".") in LOCAL_NAMES or is_literal(name)):
            # It was for DNS to say where it is.
            admitted = tuple(filter(self.guard.admits_name, answer.addresses))
            if not admitted:
                log.debug("%s: refused, all of its addresses are closed", name)
                raise AddressRefused(answer.addresses[0], port)
            return admitted
        return answer.addresses

    async def close(self) -> None:
        """Stop look-ups; none is waited for."""
        await self._flights.close()
        if self._channel is not None:
            await self._channel.close()

    def has_ipv4(self, name: str) -> bool:
        """Whether a name, as far as is known, has an IPv4 address."""
        answer = self._known(name)
        return answer is not None and any(":" not in address for address in answer.addresses)

    def _known(self, name: str) -> Answer | None:
        if is_literal(known := self._mapped.get(name, name)):
            return Answer((str(ip_address(known)),), "", inf)
        answer = self._cache.get(name)
        return None if answer is None or answer.expires_at <= self._clock() else answer

    async def _ask(self, name: str) -> Answer:
        addresses: tuple[str, ...] = ()
        error, final = "", False
        try:
            addresses = await self._system(name)
        except TimeoutError:
            error = f"no answer from DNS within {self._timeout_s:g} s"
        except (aiodns.error.DNSError, pycares.AresError) as failure:
            final, error = failure.args[0] in _FINAL, str(failure.args[-1])
        except MemoryError:
            raise
        except Exception as failure:  # no answer either, whatever it is
            log.info("%s: not known to the crawler", name, exc_info=failure)
            error = f"unforeseen {type(failure).__name__}: {failure}"
        log.debug("%s: %s", name, addresses or error)
        ttl_s = TTL_S if addresses else NEGATIVE_TTL_S if final else UNAVAILABLE_TTL_S
        answer = Answer(addresses, error, self._clock() + ttl_s, final or bool(addresses))
        self._cache[name] = answer
        return answer

    async def _system(self, name: str) -> tuple[str, ...]:
        """Return a name's addresses; raises DNSError, AresError or TimeoutError."""
        channel = self._channel = self._channel or _channel()
        async with fair_timeout(self._timeout_s):
            while True:
                try:
                    found = await channel.getaddrinfo(name, type=socket.SOCK_STREAM)
                except aiodns.error.DNSError as error:
                    # c-ares asks a server again for as long as that takes others to answer; names
                    # whose own servers are slow need more of the time that the job allows.
                    if error.args[0] != ARES_ETIMEOUT:
                        raise
                else:
                    addresses = (bytes(node.addr[0]).decode() for node in found.nodes)
                    return tuple(dict.fromkeys(addresses))


def _channel() -> aiodns.DNSResolver:
    return aiodns.DNSResolver()


def is_literal(name: str) -> bool:
    """Whether a host name is an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
