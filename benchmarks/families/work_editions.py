"""Sites that prove editions of some pages, and fill a form with other facts on others.

A firm's branches share their legal pages, two shops all but a few goods, two versions of a manual
most chapters: so addresses earn that they name editions. At the same pairs of addresses stand pages
that differ by one fact, and chapters that were edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from benchmarks.families.kit import Page, family

_LEGAL = ("terms", "privacy", "cookies", "guarantee", "complaints", "returns")
_JOBS = {
    "taps": "mend dripping taps, change washers and fit new mixers",
    "drains": "clear blocked drains by rod or jet and look into them by camera",
    "boilers": "look after boilers of all makes and put in new ones",
    "locks": "open doors without damage and fit locks that insurers ask for",
}


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{' '.join(part.split())}</p>" for part in text.split("\n\n"))


def _framed(site: str, language: str, title: str, main: str) -> str:
    return f"""<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8">
<title>{title} | {site}</title></head><body><div class="top"><a href="/">{site}</a></div>
<div class="content"><h1>{title}</h1>{main}</div><div class="foot">{site}</div></body></html>"""


def _branches(firm: str, place: dict[str, tuple[str, str]]) -> Iterator[Page]:
    """Yield the pages of a firm's branches; `place` is host and folder of each, by its town."""
    for name, (host, folder) in product(_LEGAL, place.values()):
        text = f"""This page tells the {name} of {firm} Home Repairs, which hold for all customers.
We keep to the code of the trade association and answer within ten working days. Whoever is not
content with what {firm} says about {name} may turn to the ombudsman, whose address we give."""
        html = _framed(firm, "en", name.title(), _paragraphs(text))
        yield Page(f"{folder}/{name}.html", html, name, host)
    for job, does in _JOBS.items():
        for town, (host, folder) in place.items():
            text = f"""Fitters of {firm} {does}, on every day of the year.

We live in {town} and know the old houses there. Nobody in {town} waits longer than two hours, and
the price that {firm} told by telephone is that on the bill. Work is guaranteed for two years, and
whoever sells the house may hand the guarantee on. Please have the meter, the stopcock and the
boiler within reach before the fitter comes, keep dogs in another room, and tell us of old pipes of
lead, as these are replaced by law before anything else is done. Invoices come by post or mail."""
            html = _framed(firm, "en", job.title(), _paragraphs(text))
            yield Page(f"{folder}/{job}.html", html, f"{job} in {town}", host)


@family(
    "hartley-folders", kind="branches in folders, legal pages alike", language="en", half="work"
)
def hartley_folders() -> Iterator[Page]:
    """Towns are folders of one host; a page of a town names it twice in its text."""
    yield from _branches("Hartley", {"York": ("www", "/york"), "Hull": ("www", "/hull")})


@family("hartley-hosts", kind="branches on hosts, legal pages alike", language="en", half="work")
def hartley_hosts() -> Iterator[Page]:
    """Towns are hosts of one domain, called by nothing that the text says."""
    yield from _branches("Osgood", {"York": ("branch1", ""), "Hull": ("branch2", "")})


_PARTS = "关于我们 隐私声明 服务条款 投诉建议 保修政策 付款方式".split()
_WORKS = "空调维修 冰箱维修 洗衣机维修 热水器维修".split()


@family("anjia-weixiu", kind="分站：城市是目录，条款页相同", language="zh", half="work")
def anjia_weixiu() -> Iterator[Page]:
    """Service pages of two cities in folders, which name the city in the text alone."""
    cities = {"sh": "上海", "bj": "北京"}
    for (number, name), folder in product(enumerate(_PARTS), cities):
        text = f"""本页说明安家维修的{name}，适用于全部客户。我们遵守行业公约，十个工作日内答复。

对{name}有疑问的客户可以向消费者协会反映，联系方式见本页下方，我们乐于提供协助。"""
        html = _framed("安家维修", "zh", name, _paragraphs(text))
        yield Page(f"/{folder}/p{number}.html", html, name)
    for (number, work), (folder, city) in product(enumerate(_WORKS), cities.items()):
        text = f"""本公司专业从事{work}，师傅持证上岗，先报价后维修，修不好不收费，节假日不休息。

我们在{city}设有六个服务点，{city}市区两小时内上门。所有配件均为原厂正品，保修期三个月。
上门之前请把电器周围收拾干净，准备好购买凭证和保修卡，并告知型号和故障情况。维修结束后请当面
检查，确认正常再签字付款。老旧小区需要登高作业的，请提前说明，以便安排两名师傅携带安全绳前往。"""
        html = _framed("安家维修", "zh", work, _paragraphs(text))
        yield Page(f"/{folder}/w{number}.html", html, f"{work}，{city}")


_TOOLS = "spade fork rake hoe trowel shears lopper saw dibber sieve".split()
_OTHER = {
    "hoe": ("is guaranteed", "is not guaranteed"),
    "saw": ("two years", "ten years"),
    "sieve": ("Wipe it", "Do not wipe it"),
    "fork": ("in the works", "at home"),
}
"""What a page of the other edition says instead."""


def _tools(maker: str, places: tuple[tuple[str, str], tuple[str, str]]) -> Iterator[Page]:
    for tool in _TOOLS:
        text = f"""The {tool} is guaranteed for two years and taken back by {maker} in a month.

Forged from a single piece of steel and finished by hand. Wipe it with an oily rag after use and
hang it in a dry place. Handles are to be had from the same maker, and blades are ground again
in the works without charge as long as the mark can be read. Garden tools were made by {maker}
before the railway came, by families who handed their hammers down, and have hardly changed.
Children are shown round on the last Friday of a month, when one of the forges is lit for them."""
        for edition, (host, folder) in enumerate(places):
            old, new = _OTHER.get(tool, ("", ""))
            said = text.replace(old, new) if edition and old else text
            what = f"{tool} {edition}" if old else tool
            html = _framed(maker, "en", f"Garden {tool}", _paragraphs(said))
            yield Page(f"{folder}/{tool}.html", html, what, host)


@family("forge-countries", kind="one word else in a country's edition", language="en", half="work")
def forge_countries() -> Iterator[Page]:
    """Two countries' folders; six of ten goods are told of in the same words."""
    yield from _tools("Ridley", (("www", "/en-gb"), ("www", "/en-us")))


@family("forge-mirror", kind="one word else on a second host", language="en", half="work")
def forge_mirror() -> Iterator[Page]:
    """Two hosts with the same paths."""
    yield from _tools("Pargeter", (("www", ""), ("shop", "")))


_EVENTS = "jumble-sale tea-dance quiz-night film-evening plant-sale concert fair lecture".split()


@family("hall-events", kind="a notice that few pages show", language="en", half="work")
def hall_events() -> Iterator[Page]:
    """The same event on two days, one of them sold out, as one other event is."""
    notice = '<div class="alert">Sold out</div>'
    for number, event in enumerate(_EVENTS):
        text = f"""The {event.replace("-", " ")} takes place in the village hall. Doors open at
seven. Entry is two pounds for adults and free for children. Refreshments are to be had, and all
profits go to the fund for the roof of the hall. Helpers are always welcome, above all those who
bake or can lift a table. Cars may be left on the green unless it has rained, and the path from the
church is lit until eleven. Dogs stay outside, where the warden puts a bowl of water for them."""
        for day, sold in ((1, number in (2, 5)), (2, False)):
            main = (notice if sold else "") + _paragraphs(text)
            what = f"{event} sold out" if sold else event
            html = _framed("Village hall", "en", "Event", main)
            yield Page(f"/event/{2 * number + day}.html", html, what)
