"""Stamps and counters: what changes on a page though nothing was changed in it.

A number counts: 10 mg and 100 mg are two pages. A date counts too: it may be that of a concert. So
what is left out is only the stamp itself, a date that a word beside it calls the page's own
(`updated 3 May 2024`, `发布时间：2024-05-03 14:22`), and a number that the words of a page counter
stand next to (`1,024 views`). All else on its line counts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u109f\u1780-\u17ff"
"""Marks that are parts of words, and no word characters to Python: vowels of Hindi, of Thai."""
_LONGEST = 2_000
"""Characters of a line in which stamps are looked for; no author's line is longer."""

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WEEKDAY = (
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|(?:星期|周)[一二三四五六日天]"
)
_CLOCK = (
    r"t?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?"
    r"\s?(?:[ap]\.?m\.?(?!\w)|z(?!\w)|utc|gmt)?(?:[+-]\d{2}:?\d{2})?"
)
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_DAY}\.?\s(?:of\s)?{_MONTH},?(?:\s\d{{4}})?|{_MONTH}\s(?:{_DAY},?(?:\s\d{{4}})?|\d{{4}})"
    r"|\d{1,2}[-/]\d{1,2}(?=\s\d{1,2}:\d{2})"
    r"|\d{4}\s?年\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?|\d{1,2}\s?月\s?\d{1,2}\s?[日号])(?!\d)"
)
_MOMENT = rf"(?:(?:(?:{_WEEKDAY})[\s,，]*)?{_DATE}(?:[\s,，]*(?:at\s)?(?:{_CLOCK}))?)"
"""A date, with its day of the week and a time of day where they stand beside it."""
_AGO = (
    r"\d++\s?(?:(?:second|minute|hour|day|week|month|year)s?\sago"
    r"|(?:秒钟?|分钟|小时|天|周|个月|年)以?前)"
)
_SAID = (
    r"published|posted|(?:last\s|page\s)?updated|(?:last\s)?modified|created|printed|retrieved"
    r"|(?:last\s)?(?:changed|edited|revised|reviewed)|accessed|generated|issued"
)
_SAID_ZH = (
    "(?:首次|最后|上次)?"
    "(?:发布|发表|更新|修改|编辑|打印|录入|创建|生成|转载|上传|抓取)(?:于|日期|时间)?"
)
_JOINS = r"[\s:：,，|·•-]*(?:(?:on|at|in)\b[\s:：]*)?"
_STAMP = re.compile(
    rf"(?:(?<!first )(?<!originally )(?:\b(?:{_SAID})\b|{_SAID_ZH}){_JOINS}"
    r"|(?:^|[(|（])\s*(?:gmt|utc)\s?[+-]\s?\d{1,2}(?::\d{2})?,\s*)"
    rf"(?:{_MOMENT}|{_AGO})"
    rf"|{_MOMENT}[\s,，|·•-]*(?:\b(?:{_SAID})\b(?!\s+\w+\s+\d)|{_SAID_ZH})(?![\s:：]*\d)"
    rf"|(?:^|[|·•,，/—-])\s*{_AGO}(?=\s*(?:$|[|·•,，;；)）/.。—-]))"
    r"|(?:page\s)?(?:generated|rendered|created|loaded|made|executed|processed)\sin\s[\d.]+\s?(?:seconds?|sec|ms|s)\b"
    r"|(?:加载|执行|处理|生成)(?:用时|耗时|时间)\s?[:：]?\s?[\d.]+\s?(?:毫?秒|ms|s)"
    r"|(?:©|copyright(?:\s\(c\))?)\s?\d{4}(?:\s?[-–]\s?\d{4})?"
)
"""A date with the word that says that it is the page's, on either side of it; a forum's clock; how
long ago, between signs that part; how long a page took to make, and the years of its copyright."""

_NUMBER = r"(?:\d{1,3}(?:[,.\s]\d{3})+|\d+)(?:\.\d+)?"
"""Also with signs between thousands."""
_THOUSANDS = r"(?:\s?[km万亿])?"
_DONE = (
    r"(?:page\s)?views?|reads?|hits?|visits?|visitors?|comments?|repl(?:y|ies)|likes?"
    r"|(?:guests?|users?|members?|visitors?)\s(?:online|browsing)"
)
"""What readers do that is counted, and who they are."""
_READ_ZH, _DONE_ZH = "阅读|浏览|点击|访问", "评论|回复|点赞|转发|收藏|分享"
_COUNTED = (
    rf"{_DONE}|people\s(?:like|read|viewed)|min(?:utes?)?\sread|(?:are\s)?(?:listening|watching|reading|online)\snow"
    rf"|(?:位)?(?:会员|游客)(?=\W|$|\d)|次?(?:{_READ_ZH}|{_DONE_ZH}|看过)"
    r"|人(?:阅读|看过|在线|浏览)|条?(?:评论|回复)"
)
_LABELS = (
    rf"{_DONE}|viewed|visits?\stoday|you\sare\svisitor(?:\snumber)?"
    rf"|(?:{_READ_ZH}|查看)(?:量|次数|数|率)?|(?:{_DONE_ZH})(?:数|量)?"
    r"|今日(?:访问|浏览)|热度|人气|在线人数|赞|在看"
)
_COUNTER = re.compile(
    rf"(?:(?<![\d.,])(?>{_NUMBER}){_THOUSANDS}\s?(?:{_COUNTED})(?!\w)(?!\s?\d+\s?次)"
    rf"|(?<!\w)(?:{_LABELS})\s?[:：#]?\s?[(（]?{_NUMBER}{_THOUSANDS}(?:\s?(?:次|times?))?(?!\w)[)）]?)"
    rf"(?=\s*(?:$|[|·•,，;；)）(（/.。—\[-]|\d|{_LABELS}))"
    rf"|(?:{_READ_ZH})(?:量|次数|数)\s?[:：]\s?{_NUMBER}{_THOUSANDS}(?=\s)"
    rf"|users\sand\s{_NUMBER}\sguests?(?!\w)"
    rf"|[已被](?:阅|看|读|查|查看|阅读|浏览|点击)\s?{_NUMBER}\s?次|第\s?{_NUMBER}\s?位(?:访客|游客|访问者)"
)

_WHOLE_DATE = re.compile(
    r"(?<!\d)(?P<y1>\d{4})(?:-|/|\.|\s?年\s?)(?P<m1>\d{1,2})(?:-|/|\.|\s?月\s?)(?P<d1>\d{1,2})(?!\d)\s?[日号]?"
    rf"|(?<!\d)(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\.?\s(?:of\s)?(?P<m2>{_MONTH}),?\s(?P<y2>\d{{4}})(?!\d)"
    rf"|\b(?P<m3>{_MONTH})\s(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y3>\d{{4}})(?!\d)"
)
"""Day, month and year: a page in another dress writes them in another way."""

_PUBLISHED = re.compile(
    rf"(?<!\w)(?:published|posted|issued|(?:首次)?(?:发布|发表)(?:于|日期|时间)?){_JOINS}{_MOMENT}"
)
_BARE = re.compile(rf"{_MOMENT}|{_CLOCK}|{_WEEKDAY}")
_BYLINE = re.compile(
    r"(?:by|author|(?:written|posted|reported|edited)\sby|source)\b\s?:?\s"
    r"|(?:作者|记者|来源|责编|责任编辑|文|编辑|转载自)\s?[/:：／|]"
)
_ALONG = re.compile(rf"\b(?:{_SAID}|date|time|on|at|by|from|of|to|in|the)\b|{_SAID_ZH}|日期|时间")
_SHORT = 100
"""Characters of the longest line that may be nothing but a byline or a date."""
_DIGIT = re.compile(r"\d")
SIGNS = (
    "$£¥¢฿%‰°+#=±×÷\u2032-\u2034\u20a0-\u20cf\u2100-\u2121\u2123-\u214f\u2190-\u2bff"
    "\u3200-\u33ff\u4dc0-\u4dff\ue000-\uf8ff\U0001d000-\U0001d37f\U0001f000-\U0001fbff"
    "\U000e0020-\U000e007e"
)
"""The blocks of Unicode for currencies, for units and other symbols from arrows and stars to
operators, of notes and hexagrams, for pictographs and their tags (the flag of Wales), and those
that icon fonts draw: each is drawn for what it says, where punctuation only parts."""
_SIGN = re.compile(
    rf"[{SIGNS}￥]|!(?==)|[<>](?=\s?[\d=])|(?<![\w)\]])[-−](?=\d)"
    r"|(?<=\w)[−*](?![\w*])|(?<=\b\w)-(?![\w-])"
)
_SIGNS = {
    "￥": "¥",
    "!": "≠",
    "<": "≪",
    ">": "≫",
    "-": "⁻",
    "−": "⁻",
    "*": "∗",
    "℃": "°c",
    "℉": "°f",
}
"""What is no word and yet a fact: $29 and €29, -5 and 5, C and C++, == and !=, A, A* and A-."""
_NOT_WORD = re.compile(rf"(?:[^\w{MARKS}{SIGNS}≪≫⁻]|_)+")


def lasting(line: str) -> str:
    """Return what of a line does not change by itself, as words in lower case; often all of it.

    Empty for a line that is only a stamp or a counter.
    """
    folded = line.casefold()
    if not folded.isascii():
        folded = normalize("NFC", folded)
    return _lasting(folded) if len(folded) <= _LONGEST else _words(folded)


def is_dateline(line: str) -> bool:
    """Whether a line is but a byline, or a date with words that tell when: what a reprint changes.

    Another publisher prints a text under another date and credit. On one site both are told.
    """
    folded = line.casefold()
    if len(folded) > _SHORT:
        return False
    if _BYLINE.match(folded):
        return not _DIGIT.search(_BARE.sub(" ", folded))
    bare = _BARE.sub(" ", folded)
    return bare != folded and not _NOT_WORD.sub("", _ALONG.sub(" ", bare))


def has_only_dates(line: str) -> bool:
    """Whether there are numbers in a line, and all of them are of dates and times of day."""
    folded = line.casefold()
    if len(folded) > _SHORT or _DIGIT.search(folded) is None:
        return False
    return _DIGIT.search(_BARE.sub(" ", folded)) is None


def without_stamps(line: str) -> str:
    """Return a line as it is written but for stamps and counters: also its signs count."""
    parts, at = [], 0
    for begin, end in stamps(line):
        parts.append(line[at:begin])
        at = max(at, end)
    return "".join((*parts, line[at:]))


def stamps(line: str, *, counted: bool = True) -> list[tuple[int, int]]:
    """Return where stamps and counters stand in a line as it is written: what `lasting` leaves out.

    Without counters unless they are `counted` among them. None where lower case has other lengths
    than the line, as with `İ`.
    """
    folded = line.casefold()
    if len(folded) != len(line) or len(line) > _LONGEST:
        return []
    found = [match.span() for match in _STAMP.finditer(folded)]
    if counted:
        found += [match.span() for match in _COUNTER.finditer(folded)]
    return sorted(found)


def counters(line: str) -> list[tuple[str, str]]:
    """Return the counters of a line, each in words, lower case, and its form: these but numbers."""
    folded = line.casefold()
    if len(folded) > _LONGEST or _DIGIT.search(folded) is None:
        return []
    counted = [match[0] for match in _COUNTER.finditer(_STAMP.sub(" ", folded))]
    return [(_words(one), _words(re.sub(_NUMBER, " ", one))) for one in counted]


def days_of_publication(line: str) -> list[str]:
    """Return the days, in one form, on which a line says that its page was published."""
    folded = line.casefold()
    if len(folded) > _LONGEST or _DIGIT.search(folded) is None:
        return []
    told = (
        date for match in _PUBLISHED.finditer(folded) for date in _WHOLE_DATE.finditer(match[0])
    )
    return [_dated(date).strip() for date in told]


@lru_cache(maxsize=16_384)
def _lasting(folded: str) -> str:
    """Do so with a line; one is asked about many times, for each page that it stands on."""
    if _DIGIT.search(folded) is not None:
        folded = _WHOLE_DATE.sub(_dated, _COUNTER.sub(" ", _STAMP.sub(" ", folded)))
    return _words(folded)


def _dated(date: re.Match[str]) -> str:
    """Return a date in one form, however it is written, where day, month and year are certain."""
    year, month, day = (date[f"{of}1"] or date[f"{of}2"] or date[f"{of}3"] for of in "ymd")
    number = int(month) if month.isdigit() else 1 + _MONTHS.index(month[:3])
    return f" {year} {number:02} {int(day):02} "


def _words(line: str) -> str:
    if _SIGN.search(line) is not None:
        line = _SIGN.sub(lambda sign: f" {_SIGNS.get(sign[0], sign[0])} ", line)
    return _NOT_WORD.sub(" ", line).strip()
