"""The estimate: Wilson's interval, the numbers of the whole crawl, and the same in the browser."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from importlib.resources import files

import orjson
import pytest

from crawler.observe.summary import wilson
from crawler.views.audit import shown
from crawler.views.audit.marks import WRONG, Estimate, Mark, Marked, estimates
from crawler.views.audit.sample import Stratum


def lines(
    stratum: Stratum, population: int, copies: int, others: int, unsure: int = 0, unmarked: int = 0
) -> list[Marked]:
    """Return marks of one stratum."""
    counts = {Mark.COPY: copies, Mark.OTHER: others, Mark.UNSURE: unsure, None: unmarked}
    marks = [mark for mark, number in counts.items() for _ in range(number)]
    return [
        Marked(f"http://a.test/{n}", "http://a.test/", "", None, mark, 1, stratum, population, "")
        for n, mark in enumerate(marks)
    ]


@pytest.mark.parametrize(("found", "of"), [(1, 10), (5, 50), (3, 7), (199, 200)])
def test_the_interval_is_wilsons(found: int, of: int) -> None:
    """Its ends are the shares from which what was found is 1.96 standard errors away.

    The errors are those at the ends themselves: that is what a score interval is.
    """
    for end in wilson(found, of):
        assert abs(found / of - end) == pytest.approx(1.959964 * math.sqrt(end * (1 - end) / of))


def test_the_interval_keeps_within_the_possible() -> None:
    """Where none or all are wrong one end is exact, and the other is not: 10 is not many."""
    square = 1.959964**2
    assert wilson(0, 10) == pytest.approx((0.0, square / (10 + square)))
    assert wilson(10, 10) == pytest.approx((10 / (10 + square), 1.0))
    assert (wilson(0, 7)[0], wilson(7, 7)[1]) == (0.0, 1.0)


def test_unsure_ones_are_left_out_and_counted() -> None:
    """A share is of the pairs that were decided; the others are told."""
    (one,) = estimates(lines(Stratum.DROPPED, 1234, copies=38, others=2, unsure=3, unmarked=7))
    assert (one.wrong, one.decided, one.unsure, one.unmarked) == (2, 40, 3, 7)
    told = shown.estimated(one)
    assert "2 of 40 dropped pages are other pages: 5.0%" in told
    assert "Of 1,234 dropped near duplicates between 17 and 204 were dropped wrongly" in told
    assert "Unsure, left out: 3." in told


def test_what_is_wrong_depends_on_the_stratum() -> None:
    """Of siblings, copies are what was judged wrongly; each stratum is estimated by itself."""
    marks = lines(Stratum.SIBLINGS, 90, copies=1, others=9) + lines(Stratum.DROPPED, 80, 1, 9)
    marks += lines(Stratum.SAME_TEXT, 1000, copies=10, others=0)
    dropped, same_text, siblings = estimates(marks)
    assert (same_text.stratum, same_text.wrong, same_text.population) == (
        Stratum.SAME_TEXT,
        0,
        1000,
    )
    assert (dropped.stratum, dropped.wrong) == (Stratum.DROPPED, 9)
    assert (siblings.stratum, siblings.wrong) == (Stratum.SIBLINGS, 1)


def test_where_all_are_marked_the_number_is_exact() -> None:
    """The whole crawl cannot have more nor fewer wrong ones than were seen."""
    (one,) = estimates(lines(Stratum.DROPPED, 5, copies=4, others=1))
    assert one.pages == (1, 1)
    assert "Of 5 dropped near duplicates 1 were dropped wrongly" in shown.estimated(one)


def test_without_marks_nothing_is_claimed() -> None:
    """Before the first decision any number may be wrong."""
    (one,) = estimates(lines(Stratum.DROPPED, 1234, 0, 0, unmarked=5))
    assert one.pages == (0, 1234)
    assert "of 1,234 dropped near duplicates any number" in shown.estimated(one)


@pytest.mark.skipif(not shutil.which("node"), reason="no node: scripts run in a browser only")
def test_the_page_computes_the_same() -> None:
    """The script's sentence is ours, for every number of wrong ones among some numbers of marks."""
    source = files("crawler.views.audit").joinpath("marking.js").read_text(encoding="utf-8")
    constant = re.search(r"const Z = .*?;", source)
    functions = re.search(r"function wilson.*?(?=function show)", source, re.DOTALL)
    assert constant
    assert functions
    cases = [
        lines(stratum, population, copies, of - copies, unsure=copies % 3)
        for stratum in Stratum
        for population, of in ((50, 1), (50, 16), (1234, 50), (98_765_432, 200), (7, 7))
        for copies in range(of + 1)
    ]
    given = [
        {
            "of": {
                "stratum": marks[0].stratum,
                "population": str(marks[0].population),
                "wrong": WRONG[marks[0].stratum],
                "template": shown.TEMPLATES[marks[0].stratum],
                "nothing": shown.NOTHING[marks[0].stratum],
                "unsure": shown.UNSURE,
            },
            "lines": marks,
        }
        for marks in cases
    ]
    program = f"""{constant[0]}
    let lines = [], marks = new Map();
    {functions[0]}
    console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(one => {{
      lines = one.lines;
      marks = new Map(lines.map(line => [line.url, line.mark]));
      return sentence(one.of);
    }})));"""
    ran = subprocess.run(
        ["node", "-e", program], input=orjson.dumps(given), capture_output=True, check=True
    )
    ours = [shown.estimated(one) for marks in cases for one in estimates(marks)]
    assert json.loads(ran.stdout) == ours


def test_an_estimate_of_nothing_is_everything() -> None:
    """No marks, no knowledge: the interval is the whole range."""
    assert Estimate(Stratum.DROPPED, 3, 0, 0, 0, 3).interval == (0.0, 1.0)
