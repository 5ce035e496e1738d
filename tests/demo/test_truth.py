"""The demo web's truth: clusters are as near as promised, and outputs are counted rightly."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from html import unescape
from itertools import combinations, islice
from typing import Any

import pytest
import trafilatura
from support.asking import ask
from support.paths import ROOT

from crawler.demo import Comparison, DemoWeb, Truth
from crawler.demo.articles import Library
from crawler.demo.pages import Outcome
from crawler.demo.truth import EXACT, FALSE, NEAR, STORED

INSIDE, ACROSS = 0.9, 0.5
_FURNITURE = re.compile(
    r"<(nav|aside|footer|header|section id)\b.*?</(nav|aside|footer|header|section)>"
    r'|<title>.*?</title>|<(p|div) class="byline">.*?</\3>|<div class="(nav|footer)">.*?</div>',
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
Shingles = frozenset[str]


def shingles(text: str) -> Shingles:
    """Return word 3-grams, or character 4-grams where a third of the text is Chinese."""
    text = text.lower()
    if 3 * len(_HAN_OR_KANA.findall(text)) > len(text):
        joined = "".join(re.findall(r"\w", text))
        return frozenset(joined[n : n + 4] for n in range(len(joined) - 3))
    words = re.findall(r"\w+", text)
    return frozenset(" ".join(words[n : n + 3]) for n in range(len(words) - 2))


def markup(web: DemoWeb, url: str) -> str:
    """Return a page as a reader with the right charset gets it."""
    charset = re.search(r"//babel.*?/(?:gb|big5|ja|west)/(utf-8|utf-16|\w+)", url)
    return ask(web, url).body.decode(charset[1] if charset else "utf-8")


def own_text(page: str) -> str:
    """Return the article's text, the surroundings cut out by hand."""
    return unescape(_TAG.sub(" ", _FURNITURE.sub(" ", page)))


def extracted(page: str) -> str:
    """Return the main text as the crawler has it extracted."""
    return trafilatura.extract(page, fast=True, include_comments=False) or ""


def texts(web: DemoWeb, read: Callable[[str], str]) -> dict[str, Shingles]:
    """Return the shingles of every stored page with enough text to be judged."""
    urls = sorted(web.truth.urls(Outcome.STORED))
    found = {url: shingles(read(markup(web, url))) for url in urls}
    return {url: s for url, s in found.items() if len(s) > 16}


def jaccard(one: Shingles, other: Shingles) -> float:
    """Return the share of all shingles that both have."""
    return len(one & other) / len(one | other)


def closest_strangers(found: dict[str, Shingles], truth: Truth) -> float:
    """Return the highest similarity of any two pages of different clusters."""
    holders: dict[str, list[str]] = defaultdict(list)
    for url, own in found.items():
        for shingle in own:
            holders[shingle].append(url)
    common = Counter(pair for urls in holders.values() for pair in combinations(urls, 2))
    best = 0.0
    for (a, b), shared in common.items():
        cluster = truth.fates[a].cluster
        if is_month(a) and is_month(b):
            continue  # siblings: the same text, by intention
        if not cluster or cluster != truth.fates[b].cluster:
            best = max(best, shared / (len(found[a]) + len(found[b]) - shared))
    return best


def is_month(url: str) -> bool:
    """Whether a page is one of the calendar's months, which all have the same text."""
    return "//calendar." in url and "/calendar/" in url


def clusters(truth: Truth) -> list[list[str]]:
    """Return the URLs of every cluster."""
    members: dict[str, list[str]] = defaultdict(list)
    for url, fate in truth.fates.items():
        if fate.cluster:
            members[fate.cluster].append(url)
    return list(members.values())


def check_promise(found: dict[str, Shingles], truth: Truth) -> None:
    """Hold all pairs of pages against the two bounds; siblings are alike across."""
    pairs = 0
    for urls in clusters(truth):
        for a, b in combinations([url for url in urls if url in found], 2):
            assert jaccard(found[a], found[b]) >= INSIDE, (a, b)
            pairs += 1
    assert pairs > 150
    months = [found[url] for url in found if is_month(url)]
    assert len(months) > 10
    assert all(jaccard(a, b) >= INSIDE for a, b in combinations(months, 2))
    assert closest_strangers(found, truth) < ACROSS


@pytest.mark.parametrize("seed", [1, 2026])
def test_texts_are_alike_inside_clusters_and_unlike_across(seed: int) -> None:
    """All pairs inside clusters reach .9 Jaccard similarity, and no pair across reaches .5."""
    web = DemoWeb(seed, articles=40)
    check_promise(texts(web, own_text), web.truth)


def test_the_promise_holds_for_extracted_text() -> None:
    """What trafilatura takes for the main text keeps the same promise on every page."""
    web = DemoWeb(seed=3, articles=40)
    check_promise(texts(web, extracted), web.truth)


def test_extraction_takes_the_whole_article() -> None:
    """Every layout's article is accepted as main text, within a tenth of its length."""
    web = DemoWeb(seed=4, articles=20)
    for host in ("news-a", "news-b", "archive", "xinwen", "zhuanzai", "blog", "handbook"):
        articles = (u for u in web.truth.fates if f"//{host}." in u and re.search(r"/\w+[/?]\d", u))
        for url in islice(articles, 3):
            page = markup(web, url)
            whole, main = len(own_text(page).split()), len(extracted(page).split())
            assert abs(whole - main) <= whole / 10, url


def test_edits_leave_numbers_alone() -> None:
    """An edited article says other words and the same numbers: with others it might be another."""
    library = Library(9)
    for language in ("en", "zh"):
        for n in range(100):
            article = library.article(f"e{n}", language, True)
            edited = library.with_edits(article, f"{n}")
            assert edited.text != article.text
            assert re.findall(r"\d+", edited.text) == re.findall(r"\d+", article.text)


def test_lengths_are_those_of_articles() -> None:
    """English articles have 150-650 words, Chinese ones 300-1,400 characters."""
    library = Library(9)
    for n in range(40):
        words = len(library.article(f"a{n}", "en", n % 2 == 0).text.split())
        characters = len(library.article(f"a{n}", "zh", n % 2 == 0).text)
        assert 150 <= words <= 650
        assert 300 <= characters <= 1400


def test_equal_payload_names_mean_equal_bytes_and_only_they() -> None:
    """Pages of a cluster share their bytes exactly where the truth says so."""
    web = DemoWeb(seed=8, articles=10)
    truth = web.truth
    for urls in clusters(truth):
        for a, b in combinations(urls, 2):
            one, other = truth.fates[a].payload, truth.fates[b].payload
            declared = one != "" and one == other
            assert declared == (payload(web, a) == payload(web, b)), (a, b)


def payload(web: DemoWeb, url: str) -> tuple[str, bytes]:
    """Return what an exact copy has to share: the declared type and the bytes."""
    answer = ask(web, url)
    return answer.headers["Content-Type"], answer.body


Records = list[dict[str, Any]]


def perfect(truth: Truth) -> dict[str, Records]:
    """Return the output of a crawl that makes no mistake."""
    output: dict[str, Records] = defaultdict(list)
    originals: dict[str, str] = {}
    for url, fate in truth.fates.items():
        if fate.outcome is Outcome.STORED:
            original = originals.setdefault(fate.cluster or url, url)
            if original == url:
                output["pages"].append({"url": url})
                continue
            same = fate.payload and fate.payload == truth.fates[original].payload
            verdict = "exact-payload" if same else "near"
            output["duplicates"].append(
                {"url": url, "verdict": verdict, "duplicate_of": {"url": original}}
            )
        elif fate.outcome is Outcome.REDIRECT:
            output["redirects"].append({"url": url})
        elif fate.outcome is Outcome.FAILED:
            output["failures"].append({"url": url, "failure": fate.detail})
        else:
            output["skipped"].append({"url": url, "reason": fate.detail})
    return output


@pytest.fixture(scope="module")
def truth() -> Truth:
    """The truth of a small web."""
    return DemoWeb(articles=20).truth


def duplicates(comparison: Comparison) -> tuple[int, int, int]:
    """Count exact and near copies together, either name for either: expected, found, wrong."""
    copies = (EXACT, NEAR)
    expected = {url for url, kind in comparison.expected.items() if kind in copies}
    claimed = {url for url, kind in comparison.got.items() if kind in (*copies, FALSE)}
    right = {url for url in claimed & expected if comparison.got[url] != FALSE}
    return len(expected), len(right), len(claimed - right)


def test_a_perfect_crawl_has_nothing_wrong_or_missed(truth: Truth) -> None:
    """Correct verdicts give found = expected in every row, and none wrong, over all copies too."""
    comparison = truth.compare(**perfect(truth))
    assert comparison.wrong == ()
    assert comparison.missed == ()
    assert all(row.expected == row.found and row.wrong == 0 for row in comparison.rows())
    assert [row.kind for row in comparison.rows()[:3]] == [STORED, EXACT, NEAR]
    expected, found, wrong = duplicates(comparison)
    assert (found, wrong) == (expected, 0)
    assert expected > 60


def test_the_readme_has_the_table_that_the_demo_ends_with() -> None:
    """Of the web that `make demo` crawls, failed and skipped URLs in one row."""
    truth = DemoWeb().truth
    expected: Counter[str] = Counter()
    for row in truth.compare(**perfect(truth)).rows():
        rest = row.kind.partition(":")[0] in ("failed", "skipped")
        expected["failed or skipped" if rest else row.kind] += row.expected
    del expected["redirect"]
    shown = re.findall(r"^    (\S.*?) {2,}(\d+) +(\d+) +0$", (ROOT / "README.md").read_text(), re.M)
    assert shown == [(kind, str(number), str(number)) for kind, number in expected.items()]


def test_files_left_out_are_not_compared(truth: Truth) -> None:
    """Pages and duplicates alone can be compared: nothing of the other files is then missed."""
    output = perfect(truth)
    comparison = truth.compare(output["pages"], output["duplicates"])
    assert [row.kind for row in comparison.rows()] == [STORED, EXACT, NEAR]
    assert comparison.missed == ()


def test_any_member_of_a_cluster_may_be_the_stored_one(truth: Truth) -> None:
    """A crawl that met the URLs in the opposite order is as right."""
    backwards = Truth(dict(reversed(list(truth.fates.items()))))
    comparison = truth.compare(**perfect(backwards))
    assert comparison.wrong == ()
    assert comparison.missed == ()


def test_mistakes_are_named_and_counted(truth: Truth) -> None:
    """A missed copy, a false copy, a lost page and an uncalled-for one each show in the counts."""
    output = perfect(truth)
    missed = output["duplicates"].pop(0)
    output["pages"].append({"url": missed["url"]})
    unique = [p for p in output["pages"] if not truth.fates[str(p["url"])].cluster]
    lost, false = unique[:2]
    output["pages"] = [p for p in output["pages"] if p not in (lost, false)]
    of = {"url": output["pages"][0]["url"]}
    output["duplicates"].append({"url": false["url"], "verdict": "near", "duplicate_of": of})
    output["pages"].append({"url": "http://private.demo.test/hidden/1"})
    comparison = truth.compare(**output)
    assert {difference.url for difference in comparison.wrong} == {
        *(missed["url"], false["url"], "http://private.demo.test/hidden/1")
    }
    assert [difference.url for difference in comparison.missed] == [lost["url"]]
    expected, found, wrong = duplicates(comparison)
    assert (found, wrong) == (expected - 1, 1)
    assert {row.kind: row.wrong for row in comparison.rows()}[FALSE] == 1


def test_a_copy_of_the_wrong_page_is_false(truth: Truth) -> None:
    """A duplicate that names a page of another cluster counts as one found less, and one wrong."""
    output = perfect(truth)
    record = output["duplicates"][0]
    stranger = next(p for p in output["pages"] if not truth.fates[str(p["url"])].cluster)
    record["duplicate_of"] = stranger
    expected, found, wrong = duplicates(truth.compare(**output))
    assert (expected - found, wrong) == (1, 1)


def test_a_copy_of_a_page_that_was_not_stored_is_false(truth: Truth) -> None:
    """A duplicate has to name a stored page, not another duplicate of its cluster."""
    output = perfect(truth)
    of = {str(record["duplicate_of"]["url"]) for record in output["duplicates"]}
    lost = next(page for page in output["pages"] if page["url"] in of)
    output["pages"].remove(lost)
    comparison = truth.compare(**output)
    orphans = [d for d in output["duplicates"] if d["duplicate_of"]["url"] == lost["url"]]
    assert orphans
    assert {comparison.got[str(orphan["url"])] for orphan in orphans} == {FALSE}


def test_a_tagged_page_counts_as_the_duplicate_it_is(truth: Truth) -> None:
    """With near duplicates stored as well as reported, the comparison is the same."""
    output = perfect(truth)
    near = [d for d in output["duplicates"] if d["verdict"] == "near"]
    output["pages"].extend({"url": record["url"]} for record in near)
    assert truth.compare(**output).wrong == ()
