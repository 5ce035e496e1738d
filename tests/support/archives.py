"""Archives as others make them: written by warcio's writer, for tests that read them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from gzip import compress

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

Fields = Sequence[tuple[str, str]]

HTML: Fields = (("Content-Type", "text/html; charset=utf-8"),)


class Archive:
    """An archive that grows in memory; `offsets` are those of its records."""

    def __init__(self, *, gzip: bool = True) -> None:
        self._buffer = io.BytesIO()
        self._packs = gzip
        self._writer = WARCWriter(self._buffer, gzip=gzip)
        self.offsets: list[int] = []

    @property
    def data(self) -> bytes:
        """All bytes so far."""
        return self._buffer.getvalue()

    def response(
        self,
        url: str,
        body: bytes,
        fields: Fields = HTML,
        status: str = "200 OK",
        warc: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Add an exchange."""
        self.record("response", url, body, StatusAndHeaders(status, [*fields], "HTTP/1.1"), warc)

    def record(
        self,
        kind: str,
        url: str,
        body: bytes,
        http: StatusAndHeaders | None = None,
        warc: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Add a record of any type."""
        self.offsets.append(self._buffer.tell())
        said = {"WARC-Date": "2026-01-02T03:04:05Z", **dict(warc)}
        record = self._writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), http_headers=http, warc_headers_dict=said
        )
        self._writer.write_record(record)
        record.raw_stream.close()  # a temporary file, which the writer leaves open

    def plain(self, kind: str, url: str, fields: Mapping[str, str], block: bytes) -> None:
        """Add a record of these fields; warcio's writer knows no revisit of another's making."""
        self.offsets.append(self._buffer.tell())
        said = {"WARC-Type": kind, "WARC-Target-URI": url, "WARC-Date": "2026-01-02T03:04:05Z"}
        said |= {"WARC-Record-ID": f"<urn:test:{len(self.offsets)}>"}
        said |= {"Content-Length": str(len(block)), **fields}
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        data = f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"
        self._buffer.write(compress(data) if self._packs else data)
