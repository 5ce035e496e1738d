"""A crawl judged against earlier ones: what is stored, what is said of the rest, what may fail."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.crawling import QUICK, command, crawl, demo_web, job_data
from support.output import lines, summary_of

from crawler.cli import main
from crawler.config import Dedup
from crawler.dedup import Judge, Signer
from crawler.dedup.catalog import MemoryCatalog
from crawler.engine import schema
from crawler.models import NearDuplicate, New, PayloadKey
from crawler.storage.catalog import LayeredCatalog, directory_pages
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Crawls:
    """A part of the demo web, then all of it against that, and against a portable index of it."""

    def __init__(self, home: Path) -> None:
        self.first, self.refresh, self.indexed = home / "first", home / "refresh", home / "indexed"
        self.stopped, self.index = home / "stopped", home / "first.index"
        with demo_web(articles=4) as (web, _):
            assert crawl(job_data(web, self.first, QUICK, {"limits": {"pages": 50}})) == 0
            half = {"limits": {"pages": 60}, "dedup": {"against": [str(self.first)]}}
            assert crawl(job_data(web, self.refresh, QUICK, half)) == 0
            shutil.copytree(self.refresh, self.stopped)
            assert main(["resume", str(self.refresh), "--pages", "9999"]) == 0
            assert main(["index", "build", str(self.first), "--output", str(self.index)]) == 0
            against = {"dedup": {"against": [str(self.index)]}}
            assert crawl(job_data(web, self.indexed, QUICK, against)) == 0


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    """Crawl four times, a few dozen pages each."""
    return Crawls(tmp_path_factory.mktemp("across"))


def elsewhere(output: Path, name: str = "duplicates") -> list[dict[str, Any]]:
    """Return the lines that name a page of another directory."""
    return [line for line in lines(output, name) if "against" in named(line)]


def named(line: dict[str, Any]) -> dict[str, Any]:
    """Return what a line says of the page that its own is like."""
    reference: dict[str, Any] = line.get("duplicate_of") or line.get("sibling_of") or {}
    return reference


def digests(output: Path) -> set[str]:
    """Return the digests of the bodies that are stored."""
    return {line["payload_digest"] for line in lines(output, "pages")}


@pytest.mark.parametrize("which", ["refresh", "indexed"])
def test_a_refresh_stores_what_is_new_and_finds_it_behind_what_is_not(
    crawls: Crawls, which: str
) -> None:
    """Nothing is stored twice, also after a resume, and copies of earlier pages lead on."""
    output = getattr(crawls, which)
    assert digests(output)
    assert not digests(output) & digests(crawls.first)
    assert summary_of(output)["seen"] > summary_of(crawls.first)["seen"]
    assert summary_of(output)["pending"] == 0
    told = {line["url"] for line in lines(output, "duplicates")}
    stored = {line["url"] for line in lines(crawls.first, "pages")}
    assert stored <= told | {line["url"] for line in elsewhere(output, "pages")}


def test_lines_name_pages_of_the_other_directory(crawls: Crawls) -> None:
    """Each reference is to a line of that directory's pages.jsonl, and fits the schema."""
    there = {(line["id"], line["url"]) for line in lines(crawls.first, "pages")}
    for output, name in ((crawls.refresh, crawls.first), (crawls.indexed, crawls.index)):
        found = elsewhere(output)
        assert {line["verdict"] for line in found} >= {"exact-payload", "exact-text"}
        for line in found:
            of = named(line)
            assert of["against"] == str(name)
            assert (of["id"], of["url"]) in there
            Draft202012Validator(schema("duplicates")).validate(line)
    assert "near" in {line["verdict"] for line in elsewhere(crawls.refresh)}
    by_index = elsewhere(crawls.indexed) + elsewhere(crawls.indexed, "pages")
    assert {named(line)["compared_by"] for line in by_index} == {"sketch"}
    assert {named(line)["segment"] for line in by_index} == {str(crawls.first)}


def test_an_index_drops_no_page_that_is_merely_like(crawls: Crawls) -> None:
    """What a reader sees is not in it, so what is like a page of it is stored as a sibling."""
    alike = elsewhere(crawls.indexed, "pages")
    assert {line["verdict"] for line in alike} == {"sibling"}
    near = [line for line in elsewhere(crawls.indexed) if line["verdict"] == "near"]
    assert {line["evidence"] for line in near} <= {"same-address"}


def test_a_resume_is_judged_against_the_same(
    crawls: Crawls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other directories, one that was replaced and one that is gone are refused, each by name."""
    work = tmp_path / "work"
    shutil.copytree(crawls.stopped, work)
    away = crawls.first.with_name("away")
    crawls.first.rename(away)
    try:
        code, _, told = command(capsys, "resume", work)
        assert (code, str(crawls.first) in told) == (2, True)
        shutil.copytree(crawls.indexed, crawls.first)
        code, _, told = command(capsys, "resume", work)
        assert (code, f"{crawls.first} is not what this run" in told) == (2, True)
    finally:
        shutil.rmtree(crawls.first, ignore_errors=True)
        away.rename(crawls.first)
    job = tmp_path / "job.yaml"
    job.write_text("seeds: []\ndedup: {against: [elsewhere]}\n", encoding="utf-8")
    code, _, told = command(capsys, "resume", work, "--config", job)
    assert (code, "against: the crawl has" in told) == (2, True)


def test_other_commands_know_such_lines(
    crawls: Crawls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check`, `report`, `audit`, `explain` and `restore` take them, and say where the other is."""
    work = tmp_path / "work"
    shutil.copytree(crawls.refresh, work)
    near = next(line for line in elsewhere(work) if line["verdict"] == "near")
    for output in (work, crawls.indexed):
        assert command(capsys, "check", output)[0] == 0
        assert command(capsys, "report", output)[0] == 0
        assert command(capsys, "audit", output, "--output", tmp_path / "audit.html")[0] == 0
    pair = near["url"], named(near)["url"]
    code, told, _ = command(capsys, "explain", *pair, "--output", work)
    assert (code, str(crawls.first) in told) == (0, True)
    same = next(line for line in elsewhere(work) if line["url"] == named(line)["url"])
    code, told, _ = command(capsys, "explain", same["url"], same["url"], "--output", work)
    assert (code, str(crawls.first) in told) == (0, True)
    code, _, told = command(capsys, "explain", same["url"], "1", "--output", crawls.indexed)
    assert (code, "a portable index: that holds no text" in told) == (2, True)
    code, told, _ = command(capsys, "restore", work, near["url"], "--dry-run")
    assert (code, f"in {crawls.first}" in told) == (0, True)
    assert command(capsys, "restore", work, near["url"])[0] == 0
    assert near["url"] in {line["url"] for line in lines(work, "pages")}
    assert command(capsys, "check", work)[0] == 0


def test_a_page_that_was_purged_there_meanwhile_is_like_nothing(
    crawls: Crawls, tmp_path: Path
) -> None:
    """A judge that had its row in memory, as while it runs or from a snapshot, finds no copy."""
    first = Path(shutil.copytree(crawls.first, tmp_path / "first"))
    pages = [line for line in lines(first, "pages") if line["counts"]["tokens"] > 100]
    page = pages[0]
    settings, purged = Dedup(), False
    for expected in (NearDuplicate, New):
        view = StoreView.read(first)
        catalog = LayeredCatalog(MemoryCatalog(), b"", [directory_pages(view)])
        judge = Judge(settings, catalog, 1000)
        judge.restore(catalog.earlier_rows())
        if purged:
            assert main(["purge", str(first), "--host", page["host"], "--yes"]) == 0
        text = f"{page['text']} more"
        signature = Signer(settings, catalog.keys)(text, text)
        key = PayloadKey(bytes(32), "text/plain")
        assert isinstance(judge.judge(key, signature, 1), expected)
        view.close()
        purged = True
