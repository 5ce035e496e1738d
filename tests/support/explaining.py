"""Two texts to compare, and `python -m crawler explain` run on documents in this process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from crawler.dedup.copies import Appearance
from crawler.models import PayloadKey
from crawler.views.explain.subjects import Subject
from support.crawling import command

ENGLISH = " ".join(
    f"Sentence {n} speaks of matter {n * 7} and of place {n * 3}." for n in range(40)
)
CHINESE = "".join(f"第{n}句话说明了编号{n * 7}的事情，还有地点{n * 3}。" for n in range(60))


def side(
    url: str,
    lines: Sequence[str],
    title: str | None = "A title",
    canonical: str | None = None,
    beside: Sequence[str] = (),
    links: Sequence[str] = (),
    layout: bytes | None = None,
) -> Subject:
    """Return a page to explain, of which everything visible is known."""
    text, around = "\n".join(lines), "\n".join((*lines, *beside, *links))
    shown = Appearance(title, None, canonical, (), tuple(lines), tuple(beside), tuple(links))
    return Subject(
        name=url,
        url=url,
        text=text,
        choice="main text",
        payload=PayloadKey(f"{url} {title} {around}".encode(), ""),
        title=title,
        appearance=shown,
        is_whole=True,
        visible_digest=around,
        layout=layout,
    )


def explain(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command in this process; return exit code, stdout, stderr."""
    return command(capsys, "explain", *arguments)


def data(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """Return what --json prints."""
    code, out, err = explain(capsys, *arguments, "--json")
    assert code == 0, err
    read: dict[str, Any] = json.loads(out)
    return read


def files(tmp_path: Path, first: str, second: str, suffix: str = "txt") -> tuple[Path, Path]:
    """Write two documents."""
    paths = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path, text in zip(paths, (first, second), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths
