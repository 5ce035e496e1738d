"""Lock files, `pyproject.toml` and docs/dependencies.md speak of the same packages."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.paths import ROOT, doc

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LOCKS = {
    "run": ("fast",),
    "judge": None,
    "dev": ("fast", "dev"),
    "bench": ("bench",),
    "cluster": ("cluster",),
    "fuzz": ("fuzz",),
    "crawlers": None,
    "replay": None,
    "build": None,
    "tools": None,
    "docs": None,
}
"""Lock file -> the extras it holds beside the package's own needs; None: made of its `.in` file."""


def lock(name: str) -> str:
    """Return the text of a lock file."""
    return (ROOT / "requirements" / f"{name}.txt").read_text()


def pins(name: str) -> dict[str, list[Requirement]]:
    """Return package -> its pins in a lock file; several where Python versions differ."""
    found: dict[str, list[Requirement]] = {}
    for line in lock(name).splitlines():
        if line and not line.startswith((" ", "#")):
            pin = Requirement(line.removesuffix("\\"))
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


def wanted(name: str) -> list[Requirement]:
    """Return what a lock file has to hold."""
    extras = LOCKS[name]
    if extras is None:
        lines = (ROOT / f"requirements/{name}.in").read_text().splitlines()
        return [Requirement(line) for line in lines if not line.startswith("#")]
    ours = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return [Requirement(line) for line in ours]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_holds_what_is_wanted(name: str) -> None:
    """Each requirement is pinned to one version that it allows, for its platforms."""
    held = pins(name)
    for requirement in wanted(name):
        for pin in held[canonicalize_name(requirement.name)]:
            (exact,) = pin.specifier
            assert exact.operator == "=="
            assert requirement.specifier.contains(exact.version), f"make lock: {requirement}"


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes_and_none_a_server(name: str) -> None:
    """Nothing is installed by name alone, and nothing says where to download it."""
    blocks = re.split(r"\n(?=[a-z0-9])", lock(name))
    assert all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"://|--(?:extra-)?index|--find-links|trusted", lock(name))


def test_locks_agree() -> None:
    """A package has one version in all lock files that share an environment."""
    dev = {name: list(map(str, found)) for name, found in pins("dev").items()}
    for other in ("run", "judge", "bench", "cluster", "fuzz"):
        for name, found in pins(other).items():
            assert list(map(str, found)) == dev.get(name, list(map(str, found))), name


def test_other_crawlers_extract_with_our_versions() -> None:
    """Other crawlers are compared on the same extractor and parser, or it says nothing of them."""
    for name in ("trafilatura", "lxml"):
        assert pins("crawlers")[name] == pins("dev")[name]


def test_all_is_every_extra_that_a_user_may_run() -> None:
    """The extra `all` leaves out what only developers install."""
    [together] = map(Requirement, EXTRAS["all"])
    assert together.name == PROJECT["name"]
    assert together.extras == EXTRAS.keys() - {"all", "bench", "dev", "fuzz"}


def test_docs_name_every_requirement() -> None:
    """docs/dependencies.md says of each requirement and extra why it is there."""
    page = doc("dependencies")
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    named = set(map(canonicalize_name, re.findall(r"`([\w.-]+)`", rows)))
    for line in [*PROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]:
        assert canonicalize_name(Requirement(line).name) in named, line
