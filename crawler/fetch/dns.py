"""Host names to addresses: one cache for the connector and for politeness by address."""

from __future__ import annotations

import logging
import socket
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

import aiodns
import pycares
from aiodns.error import ARES_ETIMEOUT
from aiohttp.abc import AbstractResolver, ResolveResult
from pycares.errno import ARES_EBADNAME, ARES_ENODATA, ARES_ENOTFOUND

from crawler.fetch.flight import SingleFlight
from crawler.fetch.guard import LOCAL_NAMES, AddressGuard, AddressRefused
from crawler.fetch.mapped import MappedNames
from crawler.fetch.timeouts import fair_timeout

log = logging.getLogger(__name__)

TTL_S = 300.0
"""For all names alike: a crawl asks a host for hours, and is counted by address meanwhile."""
NEGATIVE_TTL_S = 30.0
"""RFC 2308 section 5 caps negative answers at hours; a crawl wants to retry within the minute."""
UNAVAILABLE_TTL_S = 1.0
"""No answer is no knowledge: only those who ask at the same time share it."""
CAPACITY = 20_000
"""Names kept; the least recently used leaves."""

_FINAL = frozenset({ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME})
"""What says that there is no such name, or that it has no address: NXDOMAIN, NODATA, a name that no
DNS can hold. Everything else (SERVFAIL, REFUSED, silence, no server) may be otherwise in a
minute."""


class NameUnavailable(OSError):
    """DNS has not answered: nothing is known of the name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a name: its addresses in order of preference, or why there are none."""

    addresses: tuple[str, ...]
    error: str
    expires_at: float
    final: bool = True
    """Whether DNS has said so; False: it has said nothing, and may be asked again."""


class Resolver(AbstractResolver):
    """The system's name servers behind a cache, with the job's own names first.

    A look-up takes no thread, so those that wait hinder no other. c-ares reads /etc/hosts,
    resolv.conf and the `hosts` line of nsswitch.conf (files and dns), follows their changes, and
    sorts addresses by RFC 6724, as the system does.

    A name in `names` leads to its mapped address, at the ports that are open to it.
    """

    def __init__(
        self,
        names: MappedNames,
        guard: AddressGuard,
        timeout_s: float,
        clock: Callable[[], float],
        proxy: str | None = None,
    ) -> None:
        """`proxy` is a name that the user has given the crawl, and may lead anywhere."""
        self._names = names
        self._proxy = proxy
        self._guard = guard
        self._timeout_s = timeout_s
        self._clock = clock
        self._channel: aiodns.DNSResolver | None = None
        self._cache: OrderedDict[str, Answer] = OrderedDict()
        self._flights: SingleFlight[str, Answer] = SingleFlight()

    async def lookup(self, name: str) -> Answer:
        """Return the addresses of a host name (no port, IPv6 literals without brackets)."""
        return self._known(name) or await self._flights.run(name, lambda: self._ask(name))

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Answer aiohttp's connector; raises OSError where no address may be connected to."""
        answer = await self.lookup(host)
        if not answer.addresses:
            raise (OSError if answer.final else NameUnavailable)(None, answer.error)
        addresses = answer.addresses
        if host in self._names:
            self._names.confirm(host, port)
        elif not self._is_given(host):
            addresses = tuple(filter(self._guard.admits_name, addresses))
            if not addresses:
                log.debug("%s: refused, all of its addresses are closed", host)
                raise AddressRefused(answer.addresses[0], port)
        return [_entry(host, port, address) for address in addresses]

    def _is_given(self, host: str) -> bool:
        """Whether it was not for DNS to say where a host is."""
        return host == self._proxy or host.rstrip(".") in LOCAL_NAMES or _literal(host) is not None

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
        literal = self._names.get(name) or _literal(name)
        if literal is not None:
            return Answer((literal,), "", float("inf"))
        answer = self._cache.get(name)
        if answer is None or answer.expires_at <= self._clock():
            return None
        self._cache.move_to_end(name)
        return answer

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
        self._cache.move_to_end(name)
        if len(self._cache) > CAPACITY:
            self._cache.popitem(last=False)
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


def _literal(name: str) -> str | None:
    try:
        return str(ip_address(name))
    except ValueError:
        return None


def _entry(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=family,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
