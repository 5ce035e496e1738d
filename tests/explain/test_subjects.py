"""What `explain` compares: pages of a crawl, documents of a corpus, and files, with their texts."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from support.analysing import no_processes
from support.crawling import QUICK, crawl, demo_web, job_data
from support.explaining import CHINESE, ENGLISH, data, explain, files
from support.output import lines

from crawler.cli import main

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Crawl a small demo web once, and go on serving it."""
    output = tmp_path_factory.mktemp("crawl")
    with demo_web(12) as (web, _):
        with no_processes():
            assert crawl(job_data(web, output, QUICK)) == 0
        yield output


def test_pages_of_a_crawl_are_explained(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two stored pages are compared by their texts and by the crawl's settings."""
    first, second = [p["url"] for p in lines(demo, "pages") if p["verdict"] == "new"][:2]
    found = data(capsys, first, second, "--output", demo)
    assert found["comparison"]["verdict"] == "new"
    assert found["a"]["line"]["url"] == first


def test_a_dropped_near_duplicate_is_told_from_its_line(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a text what the crawl recorded is shown, with both fingerprints."""
    near = next(d for d in lines(demo, "duplicates") if d["verdict"] == "near")
    original = near["duplicate_of"]["url"]
    found = data(capsys, near["url"], original, "--output", demo)
    assert found["comparison"] is None
    assert found["a"]["text"] is None
    assert found["fingerprints"]["distance"] == near["distance"]
    [recorded] = found["recorded"]
    assert recorded["concerns_both"]
    assert recorded["similarity"] == near["similarity"]
    assert recorded["kind"] == near["kind"]
    assert found["layouts"]["similarity"] == near["layout_similarity"]
    _, out, _ = explain(capsys, near["url"], original, "--output", demo)
    told = " ".join(out.split())
    assert f"near duplicate of the other (distance {near['distance']}" in told
    assert f"kind {near['kind']}, content {near['content_similarity']:.4f}" in told
    assert f"Layout similarity {near['layout_similarity']:.4f}, estimated:" in told
    assert "to compare --fetch fetches the page again" in told


def test_a_saved_page_can_stand_for_a_dropped_one(
    demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file beside a URL without a text: its fingerprint is made, the other's is in its line."""
    near = next(d for d in lines(demo, "duplicates") if d["verdict"] == "near")
    saved = tmp_path / "saved.html"
    saved.write_text(f"<p>{ENGLISH}")
    found = data(capsys, saved, near["url"], "--output", demo)
    assert found["fingerprints"]["b"] == near["fingerprint"]
    assert found["comparison"] is None


def test_a_dropped_page_can_be_fetched_again(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --fetch texts are compared, and the numbers are those that the crawl recorded."""
    near = next(
        d
        for d in lines(demo, "duplicates")
        if d["verdict"] == "near" and d["content_similarity"] < 1
    )
    pair = near["duplicate_of"]["url"], near["url"]
    before = {path: path.read_bytes() for path in demo.glob("*.jsonl")}
    found = data(capsys, *pair, "--output", demo, "--fetch")
    assert found["b"]["judged_text"].startswith("fetched again, the text that was judged; ")
    comparison = found["comparison"]
    assert comparison["similarity"] == near["similarity"]
    assert (comparison["verdict"], comparison["kind"]) == ("near", near["kind"])
    assert any(piece["change"] != "equal" for piece in comparison["difference"])
    assert {path: path.read_bytes() for path in demo.glob("*.jsonl")} == before


class Shelf(BaseHTTPRequestHandler):
    """Serves what lies in `pages`, path by path, and writes down what was asked for."""

    pages: ClassVar[dict[str, str]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """See BaseHTTPRequestHandler."""
        self.asked.append(self.path)
        body = self.pages.get(self.path, "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/plain" if "robots" in self.path else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def shelf() -> Iterator[str]:
    """Serve two near duplicates and a page that links them; yield the address."""
    Shelf.asked.clear()
    Shelf.pages = {
        "/": "<a href=/one>one</a> <a href=/two>two</a>",
        "/one": f"<p>{ENGLISH}",
        "/two": f"<link rel=canonical href=/one><p>{ENGLISH.replace('Sentence 7', 'Phrase 7')}",
    }
    with ThreadingHTTPServer(("127.0.0.1", 0), Shelf) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_what_is_fetched_again_may_be_another_page_by_now(
    shelf: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed page is compared and said to be changed; gone or forbidden is one clear error."""
    job = {"seeds": [shelf], "output": str(tmp_path / "out"), "politeness": {"delay_s": 0.0}}
    assert crawl(job) == 0
    urls = f"{shelf}/one", f"{shelf}/two"
    [dropped] = [d["url"] for d in lines(tmp_path / "out", "duplicates")]
    flags = *urls, "--output", tmp_path / "out", "--fetch"
    path = dropped.removeprefix(shelf)
    Shelf.asked.clear()
    Shelf.pages[path] = f"<p>{ENGLISH} Another end."
    found = data(capsys, *flags)
    side = "a" if dropped == urls[0] else "b"
    assert found[side]["judged_text"].startswith("fetched again, its text has changed since")
    assert found[side]["text"].endswith("Another end.")
    assert Shelf.asked == ["/robots.txt", path], "robots.txt first, and nothing but the page"
    del Shelf.pages[path]
    code, _, error = explain(capsys, *flags)
    assert (code, f"{dropped} has no text: http-4xx (HTTP status 404" in error) == (2, True), error
    Shelf.asked.clear()
    Shelf.pages["/robots.txt"] = f"User-agent: *\nDisallow: {path}"
    code, _, error = explain(capsys, *flags)
    assert (code, f"{dropped} has no text: robots (disallowed" in error) == (2, True), error
    assert Shelf.asked == ["/robots.txt"]


def test_an_exact_duplicate_has_its_originals_text(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Same bytes, same text: it need not have been kept twice."""
    exact = next(d for d in lines(demo, "duplicates") if d["verdict"] == "exact-payload")
    found = data(capsys, exact["duplicate_of"]["url"], exact["url"], "--output", demo)
    assert found["comparison"]["rule"] == "the bytes are the same"
    assert found["a"]["text"] == found["b"]["text"]


def test_what_is_no_page_is_said(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown URLs get near ones suggested; redirects and failures say what they are."""
    page = lines(demo, "pages")[3]["url"]
    code, _, error = explain(capsys, page + "x", page, "--output", demo)
    assert code == 2
    assert f"{page}x was never seen by the crawl in {demo}; did you mean\n" in error
    assert page in error.splitlines()[1:][0] or page in error
    redirect, failure = lines(demo, "redirects")[0], lines(demo, "failures")[0]
    assert "redirects to" in explain(capsys, redirect["url"], page, "--output", demo)[2]
    assert failure["failure"] in explain(capsys, page, failure["url"], "--output", demo)[2]


def test_mistakes_are_one_line(
    tmp_path: Path, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing files, URLs without a directory, directories without a crawl."""
    there, _ = files(tmp_path, "a", "b")
    wrong: list[tuple[tuple[object, ...], str]] = [
        ((there, "gone.txt"), "gone.txt: there is no such file"),
        ((there, "http://a.example/"), "add --output DIR"),
        ((there, tmp_path), "Is a directory"),
        ((there, ""), "the name of a document is empty"),
        ((there, "gone.txt", "--output", demo), "gone.txt was never seen by the crawl in"),
        ((there, "gone.txt", "--output", demo), "and there is no such file"),
        ((there, there, "--output", tmp_path), "holds no crawl"),
        ((there, there, "--html", tmp_path / "no/such/x.html"), "cannot write the page"),
        ((there, "http://a.example/", "--fetch"), "--fetch fetches pages of a crawl: add its"),
    ]
    for arguments, complaint in wrong:
        code, _, error = explain(capsys, *arguments)
        assert (code, complaint in error) == (2, True), error
        assert "Traceback" not in error


def test_documents_of_a_dedup_run_are_found_by_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's ids name documents as well as their URLs do."""
    corpus = tmp_path / "c.jsonl"
    records = [{"id": "one", "text": ENGLISH}, {"id": 2, "text": CHINESE}]
    corpus.write_text("\n".join(map(json.dumps, records)))
    flags = ["--output", str(tmp_path / "out"), "--processes", "1"]
    assert main(["dedup", str(corpus), *flags]) == 0
    capsys.readouterr()
    found = data(capsys, "one", "2", "--output", tmp_path / "out")
    assert found["b"]["text"] == CHINESE


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Path]:
    """Judge a small corpus with a near duplicate; return it and the output."""
    texts = [ENGLISH, CHINESE, ENGLISH.replace("Sentence 7", "Phrase 7")]
    corpus = tmp_path / "c.jsonl.gz"
    records = [json.dumps({"id": n // 2, "text": text}) for n, text in enumerate(texts)]
    corpus.write_bytes(gzip.compress("\n".join(records).encode()))
    output = ["--output", str(tmp_path / "out")]
    assert main(["dedup", str(corpus), *output, "--processes", "1"]) == 0
    return corpus, tmp_path / "out"


def test_a_dropped_document_is_read_again_where_it_lies(
    judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A corpus still has what a run of dedup dropped, so its text is compared."""
    _, out = judged
    capsys.readouterr()
    [near] = lines(out, "duplicates")
    found = data(capsys, near["duplicate_of"]["url"], "1", "--output", out)
    assert (
        found["b"]["judged_text"]
        == "dropped; its text was read again from its source: the whole text"
    )
    assert found["b"]["text"] == ENGLISH.replace("Sentence 7", "Phrase 7")
    assert found["comparison"]["similarity"] == near["similarity"]
    assert found["comparison"]["similarity"] < 1
    assert found["comparison"]["kind"] == near["kind"]


def test_a_corpus_that_has_changed_is_told_from_its_lines(
    judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Another text there, fewer lines or no file: each is said, and no text is shown."""
    corpus, out = judged
    [near] = lines(out, "duplicates")
    texts = [json.dumps({"id": n, "text": "x " * n}) for n in range(3)]
    changes: list[tuple[str | None, str]] = [
        ("\n".join(texts), f"{corpus}:3: the text there has changed"),
        (texts[0], f"{corpus}:3: this line no longer exists"),
        (None, f"{corpus}:3: cannot be read: No such file"),
    ]
    for content, why in changes:
        if content is None:
            corpus.unlink()
        else:
            corpus.write_text(content)
        capsys.readouterr()
        found = data(capsys, near["duplicate_of"]["url"], near["url"], "--output", out)
        assert why in found["b"]["judged_text"]
        assert (found["b"]["text"], found["comparison"]) == (None, None)
        assert found["fingerprints"]["distance"] == near["distance"]


def test_an_id_of_several_documents_is_not_guessed_at(
    judged: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Who gives an id that is not unique is shown the URLs that are."""
    corpus, out = judged
    code, _, error = explain(capsys, "0", "1", "--output", out)
    assert code == 2
    assert "0 is the id of 2 documents; give a URL, such as\n" in error
    assert f"{corpus.as_uri()}#line=2&id=0" in error


def test_an_original_of_an_earlier_run_is_found(
    judged: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a run was judged against can be explained from the run's own directory."""
    copy = tmp_path / "copy.jsonl"
    copy.write_text(json.dumps({"text": CHINESE}))
    flags = ["--against", str(judged[1]), "--output", str(tmp_path / "later")]
    assert main(["dedup", str(copy), *flags, "--processes", "1"]) == 0
    capsys.readouterr()
    [exact] = lines(tmp_path / "later", "duplicates")
    pair = exact["duplicate_of"]["url"], exact["url"]
    found = data(capsys, *pair, "--output", tmp_path / "later")
    assert found["a"]["text"] == found["b"]["text"] == CHINESE
