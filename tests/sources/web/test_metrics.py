"""What `--metrics` serves while a crawl runs, and what it says where it cannot."""

from __future__ import annotations

import json
import re
import socket
import sys
import urllib.request
from http.client import HTTPConnection
from pathlib import Path

import pytest
from support.crawling import FEWER, command, demo_web, job_data
from support.output import summary_of
from support.paths import ROOT

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.observe.counting import Counted, Counts
from crawler.sources.web.crawl import run_crawl
from crawler.storage.store import Store

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[tuple[str, str], float]]:
    """Return a crawl's directory, and what was served as its last page had ended."""
    pytest.importorskip("prometheus_client")
    from crawler.observe.metrics import serving

    output, told = tmp_path_factory.mktemp("metrics") / "out", ""
    counts = Counts()

    def read() -> dict[str, Counted]:
        return {"": counts.read()}

    with (
        serving("127.0.0.1", 0, "verified", read) as served,
        demo_web(articles=2) as (web, _),
    ):
        job = parse_job(job_data(web, output, FEWER), "test")
        with serving("127.0.0.1", 0, "textbook", read) as other:  # does not clash
            assert other.registry is not served.registry

        def scrape(line: str) -> None:
            nonlocal told
            url = f"http://127.0.0.1:{served.port}/metrics"
            told = urllib.request.urlopen(url, timeout=600).read().decode()

        assert run_crawl(job, Store.create(output, identity(job)), scrape, counts) == 0
        port = served.port
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port))
    return output, {(m[1], m[2] or ""): float(m[3]) for m in _SAMPLE.finditer(told)}


def test_what_is_served_is_what_the_summary_says(
    crawled: tuple[Path, dict[tuple[str, str], float]],
) -> None:
    """Pages by verdict, other ends, bytes and what was saved agree with `summary.json`."""
    output, served = crawled
    summary = summary_of(output)
    verdicts = {**summary["stored_by_verdict"]}
    for verdict, number in summary["duplicates"].items():
        verdicts[verdict] = verdicts.get(verdict, 0) + number
    for verdict, number in verdicts.items():
        label = f'method="verified",verdict="{verdict}"'
        assert served.get(("crawler_pages_total", label), 0) == number
    for detail, number in summary["failures"].items():
        label = f'detail="{detail}",state="failed"'
        assert served["crawler_urls_ended_total", label] == number
    for kind in ("wire", "body"):
        sent = served["crawler_bytes_total", f'kind="{kind}"']
        assert sent == summary["totals"][f"{kind}_bytes"] > 0
    assert served["crawler_saved_bytes_total", ""] == summary["saved"]["bytes"] > 0
    for reason, number in summary["dropped_links"].items():
        assert served["crawler_links_refused_total", f'reason="{reason}"'] == number
    assert served["crawler_saved_total", 'by="payload"'] == summary["duplicates"]["exact-payload"]
    by_template = summary["read_by"].get("template", 0)
    assert served["crawler_saved_total", 'by="template"'] == by_template
    assert served["crawler_frontier_urls", 'state="seen"'] == summary["seen"]
    assert served["crawler_frontier_urls", 'state="pending"'] == summary["pending"]
    assert served["crawler_pool_processes", ""] == 1
    judged = summary["stored"] + sum(summary["duplicates"].values())
    assert 0 < served["crawler_judge_seconds_count", ""] <= judged
    assert served["crawler_fetch_seconds_count", ""] >= judged


@pytest.mark.parametrize(
    ("bound", "method", "path", "host", "status"),
    [
        ("127.0.0.1", "GET", "/metrics", "127.0.0.1:9100", 200),
        ("127.0.0.1", "GET", "/metrics?a=1", "localhost", 200),
        ("127.0.0.1", "GET", "/metrics", "[::1]:9100", 200),
        ("localhost", "GET", "/metrics", "localhost:1", 200),
        ("127.0.0.1", "GET", "/metrics", "evil.example", 403),
        ("127.0.0.1", "GET", "/metrics", "127.0.0.1.evil.example:9100", 403),
        ("127.0.0.1", "GET", "/metrics", "localhost@evil.example", 403),
        ("127.0.0.1", "GET", "/metrics", None, 403),
        ("127.0.0.1", "GET", "/healthz", "localhost", 404),
        ("127.0.0.1", "GET", "/", "localhost", 404),
        ("127.0.0.1", "GET", "/metrics/", "localhost", 404),
        ("127.0.0.1", "GET", "/favicon.ico", "localhost", 404),
        ("127.0.0.1", "POST", "/metrics", "localhost", 405),
        ("127.0.0.1", "POST", "/metrics", "evil.example", 403),
    ],
)
def test_only_its_path_is_served_and_only_under_its_names(
    bound: str, method: str, path: str, host: str | None, status: int
) -> None:
    """A page in a browser reads nothing by a name of its own that leads here (DNS rebinding)."""
    pytest.importorskip("prometheus_client")
    from crawler.observe.metrics import serving

    with serving(bound, 0, "verified", lambda: {"": Counts().read()}) as served:
        connection = HTTPConnection(bound, served.port, timeout=600)
        connection.putrequest(method, path, skip_host=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        response = connection.getresponse()
        assert (response.status, b"crawler_" in response.read()) == (status, status == 200)
        connection.close()


def test_the_dashboard_asks_for_what_is_served(
    crawled: tuple[Path, dict[tuple[str, str], float]],
) -> None:
    """Every metric in a panel exists, and every gauge has a value."""
    from crawler.observe.metrics import GAUGES

    names = {name for name, _ in crawled[1]}
    board = json.loads((ROOT / "config/grafana-dashboard.json").read_text())
    assert GAUGES.keys() <= names
    for panel in board["panels"]:
        (target,) = panel["targets"]
        assert set(re.findall(r"crawler_\w+", target["expr"])) <= names


def test_a_taken_port_ends_the_program_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 2, and no directory."""
    pytest.importorskip("prometheus_client")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        out = tmp_path / "out"
        code, _, err = command(
            capsys, "http://127.0.0.1:9/", "--output", out, "--metrics", where.partition(":")[2]
        )
    assert (code, out.exists()) == (2, False)
    assert f"--metrics {where}: cannot listen there: another program has port " in err
    assert "Errno" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("given", ["x", ":9100", "host:", "-1", "70000"])
def test_what_is_no_address_is_told(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad ports are refused as the flag is read."""
    code, _, err = command(capsys, "http://127.0.0.1:9/", f"--metrics={given}")
    assert code == 2
    way_out = "the last one is 65535" if given.isdigit() else "write 9100 or 127.0.0.1:9100"
    assert way_out in err


def test_without_the_package_it_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pip command, exit code 2, and no directory."""
    monkeypatch.delitem(sys.modules, "crawler.observe.metrics", raising=False)
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    out = tmp_path / "out"
    code, _, err = command(capsys, "http://127.0.0.1:9/", "--output", out, "--metrics", "0")
    assert (code, out.exists()) == (2, False)
    assert "pip install 'inline-crawler[metrics]'" in err
