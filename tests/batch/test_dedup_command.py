"""`python -m crawler dedup`: corpora judged as a crawl judges pages."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support import batch_victims
from support.crawling import finished, lines, program

from crawler.batch import corpus as corpus_module
from crawler.batch.pace import Pace
from crawler.cli import main
from crawler.errors import StoreMismatch
from crawler.observe import Tally
from crawler.records import Batch, UrlState
from crawler.storage import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

ROOT = Path(__file__).parents[2]
SETS = ROOT / "../shared/corpora/dedup"
WORDS = [f"word{n}" for n in range(4000)]


def text(seed: int, words: int = 150) -> str:
    """Return a text unlike that of any other seed."""
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def edited(seed: int) -> str:
    """Return the same text with two words replaced: similarity .92."""
    words = text(seed).split()
    words[40] = words[90] = "edited"
    return " ".join(words)


def write(path: Path, records: Iterable[Any]) -> Path:
    """Write JSON lines; bytes are written as they are."""
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        for record in records:
            file.write(record if isinstance(record, bytes) else json.dumps(record).encode())
            file.write(b"\n")
    return path


def dedup(*arguments: object) -> int:
    """Run the command in this process, on one process of its own."""
    return main(["dedup", *map(str, arguments), "--processes", "1"])


def outcome(output: Path) -> dict[str, bytes]:
    """Return the line files' contents."""
    return {path.name: path.read_bytes() for path in sorted(output.glob("*.jsonl"))}


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
    summary = json.loads((tmp_path / "out/summary.json").read_text())
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


def test_threshold_and_method_decide(tmp_path: Path) -> None:
    """Above its similarity a pair is new; the textbook method verifies nothing."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}, {"text": edited(1)}])
    assert dedup(corpus, "--threshold", "0.95", "--output", tmp_path / "a") == 0
    assert len(lines(tmp_path / "a", "pages")) == 2
    assert dedup(corpus, "--method", "simhash", "--output", tmp_path / "b") == 0
    assert [d["similarity"] for d in lines(tmp_path / "b", "duplicates")] in ([], [None])


def test_broken_input_is_named_by_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first broken document stops the run with one clear error; --skip-bad goes on from it."""
    corpus = write(
        tmp_path / "c.jsonl", [{"text": text(1)}, b"", b'{"text": "a', {"text": text(2)}, b"[]"]
    )
    assert dedup(corpus, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    assert error.startswith(f"{corpus}:3: not valid JSON")
    assert "Traceback" not in error
    assert json.loads((tmp_path / "out/summary.json").read_text())["stopped"]
    assert len(lines(tmp_path / "out", "pages")) == 1

    assert dedup(corpus, "--skip-bad", "--output", tmp_path / "out") == 0
    assert [page["line"] for page in lines(tmp_path / "out", "pages")] == [1, 4]
    assert [
        (skipped["source"], skipped["line"], skipped["reason"])
        for skipped in lines(tmp_path / "out", "skipped")
    ] == [(str(corpus), 3, "bad-json"), (str(corpus), 5, "wrong-type")]
    assert not json.loads((tmp_path / "out/summary.json").read_text())["stopped"]


def test_a_truncated_file_stops_or_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut-off gzip file names its last good line; with --skip-bad the next file is read."""
    raw = write(tmp_path / "raw", [{"text": text(n)} for n in range(50)]).read_bytes()
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(raw)[:-400])
    after = write(tmp_path / "after.jsonl", [{"text": text(99)}])
    assert dedup(cut, after, "--output", tmp_path / "out") == 2
    assert re.search(rf"crawler: {cut}:\d+: cannot be read from here on", capsys.readouterr().err)
    assert dedup(cut, after, "--skip-bad", "--output", tmp_path / "out") == 0
    assert lines(tmp_path / "out", "pages")[-1]["source"] == str(after)
    assert [line["reason"] for line in lines(tmp_path / "out", "skipped")] == ["unreadable"]


def test_a_damaged_file_is_named_as_the_trouble(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where changed bytes decompress to garbled lines, the damage is told, not the garble."""
    raw = write(tmp_path / "raw", [{"text": text(n)} for n in range(50)]).read_bytes()
    packed = bytearray(gzip.compress(raw, compresslevel=0))  # stored blocks: any byte is content
    at = packed.index(b'{"text"', len(packed) // 2)
    packed[at : at + 3] = b"\xff\xff\xff"
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(packed)
    assert dedup(damaged, "--output", tmp_path / "out") == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    told = rf"{damaged}:\d+: the compressed file is damaged \(CRC check failed .*\): get it anew"
    assert re.match(told, error)
    assert main(["lexicon", str(damaged), "--output", str(tmp_path / "lexicon.tsv")]) == 2
    error = capsys.readouterr().err.partition("crawler: ")[2]
    assert re.match(told, error)


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that are not there, and directories that cannot be used, are refused by name."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    other = write(tmp_path / "d.jsonl", [{"text": text(2)}])
    out = tmp_path / "out"
    assert dedup(corpus, "--output", out) == 0
    way_on = "\nContinue it by the same command"
    wrong: list[tuple[tuple[object, ...], str]] = [
        (("gone.jsonl", "--output", tmp_path / "x"), "gone.jsonl: No such file"),
        ((other, "--output", out), "FILE...: other files"),
        (
            (corpus, "--threshold", "0.9", "--output", out),
            f"dedup.threshold: 0.8, now 0.9{way_on}",
        ),
        (
            (corpus, "--text-field", "t", "--output", out),
            f'text_field: "text", now "t"{way_on}',
        ),
        ((out / "pages.jsonl", "--output", out), "lies in the output directory"),
        ((corpus, "--against", out, "--output", out), "are the same directory"),
        ((corpus, "--against", tmp_path, "--output", tmp_path / "x"), "holds no crawl"),
        ((corpus, "--against", "gone", "--output", tmp_path / "x"), "crawler: gone: no such dir"),
        ((corpus, "--threshold", "7", "--output", tmp_path / "x"), "dedup.threshold"),
    ]
    capsys.readouterr()
    for arguments, complaint in wrong:
        assert dedup(*arguments) == 2, arguments
        error = capsys.readouterr().err
        assert complaint in error
        assert "Traceback" not in error


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


def test_incomparable_runs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sketches of another method cannot be compared, and that is said."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    assert dedup(corpus, "--method", "minhash", "--output", tmp_path / "a") == 0
    assert dedup(corpus, "--against", tmp_path / "a", "--output", tmp_path / "b") == 2
    assert re.search(r"method \(minhash.*, now verified.*\)", capsys.readouterr().err)


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


def committed(output: Path) -> int:
    """Return how many documents have their end in a state file that another process writes."""
    try:
        with StoreView.read(output) as view:
            return view.next_url_id - 1
    except StoreMismatch:
        return 0


def mixed(path: Path, number: int = 600) -> Path:
    """Write a corpus with copies, near copies, short and broken documents throughout."""
    dice = random.Random(3)
    records: list[Any] = []
    for n in range(number):
        seed = dice.randrange(n // 2 + 1)
        records.append({"text": dice.choice([text, edited])(seed), "n": n})
    records[100] = b"{"
    records[333] = {"text": "short"}
    return write(path, records)


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


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    """After kill -9 the same command ends with the very lines of an undisturbed run."""
    corpus, out = mixed(tmp_path / "c.jsonl", 1200), tmp_path / "killed"
    command = ("dedup", corpus, "--skip-bad", "--processes", 1, "--output")
    assert main([*map(str, command), str(tmp_path / "whole")]) == 0
    with program(*command, out) as process:
        while process.poll() is None and not committed(out):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert 0 < committed(out) < 1200
    assert finished(program(*command, out))[0] == 0
    assert outcome(out) == outcome(tmp_path / "whole")
    assert json.loads((out / "summary.json").read_text())["runs"] == 2


@pytest.mark.processes
def test_a_document_that_hangs_or_crashes_is_blamed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on without it, and its line says what it did."""
    monkeypatch.setattr(corpus_module, "CorpusReader", batch_victims.make)
    bodies = [text(1), "HANG", text(2), "CRASH", text(1)]
    corpus = write(tmp_path / "c.jsonl", [{"text": body} for body in bodies])
    job = tmp_path / "job.yaml"
    job.write_text("analysis: {timeout_s: 1.5}")
    assert dedup(corpus, "--config", job, "--output", tmp_path / "out") == 0
    assert [page["line"] for page in lines(tmp_path / "out", "pages")] == [1, 3]
    assert [d["line"] for d in lines(tmp_path / "out", "duplicates")] == [5]
    assert [(f["line"], f["failure"]) for f in lines(tmp_path / "out", "failures")] == [
        (2, "analysis-timeout"), (4, "analysis-crash"),
    ]  # fmt: skip


def test_standard_input_is_a_corpus(tmp_path: Path) -> None:
    """`-` reads compressed JSON lines from a pipe, once."""
    data = gzip.compress(write(tmp_path / "c", [{"text": text(1)}, {"text": text(1)}]).read_bytes())
    command = [sys.executable, "-m", "crawler", "dedup", "-", "--output", str(tmp_path / "out")]
    first, again = (
        subprocess.run(command, input=data, capture_output=True, check=False) for _ in range(2)
    )
    assert first.returncode == 0, first.stderr
    assert len(lines(tmp_path / "out", "duplicates")) == 1
    assert again.returncode == 2
    assert b"cannot be read from its beginning again" in again.stderr


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
        tally.add(Batch(1, UrlState.STORED))
        pace.add(10, 1_000_000, read)
    assert said == [
        "00:06  20 documents (3.3/s, 0.3 MB/s)  2 kept  0 duplicates  0 failed  0 skipped"
        "  30 %, 00:14 left"
    ]
    assert pace.line().endswith("0 skipped"), "the last line has nothing left to say"


@pytest.mark.corpora
@pytest.mark.skipif(not SETS.exists(), reason="the corpora are not here")
def test_real_sets_are_judged_as_the_sets_say(tmp_path: Path) -> None:
    """On Chinese reprints at most one in a hundred verdicts is wrong, and one copy is missed."""
    path = SETS / "zh_news.jsonl.xz"
    assert dedup(path, "--output", tmp_path / "out") == 0
    pairs = json.loads((SETS / "zh_news.pairs.json").read_text())["pairs"]
    similar = {frozenset((a, b)) for a, b, similarity in pairs if similarity >= 0.8}
    duplicates = lines(tmp_path / "out", "duplicates")
    wrong = [d for d in duplicates if frozenset((d["id"], d["duplicate_of"]["id"])) not in similar]
    kept = {page["id"] for page in lines(tmp_path / "out", "pages")}
    missed = {max(pair) for pair in similar if pair <= kept}
    with lzma.open(path) as file:
        documents = sum(1 for _ in io.BufferedReader(file))
    assert len(duplicates) + len(kept) == documents
    assert len(wrong) <= len(duplicates) / 100
    assert len(missed) <= len(duplicates) / 100


def test_docs_name_every_field(tmp_path: Path) -> None:
    """docs/dedup-command.md names each field of each line that a run writes."""
    page = (ROOT / "docs/dedup-command.md").read_text(encoding="utf-8")
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
    fields |= {field for line in written for field in line.get("duplicate_of", ())}
    assert {"source", "line", "against"} <= fields
    assert len(written) == 6
    assert {field for field in fields if f"`{field}`" not in page} == set()


@pytest.mark.parametrize(("command", "page"), [("dedup", "dedup-command"), ("explain", "explain")])
def test_docs_name_every_flag(command: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of a command names its every flag, and no flag that it has not."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    shown = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    told = set(re.findall(r"--[a-z][a-z-]+", (ROOT / f"docs/{page}.md").read_text("utf-8")))
    assert shown == told
