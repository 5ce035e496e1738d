"""The demo web in a process of its own, so that a crawl is not slowed by what it crawls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from crawler.demo.server import Request
from crawler.demo.web import DemoWeb
from crawler.errors import CrawlerError

_STOP_S = 5.0


class DemoServer:
    """Serves `web` while the context lasts; on entry its port answers and `web.port` is set.

    The child ends when its standard input does, that is with the context or with this process,
    however it dies. It has a session of its own: Ctrl-C in the terminal must let the crawl drain
    before its server goes. With `log`, a path, every request is a line of that file (`requests`).
    CrawlerError where it cannot start.
    """

    def __init__(self, web: DemoWeb, port: int = 0, log: Path | None = None) -> None:
        self._web = web
        self._port = port
        self._log = log
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> DemoServer:
        self._process = subprocess.Popen(
            self._command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        answer = self._process.stdout.readline().strip()
        if not answer.isdigit():
            self._stop()
            raise CrawlerError(answer or "demo web: its server ended before it began")
        self._web.port = int(answer)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def requests(self) -> list[Request]:
        """Return the requests so far, in order; empty without a log."""
        if self._log is None or not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        return [Request(**json.loads(line)) for line in lines]

    def _command(self) -> list[str]:
        web = self._web
        numbers = {"seed": web.seed, "articles": web.articles, "port": self._port}
        flags = [text for name, n in numbers.items() for text in (f"--{name}", str(n))]
        log = ["--log", str(self._log)] if self._log else []
        return [sys.executable, "-m", "crawler.demo", "--until-stdin-closes", *flags, *log]

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
