"""Pages on loopback that lie there as they were written, one by its path and query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from support.documents import text


@contextmanager
def shelf(pages: Mapping[str, str], asked: list[str] | None = None) -> Iterator[str]:
    """Serve pages by their paths while the context lasts; yield the address of the host.

    They are HTML, but for the suffixes `txt` and `xml`.

    What is changed in `pages` is served from then on; `asked` gets the path of each request.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """See BaseHTTPRequestHandler."""
            if asked is not None:
                asked.append(self.path)
            body = pages.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            kinds = {"txt": "plain", "xml": "xml"}
            kind = kinds.get(self.path.rpartition(".")[2], "html")
            self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def written(title: str, seed: int, *changes: tuple[str, str], below: str = "") -> str:
    """Return a page of an article of 300 words in paragraphs, with words changed and more below."""
    words = text(seed, 300)
    for old, new in changes:
        words = words.replace(old, new)
    split = words.split()
    prose = "".join(f"<p>{' '.join(split[n : n + 30])}.</p>" for n in range(0, 300, 30))
    return (
        f"<!doctype html><html><head><title>{title}</title></head>"
        f"<body><article><h1>Goods</h1>{prose}</article>{below}</body></html>"
    )
