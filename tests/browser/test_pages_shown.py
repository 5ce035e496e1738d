"""What the program serves and writes for browsers, shown by one: the live page and the report."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.browsing import CHROMIUM, browser, needs_chromium
from support.crawling import FEWER, crawl, demo_web, job_data
from support.live import PAGES, TITLE, crawling, gated_web, served

from crawler.cli import main
from crawler.frontier.view import RulesSeen, RuleTurn

pytestmark = [needs_chromium, pytest.mark.usefixtures("no_analysis_processes")]


async def test_a_browser_shows_rules_of_urls_as_they_come_and_go(tmp_path: Path) -> None:
    """Those by which URLs wait, with how many; what came, was revoked and released, with when.

    Without any there is no such section; a rule that is markup stays text.
    """
    rule, part = "a.test/?<img src=x>&sid does not matter", "document.getElementById('foreseen')"
    async with served() as client, browser(tmp_path / "profile") as tab:
        await tab.open(str(client.session._base_url))
        await tab.until("document.body?.dataset.ready")
        assert await tab.evaluate(f"{part}.hidden")
        turns = RuleTurn("a.test/x/*", False, 5.0), RuleTurn(rule, True, 300.0)
        waiting = (rule, 1200), ("a.test/y/*", 34)
        client.run.rules = RulesSeen(3, 1240, waiting, turns, ("a.test/z/*",))
        await client.post("/pause")
        await tab.until(f"!{part}.hidden")
        assert "1,240 URLs wait behind others, by 3 rules." in await tab.evaluate(
            f"{part}.innerText"
        )
        rows = f"[...{part}.querySelectorAll('tbody tr, li')]"
        cells = f"{rows}.map((row) => [...row.children].map((cell) => cell.textContent))"
        assert await tab.evaluate(cells) == [
            [rule, "1,200"],
            ["a.test/y/*", "34"],
            ["5 s ago", "revoked", "a.test/x/*"],
            ["5 min ago", "came", rule],
            ["before", "released", "a.test/z/*"],
        ]


async def test_a_browser_shows_verdicts_as_text_and_its_buttons_steer(tmp_path: Path) -> None:
    """Under the page's own policy: rows come, markup stays text, each button does what it says."""
    with gated_web() as (made, server):
        async with (
            crawling(made, server, tmp_path / "out", []) as (live, _, _),
            browser(tmp_path / "profile") as tab,
        ):
            await tab.open(f"http://127.0.0.1:{live.port}/")
            feed = "document.querySelectorAll('#feed li').length"
            await tab.until(f"document.body?.dataset.ready && {feed} === 2")
            await tab.evaluate("document.getElementById('pause').click()")
            await tab.until("document.getElementById('phase').textContent === 'paused'")
            button = "document.querySelector('#hosts button[data-host^=\"b.test\"]')"
            await tab.evaluate(f"{button}.click()")
            await tab.until(f"{button}.textContent === 'Go on'")
            made.gate.set()
            await tab.evaluate("document.getElementById('pause').click()")
            await tab.until(f"{feed} >= {PAGES}")
            titles = await tab.evaluate("document.getElementById('feed').textContent")
            assert titles.count(TITLE) >= PAGES
            assert await tab.evaluate("document.body.dataset.taken") is None
            assert (
                await tab.evaluate("document.querySelectorAll('#feed :is(script,img)').length") == 0
            )
            await tab.until("document.getElementById('phase').textContent === 'ended'")
            told = await tab.evaluate("document.getElementById('message').textContent")
            assert re.search(r"Its report: .* report .*pending: .* resume ", told)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a crawl."""
    output = tmp_path_factory.mktemp("report") / "out"
    with demo_web(articles=2) as (web, _):
        assert crawl(job_data(web, output, FEWER)) == 0
    file = output.parent / "report.html"
    assert main(["report", str(output), "--html", str(file)]) == 0
    return file


def test_the_script_fills_the_page_in_a_browser(report: Path) -> None:
    """Chromium runs the script under the page's own policy: the list and a comparison are there."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    told = subprocess.run(
        [str(CHROMIUM), *flags, "--dump-dom", report.as_uri()],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    ).stdout
    assert 'data-ready="true"' in told
    assert re.search(r'id="found"[^>]*>[\d,]+ pages', told)
    assert re.search(r'<div class="diff"><p', told)
    assert re.search(r'<table id="alike-table">.*?<tbody><tr><td class="u">http', told)


@pytest.mark.parametrize("width", [390, 1_280])
def test_charts_and_tables_fit_the_screen(report: Path, width: int) -> None:
    """On a phone as on a desk there is one chart over time, and nothing but links is cut off."""
    needed = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    with needed.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = chromium.new_page(viewport={"width": width, "height": 2_000})
        shown.goto(report.as_uri())
        charts = shown.locator("#time svg:visible")
        assert charts.count() == 1
        box = charts.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
        cut = shown.locator(".scroll").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth + 8).map(e => e.innerText)"
        )
        assert cut == []  # other fonts are a little wider
        chromium.close()
