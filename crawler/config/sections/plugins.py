"""What of other packages, or of the user's own files, takes part in a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, JsonValue, model_validator

from crawler.config.sections.base import Section


class Use(Section):
    """One plugin; where only a text is given, that is its `use`."""

    use: Annotated[str, Field(min_length=1, max_length=200)]
    """The name of an entry point, or `module:attribute`."""
    name: Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=100)] = ""
    """What it is called in files and messages: its `use`, unless given."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What it is made with, by the names of its parameters."""

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, given: Any) -> Any:
        """Return a plugin with all keys that follow from those given."""
        whole = {"use": given} if isinstance(given, str) else given
        if isinstance(whole, Mapping) and isinstance(whole.get("use"), str):
            whole = {**whole, "name": whole.get("name") or whole["use"]}
        return whole


def _differ(uses: tuple[Use, ...]) -> tuple[Use, ...]:
    names = [each.name for each in uses]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice: give each a `name` of its own")
    return uses


Uses = Annotated[tuple[Use, ...], AfterValidator(_differ)]
"""Plugins of one kind, in the order in which they are asked."""


class Plugins(Section):
    """What of other packages, or of the user's own files, takes part."""

    filters: Uses = ()
    """Asked of each new link whether it may be queued."""
    extractors: Uses = ()
    """Asked for the text of each page, or for fields of its line; the first answer counts."""
    sinks: Uses = ()
    """Given the line of each page once it is durable."""
