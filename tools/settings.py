"""Whether docs/coming-from.md names settings of other programs as they are.

    make check-settings

Looks up each name of the first column, and the default where one is told, in the packages of
`.venv/crawlers`: Scrapy, Crawlee, trafilatura. Ends with exit code 1 and the rows that are not so.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().parents[1] / "docs/coming-from.md"
PROGRAMS = ("Scrapy", "Crawlee", "trafilatura")
UNTOLD = object()
"""In place of a default that is not known or is too long to be told."""


class Row(NamedTuple):
    """A line of a table: names of theirs, their default if told, what is ours."""

    program: str
    names: list[str]
    default: str
    ours: list[str]


def rows(page: str) -> Iterator[Row]:
    """Yield the lines of the tables of all programs."""
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        program = section.splitlines()[0]
        for line in re.findall(r"^\| (.*) \|$", section, re.MULTILINE)[1:]:
            theirs, default, ours, *_ = (cell.strip() for cell in line.split("|"))
            named = [re.findall(r"`([^`]+)`", cell) for cell in (theirs, ours)]
            yield Row(program, named[0], default, named[1])


def faults(row: Row, known: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a line, by the names and defaults of its program."""
    for name in row.names:
        if name not in known:
            yield f"{row.program} has no {name}"
        elif row.default and row.default.replace(",", "") != str(known[name]):
            yield f"{row.program}: {name} is {known[name]}, not {row.default}"


def known_to(program: str) -> dict[str, Any]:
    """Return name -> default of all settings of a program that is installed."""
    return {"Scrapy": _scrapy, "Crawlee": _crawlee, "trafilatura": _trafilatura}[program]()


def _parameters(function: Any) -> dict[str, Any]:
    found = inspect.signature(function).parameters.values()
    return {one.name: UNTOLD if one.default is one.empty else one.default for one in found}


def _scrapy() -> dict[str, Any]:
    from scrapy import Spider
    from scrapy.linkextractors import LinkExtractor
    from scrapy.settings import default_settings
    from scrapy.spiders import Rule

    settings = {name: value for name, value in vars(default_settings).items() if name.isupper()}
    named = _parameters(LinkExtractor.__init__) | _parameters(Rule.__init__)
    return settings | named | dict.fromkeys(Spider.__annotations__)


def _crawlee() -> dict[str, Any]:
    import crawlee
    from crawlee import configuration, crawlers, proxy_configuration, request_loaders

    fields = configuration.Configuration.model_fields
    links = crawlee._types.EnqueueLinksKwargs.__annotations__
    return {
        **_parameters(crawlers.BasicCrawler.__init__),
        **_parameters(crawlee.ConcurrencySettings.__init__),
        **_parameters(proxy_configuration.ProxyConfiguration.__init__),
        **{name: field.default for name, field in fields.items()},
        **dict.fromkeys([*links, *request_loaders.__all__], UNTOLD),
    }


def _trafilatura() -> dict[str, Any]:
    import trafilatura
    from trafilatura.settings import DEFAULT_CONFIG

    program = Path(sys.executable).with_name("trafilatura")
    told = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    settings = {name.upper(): value for name, value in DEFAULT_CONFIG.defaults().items()}
    flags = dict.fromkeys(re.findall(r"--[a-z][a-z-]+", told), UNTOLD)
    return settings | flags | _parameters(trafilatura.extract)


def main() -> int:
    """Look up every name and say what was found; return the exit code."""
    tables = list(rows(PAGE.read_text(encoding="utf-8")))
    wrong = []
    for program in PROGRAMS:
        known = known_to(program)
        lines = [row for row in tables if row.program == program]
        wrong += [fault for row in lines for fault in faults(row, known)]
        names = sum(len(row.names) for row in lines)
        print(f"{program} {version(program)}: {names} names in {len(lines)} rows")
    print("\n".join(wrong) or "every name and every default is as the page tells it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
