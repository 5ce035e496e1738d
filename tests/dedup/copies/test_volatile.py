"""Stamps and counters are taken off a line, and nothing else: what tells something counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies.volatile import (
    days_of_publication,
    has_only_dates,
    is_dateline,
    lasting,
    stamps,
)


@pytest.mark.parametrize(
    "line",
    [
        "Published: 2024-05-01",
        "Updated on 3 May 2024, at 10:30 pm",
        "3 May 2024 published",
        "Printed 3 May 2024 10:22",
        "5 minutes ago",
        "updated 3 days ago",
        "3小时前",
        "发布时间：2024-05-03 14:22",
        "更新于 2024年5月6日",
        "1,024 views",
        "Views: 99",
        "12 comments",
        "( GMT+8, 2024-5-25 21:07 )",
        "visits today: 396",
        "Page made in 0.750 s",
        "Comments (5)",
        "3.4k likes",
        "5 min read",
        "120 guests online",
        "阅读 1024 次",
        "阅读量：12万",
        "浏览次数: 120",
        "86人阅读",
        "人气：9182",
        "热度 320",
        "You are visitor number 4711",
        "Generated in 0.03 seconds",
        "© 2019–2025",
        "１２ views",
    ],
)
def test_of_a_stamp_or_counter_nothing_is_left(line: str) -> None:
    """A date that a word calls the page's own, and a number that counts its readers."""
    assert lasting(line) == ""


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Issued 3 May 2024: lot 44121, smoked salmon", "lot 44121 smoked salmon"),
        ("Reviewed 3 May 2024: 5 stars", "5 stars"),
        ("Accessed 3 May 2024, 45 of 100 tickets", "45 of 100 tickets"),
        ("Last updated on 5 May 2024 by Ann Lee", "by ann lee"),
        ("The harbour · 1,024 views", "the harbour"),
        ("1,024 views | 3 goals", "3 goals"),
        ("© 2024 The Harbour Ltd.", "the harbour ltd"),
        ("发布时间：2024-05-03 批号 44121", "批号 44121"),
        ("来源：县住建局 浏览次数：735 字体：大 中 小", "来源 县住建局 字体 大 中 小"),
        ("阅读 2477 赞 在看", "赞 在看"),
        ("No registered users and 3 guests", "no registered"),
        ("He has 12 guests at home", "he has 12 guests at home"),
        ("阅读 300 页", "阅读 300 页"),
        ("520 are listening now. Valley Radio", "valley radio"),
        ("Visitors: 1005 in the year", "visitors 1005 in the year"),
        ("Wedding for up to 12 guests", "wedding for up to 12 guests"),
        ("Kick-off GMT+8, 2024-05-25 21:07", "kick off gmt + 8 2024 05 25 21 07"),
        ("累计售出 64 件", "累计售出 64 件"),
        ("今日下载 929", "今日下载 929"),
        ("编号 3021　本条已查 937 次", "编号 3021 本条"),
        ("您是第 913 位访客", "您是"),
        ("售后 0000-5550129　浏览 725 次", "售后 0000 5550129"),
        ("已查 3 人", "已查 3 人"),
        ("Visitors: 12", ""),
    ],
)
def test_only_the_stamp_is_taken_off_its_line(line: str, kept: str) -> None:
    """What else stands on the line counts: a lot, a name, a score."""
    assert lasting(line) == kept


@pytest.mark.parametrize(
    "line",
    [
        "10 mg",
        "每日3次",
        "Chapter 3",
        "第3章",
        "10:30",
        "5 July",
        "Open 9:00-17:00",
        "Version 2.3.1",
        "12 people",
        "45,000 shares",
        "45,000 readers",
        "Downloads: 50",
        "By John Smith",
        "来源：新华社",
        "The bridge was created in 1920",
        "Score 3:2 after extra time",
        "截止日期：5月1日",
    ],
)
def test_what_tells_something_is_kept(line: str) -> None:
    """Doses, hours, shares, names and days are facts: each letter and digit of them is left."""
    kept = lasting(line)
    assert [c for c in kept if c.isalnum()] == [c for c in line.casefold() if c.isalnum()]


@pytest.mark.parametrize(
    "line",
    ["2024-05-03", "3 May 2024", "May 3, 2024", "3rd of May 2024", "2024年5月3日", "2024/5/3"],
)
def test_a_bare_date_is_a_fact_in_whatever_form(line: str) -> None:
    """It may be that of a concert; a date is the same however it is written, another one is not."""
    assert lasting(line) == "2024 05 03"
    assert lasting(f"Concert: {line}") == "concert 2024 05 03"
    assert lasting(line.replace("3", "4")) != "2024 05 03"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$29", "€29"),
        ("$29", "29"),
        ("-5", "5"),
        ("from −5 degrees", "from 5 degrees"),
        ("C++", "C"),
        ("Grade A*", "Grade A"),
        ("Group B-", "Group B"),
        ("6a−", "6a"),
        ("5 ℃", "5 ℉"),
        ("6′", "6″"),
        ("䷀", "䷁"),
        ("𝄞", "𝄢"),
        ("㊙", "㊣"),
        ("\ue601", "\ue602"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0065", "\U0001f3f4\U000e0067\U000e0062\U000e0073"),
        ("C#", "C"),
        ("a == b", "a != b"),
        ("a = b", "a == b"),
        ("x < 5", "x > 5"),
        ("10%", "10"),
        ("10 %", "10 ‰"),
        ("#12", "12"),
    ],
)
def test_signs_count(one: str, other: str) -> None:
    """What is no word is a fact nevertheless: a currency, a sign of a number, an operator."""
    assert lasting(one) != lasting(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“The Lamp” – lit!", "the lamp, lit"),
        ("a-b", "a b"),
        ("snake_case", "snake case"),
        ("￥5", "¥5"),
        ("-5", "−5"),
    ],
)
def test_punctuation_and_case_do_not_count(one: str, other: str) -> None:
    """Nor how a sign is encoded."""
    assert lasting(one) == lasting(other) != ""


def test_long_lines_are_told_whole() -> None:
    """In what is longer than any line of an author, no stamps are looked for."""
    stamp = " Published: 2024-05-01."
    assert lasting("x" * 1_900 + stamp) == "x" * 1_900
    assert lasting("x" * 2_000 + stamp).endswith("published 2024 05 01")


@pytest.mark.parametrize(
    ("line", "dateline", "only_dates"),
    [
        ("3 May 2024", True, True),
        ("Posted on 3 May 2024 at 10:30", True, True),
        ("By John Smith", True, False),
        ("文／记者 张三", True, False),
        ("By John Smith on 5 May 2024", True, True),
        ("Concert: 3 May 2024", False, True),
        ("3 May 2024, 5 killed", False, False),
        ("By gate 5", False, False),
        ("The harbour", False, False),
        ("Posted on 3 May 2024" + " " * 100, False, False),
    ],
)
def test_what_a_reprint_changes_is_known(line: str, dateline: bool, only_dates: bool) -> None:
    """A byline or a date is the publisher's, and a line whose numbers are all of dates is known."""
    assert is_dateline(line) is dateline
    assert has_only_dates(line) is only_dates


@given(
    st.lists(
        st.sampled_from(
            ["3 May 2024", "updated", "1,024", "views", "阅读", "次", "lot 7", "ago", "2 days", "İ"]
        )
        | st.text(st.characters(exclude_characters="_"), max_size=5)
    ).map(" ".join)
)
def test_any_line_has_words_left_in_one_form(line: str) -> None:
    """In lower case, between single spaces; where stamps stand is within the line."""
    kept = lasting(line)
    assert kept == " ".join(kept.split())
    assert kept == kept.casefold()
    assert all(0 <= begin < end <= len(line) for begin, end in stamps(line))
    is_dateline(line)
    has_only_dates(line)


def test_stamps_stand_where_they_are_taken_off() -> None:
    """Stamp and counter are pointed at in the line as it is written; nowhere in other lengths."""
    line = "Updated 3 May 2024 | The Lamp | 12 Views"
    assert [line[begin:end] for begin, end in stamps(line)] == ["Updated 3 May 2024", "12 Views"]
    assert stamps("İ 12 views") == []


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("Posted on 3 January 2023, 10:22", ["2023 01 03"]),
        ("Ann Lee | Published: 2023-01-03 | 12 comments", ["2023 01 03"]),
        ("Issued January 3, 2023", ["2023 01 03"]),
        ("发布时间：2023年1月3日 10:22 来源：县政府", ["2023 01 03"]),
        ("Updated on 3 January 2023", []),
        ("Posted 3 days ago", []),
        ("3 January 2023", []),
        ("The bridge was reposted 2023-01-03", []),
    ],
)
def test_a_day_of_publication_is_one_day_however_it_is_written(line: str, days: list[str]) -> None:
    """Not that of an edit, and none that no word tells of."""
    assert days_of_publication(line) == days
