"""Where lines stand, as the readings ask for it: boxes by their paths, headings, and links."""

from __future__ import annotations

from crawler.extract.lines.visible import Line

LINKED = 0.5
"""Share of link text in a line that leads elsewhere (link density: Kohlschuetter et al., WSDM
2010)."""


def around(path: str) -> str:
    """Return the box around one; empty if there is none."""
    return path.rpartition(">")[0]


def label(path: str) -> str:
    """Return the innermost element of a path, with its class."""
    return path.rpartition(">")[2]


def is_heading(line: Line) -> bool:
    """Whether a line stands in a heading."""
    return line.box is not None and line.box.inside.heading is not None
