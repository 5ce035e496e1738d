"""Job files and seed lists: what is accepted, and how a mistake is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import ROOT, doc

from crawler.config import (
    Job,
    Source,
    check_seeds,
    load_job,
    merge,
    parse_job,
    read_seeds,
    validated,
)
from crawler.errors import ConfigError


def keys(model: Any = Job, prefix: str = "") -> Iterator[str]:
    """Yield every key of a job file in dotted form, sections included."""
    for name, field in model.model_fields.items():
        yield prefix + name
        if hasattr(field.annotation, "model_fields"):
            yield from keys(field.annotation, f"{prefix}{name}.")


def numeric(model: Any = Job, prefix: str = "") -> Iterator[str]:
    """Yield every key whose value is a number, a size among them."""
    for name, field in model.model_fields.items():
        if hasattr(field.annotation, "model_fields"):
            yield from numeric(field.annotation, f"{prefix}{name}.")
        elif {int, float} & {field.annotation, *parts_of(field.annotation)}:
            yield prefix + name


def parts_of(annotation: Any) -> Iterator[Any]:
    """Yield the types that an annotation is made of."""
    for part in get_args(annotation):
        yield part
        yield from parts_of(part)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.name)
def test_the_shipped_jobs_are_valid(path: Path) -> None:
    """Every file in config/ loads as it stands."""
    assert isinstance(load_job(path), Job)


def test_the_shipped_seed_list_is_valid() -> None:
    """seeds.txt holds a few https sites, comments stripped."""
    seeds, _ = read_seeds(ROOT / "seeds.txt")
    assert len(seeds) >= 3
    assert all(seed.startswith("https://") and "#" not in seed for seed in seeds)


def test_every_key_is_documented_and_every_documented_key_exists() -> None:
    """docs/configuration.md and the model name the same keys, with the same defaults."""
    page = doc("configuration")
    documented = set(re.findall(r"^\| \**`([a-z_.]+)`", page, re.MULTILINE))
    assert documented == set(keys())


def test_documented_numbers_are_the_defaults() -> None:
    """A number in the table's default column is the model's default."""
    page = doc("configuration")
    for key, text in re.findall(r"^\| `([a-z_.]+)` \| ([\d.,]+) \|", page, re.MULTILINE):
        value: Any = Job()
        for name in key.split("."):
            value = getattr(value, name)
        assert value == float(text.replace(",", "")), key


def test_sections_are_merged_under_flags(tmp_path: Path) -> None:
    """A flag replaces its own key and leaves its section's others as the file has them."""
    path = tmp_path / "job.yaml"
    path.write_text("limits: {pages: 5, depth: 3}\n")
    job = load_job(path, {"limits": {"pages": 7}})
    assert (job.limits.pages, job.limits.depth) == (7, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("limts: {pages: 5}", ["limts", "unknown key", "'limits'"]),
        ("limits: {page: 5}", ["limits.page", "'pages'"]),
        ("fetch: {dellay: 5}", ["fetch.dellay", "did you mean 'politeness.delay_s'?"]),
        ("fetch: {rate: 5}", ["fetch.rate", "known keys: ", "workers"]),
        ("limits: {pages: 0}", ["limits.pages", "greater than or equal to 1", "0"]),
        ("limits: {pages: many}", ["limits.pages", "'many'"]),
        ("scope: {exclude: ['(']}", ["scope.exclude", "regular expression"]),
        ("fetch: {resolve: {a.test: nowhere}}", ["fetch.resolve", "nowhere"]),
        ("fetch: {allow_addresses: [10.0.0.1/8]}", ["fetch.allow_addresses", "host bits"]),
        ("user_agent: {name: 'two words'}", ["user_agent.name"]),
        ("dedup: {near: maybe}", ["dedup.near", "'drop'", "'maybe'"]),
        ("- a list", ["mapping"]),
        ("a: [", ["not valid YAML"]),
        ("a: [1\nb: }", ["not valid YAML: line 2, column 2"]),
        ("limits: {pages: 5}\nlimits: {depth: 5}", ["line 2, column 1", "'limits' is given twice"]),
        ("limits: {pages: 5, pages: 6}", ["line 1, column 20", "'pages' is given twice"]),
        ("grace_s: 2026-99-99", ["not valid YAML", "month"]),
        ("limits: {pages: 1000000000000000000000}", ["limits.pages", "less than"]),
        ("grace_s: .inf", ["grace_s", "finite"]),
        ("fetch: {headers: {1: 2}}", ["fetch.headers.1: a key is a text: write it in quotes"]),
        ("hosts: {1: 2}", ["hosts.1", "mapping", "2"]),
        ("limits: {1: 2}", ["limits.1: a key is a text"]),
        ("hosts: {a.test: {headers_env: {1: X}}}", ["hosts.a.test.headers_env.1: a key is a text"]),
        ("extract: {headers: [null]}", ["extract.headers.0", "string"]),
        ("fetch: {read_timeout_s: .nan}", ["fetch.read_timeout_s", "finite"]),
        ("seeds: https://a.test/", ["seeds", "list"]),
        ("limits: 5", ["limits", "mapping", "5"]),
        ("learn: {same: [{slot: no host}]}", ["learn.same.0", "differ"]),
        ("learn: {same: [{slot: sid, one: a}]}", ["learn.same.0", "begins with a host"]),
        ("learn: {same: [{slot: 'a.test?sid', one: a}]}", ["learn.same.0", "neither"]),
        ("learn: {same: [{slot: a.test/, one: a, original: b}]}", ["learn.same.0", "original"]),
    ],
)
def test_a_mistake_names_file_and_field(tmp_path: Path, text: str, words: list[str]) -> None:
    """Each mistake in a job file is one ConfigError that says where and what."""
    path = tmp_path / "job.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_job(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_settings_may_be_merged_and_overridden(tmp_path: Path) -> None:
    """YAML's own way to repeat a mapping with changes is no key given twice."""
    path = tmp_path / "job.yaml"
    path.write_text(
        "limits: &a {pages: 5}\ntraps: &b {budget: 9}\n"
        "frontier: {<<: {host_queue: 7}, host_queue: 8}\n"
    )
    assert load_job(path).frontier.host_queue == 8


def test_every_job_can_be_stored(tmp_path: Path) -> None:
    """The largest numbers that are accepted come back from JSON as they were."""
    path = tmp_path / "job.yaml"
    path.write_text("limits: {pages: 9007199254740992}\ngrace_s: 9007199254740992.0\n")
    job = load_job(path)
    assert parse_job(orjson.loads(orjson.dumps(job.model_dump(mode="json"))), "stored") == job


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://a.test:88000/", "the port 88000 is too large, the last one is 65535"),
        ("https://user:se-cret@a.test:65536", "the port 65536 is too large"),
        ("a.test/", "did you mean https://a.test/ ?"),
        ("localhost:8000/", "did you mean http://localhost:8000/ ?"),
        ("ftp://a.test/", "not an http(s) URL"),
        ("mailto:a@b.test", "'mailto:a@b.test' is not an http(s) URL"),
    ],
)
def test_what_is_wrong_with_a_seed_is_said(url: str, words: str) -> None:
    """A mistake in a URL is named, and no password is shown."""
    with pytest.raises(ConfigError, match=re.escape(words)) as told:
        check_seeds((url,), "command line")
    assert "se-cret" not in str(told.value)
    assert ("did you mean" in str(told.value)) == ("did you mean" in words)


def test_a_file_in_the_place_of_a_url_is_told_with_its_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job, or a list of URLs."""
    monkeypatch.chdir(tmp_path)
    for name, flag in (("job.yaml", "--config"), ("seeds.txt", "--seeds")):
        Path(name).touch()
        with pytest.raises(ConfigError, match=f"did you mean {flag} {name} ?"):
            check_seeds((name,), "command line")


@pytest.mark.parametrize("read", [read_seeds, load_job])
def test_a_file_that_is_no_text_is_told_with_the_way_out(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    """A list or a job as Windows may save it, in two bytes a character."""
    path = tmp_path / "file"
    path.write_text("https://a.test/", encoding="utf-16")
    with pytest.raises(ConfigError, match="is no UTF-8 text: save it as that"):
        read(path)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("10 GB", 10**10),
        ("512MiB", 2**29),
        ("1.5 kB", 1500),
        ("7", 7),
        (7, 7),
    ],
)
def test_sizes_are_written_as_people_do(written: str | int, read: int) -> None:
    """A number with a unit, with a blank between them or without, is so many bytes."""
    job = parse_job({"limits": {"disk": written}, "hosts": {"a.test": {"bytes": written}}}, "test")
    assert job.limits.disk == job.hosts["a.test"].bytes == read


@pytest.mark.parametrize("written", ["10 G", "ten GB", "-1 GB", "1 GB 2", ""])
def test_what_is_no_size_is_refused(written: str) -> None:
    """The error shows how one is written."""
    with pytest.raises(ConfigError, match=r"limits\.disk: .*10 GB, 512MiB"):
        parse_job({"limits": {"disk": written}}, "test")


def test_a_missing_job_file_is_named() -> None:
    """A path that does not exist is the user's error."""
    with pytest.raises(ConfigError, match=r"/nowhere/job\.yaml.*No such file"):
        load_job(Path("/nowhere/job.yaml"))


def test_seed_lists_know_comments_and_blanks(tmp_path: Path) -> None:
    """A `#` begins a comment only at the start of a word: fragments survive."""
    path = tmp_path / "seeds.txt"
    path.write_text("\ufeff# all of it\n\nhttps://a.test/ # a site\nhttp://b.test/#top\n")
    assert read_seeds(path) == (("https://a.test/", "http://b.test/#top"), [])


def test_all_lines_that_are_no_urls_are_told(tmp_path: Path) -> None:
    """Every junk line is named at once, twenty at most; they can be left out, but not all."""
    path = tmp_path / "seeds.txt"
    path.write_text("https://a.test/\n" + "junk\n" * 30 + "https://b.test/\n")
    with pytest.raises(ConfigError) as error:
        read_seeds(path)
    *told, more, way_out = str(error.value).splitlines()
    assert [line.split(": ")[0] for line in told] == [f"{path}:{n}" for n in range(2, 22)]
    assert more == "... and 10 more lines"
    assert "--skip-bad" in way_out
    seeds, bad = read_seeds(path, skip_bad=True)
    assert (seeds, len(bad)) == (("https://a.test/", "https://b.test/"), 30)
    path.write_text("junk\n")
    with pytest.raises(ConfigError, match="no seed URL"):
        read_seeds(path, skip_bad=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# nothing\n", ["no seed"]),
        ("https://a.test/\nexample.org\n", [":2", "https://example.org"]),
        ("ftp://a.test/\n", [":1", "ftp://a.test/"]),
    ],
)
def test_a_bad_seed_names_its_line(tmp_path: Path, text: str, words: list[str]) -> None:
    """The line at fault is named, and a forgotten scheme is suggested."""
    path = tmp_path / "seeds.txt"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        read_seeds(path)
    for word in words:
        assert word in str(error.value)


def test_a_job_without_seeds_is_told_so() -> None:
    """No seeds anywhere is an error that names both ways to give them."""
    with pytest.raises(ConfigError, match="--seeds FILE"):
        check_seeds((), "job.yaml")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["limits"]), inner)
        ),
        max_leaves=8,
    )
)
def test_any_data_is_a_job_or_a_config_error(data: object) -> None:
    """Whatever YAML can hold, validation answers with a Job or one ConfigError."""
    sections = {"limits": data, "fetch": data, "scope": {"mode": data}}
    with suppress(ConfigError):
        assert isinstance(parse_job(sections, "generated"), Job)


DEEP: Any = 1
for _ in range(20_000):
    DEEP = [DEEP]
WITHIN_ITSELF: dict[str, Any] = {}
WITHIN_ITSELF["a"] = WITHIN_ITSELF

OF_WRONG_TYPES: tuple[Any, ...] = (
    *(3, -1, 10**20, 1.5, float("inf"), True, False, None, "x", "", b"x", date(2026, 1, 1), {"x"}),
    *([], [1], [None], [True], [[1]], ["x", 1], [{}], [{1: 2}], [{"slot": 1}], DEEP),
    *({}, {1: 2}, {None: 1}, {True: 2}, {(1, 2): 3}, {"a": 1}, {"a": {1: 2}}, {1: {"a": 3}}),
    *({"a.test": {"headers_env": {1: "X"}}}, {"a.test": {"headers": {1: 2}, "proxy": 3}}),
    *({"use": 1}, [{"use": 1}], [{"use": "a", "options": {1: DEEP}}], WITHIN_ITSELF),
)
"""What YAML, or another program, may give for a key; of most keys it is the wrong type."""


@pytest.mark.parametrize(
    "key", [*keys(), "hosts.a.delay_s", "hosts.a.headers", "hosts.a.headers_env", "nothing", ""]
)
def test_a_value_of_any_type_is_accepted_or_one_error_that_names_the_key(key: str) -> None:
    """Types are checked before anything is done with a value: none ends in another exception."""
    for value in OF_WRONG_TYPES:
        if not key and not isinstance(value, dict):
            continue
        says: Any = value
        for part in reversed(key.split(".") if key else []):
            says = {part: says}
        try:
            job = parse_job(says, "job.yaml")
        except ConfigError as error:
            for line in str(error).splitlines():
                assert line.startswith(f"job.yaml: {key.partition('.')[0]}"), value
        else:
            assert isinstance(job, Job)


@pytest.mark.parametrize("key", [*numeric()])
def test_a_number_is_neither_true_nor_larger_than_any(key: str) -> None:
    """Python takes true for 1, and JSON keeps no larger whole number exactly."""
    for value in (True, False, 2**53 + 2, 10**20, 1e300):
        says: Any = value
        for part in reversed(key.split(".")):
            says = {part: says}
        with pytest.raises(ConfigError, match=rf"^job: {re.escape(key)}: ") as told:
            parse_job(says, "job")
        assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("file", "setting", "said"),
    [
        ({"politeness": 3}, {"politeness": {"delay_s": 0}}, "file: politeness: .*mapping"),
        ({"politeness": None}, {"politeness": {"delay_s": 0}}, "file: politeness: .*mapping"),
        ({"hosts": {"a.test": 3}}, {"hosts": {"a.test": {"pages": 1}}}, "file: hosts.a.test: "),
        ({"fetch": {"headers": []}}, {"fetch": {"headers": {"a": "b"}}}, "file: fetch.headers: "),
        ({"limits": {"pages": 3}}, {"limits": {"pages": {"x": 1}}}, "--set: limits.pages: "),
    ],
)
def test_a_broken_section_is_told_though_a_flag_sets_its_keys(
    file: dict[str, Any], setting: dict[str, Any], said: str
) -> None:
    """Each source has the shape of a job by itself; the error names the one that has not."""
    with pytest.raises(ConfigError, match=f"^{said}"):
        validated([Source("file", file), Source("--set", setting)])


def test_merging_changes_none_of_what_is_merged() -> None:
    """A section that comes from one mapping is not shared: what follows leaves that as it was."""
    first, second = {"analysis": {"processes": 1}}, {"analysis": {"processes": 2}}
    data: dict[str, object] = {"seeds": []}
    merge(data, first)
    merge(data, second)
    assert data == {"seeds": [], **second}
    assert (first, second) == ({"analysis": {"processes": 1}}, {"analysis": {"processes": 2}})


def test_what_two_sections_say_together_is_one_sentence() -> None:
    """Where neither alone is wrong, the message names both, and no empty field before them."""
    with pytest.raises(ConfigError) as told:
        parse_job({"dedup": {"visual": True}}, "job.yaml")
    assert str(told.value).startswith("job.yaml: dedup.visual compares rendered pages")


@pytest.mark.parametrize(
    ("contact", "hint"),
    [
        ("not a url", ""),
        ("me@", ""),
        ("ftp://a.test/", ""),
        ("a.test/bot", "; did you mean https://a.test/bot ?"),
    ],
)
def test_a_contact_that_reaches_nobody_is_refused(contact: str, hint: str) -> None:
    """It must be a mail address or an http(s) URL: site owners are to use it as it stands."""
    wanted = re.escape(f"contact: give a mail address or an http(s) URL{hint} (got {contact!r})")
    with pytest.raises(ConfigError, match=wanted):
        parse_job({"user_agent": {"contact": contact}}, "job")


@pytest.mark.parametrize(
    "contact",
    ["you@a.test", "mailto:you@a.test", "https://a.test/bot", "https://a.test/bot; you@a.test", ""],
)
def test_a_contact_stays_as_it_is_given(contact: str) -> None:
    """Of one kind, or both; an empty one is none."""
    assert parse_job({"user_agent": {"contact": contact}}, "job").user_agent.contact == contact
