"""Dates, times, bylines and counters: what changes on a page though nothing was changed in it.

A number counts: 10 mg and 100 mg are two pages. So a number is only taken off where the words
around it say that it is a counter, or a date of the page.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SHORT = 100
"""Characters of the longest line that may be a byline or a date: what is longer tells something."""


def _any(words: str) -> str:
    """Return an expression of words, most of them expressions themselves."""
    return "|".join(words.split())


_MONTH = "(?:{})\\.?".format(
    _any(
        r"""
        jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)?
        sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?
        """
    )
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_STAMP = re.compile(
    _any(
        rf"""
        \d++\s?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\sago
        \d++\s?(?:秒|分钟|小时|天|周|个月|年)前
        \d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}} \d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}
        {_DAY}\.?\s{_MONTH},?(?:\s\d{{4}})? {_MONTH}\s{_DAY},?(?:\s\d{{4}})?
        \d{{4}}\s?年\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?[日号])?
        \d{{1,2}}\s?月\s?\d{{1,2}}\s?[日号]
        t?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\.\d+)?\s?(?:[ap]\.?m\.?|z|utc|gmt)?(?:[+-]\d{{2}}:?\d{{2}})?
        (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b,?
        (?:星期|周)[一二三四五六日天]
        """
    )
)
"""A date or a time of day."""

_NUMBER = r"(?:\d[\d.,\s]*)?\d"
_THOUSANDS = r"(?:\s?[km万亿])?"
_COUNTED = _any(
    r"""
    views? reads? hits? visits? visitors? comments? repl(?:y|ies) shares? likes? claps?
    downloads? followers? subscribers? min(?:utes?)?\sread people\s(?:like|read|viewed) guests?
    users?\sonline 次?(?:阅读|浏览|点击|评论|回复|点赞|赞|转发|收藏|分享|下载|访问|看过)
    人(?:阅读|看过|在线)
    热度 条?(?:评论|回复)
    """
)
_LABELS = _any(
    r"""
    views? viewed reads? hits? visits? visitors? comments? repl(?:y|ies) shares? likes?
    downloads? reading\stime you\sare\svisitor(?:\snumber)?
    (?:阅读|浏览|点击|访问|下载)(?:量|次数|数|率)?
    (?:评论|回复|点赞|转发|收藏|分享)(?:数|量)? 热度 人气 字数
    """
)
_COUNTER = re.compile(
    rf"(?<!\d)(?>{_NUMBER}){_THOUSANDS}\s?(?:{_COUNTED})(?!\w)"
    rf"|(?<!\w)(?:{_LABELS})\s?[:：]?\s?\(?{_NUMBER}{_THOUSANDS}(?!\w)\)?"
    r"|(?:©|copyright(?:\s\(c\))?)\s?\d{4}(?:\s?[-–]\s?\d{4})?"
)

_ABOUT_THE_PAGE = re.compile(
    r"\b(?:{})\b|{}".format(
        _any(
            """
            published posted updated modified created edited revised reviewed changed printed
            retrieved accessed generated built (?<!\\w\\s)date issued as\\sof written reported
            author source via filed edition
            """
        ),
        _any(
            """
            发布 发表 原载 首发 更新 修改 编辑 打印 (?<!\\w)日期 (?<!\\w)时间 作者 记者 来源 责编
            转载 录入 创建 上次 最后 生成
            """
        ),
    )
)
"""Words that tell of when, by whom and whence; a date of something (`closing date`) is told."""
_JOINING = re.compile(r"\b(?:on|at|by|from|of|to|in|the)\b")
"""Words around a date that alone tell nothing: what else they join is told, such as a deadline."""
_BYLINE = re.compile(
    r"(?:(?:{})\b\s?:?\s|(?:{})\s?[/:：／|])".format(
        _any(r"by author (?:written|posted|reported|edited)\sby source"),
        _any("作者 记者 来源 责编 责任编辑 文 编辑 转载自"),
    )
)
_DIGIT = re.compile(r"\d")
_NOT_WORD = re.compile(r"[\W_]+")


def lasting(line: str) -> str:
    """Return what of a line does not change by itself, as words in lower case; often all of it.

    Empty for a line that is only a date, a byline or a counter.
    """
    folded = line.casefold()
    return _lasting(folded) if len(folded) <= _SHORT else _words(folded)


@lru_cache(maxsize=16_384)
def _lasting(folded: str) -> str:
    """Do so with a short line; one is asked about many times, for each page that it stands on."""
    has_number = _DIGIT.search(folded) is not None
    if has_number:
        folded = _COUNTER.sub(" ", folded)
    if _BYLINE.match(folded) and not _DIGIT.search(_STAMP.sub(" ", folded)):
        return ""
    return _words(_without_date(folded) if has_number else folded)


def _words(line: str) -> str:
    return _NOT_WORD.sub(" ", line).strip()


def _without_date(line: str) -> str:
    """Return nothing of a line that is a date of the page, all of any other."""
    bare = _STAMP.sub(" ", line)
    if bare == line:
        return line
    alone = not _NOT_WORD.sub("", _JOINING.sub(" ", bare))
    return "" if alone or _ABOUT_THE_PAGE.search(bare) else line
