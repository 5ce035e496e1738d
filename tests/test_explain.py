"""`python -m crawler explain`: the evidence on two documents, for people and for machines."""

from __future__ import annotations

import html.parser
import json
import re
from pathlib import Path
from typing import Any

import pytest
from crawling import QUICK, crawl, demo_web, job_data, lines
from hypothesis import given
from hypothesis import strategies as st

from crawler.cli import main
from crawler.explain.difference import Change, Piece, difference, passages

ENGLISH = " ".join(
    f"Sentence {n} speaks of matter {n * 7} and of place {n * 3}." for n in range(40)
)
CHINESE = "".join(f"第{n}句话说明了编号{n * 7}的事情，还有地点{n * 3}。" for n in range(60))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl a small demo web once."""
    output = tmp_path_factory.mktemp("crawl")
    with demo_web(12) as (web, _):
        assert crawl(job_data(web, output, QUICK)) == 0
    return output


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
    _, out, _ = explain(capsys, near["url"], original, "--output", demo)
    assert f"near duplicate of the other (distance {near['distance']}" in " ".join(out.split())


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
        ((there, there, "--output", tmp_path), "holds no crawl"),
        ((there, there, "--html", tmp_path / "no/such/x.html"), "cannot write the page"),
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
