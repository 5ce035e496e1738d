"""`python -m crawler.demo`: serve the demo web until interrupted, to look at it or crawl it."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from crawler.demo.server import Request, serve
from crawler.demo.web import DemoWeb
from crawler.errors import CrawlerError


def main() -> int:
    """Serve, printing the port first; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m crawler.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=2026, help="the same seed, the same web")
    parser.add_argument("--articles", type=int, default=300, help="articles the press writes")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--log", type=Path, help="append every request to this file")
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="end when standard input does"
    )
    arguments = parser.parse_args()
    try:
        with ExitStack() as stack:
            file = None
            if arguments.log is not None:
                file = stack.enter_context(arguments.log.open("a", encoding="utf-8", buffering=1))
            asyncio.run(_serve(arguments, file))
    except CrawlerError as error:
        print(error, flush=True)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


async def _serve(arguments: argparse.Namespace, file: TextIO | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    if arguments.until_stdin_closes:
        loop.add_reader(sys.stdin.fileno(), stop.set)
    loop.add_signal_handler(signal.SIGTERM, stop.set)

    def log(request: Request) -> None:
        if file is not None:
            file.write(json.dumps(asdict(request)) + "\n")

    async with serve(DemoWeb(arguments.seed, arguments.articles), arguments.port, log) as port:
        with suppress(BrokenPipeError):  # who asked for it was stopped meanwhile
            print(port, flush=True)
        await stop.wait()


if __name__ == "__main__":
    sys.exit(main())
