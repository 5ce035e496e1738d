"""What a command loads: what it needs and no more, so that none waits for another's libraries."""

from __future__ import annotations

import ast
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from crawler.cli import COMMANDS, commands, main
from crawler.workers import launch

ENDS = "from contextlib import suppress\nfrom crawler.cli import main\nwith suppress(SystemExit):\n"

LIBRARIES = {"numpy", "pydantic", "yaml", "orjson", "rich", "sqlite3", "asyncio", "ssl"} | {
    "aiohttp", "ada_url", "selectolax", "trafilatura", "lxml", "charset_normalizer", "jieba",
}  # fmt: skip
READERS = {"trafilatura", "lxml", "charset_normalizer", "jieba", "rjieba"}
"""What the processes that read pages load as they warm up."""
_OF_PAGES = "apart bounds charset lines page pdf readings rendering".split()
PAGES = {"selectolax", "crawler.workers.analyser", *(f"crawler.extract.{one}" for one in _OF_PAGES)}
"""What they read pages with: .05 s of CPU to load."""


FORKING = """
import os
import sys
import aiohttp, numpy, yaml
import crawler.config, crawler.sources.web.crawl, crawler.fetch, crawler.storage

for program in {programs!r}:
    if os.fork():
        if os.wait()[1]:
            sys.exit(1)
    else:
        exec(program)
        print(list(sys.modules), flush=True)
        os._exit(0)
"""
"""Loads once what each of the programs may load, which is most of it; they have the rest to
themselves. What is loaded here counts as theirs: it can hide nothing that they are not to load."""


def loaded_each(programs: Mapping[str, str]) -> dict[str, set[str]]:
    """Return of each program the names of all modules that it has loaded at its end."""
    shown = subprocess.run(
        [sys.executable, "-c", FORKING.format(programs=list(programs.values()))],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # no thread beside what is forked
    )
    lines = shown.stdout.splitlines()
    names = map(set, map(ast.literal_eval, lines))
    return dict(zip(programs, names, strict=True))


def loaded(program: str) -> set[str]:
    """Return the names of all modules that a fresh interpreter has loaded at a program's end."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(list(sys.modules), file=sys.stderr)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(ast.literal_eval(shown.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [[], ["crawl", "--help"], ["reprot"], ["report", "x", "--to=5"]]
)
def test_what_runs_no_command_loads_no_library(arguments: list[str]) -> None:
    """A help and a misspelt word are answered by argparse and our own words alone."""
    modules = loaded(f"{ENDS}    main({arguments!r})")
    assert "crawler.cli" in modules
    assert modules & LIBRARIES == set()
    assert {name for name in modules if name.startswith("crawler.cli.commands.")} == set()


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_alone_loads_no_command_line(flag: str) -> None:
    """Nor a library, and neither does what programs import before they use it."""
    asked = f"import sys\nfrom crawler.__main__ import main\nsys.argv[1:] = [{flag!r}]\nmain()"
    modules = loaded(asked)
    assert "crawler.dedup.kernels" in modules
    assert "crawler.cli" not in modules
    assert modules & LIBRARIES == set()
    assert loaded("from inline_crawler import Judge, crawl, extract") & LIBRARIES == set()


UNNEEDED = {
    "crawl": {"crawler.demo", "crawler.views.explain", "crawler.sources.corpus", *READERS, *PAGES},
    "reindex": {
        "crawler.demo", "crawler.views.explain", "crawler.sources.corpus", "rich", *READERS, *PAGES,
    },
    "restore": {"crawler.demo", "crawler.sources.corpus", "rich", *READERS},
    "dedup": {"crawler.demo", "crawler.views.explain", *READERS},
    "audit": {"crawler.demo", *READERS},
    "demo": {"crawler.views.explain", "crawler.sources.corpus", *READERS},
    "check": {
        "crawler.demo", "crawler.views.explain", "crawler.sources.corpus", "rich", *READERS,
    },
}  # fmt: skip
LIGHT = {
    "export": (LIBRARIES - {"numpy", "orjson", "sqlite3", "ada_url"}) | {"pyarrow"},
    "retry": LIBRARIES - {"orjson", "sqlite3", "ada_url"},
    "backup": LIBRARIES - {"orjson", "sqlite3", "ada_url"},
    "report": LIBRARIES - {"rich", "orjson", "sqlite3", "ada_url"},
}
"""Commands that need few of the libraries."""
WARM = (
    "from crawler.sources.reader import CorpusReader, Fields\n"
    "from crawler.workers.analyser import Analyser\n"
    "from crawler.workers.messages import AnalysisSettings\n"
    "from crawler.config import Job\n"
    "settings = AnalysisSettings.of(Job())\n"
)
WARMED = {
    reader: f"{WARM}{reader}.warm()"
    for reader in ("Analyser(settings)", "CorpusReader(Fields(), settings)")
}


@pytest.fixture(scope="module")
def loads() -> dict[str, set[str]]:
    """Return what each of those commands and readers loads, beside what all of them may."""
    commands = {name: f"import crawler.cli.commands.{name}" for name in UNNEEDED}
    return loaded_each(commands | WARMED)


@pytest.mark.parametrize("name", UNNEEDED)
def test_a_command_loads_nothing_of_another(name: str, loads: dict[str, set[str]]) -> None:
    """Crawls load nothing that reads pages: processes of their own do.

    What a crawl prints at its end it loads before: in weeks that may have been replaced.
    """
    assert f"crawler.cli.commands.{name}" in loads[name]
    assert loads[name] & UNNEEDED[name] == set()


@pytest.mark.parametrize("name", LIGHT)
def test_what_only_reads_a_directory_loads_no_network(name: str) -> None:
    """Nor any other library that it can do without."""
    assert loaded(f"import crawler.cli.commands.{name}") & LIGHT[name] == set()


def test_every_command_can_be_loaded() -> None:
    """Whatever the help lists is there when it is asked for, as a function of a module of it."""
    for name in COMMANDS:
        command = commands.load(name)
        assert command.__name__ == name.replace("-", "_")
        assert command.__module__.startswith("crawler.cli.commands.")


def test_a_name_that_is_not_there_is_told_as_ever() -> None:
    """Loading on demand hides no misspelt name."""
    name = "nothing"
    with pytest.raises(AttributeError, match=f"'{commands.__name__}' has no attribute 'nothing'"):
        getattr(commands, name)


@pytest.mark.parametrize("reader", WARMED)
def test_readers_of_pages_are_loaded_before_the_first_page(
    reader: str, loads: dict[str, set[str]]
) -> None:
    """No page waits for libraries, and the memory limit does not fall into their loading."""
    assert loads[reader] >= {"numpy", "lxml", "charset_normalizer"}
    assert "trafilatura" not in loads[reader]  # only engines that need it load it


@pytest.mark.parametrize(("command", "begins"), [("crawl", ["launched"]), ("report", [])])
def test_readers_of_pages_start_while_a_crawl_is_loaded(
    monkeypatch: pytest.MonkeyPatch, command: str, begins: list[str]
) -> None:
    """Only of the program's own command line, and they end with a command that does not need them.

    A program that calls this one has not asked for processes until it crawls.
    """
    told: list[str] = []
    monkeypatch.setattr(launch, "launch_ahead", lambda: told.append("launched"))
    monkeypatch.setattr(launch, "dismiss", lambda: told.append("dismissed"))
    given = {"crawl": ["crawl", "--config", "/nowhere"], "report": ["report", "/nowhere"]}[command]
    monkeypatch.setattr(sys, "argv", ["crawler", *given])
    assert main() > 1
    assert told == [*begins, "dismissed"]
    told.clear()
    assert main(given) > 1
    assert told == ["dismissed"]


def test_what_a_command_loads_is_never_looked_through_for_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor while it is loaded; where another program calls this one, its garbage is its own."""
    seen: list[tuple[bool, int]] = []

    def load(_name: str) -> Callable[[object], int]:
        seen.append((gc.isenabled(), 0))
        return run

    def run(_args: object) -> int:
        seen.append((gc.isenabled(), gc.get_freeze_count()))
        return 0

    monkeypatch.setattr(commands, "load", load)
    monkeypatch.setattr(sys, "argv", ["crawler", "report", "/nowhere"])
    gc.unfreeze()
    try:
        assert main(sys.argv[1:]) == 0
        assert seen == [(True, 0), (True, 0)]
        seen.clear()
        assert main() == 0
        (while_loaded, _), (after, frozen) = seen
        assert (while_loaded, after) == (False, True)
        assert frozen > 0
    finally:
        gc.unfreeze()


INTERRUPTED = """
import signal
from importlib import import_module
from crawler.__main__ import main
from crawler.cli import commands

def load(name):
    signal.raise_signal(signal.SIGINT)
    print("went on", flush=True)
    return import_module(name)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner may ignore it
commands.import_module = load
main()
"""


@pytest.mark.parametrize("arguments", [["crawl", "http://127.0.0.1/"], ["report", "."]])
def test_ctrl_c_ends_a_program_that_is_being_loaded_at_once(arguments: list[str]) -> None:
    """Nothing is there to be put away; what was launched ahead has ended when it has."""
    shown = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments],
        capture_output=True,
        text=True,
    )
    assert (shown.returncode, shown.stdout, shown.stderr) == (130, "", "")
