"""Revisits: read with the body that they refer to, where that was read before."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path
from typing import Any

import pytest
from support import output
from support.analysing import no_processes
from support.archives import HTML, Archive, Fields
from support.crawling import command

SAME = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
PAGE = b"<p>" + b"some words of a page " * 20


def digest(body: bytes) -> str:
    """Return the digest of a payload as archives have it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def revisit(
    archive: Archive,
    url: str,
    of: bytes,
    profile: str = SAME,
    status: str | None = "200 OK",
    fields: Fields = HTML,
) -> None:
    """Add a revisit of a payload; without a status it has no block."""
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *map(": ".join, fields), ""))
    said = {"WARC-Profile": profile, "WARC-Payload-Digest": digest(of), "WARC-Truncated": "length"}
    said["Content-Type"] = "application/http; msgtype=response"
    archive.plain("revisit", url, said, head.encode() if status else b"")


def read(place: Path, capsys: pytest.CaptureFixture[str], *data: bytes) -> tuple[Path, str]:
    """Read archives with these bytes, in their order; return the output and what was said."""
    files = [place / f"{number}.warc.gz" for number in range(len(data))]
    for file, content in zip(files, data, strict=True):
        file.write_bytes(content)
    with no_processes():
        code, _, said = command(capsys, "read", *files, "--output", place / "out")
    assert code == 0, said
    return place / "out", said


def ends(directory: Path) -> dict[str, Any]:
    """Return how each URL ended: the file of its line, and its class."""
    classes = {"duplicates": "verdict", "redirects": "target", "skipped": "reason"}
    classes |= {"pages": "verdict", "failures": "failure"}
    return {
        line["url"].rpartition("/")[2]: (name, line[of])
        for name, of in classes.items()
        for line in output.lines(directory, name)
    }


def test_a_revisit_ends_as_its_body_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy, from another file too; its own fields hold; redirects and errors need no body."""
    first, second, robots = Archive(), Archive(), (("X-Robots-Tag", "noindex"), *HTML)
    first.response("http://a.test/1", PAGE)
    for number, archive in ((2, first), (3, second)):
        revisit(archive, f"http://a.test/{number}", PAGE)
    revisit(second, "http://a.test/4", PAGE, status=None)
    revisit(second, "http://a.test/5", PAGE, fields=robots)
    revisit(second, "http://a.test/6", b"", status="301 Moved", fields=(("Location", "/1"),))
    revisit(second, "http://a.test/7", b"", status="404 Not Found")
    revisit(second, "http://a.test/8", PAGE, NOT_MODIFIED, status="304 Not Modified")
    out, said = read(tmp_path, capsys, first.data, second.data)
    assert ends(out) == {
        "1": ("pages", "new"),
        **dict.fromkeys("234", ("duplicates", "exact-payload")),
        "5": ("skipped", "noindex"),
        "6": ("redirects", "http://a.test/1"),
        "7": ("failures", "http-4xx"),
        "8": ("skipped", "unchanged"),
    }
    assert "Passed over" not in said
    assert {line["duplicate_of"]["id"] for line in output.lines(out, "duplicates")} == {1}
    assert command(capsys, "check", out)[0] == 0


def test_a_revisit_without_its_body_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that was read before has it: neither an end nor a page, but a word."""
    archive = Archive()
    archive.response("http://a.test/1", b"<p>" + b"other words of a page " * 20)
    revisit(archive, "http://a.test/2", PAGE)
    revisit(archive, "http://a.test/3", PAGE, NOT_MODIFIED, status="304 Not Modified")
    revisit(archive, "http://a.test/4", PAGE, "http://a.test/profile")
    archive.response("http://a.test/5", PAGE)  # too late: what is read depends on nothing behind it
    out, said = read(tmp_path, capsys, archive.data)
    assert ends(out) == {"1": ("pages", "new"), "5": ("pages", "new")}
    assert "Passed over: 1 revisit, 2 revisit without its original" in said
    assert f"offset {archive.offsets[1]}: http://a.test/2: no record before has the body" in said


def test_bodies_are_decoded_as_they_were_archived(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A revisit of a body in chunks is that body, whatever its own fields say of coding."""
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    archive = Archive()
    archive.response("http://a.test/1", chunks, (*HTML, ("Transfer-Encoding", "chunked")))
    revisit(archive, "http://a.test/2", chunks, fields=(*HTML, ("Content-Encoding", "gzip")))
    out, _ = read(tmp_path, capsys, archive.data)
    assert ends(out) == {"1": ("pages", "new"), "2": ("duplicates", "exact-payload")}


def test_a_body_that_cannot_be_found_again_is_not_taken_for_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a file that is compressed as a whole, all records lie at one place."""
    archive = Archive(gzip=False)
    archive.response("http://a.test/1", b"<p>" + b"other words of a page " * 20)
    archive.response("http://a.test/2", PAGE)
    revisit(archive, "http://a.test/3", PAGE)
    out, said = read(tmp_path, capsys, gzip.compress(archive.data))
    assert ends(out) == {"1": ("pages", "new"), "2": ("pages", "new")}
    assert "1 revisit without its original" in said
