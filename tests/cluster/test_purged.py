"""`purge` of a crawl in partitions: the host is gone everywhere, as from one crawl."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clustered import Local
from support.parts import check_parts, ends_in, parts_job, run_parts

from crawler.cli import main
from crawler.cluster.root import Root

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


async def test_a(tmp_path: Path) -> None:
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        await run_parts(root, Local(root.path))
        check_parts(root)
        print(ends_in(root).pages, {n: root.partition_of(f"site{n}.test") for n in range(6)})
        assert main(["purge", str(root.path), "--host", "site1.test", "--dry-run"]) == 0
        assert main(["purge", str(root.path), "--host", "site1.test", "--yes"]) == 0
        check_parts(root, is_over=False)
        root = Root.open(root.path)
        await run_parts(root, Local(root.path))
        check_parts(root)
        print(ends_in(root).pages)
        assert main(["purge", str(root.path), "--host", "site1.test", "--yes"]) == 0
    import subprocess
    print(subprocess.run(f"grep -rlai 'site1.test' {root.path}", shell=True, capture_output=True, text=True).stdout)
    assert 0
