"""Whether the image and the services around it are as they must be.

    make check-container

First what can be read: that Dockerfile and compose.yaml are understood, that each file they name is
there and is given to the build, that extras and command lines are those of this program, and that
metrics are served where Prometheus asks for them. Then, where a Docker daemon answers, the image is
built and crawls the demo web as the user that it is to have, and with the plugin `compose` the two
services beside the crawl are started, asked for the dashboard, and taken down. Ends with exit code
1 and a sentence at the first thing that is not so.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from crawler.cli import parsed

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "inline-crawler:check"
USER = "10001"
INSTRUCTIONS = frozenset(
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER "
    "VOLUME WORKDIR".split()
)
"""Of a Dockerfile (https://docs.docker.com/reference/dockerfile/)."""
GIVEN = {"SEED": "https://site.example/", "CONTACT": "https://example.org/our-crawler"}
"""What compose.yaml asks of the environment."""
READY_S = 120
"""Seconds that a service may take to answer."""


class Wrong(Exception):
    """Something is not as it must be; the message says what."""


class Instruction(NamedTuple):
    """One instruction of a Dockerfile."""

    name: str
    rest: str

    def words(self) -> list[str]:
        """Return its arguments; those of the exec form are JSON."""
        listed = re.search(r"\[.*\]$", self.rest)
        return json.loads(listed[0]) if listed else shlex.split(self.rest)


def instructions(dockerfile: str) -> list[Instruction]:
    """Return what a Dockerfile says, continued lines joined; raises Wrong for what is none."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.MULTILINE)
    found = []
    for line in filter(str.strip, re.sub(r"\\\n", "", text).splitlines()):
        name, _, rest = line.partition(" ")
        if name not in INSTRUCTIONS:
            raise Wrong(f"Dockerfile: {name!r} is no instruction")
        found.append(Instruction(name, rest.strip()))
    return found


def is_ignored(path: str, ignored: str) -> bool:
    """Whether .dockerignore keeps a path of the top directory from the build."""
    answer = False
    for line in ignored.splitlines():
        pattern = line.removeprefix("!")
        if line and not line.startswith("#") and fnmatch(path.split("/")[0], pattern):
            answer = not line.startswith("!")
    return answer


def lint_dockerfile(dockerfile: str, ignored: str, root: Path = ROOT) -> None:
    """Raise Wrong where a Dockerfile cannot give the image that is promised."""
    found = instructions(dockerfile)
    stages = [each for each in found if each.name == "FROM"]
    if len(stages) != 2:
        raise Wrong("Dockerfile: a stage that builds and one that runs were expected")
    for each in found:
        if each.name in ("COPY", "ADD") and "--from=" not in each.rest:
            for source in each.words()[:-1]:
                if not (root / source).exists():
                    raise Wrong(f"Dockerfile: {source} is not there")
                if is_ignored(source, ignored):
                    raise Wrong(f"Dockerfile: {source} is kept from the build by .dockerignore")
    last = found[found.index(stages[-1]) :]
    ends = {each.name: each for each in last}
    missing = {"USER", "VOLUME", "HEALTHCHECK", "ENTRYPOINT", "CMD"} - ends.keys()
    if missing:
        raise Wrong(f"Dockerfile: no {', '.join(sorted(missing))} in the last stage")
    if ends["USER"].rest in ("root", "0") or USER not in dockerfile:
        raise Wrong("Dockerfile: it must run as a user of its own")
    if ends["ENTRYPOINT"].words() != ["crawler"]:
        raise Wrong("Dockerfile: the entry point is not the program")
    if not _is_understood(crawl := ends["CMD"].words()):
        raise Wrong("Dockerfile: the program does not understand CMD")
    host, _, port = crawl[crawl.index("--live") + 1].partition(":")
    lint_health(ends["HEALTHCHECK"].words(), f"'{host}', {port},")


def lint_health(words: list[str], address: str) -> None:
    """Raise Wrong where a health check is no program, or does not ask where the crawl answers."""
    try:
        program, flag, code = words
        compile(code, "HEALTHCHECK", "exec")
    except (ValueError, SyntaxError) as error:
        raise Wrong(f"Dockerfile: HEALTHCHECK is no program: {error}") from None
    if (program, flag) != ("python", "-c") or "/healthz" not in code or address not in code:
        raise Wrong(f"Dockerfile: HEALTHCHECK does not ask {address} for /healthz")


def lint_compose(compose: dict[str, Any], root: Path = ROOT) -> None:
    """Raise Wrong where services, what they mount and the program do not go together."""
    services = compose["services"]
    for name, service in services.items():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.startswith(".") and not (root / source).is_file():
                raise Wrong(f"compose.yaml: {source} of {name} is not there")
            if not source.startswith(".") and source not in compose["volumes"]:
                raise Wrong(f"compose.yaml: the volume {source} of {name} is not declared")
        for port in service.get("ports", ()):
            if not port.startswith("127.0.0.1:"):
                raise Wrong(f"compose.yaml: port {port} of {name} is open to the network")
    crawl = services["crawl"]
    words = [
        re.sub(r"\$\{(\w+):\?.*\}", lambda found: GIVEN[found[1]], w) for w in crawl["command"]
    ]
    if not _is_understood(words):
        raise Wrong(f"compose.yaml: the program does not understand {' '.join(words)}")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    for extra in filter(None, crawl["build"]["args"]["EXTRAS"].split(",")):
        if extra not in project["optional-dependencies"]:
            raise Wrong(f"compose.yaml: there is no extra {extra}")
    asked = yaml.safe_load((root / "config/monitoring/prometheus.yml").read_text())
    [target] = asked["scrape_configs"][0]["static_configs"][0]["targets"]
    if target != words[words.index("--metrics") + 1]:
        raise Wrong(f"Prometheus asks {target}, where no metrics are served")
    if f"http://{target}/healthz" not in crawl["healthcheck"]["test"][-1]:
        raise Wrong(f"compose.yaml: the health check does not ask {target} for /healthz")


def _is_understood(words: list[str]) -> bool:
    unheard = StringIO()
    try:
        with redirect_stdout(unheard), redirect_stderr(unheard):
            parsed([*words])
    except SystemExit as end:  # after --help or --version, or over a mistake
        return not end.code
    return True


def lint() -> None:
    """Check what can be read. Raises Wrong at what is not so."""
    lint_dockerfile((ROOT / "Dockerfile").read_text(), (ROOT / ".dockerignore").read_text())
    lint_compose(yaml.safe_load((ROOT / "compose.yaml").read_text()))


def run(*words: str) -> str:
    """Run a command in the directory of the sources; return what it prints, Wrong if it fails."""
    known = os.environ | GIVEN
    done = subprocess.run(words, cwd=ROOT, env=known, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"`{' '.join(words)}` ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


def has_daemon() -> bool:
    """Whether there is a Docker daemon that answers."""
    if shutil.which("docker") is None:
        return False
    done = subprocess.run(["docker", "version"], capture_output=True)
    return done.returncode == 0


def build_and_use() -> None:
    """Build the image, have it crawl the demo web, look who it is."""
    run("docker", "build", "--build-arg", "EXTRAS=metrics", "--tag", IMAGE, ".")
    started = ("docker", "run", "--rm", "--init")
    if "(kernels: C, " not in run(*started, IMAGE, "--version"):
        raise Wrong("the image has no compiled kernels")
    if run(*started, "--entrypoint", "id", IMAGE, "-u").strip() != USER:
        raise Wrong(f"the image does not run as user {USER}")
    run(*started, IMAGE, "demo", "--articles", "10", "--output", "/data/demo")


def start_services() -> None:
    """Start Prometheus and Grafana, and ask them for what they are to have."""
    compose = ("docker", "compose", "--project-name", "inline-crawler-check")
    run(*compose, "config", "--quiet")
    try:
        run(*compose, "up", "--detach", "prometheus", "grafana")
        _ask("http://127.0.0.1:9090/api/v1/targets?state=active", "crawl:9100")
        _ask("http://127.0.0.1:3000/api/search?query=Crawler", "inline-crawler")
    finally:
        run(*compose, "down", "--volumes")


def _ask(url: str, expected: str) -> None:
    """Ask until the answer has what is expected."""
    for answer in _answers(url):
        if expected in answer:
            return
    raise Wrong(f"{url} did not tell of {expected} within {READY_S} s")


def _answers(url: str) -> Iterator[str]:
    ends_at = time.monotonic() + READY_S
    while time.monotonic() < ends_at:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as response:
            yield response.read().decode()
        time.sleep(1)


def main() -> int:
    """Check everything that can be checked here and say what that was; return the exit code."""
    try:
        lint()
        print("Dockerfile and compose.yaml go together with the program")
        if not has_daemon():
            print("NOT BUILT: no Docker daemon answers here")
            return 0
        build_and_use()
        print("the image was built and has crawled the demo web")
        start_services()
        print("Prometheus asks the crawl, and Grafana has the dashboard")
    except Wrong as wrong:
        print(f"container: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
