"""`python -m crawler audit`: pairs on a page and on a terminal, with and without their texts."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import io
import re
import sys
from pathlib import Path

import pytest
from support.auditing import EVIL, ORIGINAL, audit, drawn, leave_crawl
from support.crawling import command
from support.store_material import url_of

from crawler.errors import StoreError
from crawler.storage.journal import Extent
from crawler.views.audit import sample as line_files
from crawler.views.audit.marks import read_marks
from crawler.views.audit.sample import find_lines


class Page(html.parser.HTMLParser):
    """The tags of a page, its policy, and the text inside of some elements."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.policy = ""
        self.inside: dict[str, list[str]] = {"del": [], "ins": [], "h3": [], "script": []}
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        self.tags.append(tag)
        self.open.append(tag)
        if tag == "meta" and dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]].append(data)


def page_of(capsys: pytest.CaptureFixture[str], home: Path, *flags: object) -> str:
    """Return the page of the crawl in `home`."""
    code, out, err = audit(capsys, home / "out", "--output", home / "audit.html", *flags)
    assert code == 0, err
    assert str(home / "audit.html") in out
    return (home / "audit.html").read_text(encoding="utf-8")


async def test_the_page_shows_both_pages_and_in_what_they_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """URLs, titles, evidence, similarity, how they begin, and each change under its place."""
    await leave_crawl(tmp_path / "out", near=1, siblings=1)
    source = page_of(capsys, tmp_path)
    page = Page(source)
    assert source.count("<article") == 2
    assert "1 of 1 dropped near duplicates and 1 of 1 siblings" in source
    for shown in (ORIGINAL, url_of(2), url_of(3), "Original", "Copy 2", "Sibling"):
        assert shown in source
    assert "Dropped as a copy, similarity 0.9300: the same text on another host" in source
    assert "Stored as a sibling, another page, similarity 0.9700: words or numbers in the" in source
    assert "whispers" in "".join(page.inside["del"])
    assert "speaks" in "".join(page.inside["ins"])
    assert source.count("Sentence 0 speaks of matter 0.") == 2, "it is seen how both begin"
    assert "Sentence 20" not in source
    assert "Not known of the page, so not compared: heading, beside the text, header or" in source
    assert {"title", "text", "beside the text", "picture"} == set(page.inside["h3"])
    assert "Table of 3 Rows" in "".join(page.inside["del"])
    assert "Ten comments" in "".join(page.inside["ins"])


async def test_pages_of_the_same_text_are_shown_with_what_else_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are drawn as a group of their own, and another picture is shown on page and terminal."""
    await leave_crawl(tmp_path / "out", near=0, siblings=0, same_text=1)
    source = page_of(capsys, tmp_path)
    page = Page(source)
    assert "1 of 1 pages dropped for the same text" in source
    assert "Dropped as a copy: the text is the same, though the bytes are not" in source
    assert (page.inside["h3"], page.inside["del"], page.inside["ins"]) == (
        ["picture"],
        ["torn"],
        ["whole"],
    )
    _, out, err = audit(capsys, tmp_path / "out", "--terminal")
    assert "no answer is read" in err
    assert "   picture\n      [-torn-]{+whole+}.jpg" in out
    assert "show the same" not in out


async def test_the_page_is_self_contained_and_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing from the web is markup, and the policy allows one script: by its hash."""
    await leave_crawl(tmp_path / "out", evil=EVIL)
    source = page_of(capsys, tmp_path)
    page = Page(source)
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "link", "iframe", "a", "form"} & set(page.tags)
    assert "\x1b" not in source
    assert "\u202e" not in source
    assert "&lt;script&gt;alert(1)" in source
    digest = hashlib.sha256("".join(page.inside["script"]).encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in page.policy
    assert page.policy.startswith("default-src 'none'")
    assert "unsafe-inline" not in page.policy


async def test_texts_that_were_not_kept_are_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pair is there without a text, and says why: by the setting."""
    await leave_crawl(tmp_path / "out", near=2, siblings=0, kept=False)
    source = page_of(capsys, tmp_path)
    assert source.count("<article") == 2
    assert source.count("No text of this page: it was not kept: dedup.keep_dropped is false") == 2
    assert "Sentence 0 speaks" in source, "the stored page has one"


async def test_a_lost_line_is_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that is another costs the page's text only; any other damage is one clear error."""
    await leave_crawl(tmp_path / "out", near=1, siblings=0)
    path = tmp_path / "out" / "pages.jsonl"
    size = path.stat().st_size
    path.write_bytes(b" " * (size - 1) + b"\n")
    assert "its line is not in pages.jsonl" in page_of(capsys, tmp_path)
    path.write_bytes(b"")
    code, _, err = audit(capsys, tmp_path / "out", "--output", tmp_path / "audit.html")
    assert code == 3
    assert f"pages.jsonl: the last {size} of {size} committed bytes are missing" in err
    path.write_bytes(f'{{"id":1,"url":"{ORIGINAL}","text'.encode().ljust(size))
    code, _, err = audit(capsys, tmp_path / "out", "--output", tmp_path / "audit.html")
    assert code == 3
    assert "pages.jsonl:1: this line is damaged" in err
    path.unlink()
    code, _, err = audit(capsys, tmp_path / "out", "--output", tmp_path / "audit.html")
    assert code == 3
    assert "pages.jsonl: cannot be read" in err


async def test_a_file_is_read_once_with_progress_up_to_what_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large file it is said how far it was read; what is not committed yet is not read."""
    await leave_crawl(tmp_path / "out", near=0, siblings=8)
    path, said = tmp_path / "out" / "pages.jsonl", list[str]()
    end = path.stat().st_size
    monkeypatch.setattr(line_files, "SAY_EVERY_BYTES", end // 3)
    with path.open("ab") as lines:
        lines.write(b'{"url":"http://not.test/committed"}\n{"url":"http://torn.test')
    urls = [ORIGINAL, url_of(9), "http://not.test/committed"]
    found = find_lines(tmp_path / "out", {"pages": Extent(end)}, urls, said.append)
    assert set(found) == {ORIGINAL, url_of(9)}
    assert found[url_of(9)]["verdict"] == "sibling"
    assert [line.split("pages.jsonl: ")[1] for line in said] == ["44% of 0.0 GB", "78% of 0.0 GB"]


def test_a_url_with_quotes_and_backslashes_is_found(tmp_path: Path) -> None:
    """Names of documents may hold anything: it is the line's own URL that counts."""

    def files() -> dict[str, Extent]:
        return {"pages": Extent(path.stat().st_size)}

    path = tmp_path / "pages.jsonl"
    path.write_text('{"id":"\\"url\\":\\"x\\"","url":"file:///a\\"\\\\b","text":"1"}\n{"id":7}\n')
    found = find_lines(tmp_path, files(), ['file:///a"\\b', "x"], lambda line: None)
    assert {url: line["text"] for url, line in found.items()} == {'file:///a"\\b': "1"}
    path.write_text('{"url":"a\\q"}\n')
    with pytest.raises(StoreError, match=r"pages\.jsonl:1: this line is damaged"):
        find_lines(tmp_path, files(), ["x"], lambda line: None)


async def test_the_terminal_shows_pair_by_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody can answer, pairs are printed, harmless and with their changes marked."""
    await leave_crawl(tmp_path / "out", near=1, siblings=1, evil=EVIL)
    code, out, _ = audit(capsys, tmp_path / "out", "--terminal")
    assert code == 0
    assert re.search(r"whispers-\]\{\+.*speaks\+\}|whispers-\] ?\{\+speaks", out)
    assert "Table of 3 Rows" in out
    assert r"\x1b[31m\u202e" in out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", out)


class Typing(io.StringIO):
    """A person who types these lines."""

    def isatty(self) -> bool:
        """See TextIO."""
        return True


async def test_answers_are_kept_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """c, o, u mark, q stops, anything else asks again; the next time only the rest is asked for."""
    await leave_crawl(tmp_path / "out", near=6, siblings=0)
    flags = (tmp_path / "out", "--terminal", "--marks", tmp_path / "marks.jsonl")
    monkeypatch.setattr(sys, "stdin", Typing("c\nwhat\nO\nq\n"))
    code, out, _ = audit(capsys, *flags, "--seed", "3")
    assert code == 0
    assert "2 of 6 marked" in out
    assert "1 of 2 dropped pages are other pages: 50.0%" in out
    monkeypatch.setattr(sys, "stdin", Typing("u\n"))  # and the end of the input
    code, out, _ = audit(capsys, *flags, "--sample", "4")
    assert code == 0
    assert "seed 3" in out
    assert "3 of 4" in out
    assert "2 of 4" not in out
    marks = read_marks(tmp_path / "marks.jsonl")
    assert [line.mark for line in marks] == ["copy", "other page", "unsure", None, None, None]
    assert [line.url for line in marks] == [
        one.url for one in drawn(tmp_path / "out", 6, seed=3).drawn
    ]


@pytest.mark.parametrize("near", [0, 3])
async def test_nothing_to_audit_is_no_error(
    near: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing was dropped that is said, and nothing is written; exit code 0."""
    await leave_crawl(tmp_path / "out", near=near, siblings=0)
    flags = ("--output", tmp_path / "audit.html", "--sample", "2", "--siblings", "2")
    for more in (flags, ("--terminal", *flags[2:])):
        code, out, _ = audit(capsys, tmp_path / "out", *more)
        assert code == 0
        assert (
            f"nothing to audit: {near} dropped near duplicates, 0 pages dropped for the same" in out
        )
    assert not (tmp_path / "audit.html").exists()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--sample", "0"], "--sample 0: give a number from 1"),
        (["--terminal", "--output", "x.html"], "--output is for a page"),
        (["--marks", "m.jsonl", "--sample", "5"], "--sample cannot go with --marks"),
        (["--output", "nowhere/audit.html"], "nowhere/audit.html: cannot write the page"),
        (["--marks", "nowhere.jsonl"], "nowhere.jsonl: cannot read the marks"),
    ],
)
async def test_a_mistake_is_one_clear_message(
    flags: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 2, and the flag or file at fault is named."""
    monkeypatch.chdir(tmp_path)
    await leave_crawl(tmp_path / "out")
    code, out, err = audit(capsys, "out", *flags)
    assert code == 2
    assert out == ""
    assert words in err


def test_a_directory_without_a_crawl_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, as by every other command."""
    code, _, err = audit(capsys, tmp_path / "nowhere")
    assert code == 2
    assert "nowhere: no such directory" in err


async def test_the_report_names_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is something to audit, and only there."""
    cases = (("near", 1, 0, 0), ("kin", 0, 1, 0), ("text", 0, 0, 1), ("none", 0, 0, 0))
    for name, near, siblings, same_text in cases:
        await leave_crawl(tmp_path / name, near, siblings, same_text=same_text)
        _, out, _ = command(capsys, "report", tmp_path / name)
        told = f"To check by eye: python -m crawler audit {tmp_path / name}"
        assert (told in out) is (name != "none")
