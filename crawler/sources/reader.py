"""Raw documents read and signed, in the analysis processes or one alone.

A run of `dedup` keeps no text of what it dropped; the corpus itself still has it, so `read_again`
reads it once more from where its line says it lies.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from crawler.console import JSON_ROOM, json_of
from crawler.dedup import Signer, payload_digest
from crawler.dedup.copies import Appearance, lines_of, pack
from crawler.dedup.signing import format_digest
from crawler.errors import InputError
from crawler.models import Document, JudgedOn, PayloadKey, is_binary
from crawler.models.enums import PayloadHash, SiblingMode
from crawler.sources.documents import (
    IS_BINARY,
    TELLING,
    Bad,
    BadReason,
    Fields,
    RawDocument,
    document_at,
    take,
)
from crawler.sources.inputs import (
    STDIN_PATH,
    DocumentId,
    InputFile,
    document_url,
    file_in,
    media_type_of,
)
from crawler.urls import Canonicaliser
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisFailed, AnalysisRequest, AnalysisSettings

_TEXT_DECLARED = "text/plain;utf-8"
"""How a JSON string counts as a page: the payload is its text in UTF-8."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A document, read and signed."""

    id: DocumentId
    url: str
    document: Document
    payload: PayloadKey
    media_type: str
    fields: Mapping[str, Any]
    """What else the JSON object holds."""
    body_bytes: int
    """Of the file that is the document, or of the text in UTF-8."""
    raw_bytes: int
    """Of the file or line."""


Answers = Sequence[Reading | Bad | AnalysisFailed]
"""What was read of each of some documents."""


class _Unfit(Exception):
    """A line that holds no document; its arguments are those of Bad."""


class CorpusReader:
    """Reads documents: files as fetched pages are read, JSON lines by their text field.

    A pure function of its input, but for the CPU seconds it reports; a `WorkerPool` runs it.
    """

    def __init__(self, fields: Fields, settings: AnalysisSettings) -> None:
        self._fields = fields
        self._payload_hash: PayloadHash = settings.dedup.payload_hash
        self._sign = Signer(settings.dedup, settings.keys)
        self._analyser = Analyser(settings, self._sign)
        self._shows = settings.dedup.siblings is not SiblingMode.IGNORE
        self._canonicalise = Canonicaliser(settings.tracking_parameters)

    def warm(self) -> None:
        """Load dictionaries and readers before the first document."""
        self._analyser.warm()

    def analyse(self, documents: Sequence[RawDocument]) -> list[Reading | Bad]:
        """Return a reading of each document, or why there is none, in order."""
        return [document.bad or self._read(document) for document in documents]

    def _read(self, raw: RawDocument) -> Reading | Bad:
        media_type, url = raw.file.media_type, raw.file_url
        if media_type is None:
            try:
                return self._read_line(raw)
            except _Unfit as unfit:
                return Bad(*unfit.args)
        if is_binary(raw.body):
            return Bad(BadReason.BINARY, IS_BINARY)
        request = AnalysisRequest(url, raw.body, media_type, charset=None)
        payload = PayloadKey(payload_digest(raw.body, self._payload_hash), media_type)
        name = document_url(url, None, raw.file.id)
        document = self._analyser.analyse(request)
        size = len(raw.body)
        return Reading(raw.file.id, name, document, payload, media_type, {}, size, size)

    def _read_line(self, raw: RawDocument) -> Reading:
        record, text = _text_of(raw.body, self._fields.text)
        asked = self._fields.id
        id_: Any = None
        try:
            id_ = take(record, "id" if asked is None else asked)
        except KeyError:
            if asked is not None:
                told = f"no field {asked!r}; see --id-field"
                raise _Unfit(BadReason.MISSING_FIELD, told) from None
        if id_ is None and asked is None:  # a table has the column in all rows
            id_ = raw.line or 0
        if isinstance(id_, bool) or not isinstance(id_, int | str):
            told = f"must be a string or an integer, not {_kind_of(id_)}"
            raise _Unfit(BadReason.WRONG_TYPE, f"{asked or 'id'!r} {told}")
        try:
            json_of(record, JSON_ROOM)
        except TypeError as error:  # fields that could be read, and not be written into a line
            detail = f"its other fields cannot be kept: {error}"
            raise _Unfit(BadReason.BAD_JSON, detail) from None
        appearance = None
        if self._shows:  # what tells whether a document is a copy; a URL in it is its canonical one
            said = (record.get(name) for name in TELLING)
            title, address = (value if isinstance(value, str) else None for value in said)
            canonical = self._canonicalise(address) if address else None
            shown = Appearance(title, canonical_url=canonical, text=lines_of(text))
            appearance = pack(shown)
        begun = time.thread_time()
        signature = self._sign(text, text)
        stage_s = {"fingerprint": time.thread_time() - begun}
        tells = self._analyser.language
        document = Document(
            title=None,
            text=text,
            judged_on=JudgedOn.MAIN,
            charset="utf-8",
            links=(),
            canonical_url=None,
            refresh=None,
            noindex=False,
            nofollow=False,
            signature=signature,
            stage_s=stage_s,
            appearance=appearance,
            language=tells(text) if tells else None,
        )
        body = text.encode()
        payload = PayloadKey(payload_digest(body, self._payload_hash), _TEXT_DECLARED)
        url, sizes = document_url(raw.file_url, raw.line, id_), (len(body), len(raw.body))
        return Reading(id_, url, document, payload, "text/plain", record, *sizes)


def read_again(
    record: Mapping[str, Any], identity: Mapping[str, Any], settings: AnalysisSettings
) -> Reading:
    """Return the document of a line of `pages.jsonl` or `duplicates.jsonl`.

    `identity` is that of its run, `settings` are those it was judged by. Raises InputError where
    its file is gone or cannot be read, or where the text there has changed.
    """
    if not record["url"].startswith("file:"):
        raise InputError("it was given to a judge, which keeps no text of what it drops")
    path, line = file_in(record["url"]), record.get("line")
    if path == STDIN_PATH:
        raise InputError("it was read from standard input")
    name = str(path) if line is None else f"{path}:{line}"
    # Of a whole file the argument's name told the type, and it is that of the file.
    media_type = media_type_of(path.name) if line is None else None
    file = InputFile(path, record["source"], name, str(record["id"]), media_type, 0)
    fields = Fields(identity["text_field"], identity["id_field"])
    raw = document_at(file, line, fields)
    reader = CorpusReader(fields, settings)
    found = reader.analyse([raw])[0] if raw else None
    if not isinstance(found, Reading):
        raise InputError(f"{name}: {found.detail if found else 'this line no longer exists'}")
    if format_digest(found.document.signature.text_digest) != record["text_digest"]:
        raise InputError(f"{name}: the text there has changed")
    return found


def read_text(raw: RawDocument, field: str) -> str | Bad:
    """Return the text of a JSON line, or of a plain text file in UTF-8."""
    if raw.bad:
        return raw.bad
    try:
        return _text_of(raw.body, field)[1] if raw.line else raw.body.decode()
    except UnicodeDecodeError:
        return Bad(BadReason.BAD_ENCODING, "not valid UTF-8: convert the file")
    except _Unfit as unfit:
        return Bad(*unfit.args)


def _text_of(line: bytes, field: str) -> tuple[dict[str, Any], str]:
    """Return the object in a line without its text, and that."""
    try:
        line.decode()
        record = orjson.loads(line)
    except UnicodeDecodeError as error:
        at = f"byte {error.start + 1} of the line"
        detail = f"not valid UTF-8 ({at}): convert the file"
        raise _Unfit(BadReason.BAD_ENCODING, detail) from None
    except orjson.JSONDecodeError as error:
        detail = (
            f"not valid JSON (column {error.pos + 1}): {error.msg}; each line is to be an object, "
            "as of any file but .html, .txt and .parquet (a table: make it Parquet)"
        )
        raise _Unfit(BadReason.BAD_JSON, detail) from None
    if not isinstance(record, dict):
        told = f"each line must be a JSON object, not {_kind_of(record)}"
        raise _Unfit(BadReason.WRONG_TYPE, told)
    try:
        text = take(record, field)
    except KeyError:
        names = ", ".join(map(repr, list(record)[:8])) or "none"
        told = f"no field {field!r} (fields: {names}); see --text-field"
        raise _Unfit(BadReason.MISSING_FIELD, told) from None
    if not isinstance(text, str):
        raise _Unfit(BadReason.WRONG_TYPE, f"{field!r} must be a string, not {_kind_of(text)}")
    return record, text


def _kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
