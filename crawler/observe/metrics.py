"""A crawl's counts for Prometheus, while it runs: the one place that needs prometheus-client.

Read at scrape time, in the server's thread, from counts that are kept for it (`counting`), here or
in the processes of partitions. Counters begin at 0 with the process, as Prometheus expects. No
metric has a host: their number would have no bound.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import accumulate
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from crawler.errors import CannotListen, NotInstalled
from crawler.models import EXACT_PAYLOAD, UrlState
from crawler.observe.counting import Counted
from crawler.observe.health import HEALTHZ, READYZ, Health
from crawler.observe.watching import is_own_name

try:
    from prometheus_client import CollectorRegistry, make_wsgi_app
    from prometheus_client.exposition import ThreadingWSGIServer
    from prometheus_client.metrics_core import (
        CounterMetricFamily,
        GaugeMetricFamily,
        HistogramMetricFamily,
    )
except ImportError:
    raise NotInstalled("--metrics", "prometheus-client", "metrics") from None

PATH = "/metrics"
"""Where they are served; beside them only how the run is doing."""

ASKED_WITHIN_S = 30.0
"""How long a connection may say nothing: each holds a thread."""

GAUGES = {
    "crawler_frontier_urls": ("URLs accepted, by state", "state"),
    "crawler_frontier_hosts": ("Hosts in the frontier, by state", "state"),
    "crawler_pool_pages": ("Pages at the analysis processes, by state", "state"),
    "crawler_pool_processes": ("Analysis processes", ""),
    "crawler_event_loop_stall_longest_seconds": ("Longest stall of the event loop", ""),
    "crawler_event_loop_stall_p99_seconds": ("99th percentile of the loop's lateness", ""),
}
"""Name -> (what it is, its label)."""


class Metrics:
    """The metrics of one crawl, in a registry of their own: crawls in one process do not clash.

    `method` is how near duplicates are recognised. `read` gives what was counted, by the name of a
    partition, which all metrics have for a label then; or of a crawl by itself, under "". It is
    called in the server's thread.
    """

    def __init__(self, method: str, read: Callable[[], Mapping[str, Counted]]) -> None:
        self.port = 0
        """Where they are served."""
        self._method = method
        self._read = read
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def collect(self) -> Iterator[Any]:
        """Yield all metrics, as a registry asks for them."""
        counted = self._read()
        apart = ("partition",) if "" not in counted else ()
        pages = CounterMetricFamily(
            "crawler_pages", "Pages fetched and judged", labels=("verdict", "method", *apart)
        )
        others = CounterMetricFamily(
            "crawler_urls_ended", "URLs that ended otherwise", labels=("state", "detail", *apart)
        )
        sent = CounterMetricFamily("crawler_bytes", "Bytes of pages", labels=("kind", *apart))
        links = CounterMetricFamily(
            "crawler_links_refused",
            "Links that were not queued, by why",
            labels=("reason", *apart),
        )
        saved = CounterMetricFamily(
            "crawler_saved",
            "Pages that needed no analysis or no extractor, by why",
            labels=("by", *apart),
        )
        not_stored = "Body bytes of duplicates not stored"
        stored = CounterMetricFamily("crawler_saved_bytes", not_stored, labels=apart)
        fetched = HistogramMetricFamily(
            "crawler_fetch_seconds",
            "Seconds from a page's request to the end of its body",
            labels=apart,
        )
        judged = HistogramMetricFamily(
            "crawler_judge_seconds", "Seconds of a verdict on a page that was read", labels=apart
        )
        for name, one in counted.items():
            of = (name,) if apart else ()
            for (state, detail), number in sorted(one.ends.items()):
                if state in (UrlState.STORED, UrlState.DUPLICATE):
                    pages.add_metric((detail, self._method, *of), number)
                else:
                    others.add_metric((state.name.lower(), detail, *of), number)
            for kind in ("wire", "body"):
                sent.add_metric((kind, *of), one.sums.get(f"{kind}_bytes", 0))
            for reason, number in sorted(one.refused.items()):
                links.add_metric((reason, *of), number)
            copies = one.ends.get((UrlState.DUPLICATE, EXACT_PAYLOAD), 0)
            saved.add_metric(("payload", *of), copies)
            saved.add_metric(("template", *of), one.by_template)
            stored.add_metric(of, max(0, one.sums.get("duplicate_bytes", 0)))
            for family, spread in ((fetched, one.fetch), (judged, one.judge)):
                # (bound, how many took as long at most), as Prometheus has them.
                bounds = (*map(str, spread.most_s), "+Inf")
                buckets = list(zip(bounds, accumulate(spread.counts), strict=True))
                family.add_metric(of, buckets, spread.sum_s)
        families = (pages, others, sent, links, saved, stored, fetched, judged)
        yield from (*families, *_gauges(counted, apart))


def _gauges(counted: Mapping[str, Counted], apart: tuple[str, ...]) -> Iterator[Any]:
    for name, (what, label) in GAUGES.items():
        labels = (label, *apart) if label else apart
        gauge = GaugeMetricFamily(name, what, labels=labels)
        for partition, one in counted.items():
            of = (partition,) if apart else ()
            for (measured, value), number in one.gauges.items():
                if measured == name:
                    gauge.add_metric((value, *of) if label else of, number)
        yield gauge


@contextmanager
def serving(
    host: str,
    port: int,
    method: str,
    read: Callable[[], Mapping[str, Counted]],
    health: Health | None = None,
) -> Iterator[Metrics]:
    """Serve a crawl's metrics while the context lasts; CannotListen where nobody can.

    `port` 0 is any that is free; see Metrics for the others. With `health` probes are answered.
    """
    metrics = Metrics(method, read)
    app = _answering(make_wsgi_app(metrics.registry), host, health)
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        kind = type("_Server", (ThreadingWSGIServer,), {"address_family": family})
        server: WSGIServer = make_server(str(where[0]), port, app, kind, handler_class=_Handler)
    except (OSError, UnicodeError) as error:
        raise CannotListen("--metrics", host, port, error) from None
    metrics.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(WSGIRequestHandler):
    """Logs nothing, and waits for nobody who says nothing."""

    timeout = ASKED_WITHIN_S

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _answering(metrics: Any, bound: str, health: Health | None) -> Any:
    """Return the WSGI application that serves metrics and health, under this machine's names."""

    def answer(environ: Mapping[str, str], start: Callable[..., Any]) -> Any:
        if not is_own_name(environ.get("HTTP_HOST", ""), bound):
            told = "metrics are not served under that name: ask an IP address of this machine, or "
            return _plain("403 Forbidden", told + "begin by --metrics NAME:PORT", start)
        path = environ["PATH_INFO"]
        if health is not None and path in (HEALTHZ, READYZ):
            status, text = health.answer(path)
            return _plain(f"{status} {HTTPStatus(status).phrase}", text.rstrip(), start)
        if path != PATH:
            return _plain("404 Not Found", f"there is {PATH}, {HEALTHZ} and {READYZ}", start)
        return metrics(environ, start)

    return answer


def _plain(status: str, text: str, start: Callable[..., Any]) -> list[bytes]:
    body = f"{text}\n".encode()
    start(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
