"""Reading a job: a YAML file, with what the environment and flags say merged over it.

Faults are told by file, field or line, and value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import yaml
from pydantic import ValidationError

from crawler.config.job import Job
from crawler.console import without_passwords
from crawler.errors import ConfigError, reason

PLAIN = {
    "model_type": "Input should be a mapping of keys to values",
    "dict_type": "Input should be a mapping of names to values",
    "tuple_type": "Input should be a list, in [ ] also if it is of one",
}
"""What a type is called in a job file, by the name pydantic has for its error."""


class Source(NamedTuple):
    """Settings from one place."""

    name: str
    """What it is called in errors: a path, `--set`, an environment variable."""
    says: Mapping[str, Any]
    """The settings, in the shape of a job file."""


def load_job(path: Path | None, overrides: Mapping[str, Any] | None = None) -> Job:
    """Return the job in a YAML file (or the defaults), with `overrides` merged over it.

    Raises ConfigError naming the file and field for anything unreadable, unknown or out of range.
    """
    over = Source(str(path) if path else COMMAND_LINE, overrides or {})
    return validated([*from_file(path), over])


def parse_job(data: Mapping[str, Any], source: str) -> Job:
    """Validate a job given as plain data; `source` names it in errors."""
    return validated([Source(source, data)])


def validated(sources: Sequence[Source]) -> Job:
    """Return the job that some sources give, each merged over those before it.

    Raises ConfigError, which names for each mistake the source that it comes from, and the key.
    """
    data = merged(sources)
    if broken := [f"{each.name}: {_explain(e)}" for each in sources for e in _no_mappings(each)]:
        raise ConfigError("\n".join(broken))
    try:
        return Job.model_validate(data)
    except ValidationError as error:
        no_keys = {e["loc"][:-1] for e in error.errors() if e["loc"][-1:] == ("[key]",)}
        told = (e for e in error.errors() if e["loc"] not in no_keys)  # what it holds says nothing
        faults = [f"{_origin(sources, e['loc'])}: {_explain(e)}" for e in told]
        raise ConfigError("\n".join(faults)) from None


def _no_mappings(source: Source) -> Iterator[dict[str, Any]]:
    """Yield an error, as pydantic has it, for each section of a source that is none.

    Sources are merged by their sections, so what another one says would hide it.
    """
    waiting: list[tuple[tuple[Any, ...], Any, Any]] = [((), Job, source.says)]
    while waiting:
        at, kind, says = waiting.pop()
        fields = getattr(kind, "model_fields", None)
        if fields is None and get_origin(kind) is not dict:
            continue
        if not isinstance(says, Mapping):
            yield {"type": "model_type" if fields else "dict_type", "loc": at, "input": says}
        elif fields:
            known = [name for name in fields if name in says]
            waiting += [((*at, name), fields[name].annotation, says[name]) for name in known]
        else:
            waiting += [((*at, name), get_args(kind)[1], inner) for name, inner in says.items()]


def merged(sources: Iterable[Source]) -> dict[str, Any]:
    """Return what some sources give, each merged over those before it, not yet validated.

    Raises ConfigError for what is nested too deep, such as within itself, as YAML can write it.
    """
    data: dict[str, Any] = {}
    for source in sources:
        for key, value in source.says.items():
            if _is_too_deep(value):
                raise ConfigError(f"{source.name}: {key}: nested too deep, or within itself")
        merge(data, source.says)
    return data


MOST_LEVELS = 100
"""Of lists and mappings within each other: JSON, as which a job is kept, has 254 (`json_of`)."""


def _is_too_deep(value: Any) -> bool:
    waiting = [(value, 0)]
    while waiting:
        held, level = waiting.pop()
        if level > MOST_LEVELS:
            return True
        if isinstance(held, Mapping):
            waiting += [(inner, level + 1) for inner in held.values()]
        elif isinstance(held, list | tuple):
            waiting += [(inner, level + 1) for inner in held]
    return False


def _origin(sources: Sequence[Source], location: Sequence[str | int]) -> str:
    """Return the name of the last source that says something of a key."""
    for name, settings in sources[::-1]:
        says: Any = settings
        for part in location:
            if not isinstance(says, Mapping):  # the part is an item of the value
                return name
            if part not in says:
                break
            says = says[part]
        else:
            return name
    return sources[0].name


_SEEDS_APART = re.compile(r",?\s+|,(?=https?://)")
"""Between seeds in one text, such as an environment variable: no URL has a blank."""
COMMAND_LINE = "command line"
ENVIRONMENT = "CRAWLER_"
"""What the names of variables begin with that set keys of the job."""


def from_file(path: Path | None) -> list[Source]:
    """Return what a job file says; nothing where there is none."""
    if not path:
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot read the job file: {reason(error)}") from None
    data = _yaml(text, str(path))
    if not isinstance(data, dict | None):
        raise ConfigError(f"{path}: a job file is a mapping, not a {type(data).__name__}")
    return [Source(str(path), data or {})]


def from_settings(settings: Iterable[str]) -> Iterator[Source]:
    """Yield what each `KEY=VALUE` says; the key with dots, the value as a job file has it.

    Raises ConfigError for a value that is no YAML.
    """
    for setting in settings:
        key, _, value = setting.partition("=")
        yield _setting("--set", key, value)


def from_environment(variables: Mapping[str, str]) -> tuple[list[Source], list[str]]:
    """Return what environment variables say, and the names that mean no key of a job.

    `CRAWLER_FETCH__WORKERS` is `fetch.workers`, as pydantic-settings and others name them; an empty
    one says nothing. Raises ConfigError for a value that is no YAML.
    """
    known = {variable_of(key): key for key in keys_of(Job)}
    sources, unknown = [], []
    for name in sorted(name for name in variables if name.startswith(ENVIRONMENT)):
        if name not in known:
            unknown.append(name)
        elif value := variables[name].strip():
            sources.append(_setting(name, known[name], value))
    return sources, unknown


def variable_of(key: str) -> str:
    """Return the environment variable that sets a key of the job."""
    return ENVIRONMENT + key.upper().replace(".", "__")


def keys_of(section: Any, prefix: str = "") -> Iterator[str]:
    """Yield all keys of a section with dots, sections before their own keys."""
    for name, field in section.model_fields.items():
        yield prefix + name
        if hasattr(field.annotation, "model_fields"):
            yield from keys_of(field.annotation, f"{prefix}{name}.")


def _setting(source: str, key: str, text: str) -> Source:
    """Return the setting of one key, whose value is YAML; one value is a list of one.

    Behind `hosts` and other mappings stands a name, which may have dots itself.
    """
    value = _yaml(text, f"{source}: {key}")
    path: list[str] = []
    kind: Any = Job
    rest = key
    while rest:
        fields = getattr(kind, "model_fields", None)
        if get_origin(kind) is dict:
            _, kind = get_args(kind)
            name, _, last = rest.rpartition(".")
            inside = name and last in getattr(kind, "model_fields", ())
            part, rest = (name, last) if inside else (rest, "")
        else:
            part, _, rest = rest.partition(".")
            kind = fields[part].annotation if fields and part in fields else None
        path.append(part)
    if get_origin(kind) is tuple and isinstance(value, str):
        value = _SEEDS_APART.split(value.strip()) if path == ["seeds"] else [value]
    for part in reversed(path):
        value = {part: value}
    return Source(source, value)


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


def _yaml(text: str, source: str) -> Any:
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        fault = " ".join(str(error).split())
        if isinstance(error, yaml.MarkedYAMLError) and (mark := error.problem_mark) is not None:
            fault = f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
        raise ConfigError(f"{source}: not valid YAML: {fault}") from None


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
    if error["type"] == "invalid_key" or error["loc"][-1:] == ("[key]",):
        return f"{field.removesuffix('.[key]')}: a key is a text: write it in quotes"
    message = PLAIN.get(error["type"]) or error["msg"]
    message = message.removeprefix("Value error, ")  # pydantic's mark of our own validators
    if not field:  # of several sections together, which the message names
        return message
    is_section = error["type"] == "value_error" and isinstance(error["input"], Mapping)
    if is_section or "_env" in field or field.endswith(".proxy"):
        return f"{field}: {message}"
    if error["type"] == "model_type":
        others = _called(str(error["loc"][-1]))
        message += _known(error["loc"]) + "".join(f"; did you mean {key!r}?" for key in others)
    got = "" if error["input"] is None else f" (got {without_passwords(repr(error['input']))})"
    return f"{field}: {message}{got}"


def _suggestion(location: Sequence[str | int]) -> str:
    """Return which key may be meant: one like it of its section, else one of others.

    But before it those of others that are called so. All keys of its section where there is none.
    """
    fields = _model_at(location[:-1]).model_fields
    close = _called(str(location[-1])) or difflib.get_close_matches(str(location[-1]), fields, n=1)
    close = close or keys_like(str(location[-1]))
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else _known(location[:-1])


def _known(location: Sequence[str | int]) -> str:
    return f"; known keys: {', '.join(sorted(_model_at(location).model_fields))}"


def _model_at(location: Sequence[str | int]) -> Any:
    """Return the section in which a job has what is said at a location."""
    model: Any = Job
    for part in location:
        fields = getattr(model, "model_fields", None)
        # Of a mapping the type of its values, of a list that of its items.
        within = fields[str(part)].annotation if fields else get_args(model)
        model = within if fields else within[get_origin(model) is dict]
    return model


def _called(name: str) -> list[str]:
    """Return the keys of sections that are called so, as flags are."""
    return [key for key in keys_of(Job) if key.endswith(f".{name}")]


def keys_like(name: str) -> list[str]:
    """Return the keys of a job that a name may stand for, the likeliest first, three at most.

    They end in what is spelt like it or, where none does, share words with it: `delay` and
    `download-delay` are `politeness.delay_s`.
    """
    name = name.lower().replace("-", "_")
    keys = {key: key.rpartition(".")[2] for key in keys_of(Job)}
    if close := difflib.get_close_matches(name, (*keys.values(), *keys), n=1, cutoff=0.7):
        return [key for key, last in keys.items() if close[0] in (key, last)][:3]
    words = set(re.split(r"[._]", name))
    shared = {
        key: len(words & own) / len(words | own)
        for key in keys
        if words & (own := set(re.split(r"[._]", key)) - {"s"})
    }
    return sorted(shared, key=lambda key: -shared[key])[:3]
