"""How a crawl gets through: its proxy, its logins and cookies, its certificates."""

from __future__ import annotations

import os

from crawler import config
from crawler.fetch.certificates import Certificates
from crawler.fetch.credentials import Credentials, Environment
from crawler.fetch.proxy import Proxy


class Access:
    """All that a job names in environment variables and files, read once, before any request."""

    def __init__(self, job: config.Job, environment: Environment | None = None) -> None:
        """Read it; ConfigError, which names the job's field, where something cannot be used."""
        environment = os.environ if environment is None else environment
        self.proxy = Proxy.of(job.fetch, environment)
        self.credentials = Credentials(job, environment)
        self.certificates = Certificates(job)
