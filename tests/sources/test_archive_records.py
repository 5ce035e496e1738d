"""What is found in archives, damaged ones included."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from support.archives import Archive
from support.third_party import ANY, OF_RECORDS, failing_records

from crawler.errors import InputError
from crawler.sources.records import MOST_SHORT, Damage, Item, Other, Record, expand, read

PAGES = 6


def made(*, gzip: bool = True) -> Archive:
    """Return an archive of six pages."""
    archive = Archive(gzip=gzip)
    for number in range(PAGES):
        words = " ".join(f"word{number * word}" for word in range(400))
        archive.response(f"http://a.test/{number}", f"<p>page {number} {words}".encode())
    return archive


def items(tmp_path: Path, data: bytes) -> list[Item]:
    """Return what is read of an archive with these bytes."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    return list(read(expand([str(path)])[0], 1_000_000))


def pages(found: list[Item]) -> list[int]:
    """Return the numbers of the pages that were read."""
    return [int(item.url[-1]) for item in found if isinstance(item, Record)]


def damage(found: list[Item]) -> list[int]:
    """Return the offsets of what is damaged."""
    return [item.offset for item in found if isinstance(item, Damage)]


def zeroed(data: bytes, *places: int) -> bytes:
    """Return data with ten bytes lost at each of these places."""
    lost = bytearray(data)
    for place in places:
        lost[place : place + 10] = bytes(10)
    return bytes(lost)


@pytest.mark.parametrize("gzip", [True, False])
def test_all_records_are_read_with_their_offsets(tmp_path: Path, gzip: bool) -> None:
    """Compressed by record or not at all, every record comes with the place where it begins."""
    archive = made(gzip=gzip)
    found = items(tmp_path, archive.data)
    assert pages(found) == list(range(PAGES))
    assert [item.offset for item in found] == archive.offsets


DAMAGES: dict[str, tuple[Callable[[bytes, list[int]], bytes], list[int], int]] = {
    "within a member": (lambda data, at: zeroed(data, at[2] + 150), [0, 1, 3, 4, 5], 2),
    "the first member": (lambda data, at: zeroed(data, 150), [1, 2, 3, 4, 5], 0),
    "the first magic": (lambda data, at: zeroed(data, 0), [1, 2, 3, 4, 5], 0),
    "junk between": (lambda data, at: data[: at[2]] + b"junk" * 9 + data[at[2] :], [*range(6)], 1),
    "zeros behind": (lambda data, at: data + bytes(512), [*range(6)], 5),
    "text behind": (lambda data, at: data + b"trailing garbage", [*range(6)], 5),
    "a torn tail": (lambda data, at: data[:-100], [0, 1, 2, 3, 4], 5),
    "a false checksum": (
        lambda data, at: data[: at[3] - 8] + b"abcd" + data[at[3] - 4 :],
        [0, 1, 3, 4, 5],
        2,
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_damaged_is_told_once_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    """Damage costs its own record alone, and is named by its offset or that of the one before."""
    harm, left, told_at = DAMAGES[name]
    archive = made()
    found = items(tmp_path, harm(archive.data, archive.offsets))
    assert pages(found) == left
    assert damage(found) == [archive.offsets[told_at]]


@pytest.mark.parametrize("name", ["next", *OF_RECORDS])
def test_whatever_the_reader_raises_is_one_damage(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known to it or not, at whatever it is asked for: that record is damaged, all others come."""
    archive = made()
    for error in (*ANY, zlib.error, MemoryError):
        with monkeypatch.context() as patched:
            reader = failing_records("http://a.test/2", name, error)
            patched.setattr("fastwarc.warc.ArchiveIterator", reader)
            if error is MemoryError:
                with pytest.raises(MemoryError):
                    items(tmp_path, archive.data)
                continue
            found = items(tmp_path, archive.data)
        assert pages(found) == [0, 1, 3, 4, 5], repr(error())
        assert len(damage(found)) == 1, repr(error())


def test_two_damaged_records_are_told_each(tmp_path: Path) -> None:
    """Neighbours that are both damaged are two."""
    archive = made()
    at = archive.offsets
    found = items(tmp_path, zeroed(archive.data, at[2] + 150, at[3] + 150))
    assert pages(found) == [0, 1, 4, 5]
    assert damage(found) == at[2:4]


def test_a_false_digest_is_damage(tmp_path: Path) -> None:
    """A record that was changed and is well-formed is passed over: its digest tells."""
    archive = made(gzip=False)
    found = items(tmp_path, archive.data.replace(b"page 2", b"page x"))
    assert pages(found) == [0, 1, 3, 4, 5]
    assert damage(found) == [archive.offsets[2]]


def test_a_torn_record_of_a_kind_that_is_not_read_is_told(tmp_path: Path) -> None:
    """An archive that ends within a request is named as one that ends within a response is."""
    archive = made()
    archive.plain("request", "http://a.test/0", {}, b"GET / HTTP/1.1\r\n" * 9)
    found = items(tmp_path, archive.data[:-20])
    assert pages(found) == [*range(PAGES)]
    assert damage(found) == archive.offsets[-1:]


@pytest.mark.parametrize("gzip", [True, False])
def test_a_head_that_the_end_cuts_is_told_wherever_it_is_cut(tmp_path: Path, gzip: bool) -> None:
    """The last record is named from its first byte on, and no page is made of half a head.

    The records before it come; a file of nothing else is no empty archive.
    """
    archive = made(gzip=gzip)
    at, block = archive.offsets[-1], archive.data.find(b"HTTP/1.1", archive.offsets[-1])
    unread = range(at + 1, block - 1 if block > 0 else at + 160)
    for end in unread:
        found = items(tmp_path, archive.data[:end])
        assert pages(found) == [0, 1, 2, 3, 4], end - at
        # FastWARC names the record before a torn line.
        assert len(damage(found)) == 1, end - at
        [alone] = items(tmp_path, archive.data[at:end])
        assert isinstance(alone, Damage)


def test_uncompressed_archives_are_read_on_behind_junk(tmp_path: Path) -> None:
    """Without members the next line that begins a record is looked for."""
    archive = made(gzip=False)
    at, data = archive.offsets, archive.data
    found = items(tmp_path, data[: at[2]] + b"junk\n" * 9 + data[at[2] :])
    assert pages(found) == list(range(PAGES))
    assert len(damage(found)) == 1


def test_what_is_no_archive_is_damage(tmp_path: Path) -> None:
    """A file of anything else is told as one damage, an empty one holds nothing."""
    assert damage(items(tmp_path, b"hello world" * 99)) == [0]
    assert items(tmp_path, b"") == []


def test_a_file_that_is_emptied_is_named(tmp_path: Path) -> None:
    """What cannot be mapped any more when its turn comes is one clear error."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(made().data)
    [file] = expand([str(path)])
    path.write_bytes(b"")
    with pytest.raises(InputError, match=f"{path}: cannot be read"):
        list(read(file, 1_000_000))


def test_records_without_a_page_are_named_by_their_type(tmp_path: Path) -> None:
    """What else an archive holds is passed over and can be counted."""
    archive = Archive()
    archive.record("request", "http://a.test/", b"GET / HTTP/1.1\r\n\r\n")
    archive.record("metadata", "http://a.test/", b"x")
    archive.record("continuation", "http://a.test/", b"x")
    found = items(tmp_path, archive.data)
    types = [item.type for item in found if isinstance(item, Other)]
    assert types == ["request", "metadata", "continuation"]


@pytest.mark.parametrize("gzip", [True, False])
@pytest.mark.parametrize("said", [99_999, 50_000_000])
def test_a_record_longer_than_its_file_hides_none(tmp_path: Path, said: int, gzip: bool) -> None:
    """It is damage, also where no such record would be held; all behind it are read."""
    archive = made(gzip=gzip)
    claims = {"Content-Length": str(said), "Content-Type": "application/http; msgtype=response"}
    archive.plain("response", "http://a.test/x", claims, b"HTTP/1.1 200 OK\r\n\r\n<p>short")
    behind = made(gzip=gzip)
    found = items(tmp_path, archive.data + behind.data)
    assert pages(found) == [*range(PAGES), *range(PAGES)]
    assert damage(found) == [archive.offsets[PAGES]]


def test_many_records_longer_than_their_file_are_not_all_followed(tmp_path: Path) -> None:
    """Each takes another reading of the file: after some it is left, which is told."""
    archive = Archive()
    claims = {"Content-Length": "99999", "Content-Type": "application/http; msgtype=response"}
    for _ in range(2 * MOST_SHORT):
        archive.plain("response", "http://a.test/x", claims, b"HTTP/1.1 200 OK\r\n\r\n<p>short")
    found = items(tmp_path, archive.data)
    assert len(found) == MOST_SHORT + 1
    assert isinstance(found[-1], Damage)
    assert "too many records" in found[-1].detail
