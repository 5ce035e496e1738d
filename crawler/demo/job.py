"""The job that crawls the demo web: what its truth means by an ordinary crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crawler.demo.broken import MAX_BODY_BYTES
from crawler.demo.shops import DEPTH_LIMIT
from crawler.demo.web import DemoWeb

NETWORK = "127.0.1.0/24"


def demo_job(web: DemoWeb, output: Path | str) -> dict[str, Any]:
    """Return job data for `crawler.config.parse_job`; `web.port` must be the served one.

    Without politeness delay, since the server is our own; timeouts are short because two pages
    never end, and the wait for robots.txt because one host's never comes.
    """
    return {
        "seeds": web.seeds,
        "output": str(output),
        "user_agent": {"contact": "https://demo.test/about-the-crawler"},
        "scope": {"mode": "domain"},
        "limits": {"depth": DEPTH_LIMIT},
        "politeness": {"delay_s": 0.0, "per_host": 4, "per_address": 8, "robots_wait_s": 1.0},
        "fetch": {
            "resolve": dict(web.hosts),
            "allow_addresses": (NETWORK,),
            "headers_timeout_s": 4.0,
            "read_timeout_s": 4.0,
            "retries": 1,
            "max_wire_bytes": MAX_BODY_BYTES,
            "max_body_bytes": MAX_BODY_BYTES,
        },
    }
