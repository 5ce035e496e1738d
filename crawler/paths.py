"""Which paths no file can have: said before anything asks the system for one."""

from __future__ import annotations

import errno
from pathlib import Path

_FAULTS = {
    errno.ENAMETOOLONG: "the path, or a name in it, is too long",
    errno.ELOOP: "symbolic links in the path lead in a circle",
}


def fault_of(path: str) -> str | None:
    """Return what is wrong with a path that nothing can lie at, or None.

    One that begins with `~` counts, unless it exists: only shells know whose home that is, and they
    leave it as it is behind `--output=` and in job files.
    """
    if not path:
        return "the path is empty"
    if "\0" in path:
        return "the path has a NUL character in it"
    try:
        Path(path).stat()
    except UnicodeEncodeError:
        return "the path has a lone surrogate in it"
    except OSError as error:
        if path.startswith("~"):
            return (
                "`~` means nothing here: write the whole path (or ./~ for a directory of that name)"
            )
        return _FAULTS.get(error.errno or 0)
    return None
