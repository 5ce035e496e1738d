"""`read` and `reread`: whole archives, beside a crawl of the same pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import output
from support.analysing import no_processes
from support.archives import Archive
from support.asking import ask
from support.crawling import AS_USERS_READ, FEWER, command, crawl, demo_web, job_data

from crawler.cli.commands.read import opened
from crawler.config import parse_job
from crawler.models import EXACT_PAYLOAD, PageOutcome
from crawler.observe.summary import Tally
from crawler.sources import records
from crawler.sources.archives import ReadRun
from crawler.sources.event_loop import run_work
from crawler.sources.records import expand, fingerprint_of


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Yield a crawl of the demo web that asks for one page at a time, and an archive of it."""
    directory = tmp_path_factory.mktemp("crawled")
    archive = Archive()
    with no_processes(), demo_web(2) as (web, _):
        slowly = {"fetch": {"workers": 1}, "storage": {"warc": True}}
        crawl(job_data(web, directory / "crawl", FEWER, AS_USERS_READ, slowly))
        ended = [
            line
            for name in ("pages", "duplicates")
            for line in output.lines(directory / "crawl", name)
        ]
        for line in sorted(ended, key=lambda line: line["fetched_at"]):
            answer = ask(web, line["url"].replace(f":{web.port}", ""))
            archive.response(line["url"], answer.body, tuple(answer.headers.items()))
            archive.record("request", line["url"], b"GET / HTTP/1.1\r\n\r\n")
        file = directory / "demo.warc.gz"
        file.write_bytes(archive.data)
        yield directory / "crawl", file


def beginning(of: Path, pages: int, to: Path) -> Path:
    """Write an archive that ends where another one's record of the next page begins."""
    found = records.read(expand([str(of)])[0], 10**7)
    starts = [item.offset for item in found if isinstance(item, records.Record)]
    to.write_bytes(of.read_bytes()[: starts[pages]])
    return to


def read(file: Path, to: Path, window: int = 64, killed_after: int = 0, **changes: Any) -> ReadRun:
    """Read an archive in this process; die after so many ends, if that is given."""
    job = parse_job({"output": str(to), "analysis": {"processes": 1}, **changes}, "test")
    files = expand([str(file)])
    store = opened(job, fingerprint_of(files))
    run = ReadRun(job, files, store, window=window)
    if killed_after:
        run.tally = Killing(killed_after, run)
    with no_processes():
        run_work(lambda: run, store, lambda line: None)
    return run


class Killing(Tally):
    """Drops a run after some ends."""

    def __init__(self, after: int, run: ReadRun) -> None:
        super().__init__({})
        self._after = after
        self._run = run

    def add(self, batch: PageOutcome) -> None:
        """See Tally."""
        super().add(batch)
        self._after -= 1
        if not self._after:
            self._run.cancel()


def told(directory: Path, name: str, *fields: str) -> list[tuple[Any, ...]]:
    """Return these fields of the lines of a kind, in their order."""
    return [tuple(line.get(field) for field in fields) for line in output.lines(directory, name)]


def test_an_archive_is_read_as_its_pages_were_crawled(
    crawled: tuple[Path, Path], tmp_path: Path
) -> None:
    """The same pages in the same order have the verdicts, texts and templates of the crawl."""
    crawl_output, file = crawled
    run = read(file, tmp_path / "read", window=1)
    fields: tuple[str, ...]
    fields = ("url", "verdict", "text", "fingerprint", "payload_digest", "judged_on", "template")
    assert told(tmp_path / "read", "pages", *fields) == told(crawl_output, "pages", *fields)
    fields = ("url", "verdict", "duplicate_of", "similarity", "kind")
    assert told(tmp_path / "read", "duplicates", *fields) == told(
        crawl_output, "duplicates", *fields
    )
    assert len(output.lines(tmp_path / "read", "duplicates")) > 5
    assert run.passed == {"request": run.tally.pages}


def test_a_line_says_where_its_record_lies(crawled: tuple[Path, Path], tmp_path: Path) -> None:
    """File name and offset of each line lead to the record of its URL; its id is told, too."""
    file = beginning(crawled[1], 30, tmp_path / "demo.warc.gz")
    read(file, tmp_path / "read")
    at = {item.offset: item for item in records.read(expand([str(file)])[0], 10**7)}
    lines = output.lines(tmp_path / "read", "pages")
    assert lines
    for line in lines:
        found = at[line["warc_offset"]]
        assert isinstance(found, records.Record)
        assert (found.url, file.name) == (line["url"], line["warc_filename"])
        assert line["warc_record_id"] == found.id != ""


def test_a_run_that_was_killed_goes_on_where_it_was(
    crawled: tuple[Path, Path], tmp_path: Path
) -> None:
    """Without templates the files are the same, byte for byte, wherever a run was killed.

    Those of the crawl's own archives, in which copies are revisits.
    """
    [own] = crawled[0].glob("**/*.warc.gz")
    file = beginning(own, 60, tmp_path / "own.warc.gz")
    plain: dict[str, Any] = {"extract": {"learn": False}}
    read(file, tmp_path / "whole", **plain)
    for ends in (1, 17):
        with pytest.raises(asyncio.CancelledError):
            read(file, tmp_path / "killed", killed_after=ends, **plain)
    read(file, tmp_path / "killed", **plain)
    for name in ("pages", "duplicates", "redirects", "failures", "skipped"):
        whole, killed = (tmp_path / run / f"{name}.jsonl" for run in ("whole", "killed"))
        assert whole.read_bytes() == killed.read_bytes()
    assert (EXACT_PAYLOAD,) in told(tmp_path / "whole", "duplicates", "verdict")


def test_everything_has_an_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each record that can hold a page has a line, all others are counted, damage is named."""
    archive = Archive()
    archive.response("http://a.test/1", b"<p>" + b"some words of a page " * 20)
    archive.response("http://a.test/2", b"", (("Location", "/1"),), "301 Moved")
    archive.response("http://a.test/3", b"not here", status="404 Not Found")
    archive.response("http://a.test/4", b"x", (("Content-Type", "image/png"),))
    archive.response("http://a.test/5", b"<meta name=robots content=noindex><p>" + b"words " * 40)
    archive.response("http://a.test/6", b"<p>half", warc=[("WARC-Truncated", "length")])
    archive.record("conversion", "http://a.test/7", "Wörter eines Textes. ".encode() * 20)
    archive.record("response", "dns:a.test", b"20260101000000\n")
    archive.record("metadata", "http://a.test/1", b"x")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.warc.wet.gz").write_bytes(archive.data + b"torn")
    out = tmp_path / "out"
    with no_processes():
        code, _, said = command(capsys, "read", tmp_path / "in", "--output", out)
    assert code == 0, said
    assert told(out, "pages", "url", "content_type") == [
        ("http://a.test/1", "text/html"),
        ("http://a.test/7", "text/plain"),
    ]
    assert "Wörter" in output.lines(out, "pages")[1]["text"]
    assert told(out, "redirects", "url", "target", "offered") == [
        ("http://a.test/2", "http://a.test/1", "not-asked")
    ]
    assert told(out, "failures", "failure") == [("http-4xx",), ("truncated-body",)]
    assert told(out, "skipped", "reason") == [("content-type",), ("noindex",)]
    assert "Passed over: 1 damaged, 1 metadata, 1 not of the web" in said
    assert f"offset {archive.offsets[-1]}: damaged" in said
    assert "100 %" not in said


def test_pages_in_other_languages_are_left_out(tmp_path: Path) -> None:
    """As in a crawl, and agents of single hosts are named in pages as they are in a crawl."""
    archive = Archive()
    for name, head in (("1", "<html lang=de>"), ("2", "<html lang=en>"), ("3", "")):
        words = " ".join(f"w{name}x{n}" for n in range(80))
        archive.response(f"http://a.test/{name}", f"{head}<p>{words}".encode())
    archive.response("http://a.test/4", b"<meta name=partnerbot content=noindex><p>" + b"x " * 40)
    (tmp_path / "a.warc.gz").write_bytes(archive.data)
    out, block = tmp_path / "out", {"a.test": {"robots_agent": "PartnerBot"}}
    read(tmp_path / "a.warc.gz", out, scope={"languages": ["en"]}, hosts=block)
    stored = [url for (url,) in told(out, "pages", "url")]
    assert stored == ["http://a.test/2", "http://a.test/3"]
    assert told(out, "skipped", "reason") == [("language",), ("noindex",)]


def test_a_file_that_is_no_archive_brings_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told, and the command ends as a crawl does that fetched nothing."""
    (tmp_path / "b.warc.gz").write_bytes(bytes(range(256)) * 12)
    with no_processes():
        code, _, said = command(
            capsys, "read", tmp_path / "b.warc.gz", "--output", tmp_path / "out"
        )
    assert code == 1
    assert "No record of a page was found" in said


def test_what_cannot_be_read_is_one_line(
    crawled: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing files, directories without archives and foreign outputs end with code 2."""
    crawl_output, file = crawled
    (tmp_path / "empty").mkdir()
    for arguments, why in (
        ((tmp_path / "none.warc", "--output", tmp_path / "out"), "no such file"),
        ((tmp_path / "empty", "--output", tmp_path / "out"), "no archives in this directory"),
        ((file, file, "--output", tmp_path / "out"), "given twice"),
        ((file, "--output", file.parent), "lies in the output directory"),
        ((file, "--output", crawl_output), "holds another run"),
    ):
        code, _, said = command(capsys, "read", *arguments)
        assert (code, why in said, len(said.splitlines())) == (2, True, 1), said


def test_reread_takes_the_job_of_the_crawl(
    crawled: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The crawl's own settings hold but for what is given; its directory is not written to.

    What comes of its own archives has all of its pages, and is sound.
    """
    crawl_output, _ = crawled
    before = (crawl_output / "pages.jsonl").read_bytes()
    new = tmp_path / "new"
    with no_processes():
        code, _, said = command(capsys, "reread", crawl_output, "--output", new, "--near", "keep")
    assert code == 0, said
    assert "near" not in {line["verdict"] for line in output.lines(new, "duplicates")}
    assert (crawl_output / "pages.jsonl").read_bytes() == before
    urls = {line["url"] for line in output.lines(new, "pages")}
    assert urls >= {line["final_url"] for line in output.lines(crawl_output, "pages")}
    copies = [
        {line["url"] for line in output.lines(of, "duplicates") if line["verdict"] == EXACT_PAYLOAD}
        for of in (new, crawl_output)
    ]
    assert copies[0] >= copies[1] != set()  # their records are revisits
    assert command(capsys, "check", new)[0] == 0


def test_archives_may_be_moved_and_are_known_by_any_name(
    crawled: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run goes on where the files lie elsewhere by now; one file is no second one by a link."""
    (tmp_path / "in" / "folder.warc.gz").mkdir(parents=True)  # a directory is no archive
    place = beginning(crawled[1], 30, tmp_path / "in" / "folder.warc.gz" / "a.warc.gz")
    with pytest.raises(asyncio.CancelledError):
        read(tmp_path / "in", tmp_path / "out", killed_after=3)
    (tmp_path / "in").rename(tmp_path / "moved")
    with no_processes():
        code, _, said = command(capsys, "read", tmp_path / "moved", "--output", tmp_path / "out")
    last = [line for line in said.splitlines() if " documents " in line][-1]  # slow runs tell more
    assert (code, "100 %" in last) == (0, False), said
    place = tmp_path / "moved" / "folder.warc.gz" / place.name
    (tmp_path / "link.warc.gz").symlink_to(place)
    again = tmp_path / "link.warc.gz", "--output", tmp_path / "new"
    code, _, said = command(capsys, "read", place, *again)
    assert (code, "given twice" in said) == (2, True)
