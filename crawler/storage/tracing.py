"""URLs of a crawl: how one ended, and the way to it; which hosts have any, or had."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from crawler.errors import StoreMismatch
from crawler.records import UrlState
from crawler.storage.database import reading_stored_values
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

_COLUMNS = "id, url, state, detail, depth, hops, seed, duplicate_of"
_KNOWN = f"SELECT {_COLUMNS} FROM urls WHERE url = ?"
_WAY = f"""
WITH RECURSIVE way (step, {_COLUMNS}, referrer_id) AS (
  SELECT 0, {_COLUMNS}, referrer_id FROM urls WHERE id = ?
  UNION ALL
  SELECT w.step + 1, u.id, u.url, u.state, u.detail, u.depth, u.hops, u.seed, u.duplicate_of,
    u.referrer_id FROM way AS w JOIN urls AS u ON u.id = w.referrer_id AND u.id < w.id
)
SELECT {_COLUMNS} FROM way ORDER BY step
"""
"""A referrer was known before what it led to: ids fall on the way, and no circle is endless."""


@dataclass(frozen=True, slots=True)
class Known:
    """A URL that was ever queued."""

    id: int
    url: str
    state: UrlState
    detail: str
    """Its verdict, failure class or skip reason, if it has ended."""
    depth: int
    hops: int
    seed: bool
    like: int | None
    """The stored page that its own is like, as a copy or a sibling."""


def known(view: StoreView, url: str) -> Known | None:
    """Return what is known of a canonical URL, None if it was never queued; reads all URLs."""
    with reading_stored_values(view.directory):
        return next((_known(*row) for row in view.database.rows(_KNOWN, (url,))), None)


def every_url(view: StoreView) -> Iterator[Known]:
    """Yield all URLs that were ever queued, in order of id."""
    with reading_stored_values(view.directory):
        for row in view.database.stream(f"SELECT {_COLUMNS} FROM urls ORDER BY id"):
            yield _known(*row)


def way_to(view: StoreView, found: Known) -> Iterator[Known]:
    """Yield the URLs that led to one, itself first and a seed last."""
    with reading_stored_values(view.directory):
        for row in view.database.rows(_WAY, (found.id,)):
            yield _known(*row)


def confirm_hosts(view: StoreView, hosts: Collection[str]) -> None:
    """Raise StoreMismatch for a host key of which no URL was ever queued."""
    for host in sorted(hosts):
        if not _has_urls(view, host):
            raise StoreMismatch(
                f"{view.directory}: no URL of the host {host} was ever queued: check its name "
                "(`report` lists hosts)"
            )


def purged_hosts(view: StoreView) -> frozenset[str]:
    """Return the host keys that were purged, but for those that were asked for again since."""
    with reading_stored_values(view.directory):
        kept = map(str, view.meta(Meta.PURGED, []))
        return frozenset(host for host in kept if not _has_urls(view, host))


def _has_urls(view: StoreView, host: str) -> bool:
    return bool(view.database.rows("SELECT 1 FROM hosts WHERE name = ?", (host,)))


def _known(
    id_: int,
    url: str,
    state: int,
    detail: str,
    depth: int,
    hops: int,
    seed: int,
    like: int | None,
) -> Known:
    return Known(id_, url, UrlState(state), detail, depth, hops, bool(seed), like)
