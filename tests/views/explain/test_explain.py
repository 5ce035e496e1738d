"""`python -m crawler explain`: the evidence on two documents, for people and for machines."""

from __future__ import annotations

import gzip
import html.parser
import re
from pathlib import Path

import pytest
from support.explaining import CHINESE, ENGLISH, data, explain, files

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_two_files_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule comes first, then documents, their differences, and all numbers last."""
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("Sentence 7 speaks", "Sentence 7 whispers"))
    code, out, _ = explain(capsys, *pair)
    assert code == 0
    assert out.startswith(
        "sibling, stored: words or numbers in the text of one are not on the other"
    )
    parts = [str(pair[0]), str(pair[1]), "Differences:", "exact similarity", "Fingerprints"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert re.search(r"distance \d+ of 64; equal 16-bit blocks:", out)
    assert re.search(r"exact +similarity 0\.9\d+ +yes", out)
    assert "i-match          needs a lexicon" in out
    assert "Sentence 7 [-speaks-]{+whispers+} of matter 49" in out
    assert "of matter 49 and of place 21." in out, "with little around it"
    assert "Sentence 12" not in out


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
    "no copy, and too short to be told as a sibling: 43 words": (ENGLISH[:300], ENGLISH[:290]),
    "is below dedup.threshold 0.8": (ENGLISH, ENGLISH.replace("matter", "x").replace("of", "y")),
    "texts of different kinds (word3 and char4)": (ENGLISH, CHINESE),
}


@pytest.mark.parametrize("rule", VERDICTS)
def test_the_rule_that_decides_is_named(
    tmp_path: Path, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each way to a verdict says which rule led there."""
    assert rule in data(capsys, *files(tmp_path, *VERDICTS[rule]))["comparison"]["rule"]


def test_without_evidence_resemblance_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a job asks for no evidence, the threshold is the rule, and that is said."""
    job = tmp_path / "job.yaml"
    job.write_text("dedup: {siblings: ignore}")
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("Sentence 7", "Phrase 7"))
    _, out, _ = explain(capsys, *pair, "--config", job)
    assert re.match(
        r"near duplicate, dropped: similarity 0\.\d+ reaches dedup\.threshold 0\.8", out
    )
    assert "Judged by the texts alone: no evidence of a copy is asked for" in out


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
    changed = "Sentence 7", evil.replace("\x1b", "")
    found = page.changes["del"], page.changes["ins"]
    assert [text.count(part) for text, part in zip(found, changed, strict=True)] == [2, 2]
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    parts = ["<h1>sibling, stored:", str(pair[0]), "Differences:", "exact similarity", "Every meth"]
    assert [source.index(part) for part in parts] == sorted(map(source.index, parts))
    assert "@media (max-width: 700px)" in source
    assert "\x1b" not in source
    assert "default-src 'none'" in source


def test_control_characters_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a page holds is left out or shown as an escape, in texts, features and names alike."""
    pair = files(tmp_path, ENGLISH, ENGLISH.replace("place 9", "place\x1b]0;owned\x07\u202e 9"))
    _, out, _ = explain(capsys, *pair)
    assert r"]0;owned\u202e" in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", out)
