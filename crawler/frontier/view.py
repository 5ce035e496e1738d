"""Hosts as somebody sees them who watches a crawl: what each does now, and what it waits for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from crawler.frontier.host import Host, Place
from crawler.frontier.politeness import Politeness


class FrontierCounts(NamedTuple):
    """URLs ever accepted, not ended, and queued in memory; hosts known, and put aside.

    Known are hosts with pending URLs, or asked too recently to be forgotten.
    """

    seen: int
    pending: int
    in_memory: int
    hosts: int
    aside: int


class HostState(StrEnum):
    """What a host does; the first that fits, in this order."""

    STOPPED = "stopped"
    """By who watches; nothing is asked of it in this run."""
    ASIDE = "put aside"
    ASKED = "asked now"
    TRIED = "being tried"
    """It was put aside, and its next answer decides."""
    ABSENT = "waits for robots.txt"
    """Which redirects to another host."""
    IN_LINE = "in line at its address"
    UNREAD = "waits for its pages to be read"
    PREPARED = "being prepared"
    """Its address, its robots.txt or its next URLs are asked for."""
    PAUSING = "between requests"
    DUE = "due"
    IDLE = "nothing queued"


_BY_PLACE = {
    Place.IN_LINE: HostState.IN_LINE,
    Place.HELD_BACK: HostState.UNREAD,
    Place.HELD: HostState.PREPARED,
}


@dataclass(frozen=True, slots=True)
class HostSeen:
    """One host, now."""

    name: str
    state: HostState
    why: str
    """Why it is put aside, or its robots.txt cannot be read; empty where neither is so."""
    wait_s: float
    """How long nothing will be asked of it; 0.0 where it may be asked, or nobody knows."""
    delay_s: float
    """Its pause between two requests."""
    queued: int
    """URLs that wait, in memory and in the store."""
    in_flight: int
    """Requests under way."""


class RuleTurn(NamedTuple):
    """A rule of URLs came into use, or was revoked."""

    rule: str
    came: bool
    """The first URL waits by it; else it is revoked, and what waited by it has its place again."""
    ago_s: float


class RulesSeen(NamedTuple):
    """The rules by which URLs wait behind others, now (`crawler.frontier.learning`)."""

    number: int = 0
    """Rules by which any do."""
    urls: int = 0
    """URLs that do."""
    waiting: tuple[tuple[str, int], ...] = ()
    """Some of the rules, those used last, each with its URLs; those with most first."""
    turns: tuple[RuleTurn, ...] = ()
    """What became of rules in this run, the latest first."""
    released: tuple[str, ...] = ()
    """Rules that the job says are not to be used."""


def hosts_seen(
    politeness: Politeness, names: Iterable[str], now: float, most: int
) -> list[HostSeen]:
    """Return halted hosts, those of these names, some that are put aside, and the longest known.

    No host twice. Costs `most` steps beside the halted and the named ones, however many there are.
    """
    known, halted = politeness.hosts, politeness.halted.values()
    named = (known[name] for name in names if name in known)
    aside = (host for host in islice(politeness.quarantine.hosts.values(), most) if host.is_held)
    found = dict.fromkeys((*halted, *named, *aside, *islice(known.values(), most)))
    return [_seen(host, now) for host in found]


def waited_for(hosts: Sequence[HostSeen]) -> str:
    """Return what a crawl waits for in which nothing else goes on; empty where there is nothing.

    A host that is to be left alone for longer than its pause is, which needs no word; or the answer
    of one.
    """
    for host in hosts:
        waits = host.state is HostState.PAUSING and host.wait_s > host.delay_s
        if waits and host.queued and not host.in_flight:
            why = f": {host.why}" if host.why else ""
            return f"next request to {host.name} in {host.wait_s:,.0f} s{why}"
    asked = next((host.name for host in hosts if host.in_flight), None)
    return f"waiting for an answer of {asked}" if asked else ""


def _seen(host: Host, now: float) -> HostSeen:
    state = _state(host, now)
    hold = host.hold if state is HostState.ASIDE else None
    until = hold.until if hold else host.due
    return HostSeen(
        name=host.name,
        state=state,
        why=hold.why if hold else host.why_without_rules,
        wait_s=max(0.0, until - now),
        delay_s=host.delay_s,
        queued=len(host.queue) + host.queue.stored,
        in_flight=host.in_flight,
    )


def _state(host: Host, now: float) -> HostState:
    if host.halted:
        return HostState.STOPPED
    if host.parked:
        return HostState.ASIDE
    if host.in_flight:
        return HostState.ASKED
    if host.hold is not None:
        return HostState.TRIED
    if host.absent:
        return HostState.ABSENT
    if host.place in _BY_PLACE:
        return _BY_PLACE[host.place]
    if not host.queue.has_waiting:
        return HostState.IDLE
    return HostState.PAUSING if host.due > now else HostState.DUE
