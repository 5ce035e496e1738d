"""Tables on disk: a directory of .npy files, which are mapped into memory, and a JSON header.

The header names the format's version, the design, and for every file its shape and checksum. It is
written last and moved into place, so that a directory with a header is whole.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.dedup.tables.design import Split, TableDesign
from crawler.dedup.tables.index import TableArrays, TableIndex
from crawler.errors import CrawlerError

VERSION = 1
HEADER = "tables.json"
_FORMAT = "permuted sorted tables of 64-bit fingerprints"
_PORTION = 1 << 22


class TablesError(CrawlerError):
    """A directory of tables that cannot be read or trusted; the message names the file."""


def save(index: TableIndex, directory: Path) -> None:
    """Write an index, replacing what the directory holds of an earlier one."""
    directory.mkdir(parents=True, exist_ok=True)
    header = directory / HEADER
    header.unlink(missing_ok=True)
    arrays = _named(index.arrays)
    for name, array in arrays.items():
        part = directory / f"{name}.part"
        with part.open("wb") as file:
            np.save(file, array)
        part.replace(directory / name)
    description = {
        "format": _FORMAT,
        "version": VERSION,
        "distance": index.distance,
        "splits": [[split.blocks, split.chosen] for split in index.design.splits],
        "fingerprints": len(index.arrays.ids),
        "crc32": {name: _checksum(directory / name) for name in arrays},
    }
    written = directory / f"{HEADER}.part"
    written.write_text(json.dumps(description, indent=1), encoding="utf-8")
    written.replace(header)


def load(directory: Path, *, check: bool = True) -> TableIndex:
    """Return a saved index with its tables mapped into memory, read-only, page by page on demand.

    `check` reads every file once and compares its checksum. Removals are kept in memory until
    the index is saved again. Raises TablesError for what is missing, changed or of another version.
    """
    header = _header(directory / HEADER)
    try:
        design = TableDesign(tuple(Split(*split) for split in header["splits"]))
        checksums, count = dict(header["crc32"]), int(header["fingerprints"])
        distance = int(header["distance"])
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(directory / HEADER, f"incomplete header ({error})") from error
    names = [f"table-{number:02}.npy" for number in range(design.tables)]
    arrays = {
        name: _array(directory / name, checksums.get(name) if check else None)
        for name in ("fingerprints.npy", "ids.npy", "removed.npy", *names)
    }
    if any(len(arrays[name]) != count for name in ("fingerprints.npy", "ids.npy", "removed.npy")):
        raise _broken(directory, f"its files do not hold {count} fingerprints")
    parts = TableArrays(
        arrays["fingerprints.npy"],
        arrays["ids.npy"],
        np.array(arrays["removed.npy"]),
        tuple(arrays[name] for name in names),
    )
    return TableIndex(design, parts, distance)


def _named(arrays: TableArrays) -> dict[str, npt.NDArray[Any]]:
    tables = {f"table-{number:02}.npy": table for number, table in enumerate(arrays.tables)}
    own = {"fingerprints": arrays.fingerprints, "ids": arrays.ids, "removed": arrays.removed}
    return {**{f"{name}.npy": array for name, array in own.items()}, **tables}


def _header(path: Path) -> dict[str, Any]:
    try:
        header = json.loads(path.read_bytes())
    except OSError as error:
        raise _broken(path, error.strerror or "cannot be read") from error
    except ValueError as error:
        raise _broken(path, "not a JSON header") from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise _broken(path, "not the header of saved tables")
    if header.get("version") != VERSION:
        raise _broken(path, f"version {header.get('version')}, this program reads {VERSION}")
    return header


def _array(path: Path, expected: int | None) -> npt.NDArray[Any]:
    try:
        if expected is not None and _checksum(path) != expected:
            raise _broken(path, "its checksum is not the header's")
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise _broken(path, error.strerror or "cannot be read") from error
    except ValueError as error:
        raise _broken(path, f"not a whole .npy file ({error})") from error
    return array


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while portion := file.read(_PORTION):
            checksum = zlib.crc32(portion, checksum)
    return checksum


def _broken(path: Path, reason: str) -> TablesError:
    return TablesError(f"{path}: {reason}; build and save the tables again")
