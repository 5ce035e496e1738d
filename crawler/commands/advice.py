"""What an operator is told of a crawl besides its tables: warnings, and the way on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from crawler import urls
from crawler.printing import safe
from crawler.records import UrlState
from crawler.storage import line_path

if TYPE_CHECKING:
    from crawler.config import Job


def contact_warning(job: Job) -> str | None:
    """Return what to say of a job that asks public hosts and leaves no address."""
    public = [seed for seed in job.seeds if not _is_local(seed, job.fetch.resolve)]
    if not public or job.user_agent.contact:
        return None
    return (
        "Warning: no contact given. Site owners should be able to reach you: --contact URL, or "
        "`user_agent: {contact: ...}` in the job file."
    )


def password_warning(given: Sequence[str], job: Job) -> str | None:
    """Return what to say where seeds as they were given hold more than the job keeps of them."""
    shown = [kept for seed, kept in zip(given, job.seeds, strict=True) if seed != kept]
    if not shown:
        return None
    others = f" and {len(shown) - 1:,} more" if len(shown) > 1 else ""
    return (
        f"Warning: user name and password are left out of {shown[0]}{others}: they are never sent, "
        "so what needs a login is not crawled."
    )


def way_on(job: Job, summary: Mapping[str, Any], held: int, code: int) -> str:
    """Return why URLs are left over, beside those `held` back, and how to go on with them."""
    command = resume_command(job.output)
    left, limit = f"{summary['pending'] - held:,} URLs are pending", job.limits.pages
    pages = summary["stored"] + sum(summary["duplicates"].values())
    if limit is not None and pages >= limit:
        return f"Page limit {limit:,} reached, {left}; go on with: {command} --pages {2 * pages}"
    if code:
        return f"Stopped, {left}; go on with: {command}"
    return f"{left} on hosts that stopped answering; go on later with: {command}"


def resume_command(directory: Path) -> str:
    """Return the command that goes on with a crawl."""
    return f"python -m crawler resume {directory}"


def unreached(directory: Path, seeds: list[tuple[str, UrlState, str]]) -> Iterator[str]:
    """Yield a line for each seed that brought no page."""
    details = {
        line["url"]: line["detail"]
        for name in ("failures", "skipped")
        for line in lines(directory, name)
    }
    for url, state, detail in seeds:
        if state in (UrlState.FAILED, UrlState.SKIPPED):
            yield safe(f"{url}: not crawled ({detail}): {details.get(url, '')}")


def lines(directory: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a line file."""
    with line_path(directory, name).open("rb") as file:
        yield from map(orjson.loads, file)


def _is_local(seed: str, resolve: Mapping[str, str]) -> bool:
    canonical = urls.Canonicaliser()(seed)
    name = urls.hostname(urls.host_key(canonical)) if canonical else ""
    name = resolve.get(name, name)
    try:
        return not ip_address(name.strip("[]")).is_global
    except ValueError:
        return name == "localhost"
