"""A crawl with archives: every reader takes them, and they say what the lines say."""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections import Counter
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from support.analysing import no_processes
from support.archived import Found, read_archives
from support.crawling import QUICK, crawl, demo_web, job_data
from support.output import lines

from crawler.check import check_directory
from crawler.storage import Store

WARC = {"storage": {"warc": True, "warc_bytes": 100_000}}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of the demo web with archives."""
    directory = tmp_path_factory.mktemp("archived") / "out"
    with demo_web(articles=8) as (web, _), no_processes():
        assert crawl(job_data(web, directory, QUICK, WARC)) == 0
    return directory


@pytest.fixture(scope="module")
def records(output: Path) -> dict[tuple[str, int], Found]:
    """Its records by file and offset, read by warcio with digests verified."""
    return {(found.file, found.offset): found for found in read_archives(output)}


def test_each_line_names_its_exchange(output: Path, records: dict[tuple[str, int], Found]) -> None:
    """Lines of every kind lead to their record; the body there has the digest of the line."""
    kinds: Counter[tuple[str, str]] = Counter()
    for name in ("pages", "duplicates", "redirects", "failures"):
        for line in lines(output, name):
            if "warc_filename" not in line:
                assert name == "failures"
                assert line["status"] is None
                continue
            found = records[line["warc_filename"], line["warc_offset"]]
            kinds[name, found.kind] += 1
            if name == "redirects":
                assert int(found.http.get("Content-Length", 0)) >= 0
            elif "payload_digest" in line and found.kind == "response":
                digest = hashlib.sha256(found.body).digest()
                named = base64.b32encode(digest).decode().rstrip("=")
                assert line["payload_digest"] == f"sha256:{named}"
    assert all(
        kinds[kind]
        for kind in (
            *(("pages", "response"), ("duplicates", "revisit"), ("duplicates", "response")),
            *(("redirects", "response"), ("failures", "response")),
        )
    )
    exact = [line for line in lines(output, "duplicates") if line["verdict"] == "exact-payload"]
    assert kinds["duplicates", "revisit"] == len(exact)
    assert not any(line["warc_filename"] for line in lines(output, "skipped"))


def test_revisits_refer_to_responses_of_the_same_payload(
    records: dict[tuple[str, int], Found],
) -> None:
    """URL and date that a revisit names are those of a response with its digest."""
    by_place = {
        (found.fields["WARC-Target-URI"], found.fields["WARC-Date"]): found.fields
        for found in records.values()
        if found.kind == "response"
    }
    revisits = [found.fields for found in records.values() if found.kind == "revisit"]
    assert revisits
    for fields in revisits:
        of = by_place[fields["WARC-Refers-To-Target-URI"], fields["WARC-Refers-To-Date"]]
        assert of["WARC-Payload-Digest"] == fields["WARC-Payload-Digest"]


def test_fastwarc_verifies_every_digest(output: Path) -> None:
    """The reader of Common Crawl's users agrees on blocks and payloads."""
    count = 0
    for path in (output / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False):
                assert record.verify_block_digest()
                record.parse_http()
                count += 1
                if record.headers["WARC-Type"] == "response":
                    assert record.verify_payload_digest()
    assert count > 200


def test_check_finds_what_is_damaged(output: Path, tmp_path: Path) -> None:
    """A sound directory is found sound; a changed byte, a torn file and a moved record are told."""
    assert check_directory(output).problems == []
    copy = Path(shutil.copytree(output, tmp_path / "copy"))
    first, second, third, *_ = sorted((copy / "warc").glob("*.warc.gz"))
    data = bytearray(first.read_bytes())
    data[len(data) // 2] ^= 1
    first.write_bytes(data)
    second.write_bytes(second.read_bytes()[:-20])
    with (copy / "pages.jsonl").open("r+b") as file:
        line = file.readline()
        file.seek(line.index(b'"warc_offset":') + len(b'"warc_offset":'))
        file.write(b"9")
    third.unlink()
    findings = check_directory(copy)
    told = {problem.file: problem.what for problem in findings.problems}
    assert told["pages.jsonl"] == "its exchange is not where the line says"
    assert "the last 20 of" in told[f"warc/{second.name}"] or "torn" in told[f"warc/{second.name}"]
    assert f"warc/{first.name}" in told
    assert f"warc/{third.name}" in told


def test_a_resumed_crawl_begins_a_file_of_its_own(output: Path, tmp_path: Path) -> None:
    """What has ended stays as it is, so that it can be copied away."""
    copy = Path(shutil.copytree(output, tmp_path / "copy"))
    before = {path.name: path.read_bytes() for path in (copy / "warc").iterdir()}
    store = Store.open(copy)
    store.close()
    assert {path.name: path.read_bytes() for path in (copy / "warc").iterdir()} == before
