"""The tests of `--where`: what holds of them whatever a row has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.views.export import COLUMNS, Condition, Row

ROWS: st.SearchStrategy[Row] = st.fixed_dictionaries(
    {
        "language": st.none() | st.sampled_from(["zh", "en"]),
        "source": st.sampled_from(["example.org", "www.example.org", "example.org.evil.test"]),
        "date": st.none() | st.datetimes().map(lambda at: at.isoformat(timespec="seconds") + "Z"),
        "text": st.none() | st.text(max_size=4),
        "language_score": st.none() | st.floats(0, 1),
    }
).map(lambda told: {**dict.fromkeys(COLUMNS), **told})
TESTS = st.sampled_from(["language=zh", "host=*.example.org", "date=1999", "date=2026", "chars=2"])
LIMITS = st.sampled_from([("chars", "3"), ("language_score", ".5"), ("date", "2001-02")])


@given(row=ROWS, test=TESTS)
def test_not_equal_is_the_opposite_of_equal(row: Row, test: str) -> None:
    """Each row passes one of the two, and neither both."""
    assert Condition(test).passes(row) != Condition(test.replace("=", "!=")).passes(row)


@given(row=ROWS, limit=LIMITS)
def test_an_order_splits_what_is_known(row: Row, limit: tuple[str, str]) -> None:
    """A value passes one of < and >=, and one of <= and >; one that is not known passes none."""
    field, value = limit
    known = row["text" if field == "chars" else field] is not None
    for one, other in (("<", ">="), ("<=", ">")):
        passed = [Condition(f"{field}{sign}{value}").passes(row) for sign in (one, other)]
        assert passed.count(True) == known


def test_a_host_is_not_mistaken_for_another() -> None:
    """A pattern is held against the whole name, whatever its case."""
    row = {**dict.fromkeys(COLUMNS), "source": "Example.org.evil.test"}
    assert not Condition("host=example.org").passes(row)
    assert not Condition("host=*.example.org").passes(row)
    assert Condition("host=EXAMPLE.org.*").passes(row)


ROW = {**dict.fromkeys(COLUMNS), "source": "a.example", "text": "four", "verdict": "new"}


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("language=en", "--where language=en: no page has a language (`extract.language: true`"),
        ("host=b.example", "no page passes; host here: a.example"),
        ("chars>90", "no page passes; chars here: 4 to 40"),
        ("verdict=nwe,old", "no page passes; verdict here: new"),
        ("chars>39", ""),
        ("language!=en", ""),
    ],
)
def test_what_no_row_passes_tells_what_there_is(test: str, said: str) -> None:
    """Its field, with the values or the span of them that the rows have; nothing where one did."""
    condition = Condition(test)
    for text in ("four", "four" * 10):
        condition.passes({**ROW, "text": text})
    assert said in condition.unmet
    assert bool(said) == bool(condition.unmet)


def test_of_many_values_the_most_frequent_are_told() -> None:
    """A warning names five, and says how many others there are, as far as they are counted."""
    condition = Condition("host=none.example")
    for number in [*range(2_000), 7, 7, 9]:
        condition.passes({**ROW, "source": f"h{number}.example"})
    assert "host here: h7.example, h9.example, " in condition.unmet
    assert condition.unmet.endswith(" and 995 or more")
