"""Other crawlers beside ours: the server, the equal job, the watch, the tables."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import PACKAGE

from benchmarks.crawlers import equal_job, stages
from benchmarks.crawlers.measuring import Run
from benchmarks.crawlers.programs import LIMIT, SCRAPY
from benchmarks.crawlers.site import Answers, Connection
from benchmarks.crawlers.table import table
from benchmarks.crawlers.watch import Watched, watch
from crawler.errors import CrawlerError

BITS = st.integers(0, 63)


def asked(answers: Answers, *targets: str) -> list[bytes]:
    """Return the server's answers to requests sent at once over one connection."""

    async def ask() -> list[bytes]:
        loop = asyncio.get_running_loop()
        async with await loop.create_server(partial(Connection, answers), "127.0.0.1") as server:
            host, port = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(host, port)
            heads = [f"GET {target} HTTP/1.1\r\nHost: a.test\r\n" for target in targets]
            heads[-1] += "Connection: close\r\n"
            writer.write("\r\n".join([*heads, ""]).encode())
            told = await reader.read()
            writer.close()
            await writer.wait_closed()
        return [b"HTTP/1.1 " + answer for answer in told.split(b"HTTP/1.1 ")[1:]]

    return asyncio.run(ask())


def test_a_site_is_served_as_a_static_server_does() -> None:
    """A folder gives its index, without its slash it redirects; what is not there is a 404."""
    answers = Answers({"site/a/index.html": b"<p>A", "site/b c.html": b"<p>B"})
    index, moved, spaced, missing = asked(answers, "/a/?x=1", "/a", "/b%20c.html", "/c")
    assert index.startswith(b"HTTP/1.1 200")
    assert index.endswith(b"\r\n\r\n<p>A")
    assert moved.startswith(b"HTTP/1.1 301")
    assert b"\r\nLocation: /a/\r\n" in moved
    assert spaced.endswith(b"<p>B")
    assert missing.startswith(b"HTTP/1.1 404")


@given(st.integers(0, 2**64 - 1), st.sets(BITS, max_size=6))
def test_a_rival_finds_all_within_the_distance_and_no_others(stored: int, bits: set[int]) -> None:
    """Its block index has what ours has: each fingerprint within three bits, and none beyond."""
    judge = equal_job.Judge()
    assert judge.judge("one", stored) is None
    near = stored ^ sum(1 << bit for bit in bits)
    assert judge.judge("two", near) == ("one" if len(bits) <= equal_job.DISTANCE else None)


def test_their_fingerprint_weighs_words() -> None:
    """Texts of the same words have one fingerprint; one word of many changes few bits of it."""
    words = [f"word{number}" for number in range(200)]
    whole = equal_job.fingerprint(" ".join(words))
    assert equal_job.fingerprint(" ".join(reversed(words))) == whole
    changed = equal_job.fingerprint(" ".join([*words[1:], "another"]))
    other = equal_job.fingerprint(" ".join(f"other{number}" for number in range(200)))
    assert (changed ^ whole).bit_count() <= 8 < (other ^ whole).bit_count()


def test_a_watch_counts_what_children_took(tmp_path: Path) -> None:
    """CPU of a process that the command waited for is the command's, not its main process's."""
    burn = "import time\nwhile time.process_time() < .3: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    seen = watch([sys.executable, "-c", parent], os.environ, tmp_path / "log")
    assert seen.cpu_s - seen.main_cpu_s > 0.25  # the clock's own steps are .01
    assert seen.peak_bytes > 1_000_000


def test_a_command_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    """Its exit code and the end of its output are in the error."""
    with pytest.raises(CrawlerError, match=r"exit code 3\nno such site"):
        watch(
            [sys.executable, "-c", "print('no such site'); exit(3)"], os.environ, tmp_path / "log"
        )


def run_of(name: str, wall_s: float, found: str = "ab", others: float = 0.0) -> Run:
    """Return a run that found some pages, a letter each, in some seconds."""
    watched = Watched(0.0, wall_s, cpu_s=1.0, main_cpu_s=0.5, peak_bytes=10**6)
    return Run(name, frozenset(found), watched, first_s=0.0, server_cpu_s=0.0, others=others)


def turn(ours_s: float, scrapy_s: float) -> Mapping[str, Run]:
    """Return a turn of three programs."""
    return {
        "ours": run_of("ours", ours_s),
        SCRAPY: run_of(SCRAPY, scrapy_s, "a"),
        LIMIT: run_of(LIMIT, 1.0),
    }


def test_ratios_are_taken_within_turns() -> None:
    """A turn on a slower machine slows all its programs, and leaves its ratios as they are."""
    told = table([turn(1.0, 4.0), turn(10.0, 40.0), turn(10.0, 4.0)])
    ours = next(line for line in told.splitlines() if line.startswith("| ours "))
    assert ours.split(" | ")[3] == "8.00"  # two pages where Scrapy found one


def test_a_table_says_what_makes_it_doubtful() -> None:
    """Pages that a program did not find are named, and so is a machine that was not idle."""
    assert f"{SCRAPY} did not find 1: b" in table([turn(1.0, 1.0)])
    assert "DOUBTFUL" not in table([turn(1.0, 1.0)])
    busy = {name: run_of(name, 1.0, others=0.5) for name in ("ours", SCRAPY)}
    assert "DOUBTFUL" in table([busy])


def test_every_stage_names_code_that_is_there() -> None:
    """A mark is a path of the package or a name that it defines: none stayed behind a rename."""
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for mark in chain(*stages.MAIN_STAGES.values(), *stages.POOL_STAGES.values()):
        path, _, name = mark.rpartition(":") if ":" in mark else (mark, "", "")
        assert not path.startswith("crawler") or list(PACKAGE.parent.glob(f"{path}*")), mark
        for part in filter(None, name.split(".")):
            assert re.search(rf"(class|def) {part}", code), mark


def test_a_sample_counts_for_its_innermost_stage(tmp_path: Path) -> None:
    """What a stage calls is its own, down to the next one with a name; nothing is lost."""
    loop = "crawler/sources/event_loop.py:run_loop;crawler/sources/web/pipeline.py:PagePipeline.end"
    (tmp_path / "1").write_text(
        "python -m crawler\n"
        f"1000 0 {loop}\n"
        f"2000 500 {loop};frontier.py:Frontier.spend;learning.py:UrlLearning.learn\n"
        "4000 0 crawler/cli/__init__.py:main\n"
    )
    (tmp_path / "2").write_text(
        "python -P -m crawler.workers.fork_server\n"
        "8000 0 analyser.py:serve;crawler/extract/readings.py:main_text;core.py:extract\n"
    )
    found = stages.profile(tmp_path)
    assert found.main == pytest.approx(
        {
            "end, hand over": 0.001,
            "learn URLs": 0.002,
            stages.WRITER: 0.0005,
            stages.START: 0.004,
        }
    )
    assert found.pool == pytest.approx({stages.EXTRACTOR: 0.008})
    assert "| **main** | 3.75 |" in stages.table({"ours": [(found, 2)]})
