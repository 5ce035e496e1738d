"""An explanation in words: what of it is shown, on a terminal and as one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from crawler.console import safe
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.sources.inputs import document_name
from crawler.units import counted
from crawler.views.explain.differences import (
    MAX_CHARACTERS,
    Change,
    Differences,
    LeftOut,
    Passage,
    Piece,
    Place,
)
from crawler.views.explain.evidence import RECORDED, Explanation, Feature
from crawler.views.render import (
    Beside,
    Block,
    Drawn,
    Heading,
    Lines,
    PageOnly,
    Spans,
    Table,
    TerminalOnly,
    as_html,
    marked_html,
    packaged,
    page,
    shown,
    visible,
)
from crawler.views.render import Passage as Marked
from crawler.views.wording import VERDICTS

IN_MARKUP = (
    "A class, another attribute, a script or stressed words: of these a digest is kept, which does "
    "not say what differs. Compare the sources of the pages."
)
_QUOTED_LINES = 3
_QUOTED_CHARACTERS = 60


def surroundings_sentence(around: Mapping[str, Any] | None) -> str | None:
    """Return what stands beside a text that is only a part of what is visible, None for others."""
    if around is None or not around["only_a_part"]:
        return None
    beside = []
    if around["lines"]:
        quoted = ", ".join(f"“{_cut(line)}”" for line in around["lines"][:_QUOTED_LINES])
        more = ", …" if len(around["lines"]) > _QUOTED_LINES else ""
        beside.append(f"{counted(len(around['lines']), 'line')} of text ({quoted}{more})")
    if around["links"]:
        beside.append(f"{counted(len(around['links']), 'line')} of links")
    return (
        f"extraction took {around['text_lines']:,} of {around['all_lines']:,} lines; beside it: "
        f"{' and '.join(beside)}"
    )


def summary(differences: Differences) -> str:
    """Return in which places two pages differ, and how often; `none` only if they show the same."""
    places = Counter(one.place.value for one in differences.passages if not one.left_out)
    left_out = sum(bool(one.left_out) for one in differences.passages)
    times = (place + (f" ({n:,})" if n > 1 else "") for place, n in places.items())
    parts = [", ".join(times)]
    if left_out:
        parts.append(f"left out by the judge: {counted(left_out, 'passage')}")
    if not differences.passages:
        parts = ["none" if differences.is_none else "none in what was compared"]
    return "; ".join(filter(None, parts))


def where(passage: Passage) -> str:
    """Return where a passage stands, and why the judge leaves it out if he does."""
    told = left_out(passage.left_out)
    return f"{passage.place}; {told}" if told else passage.place


def left_out(reasons: Sequence[LeftOut]) -> str:
    """Return that the judge leaves something out, and why; empty without a reason."""
    return f"left out by the judge: {', '.join(reasons)}" if reasons else ""


def passages(found: Sequence[Passage]) -> Iterator[Block]:
    """Yield passages under their places."""
    for place, some in groupby(found, key=where):
        yield Heading(place, 3)
        if place == Place.MARKUP:
            yield Lines([IN_MARKUP])
        else:
            yield from (Marked(spans(passage)) for passage in some)


def spans(passage: Passage, without: Change | None = None) -> Spans:
    """Return a passage as text with marks; `without` leaves out what only the other page has.

    Where the judge leaves out some of its changes, each is followed by why; where all, that is said
    above the passage.
    """
    found, pieces = [], passage.pieces
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        if piece.change is without:
            continue
        found.append((shown_piece(piece), piece.change.value))
        is_last = following is None or following.left_out is not piece.left_out
        if piece.left_out and is_last and not passage.left_out:
            found.append((f" ({left_out([piece.left_out])})", "note"))
    return found


def difference_notes(differences: Differences, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """Return what must be known to read a difference: what was not compared, and of which page."""
    found = []
    of_each = list(zip(names, differences.unknown, strict=True))
    if differences.unknown[0] == differences.unknown[1]:
        of_each = [(" or ".join(names), differences.unknown[0])]
    for name, unknown in of_each:
        if unknown:
            found.append(f"Not known of {name}, so not compared: {', '.join(unknown)}.")
    for name, is_cut in zip(names, differences.cut, strict=True):
        if is_cut:
            found.append(f"Of what stands beside the text of {name} only the beginning was kept.")
    if differences.is_long:
        rest = "is not the same" if differences.rest_differs else "is the same on both"
        found.append(f"Of the first {MAX_CHARACTERS:,} characters only; the rest {rest}.")
    return found


def shown_piece(piece: Piece) -> str:
    """Return a piece as it is shown: line ends that were changed are made visible."""
    text = "…" if piece.change is Change.ELIDED else piece.text
    return text.replace("\n", "⏎") if piece.left_out is LeftOut.SPACE else visible(text)


def _cut(line: str) -> str:
    if len(line) <= _QUOTED_CHARACTERS:
        return line
    return f"{line[: _QUOTED_CHARACTERS - 1].rstrip()}…"


BITS = 64
BLOCK_BITS = 16
FEATURES_SHOWN = 12
_FORMS = ("distance {}", "similarity {:.4f}", "kind {}", "content {:.4f}", "layout {:.4f}")
_ANSWERS = {True: "yes", False: "no", None: "·"}
GAP = TerminalOnly()


def described(explanation: Explanation) -> Iterator[Block]:
    """Yield everything, what matters most first: verdict, pages, differences, numbers."""
    data, found = explanation.data, explanation.differences
    yield Heading(data["sentence"], 1)
    yield Lines(data["notes"], quiet=True)
    yield GAP
    yield PageOnly('<div class="sides">')
    for name in "ab":
        yield from _side(name.upper(), data[name])
    yield PageOnly("</div>")
    if found is not None:
        yield GAP
        legend = [("only in A", "removed"), ("only in B", "added")] if found.passages else []
        yield Heading(f"Differences: {summary(found)}", legend=legend)
        yield Lines(difference_notes(found))
        yield from passages(found.passages)
    if data["a"]["text"] or data["b"]["text"]:
        yield _texts(data)
    yield GAP
    if data["recorded"]:
        rows = [(one["on"].upper(), _recorded_sentence(one)) for one in data["recorded"]]
        yield Table("Recorded", (), rows)
    comparison = data["comparison"]
    if comparison:
        yield Table("Similarity", (), list(_similarity(comparison)))
    if data["fingerprints"]:
        yield from _fingerprints(data["fingerprints"])
    layouts = data["layouts"]
    if layouts["similarity"] is not None:
        meaning = "the same" if layouts["similarity"] >= SAME_LAYOUT else "another"
        yield Heading("Layout")
        yield Lines(
            [
                f"similarity {layouts['similarity']:.4f}, estimated: {meaning} layout "
                f"(the same from {SAME_LAYOUT:g})"
            ]
        )
        yield Drawn([[(f"{side.upper()} {layouts[side]}", "")] for side in "ab"])
    if comparison:
        yield GAP
        answers = [
            (o["method"], o["measure"], _ANSWERS[o["duplicates"]]) for o in comparison["methods"]
        ]
        yield Table("Every method, by the texts alone", ("method", "says", "alike"), answers)
        shared = _features("Heaviest features of both", explanation.shared)
        yield Beside([[shared], [_features("Features that differ most", explanation.differing)]])


def as_page(explanation: Explanation) -> str:
    """Return one self-contained HTML page."""
    style, body = packaged(__package__, "page.css"), as_html(described(explanation))
    return page("Two documents compared", style, body)


def _side(name: str, side: Mapping[str, Any]) -> Iterator[Block]:
    title, choice, text = side["title"], side["judged_text"], side["text"]
    around = surroundings_sentence(side["surroundings"])
    size = f", {len(text):,} characters" if text is not None else ""
    yield TerminalOnly([(name, "bold"), (f"  {safe(document_name(side['name']))}", "")])
    for line in filter(None, (title, f"{choice}{size}", around)):
        yield TerminalOnly([(f"   {safe(line)}", "")])
    lines = [f"<b>{name}</b> {shown(document_name(side['name']))}"]
    if title:
        lines.append(f'<span class="title">{shown(title)}</span>')
    lines += [f'<span class="quiet">{shown(line)}</span>' for line in (choice, around) if line]
    yield PageOnly(f"<p>{'<br>'.join(lines)}</p>")


def _texts(data: Mapping[str, Any]) -> Block:
    """Return both judged texts, folded away."""
    texts, pieces = [], (data["comparison"] or {}).get("difference")
    for name, others in (("a", Change.ADDED), ("b", Change.REMOVED)):
        html = escape(visible(data[name]["text"] or "not kept"))
        if pieces:
            own = (piece for piece in pieces if piece["change"] is not others)
            html = marked_html([(visible(piece["text"]), piece["change"]) for piece in own])
        texts.append(f'<div><h2>Text of {name.upper()}</h2><div class="text">{html}</div></div>')
    return PageOnly(
        "<details><summary>The judged texts, side by side</summary>\n"
        f'<div class="sides">{"".join(texts)}</div></details>'
    )


def _recorded_sentence(recorded: Mapping[str, Any]) -> str:
    """Return what the crawl decided then."""
    numbers = ((form, recorded[name]) for form, name in zip(_FORMS, RECORDED, strict=True))
    told = ", ".join(form.format(value) for form, value in numbers if value is not None)
    of = "the other" if recorded["concerns_both"] else document_name(recorded["of"])
    evidence = f" ({recorded['evidence']})" if recorded["evidence"] else ""
    became = "stored" if recorded["stored"] else "dropped"
    verdict = VERDICTS.get(recorded["verdict"], recorded["verdict"])
    decided = f"{verdict} of {of}{evidence}, {became}"
    return f"{decided}: {told}" if told else decided


def _similarity(comparison: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    (first, second), shared = comparison["shingles"], comparison["shared_shingles"]
    common = f"{shared:,} of {first + second - shared:,} shingles in common"
    yield "exact similarity", f"{comparison['similarity']:.4f}: {common}"
    yield "estimate by sketch", f"{comparison['sketch_estimate']:.4f}"
    kinds = " and ".join(dict.fromkeys(comparison["shingle_kinds"]))
    yield "shingles", f"{first:,} and {second:,} ({kinds})"
    words, others = comparison["tokens"]
    yield "words", f"{words:,} and {others:,}, stop words not counted"
    if comparison["kind"] is not None:
        yield "kind", comparison["kind"]


def _features(title: str, features: Sequence[Feature]) -> Table:
    rows = [
        (word, *(f"{weight:.2f}" if weight else "·" for weight in weights))
        for word, *weights in features[:FEATURES_SHOWN]
    ]
    return Table(f"{title} ({len(rows)} of {len(features):,})", ("word", "A", "B"), rows)


def _fingerprints(found: Mapping[str, Any]) -> Iterator[Block]:
    """Yield distance and equal blocks; the bits, the highest first, and where they differ."""
    equal = ", ".join(map(str, found["matched_blocks"])) or "none"
    yield Heading("Fingerprints")
    yield Lines(
        [f"distance {found['distance']} of {BITS}; equal 16-bit blocks: {equal} (0 the lowest)"]
    )
    first, second = (int(found[side], 16) for side in "ab")
    different = _in_blocks(first ^ second).replace("0", " ").replace("1", "^")
    lines = [
        [
            (f"{name} {number:016x}  ", ""),
            *(
                (bit, "bit" if mark == "^" else "")
                for bit, mark in zip(_in_blocks(number), different, strict=True)
            ),
        ]
        for name, number in (("A", first), ("B", second))
    ]
    yield Drawn(lines, f"{'':18}  {different}")


def _in_blocks(number: int) -> str:
    bits = f"{number:0{BITS}b}"
    return " ".join(bits[at : at + BLOCK_BITS] for at in range(0, BITS, BLOCK_BITS))
