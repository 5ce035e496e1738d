"""Paths that nothing can lie at, or where nothing can be written: one line, exit code 2."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.crawling import command, write_job

from crawler.errors import StoreError, StoreMismatch
from crawler.storage.directory import make_directory

LONG = "a" * 300


def _link(target: str) -> Callable[[Path], str]:
    def make(home: Path) -> str:
        (home / "link").symlink_to(target)
        return "link"

    return make


def _occupied(name: str) -> Callable[[Path], str]:
    def make(home: Path) -> str:
        (home / "out" / name).mkdir(parents=True)
        return "out"

    return make


ODD: dict[str, tuple[str | Callable[[Path], str], str]] = {
    "empty": ("", "is empty"),
    "long name": (LONG, "too long"),
    "long path": ("a/" * 3_000, "too long"),
    "home": ("~/out", "`~` means nothing"),
    "file": ("seeds.txt", "is a file"),
    "below a file": ("seeds.txt/x", "seeds.txt is a file"),
    "device": ("/dev/full", "is a file"),
    "no such system": ("/proc/nothing", "cannot create"),
    "circle": (_link("link"), "in a circle"),
    "link to nowhere": (_link("gone"), "leads nowhere"),
    "directory as state": (_occupied("state.sqlite"), "is no file"),
    "directory as lock": (_occupied("lock"), "is not a crawl's lock"),
}


@pytest.mark.parametrize(("output", "told"), ODD.values(), ids=ODD)
def test_an_odd_output_path_is_one_line(
    output: str | Callable[[Path], str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A crawl says what is wrong with its output directory, and begins nothing."""
    monkeypatch.chdir(tmp_path)
    Path("seeds.txt").write_text("http://127.0.0.1:9/\n")
    name = output if isinstance(output, str) else output(tmp_path)
    flags = ("--seeds", "seeds.txt", "--contact", "https://h.test/", "--output", name)
    code, out, err = command(capsys, *flags)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err


@pytest.mark.parametrize("name", ["resume", "report", "check", "retry", "audit"])
def test_an_impossible_directory_is_refused_by_every_command(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What no directory can be called is said by the commands that read one, too."""
    code, out, err = command(capsys, name, LONG)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "too long" in err


@pytest.mark.parametrize("output", ["a\0b", "a\ud800b", "", "~/x"])
def test_a_job_file_names_a_path_that_can_be(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job file can hold what no argument can."""
    job = tmp_path / "job.yaml"
    write_job({"output": "", "seeds": ["http://127.0.0.1:9/"]}, job)
    quoted = "".join(f"\\u{ord(char):04x}" for char in output)
    job.write_text(job.read_text().replace("''", f'"{quoted}"'))
    code, _, err = command(capsys, "--config", job)
    assert (code, err.count("\n")) == (2, 1)
    assert "output: " in err


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.EACCES, StoreMismatch), (errno.EROFS, StoreMismatch), (errno.ENOSPC, StoreError)],
)
def test_a_directory_that_cannot_be_made(
    number: int, kind: type[StoreError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another directory is asked for where this one forbids it, and none where the disk is full."""

    def mkdir(path: Path, **_: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(StoreError, match=os.strerror(number)) as raised:
        make_directory(tmp_path / "out")
    assert type(raised.value) is kind


def test_a_directory_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory that is there, and that this user may not write to, is not taken."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(StoreMismatch, match=r"permission denied: name a directory"):
        make_directory(tmp_path)
