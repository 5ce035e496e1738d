"""Re-indexing: stored pages brought to other settings, all of them or none."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.analysing import no_processes
from support.crawling import (
    AS_USERS_READ,
    command,
    crawl,
    demo_web,
    finished,
    job_data,
    program,
    write_job,
)
from support.output import all_lines, lines
from support.store_material import check_consistent, new_url, page

from crawler.cli import main
from crawler.config import Dedup, Method, parse_job
from crawler.dedup import Signer
from crawler.dedup.copies import unpack as unpack_appearance
from crawler.engine.identity import identity
from crawler.models import NewUrl, Signature
from crawler.sources.web import reindex
from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.rows import unpack_shingles
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

FEW = {"scope": {"exclude": [r"/stall", r"//(slow|down|closed|moved|broken|bodies)\."]}}
SETTINGS = {"dedup": {"method": "exact", "fold_chinese": True}}


def state_of(output: Path) -> dict[str, Any]:
    """Return what re-indexing may change of a directory, and what it must not."""
    with Store.read(output) as view:
        return {
            "rows": list(view.index_rows()),
            "shingles": view.database.rows("SELECT * FROM shingles ORDER BY document_id"),
            "identity": view.meta(Meta.IDENTITY),
            "job": view.meta(Meta.JOB),
            "lines": [line_path(output, name).read_bytes() for name in LINE_FILES],
            "urls": view.database.rows("SELECT * FROM urls ORDER BY id"),
        }


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Path]]:
    """A crawl of a demo web that stopped at a page limit, and the web."""
    output = tmp_path_factory.mktemp("reindex") / "out"
    with demo_web(articles=4) as (web, _):
        with no_processes():
            assert crawl(job_data(web, output, FEW, AS_USERS_READ, {"limits": {"pages": 40}})) == 0
        yield web, output


def test_a_resume_goes_on_under_settings_that_pages_were_brought_to(
    begun: tuple[Any, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused on resume, the settings hold after `reindex`, and every verdict is true."""
    web, output = begun
    job = write_job(
        job_data(web, output, FEW, AS_USERS_READ, {"limits": {"pages": 10_000}}, SETTINGS),
        tmp_path / "job.yaml",
    )
    before = state_of(output)
    code, _, err = command(capsys, "resume", output, "--config", job)
    assert code == 2
    assert 'method: the crawl has "verified' in err
    assert f"python -m crawler reindex {output}" in err
    assert state_of(output) == before
    code, out, err = command(capsys, "reindex", output, "--config", job)
    assert code == 0, err
    assert "pages signed anew; continue with: python -m crawler resume" in out
    after = state_of(output)
    assert after["lines"] == before["lines"]
    assert after["urls"] == before["urls"]
    check_signatures(output, Dedup.model_validate(SETTINGS["dedup"]))
    code, _, err = command(capsys, "resume", output)
    assert code == 0, err
    compared = web.truth.compare(*all_lines(output))
    assert compared.wrong == ()
    assert {"near", "exact-text", "exact-payload"} == {
        line["verdict"] for line in lines(output, "duplicates")
    }
    check_signatures(output, Dedup.model_validate(SETTINGS["dedup"]))


def judged_text(view: StoreView, page: int) -> str | None:
    """Return the judged text of a stored page, None where its own text is that."""
    packed = view.appearance(page)
    return unpack_appearance(packed).judged_text if packed else None


def check_signatures(output: Path, settings: Dedup) -> None:
    """Assert that the state holds of every stored page what `settings` make of its judged text."""
    sign = Signer(settings)
    pages = {line["id"]: line for line in lines(output, "pages")}
    with Store.read(output) as view:
        check_consistent(view)
        shingles = dict(view.database.rows("SELECT document_id, hashes FROM shingles"))
        digests = dict(view.database.rows("SELECT id, text_digest FROM documents"))
        rows = list(view.index_rows())
        judged = {row.id: judged_text(view, row.id) for row in rows}
    assert [row.id for row in rows] == sorted(pages)
    for row in rows:
        text = pages[row.id]["text"]
        made = sign(judged[row.id] or text, None, text)
        assert row.fingerprint == made.fingerprint
        assert (row.tokens, row.shingle_kind) == (made.tokens, made.shingle_kind)
        assert (row.sketch, digests[row.id]) == (made.sketch, made.text_digest)
        assert np.array_equal(unpack_shingles(row.id, shingles[row.id]).hashes, made.shingles)
        assert row.representative == (made.tokens >= settings.min_near_tokens)


async def many_pages(output: Path, pages: int, **more_identity: str) -> None:
    """Leave a crawl of so many pages with texts of their own in `output`."""
    data = {"seeds": ["http://host1.example/"], "output": str(output), "progress_s": 1e-6}
    job = parse_job({**data, "analysis": {"processes": 1}}, "test")
    async with Store.create(output, identity(job) | more_identity) as store:
        store.set_meta(Meta.JOB, job.model_dump(mode="json"))
        store.submit_urls([_url(n) for n in range(1, pages + 1)])
        for n in range(1, pages + 1):
            text = " ".join(f"word{n * k % 9973}" for k in range(1, 400))
            batch = page(n, n, text=text)
            batch.lines[0][1]["verdict"] = "new"  # type: ignore[index]
            store.submit(batch)
            await store.room()


def _url(url_id: int) -> NewUrl:
    return new_url(url_id, seed=url_id == 1)


@pytest.mark.processes
def test_stopped_on_the_way_it_has_changed_nothing(tmp_path: Path) -> None:
    """Killed or stopped half-way the old state is whole, and the next attempt succeeds."""
    asyncio.run(many_pages(tmp_path, 800))
    before = state_of(tmp_path)
    command = ("reindex", tmp_path, "--method", "minhash")
    for number, expected in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)):
        process = program(*command)
        assert process.stderr is not None
        said = next(line for line in process.stderr if "pages signed" in line)
        process.send_signal(number)
        code, _, err = finished(process)
        assert said.split()[0] != "800"
        assert code == expected
        assert "nothing was changed" in err or number == signal.SIGKILL
        assert state_of(tmp_path) == before
    assert main([str(word) for word in command]) == 0
    check_signatures(tmp_path, Dedup(method=Method.MINHASH))


def test_what_no_text_can_bring_about_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Payload hash and tracking parameters stay, and nothing is offered that cannot be done."""
    asyncio.run(many_pages(tmp_path, 2))
    job = write_job({"dedup": {"payload_hash": "sha1"}}, tmp_path / "job.yaml")
    before = state_of(tmp_path)
    for name in ("reindex", "resume"):
        assert main([name, str(tmp_path), "--config", str(job)]) == 2
        err = capsys.readouterr().err
        assert "payload_hash" in err
        assert "start a new crawl in another directory" in err
        assert "crawler reindex" not in err
    assert state_of(tmp_path) == before


def test_a_judged_corpus_is_judged_anew_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`reindex` of a corpus says what it is and what to do."""
    asyncio.run(many_pages(tmp_path, 2, inputs="a corpus"))
    assert main(["reindex", str(tmp_path), "--near", "tag"]) == 2
    assert "run `dedup` again with another --output" in capsys.readouterr().err


def test_a_damaged_line_is_told_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page's line that cannot be read back ends `reindex` by one error that names it."""
    asyncio.run(many_pages(tmp_path, 3))
    path = tmp_path / "pages.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"x" * (len(second) - 1) + b"\n" + third)
    before = state_of(tmp_path)
    assert main(["reindex", str(tmp_path), "--near", "tag"]) == 3
    assert f"{path} line 2 cannot be read back" in capsys.readouterr().err
    assert state_of(tmp_path) == before


class FailsAtPage2(reindex.TextSigner):
    """Signs all texts but that of the second page of `many_pages`."""

    def analyse(self, texts: Sequence[str]) -> list[Signature]:
        """See TextSigner."""
        if any(text.startswith("word2 word4 ") for text in texts):
            raise ValueError("not this one")
        return super().analyse(texts)


def test_a_page_that_cannot_be_signed_is_blamed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others of its batch are signed; it is named and represents no cluster any more."""
    asyncio.run(many_pages(tmp_path, 3))
    monkeypatch.setattr(reindex, "TextSigner", FailsAtPage2)
    assert main(["reindex", str(tmp_path), "--near", "tag"]) == 0
    assert "Page 2 could not be signed" in capsys.readouterr().err
    with Store.read(tmp_path) as view:
        assert [row.representative for row in view.index_rows()] == [True, False, True]
        [done] = view.meta(Meta.REINDEXED)
    assert (done["pages"], done["failed"]) == (2, [2])
