"""Which settings a crawl cannot change between two of its runs."""

from __future__ import annotations

from crawler.config import Engine, Extract, Job
from crawler.engine.identity import identity


def test_the_extractor_is_identity_and_learning_is_not() -> None:
    """Another extractor judges the same pages on other lines; the engines that share one do not."""
    plain = identity(Job())
    assert identity(Job(extract=Extract(learn=False, markdown=True))) == plain
    combined = identity(Job(extract=Extract(engine=Engine.COMBINED)))
    assert identity(Job(extract=Extract(engine=Engine.TRAFILATURA))) == combined != plain
    assert identity(Job(extract=Extract(engine=Engine.VISIBLE))) != plain
