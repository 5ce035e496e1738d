"""The address guard: which IP addresses a connection may be opened to.

The decision falls where the socket is made, with the address the socket will connect to. Nothing
can slip past it between look-up and connection: not a name that resolves to a private address, not
an IP literal that never meets a resolver, not the second address tried after a first one failed,
not a redirect.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import ada_url

log = logging.getLogger(__name__)

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

LOCAL_NAMES = frozenset({"localhost"})
"""Names of this machine (RFC 6761 6.3), which a seed may use like its addresses."""

_LOCALHOST = ("127.0.0.1", "::1")
_DEFAULT_PORT = {"http:": 80, "https:": 443}


class AddressRefused(OSError):
    """The guard's refusal. An OSError, so that a connector goes on to the host's next address."""

    def __init__(self, address: str, port: int, way_out: str = "") -> None:
        # The text is the same for all addresses: a connector that tried several and got equal
        # texts re-raises the first error as it is, and the class survives.
        super().__init__(errno.EACCES, "address refused by the address guard")
        way_out = way_out or "fetch.allow_addresses in the job can admit it"
        self.explanation = f"{address} port {port} is not a public address; {way_out}"


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
            for address in _LOCALHOST if name in LOCAL_NAMES else (name,):
                self.admit(address, port)

    def admits(self, address: str, port: int) -> bool:
        """Whether a connection to this address and port may be opened."""
        return (_plain(address), port) in self._pairs or self.admits_name(address)

    def admits_name(self, address: str) -> bool:
        """Whether a name may lead to this address: DNS is not the user, so no pair counts.

        Else any name could be made to lead to the machine that a local seed has opened.
        """
        plain = _plain(address)
        if self._allows(plain):
            return True
        embedded = _embedded(plain)
        if embedded:
            return all(is_public(inner) or self._allows(inner) for inner in embedded)
        return is_public(plain)

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
    return parsed.hostname.rstrip(".").strip("[]"), int(
        parsed.port or _DEFAULT_PORT[parsed.protocol]
    )


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
