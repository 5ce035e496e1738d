"""SQL on a crawl's state: views say what became of each URL, and nothing else can be read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import FEWER, command, crawl, demo_web, job_data
from support.output import lines, summary_of
from support.paths import doc

from crawler.errors import InputError
from crawler.storage.query import VIEWS, ask, columns_of
from crawler.storage.view import StoreView


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a small demo web, cut short so that URLs are pending."""
    output = tmp_path_factory.mktemp("query") / "out"
    with demo_web(4) as (web, _), no_processes():
        crawl(job_data(web, output, FEWER, {"limits": {"pages": 60}}))
    return output


@pytest.fixture
def view(crawled: Path) -> Iterator[StoreView]:
    """That crawl, opened to be asked."""
    with StoreView.read(crawled) as opened:
        yield opened


def rows(view: StoreView, sql: str) -> list[tuple[Any, ...]]:
    """All that a statement gives."""
    return list(ask(view, sql).rows)


def test_views_say_what_lines_and_summary_say(view: StoreView, crawled: Path) -> None:
    """Each URL in its state, each copy with its page, each failure with its class."""
    summary = summary_of(crawled)
    assert rows(view, "SELECT count(*) FROM urls") == [(summary["seen"],)]
    assert rows(view, "SELECT sum(urls), sum(pending) FROM hosts") == [
        (summary["seen"], summary["pending"])
    ]
    stored = lines(crawled, "pages")
    assert rows(view, "SELECT id, url, depth, fingerprint FROM pages ORDER BY id") == [
        (line["id"], line["url"], line["depth"], line["fingerprint"]) for line in stored
    ]
    copies = lines(crawled, "duplicates")
    assert sorted(rows(view, "SELECT url, verdict, page_url FROM duplicates")) == sorted(
        (line["url"], line["verdict"], line["duplicate_of"]["url"]) for line in copies
    )
    for name, column in (("failures", "failure"), ("skipped", "reason")):
        told = sorted((line["url"], line[column]) for line in lines(crawled, name))
        assert sorted(rows(view, f"SELECT url, {column} FROM {name}")) == told
    assert set(rows(view, "SELECT DISTINCT state FROM urls")) >= {("pending",), ("stored",)}


def test_every_view_can_be_asked(view: StoreView) -> None:
    """Those that are listed have their columns, and answer."""
    assert list(columns_of(view)) == list(VIEWS)
    for name in VIEWS:
        rows(view, f"SELECT * FROM {name} LIMIT 3")


def test_the_questions_of_the_docs_are_answered(view: StoreView) -> None:
    """Each statement of docs/query.md runs, and its table names each view and its columns."""
    page = doc("query")
    asked = re.findall(r'^ +python -m crawler query crawl-out "(.*)"', page, re.MULTILINE)
    assert len(asked) > 4
    for sql in asked:
        rows(view, sql)
    for name, columns in columns_of(view).items():
        (told,) = re.findall(rf"^\| .*`{name}`.* \| .* \| (.*) \|$", page, re.MULTILINE)
        assert set(columns) <= set(re.findall(r"`(\w+)`", told))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT value FROM meta", "meta.value is prohibited; what can be read are the views urls"),
        ("SELECT url FROM main.urls", "prohibited"),
        ("SELECT hashes FROM shingles", "prohibited"),
        ("SELECT sql FROM sqlite_master", "prohibited"),
        ("SELECT url FROM pages JOIN meta ON key = 'key' AND value > ''", "prohibited"),
        ("WITH urls AS (SELECT value FROM main.meta) SELECT * FROM urls", "prohibited"),
        ("WITH urls(key) AS (SELECT value FROM meta) SELECT key FROM urls, pages", "prohibited"),
        (
            "WITH RECURSIVE urls AS (SELECT value FROM meta UNION SELECT 1) SELECT * FROM urls",
            "prohibited",
        ),
        ("SELECT (WITH hosts AS (SELECT value FROM meta) SELECT max(value) FROM hosts)", "prohib"),
        ("SELECT 1 WHERE 'a' IN (WITH temp AS (SELECT value FROM meta) SELECT 1 FROM temp)", "pro"),
        ("SELECT sql FROM sqlite_temp_master", "prohibited"),
        ("SELECT name FROM pragma_database_list", "not authorized"),
        ("DELETE FROM urls", "cannot modify"),
        ("DELETE FROM main.urls", "not authorized"),
        ("DROP VIEW urls", "not authorized"),
        ("CREATE TABLE t (x)", "not authorized"),
        ("ATTACH '/tmp/other.sqlite' AS other", "not authorized"),
        ("PRAGMA user_version = 3", "not authorized"),
        ("VACUUM INTO '/tmp/other.sqlite'", "authorization denied; what"),
        ("SELECT load_extension('x')", "not authorized to use function"),
        ("SELECT url FROM absent", "no such table: absent; what can be read"),
        ("SELEC", "syntax error"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("", "says nothing"),
        ("SELECT abs(-9223372036854775808)", "integer overflow"),
    ],
)
def test_nothing_else_can_be_read_or_written(view: StoreView, sql: str, said: str) -> None:
    """One error says what is wrong; the secret by which shingles are marked stays one."""
    with pytest.raises(InputError) as error:
        rows(view, sql)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_reads_a_table_has_a_name_for_one_statement(view: StoreView) -> None:
    """Who learns it from an answer cannot use it in the next; a view's name may be used at will."""
    asked = ask(view, "SELECT url FROM urls")
    first = next(asked.rows)
    view.database.connection.set_authorizer(None)
    named = "SELECT name FROM sqlite_temp_master WHERE name LIKE '%urls%' AND name != 'urls'"
    names = [name for (name,) in view.database.rows(named)]
    assert names
    for name in names:
        with pytest.raises(InputError, match="prohibited"):
            rows(view, f"WITH {name} AS (SELECT value FROM main.meta) SELECT * FROM {name}")
    assert [first, *asked.rows] == rows(
        view, "WITH pages AS (SELECT url FROM urls) SELECT url FROM pages"
    )


def test_a_statement_that_runs_for_ever_hears_ctrl_c(view: StoreView) -> None:
    """SQLite stops at the next of many small steps."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    connection, beats = view.database.connection, iter(range(5))

    def beat() -> int:
        if next(beats, None) is None:
            raise KeyboardInterrupt
        return 0

    answer = ask(view, "SELECT 1")
    assert list(answer.rows) == [(1,)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crawler.storage.query._beat", beat)
        with pytest.raises(KeyboardInterrupt):
            rows(view, endless)
    connection.set_progress_handler(None, 0)


def test_each_form_has_the_same_rows(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table for a terminal, an object a line, comma-separated values; and the list of views."""
    sql = "SELECT url, verdict, page_id FROM duplicates ORDER BY url LIMIT 5"
    code, table, _ = command(capsys, "query", crawled, sql)
    assert code == 0
    _, as_json, _ = command(capsys, "query", crawled, sql, "--json")
    _, as_csv, _ = command(capsys, "query", crawled, sql, "--csv")
    records = [json.loads(line) for line in as_json.splitlines()]
    read = list(csv.DictReader(io.StringIO(as_csv)))
    assert [{**row, "page_id": int(row["page_id"])} for row in read] == records
    assert len(records) == 5
    assert all(record["verdict"] in table for record in records)
    code, views, _ = command(capsys, "query", crawled)
    assert code == 0
    assert all(name in views for name in VIEWS)


def test_mistakes_are_bad_input(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A statement that cannot be run, and a directory without a crawl."""
    code, _, said = command(capsys, "query", crawled, "SELECT nothing FROM urls x")
    assert (code, said.count("\n")) == (2, 1)
    code, _, said = command(capsys, "query", tmp_path, "SELECT 1")
    assert code == 2
    assert str(tmp_path) in said
