"""Machines on one: network namespaces on a bridge, to be cut off and killed; Linux, as root.

::

    hub: a bridge ── head, other nodes of a Ray cluster, the web: a namespace and an address each

All see the same files and processes, and each its own network alone. As a program, the web: it
serves domains (`support.clustered`) at all addresses of its namespace and notes each request.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from support.clustered import Domains, SharedSites
from support.crawling import HANG_S

RAY_PORT = 6379
HEAD, WORKER = "head", "worker"
POLL_S = 0.1
TOKEN = "0" * 64
ADDRESSES = [f"10.78.0.{number}" for number in range(1, 4)]
"""Of the web: each is that of several hosts."""


def missing() -> str | None:
    """Return what this machine lacks for them; None for nothing."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None:
        return "network namespaces: Linux, root and `ip` (iproute2)"
    probe = f"probe{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
    if made.returncode != 0:
        return f"`ip netns`: {made.stderr.decode().strip()}"
    subprocess.run(["ip", "netns", "del", probe], check=True)
    return None


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Machine:
    """A namespace, and the processes in it."""

    def __init__(self, name: str, address: str, namespace: str, short: Path) -> None:
        """`short` is a directory for sockets: their names have 107 bytes at most."""
        self.short = short
        self.name = name
        self.address = address
        self.namespace = namespace
        self._begun: list[subprocess.Popen[bytes]] = []

    def begin(
        self, *words: object, log: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Run a Python module here, with its arguments; what it says goes to a file."""
        enter = ["ip", "netns", "exec", self.namespace, sys.executable, "-m", *map(str, words)]
        paths = os.pathsep.join(filter(None, sys.path))
        ray = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": TOKEN, "RAY_USAGE_STATS_ENABLED": "0"}
        env = os.environ | {"PYTHONPATH": paths} | ray | dict(environment or {})
        with log.open("ab") as out:
            self._begun.append(subprocess.Popen(enter, env=env, stdout=out, stderr=out))
        return self._begun[-1]

    def join(self, head: Machine | None = None, *, home: Path) -> subprocess.Popen[bytes]:
        """Be a node of a Ray cluster, or its head; return when it is.

        Roles can be placed there by the resource HEAD or WORKER.
        """
        log = home / f"{self.name}.log"
        way = (
            ["--address", f"{head.address}:{RAY_PORT}"] if head else ["--head", "--port", RAY_PORT]
        )
        node = self.begin(
            *("ray.scripts.scripts", "start", "--block", "--num-cpus", 4, *way),
            *(
                "--node-ip-address",
                self.address,
                "--resources",
                json.dumps({WORKER if head else HEAD: 1}),
            ),
            *("--object-store-memory", 100_000_000, "--include-log-monitor", "false"),
            *(() if head else ("--temp-dir", self.short, "--include-dashboard", "false")),
            log=log,
        )
        told = log.stat().st_size
        wait(lambda: b"Ray runtime started" in log.read_bytes()[told:] or node.poll() is not None)
        assert node.poll() is None, log.read_text()
        return node

    def processes(self, what: str = "") -> list[int]:
        """Return the processes here whose command line has this in it."""
        listed = subprocess.run(
            ["ip", "netns", "pids", self.namespace], capture_output=True, check=True
        )
        found = []
        for number in map(int, listed.stdout.split()):
            with suppress(OSError):
                line = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ")
                if what.encode() in line:
                    found.append(number)
        return found

    def send(self, what: str = "", number: int = signal.SIGKILL) -> list[int]:
        """Send those a signal; return them."""
        found = self.processes(what)
        for process in found:
            with suppress(ProcessLookupError):
                os.kill(process, number)
        return found

    def die(self) -> None:
        """Lose power."""
        while self.send():
            time.sleep(POLL_S)
        for process in self._begun:
            process.wait()


class Hub:
    """What all cables lead to."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._prefix = f"t{os.getpid()}"
        self._hub = self._namespace("hub")
        _ip("-n", self._hub, "link", "add", "bridge0", "type", "bridge")
        _ip("-n", self._hub, "link", "set", "bridge0", "up")
        self._number = 0
        self._short = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ray-")))

    def _namespace(self, name: str) -> str:
        namespace = f"{self._prefix}-{name}"
        _ip("netns", "add", namespace)
        self._stack.callback(_ip, "netns", "del", namespace)
        _ip("-n", namespace, "link", "set", "lo", "up")
        return namespace

    def machine(self, name: str, *addresses: str) -> Machine:
        """Add a machine, with these addresses beside that of its name."""
        self._number += 1
        namespace, port = self._namespace(name), f"p{self._number}"
        own = f"10.77.0.{self._number}"
        cable = ["type", "veth", "peer", "name", port, "netns", self._hub]
        _ip("-n", namespace, "link", "add", "eth0", *cable)
        _ip("-n", self._hub, "link", "set", port, "master", "bridge0", "up")
        for address in (own, *addresses):
            _ip("-n", namespace, "address", "add", f"{address}/8", "dev", "eth0")
        _ip("-n", namespace, "link", "set", "eth0", "up")
        made = Machine(name, own, namespace, self._short)
        self._stack.callback(made.die)
        return made

    def cut(self, one: Machine, *others: Machine) -> None:
        """Lose all that a machine and others send each other."""
        for here, there in _ways(one, others):
            nobody = ["lladdr", "02:00:00:00:00:00", "nud", "permanent"]
            _ip("-n", here, "neigh", "replace", there, *nobody, "dev", "eth0")

    def mend(self, one: Machine, *others: Machine) -> None:
        """Undo `cut`."""
        for here, there in _ways(one, others):
            _ip("-n", here, "neigh", "del", there, "dev", "eth0")


def _ways(one: Machine, others: Sequence[Machine]) -> Iterator[tuple[str, str]]:
    """Yield each way between a machine and others: from a namespace, to an address."""
    for other in others:
        yield one.namespace, other.address
        yield other.namespace, one.address


@contextmanager
def hub() -> Iterator[Hub]:
    """Yield a hub; what was added to it goes with the context, and all that runs there."""
    with ExitStack() as stack:
        yield Hub(stack)


def wait(until: Callable[[], object], within_s: float = 3 * HANG_S) -> None:
    """Wait until something is true; what processes do has no clock of ours."""
    ends_at = time.monotonic() + within_s
    while not until():
        assert time.monotonic() < ends_at, "it did not come true"
        time.sleep(POLL_S)


# ---------------------------------------------------------------- the web


class Asked(NamedTuple):
    """A request, as the server has it."""

    at: float
    host: str
    path: str
    client: str
    """The address of who asked."""


def asked(log: Path) -> list[Asked]:
    """Return all requests so far, in order."""
    if not log.exists():
        return []
    lines = log.read_bytes().split(b"\n")[:-1]
    return sorted(Asked(*json.loads(line)) for line in lines)


def by_host(requests: Sequence[Asked]) -> dict[str, list[Asked]]:
    """Return requests by whom they ask."""
    found = defaultdict[str, list[Asked]](list)
    for request in requests:
        found[request.host].append(request)
    return found


def names(web: Domains) -> dict[str, str]:
    """Return the address of each host: few of them for many."""
    hosts = [site.removeprefix("http://") for site in web.domains]
    return {host: ADDRESSES[place % len(ADDRESSES)] for place, host in enumerate(hosts)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, web: Domains, log: Path) -> None:
        super().__init__(("", 80), _Handler)
        self.web = web
        self.log = log.open("a")
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        """Note the request, and answer as the domains do."""
        host, (client, _) = self.headers["Host"], self.client_address
        with self.server.lock:
            asked = Asked(time.monotonic(), host, self.path, client)
            print(json.dumps(asked), file=self.server.log, flush=True)
        reply = self.server.web.answer(f"http://{host}{self.path}")
        body = reply.data
        self.send_response(reply.status)
        for name, value in {"Content-Type": "text/html", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    *told, noted = sys.argv[1:]
    web = Domains(*map(int, told)) if told else SharedSites()
    with _Server(web, Path(noted)) as serving:
        serving.serve_forever()
