"""Commands that are shown to be copied: a shell runs them for the right directory."""

from __future__ import annotations

import shlex
from itertools import islice
from pathlib import Path

import pytest
from support.crawling import command, loopback_job, write_job
from support.shelf import shelf, written

from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PAGES = {f"/{number}?a=1&b=$(x)'": written(f"Page {number}", number) for number in range(4)}
LINKS = "".join(f'<a href="{path}">x</a>' for path in PAGES)
COPY = written("Page 0", 0, (" and ", " or "))


def hints(told: str) -> list[list[str]]:
    """Return the first words of each command of ours in what was told, as a shell reads them."""
    return [
        list(islice(shlex.shlex(line, posix=True, punctuation_chars="`;),"), 0, 2))
        for line in told.split("python -m crawler ")[1:]
    ]


def test_hints_are_quoted_for_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each message of a life of a crawl with a way on names the directory as one word."""
    output = tmp_path / "a b;$(x)'y"
    with shelf({"/": written("Start", 9, below=LINKS), "/copy": COPY, **PAGES}) as address:
        job = loopback_job(output, [f"{address}/"], limits={"pages": 2})
        file = write_job(job, tmp_path / "job.yaml")
        asked = [
            ("--config", file),
            ("--config", file),
            ("resume", output, "--config", write_job(job | {"dedup": {"distance": 2}}, file)),
            ("restore", output, f"{address}/3?a=1&b=$(x)%27"),
            ("backup", output, tmp_path / "it's"),
            ("reindex", output, "--config", file),
            ("retry", output),
            ("report", output),
        ]
        told = ["".join(command(capsys, *arguments)[1:]) for arguments in asked]
    with StoreView.read(output) as view:
        assert view.directory == output
    commands = [words for text in told for words in hints(text)]
    assert len(commands) >= 5
    for words in commands:
        assert words[1] in (str(output), str(tmp_path / "it's"), "DIR"), words


def test_a_host_that_has_had_its_pages_is_not_said_to_be_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is left names the host and the way on; `inspect` says why a URL of it waits."""
    output = tmp_path / "out"
    pages = {f"/{number}": written(f"Page {number}", number) for number in range(4)}
    links = "".join(f'<a href="{path}">x</a>' for path in pages)
    with shelf({"/": written("Start", 9, below=links), **pages}) as address:
        host = address.removeprefix("http://")
        job = loopback_job(output, [f"{address}/"], hosts={host: {"pages": 2}})
        code, _, err = command(capsys, "--config", write_job(job, tmp_path / "job.yaml"))
    assert (code, "do not answer" in err) == (0, False)
    assert f"{host} has had all that the job gives it (`hosts`), 3 URLs are pending; raise" in err
    with StoreView.read(output) as view:
        waits = next(url for _, url, _, _ in view.pending_urls())
    _, out, _ = command(capsys, "inspect", output, waits)
    assert "its host has had the pages or bytes that the job" in " ".join(out.split())
