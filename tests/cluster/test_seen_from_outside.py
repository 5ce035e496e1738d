"""A crawl in partitions as who watches it sees it: one page, one address of metrics."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from support.clustered import Local
from support.parts import check_parts, ends_in, parts_job, soon

from crawler.cluster.coordinator import Coordinator
from crawler.cluster.root import Root
from crawler.models import UrlState
from crawler.views.live.server import LivePage, listening

pytestmark = pytest.mark.usefixtures("no_analysis_processes")
