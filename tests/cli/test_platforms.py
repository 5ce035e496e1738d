"""Systems on which the crawler does not run are refused in one line; help is given everywhere."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from support.crawling import command
from support.paths import ROOT

from crawler.cli import MIN_FILES

ELSEWHERE = """
import shutil, sys  # Python's own modules ask for the system as they are loaded
sys.platform = {platform!r}
for name in ("fcntl", "resource"):
    sys.modules[name] = None  # an import of it raises ImportError
from crawler.cli import main
sys.exit(main({arguments!r}))
"""


def run(platform: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line on a system without file locks and limits of processes."""
    program = ELSEWHERE.format(platform=platform, arguments=list(arguments))
    return subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("platform", "arguments"),
    [
        ("win32", ["--seeds", "seeds.txt"]),
        ("cygwin", ["resume", "x"]),
        ("emscripten", ["report", "x"]),
        ("win32", ["demo"]),
    ],
)
def test_other_systems_are_refused_in_one_line(platform: str, arguments: list[str]) -> None:
    """The exit code is 2, and the line says where the crawler runs."""
    done = run(platform, *arguments)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert line.startswith("crawler: this crawler runs on Linux and macOS, not on " + platform)


def test_help_is_given_everywhere() -> None:
    """Who wants to know what this is need not have the system for it."""
    done = run("win32", "crawl", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--resume-if-begun" in done.stdout


def test_a_directory_can_be_read_without_locks() -> None:
    """What only reads a crawl's directory loads no module that Windows has not."""
    program = (
        "import shutil, sys; sys.platform = 'win32'; sys.modules['fcntl'] = None\n"
        "from crawler.storage.view import StoreView"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_readme_names_the_systems() -> None:
    """The README says where the crawler runs, as the refusal does."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "runs on Linux and macOS" in text


@pytest.mark.parametrize(
    ("limit", "refused"), [(200 * 1024**2, True), (resource.RLIM_INFINITY, False)]
)
def test_too_small_a_bound_of_memory_is_told(
    limit: int, refused: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ulimit -v` below what the libraries need is one line with the number to raise it to."""
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limit, limit))
    code, _, err = command(capsys, "check", "nowhere")
    assert (code, err.count("\n")) == (2, 1)
    assert ("ulimit -v" in err) == refused


@pytest.mark.parametrize(("files", "refused"), [(MIN_FILES - 1, True), (MIN_FILES, False)])
def test_too_few_open_files_are_told(
    files: int, refused: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ulimit -n` below what the libraries need is one line with the number to raise it to."""

    def limit(which: int) -> tuple[int, int]:
        most = files if which == resource.RLIMIT_NOFILE else resource.RLIM_INFINITY
        return most, most

    monkeypatch.setattr(resource, "getrlimit", limit)
    code, _, err = command(capsys, "check", "nowhere")
    assert (code, err.count("\n")) == (2, 1)
    assert ("ulimit -n" in err) == refused
