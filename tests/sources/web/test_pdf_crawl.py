"""A crawl that reads PDFs: each ends as a page, or as a failure with its own name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.archives import Archive
from support.crawling import command, loopback_job
from support.output import lines as lines_of
from support.pdfs import Drawn, encrypted, inflating, lines, pdf
from support.servers import response, serve
from support.sites import crawled, ends

from crawler.engine import schema

pytest.importorskip("pypdfium2")

PDF = "application/pdf"
TEXT = tuple(
    f"The keeper of lighthouse {n} wrote down which ships he had seen pass in the night, and sent"
    f" it to harbour {n * 7}."
    for n in range(12)
)
MANUAL = pdf(
    [*lines("Of lights", "In print", top=750, size=20), *lines(*TEXT, size=8)], language="en"
)
HTML = "<title>Of lights</title><h1>Of lights</h1>" + "".join(f"<p>{one}</p>" for one in TEXT)
OTHER = pdf(lines(*(line.replace("keeper", "owner") for line in TEXT[::-1]), size=8))
FILES = {
    "/manual.pdf": MANUAL,
    "/links.pdf": pdf([Drawn("Where the text of lights is to be read", 700, link="/found.html")]),
    "/scanned.pdf": pdf([], []),
    "/locked.pdf": encrypted(OTHER),
    "/torn.pdf": b"%PDF-1.7\n" + OTHER[1000:1300],
}


def routes() -> dict[str, bytes]:
    """Return a site that leads to all of them."""
    anchors = "".join(f"<a href={path}>{path}</a> " for path in FILES)
    start = f"<title>Start</title><p>All that is to be read here, one after another.</p>{anchors}"
    return {
        "/": response(start.encode()),
        "/manual.html": response(HTML.encode()),
        "/found.html": response(b"<p>Nothing but a link in a PDF leads to this page.</p>"),
        **{path: response(data, content_type=PDF) for path, data in FILES.items()},
        "/untyped": response(OTHER, content_type=None),
    }


@pytest.mark.usefixtures("no_analysis_processes")
async def test_every_pdf_ends_as_what_it_is(tmp_path: Path) -> None:
    """Text, links and copies as of any page; one without text, locked and torn ones by name."""
    async with serve(routes()) as site:
        seeds = [f"{site.url}{path}" for path in ("/manual.html", "/", "/untyped")]
        job = loopback_job(tmp_path, seeds, extract={"pdf": True, "outlinks": True})
        await crawled(job)
        asked = next(one for one in site.requests if one.path == "/manual.pdf")
    found = ends(tmp_path)
    assert "application/pdf" in asked.headers["accept"]
    copied = found["/manual.pdf"]
    assert (copied["file"], copied["verdict"], copied["evidence"]) == (
        "duplicates",
        "near",
        "rendition",
    )
    assert copied["duplicate_of"]["url"].endswith("/manual.html")
    linking = found["/links.pdf"]
    assert (linking["content_type"], linking["read_by"], linking["layout"]) == (PDF, "pdf", None)
    assert linking["counts"]["pages"] == 1
    assert [url.rpartition("/")[2] for url in linking["outlinks"]] == ["found.html"]
    assert found["/found.html"]["file"] == "pages"
    assert "pages" not in found["/found.html"]["counts"]
    scanned = found["/scanned.pdf"]
    assert (scanned["verdict"], scanned["reason"], scanned["text"]) == ("unjudged", "no-text", "")
    assert found["/untyped"]["content_type"] == PDF
    assert found["/locked.pdf"]["failure"] == "pdf-encrypted"
    assert found["/torn.pdf"]["failure"] == "pdf-broken"
    for name in ("pages", "duplicates", "failures"):
        for line in lines_of(tmp_path, name):
            jsonschema.validate(line, schema(name))


@pytest.mark.usefixtures("no_analysis_processes")
async def test_without_the_key_they_are_left_out(tmp_path: Path) -> None:
    """As before: by their type, which is not asked for."""
    async with serve(routes()) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/manual.pdf", f"{site.url}/untyped"]))
        assert all(PDF not in one.headers["accept"] for one in site.requests)
    found = ends(tmp_path, "skipped")
    assert {line["reason"] for line in found.values()} == {"content-type"}
    assert len(found) == 2


@pytest.mark.processes
async def test_a_bomb_costs_its_own_page_alone(tmp_path: Path) -> None:
    """A page that is drawn by a thousand times its bytes: a process ends, not the crawl."""
    bombs = {"/0.pdf": response(inflating(900), content_type=PDF)}
    limits: dict[str, Any] = {"processes": 1, "memory_bytes": 600_000_000}
    async with serve({**routes(), **bombs}) as site:
        seeds = [f"{site.url}{path}" for path in ("/0.pdf", "/manual.pdf")]
        await crawled(loopback_job(tmp_path, seeds, extract={"pdf": True}, analysis=limits))
    found = ends(tmp_path)
    assert found["/0.pdf"]["failure"] in ("analysis-crash", "analysis-timeout")
    assert found["/manual.pdf"]["file"] == "pages"


@pytest.mark.usefixtures("no_analysis_processes")
def test_archives_hold_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`read` reads those of an archive; `report` and `inspect` tell of them."""
    archive = Archive()
    archive.response("http://a.test/manual.pdf", MANUAL, [("Content-Type", PDF)])
    (tmp_path / "one.warc.gz").write_bytes(archive.data)
    out = tmp_path / "out"
    assert command(capsys, "read", tmp_path / "one.warc.gz", "--output", out, "--pdf")[0] == 0
    [line] = lines_of(out, "pages")
    assert line["title"] == "Of lights In print"
    assert TEXT[3] in line["text"]
    assert command(capsys, "report", out)[0] == 0


def test_files_are_explained_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A PDF beside a page, or alone (`extract`); a torn one is told in one line."""
    (tmp_path / "a.pdf").write_bytes(MANUAL)
    (tmp_path / "a.html").write_text(HTML)
    (tmp_path / "torn.pdf").write_bytes(FILES["/torn.pdf"])
    code, said, _ = command(capsys, "explain", tmp_path / "a.pdf", tmp_path / "a.html")
    assert code == 0
    assert "(rendition)" in said
    code, said, _ = command(capsys, "extract", tmp_path / "a.pdf")
    assert code == 0
    assert TEXT[5] in said
    code, _, error = command(capsys, "explain", tmp_path / "torn.pdf", tmp_path / "a.html")
    assert (code, error.count("\n")) == (2, 1)
    assert "torn.pdf: it is damaged, or no PDF" in error
