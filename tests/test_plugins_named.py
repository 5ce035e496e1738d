"""Plugins as a job names them: found, made with their options, and seen to have their shape."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler.config import Plugins, parse_job
from crawler.errors import ConfigError
from crawler.plugins import check, identity, made

MODULE = """
class Filter:
    def __init__(self, words=()):
        self.words = words
    def admits(self, url, depth, referrer):
        return not any(word in url for word in self.words)

class Narrow:
    def admits(self, url):
        return True

class Waiting:
    async def admits(self, url, depth, referrer):
        return True

class Fails:
    def __init__(self):
        raise OSError("no licence")

class Sink:
    async def open(self, directory): pass
    async def write(self, kind, line): pass
    async def flush(self): pass
    def close(self): pass

def made(word):
    return Filter([word])

ready, number = Filter(["x"]), 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Put a module of plugins into the current directory; yield its name."""
    (tmp_path / "named_plugins.py").write_text(MODULE)
    (tmp_path / "broken_plugins.py").write_text("import nothing_like_this\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    yield "named_plugins"
    sys.path[:] = before
    for name in ("named_plugins", "broken_plugins"):
        sys.modules.pop(name, None)


def plugins(**kinds: Any) -> Plugins:
    """Return the section of a job."""
    return parse_job({"plugins": kinds}, "job.yaml").plugins


@pytest.mark.parametrize(
    ("use", "admits"),
    [
        ({"use": "named_plugins:Filter", "options": {"words": ["x"]}}, False),
        ("named_plugins:Filter", True),
        ({"use": "named_plugins:made", "options": {"word": "x"}}, False),
        ("named_plugins:ready", False),
    ],
)
def test_a_class_a_function_or_an_object_is_a_plugin(module: str, use: Any, admits: bool) -> None:
    """Each is found in the current directory, and made with the options that the job gives."""
    [(_, each)] = made(plugins(filters=[use])).filters
    assert each.admits("http://a.test/x", 1, "http://a.test/") is admits


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ({"filters": ["nobody"]}, r"filters\.0: there is no 'nobody'; .*inline_crawler\.filters"),
        ({"sinks": [":x"]}, r"sinks\.0: ':x' is not `module:attribute`"),
        ({"filters": ["named_plugins:Filtr"]}, r"has no 'Filtr'; did you mean 'Filter'\?"),
        ({"filters": ["no_module:X"]}, "no_module cannot be imported: .*directory where"),
        ({"filters": ["broken_plugins:X"]}, "broken_plugins cannot be imported: .*nothing_like"),
        ({"filters": ["named_plugins:Narrow"]}, r"called as admits\(url, depth, referrer\)"),
        ({"filters": ["named_plugins:Waiting"]}, "make it no coroutine"),
        ({"filters": ["named_plugins:Fails"]}, "cannot be made: OSError: no licence"),
        ({"filters": ["named_plugins:number"]}, "of the type int: name a class"),
        ({"filters": ["named_plugins:made"]}, "missing a required argument: 'word'; it takes word"),
        ({"extractors": ["named_plugins:Filter"]}, r"extractors: it has no method extract\(page\)"),
        ({"sinks": ["named_plugins:Filter"]}, r"sinks: it has no method open\(directory\)"),
        (
            {"filters": [{"use": "named_plugins:ready", "options": {"words": []}}]},
            "takes no options",
        ),
    ],
)
def test_what_cannot_be_used_is_told_with_its_key(
    module: str, kinds: dict[str, Any], said: str
) -> None:
    """One error that names the key, what is wrong and the way out."""
    with pytest.raises(ConfigError, match=said) as told:
        check(plugins(**kinds))
    assert str(told.value).startswith("plugins.")


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"use": "a", "option": {}}, r"plugins\.sinks\.0\.option: unknown key; did you mean"),
        ({"name": "a"}, r"plugins\.sinks\.0\.use: Field required"),
        (7, r"plugins\.sinks\.0: Input should be a mapping"),
        ({"use": "a", "options": {"x": {1, 2}}}, r"options\.x: input was not a valid JSON value"),
    ],
)
def test_a_job_is_checked_before_anything_is_looked_for(item: Any, said: str) -> None:
    """Unknown keys and values that no job file keeps are errors of the job."""
    with pytest.raises(ConfigError, match=said):
        plugins(sinks=[item])


def test_two_of_one_name_are_refused(module: str) -> None:
    """A name tells two plugins of a kind apart, those that a program gives too."""
    with pytest.raises(ConfigError, match=r"plugins\.filters: 'a' is there twice"):
        plugins(filters=["a", {"use": "b", "name": "a"}])
    [(_, ready)] = made(plugins(filters=["named_plugins:ready"])).filters
    with pytest.raises(ConfigError, match="'a' is there twice"):
        made(plugins(filters=[{"use": "named_plugins:ready", "name": "a"}]), {"a": ready})
    with pytest.raises(ConfigError, match="sinks 'b' is no plugin for sinks"):
        made(plugins(), None, {"b": ready})  # type: ignore[dict-item]


def test_a_sink_may_mix_both_kinds_of_functions(module: str) -> None:
    """Coroutine functions and ordinary ones are both taken."""
    found = made(plugins(sinks=["named_plugins:Sink"]))
    assert [name for name, _ in found.sinks] == ["named_plugins:Sink"]
    assert found.told == {"sinks": ["named_plugins:Sink"]}


def test_the_identity_of_extractors_needs_no_import() -> None:
    """A crawl can be told apart by what read it also where that is not installed any more."""
    named = plugins(extractors=[{"use": "gone:Extractor", "name": "x", "options": {"a": [1]}}])
    assert identity(named) == [{"use": "gone:Extractor", "version": None, "options": {"a": [1]}}]
