"""Serve a site by name until it is interrupted, and write a job that crawls it.

    python -m benchmarks.learning.serve NAME [--port 8900] [--recorded DIR]

Then `python -m crawler crawl --config NAME.job.yaml --output DIR` in another shell. Without a name
it lists them. `http://127.0.0.1:8900/.seen` tells what was asked for, in order.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import yaml

from benchmarks.corpora import CORPORA
from benchmarks.learning.replaying import replaying
from benchmarks.learning.sites import RECORDED, job_of, names, stage


def main() -> None:
    """Serve from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("name", nargs="?")
    flags.add_argument("--port", type=int, default=8900)
    flags.add_argument("--recorded", type=Path, default=RECORDED, metavar="DIR")
    args = flags.parse_args()
    if args.name is None:
        print("\n".join(names(args.recorded, CORPORA)))
        return
    site = stage(args.name, args.recorded)

    async def serve() -> None:
        async with replaying(lambda: site.site, args.port) as port:
            here = Path.cwd()
            job = job_of(site, port, here)
            path = here / f"{site.name}.job.yaml"
            path.write_text(yaml.safe_dump(job))
            print(f"{len(site.site)} URLs of {site.name} on port {port}; job: {path}", flush=True)
            await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
