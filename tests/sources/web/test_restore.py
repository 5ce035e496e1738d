"""`restore`: dropped pages stored after all, what becomes of them, and what cannot be restored.

Of near duplicates and siblings; exact duplicates are in `test_restore_exact`.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from support.crawling import command, crawl, demo_web, job_data
from support.output import all_lines, lines, said, summary_of
from support.restoring import (
    DROP,
    check_whole,
    copied,
    crawl_that_drops,
    dropped,
    restored,
    state_of,
)

from crawler.config import Dedup
from crawler.dedup import Judge, Signer
from crawler.dedup.copies import judged_text
from crawler.dedup.copies import unpack as unpack_appearance
from crawler.dedup.signing import format_digest, parse_digest
from crawler.engine import schema
from crawler.models import ExactDuplicate, PayloadKey, UrlState
from crawler.storage.catalog import SqliteCatalog
from crawler.storage.restoring import ended
from crawler.storage.rows import unpack_shingles
from crawler.storage.store import Store
from crawler.storage.view import AlikeAs, StoreView, largest_clusters

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

FIRST = {"limits": {"pages": 60}}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl with dropped near duplicates and siblings."""
    output = tmp_path_factory.mktemp("dropped") / "out"
    crawl_that_drops(output)
    return output


@pytest.fixture
def output(original: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copied(original, tmp_path / "out")


@pytest.fixture
def every(original: Path) -> dict[str, dict[str, Any]]:
    """The lines of near duplicates and siblings that it dropped and kept, by URL."""
    return {url: line for url, line in dropped(original).items() if line["evidence"]}


def with_verdict(every: dict[str, dict[str, Any]], verdict: str) -> list[str]:
    """Return the URLs that were dropped by a verdict."""
    return [url for url, line in every.items() if line["verdict"] == verdict]


def test_a_restored_page_is_what_a_tagged_one_is(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Near duplicates and siblings get valid lines, rows and ids of their own; all counts agree."""
    near, sibling = with_verdict(every, "near")[0], with_verdict(every, "sibling")[0]
    before, kept = summary_of(output), all_lines(output)
    with StoreView.read(output) as view:
        saved = view.totals.sums["duplicate_bytes"]
        told = {end.url: view.dropped(end.url_id) for end in ended(view, [near, sibling])}
    code, out, err = command(capsys, "restore", output, near, sibling)
    assert code == 0, err
    assert f"{output}: 2 pages restored, as pages" in out
    assert set(restored(output)) == {near, sibling}
    for url, line in restored(output).items():
        fields = dict(line)
        del fields["id"], fields["restored_at"]
        assert (kept_as := told[url]) is not None
        assert fields == said(kept_as.line)
        assert line["verdict"] == every[url]["verdict"]
    assert len(lines(output, "pages")) == len(kept[0]) + 2
    assert [lines(output, "pages")[: len(kept[0])], *all_lines(output)[1:]] == kept
    valid = Draft202012Validator(schema("pages"))
    for line in lines(output, "pages"):
        valid.validate(line)
    after = summary_of(output)
    Draft202012Validator(schema("summary")).validate(after)
    assert after["identity_holds"]
    assert after["seen"] == before["seen"]
    assert after["stored"] == before["stored"] + 2
    assert after["stored_by_verdict"]["near"] == 1
    assert after["stored_by_verdict"]["restored-sibling"] == 1
    assert after["duplicates"]["near"] == before["duplicates"]["near"] - 1
    assert after["duplicates"]["sibling"] == before["duplicates"]["sibling"] - 1
    assert (
        after["saved"]["bytes"] == saved - every[near]["body_bytes"] - every[sibling]["body_bytes"]
    )
    with StoreView.read(output) as view:
        assert sum(view.totals.duplicate_kind.values()) == len(lines(output, "duplicates"))
        assert largest_clusters(view, 1, AlikeAs.SIBLING) != []


def judged_of(output: Path, document_id: int) -> str:
    """Return the text that a stored page was judged by."""
    with StoreView.read(output) as view:
        appearance = view.appearance(document_id)
    assert appearance is not None
    return judged_text(unpack_appearance(appearance), "")


def test_its_row_is_made_of_its_text_and_of_what_was_recorded(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Signed by the crawl's settings, digests and layout of its line; it represents nothing."""
    url = with_verdict(every, "near")[0]
    assert command(capsys, "restore", output, url)[0] == 0
    line = restored(output)[url]
    with StoreView.read(output) as view:
        row = next(row for row in view.index_rows() if row.id == line["id"])
        hashes = view.database.rows("SELECT hashes FROM shingles WHERE document_id = ?", (row.id,))
        layout, address, digest = view.database.rows(
            "SELECT layout, address, text_digest FROM documents WHERE id = ?", (row.id,)
        )[0]
    made = Signer(Dedup())(judged_of(output, line["id"]), kept_text=line["text"])
    assert (row.fingerprint, row.tokens) == (made.fingerprint, made.tokens)
    assert row.shingle_kind == made.shingle_kind
    assert (row.sketch, digest) == (made.sketch, made.text_digest)
    assert np.array_equal(unpack_shingles(row.id, hashes[0][0]).hashes, made.shingles)
    assert format_digest(row.visible_digest) == every[url]["visible_digest"]
    assert format_digest(row.payload.digest) == every[url]["payload_digest"]
    assert row.payload.declared == every[url]["declared"]
    assert layout.hex() == every[url]["layout"]
    assert not row.representative
    assert address is None


def test_exact_copies_of_it_are_found_and_near_ones_join_its_original(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """A resumed judge knows its bytes and its text; what is like it is like what it was like."""
    url = with_verdict(every, "near")[0]
    assert command(capsys, "restore", output, url)[0] == 0
    line = restored(output)[url]
    with StoreView.read(output) as view:
        judge = Judge(Dedup(), SqliteCatalog(view.database), 100)
        judge.restore(view.index_rows())
        key = PayloadKey(parse_digest(every[url]["payload_digest"]), every[url]["declared"])
        same_bytes = judge.known_payload(key)
        made = Signer(Dedup())(line["text"], line["text"])
        visible = parse_digest(every[url]["visible_digest"])
        signature, other = (replace(made, visible_digest=d) for d in (visible, b"v" * 32))
        same_text = judge.judge(PayloadKey(b"x" * 32, "text/html"), signature, 10_000)
        like = judge.judge(PayloadKey(b"y" * 32, "text/html"), other, 10_001)
    for verdict in (same_bytes, same_text):
        assert isinstance(verdict, ExactDuplicate)
        assert verdict.of.id == line["id"]
    assert like.of.id == line["duplicate_of"]["id"]  # type: ignore[union-attr]


def test_restored_twice_it_says_that_it_is_stored(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The second time nothing changes, whichever way the page is asked for."""
    url, line = next(iter(every.items()))
    page_id, ways = str(line["duplicate_of"]["id"]), [[url]]
    ways.append(["--cluster", page_id])
    ways.append(["--evidence", line["evidence"], "--cluster", page_id])
    for way in ways:
        assert command(capsys, "restore", output, *way)[0] == 0
    before = state_of(output)
    code, out, err = command(capsys, "restore", output, url)
    assert (code, f"{output}: 0 pages restored\n") == (0, out)
    assert f"{url} is stored already, as page {restored(output)[url]['id']}" in err
    for way in ways[1:]:
        code, out, err = command(capsys, "restore", output, *way)
        assert (code, f"{output}: 0 pages restored\n") == (0, out)
        assert "Nothing that is asked for is dropped" in err
    assert state_of(output) == before


def test_pages_are_chosen_by_what_they_are_like_and_by_evidence(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--cluster` and `--evidence` take all that they name, together what both name."""
    evidence = next(line["evidence"] for line in every.values() if line["verdict"] == "sibling")
    page_id = next(
        line["duplicate_of"]["id"] for line in every.values() if line["evidence"] == evidence
    )
    of_page = {
        url for url, line in dropped(output).items() if line["duplicate_of"]["id"] == page_id
    }
    so_dropped = {url for url, line in every.items() if line["evidence"] == evidence}
    both = command(capsys, "restore", output, "--cluster", page_id, "--evidence", evidence)
    assert both[0] == 0
    assert set(restored(output)) == of_page & so_dropped
    assert command(capsys, "restore", output, "--cluster", page_id)[0] == 0
    assert set(restored(output)) == of_page
    assert command(capsys, "restore", output, "--evidence", evidence)[0] == 0
    assert set(restored(output)) == of_page | so_dropped


def test_a_dry_run_lists_and_changes_nothing(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each page has a line with its verdict, evidence and what it is like; even while in use."""
    evidence = sorted({line["evidence"] for line in every.values()})
    flags = [word for code in evidence for word in ("--evidence", code)]
    before = state_of(output)
    with closing(Store.open(output)):
        code, out, err = command(capsys, "restore", output, *flags, "--dry-run")
    assert code == 0
    shown = [line.split() for line in out.splitlines()]
    assert [words[3] for words in shown] == list(every)
    for verdict, why, _, url, _, page_id, of in shown:
        line = every[url]
        assert (verdict, why) == (line["verdict"], line["evidence"])
        assert (int(page_id), of) == (line["duplicate_of"]["id"], line["duplicate_of"]["url"])
    assert f"{len(every)} pages would be restored in {output}; nothing was changed" in err
    assert state_of(output) == before


def test_a_directory_in_use_is_refused(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """While a crawl holds the directory nothing is restored."""
    before = state_of(output)
    with closing(Store.open(output)):
        code, _, err = command(capsys, "restore", output, next(iter(every)))
    assert code == 2
    assert "is in use by a crawl that this process (pid " in err
    assert state_of(output) == before


def test_what_cannot_be_restored_is_told_with_the_way_out(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each URL that is no dropped page is named with what it is; then nothing is restored."""
    exact = next(x for x in lines(output, "duplicates") if x["verdict"] == "exact-text")
    gone, *_, good = every
    [redirect] = lines(output, "redirects")[:1]
    [skipped] = lines(output, "skipped")[:1]
    with closing(sqlite3.connect(output / "state.sqlite")) as state:
        where = "url_id = (SELECT id FROM urls WHERE url = ?)"
        for url in (gone, exact["url"]):
            state.execute(f"DELETE FROM dropped WHERE {where}", (url,))
        state.commit()
    before = state_of(output)
    told = {
        exact["url"]: "is an exact duplicate (exact-text): its text is that of page "
        f"{exact['duplicate_of']['id']}, {exact['duplicate_of']['url']}, and of what else is on it "
        "nothing was kept",
        gone: f"was dropped for page {every[gone]['duplicate_of']['id']}, ",
        redirect["url"]: f"is no page: it redirects ({redirect['status']})",
        skipped["url"]: f"is no duplicate: it was left out ({skipped['reason']})",
        good + "x": f"was never seen by the crawl in {output}; did you mean\n  {good}\n",
    }
    code, out, err = command(capsys, "restore", output, good, *told)
    assert (code, out) == (2, "")
    for url, words in told.items():
        assert f"{url} {words}" in err
    assert "`dedup.keep_dropped: false`" in err
    assert f"explain {output} {shlex.quote(gone)}" in err
    assert err.endswith("Nothing was changed.\n")
    assert state_of(output) == before
    evidence = ["--evidence", every[gone]["evidence"]]
    code, _, err = command(capsys, "restore", output, *evidence)
    assert code == 0
    assert f"1 page cannot be restored, such as {gone}: nothing was kept" in err
    assert gone not in restored(output)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name what to restore"),
        (["http://a.test/", "--cluster", "1"], "not both"),
        (["--evidence", "nonsense"], "invalid choice: 'nonsense'"),
        (["--cluster", "100000"], "no page with this id is stored"),
        (["--cluster", "1" + "0" * 30], "no page with this id is stored"),
    ],
)
def test_a_mistake_in_what_is_asked_for_is_told(
    original: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A selection that means nothing is one clear message and exit code 2."""
    code, out, err = command(capsys, "restore", original, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_corpus_has_nothing_to_restore(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the output of `dedup` the documents are in the user's files, and that is said."""
    words = " ".join(f"word{n * 7919 % 1000}" for n in range(300))
    (tmp_path / "a.jsonl").write_text(f'{{"text": "{words}"}}\n{{"text": "{words} more"}}\n')
    assert command(capsys, "dedup", tmp_path / "a.jsonl", "--output", tmp_path / "out")[0] == 0
    [line] = lines(tmp_path / "out", "duplicates")
    for more in ([], ["--dry-run"]):
        code, _, err = command(capsys, "restore", tmp_path / "out", line["url"], *more)
        assert code == 2
        assert "holds the results of `dedup`" in err
        assert "say where (`source`)" in err


def test_a_text_with_another_digest_is_told(
    output: Path,
    every: dict[str, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The page is restored, found by the recorded digest, and the difference is said."""
    monkeypatch.setattr("crawler.sources.web.restore.format_digest", lambda digest: "sha256:OTHER")
    url = next(iter(every))
    code, _, err = command(capsys, "restore", output, url)
    assert code == 0
    assert f"{url}: its text has another digest now" in err
    with StoreView.read(output) as view:
        rows = view.database.rows("SELECT text_digest FROM documents")
        digests = {format_digest(digest) for (digest,) in rows}
    assert every[url]["text_digest"] in digests


@pytest.mark.parametrize("damage", ["line", "missing", "difference"])
def test_damage_is_one_error_and_restores_nothing(
    output: Path,
    every: dict[str, dict[str, Any]],
    damage: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What cannot be read back names its place, and the store stays as it is."""
    url, path = next(iter(every)), output / "duplicates.jsonl"
    if damage == "difference":
        with closing(sqlite3.connect(output / "state.sqlite")) as state:
            state.execute("UPDATE dropped SET line = x'00'")
            state.commit()
    else:
        told = path.read_bytes().splitlines(keepends=True)
        number = next(n for n, line in enumerate(told) if f'"{url}"'.encode() in line)
        other = told[number].replace(b"text_digest", b"text_nothing"[:11])
        if damage == "missing":
            other = told[number].replace(b'"url":"http:', b'"url":"hxxp:', 1)
        told[number] = other
        path.write_bytes(b"".join(told))
    before = state_of(output)
    code, _, err = command(capsys, "restore", output, url)
    assert code == 3
    place = "state.sqlite" if damage == "difference" else "duplicates.jsonl"
    assert place in err
    assert "cannot be read back" in err
    assert "Traceback" not in err
    assert state_of(output) == before


def test_what_works_on_a_crawl_works_after_a_restore(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """`report`, `explain`, `backup` and `reindex` take the restored pages for stored ones."""
    flags = [word for line in every.values() for word in ("--evidence", line["evidence"])]
    assert command(capsys, "restore", output, *flags)[0] == 0
    check_whole(output, set(every))
    code, out, _ = command(capsys, "report", output)
    assert code == 0
    assert "the output files agree" in out
    near = with_verdict(every, "near")[0]
    original = every[near]["duplicate_of"]["url"]
    code, out, _ = command(capsys, "explain", original, near, "--output", output)
    assert code == 0
    assert "recorded" in out
    assert command(capsys, "backup", output, output.parent / "copy")[0] == 0
    check_whole(output.parent / "copy", set(every))
    assert command(capsys, "reindex", output, "--method", "minhash")[0] == 0
    with StoreView.read(output) as view:
        leading = {row.id for row in view.index_rows() if row.representative}
    assert leading
    assert not leading & {line["id"] for line in restored(output).values()}


def test_layouts_from_before_a_reindex_are_not_compared(
    output: Path, every: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """A page dropped before `reindex` is signed by the new settings, and its row has no layout."""
    url = with_verdict(every, "near")[0]
    assert command(capsys, "reindex", output, "--method", "simhash-ngrams")[0] == 0
    assert command(capsys, "restore", output, url)[0] == 0
    line = restored(output)[url]
    settings = Dedup.model_validate({"method": "simhash-ngrams"})
    with StoreView.read(output) as view:
        row = next(row for row in view.index_rows() if row.id == line["id"])
        layouts = view.database.rows("SELECT layout FROM documents WHERE id = ?", (line["id"],))
    assert row.fingerprint == Signer(settings)(judged_of(output, line["id"])).fingerprint
    assert layouts == [(None,)]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[tuple[Any, Path]]:
    """A crawl that dropped pages and stopped at its page limit, and the web."""
    with demo_web(articles=4) as (web, _):
        assert crawl(job_data(web, tmp_path / "out", DROP, FIRST)) == 0
        yield web, tmp_path / "out"


def test_a_crawl_goes_on_after_a_restore(
    begun: tuple[Any, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Resumed to its end its files agree, and no page is called near to a restored one."""
    _, output = begun
    every = dropped(output)
    assert command(capsys, "restore", output, *every)[0] == 0
    check_whole(output, set(every))
    code, _, err = command(capsys, "resume", output, "--pages", "10000")
    assert code == 0, err
    after = restored(output)
    assert set(after) == set(every)
    ids = {line["id"] for line in after.values()}
    judged = lines(output, "duplicates")
    assert len(judged) > len(every)
    for line in judged:
        assert line["verdict"].startswith("exact") or line["duplicate_of"]["id"] not in ids
    assert summary_of(output)["identity_holds"]
    with StoreView.read(output) as view:
        assert view.accounting().count(UrlState.PENDING) == 0
        assert view.accounting().problems == []
