"""Texts from the web on their way to people: nothing in them is obeyed, no password is shown.

One place decides what is unsafe, for terminals, error messages, failure details and JSON lines.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shlex
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any, Self, TextIO, TypeVar

from crawler.errors import InputError

Say = Callable[[str], None]
"""Takes a line for whoever watches: progress, a warning, what to do next."""


MOMENT_S = 2.0
"""Seconds for which somebody waits without a word."""


Item = TypeVar("Item")


class Level(IntEnum):
    """Who is to see a message; each is seen by those who see what stands above it."""

    RECORD = 0
    """Log collectors only: that a command began, how it ended."""
    DETAIL = 1
    """Who asks for more (`--verbose`)."""
    PROGRESS = 2
    """Who does not ask for less (`--quiet`)."""
    NOTICE = 3
    """Everybody: what became of a run, what to do next; a plain string is one."""
    WARNING = 4
    END = 5
    """Who wants one line of a run (`--quiet`): what became of it."""
    ERROR = 6


class Message(str):
    """A line with its level, the event that it tells of, and the same in fields for machines.

    It may be given wherever a plain string may.
    """

    __slots__ = ("event", "fields", "level")
    level: Level
    event: str
    """What it tells of: `message`, or a word that log collectors can count on."""
    fields: dict[str, Any]
    """JSON-ready."""

    def __new__(
        cls, text: str, level: Level = Level.NOTICE, event: str = "message", **fields: Any
    ) -> Self:
        """Make it of a text."""
        made = super().__new__(cls, text)
        made.level, made.event, made.fields = level, event, fields
        return made

    def at(self, level: Level) -> Message:
        """Return the same at another level."""
        return Message(self, level, self.event, **self.fields)

    @classmethod
    def of(cls, line: str) -> Message:
        """Return a line as a message; one that begins with `Warning:` is a warning."""
        if isinstance(line, Message):
            return line
        return cls(line, Level.WARNING if line.startswith("Warning:") else Level.NOTICE)


def progress(text: str, **fields: Any) -> Message:
    """Return a line that tells how far something is; the next one may take its place."""
    return Message(text, Level.PROGRESS, "progress", **fields)


def counted(
    items: Iterable[Item], what: str, say: Say, clock: Callable[[], float] = time.monotonic
) -> Iterator[Item]:
    """Yield items, and say how many there were by now where it takes longer than a moment."""
    said_at = clock()
    for number, item in enumerate(items, 1):
        yield item
        if (now := clock()) - said_at >= MOMENT_S:
            said_at = now
            say(progress(f"{number:,} {what} ..."))


def say_some(lines: Iterable[str], most: int, what: str) -> None:
    """Say the first of some lines, and how many more there are."""
    told = list(lines)
    for line in told[:most]:
        say(line)
    if len(told) > most:
        say(f"... and {len(told) - most:,} more {what}")


def least_told() -> Level:
    """Return the level below which nothing is told now."""
    least: Level = getattr(speaker(), "least", Level.PROGRESS)
    return least


def warning(text: str) -> Message:
    """Return a line that tells of trouble which stops nothing."""
    return Message(text, Level.WARNING)


_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Control and format characters (bidirectional ones among them), lone surrogates, private use, line
and paragraph separators."""

_ALONE = re.compile(r"[^?#\s'\"<>]+")
"""A stretch that can hold user and password and what stands before them."""
_SLASHES = re.compile(r"([/\\]+)")
_SCHEMES = ("http:", "https:")
_SCHEME = re.compile("|".join(_SCHEMES), re.IGNORECASE)

_UNSAFE_BYTES = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]"
)
"""In UTF-8: DEL, C1 controls (a terminal takes U+009B for escape and bracket), bidirectional
controls (Unicode 15, UAX 9 table 4), U+2028 and U+2029. JSON allows them in strings as they are."""


def encodable(text: str) -> str:
    """Return `text` with U+FFFD for header bytes that are not UTF-8: they come as surrogates."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def safe(text: str) -> str:
    """Return a text with control and format characters shown as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c
        if unicodedata.category(c) not in _UNSAFE_CATEGORIES
        else c.encode("unicode_escape", "surrogatepass").decode()
        for c in text
    )


def without_passwords(text: str, shown: str = "***@") -> str:
    """Return a text in which the user info of all URLs is replaced by `shown`.

    It is found where browsers look for it: also in URLs with slashes missing or backwards. Linear
    in the text.
    """
    return _ALONE.sub(lambda found: _stripped(found[0], shown), text) if "@" in text else text


def _stripped(text: str, shown: str) -> str:
    """Do so with a stretch of a text."""
    parts = _SLASHES.split(text)  # runs without slashes, and the slashes between them
    for at in range(0, len(parts), 2):
        user_info, sign, rest = parts[at].rpartition("@")
        if not sign:
            continue
        led_to = at and (len(parts[at - 1]) > 1 or parts[at - 2].lower().endswith(_SCHEMES))
        scheme = None if led_to else _SCHEME.search(user_info)
        if led_to or scheme:
            parts[at] = user_info[: scheme.end() if scheme else 0] + shown + rest
    return "".join(parts)


def safe_lines(text: str) -> str:
    """Return a message of one or more lines, safe for a terminal and without passwords."""
    return "\n".join(safe(line) for line in without_passwords(text).split("\n"))


def say(line: str) -> None:
    """Tell whoever watches a line, on stderr and apart from the result, in the way chosen last."""
    _speakers[-1](line)


def write_error(text: str) -> None:
    """Write on stderr at once; a closed pipe or terminal, or a full device, stops no work."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _say_plainly(line: str) -> None:
    if Message.of(line).level > Level.DETAIL:
        write_error(f"{safe_lines(line)}\n")


_speakers: list[Say] = [_say_plainly]
"""How messages reach who watches; the last one is in use."""


def speaker() -> Say:
    """Return how messages reach who watches now."""
    return _speakers[-1]


@contextmanager
def speaking(by: Say) -> Iterator[None]:
    """Tell lines in this way while the context lasts."""
    _speakers.append(by)
    try:
        yield
    finally:
        _speakers.remove(by)


def command(*words: object) -> str:
    """Return a command line of this program as a shell takes it, whatever stands in its words.

    A path that begins with a dash is written so that it is no flag.
    """
    return f"{program()} {shell_line(*words)}" if words else program()


def program() -> str:
    """Return what this program was called by: its own name, or Python with it as a module."""
    name = sys.argv[0].rpartition("/")[2] if sys.argv else ""
    return "crawler" if name == "crawler" else "python -m crawler"


def shell_line(*words: object) -> str:
    """Return a command line as a shell takes it, fit for a terminal."""
    return " ".join(map(_shell_word, words))


def _shell_word(word: object) -> str:
    text = str(word)
    if isinstance(word, Path) and text.startswith("-"):
        text = f"./{text}"
    if safe(text) == text:
        return shlex.quote(text)
    # `$'...'` (POSIX.1-2024 2.2.4) says in escapes what must not stand on a terminal.
    escaped = "".join(
        c if c.isalnum() or c in "/._-" else "".join(f"\\{byte:03o}" for byte in os.fsencode(c))
        for c in text
    )
    return f"$'{escaped}'"


_OBEYED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
"""What a cell begins with that a spreadsheet takes for a formula (OWASP, *CSV Injection*), in full
width too; and the mark itself, so that it can be taken off again."""


def csv_cell(value: Any) -> Any:
    """Return a value as a cell of CSV: a text that a spreadsheet would obey is marked by `'`.

    Who reads cells by a program takes one `'` off the beginning of each text that has it.
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_OBEYED) else value


JSON_ROOM = 50
"""Levels of lists and objects that what is kept may be put into: its line, an answer with that."""


def sound(text: str) -> str:
    """Return a text as UTF-8 can hold it: lone surrogates, which servers can send, are U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def json_of(value: Any, room: int = 0, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return data from strangers as JSON, every text in it `sound`.

    Raises TypeError for what JSON cannot hold, or could not within `room` more levels: the encoder
    goes down 254 in all. `default` is called with what is no JSON.
    """
    import orjson  # not every command writes JSON

    for _ in range(room):
        value = (value,)
    try:
        packed = orjson.dumps(value, default)
    except orjson.JSONEncodeError:
        try:
            packed = orjson.dumps(_sound_json(value), default)
        except RecursionError:
            raise TypeError("nested too deep") from None
    return packed[room : len(packed) - room]


def _sound_json(value: Any) -> Any:
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, Mapping):
        return {_sound_json(key): _sound_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound_json(item) for item in value]
    return value


def escape_json(line: bytes) -> bytes:
    r"""Return encoded JSON, the same to a parser, with unsafe characters as `\u` escapes.

    What JSON itself must escape (all below U+0020, lone surrogates) is taken for done.
    """
    if _UNSAFE_BYTES.search(line):
        # No character's bytes begin within another's, so each kind can be replaced by itself: a
        # text of nothing else takes a tenth of the time, and of the memory, of a look at each.
        for unsafe in set(_UNSAFE_BYTES.findall(line)):
            line = line.replace(unsafe, b"\\u%04x" % ord(unsafe.decode()))
    return line


def fill_streams() -> None:
    """Lead nowhere what this program was started without (`>&-`): standard input, output, errors.

    Else the next files and sockets take their numbers, and what is printed goes into those.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # that of standard error
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def bear_encodings() -> None:
    """Print what the encoding of stdout or stderr has no character for as an escape.

    An ASCII locale is no reason to stop in the middle of a table.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """Let what is printed from now on go nowhere, also at the interpreter's end."""
    _lead_nowhere(sys.stdout)


def drop_unheard() -> None:
    """Let messages that nobody could be told go nowhere at the interpreter's end.

    It tries to write them once more, and where it cannot it would end with a code of its own (120).
    """
    try:
        sys.stderr.flush()
    except OSError:
        _lead_nowhere(sys.stderr)
    except ValueError:  # it was closed
        return


def _lead_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


LOCAL = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(localhost|\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]\S*)?", re.I)
"""A host, as one types it into a browser, and what may follow it."""


_TORN_SCHEME = re.compile(r"(https?)[:/]{1,3}")


def meant(word: str) -> str | None:
    """Return what a word that is no URL may stand for: a file by what takes it, a URL; or None."""
    with suppress(OSError):  # too long for the name of one
        if Path(word).is_file():
            if word.endswith((".yaml", ".yml")):
                return f"--config {word}"
            return f"--seeds {word} (a list of URLs), {as_documents(word)}"
    return host_url(word)


def as_documents(file: str) -> str:
    """Return the commands that read a file which is no list of URLs."""
    told = {"extract": "a page", "dedup": "documents", "read": "an archive"}
    return ", ".join(f"{name} {file} ({what})" for name, what in told.items())


def host_url(word: str) -> str | None:
    """Return the URL that a word may stand for, whose scheme is left out or torn; None for none.

    What runs on this machine rarely has a certificate.
    """
    torn = _TORN_SCHEME.match(word)
    rest = word[torn.end() :] if torn else word
    if (host := _HOST.fullmatch(rest)) is None:
        return None
    url = f"{torn[1] if torn else 'http' if host[1] in LOCAL else 'https'}://{rest}"
    return url if url != word else None


def no_file(name: str, why: str) -> str:
    """Return why there is no file or directory of a name; of a URL what takes it."""
    if "://" not in name:
        return why
    fetched = command("crawl", without_passwords(name))
    return f"this is a URL, where a path is wanted; to fetch it: {fetched} (a list: --seeds FILE)"


def given_directory(path: object) -> Path:
    """Return the path of a directory that a program gives; InputError for what can be none."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"the path of a directory is wanted, not {path!r}")
    if fault := fault_of(str(path)):
        raise InputError(f"{str(path)!r} can be no directory: {fault}")
    return Path(path)


def fault_of(path: str) -> str | None:
    """Return what is wrong with a path that nothing can lie at, or None.

    One that begins with `~` counts, unless it exists: only shells know whose home that is, and they
    leave it as it is behind `--output=` and in job files.
    """
    if not path:
        return "the path is empty"
    if "\0" in path:
        return "the path has a NUL character in it"
    try:
        Path(path).stat()
    except UnicodeEncodeError:
        return "the path has a lone surrogate in it"
    except OSError as error:
        if path.startswith("~"):
            return (
                "`~` means nothing here: write the whole path (or ./~ for a directory of that name)"
            )
        faults = {
            errno.ENAMETOOLONG: "the path, or a name in it, is too long",
            errno.ELOOP: "symbolic links in the path lead in a circle",
        }
        return faults.get(error.errno or 0)
    return None
