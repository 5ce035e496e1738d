"""Fixtures that more than one file of tests asks for by name."""

import asyncio
import gc
import os
import random
import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import settings
from support.analysing import no_processes
from support.authority import authority
from support.clustered import domains_job
from support.corpora import CORPORA
from support.forking import forking
from support.parts import Ends, ends_of
from support.sites import crawled

from crawler import cli
from crawler.dedup import kernels
from crawler.frontier import failures

# Images often set it. Programs of users have buffers, and these may hold what cannot be written.
os.environ.pop("PYTHONUNBUFFERED", None)

MEMORY = Path("/dev/shm")
"""A file system without a disk, where the system has it. Tests commit some ten thousand times, and
a disk takes milliseconds each time: a minute, in which there was nothing to compute."""
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2_000_000_000:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# How long an example takes is the machine's doing. `make test` draws other examples each time, and
# repeats those that failed; `make test-hard` draws ten times as many.
settings.register_profile("suite", deadline=None, max_examples=20)
settings.register_profile("deep", deadline=None, max_examples=200)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the order of tests be chance, and be repeated, and some have many more rounds."""
    parser.addoption("--shuffle", metavar="SEED", help="files, and tests within each, by chance")
    parser.addoption("--soak", action="store_true", help="hundreds of rounds where there are few")


SELDOM = 50
"""Full collections come a fifth as often as Python has them: crawls give back what was frozen, and
each then walks over all tests again, for .3 s."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is collected: all of it lasts to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], SELDOM)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mix files, or shuffle them and then the tests of each; what a file shares is made once."""
    files = list(dict.fromkeys(item.path for item in items))
    if (seed := config.getoption("--shuffle")) is not None:
        chance = random.Random(seed)
        places = {path: chance.random() for path in files}
        items.sort(key=lambda item: (places[item.path], chance.random()))
    else:
        places = mixed(files)
        items.sort(key=lambda item: places[item.path])


_WAITING = "cli", "sources/web", "faults", "browser"
WAITING = tuple(Path(__file__).parent / name for name in _WAITING)
"""Where tests crawl servers and start programs, and wait for these; others compute."""
WAITED_FOR = 0.8
"""How much of all else has begun when the last file of these does: some take long, and none shall
be what a whole run waits for at its end."""


def mixed(files: Sequence[Path]) -> dict[Path, float]:
    """Return the place of each file, from 0 to 1: those that wait are spread among the others.

    So while the test of one process waits there is another that computes.
    """
    waiting = [path for path in files if any(place in path.parents for place in WAITING)]
    others = [path for path in files if path not in waiting]
    return {
        **{path: WAITED_FOR * n / len(waiting) for n, path in enumerate(waiting)},
        **{path: n / len(others) for n, path in enumerate(others)},
    }


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is marked `corpora` where there are none; have kernels as a test asks for them.

    Which are in use is not left to the fixture: it lasts while tests that do not ask for it run.
    """
    if item.get_closest_marker("corpora") and not CORPORA.is_dir():
        pytest.skip("../shared/corpora is absent")
    way = item.callspec.params.get("either_way") if hasattr(item, "callspec") else None
    if way and way not in kernels.AVAILABLE:
        pytest.skip("no C: it was not compiled when the package was installed")
    kernels.use(way or kernels.AVAILABLE[-1])


@pytest.fixture(scope="session", autouse=True)
def cheap_starts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have programs forked that a plain start would load anew for a second of CPU each.

    And have one authority trusted instead of the system's hundreds, which each fetcher would read
    for 25 ms: on loopback no server has a certificate of theirs. And have the versions of packages
    read once, which are a crawl's identity: 2 ms each. And have the flags of all commands declared
    once, for 10 ms.
    """
    certificate = tmp_path_factory.mktemp("trusted") / "authority.pem"
    authority().cert_pem.write_to_path(str(certificate))
    once = cache(version)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("engine.identity", "dedup.methods", "dedup.signing", "extract.installed"):
            patch.setattr(f"crawler.{module}.version", once)
        patch.setattr(cli, "whole_parser", cache(cli.whole_parser))
        # Before a parent is chosen: it forks for no environment but that which it has itself.
        patch.setenv("SSL_CERT_FILE", str(certificate))
        with forking():
            yield


@pytest.fixture(scope="module", params=["C", "numpy"])
def either_way() -> None:
    """Run a file's tests twice: with the kernels in C, then with those in numpy."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a server up that cannot be reached at the first try, and not after two seconds."""
    monkeypatch.setattr(failures, "NO_SERVER_PATIENCE_S", 0.0)


@pytest.fixture
def no_analysis_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have pages read in the test's own process, but where a test is marked `processes`."""
    if request.node.get_closest_marker("processes"):
        yield
        return
    with no_processes():
        yield


@pytest.fixture(scope="session")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Ends:
    """Return how the crawl of some domains ends in one process, by its own judge."""
    with domains_job(tmp_path_factory.mktemp("calm") / "out") as (job, _), no_processes():
        data = job.model_dump(mode="json")
        del data["cluster"]
        asyncio.run(crawled(data))
        return ends_of(job.output)
