"""Which pages are tried with a browser, by what their site has shown."""

from __future__ import annotations

from dataclasses import replace

from support.apps import text_of

from crawler.extract.page import parse
from crawler.extract.scripts import shell_of
from crawler.models import Shell
from crawler.sources.web.rendering import LITTLE_WORDS, Parts


def test_a_page_of_many_words_may_stand_at_two_addresses() -> None:
    """Static sites spell one page in two ways; what a third address shows, too, is a shell."""
    parts, shell = Parts({}), Shell("app", LITTLE_WORDS, leads_on=True, digest=b"")
    spelled = ("/docs", "/docs/index.html", "/docs", "/other")
    assert [parts.suspect("site", shell, path) is not None for path in spelled] == [
        *(False, False, False, True)
    ]
    little = replace(shell, words=LITTLE_WORDS - 1)
    told = [parts.suspect("little", little, path) for path in spelled[:2]]
    assert [part is not None and part.repeats for part in told] == [False, True]


def test_the_data_of_a_page_shows_nothing() -> None:
    """A page that only carries it is under suspicion; one that a server has made of it is not."""
    text = text_of("one")
    data = f'<script id=state type=application/json>{{"text": "{text}"}}</script>'
    for made, is_suspicious in (("", True), (f"<p>{text}</p><a href=/two>on</a>", False)):
        html = f"<div id=root>{made}</div>{data}<script src=/app.js></script>"
        shell = shell_of(parse(html, "text/html"))
        assert (Parts({}).suspect("site", shell, "/one") is not None) is is_suspicious
