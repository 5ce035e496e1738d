"""Which authorities are trusted, and which certificate the crawler shows to whom."""

from __future__ import annotations

import ssl
from pathlib import Path

from crawler import config
from crawler.errors import ConfigError
from crawler.frontier.blocks import HostBlocks
from crawler.urls import host_key


class Certificates:
    """The TLS settings of a job by URL; certificates of servers are always verified."""

    def __init__(self, job: config.Job) -> None:
        """Read all files; ConfigError where one cannot be used."""
        self._blocks = HostBlocks(job)
        authorities = job.fetch.ca_file
        self.default: ssl.SSLContext | bool = True
        """For all other hosts; True: the system's authorities."""
        if authorities is not None:
            self.default = _trusting(authorities)
        self._own = {
            pattern: _showing(_trusting(authorities), f"hosts.{pattern}", block)
            for pattern, block in job.hosts.items()
            if block.client_certificate is not None
        }

    def of(self, url: str) -> ssl.SSLContext | bool:
        """Return what a connection for a URL is set up with."""
        if not self._own:
            return True
        return self._own.get(self._blocks.pattern(host_key(url)) or "", True)


def _trusting(authorities: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if authorities is not None:
        try:
            context.load_verify_locations(authorities)
        except OSError as error:
            raise ConfigError(
                f"fetch.ca_file: cannot use {authorities}: {_why(error)}; it must hold "
                "certificates in PEM form"
            ) from None
    return context


def _showing(context: ssl.SSLContext, field: str, block: config.HostBlock) -> ssl.SSLContext:
    certificate, key = block.client_certificate, block.client_key
    assert certificate is not None
    for name, path in (("client_certificate", certificate), ("client_key", key)):
        if path is not None and not path.is_file():
            raise ConfigError(f"{field}.{name}: there is no file {path}")
    try:
        # Without a password of its own OpenSSL would ask for one at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "?")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{field}.client_certificate: cannot use {certificate}: {_why(error)}; certificate and "
            "key must fit together, in PEM form, the key not encrypted"
        ) from None
    return context


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return str(reason or error).replace("_", " ").lower()
