"""`python -m crawler dedup`: corpora judged as a crawl judges pages."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.corpora import CORPORA, parsed, records
from support.crawling import command
from support.documents import dedup, edited, mixed, outcome, text, write
from support.forking import Forked
from support.output import lines, summary_of
from support.paths import doc

from crawler.cli import main
from crawler.models import PageOutcome, UrlState
from crawler.observe.progress import Pace
from crawler.observe.summary import Tally
from crawler.views.report.figures import Texts

SPOKEN = (
    "The harbour was closed for a day after the storm, and nobody knew when it would open again.",
    "昨天下午，市政府宣布新的图书馆将于下个月正式对外开放，市民可以免费借阅各类图书。",
)

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_duplicates_carry_the_users_ids(tmp_path: Path) -> None:
    """Lines name documents and their originals by the ids of the input, of either type."""
    corpus = write(
        tmp_path / "corpus.jsonl",
        [
            {"id": 7, "text": text(1), "lang": "en"},
            {"id": "seven", "text": text(1)},
            {"id": "7", "text": edited(1)},
            {"id": 8, "text": text(2)},
            {"id": 9, "text": "too short"},
        ],
    )
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    pages, duplicates = (lines(tmp_path / "out", name) for name in ("pages", "duplicates"))
    assert [(page["id"], page["verdict"]) for page in pages] == [
        (7, "new"), (8, "new"), (9, "unjudged"),
    ]  # fmt: skip
    assert pages[0]["text"] == text(1)
    assert pages[0]["fields"] == {"lang": "en"}
    original = {
        "id": 7, "url": f"{corpus.as_uri()}#line=1&id=7", "source": str(corpus), "line": 1,
    }  # fmt: skip
    assert [(d["id"], d["line"], d["verdict"], d["duplicate_of"]) for d in duplicates] == [
        ("seven", 2, "exact-payload", original), ("7", 3, "near", original),
    ]  # fmt: skip
    assert duplicates[1]["similarity"] == pytest.approx(0.92, abs=0.01)
    assert duplicates[1]["cluster"] == 7
    summary = summary_of(tmp_path / "out")
    assert summary["identity_holds"]
    assert not summary["stopped"]


def test_repeated_ids_are_told_apart(tmp_path: Path) -> None:
    """Of documents with one id each duplicate names its own original, by source, line and URL."""
    files = [
        write(tmp_path / name, [{"id": "x", "text": text(seed)} for seed in seeds])
        for name, seeds in (("in/a.jsonl", (1, 2)), ("in/b.jsonl", (3,)), ("c.jsonl", (2, 3, 1)))
    ]
    out = tmp_path / "out"
    assert dedup(tmp_path / "in", files[2], "--output", out) == 0
    originals = [line["duplicate_of"] for line in lines(out, "duplicates")]
    assert [(of["id"], of["source"], of["line"]) for of in originals] == [
        ("x", str(tmp_path / "in"), line) for line in (2, 1, 1)
    ]
    urls = [f"{files[n].as_uri()}#line={line}&id=x" for n, line in ((0, 2), (1, 1), (0, 1))]
    assert [of["url"] for of in originals] == urls
    pages = {page["url"]: page for page in lines(out, "pages")}
    assert len(pages) == 3
    for of in originals:
        page = pages[of["url"]]
        assert (page["source"], page["line"]) == (of["source"], of["line"])
    again = write(tmp_path / "d.jsonl", [{"id": "x", "text": text(3)}])
    assert dedup(again, "--against", out, "--output", tmp_path / "again") == 0
    [later] = lines(tmp_path / "again", "duplicates")
    assert later["duplicate_of"] == originals[1] | {"against": str(out)}


def test_the_same_fields_are_not_lost_or_invented(tmp_path: Path) -> None:
    """Nothing in the lines pretends that a document was fetched."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}, {"text": text(1)}])
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    [page], [duplicate] = (lines(tmp_path / "out", name) for name in ("pages", "duplicates"))
    assert (page["id"], duplicate["id"]) == (1, 2), "without ids the line numbers are the ids"
    for line in (page, duplicate):
        assert not line.keys() & {"fetched_at", "status", "host", "final_url", "depth", "referrer"}


def test_other_field_names(tmp_path: Path) -> None:
    """--text-field and --id-field say where text and id are; a missing one is an error."""
    corpus = write(tmp_path / "c.jsonl", [{"key": "a", "body": text(1)}])
    flags = ("--text-field", "body", "--id-field", "key")
    assert dedup(corpus, *flags, "--output", tmp_path / "out") == 0
    assert lines(tmp_path / "out", "pages")[0]["id"] == "a"
    assert (
        dedup(corpus, "--text-field", "body", "--id-field", "id", "--output", tmp_path / "b") == 2
    )


def test_near_tag_keeps_and_reports(tmp_path: Path) -> None:
    """A tagged near duplicate has a line in both files."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}, {"text": edited(1)}])
    assert dedup(corpus, "--near", "tag", "--output", tmp_path / "out") == 0
    assert [page["verdict"] for page in lines(tmp_path / "out", "pages")] == ["new", "near"]
    assert len(lines(tmp_path / "out", "duplicates")) == 1


TELLING = [
    {"text": f"{text(1)}\nThe end", "title": "One", "url": "http://a.test/one?utm_source=x"},
    {"text": edited(1), "title": "Two"},
    {"text": text(1), "title": "One", "url": "http://a.test/one"},
    {"text": f"{text(1)} 2024-05-01", "title": "One"},
]
"""Documents that are all alike: one, another page, the first one without its last line, which says
where that lies, and the first one with a date in place of that line."""


def test_whatever_is_alike_is_a_near_duplicate(tmp_path: Path) -> None:
    """Unless siblings are asked for, neither titles nor addresses matter: a text is a text."""
    corpus = write(tmp_path / "c.jsonl", TELLING)
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    assert [page["id"] for page in lines(tmp_path / "out", "pages")] == [1]
    found = lines(tmp_path / "out", "duplicates")
    assert [(line["id"], line["verdict"], line["evidence"] is not None) for line in found] == [
        (n, "near", False) for n in (2, 3, 4)
    ]
    assert summary_of(tmp_path / "out")["evidence"] == {}


@pytest.mark.parametrize("mode", ["tag", "drop"])
def test_titles_and_addresses_tell_siblings(tmp_path: Path, mode: str) -> None:
    """Asked by flag or by job, another title makes a sibling and the same address a copy."""
    corpus, out = write(tmp_path / "c.jsonl", TELLING), tmp_path / "out"
    assert dedup(corpus, "--siblings", mode, "--output", out) == 0
    told = {
        line["id"]: (line["verdict"], line.get("evidence"))
        for name in ("pages", "duplicates")
        for line in lines(out, name)
    }
    assert told == {
        1: ("new", None),
        2: ("sibling", "other-title"),
        3: ("near", "canonical"),
        4: ("sibling", "other-text"),
    }
    assert [page["id"] for page in lines(out, "pages")] == ([1, 2, 4] if mode == "tag" else [1])
    counted = {"other-title": 1, "other-text": 1, "canonical": 1}
    assert summary_of(out)["evidence"] == counted
    job = tmp_path / "job.yaml"
    job.write_text(f"dedup: {{siblings: {mode}}}\n")
    assert dedup(corpus, "--config", job, "--output", tmp_path / "again") == 0
    assert outcome(tmp_path / "again") == outcome(out)


def test_siblings_are_told_alike_by_any_number_of_processes_and_runs(tmp_path: Path) -> None:
    """A sibling of an earlier run's document names that run, and is none if that kept nothing."""
    first = write(tmp_path / "1.jsonl", TELLING[:1])
    second = write(tmp_path / "2.jsonl", TELLING[1:])
    for mode in ("tag", "ignore"):
        assert dedup(first, "--siblings", mode, "--output", tmp_path / mode) == 0
    evidence = {}
    for mode in ("tag", "ignore"):
        out, against = tmp_path / f"after-{mode}", ("--against", tmp_path / mode)
        assert dedup(second, *against, "--siblings", "tag", "--output", out) == 0
        [sibling, *_] = lines(out, "pages")
        assert sibling["sibling_of"]["against"] == str(tmp_path / mode)
        evidence[mode] = sibling["evidence"]
    assert evidence == {"tag": "other-title", "ignore": "unknown"}


def test_threshold_and_method_decide(tmp_path: Path) -> None:
    """Above its similarity a pair is new; the textbook method verifies nothing."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}, {"text": edited(1)}])
    assert dedup(corpus, "--threshold", "0.95", "--output", tmp_path / "a") == 0
    assert len(lines(tmp_path / "a", "pages")) == 2
    assert dedup(corpus, "--method", "simhash", "--output", tmp_path / "b") == 0
    assert [d["similarity"] for d in lines(tmp_path / "b", "duplicates")] in ([], [None])


def test_documents_are_judged_against_earlier_runs(tmp_path: Path) -> None:
    """--against finds duplicates in one earlier run after another, then in the run itself."""
    first = write(
        tmp_path / "1.jsonl", [{"id": "a", "text": text(1)}, {"id": "b", "text": text(2)}]
    )
    second = write(tmp_path / "2.jsonl", [{"id": "c", "text": text(3)}])
    third = write(
        tmp_path / "3.jsonl",
        [{"id": n, "text": t} for n, t in enumerate(
            [text(4), edited(2), text(3), edited(4), text(1)]
        )],
    )  # fmt: skip
    out = [tmp_path / f"out{n}" for n in range(3)]
    assert dedup(first, "--output", out[0]) == 0
    assert dedup(second, "--output", out[1]) == 0
    before = outcome(out[0])
    flags = ("--against", out[0], "--against", out[1], "--output", out[2])
    assert dedup(third, *flags) == 0
    assert outcome(out[0]) == before, "an earlier run is read only"
    assert [page["id"] for page in lines(out[2], "pages")] == [0]
    assert [
        (d["id"], d["verdict"], d["duplicate_of"]["id"], d["duplicate_of"].get("against"))
        for d in lines(out[2], "duplicates")
    ] == [
        (1, "near", "b", str(out[0])),
        (2, "exact-payload", "c", str(out[1])),
        (3, "near", 0, None),
        (4, "exact-payload", "a", str(out[0])),
    ]
    assert dedup(third, *flags) == 0, "a finished run can be asked for again"
    assert len(lines(out[2], "pages")) == 1


def test_html_is_read_as_a_fetched_page_is(tmp_path: Path) -> None:
    """Navigation is not judged: two layouts of one article are near or exact duplicates."""
    paragraphs = "".join(f"<p>{text(n, 60)}.</p>" for n in range(5))
    for name, around in (("a", "<nav>Home News</nav>"), ("b/b", "<header>Other site</header>")):
        path = tmp_path / f"site/{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"<html><title>T{name}</title><body>{around}<article>{paragraphs}</article>"
        )
    (tmp_path / "site/c.txt").write_text(text(50))
    assert dedup(tmp_path / "site", "--output", tmp_path / "out") == 0
    pages = lines(tmp_path / "out", "pages")
    assert [(page["id"], page["title"]) for page in pages] == [("a.html", "Ta"), ("c.txt", None)]
    assert "Home News" not in pages[0]["text"]
    [duplicate] = lines(tmp_path / "out", "duplicates")
    assert (duplicate["id"], duplicate["line"]) == ("b/b.html", None)
    assert duplicate["duplicate_of"]["id"] == "a.html"


@pytest.mark.processes
def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    """With one process and with three, every line file is the same to the byte."""
    corpus = mixed(tmp_path / "c.jsonl")
    for processes in ("1", "3"):
        out = tmp_path / processes
        flags = ["--skip-bad", "--processes", processes, "--output", str(out)]
        assert main(["dedup", str(corpus), *flags]) == 0
    assert outcome(tmp_path / "1") == outcome(tmp_path / "3")
    assert len(lines(tmp_path / "1", "duplicates")) > 100


def test_standard_input_is_a_corpus(tmp_path: Path) -> None:
    """`-` reads compressed JSON lines from a pipe, once."""
    data = gzip.compress(write(tmp_path / "c", [{"text": text(1)}, {"text": text(1)}]).read_bytes())
    command = [sys.executable, "-m", "crawler", "dedup", "-", "--output", str(tmp_path / "out")]

    def run() -> tuple[int, bytes]:
        pipe = subprocess.PIPE
        with Forked(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
            _, err = process.communicate(data)
        return process.returncode, err

    first, again = run(), run()
    assert first[0] == 0, first[1]
    assert len(lines(tmp_path / "out", "duplicates")) == 1
    assert again[0] == 2
    assert b"cannot be read from its beginning again" in again[1]


def test_the_report_reads_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`report DIR` draws its tables from a run over a corpus too, a file a row."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}, {"text": text(1)}])
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "= the sum of the above" in shown
    assert "exact-payload" in shown
    for top in ("0", "-1"):
        assert main(["report", str(tmp_path / "out"), "--top", top]) == 2
        assert f"--top {top}: give a positive number" in capsys.readouterr().err


def test_a_copy_of_a_run_names_the_way_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run over a corpus is gone on with by the same command, not by `resume`; so is its copy."""
    corpus, copy = write(tmp_path / "c.jsonl", [{"text": text(1)}]), tmp_path / "copy"
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    assert main(["backup", str(tmp_path / "out"), str(copy)]) == 0
    assert f"the same dedup command, --output {copy}" in capsys.readouterr().out
    assert dedup(corpus, "--output", copy) == 0


def test_progress_tells_speed_and_time_left() -> None:
    """The rate is over the run, the time left by the bytes of the files since the first batch."""
    now = [0.0]
    said: list[str] = []
    tally = Tally({})
    pace = Pace(tally, 1000, 5.0, said.append, lambda: now[0])
    for at, read in ((2.0, 100), (6.0, 300), (10.0, 500)):
        now[0] = at
        tally.add(PageOutcome(1, UrlState.STORED))
        pace.add(10, 1_000_000, read)
    assert said == [
        "00:06  20 documents (3.3/s, 0.3 MB/s)  2 kept  0 duplicates  0 failed  0 skipped"
        "  30 %, 00:14 left"
    ]
    assert pace.line().endswith("0 skipped"), "the last line has nothing left to say"


@pytest.mark.corpora
def test_real_sets_are_judged_as_the_sets_say(tmp_path: Path) -> None:
    """On Chinese reprints at most one in a hundred verdicts is wrong, and one copy is missed."""
    path = CORPORA / "dedup/zh_news.jsonl.xz"
    assert dedup(path, "--output", tmp_path / "out") == 0
    pairs = parsed("dedup/zh_news.pairs")["pairs"]
    similar = {frozenset((a, b)) for a, b, similarity in pairs if similarity >= 0.8}
    duplicates = lines(tmp_path / "out", "duplicates")
    wrong = [d for d in duplicates if frozenset((d["id"], d["duplicate_of"]["id"])) not in similar]
    kept = {page["id"] for page in lines(tmp_path / "out", "pages")}
    missed = {max(pair) for pair in similar if pair <= kept}
    documents = sum(1 for _ in records("dedup/zh_news"))
    assert len(duplicates) + len(kept) == documents
    assert len(wrong) <= len(duplicates) / 100
    assert len(missed) <= len(duplicates) / 100


def test_docs_name_every_field(tmp_path: Path) -> None:
    """docs/dedup-command.md names each field of each line that a run writes."""
    page = doc("dedup-command")
    corpus = write(
        tmp_path / "c.jsonl",
        [{"text": text(1), "n": 1}, {"text": text(1)}, {"text": edited(1)}, {"text": "x"}, b"{"],
    )
    again = write(tmp_path / "d.jsonl", [{"text": text(1)}])
    assert dedup(corpus, "--skip-bad", "--output", tmp_path / "a") == 0
    assert dedup(again, "--against", tmp_path / "a", "--output", tmp_path / "b") == 0
    names = ("pages", "duplicates", "skipped")
    written = [line for out in "ab" for name in names for line in lines(tmp_path / out, name)]
    fields = {field for line in written for field in line}
    fields |= {field for line in written for field in line.get("duplicate_of") or ()}
    assert {"source", "line", "against"} <= fields
    assert len(written) == 6
    assert {field for field in fields if f"`{field}`" not in page} == set()


@pytest.mark.parametrize(("command", "page"), [("dedup", "dedup-command"), ("explain", "explain")])
def test_docs_name_every_flag(command: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of a command names its every flag, and no flag that it has not."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    shown = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    told = set(re.findall(r"--[a-z][a-z-]+", doc(page)))
    assert shown == told


def test_settings_that_say_nothing_of_a_corpus_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key of fetching is told to change nothing; those of judging are not."""
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "one"}\n')
    flags = ["-s", "scope.languages=[zh]", "-s", "dedup.distance=2", "--output", tmp_path / "out"]
    code, _, err = command(capsys, "dedup", tmp_path / "a.jsonl", *flags)
    assert code == 0
    assert err.count("changes nothing") == err.count("--set scope.languages changes nothing") == 1


def test_languages_of_lines_are_told_as_those_of_pages(tmp_path: Path) -> None:
    """With `extract.language` lines have it as detected; else the corpus may say it itself."""
    rows = [{"id": n, "text": SPOKEN[n], "lang": ("en-GB", "zh_CN")[n]} for n in range(len(SPOKEN))]
    given = write(tmp_path / "a.jsonl", rows)
    for name, expected in (("plain", [None, None]), ("detected", ["en", "zh"])):
        options = ["-s", "extract.language=true"] if name == "detected" else []
        assert main(["dedup", str(given), "-q", "-o", str(tmp_path / name), *options]) == 0
        stored = lines(tmp_path / name, "pages")
        assert [line.get("language") for line in stored] == expected
        texts = Texts(())
        for line in stored:
            texts.add("pages", line)
        assert texts.languages == {"en": 1, "zh": 1}


@pytest.mark.parametrize(
    "words", [["add", "https://a.example/"], ["rules"], ["templates"], ["recrawl"], ["retry"]]
)
def test_what_is_asked_of_crawls_is_refused_for_what_it_is(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run of `dedup` is neither damaged nor a crawl that has learned nothing."""
    corpus = write(tmp_path / "corpus.jsonl", [{"id": "d-1", "text": text(1)}])
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    capsys.readouterr()
    code, _, err = command(capsys, words[0], tmp_path / "out", *words[1:])
    assert (code, err.count("\n")) == (2, 1)
    assert "out holds the results of `dedup`, which " in err


def test_a_table_that_is_no_json_is_told_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Comma-separated values are none of what a file of that name is taken for."""
    (tmp_path / "x.csv").write_text("id,text\n1,words\n")
    code, _, err = command(capsys, "dedup", tmp_path / "x.csv", "--output", tmp_path / "out")
    assert code == 2
    assert "x.csv:1: not valid JSON" in err
    assert "as of any file but .html, .txt and .parquet" in err
    assert "What stands before it is judged, 0 documents, and" in err


def test_what_is_left_out_or_judged_by_resemblance_alone_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of other kinds, near duplicates without a look at their facts, and short documents."""
    records = [{"text": text(1)}, {"text": edited(1)}, {"text": "Only a few words are here."}]
    write(tmp_path / "in" / "a.jsonl", records)
    for name in ("b.csv", "c.csv", "d.json"):
        (tmp_path / "in" / name).write_text("x")
    code, out, err = command(capsys, "dedup", tmp_path / "in", "--output", tmp_path / "out")
    assert code == 0
    assert "in: left out 3 files of other kinds (2 .csv, 1 .json)" in err
    assert "The texts of 1 near duplicate are alike, no more is asked: --siblings tag" in err
    assert "too short" in out


@pytest.mark.parametrize("name", ["d.parquet", "d.jsonl"])
def test_a_file_of_many_documents_is_no_page(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`explain` and `extract` read one document, and say what takes many."""
    write(tmp_path / "d.jsonl", [{"text": text(1)}, {"text": text(2)}]).rename(tmp_path / name)
    for words in (["explain", tmp_path / name, tmp_path / name], ["extract", tmp_path / name]):
        code, _, err = command(capsys, *words)
        assert (code, err.count("\n")) == (2, 1)
        assert "a file of many documents: `dedup` judges them" in err
