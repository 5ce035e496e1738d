"""The tests of `--where`: what holds of them whatever a row has."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.views.export import COLUMNS, Row, parse

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
    assert parse([test])(row) != parse([test.replace("=", "!=")])(row)


@given(row=ROWS, limit=LIMITS)
def test_an_order_splits_what_is_known(row: Row, limit: tuple[str, str]) -> None:
    """A value passes one of < and >=, and one of <= and >; one that is not known passes none."""
    field, value = limit
    known = row["text" if field == "chars" else field] is not None
    for one, other in (("<", ">="), ("<=", ">")):
        passed = [parse([f"{field}{sign}{value}"])(row) for sign in (one, other)]
        assert passed.count(True) == known


@given(row=ROWS, tests=st.lists(TESTS, max_size=3))
def test_all_tests_must_be_passed(row: Row, tests: list[str]) -> None:
    """Several tests choose what each of them chooses; without any every row passes."""
    assert parse(tests)(row) == all(parse([test])(row) for test in tests)


def test_a_host_is_not_mistaken_for_another() -> None:
    """A pattern is held against the whole name, whatever its case."""
    row = {**dict.fromkeys(COLUMNS), "source": "Example.org.evil.test"}
    assert not parse(["host=example.org"])(row)
    assert not parse(["host=*.example.org"])(row)
    assert parse(["host=EXAMPLE.org.*"])(row)
