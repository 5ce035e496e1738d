"""What was learned, as JSON-ready data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from crawler.learned.opening import HostLearned, HostTemplate


def hosts_data(hosts: Sequence[HostLearned]) -> list[dict[str, Any]]:
    """Return what was learned of each host."""
    return [_about(host) for host in hosts]


def host_data(shown: HostTemplate) -> dict[str, Any]:
    """Return the template of one host, with its zones."""
    return {
        **_about(shown.about),
        "version": shown.version,
        "zones": [asdict(zone) for zone in shown.zones],
    }


def _about(host: HostLearned) -> dict[str, Any]:
    figures = asdict(host.figures)
    return {"host": host.host, **figures, "template_bytes": host.template_bytes}
