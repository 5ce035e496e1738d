"""`search`: words of stored texts, by an index that is made on demand and follows the lines."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from support.analysing import no_processes
from support.crawling import QUICK, command, crawl, demo_web, job_data
from support.output import lines

from crawler.cli import main
from crawler.storage.directory import SEARCH
from crawler.storage.search import match


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Crawl a part of a demo web and search in it; return that, and a copy gone on with."""
    early = tmp_path_factory.mktemp("searched") / "early"
    late = early.with_name("late")
    with demo_web(articles=2) as (web, _), no_processes():
        assert crawl(job_data(web, early, {**QUICK, "limits": {"pages": 12}})) == 0
        assert main(["search", str(early), "the"]) == 0
        shutil.copytree(early, late)
        assert main(["resume", str(late), "--pages", "10000"]) == 0
    return early, late


def found(capsys: pytest.CaptureFixture[str], directory: Path, *words: str) -> set[str]:
    """Return the URLs that have some words."""
    capsys.readouterr()
    code, out, err = command(capsys, "search", directory, *words, "--top", "10000", "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["pages"] == len(answer["hits"])
    return {hit["url"] for hit in answer["hits"]}


def having(directory: Path, pattern: str) -> set[str]:
    """Return the URLs of stored pages with a pattern in title or text."""
    return {
        line["url"]
        for line in lines(directory, "pages")
        if re.search(pattern, f"{line['title']}\n{line['text']}", re.IGNORECASE)
    }


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (["and"], r"\band\b"),
        (["新闻"], "新闻"),
        (["的"], "的"),
        (["daily loop"], r"\bdaily\W+loop\b"),
        (["zzzz"], "zzzz"),
    ],
)
def test_pages_are_found_by_words_phrases_and_chinese_of_any_length(
    begun: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    pattern: str,
) -> None:
    """What is found is what a look at every text finds, in a crawl that was gone on with, too."""
    for directory in begun:
        assert found(capsys, directory, *words) == having(directory, pattern)
    early, late = begun
    assert len(lines(early, "pages")) < len(lines(late, "pages"))


def test_all_words_must_be_there_and_the_best_come_first(
    begun: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A second word leaves fewer; what is printed shows where the first was found."""
    _, late = begun
    assert found(capsys, late, "and", "loop") == found(capsys, late, "and") & found(
        capsys, late, "loop"
    )
    code, out, _ = command(capsys, "search", late, "loop", "--top", "1")
    assert code == 0
    assert "loop" in out.splitlines()[2].lower() + out.splitlines()[0].lower()
    assert re.search(r"of the stored pages have loop, the best 1 shown$", out.strip())


def test_an_index_that_is_damaged_or_of_other_lines_is_made_anew(
    begun: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no part of the state: it is never believed beyond the lines that are there."""
    early, late = begun
    copy = tmp_path / "copy"
    shutil.copytree(early, copy)
    expected = found(capsys, early, "and")
    (copy / SEARCH).write_bytes(b"no database, and long enough to be taken for one" * 99)
    assert found(capsys, copy, "and") == expected
    shutil.copy(late / SEARCH, copy / SEARCH)  # knows of more lines
    assert found(capsys, copy, "and") == expected
    (copy / SEARCH).write_bytes((late / SEARCH).read_bytes()[:20_000])
    assert found(capsys, copy, "and") == expected
    assert main(["check", str(copy)]) == 0


def test_purging_removes_the_index(
    begun: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words of a host that was purged are nowhere any more, and its pages are not found."""
    copy = tmp_path / "copy"
    shutil.copytree(begun[0], copy)
    host = lines(copy, "pages")[0]["host"]
    assert main(["purge", str(copy), "--host", host, "--yes"]) == 0
    assert not (copy / SEARCH).exists()
    left = found(capsys, copy, "and")
    assert all(f"//{host}/" not in url for url in left)


@pytest.mark.parametrize("words", [["***"], ["", "-"], ['"']])
def test_what_holds_no_word_is_refused(
    begun: tuple[Path, Path], capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """One line says so."""
    code, _, err = command(capsys, "search", begun[0], "--", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert "no word" in err


def test_no_word_is_a_command_of_fts5() -> None:
    """Operators and quotes are words like others."""
    assert match(["a OR b", 'say "x"', "NEAR(", "t:"]) == '"a OR b" "say  x " "NEAR(" "t:"'
    assert match(["上海 port"]) == '" 上  海  port"'


def test_documents_are_found_whatever_their_ids_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A corpus names its documents by texts, and a run of `dedup` keeps these."""
    told = {"d-1": "The keeper of the lighthouse", "d-2": "A ferry to the island"}
    corpus = tmp_path / "c.jsonl"
    rows = (json.dumps({"id": id_, "text": f"{text} of Kiel. " * 9}) for id_, text in told.items())
    corpus.write_text("\n".join(rows), encoding="utf-8")
    with no_processes():
        assert main(["dedup", str(corpus), "--output", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    code, out, err = command(capsys, "search", tmp_path / "out", "ferry", "--json")
    assert code == 0, err
    assert [hit["id"] for hit in json.loads(out)["hits"]] == ["d-2"]
    assert command(capsys, "search", tmp_path / "out", "ferry")[0] == 0
