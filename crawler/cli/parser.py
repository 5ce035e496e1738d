"""How a command is added, what its help looks like, and what a mistake in its flags brings.

And the flags that several commands share. Where the destination of a flag is a path of keys such as
`limits.pages`, it sets that key of the job: `overrides` collects these.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from crawler.console import Level, Message, fault_of, say
from crawler.models.enums import IndexDesign, Method, NearMode, ScopeMode, SiblingMode, SitemapUse

MOST_ROWS = 1_000_000
"""More than a report has use for; a number of any size is no error."""

Run = Callable[[argparse.Namespace], int]
"""Does what a command is for; returns the exit code."""


class Parser(argparse.ArgumentParser):
    """Reports a mistake in one line, with what to do about it."""

    def error(self, message: str) -> NoReturn:
        """End the program by exit code 2."""
        line = f"{self.prog}: error: {message}; see {self.prog} --help"
        say(Message(line, Level.ERROR))
        self.exit(2)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a help; where it cannot be printed that is no secret, as it is to argparse."""
        print(message, end="", file=file)

    def refuse_unknown_flags(self, arguments: Sequence[str], others: Sequence[str]) -> None:
        """End the program over flags that are neither of this command nor among some others."""
        flags = [part for part in takewhile("--".__ne__, arguments) if part.startswith("--")]
        if unknown := [flag for flag in flags if flag.partition("=")[0] not in self._flags]:
            self.refuse(unknown, others)

    def refuse(self, arguments: Sequence[str], others: Sequence[str] = ()) -> NoReturn:
        """End the program over arguments that mean nothing, with the flags they may stand for."""
        known = [*self._flags, *others]
        hints = []
        for argument in arguments:
            flag = argument.partition("=")[0]
            close = difflib.get_close_matches(flag, known, n=1) if flag.startswith("-") else []
            hints += [f"did you mean {close[0]} for {flag}?"] if close else []
        self.error("; ".join([f"unrecognized arguments: {' '.join(arguments)}", *hints]))

    @property
    def _flags(self) -> list[str]:
        return [flag for action in self._actions for flag in action.option_strings]


class Help(argparse.HelpFormatter):
    """Fills descriptions, and leaves examples as they stand: a text of several lines is one."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "".join(indent + line for line in text.splitlines(keepends=True))


def examples(*lines: str) -> str:
    """Return the end of a command's help; `%(prog)s` in a line is the command."""
    return "\n  ".join(["example:" if len(lines) == 1 else "examples:", *lines])


def name_of(declare: Callable[[Parser], Run]) -> str:
    """Return the command that a function declares."""
    return declare.__name__.replace("_", "-")


def add_command(sub: Any, declare: Callable[[Parser], Run]) -> None:
    """Add the command of a function's name, which adds its arguments and returns how to run it.

    The paragraphs of its docstring are the command in few words, in more, and examples, one a line.
    Its flags must be spelt out: a misspelt one could mean another.
    """
    summary, _, rest = (declare.__doc__ or "").partition("\n\n")
    description, _, lines = rest.partition("\n\n")
    parser = sub.add_parser(
        name_of(declare),
        allow_abbrev=False,
        formatter_class=Help,
        help=summary[:1].lower() + summary[1:].rstrip("."),
        description=" ".join(description.split()),
        epilog=examples(*(line.strip() for line in lines.strip().splitlines())),
    )
    parser.set_defaults(run=declare(parser))
    _voice_flags(parser)


def _voice_flags(parser: Parser) -> None:
    """Add how messages are told; who runs the command chooses by these, not the command."""
    text = "no progress on stderr: only warnings, errors and the end"
    parser.add_argument("--quiet", action="store_true", help=text)
    text = "messages on stderr as JSON objects, one a line, for log collectors"
    parser.add_argument("--log-json", action="store_true", help=text)


def verbose_flag(parser: Parser) -> None:
    """Add that more is told: each URL's verdict."""
    text = "tell each URL's verdict, and which hosts are put aside, on stderr"
    parser.add_argument("--verbose", action="store_true", help=text)


def path(text: str) -> Path:
    """Return an argument as a path; refuse what can be none, such as an unset variable."""
    if fault := fault_of(text):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def rows(text: str) -> int:
    """Return a number of rows, cut to what a table can hold."""
    try:
        return min(int(text), MOST_ROWS)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None


def count(text: str) -> int:
    """Return a whole number above 0."""
    if not re.fullmatch(r"[0-9]{1,12}", text, re.ASCII) or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def size(text: str) -> int:
    """Return a number of bytes: a whole number, maybe with a unit."""
    units = {"": 1, "B": 1}
    for power, letter in enumerate("KMGT", 1):
        units |= {f"{letter}B": 1000**power, f"{letter}iB": 1024**power}
    unit = text.lstrip("0123456789")
    number = text.removesuffix(unit)
    if not number or unit not in units:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 4GB, 512MiB or bytes")
    return int(number) * units[unit]


def duration(text: str) -> float:
    """Return a duration in seconds: a number and its unit, as in 90s, 30m, 6h, 2d."""
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
    if not re.fullmatch(r"\d{1,9}(\.\d+)?[smhd]", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no duration: write 90s, 30m, 6h or 2d")
    return float(text[:-1]) * seconds[text[-1]]


def repeated_flag(parser: Parser, flag: str, key: str, metavar: str, text: str) -> None:
    """Add a flag whose values are a list, empty where it is not given; no value of a job's key."""
    text += "; may be repeated"
    absent: list[str] | None = None if "." in key else []
    parser.add_argument(flag, dest=key, action="append", default=absent, metavar=metavar, help=text)


def path_flag(parser: Parser, flag: str, metavar: str, text: str, required: bool = False) -> None:
    """Add a flag that names a file or a directory."""
    parser.add_argument(flag, type=path, metavar=metavar, help=text, required=required)


def seed_flags(parser: Parser, text: str) -> None:
    """Add the ways to give seeds; `text` is what URLs of the command line are."""
    parser.add_argument("urls", nargs="*", metavar="URL", help=text)
    path_flag(parser, "--seeds", "FILE", "seed URLs, one on each line; - is standard input")
    parser.add_argument(
        "--skip-bad", action="store_true", help="leave out lines of FILE that are no URLs"
    )


def address(text: str) -> tuple[str, int]:
    """Return PORT or HOST:PORT as host and port; loopback where no host is given."""
    host, _, port = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65_535 or text.startswith(":"):
        raise argparse.ArgumentTypeError(f"{text!r} is no address: write 9100 or 127.0.0.1:9100")
    return host.strip("[]") or "127.0.0.1", int(port)


def metrics_flag(parser: Parser) -> None:
    """Add where a crawl's metrics are served."""
    text = "serve metrics for Prometheus while it runs, on this machine or at HOST"
    parser.add_argument("--metrics", type=address, metavar="[HOST:]PORT", help=text)


def live_flag(parser: Parser) -> None:
    """Add where a crawl's live page is served."""
    text = "serve a page that shows and steers it while it runs, on this machine or at HOST"
    parser.add_argument("--live", type=address, metavar="[HOST:]PORT", help=text)


def job_flags(parser: Parser, *, begun: bool = False) -> None:
    """Add the flags of a crawl's job; where that has `begun` it keeps what no flag says."""
    for flag, key, text, default in (
        ("--pages", "limits.pages", "fetch at most N pages", "no limit"),
        ("--depth", "limits.depth", "follow at most N links from a seed", "no limit"),
        ("--workers", "fetch.workers", "pages in progress at once", "32"),
    ):
        _key_flag(parser, flag, key, _help(text, default, begun), type=int, metavar="N")
    text = _help("begin no new page after so long: 90s, 30m, 6h", "no limit", begun)
    _key_flag(parser, "--time", "limits.time_s", text, type=duration, metavar="TIME")
    text = _help("begin no new page after so many bytes, as in 512MB or 4GiB", "no limit", begun)
    _key_flag(parser, "--bytes", "limits.bytes", text, type=size, metavar="SIZE")
    text = _help("begin no new page once the directory has so many bytes", "no limit", begun)
    _key_flag(parser, "--disk", "limits.disk", text, type=size, metavar="SIZE")
    text = _help("begin no new page once so many bytes are free on the disk", "no limit", begun)
    _key_flag(parser, "--free-disk", "limits.free_disk", text, type=size, metavar="SIZE")
    text = _help("how far from the seeds: their hosts, domains, directories", "host", begun)
    _key_flag(parser, "--scope", "scope.mode", text, choices=[m.value for m in ScopeMode])
    text = _help("read sitemaps of sites: those that robots.txt names", "none", begun)
    _key_flag(parser, "--sitemaps", "sitemaps.use", text, choices=[u.value for u in SitemapUse])
    text = "where site owners can reach you"
    _key_flag(parser, "--contact", "user_agent.contact", text, metavar="URL")
    text = "proxy for all requests: http://HOST:PORT, or https, socks4, socks5"
    _key_flag(parser, "--proxy", "fetch.proxy", text, metavar="URL")
    text = "cookies as browsers export them (Netscape format), each sent to its own host"
    _key_flag(parser, "--cookies", "fetch.cookies", text, type=path, metavar="FILE")
    text = "cut no endless subtree (crawler trap)"
    _key_flag(parser, "--no-traps", "traps.enabled", text, action="store_const", const=False)
    _near_flag(parser, begun)
    _siblings_flag(parser, "" if begun else "tag")
    if not begun:
        text = "what this earlier crawl, run of `dedup` or portable index has is no news"
        repeated_flag(parser, "--against", "dedup.against", "DIR|INDEX", text)


def judging_flags(parser: Parser, *, begun: bool = False, siblings: str = "ignore") -> None:
    """Add how near duplicates are recognised, and by how many processes."""
    text = _help("how near duplicates are recognised", "verified", begun)
    _key_flag(parser, "--method", "dedup.method", text, choices=[m.value for m in Method])
    _near_flag(parser, begun)
    _siblings_flag(parser, siblings)
    text = _help("smallest similarity of near duplicates", "0.8", begun)
    _key_flag(parser, "--threshold", "dedup.threshold", text, type=float, metavar="J")
    text = "number of processes (default: one for each core)"
    _key_flag(parser, "--processes", "analysis.processes", text, type=int, metavar="N")


def index_flags(parser: Parser) -> None:
    """Add how near fingerprints are found, which changes no verdict."""
    text = "most bits in which a fingerprint may differ to propose a candidate (3)"
    _key_flag(parser, "--distance", "dedup.distance", text, type=int, metavar="K")
    text = "how near fingerprints are found; the verdicts are the same (blocks)"
    _key_flag(parser, "--index", "dedup.index", text, choices=[i.value for i in IndexDesign])
    text = "what the sorted tables may take, as in 512MB or 4GiB (no limit)"
    _key_flag(parser, "--memory", "dedup.index_memory_bytes", text, type=size, metavar="SIZE")


def _near_flag(parser: Parser, begun: bool) -> None:
    text = (
        f"near duplicates: report only (drop{'' if begun else ', the default'}), store as well "
        "(tag), do not look for (keep)"
    )
    _key_flag(parser, "--near", "dedup.near", text, choices=[mode.value for mode in NearMode])


def _siblings_flag(parser: Parser, default: str) -> None:
    text = (
        "other pages of one template, as like as near duplicates: store and say so (tag), report "
        "only (drop), take for near duplicates (ignore)"
    )
    text += f" (default: {default})" if default else ""
    modes = [mode.value for mode in SiblingMode]
    _key_flag(parser, "--siblings", "dedup.siblings", text, choices=modes)


def _key_flag(parser: Parser, flag: str, key: str, text: str, **how: Any) -> None:
    """Add a flag that sets a key of the job."""
    parser.add_argument(flag, dest=key, help=text, **how)


def _help(text: str, default: str, begun: bool) -> str:
    return text if begun else f"{text} ({default})"


def text_field_flag(parser: Parser) -> None:
    """Add where JSON keeps a text."""
    parser.add_argument(
        "--text-field",
        default="text",
        metavar="NAME",
        help="where JSON or Parquet keeps the text (text); dots lead into nested fields",
    )


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """Return the given flags that set keys of the job, in the shape of a job file."""
    job: dict[str, Any] = {}
    for key, value in vars(args).items():
        if value is not None and ("." in key or key == "output"):
            *sections, name = key.split(".")
            section = job
            for part in sections:
                section = section.setdefault(part, {})
            section[name] = value
    return job
