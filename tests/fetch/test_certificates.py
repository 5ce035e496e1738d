"""Authorities of the job's own, and certificates that the crawler shows."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme
from support.fetching import PAGE, fetch, job
from support.servers import response, serve
from support.threaded import page, site

from crawler.config import Job
from crawler.errors import ConfigError
from crawler.fetch import Access
from crawler.models import Failed, Failure, Fetched


@pytest.fixture
def authority() -> trustme.CA:
    """Return an authority of the test's own."""
    return trustme.CA()


def files(authority: trustme.CA, tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return files of the authority, and of a client's certificate and key."""
    own = authority.issue_cert("anna@example.org")
    paths = tuple(tmp_path / name for name in ("ca.pem", "client.pem", "client.key"))
    authority.cert_pem.write_to_path(str(paths[0]))
    own.cert_chain_pems[0].write_to_path(str(paths[1]))
    own.private_key_pem.write_to_path(str(paths[2]))
    return paths[0], paths[1], paths[2]


def settings(block: dict[str, Any], ca_file: Path) -> Job:
    """Return a job that trusts an authority, with a block for the server."""
    data = job(ca_file=str(ca_file)).model_dump(mode="json")
    return Job.model_validate({**data, "hosts": {"127.0.0.1": block} if block else {}})


async def test_a_client_shows_its_certificate_to_its_host(
    authority: trustme.CA, tmp_path: Path
) -> None:
    """A server that wants a certificate answers whoever has one, and only them."""
    ca_file, certificate, key = files(authority, tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    authority.configure_trust(tls)
    tls.verify_mode = ssl.CERT_REQUIRED
    async with serve({"/": response(PAGE)}, tls=tls) as server:
        block = {"client_certificate": str(certificate), "client_key": str(key)}
        known = await fetch(f"{server.url}/", settings(block, ca_file))
        unknown = await fetch(f"{server.url}/", settings({}, ca_file))
    assert isinstance(known, Fetched), known
    assert isinstance(unknown, Failed), unknown


async def test_an_authority_is_trusted_beside_the_system(
    authority: trustme.CA, tmp_path: Path
) -> None:
    """Without it, the certificate of an intranet's server is a bad one."""
    ca_file, _, _ = files(authority, tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    async with serve({"/": response(PAGE)}, tls=tls) as server:
        trusted = await fetch(f"{server.url}/", settings({}, ca_file))
        plain = await fetch(f"{server.url}/")
    assert isinstance(trusted, Fetched), trusted
    assert isinstance(plain, Failed)
    assert plain.failure is Failure.TLS


async def test_a_server_without_tls_is_told_in_plain_words() -> None:
    """Whoever writes https for a development server sees which letter is too many."""
    with site(lambda path: page("home")) as plain:
        failed = await fetch(f"{plain.url}/".replace("http:", "https:"))
    assert isinstance(failed, Failed), failed
    assert failed.failure is Failure.TLS
    assert failed.detail.endswith("no TLS is spoken there: is it http:// ?")


def test_files_that_are_no_certificates(authority: trustme.CA, tmp_path: Path) -> None:
    """One error names the field, the file and what it must hold."""
    ca_file, certificate, _ = files(authority, tmp_path)
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    with pytest.raises(ConfigError, match=r"fetch\.ca_file: cannot use .*broken\.pem: .*PEM"):
        Access(job(ca_file=str(broken)))
    other_key = tmp_path / "other.key"
    trustme.CA().issue_cert("x@example.org").private_key_pem.write_to_path(str(other_key))
    for key in (broken, other_key):
        block = {"client_certificate": str(certificate), "client_key": str(key)}
        with pytest.raises(ConfigError, match=r"client_certificate: cannot use .*fit together"):
            Access(settings(block, ca_file))
