"""Whole runs on an operator's bad day: each ends with what to do, and the way on holds."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson
import pytest
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    command,
    demo_web,
    finished,
    job_data,
    left_out,
    loopback_job,
    program,
    write_job,
)
from support.output import all_lines, lines
from support.processes import limit_files

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Site(ThreadingHTTPServer):
    """Links from `/` to `links` URLs that are not there; counts requests by path."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, links: int) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.links = links
        self.asked: Counter[str] = Counter()
        self.counting = threading.Lock()

    @property
    def url(self) -> str:
        """Where it begins."""
        return f"http://127.0.0.1:{self.server_port}/"


class Page(BaseHTTPRequestHandler):
    """One connection to a Site."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are written apart: 40 ms a request
    server: Site

    def do_GET(self) -> None:
        """Answer by path."""
        with self.server.counting:
            self.server.asked[self.path] += 1
        found = self.path == "/"
        links = "".join(f"<a href=/{n}>{n}</a> " for n in range(self.server.links))
        body = links.encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def job(server: Site, output: Path) -> dict[str, Any]:
    """Return the job of a hurried crawl of a Site."""
    return loopback_job(
        output,
        [server.url],
        fetch={"allow_addresses": ["127.0.0.0/24"], "retries": 0},
        politeness={"per_host": 8, "per_address": 8},
    )


@contextmanager
def site(links: int) -> Iterator[Site]:
    """Serve a Site while the context lasts."""
    with Site(links) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("size", [100_000, 300_000])
def test_a_disk_without_room_stops_the_crawl_and_a_resume_ends_it(
    tmp_path: Path, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 says what to do; with room again every page ends as its truth says."""
    with demo_web(articles=4) as (web, _):
        job = write_job(
            job_data(web, tmp_path / "out", FEWER, AS_USERS_READ), tmp_path / "job.yaml"
        )
        code, _, err = finished(program("--config", job, preexec_fn=partial(limit_files, size)))
        assert code == 3
        assert "Traceback" not in err
        assert re.search(r"free space|disk full", err)
        assert len(re.findall(r"[Rr]epair the cause", err)) <= 1, "the way out, once"
        assert not (tmp_path / "out" / "summary.json.part").exists()
        code, _, err = command(capsys, "resume", tmp_path / "out")
        if code == 2:
            assert "repeat" in err
            code, _, _ = command(capsys, "--config", job)
        compared = web.truth.compare(*all_lines(tmp_path / "out"))
    assert code == 0
    assert compared.wrong == ()
    assert all(left_out(missed.url, FEWER) for missed in compared.missed)


def test_a_page_with_more_links_than_memory_holds_has_each_fetched_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hundred refills and more of a queue of four lose no URL and repeat none."""
    with site(links=600) as server:
        data = job(server, tmp_path / "out")
        data["frontier"] = {"host_queue": 4}
        code, _, err = command(capsys, "--config", write_job(data, tmp_path / "job.yaml"))
        asked = server.asked
    assert code == 0, err
    assert asked == Counter(["/robots.txt", "/", *(f"/{n}" for n in range(600))])
    assert len(lines(tmp_path / "out", "failures")) == 600


def test_crawls_and_judged_corpora_are_not_taken_for_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`resume` of a corpus and `dedup` into a crawl say what the directory holds."""
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(orjson.dumps({"text": "a few words"}))
    judge = ("dedup", corpus, "--output")
    assert command(capsys, *judge, tmp_path / "judged")[0] == 0
    with site(links=1) as server:
        data = job(server, tmp_path / "crawled")
        assert command(capsys, "--config", write_job(data, tmp_path / "job.yaml"))[0] == 0
    mistakes = {
        "the results of `dedup`": ("resume", tmp_path / "judged"),
        "a crawl": (*judge, tmp_path / "crawled"),
    }
    for held, mistake in mistakes.items():
        code, _, err = command(capsys, *mistake)
        assert code == 2
        assert f"already holds {held}: " in err


def test_a_damaged_state_is_named_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where SQLite finds its file malformed, the message says what can be done."""
    with site(links=1) as server:
        data = job(server, tmp_path / "out")
        assert command(capsys, "--config", write_job(data, tmp_path / "job.yaml"))[0] == 0
    state = tmp_path / "out" / "state.sqlite"
    state.write_bytes(state.read_bytes()[:4096].ljust(state.stat().st_size, b"?"))
    code, _, err = command(capsys, "resume", tmp_path / "out")
    assert code == 3
    assert "restore the whole directory from a backup" in err


def test_a_seed_out_of_scope_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crawl whose own scope forbids its seed says so, and ends with 1."""
    with site(links=1) as server:
        data = job(server, tmp_path / "out")
        data["scope"] = {"exclude": ["."]}
        code, _, err = command(capsys, "--config", write_job(data, tmp_path / "job.yaml"))
        assert not server.asked
    assert code == 1
    assert f"{server.url}: not crawled: `scope.exclude`" in err
