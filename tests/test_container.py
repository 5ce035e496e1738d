"""The image and the services around it, as far as they can be read without Docker."""

from __future__ import annotations

import copy
import socket
import subprocess
import sys
from typing import Any

import pytest
import yaml
from support.crawling import HANG_S
from support.paths import ROOT

from tools import container

DOCKERFILE = (ROOT / "Dockerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_they_go_together_with_the_program() -> None:
    """Files, extras, command lines and addresses that are named are there."""
    container.lint()


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("COPY crawler crawler", "COPY crawlers crawler", "crawlers is not there"),
        ("COPY crawler crawler", "COPY tests tests", "tests is kept from the build"),
        ("USER crawler", "USER root", "a user of its own"),
        ("USER crawler\n", "", "no USER in the last stage"),
        ("sys.exit()", "sys.exit(", "HEALTHCHECK is no program"),
        ("/healthz", "/metrics", "does not ask '127.0.0.1', 9100, for /healthz"),
        ("9100, timeout", "9000, timeout", "does not ask '127.0.0.1', 9100, for /healthz"),
        ("--resume-if-begun", "--resume", "does not understand CMD"),
        ("WORKDIR", "WORKDRI", "'WORKDRI' is no instruction"),
    ],
)
def test_a_fault_of_the_image_is_named(was: str, now: str, said: str) -> None:
    """What could only fail as the image is built, or as it runs, is told before."""
    assert was in DOCKERFILE
    with pytest.raises(container.Wrong, match=said):
        container.lint_dockerfile(DOCKERFILE.replace(was, now), IGNORED)


@pytest.mark.parametrize(
    ("service", "key", "value", "said"),
    [
        ("crawl", "command", ["crawl", "--metrisc", "1"], "does not understand"),
        ("crawl", "command", ["crawl", "--metrics", "1"], "where no metrics are served"),
        ("crawl", "build", {"args": {"EXTRAS": "metrics,fats"}}, "no extra fats"),
        ("crawl", "healthcheck", {"test": ["CMD", "true"]}, "does not ask crawl:9100 for /healthz"),
        ("crawl", "volumes", ["elsewhere:/data"], "elsewhere of crawl is not declared"),
        ("grafana", "volumes", ["./config/no.json:/x"], "no.json of grafana is not there"),
        ("grafana", "ports", ["3000:3000"], "open to the network"),
    ],
)
def test_a_fault_of_the_services_is_named(service: str, key: str, value: Any, said: str) -> None:
    """So is what would fail, or be open to strangers, as the services start."""
    changed = copy.deepcopy(COMPOSE)
    changed["services"][service][key] = value
    with pytest.raises(container.Wrong, match=said):
        container.lint_compose(changed)


@pytest.mark.parametrize(
    ("answer", "code"), [(b"HTTP/1.1 200 OK", 0), (b"HTTP/1.1 503 Hangs", 1), (None, 0)]
)
def test_a_container_is_unhealthy_where_its_crawl_says_so(answer: bytes | None, code: int) -> None:
    """By /healthz; one in which nobody answers there is healthy, as nothing was asked for."""
    [check] = [one for one in container.instructions(DOCKERFILE) if one.name == "HEALTHCHECK"]
    program = check.words()[-1]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(HANG_S)
        port = server.getsockname()[1]
        if answer is None:
            server.close()
        line = [sys.executable, "-c", program.replace("9100", str(port))]
        asking = subprocess.Popen(line)
        if answer is not None:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(1000).startswith(b"GET /healthz ")
                connection.sendall(answer + b"\r\nContent-Length: 0\r\n\r\n")
        assert asking.wait(HANG_S) == code


def test_only_what_an_image_is_built_of_is_given_to_the_build() -> None:
    """Later lines of .dockerignore take back earlier ones."""
    assert not container.is_ignored("crawler", IGNORED)
    assert not container.is_ignored("requirements/run.txt", IGNORED)
    assert container.is_ignored("tests", IGNORED)
    assert container.is_ignored("crawl-out", IGNORED)
