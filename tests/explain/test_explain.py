"""`python -m crawler explain`: the evidence on two documents, for people and for machines."""

from __future__ import annotations

import gzip
import html.parser
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analysing import no_processes
from support.crawling import QUICK, crawl, demo_web, job_data
from support.output import lines

from crawler.cli import main
from crawler.explain.difference import Change, Piece, difference, passages

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

ENGLISH = " ".join(
    f"Sentence {n} speaks of matter {n * 7} and of place {n * 3}." for n in range(40)
)
CHINESE = "".join(f"第{n}句话说明了编号{n * 7}的事情，还有地点{n * 3}。" for n in range(60))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Crawl a small demo web once, and go on serving it."""
    output = tmp_path_factory.mktemp("crawl")
    with demo_web(12) as (web, _):
        with no_processes():
            assert crawl(job_data(web, output, QUICK)) == 0
        yield output


def explain(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command in this process; return exit code, stdout, stderr."""
    code = main(["explain", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def data(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """Return what --json prints."""
    code, out, err = explain(capsys, *arguments, "--json")
    assert code == 0, err
    read: dict[str, Any] = json.loads(out)
    return read


def files(tmp_path: Path, first: str, second: str, suffix: str = "txt") -> tuple[Path, Path]:
    """Write two documents."""
    paths = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path, text in zip(paths, (first, second), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_two_files_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The terminal shows verdict, rule, fingerprints, every method, features and differences."""
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("Sentence 7 speaks", "Sentence 7 whispers"))
    code, out, _ = explain(capsys, *pair)
    assert code == 0
    assert re.search(r"verdict +near: similarity 0\.\d+ reaches dedup\.threshold 0\.8", out)
    assert re.search(r"distance \d+ of 64; equal 16-bit blocks:", out)
    assert re.search(r"exact +similarity 0\.9\d+ +yes", out)
    assert "i-match          needs a lexicon" in out
    assert "Sentence 7 [-speaks-]{+whispers+} of matter 49" in out
    assert re.search(r"… [\d,]+ characters the same …", out)


def test_numbers_agree_with_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Distance, blocks, similarity and features in the JSON follow from the two texts."""
    pair = files(tmp_path, CHINESE, CHINESE.replace("第3句话", "那第三句话"))
    found = data(capsys, *pair)
    first, second = (int(found["fingerprints"][side], 16) for side in "ab")
    assert found["fingerprints"]["distance"] == (first ^ second).bit_count()
    comparison = found["comparison"]
    shared, (ours, theirs) = comparison["shared_shingles"], comparison["shingles"]
    assert comparison["similarity"] == pytest.approx(shared / (ours + theirs - shared))
    assert comparison["sketch_estimate"] == pytest.approx(comparison["similarity"], abs=0.1)
    assert comparison["shingle_kinds"] == ["char4", "char4"]
    weights = [min(feature["a"], feature["b"]) for feature in comparison["shared_features"]]
    assert weights == sorted(weights, reverse=True)
    exact = next(m for m in comparison["methods"] if m["method"] == "exact")
    assert exact["value"] == comparison["similarity"]
    changed = [p for p in comparison["difference"] if p["change"] != "equal"]
    assert {"change": "added", "text": "那"} in changed, "Chinese is compared by characters"


VERDICTS = {
    "the bytes are the same": (ENGLISH, ENGLISH),
    "the text is the same": (ENGLISH, ENGLISH.replace(". ", ".  ")),
    "too little text to judge: 2 words": ("two words", "two birds"),
    "too short for near duplicates to be looked for": (ENGLISH[:300], ENGLISH[:290]),
    "is below dedup.threshold 0.8": (ENGLISH, ENGLISH.replace("matter", "x").replace("of", "y")),
    "texts of different kinds (word3 and char4)": (ENGLISH, CHINESE),
}


@pytest.mark.parametrize("rule", VERDICTS)
def test_the_rule_that_decides_is_named(
    tmp_path: Path, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each way to a verdict says which rule led there."""
    assert rule in data(capsys, *files(tmp_path, *VERDICTS[rule]))["comparison"]["rule"]


def test_settings_come_from_the_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--config judges by another threshold."""
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("Sentence 7", "Phrase 7"))
    job = tmp_path / "job.yaml"
    job.write_text("dedup: {threshold: 0.999}")
    found = data(capsys, *pair, "--config", job)
    assert found["comparison"]["verdict"] == "new"
    assert "below dedup.threshold 0.999" in found["comparison"]["rule"]


def test_what_two_texts_both_lack_is_not_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Texts without a word of the lexicon have no I-Match hash in common, wordless ones nothing."""
    lexicon = tmp_path / "lexicon.tsv"
    lexicon.write_text("# document frequencies, documents: 100\nabsent\t10\n", encoding="utf-8")
    job = tmp_path / "job.yaml"
    job.write_text(f"dedup: {{lexicon: {lexicon}}}")
    found = data(capsys, *files(tmp_path, ENGLISH, CHINESE), "--config", job)
    wordless = data(capsys, *files(tmp_path, "…", "!"), "--config", job)
    values = {m["method"]: m["value"] for m in found["comparison"]["methods"]}
    assert values["i-match"] == values["i-match-random"] == 0
    values = {m["method"]: m["value"] for m in wordless["comparison"]["methods"]}
    assert values["i-match"] == values["super-shingles"] == 0


def test_compressed_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A saved page may be compressed: it is read as `dedup` reads it."""
    plain, packed = tmp_path / "a.html", tmp_path / "b.html.gz"
    plain.write_text(f"<p>{ENGLISH}")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    found = data(capsys, plain, packed)
    assert found["comparison"]["rule"] == "the bytes are the same"
    assert found["layouts"]["similarity"] == 1.0
    assert found["comparison"]["kind"] == "same-content-same-layout"


def test_html_files_are_read_as_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of HTML the main or visible text is compared, and which of them is said."""
    page = "<html><body><nav>Menu</nav><article><p>" + ENGLISH.replace(". ", ".</p><p>")
    found = data(capsys, *files(tmp_path, page, page, "html"))
    assert "Menu" not in found["a"]["text"]
    assert found["a"]["judged_text"].startswith("main text:")


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
    assert "way out --fetch fetches it again" in told


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
        "/two": f"<p>{ENGLISH.replace('Sentence 7', 'Phrase 7')}",
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
    assert found["b"]["judged_text"] == "dropped; read again where it lies: the text as it stands"
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
        ("\n".join(texts), f"{corpus}:3: another text stands there now"),
        (texts[0], f"{corpus}:3: no such line any more"),
        (None, f"{corpus}: No such file"),
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


class Page(html.parser.HTMLParser):
    """The tags of a page, and the text inside each kind of change."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.changes: dict[str, str] = {"del": "", "ins": ""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        if self.open and self.open[-1] in self.changes:
            self.changes[self.open[-1]] += data


def test_the_page_is_self_contained_and_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both texts stand in it with their changes marked, and nothing of them is markup."""
    evil = '<script>alert(1)</script><img src="http://evil.example/">\x1b[31m'
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("Sentence 7 ", f"{evil} "))
    out = tmp_path / "page.html"
    assert explain(capsys, *pair, "--html", out)[0] == 0
    source = out.read_text(encoding="utf-8")
    page = Page()
    page.feed(source)
    assert page.changes["del"].strip() == "Sentence 7"
    assert page.changes["ins"].strip() == evil.replace("\x1b", r"\x1b")
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert "\x1b" not in source
    assert "default-src 'none'" in source


def test_control_characters_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a page holds is shown as an escape, in texts, features and names alike."""
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("place 9", "place\x1b]0;owned\x07\u202e 9"))
    _, out, _ = explain(capsys, *pair)
    assert r"\x1b]0;owned\x07\u202e" in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", out)


TEXTS = st.lists(st.sampled_from(["word ", "other. ", "字", "句。", "\n", "x"]), max_size=30).map(
    "".join
)


@given(TEXTS, TEXTS)
def test_a_difference_holds_both_texts(first: str, second: str) -> None:
    """Without what was added the first text is left, without what was removed the second."""
    pieces = difference(first, second)
    assert "".join(p.text for p in pieces if p.change is not Change.ADDED) == first
    assert "".join(p.text for p in pieces if p.change is not Change.REMOVED) == second
    if first == second:
        assert all(piece.change is Change.EQUAL for piece in pieces)


@given(TEXTS, TEXTS)
def test_passages_leave_out_agreement_only(first: str, second: str) -> None:
    """What is elided is part of both texts, and no change is lost."""
    pieces = difference(first, second)
    shown = passages(pieces, context=3)
    assert "".join(piece.text for piece in shown) == "".join(piece.text for piece in pieces)
    changed = [Change.REMOVED, Change.ADDED]
    assert [p for p in shown if p.change in changed] == [p for p in pieces if p.change in changed]


def test_long_texts_are_compared_in_reasonable_time() -> None:
    """Texts that differ in everything are not aligned word by word."""
    first, second = ("x " * 40_000).replace("x", "甲"), ("y " * 40_000).replace("y", "乙")
    assert [piece.change for piece in difference(first, second)] == [Change.REMOVED, Change.ADDED]
    assert difference("", "") == []
    assert difference("", "a") == [Piece(Change.ADDED, "a")]
