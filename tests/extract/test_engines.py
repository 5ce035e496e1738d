"""Readers of single pages, as jobs choose between them."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from crawler.config import Engine, Extract
from crawler.errors import ConfigError
from crawler.extract import readings
from crawler.extract.installed import check_installed, extractor
from crawler.extract.learned import model_digest
from crawler.extract.readings import engine_text

PROSE = "The committee met on Tuesday to hear the harbour master speak about the new lighthouse. "
ARTICLE = "<body><nav><a href=/>Home</a></nav><article>" + f"<p>{PROSE * 3}</p>" * 4 + "</article>"


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the packages of the extra, which tests do without."""
    plain, tree = ModuleType("resiliparse.extract.html2text"), ModuleType("readability")

    class Document:
        def __init__(self, html: str) -> None:
            self._html = html

        def summary(self) -> str:
            if "article" not in self._html:
                raise ValueError("Unparseable")
            return f"<body>{self._html.partition('</nav>')[2]}"

    vars(tree)["Document"] = Document
    vars(plain)["extract_plain_text"] = lambda html, **flags: f"\x00{PROSE}{sorted(flags)}"
    for module in (plain, tree):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("engine", sorted(set(Engine) - {Engine.LEARNED, Engine.VISIBLE}))
def test_each_engine_finds_an_article(engine: Engine) -> None:
    """An article's text is found, without its navigation and without controls."""
    text = engine_text(engine, ARTICLE)
    assert PROSE.strip() in text
    assert "Home" not in text
    assert "\x00" not in text


def test_readers_of_lines_have_no_main_text() -> None:
    """The model, and the choice of all that is visible, say of each line whether it is text."""
    assert engine_text(Engine.LEARNED, ARTICLE) == engine_text(Engine.VISIBLE, ARTICLE) == ""


@pytest.mark.usefixtures("packages")
def test_a_page_that_an_engine_cannot_read_has_no_text() -> None:
    """What a package raises for one page is that page's: it is read by what is visible."""
    assert engine_text(Engine.READABILITY, "<p>x") == ""


@pytest.mark.parametrize("engine", Engine)
def test_no_engine_is_called_for_a_page_beyond_bounds(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page too long for the time that it has is given to none of them."""
    monkeypatch.setattr(readings, "MOST_CHARACTERS", len(ARTICLE) - 1)
    monkeypatch.setattr(readings, "_TEXTS", {})
    assert engine_text(engine, ARTICLE) == ""


def test_an_engine_that_is_not_installed_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says which key and which extra, before anything is crawled."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    check_installed(Extract(engine=Engine.LEARNED))
    with pytest.raises(ConfigError, match=r"extract\.engine: .*resiliparse.*pip install '.*\[eng"):
        check_installed(Extract(engine=Engine.RESILIPARSE))


def test_pages_are_judged_on_the_main_text_of_one_extractor() -> None:
    """What finds it is named with its version: the same one for the two engines that share it."""
    assert extractor(Engine.COMBINED) == extractor(Engine.TRAFILATURA)
    assert extractor(Engine.COMBINED).startswith("trafilatura ")
    assert extractor(Engine.VISIBLE) == "visible"
    assert extractor(Engine.LEARNED) == f"learned {model_digest()}"
