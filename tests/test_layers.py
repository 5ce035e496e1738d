"""The shape of the source tree: who may import whom, and what belongs where."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support.paths import PACKAGE, ROOT

from crawler.garbage import lasting_objects

LAYERS = [
    {"errors", "garbage", "units"},
    {"ray_cluster"},
    {"console"},
    {"models", "normal_forms"},
    {"urls"},
    {"config"},
    {"plugins"},
    {"dedup", "extract", "warc"},
    {"frontier"},
    {"fetch", "observe", "workers"},
    {"storage"},
    {"engine"},
    {"demo", "sources"},
    {"views"},
    {"cluster"},
    {"inline_crawler"},
    {"cli"},
    {"__main__"},
]
"""Bottom to top. A part imports from lower layers only, never from its own."""

DEMO_IMPORTS = {"errors", "models", "urls", "demo"}
"""The demo web is a web, not a part of the crawler: it shares words with it and no code."""

ASYNC_PARTS = {
    *("fetch", "storage", "observe", "workers", "engine", "sources", "views"),
    *("inline_crawler", "cli", "cluster", "demo"),
}
AIOHTTP_PARTS = {"fetch", "demo", "views"}
TRANSPORTS = {"crawler.fetch.transport", "crawler.fetch.socks"}
"""All of `fetch` that knows aiohttp. What decides knows neither it nor them."""


@cache
def modules() -> dict[Path, ast.Module]:
    """Return every module of both packages, parsed: two million objects, not to be looked over."""
    files = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "inline_crawler").rglob("*.py")])
    with lasting_objects():
        return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}


def statements(within: ast.AST, *, called: bool = True) -> Iterator[ast.stmt]:
    """Yield all statements of a module; without `called` those that run as it is loaded."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(within, name, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            if called or not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from statements(inner, called=called)


@pytest.fixture(scope="module", autouse=True)
def _trees_are_let_go() -> Iterator[None]:
    """Keep no tree for the files that come after."""
    yield
    modules.cache_clear()


def part_of(path: Path) -> str:
    """Return the part a file belongs to: its package, or its own name at the top."""
    return _part(_dotted(path))


def _part(module: str) -> str:
    package, *inner = module.split(".")
    return inner[0] if package == "crawler" and inner else package


def _dotted(path: Path) -> str:
    """Return the name that a module is imported by."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the dotted names a module imports, `from crawler import x` as `crawler.x`."""
    found = set[str]()
    for node in statements(modules()[path]):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == "crawler":
                found.update(f"crawler.{name.name}" for name in node.names)
            else:
                found.add(node.module)
    return frozenset(found)


def level(part: str) -> int:
    """Return the height of a part's layer."""
    return next(n for n, layer in enumerate(LAYERS) if part in layer)


def test_imports_go_downward() -> None:
    """Every import of our own code leads to a lower layer or stays in the same part."""
    for path in modules():
        part = part_of(path)
        for name in imports(path):
            if name.startswith(("crawler.", "inline_crawler")):
                target = _part(name)
                if target in ("__version__", part):
                    continue
                assert level(target) < level(part), f"{path} imports {target}"
                assert part != "demo" or target in DEMO_IMPORTS, path


def test_files_import_one_another_in_no_circle() -> None:
    """Each file is understood by those it imports first: none of these leads back to it.

    What a function imports when it is called is not counted: adapters of extras are loaded so.
    """
    files = {_dotted(path): path for path in modules()}
    needs: dict[str, set[str]] = {}
    for name, path in files.items():
        found = set()
        for node in statements(modules()[path], called=False):
            if isinstance(node, ast.ImportFrom) and node.module in files:
                whole = {f"{node.module}.{one.name}" for one in node.names}
                found |= (whole & set(files)) or {node.module}
        needs[name] = found - {name, "crawler"}
    TopologicalSorter(needs).prepare()


LOADING = re.compile("import_module|__import__")


def loaded_by_name(path: Path) -> Iterator[str]:
    """Yield the names a module loads in a call, `{__name__}` in them written out.

    They are constants of the module or begin with its own name, so that each can be told from here.
    """
    if not LOADING.search(path.read_text(encoding="utf-8")):
        return
    tree = modules()[path]
    own = _dotted(path)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Name) and node.id == "__import__"), path
        if isinstance(node, ast.Call) and _called(node.func).endswith("import_module"):
            match node.args:
                case [ast.Constant(value=str(name))]:
                    yield name
                case [ast.Name(id=name)] if isinstance(value := constants[name], ast.Constant):
                    yield str(value.value)
                case [ast.JoinedStr(values=[ast.FormattedValue(value=begin), *_])]:
                    assert ast.unparse(begin) == "__name__"
                    yield own
                case _:
                    raise AssertionError(f"{path}: {ast.unparse(node)}")


def _called(function: ast.expr) -> str:
    """Return the last name of what is called: to write all of it out takes a second."""
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def test_loading_by_name_goes_round_no_layer() -> None:
    """What is loaded by name is a library or the part's own: all else is told by its imports."""
    for path in modules():
        for name in loaded_by_name(path):
            own = name.split(".")[0] != "crawler" or _part(name) == part_of(path)
            assert own, f"{path} loads {name}"


def test_the_lower_layers_know_no_event_loop_and_no_network() -> None:
    """Asyncio is imported in the top parts only, aiohttp only where the network is."""
    for path in modules():
        part, names = part_of(path), {name.split(".")[0] for name in imports(path)}
        assert "asyncio" not in names or part in ASYNC_PARTS, path
        assert "aiohttp" not in names or part in AIOHTTP_PARTS, path
        assert "sqlite3" not in names or part == "storage", path


def test_what_decides_on_fetching_knows_no_transport() -> None:
    """In `fetch` only transports import aiohttp and its kin, and nothing but them imports one."""
    kin = {"aiohttp", "aiohttp_socks", "multidict", "yarl"}
    for path in modules():
        own = _dotted(path)
        if part_of(path) == "fetch" and own not in TRANSPORTS:
            names = imports(path)
            assert kin.isdisjoint(name.split(".")[0] for name in names), path
            assert TRANSPORTS.isdisjoint(names), path
            assert "crawler.fetch" not in names, f"{path} imports its own package"


def test_logs_are_named_by_package_and_set_up_by_the_command_line_alone() -> None:
    """A library leaves it to its user what becomes of its log: only `cli` adds a handler."""
    handling = re.compile("basicConfig|StreamHandler|setLevel")
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"getLogger\((.*?)\)", text)) <= {"__name__", '"crawler"'}, path
        assert part_of(path) == "cli" or not handling.search(text), path


def test_every_module_says_what_belongs_in_it() -> None:
    """A module opens with a docstring."""
    assert [path for path, tree in modules().items() if not ast.get_docstring(tree)] == []


def test_every_part_has_a_layer() -> None:
    """A new part must be given its place in this picture."""
    parts = {part_of(path) for path in modules()} - {"crawler"}
    assert parts <= set().union(*LAYERS)
