"""A resume that reaches farther than the run before brings back what that refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.crawling import command, loopback_job, write_job
from support.output import lines, summary_of
from support.sites import ends
from support.threaded import Reply, Site, page, site

from crawler.config import Job, parse_job
from crawler.engine.identity import identity
from crawler.frontier import Frontier
from crawler.frontier.scope import (
    HostOverrides,
    ScopeFilter,
    is_deeper,
    is_wider,
    speaks_more,
    stores_more,
)
from crawler.models import NewUrl, PageOutcome, Priority, UrlState
from crawler.sources.web.rescope import Rescope, job_before
from crawler.storage.store import Store
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

KEPT = {"outlinks": True}


def chain(path: str) -> Reply:
    """Pages one behind the other, one of which asks not to be followed, and one not to be kept."""
    if path == "/robots.txt":
        return Reply(status=404)
    n = int(path[1:] or 0)
    links = [f"/{n + 1}"]
    if n == 0:
        links = ["/1", "/10", "/20", "/30"]
    if n == 30:
        return Reply(status=302, headers={"Location": "/40?x"})
    reply = page(f"p{n}", *links)
    if n == 10:
        return Reply(reply.body, headers={"X-Robots-Tag": "nofollow"})
    if n == 20:
        return Reply(reply.body, headers={"X-Robots-Tag": "noindex"})
    return reply


def safe(path: str) -> Reply:
    """The same, and nothing else."""
    return chain(path) if path[1:].isdigit() or path == "/" else Reply(status=404)


def begin(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, server: Site, **job: Any
) -> tuple[Path, str]:
    """Run a crawl by the command; return its directory and what it said."""
    output = tmp_path / "out"
    data = loopback_job(output, [f"{server.url}/"], **job)
    code, _, err = command(capsys, "crawl", "--config", write_job(data, tmp_path / "job.yaml"))
    assert code == 0, err
    return output, err


def test_more_depth_brings_back_what_was_too_deep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From lines that say where pages link; what asks not to be followed is not, as before."""
    with site(safe) as server:
        output, err = begin(capsys, tmp_path, server, limits={"depth": 1}, extract=KEPT)
        assert "Links deeper than 1 were not queued; continue with: " in err
        assert set(ends(output, "pages")) == {"/", "/1", "/10"}
        assert summary_of(output)["dropped_links"]["too-deep"] >= 2
        code, _, err = command(capsys, "resume", output, "--depth", "3")
        assert code == 0, err
        assert "1 URLs are asked for again (noindex 1)" in err
        assert "1 URLs are queued that were refused" in err
        assert "is not known what else they link to" not in err
        assert set(ends(output, "pages")) == {"/", "/1", "/10", "/2", "/3", "/21", "/22"}
        assert command(capsys, "check", output)[0] == 0
        asked = len(server.paths)
        code, _, err = command(capsys, "resume", output, "--depth", "3")
        assert code == 0, err
        assert "wider" not in err
        assert len(server.paths) == asked


def test_where_no_links_are_kept_a_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the pages and the command that asks for them again."""
    with site(safe) as server:
        output, err = begin(capsys, tmp_path, server, limits={"depth": 1})
        assert f"recrawl {output} --all --depth 2" in err
        _, _, err = command(capsys, "resume", output, "--depth", "2")
        assert "Of 2 stored pages it is not known what else they link to" in err
        assert f"recrawl {output} --all" in err
        code, _, err = command(capsys, "recrawl", output, "--all")
        assert code == 0, err
        again = output.with_name("out.r1")
        assert set(ends(again, "pages")) == {"/2"}
        code, _, err = command(capsys, "recrawl", again, "--all", "--depth", "3")
        assert code == 0, err
        assert set(ends(output.with_name("out.r2"), "pages")) == {"/3", "/22"}


def test_a_wider_scope_brings_back_links_redirects_and_what_was_queued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever had refused them: patterns, the place of the seeds, or a narrower job between."""
    with site(safe) as other, site(safe) as server:

        def answer(path: str) -> Reply:
            if path == "/":
                return page("home", "/in/1", "/out/1", f"{other.url}/1", "/in/moved")
            if path == "/in/moved":
                return Reply(status=301, headers={"Location": "/out/2"})
            return page(path) if path != "/robots.txt" else Reply(status=404)

        server.answer = answer
        job = {"scope": {"exclude": ["/out/"]}, "extract": KEPT}
        output, _ = begin(capsys, tmp_path, server, **job)
        assert set(ends(output, "pages")) == {"/", "/in/1"}
        local = {"allow_addresses": ["127.0.0.0/8"]}
        wide = loopback_job(output, [f"{server.url}/"], extract=KEPT, fetch=local)
        file = write_job(wide, tmp_path / "wide.yaml")
        code, _, err = command(capsys, "resume", output, "--config", file)
        assert code == 0, err
        assert "2 URLs are queued that were refused" in err
        assert {"/out/1", "/out/2"} <= set(ends(output, "pages"))
        assert other.paths == []
        code, _, err = command(capsys, "resume", output, "--scope", "any", "--depth", "1")
        assert code == 0, err
        assert "/1" in other.paths


def test_what_a_narrower_run_left_out_is_asked_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Queued URLs that a narrower job ended as out of scope come back with the wider one."""
    with site(safe) as server:
        output, _ = begin(capsys, tmp_path, server, limits={"pages": 1})
        narrow = loopback_job(output, [f"{server.url}/"], scope={"exclude": ["/1", "/2"]})
        file = write_job(narrow, tmp_path / "narrow.yaml")
        assert command(capsys, "resume", output, "--config", file)[0] == 0
        left = {line["reason"] for line in lines(output, "skipped")}
        assert "out-of-scope" in left
        wide = loopback_job(output, [f"{server.url}/"], limits={"depth": 1})
        file = write_job(wide, tmp_path / "wide.yaml")
        code, _, err = command(capsys, "resume", output, "--config", file)
        assert code == 0, err
        assert "out-of-scope" in err
        assert {"/1", "/10"} <= set(ends(output, "pages"))
        assert summary_of(output)["pending"] == 0
        checked = command(capsys, "check", output)
        assert checked[0] == 0, checked


def test_raised_caps_of_hosts_need_nothing_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a cap held back is pending, and a resume with more goes on with it."""
    with site(safe) as server:
        host = f"127.0.0.1:{server.server_port}"
        output, _ = begin(capsys, tmp_path, server, hosts={host: {"pages": 1}})
        more = loopback_job(
            output, [f"{server.url}/"], hosts={host: {"pages": 3}}, limits={"depth": 9}
        )
        file = write_job(more, tmp_path / "more.yaml")
        code, _, err = command(capsys, "resume", output, "--config", file)
        assert code == 0, err
        assert "wider" not in err
        assert len(lines(output, "pages")) == 3


async def test_a_run_that_is_stopped_meanwhile_leaves_it_to_the_next(tmp_path: Path) -> None:
    """The reach of before is known until all is offered."""
    job = parse_job({"output": str(tmp_path), "limits": {"depth": 1}}, "t")
    more = parse_job({"output": str(tmp_path)}, "t")
    async with Store.create(tmp_path, identity(job)) as store:
        store.begin_run(job.model_dump(mode="json"))
        store.mark_run(stopped=True)
        link = NewUrl(1, "http://a.test/", "a.test", 0, Priority.ORDINARY, 0, None, seed=True)
        store.submit_urls([link])
        line = {"url": link.url, "target": "http://a.test/t", "offered": "too-deep"}
        store.submit(PageOutcome(1, UrlState.REDIRECT, (("redirects", line),)))
    for stopped, offered, before in ((True, 1, job), (False, 0, more)):
        async with Store.open(tmp_path, identity(more)) as store:
            wider = Rescope.than_before(more, store, lambda line: None)
            assert wider is not None
            store.begin_run(more.model_dump(mode="json"))
            store.mark_run(stopped=True)
            frontier = Frontier(more, next_url_id=store.next_url_id)
            for url in store.seen_urls():
                frontier.seen.add(url)
                frontier.scope.widen(url)
            await wider.offer(frontier, partial(bool, stopped))
            assert wider.offered == offered
        with StoreView.read(tmp_path) as view:
            known = job_before(view)
        assert known is not None
        assert known.limits == before.limits


WIDTHS = [
    ({}, {}, False),
    ({"mode": "path"}, {"mode": "host"}, True),
    ({"mode": "any"}, {"mode": "domain"}, False),
    ({"exclude": ["a", "b"]}, {"exclude": ["a"]}, True),
    ({"exclude": ["a"]}, {"exclude": ["a", "b"]}, False),
    ({"include": ["a"]}, {}, True),
    ({"include": ["a"]}, {"include": ["a", "b"]}, True),
    ({"include": ["a", "b"]}, {"include": ["a"]}, False),
    ({}, {"include": ["a"]}, False),
]


@pytest.mark.parametrize(("before", "now", "wider"), WIDTHS)
def test_what_reaches_farther(before: dict[str, Any], now: dict[str, Any], *, wider: bool) -> None:
    """Of the job and of a block of hosts alike."""
    jobs = [parse_job({"scope": scope}, "t") for scope in (before, now)]
    assert is_wider(*jobs) is wider
    if "mode" not in before:
        jobs = [parse_job({"hosts": {"a.test": block}}, "t") for block in (before, now)]
        assert is_wider(*jobs) is wider


def test_what_else_makes_a_job_take_more() -> None:
    """Depth, seeds, languages, and patterns of what is followed only."""

    def job(**data: Any) -> Job:
        return parse_job(data, "t")

    assert is_deeper(job(limits={"depth": 1}), job())
    assert is_deeper(job(limits={"depth": 1}), job(limits={"depth": 2}))
    assert not is_deeper(job(), job(limits={"depth": 2}))
    assert not is_wider(job(seeds=["http://a.test/"]), job(seeds=["http://b.test/"]))
    assert stores_more(job(scope={"follow_only": ["x"]}), job())
    assert stores_more(job(hosts={"a.test": {"follow_only": ["x"]}}), job())
    assert not stores_more(job(), job(scope={"follow_only": ["x"]}))
    assert speaks_more(job(scope={"languages": ["en"]}), job(scope={"languages": ["zh", "en"]}))
    assert not speaks_more(job(), job(scope={"languages": ["zh"]}))


PATTERNS = st.lists(st.sampled_from(["/a", "/b", "a/", "x"]), max_size=3, unique=True)
SCOPES = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["path", "host", "domain", "any"]),
        "include": PATTERNS,
        "exclude": PATTERNS,
    }
)
HOSTS = st.sampled_from(["a.test", "w.a.test", "b.test"])
PATHS = st.sampled_from(["/", "/a/", "/a/b", "/x/", "/b/a/x"])


@given(SCOPES, SCOPES, HOSTS, PATHS)
def test_no_job_that_admits_more_is_overlooked(
    before: dict[str, Any], now: dict[str, Any], host: str, path: str
) -> None:
    """Where a URL is admitted that was refused, the job counts as wider; seeds are the same."""
    seeds = ["http://a.test/a/"]
    jobs = [parse_job({"seeds": seeds, "scope": scope}, "t") for scope in (before, now)]
    admitted = []
    for job in jobs:
        scope = ScopeFilter(job.scope, HostOverrides(job))
        scope.widen(seeds[0])
        admitted.append(scope.admits(f"http://{host}{path}", host))
    assert is_wider(*jobs) or admitted != [False, True]
