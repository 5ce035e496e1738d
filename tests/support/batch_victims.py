"""A corpus reader that misbehaves as its documents say; runs in real analysis processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from crawler.sources.documents import Bad, Fields, RawDocument
from crawler.sources.reader import CorpusReader, Reading
from crawler.workers.messages import AnalysisSettings


class VictimReader(CorpusReader):
    """Hangs at HANG, ends its process at CRASH."""

    def analyse(self, documents: Sequence[RawDocument]) -> list[Reading | Bad]:
        """See CorpusReader."""
        for document in documents:
            if b"HANG" in document.body:
                while True:
                    signal.pause()
            if b"CRASH" in document.body:
                os._exit(9)
        return super().analyse(documents)


def make(fields: Fields, settings: AnalysisSettings) -> VictimReader:
    """Make one, in a process of its own."""
    return VictimReader(fields, settings)
