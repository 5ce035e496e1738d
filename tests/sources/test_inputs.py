"""Files of a corpus: found in order, opened by their first bytes, taken apart into documents."""

from __future__ import annotations

import gzip
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import Job
from crawler.errors import InputError
from crawler.models import is_binary
from crawler.sources.documents import (
    Bad,
    BadReason,
    Fields,
    RawDocument,
    batches,
    read_whole,
)
from crawler.sources.inputs import (
    InputFile,
    document_name,
    document_url,
    expand,
    file_in,
    file_url,
    fingerprint_of,
    id_in,
    line_in,
    source_of,
    total_bytes,
)
from crawler.sources.reader import CorpusReader, Reading
from crawler.workers.messages import AnalysisSettings


def zstd(data: bytes) -> bytes:
    """Compress in two frames, a skippable one before them."""
    half = len(data) // 2
    compress = zstandard.ZstdCompressor().compress
    return b"\x50\x2a\x4d\x18\x02\x00\x00\x00xx" + compress(data[:half]) + compress(data[half:])


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstd,
    "xz": lzma.compress,
    "none": bytes,
}


def documents(*arguments: Path | str, skip: int = 0) -> list[RawDocument]:
    """Return all documents behind some arguments."""
    files = expand([str(argument) for argument in arguments])
    return [document for batch in batches(files, skip) for document in batch.documents]


def write(path: Path, data: bytes) -> Path:
    """Write a file, with its directory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compression_is_known_by_the_first_bytes(tmp_path: Path, compression: str) -> None:
    """A file is decompressed by its content, whatever its name says."""
    data = b'{"text": "a"}\n\n{"text": "b"}\n' * 20
    path = write(tmp_path / "misnamed.jsonl", COMPRESSIONS[compression](data))
    found = documents(path)
    assert [document.line for document in found[:3]] == [1, 3, 4]
    assert len(found) == 40
    assert not any(document.bad for document in found)


@pytest.mark.parametrize("compression", ["gzip", "zstd", "xz"])
def test_a_truncated_file_is_named_with_its_line(tmp_path: Path, compression: str) -> None:
    """A cut-off file gives what can be read of it, then one bad document saying from where on."""
    lines = b"".join(b'{"text": "%s"}\n' % os.urandom(40).hex().encode() for _ in range(4000))
    path = write(tmp_path / "cut.jsonl", COMPRESSIONS[compression](lines)[:-3000])
    found = documents(path)
    last = found[-1]
    assert last.bad is not None
    assert last.bad.reason is BadReason.UNREADABLE
    assert last.line is not None
    assert last.place == f"{path}:{last.line}"
    assert [document.line for document in found] == list(range(1, last.line + 1))


def test_a_directory_is_read_in_sorted_order(tmp_path: Path) -> None:
    """Files below a directory come sorted by path; kinds that are not known are left out."""
    for name in ("b/2.html", "a.txt", "b/10.htm", "c.jsonl", "notes.pdf", "z.html.gz"):
        write(tmp_path / name, b'{"text": "x"}')
    assert [file.id for file in expand([str(tmp_path)])] == [
        "a.txt", "b/10.htm", "b/2.html", "c.jsonl", "z.html.gz",
    ]  # fmt: skip
    assert [file.media_type for file in expand([str(tmp_path)])] == [
        "text/plain", "text/html", "text/html", None, "text/html",
    ]  # fmt: skip


def test_arguments_that_cannot_be_read_are_one_clear_line(tmp_path: Path) -> None:
    """Missing and repeated files, empty names and directories are refused by name."""
    corpus = str(write(tmp_path / "in/a.jsonl", b"{}"))
    (tmp_path / "none").mkdir()
    wrong = {
        "gone.jsonl: No such": ["gone.jsonl"],
        "none: no readable documents": [str(tmp_path / "none")],
        "read once": ["-", "-"],
        "https://a.test/: this is a URL, where .* crawl https://a.test/ ": ["https://a.test/"],
        "name of a file is empty": [""],
        "a.jsonl is given twice: as .*/in and .*a.jsonl": [str(tmp_path / "in"), corpus],
    }
    for complaint, arguments in wrong.items():
        with pytest.raises(InputError, match=complaint):
            expand(arguments)


BINARY = bytes(random.Random(1).randbytes(3000))
TEXTS = {
    "utf-8": ("Café, 中文. " * 20 + "A stray \x00 or \x1f in it.").encode(),
    "gb18030": "新闻报道。".encode("gb18030") * 50,
    "utf-16 with mark": "新闻 and news. ".encode("utf-16") * 50,
    "utf-16": "News “of” the day. ".encode("utf-16-le") * 50,
    "escapes": b"\x1b[31mred\x1b[0m" * 50,
    "empty": b"",
    "short": b"a",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_text_in_any_encoding_is_no_binary_data(encoding: str) -> None:
    """What decides whether a file is a text does not mistake legacy encodings."""
    assert not is_binary(TEXTS[encoding])


@pytest.mark.parametrize(
    "data",
    [
        BINARY,
        b"\x89PNG\r\n\x1a\n" + bytes(40) + BINARY,
        b"\x7fELF" + bytes(60),
        b"\xff\xd8\xff\xe0",
    ],
)
def test_a_binary_file_is_no_document(tmp_path: Path, data: bytes) -> None:
    """Whatever its name says, it is left out with its reason, and the next file is read."""
    bad, good = (write(tmp_path / name, body) for name, body in (("a.html", data), ("b.txt", b"x")))
    reader = CorpusReader(Fields(), AnalysisSettings.of(Job()))
    first, second = reader.analyse(documents(bad, good))
    assert isinstance(first, Bad)
    assert first.reason is BadReason.BINARY
    assert isinstance(second, Reading)
    with pytest.raises(InputError, match="a: binary data, neither"):
        read_whole(bad, "a")


def test_a_file_that_may_not_be_read_is_a_bad_document(tmp_path: Path) -> None:
    """What fails only when a file is opened speaks of that file."""
    path = write(tmp_path / "a.txt", b"x")
    files = expand([str(tmp_path)])
    path.unlink()
    [document] = [d for batch in batches(files, 0) for d in batch.documents]
    assert document.bad is not None
    assert "No such file" in document.bad.detail


def test_passing_over_documents_counts_every_document_once(tmp_path: Path) -> None:
    """Skipping n documents gives what follows the first n, over file borders too."""
    first = write(tmp_path / "1.jsonl", b'{"text": "a"}\n \n{"text": "b"}\n')
    second = write(tmp_path / "2.jsonl", b'\xef\xbb\xbf{"text": "c"}\n')
    everything = documents(first, second)
    assert [document.body.strip() for document in everything][-1] == b'{"text": "c"}'
    for skip in range(4):
        assert documents(first, second, skip=skip) == everything[skip:]


def test_batches_say_how_much_was_read(tmp_path: Path) -> None:
    """The last batch has read all bytes of all files, so progress ends at 100 %."""
    paths = [write(tmp_path / f"{n}.jsonl", b'{"text": "a"}\n' * 100) for n in range(3)]
    files = expand([str(path) for path in paths])
    read = [batch.read_bytes for batch in batches(files, 0)]
    assert read == sorted(read)
    assert read[-1] == total_bytes(files) == 4200


def test_a_change_of_the_inputs_changes_their_fingerprint(tmp_path: Path) -> None:
    """A run goes on with the same files only."""
    path = write(tmp_path / "a.jsonl", b"{}")
    before = fingerprint_of(expand([str(path)]))
    assert fingerprint_of(expand([str(path)])) == before
    path.write_bytes(b"{ }")
    assert fingerprint_of(expand([str(path)])) != before


@given(st.integers() | st.text(st.characters(exclude_categories=["Cs"])))
def test_ids_survive_their_urls(id_: int | str) -> None:
    """An id of either type is told back exactly from the URL it was put into, and so is a line."""
    for line in (None, 1, 12_345):
        url = document_url("file:///corpus/a.jsonl", line, id_)
        assert url.isascii()
        found = id_in(url)
        assert (type(found), found) == (type(id_), id_)
        assert line_in(url) == line


@pytest.mark.parametrize("argument", ["{top}/a/b.txt", "{top}/a", "{top}", "a/../a", ".", "/", "-"])
def test_a_documents_source_is_the_argument_it_came_by(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file, a directory above it however it is written, or standard input."""
    path = write(tmp_path / "a/b.txt", b"x")
    monkeypatch.chdir(tmp_path)
    source = argument.format(top=tmp_path)
    file = InputFile(None if source == "-" else Path(source), source, "", "", None, 1)
    below = path if "/.." not in source else Path(tmp_path, "a/../a/b.txt")
    url = "file:///dev/stdin" if source == "-" else below.as_uri()
    assert source_of([file])(f"{url}#line=3&id=4") == source


def test_people_read_a_documents_id_and_where_it_lies() -> None:
    """Its URL names the whole path; one of a page of a crawl is its name."""
    file = "file:///home/me/c%20d.jsonl"
    names = {
        document_url(file, 3, "d-1"): "d-1 (c d.jsonl:3)",
        document_url(file, 3, 3): "c d.jsonl:3",
        document_url(file, None, "below/c d.html"): "below/c d.html",
        "https://a.example/x#!/y": "https://a.example/x#!/y",
    }
    assert {url: document_name(url) for url in names} == names


def test_pages_of_crawls_have_no_id_in_their_url() -> None:
    """A canonical URL without a fragment names no document."""
    assert id_in("https://a.example/x?y=1") is None


def test_a_name_that_is_no_text_still_has_a_url(tmp_path: Path) -> None:
    """Names are bytes on the disk; those that are no UTF-8 are escaped."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))
    write(path, b"x")
    assert file_url(path).endswith("/%FF.txt")
    assert file_in(document_url(file_url(path), None, "a#b")) == path
    [file] = expand([str(tmp_path)])
    assert isinstance(file, InputFile)


BROKEN: list[tuple[bytes, BadReason, str]] = [
    (b'{"text": "a', BadReason.BAD_JSON, "not valid JSON (column "),
    (b'{"text": "\\ud800"}', BadReason.BAD_JSON, "not valid JSON (column "),
    (b'{"text": "\xff"}', BadReason.BAD_ENCODING, "not valid UTF-8 (byte 11 of the line)"),
    (b'{"txt": "a"}', BadReason.MISSING_FIELD, "no field 'text' (fields: 'txt'); see --text-field"),
    (b"{}", BadReason.MISSING_FIELD, "no field 'text' (fields: none)"),
    (b'{"text": 5}', BadReason.WRONG_TYPE, "'text' must be a string, not a number"),
    (b'{"text": null}', BadReason.WRONG_TYPE, "'text' must be a string, not null"),
    (b'{"text": "a", "id": [1]}', BadReason.WRONG_TYPE, "an integer, not a list"),
    (b'{"text": "a", "id": true}', BadReason.WRONG_TYPE, "an integer, not true or false"),
    (b'{"text": "a", "more": ' + b"[" * 251 + b"]" * 251 + b"}", BadReason.BAD_JSON, "be kept"),
    (b'["text"]', BadReason.WRONG_TYPE, "each line must be a JSON object, not a list"),
]


@pytest.mark.parametrize(("line", "reason", "detail"), BROKEN)
def test_a_line_without_a_document_says_why(
    tmp_path: Path, line: bytes, reason: BadReason, detail: str
) -> None:
    """Whatever is wrong with a line has its class and its way out; the lines around it are read."""
    good = b'{"text": "a", "id": 1}'
    path = write(tmp_path / "c.jsonl", b"\n".join([good, line, good]))
    reader = CorpusReader(Fields(), AnalysisSettings.of(Job()))
    first, bad, last = reader.analyse(documents(path))
    assert isinstance(first, Reading)
    assert isinstance(last, Reading)
    assert isinstance(bad, Bad)
    assert bad.reason is reason
    assert detail in bad.detail
