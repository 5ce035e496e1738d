"""Which language a block of code is written in, where its markup says so."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

_LANGUAGE = r"(?P<language>[A-Za-z][\w+#.-]*)"
_AROUND = re.compile(
    rf"(?:^|\s)(?:highlight-source-|highlight-|language-|src-|brush:\s*|sourceCode\s+"
    rf"|highlight\s+(?!highlight)){_LANGUAGE}"
)
"""Sphinx, Jekyll, GitHub, org-mode, SyntaxHighlighter, pandoc, Hexo."""
_OWN = re.compile(
    rf"(?:^|\s)(?:highlight-source-|highlight-|language-|lang-|src-|brush:\s*|sourceCode\s+"
    rf"|hljs\s+|highlight\s+(?!highlight)){_LANGUAGE}|(?:^|\s)(?P<before>[\w+#.-]+)\s+hljs(?:\s|$)"
)
"""Beside these google-code-prettify and highlight.js."""

_NAMES = ("highlight", "language-", "brush", "src-", "sourceCode")

_NO_LANGUAGES = frozenset(
    "code default nohighlight none notranslate plain plaintext text txt undefined".split()
)


def language_around(classes: str) -> str:
    """Return the language that the classes of an element name for the code in it, or nothing."""
    if not any(name in classes for name in _NAMES):
        return ""
    return _first(_AROUND, classes)


def language_of(code: LexborNode) -> str:
    """Return the language that a `pre` names, or the `code` that it begins with."""
    attributes = code.attributes
    return _named(attributes) or _named(_first_element(code))


def _named(attributes: dict[str, str | None]) -> str:
    for name in ("data-lang", "data-language"):
        if found := _AROUND.match(f"language-{attributes.get(name) or ''}"):
            return _known(found["language"])
    return _first(_OWN, attributes.get("class") or "")


def _first_element(node: LexborNode) -> dict[str, str | None]:
    """Return the attributes of a `code` that a node begins with."""
    child = node.first_child
    while child is not None and child.tag == "-text" and (child.text_content or "").isspace():
        child = child.next
    return child.attributes if child is not None and child.tag == "code" else {}


def _first(named: re.Pattern[str], classes: str) -> str:
    for found in named.finditer(classes):
        groups = found.groupdict()
        if language := _known(groups["language"] or groups.get("before") or ""):
            return language
    return ""


def _known(language: str) -> str:
    language = language.lower().rstrip(".-")
    return "" if language in _NO_LANGUAGES else language
