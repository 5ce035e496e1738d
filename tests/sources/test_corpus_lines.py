"""The lines of `dedup`: what is written, its JSON Schemas, and docs/dedup-command.md agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.analysing import no_processes
from support.documents import edited, text, write
from support.output import lines, summary_of
from support.paths import doc

from crawler import engine
from crawler.cli import main
from crawler.engine import CORPUS_SCHEMAS as SCHEMAS
from crawler.engine import corpus_schema as schema
from crawler.models import Failure
from crawler.sources.corpus import unread_end
from crawler.sources.documents import BadReason, RawDocument
from crawler.sources.inputs import expand
from crawler.storage.directory import LINE_FILES
from crawler.workers.messages import AnalysisFailed

Written = dict[str, list[dict[str, Any]]]

ELSEWHERE = {
    *("canonical_url", "language", "language_score", "declared_language", "published", "modified"),
    *("author", "description", "site_name", "template", "doubted", "layout_similarity", "evidence"),
}
"""Fields that these documents have nothing for: tests of crawls, which write them alike, do."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Judge three corpora, two of them against the first; return the lines of all by file.

    The last is asked for siblings, of its own documents and of the first corpus.
    """
    home = tmp_path_factory.mktemp("corpora")
    page = f"<title>A page</title><body><article><p>{text(7)}</p></article>"
    first = [{"id": 1, "text": text(1)}, {"id": "b", "text": edited(1)}, {"id": 1, "text": text(1)}]
    second = [
        {"text": text(1)},
        {"text": edited(1), "n": 1},
        {"text": "x"},
        b"{",
        {"text": text(2)},
    ]
    again = [{"text": text(2).replace("word1", "Word1"), "n": None}, {"text": text(2)}]
    runs = [write(home / "1.jsonl", first), write(home / "2.jsonl", second + again)]
    place = {"url": "http://a.test/one"}
    named = [{"text": text(5), "title": "1", **place}, {"text": edited(5), "title": "2"}]
    named += [{"text": f"{text(5)} end", "title": "3", **place}, {"text": f"{text(1)} end"}]
    runs.append(write(home / "3.jsonl", named))
    for name in ("a.html", "b.html"):
        (home / "site").mkdir(exist_ok=True)
        (home / "site" / name).write_text(page)
    (home / "job.yaml").write_text("extract: {markdown: true}")
    flags = ["--processes", "1", "--skip-bad", "--config", str(home / "job.yaml")]
    earlier = ["dedup", str(runs[0]), str(home / "site"), "--output", str(home / "a"), *flags]
    later = ["--against", str(home / "a"), "--near", "tag", *flags]
    telling = [*later, "--siblings", "tag"]
    with no_processes():
        assert main(earlier) == 0
        assert main(["dedup", str(runs[1]), *later, "--output", str(home / "b")]) == 0
        assert main(["dedup", str(runs[2]), *telling, "--output", str(home / "c")]) == 0
        index = str(home / "a.index")
        assert main(["index", "build", str(home / "a"), "--output", index]) == 0
        later[1] = telling[1] = index
        assert main(["dedup", str(runs[1]), *later, "--output", str(home / "d")]) == 0
        assert main(["dedup", str(runs[2]), *telling, "--output", str(home / "e")]) == 0
    found = {
        name: [line for out in "abcde" for line in lines(home / out, name)] for name in LINE_FILES
    }
    return found | {"summary": [summary_of(home / out) for out in "abcde"]}


@pytest.mark.parametrize("name", ["pages", "duplicates", "skipped"])
def test_every_line_fits_its_schema_and_every_field_occurs(written: Written, name: str) -> None:
    """Real lines are valid, and the schema has no field that no line has."""
    validator = Draft202012Validator(schema(name))
    for line in written[name]:
        validator.validate(line)
        assert not validator.is_valid(line | {"fetched_at": "2024-05-01T12:00:00.123Z"})
    found = {field for line in written[name] for field in line} | ELSEWHERE
    assert found == set(schema(name)["properties"]) | ELSEWHERE
    if name != "skipped":
        for which in {"duplicate_of", "sibling_of"} & set(schema(name)["properties"]):
            named = [line[which] for line in written[name] if line[which]]
            fields = schema(name)["properties"][which]["properties"]
            assert {field for of in named for field in of} == set(fields)


@pytest.mark.parametrize("failure", ["analysis-timeout", "analysis-crash", "analysis-error"])
def test_failures_fit_their_schema(tmp_path: Path, failure: str) -> None:
    """The line of a document that ended its process is valid, whatever it was blamed for."""
    [file] = expand([str(write(tmp_path / "c.jsonl", []))])
    raw = RawDocument(file, "file:///c.jsonl", 3, b"{}")
    [(name, line)] = unread_end(1, raw, AnalysisFailed(Failure(failure), "it hung")).lines
    Draft202012Validator(schema(name)).validate(line)
    assert set(line) == set(schema(name)["properties"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_closed_and_described(name: str) -> None:
    """Each is a schema of its draft, admits no other field, and says what each of its fields is."""
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["additionalProperties"] is False
    assert found["properties"].keys() >= set(found["required"])
    assert all(field["description"] for field in found["properties"].values())


def test_the_summary_is_that_of_a_crawl(written: Written) -> None:
    """It has the same fields; in what it counts, reasons and failures are those of documents."""
    assert schema("summary")["required"] == engine.schema("summary")["required"]
    skipped = schema("summary")["properties"]["skipped"]["propertyNames"]["enum"]
    assert skipped == schema("skipped")["properties"]["reason"]["enum"] == list(BadReason)
    for summary in written["summary"]:
        Draft202012Validator(schema("summary")).validate(summary)


def test_there_is_no_schema_of_what_is_never_written(written: Written) -> None:
    """A corpus has no redirects; other names are a KeyError, as with a crawl's schemas."""
    assert written["redirects"] == []
    for name in ("redirects", "pages.jsonl"):
        with pytest.raises(KeyError):
            schema(name)


def test_docs_name_the_fields_and_reasons_that_there_are() -> None:
    """docs/dedup-command.md has each field of each schema, and exactly the reasons of skipping."""
    page = doc("dedup-command")
    fields = {field for name in SCHEMAS[:-1] for field in schema(name)["properties"]}
    assert {field for field in fields if f"`{field}`" not in page} == set()
    [told] = re.findall(r"^\| `reason` \| skipped: (.*); pages:", page, re.MULTILINE)
    assert re.findall(r"`([a-z-]+)`", told) == [reason.value for reason in BadReason]
