"""The authority that tests trust instead of the system's hundreds."""

from __future__ import annotations

from functools import cache

import trustme


@cache
def authority() -> trustme.CA:
    """Return the one of this process; its certificate is what SSL_CERT_FILE names."""
    return trustme.CA()
