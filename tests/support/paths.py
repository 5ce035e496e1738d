"""Where the files lie that tests read: the project, and its documents."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PACKAGE = ROOT / "crawler"


def doc(name: str) -> str:
    """Return the text of `docs/<name>.md`."""
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
