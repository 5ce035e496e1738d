"""The demo web with troubles on command: `python -m benchmarks.soak.web --articles N --port P`.

Lines on standard input start a trouble: `burst S` answers 503 for S seconds, `stall S` lets every
fourth answer stop half-way for S seconds. It ends when standard input does.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from crawler.config import merge
from crawler.demo import DemoServer, DemoWeb, demo_job, serve
from crawler.demo.pages import Answer, Fault

STALL_EVERY = 4
_BUSY = Answer(503, {"Content-Type": "text/html"}, b"<h1>503 busy</h1>")


class TroubledWeb(DemoWeb):
    """A demo web that has bad seconds."""

    until: dict[str, float]
    _asked = itertools.count()

    def get(self, host: str, path_qs: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Answer one request, or fail as was asked for."""
        answer, now = super().get(host, path_qs, headers), time.monotonic()
        if path_qs == "/robots.txt":
            return answer
        if now < self.until.get("burst", 0):
            return _BUSY
        if now < self.until.get("stall", 0) and next(self._asked) % STALL_EVERY == 0:
            return replace(answer, fault=Fault.STALL_BODY, first=None)
        return answer


class Server(DemoServer):
    """The troubled web in a process of its own; can be restarted on its port."""

    program = ("benchmarks.soak.web",)

    def trouble(self, kind: str, seconds: float) -> None:
        """Begin a trouble."""
        assert self.process is not None
        assert self.process.stdin is not None
        print(kind, seconds, file=self.process.stdin, flush=True)

    def restart(self) -> None:
        """Kill it, as a power cut would, and serve again at the same port."""
        assert self.process is not None
        self.process.kill()
        self.process.communicate()
        self._port = self._web.port
        self.__enter__()


def write_job(web: DemoWeb, output: Path, *changes: dict[str, Any]) -> Path:
    """Write the job of a crawl of `web` beside its directory, and return its path."""
    data = demo_job(web, output)
    for change in changes:
        merge(data, change)
    path = output.with_suffix(".yaml")
    path.write_text(yaml.safe_dump({**data, "output": str(output)}), encoding="utf-8")
    return path


async def _serve(arguments: argparse.Namespace) -> None:
    web, stop = TroubledWeb(arguments.seed, arguments.articles), asyncio.Event()
    web.until = {}

    def read() -> None:
        line = sys.stdin.readline()
        if not line:
            stop.set()
            return
        kind, seconds = line.split()
        web.until[kind] = time.monotonic() + float(seconds)

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), read)
    # Line by line: a killed server must not take with it what it has answered.
    with arguments.log.open("a", encoding="utf-8", buffering=1) as log:
        serving = serve(
            web, arguments.port, lambda asked: log.write(json.dumps(asdict(asked)) + "\n")
        )
        async with serving as port:
            print(port, flush=True)
            await stop.wait()


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    asyncio.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
