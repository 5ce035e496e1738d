"""A server in a thread, for crawls that run in the test's own thread: answers by a function."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    """What one request is answered with."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None
    """What is sent as it is, in the place of the body."""

    @property
    def data(self) -> bytes:
        """The body as it is sent."""
        return self.body.encode() if self.file is None else self.file


def page(name: str, *links: str) -> Reply:
    """Return a page with words of its own, and links."""
    words = " ".join(f"{name}{n}" for n in range(80))
    anchors = "".join(f"<a href='{link}'>{link}</a> " for link in links)
    return Reply(f"<html><body><p>{words}</p>{anchors}</body></html>")


class Site(ThreadingHTTPServer):
    """Answers paths by a function; keeps what was asked and when."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer: Callable[[str], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[tuple[str, float]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that have gone: some are killed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        """Where it begins, without a slash."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [path for path, _ in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are written apart: 40 ms a request
    server: Site

    def do_GET(self) -> None:
        """Answer by the site's function."""
        self.server.asked.append((self.path, time.monotonic()))
        reply = self.server.answer(self.path)
        data = reply.data
        self.send_response(reply.status)
        kind = "text/plain" if self.path == "/robots.txt" else "text/html"
        for name, value in {"Content-Type": kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def site(answer: Callable[[str], Reply]) -> Iterator[Site]:
    """Serve a site while the context lasts."""
    with Site(answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
