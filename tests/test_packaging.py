"""What is built of the project: its files, the wheels that are configured, and what CI calls."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.paths import ROOT

from crawler import __version__
from tools import packages

RUNNERS = {
    ("linux", "x86_64"): "ubuntu-24.04",
    ("linux", "aarch64"): "ubuntu-24.04-arm",
    ("macos", "x86_64"): "macos-15-intel",
    ("macos", "arm64"): "macos-15",
}
COMPILED = "crawler/dedup/kernels/_compiled.cpython-311-x86_64-linux-gnu.so"


def built(place: Path, sdist: Iterable[str], wheel: Iterable[str]) -> dict[str, Path]:
    """Write two packages of empty files."""
    paths = {".tar.gz": place / "it-1.tar.gz", ".whl": place / "it-1.whl"}
    with tarfile.open(paths[".tar.gz"], "w:gz") as archive:
        for name in sdist:
            archive.addfile(tarfile.TarInfo(f"it-1/{name}"), BytesIO())
    with zipfile.ZipFile(paths[".whl"], "w") as zipped:
        for name in wheel:
            zipped.writestr(name, b"")
    return paths


@pytest.mark.parametrize(
    ("lost", "more", "said"),
    [
        (None, None, None),
        ("crawler/views/report/page.css", None, "lacks crawler/views/report/page.css"),
        ("crawler/engine/schemas/judged.json", None, "lacks crawler/engine/schemas/judged.json"),
        (COMPILED, None, "0 compiled modules"),
        (None, "crawler/dedup/kernels/near.c", "the wheel has crawler/dedup/kernels/near.c"),
        (None, "tests/test_docs.py", "the wheel has tests/test_docs.py"),
    ],
)
def test_a_file_too_few_or_too_many_is_named(
    tmp_path: Path, lost: str | None, more: str | None, said: str | None
) -> None:
    """A wheel has every file of the package but C sources, one compiled module, and no other."""
    files = packages.files_of_the_package()
    wheel = {name for name in files if not name.endswith((".c", ".h"))} | {COMPILED}
    wheel = (wheel - {lost or ""}) | ({more} if more else set())
    found = built(tmp_path, files | packages.BESIDE, wheel)
    if said is None:
        assert "are in both" in packages.check_files(found)
    else:
        with pytest.raises(packages.Wrong, match=re.escape(said)):
            packages.check_files(found)


EDITABLE = """
import sys
from setuptools import build_meta
print(build_meta.build_editable(sys.argv[1]))
"""


def test_an_editable_install_is_a_directory_on_the_path(tmp_path: Path) -> None:
    """Type checkers read such a line and run no finder of modules: the types are there for them."""
    head, _, rest = (
        (ROOT / "pyproject.toml").read_text().partition("[[tool.setuptools.ext-modules]]")
    )
    _, packages_on, rest = rest.partition("[tool.setuptools]")
    (tmp_path / "pyproject.toml").write_text(head + packages_on + rest)
    for name in ("README.md", "LICENSE"):
        (tmp_path / name).touch()
    for package in packages.PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text('__version__ = "1"\n')
    run = [sys.executable, "-W", "ignore", "-c", EDITABLE, str(tmp_path)]
    done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
    with zipfile.ZipFile(tmp_path / done.stdout.splitlines()[-1]) as wheel:
        [line] = [name for name in wheel.namelist() if name.endswith(".pth")]
        assert wheel.read(line).decode().strip() == str(tmp_path)


def test_pins_are_those_that_are_locked() -> None:
    """Clean environments get each locked package by its version alone, without hashes."""
    pins = packages.pinned()
    assert any(re.match(r"aiohttp==[\d.]+$", pin) for pin in pins)
    assert any(pin.startswith("setuptools==") for pin in pins)
    assert not [pin for pin in pins if "--hash" in pin or "\\" in pin]


def test_every_platform_has_a_runner() -> None:
    """The workflow builds wheels on a machine of each platform that is checked."""
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())
    runners = workflow["jobs"]["wheels"]["strategy"]["matrix"]["runner"]
    assert sorted(runners) == sorted(RUNNERS.values())
    assert set(RUNNERS) == set(packages.PLATFORMS)


def test_wheels_are_for_every_python_that_is_promised() -> None:
    """The first Python with a wheel is the oldest that the project admits."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["cibuildwheel"]["build"] == [f"{name}-*" for name in packages.PYTHONS]
    oldest = project["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert packages.PYTHONS[0] == f"cp{oldest}"


def test_every_command_of_ci_is_run_by_the_workflow() -> None:
    """What passes here passes there: `.ci/run` and the workflow call the same targets."""
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    steps = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    called = re.findall(r"^make [\w-]+$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    assert sorted(filter(None, steps)) == sorted(called)


def test_the_changelog_has_the_form_that_it_names() -> None:
    """What is coming first, then releases down from this version, each in the six sections."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, newest, *_ = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert first == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", newest)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds


@pytest.mark.parametrize("name", ["bug", "idea"])
def test_forms_for_issues_are_forms(name: str) -> None:
    """Each has what GitHub asks of a form: a name, a description, fields with ids and labels."""
    form: dict[str, Any] = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text())
    assert form["name"]
    assert form["description"]
    assert len({field["id"] for field in form["body"]}) == len(form["body"])
    assert all(field["attributes"]["label"] for field in form["body"])


def test_ci_calls_what_the_readme_names() -> None:
    """Each command of .ci/run is a target of the Makefile and stands in the README."""
    commands = re.findall(r"^make ([\w-]+)$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"lint", "test", "check-packages"} <= set(commands) <= set(targets)
    assert [name for name in commands if f"make {name}" not in readme] == []
