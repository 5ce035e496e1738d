"""Trouble in a run over a corpus: broken files, mistakes, kills, documents that hang or crash."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import signal
import sqlite3
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import orjson
import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest
import zstandard
from support import batch_victims
from support.crawling import finished, program, wait_until
from support.documents import dedup, mixed, outcome, text, write
from support.output import lines, summary_of
from support.third_party import READING, Call, NeverHeardOfError, raising
from support.victim import killed

from crawler.cli import main
from crawler.errors import StoreError
from crawler.sources import corpus as corpus_module
from crawler.sources.documents import BadReason, documents_in
from crawler.sources.inputs import InputFile
from crawler.storage import rows
from crawler.storage.journal import Extent
from crawler.storage.store import GroupLimits, Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_broken_input_is_named_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first broken document stops the run with one clear error; --skip-bad goes on from it."""
    corpus = write(
        tmp_path / "c.jsonl", [{"text": text(1)}, b"", b'{"text": "a', {"text": text(2)}, b"[]"]
    )
    assert dedup(corpus, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    assert error.startswith(f"{corpus}:3: not valid JSON")
    assert "Traceback" not in error
    assert summary_of(tmp_path / "out")["stopped"]
    assert len(lines(tmp_path / "out", "pages")) == 1

    assert dedup(corpus, "--skip-bad", "--output", tmp_path / "out") == 0
    assert [page["line"] for page in lines(tmp_path / "out", "pages")] == [1, 4]
    assert [
        (skipped["source"], skipped["line"], skipped["reason"])
        for skipped in lines(tmp_path / "out", "skipped")
    ] == [(str(corpus), 3, "bad-json"), (str(corpus), 5, "wrong-type")]
    assert not summary_of(tmp_path / "out")["stopped"]


def test_a_truncated_file_stops_or_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut-off gzip file names its last good line; with --skip-bad the next file is read."""
    raw = write(tmp_path / "raw", [{"text": text(n)} for n in range(50)]).read_bytes()
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(raw)[:-400])
    after = write(tmp_path / "after.jsonl", [{"text": text(99)}])
    assert dedup(cut, after, "--output", tmp_path / "out") == 2
    assert re.search(rf"crawler: {cut}:\d+: cannot be read from here on", capsys.readouterr().err)
    assert dedup(cut, after, "--skip-bad", "--output", tmp_path / "out") == 0
    assert lines(tmp_path / "out", "pages")[-1]["source"] == str(after)
    assert [line["reason"] for line in lines(tmp_path / "out", "skipped")] == ["unreadable"]


def test_a_damaged_file_is_named_as_the_trouble(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where changed bytes decompress to garbled lines, the damage is told, not the garble."""
    raw = write(tmp_path / "raw", [{"text": text(n)} for n in range(50)]).read_bytes()
    packed = bytearray(gzip.compress(raw, compresslevel=0))  # stored blocks: any byte is content
    at = packed.index(b'{"text"', len(packed) // 2)
    packed[at : at + 3] = b"\xff\xff\xff"
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(packed)
    assert dedup(damaged, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    told = rf"{damaged}:\d+: the compressed file is damaged \(.*data check.*\): get a new copy"
    assert re.match(told, error)
    assert main(["lexicon", str(damaged), "--output", str(tmp_path / "lexicon.tsv")]) == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    assert re.match(told, error)


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def _kept(path: Path) -> tuple[list[bytes], list[str]]:
    """Return the documents of a file, and what is said of those that are bad."""
    found = [one for one, _ in documents_in(InputFile(path, path.name, path.name, "x", None, 9))]
    return [one.body for one in found if not one.bad], [one.bad.detail for one in found if one.bad]


@pytest.mark.parametrize("kind", PACK)
def test_what_comes_of_a_compressed_file(kind: str, tmp_path: Path) -> None:
    """Streams in a row are one file; a cut, a wrong byte, bytes behind the end are one bad line.

    What can be read before that is read, but for the last lines of a piece that is damaged.
    """
    pack, path = PACK[kind], tmp_path / f"c.jsonl.{kind}"
    made = [orjson.dumps({"text": text(n)}) + b"\n" for n in range(400)]
    first, second = pack(b"".join(made[:200])), pack(b"".join(made[200:]))
    whole = first + second
    for data in (whole, first + bytes(8) + second, whole + bytes(512), whole + pack(b"")):
        path.write_bytes(data)
        assert _kept(path) == (made, [])
    for data in (whole + b"trailing garbage", whole + b"\0\0x", whole + b"{}\n"):
        path.write_bytes(data)
        kept, (said,) = _kept(path)
        assert kept == made
        assert said.startswith("cannot be read from here on: ")
    path.write_bytes(whole[:-3])
    kept, (said,) = _kept(path)
    assert kept == made[: len(kept)]
    assert len(kept) >= 200
    assert "cut off" in said
    at = len(whole) - 3
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
    kept, (_,) = _kept(path)
    assert kept == made[: len(kept)]
    assert len(kept) >= 200


def _corpus(kind: str, folder: Path) -> Path:
    """Write two documents into a file whose name ends so."""
    if kind == "parquet":
        path = folder / "c.parquet"
        pq.write_table(pa.table({"text": [text(1), text(2)]}), path)
        return path
    raw = write(folder / "raw", [{"text": text(n)} for n in (1, 2)]).read_bytes()
    path = folder / f"c.jsonl.{kind}"
    path.write_bytes(PACK[kind](raw))
    return path


@pytest.mark.parametrize("call", READING, ids=str)
def test_whatever_a_library_raises_is_damage_of_one_file(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Known to it or not: the run stops with one line that names the file, or counts it as bad."""
    corpus = _corpus(call.way, tmp_path)
    file = InputFile(corpus, corpus.name, corpus.name, "x", None, 9)
    for error in call.raised:
        with raising(call, error, None) as raised:
            found = [document for document, _ in documents_in(file)]
        assert raised
        assert found, repr(error())
        assert all(one.bad and one.bad.reason is BadReason.UNREADABLE for one in found)
    with raising(call, MemoryError, None), pytest.raises(MemoryError):
        list(documents_in(file))
    with raising(call, NeverHeardOfError, None):
        assert dedup(corpus, "--output", tmp_path / "out") == 2
        told = capsys.readouterr().err.partition("crawler: ")[2]
        assert told.startswith(f"{corpus}")
        assert "NeverHeardOfError" in told
        assert "Traceback" not in told
        assert dedup(corpus, "--skip-bad", "--output", tmp_path / "out") == 0
    assert {line["reason"] for line in lines(tmp_path / "out", "skipped")} == {"unreadable"}


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parquet says how to get what it needs, in one error and exit code 2."""
    pq.write_table(pa.table({"text": [text(1)]}), tmp_path / "c.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "crawler.sources.parquet", raising=False)
    assert dedup(tmp_path / "c.parquet", "--output", tmp_path / "out") == 2
    assert "pip install 'inline-crawler[corpora]'" in capsys.readouterr().err


def test_text_of_parquet_that_is_no_text_is_bad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A string that is not UTF-8, which Arrow reads and Python cannot, is told, not a traceback."""
    broken = pa.array([b"\xff\xfe broken", text(1).encode()], pa.binary())
    rows = pa.Array.from_buffers(pa.string(), 2, broken.buffers())
    corpus = tmp_path / "c.parquet"
    pq.write_table(pa.table({"text": rows}), corpus)
    assert dedup(corpus, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert f"crawler: {corpus}:1: row group 0 cannot be read" in error
    assert "Traceback" not in error


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_silent_input_keeps_no_run(number: int, tmp_path: Path) -> None:
    """A pipe that says nothing, and never ends, is waited for until the first signal, no longer."""
    reading, writing = os.pipe()
    output = tmp_path / "out"
    process = program("dedup", "-", "--processes", 1, "--output", output, stdin=reading)
    try:
        wait_until(lambda: _has_begun(output), process)
        process.send_signal(number)
        code, _, err = finished(process)
    finally:
        os.close(reading)
        os.close(writing)
    assert code == 128 + number
    assert "Traceback" not in err
    assert "Fatal" not in err
    assert summary_of(output)["stopped"]


def _has_begun(output: Path) -> bool:
    """Whether a run in another process has noted that it goes on."""
    try:
        with StoreView.read(output) as view:
            return bool(view.meta(Meta.RUNS, []))
    except StoreError:
        return False


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that are not there, and directories that cannot be used, are refused by name."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    other = write(tmp_path / "d.jsonl", [{"text": text(2)}])
    out = tmp_path / "out"
    assert dedup(corpus, "--output", out) == 0
    way_on = "\nTo continue it, repeat its own command"
    wrong: list[tuple[tuple[object, ...], str]] = [
        (("gone.jsonl", "--output", tmp_path / "x"), "gone.jsonl: No such file"),
        ((other, "--output", out), "FILE...: the files are different"),
        (
            (corpus, "--threshold", "0.9", "--output", out),
            f"dedup.threshold: 0.8, now 0.9{way_on}",
        ),
        (
            (corpus, "--text-field", "t", "--output", out),
            f'text_field: "text", now "t"{way_on}',
        ),
        ((out / "pages.jsonl", "--output", out), "lies in the output directory"),
        ((corpus, "--against", out, "--output", out), "are the same directory"),
        ((corpus, "--against", tmp_path, "--output", tmp_path / "x"), "holds no crawl"),
        ((corpus, "--against", "gone", "--output", tmp_path / "x"), "/gone: no such directory"),
        ((corpus, "--threshold", "7", "--output", tmp_path / "x"), "dedup.threshold"),
    ]
    capsys.readouterr()
    for arguments, complaint in wrong:
        assert dedup(*arguments) == 2, arguments
        error = capsys.readouterr().err
        assert complaint in error
        assert "Traceback" not in error


def test_incomparable_runs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sketches of another method cannot be compared, and that is said."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    assert dedup(corpus, "--method", "minhash", "--output", tmp_path / "a") == 0
    assert dedup(corpus, "--against", tmp_path / "a", "--output", tmp_path / "b") == 2
    assert re.search(r"method \(minhash.*, now verified.*\)", capsys.readouterr().err)


def run_and_die(command: list[str]) -> None:
    """Run a command; end by SIGKILL within the second transaction that keeps documents.

    No more than a hundred wait for one, so it is not the last.
    """
    limits = GroupLimits(outcomes=50, waiting_outcomes=100)
    keep, kept = rows.set_extents, 0

    def dying(connection: sqlite3.Connection, extents: Mapping[str, Extent]) -> None:
        nonlocal kept
        keep(connection, extents)
        kept += bool(extents)
        if kept == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    Store.create = partial(Store.create, limits=limits)  # type: ignore[method-assign]
    rows.set_extents = dying
    main(command)


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    """After kill -9 the same command ends with the very lines of an undisturbed run."""
    corpus, out = mixed(tmp_path / "c.jsonl", 400), tmp_path / "killed"
    command = ("dedup", corpus, "--skip-bad", "--processes", 1, "--output")
    assert main([*map(str, command), str(tmp_path / "whole")]) == 0
    killed(run_and_die, [*map(str, command), str(out)])
    with StoreView.read(out) as view:
        assert 0 < view.next_url_id - 1 < 400
    assert finished(program(*command, out))[0] == 0
    assert outcome(out) == outcome(tmp_path / "whole")
    assert summary_of(out)["runs"] == 2


@pytest.mark.processes
def test_a_document_that_hangs_or_crashes_is_blamed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on without it, and its line says what it did."""
    monkeypatch.setattr(corpus_module, "CorpusReader", batch_victims.make)
    bodies = [text(1), "HANG", text(2), "CRASH", text(1)]
    corpus = write(tmp_path / "c.jsonl", [{"text": body} for body in bodies])
    job = tmp_path / "job.yaml"
    job.write_text("analysis: {timeout_s: 1.5}")
    assert dedup(corpus, "--config", job, "--output", tmp_path / "out") == 0
    assert [page["line"] for page in lines(tmp_path / "out", "pages")] == [1, 3]
    assert [d["line"] for d in lines(tmp_path / "out", "duplicates")] == [5]
    assert [(f["line"], f["failure"]) for f in lines(tmp_path / "out", "failures")] == [
        (2, "analysis-timeout"), (4, "analysis-crash"),
    ]  # fmt: skip
