"""What changes a crawl in partitions between its runs: all directories agree, as of one crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest
from support.analysing import no_processes
from support.clustered import Domains, Local, domains_job
from support.crawling import command
from support.output import lines
from support.parts import check_parts, ends_in, ends_of, run_parts
from support.sites import crawled
from support.threaded import Reply

from crawler.cluster.resting import RestingJudge
from crawler.cluster.root import Root
from crawler.models import Priority, SentUrl
from crawler.storage import purging
from crawler.storage.database import Database
from crawler.storage.directory import STATE
from crawler.storage.exchange import JUDGE, TABLES, Exchange, forget_hosts, pack_urls, unpack_urls
from crawler.storage.restoring import Restoring

HOST = "site0.test"
"""Of the seed; pages of others are copies of its own."""

Run = Callable[..., tuple[int, str, str]]


class Missing(Domains):
    """A page of each domain is not there."""

    def __init__(self) -> None:
        super().__init__(domains=5, pages=4)

    def answer(self, url: str) -> Reply:
        """See Domains."""
        if url.endswith("/missing"):
            return Reply("", 404)
        reply = super().answer(url)
        missing = '<a href="/missing">missing</a></nav>'
        return replace(reply, body=reply.body.replace("</nav>", missing))


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the directory of a crawl that has ended, and whose sites are served still."""
    output = tmp_path_factory.mktemp("changed") / "out"
    with domains_job(output, Missing()) as (job, _), no_processes():
        root = Root.create(output, job)
        asyncio.run(run_parts(root, Local(output)))
        check_parts(root)
        yield output


@pytest.fixture
def root(over: Path, tmp_path: Path) -> Root:
    """Return a copy of it, of one's own."""
    return Root.open(copytree(over, tmp_path / "out"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command."""
    return lambda *arguments: command(capsys, *arguments)


def resumed(root: Root) -> Root:
    """Go on with a crawl to its end."""
    root = Root.open(root.path)
    asyncio.run(run_parts(root, Local(root.path)))
    check_parts(root)
    return root


def copies(root: Root, *, of: str | None = None) -> list[str]:
    """Return the URLs of duplicates, of pages of a host."""
    return [
        line["url"]
        for number in root.partitions
        for line in lines(root.partition(number), "duplicates")
        if of is None or line["duplicate_of"]["url"].startswith(f"http://{of}/")
    ]


def purged(root: Root, run: Run) -> None:
    """Purge the host, and assert that nothing of it is left, and that all agree."""
    code, _, err = run("purge", root.path, "--host", HOST, "--yes")
    assert code == 0, err
    check_parts(root, is_over=False)
    assert run("check", root.path)[0] == 0
    judge = (root.sequencer, *map(root.shard, range(root.plan.judge_shards)))
    files = [directory / STATE for directory in judge]
    kinds = "pages.jsonl", "duplicates.jsonl"  # where others redirect to stays
    files += [root.partition(number) / kind for number in root.partitions for kind in kinds]
    for path in files:
        assert HOST.encode() not in path.read_bytes(), path
    for number in root.partitions:
        with closing(Database(root.partition(number) / STATE, "ro")) as state:
            assert not state.rows("SELECT url FROM urls WHERE url LIKE ?", (f"%{HOST}%",))


def test_a_purge_is_as_in_one_crawl(root: Root, run: Run, tmp_path: Path) -> None:
    """Nothing of the host is left, copies of its pages are fetched again, and judged anew."""
    again = len(copies(root, of=HOST))
    code, told, _ = run("purge", root.path, "--host", HOST, "--dry-run")
    assert code == 0
    assert f"{again} pages of other hosts" in told
    purged(root, run)
    data: dict[str, Any] = {**root.plan.job, "output": str(tmp_path / "one")}
    del data["cluster"]
    asyncio.run(crawled(data))
    assert run("purge", tmp_path / "one", "--host", HOST, "--yes")[0] == 0
    data["seeds"], data["scope"] = (
        Root.open(root.path).plan.job[key] for key in ("seeds", "scope")
    )
    asyncio.run(crawled(data, resumed=True))
    assert ends_in(resumed(root)) == ends_of(tmp_path / "one")
    assert "was purged" in run("purge", root.path, "--host", HOST, "--yes")[1]


class Killed(BaseException):
    """In place of a kill."""


def killed(run: Run, *arguments: object) -> None:
    """Run a command that is killed."""
    with pytest.raises(Killed):
        run(*arguments)


@pytest.mark.parametrize("at", range(4))
def test_a_purge_that_is_killed_is_repeated_before_anything_else(
    root: Root, run: Run, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Between any two of its steps: each partition, the judge."""
    steps = iter(range(at))

    def dying(step: Callable[..., Any]) -> Callable[..., Any]:
        def tried(*args: Any, **named: Any) -> Any:
            if next(steps, None) is None:
                raise Killed
            return step(*args, **named)

        return tried

    with monkeypatch.context() as patch:
        patch.setattr(purging, "purge", dying(purging.purge))
        patch.setattr(RestingJudge, "forget", dying(RestingJudge.forget))
        killed(run, "purge", root.path, "--host", HOST, "--yes")
    for other in (("purge", root.path, "--host", "site1.test", "--yes"), ("retry", root.path)):
        code, _, err = run(*other)
        assert code == 2
        assert f"repeat it first: python -m crawler purge {root.path} --host {HOST} --yes" in err
    code, told, _ = run("check", root.path)
    assert (code, "repeat it first" in told) == (1, True)
    purged(root, run)
    resumed(root)


def test_what_is_stored_after_all_is_known_to_the_judge(root: Root, run: Run) -> None:
    """Copies of any partition's pages; a second time nothing is done, and a purge frees them."""
    urls = copies(root)
    code, told, _ = run("restore", root.path, *urls, "--dry-run")
    assert (code, len(told.splitlines())) == (0, len(urls))
    before = max(line["id"] for p in root.partitions for line in lines(root.partition(p), "pages"))
    code, told, err = run("restore", root.path, *urls)
    assert (code, f"{len(urls)} pages restored" in told) == (0, True), err
    check_parts(root)
    stored = [line for p in root.partitions for line in lines(root.partition(p), "pages")]
    later = [line for line in stored if line["id"] > before]
    assert sorted(line["url"] for line in later) == sorted(urls)
    assert all(line["title"] and line["text"] for line in later)
    assert "is stored already" in run("restore", root.path, urls[0])[2]
    purged(root, run)
    resumed(root)


def test_all_that_was_dropped_for_a_page_is_found_in_every_partition(root: Root, run: Run) -> None:
    """By the id of that, also where another partition has it."""
    page = next(line for line in lines(root.partition(0), "pages") if line["url"].endswith("/0"))
    of = [url for url in copies(root) if url.endswith("/0")]
    code, told, err = run("restore", root.path, "--cluster", page["id"])
    assert (code, f"{len(of)} pages restored" in told) == (0, True), err
    check_parts(root)
    code, _, err = run("restore", root.path, "--cluster", 10**6)
    assert (code, "no page with this id" in err) == (2, True)


def test_a_restore_that_is_killed_is_repeated_with_the_same_numbers(
    root: Root, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the judge's commit and that of the partition."""
    url = copies(root)[0]

    def dying(pages: Restoring, group: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Restoring, "commit", dying)
        killed(run, "restore", root.path, url)
    code, told, _ = run("check", root.path)
    assert (code, "the judge has kept, is not stored" in told) == (1, True)
    assert run("restore", root.path, url)[0] == 0
    check_parts(root)
    assert run("check", root.path)[0] == 0


def test_a_copy_of_all_goes_on_by_itself(root: Root, run: Run, tmp_path: Path) -> None:
    """`backup` takes partitions, judge and plan."""
    assert run("backup", root.path, tmp_path / "copy")[0] == 0
    copy = resumed(Root.open(tmp_path / "copy"))
    assert ends_in(copy) == ends_in(root)
    assert run("backup", root.path, tmp_path / "copy")[0] == 2


@pytest.mark.parametrize("words", [f"purge --host {HOST} --yes", "restore --cluster 1", "backup"])
def test_what_takes_all_directories_names_the_one_that_is_elsewhere(
    root: Root, run: Run, words: str, tmp_path: Path
) -> None:
    """Nothing has changed then, and nothing was copied or begun in its place."""
    name, *flags = words.split()
    target = [tmp_path / "copy"] if name == "backup" else []
    for directory in (root.partition(1), root.sequencer, root.shard(0)):
        away = directory.rename(tmp_path / "away")
        code, _, err = run(name, root.path, *target, *flags)
        assert code == 2
        assert str(directory) in err
        assert "on a machine that sees all directories" in err
        assert not directory.exists()
        away.rename(directory)
    check_parts(root)
    assert not any(path.exists() for path in target)


def test_check_tells_where_the_judge_and_a_partition_differ(root: Root, run: Run) -> None:
    """A page that its shard has lost."""
    state = Database(root.shard(0) / STATE, "rw")
    [(lost,)] = state.rows("SELECT max(id) FROM documents")
    with state.transaction() as connection:
        for table, column in (("shingles", "document_id"), ("appearances", "document_id")):
            connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (lost,))
        connection.execute("DELETE FROM documents WHERE id = ?", (lost,))
    state.close()
    code, told, _ = run("check", root.path)
    assert code == 1
    assert f"page of shard 0 that the judge has kept, is not stored: ({lost},)" in told


@pytest.mark.parametrize("words", ["audit", "reindex", "explain 1 2 --output"])
def test_what_takes_no_several_partitions_says_so(root: Root, run: Run, words: str) -> None:
    """One line with a way out, code 2."""
    code, _, err = run(*words.split(), root.path)
    assert code == 2
    assert err.count("\n") == 1
    assert "partitions" in err


@pytest.mark.parametrize(
    "words", ["purge --host site0.test --yes", "restore --cluster 1", "add http://a.test/"]
)
def test_one_partition_is_not_changed_by_itself(root: Root, run: Run, words: str) -> None:
    """What others know of its pages is changed with it: the directory of all is named."""
    code, _, err = run(words.split()[0], root.partition(0), *words.split()[1:])
    assert code == 2
    assert f"give the directory of all, {root.path}" in err


def test_failures_of_all_partitions_are_put_back(root: Root, run: Run) -> None:
    """By class or host; a host that is misspelt changes nothing."""
    code, _, err = run("retry", root.path, "--class", "all", "--host", HOST, "--host", "nope.test")
    assert (code, "nope.test was ever queued" in err) == (2, True)
    assert "put back: 1 URL" in run("retry", root.path, "--class", "all", "--host", HOST)[1]
    assert "put back: 4 URLs (http-4xx 4)" in run("retry", root.path, "--class", "all")[1]
    resumed(root)


def test_links_on_their_way_to_a_host_were_never_sent(tmp_path: Path) -> None:
    """What was heard already counts as before; of pages of the host no link names it any more."""
    state = Database(tmp_path / STATE, "rwc")
    connection = state.connection
    connection.executescript(f"CREATE TABLE urls (id INTEGER PRIMARY KEY); {TABLES}")

    def sent(host: str, via: str) -> SentUrl:
        return SentUrl(1, f"http://{host}/", 1, Priority.ORDINARY, 0, False, via)

    messages = [
        (1, 2, pack_urls([sent("gone.test", "a.test"), sent("b.test", "a.test")])),
        (1, 2, pack_urls([sent("gone.test", "a.test"), sent("b.test", "gone.test")])),
        (1, 1, pack_urls([sent("gone.test", "a.test")])),
        (JUDGE, 0, orjson.dumps(["http://a.test/", "http://gone.test/"])),
        (JUDGE, 0, orjson.dumps(["http://a.test/", "http://b.test/"])),
    ]
    connection.executemany("INSERT INTO outbox (receiver, urls, packed) VALUES (?, ?, ?)", messages)
    connection.execute("INSERT INTO sent VALUES (1, 5)")
    forget_hosts(connection, frozenset({"gone.test"}), {1: 1})
    exchange = Exchange(state)
    assert exchange.sent_urls() == {1: 3}  # two were heard, one is on its way
    assert exchange.waiting(1, 1) == 1
    [message] = exchange.messages(1, 0)
    assert unpack_urls(1, message.packed) == [sent("b.test", "")._replace(via=None)]
    assert [posted.n for posted in exchange.messages(JUDGE, 0)] == [5]
    state.close()
