"""What all sections have in common, and the types of their values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from crawler.paths import fault_of

Whole = Annotated[int, Field(le=2**53)]
"""A whole number that JSON keeps exactly (RFC 8259, 6): a job is stored with its crawl."""

HeaderName = Annotated[
    str, BeforeValidator(str.lower), Field(pattern=r"^[!#$%&'*+.^_`|~0-9a-z-]+$", max_length=100)
]
"""A field name of HTTP (RFC 9110 5.1), in lower case."""


def _can_be(path: object) -> object:
    if isinstance(path, str) and (fault := fault_of(path)):
        raise ValueError(fault)
    return path


FilePath = Annotated[Path, BeforeValidator(_can_be)]
"""A path that something can lie at."""


class Section(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_enum_values=False,
        defer_build=True,  # an analysis process is given its settings whole and checks none
        allow_inf_nan=False,  # neither could be stored: JSON knows no such numbers
    )
