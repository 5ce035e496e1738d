"""PDFs for tests, as small as they can be: texts at places, links, and what is wrong with some."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

PAGE_WIDTH, PAGE_HEIGHT = 612, 792
LEFT, TOP = 72.0, 720.0
FONT_SIZE, LEADING = 10.0, 12.0


@dataclass(frozen=True)
class Drawn:
    """A text at a place, in points from the lower left corner; a URL or a page's number link it."""

    text: str
    y: float
    x: float = LEFT
    size: float = FONT_SIZE
    link: str | int | None = None

    @property
    def is_latin(self) -> bool:
        """Whether it is drawn in Helvetica."""
        return self.text.isascii()

    @property
    def width(self) -> float:
        """About as wide as it is drawn."""
        return self.size * len(self.text) * (0.4 if self.is_latin else 1.0)


def lines(*texts: str, top: float = TOP, size: float = FONT_SIZE) -> list[Drawn]:
    """Return lines below each other."""
    return [Drawn(text, top - n * 1.2 * size, size=size) for n, text in enumerate(texts)]


def pdf(
    *pages: Iterable[Drawn],
    said: Mapping[str, str] | None = None,
    language: str = "",
    count: int | None = None,
    trailer: str = "",
) -> bytes:
    """Return a PDF; `said` is its information dictionary, `count` how many pages it claims."""
    objects: list[bytes] = [b"", b""]  # the catalogue and the tree of pages come last

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    latin = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    inner = add(
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong /DW 1000 /CIDSystemInfo "
        b"<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>"
    )
    han = add(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /UniGB-UCS2-H "
        b"/DescendantFonts [%d 0 R] >>" % inner
    )
    numbers: list[int] = []
    whole = [list(page) for page in pages]
    first = len(objects) + 1
    for n, drawn in enumerate(whole):
        number = first + 2 * n
        content = zlib.compress(b"".join(map(_shown, drawn)))
        annotations = b" ".join(_link(one, first) for one in drawn if one.link is not None)
        added = add(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Resources "
            b"<< /Font << /L %d 0 R /H %d 0 R >> >> /Annots [%s] >>"
            % (PAGE_WIDTH, PAGE_HEIGHT, number + 1, latin, han, annotations)
        )
        assert added == number
        numbers.append(number)
        add(_stream(content, b"/Filter /FlateDecode"))
    told = b" ".join(
        b"/%s %s" % (key.encode(), _text(value)) for key, value in (said or {}).items()
    )
    info = add(b"<< %s >>" % told)
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Lang (%s) >>" % language.encode()
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (
        kids,
        len(numbers) if count is None else count,
    )
    return written(objects, f"/Info {info} 0 R {trailer}")


def written(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """Return a file of these objects, the first of which is its catalogue."""
    data = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    told = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n"
    return bytes(data) + told.encode() + b"startxref\n%d\n%%%%EOF\n" % start


def encrypted(data: bytes) -> bytes:
    """Return a PDF whose password nobody knows (ISO 32000-1, 7.6.3: standard handler)."""
    told = (
        f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'5a' * 32}> /U <{'a5' * 32}> >> "
        f"/ID [<{'00' * 16}> <{'00' * 16}>] >>\nstartxref"
    )
    return data.replace(b">>\nstartxref", told.encode())


def inflating(megabytes: int) -> bytes:
    """Return a PDF of a kilobyte for each megabyte that it takes to read how its page is drawn."""
    packer = zlib.compressobj()
    begun = packer.compress(b"BT /L 9 Tf (a) Tj ET\n") + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    content = begun + piece * megabytes + packer.flush()
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources "
        b"<< /Font << /L << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
    )
    tree = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    catalogue = b"<< /Type /Catalog /Pages 2 0 R >>"
    return written([catalogue, tree, page, _stream(content, b"/Filter /FlateDecode")])


def _stream(content: bytes, fields: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), fields, content)


def _shown(drawn: Drawn) -> bytes:
    font, text = (b"L", _text(drawn.text)) if drawn.is_latin else (b"H", _wide(drawn.text))
    place = b"%g %g Td" % (drawn.x, drawn.y)
    return b"BT /%s %g Tf %s %s Tj ET\n" % (font, drawn.size, place, text)


def _link(drawn: Drawn, first: int) -> bytes:
    """Return an annotation; a page's number is counted from 0, `first` is the object of page 0."""
    box = b"%g %g %g %g" % (drawn.x, drawn.y - 2, drawn.x + drawn.width, drawn.y + drawn.size)
    if isinstance(drawn.link, int):
        target = b"/Dest [%d 0 R /Fit]" % (first + 2 * drawn.link)
    else:
        target = b"/A << /S /URI /URI %s >>" % _text(str(drawn.link))
    return b"<< /Type /Annot /Subtype /Link /Rect [%s] %s >>" % (box, target)


def _text(text: str) -> bytes:
    if not text.isascii():
        return b"<feff%s>" % text.encode("utf-16-be").hex().encode()
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"({escaped})".encode()


def _wide(text: str) -> bytes:
    return b"<%s>" % text.encode("utf-16-be").hex().encode()
