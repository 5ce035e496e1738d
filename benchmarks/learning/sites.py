"""The sites by name: made ones, whole sites of static files, and what was recorded."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora import CORPORA, site_files
from benchmarks.learning.apart import APART
from benchmarks.learning.made import MADE
from benchmarks.learning.replaying import ANSWERS, ROBOTS, SECOND, Answer, Site, recorded
from benchmarks.real_sites import listed

RECORDED = Path(__file__).resolve().parents[1] / "out/recorded"
"""What `benchmarks.learning.recording` was told to record, a folder for each site."""
STATIC = ("hexo-docs", "python-3.11", "llvm-15", "postgresql-15")
"""Four manuals of some hundred pages each; in them hardly a fetch is avoidable."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A site to be crawled."""

    name: str
    seeds: Sequence[str]
    site: Site
    second: Site | None = None
    """Later answers of some URLs."""
    is_cut: bool = False
    """Whether links lead to what was not recorded."""


def names(recordings: Path, corpora: Path) -> list[str]:
    """Return the names of all sites that there are."""
    there = sorted(path.parent.name for path in recordings.glob(f"*/{ANSWERS}"))
    static = [name for name in STATIC if (corpora / f"sites/{name}.tar.zst").exists()]
    return [*there, *static, *MADE, *APART]


def stage(name: str, recordings: Path = RECORDED, corpora: Path = CORPORA) -> Stage:
    """Return a site by name."""
    if make := {**MADE, **APART}.get(name):
        made = make()
        return Stage(name, [made.seed], made.answers)
    home = recordings / name
    if not (home / ANSWERS).exists():
        return _static(name, corpora)
    site = recorded(home / ANSWERS)
    second = recorded(home / SECOND) if (home / SECOND).exists() else None
    seeds = [next(url for url in site if not url.endswith(ROBOTS))]
    return Stage(name, seeds, site, second, is_cut=True)


def _static(name: str, corpora: Path) -> Stage:
    """Return a whole site of files as a plain server gives them, on a host of its own."""
    host, site = f"http://{name}.test", Site()
    for path, body in site_files(corpora, name):
        url = f"{host}/{path.partition('/')[2]}"
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        page = Answer(200, (("Content-Type", kind),), body)
        site[url] = page
        if url.endswith("/index.html"):
            folder = url.removesuffix("index.html")
            site[folder] = page
            if folder != f"{host}/":
                site[folder.rstrip("/")] = Answer(301, (("Location", folder),), b"")
    (entries,) = (one["entries"] for one in listed(corpora / "sites") if one["name"] == name)
    return Stage(name, [f"{host}{entry}" for entry in entries], site)


def job_of(site: Stage, port: int, place: Path) -> dict[str, Any]:
    """Return a job that crawls a site whole, as fast as it can, by a replay at a port.

    One fetch at a time of each host, no pause, no trap cut; pages are limited, as where it matters
    which come first, but there are fewer. A recorded site's is kept to what was recorded, which is
    listed in a file that is written to `place`.
    """
    job: dict[str, Any] = {
        "seeds": list(site.seeds),
        "scope": {"mode": "domain"},
        "limits": {"pages": len(site.site)},
        "politeness": {"delay_s": 0.0},
        "traps": {"enabled": False},
        "fetch": {"proxy": f"http://127.0.0.1:{port}"},
    }
    if site.is_cut:
        listed = place / f"{site.name}.urls.txt"
        listed.write_text("".join(f"{url}\n" for url in site.site), encoding="utf-8")
        use = {"use": "benchmarks.learning.replaying:Recorded", "options": {"file": str(listed)}}
        job["plugins"] = {"filters": [use]}
    return job
