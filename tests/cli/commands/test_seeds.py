"""Where a crawl begins: URLs on the command line, lists, standard input; and which were dead."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from support.crawling import QUICK, command, write_job
from support.output import lines
from support.shelf import shelf, written

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_urls_lists_and_standard_input_are_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are seeds; junk stops it before anything is asked for, or is left out and told of."""
    job = write_job({**QUICK, "politeness": {"delay_s": 0.0}, "scope": {}}, tmp_path / "job.yaml")
    pages = {f"/{n}": written(f"Page {n}", n) for n in range(3)}
    asked: list[str] = []
    with shelf(pages, asked) as site:
        given = f"{site}/2\nno url\n".encode()
        for more, expected in ([], 2), (["--skip-bad"], 0):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            flags = ["--config", job, "--output", tmp_path / "out", "--seeds", "-", *more]
            code, _, said = command(capsys, f"{site}/0", f"{site}/1", *flags)
            assert code == expected
            assert "standard input:2: 'no url' is not an http(s) URL" in said
            assert bool(asked) == (code == 0)
    assert {page["url"].removeprefix(site) for page in lines(tmp_path / "out", "pages")} == {*pages}


def test_dead_seeds_are_named_in_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seed without a page is told of, with the reason, also where others brought pages.

    A sitemap was to bring those that it lists.
    """
    job = write_job({**QUICK, "politeness": {"delay_s": 0.0}, "scope": {}}, tmp_path / "job.yaml")
    listed = "<urlset><url><loc>/0</loc></url></urlset>"
    with shelf({"/0": written("Page", 1), "/map.xml": listed}) as site:
        flags = ["--config", job, "--output", tmp_path / "out"]
        code, _, said = command(capsys, f"{site}/map.xml", f"{site}/gone", *flags)
    assert code == 0
    assert f"{site}/gone: no page (http-4xx): HTTP status 404" in said
    assert said.count(": no page") == 1
