"""A name server on loopback UDP, which answers as the first label of a name says."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiodns
import pytest

NO_ERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
A, AAAA = 1, 28

BOTH = ("127.0.0.1", "::1")


class NameServer(asyncio.DatagramProtocol):
    """Knows what begins with these words; every other name has the addresses of `addresses`.

    `silent` gets no answer, `servfail` and `refused` that error, `none` is no name, `empty` has no
    address, `six` has only an IPv6 one. A name in `failing` gets SERVFAIL that many times first.
    """

    def __init__(self, addresses: Sequence[str]) -> None:
        self.addresses = addresses
        self.asked: Counter[str] = Counter()
        self.failing: dict[str, int] = {}
        self.first = asyncio.Event()
        """Set once a question has come."""

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        """Keep what answers are sent by."""
        self._transport = transport
        self.port: int = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer one question."""
        name, end = _name(data)
        (kind,) = struct.unpack_from("!H", data, end)
        if kind == A:
            self.asked[name] += 1
        self.first.set()
        found = self._found(name)
        if found is not None:
            code, addresses = found
            family = socket.AF_INET if kind == A else socket.AF_INET6
            of_kind = [a for a in addresses if (":" in a) == (kind == AAAA)]
            records = b"".join(_record(kind, socket.inet_pton(family, a)) for a in of_kind)
            head = struct.pack("!HHHHH", 0x8180 | code, 1, len(of_kind), 0, 0)
            self._transport.sendto(data[:2] + head + data[12 : end + 4] + records, addr)

    def _found(self, name: str) -> tuple[int, Sequence[str]] | None:
        if self.failing.get(name, 0):
            self.failing[name] -= 1
            return SERVFAIL, ()
        match name.partition(".")[0].rstrip("0123456789"):
            case "silent":
                return None
            case "servfail":
                return SERVFAIL, ()
            case "refused":
                return REFUSED, ()
            case "none":
                return NXDOMAIN, ()
            case "empty":
                return NO_ERROR, ()
            case "six":
                return NO_ERROR, ("::1",)
        return NO_ERROR, self.addresses


def _name(data: bytes) -> tuple[str, int]:
    """Return the name that is asked for, and where it ends."""
    labels, at = [], 12
    while length := data[at]:
        labels.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels), at + 1


def _record(kind: int, address: bytes) -> bytes:
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 1, len(address)) + address


@asynccontextmanager
async def name_server(
    monkeypatch: pytest.MonkeyPatch, addresses: Sequence[str] = ("127.0.0.1",)
) -> AsyncIterator[NameServer]:
    """Run a name server, which all fetchers ask that are opened meanwhile, and no other."""
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(
        lambda: NameServer(addresses), local_addr=("127.0.0.1", 0)
    )
    servers = [f"127.0.0.1:{server.port}"]
    monkeypatch.setattr(
        "crawler.fetch.addresses._channel", lambda: aiodns.DNSResolver(servers, tries=1)
    )
    try:
        yield server
    finally:
        transport.close()
