"""What archives cost: CPU and bytes a page of writing them, and of whole crawls with and without.

    python -m benchmarks.archives [--corpora ../shared/corpora] [--site NAME] [--pages 150]
        [--turns 3]

First the records of a site's pages are written by us at several levels of zlib and by
warcio, each page once, all in memory. Then the site is crawled up to that many pages over
loopback, served by another process, with `storage.warc` off and on in turns; the CPU is that of the
crawl's own process (event loop and writer), a page, and printed are medians. A minute.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from unittest import mock

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.end_to_end import measured
from benchmarks.real_sites import JOB
from crawler import warc
from crawler.models import Capture

Write = Callable[[list[Capture]], int]


def taken(path: str, body: bytes) -> Capture:
    """Return an exchange as one of a common server."""
    return Capture(
        url=f"http://site.example/{path}",
        target=f"/{path}",
        at=1_700_000_000.0,
        address="192.0.2.1",
        request=(("Host", "site.example"), ("User-Agent", "InlineCrawler/0.1"), ("Accept", "*/*")),
        version="1.1",
        status=200,
        reason="OK",
        headers=(
            *((b"Server", b"nginx"), (b"Date", b"Tue, 14 Nov 2023 22:13:20 GMT")),
            *((b"Content-Type", b"text/html"), (b"Content-Length", b"%d" % len(body))),
        ),
        body=body,
    )


def ours(level: int) -> Write:
    """Return our own writing at a level of zlib."""

    def write(captures: list[Capture]) -> int:
        with mock.patch.object(warc, "LEVEL", level):
            made = 0
            for capture in captures:
                response = warc.response(capture, "<urn:uuid:0>")
                request = warc.request(capture, "<urn:uuid:0>", response)
                made += len(warc.gzipped(response)) + len(warc.gzipped(request))
        return made

    return write


def with_warcio(captures: list[Capture]) -> int:
    """Write the same by warcio, which has one level: 9."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    for capture in captures:
        fields = [(name.decode(), value.decode()) for name, value in capture.headers]
        response = writer.create_warc_record(
            *(capture.url, "response", io.BytesIO(capture.body)),
            http_headers=StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1"),
        )
        asked = StatusAndHeaders(f"GET {capture.target} HTTP/1.1", list(capture.request))
        request = writer.create_warc_record(capture.url, "request", http_headers=asked)
        writer.write_request_response_pair(request, response)
    return out.tell()


def print_writers(captures: list[Capture]) -> None:
    """Print what each way of writing takes a page."""
    size = sum(len(capture.body) for capture in captures) / len(captures)
    print(f"{len(captures)} pages of {size:,.0f} bytes in the mean; a page, gzip per record:")
    ways = {f"own, level {level}": ours(level) for level in (1, 6, 9)}
    for name, write in {**ways, "warcio (level 9)": with_warcio}.items():
        times = []
        for _ in range(3):
            begun = time.process_time()
            made = write(captures)
            times.append(1000 * (time.process_time() - begun) / len(captures))
        print(f"  {name:18} {median(times):6.2f} ms  {made / len(captures):9,.0f} bytes")


@contextmanager
def served(home: Path, site: str, place: Path) -> Iterator[str]:
    """Serve a site's pages by a process of its own; yield the URL of one."""
    first = ""
    for path, body in site_pages(home, site):
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        first = (
            path if path.endswith("index.html") and len(path) < len(first or path * 2) else first
        )
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--directory", str(place)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = re.search(r" port (\d+)", server.stdout.readline())
        assert port is not None
        yield f"http://127.0.0.1:{port[1]}/{first}"
        server.terminate()


def print_crawls(home: Path, site: str, pages: int, turns: int) -> None:
    """Print what a page takes of a crawl without and with archives."""
    costs: dict[bool, list[float]] = {False: [], True: []}
    sizes = []
    with tempfile.TemporaryDirectory() as place, served(home, site, Path(place) / "site") as seed:
        for turn in range(2 * turns + 2):
            with_archive = turn % 2 == 1
            output = Path(place) / "out"
            data = {
                **JOB,
                **{"seeds": [seed], "output": str(output), "limits": {"pages": pages}},
                "storage": {"warc": with_archive},
            }
            run = measured(data, lambda line: None)
            if turn >= 2:  # the first of each warms up
                costs[with_archive].append(run.per_page_ms(run.own_cpu_s))
            if with_archive:
                archives = (output / "warc").glob("*.warc.gz")
                sizes.append(sum(path.stat().st_size for path in archives) / run.pages)
            shutil.rmtree(output)
    off, on = median(costs[False]), median(costs[True])
    print(f"{site}, crawls of {pages} pages, {turns} turns: own CPU a page {off:.2f} ms without,")
    print(f"  {on:.2f} ms with archives, which have {median(sizes):,.0f} bytes a page")
    for name, values in (("without", costs[False]), ("with", costs[True])):
        print(f"  {name:8}" + " ".join(f"{value:.2f}" for value in values))


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--site", default="postgresql-15")
    flags.add_argument("--pages", type=int, default=150)
    flags.add_argument("--turns", type=int, default=3)
    args = flags.parse_args()
    found = islice(site_pages(args.corpora, args.site), args.pages)
    print_writers([taken(path, body) for path, body in found])
    print_crawls(args.corpora, args.site, args.pages, args.turns)


if __name__ == "__main__":
    main()
