"""Record a site: crawl it once through a proxy that keeps every answer as WARC.

    python -m benchmarks.learning.recording http://127.0.0.43:8043/ --into DIR [--pages N]

`benchmarks.learning` looks for sites in folders of `benchmarks/out/recorded`. The archives of the
crawl itself would not do: they leave out pages that ask not to be indexed, and robots.txt. DIR gets
`answers.warc.gz` (the last answer of a URL counts), `again.warc.gz`, and the crawl's own directory
`crawl`. Traps are not cut, robots.txt is obeyed, there is no pause.

A page may show when it was made. What differs when the same URL is asked twice is no text of the
site, so `AGAIN` of the pages are asked for a second time when the crawl has ended.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.error import HTTPError

import aiohttp
import yarl
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from benchmarks.end_to_end import measured
from benchmarks.learning.replaying import ANSWERS, SECOND, recorded
from benchmarks.served import served

AGAIN = 100
"""Pages that are asked for twice."""
_OF_TRAVEL = frozenset({"transfer-encoding", "content-encoding", "connection", "keep-alive"})
_NOT_SENT_ON = frozenset({"host", "accept-encoding", "connection", "proxy-connection"})


class Recorder:
    """A forward proxy for plain http; each answer is written before it is passed on."""

    def __init__(self, session: aiohttp.ClientSession, writer: WARCWriter) -> None:
        self._session = session
        self._writer = writer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's requests, one after the other, until it is closed."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(await self._answer(head.decode("latin-1")))
                await writer.drain()
        writer.close()

    async def _answer(self, head: str) -> bytes:
        first, *rest = head.rstrip("\r\n").split("\r\n")
        url = first.split(" ")[1]
        fields = [tuple(line.split(": ", 1)) for line in rest]
        sent = {name: value for name, value in fields if name.lower() not in _NOT_SENT_ON}
        sent["Accept-Encoding"] = "identity"
        asked = self._session.get(yarl.URL(url, encoded=True), headers=sent, allow_redirects=False)
        async with asked as response:
            body = await response.read()
            told = [
                (name, value)
                for name, value in response.headers.items()
                if name.lower() not in _OF_TRAVEL | {"content-length"}
            ]
            told.append(("Content-Length", str(len(body))))
            status = f"{response.status} {response.reason or ''}".rstrip()
        self._keep(url, status, told, body)
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in told)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body

    def _keep(self, url: str, status: str, told: list[tuple[str, str]], body: bytes) -> None:
        head = StatusAndHeaders(status, told, protocol="HTTP/1.1")
        record = self._writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=head
        )
        self._writer.write_record(record)


@asynccontextmanager
async def recording(path: Path) -> AsyncIterator[int]:
    """Record to an archive while the context lasts; yield the proxy's port on 127.0.0.1."""
    timeout = aiohttp.ClientTimeout(total=120)
    with path.open("wb") as file:
        async with aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as session:
            recorder = Recorder(session, WARCWriter(file, gzip=True))
            async with await asyncio.start_server(recorder.serve, "127.0.0.1", 0) as server:
                yield server.sockets[0].getsockname()[1]


def record(seeds: list[str], into: Path, pages: int | None) -> None:
    """Crawl a site once and keep all that it answered."""
    into.mkdir(parents=True, exist_ok=True)
    with served(partial(recording, into / ANSWERS)) as proxy:
        job = {
            "seeds": seeds,
            "output": str(into / "crawl"),
            "limits": {"pages": pages},
            "politeness": {"delay_s": 0.0, "per_host": 2},
            "traps": {"enabled": False},
            "fetch": {"proxy": f"http://127.0.0.1:{proxy.web}"},
        }
        took = measured(job, lambda line: print(line, flush=True))
        print(f"{took.pages} pages in {took.wall_s:.0f} s")
    urls = list(recorded(into / ANSWERS))
    with served(partial(recording, into / SECOND)) as proxy:
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{proxy.web}"})
        )
        for url in urls[:: max(1, len(urls) // AGAIN)]:
            with suppress(HTTPError), opener.open(url) as answer:
                answer.read()


def main() -> None:
    """Record from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("seeds", nargs="+", metavar="URL")
    flags.add_argument("--into", type=Path, required=True, metavar="DIR")
    flags.add_argument("--pages", type=int)
    args = flags.parse_args()
    record(args.seeds, args.into, args.pages)


if __name__ == "__main__":
    main()
