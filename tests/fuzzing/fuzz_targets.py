"""Every entry point that takes what strangers wrote, once, with what must hold of any input.

A target takes bytes, turns them into the entry point's own input, and raises AssertionError where
a promise is broken; any other exception is a finding too. Both `test_fuzz.py` (Hypothesis, in
`make test`) and `fuzz.py` (atheris, `make fuzz`) run these targets.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType

import ada_url
import fuzz_seeds as seeds
from fuzz_state import read_damaged_state

from crawler import urls
from crawler.config import Dedup, Job, load_job, read_seeds
from crawler.dedup import Signer, kernels
from crawler.errors import ConfigError
from crawler.extract.charset import decode, lookup
from crawler.extract.directives import robots_directives
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import layout_paths, page_links, parse, read_page
from crawler.extract.readings import judged_on, main_text
from crawler.extract.text import plain_text
from crawler.fetch.response import (
    Headers,
    content_type,
    kept_headers,
    resolve_location,
    retry_after_s,
)
from crawler.fetch.robots import RobotsFile, RobotsRules
from crawler.fetch.trouble import Trouble
from crawler.models import Signature
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

AGENT = "InlineCrawler"
SITE = "http://site.test/a/b?c"
MEDIA_TYPES = ("text/html", "application/xhtml+xml", "text/plain")

_canonical = urls.Canonicaliser()
_analyser = Analyser(AnalysisSettings.of(Job()))
_signer = Signer(Dedup())
_COMPARED = [field.name for field in fields(Signature) if field.name != "shingles"]


@dataclass(frozen=True, slots=True)
class Target:
    """An entry point: what to run on bytes, and inputs to begin with."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def text_parts(data: bytes, count: int) -> list[str]:
    """Split into `count` texts at NUL; lone surrogates stand for bytes that are not UTF-8."""
    parts = data.split(b"\0", count - 1)
    texts = [part.decode("utf-8", "surrogateescape") for part in parts]
    return texts + [""] * (count - len(texts))


def url(data: bytes) -> None:
    """A URL and its base: canonical or None; the form is stable, parses, and has a host."""
    reference, base = text_parts(data, 2)
    for form in (_canonical(reference), _canonical(reference, base)):
        if form is None:
            continue
        assert _canonical(form) == form
        assert form.isascii()
        assert len(form) <= urls.MAX_URL_LENGTH
        assert ada_url.URL(form).href == form
        host = urls.host_key(form)
        assert urls.origin(form).endswith(host) or host in urls.origin(form)
        urls.registrable_domain(host)


def redirect(data: bytes) -> None:
    """A Location header: an absolute URL without fragment, or Trouble that says why."""
    location, base = text_parts(data, 2)
    origin = _canonical(base) or SITE
    try:
        target = resolve_location(location, origin)
    except Trouble:
        return
    assert ada_url.URL(target).hash == ""


def robots(data: bytes) -> None:
    """A robots.txt: it is read without trouble, and answers any URL."""
    body, _, path = data.partition(b"\0")
    file = RobotsFile(body, AGENT).all()
    rules = RobotsRules(file.rules)
    assert rules.allowed("http://site.test/robots.txt")
    asked = _canonical("http://site.test/" + path.decode("utf-8", "replace"))
    assert asked is None or rules.allowed(asked) in (True, False)
    assert file.crawl_delay_s is None or 0.0 <= file.crawl_delay_s < math.inf


def header(data: bytes) -> None:
    """Response headers: types, waits and directives come out usable, whatever they say."""
    parts = text_parts(data, 3)
    fields = Headers(zip(("content-type", "retry-after", "x-robots-tag"), parts, strict=True))
    kind = content_type(fields)
    assert kind.media_type is None or kind.media_type == kind.media_type.lower()
    wait_s = retry_after_s(parts[1], 1e9, 60.0)
    assert wait_s is None or 0.0 <= wait_s <= 60.0
    robots_directives(kept_headers(fields).get("x-robots-tag"), AGENT)


def charset(data: bytes) -> None:
    """A body under a label and a type: a text that can be stored, and the same twice."""
    choice, _, rest = data.partition(b"\0")
    label, _, body = rest.partition(b"\0")
    declared = label.decode("latin-1") or None
    media_type = MEDIA_TYPES[len(choice) % 3]
    found = decode(body, declared, media_type)
    assert found == decode(body, declared, media_type)
    assert "\0" not in found.text
    found.text.encode()
    assert 0 <= found.errors <= len(body)
    assert lookup(found.encoding) == found.encoding


def links(data: bytes) -> None:
    """A page's markup: its links are canonical and unique, hints are sound."""
    html = data.decode("utf-8", "replace").replace("\0", "")
    tree = parse(html, MEDIA_TYPES[len(data) % 2])
    found = page_links(tree, SITE, _canonical, AGENT)
    assert len(set(found.links)) == len(found.links)
    assert all(_canonical(link) == link for link in found.links)
    hints, _ = read_page(tree, SITE, _canonical, AGENT)
    for address in (hints.canonical_url, hints.refresh):
        assert address is None or _canonical(address) == address
    if hints.title is not None:
        hints.title.encode()


def extract(data: bytes) -> None:
    """A page's texts: fit for records, and one of them is judged."""
    html = data.decode("utf-8", "replace").replace("\0", "")
    tree = parse(html, "text/html")
    lines = visible_lines(tree)
    layout_paths(tree)
    main = main_text(html)
    judged_on(main, lines)
    for text in (main, text_of(lines), plain_text(html)):
        assert "\0" not in text
        text.encode()


def analyse(data: bytes) -> None:
    """The whole way from bytes to a document, as the analysis processes go it."""
    choice, _, body = data.partition(b"\0")
    media_type = MEDIA_TYPES[len(choice) % 3]
    document = _analyser.analyse(AnalysisRequest(SITE, body, media_type, None))
    document.text.encode()
    assert document.signature.tokens >= 0


def sign(data: bytes) -> None:
    """A text's signature: the same from the kernels in C and from those in numpy."""
    judged, visible = text_parts(data, 2)
    signed = signature(judged, visible)
    with kernels.using("numpy"):
        assert signature(judged, visible) == signed


def signature(judged: str, visible: str) -> tuple[object, ...]:
    """Return all that a signature holds, in values that can be compared."""
    signed = _signer(judged, visible)
    shingles = signed.shingles.tolist()
    return (*(getattr(signed, name) for name in _COMPARED), shingles)


def config(data: bytes) -> None:
    """A job file and a seed list: a job, seeds, or one ConfigError that names the file."""
    with tempfile.TemporaryDirectory(dir=_memory()) as home:
        path = Path(home) / "job.yaml"
        path.write_bytes(data)
        for read in (load_job, read_seeds):
            try:
                read(path)
            except ConfigError as error:
                message = str(error)
                assert str(path) in message
                message.encode()


def state(data: bytes) -> None:
    """A damaged crawl directory: it opens, or one error tells of it and nothing is lost."""
    with tempfile.TemporaryDirectory(dir=_memory()) as home:
        read_damaged_state(Path(home), data)


def _memory() -> Path | None:
    """Return a directory in memory where the system has one: these files live for milliseconds."""
    shared = Path("/dev/shm")
    return shared if shared.is_dir() else None


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "url": Target(url, seeds.URLS),
        "redirect": Target(redirect, seeds.URLS),
        "robots": Target(robots, seeds.ROBOTS),
        "header": Target(header, seeds.HEADERS),
        "charset": Target(charset, seeds.BODIES),
        "links": Target(links, seeds.PAGES),
        "extract": Target(extract, seeds.PAGES),
        "analyse": Target(analyse, seeds.BODIES),
        "sign": Target(sign, seeds.TEXTS),
        "config": Target(config, seeds.CONFIGS),
        "state": Target(state, seeds.DAMAGES),
    }
)
"""Name -> entry point; the names `make fuzz` takes."""
