"""Dropped pages whose text a crawl did not keep: told from their lines, or fetched again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.crawling import crawl, loopback_job
from support.explaining import ENGLISH, data, explain
from support.output import lines
from support.shelf import shelf

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@dataclass
class Shelf:
    """A host that runs: its pages by path, and what was asked for."""

    address: str
    pages: dict[str, str]
    asked: list[str]


def forgetful_job(seed: str, output: Path) -> dict[str, Any]:
    """Return a job that keeps nothing of what it drops."""
    return loopback_job(output, [seed], dedup={"keep_dropped": False})


@pytest.fixture
def host() -> Iterator[Shelf]:
    """Serve two near duplicates and a page that links them."""
    pages = {
        "/": "<a href=/one>one</a> <a href=/two>two</a>",
        "/one": f"<p>{ENGLISH}<p>Last updated: 3 May 2024",
        "/two": f"<p>{ENGLISH}<p>Last updated: 4 May 2024",
    }
    asked: list[str] = []
    with shelf(pages, asked) as address:
        yield Shelf(address, pages, asked)


@pytest.fixture
def forgotten(tmp_path: Path, host: Shelf) -> Path:
    """Crawl two near duplicates of which one is not kept; return the output."""
    out = tmp_path / "out"
    assert crawl(forgetful_job(host.address, out)) == 0
    return out


def test_a_near_duplicate_that_was_not_kept_is_told_from_its_line(
    forgotten: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rule and both fingerprints are shown, why there is no text, and the way to one."""
    [near] = lines(forgotten, "duplicates")
    original = near["duplicate_of"]["url"]
    found = data(capsys, near["url"], original, "--output", forgotten)
    assert (found["a"]["text"], found["comparison"]) == (None, None)
    assert "keep_dropped: false" in found["a"]["judged_text"]
    assert found["sentence"].startswith("near duplicate, dropped: the stored page shows all that")
    assert found["fingerprints"]["distance"] == near["distance"]
    assert found["layouts"]["similarity"] == near["layout_similarity"]
    _, shown, _ = explain(capsys, near["url"], original, "--output", forgotten)
    assert "To compare the texts: --fetch fetches the page again" in shown


def test_a_saved_page_can_stand_for_a_dropped_one(
    forgotten: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file beside a URL without a text: its fingerprint is made, the other's is in its line."""
    [near] = lines(forgotten, "duplicates")
    saved = tmp_path / "saved.html"
    saved.write_text(f"<p>{ENGLISH}")
    found = data(capsys, saved, near["url"], "--output", forgotten)
    assert found["fingerprints"]["b"] == near["fingerprint"]
    assert found["comparison"] is None


def test_what_is_fetched_again_may_be_another_page_by_now(
    host: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed page is compared and said to be changed; gone or forbidden is one clear error."""
    assert crawl(forgetful_job(host.address, tmp_path / "out")) == 0
    urls = f"{host.address}/one", f"{host.address}/two"
    [dropped] = [d["url"] for d in lines(tmp_path / "out", "duplicates")]
    flags = *urls, "--output", tmp_path / "out", "--fetch"
    path = dropped.removeprefix(host.address)
    host.asked.clear()
    before = host.pages[path]
    found = data(capsys, *flags)
    side = "a" if dropped == urls[0] else "b"
    assert found[side]["judged_text"].startswith("fetched again, it shows what was judged; ")
    assert found["decision"]["recorded"]
    assert found["comparison"]["evidence"] == "same-text"
    assert any(piece["change"] != "equal" for piece in found["comparison"]["difference"])
    host.asked.clear()
    host.pages[path] = f"{before} Another end."
    found = data(capsys, *flags)
    assert found[side]["judged_text"].startswith("fetched again, it has changed since")
    assert found[side]["text"].endswith("Another end.")
    assert host.asked == ["/robots.txt", path], "robots.txt first, and nothing but the page"
    del host.pages[path]
    code, _, error = explain(capsys, *flags)
    assert (code, f"{dropped} has no text: http-4xx (HTTP status 404" in error) == (2, True), error
    host.asked.clear()
    host.pages["/robots.txt"] = f"User-agent: *\nDisallow: {path}"
    code, _, error = explain(capsys, *flags)
    assert (code, f"{dropped} has no text: robots (disallowed" in error) == (2, True), error
    assert host.asked == ["/robots.txt"]
