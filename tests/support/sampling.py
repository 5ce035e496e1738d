"""What the plain suite tries a few of, and `make test-hard` all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

_T = TypeVar("_T")


def sample(whole: Sequence[_T], many: int) -> Sequence[_T]:
    """Return so many, evenly spread from the first on; in the profile "deep" all of them."""
    if settings.get_current_profile_name() == "deep" or many >= len(whole):
        return whole
    return [whole[place * len(whole) // many] for place in range(many)]
