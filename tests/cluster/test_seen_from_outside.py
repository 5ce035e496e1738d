"""A crawl in partitions as who watches it sees it: one page, one address of metrics."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("no_analysis_processes")
