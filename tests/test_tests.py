"""The shape of the tests: they lie where what they test lies, and each says what it proves."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.crawling import finished, program
from support.forking import Forked
from support.paths import PACKAGE, ROOT, TESTS

APART = {"browser", "cluster", "faults"}
"""Folders of tests/ whose tests `make test` leaves to a command of their own."""
BESIDE = {"fuzzing", "support", "support/attacks", "faults", "browser"}
"""Folders of tests/ that belong to no package: tests of all entry points, what tests share, and
topics of whole runs: those that are attacked, killed or starved, and what a browser shows.
"""
FILES = sorted(TESTS.rglob("*.py"))


def test_files_and_tests_say_what_they_prove() -> None:
    """A file opens with a docstring, and so does every test in it."""
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), path
        assert [test.name for test in _tests(tree) if not ast.get_docstring(test)] == [], path


def _tests(within: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the tests of a file, also those in classes: only bodies are gone through."""
    for node in getattr(within, "body", ()):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test_"):
                yield node
        elif isinstance(node, ast.stmt):
            yield from _tests(node)


def test_no_file_of_tests_imports_another() -> None:
    """What tests share lies in support/, so that a file of tests can be moved, or run alone."""
    imports = re.compile(r"^ *(?:from|import) (?:test_|conftest)", re.MULTILINE)
    assert [path for path in FILES if imports.search(path.read_text(encoding="utf-8"))] == []


def test_folders_are_named_after_packages() -> None:
    """What tests a package lies in the folder of its name."""
    folders = {path.parent.relative_to(TESTS) for path in FILES}
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("*.*")}
    assert folders - set(map(Path, BESIDE)) <= packages


def test_every_test_is_run_by_ci() -> None:
    """`make test` leaves out folders alone, and `.ci/run` has a command for the whole of each."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^([\w-]+):.*\n\t\$\(PYTEST\)(?: (.*))?$", makefile, re.MULTILINE))
    [apart] = re.findall(r"^APART := (.+)$", makefile, re.MULTILINE)
    assert set(apart.split()) == APART <= {path.name for path in TESTS.iterdir()}
    assert recipes["test"] == "$(APART:%=--ignore=tests/%)"
    assert {name: recipes[f"test-{name}"] for name in APART} == {f: f"tests/{f}" for f in APART}
    called = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert {"make test", *(f"make test-{name}" for name in APART)} <= set(called)


def test_no_two_files_have_one_name() -> None:
    """Without packages of their own, files of tests are told apart by their names alone."""
    counts = Counter(path.name for path in FILES)
    assert [name for name, count in counts.items() if count > 1 and name != "__init__.py"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="programs are forked on Linux alone")
def test_programs_are_forked() -> None:
    """A plain start loads nothing anew: there is a parent for the environment of all tests."""
    process = program("--version")
    assert isinstance(process, Forked)
    assert process.is_forked
    assert finished(process)[0] == 0
