"""Families whose pages differ in what is drawn: signs, stars, ticks, colours, figures.

One differs in a name that the menu of each page has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.families.kit import Page, family

_MENU_EN = (("/", "Start"), ("/all", "Everything"), ("/about", "About"))
_MENU_ZH = (("/", "首页"), ("/all", "全部"), ("/about", "关于"))


def _page(site: str, title: str, body: str, menu: Sequence[tuple[str, str]]) -> str:
    links = "".join(f'<li><a href="{to}">{says}</a></li>' for to, says in menu)
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8">
<title>{title} - {site}</title></head><body>
<header><a class="logo" href="/">{site}</a></header><ul class="side">{links}</ul>
<main>{body}</main><footer>{site}</footer></body></html>"""


def _served(pages: Sequence[tuple[str, str]], make: Callable[[str], str]) -> Iterator[Page]:
    """Yield each page, and copies of the first two under other addresses."""
    yield from (Page(f"/{path}", make(what), what) for path, what in pages)
    (first, one), (second, other) = pages[:2]
    yield Page(f"/{first}?utm_source=mail", make(one), one)
    yield Page(f"/shared/{second}", make(other), other)


@family("kettle-court", kind="one verdict, stars as signs", language="en", half="work")
def kettle_court() -> Iterator[Page]:
    """A tester writes the same of every kettle; the stars stand alone on a line."""

    def make(stars: str) -> str:
        body = f"""<h1>Tested by us</h1><p>{stars}</p><p>We boiled two litres a hundred times,
measured how loud it was and let three people pour tea. Nobody pays us for what we write.</p>"""
        return _page("Kettle Court", "Tested by us", body, _MENU_EN)

    stars = ["★" * n + "☆" * (5 - n) for n in range(1, 6)]
    return _served([(f"test/{n}", of) for n, of in enumerate(stars)], make)


@family("moods-to-copy", kind="one pictograph in the heading", language="en", half="work")
def moods_to_copy() -> Iterator[Page]:
    """Each page offers one pictograph, and says how to copy it."""

    def make(mood: str) -> str:
        body = f"""<h1>{mood}</h1><p>Touch the sign above for a second and choose to copy it,
then put it into your letter, chat or document. It works on every telephone.</p>"""
        return _page("Moods to copy", "A sign to copy", body, _MENU_EN)

    return _served([(f"sign/{n}", mood) for n, mood in enumerate("😀😢🎂🚲🌧")], make)


@family("estate-trims", kind="ticks by class, cells left empty", language="en", half="work")
def estate_trims() -> Iterator[Page]:
    """What a car has is ticked by a style sheet; in which month it comes, by the column."""
    things = "Heated seats", "Tow bar", "Roof rails", "Camera"

    def make(what: str) -> str:
        has, month = what.split()
        signs = {"+": "icon icon-yes", "-": "icon icon-no"}
        rows = "".join(
            f'<tr><td>{thing}</td><td><i class="{signs[sign]}"></i></td></tr>'
            for thing, sign in zip(things, has, strict=True)
        )
        months = "".join(f"<td>{'x' if month == str(n) else ''}</td>" for n in range(1, 5))
        body = f"""<h1>Corvane Estate</h1><p>A roomy car for five with a boot of 560 litres.</p>
<table>{rows}</table><table><tr><td>Delivery</td>{months}</tr></table>"""
        return _page("Trim by trim", "Corvane Estate", body, _MENU_EN)

    trims = "++-- 1", "+-+- 1", "--++ 1", "++-- 3", "++++ 1"
    return _served([(f"estate/{n}", trim) for n, trim in enumerate(trims)], make)


@family("qise-youqi", kind="色样：只有背景色不同", language="zh", half="work")
def qise_youqi() -> Iterator[Page]:
    """A colour is shown, by style or by an attribute of the cell, and never named."""

    def make(colour: str) -> str:
        body = f"""<h1>内墙乳胶漆</h1><div class="yangban" style="background:{colour}"></div>
<table><tr><td bgcolor="{colour}">&nbsp;</td></tr></table>
<p>本品为水性环保涂料，每升可涂刷十二平方米，两小时表干。颜色以实物为准，使用前请充分搅拌。</p>"""
        return _page("七色油漆", "内墙乳胶漆", body, _MENU_ZH)

    colours = "#8a3324", "#f4c430", "#50c878", "#6a5acd"
    return _served([(f"color/{n}", colour) for n, colour in enumerate(colours)], make)


@family("daizi-keben", kind="待练的一行只在属性里；图形", language="zh", half="work")
def daizi_keben() -> Iterator[Page]:
    """A script takes the line to type from an attribute; a sketch shows where fingers go."""

    def make(line: str) -> str:
        points = " ".join(f"L{ord(one) % 90} {ord(one) % 70}" for one in line)
        body = f"""<h1>打字练习</h1><div class="lianxi" data-text="{line}"></div>
<svg viewBox="0 0 90 90"><path d="M0 0 {points}"/></svg>
<p>双手放在基准键位上，看着屏幕输入上面的一行字，按回车键结束，页面会显示速度和正确率。</p>"""
        return _page("打字课本", "打字练习", body, _MENU_ZH)

    lines = "白日依山尽", "黄河入海流", "欲穷千里目", "更上一层楼"
    return _served([(f"lesson/{n}", line) for n, line in enumerate(lines)], make)


@family("ashdown-tree", kind="names that the menu of each page has", language="en", half="work")
def ashdown_tree() -> Iterator[Page]:
    """The name of a person is an h2, and a link in the menu of every other page."""
    people = "Anne Ashdown", "Ann Ashdown", "Anna Ashdown", "Annie Ashdown"
    menu = [*_MENU_EN, *((f"/p/{n}", name) for n, name in enumerate(people))]

    def make(name: str) -> str:
        body = f"<h2>{name}</h2><p>Born 1701. Nothing more is known.</p>"
        return _page("The Ashdown family", "The Ashdown family", body, menu)

    return _served([(f"p/{n}", name) for n, name in enumerate(people)], make)
