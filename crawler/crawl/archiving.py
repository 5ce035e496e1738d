"""How a job wants its exchanges archived."""

from __future__ import annotations

import crawler
from crawler.config import Job
from crawler.fetch.client import user_agent
from crawler.storage import Archiving


def archiving(job: Job) -> Archiving:
    """Return how a run of `job` archives, with what each of its files says of it."""
    info = {
        "software": f"inline-crawler/{crawler.__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/"
        "warc-1.1/",
        "http-header-user-agent": user_agent(job.user_agent),
        "robots": "obey" if job.politeness.robots else "ignore",
        "inline-crawler-job": job.model_dump_json(),
    }
    if job.user_agent.contact:
        info["operator"] = job.user_agent.contact
    return Archiving(info, job.storage.warc_bytes, job.storage.warc_near)
