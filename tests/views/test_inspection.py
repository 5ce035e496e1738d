"""What is said of a URL: by the job's rules before it is asked for, by a crawl's state after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.analysing import no_processes
from support.crawling import command, crawl, loopback_job, write_job
from support.threaded import Reply, page, site

from crawler.cli.commands.dry_run import WOULD_FETCH
from crawler.config import parse_job
from crawler.frontier.scope import HostOverrides, ScopeFilter
from crawler.urls import host_key

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PAGES = {
    "/": page("home", "/a", "/copy", "/no", "/gone", "/cut/1", "http://other.test/", "/late"),
    "/a": page("deep", "/b"),
    "/copy": page("deep", "/b"),
    "/b": page("end", "/never"),
    "/robots.txt": Reply("User-agent: *\nDisallow: /no\nCrawl-delay: 0\n"),
}
RULES: dict[str, Any] = {"scope": {"exclude": ["/cut/"]}, "limits": {"depth": 2}}


def answer(path: str) -> Reply:
    """Answer as the site of these tests does."""
    return PAGES.get(path, Reply("", 404))


class Crawled(NamedTuple):
    """A crawl that has ended, and where its site was."""

    output: Path
    url: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl the site once."""
    output = tmp_path_factory.mktemp("inspected") / "out"
    with site(answer) as server, no_processes():
        assert crawl(loopback_job(output, [server.url + "/"], **RULES, **_here())) == 0
        yield Crawled(output, server.url)


def _here() -> dict[str, Any]:
    return {"fetch": {"allow_addresses": ["127.0.0.0/8"]}}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", ["stored (new)", "depth       0, a seed", "allows it"]),
        ("/b", ["stored (new)", "depth       2", "{site}/a", "{site}/ (a seed)"]),
        ("/copy", ["a duplicate (exact-payload)", "exact-payload of {site}/a (id ", "explain"]),
        ("/gone", ["failed (http-4xx)", "status 404", "attempts 1", "--class http-4xx"]),
        ("/no", ["left out (robots)", "forbids it", "robots.txt forbids it"]),
        ("/cut/1", ["never queued", "scope.exclude: /cut/"]),
        ("/elsewhere", ["never queued", "nothing: the job would fetch it", "crawler add"]),
    ],
)
def test_a_url_is_told_of(
    crawled: Crawled, path: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """State, way from the seed, verdict and rule are named, for URLs that were never queued too."""
    code, out, _ = command(capsys, "inspect", crawled.output, crawled.url + path)
    assert code == 0
    for word in words:
        assert word.format(site=crawled.url) in out


def test_copies_are_told_from_both_sides(
    crawled: Crawled, capsys: pytest.CaptureFixture[str]
) -> None:
    """An original names its copies; a stored page is found by its id as well."""
    url = crawled.url + "/a"
    _, told, _ = command(capsys, "inspect", crawled.output, url, "--json")
    by_url = orjson.loads(told)
    assert [each["verdict"] for each in by_url["alike"]] == ["exact-payload"]
    _, told, _ = command(capsys, "inspect", crawled.output, by_url["line"]["id"], "--json")
    assert orjson.loads(told) == by_url


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("words", "neither an http(s) URL nor"),
        ("a.test/b", "did you mean https://a.test/b ?"),
        ("999", "no stored page"),
    ],
)
def test_what_is_no_url_is_refused(
    crawled: Crawled, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear line and exit code 2."""
    code, out, err = command(capsys, "inspect", crawled.output, name)
    assert (code, out) == (2, "")
    assert said in err


def test_a_dry_run_sorts_all_links_and_keeps_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each URL is named once, with its rule; only so many pages are asked for as were allowed."""
    with site(answer) as server:
        job = write_job(
            loopback_job(tmp_path / "out", [server.url + "/"], **RULES, **_here()), tmp_path / "job"
        )
        code, out, _ = command(capsys, "dry-run", "--config", job, "--sample", 2, "--json")
        asked = server.paths
    assert code == 0
    found = [orjson.loads(line) for line in out.splitlines()]
    fates = {each["url"].removeprefix(server.url): each["fate"] for each in found}
    assert len(fates) == len(found)
    fetched = {path for path, fate in fates.items() if fate == "fetched now"}
    assert fetched == {"/", "/a"}
    assert set(asked) == {"/robots.txt", "/", "/a"}
    assert fates["/gone"] == fates["/b"] == WOULD_FETCH
    assert fates["/no"] == "robots.txt forbids it"
    assert fates["/cut/1"] == "scope.exclude: /cut/"
    assert fates["http://other.test/"] == "scope.mode: host: no seed is of its host"
    assert not (tmp_path / "out").exists()


def test_a_dry_run_tells_what_lies_too_deep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The depth of the nearest page that links to a URL decides."""
    with site(answer) as server:
        seeds = [server.url + "/a"]
        job = write_job(
            loopback_job(tmp_path / "out", seeds, limits={"depth": 0}, **_here()), tmp_path / "job"
        )
        _, out, _ = command(capsys, "dry-run", "--config", job, "--json")
    fates = {each["url"]: each["fate"] for each in map(orjson.loads, out.splitlines())}
    assert fates[server.url + "/b"] == "limits.depth: 0"


def test_a_list_is_judged_without_a_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked for; what is no URL is named as that."""
    seeds, urls = tmp_path / "seeds.txt", tmp_path / "urls.txt"
    seeds.write_text("http://site.test/\nno URL\n")
    urls.write_text("http://site.test/x\nhttp://site.test/cut/2\nhttp://b.test/\nwords\n")
    line = ["dry-run", "--config", write_job(RULES, tmp_path / "job"), "--seeds", seeds]
    assert command(capsys, *line, "--check", urls)[0] == 2
    code, out, err = command(capsys, *line, "--skip-bad", "--check", urls, "--json")
    assert code == 0
    assert "left out: " in err
    assert [orjson.loads(line)["fate"] for line in out.splitlines()] == [
        WOULD_FETCH,
        "scope.exclude: /cut/",
        "scope.mode: host: no seed is of its host",
        "not an http(s) URL",
    ]


@given(
    st.sampled_from(["host", "domain", "path", "any"]),
    st.sampled_from(["http://a.test/x/", "http://b.a.test/x/y", "http://c.test/"]),
    st.booleans(),
    st.booleans(),
)
def test_what_is_refused_names_a_rule(mode: str, url: str, seed: bool, sitemap: bool) -> None:
    """A URL is admitted where no rule is named, and a rule is named by its key."""
    job = parse_job(
        {
            "seeds": ["http://a.test/x/"],
            "scope": {"mode": mode, "include": ["y"], "exclude": ["never"]},
            "hosts": {"*.a.test": {"exclude": ["y"]}},
        },
        "test",
    )
    scope = ScopeFilter(job.scope, HostOverrides(job))
    scope.widen("http://a.test/x/")
    refusal = scope.refusal(url, host_key(url), seed=seed, sitemap=sitemap)
    assert scope.admits(url, host_key(url), seed=seed, sitemap=sitemap) == (refusal is None)
    assert refusal is None or refusal.startswith(("scope.", "hosts: "))


def test_added_seeds_are_fetched_by_the_next_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with another job file; what is known or excluded is named; the accounts stay true."""
    output = tmp_path / "out"
    with site(answer) as server, site(answer) as other:
        data = loopback_job(output, [server.url + "/a"], **RULES, **_here())
        assert crawl(data) == 0
        new = [other.url + "/late", server.url + "/b", server.url + "/cut/9", server.url + "/b#x"]
        code, out, err = command(capsys, "add", output, *new)
        assert code == 0
        assert "1 seeds added" in out
        assert f"{server.url}/b: known already: stored (new)" in err
        assert f"{server.url}/cut/9: not added: scope.exclude: /cut/" in err
        assert command(capsys, "check", output)[0] == 0
        again = write_job(data, tmp_path / "job")
        assert command(capsys, "resume", output, "--config", again)[0] == 0
        assert "/late" in other.paths
    code, told, _ = command(capsys, "inspect", output, other.url + "/late")
    assert "failed (http-4xx)" in told
    assert command(capsys, "check", output)[0] == 0


def test_what_was_read_from_archives_takes_no_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It asks no site; the error says where the seeds belong, and nothing is queued."""
    with site(answer) as server:
        data = loopback_job(tmp_path / "out", [server.url + "/"], storage={"warc": True}, **_here())
        assert crawl(data) == 0
    read = tmp_path / "read"
    assert command(capsys, "read", tmp_path / "out", "--output", read)[0] == 0
    code, _, err = command(capsys, "add", read, "http://a.test/")
    assert code == 2
    assert "read from archives" in err
    assert "never queued" in command(capsys, "inspect", read, "http://a.test/")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "no seeds"), (["words"], "'words' is not an http(s) URL")],
)
def test_bad_seeds_add_nothing(
    crawled: Crawled, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear line, exit code 2, and the state is as it was."""
    before = (crawled.output / "state.sqlite").read_bytes()
    code, _, err = command(capsys, "add", crawled.output, *arguments)
    assert code == 2
    assert said in err
    assert (crawled.output / "state.sqlite").read_bytes() == before
