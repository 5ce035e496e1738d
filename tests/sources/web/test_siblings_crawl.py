"""A crawl of pages that are alike: what it drops, what it stores, and what its lines say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import AS_USERS_READ, command, crawl, loopback_job
from support.documents import text
from support.output import lines, summary_of
from support.shelf import shelf, written

from crawler.storage.view import AlikeAs, StoreView, largest_clusters

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

WORD = text(1).split()[70]
VIEWS = "<div>1,234 views</div>"


def listed(name: str) -> str:
    """Return a long list of links to pages that the crawl leaves out."""
    rows = (
        f"<li><a href=/left/{name}{n}>The {name} story number {n}, told in full, and again</a>"
        for n in range(60)
    )
    return f"<div class=related><ul>{''.join(rows)}</ul></div>"


FRENCH = "<div>Traduire</div><div>Corriger</div>"
WALKS = range(3, 6)
"""As many as earn an edition (`crawler.urls.editions.LEAST`)."""
PAGES = {
    "/goods/1": written("Lamp", 1),
    "/goods/2": written("Bell", 1, (WORD, "bell")),
    "/goods/2?ref=news": written("Bell", 1, (WORD, "bell"), below=VIEWS),
    **{f"/walk/{n}": written(f"Walk {n}", n) for n in WALKS},
    **{f"/fr/walk/{n}": written(f"Walk {n}", n, below=VIEWS) for n in WALKS},
    "/fr/goods/2": written("Bell", 1, (WORD, "bell"), below=FRENCH),
    "/story": written("Story", 2, below=listed("old")),
    "/story?view=2": written("Story", 2, below=listed("new")),
    "/story?print=1": written("Story", 2),
}
"""Of four goods one is a sibling and two are copies of it, the last since as many walks as are
asked for prove that what stands in `/fr/` stands outside it as well. Of a story with other lists
below only the lists are new, and without a list it is a copy."""


def crawled(output: Path, **dedup: object) -> str:
    """Crawl the pages above in their order; return the address of their host."""
    with shelf(PAGES) as host:
        one_by_one = {"fetch": {"workers": 1}, "scope": {"exclude": ["/left/"]}, "dedup": dedup}
        one_by_one |= AS_USERS_READ
        assert crawl(loopback_job(output, [host + path for path in PAGES], **one_by_one)) == 0
    return host


def told(output: Path, name: str, host: str) -> dict[str, tuple[Any, ...]]:
    """Return path -> verdict, page that it is like, and evidence, of a line file."""
    found = {}
    for line in lines(output, name):
        like = line.get("sibling_of") or line.get("duplicate_of") or {"url": ""}
        path = like["url"].removeprefix(host)
        found[line["url"].removeprefix(host)] = (line["verdict"], path, line.get("evidence"))
    return found


def test_siblings_are_stored_and_copies_dropped(tmp_path: Path) -> None:
    """By default: lines, summary and the kept difference say of each page what became of it."""
    host = crawled(tmp_path)
    assert told(tmp_path, "pages", host) == {
        "/goods/1": ("new", "", None),
        "/goods/2": ("sibling", "/goods/1", "other-title"),
        **{f"/walk/{n}": ("new", "", None) for n in WALKS},
        "/story": ("new", "", None),
        "/story?view=2": ("sibling", "/story", "other-surroundings"),
    }
    assert told(tmp_path, "duplicates", host) == {
        "/goods/2?ref=news": ("near", "/goods/2", "same-text"),
        **{f"/fr/walk/{n}": ("near", f"/walk/{n}", "same-text") for n in WALKS},
        "/fr/goods/2": ("near", "/goods/2", "same-address"),
        "/story?print=1": ("near", "/story", "same-text"),
    }
    summary = summary_of(tmp_path)
    assert summary["stored_by_verdict"] == {"new": 5, "sibling": 2}
    assert summary["duplicates"]["near"] == 6
    assert summary["evidence"] == {
        "other-title": 1, "other-surroundings": 1, "same-text": 5, "same-address": 1,
    }  # fmt: skip
    assert summary["identity_holds"]
    with StoreView.read(tmp_path) as view:
        ids = dict(view.database.rows("SELECT url, id FROM urls"))
        kept = view.dropped(ids[f"{host}/fr/goods/2"])
        assert view.dropped(ids[f"{host}/goods/2"]) is None
        assert [(ref.url, size) for ref, size in largest_clusters(view, 9, AlikeAs.SIBLING)] == [
            (f"{host}/goods/1", 1), (f"{host}/story", 1),
        ]  # fmt: skip
        [(largest, size), *others] = largest_clusters(view, 9)
        assert (largest.url, size) == (f"{host}/goods/2", 2)
        assert {size for _, size in others} == {1}
    assert kept is not None
    assert kept.line["title"] == "Bell"
    assert "bell" in kept.line["text"]


def test_siblings_can_be_dropped(tmp_path: Path) -> None:
    """With `siblings: drop` each has its line among the duplicates, and is kept as a difference."""
    host = crawled(tmp_path, siblings="drop")
    walks = {f"/walk/{n}" for n in WALKS}
    assert set(told(tmp_path, "pages", host)) == {"/goods/1", "/story", *walks}
    dropped = told(tmp_path, "duplicates", host)
    assert dropped["/goods/2"] == ("sibling", "/goods/1", "other-title")
    assert dropped["/goods/2?ref=news"] == ("sibling", "/goods/1", "other-title")
    assert dropped["/story?view=2"] == ("sibling", "/story", "other-surroundings")
    summary = summary_of(tmp_path)
    assert summary["duplicates"]["sibling"] == 4
    assert summary["identity_holds"]
    with StoreView.read(tmp_path) as view:
        ids = dict(view.database.rows("SELECT url, id FROM urls"))
        kept = view.dropped(ids[f"{host}/goods/2"])
    assert kept is not None
    assert kept.line["verdict"] == "sibling"


def test_siblings_can_be_ignored_and_nothing_kept(tmp_path: Path) -> None:
    """With `siblings: ignore` whatever is alike is a near duplicate, unless hardly half is shown.

    No evidence is asked for. A page whose surroundings are most of it is another page all the same.
    """
    host = crawled(tmp_path, siblings="ignore", keep_dropped=False)
    stored = {"/goods/1", "/story", "/story?view=2", *(f"/walk/{n}" for n in WALKS)}
    assert set(told(tmp_path, "pages", host)) == stored
    dropped = told(tmp_path, "duplicates", host).values()
    assert {(verdict, evidence) for verdict, _, evidence in dropped} == {("near", None)}
    assert summary_of(tmp_path)["evidence"] == {}
    with StoreView.read(tmp_path) as view:
        assert view.database.rows("SELECT count(*) FROM dropped") == [(0,)]


def test_the_report_shows_copies_and_siblings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Evidence by number, and families of siblings apart from clusters of copies."""
    host = crawled(tmp_path)
    code, out, _ = command(capsys, "report", tmp_path)
    assert code == 0
    evidence = out.split("Copies and siblings, by evidence")[1].split("Largest clusters")[0]
    assert [line.split()[:3] for line in evidence.splitlines() if "same-" in line] == [
        ["near", "same-address", "1"], ["near", "same-text", "5"],
    ]  # fmt: skip
    clusters, families = out.split("Largest clusters")[1].split("Largest families of siblings")
    assert f"{host}/goods/2" in clusters
    assert f"{host}/goods/1" not in clusters
    assert f"{host}/goods/1" in families
    assert f"{host}/story" in families
