"""What is kept of shingles is what is read back, or it is told that it is damaged."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analysing import no_processes
from support.crawling import crawl, loopback_job
from support.output import lines
from support.shelf import shelf, written
from support.store_material import IDENTITY, NEVER, new_url, outside_connection, page

from crawler.cli import main
from crawler.config import Dedup
from crawler.dedup import Signer
from crawler.errors import StoreError
from crawler.models import Shingles, Signature
from crawler.storage.rows import pack_shingles, unpack_shingles
from crawler.storage.store import Store
from crawler.storage.view import StoreView

NUMBERS = st.sets(st.integers(0, 2**32 - 1), max_size=40).map(sorted)


def text(hashes: list[int], *, marked: bool) -> Signature:
    """Return a text with these shingles; each mark is the lowest byte of its hash."""
    found = np.array(hashes, np.uint32)
    marks = (found.astype(np.uint8),) if marked else ()
    return Signature(b"", b"", 0, 0, "word3", found, b"", marks)


@given(NUMBERS, st.booleans(), st.integers(0, 2**63 - 1))
def test_shingles_are_read_as_they_were_kept(
    hashes: list[int], marked: bool, document_id: int
) -> None:
    """Any number of them, with marks and without."""
    made = text(hashes, marked=marked)
    found = unpack_shingles(document_id, pack_shingles(document_id, Shingles.of(made)))
    assert found.hashes.tolist() == hashes
    assert found.hashes.dtype == np.uint32
    if marked:
        assert found.marks is not None
        assert found.marks.tolist() == made.marks[0].tolist()
    else:
        assert found.marks is None


@pytest.mark.parametrize("number", [8191, 8192, 65_536])
def test_many_shingles_are_read_as_they_were_kept(number: int) -> None:
    """On both sides of where another code is shorter, and as many as a page can have."""
    hashes = np.sort(np.random.default_rng(number).choice(2**32, number, replace=False))
    made = text(hashes.tolist(), marked=True)
    packed = pack_shingles(7, Shingles.of(made))
    found = unpack_shingles(7, packed)
    assert (found.hashes == made.shingles).all()
    assert found.marks is not None
    assert (found.marks == made.marks[0]).all()
    assert len(packed) < 4.2 * number


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 9])
def test_all_damage_is_told(number: int, marked: bool) -> None:
    """Every other value of a byte, every byte that is missing, and the row of another page."""
    made = text([n * n * 1_000_003 for n in range(number)], marked=marked)
    packed = pack_shingles(7, Shingles.of(made))
    for place in range(len(packed)):
        for flipped in (1, 0x80, 0xFF):
            damaged = bytearray(packed)
            damaged[place] ^= flipped
            with pytest.raises(ValueError, match="damaged"):
                unpack_shingles(7, bytes(damaged))
    for length in range(len(packed)):
        with pytest.raises(ValueError, match="damaged"):
            unpack_shingles(7, packed[:length])
    with pytest.raises(ValueError, match="checksum"):
        unpack_shingles(8, packed)


async def test_a_damaged_row_ends_the_run_with_a_way_out(tmp_path: Path) -> None:
    """A look-up never answers with what is not there."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        assert store.catalog.shingles(1) is not None
    with closing(outside_connection(tmp_path)) as state:
        state.rows("UPDATE shingles SET hashes = CAST(hashes || zeroblob(1) AS BLOB)")
    async with Store.open(tmp_path, IDENTITY) as store:
        with pytest.raises(StoreError, match=r"page 1: its shingles .* crawler reindex"):
            store.catalog.shingles(1)


async def test_each_store_has_a_key_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    """Nobody can know what another's shingles are marked by."""
    keys = []
    for name in ("one", "other"):
        async with Store.create(tmp_path / name, IDENTITY) as store:
            store.submit_urls([new_url(1)])
            store.submit(page(1, 1))
            keys.append(store.key)
    assert len(set(keys)) == len(keys)
    async with Store.open(tmp_path / "one", IDENTITY) as store:
        assert store.key == keys[0]


def test_the_judged_text_is_signed_again_and_not_the_kept_one(tmp_path: Path) -> None:
    """What a page was judged by is had from its appearance, whatever its line has as its text."""
    with shelf({"/one": written("One", 1)}) as host, no_processes():
        job = loopback_job(tmp_path, [f"{host}/one"], fetch={"workers": 1})
        assert crawl(job) == 0
        [stored] = lines(tmp_path, "pages")
        path = tmp_path / "pages.jsonl"
        path.write_bytes(path.read_bytes().replace(b"word1", b"xord1"))
        assert lines(tmp_path, "pages")[0]["text"] != stored["text"]
        assert main(["reindex", str(tmp_path)]) == 0
    made = Signer(Dedup())(stored["text"])
    with StoreView.read(tmp_path) as view:
        [row] = view.index_rows()
    assert (row.fingerprint, row.sketch) == (made.fingerprint, made.sketch)
