"""`purge` of a crawl in partitions: the host is gone everywhere, as from one crawl."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clustered import Local
from support.parts import check_parts, ends_in, parts_job, run_parts
from support.output import lines
from crawler.cli import main
from crawler.cluster.root import Root

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


async def test_a(tmp_path: Path) -> None:
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        await run_parts(root, Local(root.path))
        urls = []
        for n in root.partitions:
            for line in lines(root.partition(n), "duplicates"):
                print(line["verdict"], line["url"], line["duplicate_of"])
                urls.append(line["url"])
    import subprocess, sys

    urls = urls[::2]
    print(
        subprocess.run(
            [sys.executable, "-m", "crawler", "restore", str(root.path), *urls, "--dry-run"],
            capture_output=True,
            text=True,
        )
    )
    print(
        subprocess.run(
            [sys.executable, "-m", "crawler", "restore", str(root.path), *urls],
            capture_output=True,
            text=True,
        )
    )
    check_parts(root)
    print(
        subprocess.run(
            [sys.executable, "-m", "crawler", "restore", str(root.path), *urls],
            capture_output=True,
            text=True,
        )
    )
    print(
        subprocess.run(
            [sys.executable, "-m", "crawler", "restore", str(root.path), "--cluster", "1"],
            capture_output=True,
            text=True,
        )
    )
    check_parts(root)
    print(
        subprocess.run(
            [
                sys.executable,
                "-m",
                "crawler",
                "purge",
                str(root.path),
                "--host",
                "site0.test",
                "--yes",
            ],
            capture_output=True,
            text=True,
        )
    )
    check_parts(root, is_over=False)
    assert 0
