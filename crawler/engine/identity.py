"""The settings that are a crawl's identity: they decide what equals what, so a resume must match.

Workers, delays, limits, scope and thresholds may change between runs; these may not.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from crawler.config import Job
from crawler.dedup import methods, signing
from crawler.extract.installed import PDF_PACKAGE, check_installed, extractor
from crawler.plugins import identity as plugins_identity
from crawler.storage.reference_index import resolved
from crawler.workers.messages import ANALYSIS_VERSION


def identity(job: Job) -> dict[str, Any]:
    """Return the identity of a crawl of `job` by this program, as JSON-ready data.

    Raises ConfigError where what the job reads pages with is not installed.
    """
    check_installed(job.extract)
    return {
        "tracking_parameters": sorted(job.urls.tracking_parameters),
        "payload_hash": job.dedup.payload_hash.value,
        "urls": f"ada-url {version('ada-url')}",
        "parser": f"selectolax {version('selectolax')}",
        "extractor": extractor(job.extract.engine),
        "analysis": ANALYSIS_VERSION,
        "tokenizer": signing.tokenizer(),
        "fingerprint": signing.FINGERPRINT_VERSION,
        "layout": signing.LAYOUT_VERSION,
        "shingles": signing.SHINGLES_VERSION,
        "sketch": signing.SKETCH_VERSION,
        **methods.identity(job.dedup),
        **({"extractors": plugins_identity(job.plugins)} if job.plugins.extractors else {}),
        **({"pdf": f"{PDF_PACKAGE} {version(PDF_PACKAGE)}"} if job.extract.pdf else {}),
        **({"against": resolved(job.dedup.against)} if job.dedup.against else {}),
    }
