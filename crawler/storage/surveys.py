"""What whole tables of a state file say, for `report`, `audit` and `restore`: one pass each.

Every answer speaks of committed rows only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crawler.records import SIBLING, StoredRef, UrlState
from crawler.storage.database import reading_stored_values
from crawler.storage.view import StoreView

_LARGEST_CLUSTERS = """
SELECT c.document_id, u.url, c.size
FROM (
  SELECT duplicate_of AS document_id, count(*) AS size FROM urls
  WHERE duplicate_of IS NOT NULL AND (detail IN ('sibling', 'restored-sibling')) = ?
  GROUP BY duplicate_of ORDER BY size DESC, duplicate_of LIMIT ?
) AS c
JOIN documents AS d ON d.id = c.document_id JOIN urls AS u ON u.id = d.url_id
ORDER BY c.size DESC, c.document_id
"""
_SIBLINGS = (
    "SELECT u.url, o.url FROM urls AS u JOIN documents AS d ON d.id = u.duplicate_of "
    "JOIN urls AS o ON o.id = d.url_id WHERE u.state = ? AND u.detail = ?"
)
_ALIKE = """
SELECT id, url, state, detail, duplicate_of FROM urls
WHERE (state = 2 AND detail IN ('near', 'exact-text')) OR detail = 'sibling'
"""
"""Not those with the same bytes: no eye sees a difference there."""
_LARGEST_HOSTS = """
SELECT (SELECT name FROM hosts WHERE id = u.host_id), u.state, u.detail, count(*)
FROM urls AS u
WHERE u.host_id IN (
  SELECT c.host_id FROM (SELECT host_id, count(*) AS size FROM urls GROUP BY host_id) AS c
  JOIN hosts AS h ON h.id = c.host_id ORDER BY c.size DESC, h.name LIMIT ?
)
GROUP BY u.host_id, u.state, u.detail
"""
"""By host alone first: by state and detail at once, all rows would be sorted."""

MAX_PARAMETERS = 10_000
"""Values looked for by one statement, which reads a whole table: SQLite takes 32,766 (3.32 and
later)."""


@dataclass(frozen=True, slots=True)
class AlikeUrl:
    """A page that is like a stored one: a duplicate that was dropped, or any sibling."""

    url_id: int
    url: str
    state: UrlState
    detail: str
    """What it was judged: `near`, `sibling`, `exact-payload` ..."""
    like_id: int | None
    """The stored page; None where it is stored in another directory."""


def host_count(view: StoreView) -> int:
    """Return how many hosts have a URL."""
    return int(view.database.rows("SELECT count(*) FROM hosts")[0][0])


def largest_hosts(
    view: StoreView, limit: int
) -> list[tuple[str, Mapping[tuple[UrlState, str], int]]]:
    """Return the hosts with most URLs, largest first: (host, (state, detail) -> URLs)."""
    hosts: dict[str, dict[tuple[UrlState, str], int]] = {}
    with reading_stored_values(view.directory):
        for name, state, detail, number in view.database.stream(_LARGEST_HOSTS, (limit,)):
            hosts.setdefault(name, {})[UrlState(state), detail] = number
        return sorted(hosts.items(), key=lambda host: (-sum(host[1].values()), host[0]))


def largest_clusters(view: StoreView, limit: int) -> list[tuple[StoredRef, int]]:
    """Return (stored page, number of its duplicates of any kind), largest first."""
    return _largest(view, limit, of_siblings=False)


def largest_families(view: StoreView, limit: int) -> list[tuple[StoredRef, int]]:
    """Return (stored page, number of pages judged its siblings), largest first."""
    return _largest(view, limit, of_siblings=True)


def alike_urls(view: StoreView) -> Iterator[AlikeUrl]:
    """Yield dropped near duplicates and pages of the same text, and siblings, in no order."""
    with reading_stored_values(view.directory):
        for url_id, url, state, detail, like_id in view.database.stream(_ALIKE):
            yield AlikeUrl(url_id, url, UrlState(state), detail, like_id)


def sibling_pairs(view: StoreView) -> Iterator[tuple[str, str]]:
    """Yield the URL of each stored sibling, and that of the page that it is like, in no order."""
    with reading_stored_values(view.directory):
        yield from view.database.stream(_SIBLINGS, (int(UrlState.STORED), SIBLING))


def members(view: StoreView, document_ids: Sequence[int], limit: int) -> dict[int, list[AlikeUrl]]:
    """Return id of a stored page -> the first pages found to be like it, `limit` at most of each.

    Copies of any kind and siblings, in the order in which their URLs were found. One pass over the
    URL table for all of them; at most `MAX_PARAMETERS` ids.
    """
    wanted = f"({', '.join('?' * len(document_ids))})"
    query = (
        "SELECT id, url, state, detail, duplicate_of FROM urls "
        f"WHERE duplicate_of IN {wanted} ORDER BY id"
    )
    found: dict[int, list[AlikeUrl]] = {id_: [] for id_ in document_ids}
    with reading_stored_values(view.directory):
        for url_id, url, state, detail, like_id in view.database.stream(query, document_ids):
            if len(found[like_id]) < limit:
                found[like_id].append(AlikeUrl(url_id, url, UrlState(state), detail, like_id))
    return found


def dropped_urls(view: StoreView) -> Iterator[tuple[int, str]]:
    """Yield (URL id, URL) of the pages that were dropped and kept as a difference, in no order."""
    if view.keeps_appearances:
        yield from view.database.stream(
            "SELECT u.id, u.url FROM dropped AS d JOIN urls AS u ON u.id = d.url_id"
        )


def stored_addresses(view: StoreView) -> Iterator[tuple[str, int | None]]:
    """Yield (URL, key of its address if pages are found by it) of stored pages, by their ids."""
    address = "d.address" if view.keeps_appearances else "NULL"
    yield from view.database.stream(
        f"SELECT u.url, {address} FROM documents AS d JOIN urls AS u ON u.id = d.url_id "
        "ORDER BY d.id"
    )


def page_ids(view: StoreView, url_ids: Sequence[int]) -> dict[int, int]:
    """Return URL id -> id of the stored page, of those of some URLs that have one."""
    found: dict[int, int] = {}
    for begin in range(0, len(url_ids), MAX_PARAMETERS):
        some = url_ids[begin : begin + MAX_PARAMETERS]
        wanted = f"({', '.join('?' * len(some))})"
        query = f"SELECT url_id, id FROM documents WHERE url_id IN {wanted}"
        found |= dict(view.database.rows(query, some))
    return found


def _largest(view: StoreView, limit: int, of_siblings: bool) -> list[tuple[StoredRef, int]]:
    rows = view.database.rows(_LARGEST_CLUSTERS, (of_siblings, limit))
    return [(StoredRef(document_id, url), size) for document_id, url, size in rows]
