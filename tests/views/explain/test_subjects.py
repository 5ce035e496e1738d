"""What `explain` compares: pages of a crawl, documents of a corpus, and files, with their texts."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import AS_USERS_READ, QUICK, crawl, demo_web, job_data
from support.explaining import CHINESE, ENGLISH, data, explain, files
from support.output import lines

from crawler.cli import main
from crawler.dedup.copies import unpack
from crawler.dedup.signing import format_digest, text_digest
from crawler.storage.dropped import Kept
from crawler.storage.view import StoreView
from crawler.views.explain.subjects import choice_of

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Crawl a small demo web once, and go on serving it."""
    output = tmp_path_factory.mktemp("crawl")
    with demo_web(2) as (web, _):
        with no_processes():
            assert crawl(job_data(web, output, QUICK, AS_USERS_READ)) == 0
        yield output


def test_pages_of_a_crawl_are_explained(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two stored pages are compared by their texts and by the crawl's settings."""
    first, second = [p["url"] for p in lines(demo, "pages") if p["verdict"] == "new"][:2]
    found = data(capsys, first, second, "--output", demo)
    assert found["comparison"]["verdict"] == "new"
    assert found["a"]["line"]["url"] == first


def near_of(demo: Path) -> dict[str, Any]:
    """Return the line of a dropped near duplicate that is not the same word by word."""
    return next(
        d
        for d in lines(demo, "duplicates")
        if d["verdict"] == "near" and d["content_similarity"] < 1
    )


def test_a_dropped_near_duplicate_has_its_text(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was kept as a difference, so the texts are compared, and nothing has to be fetched."""
    near = near_of(demo)
    original = near["duplicate_of"]["url"]
    found = data(capsys, near["url"], original, "--output", demo)
    assert found["a"]["judged_text"].startswith("dropped; its text was kept as a difference: main")
    assert found["a"]["title"]
    comparison = found["comparison"]
    assert comparison["similarity"] == near["similarity"]
    assert any(piece["change"] != "equal" for piece in comparison["difference"])
    [recorded] = found["recorded"]
    assert recorded["concerns_both"]
    assert recorded["kind"] == near["kind"]
    assert found["layouts"]["similarity"] == near["layout_similarity"]
    code, out, err = explain(capsys, near["url"], original, "--output", demo, "--fetch")
    assert (code, "Nothing is fetched: the texts of both are kept" in err) == (0, True)
    told = " ".join(out.split())
    assert "The crawl recorded this of A." in told
    assert f"({near['evidence']}), dropped: distance {near['distance']}" in told
    assert f"kind {near['kind']}, content {near['content_similarity']:.4f}" in told


def test_a_saved_page_is_judged_as_one_of_the_same_host(
    demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing tells where a file is from; that is said, and a directory's name is no address."""
    page = next(p for p in lines(demo, "pages") if p["counts"]["tokens"] > 100)
    saved = tmp_path / "index.html"
    body = page["text"].replace("\n", "<p>")
    saved.write_text(f"<title>Another</title><body><article><p>{body}", encoding="utf-8")
    found = data(capsys, page["id"], saved, "--output", demo)
    assert found["comparison"]["evidence"] == "other-title"
    assert any("it is judged as another page of the same host" in note for note in found["notes"])


def test_an_exact_duplicate_has_its_originals_text(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Same bytes, same text: it need not have been kept twice."""
    exact = next(d for d in lines(demo, "duplicates") if d["verdict"] == "exact-payload")
    found = data(capsys, exact["duplicate_of"]["url"], exact["url"], "--output", demo)
    assert found["comparison"]["rule"] == "the bytes are the same"
    assert found["a"]["text"] == found["b"]["text"]


def test_a_page_of_the_same_text_is_compared_by_all_that_it_shows(
    demo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept as a difference it has its own title and pictures; where it was not, that is said."""
    exact = next(d for d in lines(demo, "duplicates") if d["verdict"] == "exact-text")
    url, of = exact["url"], exact["duplicate_of"]["url"]
    original = next(page for page in lines(demo, "pages") if page["url"] == of)

    def keep(kept: Kept | None) -> None:
        monkeypatch.setattr(StoreView, "dropped", lambda view, url_id: kept)

    keep(None)
    found = data(capsys, url, of, "--output", demo)
    assert found["a"]["text"] == found["b"]["text"]
    assert found["a"]["judged_text"].endswith(f"it has the same text as {of}")
    assert {"title", "picture"} <= set(found["comparison"]["not_compared"]["a"])
    assert not found["comparison"]["nothing_differs"]
    with StoreView.read(demo) as view:
        packed = view.appearance(original["id"])
    assert packed is not None
    keep(Kept(original, replace(unpack(packed), title="Its own", apart=("pits-own.jpg",))))
    found = data(capsys, url, of, "--output", demo)
    assert found["a"]["judged_text"].startswith("dropped; its text was kept as a difference")
    places = [one["place"] for one in found["comparison"]["differences"]]
    assert places[0] == "title"
    assert "picture" in places


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


def test_a_page_is_named_by_its_id(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number is the `id` of a stored page; one that no page has is an error that says which."""
    pages = lines(demo, "pages")
    found = data(capsys, pages[4]["id"], pages[7]["id"], "--output", demo)
    assert [found[side]["name"] for side in "ab"] == [pages[4]["url"], pages[7]["url"]]
    for missing in ("0", str(len(pages) + 1), "9" * 17):
        code, _, error = explain(capsys, "1", missing, "--output", demo)
        assert code == 2
        assert f"{missing}: the crawl in {demo} has no page with this id" in error
        assert f"its pages have the ids 1 to {len(pages)}" in error


def test_mistakes_are_one_line(
    tmp_path: Path, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing files, URLs without a directory, directories without a crawl."""
    there, _ = files(tmp_path, "a", "b")
    wrong: list[tuple[tuple[object, ...], str]] = [
        ((there, "gone.txt"), "gone.txt: there is no such file"),
        ((there, "17"), "17: there is no such file; for a page of a crawl"),
        ((there, "http://a.example/"), "name that first"),
        ((there, tmp_path), "is a directory: name two documents of it after it"),
        ((there, ""), "the name of a document is empty"),
        ((there, "gone.txt", "--output", demo), "gone.txt was never seen by the crawl in"),
        ((there, "gone.txt", "--output", demo), "and there is no such file"),
        ((there, there, "--output", tmp_path), "holds no crawl"),
        ((tmp_path, there, there), "holds no crawl"),
        ((tmp_path, there, there, "--output", demo), "two directories"),
        ((there, there, "--html", tmp_path / "no/such/x.html"), "cannot write the page"),
        ((there, "http://a.example/", "--fetch"), "--fetch fetches pages of a crawl: name its"),
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
    code, _, error = explain(capsys, "one", "3", "--output", tmp_path / "out")
    assert (code, "no document of the run in" in error, "has the id 3" in error) == (2, True, True)


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


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"judged_on": "visible"}, "visible text"),
        ({"judged_on": "template", "read_by": "template", "template": 3}, "text (version 3)"),
        (
            {"judged_on": "visible", "read_by": "template", "template": 3, "text": "kept"},
            "; stored is another text, read by version 3 of its site's template",
        ),
        (
            {"judged_on": "main", "read_by": "trafilatura", "text": "kept"},
            "; stored is another text, read by trafilatura",
        ),
        ({"judged_on": "main", "content_type": "text/plain", "text": "kept"}, "the whole text"),
    ],
)
def test_it_is_said_which_text_was_judged_and_which_is_stored(
    fields: dict[str, Any], told: str
) -> None:
    """By their digests: lines of a program without templates say nothing of who read them."""
    digest = format_digest(text_digest(fields.pop("text", "judged")))
    content = {"content_type": "text/html", "text_digest": digest, **fields}
    choice = choice_of(content, "judged\n")
    assert told in choice
    assert ("stored is another text" in choice) is ("stored" in told)
