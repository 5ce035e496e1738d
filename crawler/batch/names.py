"""What a document of a corpus is called: a URL that can be told back into the user's own id.

The store knows documents by URL, so a document gets one: the `file:` URL of its file with the
document's id as the fragment. Ids keep their JSON type: `17` is written
`#17`, the string `"17"` as `#%2217%22`, any other string as itself, percent-encoded.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote, unquote

DocumentId = int | str

_LOOKS_LIKE_JSON = re.compile(r'-?\d+\Z|"')
_SAFE = "/:@!$&'()*+,;=~._-"


def file_url(path: Path) -> str:
    """Return the `file:` URL of a path, pure ASCII; bytes that are no UTF-8 are escaped."""
    return path.absolute().as_uri()


def document_url(file: str, id_: DocumentId) -> str:
    """Return the URL of the document `id_` in the file with the URL `file`."""
    if isinstance(id_, int) or _LOOKS_LIKE_JSON.match(id_):
        id_ = json.dumps(id_)
    return f"{file}#{quote(id_, safe=_SAFE, errors='surrogatepass')}"


def id_in(url: str) -> DocumentId | None:
    """Return the id in a document's URL, or None where the URL names a whole file or a page."""
    _, hash_, fragment = url.partition("#")
    if not hash_:
        return None
    text = unquote(fragment, errors="replace")
    if not _LOOKS_LIKE_JSON.match(text):
        return text
    value = json.loads(text)
    return value if isinstance(value, int | str) else text
