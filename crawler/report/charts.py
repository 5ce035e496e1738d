"""Bars as SVG, drawn here: they need no script, and scale with the page.

Colours are classes (`v-near`), so that the style sheet can give a dark page others. Every chart has
a table of its numbers beside it, for who does not see it and for who wants to copy them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

HEIGHT = 200
_LEFT, _BOTTOM, _TOP = 52, 24, 8
_GAP = 2
_MARKS = 4


def stacked(
    title: str,
    counts: Mapping[str, Sequence[int]],
    label: Callable[[int], str],
    ticks: Sequence[int],
    width: int,
) -> str:
    """Return stacked bars, one a position of the sequences, which are of one length.

    `counts` are name -> numbers, the first name at the bottom; `label` names a position, `ticks`
    are the positions whose names stand below. `width` is about what it has on a large screen, in
    pixels: letters are then as large as the page's.
    """
    length = max(map(len, counts.values()), default=0)
    sums = [sum(numbers[at] for numbers in counts.values()) for at in range(length)]
    highest = _round_up(max(sums, default=0))
    step = (width - _LEFT) / max(length, 1)
    parts = [
        f'<svg viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        *_axis(highest, width),
        *_bars(counts, sums, step, highest, label),
        *(_tick(at, step, label(at), width) for at in ticks),
        "</svg>",
    ]
    return "".join(parts)


def share_bar(counts: Mapping[str, int], width_of: int) -> str:
    """Return one bar of a table's row: each number's share of `width_of`, in the given order."""
    if not width_of:
        return ""
    parts = "".join(
        f'<i class="v-{name}" style="width:{100 * number / width_of:.2f}%" '
        f'title="{name}: {number:,}"></i>'
        for name, number in counts.items()
        if number
    )
    return f'<div class="share">{parts}</div>'


def _bars(
    counts: Mapping[str, Sequence[int]],
    sums: Sequence[int],
    step: float,
    highest: int,
    label: Callable[[int], str],
) -> Iterator[str]:
    room = HEIGHT - _BOTTOM - _TOP
    for at, total in enumerate(sums):
        if not total:
            continue
        y = float(HEIGHT - _BOTTOM)
        named = ", ".join(f"{name} {row[at]:,}" for name, row in counts.items() if row[at])
        yield f"<g><title>{escape(f'{label(at)}: {named}')}</title>"
        for name, row in counts.items():
            if row[at]:
                tall = room * row[at] / highest
                y -= tall
                yield (
                    f'<rect class="v-{name}" x="{_LEFT + at * step:.1f}" y="{y:.1f}" '
                    f'width="{max(step - _GAP, 1):.1f}" height="{max(tall, 0.5):.1f}"/>'
                )
        yield "</g>"


def _axis(highest: int, width: int) -> Iterator[str]:
    room = HEIGHT - _BOTTOM - _TOP
    for mark in range(_MARKS + 1):
        value = highest * mark / _MARKS
        y = HEIGHT - _BOTTOM - room * mark / _MARKS
        yield f'<line x1="{_LEFT}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        if value == int(value):
            yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{int(value):,}</text>'


def _tick(at: int, step: float, name: str, width: int) -> str:
    x = _LEFT + (at + 0.5) * step
    anchor = "end" if x > width - _LEFT else "middle"
    x = min(x, width)
    return f'<text x="{x:.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{escape(name)}</text>'


def _round_up(number: int) -> int:
    """Return the least of 4, 8, 20, 40, 80 ... that is no smaller: quarters of it are whole."""
    power = 4
    while True:
        for factor in (1, 2, 5):
            if power * factor >= number:
                return power * factor
        power *= 10
