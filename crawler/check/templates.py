"""What was learned of sites, held against itself and against the lines that name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler.check.problems import Findings
from crawler.storage import STATE, StoreView, all_learned, templates
from crawler.templates import Learner, unpack_template
from crawler.urls import host_key

_READS_ON = (
    "no stored text is harmed; only to read the same body again in the same way it is needed; "
    "restore the whole directory from a backup to have it again"
)
_LEARNS_ON = (
    "no stored text is harmed, and a crawl that goes on learns it anew; only to do without that "
    "restore the whole directory from a backup"
)


class TemplateCheck:
    """Looks at templates and learners, and whether lines name versions that are there."""

    def __init__(self, view: StoreView, findings: Findings) -> None:
        self._view = view
        self._findings = findings
        self._versions: set[tuple[str, int]] = set()

    def unpack(self) -> None:
        """Unpack all that was learned, and remember which versions there are."""
        for number, (host, version, packed) in enumerate(templates(self._view), 1):
            self._findings.beat("{:,} templates unpacked", number)
            self._versions.add((host, version))
            try:
                _, found = unpack_template(packed)
            except ValueError as error:
                self._damaged(f"version {version} of the template of {host} is lost: {error}")
                continue
            if found != version:
                what = f"version {version} of the template of {host} is version {found}"
                self._damaged(what)
        for number, known in enumerate(all_learned(self._view), 1):
            self._findings.beat("{:,} learners unpacked", number)
            try:
                Learner.restored(known.state, known.template)
            except ValueError as error:
                what = f"what the template of {known.host} is learned from is lost: {error}"
                self._findings.add(STATE, f"host {known.host}", what, _LEARNS_ON)

    def compare(self, name: str, number: int, record: Mapping[str, Any]) -> None:
        """Note a line that names a version which is not there."""
        version = record.get("template")
        if version is None:
            return
        host = host_key(record["final_url"])
        if (host, version) not in self._versions:
            what = f"it was read by version {version} of the template of {host}, which is lost"
            self._findings.add_line(name, number, what, _READS_ON)

    def _damaged(self, what: str) -> None:
        self._findings.add(STATE, "", what, _READS_ON)
