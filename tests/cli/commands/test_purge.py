"""`purge` as a user meets it: nothing of a host is left, and the crawl goes on without it."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from support.analysing import no_processes
from support.crawling import FEWER, command, crawl, demo_web, job_data, loopback_job
from support.output import lines, summary_of
from support.trap_web import Page, serve, words
from support.victim import killed

from crawler.cli import main
from crawler.cli.commands import purge as purge_command
from crawler.cli.commands.jobs import pattern_of, without_hosts
from crawler.storage import opening, purging, rows, snapshots
from crawler.storage.database import Database
from crawler.storage.directory import LINE_FILES, STATE
from crawler.storage.journal import BEGINNING, Place, by_kind, on_disk, read_after
from crawler.storage.purging import would_purge
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls import host_key

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

SUMS = {
    "judged_on": "judged_on",
    "read_by": "read_by",
    "duplicate_kinds": "kind",
    "evidence": "evidence",
}
"""Counts of a summary by a field of lines."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl, near duplicates tagged, its lines in parts; articles are on three hosts."""
    output = tmp_path_factory.mktemp("purge") / "out"
    tagging = {"dedup": {"near": "tag"}, "storage": {"rotate_bytes": 100_000}}
    with demo_web(articles=4) as (web, _), no_processes():
        assert crawl(job_data(web, output, FEWER, tagging)) == 0
    assert len(by_kind(on_disk(output))["pages"]) > 1
    return output


@pytest.fixture(scope="module")
def unrotated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of two hosts that has each kind of lines in one file."""
    world, output = World(), tmp_path_factory.mktemp("unrotated") / "out"
    with serve({"a.test": world.site, "b.test": world.mirror}) as port, no_processes():
        names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
        seeds = [f"http://a.test:{port}/", f"http://b.test:{port}/1"]
        assert crawl(loopback_job(output, seeds, fetch={"resolve": names})) == 0
    return output


@pytest.fixture
def output(original: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(original, tmp_path / "out"))


def host_of(output: Path) -> str:
    """Return the host key that has most copies elsewhere, tagged ones if there are any.

    Which of the hosts with an article was the first to have it, chance decides.
    """
    pages = lines(output, "pages")
    stored, hosts = {page["url"] for page in pages}, {page["id"]: page["host"] for page in pages}
    copies = [(line, hosts[line["duplicate_of"]["id"]]) for line in lines(output, "duplicates")]
    elsewhere = [(line["url"], host) for line, host in copies if line["host"] != host]
    tagged = [host for url, host in elsewhere if url in stored]
    ((most, _),) = Counter(tagged or [host for _, host in elsewhere]).most_common(1)
    return str(most)


def urls_of(output: Path, host: str) -> set[str]:
    """Return the URLs of a host that the state knows."""
    with StoreView.read(output) as view:
        return {url for url in view.seen_urls() if host_key(url) == host}


def every_line(output: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (kind, line) of all that is committed."""
    for kind in LINE_FILES:
        for line in lines(output, kind):
            yield kind, line


def check_purged(output: Path, host: str) -> None:
    """Assert that nothing is of the host, that nothing refers to its pages, and all is sound."""
    assert urls_of(output, host) == set()
    for _, line in every_line(output):
        assert host_key(line["url"]) != host
        assert line.get("referrer") is None or host_key(line["referrer"]) != host
        for name in ("duplicate_of", "sibling_of"):
            of = line.get(name)
            assert of is None or host_key(of["url"]) != host
    with StoreView.read(output) as view:
        known = {str(path.name) for path in output.glob("*.jsonl")}
        assert known >= {f"{file}.jsonl" for file in view.all_files()}
        empty = {f"{kind}.jsonl" for kind in LINE_FILES} | {
            f"{kind}.00001.jsonl" for kind in LINE_FILES
        }
        assert known <= {f"{file}.jsonl" for file in view.all_files()} | empty
    assert main(["check", str(output), "--all"]) == 0
    check_sums(output)


def check_sums(output: Path) -> None:
    """Assert that what the summary sums up is that of the lines."""
    summary, stored = summary_of(output), {line["url"]: line for line in lines(output, "pages")}
    dropped = [line for line in lines(output, "duplicates") if line["url"] not in stored]
    told = [*stored.values(), *dropped]
    for name, field in SUMS.items():
        counted = Counter(line[field] for line in told if line[field])
        assert summary[name] == counted, name
    assert summary["saved"]["bytes"] == sum(line["body_bytes"] for line in dropped)


_SAME = (
    {"slot": "a.test?sid", "one": "", "other": ""},
    {"slot": "//", "one": "b.test/x", "other": "a.test/y"},
    {"slot": "b.test/", "one": "", "other": "print"},
)


def test_no_rule_of_a_purged_host_is_named_by_the_job() -> None:
    """Of rules that a job gives or forbids those go that speak of the host, or of it too."""
    others = ["b.test/x is nothing", "b.test?a.test does not matter", "b.test/: a.test is nothing"]
    gone = ["a.test/w?do=edit&id", "a.test?sid does not matter", "//: b.test/a is a.test/b"]
    job = {
        "seeds": [],
        "scope": {"exclude": []},
        "learn": {"urls": True, "without": [*gone, *others], "same": list(map(dict, _SAME))},
    }
    left = without_hosts(job, {"a.test"})["learn"]
    assert left == {"urls": True, "without": others, "same": [_SAME[2]]}


def test_nothing_of_a_host_is_left_and_its_copies_are_new_or_fetched_again(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines, state and indexes know the host no more; tagged copies stay, dropped ones wait."""
    host = host_of(output)
    gone = {line["id"] for line in lines(output, "pages") if line["host"] == host}
    copies = {
        line["url"]
        for line in lines(output, "duplicates")
        if line["duplicate_of"]["id"] in gone and line["host"] != host
    }
    stored = [line for line in lines(output, "pages") if line["host"] != host]
    tagged = copies & {line["url"] for line in stored}
    assert tagged
    like = [line.get("duplicate_of") or line.get("sibling_of") for line in stored]
    freed = sum(of is not None and of["id"] in gone for of in like)
    seen = summary_of(output)["seen"]
    number = len(urls_of(output, host))

    code, out, _ = command(capsys, "purge", output, "--host", host, "--yes")
    assert code == 0
    assert f"removed: {number:,} URLs (stored pages {len(gone):,}" in out
    assert f"{freed:,} stored pages of other hosts were like these, and are new" in out
    check_purged(output, host)
    pages = {line["url"]: line for line in lines(output, "pages")}
    assert {pages[url]["verdict"] for url in tagged} == {"new"}
    summary = summary_of(output)
    assert summary["identity_holds"]
    assert summary["seen"] == seen - number
    assert summary["pending"] == len(copies - tagged)
    assert main(["reindex", str(output)]) == 0
    assert main(["check", str(output), "--all"]) == 0
    assert main(["report", str(output)]) == 0


def test_sinks_go_on_behind_what_they_had(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a purge each sink is given the lines that stay behind its place, and no others.

    A sink for each place of either file: in which order the crawl came to its pages is chance.
    """
    host = host_of(output)
    kinds = ("pages", "duplicates")
    sinks: dict[str, dict[str, list[Any]]] = {"none": {}}
    behind: dict[str, set[str]] = {}
    with StoreView.read(output) as view:
        for kind in kinds:
            all_lines = read_after(output, view.files()[kind], BEGINNING, 10**6, 10**9)
            urls = [orjson.loads(line)["url"] for _, line in all_lines]
            places: list[Place] = [BEGINNING, *(place for place, _ in all_lines)]
            for had, place in enumerate(places):
                sinks[f"{kind} {had}"] = {kind: [*place]}
                behind[f"{kind} {had}"] = set(urls[had:])
    set_meta(output, {Meta.SINKS: sinks})
    code, _, err = command(capsys, "purge", output, "--host", host, "--yes", "--quiet")
    assert (code, err) == (0, "")
    with StoreView.read(output) as view:
        moved = view.meta(Meta.SINKS)
        assert moved.keys() == sinks.keys()
        assert moved["none"] == {}
        for kind in kinds:
            there = {line["url"] for line in lines(output, kind)}
            assert 0 < len(behind[f"{kind} 0"] & there) < len(behind[f"{kind} 0"])
            for sink in (sink for sink in behind if sink.startswith(kind)):
                place = Place(*moved[sink].get(kind, BEGINNING))
                found = read_after(output, view.files()[kind], place, 10**6, 10**9)
                assert {orjson.loads(line)["url"] for _, line in found} == behind[sink] & there


def set_meta(output: Path, meta: dict[Meta, Any]) -> None:
    """Write values of a crawl's state."""
    with closing(Database(output / STATE, "rw")) as database, database.transaction() as connection:
        rows.set_meta(connection, meta)


def test_without_yes_nothing_changes(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would go is shown; without `--yes` the exit code says that it was not done."""
    host, before = host_of(output), (output / "state.sqlite").read_bytes()
    code, shown, _ = command(capsys, "purge", output, "--host", host, "--dry-run")
    assert code == 0
    assert "would be removed" in shown
    code, again, err = command(capsys, "purge", output, "--host", host)
    assert (code, again) == (2, shown)
    assert "repeat the command with --yes" in err
    assert (output / "state.sqlite").read_bytes() == before


class World:
    """A site, and a mirror of its pages that links to it; who was asked for what is noted."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.version = "old"

    def site(self, path: str) -> Page:
        """Pages about their paths; the first leads to all, and to the mirror."""
        self.asked.append(f"a.test{path}")
        links = ("/1", "/2", "http://b.test/1", "http://b.test/2") if path == "/" else ()
        return Page(f"page {path}", words(f"page {path}", 80), links)

    def changing(self, host: str) -> Callable[[str], Page]:
        """Pages of a host that all change with the version, and link to those of a.test."""

        def page(path: str) -> Page:
            self.asked.append(f"{host}{path}")
            about = f"{host} {path} {self.version}"
            links = ("http://a.test/", "http://a.test/1", "/1", "/2") if path == "/" else ()
            return Page(about, words(about), links)

        return page

    def mirror(self, path: str) -> Page:
        """The same pages on another host."""
        self.asked.append(f"b.test{path}")
        links = ("http://a.test/9", "/3") if path == "/2" else ()
        return Page(f"page {path}", words(f"page {path}", 80), links)


def test_a_resumed_crawl_fetches_the_copies_and_never_the_host(tmp_path: Path) -> None:
    """A page elsewhere whose only text was the host's is fetched, stored, and has copies again."""
    world, output = World(), tmp_path / "out"
    with serve({"a.test": world.site, "b.test": world.mirror}) as port:
        names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
        job = loopback_job(
            output,
            [f"http://a.test:{port}/", f"http://b.test:{port}/"],
            fetch={"resolve": names},
            scope={"mode": "any"},
        )
        assert crawl(job) == 0
        copies = [
            (line["url"], host_key(line["duplicate_of"]["url"]))
            for line in lines(output, "duplicates")
            if host_key(line["duplicate_of"]["url"]) != line["host"]
        ]
        host = copies[0][1]
        waiting = {url for url, of in copies if of == host}
        assert main(["purge", str(output), "--host", host, "--yes"]) == 0
        check_purged(output, host)
        assert summary_of(output)["pending"] >= len(waiting)
        world.asked.clear()
        assert main(["resume", str(output)]) == 0
    name = host.partition(":")[0]
    assert world.asked
    assert not [path for path in world.asked if path.startswith(name)]
    assert waiting <= {line["url"] for line in lines(output, "pages")}
    check_purged(output, host)


def test_what_was_learned_of_its_addresses_is_gone(tmp_path: Path) -> None:
    """Of a host's folders and parameters, and of trees of which one is the host's; others stay."""
    names = ("a.test", "b.test", "c.test")

    def site(host: str) -> Callable[[str], Page]:
        def page(path: str) -> Page:
            every = ("/x/1", "/y/1", "/all?by=x", "/all?by=y", "/mirrored")
            name = path.partition("?")[0].rpartition("/")[2]
            of = names[0] if (host, name) == (names[1], "mirrored") else host
            links = every if path == "/" else ()
            return Page(f"page {name}", words(f"{of} page {name}", 80), links)

        return page

    output = tmp_path / "out"
    with serve({name: site(name) for name in names}) as port:
        seeds = [f"http://{name}:{port}/" for name in names]
        resolve = dict.fromkeys(names, "127.0.0.1")
        assert crawl(loopback_job(output, seeds, fetch={"resolve": resolve, "workers": 1})) == 0
    hosts = [f"{name}:{port}" for name in names]

    def slots() -> set[str]:
        with StoreView.read(output) as view:
            return {
                f"{host}{slot.removeprefix(host)}"
                for slot, *values, _, _ in view.editions()
                for host in hosts
                if any(place.startswith(host) for place in (slot, *values))
            }

    before = slots()
    assert {slot for slot in before if "//" in slot} == {f"{host}//" for host in hosts[:2]}
    for host in hosts:
        assert {f"{host}/", f"{host}?by"} <= before
    assert main(["purge", str(output), "--host", hosts[0], "--yes"]) == 0
    assert slots() == {
        slot for slot in before if not slot.startswith(hosts[0]) and "//" not in slot
    }
    check_purged(output, hosts[0])


def test_lines_of_earlier_ends_stay_counted(tmp_path: Path) -> None:
    """Lines of URLs that `retry` put back, of the host and of others, leave the counts true."""
    output = tmp_path / "out"

    def site(path: str) -> Page | None:
        links = ("/x", "http://b.test/y") if path == "/" else ()
        return Page("start", words("start", 60), links) if path == "/" else None

    with serve({"a.test": site, "b.test": site}) as port:
        names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
        resolve, scope = {"resolve": names}, {"mode": "any"}
        job = loopback_job(output, [f"http://a.test:{port}/"], fetch=resolve, scope=scope)
        assert crawl(job) == 0
        for _ in range(2):
            assert main(["retry", str(output), "--class", "http-4xx"]) == 0
            assert main(["resume", str(output)]) == 0
    assert summary_of(output)["retried"]["failures"] == 4
    assert main(["purge", str(output), "--host", f"a.test:{port}", "--yes"]) == 0
    assert summary_of(output)["retried"]["failures"] == 2
    check_purged(output, f"a.test:{port}")
    assert len(lines(output, "failures")) == 3


MOMENTS = {
    "one file is written": (purging.RemainingLines, "write_anew", 1),
    "all files are written": (purging, "_remove", 0),
    "before the commit": (rows, "set_meta", 1),
    "after the commit": (snapshots, "remove_others", 0),
    "a file has its name again": (opening, "_finish_swap", 1),
    "all files have their names": (opening, "sync_directory", 1),
}
"""Moment -> a function by which it is met, and whether that is called before."""


def purge_and_die(output: str, host: str, moment: str) -> None:
    """Purge a host; end by SIGKILL at a moment."""
    owner, name, after = MOMENTS[moment]
    call: Callable[..., Any] = getattr(owner, name)
    committed = moment in ("a file has its name again", "all files have their names")

    def die(*given: Any, **named: Any) -> Any:
        if committed and name == "sync_directory" and not is_committed(Path(output)):
            return call(*given, **named)
        done = call(*given, **named) if after else None
        os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(owner, name, die)
    main(["purge", output, "--host", host, "--yes"])


def is_committed(output: Path) -> bool:
    """Whether the state has taken new files over, and old ones are to go."""
    with StoreView.read(output) as view:
        return bool(view.meta(Meta.SWAPPED))


@pytest.mark.parametrize("rotated", [True, False])
@pytest.mark.parametrize("moment", list(MOMENTS))
def test_killed_at_any_moment_it_is_done_or_not(
    original: Path, unrotated: Path, moment: str, rotated: bool, tmp_path: Path
) -> None:
    """The state is as it was or purged; the same command finishes it, and no old file stays."""
    output = Path(shutil.copytree(original if rotated else unrotated, tmp_path / "out"))
    host = host_of(output)
    before = urls_of(output, host)
    killed(purge_and_die, str(output), host, moment)
    late = list(MOMENTS).index(moment) > 2
    assert urls_of(output, host) == (set() if late else before)
    assert is_committed(output) == late
    assert main(["purge", str(output), "--host", host, "--yes"]) == 0
    check_purged(output, host)


def die_before_the_summary(output: str, host: str) -> None:
    """Purge a host; end by SIGKILL once all of it is done but the summary."""
    purge_command.__dict__["write_summary"] = lambda of: os.kill(os.getpid(), signal.SIGKILL)
    main(["purge", output, "--host", host, "--yes"])


@pytest.mark.parametrize("between", [[], ["check"], ["retry"]])
def test_killed_before_its_summary_it_is_repeated(
    output: Path, capsys: pytest.CaptureFixture[str], between: list[str]
) -> None:
    """The same command says that the host was purged, and makes the summary that of what is left.

    So it does whatever was called in between, as often as it is repeated; a host that nobody knew
    is a mistake still.
    """
    host = host_of(output)
    killed(die_before_the_summary, str(output), host)
    for name in between:
        assert main([name, str(output)]) == 0
    for _ in range(2):
        code, out, _ = command(capsys, "purge", output, "--host", host, "--yes")
        assert code == 0
        assert f"nothing of {host} is there any more: it was purged" in out
        check_purged(output, host)
    assert command(capsys, "purge", output, "--host", host, "--dry-run")[0] == 0
    code, _, err = command(capsys, "purge", output, "--host", host, "--host", "no.test", "--yes")
    assert code == 2
    assert "no URL of the host no.test was ever queued" in err


def test_an_interrupted_purge_does_not_stand_for_another(output: Path) -> None:
    """Who names another host meanwhile has both removed."""
    host = host_of(output)
    other = next(str(page["host"]) for page in lines(output, "pages") if page["host"] != host)
    killed(purge_and_die, str(output), host, "after the commit")
    assert is_committed(output)
    assert main(["purge", str(output), "--host", other, "--yes"]) == 0
    check_purged(output, host)
    check_purged(output, other)


@pytest.mark.parametrize("begun", [False, True])
def test_no_link_of_a_recrawl_chain_asks_the_host_again(tmp_path: Path, begun: bool) -> None:
    """Neither the next one nor one that was begun before the purge and goes on after it.

    All hosts are in scope, a recrawl knows pages of the host that it stored itself, and a page of
    another host links there.
    """
    world, output = World(), tmp_path / "out"
    with serve({host: world.changing(host) for host in ("a.test", "b.test")}) as port:
        names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
        seeds = [f"http://a.test:{port}/", f"http://b.test:{port}/"]
        scope = {"mode": "any"}
        assert crawl(loopback_job(output, seeds, fetch={"resolve": names}, scope=scope)) == 0
        world.version = "new"
        limit = ["--pages", "2"] if begun else []
        assert main(["recrawl", str(output), "--all", *limit]) == 0
        host = f"a.test:{port}"
        assert main(["purge", str(output), "--host", host, "--yes"]) == 0
        world.asked.clear()
        world.version = "newer"
        on = ["resume", f"{output}.r1", "--pages", "99"]
        assert main(on if begun else ["recrawl", f"{output}.r1", "--all"]) == 0
        assert [path for path in world.asked if path.startswith("b.test")]
        assert not [path for path in world.asked if path.startswith("a.test")]


def test_a_reader_between_the_steps_sees_the_purged_crawl(output: Path, tmp_path: Path) -> None:
    """After the commit, `check` and the next writer need nobody to have finished the purge."""
    host = host_of(output)
    killed(purge_and_die, str(output), host, "after the commit")
    assert main(["check", str(output), "--all"]) == 0
    assert main(["retry", str(output)]) == 0
    assert not is_committed(output)
    check_purged(output, host)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "name what to remove: --host HOST"),
        (["--host", "a b", "--yes"], "--host a b: give the name of a host"),
        (["--host", "none.test", "--yes"], "no URL of the host none.test was ever queued"),
        (["--host", "none.test", "--yes", "--dry-run"], "give one of them"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    original: Path, flags: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be meant is exit code 2, and changes nothing."""
    code, out, err = command(capsys, "purge", original, *flags)
    assert (code, out) == (2, "")
    assert words in err


def test_who_writes_to_the_directory_is_not_disturbed(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """While a crawl runs, the purge is refused."""
    with StoreView.read(output) as view:
        identity = view.meta(Meta.IDENTITY)
    with closing(Store.open(output, identity)):
        code, _, err = command(capsys, "purge", output, "--host", host_of(output), "--yes")
    assert code == 2
    assert "is in use by a crawl that this process (pid " in err


def test_archives_are_named_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With archives it is refused, unless they may keep what they have: then they stay sound."""
    world, output = World(), tmp_path / "out"
    with serve({"a.test": world.site, "b.test": world.mirror}) as port:
        names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
        resolve, keep = {"resolve": names}, {"warc": True}
        seeds = [f"http://a.test:{port}/", f"http://b.test:{port}/2"]
        assert crawl(loopback_job(output, seeds, fetch=resolve, storage=keep)) == 0
        host = f"a.test:{port}"
        records = sum(would_purge(output, {host}).archived.values())
        assert records
        code, _, err = command(capsys, "purge", output, "--host", host, "--yes")
        assert code == 2
        assert "nothing was removed, since archives hold records of the host" in err
        flags = ["--yes", "--keep-archives"]
        code, out, _ = command(capsys, "purge", output, "--host", host, *flags)
        assert code == 0
        assert f"keeps {records:,} records of the host" in out
        check_purged(output, host)
        assert main(["resume", str(output)]) == 0
    check_purged(output, host)


def test_a_pattern_is_of_one_host_alone() -> None:
    """What the job excludes is each URL of the host key, and no other's."""
    for host in ("a.test", "a.test:8080", "[::1]:8080", "a-b.test"):
        pattern = re.compile(pattern_of(host))
        assert pattern.search(f"http://{host}/x")
        assert pattern.search(f"https://{host}/")
        assert not pattern.search(f"http://x{host}/")
        assert not pattern.search("http://aXtest/")
        assert not pattern.search(f"http://b.test/?u=http://{host}/")
    assert re.search(pattern_of("a.test"), "https://a.test:80/")
    assert not re.search(pattern_of("a.test"), "http://a.test:8080/")


def test_a_kept_scope_is_no_damage_and_loses_the_host(output: Path) -> None:
    """Where redirects of seeds led is known to `check`; a purge takes what is of the host."""
    host = host_of(output)
    set_meta(output, {Meta.SCOPE: [f"{host}/a/", "other.test/"]})
    assert main(["check", str(output)]) == 0
    assert main(["purge", str(output), "--host", host, "--yes"]) == 0
    with StoreView.read(output) as view:
        assert view.meta(Meta.SCOPE) == ["other.test/"]
    check_purged(output, host)
