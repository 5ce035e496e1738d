"""The views that `query` offers on a state file, whose tables are nobody's business.

Tables may change with any version; views keep their names and columns, and gain others.
"""

from __future__ import annotations

from collections.abc import Mapping

from crawler.records import UrlState

_STATES = " ".join(f"WHEN {state.value} THEN '{state.name.lower()}'" for state in UrlState)
_STATE = f"CASE u.state {_STATES} END"
_PLACE = "main.urls AS u JOIN main.hosts AS h ON h.id = u.host_id"
_FROM = "LEFT JOIN main.urls AS r ON r.id = u.referrer_id"
_COUNTS = ", ".join(
    f"sum(u.state = {state.value}) AS {name}"
    for state, name in (
        (UrlState.PENDING, "pending"),
        (UrlState.STORED, "stored"),
        (UrlState.DUPLICATE, "duplicates"),
        (UrlState.REDIRECT, "redirects"),
        (UrlState.FAILED, "failures"),
        (UrlState.SKIPPED, "skipped"),
    )
)

VIEWS: Mapping[str, str] = {
    "urls": (
        f"SELECT u.id, u.url, h.name AS host, {_STATE} AS state, nullif(u.detail, '') AS detail, "
        f"u.depth, u.hops, u.seed, r.url AS referrer FROM {_PLACE} {_FROM}"
    ),
    "pages": (
        "SELECT d.id, u.url, h.name AS host, d.declared AS content_type, d.tokens, u.depth, "
        "r.url AS referrer, printf('%016x', d.fingerprint) AS fingerprint, "
        "lower(hex(d.payload_digest)) AS payload_digest, lower(hex(d.text_digest)) AS text_digest "
        f"FROM main.documents AS d JOIN main.urls AS u ON u.id = d.url_id "
        f"JOIN main.hosts AS h ON h.id = u.host_id {_FROM}"
    ),
    "duplicates": (
        "SELECT u.url, h.name AS host, u.detail AS verdict, u.duplicate_of AS page_id, "
        f"p.url AS page_url FROM {_PLACE} LEFT JOIN main.documents AS d ON d.id = u.duplicate_of "
        f"LEFT JOIN main.urls AS p ON p.id = d.url_id WHERE u.state = {UrlState.DUPLICATE.value}"
    ),
    "failures": (
        "SELECT u.url, h.name AS host, u.detail AS failure, u.depth, r.url AS referrer "
        f"FROM {_PLACE} {_FROM} WHERE u.state = {UrlState.FAILED.value}"
    ),
    "skipped": (
        "SELECT u.url, h.name AS host, u.detail AS reason, u.depth, r.url AS referrer "
        f"FROM {_PLACE} {_FROM} WHERE u.state = {UrlState.SKIPPED.value}"
    ),
    "hosts": f"SELECT h.name AS host, count(*) AS urls, {_COUNTS} FROM {_PLACE} GROUP BY h.id",
    "pauses": (
        "SELECT host, datetime(until, 'unixepoch') AS until, delay_s, nullif(slow_s, 0) AS slow_s "
        "FROM main.pauses"
    ),
    "trouble": (
        "SELECT place, tries, datetime(tried_at, 'unixepoch') AS tried_at, why FROM main.health "
        "WHERE tries > 0"
    ),
    "templates": "SELECT host, version, revoked FROM main.learners",
    "totals": "SELECT name, value FROM main.totals",
}
"""Name -> what it is made of. Where a table came with a later version than that of a directory, its
view cannot be asked there."""
