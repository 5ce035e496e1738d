"""How far a job reaches, and whether another one reaches farther: depth, scope, blocks of hosts.

Patterns cannot be compared by what they match, so any that is new among those that include counts
as farther, and any that is gone among those that exclude.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.choices import ScopeMode

if TYPE_CHECKING:
    from crawler.config import Job
    from crawler.config.sections.hosts import HostBlock
    from crawler.config.sections.reach import Scope

_WIDTH = {ScopeMode.PATH: 0, ScopeMode.HOST: 1, ScopeMode.DOMAIN: 2, ScopeMode.ANY: 3}


def is_deeper(before: Job, job: Job) -> bool:
    """Whether a job follows links to a greater depth than the one before."""
    least, most = before.limits.depth, job.limits.depth
    return least is not None and (most is None or most > least)


def is_wider(before: Job, job: Job) -> bool:
    """Whether a job may admit URLs that were out of the scope of the one before.

    A new seed makes none wider: it begins its own site, and services add seeds every day.
    """
    if _WIDTH[job.scope.mode] > _WIDTH[before.scope.mode] or _admits(before.scope, job.scope):
        return True
    return any(
        block.include or block.exclude
        for pattern, block in before.hosts.items()
        if _admits(block, job.hosts.get(pattern))
    )


def stores_more(before: Job, job: Job) -> bool:
    """Whether pages may be stored that the job before wanted for their links alone."""
    if set(before.scope.follow_only) - set(job.scope.follow_only):
        return True
    return any(
        set(block.follow_only) - set(now.follow_only if (now := job.hosts.get(pattern)) else ())
        for pattern, block in before.hosts.items()
    )


def speaks_more(before: Job, job: Job) -> bool:
    """Whether pages may be stored that were in a language that the job before did not want.

    So they may where their language is found out in another way.
    """
    was, now = before.scope.languages, job.scope.languages
    if not was:
        return False
    if not now or set(now) - set(was):
        return True
    return before.extract.language != job.extract.language


def _admits(before: Scope | HostBlock, now: Scope | HostBlock | None) -> bool:
    """Whether these patterns may admit what those before did not; None: there are none now."""
    include, exclude = (now.include, now.exclude) if now is not None else ((), ())
    included = bool(before.include) and (not include or bool(set(include) - set(before.include)))
    return included or bool(set(before.exclude) - set(exclude))
