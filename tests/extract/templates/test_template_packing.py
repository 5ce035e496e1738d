"""Templates, lessons and states as bytes and back."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.made_templates import lesson, page

from crawler.extract.templates import (
    Evidence,
    Lesson,
    Standing,
    Template,
    Zone,
    pack_lesson,
    pack_template,
    unpack_lesson,
    unpack_template,
)
from crawler.extract.templates.template import Compared, Known, Weights, pack_state, unpack_state

_NUMBER = st.integers(0, 1 << 40)
_KEY = st.integers(0, (1 << 48) - 1)
_LABEL = st.text(st.characters(exclude_characters=">", exclude_categories=["Cs"]), max_size=8)
_PATH = st.lists(_LABEL.filter(bool), min_size=1, max_size=5).map(">".join)
_ZONE = st.builds(Zone, _PATH, st.booleans())
_WEIGHTS = st.builds(Weights, *[_NUMBER] * 8)
_KNOWN = st.builds(Known, st.sampled_from(Standing), _NUMBER, st.frozensets(_KEY, max_size=4))
_ZONES = st.dictionaries(_ZONE, _WEIGHTS, max_size=4)


@given(
    st.dictionaries(_ZONE, _KNOWN, max_size=6),
    st.dictionaries(_PATH, st.sampled_from((None, *Standing)), max_size=6),
    st.integers(0, 1000),
    st.integers(1, 99),
)
def test_a_template_comes_back(
    zones: dict[Zone, Known], around: dict[str, Standing | None], least: int, version: int
) -> None:
    """Whatever was learned is the same after packing, and so is its version."""
    template = Template(zones, around, least)
    assert unpack_template(pack_template(template, version)) == (template, version)


@given(_ZONES, st.data())
def test_a_lesson_comes_back(zones: dict[Zone, Weights], data: st.DataObject) -> None:
    """A lesson and the sum of lessons are the same after packing."""
    where = st.sampled_from([*sorted(zones)])
    keys = data.draw(st.frozensets(st.tuples(_KEY, where), max_size=9)) if zones else frozenset()
    compared = data.draw(st.none() | st.builds(Compared, *[_NUMBER] * 5))
    one = Lesson(zones, keys, data.draw(_NUMBER), data.draw(st.booleans()), 5, compared)
    assert unpack_lesson(pack_lesson(one)) == one
    evidence = Evidence(zones, Counter(dict.fromkeys(keys, 3)), {1, 2}, 3, 2, 1)
    assert unpack_state(pack_state([1, True], evidence)) == ([1, True], evidence)


def test_a_template_is_small() -> None:
    """What travels with each request is some hundred bytes for a small site."""
    evidence = Evidence()
    for number in range(12):
        evidence.add(lesson(page(number)))
    assert len(pack_template(evidence.template(), 1)) < 300


@pytest.mark.parametrize("unpack", [unpack_template, unpack_lesson, unpack_state])
def test_other_bytes_are_refused(unpack: object) -> None:
    """Bytes of another kind, or a part, are a ValueError that says what was expected."""
    packed = pack_lesson(lesson(page(1)))
    for data in (b"", b"12345678", packed[:30], pack_template(Template({}, {}, 0), 1)[:-2]):
        with pytest.raises(ValueError, match="not "):
            unpack(data)  # type: ignore[operator]
