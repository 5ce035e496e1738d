"""Connections by a SOCKS proxy, with the bounds of all others; needs the extra `socks`."""

from __future__ import annotations

import ssl
from typing import Any

import python_socks
from aiohttp.client_proto import ResponseHandler
from aiohttp_socks import ProxyConnector, ProxyType
from python_socks.async_.asyncio.v2 import Proxy as SocksProxy

from crawler.fetch.access import Proxy, SocksFailed
from crawler.fetch.transport import BoundedConnector


class SocksConnector(ProxyConnector, BoundedConnector):
    """A connector whose connections all go through one proxy, which looks names up itself."""

    def __init__(self, proxy: Proxy, max_bytes: int, **options: Any) -> None:
        self._socks, self._kind = proxy, ProxyType[proxy.scheme.upper()]
        super().__init__(proxy.host, proxy.port, self._kind, max_bytes=max_bytes, **options)

    async def _connect_via_proxy(
        self,
        host: str,
        port: int,
        ssl: ssl.SSLContext | None = None,
        timeout: float | None = None,
    ) -> tuple[Any, ResponseHandler]:
        """Return transport and protocol of a new connection, `ssl` set up in it.

        Time limits are the exchange's own. Raises SocksFailed for what goes wrong up to the
        proxy's answer; TLS begins behind it, and what it raises is between here and the server.
        """
        ours = self._socks
        proxy = SocksProxy(
            self._kind,
            *(ours.host, ours.port, ours.user or None, ours.password or None),
            rdns=True,
        )
        try:
            stream = await proxy.connect(host, port, timeout=timeout)
        except python_socks.ProxyError as error:
            # Only an answer to what was asked for has a number.
            by_proxy = error.error_code is None
            raise SocksFailed(None, str(error), by_proxy=by_proxy) from error
        except (OSError, EOFError) as error:  # it is not there, or leaves in the middle of it
            number, said = getattr(error, "errno", None), getattr(error, "strerror", None)
            raise SocksFailed(number, str(said or error), by_proxy=True) from error
        if ssl is not None:
            try:
                stream = await stream.start_tls(host, ssl)
            except BaseException:
                stream.writer.transport.abort()
                raise
        transport: Any = stream.writer.transport
        protocol: ResponseHandler = self._factory()
        # Collected, a StreamWriter closes its transport (Python 3.11.5 and later).
        protocol.stream_writer = stream.writer  # type: ignore[attr-defined]
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        return transport, protocol
