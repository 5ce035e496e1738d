"""`python -m crawler.demo`: serve the demo web until interrupted, to look at it or crawl it."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from crawler.demo.server import Log, serve
from crawler.demo.web import DemoWeb
from crawler.errors import CrawlerError


def main() -> int:
    """Serve, printing the port first; returns the exit code."""
    arguments = _arguments()
    try:
        with _log(arguments.log) as log:
            asyncio.run(_serve(arguments, log))
    except CrawlerError as error:
        print(error, flush=True)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m crawler.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=2026, help="the same seed, the same web")
    parser.add_argument("--articles", type=int, default=300, help="articles the press writes")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--log", type=Path, help="append every request to this file")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="end when standard input does"
    )
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace, log: Log) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    if arguments.until_stdin_closes:
        loop.add_reader(sys.stdin.fileno(), stop.set)
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    web = DemoWeb(arguments.seed, arguments.articles)
    async with serve(web, arguments.port, log) as port:
        with suppress(BrokenPipeError):  # who asked for it was stopped meanwhile
            print(port, flush=True)
        await stop.wait()


@contextmanager
def _log(path: Path | None) -> Iterator[Log]:
    if path is None:
        yield lambda request: None
        return
    with path.open("a", encoding="utf-8", buffering=1) as file:
        yield lambda request: file.write(json.dumps(asdict(request)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
