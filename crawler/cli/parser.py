"""How a command is added, what its help looks like, and what a mistake in its flags brings.

And the flags that several commands share. Where the destination of a flag is a path of keys such as
`limits.pages`, it sets that key of the job: `overrides` collects these.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, NoReturn

from crawler import units
from crawler.console import Level, Message, fault_of, no_file, say
from crawler.models.enums import (
    BrowserUse,
    Method,
    NearMode,
    ScopeMode,
    SiblingMode,
    SitemapUse,
)

LETTERS = {
    "--output": "-o",
    "--quiet": "-q",
    "--set": "-s",
    "--verbose": "-v",
    "--version": "-V",
}
"""What a flag is for short, in every command that has it."""

MOST_ROWS = 1_000_000
"""More than a report has use for; a number of any size is no error."""


def path(text: str) -> Path:
    """Return an argument as a path; refuse what can be none, such as an unset variable."""
    if fault := fault_of(text) or ("" if Path(text).exists() else no_file(text, "")):
        raise argparse.ArgumentTypeError(fault)
    return Path(text)


def whole(text: str) -> int:
    """Return a whole number; its bounds are the matter of whom it is for."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def rows(text: str) -> int:
    """Return a number of rows, cut to what a table can hold."""
    return min(whole(text), MOST_ROWS)


def count(text: str) -> int:
    """Return a whole number above 0."""
    if not re.fullmatch(r"[0-9]{1,12}", text, re.ASCII) or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def told_wrong(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the type of a flag's value; what it makes of a wrong one is the error as it stands."""

    def value(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value


size = told_wrong(units.size)
duration = told_wrong(units.duration)


def pause(text: str) -> float:
    """Return a number of seconds: as such, or as a duration."""
    try:
        return float(text)
    except ValueError:
        return float(duration(text))


def address(text: str) -> tuple[str, int]:
    """Return PORT or HOST:PORT as host and port; loopback where no host is given."""
    if fault := units.fault_of_port(text):
        raise argparse.ArgumentTypeError(f"{text!r}: {fault}")
    host, _, port = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,5}", port) or text.startswith(":"):
        raise argparse.ArgumentTypeError(f"{text!r} is no address: write 9100 or 127.0.0.1:9100")
    return host.strip("[]") or "127.0.0.1", int(port)


def setting(text: str) -> str:
    """Return KEY=VALUE, or `help`, as it is."""
    if not re.fullmatch(r"[^=\s]+=.*", text, re.DOTALL) and text != "help":
        raise argparse.ArgumentTypeError(
            f"{text!r} is no KEY=VALUE, as in politeness.delay_s=0; --set help lists the keys"
        )
    return text


class _Settings(argparse.Action):
    """Collects settings; `help` prints all keys of the job instead."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values == "help":
            print(told_keys(get_terminal_size().columns))
            parser.exit()
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), values])


def told_keys(columns: int) -> str:
    """Return every key of the job with its default, values and meaning, for a terminal so wide.

    From the table in docs/configuration.md, which `crawler/config/keys.txt` is.
    """
    from importlib.resources import files  # most commands have no use for it

    table = files("crawler").joinpath("config/keys.txt").read_text(encoding="utf-8")
    lines, deep = [], " " * 6
    for row in table.splitlines()[2:]:
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", row).replace("`", "")
        key, default, values, meaning = (
            cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", plain)[1:-1]
        )
        if key.startswith("*"):
            lines += ["", f"{key.strip('*')}: {meaning}"]
            continue
        lines.append(f"  {key} = {default}  ({values})")
        lines += wrap(meaning, max(40, columns), initial_indent=deep, subsequent_indent=deep)
    return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """The parser of a command: its flags are methods, and a mistake is told in one line."""

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        """Add an argument, by its letter too if it has one."""
        letters = (LETTERS[name] for name in names if name in LETTERS)
        if how.get("type") is int:
            how["type"] = whole
        return super().add_argument(*letters, *names, **how)

    def error(self, message: str) -> NoReturn:
        """End the program by exit code 2, with what to do about a mistake."""
        usual = Path("crawl-out")
        if message.endswith("required: DIR"):
            message += ", the directory of a crawl"
            message += f"; did you mean {self.prog} {usual} ?" if usual.is_dir() else ""
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
        """End the program over arguments that mean nothing, with the flags they may stand for.

        Or with the keys of the job, where no flag is near and the command sets any key.
        """
        known = {flag.strip("-"): flag for flag in (*others, *self._flags)}
        hints = []
        for argument in arguments:
            flag = argument.partition("=")[0]
            name = flag.strip("-")
            if not flag.startswith("-"):
                continue
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
            meant = [known[one] for one in close]
            if "--set" in known.values() and not difflib.get_close_matches(name, close, cutoff=0.8):
                meant += self._setting_like(name, but=close)
            if meant:
                hints.append(f"did you mean {' or '.join(dict.fromkeys(meant))} for {flag}?")
        self.error("; ".join([f"unrecognized arguments: {' '.join(arguments)}", *hints]))

    def _setting_like(self, name: str, but: Sequence[str]) -> list[str]:
        """Return how the keys of the job are set that a name may stand for: by flag or --set.

        But for those that are called like some flags, which are other keys.
        """
        from crawler.config import keys_like  # most commands go well without it

        flags = {action.dest: action.option_strings[-1:] for action in self._actions}
        keys = [key for key in keys_like(name) if key.rpartition(".")[2] not in but]
        return [way for key in keys for way in flags.get(key) or [f"--set {key}=..."]]

    def sentence_with(self, word: str) -> str:
        """Return the first sentence of the help with a word that begins as this; empty for none."""
        begins = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
        sentences = re.split(r"(?<=\.)\s+(?=[A-Z`])", self.description or "")
        return next(filter(begins.search, sentences), "")

    @property
    def _flags(self) -> list[str]:
        return [flag for action in self._actions for flag in action.option_strings]

    def directory(self) -> None:
        """Add the directory of a crawl, which most commands are about."""
        self.add_argument("directory", type=path, metavar="DIR")

    def files(self, text: str, some: str = "+") -> None:
        """Add what is read; `some` is `*` where it may be left out."""
        self.add_argument("files", nargs=some, metavar="FILE", help=text)

    def switch(self, flag: str, text: str) -> None:
        """Add a flag without a value."""
        self.add_argument(flag, action="store_true", help=text)

    def json(self, text: str) -> None:
        """Add that a result is printed for machines."""
        self.switch("--json", f"print {text}")

    def flag(self, flag: str, metavar: str, text: str, of: Any = str, default: Any = None) -> None:
        """Add a flag with a value of a type."""
        self.add_argument(flag, type=of, default=default, metavar=metavar, help=text)

    def path(self, flag: str, metavar: str, text: str, required: bool = False) -> None:
        """Add a flag that names a file or a directory."""
        self.add_argument(flag, type=path, metavar=metavar, help=text, required=required)

    def output(self, default: str) -> None:
        """Add the flag for the directory that is written; it is `default` in the working one."""
        text = f"output directory (default: {default})"
        self.add_argument("--output", type=path, metavar="DIR", help=text, default=path(default))

    def repeated(self, flag: str, metavar: str, text: str, key: str = "", **how: Any) -> None:
        """Add a flag whose values are a list, empty where it is not given.

        No value of a job's key, which stays as it is then.
        """
        default: list[str] | None = None if "." in key else []
        how |= {"dest": key or flag.strip("-"), "default": default, "metavar": metavar}
        self.add_argument(flag, action="append", help=f"{text}; may be repeated", **how)

    def config(self, text: str = "YAML job file") -> None:
        """Add a job file, and its keys one by one."""
        self.path("--config", "FILE", text)
        self.settings()

    def settings(self) -> None:
        """Add keys of the job, one by one."""
        self.add_argument(
            "--set",
            type=setting,
            action=_Settings,
            default=[],
            metavar="KEY=VALUE",
            help="set any key of the job; may be repeated; `--set help` lists the keys",
        )

    def key(self, flag: str, key: str, text: str, values: Any = None, **how: Any) -> None:
        """Add a flag that sets a key of the job; `values` are its type, or its choices."""
        if isinstance(values, type) and issubclass(values, StrEnum):
            how["choices"] = [each.value for each in values]
        elif values is not None:
            how["type"] = values
        self.add_argument(flag, dest=key, help=text, **how)

    def seeds(self, text: str) -> None:
        """Add the ways to give seeds; `text` is what URLs of the command line are."""
        self.add_argument("urls", nargs="*", metavar="URL", help=text)
        self.path("--seeds", "FILE", "seed URLs, one on each line; - is standard input")
        self.switch("--skip-bad", "leave out lines of FILE that are no URLs")

    def verbose(self) -> None:
        """Add that more is told: each URL's verdict."""
        self.switch(
            "--verbose", "tell each URL's verdict, and which hosts are put aside, on stderr"
        )

    def watched(self) -> None:
        """Add how a crawl is watched while it runs: its metrics, its live page, its verdicts."""
        for flag, text in (
            ("--metrics", "serve metrics for Prometheus while it runs"),
            ("--live", "serve a page that shows and steers it while it runs"),
        ):
            text += ", on this machine or at HOST"
            self.add_argument(flag, type=address, metavar="[HOST:]PORT", help=text)
        self.verbose()

    def job(self, *, begun: bool = False) -> None:
        """Add the flags of a crawl's job; where that has `begun` it keeps what no flag says."""

        def key(flag: str, key: str, text: str, default: str, values: Any, **how: Any) -> None:
            self.key(flag, key, text if begun else f"{text} ({default})", values, **how)

        key("--pages", "limits.pages", "fetch at most N pages", "no limit", int, metavar="N")
        text = "follow at most N links from a seed"
        key("--depth", "limits.depth", text, "no limit", int, metavar="N")
        key("--workers", "fetch.workers", "pages in progress at once", "32", int, metavar="N")
        text = "begin no new page after so long: 90s, 30m, 6h"
        key("--time", "limits.time_s", text, "no limit", duration, metavar="TIME")
        text = "begin no new page after so many bytes, as in 512MB or 4GiB"
        key("--bytes", "limits.bytes", text, "no limit", size, metavar="SIZE")
        text = "begin no new page once the directory has so many bytes"
        key("--disk", "limits.disk", text, "no limit", size, metavar="SIZE")
        text = "begin no new page once so many bytes are free on the disk"
        key("--free-disk", "limits.free_disk", text, "no limit", size, metavar="SIZE")
        if not begun:
            text = "divide the crawl into N processes, on Ray (extra: cluster)"
            self.key("--partitions", "cluster.partitions", text, int, metavar="N")
        text = "pause after each answer of a host: seconds, or as in 2s; 0 for servers of your own"
        key("--delay", "politeness.delay_s", text, "1", pause, metavar="TIME")
        text = "how far from the seeds: their hosts, domains, directories"
        key("--scope", "scope.mode", text, "host", ScopeMode)
        text = "render pages before they are read: where scripts are seen to bring text, or all"
        key("--browser", "fetch.browser", text, "never", BrowserUse)
        text = "read sitemaps of sites: those that robots.txt names"
        key("--sitemaps", "sitemaps.use", text, "none", SitemapUse)
        text = "where site owners can reach you"
        self.key("--contact", "user_agent.contact", text, metavar="URL")
        text = "proxy for all requests: http://HOST:PORT, or https, socks4, socks5"
        self.key("--proxy", "fetch.proxy", text, metavar="URL")
        text = "cookies as browsers export them (Netscape format), each sent to its own host"
        self.key("--cookies", "fetch.cookies", text, path, metavar="FILE")
        text = "cut no endless subtree (crawler trap)"
        self.key("--no-traps", "traps.enabled", text, action="store_const", const=False)
        if not begun:
            self.pdf()
        self._near(begun)
        self._siblings("" if begun else "tag")
        if not begun:
            text = "what this earlier crawl, run of `dedup` or portable index has is no news"
            self.repeated("--against", "DIR|INDEX", text, "dedup.against")

    def pdf(self) -> None:
        """Add that PDFs are read."""
        self.key(
            "--pdf", "extract.pdf", "read PDFs, too (extra: pdf)", action="store_const", const=True
        )

    def judging(self, *, begun: bool = False, siblings: str = "ignore") -> None:
        """Add how near duplicates are recognised, and by how many processes."""
        text = "how near duplicates are recognised"
        self.key("--method", "dedup.method", text if begun else f"{text} (verified)", Method)
        self._near(begun)
        self._siblings(siblings)
        text = "smallest similarity of near duplicates" + ("" if begun else " (0.8)")
        self.key("--threshold", "dedup.threshold", text, float, metavar="J")
        text = "number of processes (default: one for each core)"
        self.key("--processes", "analysis.processes", text, int, metavar="N")

    def _near(self, begun: bool) -> None:
        text = (
            f"near duplicates: report only (drop{'' if begun else ', the default'}), store as well "
            "(tag), do not look for (keep)"
        )
        self.key("--near", "dedup.near", text, NearMode)

    def _siblings(self, default: str) -> None:
        text = (
            "other pages of one template, as like as near duplicates: store and say so (tag), "
            "report only (drop), take for near duplicates (ignore)"
        )
        text += f" (default: {default})" if default else ""
        self.key("--siblings", "dedup.siblings", text, SiblingMode)

    def text_field(self) -> None:
        """Add where JSON keeps a text."""
        text = "where JSON or Parquet keeps the text (text); dots lead into nested fields"
        self.add_argument("--text-field", default="text", metavar="NAME", help=text)


Declare = Callable[[Parser], None]
"""Adds the arguments of the command that it is called like."""


class Help(argparse.HelpFormatter):
    """Fills descriptions, and leaves examples as they stand: a text of several lines is one."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "".join(indent + line for line in text.splitlines(keepends=True))


def examples(*lines: str) -> str:
    """Return the end of a command's help; `%(prog)s` in a line is the command."""
    return "\n  ".join(["example:" if len(lines) == 1 else "examples:", *lines])


def name_of(declare: Declare) -> str:
    """Return the command that a function declares."""
    return declare.__name__.replace("_", "-")


def add_command(sub: Any, declare: Declare) -> None:
    """Add the command of a function's name, which adds its arguments.

    The paragraphs of its docstring are the command in few words, in more, and examples, one a line.
    Its flags must be spelt out: a misspelt one could mean another. What a command is given has
    `error`, too, which tells of flags that do not go together as of any other mistake.
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
    declare(parser)
    parser.set_defaults(error=parser.error)
    # Who runs the command chooses by these how messages are told, not the command.
    parser.switch("--quiet", "nothing on stderr but errors and one line at the end of a run")
    parser.switch(
        "--log-json", "messages on stderr as JSON objects, one a line, for log collectors"
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
