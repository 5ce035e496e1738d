"""Which requests what a crawl serves answers. Pure functions of a request's headers.

A page of another site that is open in the same browser can send requests here: it may send no
header of its own choice without being asked first (the Fetch standard's CORS preflight), and cannot
read what is answered, unless its name leads to this machine (DNS rebinding). So:

* the name in `Host` must be one that nobody else's DNS can answer for: an IP address, `localhost`,
  this machine's name, or the one that the address was given by;
* what changes something, as only the live page can, must come by POST, with the page's token in a
  header of its own, and with `Origin` and `Sec-Fetch-Site`, where a browser sends them, of this
  very page.
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

TOKEN_HEADER = "X-Live-Token"


def is_own_name(host: str, bound: str) -> bool:
    """Whether a `Host` header names what is served here, at an address given by that name."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if not name or "@" in host:
        return False
    return _is_address(name) or name in ("localhost", bound.lower(), socket.gethostname().lower())


def may_steer(headers: Mapping[str, str], token: str) -> bool:
    """Whether a POST came from the page itself; `headers` find names in any case."""
    given = headers.get(TOKEN_HEADER, "").encode()
    origin, host = headers.get("Origin"), headers.get("Host", "")
    return (
        hmac.compare_digest(given, token.encode())
        and origin in (None, f"http://{host}")
        and headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
