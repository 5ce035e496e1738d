"""Ordinary small sites, written last and kept apart: everyday software, in English and Chinese.

In the first twelve look-alikes are told apart by one visible fact: the links of a list, a count of
visitors, a path, a file, a telephone number, a caption. The last eight are copies under the noise
of the day: view counters, recent posts, breadcrumbs, advertisements, and where one came from.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.families.kit import Page, family


def _zh(text: str) -> str:
    """Return paragraphs, each of whose lines are joined without a space."""
    parts = text.strip().split("\n\n")
    return "\n".join(f"<p>{''.join(part.split())}</p>" for part in parts)


def _items(links: list[tuple[str, str]]) -> str:
    return "\n".join(f'<li><a href="{href}">{text}</a></li>' for href, text in links)


# --- English, look-alikes: the path of a request -------------------------------------------------

_MEMBER_PATHS = (
    ("teams", "/v2/teams/{team}/members/{member}"),
    ("projects", "/v2/projects/{project}/members/{member}"),
    ("channels", "/v2/channels/{channel}/members/{member}"),
    ("archives", "/v2/archives/{archive}/members/{member}"),
)


def _tidewire(slug: str, path: str, chrome: bool) -> str:
    kinds = ("teams", "projects", "channels", "archives")
    side = _items([(f"/reference/{kind}/remove-member", "Remove a member") for kind in kinds])
    before = f"""<nav class="navbar"><a href="/" class="navbar__brand">Tidewire Developers</a>
<a href="/guides">Guides</a><a href="/reference">Reference</a><a href="/status">Status</a>
<input type="search" placeholder="Search"></nav><aside class="theme-doc-sidebar"><ul>{side}</ul>
</aside>"""
    after = f"""<nav class="pagination-nav"><a href="/reference/{slug}/add-member">Previous: Add a
member</a><a href="/reference/errors">Next: Errors</a></nav>
<footer class="footer">Copyright Tidewire Ltd. Built with Docusaurus.</footer>"""
    return f"""<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Remove a member | Tidewire API</title></head><body>
{before if chrome else ""}
<main><article class="theme-doc-markdown markdown"><h1>Remove a member</h1>
<pre class="endpoint"><code><span class="verb">DELETE</span> {path}</code></pre>
<p>Takes away a person's access at once. Their open sessions end within a minute, and whatever they
wrote stays where it is under their name. Removing somebody who is not a member is no error: the
answer is the same, so that a script may be run twice.</p>
<h2>Authorisation</h2><p>The token needs the scope <code>members:write</code> and must belong to an
owner. The last owner cannot be removed; hand ownership over first.</p>
<h2>Response</h2><p><code>204 No Content</code> when the person is gone. <code>403</code> when the
token may not do this, <code>409</code> when the person is the last owner, and <code>429</code>
when more than sixty requests were made in a minute. The header <code>Retry-After</code> then says
how many seconds to wait.</p></article></main>
{after if chrome else ""}
</body></html>"""


@family("tidewire", kind="a request's path in API reference", language="en", half="work")
def tidewire() -> Iterator[Page]:
    """One call exists for four kinds of things, and only its path says which."""
    for slug, path in _MEMBER_PATHS:
        html = _tidewire(slug, path, chrome=True)
        yield Page(f"/reference/{slug}/remove-member", html, what=f"remove from {slug}")
    for (slug, path), query in zip(_MEMBER_PATHS[1:3], ("print=1", "view=plain"), strict=True):
        html = _tidewire(slug, path, chrome=False)
        yield Page(f"/reference/{slug}/remove-member?{query}", html, what=f"remove from {slug}")


# --- English, look-alikes: speakers as links -----------------------------------------------------

_SPEAKERS = {
    "thursday": ("Ada Winterbourne", "Joseph Okello", "Marit Solheim", "Pia Castellan", "Tom Yeo"),
    "friday": ("Bram de Wit", "Eluned Price", "Joseph Okello", "Rukmini Das", "Sol Ferreira"),
    "saturday": ("Ada Winterbourne", "Carys Nunn", "Henk Aalders", "Noor Jaffri", "Una Blake"),
    "sunday": ("Dov Perlman", "Eluned Price", "Gwen Tallis", "Noor Jaffri", "Yuki Morita"),
}


def _harrowconf(day: str, mobile: bool, banner: str = "") -> str:
    speakers = _items(
        [(f"/speakers/{n.lower().replace(' ', '-')}", n) for n in _SPEAKERS[day]],
    )
    days = _items([(f"/programme/{other}", other.title()) for other in _SPEAKERS])
    menu = f'<ul class="menu">{days}</ul>'
    top = '<a href="#menu">&#9776;</a> Harrow Letterpress' if mobile else f"<header>{menu}</header>"
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8">
<title>Programme - Harrow Letterpress Days</title>
<link rel="stylesheet" href="/{"m" if mobile else "main"}.css"></head>
<body class="{"m" if mobile else "programme"}">{banner}{top}
<section class="hero"><h1>Programme</h1><p>Talks take place in the old drying loft, which is up two
flights of stairs; there is a goods lift for those who would rather not climb. Doors open at half
past nine and the first talk begins at ten. Each speaker has forty minutes and takes questions over
coffee, which is included in the ticket, as is a bowl of soup at one o'clock.</p></section>
<section class="speakers"><h2>On stage</h2><ul>{speakers}</ul></section>
<section><h2>Before you come</h2><p>Tickets are checked at the yard gate. Please wear shoes you do
not mind inking, leave large bags at home and keep dogs out of the type room. Presses may be tried
between talks under the eye of a volunteer. Photographs are welcome without flash. The bar in the
paper store stays open until seven, and the last bus back to the station leaves at twenty past.</p>
</section><footer>{menu if mobile else ""}Harrow Letterpress Trust</footer></body></html>"""


@family("harrowconf", kind="speakers as a list of links", language="en", half="work")
def harrowconf() -> Iterator[Page]:
    """Who speaks on a day stands only in its list of links."""
    for day in _SPEAKERS:
        yield Page(f"/programme/{day}", _harrowconf(day, mobile=False), what=day)
    yield Page("/programme/friday", _harrowconf("friday", mobile=True), what="friday", host="m")
    banner = '<div class="strip">Welcome, readers of our newsletter! <a href="#">Close</a></div>'
    html = _harrowconf("sunday", mobile=False, banner=banner)
    yield Page("/programme/sunday?utm_source=newsletter&utm_medium=email", html, what="sunday")


# --- English, look-alikes: documents as links ----------------------------------------------------

_MEETINGS = (
    ("212", ("Agenda", "Minutes", "Appendix A: bench by the ford", "Letter from the school")),
    ("219", ("Agenda", "Minutes", "Quotation for mowing", "Tree survey, Back Lane")),
    ("226", ("Agenda", "Minutes", "Clerk's report on the hall roof", "Precept for next year")),
    ("233", ("Agenda", "Minutes", "Flood plan, second draft", "Grant to the youth band")),
)
_LARKFIELD = """<h1>Parish council meeting: papers</h1>
<p>The papers of a meeting are published here not later than three clear days before it takes place.
Minutes are a draft until the council has approved them at its next meeting. Paper copies may be
read at the clerk's office on Tuesday and Thursday mornings, or had for ten pence a sheet.</p>"""
_LARKFIELD_TALK = """<h2>Speaking at a meeting</h2><p>Any resident may speak for three minutes
during the public session, which opens every meeting. Tell the clerk beforehand if you can, so that
the chairman knows how many wish to be heard. Councillors will not answer at once but will see that
you have a reply in writing. Recording is allowed provided that nobody under eighteen is filmed and
that you sit where the clerk asks you to. The hall has a loop for hearing aids and a ramp at the
side door; parking is behind the bowls club.</p>"""


def _larkfield(number: str, papers: tuple[str, ...], session: str = "") -> str:
    tail = f"?PHPSESSID={session}" if session else ""
    rows = "".join(
        f'<tr><td><a href="/files/{number}-{i}.pdf{tail}">{paper}</a></td><td>PDF</td></tr>'
        for i, paper in enumerate(papers, 1)
    )
    menu = _items([(f"/{s}.php{tail}", s.title()) for s in ("news", "councillors", "contact")])
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Larkfield Parish Council</title>
</head><body><div id="banner"><a href="/index.php{tail}">Larkfield Parish Council</a></div>
<div id="leftcol"><ul>{menu}</ul></div><div id="content">{_LARKFIELD}
<table class="papers" width="100%">{rows}</table>{_LARKFIELD_TALK}</div>
<div id="foot">Clerk to the council: Mrs D. Hebden. Site by Wold Webs.</div></body></html>"""


@family("larkfield-parish", kind="documents as a list of links", language="en", half="work")
def larkfield_parish() -> Iterator[Page]:
    """Each meeting has its own papers to download, and a session's id may stand in the address."""
    for number, papers in _MEETINGS:
        html = _larkfield(number, papers)
        yield Page(f"/meeting.php?id={number}", html, what=f"meeting {number}")
    for (number, papers), session in zip(
        (_MEETINGS[0], _MEETINGS[2]),
        ("b7e2f1904cd3a8865e1f0d7c2ab49913", "03fa6618e9d2b57c40e8817ad6c5f2ee"),
        strict=True,
    ):
        html = _larkfield(number, papers, session)
        path = f"/meeting.php?id={number}&PHPSESSID={session}"
        yield Page(path, html, what=f"meeting {number}")


# --- English, look-alikes: a count of visitors is the fact ---------------------------------------

_MUSEUM = (
    ("cobbold-mill", "Cobbold Mill", "18,402"),
    ("toll-house", "The Toll House", "6,117"),
    ("net-loft", "The Net Loft", "11,950"),
    ("ropewalk", "The Ropewalk", "9,368"),
)


def _museum(name: str, visitors: str, printed: bool) -> str:
    css = "print" if printed else "site"
    links = _items([(f"/figures/{slug}", other) for slug, other, _ in _MUSEUM])
    nav = "" if printed else f'<nav id="nav"><ul>{links}</ul><a href="/shop">Shop</a></nav>'
    share = "" if printed else '<p class="share"><a href="?print=yes">Print this page</a></p>'
    return f"""<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8">
<title>Annual figures | Cobbold Museums</title><link rel="stylesheet" href="/{css}.css"></head>
<body><div class="logo">Cobbold Museums</div>{nav}<div id="main">
<ul class="crumbs"><li><a href="/figures">Figures</a></li><li>{name}</li></ul>
<h1>Annual figures</h1>
<p class="figure"><strong>{visitors}</strong> visitors in 2022</p>
<p>We publish how many people came through the door of each of our houses because the county, which
pays a third of what we cost, asks us to, and because volunteers like to know. A visitor is counted
once, at the desk, by the attendant on duty with a hand counter; school parties are counted from
the teacher's list. Deliveries, staff and people who only used the lavatory are left out.</p>
<p>Until 2016 the figures were estimated from the takings of the collecting box and cannot be
compared with those printed here. In 2020 all houses were shut from the middle of March to the
first week of July. If you need numbers by month for a study, write to the registrar, who keeps the
day books, and allow two weeks. We do not hold ages, postcodes or any other particulars of those
who visit.</p>{share}</div>
<div class="footer">Registered charity. Open from Easter to the end of October.</div></body></html>
"""


@family("cobbold-museums", kind="a number of visitors is the fact", language="en", half="work")
def cobbold_museums() -> Iterator[Page]:
    """Houses of a museum by the visitors they had."""
    for slug, name, visitors in _MUSEUM:
        yield Page(f"/figures/{slug}", _museum(name, visitors, printed=False), what=name)
        if slug in ("toll-house", "ropewalk"):
            yield Page(f"/figures/{slug}?print=yes", _museum(name, visitors, printed=True), name)


# --- English, look-alikes: stops of a bus --------------------------------------------------------

_STOPS = {
    "17-outbound": ("Market Place", "Infirmary", "Gas Lane", "Dunmore Cross", "Upper Dunmore"),
    "17-inbound": ("Upper Dunmore", "Dunmore Cross", "Gas Lane", "Infirmary", "Market Place"),
    "17A-outbound": ("Market Place", "Infirmary", "Vale College", "Dunmore Cross", "Quarry Top"),
    "17N-outbound": ("Rail Station", "Market Place", "Gas Lane", "Dunmore Cross", "Upper Dunmore"),
}


def _vale(route: str, offer: str) -> str:
    stops = "".join(
        f'<li class="stop"><a href="/stops/{stop.lower().replace(" ", "-")}">{stop}</a></li>'
        for stop in _STOPS[route]
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Where this bus stops - Vale Buses</title>
<script>window.dataLayer=window.dataLayer||[];</script></head>
<body><header><a class="logo" href="/">Vale Buses</a><nav><a href="/tickets">Tickets</a>
<a href="/lost">Lost property</a><a href="/login?next=/routes/{route}">Log in</a></nav></header>
<main><h1>Where this bus stops</h1><ol class="stop-list">{stops}</ol>
<p>Put out your hand in good time: drivers stop only where somebody waits or has rung the bell.
Between the villages you may ask to be let off anywhere that is safe. Pay with a card, a pass or
coins; drivers carry no change for notes over ten pounds. Two pushchairs or one wheelchair fit in
the bay behind the driver, and a folded bicycle may come along when there is room.</p>
<p>On public holidays a Sunday service runs. In snow the hill above the cross is not served, and the
bus turns at the chapel. Ring the depot before you set out if the weather looks doubtful; somebody
answers from half past five in the morning.</p></main>
<aside class="offer">{offer}</aside><footer>Vale Buses, The Depot, Gas Lane</footer>
</body></html>"""


@family("vale-buses", kind="stops as a list of links", language="en", half="work")
def vale_buses() -> Iterator[Page]:
    """A route there, back, by the college and at night: the order of stops is what one looks up."""
    day = "A day ticket for two costs less than two returns."
    coast = "Summer on the coast: every child travels free with a grown-up in August."
    for route in _STOPS:
        yield Page(f"/routes/{route}", _vale(route, day), what=route)
    yield Page("/routes/17-inbound?fbclid=IwAR2kQ9xVn3", _vale("17-inbound", coast), "17-inbound")
    yield Page("/routes/17A-outbound?ref=poster", _vale("17A-outbound", coast), "17A-outbound")


# --- English, look-alikes: the path of a file ----------------------------------------------------

_QUERN = (
    ("debian", "/etc/quern/quern.toml"),
    ("freebsd", "/usr/local/etc/quern/quern.toml"),
    ("macos", "/opt/homebrew/etc/quern.toml"),
    ("openbsd", "/var/quern/conf/quern.toml"),
)


def _quern(path: str, version: str, note: str = "") -> str:
    links = _items([(f"/{version}/configure/{other}", other) for other, _ in _QUERN])
    return f"""<!DOCTYPE html><html class="no-js" lang="en"><head><meta charset="utf-8">
<title>Configuration file - Quern {version}</title><meta name="generator" content="mkdocs-1.4.2">
</head><body data-md-color-scheme="default"><header class="md-header"><a href="/{version}/">Quern
</a><div class="md-version">{version}</div></header><div class="md-sidebar"><ul>{links}</ul></div>
<div class="md-content"><article><h1>Configuration file</h1>
<p>Quern reads one file when it starts:</p><pre><code>{path}</code></pre>
<p>If the file is absent the built-in defaults are used and a line in the log says so. If it is
there but cannot be parsed, the daemon refuses to start and names the line. Send the process a
hang-up signal to have it read again; queues that are running finish under the old settings.</p>
<h2>Sections</h2><p><code>[listen]</code> sets addresses and ports, <code>[spool]</code> how much
may wait on disk, <code>[log]</code> what is written and for how long it is kept. A setting given
twice is an error. Sizes take the suffixes K, M and G, and times s, m and h.</p>
<h2>Permissions</h2><p>The file may hold passwords of upstream servers. It should belong to root and
be readable by the group <code>quern</code> only; a warning is logged otherwise. Keep it under
version control if you like, but leave the passwords in the environment.</p></article></div>
<footer>{note}Made with Material for MkDocs</footer></body></html>"""


@family("quernd", kind="the path of a file in documentation", language="en", half="work")
def quernd() -> Iterator[Page]:
    """Where a daemon's file lies on each system; two versions of the manual say the same."""
    for system, path in _QUERN:
        yield Page(f"/3.1/configure/{system}", _quern(path, "3.1"), what=system)
    for system, path in _QUERN[:2]:
        yield Page(f"/stable/configure/{system}", _quern(path, "stable"), what=system)
    system, path = _QUERN[2]
    note = "<p>This is a mirror, brought up to date every night.</p>"
    html = _quern(path, "3.1", note)
    yield Page(f"/3.1/configure/{system}", html, system, "other:mirror")


# --- Chinese, look-alikes: telephone numbers -----------------------------------------------------

_KANGNING_TEXT = """\
体检前三天请清淡饮食，不饮酒，避免剧烈运动。
前一天晚上八点以后不再进食，十点以后不再喝水。
正在服用降压药的顾客可以用少量清水照常服药，
糖尿病人请把药物带来，抽血以后再吃早餐和服药。

女士请避开生理期，怀孕或者可能怀孕的顾客请提前告知前台，
不要做放射检查。做腹部彩超需要空腹，
做妇科彩超和前列腺彩超需要憋尿，现场备有饮用水。

当日请携带本人身份证，穿宽松的衣服，不要佩戴金属饰品。
到店后先在前台领取导检单，按照护士的安排依次完成各个项目，
全部结束后把导检单交回前台，再到餐厅领取早餐。
报告一般在五个工作日后完成，可以自取，也可以选择邮寄到付。
"""
_KANGNING = (
    ("beimen", "北门店", "0573-8266 1407"),
    ("hubin", "湖滨店", "0573-8266 1952"),
    ("xincheng", "新城店", "0573-8301 4478"),
    ("gaotie", "高铁店", "0573-8301 6630"),
)


def _kangning(name: str, phone: str, mobile: bool, tip: str = "") -> str:
    menu = _items([("/taocan/", "体检套餐"), ("/mendian/", "门店"), ("/baogao/", "查报告")])
    top = f'<div class="top"><img src="/logo.png" alt="康宁体检"><ul>{menu}</ul></div>'
    if mobile:
        top = '<div class="m-head"><a href="javascript:history.back()">返回</a>门店详情</div>'
    return f"""<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8">
<title>门店介绍-康宁体检</title></head><body>{top}
<div class="store"><h1>康宁体检中心</h1><dl><dt>门店</dt><dd>{name}</dd>
<dt>预约电话</dt><dd><a href="tel:{phone.replace(" ", "")}">{phone}</a></dd>
<dt>营业时间</dt><dd>周二至周日 7:00—15:30</dd></dl>
<h2>体检须知</h2>{_zh(_KANGNING_TEXT)}</div>
{tip}<div class="foot">康宁健康管理有限公司 本网站信息仅供参考</div></body></html>"""


@family("kangning-tijian", kind="telephone numbers of branches", language="zh", half="work")
def kangning_tijian() -> Iterator[Page]:
    """Branches share every rule and have a telephone number each."""
    for slug, name, phone in _KANGNING:
        yield Page(f"/mendian/{slug}.html", _kangning(name, phone, mobile=False), what=name)
    slug, name, phone = _KANGNING[1]
    yield Page(f"/mendian/{slug}.html", _kangning(name, phone, mobile=True), name, host="m")
    slug, name, phone = _KANGNING[3]
    tip = '<div class="wx">点击右上角，分享给朋友</div>'
    html = _kangning(name, phone, mobile=False, tip=tip)
    yield Page(f"/mendian/{slug}.html?from=singlemessage&isappinstalled=0", html, name)


# --- Chinese, look-alikes: courses as links ------------------------------------------------------

_COURSES = {
    "20211": ("线性代数入门", "普通植物学", "版画技法", "民国报刊选读", "急救常识"),
    "20212": ("线性代数入门", "土壤与肥料", "古琴鉴赏", "县志的读法", "急救常识"),
    "20221": ("概率与生活", "普通植物学", "版画技法", "县志的读法", "营养学基础"),
    "20222": ("概率与生活", "昆虫观察", "篆刻初步", "民国报刊选读", "家庭用电安全"),
}
_QINGHE_TEXT = """\
开放课程面向全体市民，不收学费，教材可以在教务室按成本价购买。
每门课程限报四十人，以网上提交的先后为准，额满后自动转入候补名单。
每人每学期最多选两门，上课地点在老校区西楼，入校时请出示短信里的二维码。
"""
_QINGHE_RULES = """\
课程安排在周末上午和工作日晚上，具体时间开课前一周短信通知。
无故缺课三次的学员，下一学期不能报名。
修满全部课时并完成作业的，由继续教育学院颁发结业证明，
证明不等同于学历或者学位。六十岁以上的学员可以由一位家属陪同听课。
校园内不提供停车位，建议乘坐公交到师范路口下车，步行约六分钟。
如果需要轮椅通道，请在报名时备注，值班老师会在西门等候。
"""


def _qinghe(term: str, session: str) -> str:
    tail = f";jsessionid={session}" if session else ""
    names = _COURSES[term]
    rows = _items([(f"/course/{term}{i:02}.do{tail}", n) for i, n in enumerate(names, 1)])
    return f"""<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>清河学院 开放课程</title></head><body><table width="960" align="center"><tr><td colspan="2">
<img src="/images/banner.jpg"></td></tr><tr><td width="180" valign="top">
<a href="/index.do{tail}">首页</a><br><a href="/notice.do{tail}">通知公告</a><br>
<a href="/login.do{tail}">学员登录</a></td><td><h2>开放课程选课</h2>{_zh(_QINGHE_TEXT)}
<ul class="course">{rows}</ul>{_zh(_QINGHE_RULES)}</td></tr><tr><td colspan="2" align="center">
清河学院继续教育学院 版权所有</td></tr></table></body></html>"""


@family("qinghe-kaifang", kind="courses as a list of links", language="zh", half="work")
def qinghe_kaifang() -> Iterator[Page]:
    """What is taught in a term stands only in the links; a session's id is in some addresses."""
    for term in _COURSES:
        yield Page(f"/open/list.do?term={term}", _qinghe(term, ""), what=f"term {term}")
    for term, session in (("20211", "6C0F2A9E71D4B853"), ("20222", "A83B19F5E2C7604D")):
        path = f"/open/list.do;jsessionid={session}?term={term}"
        yield Page(path, _qinghe(term, session), what=f"term {term}")


# --- Chinese, look-alikes: captions --------------------------------------------------------------

_PHOTOS = (
    ("1183", "一九五八年，东门码头等候渡船的菜农。"),
    ("1184", "一九五八年，东门码头卸煤的搬运工人。"),
    ("1185", "一九六三年，水退以后的南街小学操场。"),
    ("1186", "一九六三年，水退以后的南街粮站门口。"),
    ("1190", "一九七一年，丝厂女工在晒场上排演节目。"),
)
_PHOTO_TEXT = """\
这批照片由县文化馆退休职工许先生的家属捐赠，共四百余张，
底片多数为一二零胶卷，少数为玻璃干版。
二零一五年县档案馆用平板扫描仪逐张扫描，没有做修饰，划痕和霉点都保留了原样。

照片的说明文字根据底片袋上的铅笔字整理，个别地名已经改变，
整理时沿用旧称。如果您认出照片里的人或者地方，欢迎来信告诉我们，
核实以后会在说明里注明提供线索的人。

照片可以用于教学、研究和个人欣赏，转载请写明出处。
用于出版或者展览的，请提前十五天向档案馆书面申请，
领取高分辨率文件时需要填写使用登记表，不收取费用。
"""


def _photo(number: str, caption: str, section: str) -> str:
    trail = {"album": "影像库", "topic": "专题：水乡旧影"}[section]
    return f"""<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8">
<title>老照片_桐溪县档案馆</title><link href="/{section}.css" rel="stylesheet"></head><body>
<div class="hd"><h1 class="site"><a href="/">桐溪县档案馆</a></h1></div>
<div class="crumb">当前位置：<a href="/">首页</a> &gt; <a href="/{section}/">{trail}</a></div>
<div class="photo"><figure><img src="/upload/{number}_w800.jpg"><figcaption>{caption}</figcaption>
</figure><div class="intro"><h3>关于这批照片</h3>{_zh(_PHOTO_TEXT)}</div></div>
<div class="ft">桐溪县档案馆 地址：桐溪县文昌路22号</div></body></html>"""


@family("tongxi-laozhaopian", kind="captions under photographs", language="zh", half="work")
def tongxi_laozhaopian() -> Iterator[Page]:
    """A photograph each, told by its caption; two are shown in another section as well."""
    for number, caption in _PHOTOS:
        html = _photo(number, caption, "album")
        yield Page(f"/album/{number}.html", html, what=f"photo {number}")
    for number, caption in (_PHOTOS[0], _PHOTOS[3]):
        html = _photo(number, caption, "topic")
        yield Page(f"/topic/shuixiang/{number}.html", html, what=f"photo {number}")


# --- Chinese, look-alikes: files to download -----------------------------------------------------

_FIRMWARE = (
    ("r310", "YX-R310_V2.0.7_211104.bin", "7.42 MB"),
    ("r310v2", "YX-R310v2_V2.0.7_211104.bin", "7.42 MB"),
    ("r330", "YX-R330_V2.0.7_211104.bin", "7.68 MB"),
    ("r330-mesh", "YX-R330M_V2.1.0_211220.bin", "8.05 MB"),
)
_FIRMWARE_TEXT = """\
升级前请确认路由器底部标签上的型号与文件一致，刷错文件可能导致设备无法启动，
由此造成的损坏不在保修范围以内。请用网线连接电脑和路由器的任意一个 LAN 口，
不要通过无线方式升级。

第一步，下载文件并解压。第二步，在浏览器地址栏输入管理地址，
登录后打开“系统工具—软件升级”。第三步，选择解压得到的文件，点击“升级”，
等待进度条走完，设备自动重启，全程大约三分钟，期间不要断电。

升级以后建议恢复出厂设置，重新设置上网账号和无线密码。
本次更新修复了长时间运行后列表显示不全的问题，改善了与部分手机的兼容性，
并调整了指示灯的默认亮度。
"""


def _firmware(file: str, size: str, mirror: bool) -> str:
    name = "云溪通信（下载镜像站）" if mirror else "云溪通信"
    menu = _items([("/product/", "产品"), ("/support/", "服务支持"), ("/download/", "下载中心")])
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>下载中心 - {name}</title>
</head><body><div id="header"><span class="logo">{name}</span><ul id="menu">{menu}</ul></div>
<div id="main"><h2>路由器升级软件</h2><table class="dl"><tr><th>文件</th>
<td><a href="/files/{file}.zip">{file}</a></td></tr><tr><th>大小</th><td>{size}</td></tr>
<tr><th>适用系统</th><td>与电脑系统无关</td></tr></table><h3>升级说明</h3>{_zh(_FIRMWARE_TEXT)}
</div><div id="footer">{name} 服务热线：每天 9:00-21:00</div></body></html>"""


@family("yunxi-tongxin", kind="names of files to download", language="zh", half="work")
def yunxi_tongxin() -> Iterator[Page]:
    """Models have a file each under the same instructions, and somebody mirrors the site."""
    for slug, file, size in _FIRMWARE:
        yield Page(f"/download/{slug}.html", _firmware(file, size, mirror=False), what=slug)
    for slug, file, size in (_FIRMWARE[0], _FIRMWARE[3]):
        html = _firmware(file, size, mirror=True)
        yield Page(f"/download/{slug}.html", html, slug, "other:mirror")


# --- Chinese, look-alikes: a count of visitors is the fact ---------------------------------------

_GATES = (
    ("0501", "5月1日", "12,846", "晴"),
    ("0502", "5月2日", "15,203", "晴"),
    ("0503", "5月3日", "9,771", "多云"),
    ("0504", "5月4日", "13,058", "晴"),
)
_GATES_TEXT = """\
景区实行分时预约，每半小时放行一批，请按照预约的时段从南门或者西门入园。
未预约的游客可以在游客中心用身份证补登记，当天名额用完为止。
老人、军人和残疾人凭证件走绿色通道，随行家属一人可以同行。

索道每天下午四点半停止上行，五点一刻停止下行，大风和雷雨天气临时停运。
步行上山大约两个小时，石阶陡，请穿防滑的鞋，结伴而行，
不要走未开放的小路，不要在林区吸烟和使用明火。

自驾游客请把车停在山下的三号停车场，换乘免费摆渡车，
摆渡车每十分钟一班。假期里山上餐厅排队时间较长，建议自备干粮和饮水，
并把垃圾带下山。遇到困难请拨打景区求助电话，沿途的里程牌上都有编号，
报出编号，救援人员就能找到您。
"""


def _gates(day: str, visitors: str, weather: str, printed: bool) -> str:
    head = '<div class="nav"><a href="/">首页</a><a href="/gonggao/">公告</a></div>'
    foot = '<div class="share">分享到：微信 微博 <a href="?print=1">打印本页</a></div>'
    return f"""<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8">
<title>假日游览公告 - 碧山风景区</title></head><body>{"" if printed else head}
<div class="article"><h1>碧山风景区假日游览公告</h1>
<div class="meta">{day}　天气：{weather}</div><p>当日入园 <b>{visitors}</b> 人次。</p>
{_zh(_GATES_TEXT)}</div>{"" if printed else foot}<div class="bottom">碧山风景区管理处</div>
</body></html>"""


@family("bishan-jingqu", kind="visitors of a day in a notice", language="zh", half="work")
def bishan_jingqu() -> Iterator[Page]:
    """Each day's notice says how many came; the rest stands in every one of them."""
    for slug, day, visitors, weather in _GATES:
        html = _gates(day, visitors, weather, printed=False)
        yield Page(f"/gonggao/2021{slug}.html", html, what=day)
    for slug, day, visitors, weather in _GATES[1:3]:
        html = _gates(day, visitors, weather, printed=True)
        yield Page(f"/gonggao/2021{slug}.html?print=1", html, what=day)


# --- Chinese, look-alikes: what is at the exits of a station -------------------------------------

_STATIONS = {
    "yanhelu": ("盐河路小学", "人民银行", "红旗菜场", "海关宿舍"),
    "caishikou": ("采石公园", "第三中学", "长途汽车站", "海关宿舍"),
    "dengta": ("灯塔市场", "妇幼保健院", "团结新村", "渔港码头"),
    "xinkai": ("新开河公园", "市图书馆", "团结新村", "儿童福利院"),
}
_STATIONS_TEXT = """\
进站请先过安检，单件行李长度不超过一米六，重量不超过三十公斤。
折叠自行车可以带，充气气球、活禽和宠物不可以带。
车票当日有效，从进站到出站限时一百五十分钟，超时按照单程最高票价补票。
身高一米三以下的儿童由成人带领免费乘车，一名成人可以带一名。

站厅设有无障碍电梯、母婴室和自动售货机，付费区里有卫生间。
丢失物品请到客服中心登记，拾获的物品在本站保留三天，
然后送到车辆段的失物招领处保存三个月。
首班车和末班车时间以站内公告为准，节假日前一天延长运营半个小时。
"""


def _station(slug: str, mip: bool) -> str:
    links = [(f"/place/{slug}/{letter}", f"{letter}口 {place}")
             for letter, place in zip("ABCD", _STATIONS[slug], strict=True)]  # fmt: skip
    attribute = " mip" if mip else ""
    script = "mip.js" if mip else "app.js"
    nav = "" if mip else '<nav><a href="/line">线路图</a><a href="/fare">票价</a></nav>'
    return f"""<!DOCTYPE html><html{attribute} lang="zh-CN"><head><meta charset="utf-8">
<title>车站信息 - 临港地铁</title><script async src="/static/{script}"></script></head><body>
<header><a href="/">临港地铁</a>{nav}</header><main><h1>车站信息</h1><h2>出入口</h2>
<ul class="exits">{_items(links)}</ul><h2>乘车须知</h2>{_zh(_STATIONS_TEXT)}</main>
<footer>临港轨道交通集团 服务时间 6:00—23:00</footer></body></html>"""


@family("lingang-ditie", kind="exits of a station as links", language="zh", half="work")
def lingang_ditie() -> Iterator[Page]:
    """Where exits lead stands only in links; some stations have a page for a search engine too."""
    for slug in _STATIONS:
        yield Page(f"/station/{slug}", _station(slug, mip=False), what=slug)
    for slug in ("caishikou", "dengta"):
        yield Page(f"/mip/station/{slug}", _station(slug, mip=True), what=slug)


# --- English, copies: a blog ---------------------------------------------------------------------

_GOOSEBERRY = {
    "moving-the-hens": (
        "412",
        "Moving the hens",
        """<p>We carried the hen house forty yards on Sunday, and it took three of us, two fence
posts and a good deal of language. The old pitch had gone to mud by the trough and the birds were
standing about on one leg. The new one slopes, so the rain will run off, and it gets the sun
by ten.</p>
<p>Hens hate this. They walked back to the bare patch at dusk and had to be fetched one at a time
with a torch. On the second evening four remembered, on the third all but the speckled one, who
still prefers the plum tree. Eggs stopped for five days and then came back as if nothing had
happened.</p>""",
    ),
    "quince-paste": (
        "419",
        "Quince paste without burnt fingers",
        """<p>Quinces are hard as a doorknob, so do not try to peel them raw. Rub off the down, put
them whole in a covered dish and bake them for two hours with a splash of water. Afterwards the
skin slips away and the core lifts out with a spoon.</p><p>Push the flesh through a sieve, weigh
it and add three quarters of its weight in sugar. Now comes the dangerous half hour: it spits. Wear
a long sleeve and use the longest spoon in the house. When a furrow drawn across the pan stays
open, pour it into a tin lined with paper and leave it on the shelf above the stove for two days.
</p>""",
    ),
    "a-gate-from-scrap": (
        "431",
        "A gate from scrap",
        """<p>The gate to the lane fell off in the gale, which saved me taking it down. I had a bed
end, two scaffold boards and the hinges from a coal bunker. The bed end gave the frame, already
square and already painted, and the boards were ripped into five slats.</p><p>The only thing bought
was a spring, for one pound eighty, so that walkers cannot leave it open for the sheep. Hang a gate
on a post set two feet down in rammed stone and it will outlive you; set it in wet concrete on a
frosty morning, as I did last time, and it will not see the spring.</p>""",
    ),
    "bees-in-february": (
        "440",
        "Bees in February",
        """<p>On the first mild noon of the year I put my ear to each hive. Two hummed when knocked,
and the third was silent. Inside it a cluster no bigger than a fist had died a hand's width from a
full comb: they had been too few to keep warm enough to reach it.</p><p>I have scraped the frames,
scorched the box with a blowlamp and stacked it for a swarm. The living ones have a slab of fondant
over the hole in the crown board and a stone on the roof. Nothing else can be done before the
willow flowers except to look at the entrance each morning and count the dead.</p>""",
    ),
}


def _gooseberry(slug: str, views: int, today: str, recent: tuple[str, ...], trail: str) -> str:
    number, title, text = _GOOSEBERRY[slug]
    posts = _items([(f"/{other}/", _GOOSEBERRY[other][1]) for other in recent])
    return f"""<!DOCTYPE html><html lang="en-GB"><head><meta charset="UTF-8">
<title>{title} &#8211; Gooseberry Notes</title><meta name="generator" content="WordPress 5.8.2">
</head><body class="post-template-default single postid-{number}"><header class="site-header">
<a href="/" rel="home">Gooseberry Notes</a><span class="today">{today}</span></header>
<div class="breadcrumbs">{trail}</div><main><article id="post-{number}"><h1
class="entry-title">{title}</h1><div class="entry-content">{text}</div>
<div class="post-views">{views:,} views</div></article></main>
<aside class="widget-area"><section class="widget_recent_entries"><h2>Recent posts</h2><ul>{posts}
</ul></section><section class="widget"><h2>About</h2><p>Two acres, one spade.</p></section></aside>
<footer class="site-info"><a href="https://wordpress.org/">Proudly powered by WordPress</a></footer>
</body></html>"""


def _gooseberry_amp(slug: str) -> str:
    _, title, text = _GOOSEBERRY[slug]
    return f"""<!doctype html><html amp lang="en-GB"><head><meta charset="utf-8"><title>{title}
</title><script async src="https://cdn.ampproject.org/v0.js"></script></head><body>
<header class="amp-wp-header"><a href="/">Gooseberry Notes</a></header><article
class="amp-wp-article"><h1 class="amp-wp-title">{title}</h1>{text}</article>
<footer class="amp-wp-footer"><a href="/{slug}/">Leave a comment</a> <a href="#top">Back to top</a>
</footer></body></html>"""


@family(
    "gooseberry-notes", kind="a blog's posts by name, number and AMP", language="en", half="work"
)
def gooseberry_notes() -> Iterator[Page]:
    """Views, the day and recent posts change from one visit to the next."""
    hens, quince, gate, bees = _GOOSEBERRY
    older, newer = (hens, quince, gate), (bees, gate, quince)
    home, garden = (
        '<a href="/">Home</a>',
        '<a href="/">Home</a> / <a href="/category/bees/">Bees</a>',
    )
    yield Page(f"/{hens}/", _gooseberry(hens, 214, "Monday 7 March", older, home), hens)
    yield Page(f"/{quince}/", _gooseberry(quince, 1093, "Monday 7 March", older, home), quince)
    yield Page("/?p=412", _gooseberry(hens, 1260, "Friday 6 May", newer, home), hens)
    yield Page(f"/{gate}/", _gooseberry(gate, 88, "Friday 6 May", newer, home), gate)
    yield Page(f"/{quince}/amp/", _gooseberry_amp(quince), quince)
    yield Page(f"/{bees}/", _gooseberry(bees, 3, "Saturday 7 May", newer, home), bees)
    html = _gooseberry(bees, 57, "Tuesday 10 May", newer, garden)
    yield Page(f"/category/bees/{bees}/", html, bees)


# --- English, copies: documentation --------------------------------------------------------------

_PINTAIL = {
    "install": (
        "Installation",
        """<p>Pintail needs a compiler for C11 and CMake from 3.16 on. Packages exist for most
distributions, but they tend to be a year behind, and bugs reported against them are closed.</p>
<div class="highlight"><pre>git clone --depth 1 https://pintail.test/src.git
cmake -S src -B build -DWITH_TLS=ON
cmake --build build --target install</pre></div>
<p>Run <code>pintail --self-test</code> afterwards. It sends forty messages to itself through
every transport that was built in and prints a line for each that was lost. A machine without a
loopback address fails the first six; that is expected.</p>""",
    ),
    "queues": (
        "Queues",
        """<p>A queue holds messages until a reader has confirmed them. It is made by its first use
and has no owner: whoever knows its name may read from it, so pick names that cannot be guessed or
turn on access rules.</p><p>Messages leave in the order in which they came, unless a reader gave
one back, which puts it at the head again. A queue that nobody has touched for a week is dropped
together with what is in it. Set <code>keep</code> to <code>forever</code> to prevent this. There
is no upper limit on the number of queues, but each costs about four kilobytes of memory.</p>""",
    ),
    "retries": (
        "Retries",
        """<p>When a reader dies or says no, its message is offered again after a pause. The pause
begins at one second and doubles up to an hour, with a tenth of it drawn at random so that a herd
of readers does not come back in the same instant.</p><p>After twelve attempts the message goes to
the dead letter box, where it stays until it is deleted by hand. Readers must therefore bear to
see a message twice. Put its identifier in the same transaction as the work, and skip what you have
met before; guessing from the clock goes wrong at the end of summer time.</p>""",
    ),
    "metrics": (
        "Metrics",
        """<p>Counters are served as plain text on port 9187. Three of them deserve an alarm:
messages waiting, age of the oldest message, and letters in the dead box. The first may climb for
an hour after a deployment without harm; the second should never pass what your users would put up
with.</p><p>Histograms have buckets by powers of two, from one millisecond. Labels carry the name
of the queue, so a program that invents queue names makes the list grow without end: switch labels
off for it. Scraping takes a read lock for less than a millisecond and is safe every second.</p>""",
    ),
}


def _pintail(slug: str, version: str, note: str = "", revision: str = "a91e3f0") -> str:
    title, text = _PINTAIL[slug]
    toc = _items([(f"{other}.html", _PINTAIL[other][0]) for other in _PINTAIL])
    return f"""<!DOCTYPE html><html class="writer-html5" lang="en"><head><meta charset="utf-8">
<title>{title} &mdash; Pintail {version} documentation</title></head><body class="wy-body-for-nav">
<nav class="wy-nav-side"><a href="index.html">Pintail</a><div class="version">{version}</div>
<div role="search"><form action="search.html"><input name="q" placeholder="Search docs"></form>
</div><ul>{toc}</ul></nav><section class="wy-nav-content-wrap"><div class="rst-content">
<ul class="wy-breadcrumbs"><li><a href="index.html">Docs</a> &raquo;</li><li>{title}</li>
<li class="wy-breadcrumbs-aside"><a href="/login?next=/en/{version}/{slug}.html">Log in</a></li>
</ul>{note}<div role="main" class="document"><section id="{slug}"><h1>{title}<a class="headerlink"
href="#{slug}">&para;</a></h1>{text}</section></div><footer><p>&copy; Copyright the Pintail authors.
<span class="commit">Revision <code>{revision}</code>.</span></p>Built with Sphinx using a theme
provided by Read the Docs.</footer></div></section></body></html>"""


@family("pintail-docs", kind="a manual under two versions", language="en", half="work")
def pintail_docs() -> Iterator[Page]:
    """Two versions say the same; marks of a search and a note on the version are dress."""
    warn = """<div class="admonition warning"><p>You are reading the documentation of the version in
development. <a href="/en/stable/">Go to the stable one</a>.</p></div>"""
    found = '<p class="highlight-link"><a href="?">Hide search matches</a></p>'
    yield Page("/en/stable/install.html", _pintail("install", "stable"), "install")
    yield Page("/en/latest/install.html", _pintail("install", "latest", warn, "c07d5b2"), "install")
    yield Page("/en/latest/queues.html", _pintail("queues", "latest", warn, "c07d5b2"), "queues")
    yield Page("/en/stable/metrics.html", _pintail("metrics", "stable"), "metrics")
    html = _pintail("queues", "stable", found)
    yield Page("/en/stable/queues.html?highlight=memory", html, "queues")
    yield Page("/en/stable/retries.html", _pintail("retries", "stable"), "retries")
    html = _pintail("retries", "latest", warn, "f3311ce")
    yield Page("/en/latest/retries.html", html, "retries")


# --- English, copies: a shop ---------------------------------------------------------------------

_BRINDLE = {
    "postman-bag": (
        "Postman Bag",
        "£148.00",
        """<p>A wide, flat bag for people who carry paper. Bridle leather three millimetres thick,
cut in one piece from flap to back and stitched by hand with waxed linen. It takes a folder without
bending it, a laptop of fourteen inches and a sandwich in the pocket behind.</p><ul><li>38 by 29 by
9 cm</li><li>1.4 kg</li><li>Strap from 90 to 140 cm</li><li>Solid brass, which will darken</li></ul>
<p>New leather is stiff and squeaks for a fortnight. Wipe it with a dry cloth and wax it twice a
year; never put it by a radiator.</p>""",
    ),
    "market-basket": (
        "Market Basket",
        "£62.00",
        """<p>Somerset willow woven over an ash hoop, with a leather handle that folds down. Strong
enough for ten kilos of potatoes and light enough to hang from one finger when empty. The bottom is
double so that it does not sag.</p><ul><li>45 by 30 cm, 24 cm deep</li><li>0.9 kg</li><li>Natural,
unpeeled rods</li></ul><p>Willow likes to be damp now and then. Leave the basket in the rain for ten
minutes each spring and let it dry in the shade, and it will not crack.</p>""",
    ),
    "tool-roll": (
        "Tool Roll",
        "£39.50",
        """<p>Eleven pockets in waxed cotton for chisels, brushes or knives, rolled up and tied with
a strap. The flap folds over the edges so that nothing falls out when you carry it upside down. Made
from offcuts of our rucksacks, so the colour is whatever was on the table that week.</p><ul><li>Open
62 by 41 cm</li><li>0.3 kg</li><li>Pockets 3, 4 and 6 cm wide</li></ul><p>Sponge it with cold water;
soap takes out the wax.</p>""",
    ),
    "dog-lead": (
        "Dog Lead",
        "£24.00",
        """<p>One strip of harness leather with a loop at one end and a trigger hook at the other,
held by two copper rivets and no stitching, because stitches are the first thing a puppy finds.
The edges are rounded and burnished so that they do not cut the hand when he sees a cat.</p>
<ul><li>110 cm long, 19 mm wide</li><li>For dogs up to 35 kg</li></ul><p>Rub in a little tallow
when it has been in the sea.</p>""",
    ),
}


def _brindle(slug: str, trail: str, watching: int, also: tuple[str, ...], cart: int = 0) -> str:
    name, price, text = _BRINDLE[slug]
    cards = "".join(
        f'<div class="card"><a href="/products/{other}">{_BRINDLE[other][0]}</a></div>'
        for other in also
    )
    return f"""<!doctype html><html class="no-js" lang="en"><head><meta charset="utf-8">
<title>{name} &ndash; Brindle Bags</title><link rel="canonical" href="/products/{slug}"></head>
<body class="template-product"><div class="announcement-bar">Free delivery over £60</div>
<header><a href="/">Brindle Bags</a><a href="/account/login">Log in</a><a href="/cart">Cart
<span>{cart}</span></a></header><nav class="breadcrumb">{trail}</nav><main><h1>{name}</h1>
<span class="price">{price}</span><p class="live">{watching} people are looking at this</p>
<form action="/cart/add"><button>Add to cart</button></form><div class="rte">{text}</div>
<section class="recommend"><h2>You may also like</h2>{cards}</section></main>
<footer><a href="/pages/returns">Returns</a><a href="/pages/repairs">Repairs</a>&copy; Brindle Bags
Powered by Shopify</footer></body></html>"""


@family("brindle-bags", kind="goods reached through collections", language="en", half="work")
def brindle_bags() -> Iterator[Page]:
    """A thing for sale has an address in every collection; who looks at it and what else differ."""
    bag, basket, roll, lead = _BRINDLE
    home, gifts = '<a href="/">Home</a>', '<a href="/collections/gifts">Gifts</a>'
    sale = '<a href="/">Home</a> / <a href="/collections/autumn">Autumn</a>'
    yield Page(f"/collections/gifts/products/{roll}", _brindle(roll, gifts, 7, (bag, lead)), roll)
    yield Page(f"/products/{roll}", _brindle(roll, home, 12, (basket, bag)), roll)
    yield Page(f"/products/{bag}", _brindle(bag, home, 31, (roll, lead)), bag)
    yield Page(f"/products/{lead}", _brindle(lead, home, 4, (basket, roll), cart=1), lead)
    html = _brindle(bag, sale, 18, (basket, roll), cart=2)
    yield Page(f"/collections/autumn/products/{bag}", html, bag)
    yield Page(f"/products/{basket}", _brindle(basket, home, 9, (lead, bag)), basket)
    html = _brindle(basket, gifts, 5, (roll, lead))
    yield Page(f"/products/{basket}?_pos=2&_sid=4f0c7e21a&_ss=r", html, basket)


# --- English, copies: a library's catalogue ------------------------------------------------------

_STOKE = {
    "20417": (
        "The drowned orchard : a memoir / Hester Vane",
        "Vane, Hester, 1931-2008",
        "London : Pargeter, 1987. 214 p. : ill. ; 22 cm",
        "920 VAN",
        """The author grew up on a fruit farm in a valley that was flooded for a reservoir in 1949.
She tells of the last harvest, of the sale at which neighbours bought each other's ladders, and of
rowing over her own bedroom as a grown woman. With a map and twelve photographs by her brother.""",
    ),
    "20977": (
        "Keeping rabbits for the table / by R. J. Stubbs",
        "Stubbs, R. J. (Robert James)",
        "Norwich : Smallholder Press, 1979. 96 p. : diagrams ; 20 cm",
        "636.9 STU",
        """A plain handbook by a man who kept four hundred does. Chapters on hutches, breeds, green
food through the year, ailments with their remedies, killing and skinning, and the keeping of
accounts. The third edition adds tables of weight by age and a list of suppliers.""",
    ),
    "21350": (
        "Night trains of the north : a history in timetables / Colin Eddery",
        "Eddery, Colin",
        "York : Semaphore, 2003. 340 p. : tables, maps ; 25 cm",
        "385.094 EDD",
        """Eighty years of sleeping cars between London and the Highlands, reconstructed from
working timetables, staff notices and the diaries of two attendants. Includes a register of all
carriages built and where each was broken up, and an essay on what was served for breakfast.""",
    ),
    "21388": (
        "Number games for wet afternoons / devised by Priya Lal and Sam Oram",
        "Lal, Priya",
        "Bristol : Kitchen Table Books, 2011. 64 p. : col. ill. ; 28 cm",
        "J 793.74 LAL",
        """Thirty games that need only pencil, dice or a pack of cards, ordered by how long they
take. For children from seven upwards and for those who must amuse them. Each game comes with a
harder form for older brothers and sisters, and answers are at the back.""",
    ),
}


def _stoke(number: str, back: str, holds: str, browse: tuple[str, ...]) -> str:
    title, author, imprint, shelf, summary = _STOKE[number]
    near = _items([(f"opac-detail.pl?biblionumber={o}", _STOKE[o][0]) for o in browse])
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>Stoke Libraries catalog &rsaquo; Details for: {title}</title>
<meta name="generator" content="Koha 21.0500000"></head><body id="opac-detail" class="scrollto">
<div id="header-region"><a class="navbar-brand" href="/">Stoke Libraries</a>
<a href="opac-user.pl">Log in to your account</a><a href="opac-search-history.pl">Search history</a>
</div><ul class="breadcrumb"><li><a href="/">Home</a></li>{back}</ul><div class="main">
<h1 class="title">{title}</h1><h5 class="author">By: {author}</h5>
<span class="publisher">Publication details: {imprint}</span>
<div class="summary"><b>Summary:</b> {summary}</div>
<table class="holdingst"><tr><th>Item type</th><th>Current library</th><th>Call number</th></tr>
<tr><td>Book</td><td>Stoke Central</td><td>{shelf}</td></tr></table>
<div class="holds">{holds}</div><div id="browse"><h2>Readers also looked at</h2><ul>{near}</ul>
</div><ul id="action"><li><a href="#">Place hold</a></li><li><a href="#">Print</a></li>
<li><a href="#">Save record</a></li></ul></div><footer>Powered by Koha</footer></body></html>"""


@family("stoke-libraries", kind="records of a catalogue after a search", language="en", half="work")
def stoke_libraries() -> Iterator[Page]:
    """A record carries the search that led to it, and what other readers looked at."""
    memoir, rabbits, trains, games = _STOKE
    path = "/cgi-bin/koha/opac-detail.pl?biblionumber="
    here = '<li aria-current="page">Details</li>'
    found = f'<li><a href="/cgi-bin/koha/opac-search.pl?q=farm">Results for farm</a></li>{here}'
    cart = f'<li><a href="/cgi-bin/koha/opac-basket.pl">Cart (1)</a></li>{here}'
    none, one = "Holds: 0", "Holds: 1"
    yield Page(f"{path}{memoir}", _stoke(memoir, here, none, (rabbits, trains)), "memoir")
    html = _stoke(memoir, found, one, (games, rabbits))
    yield Page(f"{path}{memoir}&query_desc=kw%2Cwrdl%3A%20farm", html, "memoir")
    html = _stoke(rabbits, found, none, (memoir, games))
    yield Page(f"{path}{rabbits}&query_desc=kw%2Cwrdl%3A%20farm", html, "rabbits")
    yield Page(f"{path}{trains}", _stoke(trains, here, one, (memoir, games)), "trains")
    yield Page(f"{path}{rabbits}", _stoke(rabbits, here, none, (trains, memoir)), "rabbits")
    yield Page(f"{path}{games}", _stoke(games, here, none, (trains, rabbits)), "games")
    html = _stoke(trains, cart, none, (games, rabbits))
    yield Page(f"/bib/{trains}", html, "trains")


# --- Chinese, copies: a wiki ---------------------------------------------------------------------

_CHAJU = {
    "盖碗": """\
盖碗由盖、碗、托三件组成，又称三才碗。清代中期以后在北方和四川流行，
既可以直接端着喝，也可以当作泡茶器，把茶汤倒进公道杯再分。

常见容量为一百至一百五十毫升。碗口外翻的不容易烫手，碗壁薄的散热快，
适合冲泡绿茶和清香型乌龙。使用时盖子斜放，留出一道缝，
拇指和中指捏住碗沿，食指按住盖钮，出汤要干脆。
""",
    "公道杯": """\
公道杯又称茶海，用来盛放泡好的茶汤，使先后倒出的茶汤浓淡均匀，
再分到各人的杯里，因此得名。材质有瓷、紫砂和玻璃，玻璃的便于观察汤色。

公道杯的容量应略大于泡茶器。带滤网的款式可以挡住碎茶，
但滤网容易积垢，需要经常用小苏打清洗。断水是否利落，取决于流口的形状，
选购时可以装水试倒几次。
""",
    "茶则": """\
茶则是从茶罐里取茶叶的器具，多用竹、木制成，也有银和锡的。
唐代《茶经》里已经列出，当时用贝壳或者铜铁制作，兼有量取的作用。

一勺大约三至五克，因茶叶的松紧而不同。竹制茶则不可以水洗，
用干布擦拭即可；如果沾了油或者汗，会带出异味。
茶则与茶匙、茶针、茶夹等合称茶道六君子，收在同一个筒里。
""",
    "建水": """\
建水是盛放废水和茶渣的器皿，又名水盂，日本茶道里也有同名的器物。
没有茶盘的干泡法尤其需要它，烫杯的水、洗茶的水都倒在里面。

口径一般在十二厘米以上，敞口的倒水方便，收口的不容易溅出。
陶制的较重而稳，玻璃的好看但是茶渣外露。
每次用完应当倒净擦干，否则底部会留下一圈难以除去的茶垢。
""",
}


def _chaju(title: str, visits: str, edited: str, tools: tuple[str, ...], banner: str = "") -> str:
    aside = _items([(f"/wiki/{tool}", tool) for tool in tools])
    return f"""<!DOCTYPE html><html lang="zh-Hans" class="client-nojs"><head><meta charset="UTF-8">
<title>{title} - 茶具百科</title><meta name="generator" content="MediaWiki 1.35.4"></head>
<body class="mediawiki ltr ns-0 skin-vector"><div id="content" class="mw-body">{banner}
<h1 id="firstHeading">{title}</h1><div id="siteSub">来自茶具百科</div><div id="mw-content-text">
<div class="mw-parser-output">{_zh(_CHAJU[title])}</div></div>
<div id="catlinks">分类：<a href="/wiki/Category:器具">器具</a></div></div>
<div id="mw-navigation"><a href="/index.php?title=Special:登录&returnto={title}">登录</a>
<a href="/wiki/Special:最近更改">最近更改</a><h3>最近更新的条目</h3><ul>{aside}</ul></div>
<div id="footer"><ul><li>{edited}</li><li>{visits}</li><li>内容采用知识共享许可</li></ul></div>
</body></html>"""


@family("chaju-baike", kind="a wiki's articles by title and script", language="zh", half="work")
def chaju_baike() -> Iterator[Page]:
    """Articles by path and by query, for print too; counts and recent changes differ."""
    bowl, cup, scoop, basin = _CHAJU
    edited = {
        bowl: "本页面最后编辑于2021年9月4日 (星期六) 10:12。",
        cup: "本页面最后编辑于2021年6月18日 (星期五) 21:40。",
        scoop: "本页面最后编辑于2020年12月1日 (星期二) 08:55。",
        basin: "本页面最后编辑于2021年10月30日 (星期六) 16:27。",
    }

    def page(path: str, title: str, visits: int, tools: tuple[str, ...], banner: str = "") -> Page:
        count = f"本页面已经被浏览{visits:,}次。"
        return Page(path, _chaju(title, count, edited[title], tools, banner), title)

    old, new = (bowl, cup, scoop), (basin, bowl)
    campaign = '<div id="siteNotice">器具摄影征集活动正在进行，欢迎上传。</div>'
    yield page("/wiki/%E7%9B%96%E7%A2%97", bowl, 1842, old)
    yield page("/wiki/%E5%85%AC%E9%81%93%E6%9D%AF", cup, 977, old)
    yield page("/index.php?title=%E7%9B%96%E7%A2%97", bowl, 2305, new, campaign)
    yield page("/wiki/%E8%8C%B6%E5%88%99", scoop, 410, new)
    path = "/index.php?title=%E5%85%AC%E9%81%93%E6%9D%AF&printable=yes"
    yield page(path, cup, 1006, new)
    yield page("/wiki/%E5%BB%BA%E6%B0%B4", basin, 66, new, campaign)
    yield page(
        "/index.php?title=%E8%8C%B6%E5%88%99&mobileaction=toggle_view_desktop", scoop, 431, old
    )


# --- Chinese, copies: a forum --------------------------------------------------------------------

_DIAOYU = {
    "30218": (
        "水库夜钓鲫鱼一晚没口，求指点",
        (
            (
                "江边老郑",
                """周六晚上在龙潭水库北岸，水深三米左右，用了拉饵打窝，蚯蚓挂钩，
                从八点守到凌晨两点，只有几次小杂鱼闹钩。旁边的钓友也差不多。
                天气闷，有点东风，水面不停冒小泡，是不是缺氧？""",
            ),
            (
                "草帽",
                """冒小泡加上闷，基本就是缺氧，鱼都浮在上面。这种天气要么钓浮，
                要么换到进水口，那边有活水。底钓守一晚也白搭。""",
            ),
            ("三尺水", """北岸底下淤泥厚，鲫鱼不爱待。下次试试东南角的石头滩。"""),
        ),
    ),
    "30244": (
        "出一根用了一年的四米五手竿",
        (
            (
                "草帽",
                """换了新竿，旧的出掉。四米五，二八调，自重一百零八克，
                第三节换过一次，其他原厂。竿梢没有断过，握把有使用痕迹。
                送一个竿套和两副线组，二百二不含运费，同城可以面交。""",
            ),
            ("小满", """第三节换的是原厂件吗？能不能拍一下接口的照片？"""),
            ("草帽", """原厂的，有售后单据，照片晚上补上。"""),
        ),
    ),
    "30251": (
        "禁渔期到底能不能一人一竿？",
        (
            (
                "河湾",
                """今天在大桥下面被劝离了，工作人员说禁渔期间整个江段都不能钓，
                可是去年发的通告写的是允许一人一竿一钩休闲垂钓。
                有没有人知道今年的规定是不是改了？""",
            ),
            (
                "江边老郑",
                """今年改了，保护区核心段全年禁钓，大桥上下游各两公里都在里面。
                其他江段还是一人一竿，但是不能用船和锚鱼钩。
                渔政大厅有张图，贴在门口。""",
            ),
        ),
    ),
    "30266": (
        "自制小麦窝料的做法，泡酒比例说一下",
        (
            (
                "小满",
                """五斤小麦煮到开花，沥干以后摊凉，装进玻璃罐，
                倒入五十二度白酒没过麦粒，加一两白糖，封口放在阴凉的地方，
                夏天半个月、冬天一个月就能用。每次抓一把，鲫鱼、鲤鱼都认。""",
            ),
            ("三尺水", """白糖换成蜂蜜味道更持久，不过容易招小杂鱼。"""),
        ),
    ),
}


def _diaoyu(tid: str, views: int, online: str, trail: str, user: str) -> str:
    title, posts = _DIAOYU[tid]
    rows = "\n".join(
        f"""<table id="pid{tid}{i}" class="plhin"><tr><td class="pls"><a href="/space-{name}">{name}
</a></td><td class="plc"><div class="pi">{i}楼</div><div class="t_f">{_zh(text)}</div></td></tr>
</table>"""
        for i, (name, text) in enumerate(posts, 1)
    )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"/>
<title>{title} - 钓友论坛 - Powered by Discuz!</title></head><body id="nv_forum">
<div id="toptb"><a href="/">设为首页</a>{user}</div><div id="pt" class="bm">{trail}</div>
<div id="postlist"><table><tr><td>查看: <span>{views}</span> | 回复: <span>{len(posts) - 1}</span>
</td><td><h1 class="ts">{title}</h1></td></tr></table>{rows}</div>
<div class="bm">{online}</div><div id="ft">Powered by Discuz! X3.4 GMT+8</div></body></html>"""


@family("diaoyu-luntan", kind="a forum's threads by two addresses", language="zh", half="work")
def diaoyu_luntan() -> Iterator[Page]:
    """Threads by short and long address; views, who is online and the way there differ."""
    night, rod, ban, bait = _DIAOYU
    guest = '<a href="/member.php?mod=logging">登录</a> <a href="/member.php?mod=reg">注册</a>'
    hurry = '<a href="/connect.php">只需一步，快速开始</a>'
    forum = '<a href="/">论坛</a> › <a href="/forum-12-1.html">交流区</a>'
    guide = '<a href="/">论坛</a> › <a href="/forum.php?mod=guide&view=hot">最新热门</a>'
    few, many = "当前在线 37 人，其中会员 5 人", "当前在线 412 人，其中会员 61 人"
    html = _diaoyu(night, 128, few, forum, guest)
    yield Page(f"/thread-{night}-1-1.html", html, "night fishing")
    html = _diaoyu(rod, 64, few, forum, guest)
    yield Page(f"/thread-{rod}-1-1.html", html, "rod for sale")
    html = _diaoyu(night, 655, many, guide, guest + hurry)
    path = f"/forum.php?mod=viewthread&tid={night}&extra=page%3D1"
    yield Page(path, html, "night fishing")
    html = _diaoyu(ban, 2210, many, guide, guest + hurry)
    yield Page(f"/forum.php?mod=viewthread&tid={ban}", html, "closed season")
    html = _diaoyu(bait, 93, few, forum, guest)
    yield Page(f"/thread-{bait}-1-1.html", html, "bait")
    html = _diaoyu(ban, 2874, few, forum, guest)
    yield Page(f"/thread-{ban}-1-1.html?fromuid=8817", html, "closed season")


# --- Chinese, copies: a newspaper ----------------------------------------------------------------

_LINHE = {
    "58101": (
        "老菜场搬了新家 摊位租金三年不变",
        "记者 沈亦凡",
        """\
营业了三十一年的西桥菜场昨天凌晨收了最后一个摊，今天早上六点，
二百一十六户摊主在隔壁的新楼里重新开张。新菜场分上下两层，
水产和肉类在一楼，地面铺了防滑砖，排水沟加了盖板。

卖豆腐的陈桂香在老菜场站了二十年，她说最高兴的是有了冷柜，
夏天不用再半夜起来换冰。街道办事处承诺摊位租金三年之内不上涨，
自产自销的农户另设四十个免费的位置，先到先得。

老菜场的旧址将改建为停车场和一座小公园，预计明年秋天完工。
""",
    ),
    "58107": (
        "第一批盲道修好了 请别再停车",
        "记者 顾珂",
        """\
市城管局昨天公布，今年首批十二公里盲道的修整已经完成，
涉及解放路、育才路等九条道路，共更换破损地砖四千余块，
移走占道的电箱和垃圾桶五十三处。

视障市民老庄试走了育才路，从家门口到按摩店一共九百米，
过去要绕开七处障碍，这次只碰到两辆共享单车。
他说砖修好了，还要大家不去占。

从下个月起，在盲道上停放车辆的，第一次提醒，第二次开始处罚。
""",
    ),
    "58112": (
        "中学生捡到的石头是恐龙蛋化石",
        "通讯员 邬晓岚",
        """\
上个月，十三岁的初一学生韩朔在河滩上捡到一块圆石头，
表面布满细小的纹路，他觉得像书上的照片，就带到了学校。
科学老师联系市博物馆，专家鉴定为白垩纪晚期的恐龙蛋化石，
直径约十二厘米，保存比较完整。

韩朔和家人把化石捐给了博物馆，昨天领到了证书和一年的参观卡。
博物馆的人提醒，化石属于国家所有，发现以后不要自行挖掘，
记下位置、拍照并报告，就是最好的保护。
""",
    ),
    "58120": (
        "明起三条公交线路绕行 工期约四十天",
        "记者 沈亦凡",
        """\
因人民桥加固施工，从明天首班车起，3路、18路和夜宵1号线临时绕行。
3路改走滨江大道，取消邮电局和人民桥南两站；18路在中山广场掉头，
不再过江；夜宵1号线改由二桥过江，增设码头站。

施工单位表示工期约四十天，遇到汛期顺延。
行人和非机动车仍可以从桥西侧通行，早晚高峰有交警值守。
过江的乘客可以在中山广场免费换乘接驳车，每八分钟一班。
""",
    ),
}


def _linhe(number: str, today: str, ranking: tuple[str, ...], advert: str) -> str:
    title, by, text = _LINHE[number]
    hot = _items([(f"/html/2022-05/13/content_{o}.htm", _LINHE[o][0]) for o in ranking])
    return f"""<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8">
<title>{title}-临河晚报</title></head><body><div class="top"><span id="date">今天是{today}</span>
<a href="/">临河晚报数字报</a><a href="/node_2.htm">返回目录</a></div><div class="ad">{advert}</div>
<div class="content"><h1>{title}</h1><div class="author">{by}　2022年5月13日</div>
<div id="ozoom">{_zh(text)}</div><div class="pn"><a href="#">上一篇</a><a href="#">下一篇</a></div>
</div><div class="right"><h3>点击排行</h3><ul>{hot}</ul></div><div class="copyright">
临河日报社版权所有，未经许可不得转载</div></body></html>"""


def _linhe_mobile(number: str, reads: int) -> str:
    title, by, text = _LINHE[number]
    return f"""<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"></head><body><div class="app-bar">打开客户端，
阅读更流畅</div><article><h2>{title}</h2><p class="info">{by} 2022年5月13日 阅读 {reads}</p>
{_zh(text)}</article><div class="tool">点赞 收藏 写评论</div></body></html>"""


@family("linhe-wanbao", kind="a newspaper's pages for desk and phone", language="zh", half="work")
def linhe_wanbao() -> Iterator[Page]:
    """The day, the ranking and the advertisement are of the visit, the article is of its day."""
    market, pavement, fossil, buses = _LINHE
    car, flat = "新车到店，试驾有礼", "江景现房，即买即住"
    path = "/html/2022-05/13/content_"
    html = _linhe(market, "2022年5月13日 星期五", (fossil, buses), car)
    yield Page(f"{path}{market}.htm", html, "market")
    yield Page(f"/wap/{market}", _linhe_mobile(market, 1320), "market")
    html = _linhe(pavement, "2022年5月13日 星期五", (fossil, market), car)
    yield Page(f"{path}{pavement}.htm", html, "pavement")
    html = _linhe(fossil, "2022年5月16日 星期一", (buses, pavement), flat)
    yield Page(f"{path}{fossil}.htm", html, "fossil")
    html = _linhe(fossil, "2022年6月2日 星期四", (market, pavement), car)
    yield Page(f"{path}{fossil}.htm?div=-1", html, "fossil")
    html = _linhe(buses, "2022年5月16日 星期一", (fossil, market), flat)
    yield Page(f"{path}{buses}.htm", html, "buses")
    yield Page(f"/wap/{buses}", _linhe_mobile(buses, 6047), "buses")


# --- Chinese, copies: an office of government ----------------------------------------------------

_PINGCHUAN = {
    "4417": (
        "关于发放2022年春季耕地地力保护补贴的通知",
        """\
各乡镇人民政府、各有关单位：根据上级文件精神，现将今年春季补贴发放事项通知如下。

一、补贴对象为拥有耕地承包权的种地农民，流转土地的按照合同约定执行。
二、补贴标准为每亩九十六元，以确权登记面积为准，已改作林地、鱼塘和建设用地的不予补贴。
三、各村应当将面积和金额在村务公开栏公示七天，无异议后由农户签字确认。

四、资金通过一卡通直接发放，任何单位和个人不得截留、抵扣。
各乡镇于四月二十日前将汇总表报县农业农村局，逾期不报的视为放弃当季申报。
""",
    ),
    "4423": (
        "关于城区集中供水管网检修停水的公告",
        """\
为保障夏季用水高峰期的供水安全，县自来水公司定于五月八日二十二时
至五月九日六时对城区主管网进行检修。

检修期间，环城东路以东、文昌街以北的区域停止供水，其他区域水压降低。
请居民和单位提前储备用水，关闭热水器和洗衣机的进水阀。
恢复供水初期可能出现短时浑浊，放水数分钟即可恢复正常。

医院、学校等重点单位由供水车保障。因天气原因不能施工的，顺延一天，另行公告。
""",
    ),
    "4431": (
        "2022年度公开招聘社区工作者面试安排",
        """\
经资格审查和笔试，共有五十四名考生进入面试，现将有关事项公告如下。

面试时间为六月十一日上午八时，地点在县委党校一号教学楼。
考生须携带身份证和准考证，于七时二十分前到候考室报到并抽签，迟到的视为弃权。
面试采用结构化方式，每人十分钟，满分一百分，低于六十分的不得录用。

总成绩按笔试六成、面试四成计算，于面试结束后三日内公布。
候考期间手机等通信工具统一保管，陪同人员不得进入考场。
""",
    ),
    "4436": (
        "关于公布县级古树名木保护名录的决定",
        """\
经普查、专家论证和社会公示，县人民政府决定将二十七株树木列入县级保护名录。
其中银杏九株、香樟八株、朴树四株、其他树种六株，树龄最长的约八百三十年。

名录内的树木由所在乡镇设立标牌和护栏，树冠投影外五米以内不得硬化地面、
堆放物料和挖坑取土。养护责任人由所在村或者单位确定，
县林业局每年春秋两季巡查，对生长衰弱的提出复壮方案。

损害古树名木的，依照有关规定处罚；举报属实的，给予奖励。
""",
    ),
}


def _pingchuan(number: str, column: str, reads: int, today: str, latest: tuple[str, ...]) -> str:
    title, text = _PINGCHUAN[number]
    recent = _items([(f"/art/art_31_{o}.html", _PINGCHUAN[o][0]) for o in latest])
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title>
<meta name="SiteName" content="平川县人民政府"><meta name="ColumnName" content="{column}"></head>
<body><div class="header"><span>今天是 {today}</span><a href="/">平川县人民政府</a>
<a href="/login">用户登录</a><a href="javascript:;">无障碍浏览</a></div>
<div class="position">当前位置：<a href="/">首页</a> &gt;&gt; <a href="#">{column}</a></div>
<div class="main"><h1>{title}</h1><div class="info">来源：县政府办公室　浏览次数：<i>{reads}</i>
　字体：[<a href="#">大</a> <a href="#">中</a> <a href="#">小</a>]</div>
<div id="zoom">{_zh(text)}</div><div class="tools"><a href="javascript:window.print()">打印</a>
<a href="javascript:window.close()">关闭</a></div></div><div class="side"><h3>最新信息</h3>
<ul>{recent}</ul></div><div class="footer">主办：平川县人民政府办公室　网站标识码：3316240001</div>
</body></html>"""


@family("pingchuan-gov", kind="notices under two columns of an office", language="zh", half="work")
def pingchuan_gov() -> Iterator[Page]:
    """A notice is filed in two columns; readers, the day and the latest news are of the visit."""
    grant, water, posts, trees = _PINGCHUAN
    notices, public = "通知公告", "政府信息公开"
    spring, summer = "2022年4月11日 星期一", "2022年7月5日 星期二"

    def page(section: int, number: str, reads: int, latest: tuple[str, ...], what: str) -> Page:
        column = notices if section == 31 else public
        day = spring if grant in latest else summer
        html = _pingchuan(number, column, reads, day, latest)
        return Page(f"/art/art_{section}_{number}.html", html, what)

    yield page(31, grant, 903, (grant, water), "grant")
    yield page(31, water, 4120, (grant, water), "water")
    yield page(58, grant, 1177, (trees, posts), "grant")
    yield page(31, posts, 8855, (trees, water), "posts")
    yield page(58, trees, 212, (trees, posts), "trees")
    yield page(58, water, 4388, (posts, trees), "water")
    yield page(31, trees, 340, (water, posts), "trees")
