"""Chinese sites (and two English ones) whose pages share long standing text around few facts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.families.kit import Page, family


def _paragraphs(text: str, joint: str = "") -> list[str]:
    parts = text.strip().split("\n\n")
    return [joint.join(line.strip() for line in part.splitlines()) for part in parts]


def _zh(text: str, css: str = "") -> str:
    attribute = f' class="{css}"' if css else ""
    return "\n".join(f"<p{attribute}>{part}</p>" for part in _paragraphs(text))


def _en(text: str) -> str:
    return "\n".join(f"<p>{part}</p>" for part in _paragraphs(text, " "))


def _doc(title: str, body: str, *, head: str = "", lang: str = "zh-CN", attrs: str = "") -> str:
    return f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}</head>
<body{attrs}>
{body}
</body>
</html>
"""


def _old_doc(title: str, body: str, *, head: str = "") -> str:
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{title}</title>
{head}</head>
<body bgcolor="#ffffff" topmargin="0">
{body}
</body>
</html>
"""


def _links(items: list[tuple[str, str]], css: str = "") -> str:
    attribute = f' class="{css}"' if css else ""
    rows = "\n".join(f'<li><a href="{href}">{text}</a></li>' for href, text in items)
    return f"<ul{attribute}>\n{rows}\n</ul>"


# 1. Flats for sale and to let in one compound.

_FLAT_TEXT = """\
翠屏家园位于城北新区文澜路与云杉街交汇处，2009年由本地国企开发建成，共十八栋住宅，绿化率百分
之三十八，小区人车分流，地下车库两层，车位配比约一比一。物业由家和物业负责，每日两次巡楼，垃
圾定时清运，业主群里报修一般当天就有人上门。

户型方正，客厅连接阳台，采光面宽，厨房和卫生间都是明窗。房屋为业主自住装修，木地板、整体橱柜
和中央热水都保养得很好，家具家电可以协商留下。业主诚意出手，看房请提前半天预约，周末上午和工
作日傍晚都方便。

步行八分钟到地铁四号线文澜路站，楼下有公交枢纽，云杉小学和实验幼儿园就在马路对面。生活超市、
社区医院、农贸市场都在五百米以内，往北两站路是湿地公园，早晚散步的人很多。

温馨提示：页面所载信息由经纪人实地核验后发布，学区划分以教育部门当年公布的为准，税费按过户时
政策计算。请勿在签订书面合同之前支付任何定金，如遇收取看房费、加价费的情况，可拨打平台监督电
话投诉。"""

_FLATS = [
    ("ershoufang/105108823416", "二手房", "总价 186 万", "89.4㎡", "6/18层", "ZF-2231", "周敏"),
    ("ershoufang/105108823977", "二手房", "总价 192 万", "89.4㎡", "11/18层", "ZF-2247", "周敏"),
    ("ershoufang/105108830052", "二手房", "总价 179 万", "89.4㎡", "2/18层", "ZF-2260", "何锦程"),
    ("zufang/CP10266138", "租房", "月租 3200 元", "89.4㎡", "15/18层", "ZL-0718", "何锦程"),
    ("zufang/CP10266590", "租房", "月租 3350 元", "89.4㎡", "9/18层", "ZL-0725", "孟晓"),
    ("ershoufang/105108841209", "二手房", "总价 192 万", "91.0㎡", "11/18层", "ZF-2302", "孟晓"),
]


@family("anqi-fang", kind="flats of one compound", language="zh", half="held")
def anqi_fang() -> Iterator[Page]:
    """Each flat has its price, floor and number in the aside only."""
    for path, trade, price, area, floor, number, agent in _FLATS:
        body = f"""<div class="header"><div class="wrapper">
<a class="logo" href="/"><img src="/static/logo.png" alt="安栖网"></a>
<ul class="menu"><li><a href="/ershoufang/">二手房</a></li><li><a href="/xinfang/">新房</a></li>
<li><a href="/zufang/">租房</a></li><li><a href="/xiaoqu/">小区</a></li></ul>
</div></div>
<div class="intro clear">您的位置：<a href="/">安栖网</a>
&gt; <a href="/xiaoqu/cuiping/">翠屏家园</a></div>
<div class="title-wrapper"><h1>翠屏家园 南北通透三居室 业主诚心</h1></div>
<div class="overview">
<aside class="content-side">
<div class="price">{price}</div>
<div class="houseInfo"><div class="room">{floor}</div><div class="area">{area}</div></div>
<div class="aroundInfo"><span class="label">房源编号</span><span>{number}</span></div>
<div class="brokerInfo"><span>经纪人 {agent}</span> <a href="/im">在线咨询</a></div>
</aside>
<div class="introContent">
<h2>房源介绍</h2>
{_zh(_FLAT_TEXT)}
</div>
</div>
<div class="footer"><a href="/about/">关于安栖</a> <a href="/join/">加盟合作</a>
<p>© 2024 安栖网 版权所有</p></div>"""
        title = f"翠屏家园{trade}，南北通透三居室 - 安栖网"
        yield Page(f"/{path}.html", _doc(title, body), what=number)


# 2. Jobs of one chain.

_JOB_TEXT = """\
禾木烘焙创立于2011年，从一家社区小店起步，如今在十多个城市开设门店，坚持当日制作、当晚清架。
公司有自己的中央工厂和烘焙学院，新伙伴入职后都会在老师傅的带领下完成为期六周的带薪培训，考核
通过后颁发内部等级证书。

岗位职责：按照标准配方完成称料、和面、整形、发酵与烘烤；做好设备日常清洁和保养，填写温度记录
表；配合前厅补货，向顾客介绍当季产品；遵守食品安全制度，发现原料异常及时上报；参加门店每周一
次的新品试做。

任职要求：中专以上学历，身体健康，能办理健康证；喜欢烘焙，手脚麻利，能适应早班；有团队意识，
愿意从基础做起。有裱花或者欧包经验的优先考虑，应届毕业生同样欢迎。

福利待遇：签订正式劳动合同，缴纳五险一金，提供工作餐和员工宿舍，每月四到六天休息，生日礼券，
年度体检，满一年享受带薪年假，表现优秀者可以竞聘店长或培训师。应聘者请将简历发送到人事邮箱，
邮件标题注明姓名，收到简历后五个工作日内回复，谢绝来访。"""

_JOBS = [
    ("30417", "宁州·万象店", "4500–6000 元/月", "2 人", "2024-04-10"),
    ("30418", "宁州·河坊店", "4500–6000 元/月", "1 人", "2024-04-10"),
    ("30431", "临海·星光店", "5000–6500 元/月", "3 人", "2024-04-12"),
    ("30440", "临海·学院路店", "5000–6500 元/月", "3 人", "2024-04-12"),
    ("30452", "江阳·中央工厂", "5200–7000 元/月", "12 人", "2024-04-20"),
    ("30466", "江阳·中央工厂（夜班）", "6200–8000 元/月", "12 人", "2024-04-20"),
    ("30471", "平川·南门店", "4200–5500 元/月", "2 人", "2024-05-06"),
]


@family("hemu-zhaopin", kind="one job at many places", language="zh", half="held")
def hemu_zhaopin() -> Iterator[Page]:
    """Each vacancy has its place, pay and closing day in a side box."""
    head = '<meta name="description" content="禾木烘焙招聘烘焙师，带薪培训，五险一金。">\n'
    for number, place, pay, count, until in _JOBS:
        body = f"""<nav class="navbar navbar-expand-lg navbar-light bg-light">
<a class="navbar-brand" href="/"><img src="/img/hemu.svg" alt="禾木"></a>
<ul class="navbar-nav"><li class="nav-item"><a class="nav-link" href="/jobs">全部职位</a></li>
<li class="nav-item"><a class="nav-link" href="/school">校园招聘</a></li>
<li class="nav-item"><a class="nav-link" href="/story">伙伴故事</a></li></ul>
</nav>
<div class="container"><div class="row">
<div class="col-md-8">
<h1 class="display-6">招聘烘焙师</h1>
{_zh(_JOB_TEXT)}
<a class="btn btn-warning" href="/apply?job={number}">立即投递</a>
</div>
<div class="col-md-4"><div class="card job-box"><div class="card-body">
<ul class="list-unstyled">
<li><b>工作地点</b> {place}</li>
<li><b>薪资</b> {pay}</li>
<li><b>招聘人数</b> {count}</li>
<li><b>截止日期</b> {until}</li>
</ul></div></div></div>
</div></div>
<footer class="bg-dark text-white py-4"><div class="container">禾木食品有限公司 人力资源部</div>
</footer>"""
        yield Page(
            f"/jobs/detail?id={number}", _doc("招聘烘焙师 | 禾木烘焙", body, head=head), number
        )


# 3. Trims of a car.

_CAR_TEXT = """\
厂商指导价仅供参考，终端成交价请以当地授权经销商的报价为准。配置表根据厂家公布的资料整理，
● 表示标配，○ 表示选装，— 表示无此配置。因批次不同，实车可能存在细微差异，厂家保留在不另行通
知的情况下调整配置的权利。

整车质保为三年或十万公里，以先到者为准；首次保养免费，之后每七千五百公里或者六个月保养一次，
小保养包含机油、机滤与工时。保险、购置税与上牌费用按照落地城市的规定另行计算，可以使用页面下
方的购车计算器估算。"""

_CARS = [
    ("4301", "1.5L 手动舒适型", "7.98", "1.5L 115马力 L4", "5挡手动", "6.1", "2", "—", "—"),
    ("4302", "1.5L 自动舒适型", "8.88", "1.5L 115马力 L4", "CVT无级变速", "6.3", "2", "—", "—"),
    ("4303", "1.5L 自动豪华型", "9.58", "1.5L 115马力 L4", "CVT无级变速", "6.3", "4", "●", "—"),
    ("4304", "1.5T 自动豪华型", "10.28", "1.5T 156马力 L4", "7挡双离合", "6.6", "4", "●", "○"),
    ("4305", "1.5T 自动旗舰型", "11.38", "1.5T 156马力 L4", "7挡双离合", "6.6", "6", "●", "●"),
    ("4306", "1.5T 自动纪念版", "11.38", "1.5T 156马力 L4", "7挡双离合", "6.7", "6", "●", "●"),
]

_CAR_ROWS = [
    ("级别", "紧凑型车"),
    ("长×宽×高(mm)", "4625×1798×1470"),
    ("轴距(mm)", "2680"),
    ("车身结构", "4门5座三厢车"),
    ("行李厢容积(L)", "470"),
    ("油箱容积(L)", "50"),
    ("燃油标号", "92号"),
    ("环保标准", "国VI"),
    ("驱动方式", "前置前驱"),
    ("前悬架类型", "麦弗逊式独立悬架"),
    ("后悬架类型", "扭力梁式非独立悬架"),
    ("助力类型", "电动助力"),
    ("前制动器", "通风盘式"),
    ("后制动器", "盘式"),
    ("驻车制动", "电子驻车"),
    ("轮胎规格", "205/55 R16"),
    ("备胎规格", "非全尺寸"),
    ("车身稳定控制", "●"),
    ("上坡辅助", "●"),
    ("定速巡航", "●"),
    ("倒车影像", "●"),
    ("中控屏尺寸", "10.25英寸"),
    ("扬声器数量", "6喇叭"),
    ("近光灯光源", "LED"),
]


@family("chebiao-peizhi", kind="trims of one car", language="zh", half="held")
def chebiao_peizhi() -> Iterator[Page]:
    """Each trim differs in its heading and some rows of a long table."""
    common = "\n".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in _CAR_ROWS)
    others = _links([(f"/config/spec_{row[0]}.htm", "查看") for row in _CARS], "trims")
    for code, name, price, engine, gear, fuel, bags, roof, radar in _CARS:
        full = f"云驰 2024款 {name}"
        body = f"""<div id="topbar"><a href="/">车标网</a> | <a href="/dealer/">经销商</a>
| <a href="/koubei/">口碑</a> | <a href="/used/">二手车</a></div>
<div class="subnav"><a href="/yunchi/">云驰首页</a><a href="/yunchi/pic/">图片</a>
<a href="/yunchi/config/" class="cur">参数配置</a></div>
<div id="main" class="w960">
<h2 class="spec-name">{full}</h2>
<table class="tbcs" cellspacing="0">
<tr><th>厂商指导价</th><td>{price}万</td></tr>
<tr><th>发动机</th><td>{engine}</td></tr>
<tr><th>变速箱</th><td>{gear}</td></tr>
<tr><th>综合油耗(L/100km)</th><td>{fuel}</td></tr>
{common}
<tr><th>安全气囊</th><td>{bags}个</td></tr>
<tr><th>电动天窗</th><td>{roof}</td></tr>
<tr><th>前雷达</th><td>{radar}</td></tr>
</table>
<div class="explain">{_zh(_CAR_TEXT)}</div>
</div>
<div class="right">{others}</div>
<div class="foot">Copyright © 2008-2024 车标网 客服信箱 kefu@chebiao-peizhi.test</div>"""
        yield Page(f"/config/spec_{code}.htm", _old_doc(f"【{full}】参数配置表_车标网", body), code)


# 4. A course, term after term.

_COURSE_TEXT = """\
课程简介：《数值分析》面向数学类与计算类专业本科生，讲授用计算机求解连续数学问题的基本方法及
其理论依据。课程从误差的来源和传播讲起，依次介绍插值与逼近、数值积分与微分、线性方程组的直接
法和迭代法、非线性方程求根、矩阵特征值计算以及常微分方程初值问题的数值解法。

先修要求：数学分析、高等代数、程序设计基础。选课学生应当能够独立编写并调试小型程序，编程语言
不限，作业示例使用 Python 给出。

考核方式：平时作业占百分之三十，上机实验占百分之二十，期末闭卷考试占百分之五十。作业每周布置
一次，下一周上课之前在教学平台提交，迟交一天扣十分，迟交三天以上不再接收。上机实验共四次，需
要提交实验报告与源代码，发现抄袭者双方均记零分。

教材与参考书：本系自编讲义，课程平台可以下载；参考书目见平台“资料”栏。课程设有答疑群，助教每
周三晚间在系楼一层值班答疑，其他时间请发邮件预约。

选课说明：退补选在开学后前两周进行，重修学生须由学院教务办公室盖章后人工加入，旁听不需要登
记，但不提供作业批改。"""

_TERMS = [
    ("2021-2022-1", "沈怀瑾", "理科楼 203", "周二 3–4 节、周四 1–2 节", "2022-01-11 09:00", "74"),
    ("2021-2022-2", "沈怀瑾", "理科楼 203", "周一 3–4 节、周三 1–2 节", "2022-06-21 09:00", "66"),
    ("2022-2023-1", "罗一帆", "理科楼 203", "周二 3–4 节、周四 1–2 节", "2023-02-20 14:00", "81"),
    ("2022-2023-2", "罗一帆", "新教 B107", "周二 3–4 节、周四 1–2 节", "2023-06-19 09:00", "58"),
    ("2023-2024-1", "沈怀瑾", "新教 B107", "周二 3–4 节、周四 1–2 节", "2024-01-09 09:00", "90"),
    ("2023-2024-2", "沈怀瑾", "新教 B109", "周二 3–4 节、周四 1–2 节", "2024-06-25 14:00", "90"),
]


@family("kecheng-shuxue", kind="one course by term", language="zh", half="held")
def kecheng_shuxue() -> Iterator[Page]:
    """Each term has its teacher, room and examination, in a tab that is not shown at first."""
    for term, teacher, room, hours, exam, seats in _TERMS:
        body = f"""<header class="site-header"><div class="brand">
<img src="/themes/uni/badge.png" alt="校徽"> <span>数学科学学院 本科课程</span></div></header>
<ol class="breadcrumb"><li><a href="/">首页</a></li><li><a href="/courses">课程目录</a></li>
<li class="active">数值分析</li></ol>
<article class="course">
<h1>MA3021 数值分析</h1>
<p class="credit">学分：3　学时：48　类别：专业核心</p>
<ul class="nav-tabs"><li class="on"><a href="#syllabus">教学大纲</a></li>
<li><a href="#plan">开课安排</a></li></ul>
<section id="syllabus" class="tab-pane">
{_zh(_COURSE_TEXT)}
</section>
<section id="plan" class="tab-pane" style="display:none">
<dl>
<dt>开课学期</dt><dd>{term}</dd>
<dt>主讲教师</dt><dd>{teacher}</dd>
<dt>上课时间</dt><dd>{hours}</dd>
<dt>教室</dt><dd>{room}</dd>
<dt>期末考试</dt><dd>{exam}</dd>
<dt>课容量</dt><dd>{seats}</dd>
</dl>
</section>
</article>
<footer><p>数学科学学院教务办公室</p></footer>"""
        html = _doc("MA3021 数值分析 - 本科课程目录", body, attrs=' class="page-course"')
        yield Page(f"/courses/view.jsp?code=MA3021&term={term}", html, what=term)


# 5. Branches of a library.

_LIBRARY_TEXT = """\
各分馆实行通借通还，读者凭身份证、社保卡或者电子读者证均可入馆，办理外借需要开通借阅功能，免
押金读者每次可借图书十册、期刊四册，借期三十天，到期前可以在线续借一次。逾期不收滞纳金，但会
暂停借阅权限，停借天数与逾期天数相同。

入馆须知：请勿携带食品和有色饮料进入阅览区，请将手机调至静音状态；十四周岁以下儿童应当由家长
陪同；自习座位使用预约系统管理，签到后离座超过三十分钟系统自动释放。馆内设有储物柜、饮水机、
母婴室和无障碍通道，轮椅与老花镜可以在总服务台借用。

文献捐赠、团体参观和志愿者报名请提前三个工作日联系分馆工作人员。如遇极端天气或者设备检修需要
临时闭馆，会在微信公众号上提前发布通知，请留意。"""

_BRANCHES = [
    ("hexi", "河西分馆", "河西区桐荫路 18 号", "0578-2660218", "周二至周日 9:00–20:30"),
    ("chengnan", "城南分馆", "城南区永安街 205 号", "0578-2660305", "周二至周日 9:00–20:30"),
    ("beishan", "北山分馆", "北山镇书院弄 3 号", "0578-2660477", "周三至周日 9:00–17:00"),
    ("gangkou", "港口分馆", "港口新城海晏路 66 号", "0578-2660519", "周三至周日 9:00–17:00"),
    ("shaoer", "少儿分馆", "河西区桐荫路 20 号", "0578-2660220", "周三至周日 9:30–18:00"),
    ("gaoxin", "高新分馆", "高新区创业大道 1 号", "0578-2660602", "每日 8:30–21:00"),
    ("laocheng", "老城分馆", "老城区鼓楼前 7 号", "0578-2660133", "周二至周日 9:00–20:30"),
]


@family("qingxi-tushuguan", kind="branches on subdomains", language="zh", half="held")
def qingxi_tushuguan() -> Iterator[Page]:
    """Each branch has its name in the page header and its address and hours below the text."""
    hosts = [
        (f"http://{branch[0]}.qingxi-tushuguan.test/guide.html", "进入分馆") for branch in _BRANCHES
    ]
    for code, name, street, phone, hours in _BRANCHES:
        body = f"""<div class="top-banner"><div class="w1200">
<header class="lib-head"><img src="/images/lib_logo.png" alt="清溪市图书馆" />
<strong>{name}</strong></header>
<div class="search"><form action="/opac"><input name="q" placeholder="馆藏检索"></form></div>
</div></div>
<div class="nav w1200"><a href="/">首页</a><a href="/guide.html" class="hover">读者指南</a>
<a href="/activity.html">活动预告</a><a href="/digital.html">数字资源</a></div>
<div class="w1200 con">
<h3>读者指南</h3>
<div class="TRS_Editor">
{_zh(_LIBRARY_TEXT)}
</div>
<div class="metabox"><span>开放时间：{hours}</span><br />
<span>地址：{street}</span><br /><span>咨询电话：{phone}</span></div>
</div>
<div class="links w1200">{_links(hosts)}</div>
<div class="bottom">主办单位：清溪市图书馆　网站支持IPv6</div>"""
        yield Page("/guide.html", _doc("读者指南 - 清溪市图书馆", body), what=code, host=code)


# 6. Announcements of an authority.

_NOTICE_TEXT = """\
各镇人民政府、街道办事处，县政府各部门、各直属单位，有关生产经营者：

为保障人民群众饮食安全，根据《中华人民共和国食品安全法》及其实施条例、《食品安全抽样检验管理
办法》的规定，我局组织对辖区内生产、流通和餐饮环节的食品开展了监督抽检。抽检项目包括食品添加
剂、农药残留、兽药残留、微生物和质量指标等。现将结果予以公布。

对抽检中发现的不合格产品，我局已要求有关生产经营者及时采取下架、封存、召回等措施控制风险，查
清产品流向，分析原因并进行整改，相关立案查处情况将按照规定另行公开。消费者如果在市场上发现被
通报的不合格食品，请保留购物凭证并拨打投诉举报电话。

生产经营者对检验结论有异议的，可以自收到检验结论之日起七个工作日内向我局提出书面复检申请，逾
期不予受理。复检机构由我局在国家公布的复检机构名录中随机确定，复检结论为最终检验结论。"""

_NOTICES = [
    ("2024/1/15", "58803", "2024年第1期", "2024年1月15日", "126", "3", "97.6"),
    ("2024/2/20", "58861", "2024年第2期", "2024年2月20日", "98", "2", "98.0"),
    ("2024/3/14", "58917", "2024年第3期", "2024年3月14日", "140", "1", "99.3"),
    ("2024/4/16", "59024", "2024年第4期", "2024年4月16日", "140", "4", "97.1"),
    ("2024/5/15", "59133", "2024年第5期", "2024年5月15日", "112", "0", "100"),
    ("2023/12/18", "58720", "2023年第12期", "2023年12月18日", "98", "2", "98.0"),
]


@family("yunxi-gov", kind="notices that differ by number and day", language="zh", half="held")
def yunxi_gov() -> Iterator[Page]:
    """Each notice has its number, day and figures in a paragraph and in the box above it."""
    for day, art, number, date, batches, failed, rate in _NOTICES:
        title = "云溪县市场监督管理局关于食品安全监督抽检情况的公告"
        head = f"""<meta name="SiteName" content="云溪县人民政府" />
<meta name="ArticleTitle" content="{title}" />
<meta name="PubDate" content="{date}" />
"""
        body = f"""<table width="1000" align="center" cellpadding="0" cellspacing="0"><tr>
<td><img src="/picture/0/top_banner.jpg" width="1000" height="180" alt="云溪县人民政府"></td>
</tr><tr><td class="daohang"><a href="/">首页</a> | <a href="/col/zwgk/">政务公开</a>
| <a href="/col/bsfw/">办事服务</a> | <a href="/col/hdjl/">互动交流</a></td></tr></table>
<table width="1000" align="center" class="xxgk"><tr><td>索引号：</td><td>YX0{art}</td>
<td>发布机构：</td><td>县市场监管局</td></tr>
<tr><td>文号：</td><td>{number}</td><td>公开方式：</td><td>主动公开</td></tr></table>
<div id="zoom" class="article">
<div class="bt">{title}</div>
<div class="cont">
{_zh(_NOTICE_TEXT)}
<p>本期共抽检食品{batches}批次，不合格{failed}批次，合格率{rate}%。</p>
<p style="text-align:right">云溪县市场监督管理局</p>
<p style="text-align:right">{date}</p>
</div>
<div class="dy"><a href="javascript:window.print()">【打印本页】</a> <a href="#">【关闭窗口】</a>
</div>
</div>
<div class="copyright">主办：云溪县人民政府办公室　网站标识码：3304820007</div>"""
        path = f"/art/{day}/art_1229_{art}.html"
        yield Page(path, _old_doc("云溪县人民政府 食品抽检公告", body, head=head), number)


# 7. Lyrics.

_LYRICS = """\
船到渡口灯未熄
谁在岸上收晾衣
半截旧歌随风起
唱到一半忘了句
江水它向东不问归期
我把名字写在浪里
你若回来天正下着雨
别问我等了几个四季
渡口渡口 再摇一橹
月亮跟着 走了一路
渡口渡口 莫说辛苦
回头还是 那棵老树"""

_SONGS = [
    ("渡口的灯", "81120", "方小满", "《江边》", "黎树", "2009"),
    ("渡口的灯", "90233", "岑远 / 乔一禾", "《老歌新唱 第二季》", "陶克", "2018"),
    ("渡口的灯 (Live)", "90871", "方小满", "《小满十年现场》", "黎树", "2019"),
    ("渡口的灯", "95502", "白塔合唱团", "《校园合唱选》", "许静仪", "2022"),
    ("竹林听雨", "70314", "顾南音", "《古筝小品》", "顾南音", "2006"),
    ("竹林听雪", "70315", "顾南音", "《古筝小品》", "顾南音", "2006"),
    ("长街晚照", "70322", "顾南音", "《古筝小品》", "顾南音", "2006"),
]


@family("geci-ku", kind="recordings of the same words", language="zh", half="held")
def geci_ku() -> Iterator[Page]:
    """Each recording has its singers and album beside words that it shares, or has no words."""
    for name, number, singer, album, arranger, year in _SONGS:
        if "渡口" in name:
            words = "<br>\n".join(_LYRICS.splitlines())
            credit = f"作词：温岭<br>作曲：温岭<br>编曲：{arranger}<br>演唱：{singer}"
        else:
            words = "此歌曲为没有填词的纯音乐，请您欣赏"
            credit = f"作曲：{arranger}<br>演奏：{singer}"
        body = f"""<div class="hd"><a href="/">歌词库</a><span>收录歌词十二万首</span></div>
<div class="bd">
<div class="song-info"><h1>{name}</h1><p>{credit}</p><p>专辑：{album}（{year}）</p></div>
<div class="lrc" id="lrc">
{words}
</div>
<div class="ops"><a href="/lrc/{number}.lrc">下载LRC</a> <a href="/err?id={number}">歌词报错</a>
</div>
</div>
<div class="side"><h4>热门歌手</h4>{_links([("/s/12", "方小满"), ("/s/77", "顾南音")])}</div>
<div class="ft">歌词版权归原作者所有，本站仅供学习交流</div>"""
        yield Page(f"/geci/{number}", _doc(f"{name}歌词 - 歌词库", body), what=number)


# 8. Matches of a league.

_LEAGUE_TEXT = """\
青衿杯校际足球联赛采用双循环主客场制，每场比赛上下半场各四十分钟，胜一场积三分，平一场积一
分，负一场积零分。积分相同的球队依次比较相互战绩、净胜球和进球总数。每队可以报名二十五人，每
场换人名额为五人，累计三张黄牌停赛一场。

现场观赛免费，凭学生证或者身份证在东门登记入场，看台禁止携带玻璃瓶和激光笔。直播信号由校园电
视台提供，回放在赛后次日上线。因雨雪延期的比赛，补赛日期由组委会另行通知。"""

_MATCHES = [
    ("20318", "北辰大学", "松原理工", "2 : 1", "2023-10-14 15:00", "北辰体育场", "赛果"),
    ("20319", "海川师大", "岭南农大", "2 : 1", "2023-10-14 15:00", "海川东区", "赛果"),
    ("20331", "松原理工", "北辰大学", "0 : 0", "2024-04-13 15:30", "松原主场", "赛果"),
    ("20332", "岭南农大", "海川师大", "3 : 0", "2024-04-13 15:30", "岭南操场", "赛果"),
    ("20340", "北辰大学", "海川师大", "- : -", "2024-05-18 15:30", "北辰体育场", "未开始"),
    ("20341", "松原理工", "岭南农大", "- : -", "2024-05-18 15:30", "松原主场", "未开始"),
    ("20346", "北辰大学", "岭南农大", "- : -", "2024-05-25 15:30", "北辰体育场", "未开始"),
]


@family("qingjin-liansai", kind="matches of a league", language="zh", half="held")
def qingjin_liansai() -> Iterator[Page]:
    """Each match has its teams, score and day in the header of the page only."""
    for number, home, guest, score, kick_off, ground, state in _MATCHES:
        body = f"""<div class="app">
<header class="scoreboard">
<div class="team home"><img src="/badge/blank.png" alt="">{home}</div>
<div class="vs"><em>{score}</em><small>{state}</small></div>
<div class="team away"><img src="/badge/blank.png" alt="">{guest}</div>
<div class="when">{kick_off} {ground}</div>
</header>
<nav class="tabbar"><a href="/table">积分榜</a><a href="/fixtures">赛程</a>
<a href="/scorers">射手榜</a></nav>
<main><h1>比赛中心</h1>
<section class="rules">
{_zh(_LEAGUE_TEXT)}
</section></main>
<footer>青衿杯组委会 · 技术支持 校园电视台</footer>
</div>"""
        yield Page(f"/match/{number}", _doc("比赛中心 | 青衿杯", body), what=number)


# 9. Recipes by number of eaters.

_RECIPE_TEXT = """\
五花肉选肥瘦相间、皮面干净的中段，切成三厘米见方的块，冷水下锅，加姜片和一勺料酒，煮开后撇去
浮沫，捞出用温水冲净，沥干水分。这一步不要用凉水冲，肉遇冷收紧之后不容易炖软。

锅里放少许底油，小火把冰糖炒化，等到糖液变成琥珀色、冒细密小泡的时候倒入肉块，快速翻匀，让每
一面都裹上糖色。接着沿锅边淋入料酒、生抽和老抽，放入葱结、姜片、八角和桂皮，翻炒出香味。

加入开水没过肉面，大火烧开后转小火，盖上锅盖慢炖，中间翻动两三次，防止粘底。炖到筷子能轻松扎
透肉皮，捞出葱姜香料，转大火收汁，边收边晃锅，汤汁变得浓亮、能挂在肉上就可以关火装盘。

小贴士：炒糖色宁浅勿深，颜色过深会发苦；全程加热水；喜欢软糯口感的可以在收汁之前关火焖二十分
钟。隔夜加热以后更加入味，汤汁拌饭或者下面条都很好。"""

_PORTIONS = [
    ("2", "400克", "20克", "1大勺", "半大勺", "40分钟"),
    ("4", "800克", "40克", "2大勺", "1大勺", "55分钟"),
    ("6", "1200克", "60克", "3大勺", "1大勺半", "65分钟"),
    ("8", "1600克", "75克", "4大勺", "2大勺", "75分钟"),
    ("12", "2400克", "110克", "5大勺半", "2大勺半", "90分钟"),
]


@family("xiaozao-caipu", kind="one dish by number of eaters", language="zh", half="held")
def xiaozao_caipu() -> Iterator[Page]:
    """Each number of eaters has amounts and a cooking time of its own in the list."""
    for eaters, pork, sugar, light, dark, time in _PORTIONS:
        body = f"""<div class="page-container">
<div class="top"><a class="logo" href="/">小灶</a><a href="/category/">菜谱分类</a>
<a href="/explore/">流行菜谱</a><a href="/create/">写菜谱</a></div>
<div class="recipe-show">
<h1 class="page-title">家常红烧肉</h1>
<div class="cover"><img src="/upload/hsr_600.jpg" alt="家常红烧肉"></div>
<div class="ings"><h2>用料</h2>
<ul><li>五花肉 <span>{pork}</span></li><li>冰糖 <span>{sugar}</span></li>
<li>生抽 <span>{light}</span></li><li>老抽 <span>{dark}</span></li>
<li>八角、桂皮、葱姜 <span>适量</span></li></ul>
<p>{eaters}人份，小火炖{time}</p></div>
<div class="steps"><h2>做法</h2>
{_zh(_RECIPE_TEXT)}
</div>
<div class="author">来自 <a href="/cook/ama/">阿嬷的厨房</a> · 菜谱版权归作者所有</div>
</div>
<div class="side"><h3>相关菜谱</h3>{_links([("/r/211", "糖醋排骨"), ("/r/305", "梅菜扣肉")])}</div>
</div>"""
        html = _doc("家常红烧肉的做法_小灶", body)
        yield Page(f"/recipe/10077/?serves={eaters}", html, what=f"{eaters} eaters")


# 10. A thread of a forum, page after page.

_THREAD_FIRST = """\
【楼主置顶】车子是十年的老款旅行车，手动挡，去年换过离合器和正时皮带，最近冷车启动以后怠速抖
得厉害，大约持续两三分钟，水温上来以后就好了，跑高速完全正常，油耗也没有明显变化。故障灯不
亮，用简易诊断仪读不到故障码。火花塞和点火线圈上个月刚换了新的，节气门自己拆下来清洗过一次，
空气滤芯、汽油滤芯都是新的。附近修理厂说可能是机脚胶老化，也有师傅怀疑是喷油嘴滴漏或者进气歧
管漏气，报价从三百到两千不等，心里没底，所以发帖问问论坛里有经验的朋友，应该按什么顺序排查最
省钱？回帖请尽量写清楚理由，谢谢大家，最后解决了我会回来更新。"""

_POSTS = {
    1: [
        ("老扳手", "先别换件，喷点化清到歧管垫那里，怠速变了就是漏气。"),
        ("南山客", "我的也是，最后是废气阀卡住。"),
        ("小雨点", "蹲一个结果。"),
    ],
    2: [
        ("修车阿俊", "测一下喷油嘴保压，熄火十分钟掉到2公斤以下就有滴漏。"),
        ("风城旧事", "机脚胶坏了热车也会抖，可以先排除。"),
        ("老扳手", "同意楼上。"),
    ],
    3: [
        ("楼主", "喷了化清没反应，歧管应该不漏。"),
        ("K24迷", "看看水温传感器，冷车喷油修正靠它，配件才四十块。"),
    ],
    4: [
        ("楼主", "保压测了，3.1公斤没掉。"),
        ("修车阿俊", "那喷油嘴没事，往传感器方向查。"),
        ("海盐汽水", "学习了。"),
    ],
    5: [
        ("楼主", "更新：就是水温传感器，换完不抖了，总共花了五十五。"),
        ("K24迷", "恭喜。"),
    ],
}


@family("cheyou-bbs", kind="pages of one thread", language="zh", half="held")
def cheyou_bbs() -> Iterator[Page]:
    """Each page of the thread repeats the first post and has replies of its own."""
    rules = (
        "本版禁止发布广告，交易请到二手版。"
        "回帖不得少于四个字，灌水扣除金币两枚，恶意攻击他人者禁言七天。"
    )
    first = _zh(_THREAD_FIRST)
    for number in (1, 3, 2, 5, 4):
        replies = "\n".join(
            f"""<table class="plhin"><tr><td class="pls"><div class="authi">{who}</div>
<p>注册会员</p></td><td class="plc"><div class="t_fsz">{said}</div>
<div class="po"><a href="#">回复</a> <a href="#">支持</a> <a href="#">举报</a></div></td></tr>
</table>"""
            for who, said in _POSTS[number]
        )
        pages = " ".join(
            f'<a href="thread-88123-{other}-1.html">{other}</a>'
            if other != number
            else f"<b>{other}</b>"
            for other in range(1, 6)
        )
        body = f"""<div id="toptb"><a href="forum.php">论坛</a> <a href="home.php">空间</a></div>
<div id="hd"><h2><a href="./"><img src="static/image/common/logo.png" alt="车友论坛" /></a></h2>
</div>
<div id="pt" class="bm cl"><a href="./">车友论坛</a>
&rsaquo; <a href="forum-14-1.html">维修保养</a></div>
<div class="notice">{rules}</div>
<div class="pgt">{pages}</div>
<div id="postlist" class="pl bm">
<h1 class="ts">冷车怠速抖动，热车正常，求排查思路</h1>
<table class="plhin"><tr><td class="pls"><div class="authi">楼主 独行旅人</div></td>
<td class="plc"><div class="t_fsz">{first}</div></td></tr></table>
{replies}
</div>
<div class="fastpost">您需要登录后才可以回帖 <a href="member.php">登录</a>
| <a href="reg.php">注册</a></div>
<div id="ft">Powered by Discuz! X3.4 <span>© 2001-2017 Comsenz Inc.</span></div>"""
        html = _old_doc("冷车怠速抖动，热车正常，求排查思路 - 维修保养 - 车友论坛", body)
        yield Page(f"/thread-88123-{number}-1.html", html, what=f"page {number}")


# 11. An article, with its comments page after page.

_ESSAY = """\
搬进这间老房子之后，我做的第一件事是在北窗外面装了一个花架。朋友都说北阳台种不活东西，我偏不
信。头一年养死了三盆月季、两盆薄荷，剩下一棵不知名的蕨，从砖缝里自己长出来，倒比谁都精神。

后来慢慢摸出门道。北面没有直射光，但是散射光很稳定，夏天也不烫，凡是林下生长的植物都愿意住下
来：玉簪、肾蕨、网纹草、常春藤，还有从山里带回来的一小块苔藓。浇水要看土，不要看日历；盆底垫
碎瓦片，比什么陶粒都好用；冬天把窗户关严，别让穿堂风直接吹在叶子上。

苔藓是最费心的。自来水要放两天再用，否则叶尖会慢慢发黄；最好接雨水，屋檐下放一个大缸，一场春
雨够用半个月。每天早晚各喷一次雾，喷完要通风，闷久了就会长出白毛。有一回出差十天，回来看到它
干成一层灰绿色的壳，以为没救了，泡在水里一个下午，居然又绿了回来。

写这些并不是想教谁种花，只是觉得，所谓条件不好，多半是没有找到合适的东西放进去。北窗有北窗的
好处，早上醒来，满眼都是不刺眼的绿。"""

_COMMENTS = {
    1: [("阿芜", "2023年3月2日", "蕨类自己长出来那段太真实了。"), ("木鱼", "3月2日", "收藏。")],
    2: [("北岸", "2023年3月5日", "请问玉簪冬天要剪掉叶子吗？"), ("博主", "3月6日", "黄了再剪。")],
    3: [
        ("橘猫的饭", "2023年3月19日", "雨水缸怎么防蚊子？"),
        ("博主", "3月20日", "养两条小鱼。"),
    ],
    4: [("Lin", "2023年4月8日", "照着买了肾蕨，活了！"), ("路过", "4月11日", "真羡慕有北窗。")],
    5: [("沈老师", "2023年6月1日", "想转到校刊，可以吗？"), ("博主", "6月1日", "可以，注明出处。")],
    6: [("匿名", "2023年9月30日", "一年后再来看，苔藓还在吗？")],
}


@family("beichuang-blog", kind="pages of the comments on one article", language="zh", half="held")
def beichuang_blog() -> Iterator[Page]:
    """Each page repeats the whole article and has comments of its own."""
    for number, comments in _COMMENTS.items():
        listed = "\n".join(
            f"""<li class="comment even thread-even depth-1"><div class="comment-author vcard">
<cite class="fn">{who}</cite><span class="says">说道：</span></div>
<div class="comment-meta commentmetadata">{when}</div><p>{said}</p>
<div class="reply"><a rel="nofollow" class="comment-reply-link" href="#respond">回复</a></div>
</li>"""
            for who, when, said in comments
        )
        body = f"""<div id="page" class="hfeed site">
<header id="masthead" class="site-header"><h1 class="site-title"><a href="/">北窗</a></h1>
<h2 class="site-description">慢慢写，慢慢长</h2></header>
<div id="main" class="wrapper"><div id="primary" class="site-content">
<article class="post type-post hentry"><header class="entry-header">
<h1 class="entry-title">北窗花事</h1></header>
<div class="entry-content">
{_zh(_ESSAY)}
</div>
<footer class="entry-meta">本条目发布于 <a href="/2023/03/">2023年3月1日</a>，属于
<a href="/category/plants/">草木</a> 分类。</footer></article>
<div id="comments" class="comments-area"><h2 class="comments-title">《北窗花事》上有 11 条评论</h2>
<ol class="commentlist">
{listed}
</ol>
<nav id="comment-nav-below"><a href="?cpage={max(1, number - 1)}#comments">&larr; 较早评论</a>
<a href="?cpage={min(6, number + 1)}#comments">较新评论 &rarr;</a></nav>
<div id="respond"><h3>发表评论</h3><p>电子邮件地址不会被公开。必填项已用 * 标注</p></div>
</div></div>
<div id="secondary" class="widget-area"><aside class="widget widget_recent_entries">
<h3 class="widget-title">近期文章</h3>
{_links([("/?p=88", "雨水缸"), ("/?p=91", "旧书桌")])}</aside></div>
</div><footer id="colophon">自豪地采用 WordPress</footer></div>"""
        path = f"/2023/03/beichuang/?cpage={number}"
        yield Page(
            path, _doc("北窗花事 | 北窗", body, attrs=' class="single"'), f"comments {number}"
        )


# 12. Articles of a newspaper, with a page for printing and one of text.

_WATER_NOTICE = """\
云溪晚报讯　记者从市水务集团获悉，因供水主管改造施工，{area}将于{day}停水，预计持续{hours}小
时，请相关市民提前做好储水准备。

据介绍，此次改造的管道铺设于上世纪九十年代，管龄较长，近年来多次出现渗漏。施工期间，集团将安
排应急送水车在主要小区门口定点送水，老人和行动不便者可以拨打服务热线预约上门。恢复供水初期，
水质可能出现短暂浑浊，打开龙头排放几分钟之后即可正常使用。

水务集团提醒，停水期间请检查并关好家中水龙头，太阳能热水器用户请关闭上水阀门，以免来水时无人
在家造成损失。如遇雨天，施工时间可能顺延，集团会通过短信再次告知。"""

_BRIDGE_STORY = """\
云溪晚报讯　昨天上午十点，随着最后一块花岗岩桥面板落位，有着一百四十年历史的永济桥完成修缮，
重新向行人开放。这座三孔石拱桥横跨云溪老城南门外，是旧时进城赶集的必经之路，五年前因为桥墩冲
刷严重而封闭。

负责修缮的古建工程师介绍，施工队把拱券石逐块编号、拆卸、清洗以后按照原样归位，更换的新石料只
占百分之七，全部取自十五公里外的老采石场。桥栏上的二十六只石狮，有四只缺失，这次没有补刻，只
在原处留下素面望柱，“缺了就是缺了，这也是桥的经历”。

今后永济桥只走行人，自行车需要下车推行。桥头的小亭子改成了展示间，陈列修缮时从河床清理出来的
铜钱、瓷片和一截清代木桩，每天免费开放。"""

_BUS_STORY = """\
云溪晚报讯　下周一起，市公交集团将试运行三条“通学专线”，连接城东片区的八个住宅小区和四所中小
学，早上七点前后发车，下午按照各校放学时间安排返程，票价一元，学生卡半价。

专线车辆统一使用十米级纯电动客车，车内加装了安全带和定位设备，每辆车配备一名照管员。家长可以
在小程序上查看车辆位置，孩子刷卡上下车的时候会收到提醒。公交集团负责人说，线路是根据去年秋天
回收的六千多份问卷设计的，首批报名学生九百余人。

试运行为期一个学期，期间将根据客流调整站点。其他片区的家长如果有需求，可以在本月底之前通过学
校统一申报。"""


def _water(area: str, day: str, hours: str) -> str:
    return _WATER_NOTICE.format(area=area, day=day, hours=hours)


@family("yunxi-wanbao", kind="print and text pages (copies)", language="zh", half="held")
def yunxi_wanbao() -> Iterator[Page]:
    """Each article is there again for printing or as mere text; two articles nearly agree."""
    west = _water("城西永安街以北片区", "5月16日22时起", "9")
    east = _water("城东杏园路沿线", "5月23日21时起", "11")
    articles = [
        ("61022", "因管网改造部分区域将停水", "2024-05-13", west),
        ("61077", "因管网改造部分区域将停水", "2024-05-20", east),
        ("60958", "永济桥修缮完工重新开放", "2024-04-29", _BRIDGE_STORY),
        ("61101", "三条通学专线下周一试运行", "2024-05-24", _BUS_STORY),
    ]

    def normal(number: str, title: str, day: str, text: str) -> Page:
        body = f"""<div class="topnav"><a href="/">首页</a><a href="/local/">本埠</a>
<a href="/ent/">文娱</a><a href="/sports/">体育</a><a href="/epaper/">数字报</a></div>
<div class="logo"><img src="/i/wanbao.gif" alt="云溪晚报"><span>今天是5月28日 星期二</span></div>
<div class="path">当前位置：<a href="/">云溪晚报网</a> > <a href="/local/">本埠新闻</a> > 正文</div>
<div class="left-col"><h1>{title}</h1>
<div class="info">{day}　来源：云溪晚报　阅读：3108　<a href="/print.php?aid={number}">打印</a>
</div>
<div class="text" id="text">
{_zh(text)}
</div>
<div class="share">分享到：<a href="#">微信</a><a href="#">微博</a><a href="#">QQ空间</a></div>
</div>
<div class="right-col"><h3>点击排行</h3>
{_links([("/local/60958.html", "永济桥"), ("/local/60811.html", "夜市开街")])}
<h3>专题</h3>{_links([("/zt/wenming/", "文明城市"), ("/zt/gaokao/", "高考服务")])}</div>
<div class="foot">云溪晚报社版权所有，未经授权不得转载　新闻热线 96110</div>"""
        path = f"/local/{number}.html"
        return Page(path, _doc(f"{title}_本埠新闻_云溪晚报网", body), number)

    def printed(number: str, title: str, day: str, text: str) -> Page:
        body = f"""<div align="center"><a href="javascript:window.print()">[打印]</a>
<a href="javascript:window.close()">[关闭]</a></div>
<center><font size="5"><b>{title}</b></font></center><hr noshade>
<center>{day}</center>
{_zh(text)}
<hr><center>云溪晚报网</center>"""
        return Page(f"/print.php?aid={number}", _old_doc(f"打印页面：{title}", body), number)

    def plain(number: str, title: str, day: str, text: str) -> Page:
        paragraphs = "<br><br>\n".join(_paragraphs(text))
        body = f"""<a href="/wap/">云溪晚报文字版</a><br>
<b>{title}</b><br>{day}<br>
{paragraphs}<br>
<a href="/wap/list?c=local">返回列表</a>"""
        return Page(f"/wap/text/{number}", _doc(f"{title}", body), number)

    yield normal(*articles[0])
    yield printed(*articles[1])
    yield normal(*articles[1])
    yield printed(*articles[0])
    yield plain(*articles[2])
    yield normal(*articles[2])
    yield normal(*articles[3])
    yield printed(*articles[3])
    yield plain(*articles[1])
    yield printed(*articles[2])


# 13. Software documentation in two versions.

_DOC_INSTALL = """\
在安装之前，请确认系统已经安装 OpenJDK 11 或者更高的版本，并且运行服务的账户对数据目录拥有读
写权限。建议使用独立账户运行，不要使用 root。

下载发行包并解压到 /opt/lanque，进入目录执行 bin/lanque init，程序会在当前目录生成默认的配置
文件和一个空的数据目录。随后执行 bin/lanque start 启动服务，看到 “server started” 字样表示启
动成功。

如果启动失败，请先查看 logs/server.log 的最后几十行。最常见的原因是端口被占用、数据目录权限
不足，或者 JAVA_HOME 指向了错误的版本。"""

_DOC_LISTEN = """\
服务的监听地址和端口由配置文件中的 listen 段控制。host 默认为 127.0.0.1，只接受来自本机的连
接；需要对外提供服务时请改为 0.0.0.0，同时在防火墙上限制来源地址。port 默认为 {port}，修改之
后需要重启服务才能生效。

同一台机器上运行多个实例的时候，每个实例必须使用不同的端口和不同的数据目录，否则后启动的实例
会因为拿不到文件锁而退出。

使用反向代理时，请将 trust_proxy 设为 true，这样日志里记录的就是客户端的真实地址，而不是代理
服务器的地址。"""

_DOC_BACKUP = """\
备份分为全量备份和增量备份。全量备份会把数据目录中的所有段文件复制到目标位置，增量备份只复制
自上一次备份以来发生变化的段文件。备份期间服务可以继续读写，不需要停机。

执行 bin/lanque backup --full /backup/lanque 进行全量备份，执
行 bin/lanque backup --incr /backup/lanque 进行增量备份。建议每周做一次全量备份，每天做一次
增量备份，并且定期把备份文件同步到另一台机器。

恢复的时候先停止服务，清空数据目录，然后执行 bin/lanque restore /backup/lanque。程序会按照时
间顺序依次应用全量备份和各个增量备份，完成之后重新启动服务即可。"""

_DOC_USERS = """\
蓝雀使用基于角色的权限模型，内置 reader、writer 和 admin 三种角色。reader 只能查询，
writer 可以写入和删除数据，admin 还可以管理用户、修改配置和执行备份。

使用 bin/lanque user add 命令创建用户，命令会提示输入两次密码，密码长度不得少于十位。使
用 user grant 命令授予角色，使用 user revoke 命令收回角色。一个用户可以同时拥有多个角色，权
限取并集。

忘记管理员密码时，可以停止服务，以 --recover 参数启动，此时只接受来自本机控制台的连接，重设
密码之后再正常启动。"""

_DOC_CACHE = """\
查询缓存可以显著降低重复查询的延迟。缓存以查询语句和参数为键，数据发生写入之后，涉及的条目自
动失效。是否启用由 cache.enabled 控制，容量由 cache.size 控制，单位是兆字节，默认值为 256。

缓存命中率可以在 /metrics 页面查看，长期低于百分之二十的话，说明查询模式不适合缓存，建议关闭
以节省内存。{extra}

缓存不会写入磁盘，服务重启之后需要一段时间预热。"""

_DOC_CACHE_NEW = "从本版起可以用 cache.ttl 指定条目的最长存活时间，单位是秒，默认 0 表示不限。"


@family("lanque-docs", kind="two versions of a manual (copies)", language="zh", half="held")
def lanque_docs() -> Iterator[Page]:
    """Pages of both versions are copies, but for two that were edited."""
    titles = {
        "install": "安装",
        "listen": "监听地址与端口",
        "backup": "备份与恢复",
        "users": "用户与权限",
        "cache": "查询缓存",
    }
    texts = {
        "4.1": {
            "install": _DOC_INSTALL,
            "listen": _DOC_LISTEN.format(port="7080"),
            "backup": _DOC_BACKUP,
            "users": _DOC_USERS,
            "cache": _DOC_CACHE.format(extra=""),
        },
        "4.2": {
            "install": _DOC_INSTALL,
            "listen": _DOC_LISTEN.format(port="9210"),
            "backup": _DOC_BACKUP,
            "users": _DOC_USERS,
            "cache": _DOC_CACHE.format(extra=_DOC_CACHE_NEW),
        },
    }

    def page(version: str, name: str) -> Page:
        tree = _links([(f"/{version}/{other}.html", text) for other, text in titles.items()])
        body = f"""<div class="wy-grid-for-nav">
<nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-nav-search">
<a href="/{version}/index.html" class="icon icon-home">蓝雀</a>
<div class="version">{version}</div></div>
<div class="wy-menu wy-menu-vertical">{tree}</div></nav>
<section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content">
<div role="navigation"><ul class="wy-breadcrumbs"><li><a href="/{version}/">文档</a> &raquo;</li>
<li>{titles[name]}</li></ul></div>
<div role="main" class="document"><h1>{titles[name]}</h1>
{_zh(texts[version][name])}
</div>
<footer><p>&copy; 版权所有 蓝雀开发组。</p>利用 Sphinx 构建，使用 Read the Docs 主题。</footer>
</div></div></section></div>"""
        title = f"{titles[name]} — 蓝雀 {version} 文档"
        edited = name in ("listen", "cache")
        what = f"{name} {version}" if edited else name
        return Page(f"/{version}/{name}.html", _doc(title, body), what=what)

    for name in ("install", "listen", "cache"):
        yield page("4.2", name)
    yield page("4.1", "backup")
    for name in ("install", "listen", "cache", "users"):
        yield page("4.1", name)
    yield page("4.2", "users")
    yield page("4.2", "backup")


# 14. Documentation in three languages, translated in part.

_TORVALE_INSTALL = """\
Torvale ships as a single binary for Linux, macOS and Windows. Download the archive for your
platform, unpack it somewhere on your path and run torvale version to make sure that the shell
finds it. There is nothing else to install: the binary carries its own templates and certificates.

On Linux we recommend that you run the agent under a user of its own. Create the user, give it
the directory /var/lib/torvale and copy the unit file from the archive to /etc/systemd/system.
After that, enable the unit and start it. The agent writes its log to the journal.

To remove Torvale again, stop the unit, delete the binary and delete the directory. No other
files are left behind."""

_TORVALE_UPGRADE = """\
Upgrades within one major release need no preparation. Stop the agent, replace the binary and
start the agent again. The database is migrated during the first start, which takes a few seconds
on most machines and some minutes on very large ones.

Before you move to a new major release, read the release notes and make a copy of the state
directory. A migrated database cannot be opened by an older binary, so this copy is your only way
back. Keep it until you are sure that all your pipelines run.

If a migration fails, the agent stops and leaves the database as it was. Send us the last lines
of the log and we will find out what went wrong."""

_TORVALE_UPGRADE_FR = """\
Les mises à jour à l'intérieur d'une version majeure ne demandent aucune préparation. Arrêtez
l'agent, remplacez le binaire, puis redémarrez l'agent. La base de données est migrée au premier
démarrage, ce qui prend quelques secondes sur la plupart des machines.

Avant de passer à une nouvelle version majeure, lisez les notes de version et faites une copie du
répertoire d'état. Une base migrée ne peut plus être ouverte par un ancien binaire : cette copie
est donc votre seule possibilité de retour en arrière. Gardez-la jusqu'à ce que tous vos pipelines
fonctionnent.

Si une migration échoue, l'agent s'arrête et laisse la base dans son état initial. Envoyez-nous
les dernières lignes du journal."""

_TORVALE_SECRETS = """\
Secrets are values that a pipeline needs but that must not appear in its definition: passwords,
tokens, private keys. Torvale keeps them encrypted in the state directory and hands them to a step
as environment variables, and only for as long as the step runs.

Add a secret with torvale secret set NAME; the value is read from standard input, so that it does
not end up in the history of your shell. List the names with torvale secret list. There is no
command that prints a value.

In logs, every occurrence of a secret is replaced by three asterisks. Very short values, below six
characters, are not replaced, because that would make most logs unreadable."""

_TORVALE_SECRETS_DE = """\
Geheimnisse sind Werte, die eine Pipeline braucht, die aber nicht in ihrer Definition stehen
dürfen: Passwörter, Tokens, private Schlüssel. Torvale legt sie verschlüsselt im Zustandsordner ab
und übergibt sie einem Schritt als Umgebungsvariablen, und zwar nur, solange der Schritt läuft.

Mit torvale secret set NAME wird ein Geheimnis angelegt; der Wert wird von der Standardeingabe
gelesen, damit er nicht in der Historie der Shell landet. torvale secret list zeigt die Namen. Es
gibt keinen Befehl, der einen Wert ausgibt.

In Protokollen wird jedes Vorkommen eines Geheimnisses durch drei Sternchen ersetzt. Sehr kurze
Werte unter sechs Zeichen werden nicht ersetzt, weil die Protokolle sonst unlesbar würden."""

_TORVALE_LABELS = {
    "en": ("Docs", "Blog", "Guides", "Edit this page", "Previous", "Next", "On this page"),
    "fr": (
        "Documentation",
        "Actualités",
        "Guides pratiques",
        "Modifier cette page",
        "Précédent",
        "Suivant",
        "Sur cette page",
    ),
    "de": (
        "Dokumentation",
        "Neuigkeiten",
        "Anleitungen",
        "Diese Seite bearbeiten",
        "Zurück",
        "Weiter",
        "Auf dieser Seite",
    ),
}


@family("torvale-docs", kind="folders translated in part (copies)", language="en", half="held")
def torvale_docs() -> Iterator[Page]:
    """Pages that were not translated are copies of the English ones; translated ones are not."""
    pages = [
        ("fr", "install", "Installation", _TORVALE_INSTALL, "install"),
        ("en", "install", "Installation", _TORVALE_INSTALL, "install"),
        ("en", "upgrade", "Upgrading", _TORVALE_UPGRADE, "upgrade"),
        ("fr", "upgrade", "Mise à jour", _TORVALE_UPGRADE_FR, "upgrade fr"),
        ("de", "upgrade", "Upgrading", _TORVALE_UPGRADE, "upgrade"),
        ("de", "install", "Installation", _TORVALE_INSTALL, "install"),
        ("en", "secrets", "Secrets", _TORVALE_SECRETS, "secrets"),
        ("de", "secrets", "Geheimnisse", _TORVALE_SECRETS_DE, "secrets de"),
        ("fr", "secrets", "Secrets", _TORVALE_SECRETS, "secrets"),
    ]
    for lang, name, title, text, what in pages:
        docs, blog, guides, edit, back, forth, here = _TORVALE_LABELS[lang]
        folder = "" if lang == "en" else f"/{lang}"
        menu = _links(
            [(f"{folder}/docs/{other}", other) for other in ("install", "upgrade", "secrets")],
            "theme-doc-sidebar-menu menu__list",
        )
        body = f"""<div id="__docusaurus">
<nav class="navbar navbar--fixed-top"><div class="navbar__inner">
<a class="navbar__brand" href="{folder}/"><img src="/img/torvale.svg" alt="Torvale"></a>
<a class="navbar__item navbar__link" href="{folder}/docs/install">{docs}</a>
<a class="navbar__item navbar__link" href="{folder}/blog">{blog}</a>
<div class="dropdown"><a href="/docs/{name}">English</a> <a href="/fr/docs/{name}">Français</a>
<a href="/de/docs/{name}">Deutsch</a></div></div></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container"><b>{guides}</b>{menu}</aside>
<main class="docMainContainer"><article><div class="theme-doc-markdown markdown">
<header><h1>{title}</h1></header>
{_en(text)}
</div><footer class="theme-doc-footer"><a href="https://git.torvale.test/{name}.md">{edit}</a>
</footer></article>
<nav class="pagination-nav"><a href="#">{back}</a> <a href="#">{forth}</a></nav>
<div class="theme-doc-toc-desktop">{here}</div></main></div>
<footer class="footer footer--dark">Copyright © 2024 Torvale Contributors.</footer>
</div>"""
        html = _doc(f"{title} | Torvale", body, lang=lang)
        yield Page(f"{folder}/docs/{name}", html, what=what)


# 15. Articles that other sites took over.

_CRAFT_UMBRELLA = """\
余师傅的铺子在青石巷尽头，门脸只有一扇窗那么宽。他做油纸伞做了四十一年，从十六岁跟舅舅学劈
竹，到如今眼睛花了，还能靠手指摸出伞骨的厚薄。

一把伞从选竹到晾干，要经过七十多道工序。竹子必须是五年以上的老淡竹，冬天砍，水里泡足一个月，
再劈成骨。上桐油要挑连续晴天，刷一遍，晒一天，急不得。余师傅说，年轻的时候一天能糊三把，如今
三天做一把，做得慢了，反倒比从前结实。

来买伞的人大半是拍照用的，真正拿来挡雨的很少。余师傅不在意，他在每把伞的柄上刻一个小小的“余”
字，说伞到了谁手里，就替谁过日子。"""

_CRAFT_SCALE = """\
老戴的铺子在青石巷中段，门口挂着一根两米长的大秤，那是他父亲留下的招牌。他做杆秤做了三十六
年，钻眼、包铜、钉星，闭着眼睛也不会错。

一杆秤最要紧的是校准。秤砣挂上去，提绳一抬，杆子平了，才能在那一点钉下定盘星，然后一两一两往
后量。钉星用的铜丝细如头发，钻孔要比铜丝再细一点，敲进去，剪断，磨平，一斤的距离里要钉十六颗。

电子秤普及以后，杆秤几乎没有人用了。如今来订秤的多半是新人结婚，讨一个“称心如意”。老戴就把婚
期刻在秤杆上，他说，以前钉的是斤两，现在钉的是日子。"""

_TEA_ROAD = """\
从雾岭到盐津，旧时的茶马道长一百二十里，马帮要走四天。如今公路绕开了山脊，古道只剩下中间一
段，大约九里长，石板上的马蹄印深的有两寸，下雨以后积满了水，像一排小镜子。

去年秋天，我跟着护林员老普走了一趟。他指给我看路边的石龛，里面供的不是菩萨，是一只石雕的马
灯。老普说，马帮夜里赶路，头马脖子上挂灯，后面的骡子跟着光走，灯灭了就要停下来，谁也不许出声。

走到垭口，雾散开一条缝，对面山坡上是新种的茶园，整整齐齐。老普在石头上坐下来，掏出两个烤洋
芋，分给我一个，说：以前在这里歇脚的人，吃的也是这个。"""

_NIGHT_SCHOOL = """\
晚上七点，纺织厂旧址二楼的教室亮起灯来，二十几个人陆续坐下，有外卖骑手，有护士，有刚下班的会
计。他们来上的是夜校，五百块钱十二次课，内容从修家电、拍照片到写毛笔字，什么都有。

办夜校的是两个返乡的年轻人。一开始只想借间屋子教大家做木工，没想到报名的人排到了第二年春天，
于是把楼上楼下都租了下来，请退休教师和手艺人来讲课，课酬不高，但是没有人缺席。

有位学员说，白天的时间是卖出去的，晚上这两个小时是自己的。下课的时候已经九点半，楼道里还站着
人，讨论那只怎么也调不准的收音机。"""


@family(
    "shanhe-zazhi", kind="articles taken over by other sites (copies)", language="zh", half="held"
)
def shanhe_zazhi() -> Iterator[Page]:
    """An article is a copy wherever it is reprinted, with whatever note and credits around it."""
    articles = {
        "umbrella": ("青石巷里的手艺人：油纸伞", "何雨汀", _CRAFT_UMBRELLA),
        "scale": ("青石巷里的手艺人：杆秤", "何雨汀", _CRAFT_SCALE),
        "road": ("九里古道", "段青", _TEA_ROAD),
        "school": ("夜校七点开门", "苏北辰", _NIGHT_SCHOOL),
    }

    def original(name: str, number: str) -> Page:
        title, author, text = articles[name]
        body = f"""<div class="masthead"><a href="/"><img src="/assets/shanhe.svg" alt="山河志"></a>
<nav><a href="/issue/">期刊</a><a href="/column/">专栏</a><a href="/subscribe/">订阅</a></nav></div>
<main class="longform"><h1>{title}</h1><div class="byline">文 / {author}</div>
{_zh(text)}
</main>
<div class="subscribe-box">订阅《山河志》，全年六期，包邮。</div>
<footer>© 山河志编辑部</footer>"""
        return Page(f"/essay/{number}", _doc(f"{title} - 山河志", body), what=name)

    def digest(name: str, number: str) -> Page:
        title, author, text = articles[name]
        body = f"""<div class="wx-header">每日一读</div>
<div id="js_article" class="rich_media">
<h2 class="rich_media_title">{title}</h2>
<div class="rich_media_meta_list"><span>{author}</span> <span>每日一读</span></div>
<blockquote>编者按：好文章值得慢慢读。今天与各位读者分享一篇旧文，略作排版，祝阅读愉快。</blockquote>
<div class="rich_media_content">
{_zh(text, "indent")}
</div>
<p class="tips">本文转载自《山河志》，作者{author}，版权归原作者所有，如有侵权请联系删除。</p>
<p class="tips">点赞、在看、转发，就是对我们最大的支持。</p>
</div>"""
        return Page(f"/s/{number}", _doc(title, body), what=name, host="other:meiriyidu")

    def portal(name: str, number: str) -> Page:
        title, author, text = articles[name]
        body = f"""<table width="960" align="center"><tr><td colspan="2"><a href="/">乡土文化网</a>
| <a href="/news/">资讯</a> | <a href="/book/">书刊</a> | <a href="/bbs/">社区</a></td></tr>
<tr><td width="700" valign="top"><h1>{title}</h1>
<div class="from">来源：山河志　作者：{author}　责任编辑：小北　浏览：1264次</div>
{_zh(text)}
<div class="statement">声明：本网转载此文出于传递信息之目的，不代表本网观点。</div></td>
<td valign="top"><b>推荐阅读</b>{_links([("/a/1", "村口的戏台"), ("/a/2", "祠堂与家谱")])}</td></tr>
<tr><td colspan="2" align="center">乡土文化网 投稿邮箱 tougao@xiangtu.test</td></tr></table>"""
        path = f"/news/show.asp?id={number}"
        return Page(path, _old_doc(f"{title}-乡土文化网", body), what=name, host="other:xiangtu")

    yield original("umbrella", "214")
    yield digest("scale", "kQ9vB2")
    yield original("scale", "221")
    yield portal("umbrella", "7781")
    yield original("road", "230")
    yield digest("road", "mT4xz8")
    yield digest("school", "pR7aa1")
    yield portal("school", "8014")
    yield original("school", "236")
    yield portal("scale", "7790")


# 16. Downloads and their mirror.

_RELEASE_TEXT = """\
沉香编辑器是一款轻量的中文排版与写作软件，支持竖排、注音和古籍字库，界面简洁，启动迅速，适合
小说作者与古籍整理人员使用。软件完全免费，不含广告，安装包经过数字签名。

安装方法：下载安装包以后双击运行，按照提示选择安装目录即可；便携版解压以后直接运行主程序。首
次启动会询问稿件保存位置，建议选择同步盘之外的目录。从旧版升级不需要卸载，设置和词库会自动保留。

下载完成以后请核对文件校验值，如果与页面所列不一致，说明文件在传输中损坏或者被人改动，请删除
后重新下载。"""

_RELEASES = [
    ("2.6.0", "2022-11-02", "38.2 MB", "5e1c9f40a7d2"),
    ("2.6.1", "2022-12-19", "38.2 MB", "b07733e1c0fa"),
    ("2.7.0", "2023-05-08", "40.9 MB", "91ad20c85e6b"),
    ("2.7.2", "2023-08-30", "41.0 MB", "2f6604bbd913"),
]


@family("chenxiang-soft", kind="a mirror on another domain (copies)", language="zh", half="held")
def chenxiang_soft() -> Iterator[Page]:
    """Each release is there again on the mirror, and is unlike the other releases."""

    def page(row: int, mirror: bool) -> Page:
        version, day, size, digest = _RELEASES[row]
        logo = ("mirror.png", "校园镜像站") if mirror else ("logo.png", "沉香编辑器官方网站")
        foot = "本站为非官方镜像，每日凌晨同步" if mirror else "沉香工作室 保留所有权利"
        other = _links([(f"/release/{entry[0]}/", "历史版本") for entry in _RELEASES])
        body = f"""<div class="banner"><img src="/img/{logo[0]}" alt="{logo[1]}"></div>
<div class="columns"><div class="column is-three-quarters content">
<h1>下载沉香编辑器</h1>
<table class="table is-striped"><tr><td>版本</td><td>{version}</td></tr>
<tr><td>发布日期</td><td>{day}</td></tr><tr><td>大小</td><td>{size}</td></tr>
<tr><td>校验值</td><td><code>{digest}</code></td></tr></table>
<a class="button is-primary" href="/files/chenxiang-{version}.exe">立即下载</a>
{_zh(_RELEASE_TEXT)}
</div><div class="column">{other}</div></div>
<footer class="footer">{foot}</footer>"""
        html = _doc("下载 - 沉香编辑器", body)
        host = "other:mirror" if mirror else "www"
        return Page(f"/release/{version}/", html, what=version, host=host)

    for row, mirror in (
        *((0, False), (1, False), (0, True), (2, True)),
        *((3, True), (1, True), (2, False), (3, False)),
    ):
        yield page(row, mirror)


# 17. Pictures of an album.

_PICTURES = [
    ("01", "20221105_0617.jpg", ""),
    ("02", "20221105_0622.jpg", ""),
    ("03", "20221105_0641.jpg", "渔船出港"),
    ("04", "20221105_0702.jpg", "补网的老人"),
    ("05", "20221105_0715.jpg", "渔船归港"),
    ("06", "20221105_0733.jpg", ""),
    ("07", "20221105_0750.jpg", "码头早市"),
]


@family("haigang-tuji", kind="pictures of one album", language="zh", half="held")
def haigang_tuji() -> Iterator[Page]:
    """Each page shows a picture of its own, with a few words or none below it."""
    about = (
        "摄影：林海生。2022年深秋，作者在东屿渔港住了一个星期，"
        "每天清晨到码头拍照，这组作品由此而来。"
    )
    for place, (number, image, caption) in enumerate(_PICTURES):
        following = _PICTURES[(place + 1) % len(_PICTURES)][0]
        below = f"<figcaption>{caption}</figcaption>" if caption else ""
        body = f"""<div class="gallery-top"><a href="/">海岸影像</a> / <a href="/album/">图集</a>
</div>
<h1 class="album-name">东屿渔港的清晨</h1>
<figure class="photo"><a href="p{following}.html">
<img src="/photos/dongyu/{image}" width="1200" height="800" alt=""></a>
{below}</figure>
<div class="album-about">{about}</div>
<div class="tools"><a href="#">收藏</a> <a href="#">分享</a>
<a href="p{following}.html">下一张</a></div>
<div class="copyright">图片版权归作者所有，转载请联系海岸影像编辑部。</div>"""
        html = _doc("东屿渔港的清晨_图集_海岸影像", body, attrs=' class="dark"')
        yield Page(f"/album/dongyu/p{number}.html", html, what=image)


# 18. Parts of an audio book.

_BOOK_TEXT = """\
内容简介：光绪末年，江南小城里来了一个不肯说自己姓名的钟表匠。他租下城隍庙旁边的半间铺面，白
天修表，夜里对着一本写满数字的册子发呆。城里陆续有人收到停在同一时刻的怀表，而每一块表的主人
都会在三天之内离开。茶馆老板的女儿阿绣偶然翻开那本册子，从此卷进一桩横跨三十年的旧案。

主播介绍：听澜，配音演员，从事有声书录制八年，擅长民国与悬疑题材，声音沉稳，一人分饰多角。本
书由原作者授权录制，后期制作由潮声工作室完成。

收听提示：本专辑每周一、三、五早上八点更新，前二十集免费，之后的章节需要开通会员或者单集购
买。会员可以下载到手机离线收听，也可以在车机与智能音箱上播放。购买之后不支持退换，未成年人请
在监护人的陪同下使用支付功能。欢迎在评论区留言，主播会挑选有意思的问题在番外里回答。"""

_EPISODES = [
    ("5520187", "第11集", "a0/7f/011.m4a", "23:41"),
    ("5520188", "第12集", "a0/7f/012.m4a", "25:06"),
    ("5520189", "第13集", "a1/02/013.m4a", "22:58"),
    ("5520501", "第14集", "a1/02/014.m4a", "24:30"),
    ("5520502", "第15集", "a1/3c/015.m4a", "24:30"),
    ("5521377", "番外", "b4/3c/x01.m4a", "12:15"),
]


@family("chaosheng-fm", kind="parts of an audio book", language="zh", half="held")
def chaosheng_fm() -> Iterator[Page]:
    """Each part has its number in the title and the breadcrumbs, and a recording of its own."""
    for number, part, audio, length in _EPISODES:
        head = f'<meta property="og:audio" content="https://aod.test/{audio}">\n'
        body = f"""<div class="xm-header"><a href="/">潮声FM</a><a href="/category/">分类</a>
<a href="/vip/">会员</a><a href="/download/">下载APP</a></div>
<div class="crumb"><a href="/youshengshu/">有声书</a> &gt; <a href="/album/2203/">停摆</a>
&gt; <span>{part}</span></div>
<div class="sound-container"><h1>停摆｜民国悬疑｜听澜演播</h1>
<audio controls preload="none" src="https://aod.test/{audio}"></audio>
<span class="duration">{length}</span>
<article class="intro">
{_zh(_BOOK_TEXT)}
</article></div>
<div class="sound-side"><h3>猜你喜欢</h3>
{_links([("/album/1781/", "旧码头"), ("/album/1804/", "雪夜客栈")])}
</div>
<div class="xm-footer">潮声FM 信息网络传播视听节目许可证</div>"""
        html = _doc(f"停摆 {part} 在线收听-潮声FM", body, head=head)
        yield Page(f"/sound/{number}", html, what=part)


# 19. Evenings of a play.

_SHOW_TEXT = """\
《井边》是梧桐剧社的原创话剧，讲述北方村庄里三代打井人的故事。村子一百年没有出过甜水，老井匠
临终前在炕席下面留下一张图，儿子不信，孙女偏要打。剧本取材于编剧在旱区两年的走访，台词保留了
大量方言，舞台上只有一口井、一架辘轳和满台的黄土。全剧时长约一百一十分钟，不设中场休息。

主创团队：编剧戚桐，导演尹岸，舞美设计孔祥林，灯光设计霍然，音乐由民间乐手现场演奏。首演以来
走过十二座城市，获得过青年戏剧节最佳剧本提名。

观演须知：一人一票，一米二以下儿童谢绝入场；演出开始以后迟到观众须听从工作人员安排，在适当时
机入场；场内禁止录音、录像和使用闪光灯，请将手机关闭或者调至静音；演出票不退不换，如果演出因
故取消，票款将原路退回。票面所列为开演时间，建议提前三十分钟到场取票，存包处在一层大厅西侧，
剧场周边停车位有限，请尽量选择公共交通。"""

_EVENINGS = [
    ("7101", "2024-06-14T19:30", "6月14日 周五 19:30", "宁州 · 梧桐剧场", "180 / 280 元"),
    ("7102", "2024-06-15T14:30", "6月15日 周六 14:30", "宁州 · 梧桐剧场", "180 / 280 元"),
    ("7103", "2024-06-15T19:30", "6月15日 周六 19:30", "宁州 · 梧桐剧场", "180 / 280 元"),
    ("7104", "2024-06-22T19:30", "6月22日 周六 19:30", "临海 · 大剧院小剧场", "120 / 220 元"),
    ("7105", "2024-06-23T19:30", "6月23日 周日 19:30", "临海 · 大剧院小剧场", "120 / 220 元"),
    ("7106", "2024-07-05T19:30", "7月5日 周五 19:30", "江阳 · 工人文化宫", "80 / 160 元"),
]


@family("wutong-jushe", kind="evenings of one play", language="zh", half="held")
def wutong_jushe() -> Iterator[Page]:
    """Each evening has its day, house and prices in structured data and in a hidden tab."""
    for number, start, day, house, prices in _EVENINGS:
        data = {
            "@context": "https://schema.org",
            "@type": "TheaterEvent",
            "name": "话剧《井边》",
            "startDate": start,
            "location": {"@type": "Place", "name": house},
        }
        structured = json.dumps(data, ensure_ascii=False)
        head = f'<script type="application/ld+json">{structured}</script>\n'
        body = f"""<div class="l-header"><div class="l-inner"><a href="/" class="logo">梧桐剧社</a>
<a href="/repertoire">剧目</a> <a href="/calendar">演出日历</a> <a href="/about">关于我们</a>
</div></div>
<div class="l-inner show">
<div class="poster"><img src="/media/jingbian-poster.jpg" alt="井边 海报"></div>
<h1>话剧《井边》</h1>
<div class="tabs"><button data-t="a">剧目介绍</button><button data-t="b">场次与票价</button></div>
<div id="a" class="tab">
{_zh(_SHOW_TEXT)}
</div>
<div id="b" class="tab" hidden>
<table><tr><td>{day}</td><td>{house}</td><td>{prices}</td></tr></table>
<a class="buy" href="/order/{number}">立即购票</a></div>
</div>
<div class="l-footer">购票咨询请关注公众号“梧桐剧社”</div>"""
        path = f"/show/jingbian?session={number}"
        yield Page(path, _doc("话剧《井边》 | 梧桐剧社", body, head=head), number)


# 20. Draws of a lottery and values of a fund.

_DRAWS = [
    ("24031", "2024年3月14日", "03 08 11 19 24 30", "07", "1.24亿"),
    ("24032", "2024年3月17日", "02 08 14 19 27 33", "07", "1.31亿"),
    ("24033", "2024年3月19日", "05 09 14 21 27 28", "12", "1.31亿"),
    ("24034", "2024年3月21日", "01 06 16 22 25 31", "03", "1.46亿"),
]

_VALUES = [
    ("2024-03-18", "1.2746", "1.8846", "+0.31%"),
    ("2024-03-19", "1.2698", "1.8798", "-0.38%"),
    ("2024-03-20", "1.2711", "1.8811", "+0.10%"),
    ("2024-03-21", "1.2711", "1.8811", "0.00%"),
]


@family("caijing-shuju", kind="short pages of numbers by date", language="zh", half="held")
def caijing_shuju() -> Iterator[Page]:
    """Each draw and each day of the fund has figures of its own on a short page."""
    draws, values = [], []
    for number, day, red, blue, pool in _DRAWS:
        balls = "".join(f'<i class="ball">{ball}</i> ' for ball in red.split())
        body = f"""<div class="t"><a href="/">数据中心</a> <a href="/kaijiang/">开奖</a>
<a href="/fund/">基金</a></div>
<h1>七彩球开奖公告</h1>
<p>第{number}期 {day}</p>
<div class="balls">{balls}<i class="ball blue">{blue}</i></div>
<p>奖池 {pool}元</p>
<p class="tip">以官方公布为准，理性购彩</p>"""
        html = _doc("七彩球开奖公告 - 数据中心", body)
        draws.append(Page(f"/kaijiang/{number}.shtml", html, what=f"draw {number}"))
    for day, unit, total, change in _VALUES:
        body = f"""<div class="t"><a href="/">数据中心</a> <a href="/kaijiang/">开奖</a>
<a href="/fund/">基金</a></div>
<h1>远山稳健混合A 净值</h1>
<dl class="nav-data"><dt>净值日期</dt><dd>{day}</dd><dt>单位净值</dt><dd>{unit}</dd>
<dt>累计净值</dt><dd>{total}</dd><dt>日涨跌</dt><dd>{change}</dd></dl>
<p class="tip">过往业绩不代表未来表现，投资须谨慎</p>"""
        html = _doc("远山稳健混合A净值 - 数据中心", body)
        values.append(Page(f"/fund/009931/nav?date={day}", html, what=f"fund {day}"))
    for draw, value in zip(draws, values, strict=True):
        yield draw
        yield value


# 21. Stations of a tide service.

_TIDE_TEXT = """\
Tides are the slow rise and fall of the sea under the pull of the moon and the sun. Along most of
this coast there are two high waters and two low waters a day, a little more than six hours apart,
and each tide comes about fifty minutes later than on the day before. Around new and full moon the
range is large and we speak of springs; around the quarters it is small and we speak of neaps.

All heights are given in metres above chart datum, which is close to the lowest tide that can be
expected in fair weather. To find the depth at a place, add the height of the tide to the depth
printed on the chart. The predictions do not know about the weather: strong onshore winds and low
pressure can lift the sea by half a metre and more, while a high over the land can hold it down.

Times are given in local time, daylight saving included. A prediction is made from at least one
year of records, taken with a radar gauge every six minutes, and is checked against the gauge each
spring. If the gauge is out of service, the predictions stay up, but the observed line is missing.

The tables are meant for walkers, anglers and small craft. They must not be used for navigation of
vessels that are obliged to carry official tables. Before you cross a causeway or go out on the
flats, ask locally, leave early and watch the way back."""

_STATIONS = [
    ("arnsby", "Arnsby Pier", "ST-104", "05:12", "4.31", "11:26", "0.74"),
    ("collhaven", "Collhaven", "ST-107", "05:31", "4.31", "11:44", "0.70"),
    ("dunmarsh", "Dunmarsh Sluice", "ST-112", "05:58", "3.86", "12:19", "0.55"),
    ("eel-point", "Eel Point", "ST-113", "05:12", "4.02", "11:26", "0.81"),
    ("farrow-sound", "Farrow Sound", "ST-120", "06:40", "3.17", "12:55", "0.62"),
    ("gullholm", "Gullholm North", "ST-121", "06:44", "3.17", "12:58", "0.62"),
    ("gullholm-south", "Gullholm South", "ST-122", "06:51", "3.20", "13:02", "0.60"),
]


@family("coast-tides", kind="stations in a widget beside a long text", language="en", half="held")
def coast_tides() -> Iterator[Page]:
    """Each station has its name, times and heights in a small widget only."""
    listed = _links([(f"/tides/{station[0]}/", station[1]) for station in _STATIONS])
    for code, name, number, high_time, high, low_time, low in _STATIONS:
        body = f"""<div class="cookie-bar">We use one cookie, to remember your units.
<a href="#">OK</a></div>
<header class="masthead"><a href="/"><img src="/logo.svg" alt="Coast Tides"></a>
<nav><a href="/tides/">Stations</a> <a href="/moon/">Moon</a> <a href="/help/">Help</a></nav>
</header>
<div class="grid">
<div class="main-col"><h1>Today's tides</h1>
{_en(_TIDE_TEXT)}
</div>
<div class="side-col"><div class="widget tide-widget"><span class="st">{name}</span>
<span class="no">{number}</span>
<div>High {high_time} <b>{high} m</b></div><div>Low {low_time} <b>{low} m</b></div></div>
<div class="widget stations"><h4>All stations</h4>{listed}</div></div>
</div>
<footer><p>Coast Tides is run by volunteers. Data may be reused with credit.</p></footer>"""
        html = _doc("Today's tides | Coast Tides", body, lang="en-GB")
        yield Page(f"/tides/{code}/", html, what=number)
