"""Corpora as they are: Parquet and nested fields read, and the user's own rows written again."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest
import zstandard
from support.crawling import command
from support.documents import dedup, edited, text, write
from support.output import lines

from crawler.sources import writing
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

OWN = ["text", "metadata", "score", "tags"]
ADDED = ["dedup_verdict", "dedup_duplicate_of", "dedup_original", "dedup_similarity"]


def rows(first: int, number: int = 60, site: str = "site") -> list[dict[str, Any]]:
    """Return rows as corpora have them; each third one is nearly a copy, each fourth one is one."""
    made = []
    for n in range(first, first + number):
        body = edited(n - 1) if n % 3 == 0 else text(n - 2 if n % 4 == 0 else n)
        address = {"url": f"https://{site}.example/{n}", "depth": n % 5}
        made.append({"text": body, "metadata": address, "score": n / 7, "tags": ["a", "b"]})
    return made


def parquet(path: Path, records: list[dict[str, Any]], **how: Any) -> Path:
    """Write a Parquet file of small row groups."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(records), path, row_group_size=25, **how)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of data as Hugging Face has them: splits in shards, and descriptions."""
    top = tmp_path_factory.mktemp("corpus")
    parquet(top / "data/train-00000-of-00002.parquet", rows(0), compression="gzip")
    parquet(top / "data/train-00001-of-00002.parquet", rows(60))
    parquet(top / "data/test-00000-of-00001.parquet", rows(30, 20, "test"))
    (top / "dataset_infos.json").write_text("{}")
    (top / "README.md").write_text("---\nlicense: other\n---\n")
    return top


@pytest.fixture(scope="module")
def judged(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judge the folder, and write all that can be written."""
    output = tmp_path_factory.mktemp("judged")
    for what in ("rows", "all", "ids", "flags"):
        assert _dedup(folder, output, "--write", what) == 0
    return output


def _dedup(source: Path, output: Path, *flags: object) -> int:
    return dedup(source, "--id-field", "metadata.url", "--output", output, *flags)


def _shards(top: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(top.rglob("*.parquet")):
        yield str(path.relative_to(top)), pq.read_table(path).to_pylist()


def test_rows_come_back_as_they_were(folder: Path, judged: Path) -> None:
    """Shard for shard the kept rows are the user's own, in order, with the verdict beside them."""
    kept = {page["id"] for page in lines(judged, "pages")}
    for name, own in _shards(folder):
        source, target = folder / name, judged / "rows" / name
        wanted = [row for row in own if row["metadata"]["url"] in kept]
        written = pq.read_table(target)
        assert written.select(OWN).to_pylist() == wanted
        assert written.schema.names == [*OWN, *ADDED]
        assert set(written["dedup_verdict"].to_pylist()) == {"new"}
        codecs = [
            pq.ParquetFile(p).metadata.row_group(0).column(0).compression for p in (source, target)
        ]
        assert codecs[0] == codecs[1]
    assert sum(len(shard) for _, shard in _shards(judged / "rows")) == len(kept)


def test_every_row_tells_its_verdict(folder: Path, judged: Path) -> None:
    """With `all` no row is missing, and each copy names an original that is kept."""
    duplicates = {line["id"]: line for line in lines(judged, "duplicates")}
    for name, own in _shards(folder):
        written = pq.read_table(judged / "all" / name).to_pylist()
        assert [{key: row[key] for key in OWN} for row in written] == own
        for row in written:
            line = duplicates.get(row["metadata"]["url"])
            told = (line["verdict"], line["duplicate_of"]["id"]) if line else ("new", None)
            assert (row["dedup_verdict"], row["dedup_duplicate_of"]) == told
            assert (row["dedup_similarity"] is None) == (line is None)
    assert {line["verdict"] for line in duplicates.values()} == {"exact-payload", "near"}


def test_ids_and_flags_tell_the_same(folder: Path, judged: Path) -> None:
    """The ids are those of the rows that are kept; there is one flag for each row, in order."""
    for name, own in _shards(folder):
        kept = [row["metadata"]["url"] for row in pq.read_table(judged / "rows" / name).to_pylist()]
        ids = (judged / "ids" / f"{name}.ids.jsonl").read_text().splitlines()
        assert [json.loads(id_) for id_ in ids] == kept
        flags = pq.read_table(judged / "flags" / name)["keep"].to_pylist()
        assert [
            row["metadata"]["url"] for row, keep in zip(own, flags, strict=True) if keep
        ] == kept


def test_datasets_opens_what_is_written(judged: Path, tmp_path: Path) -> None:
    """Splits stay apart by their names, as `datasets` finds them."""
    # Half a second to load, for this test alone.
    from datasets import load_dataset  # type: ignore[import-untyped, unused-ignore]

    found = load_dataset(str(judged / "rows"), cache_dir=str(tmp_path))
    sizes = {split: len(found[split]) for split in found}
    names = dict(_shards(judged / "rows"))
    assert sizes == {
        split: sum(len(shard) for name, shard in names.items() if split in name)
        for split in ("train", "test")
    }


def test_a_run_that_is_stopped_goes_on_within_a_file(folder: Path, tmp_path: Path) -> None:
    """Whole row groups are passed over, and the lines are those of an undisturbed run."""
    source = folder / "data/train-00000-of-00002.parquet"
    limited = tmp_path / "limited.parquet"
    broken = rows(0)
    broken[37]["text"] = None
    parquet(limited, broken)
    assert _dedup(limited, tmp_path / "out") == 2
    assert len(lines(tmp_path / "out", "pages")) < 38
    assert _dedup(limited, tmp_path / "out", "--skip-bad", "--write", "flags") == 0
    [skipped] = lines(tmp_path / "out", "skipped")
    assert (skipped["line"], skipped["reason"]) == (38, "wrong-type")
    assert _dedup(source, tmp_path / "whole") == 0
    whole = [line["id"] for line in lines(tmp_path / "whole", "pages")]
    resumed = [line["id"] for line in lines(tmp_path / "out", "pages")]
    assert set(whole) ^ set(resumed) <= {f"https://site.example/{n}" for n in (37, 38, 39, 40)}
    flags = pq.read_table(tmp_path / "out/flags/limited.parquet")["keep"].to_pylist()
    assert len(flags) == 60
    assert not flags[37]


def test_a_kill_while_writing_leaves_whole_files(
    folder: Path, judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file appears when it is whole; the same command writes the others, the same to the byte."""

    class Killed(BaseException):
        pass

    real, begun = writing._write_file, list[Path]()

    def dies(part: Path, *rest: Any) -> None:
        real(part, *rest)
        begun.append(part)
        if len(begun) == 2:
            raise Killed

    monkeypatch.setattr(writing, "_write_file", dies)
    with pytest.raises(Killed):
        _dedup(folder, tmp_path, "--write", "rows")
    assert len(dict(_shards(tmp_path / "rows"))) == 1
    [done] = (tmp_path / "rows").rglob("*.parquet")
    written_at = done.stat().st_mtime_ns
    assert _dedup(folder, tmp_path, "--write", "rows") == 0
    assert done.stat().st_mtime_ns == written_at
    for name, _ in _shards(judged / "rows"):
        assert (tmp_path / "rows" / name).read_bytes() == (judged / "rows" / name).read_bytes()
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    ("name", "pack", "unpack"),
    [
        ("c.jsonl", bytes, bytes),
        ("c.json.gz", gzip.compress, gzip.decompress),
        ("c.jsonl.xz", lzma.compress, lzma.decompress),
        (
            "c.jsonl.zst",
            zstandard.compress,
            lambda data: zstandard.ZstdDecompressor().stream_reader(data).read(),
        ),
    ],
)
def test_lines_stay_as_they_were_to_the_byte(
    name: str, pack: Any, unpack: Any, tmp_path: Path
) -> None:
    """Of JSON lines, too, what the user wrote is kept, whatever it is compressed by."""
    plain = [
        b'{ "text": "%s",  "n": 1.50, "id":"a"}' % text(1).encode(),
        b'{"id": "b", "text": "%s"}' % text(1).encode(),
        b"",
        b'{"id": "c", "text": "%s", "dedup_verdict": "old"}\r' % text(2).encode(),
        b"{",
    ]
    corpus = tmp_path / "in" / name
    corpus.parent.mkdir()
    corpus.write_bytes(pack(b"\n".join(plain)))
    out = tmp_path / "out"
    for what in ("rows", "all", "flags"):
        assert dedup(corpus.parent, "--output", out, "--skip-bad", "--write", what) == 0
    kept = unpack((out / "rows" / name).read_bytes()).splitlines()
    assert kept[0].startswith(plain[0][:-1] + b',"dedup_verdict":"new",')
    assert [json.loads(line)["id"] for line in kept] == ["a", "c"]
    assert json.loads(kept[1])["dedup_verdict"] == "new"
    every = unpack((out / "all" / name).read_bytes()).splitlines()
    assert [json.loads(line)["dedup_duplicate_of"] for line in every] == [None, "a", None]
    flags = (out / "flags" / f"{name}.flags.jsonl").read_text().splitlines()
    assert flags == ["true", "false", "true", "false"]


def test_an_empty_object_is_told_of_as_json(tmp_path: Path) -> None:
    """A row without fields gets those of its verdict, and stays an object."""
    corpus = tmp_path / "rows.jsonl"
    corpus.write_text("\n".join([json.dumps({"id": 1, "text": text(1)}), "{}", "{ }", ""]))
    out = tmp_path / "out"
    assert dedup(corpus, "--output", out, "--skip-bad", "--write", "all") == 0
    [written] = (out / "all").iterdir()
    every = [json.loads(line) for line in written.read_text().splitlines()]
    assert [row["dedup_verdict"] for row in every] == ["new", "skipped", "skipped"]


def test_a_row_that_cannot_be_written_anew_ends_alone(tmp_path: Path) -> None:
    """Nested too deep for a line, or no JSON, and with fields of an earlier run: it is told of."""
    deep = '{"id": 2, "text": "a", "dedup_verdict": "new", "m": ' + "[" * 300 + "]" * 300 + "}"
    plain = [json.dumps({"id": 1, "text": text(1)}), deep, '{"dedup_verdict": }']
    corpus = tmp_path / "rows.jsonl"
    corpus.write_text("\n".join([*plain, json.dumps({"id": 4, "text": text(2)})]))
    out = tmp_path / "out"
    assert dedup(corpus, "--output", out, "--skip-bad", "--write", "all") == 0
    assert [line["reason"] for line in lines(out, "skipped")] == ["bad-json", "bad-json"]
    [written] = (out / "all").iterdir()
    every = written.read_text().splitlines()
    assert [json.loads(row)["dedup_verdict"] for row in (every[0], every[1], every[3])] == [
        *("new", "skipped", "new")
    ]
    assert every[2].startswith('{"dedup_verdict":,"dedup_verdict":"skipped"')


def test_a_literal_name_goes_before_a_nested_one(tmp_path: Path) -> None:
    """`a.b` is the field of that name where there is one, else `b` within `a`, however deep."""
    records = [
        {"a.b": text(1), "a": {"b": text(2)}, "id": 1},
        {"a": {"b": text(3), "c": 1}, "id": 2},
        {"a.b": {"c": 1}, "a": {"b": text(4)}, "id": 3},
    ]
    corpus = write(tmp_path / "c.jsonl", records)
    assert dedup(corpus, "--text-field", "a.b", "--output", tmp_path / "out", "--skip-bad") == 0
    found = {page["id"]: page["text"] for page in lines(tmp_path / "out", "pages")}
    assert found == {1: text(1), 2: text(3)}
    table = parquet(tmp_path / "t.parquet", [{"m.id": "x", "m": {"id": "y", "t": {"u": text(1)}}}])
    flags = ("--text-field", "m.t.u", "--id-field", "m.id")
    assert dedup(table, *flags, "--output", tmp_path / "nested") == 0
    [page] = lines(tmp_path / "nested", "pages")
    assert (page["id"], page["text"]) == ("x", text(1))


def test_an_id_that_is_null_is_none(tmp_path: Path) -> None:
    """Of a column of ids that has gaps, rows without one are called by their number."""
    table = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": ["a", None], "text": [text(1), text(2)]}), table)
    assert dedup(table, "--output", tmp_path / "out", "--write", "ids") == 0
    assert [page["id"] for page in lines(tmp_path / "out", "pages")] == ["a", 2]
    assert (tmp_path / "out/ids/t.parquet.ids.jsonl").read_text() == '"a"\n2\n'


def test_what_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing column, a file that is none and a damaged row group are told of by their place."""
    good = parquet(tmp_path / "good.parquet", rows(0))
    code, _, said = command(
        capsys, "dedup", good, "--text-field", "body", "--output", tmp_path / "1"
    )
    assert (code, (tmp_path / "1").exists()) == (2, False)
    assert f"{good}: no column 'body'; there are: text, metadata, score, tags" in said
    none = tmp_path / "none.parquet"
    none.write_text("no Parquet")
    assert dedup(none, "--output", tmp_path / "2") == 2
    assert f"{none}:1: cannot be read: " in capsys.readouterr().err
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(good.read_bytes())
    group = pq.ParquetFile(good).metadata.row_group(1).column(0)
    start = group.dictionary_page_offset or group.data_page_offset
    data[start : start + 40] = bytes(40)
    damaged.write_bytes(data)
    assert dedup(damaged, "--output", tmp_path / "3") == 2
    assert f"{damaged}:26: row group 1 cannot be read: " in capsys.readouterr().err
    assert dedup(damaged, "--output", tmp_path / "3", "--skip-bad", "--write", "rows") == 0
    assert [line["line"] for line in lines(tmp_path / "3", "skipped")] == list(range(26, 51))
    with StoreView.read(tmp_path / "3") as view:
        assert view.next_url_id == 61
    kept = len(lines(tmp_path / "3", "pages"))
    assert pq.read_table(tmp_path / "3/rows/damaged.parquet").num_rows == kept


def test_what_has_no_rows_is_refused_before_all_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """HTML files, standard input and two files of one name are no input for --write."""
    page = tmp_path / "page.html"
    page.write_text("<p>text")
    one, two = (write(tmp_path / d / "c.jsonl", [{"text": text(1)}]) for d in ("a", "b"))
    for given, said in (
        ([page], "page.html: --write rows is for JSON lines and Parquet"),
        (["-"], "standard input: --write rows is for"),
        ([one, two], "would both be written to"),
    ):
        code, _, err = command(
            capsys, "dedup", *given, "--write", "rows", "--output", tmp_path / "out"
        )
        assert code == 2
        assert said in err
    assert not (tmp_path / "out").exists()
