"""Volatile lines: dates, counters and bylines are taken off, whatever tells something is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies.volatile import lasting


@pytest.mark.parametrize(
    "line",
    [
        "2024-05-01",
        "May 5, 2020",
        "5th May 2024",
        "Monday, 5 May 2024 at 10:30 pm",
        "10:30",
        "2020年5月6日 10:30",
        "星期三 5月6日",
        "5 minutes ago",
        "3小时前",
        "Published: 2024-05-01",
        "Last updated on 5 May 2024 by the editors",
        "This page was last edited on 5 May 2024, at 10:30.",
        "Posted by admin on May 5, 2020",
        "发布时间：2024年5月6日",
        "时间：2024-05-06",
        "日期: 2024/05/06",
        "1,234 views",
        "Views: 99",
        "12 comments",
        "Comments (5)",
        "3.4k likes",
        "5 min read",
        "阅读 1234",
        "阅读量：12万",
        "浏览次数: 120",
        "86人阅读",
        "By John Smith",
        "by Ann Lee | 3 min read",
        "By John Smith on 5 May 2024",
        "Source: Reuters",
        "作者：王五",
        "来源/新华社",
        "文／记者 张三",
    ],
)
def test_dates_counters_and_bylines_are_taken_off(line: str) -> None:
    """Of a line that is nothing else, nothing is left, in English and in Chinese."""
    assert lasting(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "10 mg",
        "100 mg",
        "每日3次",
        "Chapter 3",
        "第3章",
        "32 GB",
        "-32768..65535",
        "Version 2.3.1",
        "Score 3:2 after extra time",
        "12 people",
        "The meeting on 5 May 2024 was held in Rome.",
        "Applications must be received by 5 May 2024",
        "Open from 5 May 2024 to 6 June 2024 for visitors",
        "Closing date: 5 May 2024",
        "会议于2024年5月6日举行。",
        "截止日期：2024-05-01",
        "会议时间：2024年5月6日 14:00",
        "By chapter 5 he was dead",
        "Source code of version 3",
        "The lighthouse",
    ],
)
def test_what_tells_something_is_kept(line: str) -> None:
    """Doses, numbers of chapters, sizes, and the days on which something happens."""
    kept = lasting(line)
    assert [c for c in kept if c.isalnum()] == [c for c in line.casefold() if c.isalnum()]


def test_a_counter_is_taken_off_what_it_stands_in() -> None:
    """Of a short line with more in it the rest is left."""
    assert lasting("The harbour · 1,234 views") == "the harbour"
    assert lasting("© 2024 The Harbour Ltd.") == lasting("© 2019–2025 The Harbour Ltd.") != ""


def test_long_lines_are_told_whole() -> None:
    """What is longer than a byline tells something, its dates and counters included."""
    line = (
        "By the time that it closed in 2024-05-01 it had been seen by many, 1,234 views in all, "
        * 2
    )
    assert "2024 05 01" in lasting(line)
    assert "1 234 views" in lasting(line)


@given(st.text(st.characters()))
def test_a_line_is_taken_off_once(line: str) -> None:
    """Any line at all has words in lower case left, between single spaces."""
    kept = lasting(line)
    assert kept == kept.strip()
    assert "  " not in kept
    assert kept == kept.casefold()
