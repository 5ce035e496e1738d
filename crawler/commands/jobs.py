"""The job that a command runs: as it is given, or as a crawl that has begun keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.commands.advice import password_warning
from crawler.commands.saying import say
from crawler.config import Job, merge, parse_job, read_job
from crawler.errors import StoreMismatch
from crawler.storage import STATE, Meta, StoreView, reading_stored_values


def loaded(config: Path | None, overrides: Mapping[str, Any]) -> Job:
    """Return the job of a crawl, after a warning where it is not quite what was given."""
    given = read_job(config, overrides)
    job = parse_job(given, str(config or "command line"))
    if warning := password_warning(given.get("seeds", ()), job):
        say(warning)
    return job


def changed(directory: Path, config: Path | None, overrides: Mapping[str, Any]) -> Job:
    """Return the job of a crawl that has begun, with what is to be changed in it."""
    data = _kept(directory)
    with reading_stored_values(directory):
        if config is not None:
            data = {"seeds": data["seeds"]} | loaded(config, {}).model_dump(
                mode="json", exclude_unset=True
            )
        merge(data, {**overrides, "output": str(directory)})
        return parse_job(data, str(config or directory))


def _kept(directory: Path) -> dict[str, Any]:
    """Return the job that is kept with a crawl; StoreMismatch where none has begun."""
    data: dict[str, Any] | None = None
    if (directory / STATE).exists() or not directory.exists():
        with StoreView.read(directory) as view:
            data = view.meta(Meta.JOB)
    if data is None:
        raise StoreMismatch(
            f"{directory} holds no crawl that has begun: check the path, or start it with --seeds"
        )
    return data
