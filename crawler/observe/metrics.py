"""A crawl's counts for Prometheus, while it runs: the one place that needs prometheus-client.

Read at scrape time, in the server's thread, from counts that are kept anyway: a page pays for two
histograms and a few additions, and nothing where no metrics are asked for. Counters begin at 0 with
the process, as Prometheus expects. No metric has a host: their number would have no bound.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from crawler.errors import ConfigError
from crawler.models import EXACT_PAYLOAD, TEMPLATE, PageOutcome, UrlState
from crawler.observe.health import HEALTHZ, READYZ, Health
from crawler.observe.watching import Reading, is_own_name

try:
    from prometheus_client import CollectorRegistry, Histogram, make_wsgi_app
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily
except ImportError:
    raise ConfigError(
        "--metrics needs prometheus-client, which is not installed: pip install "
        "'inline-crawler[metrics]'"
    ) from None

PATH = "/metrics"
"""Where they are served; beside them only how the run is doing."""

ASKED_WITHIN_S = 30.0
"""How long a connection may say nothing: each holds a thread."""

FETCH_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
"""Half decades, from a neighbour's cached page to the default timeouts."""

JUDGE_BUCKETS_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
"""Half decades, from a known digest to what a person notices as a stall of the event loop."""

COUNTED = ("wire_bytes", "body_bytes", "duplicate_bytes")
"""Running totals that are served, beside refused links and pages read by a template."""

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

    `method` is how near duplicates are recognised. The event loop's thread writes, the server's
    reads copies.
    """

    def __init__(self, method: str) -> None:
        self.port = 0
        """Where they are served."""
        self._method = method
        self._ends: Counter[tuple[UrlState, str]] = Counter()
        self._sums: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        """Links, by why."""
        self._by_template = 0
        """Pages that no extractor had to read."""
        self._read: Callable[[], Reading] = dict
        self.registry = CollectorRegistry()
        self.registry.register(self)
        what = "Seconds from a page's request to the end of its body"
        self._fetch_s = self._histogram("crawler_fetch_seconds", what, FETCH_BUCKETS_S)
        what = "Seconds of a verdict on a page that was read, in the event loop"
        self._judge_s = self._histogram("crawler_judge_seconds", what, JUDGE_BUCKETS_S)

    def _histogram(self, name: str, what: str, buckets: tuple[float, ...]) -> Any:
        return Histogram(name, what, buckets=buckets, registry=self.registry)

    def add(self, outcome: PageOutcome) -> None:
        """Count a URL's end."""
        self._ends[outcome.state, outcome.detail] += 1
        totals = outcome.totals
        for name in COUNTED:
            self._sums[name] += int(totals.sums.get(name, 0))
        for reason, number in totals.dropped_link.items():
            self._refused[reason] += int(number)
        self._by_template += int(totals.read_by.get(TEMPLATE, 0))
        if (fetch_s := totals.sums.get("fetch_s")) is not None:
            self._fetch_s.observe(fetch_s)

    def judged(self, seconds: float) -> None:
        """Note how long a verdict took."""
        self._judge_s.observe(seconds)

    @contextmanager
    def reading(self, read: Callable[[], Reading]) -> Iterator[None]:
        """Ask this for the gauges while the context lasts; it is called in another thread."""
        self._read = read
        try:
            yield
        finally:
            self._read = dict

    def collect(self) -> Iterator[Any]:
        """Yield all metrics but the histograms, as a registry asks for them."""
        ends, sums, refused = dict(self._ends), dict(self._sums), dict(self._refused)
        pages = CounterMetricFamily(
            "crawler_pages", "Pages fetched and judged", labels=("verdict", "method")
        )
        others = CounterMetricFamily(
            "crawler_urls_ended", "URLs that ended otherwise", labels=("state", "detail")
        )
        for (state, detail), number in sorted(ends.items()):
            if state in (UrlState.STORED, UrlState.DUPLICATE):
                pages.add_metric((detail, self._method), number)
            else:
                others.add_metric((state.name.lower(), detail), number)
        sent = CounterMetricFamily("crawler_bytes", "Bytes of pages", labels=("kind",))
        for kind in ("wire", "body"):
            sent.add_metric((kind,), sums.get(f"{kind}_bytes", 0))
        links = CounterMetricFamily(
            "crawler_links_refused", "Links that were not queued, by why", labels=("reason",)
        )
        for reason, number in sorted(refused.items()):
            links.add_metric((reason,), number)
        saved = CounterMetricFamily(
            "crawler_saved", "Pages that needed no analysis or no extractor, by why", labels=("by",)
        )
        saved.add_metric(("payload",), ends.get((UrlState.DUPLICATE, EXACT_PAYLOAD), 0))
        saved.add_metric(("template",), self._by_template)
        not_stored = "Body bytes of duplicates not stored"
        stored = CounterMetricFamily("crawler_saved_bytes", not_stored)
        stored.add_metric((), max(0, sums.get("duplicate_bytes", 0)))
        yield from (pages, others, sent, links, saved, stored, *self._gauges())

    def _gauges(self) -> Iterator[Any]:
        now = self._read()
        for name, (what, label) in GAUGES.items():
            gauge = GaugeMetricFamily(name, what, labels=(label,) if label else ())
            for (of, value), number in now.items():
                if of == name:
                    gauge.add_metric((value,) if label else (), number)
            yield gauge


@contextmanager
def serving(host: str, port: int, method: str, health: Health | None = None) -> Iterator[Metrics]:
    """Serve a crawl's metrics while the context lasts; ConfigError where nobody can listen there.

    `port` 0 is any that is free. With `health` probes are answered, too.
    """
    metrics = Metrics(method)
    app = _answering(make_wsgi_app(metrics.registry), host, health)
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        of_family = type("_Server", (_Server,), {"address_family": family})
        server: _Server = make_server(str(where[0]), port, app, of_family, handler_class=_Handler)
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"--metrics {host}:{port}: cannot listen there: {error}; choose another address"
        ) from None
    metrics.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield metrics
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection, which keeps no program from its end."""

    daemon_threads = True


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
