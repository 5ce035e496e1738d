"""`report --html` and `--json`: one page that needs nothing else, and the same figures as data."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analysing import no_processes
from support.crawling import FEWER, command, crawl, demo_web, job_data
from support.documents import edited, text, write
from support.output import lines
from support.paths import doc

from crawler.cli import main
from crawler.engine.schema import schema
from crawler.storage.view import StoreView
from crawler.urls import host_key
from crawler.views.report.figures import (
    SPANS,
    Figures,
    OverTime,
    Paces,
    Texts,
    begin_of,
    gather,
)
from crawler.views.report.page import as_page, stacked
from crawler.views.wording import ways_out

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)>"\x1b[31m'


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl a small demo web once."""
    output = tmp_path_factory.mktemp("crawled") / "out"
    with demo_web(articles=2) as (web, _), no_processes():
        assert crawl(job_data(web, output, FEWER)) == 0
    return output


@pytest.fixture(scope="module")
def page(crawled: Path) -> str:
    """Return its page, as the command writes it."""
    file = crawled.parent / "report.html"
    assert main(["report", str(crawled), "--html", str(file)]) == 0
    return file.read_text(encoding="utf-8")


def packed(page: str, name: str) -> Any:
    """Return data that the page's script reads."""
    found = re.search(rf'<script type="application/gzip" id="{name}">([^<]+)</script>', page)
    assert found
    return orjson.loads(gzip.decompress(base64.b64decode(found[1])))


def test_a_page_has_all_copies_and_siblings_to_search_in(crawled: Path, page: str) -> None:
    """Each line of a copy, and of a stored sibling, is in the list with what it is like."""
    rows = packed(page, "rows")
    listed = Counter((rows["urls"][row[0]], rows["urls"][row[1]], row[2]) for row in rows["rows"])
    expected = Counter(
        (line["url"], line["duplicate_of"]["url"], line["verdict"])
        for line in lines(crawled, "duplicates")
    )
    expected += Counter(
        (line["url"], line["sibling_of"]["url"], "sibling")
        for line in lines(crawled, "pages")
        if line["verdict"] == "sibling"
    )
    assert listed == expected
    assert expected


def test_texts_of_a_cluster_can_be_compared(crawled: Path, page: str) -> None:
    """Stored pages have the text of their lines, dropped near duplicates what was kept of them."""
    texts = packed(page, "texts")
    stored = {line["url"]: line["text"] for line in lines(crawled, "pages")}
    groups = [members for name, members in texts.items() if name.startswith("clusters")]
    assert groups
    for first, *others in groups:
        assert first["text"] == stored[first["url"]]
        assert all(member["text"] is not None for member in others), others


def test_figures_for_machines_are_those_of_the_lines(
    crawled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over time, by host and by rule the figures sum to what lines and summary say."""
    code, out, err = command(capsys, "report", crawled, "--json")
    assert code == 0, err
    figures = json.loads(out)
    judged = Counter(line["verdict"] for line in lines(crawled, "pages"))
    judged += Counter(line["verdict"] for line in lines(crawled, "duplicates"))
    over_time = {name: sum(row) for name, row in figures["timeline"]["counts"].items()}
    assert over_time == judged
    hosts: Counter[str] = Counter()
    for host in figures["hosts"]:
        hosts.update(host["ends"])
    assert sum(hosts.values()) == figures["summary"]["seen"]
    assert {name: hosts[name] for name in judged} == judged
    dropped: Counter[str] = Counter()
    for line in lines(crawled, "duplicates"):
        dropped[line["verdict"]] += line["body_bytes"]
    rows = {row["rule"]: row["bytes"] for row in figures["savings"] if row["bytes"]}
    assert rows == dropped
    assert figures["summary"].keys() == schema("summary")["properties"].keys()
    assert "text" not in figures["clusters"][0]["members"][0]


RULE_COUNTS = ("urls", "pending", "audits", "late", "wrong", "at_most_wrong")
RENDERED = {
    "host": "a.test",
    "part": "5f3a",
    "brings": True,
    **dict.fromkeys(("pages", "compared", "characters", "links", "failed"), 3),
    "seconds": 4.5,
}
MIRROR = {
    **{"kind": "mirror", "degree": 0.95, "degree_low": 0.9, "degree_high": 0.98, "agree": 95},
    **{"against": 5, "waiting": 7, "told_by": "canonical", "differ": [[HOSTILE, HOSTILE]]},
}


def test_a_page_asks_for_nothing_and_obeys_nothing_from_the_web() -> None:
    """Names, titles and texts that are markup stay text; no address is loaded."""
    member: dict[str, Any] = dict.fromkeys(("url", "title", "text", "missing"), HOSTILE)
    member |= {"verdict": "near", "evidence": "same-text", "similarity": 0.9, "distance": 1}
    summary: dict[str, Any] = {
        **{name: {} for name in ("duplicates", "failures", "skipped", "evidence")},
        **dict.fromkeys(("seen", "stored", "pending", "hosts", "runs", "elapsed_s"), 0),
        **{"started_at": None, "stored_by_verdict": {}, "identity_holds": False},
        **{"problems": [HOSTILE], "saved": {"bytes": 0}, "traps": []},
        "foreseen": dict.fromkeys((*RULE_COUNTS, "bytes", "seconds"), 1)
        | {"rules": [{"rule": HOSTILE} | dict.fromkeys(RULE_COUNTS, 1)]},
        "rendered": [RENDERED | {"host": HOSTILE}],
        "mirrors": [MIRROR | dict.fromkeys(("original", "mirror"), HOSTILE)],
        "living_copies": [{"url": HOSTILE, "living_copy": HOSTILE}],
        "failed": [{"url": HOSTILE, "failure": HOSTILE, "referrer": HOSTILE}],
        "read_by": {"template": 1},
        "templates": {
            **{"made": 1, "audits": 0, "revoked": 1, "misread": 3, "read_again": HOSTILE},
            **{"precision": None, "recall": None},
            "revoked_of": [{"host": HOSTILE, "times": 1, "misread": 3}],
            "doubted_of": [{"host": HOSTILE, "precision": 0.1, "recall": 0.2}],
        },
    }
    data: dict[str, Any] = {
        **{name: [] for name in ("families", "near_clusters", "savings", "paces", "copying")},
        **{"name": HOSTILE, "summary": summary, "delay_s": 1.0, "timeline": None, "lengths": None},
        **{"hosts": [{"host": HOSTILE, "ends": {"new": 1}}], "host_texts": {}, "languages": {}},
        "similarity": {"low": 0.0, "step": 0.02, "counts": {"near": [1] * 51}},
        "distance": {"low": 0.0, "step": 1.0, "counts": {}},
        "clusters": [{"id": 1, "size": 1, "members": [member, member]}],
    }
    rows = [(0, 0, "near", "same-text", 0.9, 1)]
    figures = Figures(Path(HOSTILE), data, rows, [HOSTILE], 1)
    made = as_page(figures)
    names = re.findall(r' id="([^"]+)"', made)
    assert len(names) == len(set(names)), "the script would take one for the other"
    assert "<img" not in made
    assert made.count("<script") == 3
    assert "\x1b" not in made
    assert not re.search(r'(?:src|href)="(?!#)', made)
    assert "default-src 'none'" in made
    assert packed(made, "texts")["clusters-0"][0]["text"] == HOSTILE


def test_a_corpus_without_hosts_and_times_has_a_page(tmp_path: Path) -> None:
    """A run of `dedup` is shown without what only a crawl has."""
    records = [{"id": "a", "text": text(1)}, {"id": "b", "text": edited(1)}]
    corpus = write(tmp_path / "c.jsonl", records)
    with no_processes():
        assert main(["dedup", str(corpus), "--output", str(tmp_path / "out")]) == 0
    assert main(["report", str(tmp_path / "out"), "--html", str(tmp_path / "r.html")]) == 0
    made = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'id="clusters"' in made
    assert 'id="time"' not in made
    assert 'id="politeness"' not in made


def test_of_a_corpus_a_page_tells_documents_as_the_tables_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of URLs, pages and hosts, in texts, names of sections or fields to search in."""
    records = [{"id": "a", "text": text(1)}, {"id": "b", "text": edited(1)}]
    corpus = write(tmp_path / "c.jsonl", [*records, {"id": "c", "text": text(2)}])
    with no_processes():
        assert main(["dedup", str(corpus), "--output", str(tmp_path / "out")]) == 0
    assert main(["report", str(tmp_path / "out"), "--html", str(tmp_path / "r.html")]) == 0
    made = (tmp_path / "r.html").read_text(encoding="utf-8")
    told = re.sub(r"<style.*?</style>|<script.*?</script>", "", made, flags=re.DOTALL)
    seen = re.sub(r"<[^>]*>", " ", told)
    fields = re.findall(r'(?:placeholder|aria-label|data-noun)="([^"]*)"', told)
    words = " ".join([seen, *fields])
    assert re.findall(r"\b(?:URL|page|host|stored|pending)s?\b", words, re.IGNORECASE) == []
    assert "All documents are accounted for" in seen
    assert re.search(r"2</b>documents kept", told)
    assert "in 1 run, 1 file." in seen
    assert "Find a file" in fields


def test_mistakes_are_one_line(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be written, and more clusters than a page holds, are told."""
    code, _, err = command(capsys, "report", crawled, "--html", tmp_path / "no" / "r.html")
    assert (code, err.count("\n")) == (2, 1)
    assert "cannot write the page" in err
    code, _, err = command(capsys, "report", crawled, "--html", tmp_path / "r", "--top", "201")
    assert (code, err.count("\n")) == (2, 1)


def test_every_class_has_the_way_out_that_the_docs_tell() -> None:
    """The sentences are those of docs/operations.md, and every class and reason has one."""
    told = doc("operations").replace("`", "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", told))
    for meaning, way in ways_out().values():
        assert meaning in plain
        assert way in plain
    failures = schema("failures")["properties"]["failure"]["enum"]
    reasons = schema("skipped")["properties"]["reason"]["enum"]
    assert {*failures, *reasons} - ways_out().keys() == set()


@given(st.lists(st.tuples(st.integers(0, 10**7), st.sampled_from(["new", "near"])), min_size=1))
def test_no_page_is_lost_over_time(pages: list[tuple[int, str]]) -> None:
    """However far apart, all are counted in at most so many spans, each in the span of its time."""
    over = OverTime()
    for at, verdict in pages:
        over.add(1.7e9 + at, verdict)
    line = over.result()
    assert line is not None
    found = {verdict: sum(row) for verdict, row in line["counts"].items()}
    assert found == Counter(verdict for _, verdict in pages)
    length = max(map(len, line["counts"].values()))
    assert length <= SPANS
    assert line["begin"] <= 1.7e9 + min(at for at, _ in pages)
    assert begin_of(line, length - 1) <= 1.7e9 + max(at for at, _ in pages)
    assert 1.7e9 + max(at for at, _ in pages) < begin_of(line, length - 1) + line["span_s"]
    begins = [begin_of(line, span) for span in range(length + 1)]
    for at, verdict in pages:
        span = bisect_right(begins, 1.7e9 + at) - 1
        assert line["counts"][verdict][span] > 0, at


def test_the_time_between_two_runs_is_cut_out_of_the_chart() -> None:
    """Ten minutes of work, three days of nothing, ten minutes: all spans are of work."""
    over = OverTime()
    for begin in (0, 3 * 86_400):
        for at in range(600):
            over.add(1.7e9 + begin + at, "new")
    line = over.result()
    assert line is not None
    assert all(line["counts"]["new"])
    [gap] = line["gaps"]
    before, seconds = gap["before"], gap["seconds"]
    assert begin_of(line, before) == 1.7e9 + 3 * 86_400
    assert 3 * 86_400 - 600 - line["span_s"] < seconds <= 3 * 86_400 - 600
    made = stacked("t", line["counts"], str, [], width=1_080, breaks={before: "3 days"})
    assert made.count('class="break"') == 1
    assert "3 days" in made


def test_near_copies_have_clusters_of_their_own(crawled: Path) -> None:
    """However many pages of the same bytes there are, pages that are nearly alike are shown."""
    with StoreView.read(crawled) as view:
        figures = gather(view, 20, lambda _: None)
    near = Counter(
        line["duplicate_of"]["url"]
        for line in lines(crawled, "duplicates")
        if line["verdict"] == "near"
    )
    clusters = figures.data["near_clusters"]
    assert {group["members"][0]["url"]: group["size"] for group in clusters} == near
    members = [member for group in clusters for member in group["members"][1:]]
    assert {member["verdict"] for member in members} == {"near"}


def test_hosts_tell_whom_they_copy_and_what_their_pages_are(crawled: Path, page: str) -> None:
    """Copies by pair of hosts, lengths and languages are those of the lines; each host has all."""
    with StoreView.read(crawled) as view:
        figures = gather(view, 1, lambda _: None).data
    pairs = Counter(
        (line["host"], host_key(line["duplicate_of"]["url"]))
        for line in lines(crawled, "duplicates")
    )
    found = {
        (pair["host"], pair["of"]): sum(pair["verdicts"].values()) for pair in figures["copying"]
    }
    assert found == {pair: number for pair, number in pairs.items() if pair[0] != pair[1]}
    assert found
    pages = lines(crawled, "pages")
    assert sum(map(sum, figures["lengths"]["counts"].values())) == len(pages)
    assert sum(figures["languages"].values()) == len(pages)
    for host, texts in figures["host_texts"].items():
        assert sum(texts["languages"].values()) == sum(line["host"] == host for line in pages)
    assert page.count('<details class="group" id="host-') == len(figures["hosts"])
    assert f">{figures['copying'][0]['host']}</a>" in page


@pytest.mark.parametrize(
    ("chars", "step"), [(0, 0), (1, 0), (2, 1), (1_023, 9), (1_024, 10), (2**40, 24)]
)
def test_lengths_are_counted_by_powers_of_two(chars: int, step: int) -> None:
    """A text stands between the powers of two around its length; the longest stand together."""
    texts = Texts(["a.test"])
    line = {"counts": {"text_chars": chars}, "verdict": "new", "text": "中文 words 字字字字字字"}
    texts.add("pages", {**line, "host": "a.test"})
    assert texts.lengths["new"].index(1) == step
    assert texts.languages == {"unknown, cjk letters": 1}


def test_many_pages_over_years_take_little_memory() -> None:
    """Spans are made wider as there are too many of them."""
    over = OverTime()
    for at in range(0, 10**8, 5_000):
        over.add(at, "new")
    line = over.result()
    assert line is not None
    assert sum(line["counts"]["new"]) == 20_000


def test_the_pace_of_a_host_is_that_of_its_last_answers() -> None:
    """Gaps within a run count, whatever the order of the lines; a pause between runs does not."""
    paces = Paces(["a.test", "b.test", "c.test"])
    for at in (6.0, 0.0, 2.0, 5.0, 90_000.0):
        paces.add("a.test", at)
    paces.add("b.test", 1.0)
    paces.add("other.test", 1.0)
    one, other = paces.result({"a.test": 2.0}, {"b.test": 7.0})
    assert list(one.values()) == ["a.test", 5, 2.0, 1.0, 2.0, None]
    assert list(other.values()) == ["b.test", 1, None, None, None, 7.0]


def numbers() -> Iterator[st.SearchStrategy[Any]]:
    """Yield what a chart is drawn from."""
    yield st.lists(st.integers(0, 10**9), min_size=1, max_size=70)


@given(*numbers())
def test_bars_stay_on_the_chart(counts: list[int]) -> None:
    """No bar is higher than the axis, and every position that has one has its name."""
    made = stacked("t", {"new": counts}, str, [0], width=520)
    tops = [float(y) for y in re.findall(r'<rect [^>]*y="([-\d.]+)"', made)]
    assert all(top >= 0 for top in tops)
    assert len(tops) == sum(map(bool, counts)) == made.count("<title>")


def test_a_damaged_line_is_named(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that is JSON and none of ours ends the report in one line that says where."""
    copy = Path(shutil.copytree(crawled, tmp_path / "copy"))
    pages = copy / "pages.jsonl"
    pages.write_bytes(pages.read_bytes().replace(b'"fetched_at":"2', b'"fetched_at":"x', 1))
    code, _, said = command(capsys, "report", copy, "--json")
    assert (code, "line 1 cannot be read back" in said, len(said.splitlines())) == (3, True, 1)
