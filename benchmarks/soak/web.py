"""The demo web with troubles on command: `python -m benchmarks.soak.web --articles N --port P`.

Lines on standard input start a trouble: `burst S` answers 503 for S seconds, `stall S` lets every
fourth answer stop half-way for S seconds. It ends when standard input does.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from crawler.demo import Answer, DemoWeb, Fault, serve

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


class Server:
    """The troubled web in a process of its own; can be restarted on its port."""

    def __init__(self, web: DemoWeb, log: Path) -> None:
        self._web = web
        self._log = log
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Serve; on return the port answers."""
        web, port = self._web, 0 if self._web.port == 80 else self._web.port
        numbers = {"seed": web.seed, "articles": web.articles, "port": port}
        flags = [text for name, n in numbers.items() for text in (f"--{name}", str(n))]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.soak.web", *flags, "--log", str(self._log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        web.port = int(self._process.stdout.readline())

    def trouble(self, kind: str, seconds: float) -> None:
        """Begin a trouble."""
        assert self._process is not None
        assert self._process.stdin is not None
        print(kind, seconds, file=self._process.stdin, flush=True)

    def kill(self) -> None:
        """End it as a server ends that loses its power."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None


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
