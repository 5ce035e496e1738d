"""The judge as other programs import it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from support.crawling import HANG_S, command
from support.documents import dedup, edited, text, write
from support.output import lines, summary_of
from support.paths import doc
from support.victim import begun

from crawler.errors import ConfigError, InputError, StoreError, StoreInUse, StoreMismatch
from crawler.storage.directory import line_path
from crawler.storage.store import Store
from crawler.views.check import check_directory
from inline_crawler import Judge, Verdict, VerdictKind

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_each_kind_of_verdict(tmp_path: Path) -> None:
    """New, exact, near and short documents are told apart, copies with the id of the original."""
    with Judge.open(tmp_path / "seen") as judge:
        assert judge.see("first", text(1)) == Verdict(VerdictKind.NEW, keep=True)
        assert judge.see(2, text(2), title="Two", url="https://a.example/2").keep
        same = Verdict(VerdictKind.EXACT_PAYLOAD, keep=False, of="first", similarity=1.0)
        assert judge.see("again", text(1)) == same
        spaced = Verdict(VerdictKind.EXACT_TEXT, keep=False, of=2, similarity=1.0)
        assert judge.see("spaced", text(2) + "\n") == spaced
        near = judge.see("edited", edited(1))
        assert (near.kind, near.keep, near.of) == ("near", False, "first")
        assert near.similarity is not None
        assert 0.8 <= near.similarity < 1
        assert near.distance is not None
        assert judge.see(3, "hi") == Verdict(VerdictKind.UNJUDGED, keep=True, reason="too-short")
        assert len(judge) == 6
        assert "edited" in judge
        assert 2 in judge
        assert "2" not in judge  # ids keep their type
    assert not check_directory(tmp_path / "seen", every_page=True).problems
    assert summary_of(tmp_path / "seen")["stopped"] is False


def test_verdicts_are_those_of_dedup(tmp_path: Path) -> None:
    """The same documents in the same order have the same lines, whoever asked for the verdicts."""
    documents = [(n, (edited if n % 3 else text)(n % 40)) for n in range(120)]
    corpus = write(tmp_path / "c.jsonl", ({"id": n, "text": body} for n, body in documents))
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    with Judge.open(tmp_path / "seen") as judge:
        for number, body in documents:
            judge.see(number, body)

    def told(output: Path, name: str) -> list[object]:
        """Return lines without what says where a document lies."""
        records = [json.dumps(line, sort_keys=True) for line in lines(output, name)]
        place = r'"(url|source|fetched_at)": "[^"]*"|"(line|wire_bytes)": (\d+|null)'
        return [re.sub(place, "", record) for record in records]

    for name in ("pages", "duplicates"):
        assert told(tmp_path / "seen", name) == told(tmp_path / "out", name) != []


def test_it_goes_on_where_it_was_left(tmp_path: Path) -> None:
    """A judge opened again knows every id, finds earlier originals, and keeps its settings."""
    with Judge.open(tmp_path, threshold=0.95) as judge:
        judge.see("a", text(1))
        assert judge.see("b", edited(1)).kind == "new"  # .92 alike
    with Judge.open(tmp_path) as judge:
        assert len(judge) == 2
        assert "b" in judge
        assert judge.see("c", text(1)).of == "a"
        assert judge.see("d", edited(1) + " more").of == "b"
    with pytest.raises(StoreMismatch, match=r"threshold: 0\.95, now 0\.8") as error:
        Judge.open(tmp_path, threshold=0.8)
    assert "Leave them out" in str(error.value)


def test_what_cannot_be_judged_is_named_and_harms_nothing(tmp_path: Path) -> None:
    """A wrong document, a known id and a closed judge are errors of their own; the rest stands."""
    with Judge.open(tmp_path) as judge:
        judge.see("a", text(1))
        with pytest.raises(InputError, match="document 'a' was seen before"):
            judge.see("a", text(2))
        with pytest.raises(InputError, match="document 'b': 'text' must be a string, not null"):
            judge.see("b", None)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="document 'b': 'text' must be a string, not bytes"):
            judge.see("b", b"..")  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"document 'b': .*surrogates"):
            judge.see("b", "\ud800")
        with pytest.raises(InputError, match=r"document 1\.5: 'id' must be"):
            judge.see(1.5, text(2))  # type: ignore[arg-type]
        assert "b" not in judge
        assert judge.see("b", text(1)).of == "a"
        with pytest.raises(StoreInUse):
            Judge.open(tmp_path)
    judge.close()
    with pytest.raises(InputError, match="closed"):
        judge.see("c", text(3))
    assert len(lines(tmp_path, "pages")) == len(lines(tmp_path, "duplicates")) == 1


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    """Settings nobody knows, files, and the results of `dedup` are refused with the way out."""
    with pytest.raises(ConfigError, match="did you mean 'threshold'"):
        Judge.open(tmp_path / "seen", treshold=0.9)
    (tmp_path / "file").touch()
    with pytest.raises(StoreMismatch, match="is a file"):
        Judge.open(tmp_path / "file")
    dedup(write(tmp_path / "c.jsonl", [{"text": text(1)}]), "--output", tmp_path / "out")
    with pytest.raises(StoreMismatch, match="against="):
        Judge.open(tmp_path / "out")
    with Judge.open(tmp_path / "seen", against=[tmp_path / "out"]) as judge:
        verdict = judge.see("mine", text(1))
    assert (verdict.of, verdict.against) == (1, str(tmp_path / "out"))


def test_what_cannot_be_judged_against_is_told_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the library, `dedup` and `crawl`: a wrong name, no index, other settings."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    dedup(corpus, "--method", "minhash", "--output", tmp_path / "otherwise")
    (tmp_path / "no.index").write_text("of words")
    for against in ("nodir", "no.index", "otherwise"):
        out, wrong = tmp_path / "out", tmp_path / against
        with pytest.raises((StoreMismatch, InputError), match=against):
            Judge.open(out, against=[wrong])
        for line in (["dedup", corpus], ["crawl", "http://127.0.0.1:1/"]):
            code, _, err = command(capsys, *line, "--against", wrong, "--output", out)
            assert code == 2
            assert str(wrong) in err
        assert not out.exists()


def test_from_threads_and_within_a_running_loop(tmp_path: Path) -> None:
    """Any thread may ask, also one whose event loop runs; one document of each text is kept."""
    with Judge.open(tmp_path) as judge:
        with ThreadPoolExecutor(8) as threads:
            verdicts = threads.map(lambda n: judge.see(n, text(n % 10)), range(60))
            assert sum(verdict.keep for verdict in verdicts) == 10

        async def ask() -> Verdict:
            return judge.see("async", text(3))

        assert not asyncio.run(ask()).keep


def test_a_directory_that_is_disturbed_stops_it(tmp_path: Path) -> None:
    """Where lines are lost every call says so; what was committed before is there afterwards."""
    judge = Judge.open(tmp_path)
    judge.see("a", text(1))
    judge.commit()
    line_path(tmp_path, "pages").rename(tmp_path / "aside")
    judge.see("b", text(2))
    with pytest.raises(StoreError, match="pages"):
        judge.commit()
    with pytest.raises(StoreError):
        judge.see("c", text(3))
    with pytest.raises(StoreError):
        judge.close()
    (tmp_path / "aside").rename(line_path(tmp_path, "pages"))
    with Judge.open(tmp_path) as judge:
        assert "a" in judge


def see_for_ever(path: str) -> None:
    """See documents, and tell the number of each that is the last of those committed."""
    judge = Judge.open(path)
    for number in itertools.count():
        judge.see(number, f"the text of document number {number} and no other one")
        if number % 50 == 49:
            judge.commit()
            print(number, flush=True)


def test_killed_it_has_all_that_was_committed(tmp_path: Path) -> None:
    """After SIGKILL each document up to some number is there once, and it goes on from there."""
    with begun(see_for_ever, str(tmp_path), stdout=subprocess.PIPE) as victim:
        assert victim.stdout is not None
        committed = [int(victim.stdout.readline()) for _ in range(2)][-1]
        victim.kill()
    with Judge.open(tmp_path) as judge:
        known = len(judge)
        assert known > committed
        assert all(number in judge for number in range(known))
        judge.see(known, text(known))
    assert not check_directory(tmp_path).problems


@pytest.mark.parametrize("code", re.findall(r"^```python\n(.*?)^```", doc("library"), re.M | re.S))
def test_the_examples_run(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each example of the documentation runs as it stands, and prints what its comments say."""
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    said = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert said
    assert capsys.readouterr().out.splitlines() == said


def fork_and_see(path: str) -> int:
    """See documents before a fork, in both processes; return the exit code of the forked one."""
    with Judge.open(path) as judge:
        judge.see(1, "the first document of a program that is forked")
        judge._calling.acquire()  # as another thread may have it at the fork
        if (child := os.fork()) == 0:
            try:
                judge.see(2, "the second one")
            except InputError as error:
                judge.close()
                os._exit(7 if "another process" in str(error) else 1)
            os._exit(1)
        judge._calling.release()
        _, status = os.waitpid(child, 0)
        judge.see(3, "the third document, which the first process has")
    return os.waitstatus_to_exitcode(status)


def test_a_forked_process_can_ask_nothing_and_closes_nothing(tmp_path: Path) -> None:
    """It hears so at once instead of waiting for a thread it has not; the first one goes on."""
    with begun(fork_and_see, str(tmp_path / "seen")) as forked:
        assert forked.wait(HANG_S) == 7
    assert [line["title"] for line in lines(tmp_path / "seen", "pages")] == [None, None]
    assert not check_directory(tmp_path / "seen", every_page=True).problems


HOLDS = "import sys; from inline_crawler import Judge; Judge.open(sys.argv[1])"


def test_who_holds_the_directory_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge or a run of `dedup`, of this process or of which one: each with its own way out."""
    seen, corpus = tmp_path / "seen", write(tmp_path / "c.jsonl", [{"id": 1, "text": text(1)}])
    with Judge.open(seen):
        with pytest.raises(StoreInUse, match=rf"a Judge that this process \(pid {os.getpid()}\)"):
            Judge.open(seen)
        other = subprocess.run(
            [sys.executable, "-c", HOLDS, str(seen)], stderr=subprocess.PIPE, text=True
        )
        assert f"{seen} is in use by a Judge (pid {os.getpid()} on " in other.stderr
    assert dedup(corpus, "--output", tmp_path / "out") == 0
    with closing(Store.open(tmp_path / "out")):
        assert dedup(corpus, "--output", tmp_path / "out") == 2
    assert "is in use by a run of `dedup` that this process (pid" in capsys.readouterr().err
