"""README and docs lead somewhere: their links, anchors, paths and commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

pytestmark = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_relative_link_resolves(page: Path) -> None:
    """Each link that is not a URL leads to a file, and its anchor to a heading of that file."""
    for path, _, anchor in (
        link.partition("#")
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if not link.startswith(("http:", "https:"))
    ):
        target = page.parent / path if path else page
        assert target.is_file(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_every_path_and_module_exists(page: Path) -> None:
    """A path of the repository in backticks is there, and so is each module that is to be run."""
    text = page.read_text(encoding="utf-8")
    for path in re.findall(
        r"`((?:benchmarks|config|crawler|docs|requirements|tests)/[^\s`*]*)", text
    ):
        assert (ROOT / path).exists(), path
    for module in re.findall(r"python -m ((?:benchmarks|crawler)[\w.]*\w)", text):
        path = ROOT / module.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), module
