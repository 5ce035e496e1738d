"""What was dropped, audited by eye: a sample of pairs shown, marked, and an estimate from marks."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crawler.console import command, safe, say
from crawler.errors import InputError, reason
from crawler.storage.view import StoreView
from crawler.views.audit import shown
from crawler.views.audit.marks import (
    Marked,
    estimates,
    marked,
    read_marks,
    refuse_foreign,
    write_marks,
)
from crawler.views.audit.sample import Pair, Sample, by_doubt, draw, read_pairs
from crawler.views.audit.shown import as_page, ask, print_pair
from crawler.views.render import console

PAGE = Path("audit.html")
MARKS = Path("marks.jsonl")
"""What is written where no other name is given."""
PAIRS = 50
SEED = 1


def audit(args: Namespace) -> int:
    """Show pairs drawn at random on a page, or here, and ask what each is; or estimate from marks.

    Here it is asked only where somebody can answer.
    """
    directory, seed = args.directory, args.seed
    drawing = {"--sample": args.sample, "--siblings": args.siblings, "--output": args.output}
    given = [flag for flag, value in drawing.items() if value is not None]
    if args.terminal and "--output" in given:
        args.error("--output is for a page: leave it out, or --terminal")
    if args.marks is not None and not args.terminal:
        given += ["--by-doubt"] if args.by_doubt else []
        if given:
            args.error(f"{', '.join(given)} cannot go with --marks, which draws no sample")
        marks = read_marks(args.marks)
        with StoreView.read(directory) as view:
            refuse_foreign(args.marks, marks, view, seed)
        _print_estimates(marks)
        return 0
    asks, file = args.terminal and sys.stdin.isatty(), args.marks or MARKS
    with StoreView.read(directory) as view:
        earlier = read_marks(file) if asks and file.exists() else []
        if earlier:
            refuse_foreign(file, earlier, view, seed)
            seed = earlier[0].seed
        total = PAIRS if args.sample is None else args.sample
        sample = draw(view, total, args.siblings, SEED if seed is None else seed, say)
        if not sample.drawn:  # which is nothing wrong
            told = ", ".join(f"{of:,} {shown.ALL[kind]}" for kind, of in sample.populations.items())
            if any(sample.populations.values()):
                told += " (a sample without siblings has none of them)"
            print(f"{safe(str(directory))}: nothing to audit: {told}")
            return 0
        pairs = read_pairs(view, sample, say)
        if args.by_doubt:
            pairs, sample = by_doubt(pairs), replace(sample, by_doubt=True)
        page_of = "" if args.terminal else as_page(directory, sample, pairs, say)
    if not args.terminal:
        page = args.output or PAGE
        try:
            page.write_text(page_of, encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"{page}: cannot write the page: {reason(error)}") from None
        print(f"{safe(str(page))}: {shown.drawn_from(sample)}")
        print("Open it in a browser, mark the pairs, export the marks, then:")
        print(command("audit", directory, "--marks", MARKS))
        return 0
    print(f"{shown.drawn_from(sample)}\n", flush=True)
    if asks:
        _ask_all(sample, pairs, earlier, file)
    else:
        if not sys.stdin.isatty():
            say("Standard input is no terminal: pairs are shown, and no answer is read from it")
        terminal = console()
        for number, pair in enumerate(pairs, 1):
            print_pair(terminal, pair, number, len(pairs))
    return 0


def _ask_all(sample: Sample, pairs: Sequence[Pair], earlier: Sequence[Marked], file: Path) -> None:
    """Ask for what is not marked yet; each answer is in the file before the next question."""
    terminal, said = console(), {line.url: line.mark for line in earlier}
    beyond = said.keys() - {pair.drawn.url for pair in pairs}
    # Of a larger sample of this seed: kept, with the numbers of now.
    others = [
        replace(line, population=sample.populations[line.stratum])
        for line in earlier
        if line.url in beyond
    ]
    # One answer given in order of doubt makes the sample one of doubt.
    if any(line.by_doubt for line in earlier):
        sample = replace(sample, by_doubt=True)

    def all_marks() -> list[Marked]:
        return [*(marked(sample, pair, said.get(pair.drawn.url)) for pair in pairs), *others]

    for number, pair in enumerate(pairs, 1):
        if said.get(pair.drawn.url) is not None:
            continue
        print_pair(terminal, pair, number, len(pairs))
        mark = ask(input)
        if mark is None:
            break
        said[pair.drawn.url] = mark
        write_marks(file, all_marks())
    if any(said.values()):
        print(f"Marks: {safe(str(file))}")
        _print_estimates(all_marks())


def _print_estimates(marks: Sequence[Marked]) -> None:
    found = estimates(marks)
    left = sum(one.unmarked for one in found)
    print(f"{len(marks) - left:,} of {len(marks):,} marked")
    for one in found:
        print(shown.estimated(one))
