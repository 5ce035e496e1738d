"""The made pages are what the benchmark takes them for: complete, with a truth, always the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import islice

import pytest
from support.paths import ROOT

from benchmarks.made.kit import Kit
from benchmarks.made_pages import FAMILIES, LANGUAGES, MadePage, made_pages

COPIES = {"reprints", "surroundings", "mirrors"}
"""Families of which every page has copies."""
SOME_COPIES = {"products", "calendar"}
A_FEW = 2
"""Of each family in each language; they are made one after another."""
FIRST = f"""
import itertools
from benchmarks.made.kit import Kit
from benchmarks.made_pages import FAMILIES, LANGUAGES
made = [make(Kit(language, 1)) for language in LANGUAGES for make in FAMILIES.values()]
first = [page for family in made for page in itertools.islice(family, {A_FEW})]
"""
PRINT = FIRST + "import dataclasses, json; print(json.dumps([*map(dataclasses.astuple, first)]))"


@pytest.fixture(scope="module")
def pages() -> list[MadePage]:
    """Return the pages of the first seed."""
    return made_pages(1)


def test_a_seed_gives_the_same_pages_in_every_process() -> None:
    """Nothing depends on the hashes of a process: the first pages of each family are the same."""
    command = [sys.executable, "-c", PRINT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    here: dict[str, list[MadePage]] = {}
    exec(FIRST, here)
    assert [MadePage(*fields) for fields in json.loads(done.stdout)] == here["first"]


def test_another_seed_gives_other_pages(pages: list[MadePage]) -> None:
    """The first pages of each family are none of those of the first seed."""
    kits = [Kit(language, 2) for language in LANGUAGES]
    others = [set(islice(make(kit), A_FEW)) for make in FAMILIES.values() for kit in kits]
    assert {len(family) for family in others} == {A_FEW}
    assert not {page.html for family in others for page in family} & {page.html for page in pages}


def test_every_family_is_large_in_both_languages(pages: list[MadePage]) -> None:
    """Fourteen families have 30 to 80 pages each in English and in Chinese."""
    counts = Counter((page.family, page.language) for page in pages)
    assert len(counts) == 28
    assert all(30 <= count <= 80 for count in counts.values()), counts


def test_addresses_and_pages_are_unique(pages: list[MadePage]) -> None:
    """No address comes twice, and no page is another one byte for byte, but for some copies."""
    assert len({page.url for page in pages}) == len(pages)
    names = defaultdict(set)
    for page in pages:
        names[page.html].add(page.page)
    assert [found for found in names.values() if len(found) > 1] == []


def test_pages_are_finished(pages: list[MadePage]) -> None:
    """Every page is a whole document in its language, and no slot of a form is left."""
    for page in pages:
        assert page.html.lower().startswith("<!doctype html")
        assert page.html.endswith("</html>")
        assert ('lang="zh-CN"' in page.html) == (page.language == "zh")
        assert not any(f"{mark}" in page.html for mark in "{}"), page.url


def test_copies_are_where_they_should_be(pages: list[MadePage]) -> None:
    """In three families every page has copies, in two some have, in all others none has."""
    for family, members in _by_family(pages).items():
        sizes = Counter(page.page for page in members).values()
        if family in COPIES:
            assert min(sizes) > 1, family
        else:
            assert (max(sizes) > 1) == (family in SOME_COPIES), family


def _by_family(pages: list[MadePage]) -> dict[str, list[MadePage]]:
    families = defaultdict(list)
    for page in pages:
        families[page.family].append(page)
    return families
