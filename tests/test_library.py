"""The library as programs import it: by one name, quickly, with what it needs and no more."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from support.crawling import command, loopback_job
from support.documents import edited, text
from support.output import lines
from support.paths import ROOT, doc
from support.shelf import shelf, written

import inline_crawler
from crawler.errors import ConfigError, InputError
from crawler.models import Evidence
from inline_crawler import Judge, Page, StoredPage, Verdict, VerdictKind, crawl, extract

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PAGE = """<!doctype html><html lang="en"><head><title>Harbour closed</title>
<meta name="author" content="A. Writer">
<meta property="article:published_time" content="2026-01-02">
</head><body><nav><a href="/menu">Menu</a></nav><article><h1>Harbour closed</h1>
<p>The harbour was closed for a day after the storm tore two ferries loose from their berths.</p>
<p>Nobody was hurt, said the master of the port, who had <a href="more?utm_source=x">seen it</a>
himself; the ferries run again as from the morning of the day after.</p></article></body></html>"""

JUDGE_ONLY = """
import sys
from importlib.machinery import PathFinder
class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        missing = name.partition(".")[0] in {missing!r}
        return None if missing else super().find_spec(name, path, target)
sys.meta_path = [Installed if one is PathFinder else one for one in sys.meta_path]
from inline_crawler import ConfigError, Judge, crawl, extract
with Judge.open({directory!r}) as judge:
    print(judge.see(1, "The harbour was closed for a day after the storm.").kind)
    try:
        print(judge.see(2, "长城是中国古代的伟大建筑。").kind)
    except ConfigError as error:
        print(error)
print(extract("<title>T</title><p>Some words of a page.", "https://a.example/").title)
try:
    list(crawl({{"seeds": ["http://127.0.0.1:1/"]}}, {directory!r} + "-crawl"))
except ConfigError as error:
    print(error)
from crawler.cli import COMMANDS, commands
for name in COMMANDS:
    try:
        commands.load(name)
    except ConfigError as error:
        print(error)
"""
MODULES = {"lxml-html-clean": "lxml_html_clean", "pygments": "pygments", "pyyaml": "yaml"}
"""Distribution -> module, where they are not called alike."""


def names(requirements: list[str]) -> set[str]:
    """Return the names of requirements."""
    return {Requirement(line).name for line in requirements}


@pytest.mark.parametrize("chinese", [True, False])
def test_the_judge_alone_needs_what_its_list_says(chinese: bool, tmp_path: Path) -> None:
    """Without all else that a crawler needs it judges and reads; Chinese needs a segmenter.

    A crawl and the commands say what they lack and what brings it, before they write anything.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    written = (ROOT / "requirements/judge.in").read_text().splitlines()
    needed = names([line for line in written if not line.startswith("#")])
    missing = names(project["dependencies"]) - needed
    assert {"aiohttp", "jieba", "lxml", "rich"} <= missing
    missing |= {"trafilatura", "uvloop"} if chinese else {"trafilatura", "rjieba"}
    modules = {MODULES.get(name, name.replace("-", "_")) for name in missing}
    program = JUDGE_ONLY.format(missing=modules, directory=str(tmp_path / "seen"))
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    said = "unjudged" if chinese else "judging Chinese texts needs rjieba, which is not installed"
    first, second, title, *lacking = done.stdout.splitlines()
    assert (first, title, done.returncode) == ("unjudged", "T", 0)
    assert second.startswith(said)
    way_out = "which is not installed: pip install inline-crawler"
    assert [line for line in lacking if not line.endswith(way_out)] == []
    assert {line.partition(" needs ")[0] for line in lacking} >= {"a crawl", "`crawl`", "`dedup`"}
    assert [path.name for path in tmp_path.iterdir()] == ["seen"]


def test_the_name_of_the_distribution_is_that_of_the_import() -> None:
    """All that `inline_crawler` lists is there, and its page names all of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"].replace("-", "_") == inline_crawler.__name__
    assert [name for name in inline_crawler.__all__ if not hasattr(inline_crawler, name)] == []
    page = doc("library")
    assert [name for name in inline_crawler.__all__ if f"`{name}" not in page] == []


def told(verdicts: list[Verdict]) -> list[tuple[Any, ...]]:
    """Return what is to be the same of verdicts."""
    return [(one.kind, one.of, one.evidence, one.similarity, one.distance) for one in verdicts]


def test_many_at_once_get_the_verdicts_of_one_by_one(tmp_path: Path) -> None:
    """In their order, with the lines of `dedup`, fields included; evidence is an Evidence."""
    documents = [
        {"id": n, "text": (edited if n % 3 else text)(n % 20), "title": f"Title {n % 20}", "n": n}
        for n in range(60)
    ]
    with Judge.open(tmp_path / "one", siblings="tag") as judge:
        single = [judge.see(d["id"], d["text"], title=d["title"]) for d in documents]  # type: ignore[arg-type]
    with Judge.open(tmp_path / "many", siblings="tag") as judge:
        many = judge.see_many(iter(documents[:40])) + judge.see_many(documents[40:])
        assert judge.see_many([]) == []
    assert told(many) == told(single)
    assert {one.kind for one in many} >= {VerdictKind.NEW, VerdictKind.EXACT_PAYLOAD}
    judged_by_evidence = [one for one in many if one.evidence is not None]
    assert judged_by_evidence
    assert all(isinstance(one.evidence, Evidence) for one in judged_by_evidence)
    assert {line["fields"]["n"] for line in lines(tmp_path / "many", "pages")} <= set(range(60))


def test_of_many_all_are_seen_or_none(tmp_path: Path) -> None:
    """One that cannot be read, or an id that comes twice, is named before any is judged."""
    good = {"id": "good", "text": text(1)}
    with Judge.open(tmp_path) as judge:
        for bad, said in (
            ({"id": "b", "text": None}, "document 'b': 'text' must be a string"),
            ({"id": "b"}, "document 'b' has no 'text'"),
            ({"text": "b"}, "document 2 has no 'id'"),
            (good, "document 'good' was seen before"),
        ):
            with pytest.raises(InputError, match=said):
                judge.see_many([good, bad])
            assert len(judge) == 0
        assert [one.kind for one in judge.see_many([good])] == ["new"]


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ({"id": "a", "text": "b"}, "a list of documents, .*, not dict"),
        ("ab", "a list of documents, .*, not str"),
        (None, "a list of documents, .*, not NoneType"),
        ([("q", "text")], "document 1 must be a mapping of `id` and `text`, not tuple"),
        ([{"id": "a", "text": "b"}, "c"], "document 2 must be a mapping .*, not str"),
    ],
)
def test_what_are_no_documents_is_refused(documents: Any, said: str, tmp_path: Path) -> None:
    """By what was to be given, and nothing is judged."""
    with Judge.open(tmp_path) as judge:
        with pytest.raises(InputError, match=said):
            judge.see_many(documents)
        assert len(judge) == 0


@pytest.mark.parametrize("page", [None, 3, ["<p>text"], Path("page.html")])
def test_what_is_no_page_is_refused(page: Any) -> None:
    """A page is str or bytes, and the error names what was given."""
    with pytest.raises(InputError, match=f"str or bytes, not {type(page).__name__}"):
        extract(page, "https://a.example/")


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("http://localhost:8765/", "not the URL http://localhost:8765/"),
        (["http://localhost:8765/"], "not a list"),
        (None, "not a NoneType"),
    ],
)
def test_what_is_no_job_is_refused_with_the_way_to_give_seeds(
    job: Any, said: str, tmp_path: Path
) -> None:
    """A URL or a list in the place of a job is told as that, and nothing is made."""
    with pytest.raises(InputError) as told:
        crawl(job, tmp_path / "out")
    assert said in str(told.value)
    assert '{"seeds": ["https://site.example/"]}' in str(told.value)
    assert not (tmp_path / "out").exists()


def test_a_page_is_read_from_text_and_from_bytes() -> None:
    """The text is decoded as it is given, bytes by what they declare; links are canonical."""
    page = extract(PAGE, "https://port.example/news/")
    assert page.title == "Harbour closed"
    assert page.text.startswith("The harbour was closed")
    assert "Menu" not in page.text
    assert page.markdown.count("\n\n") == 1
    assert page.links == ("https://port.example/menu", "https://port.example/news/more")
    assert (page.metadata.author, page.metadata.published) == ("A. Writer", "2026-01-02")
    assert page.language == "en"
    assert extract(PAGE.encode(), "https://port.example/news/") == page
    linked = extract(PAGE, "https://port.example/news/", keep_links=True)
    assert "](https://port.example/news/more" in linked.markdown
    chinese = "<meta charset=gbk><title>长城</title><p>长城是中国古代的伟大建筑。"
    assert extract(chinese.encode("gbk"), "https://a.example/").title == "长城"
    assert extract(chinese, "https://a.example/").title == "长城"  # a str is decoded already
    assert extract("a\n\ud800b", "https://a.example/", media_type="text/plain").text == "a\n�b"
    assert extract("", "https://a.example/").text == ""


def test_threads_read_at_once() -> None:
    """Each gets the page that it gave."""
    with ThreadPoolExecutor(4) as threads:
        pages = threads.map(
            lambda n: extract(PAGE.replace("storm", f"storm{n}"), "https://a.example/"), range(12)
        )
        assert [f"storm{n} tore" in page.text for n, page in enumerate(pages)] == [True] * 12


def test_what_cannot_be_read_so_is_refused() -> None:
    """A URL that is none, and an engine that nobody knows."""
    with pytest.raises(InputError, match="'port' is no URL"):
        extract(PAGE, "port")
    with pytest.raises(ConfigError, match=r"extract\.engine"):
        extract(PAGE, "https://a.example/", engine="clever")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Serve a page that leads to another and its copy, and one that redirects nowhere."""
    pages = {
        "/": written("Start", 1, below='<a href="/a">a</a><a href="/b">b</a>'),
        "/a": written("Goods", 2),
        "/b": written("Goods", 2),
        "/plain.txt": "A text of a few words.",
        "/robots.txt": "User-agent: *\nDisallow: /secret",
        "/secret": written("Secret", 3),
    }
    with shelf(pages) as address:
        yield address


@pytest.mark.parametrize("path", [None, 3, ""])
def test_what_is_no_path_of_a_directory_is_refused(
    path: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a judge nor a crawl begins in a directory called `None`, or in the one worked in."""
    monkeypatch.chdir(tmp_path)
    for begin in (Judge.open, partial(crawl, {"seeds": ["https://site.example/"]})):
        with pytest.raises(InputError, match="directory"):
            begin(path)
    assert list(tmp_path.iterdir()) == []


def test_a_judge_is_opened_and_binary_data_is_no_page() -> None:
    """A path where a judge in a directory is made says how; bytes of a picture are no text."""
    with pytest.raises(InputError, match=r"Judge\.open\('seen'\)"):
        Judge("seen")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="binary data"):
        extract(bytes(range(32)) * 9, "https://site.example/")


def test_a_crawl_without_a_loop(site: str, tmp_path: Path) -> None:
    """Its pages come one by one, stored ones and copies as types of their own; it goes on."""
    job = loopback_job(tmp_path, [f"{site}/"], fetch={"workers": 1})
    for first in crawl(job, tmp_path / "out"):
        assert isinstance(first, StoredPage)
        assert (first.url, first.title, first.kept) == (f"{site}/", "Start", True)
        break
    rest = list(crawl(job, tmp_path / "out"))
    [stored] = [page for page in rest if page.kept]
    [copy] = [page for page in rest if not page.kept]
    assert stored.text  # a str, as mypy --strict has it too
    assert (copy.verdict, copy.of, copy.similarity) == ("exact-payload", stored.url, 1.0)
    assert list(crawl(job, tmp_path / "out")) == []
    with pytest.raises(ConfigError, match="no seeds"):
        crawl({}, tmp_path / "out")


def test_a_page_is_read_alike_by_crawl_library_and_command(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`extract` prints the text of a URL, of a file and of standard input, as a crawl keeps it."""
    url, saved = f"{site}/a", tmp_path / "a.html"
    saved.write_text(written("Goods", 2))
    page = extract(saved.read_text(), url)
    code, out, err = command(capsys, "extract", url)
    assert (code, out) == (0, f"{page.text}\n")
    assert "pages" not in err  # no line of a crawl's
    assert command(capsys, "extract", saved, "--url", url)[:2] == (0, f"{page.text}\n")
    assert command(capsys, "extract", url, "--format", "markdown")[1] == f"{page.markdown}\n"
    code, out, _ = command(capsys, "extract", url, "--format", "json")
    assert out == command(capsys, "extract", saved, "--url", url, "--format", "json")[1]
    assert '"title": "Goods"' in out
    assert command(capsys, "extract", f"{site}/plain.txt")[1] == "A text of a few words.\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("{site}/none", 1, "none has no page: http-4xx (HTTP status 404)"),
        ("{site}/secret", 1, "secret has no page: robots"),
        ("{site}/a --url https://a.example/", 2, "--url says where a file is from"),
        ("ftp://a.example/", 2, "'ftp://a.example/' is not an http(s) URL"),
        ("nowhere.html", 2, "'nowhere.html': no such file"),
        ("{picture}", 2, "a.png: binary data, neither page nor text: give text or HTML"),
        ("pyproject.toml --url here", 2, "'here' is no URL"),
    ],
)
def test_what_has_no_page_is_told_with_its_exit_code(
    words: str, code: int, said: str, site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that cannot be fetched ends by 1, bad input by 2; one line says why."""
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG")  # cut off before anything that is no text
    arguments = words.format(site=site, picture=picture).split()
    if arguments[0] == "pyproject.toml":
        arguments[0] = str(ROOT / arguments[0])
    found, out, err = command(capsys, "extract", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_page_of_a_line_is_a_page() -> None:
    """Lines may leave out what is null."""
    line = {"url": "https://a.example/", "text": "t", "markdown": "t"}
    page = Page.of_line(line)
    assert (page.title, page.links, page.language, page.metadata.author) == (None, (), None, None)
