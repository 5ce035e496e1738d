"""Names that the job itself leads to an address (`fetch.resolve`), and the ports that they open.

The user has named the machine, but any page of the web can link to the name at any port: were all
of them open, such a link would reach every service of that machine. So an address that is not
public is opened to mapped names only at the ports that the job itself names with one of them: in
seeds, and literally as `name:port` in `scope.include`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from crawler.fetch.guard import AddressGuard, AddressRefused, site

_WEB_PORTS = frozenset({80, 443})
"""One opens the other: http and https of a name are one machine to be polite to, too
(`crawler.urls.host_key`), and the one usually redirects to the other."""


class MappedNames:
    """Name -> address; what may be connected to there is noted at the guard."""

    def __init__(
        self, names: Mapping[str, str], guard: AddressGuard, include: Iterable[str] = ()
    ) -> None:
        """`include` are the regular expressions of the job's scope."""
        self._names = names
        self._guard = guard
        plain = " ".join(include).replace("\\", "").lower()
        for name, port in re.findall(r"(?<![\w.-])([\w.-]+):(\d{1,5})(?!\d)", plain):
            self._admit(name, int(port))

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def get(self, name: str) -> str | None:
        """Return the address of a name, None where the job maps it to none."""
        return self._names.get(name)

    def admit_seed(self, url: str) -> None:
        """Open the port of a seed whose name is mapped."""
        self._admit(*site(url))

    def _admit(self, name: str, port: int) -> None:
        if (address := self._names.get(name)) is not None:
            for open_port in _WEB_PORTS if port in _WEB_PORTS else (port,):
                self._guard.admit(address, open_port)

    def confirm(self, name: str, port: int) -> None:
        """Raise AddressRefused where a mapped name must not be connected to at a port."""
        address = self._names[name]
        if not self._guard.admits(address, port):
            way_out = (
                f"fetch.resolve opens it only at ports that the job names: a seed at {name}:{port} "
                "opens this one, fetch.allow_addresses all"
            )
            raise AddressRefused(address, port, way_out)
