"""From text to `Signature`: everything the judge needs to know, made in the analysis process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from crawler import config
from crawler.dedup import signing
from crawler.dedup.methods.by_name import METHODS
from crawler.dedup.signing import (
    Fingerprinter,
    Folder,
    Segmenter,
    Sketcher,
    load_folder,
    load_segmenter,
    take_apart,
    text_digest,
)
from crawler.models import Signature


@dataclass(frozen=True, slots=True)
class _Tools:
    """What is loaded once a process."""

    segment: Segmenter
    fold: Folder | None
    fingerprint: Fingerprinter
    sketch: Sketcher


class Signer:
    """Signs texts by the job's method; a pure function of the text once its tools are loaded.

    Picklable as long as it has not signed or been warmed: a dictionary does not travel between
    processes. Not thread-safe while it warms.

    `keys` are those of the stores whose texts these are compared with, their own first: each marks
    the shingles (`crawler.dedup.signing`).
    """

    def __init__(self, settings: config.Dedup, keys: Sequence[bytes] = ()) -> None:
        self._settings = settings
        self._keys = tuple(keys)

    def warm(self) -> None:
        """Load the dictionary and tables now (up to a second) rather than on the first text.

        Raises ConfigError where the settings name a lexicon or package that is not there.
        """
        take_apart("预热", self._tools.segment)

    def __call__(
        self, judged_text: str, visible_text: str | None = None, kept_text: str | None = None
    ) -> Signature:
        """Return the signature of a page's judged text, with the digests of the other two.

        Those not given are the judged text, as in a corpus.
        """
        tools = self._tools
        text = tools.fold(judged_text) if tools.fold else judged_text
        parts = take_apart(text, tools.segment, self._keys)
        digests = {judged_text: text_digest(judged_text)}
        for other in (kept_text, visible_text):
            if other is not None and other not in digests:
                digests[other] = text_digest(other)
        return Signature(
            text_digest=digests[judged_text if kept_text is None else kept_text],
            visible_digest=digests[judged_text if visible_text is None else visible_text],
            fingerprint=tools.fingerprint(parts),
            tokens=parts.tokens,
            shingle_kind=parts.kind,
            shingles=signing.cap(parts.hashes),
            marks=tuple(map(signing.cap, parts.marks)),
            sketch=tools.sketch(parts),
        )

    @cached_property
    def _tools(self) -> _Tools:
        method = METHODS[self._settings.method]
        return _Tools(
            segment=load_segmenter(),
            fold=load_folder(self._settings),
            fingerprint=method.fingerprinter(self._settings),
            sketch=method.sketcher(self._settings),
        )
