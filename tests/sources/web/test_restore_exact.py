"""`restore` of exact duplicates: with all that the original does not show, or from its line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from support.analysing import no_processes
from support.crawling import command, crawl, loopback_job
from support.output import lines, summary_of
from support.restoring import copied, dropped, restored, state_of
from support.shelf import shelf, written

from crawler.cli import main
from crawler.dedup.copies import Appearance, unpack
from crawler.engine import schema
from crawler.models import EMBED_LINE, UrlState
from crawler.storage.view import StoreView
from crawler.views.check import check_directory

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

GOODS = written("Goods of 2023", 1, below='<iframe src="https://v.example/film-2023"></iframe>')
OTHER = (
    written("Goods", 1)
    .replace("<html>", '<html lang="de">')
    .replace("</head>", '<link rel="alternate" hreflang="fr" href="/fr"></head>')
)
"""The same visible text under another title, which is a heading of the other page, without an
embed, with a language and a translation."""
LINKED = "".join(f'<a href="/{name}">{name}</a> ' for name in ("other", "bytes"))
SUMS = {"judged_on": "judged_on", "read_by": "read_by", "duplicate_kinds": "kind"}
OF_ITS_END = (
    *("id", "fetched_at", "verdict", "duplicate_of", "kind", "content_similarity"),
    *("layout_similarity", "restored_at", "depth", "referrer"),
)
"""Fields in which a restored page may differ from one that was crawled alone."""


@dataclass(frozen=True)
class Site:
    """Two hosts, and what was crawled of them."""

    one: str
    two: str
    pages: dict[str, str]
    """Of the first host, by path; what is added is served from then on."""
    output: Path

    @property
    def original(self) -> str:
        """The stored page."""
        return f"{self.one}/goods"

    @property
    def text(self) -> str:
        """A page with its text."""
        return f"{self.one}/other"

    @property
    def bytes(self) -> str:
        """A page with its bytes, on the other host."""
        return f"{self.two}/bytes"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A crawl of two hosts with exact copies, which are dropped; the hosts stay there."""
    pages = {"/goods": GOODS, "/other": OTHER, "/": written("All", 2, below=LINKED)}
    with ExitStack() as stack:
        one = stack.enter_context(shelf(pages))
        leading = written("All here", 3, below=f'<a href="/bytes">b</a> <a href="{one}/">a</a>')
        two = stack.enter_context(shelf({"/bytes": GOODS, "/": leading}))
        output = tmp_path_factory.mktemp("exact") / "out"
        with no_processes():
            assert crawl(loopback_job(output, [f"{one}/goods"])) == 0
            for seed in (f"{one}/", f"{two}/"):
                assert main_of("add", output, seed) == 0
                assert main_of("resume", output) == 0
        yield Site(one, two, pages, output)


def main_of(*arguments: object) -> int:
    """Run a command whose output is of no interest."""
    return main([str(argument) for argument in arguments])


@pytest.fixture
def site(crawled: Site, tmp_path: Path) -> Site:
    """The same with a copy of its directory, which a test may change."""
    output = copied(crawled.output, tmp_path / "out")
    found = {line["url"]: line["verdict"] for line in lines(output, "duplicates")}
    assert (found[crawled.text], found[crawled.bytes]) == ("exact-text", "exact-payload")
    return Site(crawled.one, crawled.two, crawled.pages, output)


def seen_of(output: Path, url: str) -> Appearance:
    """Return what is kept of what a stored page shows."""
    with StoreView.read(output) as view:
        id_ = view.document_id(url)
        packed = view.appearance(id_) if id_ else None
    assert packed is not None
    return unpack(packed)


def check_sound(output: Path) -> None:
    """Assert that nothing is wrong with a directory, and that its sums are those of its lines."""
    assert not check_directory(output, every_page=True).problems
    with StoreView.read(output) as view:
        assert view.accounting().problems == []
    summary, stored = summary_of(output), {line["url"]: line for line in lines(output, "pages")}
    assert summary["identity_holds"]
    left = [line for line in lines(output, "duplicates") if line["url"] not in stored]
    told = [*stored.values(), *left]
    for name, field in SUMS.items():
        values = [line[field] for line in told if line[field]]
        assert summary[name] == {value: values.count(value) for value in values}, name
    assert summary["saved"]["bytes"] == sum(line["body_bytes"] for line in left)


@pytest.mark.parametrize("which", ["text", "bytes"])
def test_a_restored_copy_is_the_page_that_a_crawl_of_it_alone_has(
    site: Site, which: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Title, language, embeds, translations and text: as if there had been no original."""
    url = getattr(site, which)
    code, out, err = command(capsys, "restore", site.output, url)
    assert (code, f"{site.output}: 1 page restored" in out) == (0, True), err
    assert crawl(loopback_job(tmp_path / "alone", [url], limits={"pages": 1})) == 0
    [alone] = lines(tmp_path / "alone", "pages")
    line = restored(site.output)[url]
    Draft202012Validator(schema("pages")).validate(line)
    differing = {name for name in alone if line[name] != alone[name]}
    assert differing <= set(OF_ITS_END)
    assert seen_of(site.output, url) == seen_of(tmp_path / "alone", url)
    assert line["verdict"] == f"exact-{'text' if which == 'text' else 'payload'}"
    assert line["duplicate_of"]["url"] == site.original
    host = site.one if which == "text" else site.two
    assert (line["depth"], line["referrer"]) == (1, f"{host}/")


def test_what_the_original_does_not_show_was_kept(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """The copy has its own title, embed, language and translation, and `explain` shows them."""
    pair = site.text, site.original
    code, out, _ = command(capsys, "explain", *pair, "--output", site.output)
    assert (code, "   Goods\n" in out, "   Goods of 2023\n" in out) == (0, True, True)
    assert "dropped; its text was kept as a difference" in out
    assert main_of("restore", site.output, site.text) == 0
    own, other = (seen_of(site.output, url) for url in pair)
    assert (own.title, other.title) == ("Goods", "Goods of 2023")
    assert (own.language, other.language) == ("de", None)
    assert (own.alternates, other.alternates) == ((f"{site.one}/fr",), ())
    assert {*(other.apart or ())} - {*(own.apart or ())} == {f"{EMBED_LINE}film-2023"}
    assert own.visible_text == other.visible_text


def test_it_takes_little_to_keep(site: Site) -> None:
    """What both have in common costs next to nothing: a twentieth of the line and appearance."""
    query = "SELECT length(line) FROM dropped JOIN urls ON id = url_id WHERE url = ?"
    with StoreView.read(site.output) as view:
        [(size,)] = view.database.rows(query, (site.text,))
        [(count,)] = view.database.rows("SELECT count(*) FROM dropped")
    assert size < 900 < len(OTHER) / 3
    assert count == 1  # of a copy to the byte nothing is kept


def test_all_counts_agree_and_what_works_on_a_crawl_works(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """`report`, `explain`, `export`, `backup`, `retry`, `reindex` take restored copies."""
    before = summary_of(site.output)
    assert main_of("restore", site.output, site.text, site.bytes) == 0
    after = summary_of(site.output)
    Draft202012Validator(schema("summary")).validate(after)
    assert after["stored"] == before["stored"] + 2
    exact = {"exact-text": 1, "exact-payload": 1}
    assert exact.items() <= after["stored_by_verdict"].items()
    assert {name: after["duplicates"][name] for name in exact} == dict.fromkeys(exact, 0)
    check_sound(site.output)
    code, out, _ = command(capsys, "report", site.output)
    assert (code, "the output files agree" in out) == (0, True)
    page = site.output.parent / "report.html"
    assert main_of("report", site.output, "--html", page) == 0
    for url, why in ((site.text, "the text is the same"), (site.bytes, "the bytes are the same")):
        code, out, _ = command(capsys, "explain", url, site.original, "--output", site.output)
        assert (code, "exact duplicate, stored" in out, why in out) == (0, True, True)
    target = site.output.parent / "corpus"
    code, out, _ = command(capsys, "export", site.output, "--output", target, "--format", "csv")
    assert (code, f"{after['stored']} documents in unique/, 0 in" in out) == (0, True)
    assert main_of("retry", site.output) == 0
    assert main_of("resume", site.output) == 0
    assert main_of("backup", site.output, site.output.parent / "copy") == 0
    assert not check_directory(site.output.parent / "copy", every_page=True).problems
    assert main_of("reindex", site.output, "--method", "minhash") == 0
    check_sound(site.output)
    with StoreView.read(site.output) as view:
        leading = {row.id for row in view.index_rows() if row.representative}
    assert leading
    assert not leading & {line["id"] for line in restored(site.output).values()}


def test_restored_after_a_reindex_it_is_signed_by_the_new_settings(site: Site) -> None:
    """Either kind of copy is compared as all other pages then are."""
    assert main_of("reindex", site.output, "--method", "simhash-ngrams") == 0
    assert main_of("restore", site.output, site.text, site.bytes) == 0
    with StoreView.read(site.output) as view:
        rows = {row.id: row for row in view.index_rows()}
        ids = [view.document_id(url) for url in (site.original, site.text, site.bytes)]
    found = [rows[id_] for id_ in ids if id_]
    assert len({(row.fingerprint, row.shingle_kind, row.visible_digest) for row in found}) == 1
    check_sound(site.output)


def test_later_copies_go_on_naming_the_original(site: Site) -> None:
    """By text or bytes of the original they are its copies; by its own bytes, the restored page's.

    No page is called near to a restored one.
    """
    assert main_of("restore", site.output, site.text, site.bytes) == 0
    again = {
        "/text-again": GOODS.replace("Goods of 2023", "Goods"),
        "/bytes-again": GOODS,
        "/other-again": OTHER,
        "/edited": GOODS.replace("Goods</h1>", "Goods of ours</h1>"),
    }
    site.pages.update(again)
    for path in again:
        assert main_of("add", site.output, site.one + path) == 0
        assert main_of("resume", site.output) == 0
    every = lines(site.output, "duplicates") + lines(site.output, "pages")
    told = {line["url"]: line for line in every}
    of = {path: told[site.one + path] for path in again}
    like = of.pop("/edited")
    assert {path: (line["verdict"], line["duplicate_of"]["url"]) for path, line in of.items()} == {
        "/text-again": ("exact-text", site.original),
        "/bytes-again": ("exact-payload", site.original),
        "/other-again": ("exact-payload", site.text),
    }
    assert like["verdict"] in ("near", "sibling")
    assert (like["duplicate_of"] or like["sibling_of"])["url"] == site.original
    check_sound(site.output)


@pytest.mark.parametrize("restores", [True, False])
def test_the_original_is_purged(site: Site, restores: bool) -> None:
    """A restored copy stays, as a new page; one that is dropped has lost its text and waits."""
    if restores:
        assert main_of("restore", site.output, site.text, site.bytes) == 0
    host = site.one.removeprefix("http://")
    assert main_of("purge", site.output, "--host", host, "--yes") == 0
    with StoreView.read(site.output) as view:
        states = dict(view.database.rows("SELECT url, state FROM urls"))
    assert site.text not in states
    if restores:
        [line] = [line for line in lines(site.output, "pages") if line["url"] == site.bytes]
        assert (line["verdict"], line["duplicate_of"]) == ("new", None)
        assert line["title"] == "Goods of 2023"
        assert all(one["url"] != site.bytes for one in lines(site.output, "duplicates"))
    else:
        assert states[site.bytes] == UrlState.PENDING
        assert main_of("restore", site.output, site.bytes) == 2
    check_sound(site.output)


@pytest.mark.parametrize("restores", [True, False])
def test_the_host_of_a_copy_is_purged(site: Site, restores: bool) -> None:
    """What was counted of it is taken back, restored or not; the original stays as it is."""
    if restores:
        assert main_of("restore", site.output, site.text, site.bytes) == 0
    host = site.two.removeprefix("http://")
    assert main_of("purge", site.output, "--host", host, "--yes") == 0
    with StoreView.read(site.output) as view:
        assert site.bytes not in set(view.seen_urls())
        assert view.document_id(site.original)
    check_sound(site.output)


def test_a_cluster_has_its_exact_copies_and_evidence_has_none(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--cluster` takes all that was dropped for a page; a dry run lists it as equal."""
    [line] = [line for line in lines(site.output, "pages") if line["url"] == site.original]
    before = state_of(site.output)
    code, out, _ = command(capsys, "restore", site.output, "--cluster", line["id"], "--dry-run")
    assert code == 0
    assert {tuple(row.split()[:3]) for row in out.splitlines()} == {
        ("exact-text", "equal", site.text),
        ("exact-payload", "equal", site.bytes),
    }
    code, out, _ = command(capsys, "restore", site.output, "--evidence", "same-text")
    assert (code, out) == (0, f"{site.output}: 0 pages restored\n")
    assert state_of(site.output) == before
    assert main_of("restore", site.output, "--cluster", line["id"]) == 0
    assert set(restored(site.output)) == {site.text, site.bytes}
    check_sound(site.output)


def test_a_copy_of_a_restored_copy_is_restored_as_well(site: Site) -> None:
    """The page that has its bytes was restored itself: its line is read like any other."""
    assert main_of("restore", site.output, site.text) == 0
    site.pages["/third"] = OTHER
    assert main_of("add", site.output, f"{site.one}/third") == 0
    assert main_of("resume", site.output) == 0
    assert main_of("restore", site.output, f"{site.one}/third") == 0
    line = restored(site.output)[f"{site.one}/third"]
    assert (line["verdict"], line["duplicate_of"]["url"]) == ("exact-payload", site.text)
    assert line["title"] == "Goods"
    check_sound(site.output)


def test_a_page_of_an_earlier_directory_and_its_copies(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its text a copy is kept whole; with its bytes it is only there, and that is said."""
    early, late = tmp_path / "early", tmp_path / "late"
    assert crawl(loopback_job(early, [site.original], limits={"pages": 1})) == 0
    against = {"dedup": {"against": [str(early)]}}
    assert crawl(loopback_job(late, [site.text, site.bytes, site.original], **against)) == 0
    code, _, err = command(capsys, "restore", late, site.bytes, site.text)
    assert code == 2
    told = f"{site.bytes} is an exact duplicate (exact-payload): it has the same bytes as page 1 of"
    assert f"{told} {early}, {site.original}" in err
    assert "Nothing was changed" in err
    shutil.rmtree(early)
    code, _, err = command(capsys, "restore", late, site.bytes)
    assert (code, f"{early}, which is not there any more, " in err) == (2, True)
    assert main_of("restore", late, site.text) == 0
    assert seen_of(late, site.text).title == "Goods"
    assert restored(late)[site.text]["duplicate_of"]["against"] == str(early)


def test_where_nothing_is_to_be_kept_nothing_is(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`keep_dropped: false` holds for exact copies as well, and the message names it."""
    seeds, keeps = [site.original, site.text], {"dedup": {"keep_dropped": False}}
    assert crawl(loopback_job(tmp_path / "bare", seeds, **keeps)) == 0
    assert dropped(tmp_path / "bare") == {}
    [line] = lines(tmp_path / "bare", "duplicates")
    code, _, err = command(capsys, "restore", tmp_path / "bare", line["url"])
    assert (code, "`dedup.keep_dropped: false`" in err) == (2, True)


def test_an_original_without_its_line_is_damage(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its place is named, by code 3, and nothing is stored."""
    path = site.output / "pages.jsonl"
    told = path.read_bytes()
    assert told.startswith(b'{"id":1,')
    path.write_bytes(told.replace(b'{"id":1,', b'{"id":9,', 1))
    before = state_of(site.output)
    code, _, err = command(capsys, "restore", site.output, site.bytes)
    assert (code, "pages.jsonl cannot be read back" in err) == (3, True)
    assert "the stored page 1 has no line" in err
    assert state_of(site.output) == before
