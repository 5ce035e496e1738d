"""Portable indexes: built, changed, merged and judged against; damage, and what does not fit."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from jsonschema import Draft202012Validator
from support.crawling import command
from support.output import lines

from crawler.dedup import kernels
from crawler.dedup.signing import estimated
from crawler.engine import corpus_schema as schema
from crawler.models import PayloadKey, StoredRef
from crawler.storage.reference_index import IndexFile, SegmentCatalog

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

WORDS = [f"word{number}" for number in range(400)]


def text(number: int, changed: int = 0) -> str:
    """Return one of many texts that have nothing in common; some words of it may be changed."""
    words = [f"{word}of{number}" for word in WORDS[:150]]
    return " ".join([*(f"other{n}" for n in range(changed)), *words[changed:]])


class Shelf:
    """Two judged corpora of three texts each, and an index of both."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.capsys = home, capsys
        self.one, self.two = self.judged("one", [1, 2, 3]), self.judged("two", [4, 5, 6])
        self.both = home / "both.index"
        self.index("build", self.one, self.two, "--output", self.both)

    def corpus(self, name: str, texts: list[str]) -> Path:
        """Write a corpus."""
        path = self.home / f"{name}.jsonl"
        path.write_bytes(b"".join(orjson.dumps({"text": t}) + b"\n" for t in texts))
        return path

    def judged(self, name: str, numbers: list[int], *flags: object) -> Path:
        """Return the directory of a judged corpus."""
        path = self.corpus(name, [text(number) for number in numbers])
        assert self.run("dedup", path, "--output", self.home / name, *flags)[0] == 0
        return self.home / name

    def index(self, *arguments: object) -> str:
        """Change indexes; return what was printed."""
        code, told, wrong = self.run("index", *arguments)
        assert (code, wrong) == (0, "")
        return told

    def run(self, *arguments: object) -> tuple[int, str, str]:
        """Run a command."""
        return command(self.capsys, *arguments)

    def refused(self, *arguments: object) -> str:
        """Return the one line by which a command refuses its arguments."""
        code, _, wrong = self.run(*arguments)
        assert (code, wrong.count("\n")) == (2, 1)
        return wrong

    def duplicates(self, texts: list[str], *flags: object) -> list[dict[str, Any]]:
        """Judge texts; return the lines of duplicates, each valid by its schema."""
        output = self.home / f"out{len(list(self.home.iterdir()))}"
        assert self.run("dedup", self.corpus("later", texts), "--output", output, *flags)[0] == 0
        found = lines(output, "duplicates")
        for line in found:
            Draft202012Validator(schema("duplicates")).validate(line)
        return found


@pytest.fixture
def shelf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shelf:
    """Judge two small corpora."""
    return Shelf(tmp_path, capsys)


@pytest.mark.parametrize("shingles", [False, True])
def test_an_index_stands_for_its_directories(shelf: Shelf, shingles: bool) -> None:
    """Exact and near duplicates are found as against the directories, and say how sure that is."""
    texts = [text(2), text(5, changed=8), text(7)]
    other = shelf.home / "other.index"
    flags = ["--shingles"] if shingles else []
    shelf.index("build", shelf.one, shelf.two, "--output", other, *flags)
    by_index = shelf.duplicates(texts, "--against", other)
    there = shelf.duplicates(texts, "--against", shelf.one, "--against", shelf.two)
    assert [line["verdict"] for line in by_index] == ["exact-payload", "near"]
    assert [line["verdict"] for line in there] == ["exact-payload", "near"]
    for found, expected, segment in zip(by_index, there, (shelf.one, shelf.two), strict=True):
        of, original = found["duplicate_of"], expected["duplicate_of"]
        assert (of["url"], of["line"]) == (original["url"], original["line"])
        assert (of["against"], of["segment"]) == (str(other), str(segment))
        assert of["compared_by"] == ("unmarked-shingles" if shingles else "sketch")
    difference = abs(by_index[1]["similarity"] - there[1]["similarity"])
    assert difference <= (0 if shingles else 0.1)


def test_the_same_sources_give_the_same_bytes(shelf: Shelf) -> None:
    """Built at once, one after another, twice, or merged of two: no byte differs."""
    whole = shelf.both.read_bytes()
    built, second = shelf.home / "built.index", shelf.home / "second.index"
    shelf.index("build", shelf.one, "--output", built)
    shelf.index("add", built, shelf.two)
    assert built.read_bytes() == whole
    shelf.index("add", built, shelf.two)
    assert built.read_bytes() == whole
    shelf.index("remove", built, shelf.two)
    shelf.index("build", shelf.two, "--output", second)
    shelf.index("merge", built, second, "--output", shelf.home / "merged.index")
    assert (shelf.home / "merged.index").read_bytes() == whole


def test_a_segment_that_is_taken_out_is_forgotten(shelf: Shelf) -> None:
    """What a cancelled run had is news again; the others are known as before."""
    told = shelf.index("remove", shelf.both, shelf.one)
    assert "3 pages in 1 segment" in told
    [found] = shelf.duplicates([text(1), text(4)], "--against", shelf.both)
    assert found["duplicate_of"]["segment"] == str(shelf.two)


def test_all_damage_is_told(shelf: Shelf) -> None:
    """A changed byte anywhere, a byte too few or too many: nothing is judged against that."""
    whole = shelf.both.read_bytes()
    places = [0, 20, 40, 60, len(whole) // 2, len(whole) - 1]
    damaged = [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in places]
    for data in (*damaged, whole[:-1], whole + b"\0", whole[:30], b""):
        shelf.both.write_bytes(data)
        assert "both.index" in shelf.refused("index", "info", shelf.both)
    later = shelf.corpus("later", [text(1)])
    told = shelf.refused("dedup", later, "--output", shelf.home / "x", "--against", shelf.both)
    assert "both.index" in told


def test_what_does_not_fit_is_refused(shelf: Shelf) -> None:
    """Other settings, a method without such sketches, names that are not there, files that are."""
    later = shelf.corpus("later", [text(1)])
    output = ("--output", shelf.home / "x")
    against = ("--against", shelf.both, "--method", "minhash")
    assert "method (verified" in shelf.refused("dedup", later, *output, *against)
    minhash = shelf.judged("min", [1], "--method", "minhash")
    assert "by the method minhash" in shelf.refused("index", "add", shelf.both, minhash)
    assert "has no segment gone" in shelf.refused("index", "remove", shelf.both, "gone")
    assert "exists" in shelf.refused("index", "build", shelf.one, "--output", shelf.both)
    assert "no portable index" in shelf.refused("index", "info", later)


def test_an_index_that_changed_is_not_gone_on_with(shelf: Shelf) -> None:
    """A run that was stopped is judged against what it began with, or not at all."""
    later = shelf.corpus("later", [text(1), text(9)])
    run = ("dedup", later, "--output", shelf.home / "x", "--against", shelf.both)
    assert shelf.run(*run)[0] == 0
    shelf.index("remove", shelf.both, shelf.one)
    assert "is not what this run has been judged against" in shelf.refused(*run)


def test_digests_of_a_cdxj_file_find_the_same_bytes(shelf: Shelf) -> None:
    """Whatever was declared of them; other statuses, headers and missing digests are left out."""
    wanted = b32encode(hashlib.sha256(text(8).encode()).digest()).decode().rstrip("=")
    other = b32encode(hashlib.sha256(text(9).encode()).digest()).decode().rstrip("=")
    captures: list[dict[str, str]] = [
        {"url": "http://a.test/8", "digest": f"sha256:{wanted}", "status": "200"},
        {"url": "http://a.test/9", "digest": f"sha256:{other}", "status": "404"},
        {"url": "http://a.test/none"},
    ]
    rows = [b"test,a)/ 20260101000000 " + orjson.dumps(capture) for capture in captures]
    cdxj = shelf.home / "captures.cdxj"
    cdxj.write_bytes(b"\n".join([b"!meta {}", *rows, b""]))
    assert "digests, 1 page" in shelf.index("add", shelf.both, cdxj)
    [found] = shelf.duplicates([text(8), text(9)], "--against", shelf.both)
    assert found["verdict"] == "exact-payload"
    assert found["duplicate_of"]["url"] == "http://a.test/8"
    assert found["duplicate_of"]["compared_by"] == "digest"
    cdxj.write_bytes(b"test,a)/ 20260101000000 {\n")
    assert "captures.cdxj:1: no line of CDXJ" in shelf.refused("index", "add", shelf.both, cdxj)


def test_look_ups_find_each_page_and_no_other(shelf: Shelf) -> None:
    """By payload, by visible text and by row; the oldest of equal ones."""
    with IndexFile(shelf.both) as index:
        catalog = SegmentCatalog(index, index.segments[0])
        rows = list(catalog.index_rows())
        for row in rows:
            ref = catalog.ref(row.id)
            assert catalog.by_payload(row.payload) == ref
            assert catalog.by_visible(row.visible_digest, 1) == [ref]
        assert catalog.by_payload(PayloadKey(rows[0].payload.digest, "text/html")) is None
        assert catalog.by_visible(bytes(32), 1) == []
        assert isinstance(catalog.ref(3), StoredRef)
        for beyond in (0, 4):
            with pytest.raises(KeyError):
                catalog.ref(beyond)
        del catalog


def test_no_key_of_a_crawl_is_in_an_index(shelf: Shelf) -> None:
    """Who has the file can forge nothing: neither the key nor a mark that it made is there."""
    from crawler.storage.view import StoreView

    index = shelf.home / "shingles.index"
    shelf.index("build", shelf.one, "--output", index, "--shingles")
    with StoreView.read(shelf.one) as view, IndexFile(index) as opened:
        assert view.key not in index.read_bytes()
        assert SegmentCatalog(opened, opened.segments[0]).shingles(1).marks is None


def test_estimates_stay_between_bounds() -> None:
    """Of the same set 1, of unlike ones about 0, and never more than the sizes allow."""
    rng = np.random.default_rng(1)
    hashes = np.unique(rng.integers(0, 2**32, 900, dtype=np.uint32))
    one, part, other = hashes[::2].copy(), hashes[:300], hashes[1::2].copy()
    assert estimated(kernels.make_sketch(one), kernels.make_sketch(one)) == 1.0
    assert estimated(kernels.make_sketch(one), kernels.make_sketch(other)) < 0.15
    assert estimated(kernels.make_sketch(hashes), kernels.make_sketch(part)) <= 300 / len(hashes)


def test_another_crawl_of_the_same_name_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`one` of another place does not replace `one`; the same one, begun at one time, does."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    shelf, other = Shelf(here, capsys), Shelf(there, capsys)
    index = tmp_path / "named.index"
    monkeypatch.chdir(here)
    shelf.index("build", "one", "--output", index)
    before = index.read_bytes()
    shelf.index("add", index, "one")
    assert index.read_bytes() == before
    monkeypatch.chdir(there)
    assert "has another crawl as one" in other.refused("index", "add", index, "one")
    assert index.read_bytes() == before
