"""Reading a job: a YAML file with flags merged over it.

Faults are told by file, field or line, and value.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError

from crawler.config.job import Job
from crawler.console import without_passwords
from crawler.errors import ConfigError, reason

PLAIN = {
    "model_type": "Input should be a mapping of keys to values",
    "dict_type": "Input should be a mapping of names to values",
    "tuple_type": "Input should be a list",
}
"""What a type is called in a job file, by the name pydantic has for its error."""


def load_job(path: Path | None, overrides: Mapping[str, Any] | None = None) -> Job:
    """Return the job in a YAML file (or the defaults), with `overrides` merged over it.

    Raises ConfigError naming the file and field for anything unreadable, unknown or out of range.
    """
    return parse_job(read_job(path, overrides), str(path) if path else "command line")


def read_job(path: Path | None, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the same as it was given, not yet validated."""
    data = _read_yaml(path) if path else {}
    merge(data, overrides or {})
    return data


def parse_job(data: Mapping[str, Any], source: str) -> Job:
    """Validate a job given as plain data; `source` names it in errors."""
    try:
        return Job.model_validate(data)
    except ValidationError as error:
        raise ConfigError("\n".join(f"{source}: {_explain(e)}" for e in error.errors())) from None


class _Loader(yaml.SafeLoader):
    """Refuses a key that is given twice: YAML forbids it (1.2.2, 3.2.1.1), PyYAML does not."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Return a mapping whose keys all differ, before `<<` merges others into it."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    problem = f"the key {key.value!r} is given twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add(key.value)
        return node


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot read the job file: {reason(error)}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        fault = " ".join(str(error).split())
        if isinstance(error, yaml.MarkedYAMLError) and (mark := error.problem_mark) is not None:
            fault = f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
        raise ConfigError(f"{path}: not valid YAML: {fault}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: a job file is a mapping, not a {type(data).__name__}")
    return data


def merge(into: dict[str, Any], overrides: Mapping[str, Any]) -> None:
    """Merge nested settings over others, in place; `overrides` and their sections stay as they are.

    A section is copied, lest what is merged over it next changes the one that it came from.
    """
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            if not isinstance(into.get(key), dict):
                into[key] = {}
            merge(into[key], value)
        else:
            into[key] = value


def _explain(error: Any) -> str:
    """Return what is wrong, and what stood there: nothing where it may be a secret itself."""
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{field}: unknown key{_suggestion(error['loc'])}"
    message = PLAIN.get(error["type"]) or error["msg"]
    message = message.removeprefix("Value error, ")  # pydantic's mark of our own validators
    is_section = error["type"] == "value_error" and isinstance(error["input"], Mapping)
    if is_section or "_env" in field or field == "fetch.proxy":
        return f"{field}: {message}"
    return f"{field}: {message} (got {without_passwords(repr(error['input']))})"


def _suggestion(location: tuple[str | int, ...]) -> str:
    model: Any = Job
    for part in location[:-1]:
        fields = getattr(model, "model_fields", None)
        # Of a mapping the type of its values, of a list that of its items.
        inner = get_args(model)
        model = fields[str(part)].annotation if fields else inner[isinstance(part, str)]
    close = difflib.get_close_matches(str(location[-1]), model.model_fields, n=1)
    known = ", ".join(sorted(model.model_fields))
    return f"; did you mean {close[0]!r}?" if close else f"; known keys: {known}"
