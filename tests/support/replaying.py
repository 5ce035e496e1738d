"""Judging a demo crawl again in the order it recorded, by a judge that never stopped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from crawler.config import Job, parse_job
from crawler.dedup import Judge, payload_digest, represents
from crawler.dedup.catalog import MemoryCatalog
from crawler.dedup.copies import address_key
from crawler.demo import DemoWeb
from crawler.engine import outcomes
from crawler.engine.outcomes import format_fingerprint
from crawler.models import (
    ExactDuplicate,
    NearDuplicate,
    PayloadKey,
    Sibling,
    StoredDocument,
    Verdict,
    verdict_name,
)
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, templates
from crawler.urls import host_key
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings
from support.output import lines

_JUDGED = """
SELECT u.url, d.id, d.declared FROM urls AS u LEFT JOIN documents AS d ON d.url_id = u.id
WHERE u.state IN (1, 2) ORDER BY u.ended
"""
_COOKIE = {"cookie": "welcome=1"}
"""One page of the demo web is shown to those only who have been there before."""


Templates = Mapping[tuple[str, int], bytes]
"""(host key, version) -> packed template."""


def request_again(
    line: Mapping[str, Any], body: bytes, media_type: str, charset: str | None, kept: Templates
) -> AnalysisRequest:
    """Return what has a page read as its line says that it was, by the template of that version."""
    url, version = line["final_url"], line.get("template")
    template = None if version is None else kept[host_key(url), version]
    doubted = bool(line.get("doubted"))
    return AnalysisRequest(url, body, media_type, charset, template, doubted=doubted)


def check_replay(web: DemoWeb, output: Path) -> int:
    """Assert that every recorded verdict is that of the replay; return how many there were."""
    with StoreView.read(output) as view:
        job = parse_job(view.meta(Meta.JOB), "replay")
        order = view.database.rows(_JUDGED)
        versions = {(host, version): packed for host, version, packed in templates(view)}
    told = {line["url"]: line for line in lines(output, "pages") + lines(output, "duplicates")}
    replay = _Replay(web, job, versions)
    for url, document_id, declared in order:
        line = told[url]
        assert replay.judge(line, declared or line["declared"]) == _told(line, document_id), url
    assert len(order) == len(told)
    return len(order)


class _Replay:
    """A judge and a catalogue in memory, fed with bodies that the web is asked for once more."""

    def __init__(self, web: DemoWeb, job: Job, templates: Templates) -> None:
        self._web = web
        self._templates = templates
        self._hash = job.dedup.payload_hash
        self._catalog = MemoryCatalog()
        self._judge = Judge(job.dedup, self._catalog, 1000)
        self._analyser = Analyser(AnalysisSettings.of(job))
        self._next_id = 1

    def judge(self, line: dict[str, Any], declared: str) -> dict[str, Any]:
        """Return what is to be told of the page on this line."""
        body = self._body(line["final_url"])
        media_type, _, charset = declared.partition(";")
        page = self._analyser.analyse(
            request_again(line, body, media_type, charset or None, self._templates)
        )
        if "read_by" in line and "text" in line:
            read = page.text, page.read_by, page.judged_on, page.doubted
            told = line["text"], line["read_by"], line["judged_on"], bool(line.get("doubted"))
            assert read == told, line["url"]
        signature, shown = page.signature, outcomes.shown(line["url"], page)
        key = PayloadKey(payload_digest(body, self._hash), declared)
        verdict = self._judge.judge(key, signature, self._next_id, shown)
        if isinstance(verdict, ExactDuplicate | NearDuplicate):
            return _reasons(verdict)
        self._catalog.add(
            StoredDocument(
                self._next_id,
                0,
                line["url"],
                key,
                signature,
                represents(verdict),
                page.layout,
                address_key(line["url"]),
                page.appearance,
            )
        )
        self._next_id += 1
        stored = {"verdict": verdict_name(verdict), "id": self._next_id - 1}
        return stored | (_like(verdict) if isinstance(verdict, Sibling) else {})

    def _body(self, url: str) -> bytes:
        place = urlsplit(url)
        path = place.path + (f"?{place.query}" if place.query else "")
        answer = self._web.get(place.hostname or "", path, _COOKIE)
        moved = answer.headers.get("Location")
        return self._body(urljoin(url, moved)) if moved else answer.body


def _reasons(verdict: Verdict) -> dict[str, Any]:
    assert isinstance(verdict, ExactDuplicate | NearDuplicate)
    told: dict[str, Any] = {
        "verdict": verdict_name(verdict),
        "duplicate_of": {"id": verdict.of.id, "url": verdict.of.url},
    }
    if isinstance(verdict, NearDuplicate):
        told |= _like(verdict) | {"cluster": verdict.of.id}
    return told


def _like(verdict: NearDuplicate | Sibling) -> dict[str, Any]:
    assert verdict.evidence is not None
    told: dict[str, Any] = {
        "fingerprint": format_fingerprint(verdict.fingerprint),
        "distance": verdict.distance,
        "similarity": verdict.similarity,
        "evidence": verdict.evidence.value,
    }
    if isinstance(verdict, Sibling):
        told["sibling_of"] = {"id": verdict.of.id, "url": verdict.of.url}
    return told


def _told(line: dict[str, Any], document_id: int | None) -> dict[str, Any]:
    like = ["fingerprint", "distance", "similarity", "evidence"]
    keys = ["verdict"] if document_id is not None else ["verdict", "duplicate_of"]
    if line["verdict"] == "near":
        keys += [*like, "cluster"]
    elif line["verdict"] == "sibling":
        keys += [*like, "sibling_of"]
    told = {key: line[key] for key in keys}
    return told if document_id is None else told | {"id": document_id}
