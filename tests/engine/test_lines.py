"""The output's three descriptions agree: what is built, the JSON Schemas, and docs/output.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.paths import doc

from crawler.dedup.signing import format_digest
from crawler.engine import SCHEMAS, corpus_schema, schema
from crawler.engine import outcomes as lines
from crawler.models import (
    Document,
    DuplicateKind,
    Evidence,
    ExactDuplicate,
    Failed,
    Failure,
    Fetched,
    FetchTask,
    JudgedOn,
    Likeness,
    NearDuplicate,
    New,
    PageOutcome,
    PayloadKey,
    Redirected,
    Sibling,
    Signature,
    Skip,
    Skipped,
    StoredRef,
    Unjudged,
    Verdict,
)
from crawler.storage.journal import encoded

AT = 1_714_564_800.1239

TASK = FetchTask(7, "https://a.example/x", "a.example", 2, referrer="https://a.example/", attempt=1)
FETCHED = Fetched(
    TASK, "https://a.example/x/", 200, "text/html", "gb2312", {}, b"<p>body", 5, AT, 0.1
)
SIGNATURE = Signature(
    b"t" * 32, b"v" * 32, 2**63 + 1, 40, "char4", np.arange(3, dtype=np.uint32), b"s"
)
DOCUMENT = Document(
    title="标题",
    text="正文",
    judged_on=JudgedOn.VISIBLE,
    charset="gb18030",
    links=("https://a.example/y",),
    canonical_url=None,
    refresh=None,
    noindex=False,
    nofollow=False,
    signature=SIGNATURE,
    layout=bytes(31) + b"\xff",
    read_by="visible",
)
KEY = PayloadKey(b"p" * 20, "text/html;gb2312")
REF = StoredRef(3, "https://a.example/old")
NEAR = NearDuplicate(REF, 5, 0.875, 2**63 + 1, 7, (1, 3), Evidence.SAME_TEXT)
TEXTBOOK = NearDuplicate(REF, 3, None, 1, 7, ())
SIBLING = Sibling(REF, 5, 0.875, 2**63 + 1, 7, (1, 3), Evidence.OTHER_TITLE)
EDITION = Likeness(DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, 0.875, 0.984375)
COPY = Likeness(DuplicateKind.SAME_CONTENT, 1.0, None)


def judged(
    verdict: Verdict, likeness: Likeness | None = None, *, is_stored: bool = True
) -> PageOutcome:
    """Return what became of FETCHED."""
    spent = lines.costs(FETCHED, DOCUMENT)
    return lines.judged(1, verdict, KEY, spent, DOCUMENT, is_stored=is_stored, likeness=likeness)


def page_line(
    document: Document, outcome: PageOutcome, fetched: Fetched = FETCHED
) -> dict[str, Any]:
    """Return what pages.jsonl says of a stored page."""
    lines.page_end(outcome, fetched, document, 9)
    return dict(dict(outcome.lines)["pages"])


def duplicate_line(document: Document | None, outcome: PageOutcome) -> dict[str, Any]:
    """Return what duplicates.jsonl says of a page."""
    lines.page_end(outcome, FETCHED, document)
    return dict(dict(outcome.lines)["duplicates"])


def only_line(outcome: PageOutcome) -> dict[str, Any]:
    """Return the line of an end that has one."""
    [(_, record)] = outcome.lines
    return dict(record)


def valid(name: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as a reader of the file gets it, after validation."""
    read: dict[str, Any] = orjson.loads(b"".join(encoded(record)))
    Draft202012Validator(schema(name)).validate(read)
    return read


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_strict_and_described(name: str) -> None:
    """Every schema is valid, closed, and says in words what each field means."""
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for part in _objects(schema(name)):
        assert part.get("additionalProperties") is not None
        assert part["properties"].keys() >= set(part["required"])
        for field, described in part["properties"].items():
            assert described["description"], field


def test_unknown_schema() -> None:
    """Asking for a file that does not exist is a KeyError."""
    with pytest.raises(KeyError):
        schema("pages.jsonl")


@pytest.mark.parametrize("name", SCHEMAS)
def test_docs_name_every_field_and_no_other(name: str) -> None:
    """docs/output.md has exactly the schema's fields, in its order, each with its type.

    What is as in `pages.jsonl` stands in a list below the table, with the type that it has there.
    """
    fields, (own, shared) = list(_fields(schema(name))), _documented(name)
    if name != "summary":  # what may be null in older lines is left out
        fields = [(field, kind.replace(" or null", ", optional")) for field, kind in fields]
    assert own == [field for field in fields if field[0] not in shared]
    as_in_pages = dict(_documented("pages")[0])
    assert [(field, as_in_pages[field]) for field in shared] == [
        field for field in fields if field[0] in shared
    ]


def test_what_only_older_lines_have_is_allowed() -> None:
    """A page that an earlier version made without a browser stays a sound one."""
    told = {"plain_digest": "", "requests": 0, "bytes": 0, "seconds": 0, "settled": True}
    part = schema("pages")["properties"]["rendered"]
    Draft202012Validator(part).validate(told | {"filled": True})


def test_page_line() -> None:
    """A stored page's line holds what the stages found, in the documented order, and no null."""
    line = valid("pages", page_line(DOCUMENT, judged(New())))
    assert line == {
        "id": 9,
        "url": "https://a.example/x",
        "final_url": "https://a.example/x/",
        "host": "a.example",
        "fetched_at": "2024-05-01T12:00:00.123Z",
        "status": 200,
        "content_type": "text/html",
        "charset": "gb18030",
        "title": "标题",
        "text": "正文",
        "read_by": "visible",
        "depth": 2,
        "referrer": "https://a.example/",
        "payload_digest": format_digest(b"p" * 20),
        "text_digest": format_digest(b"t" * 32),
        "fingerprint": "8000000000000001",
        "layout": "00" * 31 + "ff",
        "judged_on": "visible",
        "counts": {"body_bytes": 7, "wire_bytes": 5, "text_chars": 2, "tokens": 40, "links": 1},
        "verdict": "new",
    }
    assert list(line) == [name for name in schema("pages")["properties"] if name in line]


def test_lines_say_what_read_a_page() -> None:
    """Read by a template they name its version, read again in doubt they say so; both files do."""
    learned = replace(
        DOCUMENT, judged_on=JudgedOn.TEMPLATE, read_by="template", template=3, markdown="# 标题"
    )
    line = valid("pages", page_line(learned, judged(New())))
    assert (line["read_by"], line["template"], line["judged_on"]) == ("template", 3, "template")
    assert line["markdown"] == "# 标题"
    assert "doubted" not in line
    doubted = replace(DOCUMENT, doubted=True)
    copy = judged(ExactDuplicate("exact-text", REF), COPY)
    told = valid("duplicates", duplicate_line(doubted, copy))
    assert (told["read_by"], told["doubted"], told.get("template")) == ("visible", True, None)


def test_no_date_is_yet_to_come() -> None:
    """A date after the fetch is left out; one without offset may be of a clock 14 hours ahead."""
    at = datetime.fromisoformat("2020-01-01T12:00:00+00:00").timestamp()
    assert lines.known_by("2020-01-02", at) == "2020-01-02"
    assert lines.known_by("2020-01-03", at) is None
    assert lines.known_by("2020-01-01T13:00:00+01:00", at) is not None
    assert lines.known_by("2020-01-01T12:00:01+00:00", at) is None
    assert lines.known_by("0001-01-01T00:00:00+14:00", at) is not None
    assert lines.known_by(None, at) is None


def test_unjudged_and_tagged_pages_say_why() -> None:
    """An unjudged page gives its reason, a tagged near duplicate its original and evidence."""
    unjudged = page_line(DOCUMENT, judged(Unjudged("5 tokens")))
    assert valid("pages", unjudged)["reason"] == "5 tokens"
    tagged = valid("pages", page_line(DOCUMENT, judged(NEAR, EDITION)))
    assert tagged["verdict"] == "near"
    assert tagged["duplicate_of"] == {"id": 3, "url": "https://a.example/old"}
    assert (tagged["distance"], tagged["similarity"], tagged["cluster"]) == (5, 0.875, 3)
    assert tagged["evidence"] == "same-text"


def test_a_sibling_names_what_it_is_like_and_why_it_is_another_page() -> None:
    """Stored, it joins no cluster and has no kind; dropped, its line names its original as any."""
    stored = valid("pages", page_line(DOCUMENT, judged(SIBLING)))
    like = {"id": 3, "url": "https://a.example/old"}
    assert (stored["verdict"], stored["sibling_of"]) == ("sibling", like)
    assert (stored["evidence"], stored["similarity"]) == ("other-title", 0.875)
    assert not stored.keys() & {"duplicate_of", "cluster", "kind", "content_similarity"}
    found = judged(SIBLING, EDITION, is_stored=False)
    dropped = valid("duplicates", duplicate_line(DOCUMENT, found))
    assert (dropped["verdict"], dropped["duplicate_of"]) == ("sibling", like)
    assert (dropped["evidence"], dropped["kind"]) == ("other-title", "partial-content-same-layout")
    assert not dropped.keys() & {"sibling_of", "cluster"}
    assert lines.is_duplicate(found)
    assert not lines.is_duplicate(judged(SIBLING, EDITION))


def test_without_evidence_no_line_claims_any() -> None:
    """Where siblings are not asked for there is no such field; a value not listed is refused."""
    line = page_line(DOCUMENT, judged(TEXTBOOK, EDITION))
    assert "evidence" not in valid("pages", line)
    for name, wrong in (("pages", "sure"), ("pages", ""), ("duplicates", "sure")):
        make = duplicate_line(DOCUMENT, judged(NEAR, EDITION))
        record = line if name == "pages" else make
        assert not Draft202012Validator(schema(name)).is_valid(record | {"evidence": wrong})


@pytest.mark.parametrize("name", ["pages", "duplicates", "summary"])
def test_schemas_know_every_evidence(name: str) -> None:
    """Each value of the enumeration is allowed, and no other; docs/output.md has a row for each."""
    field = schema(name)["properties"]["evidence"]
    assert field.get("enum", field.get("propertyNames", {}).get("enum")) in (
        list(Evidence),
        [*Evidence, None],
    )
    section = doc("output").split("\n## Evidence\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(near|sibling)` \| `([a-z-]+)` \|", section, re.MULTILINE)
    assert rows == [("near" if e.is_copy else "sibling", e.value) for e in Evidence]


def test_near_duplicate_line_explains_itself() -> None:
    """A near duplicate's line holds all that the decision rested on."""
    line = valid("duplicates", duplicate_line(DOCUMENT, judged(NEAR, EDITION)))
    evidence = {
        "evidence": "same-text",
        "distance": 5,
        "similarity": 0.875,
        "fingerprint": "8000000000000001",
        "of_fingerprint": "0000000000000007",
        "matched_blocks": [1, 3],
        "cluster": 3,
        "judged_on": "visible",
        "kind": "partial-content-same-layout",
        "content_similarity": 0.875,
        "layout_similarity": 0.984375,
        "layout": "00" * 31 + "ff",
    }
    assert evidence.items() <= line.items()
    unsure = duplicate_line(DOCUMENT, judged(TEXTBOOK, EDITION))
    assert "similarity" not in valid("duplicates", unsure)


def test_exact_duplicate_lines() -> None:
    """An exact duplicate's line holds the digests that were equal, and none that was not asked."""
    payload = ExactDuplicate("exact-payload", REF)
    line = valid("duplicates", duplicate_line(None, judged(payload, COPY)))
    assert line["payload_digest"] == format_digest(b"p" * 20)
    assert line["declared"] == "text/html;gb2312"
    assert line["kind"] == "same-content"
    assert not line.keys() & {"text_digest", "layout_similarity"}
    text = ExactDuplicate("exact-text", REF)
    line = valid("duplicates", duplicate_line(DOCUMENT, judged(text, COPY)))
    assert line["text_digest"] == format_digest(b"t" * 32)
    assert line["visible_digest"] == format_digest(b"v" * 32)


@pytest.mark.parametrize(
    ("verdict", "missing"),
    [
        *((NEAR, m) for m in ("of_fingerprint", "cluster", "kind")),
        *((SIBLING, m) for m in ("of_fingerprint", "evidence", "kind")),
    ],
)
def test_schemas_demand_the_evidence(verdict: Verdict, missing: str) -> None:
    """A near duplicate, or a dropped sibling, without its evidence is no valid line."""
    line = valid("duplicates", duplicate_line(DOCUMENT, judged(verdict, EDITION, is_stored=False)))
    validator = Draft202012Validator(schema("duplicates"))
    assert not validator.is_valid(line | {missing: None})
    del line[missing]
    assert not validator.is_valid(line)


@pytest.mark.parametrize("name", ["pages", "duplicates"])
def test_lines_of_older_programs_are_valid(name: str) -> None:
    """What does not apply was null in them: a reader takes that for a field that is left out."""
    make: dict[str, dict[str, Any]] = {
        "pages": page_line(DOCUMENT, judged(SIBLING)),
        "duplicates": duplicate_line(DOCUMENT, judged(NEAR, EDITION)),
    }
    older = dict.fromkeys(schema(name)["properties"]) | make[name]
    assert len(older) > len(make[name])
    assert valid(name, older) == older


@pytest.mark.parametrize("make", [schema, corpus_schema])
@pytest.mark.parametrize("name", ["pages", "duplicates"])
def test_a_field_that_need_not_apply_may_be_null(name: str, make: Any) -> None:
    """Every field is required or may be null, whatever part of the schema describes it."""
    whole = make(name)
    for field, described in whole["properties"].items():
        nullable = "null" in described.get("type", ()) and None in described.get("enum", [None])
        assert field in whole["required"] or nullable, field


def test_redirect_line() -> None:
    """A redirect's line says where to, and what became of the target."""
    line = valid(
        "redirects", only_line(lines.redirect_end(Redirected(TASK, 301, "https://b/", AT), "seen"))
    )
    assert (line["target"], line["hops"], line["offered"]) == ("https://b/", 1, "seen")


@pytest.mark.parametrize("failure", Failure)
def test_failure_lines(failure: Failure) -> None:
    """Every failure class has a valid line; a host given up on was not tried once more."""
    line = valid("failures", only_line(lines.fail_end(Failed(TASK, failure, "\x00 b\udcff\n", AT))))
    assert line["failure"] == failure.value
    assert line["attempts"] == (1 if failure is Failure.HOST_UNREACHABLE else 2)
    assert line["detail"] == "\x00 b\ufffd\n"


@pytest.mark.parametrize("reason", Skip)
def test_skipped_lines(reason: Skip) -> None:
    """Every reason has a valid line."""
    assert (
        valid("skipped", only_line(lines.skip_end(Skipped(TASK, reason, "", AT))))["reason"]
        == reason
    )


@given(
    text=st.text(st.characters()),
    title=st.none() | st.text(st.characters()),
    at=st.floats(0, 4e9),
    fingerprint=st.integers(0, 2**64 - 1),
    verdict=st.sampled_from([New(), Unjudged("short"), NEAR, TEXTBOOK, SIBLING]),
)
def test_any_page_is_one_valid_line(
    text: str, title: str | None, at: float, fingerprint: int, verdict: Verdict
) -> None:
    """Whatever a page says, lone surrogates included, it becomes one line of valid UTF-8 JSON."""
    signature = replace(SIGNATURE, fingerprint=fingerprint)
    document = replace(DOCUMENT, text=text, title=title, signature=signature)
    alike = EDITION if isinstance(verdict, NearDuplicate) else None
    record = page_line(document, judged(verdict, alike), replace(FETCHED, fetched_at=at))
    line = b"".join(encoded(record))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    read = valid("pages", record)
    assert int(read["fingerprint"], 16) == fingerprint
    assert read["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _objects(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the schema and those of its fields that have fixed fields of their own."""
    if "properties" in part and "required" in part:
        yield part
        for field in part["properties"].values():
            yield from _objects(field)


def _fields(part: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, field in part["properties"].items():
        if field.get("deprecated"):  # only older lines have it
            continue
        kind = field.get("type", "string")
        text = " or ".join(kind) if isinstance(kind, list) else kind
        yield prefix + name, text
        if "properties" in field:
            yield from _fields(field, f"{prefix}{name}.")


def _documented(name: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the fields of a table with their types, and those that are as in `pages.jsonl`."""
    title = schema(name)["title"]
    section = doc("output").split(f"\n## `{title}`\n")[1].split("\n## ")[0]
    table = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", section, re.MULTILINE)
    _, _, shared = section.partition("\nAlso, as in `pages.jsonl`: ")
    return table, re.findall(r"`([^`]+)`", shared.partition("\n\n")[0])
