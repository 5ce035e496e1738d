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
from support.crawling import QUICK, crawl, demo_web, job_data, loopback_job
from support.output import lines, summary_of
from support.revisiting import DAY_S, Clock, again, first
from support.servers import serve

from crawler.storage.directory import LINE_FILES
from crawler.storage.store import Store
from crawler.views.check import check_directory

WARC = {"storage": {"warc": True, "warc_bytes": 100_000}}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of the demo web with archives."""
    directory = tmp_path_factory.mktemp("archived") / "out"
    with demo_web(articles=2) as (web, _), no_processes():
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
            assert line["warc_record_id"] == found.fields["WARC-Record-ID"]
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
    data[-30] ^= 1  # within what is compressed: of a member's header not all is checked
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


ODD = (b"a\xff\xed\xa0\x80b", b"\xc2\x9b\xe2\x80\xae\xe2\x80\xa8", b'"\\"')
"""What servers send beside ASCII: no UTF-8, what a terminal obeys, what JSON must escape."""
DEEP = b'{"@type":"Article","a":' + b"[" * 400 + b"]" * 400 + b"}"


def oddly(odd: bytes) -> dict[str, bytes]:
    """Return a site that has such bytes wherever it says something, path -> answer."""

    def answer(body: bytes, status: bytes = b"200", *fields: bytes) -> bytes:
        named = [b"%s: %s" % (name, odd) for name in (b"ETag", b"X-Odd", b"Link", b"Set-Cookie")]
        named += [*fields, b"Content-Length: %d" % len(body)]
        return b"\r\n".join([b"HTTP/1.1 " + status + b" " + odd, *named, b"", body])

    html, as_html = b"text/html; charset=" + odd, b"Content-Type: text/html"
    words = b" ".join(b"word%d" % n for n in range(200))
    paths = ("same", "near", "moved", "gone", "refresh", "type", "noindex", "feed", "cut", "kept")
    links = b" ".join(b'<a href="/%s">%s</a>' % (path.encode(), odd) for path in paths)

    def page(text: bytes) -> bytes:
        return (
            b"<html lang='%s'><title>%s &#xD800;</title><meta name=author content='%s'>"
            b"<meta name=description content='%s'><link rel=alternate hreflang=de href='/%s'>"
            b"<script type='application/ld+json'>%s</script><main><p>%s %s</p></main>%s"
        ) % (odd, odd, odd, odd, odd, DEEP, text, odd, links)

    unknown = b"Content-Encoding: " + odd
    return {
        "/": answer(page(words), b"200", b"Content-Type: " + html, unknown),
        "/same": answer(page(words), b"200", b"Content-Type: " + html, unknown),
        "/near": answer(page(words + b" more"), b"200", as_html, unknown),
        "/kept": answer(page(words[:900]), b"200", as_html, b"Last-Modified: " + odd),
        "/moved": answer(b"", b"302", b"Location: /to?" + odd),
        "/gone": answer(odd, b"404", as_html),
        "/refresh": answer(b"<p>on", b"200", as_html, b"Refresh: 0; url=/at/" + odd),
        "/type": answer(b"x", b"200", b"Content-Type: " + odd),
        "/noindex": answer(page(words), b"200", as_html, b"X-Robots-Tag: noindex, " + odd),
        "/feed": answer(b"<urlset><url><loc>/%s" % odd, b"200", b"Content-Type: text/xml"),
        "/cut": answer(page(words), b"200", as_html, b"Transfer-Encoding: " + odd),
        "/robots.txt": answer(b"User-agent: %s\nSitemap: /%s\n" % (odd, odd), b"200"),
    }


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("near", ["response", "metadata"])
@pytest.mark.usefixtures("no_analysis_processes")
async def test_whatever_a_server_says_is_written_and_read_back(
    tmp_path: Path, odd: bytes, near: str
) -> None:
    """Bytes that no encoding knows, in every field of an exchange: no URL is pending or our error.

    Lines, state, dropped pages and archives are sound; so they are when all is visited again.
    """
    told = ["etag", "x-odd", "link", "last-modified"]
    extract = {"markdown": True, "metadata": True, "outlinks": True, "headers": told}
    sections = {"extract": extract, "storage": {"warc": True, "warc_near": near}}
    async with serve(oddly(odd)) as site:
        job = loopback_job(tmp_path / "out", [f"{site.url}/"], **sections)
        job |= {"fetch": {"retries": 0}}
        clock = Clock()
        out = await first(job, clock)
        clock.now += DAY_S
        visited = await again(job, out, clock)
    for output in (out, visited):
        assert not check_directory(output, every_page=True).problems
        assert list(read_archives(output))
        assert summary_of(output)["pending"] == 0
        assert "internal-error" not in summary_of(output)["failures"]
    ended = {kind for kind in LINE_FILES if lines(out, kind)}
    assert ended == set(LINE_FILES)
