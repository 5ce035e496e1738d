"""What a command loads: what it needs and no more, so that none waits for another's libraries."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
from types import ModuleType

import pytest

from crawler.cli import commands, main
from crawler.workers import launch

ENDS = "from contextlib import suppress\nfrom crawler.cli import main\nwith suppress(SystemExit):\n"

LIBRARIES = {"numpy", "pydantic", "yaml", "orjson", "rich", "sqlite3", "asyncio", "ssl"} | {
    "aiohttp", "ada_url", "selectolax", "trafilatura", "lxml", "charset_normalizer", "jieba",
}  # fmt: skip
READERS = {"trafilatura", "lxml", "charset_normalizer", "jieba", "rjieba"}
"""What the processes that read pages load as they warm up."""


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


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("crawl", {"crawler.demo", "crawler.views.explain", "crawler.sources.corpus", *READERS}),
        (
            "reindex",
            {"crawler.demo", "crawler.views.explain", "crawler.sources.corpus", "rich", *READERS},
        ),
        ("restore", {"crawler.demo", "crawler.sources.corpus", "rich", *READERS}),
        ("dedup", {"crawler.demo", "crawler.views.explain", *READERS}),
        ("audit", {"crawler.demo", *READERS}),
        ("demo", {"crawler.views.explain", "crawler.sources.corpus", *READERS}),
        (
            "check",
            {"crawler.demo", "crawler.views.explain", "crawler.sources.corpus", "rich", *READERS},
        ),
        ("export", (LIBRARIES - {"numpy", "orjson", "sqlite3", "ada_url"}) | {"pyarrow"}),
        ("retry", LIBRARIES - {"orjson", "sqlite3", "ada_url"}),
        ("backup", LIBRARIES - {"orjson", "sqlite3", "ada_url"}),
        ("report", LIBRARIES - {"rich", "orjson", "sqlite3", "ada_url"}),
    ],
)
def test_a_command_loads_nothing_of_another(module: str, unneeded: set[str]) -> None:
    """Crawls load no reader of pages, what only reads a directory no network.

    What a crawl prints at its end it loads before: in weeks that may have been replaced.
    """
    modules = loaded(f"import crawler.cli.commands.{module}")
    assert modules & unneeded == set()


def test_every_command_can_be_loaded() -> None:
    """What the package says it gives is there when it is asked for, and is a module of it."""
    for name in commands.__all__:
        assert getattr(commands, name).__name__ == f"crawler.cli.commands.{name}"


def test_a_name_that_is_not_there_is_told_as_ever() -> None:
    """Loading on demand hides no misspelt name."""
    name = "nothing"
    with pytest.raises(AttributeError, match=f"'{commands.__name__}' has no attribute 'nothing'"):
        getattr(commands, name)


@pytest.mark.parametrize("reader", ["Analyser(settings)", "CorpusReader(Fields(), settings)"])
def test_readers_of_pages_are_loaded_before_the_first_page(reader: str) -> None:
    """No page waits for libraries, and the memory limit does not fall into their loading."""
    modules = loaded(
        "from crawler.sources.reader import CorpusReader, Fields\n"
        "from crawler.workers.analyser import Analyser\n"
        "from crawler.workers.messages import AnalysisSettings\n"
        "from crawler.config import Job\n"
        "settings = AnalysisSettings.of(Job())\n"
        f"{reader}.warm()"
    )
    assert modules >= {"trafilatura", "lxml", "charset_normalizer"}


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


def test_ctrl_c_waits_until_a_command_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the middle of loading ends the program after it, where nothing can break."""
    loaded = []

    def load(name: str) -> ModuleType:
        signal.raise_signal(signal.SIGINT)
        loaded.append(name)
        return ModuleType(name)

    monkeypatch.setattr(commands, "import_module", load)
    monkeypatch.delattr(commands, "crawl", raising=False)  # another test may have loaded it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            _ = commands.crawl
    finally:
        signal.signal(signal.SIGINT, before)
    assert loaded == ["crawler.cli.commands.crawl"]
