"""Runs that die while they change the disk: before the first change, the second, and so on."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


class Killed(BaseException):
    """Ends a run as a kill would: nothing that follows is done."""


class DyingSystem:
    """The module `os`, until it is asked to change the disk for the given time."""

    def __init__(self, moment: float) -> None:
        self.calls = 0
        self._moment = moment

    def __getattr__(self, name: str) -> Any:
        call = getattr(os, name)
        return self.until_it_dies(call) if name in ("open", "write", "fsync") else call

    def until_it_dies(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call that is counted, and not done from the given time on."""

        def counted(*given: Any) -> Any:
            self.calls += 1
            if self.calls >= self._moment:
                raise Killed
            return call(*given)

        return counted
