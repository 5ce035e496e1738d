"""Keys of the job by flags, --set and the environment; help, letters and completion."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.crawling import command

from crawler.cli import COMMANDS, how_shown, parsed, whole_parser
from crawler.cli.commands import jobs
from crawler.config import Job, keys_of, validated
from crawler.config.loading import from_environment, from_settings, variable_of
from crawler.errors import ConfigError

SEED = "http://127.0.0.1:1/"


def values() -> dict[str, str]:
    """Return every key of the job that is no section, with its default as YAML."""
    found = {}
    for key in keys_of(Job):
        value: Any = Job().model_dump(mode="json")
        for part in key.split("."):
            value = value[part]
        if not isinstance(value, dict) or not value:
            found[key] = json.dumps(value)
    return found


def test_every_key_can_be_set_and_has_its_variable() -> None:
    """The default of each key, given by --set or by the environment, makes the default job."""
    told = values()
    assert len(told) > 100
    assert validated([*from_settings(f"{key}={value}" for key, value in told.items())]) == Job()
    environment = {variable_of(key): value for key, value in told.items()}
    sources, unknown = from_environment(environment)
    assert {source.name for source in sources} == set(environment)
    assert unknown == []
    assert validated(sources) == Job()


def test_flags_come_before_set_that_before_the_environment_that_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place gives what those before it leave unsaid."""
    config = tmp_path / "job.yaml"
    config.write_text("limits: {pages: 1, depth: 1, redirects: 1, time_s: 1}\n")
    monkeypatch.setenv("CRAWLER_LIMITS", "{pages: 2, depth: 2, redirects: 9}")
    monkeypatch.setenv("CRAWLER_LIMITS__REDIRECTS", "2")
    monkeypatch.setenv("CRAWLER_LIMITS__TIME_S", "")  # as compose leaves what is not given
    settings = ["-s", "limits.pages=3", "--set", "limits.depth=3"]
    line = ["crawl", SEED, "--config", str(config), *settings, "--pages", "4", "--delay", "0"]
    job = jobs.given(parsed(line))
    limits = job.limits
    assert (limits.pages, limits.depth, limits.redirects, limits.time_s) == (4, 3, 2, 1)
    assert job.politeness.delay_s == 0
    assert job.seeds == (SEED,)


def test_a_container_needs_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds, output and all else may come from the environment."""
    monkeypatch.setenv("CRAWLER_SEEDS", SEED)
    monkeypatch.setenv("CRAWLER_OUTPUT", "/data/crawl")
    monkeypatch.setenv("CRAWLER_LIMITS__DISK", "10 GB")
    job = jobs.given(parsed(["crawl"]))
    assert (job.seeds, str(job.output), job.limits.disk) == ((SEED,), "/data/crawl", 10**10)


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("hosts.slow.example.org.delay_s=9", "hosts", {"slow.example.org": {"delay_s": 9}}),
        ("hosts.slow.example.org={pages: 2}", "hosts", {"slow.example.org": {"pages": 2}}),
        ("fetch.headers.accept-language=zh", "fetch", {"headers": {"accept-language": "zh"}}),
        ("scope.exclude=/print/", "scope", {"exclude": ["/print/"]}),
        ("scope.exclude=[/print/, /tag/]", "scope", {"exclude": ["/print/", "/tag/"]}),
        ("user_agent.contact=https://a.b/?c=d", "user_agent", {"contact": "https://a.b/?c=d"}),
    ],
)
def test_a_setting_says_what_a_job_file_would(setting: str, key: str, value: object) -> None:
    """Names with dots, lists and values with signs of equality are as one expects."""
    [source] = from_settings([setting])
    assert source.says == {key: value}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("fetch.delay_s=0", ["fetch.delay_s: unknown key", "'politeness.delay_s'"]),
        ("politness.delay_s=0", ["politness", "'politeness'"]),
        ("fetch.workers=many", ["fetch.workers", "valid integer", "'many'"]),
        ("scope.exclude=[", ["scope.exclude: not valid YAML"]),
        ("limits.disk=10 XB", ["limits.disk", "'10 XB'", "10 GB, 512MiB"]),
        ("limits.pages.x=1", ["limits.pages", "'x': 1"]),
    ],
)
def test_a_wrong_setting_is_one_error_with_key_value_and_way_out(
    setting: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told where the setting was given, not as of a file that is right."""
    monkeypatch.setenv("CRAWLER_FETCH__RETRIES", "3")
    with pytest.raises(ConfigError) as told:
        jobs.given(parsed(["crawl", SEED, "--set", setting]))
    assert str(told.value).startswith("--set: ")
    assert "\n" not in str(told.value)
    for word in words:
        assert word in str(told.value)


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error begins with its name."""
    monkeypatch.setenv("CRAWLER_FETCH__WORKERS", "none of them")
    with pytest.raises(ConfigError, match=r"^CRAWLER_FETCH__WORKERS: fetch.workers: .*none of"):
        jobs.given(parsed(["crawl", SEED]))


def test_a_misspelt_variable_is_told_and_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the program's own variable nor one that the job itself names is told of."""
    monkeypatch.setenv("CRAWLER_LOG", "ERROR")
    monkeypatch.setenv("CRAWLER_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv("CRAWLER_FETCH__WORKRES", "3")
    jobs.given(parsed(["crawl", SEED, "--set", "fetch.proxy_env=CRAWLER_PROXY"]))
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("Warning: ")
    assert line.endswith(": CRAWLER_FETCH__WORKRES (did you mean CRAWLER_FETCH__WORKERS?)")


def test_what_is_no_setting_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message shows one, and where all keys are."""
    code, _, err = command(capsys, "crawl", SEED, "--set", "delay")
    assert code == 2
    assert "politeness.delay_s=0" in err
    assert "--set help" in err


@pytest.mark.parametrize("line", ["crawl --set help", "resume -s help", "read a --set help"])
def test_all_keys_are_listed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--set help` shows each key with default, values and meaning, whatever else is missing."""
    code, out, _ = command(capsys, *line.split())
    assert code == 0
    shown = re.findall(r"^  ([a-z_.]+) = .+  \(.+\)\n      \S", out, re.MULTILINE)
    assert sorted(shown) == sorted(values())
    assert not re.search(r"\]\(|`|\\", out)


NAMED = {
    action.option_strings[-1].strip("-"): action.dest
    for name in ("crawl", "dedup")
    for action in whole_parser("crawler")[1][name]._actions
    if "." in action.dest and action.const is not False  # as in --no-traps
}
"""What a flag is called, and the key that it sets."""


@pytest.mark.parametrize("name", NAMED)
def test_a_key_is_found_by_the_name_of_its_flag(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever says --set delay=0, or so in a job file, is told politeness.delay_s."""
    key = NAMED[name]
    section, _, last = key.rpartition(".")
    told = last if name == section else f"'{key}'"  # as in scope=host: the section has that name
    (tmp_path / "job.yaml").write_text(f"{name}: 0\n")
    for more in (["--set", f"{name}=0"], ["--config", tmp_path / "job.yaml"]):
        code, _, err = command(capsys, "crawl", SEED, *more)
        assert (code, err.count("\n")) == (2, 1)
        assert f"{name}: " in err
        assert told in err


@pytest.mark.parametrize("name", ["crawl", "report", "dedup"])
def test_help_is_a_command_too(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`help NAME` is `NAME --help`; a misspelt name is told as ever."""
    assert command(capsys, "help", name) == command(capsys, name, "--help")
    assert command(capsys, "help") == command(capsys, "--help")
    code, _, err = command(capsys, "help", f"{name}t")
    assert code == 2
    assert f"did you mean {name!r}?" in err


def test_help_takes_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`help help` is the help of the program; more words than one are refused, not left unheard."""
    assert command(capsys, "help", "help") == command(capsys, "--help")
    code, _, err = command(capsys, "help", "crawl", "extra")
    assert code == 2
    assert "unrecognized arguments: extra: help takes one command" in err


@pytest.mark.parametrize(
    ("line", "quiet", "verbose"),
    [
        (["crawl", SEED, "-qo", "z3"], True, False),
        (["crawl", SEED, "-vqs", "fetch.workers=2"], True, True),
        (["crawl", SEED, "-qoz3"], True, False),
        (["crawl", SEED, "-oq"], False, False),  # a directory of that name
        (["crawl", SEED, "-sq=1"], False, False),
        (["crawl", SEED, "-o", "z3"], False, False),
    ],
)
def test_letters_written_together_are_heard(line: list[str], quiet: bool, verbose: bool) -> None:
    """What chooses how messages are told reads them as the parser of the command does."""
    args, shown = parsed(line), how_shown(line)
    assert (args.quiet, args.verbose) == (shown["quiet"], shown["verbose"]) == (quiet, verbose)


@pytest.mark.parametrize(
    "flags",
    [
        ["--metrics", ":88000"],
        ["--metrics", "88000"],
        ["--live", "localhost:88000"],
        ["--proxy", "http://h.test:88000"],
        ["--proxy", "h.test:88000"],
        ["--set", "hosts.a.test:88000={delay_s: 1}"],
        ["http://a.test:88000/"],
    ],
)
def test_a_port_that_is_too_large_is_told_alike_everywhere(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is wrong whatever else is, and the last port is named."""
    code, _, err = command(capsys, "crawl", SEED, *flags)
    assert (code, err.count("\n")) == (2, 1)
    assert "the port 88000 is too large, the last one is 65535" in err


def test_a_word_is_no_proxy(capsys: pytest.CaptureFixture[str]) -> None:
    """A scheme or a port tells that a proxy is meant."""
    code, _, err = command(capsys, "crawl", SEED, "--proxy", "foo")
    assert (code, err.count("\n")) == (2, 1)
    assert "as in http://proxy.example.org:3128" in err


@pytest.mark.parametrize("between", [" ", "\n", ", ", ","])
def test_seeds_in_one_variable_are_apart(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By white space, as no URL has it, or by commas before a scheme; so in --set."""
    urls = ("http://a.test/?q=a,b", "http://b.test/")
    monkeypatch.setenv("CRAWLER_SEEDS", between.join(urls))
    assert jobs.given(parsed(["crawl"])).seeds == urls
    monkeypatch.delenv("CRAWLER_SEEDS")
    assert jobs.given(parsed(["crawl", "--set", f"seeds={between.join(urls)}"])).seeds == urls


@pytest.mark.parametrize("between", [" ", "\n", ", ", ","])
def test_several_urls_in_one_argument_are_told(
    between: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They would be taken for one, whose path is the second."""
    code, _, err = command(capsys, "crawl", f"http://a.test/{between}http://b.test/")
    assert code == 2
    assert "is more than one URL: give each by itself" in err


def test_each_mistake_has_a_line_that_says_who_tells_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A list with two wrong items is two lines, each as of one mistake."""
    code, _, err = command(capsys, "crawl", SEED, "--set", "extract.headers=[1, 2]")
    assert code == 2
    told = [line.split(": Input")[0] for line in err.splitlines()]
    assert told == [f"crawler: --set: extract.headers.{at}" for at in range(2)]


def test_a_pause_may_be_milliseconds() -> None:
    """As of half a second, which .5s is, too."""
    for written in ("500ms", "0.5s", "0.5"):
        assert jobs.given(parsed(["crawl", SEED, "--delay", written])).politeness.delay_s == 0.5


def test_the_help_has_commands_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command is listed once, below the title of its group."""
    _, out, _ = command(capsys, "--help")
    listed = re.findall(r"^  ([a-z][a-z-]*)  +\S", out, re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)
    titles = re.findall(r"^  ([a-z ]+):$", out, re.MULTILINE)
    assert titles == ["begin and continue", "look", "repair", "corpus", "this program"]


def test_letters_are_flags(capsys: pytest.CaptureFixture[str]) -> None:
    """-o, -s, -q and -v mean the same in every command that has the flag."""
    args = parsed(["crawl", SEED, "-o", "here", "-qv", "-s", "fetch.workers=2"])
    assert (str(args.output), args.quiet, args.verbose) == ("here", True, True)
    assert args.set == ["fetch.workers=2"]
    assert command(capsys, "-V") == command(capsys, "--version")
    code, _, err = command(capsys, "report", "/nowhere", "-qv", "--log-json")
    assert code == 2
    assert json.loads(err.splitlines()[0])["event"] == "begin"


def test_a_site_without_scheme_is_told_its_url(capsys: pytest.CaptureFixture[str]) -> None:
    """A host alone is no command, and the message says what was meant."""
    code, _, err = command(capsys, "site.example")
    assert code == 2
    assert "did you mean https://site.example ?" in err


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the completion of bash."""
    made = subprocess.run(
        [sys.executable, "-m", "crawler", "completion", "bash"],
        check=True,
        capture_output=True,
    )
    path = tmp_path_factory.mktemp("completion") / "crawler"
    path.write_bytes(made.stdout)
    return path


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("crawl --del", ["--delay"]),
        ("res", ["resume", "restore"]),
        ("crawl --near t", ["tag"]),
        ("crawl --set limits.pa", ["limits.pages"]),
        ("dedup -s dedup.min_", ["dedup.min_near_tokens", "dedup.min_tokens"]),
    ],
)
def test_bash_completes(words: str, completed: list[str], bash_script: Path) -> None:
    """The script completes commands, flags and choices as bash asks for it."""
    asked = f"COMP_WORDS=(crawler {words}); COMP_CWORD={len(words.split())}; _shtab_crawler"
    shown = subprocess.run(
        ["bash", "-c", f'. "$0"; {asked}; echo "${{COMPREPLY[@]}}"', bash_script],
        check=True,
        capture_output=True,
        text=True,
    )
    assert sorted(shown.stdout.split()) == sorted(completed)


def test_zsh_has_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    """It is one for the program's own name."""
    code, out, _ = command(capsys, "completion", "zsh")
    assert code == 0
    assert out.startswith("#compdef crawler\n")


def test_fish_has_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    """It offers each command where none is named yet, and the flags of one after its name."""
    code, out, _ = command(capsys, "completion", "fish")
    assert code == 0
    for one in ("crawl", "resume", "dedup"):
        assert f"_shtab_crawler_npos -eq 0' -a {one} " in out
    assert "'_shtab_crawler_using dedup' -l skip-bad " in out
