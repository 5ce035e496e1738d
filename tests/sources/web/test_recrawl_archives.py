"""A recrawl archives what it exchanged, and refers to what earlier archives have of a page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from support.analysing import no_processes
from support.archived import Found, read_archives
from support.output import lines
from support.revisiting import DAY_S, Clock, Web, again, first, job_for, page, sound
from support.servers import serve

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
WARC = {"storage": {"warc": True}}
PATHS = ("same", "plain-same", "nonce", "edited")


def records(output: Path) -> dict[str, Found]:
    """Return what is archived of each path, as warcio reads it with digests verified."""
    return {
        "/" + found.fields["WARC-Target-URI"].split("/", 3)[3]: found
        for found in read_archives(output)
        if found.kind in ("response", "revisit")
    }


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A crawl and two recrawls of it, all with archives; some pages change before the first."""
    with no_processes():
        return asyncio.run(_visited(tmp_path_factory.mktemp("visited")))


async def _visited(place: Path) -> list[Path]:
    web, clock = Web(), Clock()
    web.pages["/"] = page("home", *(f"/{name}" for name in PATHS))
    web.pages |= {f"/{name}": page(name, words=240) for name in PATHS}
    async with serve(web) as site:
        data = job_for(site, place) | WARC
        directories = [await first(data, clock)]
        web.pages["/nonce"] = page("nonce", words=240, script="var nonce = 7")
        web.pages["/edited"] = web.pages["/edited"].replace(b"edited3x4 ", b"amended ")
        for _ in range(2):
            clock.now += DAY_S
            directories.append(await again(data, directories[-1], clock))
    return directories


def refers_to(revisit: Found, original: Found) -> bool:
    """Whether a revisit names a record in each way that it can."""
    return all(
        revisit.fields[name] == original.fields[of]
        for name, of in (
            ("WARC-Refers-To-Target-URI", "WARC-Target-URI"),
            ("WARC-Refers-To-Date", "WARC-Date"),
            ("WARC-Payload-Digest", "WARC-Payload-Digest"),
        )
    )


def test_what_has_not_changed_is_a_revisit_of_what_was_archived(visited: list[Path]) -> None:
    """A 304 with what it said, the same bytes without them; what has changed is there whole."""
    before, now, _ = map(records, visited)
    not_modified, unchanged = now["/same"], now["/plain-same"]
    assert not_modified.fields["WARC-Profile"] == f"{PROFILES}server-not-modified"
    assert not_modified.http["ETag"] == before["/same"].http["ETag"]
    assert unchanged.fields["WARC-Profile"] == f"{PROFILES}identical-payload-digest"
    assert unchanged.fields["WARC-Truncated"] == "length"
    for path in ("/", "/same", "/plain-same"):
        assert (now[path].kind, now[path].body) == ("revisit", b"")
        assert refers_to(now[path], before[path])
    for path in ("/nonce", "/edited"):
        assert now[path].kind == "response"
        assert now[path].body != before[path].body


def test_a_revisit_of_a_revisit_refers_to_the_bytes(visited: list[Path]) -> None:
    """However often a page is found as it was: to the record that has its body."""
    before, once, twice = map(records, visited)
    assert {found.kind for found in twice.values()} == {"revisit"}
    for path in ("/", "/same", "/plain-same"):
        assert refers_to(twice[path], before[path])
    for path in ("/nonce", "/edited"):
        assert refers_to(twice[path], once[path])


def test_lines_and_index_name_the_record(visited: list[Path]) -> None:
    """A line in skipped.jsonl leads to its record, and `check` finds both where they should be."""
    for directory in visited[1:]:
        found = {(record.file, record.offset): record for record in read_archives(directory)}
        told = [line for line in lines(directory, "skipped") if line["reason"] == "unchanged"]
        assert told
        for line in told:
            record = found[line["warc_filename"], line["warc_offset"]]
            assert record.fields["WARC-Target-URI"] == line["url"]
        [index] = (directory / "warc").glob("*.cdxj")
        same = next(line for line in index.read_text().splitlines() if "/same" in line)
        assert '"mime":"warc/revisit","status":"304","digest":"sha1:' in same
        assert sound(directory)


def test_fastwarc_reads_revisits(visited: list[Path]) -> None:
    """The reader of Common Crawl's users agrees on every block, and finds the 304."""
    statuses = []
    for path in (visited[1] / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False):
                assert record.verify_block_digest()
                if record.headers["WARC-Type"] == "revisit":
                    record.parse_http()
                    statuses.append(str(record.http_headers.status_code))
    assert sorted(statuses) == ["200", "304", "304"]


@pytest.mark.parametrize("moved", [False, True])
async def test_where_no_archive_is_known_only_the_304_is_a_revisit(
    tmp_path: Path, moved: bool
) -> None:
    """Bytes that no archive has are kept; of a 304 there are none. Archives may be elsewhere."""
    web, clock = Web(), Clock()
    web.pages["/"] = page("home", "/plain-same")
    web.pages["/plain-same"] = page("same", words=240)
    async with serve(web) as site:
        data = job_for(site, tmp_path)
        directory = await first(data, clock)
        clock.now += DAY_S
        directory = await again(data | WARC, directory, clock)
        if moved:
            (directory / "warc").rename(tmp_path / "moved")
        clock.now += DAY_S
        last = await again(data | WARC, directory, clock)
    if not moved:
        once = records(directory)
        assert once["/plain-same"].kind == "response"
        assert once["/"].fields["WARC-Refers-To-Target-URI"] == f"{site.url}/"
        assert not {"WARC-Refers-To-Date", "WARC-Payload-Digest"} & once["/"].fields.keys()
        assert '"digest":"-"' in next((directory / "warc").glob("*.cdxj")).read_text()
        assert refers_to(records(last)["/plain-same"], once["/plain-same"])
    assert records(last)["/"].kind == "revisit"
    assert sound(last)
