"""`check` of sound and of damaged directories: no false alarm, and no damage passed over."""

from __future__ import annotations

import gzip
import re
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from support.analysing import no_processes
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    UNENDING,
    command,
    crawl,
    demo_web,
    finished,
    job_data,
    loopback_job,
    program,
    write_job,
)
from support.output import lines
from support.shelf import shelf
from support.site_pages import site

from crawler.cli import main
from crawler.engine.schema import faults
from crawler.errors import StoreError, StoreMismatch
from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.views import check
from crawler.views.check import Check, check_directory, read_members, ways_out

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.fixture(scope="module", autouse=True)
def _equal_lines_are_judged_once() -> Iterator[None]:
    """Hold lines that are equal, byte for byte, against a schema once.

    Nearly all that is checked here are copies of one crawl with one line changed, and a line's
    faults depend on nothing but itself.
    """
    known: dict[tuple[bytes, bytes], list[str]] = {}

    def once(record: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
        key = orjson.dumps(record), orjson.dumps(schema)
        if key not in known:
            known[key] = list(faults(record, schema))
        return iter(known[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crawler.views.check.faults", once)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of the demo web, with ends of every kind."""
    return crawled(tmp_path_factory.mktemp("check"), 4, FEWER)


@pytest.fixture(scope="module")
def fewer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of fewer pages, where many directories are checked of which each has one damage."""
    return crawled(tmp_path_factory.mktemp("fewer"), 2, FEWER)


def crawled(home: Path, articles: int, changes: Mapping[str, Any]) -> Path:
    """Crawl a demo web; see that there is something to check in every part of what it leaves."""
    output = home / "out"
    with demo_web(articles) as (web, _), no_processes():
        assert crawl(job_data(web, output, changes)) == 0
    with StoreView.read(output) as view:
        kept = view.database.rows(
            "SELECT (SELECT count(*) FROM dropped), count(*) FROM appearances"
        )
    assert all(kept[0])
    assert all(lines(output, name) for name in LINE_FILES)
    return output


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(whole, tmp_path / "copy"))


@pytest.fixture
def small(fewer: Path, tmp_path: Path) -> Path:
    """A copy of the smaller one, to be damaged."""
    return Path(shutil.copytree(fewer, tmp_path / "small"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A judged corpus with copies, near copies and a line that is none."""
    texts = [" ".join(f"word{n * k % 9973}" for k in range(1, 90)) for n in range(1, 40)]
    records = [{"id": n, "text": text, "title": f"title {n}"} for n, text in enumerate(texts)]
    records += [{"id": f"c{n}", "text": text} for n, text in enumerate(texts[:9])]
    records += [{"id": f"n{n}", "text": f"{text} more"} for n, text in enumerate(texts[:9])]
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records) + b"none\n")
    output = tmp_path / "judged"
    assert main(["dedup", str(path), "--output", str(output), "--skip-bad"]) == 0
    return output


def told(directory: Path, every_page: bool = True) -> list[str]:
    """Return what a check finds, each as a line."""
    findings = check_directory(directory, every_page=every_page)
    assert findings.counts.total() >= len(findings.problems)
    return [f"{p.file} {p.place}: {p.what}" for p in findings.problems]


def sql(directory: Path, *statements: str) -> None:
    """Change the state file behind the program's back."""
    with closing(sqlite3.connect(directory / "state.sqlite")) as state, state:
        state.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            assert state.execute(statement).rowcount > 0


def edited(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    """Change a line of a file; its length stays where `change` keeps it."""
    all_lines = path.read_bytes().splitlines(keepends=True)
    all_lines[number - 1] = change(all_lines[number - 1])
    path.write_bytes(b"".join(all_lines))


# --------------------------------------------------------------------------------------------------
# Sound


def test_a_finished_crawl_is_sound(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a whole crawl nothing is told but what was looked at, and nothing in it has changed."""
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    code, out, err = command(capsys, "check", whole, "--all")
    assert code == 0
    pages = len(lines(whole, "pages"))
    assert re.fullmatch(
        rf"{whole} is sound: [\d,]+ URLs, [\d,]+ lines, fingerprints of {pages} of {pages} pages\n",
        out,
    )
    assert "Reading the table of URLs" in err
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_a_running_crawl_is_sound(tmp_path: Path) -> None:
    """Checked again and again while pages are committed nothing is found; nor after a kill."""
    output = tmp_path / "out"
    slowly = {"politeness": {"delay_s": 0.02, "per_host": 1}, "progress_s": 0.05}
    with demo_web(articles=4) as (web, _):
        job = write_job(job_data(web, output, FEWER, UNENDING, slowly), tmp_path / "job")
        process = program("--config", job)
        assert process.stderr is not None
        checked = 0
        for line in process.stderr:
            if re.search(r" [1-9]\d* pages", line):
                assert told(output, every_page=False) == []
                checked += 1
            if checked == 3:
                break
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        finished(process)
    with line_path(output, "pages").open("ab") as file:
        file.write(b'{"torn')
    findings = check_directory(output)
    assert findings.problems == []
    assert "the next start cuts them off" in findings.notes[-1]


def test_what_was_retried_is_sound(copy: Path) -> None:
    """Lines of URLs that were put back are expected, those of others are not."""
    assert main(["retry", str(copy), "--class", "all"]) == 0
    assert main(["retry", str(copy), "--class", "robots"]) == 0
    assert told(copy) == []
    first = lines(copy, "failures")[0]["url"].encode()
    edited(line_path(copy, "failures"), 1, lambda line: line.replace(first, b"x" * len(first)))
    assert told(copy) == ["failures.jsonl line 1: no URL ended so by the state file"]


def test_what_was_reindexed_is_sound(copy: Path) -> None:
    """Lines keep old fingerprints, which then are not held against the new ones of the state."""
    assert main(["reindex", str(copy), "--method", "minhash"]) == 0
    assert told(copy) == []


def test_a_judged_corpus_is_sound(corpus: Path, tmp_path: Path) -> None:
    """Runs of `dedup` too, also those whose originals lie in an earlier directory."""
    assert told(corpus) == []
    later = tmp_path / "later"
    files = [str(tmp_path / "corpus.jsonl"), "--output", str(later), "--skip-bad"]
    assert main(["dedup", *files, "--against", str(corpus)]) == 0
    assert lines(later, "duplicates")[0]["duplicate_of"]["against"] == str(corpus)
    assert told(later) == []


def test_a_sample_is_signed_where_not_all_are(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --all so many pages are signed again, and the answer says how many."""
    monkeypatch.setattr(check, "SAMPLE", 7)
    pages = len(lines(whole, "pages"))
    assert f"fingerprints of 7 of {pages} pages" in check_directory(whole).looked_at


def test_pages_that_another_version_signed_are_not_signed_again(copy: Path) -> None:
    """Where the tokenizer differs that is said, and is no damage."""
    sql(
        copy, "UPDATE meta SET value = replace(value, '\"jieba ', '\"jieba 0') WHERE key='identity'"
    )
    findings = check_directory(copy)
    assert findings.problems == []
    assert "they were made with another tokenizer" in findings.notes[0]


def test_no_crawl_is_no_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing of ours lies the exit code is 2, with one line."""
    for directory in (tmp_path, tmp_path / "nowhere"):
        code, out, err = command(capsys, "check", directory)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
    (tmp_path / "state.sqlite").write_bytes(b"mine")
    with pytest.raises(StoreMismatch):
        check_directory(tmp_path)


# --------------------------------------------------------------------------------------------------
# Damaged


@pytest.mark.parametrize("name", LINE_FILES)
@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda line: b"?" + line[1:], r"line 1: not JSON"),
        (lambda line: b"[" + b" " * (len(line) - 3) + b"]\n", r"line 1: not a JSON object"),
        (lambda line: line.replace(b'"url"', b'"uri"'), r"line 1: not a valid line: url is miss"),
        (
            lambda line: re.sub(rb'("url":"http)', rb"\1x", line, count=1)[:-2] + b"\n",
            r"line 1: not JSON",
        ),
        (
            lambda line: re.sub(rb'("url":"http://)(.)', rb"\1X", line, count=1),
            r"line 1: no URL ended so by the state file|line 1: url is http://X",
        ),
        (lambda line: line[:-1] + b" ", r"line 1: not JSON|lines where|torn"),
    ],
    ids=["no JSON", "no object", "field", "shifted", "other URL", "no line end"],
)
def test_a_damaged_line_is_named(
    small: Path, name: str, change: Callable[[bytes], bytes], found: str
) -> None:
    """Whatever is wrong with a line of any file, the file and the line are told."""
    edited(line_path(small, name), 1, change)
    problems = told(small)
    assert any(re.match(rf"{name}\.jsonl {found}", problem) for problem in problems), problems


@pytest.mark.parametrize("name", LINE_FILES)
def test_lost_and_doubled_lines_are_told(small: Path, name: str) -> None:
    """A file cut short, one gone, and a line in the place of another each are problems."""
    path = line_path(small, name)
    data = path.read_bytes()
    path.write_bytes(data[:-3])
    assert any(re.match(rf"{name}\.jsonl .*torn", problem) for problem in told(small))
    assert any("the last 3 of" in problem for problem in told(small))
    path.unlink()
    assert any(f"the last {len(data):,} of {len(data):,} bytes" in p for p in told(small))
    first, *rest = data.splitlines(keepends=True)
    if rest:
        padded = [first[:-1] + b" " * (len(line) - len(first)) + b"\n" for line in rest]
        at = next(n for n, line in enumerate(padded) if len(line) == len(rest[n]))
        path.write_bytes(b"".join([first, *rest[:at], padded[at], *rest[at + 1 :]]))
        problems = told(small)
        twice = rf"{name}\.jsonl line {at + 2}: (of the same URL as line 1|id is|url is)"
        assert any(re.match(twice, problem) for problem in problems), problems
        assert any(f"{name}.jsonl : no line of http" in problem for problem in problems)


def test_a_changed_text_is_told(small: Path) -> None:
    """One letter of one page's text is enough, whatever the sample."""
    path = line_path(small, "pages")
    pages = enumerate(lines(small, "pages"), 1)
    text = next(
        n for n, page in pages if "the " in page["text"] and "the " not in str(page["title"])
    )
    edited(path, text, lambda line: line.replace(b"the ", b"tha ", 1))
    what = "its text is not the one that was stored (text_digest)"
    assert told(small, every_page=False) == [f"pages.jsonl line {text}: {what}"]


def test_a_reference_to_no_page_is_told(small: Path) -> None:
    """A duplicate whose original is not stored is named, and so is a sibling."""
    edited(
        line_path(small, "duplicates"),
        2,
        lambda line: re.sub(rb'"duplicate_of":\{"id":\d', b'"duplicate_of":{"id":9999', line),
    )
    [*others, problem] = told(small)
    assert "refers to a page that pages.jsonl does not have" in problem or others


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE files SET lines = lines + 1 WHERE name = 'pages'", "the counts contradict"),
        (
            "UPDATE files SET bytes = bytes - 1 WHERE name = 'failures'",
            "failures.jsonl .*torn",
        ),
        ("UPDATE files SET bytes = 'x' WHERE name = 'pages'", "records .* lines in x bytes"),
        ("UPDATE urls SET state = 5 WHERE state = 4", "counts contradict each other: fail"),
        (
            "UPDATE urls SET detail = 'dns' WHERE state = 4",
            "failures.jsonl .* no URL ended",
        ),
        (
            "UPDATE urls SET url = (SELECT url FROM urls WHERE id = 1) WHERE id = 2",
            "URL 2: .*URL",
        ),
        (
            "UPDATE urls SET host_id = 99999 WHERE id = 3",
            "row 3 of table urls refers to",
        ),
        ("UPDATE documents SET fingerprint = fingerprint + 1 WHERE id = 4", "fingerprint"),
        ("UPDATE documents SET sketch = zeroblob(8) WHERE id = 4", "page 4: sketch are not"),
        ("UPDATE documents SET tokens = 0, text_digest = 'x' WHERE id = 4", "state.sqlite|line 4"),
        ("UPDATE documents SET payload_digest = zeroblob(32) WHERE id = 4", "payload_digest is"),
        ("UPDATE documents SET fingerprint = 'x' WHERE id = 4", "cannot be read back"),
        (
            "UPDATE shingles SET hashes = zeroblob(4) WHERE document_id = 4",
            "page 4: its shingles are damaged: they were cut short",
        ),
        ("DELETE FROM shingles WHERE document_id = 4", "page 4: its shingles are lost"),
        (
            "UPDATE shingles SET hashes = CAST(hashes || zeroblob(4) AS BLOB)",
            "page 4: its shingles are damaged: their checksum is wrong",
        ),
        (
            "UPDATE shingles SET hashes = (SELECT hashes FROM shingles WHERE document_id = 5) "
            "WHERE document_id = 4",
            "page 4: its shingles are damaged: their checksum is wrong",
        ),
        (
            "UPDATE meta SET value = replace(value, substr(value, 2, 4), '0000') WHERE key = 'key'",
            "page 4: marks of shingles are not those of its text",
        ),
        ("UPDATE meta SET value = '7' WHERE key = 'key'", "the entry key of the table meta is no"),
        (
            "UPDATE appearances SET packed = x'00' WHERE document_id = 4",
            "page 4: its appea",
        ),
        ("UPDATE dropped SET line = substr(line, 1, 20)", "the dropped page http.* is lost"),
        ("UPDATE dropped SET line = x'ff'", "the dropped page http.* is lost"),
        (
            "UPDATE dropped SET like_id = NULL",
            "dropped page http.* not the diff",
        ),
        ("UPDATE meta SET value = '{' WHERE key = 'runs'", "cannot be read back"),
        ("UPDATE meta SET value = '{' WHERE key = 'identity'", "cannot be read back"),
        ("UPDATE meta SET value = '7' WHERE key = 'job'", "the entry job of the table meta is no"),
    ],
)
def test_a_damaged_state_is_told(small: Path, statement: str, found: str) -> None:
    """Whatever a row says that it should not is told, with its place, by no traceback."""
    sql(small, statement)
    assert any(re.search(found, problem) for problem in told(small))


def test_a_fingerprint_that_is_not_that_of_its_text_can_be_made_again(small: Path) -> None:
    """The way out that is told, `reindex`, is one."""
    sql(small, "UPDATE documents SET tokens = tokens + 1 WHERE id = 4")
    findings = check_directory(small, every_page=True)
    [(way_out, files)] = ways_out(findings).items()
    assert files == ["state.sqlite"]
    assert f"python -m crawler reindex {small}" in way_out
    assert main(["reindex", str(small)]) == 0
    assert told(small) == []


def test_a_damaged_index_is_told_with_its_own_way_out(small: Path) -> None:
    """An index that lacks rows is found by SQLite, and `REINDEX` puts it right."""
    sql(
        small,
        "UPDATE documents SET address = 7 WHERE id = 4",
    )
    with closing(sqlite3.connect(small / "state.sqlite")) as state, state:
        state.execute("PRAGMA writable_schema = ON")
        state.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'IS NOT NULL', 'IS NULL') "
            "WHERE name = 'documents_address'"
        )
    findings = check_directory(small)
    assert any("index" in problem.what for problem in findings.problems)
    assert any("REINDEX" in way_out for way_out in ways_out(findings))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"?" * len(data),
        lambda data: data[:100] + b"\xff" * (len(data) - 100),
        lambda data: data[: len(data) // 2],
        lambda data: data[:8192] + bytes(4096) + data[12288:],
    ],
    ids=["empty", "overwritten", "all but the header", "half", "one page"],
)
def test_a_damaged_state_file_is_damage_and_no_missing_crawl(
    small: Path, damage: Callable[[bytes], bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 and the way out, also where SQLite cannot even open the file."""
    state = small / "state.sqlite"
    state.write_bytes(damage(state.read_bytes()))
    code, out, err = command(capsys, "check", small)
    assert code == 1, out + err
    assert "Traceback" not in err
    assert f"{small} is damaged: " in out
    assert "restore the whole directory from a backup" in out


def test_many_problems_are_counted_and_some_are_shown(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file of nonsense is told in some lines, each safe for a terminal, and counted whole."""
    path = line_path(small, "pages")
    size = path.stat().st_size
    path.write_bytes((b"\x1b[31m\n" * size)[: size - 1] + b"\n")
    code, out, _ = command(capsys, "check", small)
    shown = [line for line in out.splitlines() if line.startswith(str(path))]
    assert (code, len(shown)) == (1, check.MOST_SHOWN)
    assert "\x1b" not in out
    assert re.search(r"^\.\.\. and [\d,]{4,} more$", out, re.MULTILINE)


def test_a_file_without_line_ends_is_not_read_whole(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is longer than any line is cut, and told as torn."""
    monkeypatch.setattr("crawler.storage.journal.MAX_LINE_BYTES", 1000)
    path = line_path(small, "pages")
    path.write_bytes(b"?" * path.stat().st_size)
    assert "pages.jsonl line 1: torn" in told(small)[0]


def test_a_summary_that_is_none_is_told(small: Path) -> None:
    """A broken summary is a problem with a way out that harms nothing."""
    (small / "summary.json").write_text('{"seen": ')
    [problem] = check_directory(small).problems
    assert (problem.file, problem.way_out) == ("summary.json", "the next run writes it again")
    (small / "summary.json").unlink()
    assert told(small) == []


def test_another_programs_lock_is_no_damage(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the state cannot be read for now that is an error of its own, not a finding."""
    monkeypatch.setattr("crawler.storage.database.BUSY_S", 0.01)
    with closing(sqlite3.connect(small / "state.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"):
            check_directory(small)


def test_ctrl_c_ends_a_check_of_the_state_file(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An interrupt amid SQLite's own work ends the program as one elsewhere does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("crawler.storage.integrity._STEPS_A_BEAT", 10)
    monkeypatch.setattr(Check, "beat", interrupt)
    code, out, err = command(capsys, "check", whole)
    assert (code, out) == (130, "")
    assert "interrupted" not in err


def test_a_long_check_says_how_far_it_is(whole: Path) -> None:
    """Every few seconds a line tells what is looked at and how much of it is done."""
    said: list[str] = []
    ticks = iter(range(0, 10**9, 3))
    check_ = Check(whole, said.append, lambda: next(ticks))
    check_.begin("Reading ...")
    for number in range(4):
        check_.beat("{:,} of {:,} lines", number, 4)
    assert said == ["Reading ...", "1 of 4 lines", "3 of 4 lines"]


def test_every_key_of_meta_is_looked_at(small: Path) -> None:
    """No entry of the state that a later run reads is passed over, be it no JSON or another."""
    for key in Meta:
        for value, what in (("[", "cannot be read back"), ("7", f"the entry {key} of the")):
            with closing(sqlite3.connect(small / "state.sqlite")) as state, state:
                rows = state.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchall()
                state.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
            assert any(what in problem for problem in told(small, every_page=False)), key
            with closing(sqlite3.connect(small / "state.sqlite")) as state, state:
                state.execute("DELETE FROM meta WHERE key = ?", (key,))
                state.executemany("INSERT INTO meta VALUES (?, ?)", [(key, row[0]) for row in rows])


def test_damage_to_a_corpus_is_told(corpus: Path, capsys: pytest.CaptureFixture[Any]) -> None:
    """A run of `dedup` is held against its own schemas, and another run is its way out."""
    sql(corpus, "UPDATE documents SET tokens = tokens + 1 WHERE id = 2")
    edited(line_path(corpus, "duplicates"), 1, lambda line: line.replace(b"#line=", b"#lime="))
    code, out, _ = command(capsys, "check", corpus, "--all")
    assert code == 1
    assert "state.sqlite page 2: tokens are not those of its text" in out
    assert "duplicates.jsonl line 1: no URL ended so by the state file" in out
    assert "run `dedup` again with another --output" in out


def test_lost_templates_are_told(tmp_path: Path) -> None:
    """A version that is lost or damaged, and a damaged learner; the texts themselves are sound."""
    with shelf(site(12)) as host, no_processes():
        assert (
            crawl(loopback_job(tmp_path, [host + "/"], fetch={"workers": 1}, **AS_USERS_READ)) == 0
        )
    assert not check_directory(tmp_path).problems
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state:
        state.execute("UPDATE learners SET state = x'00'")
        state.execute("UPDATE templates SET packed = x'00'")
        state.commit()
    told = [problem.what for problem in check_directory(tmp_path).problems]
    assert re.fullmatch(r"version 1 of the template of [\d.:]+ is lost: .*", told[0])
    assert re.fullmatch(r"what the template of [\d.:]+ is learned from is lost: .*", told[-1])
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state:
        state.execute("DELETE FROM learners")
        state.execute("DELETE FROM templates")
        state.commit()
    lost = [p for p in check_directory(tmp_path).problems if p.file == "pages.jsonl"]
    served = [line for line in lines(tmp_path, "pages") if line["read_by"] == "template"]
    assert len(lost) == len(served) > 0
    assert "which is lost" in lost[0].what


def test_kept_counts_are_held_against_the_url_table(small: Path) -> None:
    """A count of ends beside the tables that is not theirs is told of: a run's end believes it."""
    with closing(sqlite3.connect(small / "state.sqlite")) as state:
        ((kept,),) = state.execute("SELECT value FROM meta WHERE key = 'ends'").fetchall()
        counts = orjson.loads(kept)
        counts["outcomes"][0][2] += 1
        changed = orjson.dumps(counts).decode()
        state.execute("UPDATE meta SET value = ? WHERE key = 'ends'", (changed,))
        state.commit()
    assert "state.sqlite : the counts of how URLs ended are not those of its URLs" in told(small)


def test_a_record_may_say_any_length(tmp_path: Path) -> None:
    """A length of more digits than Python reads is a fault of that record, not of the check."""
    path = tmp_path / "a.warc.gz"
    for digits in (1, 19, 20, 5000):
        record = b"WARC/1.1\r\nContent-Length: " + b"9" * digits + b"\r\n\r\nbody\r\n\r\n"
        path.write_bytes(gzip.compress(record))
        [member] = read_members(path, path.stat().st_size)
        assert member.fault
