"""The job as a model: its sections, each with keys, bounds and defaults.

Frozen; unknown keys are errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from crawler.config.sections.asking import Agent, Fetch, Politeness
from crawler.config.sections.base import FilePath, Section
from crawler.config.sections.hosts import HostBlock, as_host_pattern
from crawler.config.sections.judging import Dedup
from crawler.config.sections.keeping import Recrawl, Storage
from crawler.config.sections.plugins import Plugins
from crawler.config.sections.reach import Frontier, Limits, Scope, Sitemaps, Traps, Urls
from crawler.config.sections.reading import Analysis, Extract
from crawler.printing import without_passwords


class Job(Section):
    """A whole crawl job."""

    seeds: tuple[str, ...] = ()
    output: FilePath = Path("crawl-out")
    user_agent: Agent = Field(default_factory=Agent)
    scope: Scope = Field(default_factory=Scope)
    limits: Limits = Field(default_factory=Limits)
    sitemaps: Sitemaps = Field(default_factory=Sitemaps)
    politeness: Politeness = Field(default_factory=Politeness)
    fetch: Fetch = Field(default_factory=Fetch)
    hosts: dict[str, HostBlock] = Field(default_factory=dict)
    """Pattern of hosts -> what holds for them (`crawler.frontier.blocks`)."""
    frontier: Frontier = Field(default_factory=Frontier)
    traps: Traps = Field(default_factory=Traps)
    urls: Urls = Field(default_factory=Urls)
    analysis: Analysis = Field(default_factory=Analysis)
    extract: Extract = Field(default_factory=Extract)
    dedup: Dedup = Field(default_factory=Dedup)
    storage: Storage = Field(default_factory=Storage)
    recrawl: Recrawl = Field(default_factory=Recrawl)
    plugins: Plugins = Field(default_factory=Plugins)
    grace_s: Annotated[float, Field(ge=0)] = 20.0
    """After the first SIGINT or SIGTERM: how long pages in flight may take to finish."""
    progress_s: Annotated[float, Field(gt=0)] = 5.0
    """Seconds between progress lines."""

    @field_validator("hosts")
    @classmethod
    def _are_patterns(
        cls, hosts: dict[str, HostBlock], info: ValidationInfo
    ) -> dict[str, HostBlock]:
        found = {as_host_pattern(pattern): block for pattern, block in hosts.items()}
        if len(found) < len(hosts):
            raise ValueError("a pattern of hosts is there twice")
        agent = info.data.get("user_agent")
        full = agent.full if isinstance(agent, Agent) else None
        for pattern, block in hosts.items():
            token = block.robots_agent
            if full is not None and token is not None and token.lower() not in full.lower():
                raise ValueError(
                    f"{pattern}: user_agent.full, which these hosts are sent, must contain their "
                    f"robots_agent ({token})"
                )
        return found

    @field_validator("seeds")
    @classmethod
    def _hold_no_passwords(cls, seeds: tuple[str, ...]) -> tuple[str, ...]:
        """Drop user and password: they are never sent, and the job is kept beside the output."""
        return tuple(without_passwords(seed, "") for seed in seeds)
