"""Host names to addresses: one cache for the connector and for politeness by address."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address

from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.fetch.flight import SingleFlight
from crawler.fetch.guard import LOCAL_NAMES, AddressGuard, AddressRefused

log = logging.getLogger(__name__)

TTL_S = 300.0
"""`getaddrinfo` does not tell a record's own TTL; five minutes is the commonest one in practice."""
NEGATIVE_TTL_S = 30.0
"""RFC 2308 section 5 caps negative answers at hours; a crawl wants to retry within the minute."""
CAPACITY = 20_000
"""Names kept; the least recently used leaves."""
MAX_THREADS = 32
"""`getaddrinfo` blocks a thread for as long as a dead name server takes to be given up on."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a name: its addresses in order of preference, or why there are none."""

    addresses: tuple[str, ...]
    error: str
    expires_at: float


class Resolver(AbstractResolver):
    """The system's resolver behind a cache, with the job's own names first.

    A name in `names` leads to its mapped address, and connecting to that name at a port admits
    (mapped address, that port) at the guard: the user has named the machine.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        guard: AddressGuard,
        timeout_s: float,
        threads: int,
        clock: Callable[[], float],
    ) -> None:
        self._names = names
        self._guard = guard
        self._timeout_s = timeout_s
        self._clock = clock
        self._executor = ThreadPoolExecutor(min(threads, MAX_THREADS), thread_name_prefix="dns")
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
            raise OSError(None, answer.error)
        addresses = answer.addresses
        if host in self._names:
            self._guard.admit(self._names[host], port)
        elif host.rstrip(".") not in LOCAL_NAMES and _literal(host) is None:
            addresses = tuple(filter(self._guard.admits_name, addresses))
            if not addresses:
                log.debug("%s: refused, all of its addresses are closed", host)
                raise AddressRefused(answer.addresses[0], port)
        return [_entry(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Stop look-ups; a thread inside the system's resolver ends when that gives up."""
        await self._flights.close()
        self._executor.shutdown(wait=False, cancel_futures=True)

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
        try:
            addresses, error = await self._system(name), ""
        except TimeoutError:
            addresses, error = (), f"no answer from DNS within {self._timeout_s:g} s"
        except OSError as failure:
            addresses, error = (), failure.strerror or str(failure)
        log.debug("%s: %s", name, addresses or error)
        ttl_s = TTL_S if addresses else NEGATIVE_TTL_S
        answer = Answer(addresses, error, self._clock() + ttl_s)
        self._cache[name] = answer
        self._cache.move_to_end(name)
        if len(self._cache) > CAPACITY:
            self._cache.popitem(last=False)
        return answer

    async def _system(self, name: str) -> tuple[str, ...]:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._timeout_s):
            found = await loop.run_in_executor(self._executor, _getaddrinfo, name)
        return tuple(dict.fromkeys(found))


def _getaddrinfo(name: str) -> list[str]:
    # Bytes bypass Python's IDNA 2003 codec, which raises UnicodeError on long labels; a canonical
    # URL's host is ASCII already.
    entries = socket.getaddrinfo(name.encode("ascii"), None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


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
