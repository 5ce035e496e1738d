"""docs/tutorial.md: each of its steps can be taken as it stands, and shows what it says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.analysing import no_processes
from support.documents import text
from support.output import lines
from support.paths import doc
from support.shelf import shelf

from crawler.cli import main
from crawler.cli.commands import demo
from crawler.config import merge
from crawler.demo import DemoWeb, demo_job

LINKS = "".join(f'<a href="/{number}">{number}</a>' for number in range(4))
PAGES = {"/": f"<title>Start</title><p>{text(9)}</p>{LINKS}"} | {
    f"/{number}": f"<title>Page {number}</title><p>{text(number)}</p>" for number in range(3)
}
PAGES["/3"] = f"{PAGES['/2']}<hr><p>Printed on Monday</p>"
QUICKLY = {"politeness": {"delay_s": 0.0}}
SOONER = {"fetch": {"headers_timeout_s": 2.0, "read_timeout_s": 2.0}}
"""What the test needs beside the jobs: of the site, and of the demo web."""

_BLOCK = re.compile(r"^```(yaml|bash|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Reader:
    """Somebody who follows the tutorial; what the steps said is kept."""

    def __init__(self, home: Path, site: str) -> None:
        self.home = home
        self.site = site
        self.said = ""

    def follow(self, kind: str, block: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Take one step; fails where it fails, or where what it shows was not said."""
        if kind == "yaml":
            job = yaml.safe_load(block)
            merge(job, QUICKLY)
            (self.home / block.splitlines()[0].removeprefix("# ")).write_text(yaml.safe_dump(job))
        elif kind == "python":
            exec(block, {})
        elif kind == "bash":
            for line in block.splitlines():
                self._run(line)
        else:
            for line in block.splitlines():
                assert plain(line) in plain(self.said), line
        self.said += capsys.readouterr().out

    def _run(self, line: str) -> None:
        if not line.startswith("python -m crawler "):
            done = subprocess.run(["bash", "-ec", line], capture_output=True, text=True)
            assert not done.returncode, done.stderr
            print(done.stdout)
            return
        words = shlex.split(line.replace("https://site.example/", self.site))[3:]
        if words[0] == "explain":
            dropped = next(
                line
                for line in lines(self.home / "demo-out", "duplicates")
                if line["evidence"] == "same-text"
            )
            words[2:4] = dropped["url"], dropped["duplicate_of"]["url"]
        assert main(words) == 0, line


def plain(said: str) -> str:
    """Return what was printed without the breaks and blanks of a terminal's width."""
    return " ".join(re.sub("─+", "─", said).split())


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Begin with an empty directory, and a site to crawl."""
    monkeypatch.chdir(tmp_path)

    def sooner(web: DemoWeb, output: Path) -> dict[str, Any]:
        job = demo_job(web, output)
        merge(job, SOONER)
        return job

    monkeypatch.setattr(demo, "demo_job", sooner)
    with shelf(PAGES) as address, no_processes():
        yield Reader(tmp_path, f"{address}/")


def test_every_step_can_be_taken(
    reader: Reader, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No step fails; outputs that are shown were said; in the end there is a corpus."""
    if shutil.which("jq") is None:
        pytest.skip("not installed: jq")
    _, steps = doc("tutorial").split("## 2. ")  # what comes before installs
    for kind, block in _BLOCK.findall(steps):
        reader.follow(kind, block, capsys)
    pages = re.findall(rf"^{reader.site}\d \| (Page \d) \| \d+$", reader.said, re.MULTILINE)
    assert set(pages) < {"Page 0", "Page 1", "Page 2"}
    assert len(pages) == 2
    assert (tmp_path / "audit.html").exists()
