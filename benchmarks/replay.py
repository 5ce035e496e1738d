"""Whether pywb replays what a crawl archived: every response and revisit, bytes and redirects.

    python -m benchmarks.replay [--pywb .venv/replay/bin] [--articles 30]

Crawls the demo web with archives, and a small site twice, the second time by `recrawl`. Gives these
archives to pywb twice (with our indexes, and with those that `wb-manager` makes of the files), and
asks it for each line of the index as it was sent (`id_`). Of each answer the status is compared,
and the digest of the body with the one in the index; revisits must give the body of their original.
What a server said is not modified pywb replays as that: a 304 without a body. Without the lines of
these, which our collection leaves out, it must give the body of what they refer to. Redirects of a
URL to itself, or to one with the same key (a slash more), are left out: pywb passes over them to
the page that followed. Fails on the first that differs. Half a minute; loopback only.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urljoin

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from crawler.cli import main as crawler
from crawler.cli.commands.recrawl import next_directory
from crawler.config import merge, parse_job
from crawler.demo import DemoServer, DemoWeb, demo_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import run_crawl
from crawler.storage.store import Store
from crawler.warc import surt

NO_WAITING = {"scope": {"exclude": [r"/stall", r"//slow\.", r"//down\."]}}
START_S = 60
SMALL = 5
"""Pages of the site that is visited twice."""
NOT_MODIFIED = '"mime":"warc/revisit","status":"304"'
"""In a line of an index."""


def archived(articles: int, output: Path) -> None:
    """Crawl the demo web with archives."""
    web = DemoWeb(articles=articles)
    with DemoServer(web):
        data = demo_job(web, output)
        merge(data, NO_WAITING)
        merge(data, {"storage": {"warc": True, "warc_bytes": 200_000}})
        job = parse_job(data, "replay")
        assert run_crawl(job, Store.create(job.output, identity(job)), lambda line: None) == 0


def visited(place: Path) -> list[Path]:
    """Crawl a small site with archives and visit it again; return both directories."""
    site, output = place / "site", place / "visited"
    site.mkdir()
    names = [f"page{number}.html" for number in range(SMALL)]
    links = "".join(f'<a href="{name}">{name}</a> ' for name in names)
    for name in ("index.html", *names):
        said = " ".join(f"{name} says {word}." for word in range(50))
        (site / name).write_text(f"<title>{name}</title><p>{said}</p>{links}")
    handler = partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        seeds = [f"http://127.0.0.1:{server.server_port}/"]
        quick = {"politeness": {"delay_s": 0}, "storage": {"warc": True}}
        job = parse_job({"seeds": seeds, "output": str(output), **quick}, "replay")
        assert run_crawl(job, Store.create(job.output, identity(job)), lambda line: None) == 0
        with redirect_stdout(StringIO()):
            assert crawler(["recrawl", str(output), "--all"]) == 0
        server.shutdown()
        serving.join()
    return [output, next_directory(output)]


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and answers 304 to the Last-Modified that it gave."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def index_of(outputs: Sequence[Path]) -> list[str]:
    """Return the lines of all indexes, sorted."""
    paths = [path for output in outputs for path in (output / "warc").glob("*.cdxj")]
    return sorted(line for path in paths for line in path.read_text().splitlines())


def collected(pywb: Path, home: Path, outputs: Sequence[Path]) -> None:
    """Make two collections: `ours` with our indexes, `theirs` with those of pywb."""
    found = (output.glob("warc/*.warc.gz") for output in outputs)
    archives = sorted(str(path) for paths in found for path in paths)
    for name in ("ours", "theirs"):
        command(home, pywb / "wb-manager", "init", name)
    command(home, pywb / "wb-manager", "add", "theirs", *archives)
    ours = home / "collections/ours"
    for path in archives:
        shutil.copy(path, ours / "archive")
    lines = (line for line in index_of(outputs) if NOT_MODIFIED not in line)
    (ours / "indexes/index.cdxj").write_text("".join(f"{line}\n" for line in lines))


def command(home: Path, *words: object) -> None:
    """Run a command of pywb."""
    subprocess.run([str(word) for word in words], cwd=home, check=True, capture_output=True)


@contextmanager
def replaying(pywb: Path, home: Path) -> Iterator[int]:
    """Serve the collections; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    log, ways = home / "log", ("-p", str(port), "-b", "127.0.0.1")
    with (
        log.open("w") as said,
        subprocess.Popen([pywb / "pywb", *ways], cwd=home, stdout=said, stderr=said) as server,
    ):
        try:
            _wait_for(port, log)
            yield port
        finally:
            server.terminate()


def _wait_for(port: int, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.2)
    sys.exit(f"pywb did not start: {log.read_text()}")


def leads_to_itself(home: Path, key: str, entry: dict[str, Any]) -> bool:
    """Whether a redirect is to another URL of the same key, or to itself."""
    with (home / "collections/ours/archive" / entry["filename"]).open("rb") as file:
        file.seek(int(entry["offset"]))
        record = next(iter(ArchiveIterator(file)))
        target = record.http_headers.get_header("Location")
    return target is not None and surt(urljoin(entry["url"], target)) == key


def compare(port: int, home: Path, collection: str, line: str) -> str:
    """Return what a line is of, once its replay is what it says; fails where it is not."""
    key, moment, found = line.split(" ", 2)
    entry: dict[str, Any] = json.loads(found)
    not_modified = NOT_MODIFIED in line
    is_redirect = entry["status"].startswith("3") and not not_modified
    if is_redirect and leads_to_itself(home, key, entry):
        return "redirects to their own key, which pywb passes over"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/{collection}/{moment}id_/{entry['url']}")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    digest = f"sha1:{base64.b32encode(hashlib.sha1(body).digest()).decode()}"
    if not_modified and collection == "theirs":
        if (answer.status, body) != (304, b""):
            sys.exit(f"{collection}: {line}\n  replayed as {answer.status}, {len(body)} bytes")
        return "status 304 without a body"
    status = "200" if not_modified else entry["status"]
    if str(answer.status) != status or digest != entry["digest"]:
        sys.exit(f"{collection}: {line}\n  replayed as {answer.status}, {digest}")
    if not_modified:
        return "pages as they were before a 304"
    return "revisits" if entry["mime"] == "warc/revisit" else f"status {entry['status']}"


def compare_keys(home: Path, lines: list[str]) -> int:
    """Return how many of our keys pywb's own index has; fails where one is another."""
    theirs = (home / "collections/theirs/indexes/index.cdxj").read_text().splitlines()
    keys = {(line.split(" ")[0], json.loads(line.split(" ", 2)[2])["url"]) for line in theirs}
    for line in lines:
        key = line.split(" ")[0], json.loads(line.split(" ", 2)[2])["url"]
        if key not in keys:
            sys.exit(f"pywb has no such key: {key}")
    return len(lines)


def main() -> None:
    """Run the comparison from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--pywb", type=Path, default=Path(".venv/replay/bin"))
    flags.add_argument("--articles", type=int, default=30)
    args = flags.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home, output = Path(place), Path(place) / "out"
        archived(args.articles, output)
        outputs = [output, *visited(home)]
        collected(args.pywb.absolute(), home, outputs)
        lines = index_of(outputs)
        print(f"{compare_keys(home, lines)} keys are those of pywb's own index")
        with replaying(args.pywb.absolute(), home) as port:
            for collection in ("ours", "theirs"):
                counts = Counter(compare(port, home, collection, line) for line in lines)
                told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
                print(f"replayed byte for byte with index `{collection}`: {told}")


if __name__ == "__main__":
    main()
