"""The authority that tests trust instead of the system's hundreds."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import trustme


@cache
def authority() -> trustme.CA:
    """Return the one of this process."""
    return trustme.CA()


def certificate(home: Path) -> Path:
    """Return a file with its certificate: what SSL_CERT_FILE names, as in tests, or one in `home`.

    A program that trusts what the environment does can be forked.
    """
    made, named = authority().cert_pem.bytes(), os.environ.get("SSL_CERT_FILE")
    if named and Path(named).is_file() and Path(named).read_bytes() == made:
        return Path(named)
    path = home / "authority.pem"
    path.write_bytes(made)
    return path
