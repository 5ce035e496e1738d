"""README and docs lead somewhere: their links, anchors, paths and commands exist."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from itertools import takewhile
from pathlib import Path

import pytest

from crawler.cli import parsed

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

COMMAND = re.compile(r"^(?: {4})?python -m crawler (.+)$", re.MULTILINE)
"""A command on a line of its own, in a block of code."""

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
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


@each_page
def test_every_path_and_module_exists(page: Path) -> None:
    """A path of the repository in backticks is there, and so is each module that is to be run."""
    text = page.read_text(encoding="utf-8")
    for path in re.findall(
        r"`((?:benchmarks|config|crawler|docs|requirements|tests|tools)/[^\s`*]*)", text
    ):
        assert (ROOT / path).exists(), path
    for module in re.findall(r"python -m ((?:benchmarks|crawler|tools)[\w.]*\w)", text):
        path = ROOT / module.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), module


@each_page
def test_every_command_is_understood(page: Path) -> None:
    """The program knows the flags of each command line, and has all that it needs."""
    for line in COMMAND.findall(page.read_text(encoding="utf-8")):
        words = shlex.split(line, comments=True)
        arguments = list(takewhile(lambda word: not re.match(r"\d?[<>|&]", word), words))
        try:
            parsed(arguments)
        except SystemExit:
            pytest.fail(f"the program does not understand: {line}")


def test_every_page_has_its_place_in_the_site() -> None:
    """Each page of docs/ is in one list of docs/index.md, and the lists name no other."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    lists = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, re.MULTILINE | re.DOTALL)
    named = Counter(re.findall(r"^([\w-]+)$", "".join(lists), re.MULTILINE))
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert named == Counter(pages)
