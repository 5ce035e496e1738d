"""The accuracy benchmark counts as the sets' own scorer does, and says where there are no sets."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from support.corpora import CORPORA, parsed
from support.loading import loaded
from support.paths import ROOT

scoring = loaded(ROOT / "benchmarks" / "scoring.py")


def test_decisions_are_counted_against_what_was_kept() -> None:
    """A worked example: right, wrong, missed, and not missed where the like was not kept."""
    pairs = [(0, 1, 0.9), (0, 2, 0.7), (1, 3, 0.8), (0, 4, 0.85)]
    scored = scoring.score([None, 0, 0, None, None], pairs, 0.8)
    assert (scored.right, scored.wrong, scored.missed) == (1, 1, 1)
    assert (scored.precision, scored.recall) == (0.5, 0.5)
    assert scoring.Score().precision == scoring.Score().recall == 1.0


@pytest.mark.corpora
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # their scorer leaves its file open
@pytest.mark.parametrize("name", ["en_javadoc", "en_terms", "zh_laws", "zh_news", "zh_wiki"])
def test_the_score_is_the_sets_own(name: str) -> None:
    """Over random decisions, drawn from true pairs and from none, both scorers agree."""
    reference = loaded(CORPORA / "dedup/score.py")
    pairs = CORPORA / f"dedup/{name}.pairs.json"
    truth = parsed(f"dedup/{name}.pairs")
    later: dict[int, list[int]] = {}
    for a, b, _ in truth["pairs"]:
        later.setdefault(b, []).append(a)
    dice = random.Random(name)
    for threshold in (0.5, 0.8):
        decisions = [
            dice.choice([None, None, *later.get(n, []), dice.randrange(n + 1)])
            for n in range(truth["documents"])
        ]
        ours = scoring.score(decisions, truth["pairs"], threshold)
        theirs = reference.score(dict(enumerate(decisions)), pairs, threshold)
        assert (ours.right, ours.wrong, ours.missed) == (theirs["tp"], theirs["fp"], theirs["fn"])


def test_a_directory_without_sets_is_told(tmp_path: Path) -> None:
    """Where there is nothing to measure the benchmark names the place and ends with an error."""
    command = [sys.executable, "-m", "benchmarks.accuracy", "--sets", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert str(tmp_path) in done.stderr
    assert "--sets" in done.stderr
    assert "Traceback" not in done.stderr
