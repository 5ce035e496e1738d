"""Which pages are tried with a browser, by what their site has shown."""

from __future__ import annotations

from dataclasses import replace

from crawler.extract.scripts import LITTLE_WORDS, Shell
from crawler.sources.web.rendering import Parts


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
