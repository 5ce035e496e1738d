"""HTTP/2 against HTTP/1.1: requests a second, and CPU of the client for one.

    python -m venv h2 && h2/bin/pip install aiohttp "httpx[http2]" hypercorn trustme
    h2/bin/python benchmarks/http2.py

Hypercorn serves a page of 20 kB by TLS on loopback, in a process of its own. aiohttp asks it by
HTTP/1.1, httpx by HTTP/1.1 and by HTTP/2: one request after the other, as a polite crawl asks a
host, and sixteen at once. The packages are none that the crawler needs; hence the environment.
"""

from __future__ import annotations

import asyncio
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

PORT = 48_443
URL = f"https://127.0.0.1:{PORT}/"
PAGE = b"<p>" + b"some words of a page " * 1000 + b"</p>"
ROUNDS = 3
Ask = Callable[[], Awaitable[None]]


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer every request with the page (ASGI)."""
    if scope["type"] == "http":
        fields = [(b"content-type", b"text/html"), (b"content-length", b"%d" % len(PAGE))]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": PAGE})


def serve(certificate: str) -> None:
    """Serve until the end of this process."""
    from hypercorn.asyncio import serve as run
    from hypercorn.config import Config

    config = Config()
    config.bind, config.certfile, config.keyfile = [f"127.0.0.1:{PORT}"], certificate, certificate
    config.loglevel, config.h2_max_concurrent_streams = "ERROR", 100
    config.keep_alive_max_requests = 10_000_000
    asyncio.run(run(app, config))


async def measured(ask: Ask, at_once: int, requests: int) -> tuple[float, float]:
    """Return requests a second, and milliseconds of this process's CPU for each."""

    async def worker() -> None:
        for _ in range(requests // at_once):
            await ask()

    await asyncio.gather(*(worker() for _ in range(at_once)))  # warm
    rates, costs = [], []
    for _ in range(ROUNDS):
        begun, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(at_once)))
        rates.append(requests / (time.perf_counter() - begun))
        costs.append((time.process_time() - cpu) / requests * 1000)
    return statistics.median(rates), statistics.median(costs)


async def compare(authority: str) -> None:
    """Print a row for each client."""
    import aiohttp
    import httpx

    context = ssl.create_default_context(cafile=authority)
    print(f"{'':<22}{'at once':>8}{'requests/s':>12}{'ms CPU each':>13}")
    for at_once in (1, 16):
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def by_aiohttp() -> None:
                async with session.get(URL) as response:
                    await response.read()

            tell("aiohttp, HTTP/1.1", at_once, *await measured(by_aiohttp, at_once, 320))
        for http2 in (False, True):
            own = ssl.create_default_context(cafile=authority)
            async with httpx.AsyncClient(verify=own, http2=http2) as client:
                version = (await client.get(URL)).http_version

                async def by_httpx(client: httpx.AsyncClient = client) -> None:
                    await client.get(URL)

                found = await measured(by_httpx, at_once, 320)
            tell(f"httpx, {version}", at_once, *found)


def tell(name: str, at_once: int, rate: float, cost: float) -> None:
    """Print one row."""
    print(f"{name:<22}{at_once:>8}{rate:>12,.0f}{cost:>13.2f}", flush=True)


def main() -> None:
    """Make certificates, start the server, and ask it."""
    import trustme

    with tempfile.TemporaryDirectory() as directory:
        authority, certificate = Path(directory, "ca.pem"), Path(directory, "server.pem")
        made = trustme.CA()
        made.cert_pem.write_to_path(str(authority))
        made.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
        with subprocess.Popen([sys.executable, __file__, str(certificate)]) as server:
            try:
                time.sleep(2)
                asyncio.run(compare(str(authority)))
            finally:
                server.terminate()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1])
    else:
        main()
