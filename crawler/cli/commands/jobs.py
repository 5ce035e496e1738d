"""The job of a crawl as it is given, or as a crawl that has begun keeps it.

And hosts as a user names them.
"""

from __future__ import annotations

import difflib
import logging
import os
import re
from argparse import Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from crawler import urls
from crawler.cli.parser import overrides
from crawler.config import COMMAND_LINE, Job, Source, check_seeds, keys_of, read_seeds, validated
from crawler.config.loading import (
    from_environment,
    from_file,
    from_settings,
    merged,
    variable_of,
)
from crawler.console import safe, say, without_passwords
from crawler.dedup import kernels
from crawler.errors import StoreMismatch
from crawler.observe.parts import SLOW
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import PARTITIONS, STATE
from crawler.storage.tables import REPEAT, Meta
from crawler.storage.view import StoreView, purged_hosts
from crawler.urls.editions import hosts_of

log = logging.getLogger(__name__)

OWN_VARIABLES = ("CRAWLER_LOG",)
"""Those that are called like keys of a job, and set something else."""

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
"""What other programs take proxies from, in small letters too."""


def loaded(sources: Sequence[Source]) -> Job:
    """Return the job that some sources give, after a warning where it is not quite as they say."""
    job = validated(sources)
    kept = zip(merged(sources).get("seeds", ()), job.seeds, strict=True)
    if shown := [seed for was, seed in kept if was != seed]:
        others = f" and {len(shown) - 1:,} more" if len(shown) > 1 else ""
        say(
            f"Warning: user name and password are left out of {shown[0]}{others}: they would be "
            "kept with the crawl. For a login say fetch.netrc, or basic_env under hosts."
        )
    named = ", ".join(source.name for source in sources)
    log.debug("job from %s: %s", named, without_passwords(str(job)))
    _warn_of_variables(job)
    return job


def told(args: Namespace) -> list[Source]:
    """Return what is to be changed in a job: by the environment, over that by --set, by flags."""
    flags = Source(COMMAND_LINE, overrides(args))
    return [*from_environment(os.environ)[0], *from_settings(args.set), flags]


def _warn_of_variables(job: Job) -> None:
    """Say which variables that are called like keys of a job are none, and no part of one."""
    kept = job.model_dump_json()
    hints = []
    for name in from_environment(os.environ)[1]:
        if name in OWN_VARIABLES or f'"{name}"' in kept:  # such as fetch.proxy_env
            continue
        close = difflib.get_close_matches(name, map(variable_of, keys_of(Job)), n=1)
        hints.append(f"{name} (did you mean {close[0]}?)" if close else name)
    if hints:
        say(f"Warning: no key of a job, so not used, from the environment: {', '.join(hints)}")


def of_command_line(args: Namespace) -> Job:
    """Return the job of a job file, with what is told beside it; it may have no seed."""
    return loaded([*from_file(args.config), *told(args)])


def given(args: Namespace) -> Job:
    """Return the job of a command line that begins a crawl; ConfigError where it has no seed."""
    seeds = given_seeds(args)
    listed = [Source(COMMAND_LINE, {"seeds": seeds})] if seeds else []
    job = loaded([*from_file(args.config), *told(args), *listed])
    check_seeds(job.seeds, str(args.config or COMMAND_LINE))
    return job


def given_seeds(args: Namespace) -> tuple[str, ...]:
    """Return the seeds of a command line and of its list; say which lines are left out.

    Raises ConfigError for one that is no URL, but for lines that are to be skipped.
    """
    seeds = tuple(args.urls)
    if args.seeds is not None:
        listed, bad = read_seeds(args.seeds, skip_bad=args.skip_bad)
        for line in bad:
            say(f"left out: {safe(line)}")
        seeds += listed
    if seeds:
        check_seeds(seeds, "command line")
    return seeds


def changed(directory: Path, config: Path | None = None, changes: Sequence[Source] = ()) -> Job:
    """Return the job of a crawl that has begun, with what is to be changed in it.

    That of a recrawl goes to no host that was purged from what it goes back to; a job file of its
    own has to say so itself, as for any crawl. Raises StoreMismatch where no crawl has begun.
    """
    data: dict[str, Any] | None = None
    if any((directory / name).exists() for name in (STATE, PARTITIONS)) or not directory.exists():
        with StoreView.read(directory) as view:
            data = view.meta(Meta.JOB)
    if data is None:
        raise StoreMismatch(
            f"{directory} holds no crawl that has begun: check the path, or {REPEAT}"
        )
    if config is None:
        with StoreView.read(directory) as view, reading_stored_values(directory):
            earlier = (view.meta(Meta.RECRAWL) or {}).get("of", ())
        purged: set[str] = set()
        for path in earlier:
            with StoreView.read(directory / path) as view:
                purged |= purged_hosts(view)
        if purged:
            data = without_hosts(data, purged)
    with reading_stored_values(directory):
        where = Source(COMMAND_LINE, {"output": str(directory)})
        return loaded([kept_or(config, data, directory), *changes, where])


def kept_or(config: Path | None, job: Mapping[str, Any], directory: Path) -> Source:
    """Return the job that a crawl keeps; or a job file in place of it, but for its seeds."""
    if config is None:
        return Source(str(directory), job)
    return Source(str(config), {"seeds": job["seeds"], **merged(from_file(config))})


def without_hosts(job: dict[str, Any], hosts: Collection[str]) -> dict[str, Any]:
    """Return a job that begins at none of some host keys, goes to none, and names no rule there."""
    canonicalise = urls.Canonicaliser()
    seeds = [
        seed
        for seed in job["seeds"]
        if (url := canonicalise(seed)) is None or urls.host_key(url) not in hosts
    ]
    excluded = job["scope"]["exclude"]
    new = [pattern for pattern in map(pattern_of, sorted(hosts)) if pattern not in excluded]
    scope = {**job["scope"], "exclude": [*excluded, *new]}
    learn = dict(job["learn"])
    names: dict[str, Callable[[Any], str]] = {
        "without": str,
        "same": lambda rule: f"{rule['slot']}: {rule['other']} is {rule['one']}",
    }
    for key, name in names.items():
        if key in learn:
            learn[key] = [rule for rule in learn[key] if hosts_of(name(rule)).isdisjoint(hosts)]
    return {**job, "seeds": seeds, "scope": scope, "learn": learn}


def pattern_of(host: str) -> str:
    """Return the pattern of all URLs of a host key, and of no other."""
    port = "" if urls.hostname(host) != host else "(:(80|443))?"
    return f"^https?://{re.escape(host)}{port}/"


def warn_of_no_contact(job: Job) -> None:
    """Say so where a job asks public hosts and gives no address."""
    if not job.user_agent.contact and _asks_others(job):
        say(
            "Warning: no contact given. Site owners should be able to reach you: --contact URL, or "
            "`user_agent: {contact: ...}` in the job file."
        )


def check_access(job: Job) -> None:
    """Raise ConfigError where a login, cookies, a certificate or the proxy cannot be used.

    To be called before anything is stored. Say so where a login for a seed is held back.
    """
    # It loads what asks the network.
    from crawler.fetch import Access

    access = Access(job)
    canonicalise = urls.Canonicaliser()
    held_back = [
        seed for seed in job.seeds if (url := canonicalise(seed)) and access.held_back(url)
    ]
    if held_back:
        others = f" and {len(held_back) - 1:,} more" if len(held_back) > 1 else ""
        say(
            f"Warning: the login for {held_back[0]}{others} is not sent over http, where others "
            "can read it: ask by https, or set fetch.logins_over_http."
        )


def warn_of_proxies(job: Job) -> None:
    """Say so where the environment names a proxy, which other programs would ask."""
    if job.fetch.proxy or job.fetch.proxy_env:
        return
    named = [name for name in PROXIES if os.environ.get(name) or os.environ.get(name.lower())]
    if named and _asks_others(job):
        first = named[0] if os.environ.get(named[0]) else named[0].lower()
        say(
            f"Warning: {' and '.join(named)} not used: the crawler asks servers directly. "
            f"To use it: `fetch: {{proxy_env: {first}}}` in the job file."
        )


def warn_of_slow_kernels() -> None:
    """Say so where the inner loops were not compiled."""
    if kernels.IN_USE != "C":
        say(SLOW)


def _asks_others(job: Job) -> bool:
    canonicalise = urls.Canonicaliser()
    for seed in job.seeds:
        canonical = canonicalise(seed)
        name = urls.hostname(urls.host_key(canonical)) if canonical else ""
        name = job.fetch.resolve.get(name, name)
        try:
            is_local = not ip_address(name.strip("[]")).is_global
        except ValueError:
            is_local = name == "localhost"
        if not is_local:
            return True
    return False
