"""What a document of a corpus is called: a URL that can be told back into the user's own id.

The store knows documents by URL, so each gets one that no other has: the `file:` URL of its file,
with its line in the fragment (RFC 5147) and its id, which need not be unique::

    file:///corpus/news.jsonl#line=3&id=17

Ids keep their JSON type: `17` is written `17`, the string `"17"` as `%2217%22`, any other string as
itself, percent-encoded. A file that is one document has its id alone, `#sub/page.html`. Documents
given to the judge of the library are named as if they were lines of one file, `judge:#line=3&id=17`
(before, `judge:#17`): so they are judged as those in a file are.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes

DocumentId = int | str

_LOOKS_LIKE_JSON = re.compile(r'-?\d+\Z|"')
_SAFE = "/:@!$&'()*+,;~._-"
"""What an id keeps unescaped: no `=`, so that no id looks like a line."""
_LINE = re.compile(r"line=(\d+)(?:&id=|\Z)")


def file_url(path: Path) -> str:
    """Return the `file:` URL of a path, pure ASCII; bytes that are no UTF-8 are escaped."""
    return path.absolute().as_uri()


def file_in(url: str) -> Path:
    """Return the path of the file in a document's URL."""
    return Path(os.fsdecode(unquote_to_bytes(url.partition("#")[0].removeprefix("file://"))))


def document_url(file: str, line: int | None, id_: DocumentId | None) -> str:
    """Return the URL of a document: its file's URL, its line there, its id where that is known.

    `line` is None where the file is the document.
    """
    if isinstance(id_, int) or (id_ is not None and _LOOKS_LIKE_JSON.match(id_)):
        id_ = json.dumps(id_)
    name = "" if id_ is None else quote(id_, safe=_SAFE, errors="surrogatepass")
    if line is None:
        return f"{file}#{name}"
    return f"{file}#line={line}" + (f"&id={name}" if id_ is not None else "")


def line_in(url: str) -> int | None:
    """Return the line in a document's URL, or None where the file is the document."""
    found = _LINE.match(url.partition("#")[2])
    return int(found[1]) if found else None


def id_in(url: str) -> DocumentId | None:
    """Return the id in a document's URL, or None where it has none: a page of a crawl."""
    _, hash_, fragment = url.partition("#")
    if not hash_:
        return None
    text = unquote(_LINE.sub("", fragment), errors="replace")
    if not _LOOKS_LIKE_JSON.match(text):
        return text
    value = json.loads(text)
    return value if isinstance(value, int | str) else text
