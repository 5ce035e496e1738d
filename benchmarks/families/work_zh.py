"""Chinese sites on which most words of a page are everybody's and a few of them are its own."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.families.kit import Page, family


def _flow(text: str) -> str:
    """Return Chinese text without its line ends."""
    return "".join(line.strip() for line in text.strip().splitlines())


def _paras(text: str, open_tag: str = "<p>") -> str:
    """Return HTML paragraphs; an empty line parts them."""
    name = open_tag.strip("<>").split()[0]
    parts = (_flow(part) for part in text.strip().split("\n\n"))
    return "\n".join(f"{open_tag}{part}</{name}>" for part in parts)


def _paras_en(text: str) -> str:
    """Return paragraphs of English text; an empty line parts them."""
    return "\n".join(f"<p>{' '.join(part.split())}</p>" for part in text.strip().split("\n\n"))


def _items(links: list[tuple[str, str]]) -> str:
    """Return list items with links, of addresses and labels."""
    return "\n".join(f'<li><a href="{url}">{label}</a></li>' for url, label in links)


def _head(title: str, css: str, extra: str = "") -> str:
    """Return doctype and head of a plain HTML5 page."""
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{css}">
{extra}
</head>"""


def _old_head(title: str, css: str) -> str:
    """Return doctype and head of a page of an old CMS."""
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<meta http-equiv="X-UA-Compatible" content="IE=edge" />
<title>{title}</title>
<link href="{css}" rel="stylesheet" type="text/css" />
</head>"""


# 1. Guides to buying a flat, by city

_CITIES = [
    ("hz", "杭州", "6个月", "25%"),
    ("bj", "北京", "36个月", "30%"),
    ("sh", "上海", "36个月", "20%"),
    ("nj", "南京", "不作要求", "15%"),
    ("sz", "深圳", "12个月", "20%"),
    ("cd", "成都", "不作要求", "15%"),
    ("xa", "西安", "6个月", "15%"),
    ("tj", "天津", "6个月", "15%"),
]

_CITY_TEXT = """
第一步，核实购房资格。购房人应当先到不动产登记窗口或者通过网上办事大厅提交家庭成员信息，由住建、
民政、人社、税务等部门联网核查婚姻状况、社会保险缴纳记录和名下住房套数。核查结果一般在三个工作日
内返回，有效期为六十日，逾期需要重新提交申请。

第二步，签订认购书。选定房源以后，请仔细查看开发企业在销售现场公示的预售许可证、一房一价表和不利
因素告知书，确认交付标准、车位租售方案以及物业服务收费标准，再签订认购书并缴纳定金。定金应当存入
预售资金监管账户，切勿转入个人账户。

第三步，网签备案与贷款。双方签订商品房买卖合同之后，由开发企业在七日内办理网签备案。使用公积金贷
款的，需要连续足额缴存满六个月；使用商业贷款的，请提前准备收入证明、近半年银行流水和征信报告。组
合贷款的审批时间通常比单一贷款长两周左右。

第四步，缴纳税费并办理登记。交付之后凭合同、发票、契税完税证明和维修资金缴存凭证申请不动产权证
书。夫妻共同购买的，双方应当同时到场；委托他人办理的，应当提交经过公证的授权委托书。

温馨提示：本指南由平台编辑根据公开资料整理，只作参考。政策如有调整，以主管部门最新公布的文件为准。
"""


def _city_page(code: str, city: str, months: str, share: str) -> str:
    links = _items([(f"/{other}/goufang/zige.html", name) for other, name, *_ in _CITIES])
    return f"""{_head("新房购房资格与办理流程指南 - 安居手册", "/static/css/guide.min.css")}
<body class="guide">
<div class="topbar"><a class="logo" href="/"><img src="/static/img/logo.png" alt="安居手册"></a>
<ul class="nav"><li><a href="/{code}/">首页</a></li><li><a href="/{code}/xinfang/">新房</a></li>
<li><a href="/{code}/ershoufang/">二手房</a></li><li><a href="/{code}/zufang/">租房</a></li>
<li><a href="/{code}/baike/">百科</a></li></ul></div>
<div class="crumb">您的位置：<a href="/{code}/">{city}站</a> &gt; 购房指南 &gt; 购房资格</div>
<div class="wrap clearfix">
<div class="main-l">
<h1>新房购房资格与办理流程</h1>
{_paras(_CITY_TEXT)}
<div class="share">分享到：<a href="#">微信</a> <a href="#">微博</a> <a href="#">QQ空间</a></div>
</div>
<aside class="main-r">
<div class="card"><h3>本地速查</h3>
<p>城市：{city}</p><p>非户籍家庭社保年限：{months}</p><p>首套最低首付：{share}</p></div>
<div class="card"><h3>其他城市</h3><ul>{links}</ul></div>
</aside>
</div>
<div class="footer">© 安居手册 版权所有
<a href="/about.html">关于我们</a>　<a href="/law.html">法律声明</a></div>
</body>
</html>"""


@family("anju-shouce", kind="folders of two pinyin letters are cities", language="zh", half="work")
def anju_shouce() -> Iterator[Page]:
    """Each city's guide is a page of its own, though only its aside says so."""
    for code, city, months, share in _CITIES:
        yield Page(f"/{code}/goufang/zige.html", _city_page(code, city, months, share), what=city)


# 2. Calls for tenders

_TENDERS = [
    ("t20240304_51882", "LXZB-2024-0117", "一标段：教学楼", "2024年3月26日9时30分", "412.60"),
    ("t20240304_51883", "LXZB-2024-0118", "二标段：宿舍楼", "2024年3月26日9时30分", "388.15"),
    ("t20240304_51884", "LXZB-2024-0119", "三标段：食堂", "2024年3月26日14时00分", "156.90"),
    ("t20240328_52207", "LXZB-2024-0119", "三标段：食堂", "2024年4月18日14时00分", "156.90"),
    ("t20240411_52560", "LXZB-2024-0164", "四标段：体育馆", "2024年5月6日9时30分", "273.00"),
    ("t20240411_52561", "LXZB-2024-0165", "五标段：图书馆", "2024年5月6日9时30分", "273.00"),
    ("t20240520_53018", "LXZB-2024-0203", "六标段：实验楼", "2024年6月11日10时00分", "198.45"),
]

_TENDER_TEXT = """
一、招标条件。本招标项目已由县发展和改革局批准建设，项目业主为兰溪湾职业技术学校，建设资金来自县
财政统筹安排，出资比例为百分之百。项目已具备招标条件，现对该项目的施工进行公开招标。

二、投标人资格要求。投标人须具备建筑工程施工总承包三级及以上资质，持有有效的安全生产许可证，并在
人员、设备、资金等方面具有相应的施工能力。拟派项目负责人须具备建筑工程专业二级及以上注册建造师执
业资格，且未担任其他在建工程的项目负责人。本次招标不接受联合体投标。

三、招标文件的获取。凡有意参加投标者，请登录公共资源交易平台，凭数字证书免费下载招标文件、工程量
清单及图纸。未按规定下载招标文件的，其投标将被拒绝。

四、投标文件的递交。投标文件应当在截止时间前通过电子交易系统上传，逾期上传的投标文件，系统将自动
拒收。投标人应当自行承担网络拥堵、证书失效等原因造成的后果。

五、评标办法。本项目采用经评审的最低投标价法，评标委员会由业主代表和随机抽取的专家共五人组成。

六、监督与投诉。投标人或者其他利害关系人认为招标投标活动不符合法律规定的，可以自知道或者应当知道
之日起十日内向行政监督部门提出书面投诉。
"""


def _tender_page(number: str, lot: str, deadline: str, price: str) -> str:
    return f"""{_old_head("学校校舍维修改造工程施工招标公告", "/images/ggzy.css")}
<body>
<table width="1000" border="0" align="center" cellpadding="0" cellspacing="0">
<tr><td colspan="2"><img src="/images/banner2018.jpg" width="1000" height="140" alt="" /></td></tr>
<tr><td colspan="2" class="menu"><a href="/">首页</a> | <a href="/zbgg/">招标公告</a> |
<a href="/zbgs/">中标公示</a> | <a href="/zcfg/">政策法规</a> |
<a href="/xzzx/">下载中心</a></td></tr>
<tr><td width="210" valign="top" class="left">
<table width="200"><tr><th>交易信息</th></tr><tr><td><a href="/zbgg/gcjs/">工程建设</a></td></tr>
<tr><td><a href="/zbgg/zfcg/">政府采购</a></td></tr><tr><td>
<a href="/zbgg/td/">土地出让</a></td></tr>
<tr><td><a href="/zbgg/cq/">产权交易</a></td></tr></table>
</td><td valign="top" class="right">
<div align="center" class="bt">学校校舍维修改造工程施工招标公告</div>
<table class="xmxx" border="1" width="94%" align="center">
<tr><td>招标编号</td><td>标段</td><td>投标截止时间</td><td>最高限价（万元）</td></tr>
<tr><td>{number}</td><td>{lot}</td><td>{deadline}</td><td>{price}</td></tr>
</table>
<div class="TRS_Editor">
{_paras(_TENDER_TEXT)}
</div>
<div class="print"><a href="javascript:window.print()">【打印】</a> <a href="#">【关闭】</a></div>
</td></tr>
<tr><td colspan="2" align="center" class="foot">主办：公共资源交易中心
建议使用1024×768分辨率浏览</td></tr>
</table>
</body>
</html>"""


@family("zhaobiao-gonggao", kind="numbers and deadlines in a table", language="zh", half="work")
def zhaobiao_gonggao() -> Iterator[Page]:
    """Each call is of a lot of its own, or another call for a lot that failed."""
    for name, number, lot, deadline, price in _TENDERS:
        yield Page(f"/zbgg/gcjs/{name}.htm", _tender_page(number, lot, deadline, price), what=name)


# 3. Notices of a court

_CASES = [
    (20931, "2024-03-05", "1832", "张伟"),
    (20932, "2024-03-05", "1833", "王芳"),
    (20933, "2024-03-05", "1834", "李国强"),
    (20934, "2024-03-05", "1840", "张伟"),
    (20951, "2024-03-11", "1977", "陈秀英"),
    (20952, "2024-03-11", "1978", "赵磊"),
    (20970, "2024-03-18", "2064", "周丽华"),
    (20971, "2024-03-18", "2065", "吴建平"),
]

_CASE_TEXT = """
本院受理原告锦苑物业服务有限公司诉你物业服务合同纠纷一案，因采取其他方式无法向你送达，现依法向你
公告送达起诉状副本、证据副本、应诉通知书、举证通知书、合议庭组成人员通知书、廉政监督卡以及开庭传
票。原告请求判令你支付拖欠的物业服务费及逾期付款违约金，并由你承担本案诉讼费用。

自本公告发出之日起经过三十日，即视为送达。提出答辩状和举证的期限，为公告期满后的十五日内。如果你
对本院的管辖权有异议，应当在答辩期内以书面形式提出。本案定于举证期满后第三日上午九时（遇法定节假
日顺延）在本院第六法庭公开开庭审理，届时无正当理由拒不到庭的，本院将依法缺席裁判。

诉讼材料可以由本人携带身份证件到立案大厅领取，也可以登录网上诉讼平台查阅。
"""


def _case_page(day: str, case: str, person: str) -> str:
    return f"""{_head("公告送达 - 诉讼服务网", "/themes/court/style.css?v=7")}
<body>
<div class="court-header"><img src="/themes/court/badge.png" alt="法徽">
<span>诉讼服务网</span><div class="tools">
<a href="/login">登录</a> <a href="/help">帮助</a></div></div>
<div class="court-nav"><a href="/">首页</a><a href="/lian">网上立案</a>
<a href="/yuejuan">网上阅卷</a>
<a href="/gonggao">公告送达</a><a href="/ktgg">开庭公告</a></div>
<div class="container"><div class="position">当前位置：首页 &raquo; 公告送达 &raquo; 正文</div>
<div class="detail">
<h2 class="detail-title">公告</h2>
<div class="detail-info">发布日期：{day}　案号：（2024）浙0106民初{case}号　被告：{person}</div>
<div class="detail-body">
{_paras(_CASE_TEXT)}
<p style="text-align:right">特此公告</p>
</div>
<div class="detail-tools">
<a href="#">字号大</a> <a href="#">字号小</a> <a href="#">打印本页</a></div>
</div></div>
<div class="court-footer">诉讼服务热线 12368　技术支持：信息中心</div>
</body>
</html>"""


@family("fayuan-songda", kind="case and defendant in a line of dates", language="zh", half="work")
def fayuan_songda() -> Iterator[Page]:
    """Each notice is for one case, also where a defendant has two."""
    for number, day, case, person in _CASES:
        yield Page(f"/gonggao/detail?id={number}", _case_page(day, case, person), what=case)


# 4. Variants of a product

_CUPS = [
    ("88101", "雾霾蓝", "HW-500-BL", "129.00", "wml"),
    ("88102", "樱花粉", "HW-500-PK", "129.00", "yhf"),
    ("88103", "曜石黑", "HW-500-BK", "129.00", "ysh"),
    ("88104", "象牙白", "HW-500-WT", "139.00", "xyb"),
    ("88105", "橄榄绿", "HW-500-GR", "139.00", "gll"),
    ("88106", "拉丝钢", "HW-500-ST", "159.00", "lsg"),
]

_CUP_TEXT = """
这款保温杯采用双层真空结构，内胆为食品接触用304不锈钢，经过电解抛光处理，不易残留茶渍。倒入九十
五摄氏度的热水并拧紧杯盖，六小时之后仍可以保持在六十八度以上；倒入冰水，则可以保冷十二小时。

杯盖一键弹开，带有二次锁扣，放进背包也不会漏水。饮水口做成圆弧形状，与嘴唇贴合；密封圈可以拆卸，
配有长柄刷，方便清洗。杯底加装硅胶防滑垫，放在桌面上安静不打滑。

使用须知：首次使用请用温水加中性洗涤剂清洗两遍；请勿放入微波炉或者洗碗机；请勿长时间盛放牛奶、果
汁和碳酸饮料；杯内装有热水时请勿对着脸部开盖，以免烫伤。

售后服务：支持七天无理由退货，自签收之日起一年内非人为损坏免费换新。退货时请保留原包装、配件以及
赠品，邮费由买家承担。图片因拍摄光线和显示器不同可能有轻微色差，以收到的实物为准。
"""


def _cup_page(item: str, colour: str, sku: str, price: str, image: str) -> str:
    swatches = "\n".join(
        f'<a class="swatch" href="/item/{other}.html" title="{name}"><i class="c-{short}"></i></a>'
        for other, name, _, _, short in _CUPS
    )
    data = f"""<script type="application/ld+json">
{{"@context": "https://schema.org", "@type": "Product", "name": "山隅弹盖保温杯500ml",
 "sku": "{sku}", "offers": {{"@type": "Offer", "price": "{price}", "priceCurrency": "CNY"}}}}
</script>"""
    return f"""{_head("山隅弹盖保温杯500ml_山隅官方商城", "/assets/theme.css", data)}
<body class="template-product">
<div class="announcement">全场满199元包邮，每天下午四点前付款当日发货</div>
<header class="site-header"><a href="/"><img src="/assets/logo.svg" alt="山隅"></a>
<nav><a href="/c/cups">杯壶</a><a href="/c/kitchen">厨房</a><a href="/c/outdoor">户外</a></nav>
<a class="cart" href="/cart">购物车（0）</a></header>
<section class="product" id="p-{item}">
<div class="gallery"><img src="/upload/cup/{image}-01.jpg" alt="{colour}">
<img src="/upload/cup/{image}-02.jpg" alt="{colour}细节"></div>
<div class="summary"><h1>山隅弹盖保温杯500ml</h1>
<div class="price"><span>¥</span>{price}</div>
<div class="row">颜色：<b>{colour}</b></div><div class="swatches">{swatches}</div>
<div class="row">货号：{sku}</div>
<button class="add">加入购物车</button></div>
</section>
<section class="desc"><h2>商品详情</h2>
{_paras(_CUP_TEXT)}
</section>
<footer class="site-footer"><ul><li><a href="/p/ship">配送说明</a></li>
<li><a href="/p/return">退换政策</a></li></ul><small>© 山隅生活用品</small></footer>
</body>
</html>"""


@family("shanyu-shop", kind="colour, price and number of a variant", language="zh", half="work")
def shanyu_shop() -> Iterator[Page]:
    """Each colour of the cup is an article of its own, with its picture and number."""
    for item, colour, sku, price, image in _CUPS:
        yield Page(f"/item/{item}.html", _cup_page(item, colour, sku, price, image), what=colour)


# 5. Weather of towns

_TOWNS = [
    ("qingshan", "青山镇", "多云转小雨", "14～21℃", "东南风2级"),
    ("shuitou", "水头镇", "小雨", "13～19℃", "东风3级"),
    ("baisha", "白沙乡", "阴", "12～20℃", "北风2级"),
    ("longmen", "龙门镇", "多云", "15～23℃", "东南风2级"),
    ("heqiao", "河桥镇", "中雨", "12～17℃", "东北风4级"),
    ("taihu", "太湖源镇", "多云转小雨", "11～18℃", "东南风2级"),
    ("changhua", "昌化镇", "阵雨", "14～20℃", "南风1级"),
    ("daoshi", "岛石镇", "阴", "9～16℃", "北风2级"),
]

_WEATHER_TEXT = """
春季冷暖空气交替频繁，我县山区多阵性降水，局部地区可能伴有雷电、短时大风和小冰雹。外出之前请留意
最新的天气预报和预警信号，随身携带雨具，不要在大树、广告牌和临时搭建物下面避雨。

驾车经过山区道路时请注意减速慢行，保持车距，打开雾灯，遇到路面积水或者落石时不要强行通过，应当及
时报警并在安全的地方等待。乘坐渡船、观光缆车的旅客请服从工作人员安排。

农业生产方面，茶园应当抓紧晴好天气采摘春茶，及时疏通沟渠，防止积水烂根；大棚蔬菜注意通风降湿，预
防灰霉病；早稻育秧田块在低温来临之前要盖好薄膜，灌浅水保温。

预警信号分为蓝色、黄色、橙色和红色四级。发布橙色以上预警时，学校和幼儿园可以根据实际情况调整上下
学时间，户外作业应当暂停，旅游景区应当关闭涉水和高空项目。

生活指数由气象服务中心每天早晨六点和傍晚五点更新两次，包括穿衣、洗车、晾晒、运动和过敏等项目，仅
供公众安排日常活动时参考。
"""


def _weather_page(town: str, sky: str, range_: str, wind: str) -> str:
    links = "\n".join(f'<a href="/qx/{code}/">{name}</a>' for code, name, *_ in _TOWNS)
    return f"""{_head("今日天气与出行提示 | 县气象服务中心", "/wp-content/themes/qx/style.css")}
<body class="page page-template-default">
<div id="page" class="site">
<header id="masthead"><p class="site-title"><a href="/" rel="home">县气象服务中心</a></p>
<p class="site-description">及时 准确 贴心</p>
<nav id="site-navigation"><ul class="menu"><li><a href="/">首页</a></li>
<li><a href="/yujing/">预警</a></li><li><a href="/kepu/">科普</a></li></ul></nav></header>
<div id="content"><main id="main"><article class="hentry">
<h1 class="entry-title">今日天气与出行提示</h1>
<div class="entry-content">
{_paras(_WEATHER_TEXT)}
</div></article></main>
<div id="secondary" class="widget-area">
<section class="widget widget_weather"><h2 class="widget-title">天气</h2>
<div class="w-town">{town}</div><div class="w-sky">{sky}</div>
<div class="w-temp">{range_}</div><div class="w-wind">{wind}</div></section>
<section class="widget widget_nav_menu"><h2 class="widget-title">乡镇预报</h2>
<div class="tagcloud">{links}</div></section>
</div></div>
<footer id="colophon">
<div class="site-info">今天是2024年4月9日 星期二　县气象服务中心</div></footer>
</div>
</body>
</html>"""


@family("qixiang-fuwu", kind="the town in a widget of the sidebar", language="zh", half="work")
def qixiang_fuwu() -> Iterator[Page]:
    """Each page has the weather of one town, and the same advice as all others."""
    for code, town, sky, range_, wind in _TOWNS:
        yield Page(f"/qx/{code}/", _weather_page(town, sky, range_, wind), what=town)


# 6. Pages of a player

_VIDEOS = [
    (40211, "第1集", "8f31ca02"),
    (40212, "第2集", "8f31cb77"),
    (40213, "第3集", "8f31d09e"),
    (40214, "第4集", "8f31d1c4"),
    (40219, "幕后花絮", "8f320a15"),
    (40220, "幕后花絮", "8f320b6d"),
    (40225, "主题曲MV", "8f3277e0"),
]

_VIDEO_TEXT = """
《渡口人家》讲述上世纪八十年代一个江边小镇上三户人家的故事。摆渡人老沈守着祖辈留下的木船，不肯搬
去新城；供销社的会计阿珍一边照顾生病的母亲，一边偷偷报考夜校；刚退伍的林家小儿子带回一台旧放映
机，想要在码头上办起镇里的第一家露天影院。大桥即将合龙，渡口就要停航，三家人在离开与留下之间各自
作出选择。

导演花了两年时间在沿江各县采风，剧中的方言台词、船歌和集市场景都来自真实的民间记录。主要演员提前
三个月到当地体验生活，学习摇橹、织网和腌制鱼干。

观看提示：请使用最新版本的浏览器，如果画面卡顿，可以在播放器右下角切换清晰度，或者暂停片刻等待缓
冲。会员可以跳过片头广告并使用倍速播放功能。

版权声明：本片由制作方授权播出，任何单位和个人未经许可不得下载、剪辑、转载或者用于商业用途。如需
合作请通过页面底部的邮箱与我们联系。
"""


def _video_page(number: int, name: str, key: str) -> str:
    links = "\n".join(
        f'<a class="ep" href="/v/{other}">{index}</a>'
        for index, (other, *_) in enumerate(_VIDEOS, start=1)
    )
    return f"""{_head(f"渡口人家 {name} - 在线观看 - 青柠影视", "//cdn.qingning.test/v5/play.css")}
<body class="dark">
<div class="hd"><a href="/" class="hd-logo">青柠影视</a>
<form action="/so"><input name="q" placeholder="搜片名、演员"></form>
<a href="/vip">开通会员</a> <a href="/history">观看历史</a></div>
<div class="play-box">
<iframe src="https://player.qingning.test/embed/{key}?auto=1" width="960" height="540"
 allowfullscreen></iframe>
</div>
<div class="play-info" data-vid="{number}">
<h1>渡口人家 {name}</h1>
<div class="act"><span>点赞</span><span>收藏</span><span>下载客户端</span></div>
<div class="eps">{links}</div>
</div>
<div class="intro">
{_paras(_VIDEO_TEXT, '<p class="t">')}
</div>
<div class="comments"><h3>网友评论</h3><p>登录之后可以发表评论，请文明发言。</p></div>
<div class="ft">青柠影视 节目合作：hezuo@qingning.test</div>
</body>
</html>"""


@family("dukou-renjia", kind="the video and its title", language="zh", half="work")
def dukou_renjia() -> Iterator[Page]:
    """Each page plays a video of its own, also where two are called the same."""
    for number, name, key in _VIDEOS:
        yield Page(f"/v/{number}", _video_page(number, name, key), what=key)


# 7. Poems of one title

_POEMS = [
    (
        "1107",
        "王翰",
        ["葡萄美酒夜光杯，", "欲饮琵琶马上催。", "醉卧沙场君莫笑，", "古来征战几人回？"],
    ),
    (
        "1112",
        "王之涣",
        ["黄河远上白云间，", "一片孤城万仞山。", "羌笛何须怨杨柳，", "春风不度玉门关。"],
    ),
    (
        "1230",
        "张籍",
        ["边城暮雨雁飞低，", "芦笋初生渐欲齐。", "无数铃声遥过碛，", "应驮白练到安西。"],
    ),
    (
        "1231",
        "张籍",
        ["凤林关里水东流，", "白草黄榆六十秋。", "边将皆承主恩泽，", "无人解道取凉州。"],
    ),
    (
        "1340",
        "孟浩然",
        ["浑成紫檀金屑文，", "作得琵琶声入云。", "胡地迢迢三万里，", "那堪马上送明君。"],
    ),
    (
        "1415",
        "薛逢",
        ["昨夜蕃兵报国仇，", "沙州都护破凉州。", "黄河九曲今归汉，", "塞外纵横战血流。"],
    ),
]

_POEM_TEXT = """
“凉州词”并不是诗的题目，而是为当时流行的一种曲子配写的唱词。开元年间，陇右节度使搜集了一批西域
乐谱献给朝廷，教坊把它们翻成中原的曲调，并以乐谱产生的地名作为曲名。此后许多诗人都喜欢这支曲调，
为它填写新词，于是留下了一组题目相同而面貌各异的七言绝句。

这类作品大多写边塞的风光与军旅的生活。诗人往往只取一个场面、一件器物，便把辽阔的空间和漫长的征戍
写进四句之中。起句多用景物或者器物引入，音调响亮；承句推开一层；第三句忽然转折；末句以问语或者叹
语作结，含不尽之意于言外。

诵读的时候，宜先把握七言的节奏，前四字一顿，后三字一顿，再体会平仄相间带来的抑扬。可以把同题的几
首放在一起比较，看看各位诗人从哪里落笔，又把感情收在什么地方。

思考与练习：一、凉州在今天的什么地方，唐代为什么重视这里的得失？二、诗中的景物与人物的心情有怎样
的关系？三、试着把全诗改写成一段二百字左右的散文。
"""


def _poem_page(author: str, lines: list[str]) -> str:
    links = _items([(f"/shi/{number}.aspx", "凉州词") for number, *_ in _POEMS])
    return f"""{_head("凉州词原文及赏析_古诗小筑", "/css/gushi.css")}
<body>
<div class="maintopbc"><div class="maintop"><a href="/">古诗小筑</a>
<a href="/shiwen/">诗文</a><a href="/mingju/">名句</a><a href="/zuozhe/">作者</a>
<a href="/guji/">古籍</a></div></div>
<div class="main3"><div class="left">
<div class="sons"><div class="cont">
<h1>凉州词</h1>
<p class="source">作者：{author}　朝代：唐代</p>
<div class="contson">{"<br>".join(lines)}</div>
</div>
<div class="tool">
<a href="#">拼音</a> <a href="#">朗读</a> <a href="#">背诵</a> <a href="#">收藏</a></div></div>
<div class="sons"><div class="contyishang"><h2>赏析</h2>
{_paras(_POEM_TEXT)}
</div></div></div>
<div class="right"><div class="cont2">同题诗</div><ul>{links}</ul></div></div>
<div class="mainbottom">© 古诗小筑　内容由网友整理，欢迎指正</div>
</body>
</html>"""


@family("gushi-xiaozhu", kind="poems of one title under one comment", language="zh", half="work")
def gushi_xiaozhu() -> Iterator[Page]:
    """Each page is another poem, by the author in the line below the title."""
    for number, author, lines in _POEMS:
        yield Page(f"/shi/{number}.aspx", _poem_page(author, lines), what=number)


# 8. Calls for applications, by year

_YEARS = [
    ("201904", "30217", 2019, "19", "5月31日", "6月20日"),
    ("202004", "34460", 2020, "22", "6月30日", "7月20日"),
    ("202104", "38815", 2021, "17", "5月31日", "6月18日"),
    ("202203", "41093", 2022, "11", "4月30日", "5月20日"),
    ("202304", "45526", 2023, "20", "5月31日", "6月20日"),
    ("202403", "49871", 2024, "13", "4月30日", "5月17日"),
]

_YEAR_TEXT = """
为进一步激发企业创新活力，培育壮大科技型企业梯队，根据国家和省有关认定管理办法及工作指引，现就申
报工作的有关事项通知如下。

一、申报条件。申报企业须在本市注册成立一年以上，通过自主研发、受让、受赠、并购等方式获得对主要产
品在技术上发挥核心支持作用的知识产权的所有权；从事研发和相关技术创新活动的科技人员占职工总数的比
例不低于百分之十；近三个会计年度的研究开发费用总额占同期销售收入总额的比例符合规定；申请认定前一
年内未发生重大安全、重大质量事故或者严重环境违法行为。

二、申报程序。企业对照条件进行自我评价，认为符合要求的，登录政务服务网完成注册，在线填写申请书并
上传附件。各区科技部门会同财政、税务部门对申报材料进行形式审查，重点核对知识产权有效性、研发费用
归集和高新技术产品收入三个方面，提出推荐意见后统一报送市级主管部门。

三、有关要求。企业应当对申报材料的真实性负责，存在弄虚作假行为的，一经查实，取消申报资格并记入科
研诚信档案。各区应当加强政策宣讲和辅导，不得委托中介机构代为收取材料，不得向企业收取任何费用。
"""


def _year_page(year: int, number: str, until: str, districts: str) -> str:
    title = f"关于组织开展{year}年高新技术企业认定申报工作的通知"
    meta = f"""<meta name="SiteName" content="市科学技术局">
<meta name="ArticleTitle" content="{title}">
<meta name="ColumnName" content="通知公告">"""
    return f"""{_head(title, "/module/jpage/gov2017.css", meta)}
<body>
<div class="accessible">
<a href="#">无障碍浏览</a> <a href="#">长者模式</a> <a href="/en/">English</a></div>
<div class="gov-logo"><img src="/picture/0/logo_kjj.png" alt="市科学技术局"></div>
<div class="gov-menu"><a href="/">首页</a><a href="/col/xxgk/">信息公开</a>
<a href="/col/bsfw/">办事服务</a><a href="/col/hdjl/">互动交流</a>
<a href="/col/tzgg/">通知公告</a></div>
<div class="gov-path">首页 / 通知公告</div>
<div class="gov-article">
<h1>{title}</h1>
<div class="wh">科高〔{year}〕{number}号</div>
<div id="zoom">
<p>各区科技局，各有关单位：</p>
{_paras(_YEAR_TEXT)}
<p>四、时间安排。企业网上提交截止时间为{until}，各区推荐截止时间为{districts}，逾期系统将自动关闭。</p>
</div>
<div class="att">附件：<a href="/module/download/sqs.doc">申请书格式.doc</a>
<a href="/module/download/hzb.xls">推荐汇总表.xls</a></div>
</div>
<div class="gov-foot">主办单位：市科学技术局　网站标识码：3300000021
<a href="/sitemap.html">网站地图</a></div>
</body>
</html>"""


@family("kejiju-shenbao", kind="the same call every year", language="zh", half="work")
def kejiju_shenbao() -> Iterator[Page]:
    """Each year's call has its own number and deadlines."""
    for folder, article, year, number, until, districts in reversed(_YEARS):
        html = _year_page(year, number, until, districts)
        yield Page(f"/art/{folder}/art_{article}.html", html, what=str(year))


# 9. News in the reprint of others (copies)

_MARKET_TEXT = """
记者从市商务局获悉，本周全市重点监测的十二家农贸市场和六家连锁超市货源充足，价格总体平稳。监测人
员表示，随着气温回升，本地大棚蔬菜集中上市，外地客菜的调入量有所减少，运输和仓储成本随之下降。

在城南农副产品批发市场，经营蔬菜生意已有十八年的孙师傅告诉记者，凌晨两点到四点是一天中最忙的时
候，来自周边县区的货车排成长队，番茄、黄瓜和西葫芦走得最快。“今年天气好，菜长得快，价格也实在，
老主顾都愿意多拿几筐。”他说。

市商务局市场运行科负责人介绍，下一步将继续加强日监测、周分析，督促骨干流通企业落实储备任务，一旦
出现异常波动，将及时启动应急投放机制。同时提醒市民理性消费，不信谣、不传谣，不必集中囤货。

价格主管部门也将加大巡查力度，重点检查明码标价执行情况，严厉打击哄抬价格、短斤缺两等行为。市民在
购买过程中遇到问题，可以保留小票并拨打投诉热线反映。
"""

_MARKETS = [
    ("w14", "蔬菜均价每公斤5.86元 环比下降3.2%", "白菜", "2.14", "猪肉每公斤24.60元", "04-07"),
    ("w15", "蔬菜均价每公斤5.61元 环比下降4.3%", "菠菜", "4.40", "猪肉每公斤24.80元", "04-14"),
    ("w16", "蔬菜均价每公斤5.43元 环比下降3.2%", "芹菜", "3.72", "猪肉每公斤24.60元", "04-21"),
    ("w17", "蔬菜均价每公斤5.47元 环比上涨0.7%", "黄瓜", "4.05", "猪肉每公斤25.10元", "04-28"),
]


def _market_text(key: str) -> tuple[str, str, str]:
    """Return title, day and HTML of an article."""
    _, title, green, price, pork, day = next(row for row in _MARKETS if row[0] == key)
    fact = (
        f"<p>监测数据显示，本周{title.replace(' ', '，')}。其中{green}每公斤{price}元，{pork}。</p>"
    )
    return f"本周{title}", day, f"{fact}\n{_paras(_MARKET_TEXT)}"


def _market_own(key: str) -> str:
    title, day, text = _market_text(key)
    return f"""{_head(f"{title}-江州晚报网", "/skin/jzwb/main.css")}
<body>
<div class="top"><img src="/skin/jzwb/logo.gif" alt="江州晚报网"><ul><li><a href="/">首页</a></li>
<li><a href="/yaowen/">要闻</a></li><li><a href="/minsheng/">民生</a></li><li>
<a href="/tiyu/">体育</a></li>
<li><a href="/dzb/">电子报</a></li></ul></div>
<div class="main"><div class="article">
<h1>{title}</h1>
<div class="info">
<span>2024-{day} 08:12</span> <span>来源：江州晚报</span> <span>记者 何雨桐</span></div>
<div class="text">
{text}
</div>
<div class="editor">责任编辑：罗敏</div></div>
<div class="rank"><h3>热点排行</h3><ol><li>
<a href="/minsheng/881.html">老旧小区加装电梯有了新办法</a></li>
<li><a href="/yaowen/870.html">城东快速路月底通车</a></li><li>
<a href="/tiyu/866.html">半程马拉松报名开启</a></li></ol></div>
</div>
<div class="copy">江州晚报社版权所有，未经授权不得转载</div>
</body>
</html>"""


def _market_portal(key: str) -> str:
    title, day, text = _market_text(key)
    return f"""{_head(f"{title}_财经_聚闻网", "https://s.juwen.test/news/2023/article.css")}
<body class="cat-finance">
<div id="J_nav"><a href="/">聚闻首页</a><a href="/finance">财经</a><a href="/tech">科技</a>
<a href="/auto">汽车</a><a href="/house">房产</a><a href="/ent">娱乐</a>
<a href="/login">登录</a></div>
<div class="bread">
<a href="/finance">财经</a> &gt; <a href="/finance/market">市场</a> &gt; 正文</div>
<article id="artibody"><h1 class="main-title">{title}</h1>
<div class="date-source">2024年{day.replace("-", "月")}日 11:40　<a href="#">江州晚报</a>
<a href="#comment">评论 3</a></div>
{text}
<p class="show_author">责编：吴辰</p>
</article>
<div class="statement">声明：本网转载此文旨在传递更多信息，不代表本网观点，文责由作者自负。</div>
<div class="guess"><h4>猜你喜欢</h4><a href="/finance/1.html">银行下调存款利率</a>
<a href="/auto/2.html">新能源车试驾体验</a><a href="/ent/3.html">暑期档影片定档</a></div>
<div class="bottom">聚闻网 意见反馈 广告服务 隐私政策 违法和不良信息举报</div>
</body>
</html>"""


def _market_local(key: str) -> str:
    title, day, text = _market_text(key)
    return f"""{_old_head(title, "/style/nongye.css")}
<body bgcolor="#f3f8ee">
<table width="980" align="center"><tr><td><b>江南农业信息港</b></td>
<td align="right">
<a href="/">首页</a> <a href="/gongqiu/">供求</a> <a href="/hangqing/">行情</a></td></tr></table>
<table width="980" align="center" bgcolor="#ffffff"><tr><td class="title">{title}</td></tr>
<tr><td align="center">时间：2024/{day.replace("-", "/")} 来源：江州晚报 点击：117次
【大 中 小】</td></tr>
<tr><td class="content">
{text}
</td></tr>
<tr><td>上一篇：<a href="/hangqing/">返回列表</a></td></tr></table>
<table width="980" align="center"><tr><td align="center">江南农业信息港 编辑：小田</td></tr></table>
</body>
</html>"""


@family("caijia-zhuanzai", kind="reprints of near-equal articles", language="zh", half="work")
def caijia_zhuanzai() -> Iterator[Page]:
    """Each week's report is on two or three sites, and is not that of another week."""
    portal, local = "other:juwen", "other:nongye"
    yield Page("/minsheng/20240407/w14.html", _market_own("w14"), what="w14")
    yield Page("/finance/2024/doc-iw14.shtml", _market_portal("w14"), what="w14", host=portal)
    yield Page("/finance/2024/doc-iw15.shtml", _market_portal("w15"), what="w15", host=portal)
    yield Page("/hangqing/show.asp?id=6615", _market_local("w15"), what="w15", host=local)
    yield Page("/minsheng/20240414/w15.html", _market_own("w15"), what="w15")
    yield Page("/minsheng/20240421/w16.html", _market_own("w16"), what="w16")
    yield Page("/hangqing/show.asp?id=6614", _market_local("w14"), what="w14", host=local)
    yield Page("/finance/2024/doc-iw16.shtml", _market_portal("w16"), what="w16", host=portal)
    yield Page("/hangqing/show.asp?id=6617", _market_local("w17"), what="w17", host=local)
    yield Page("/minsheng/20240428/w17.html", _market_own("w17"), what="w17")


# 10. Mobile and AMP addresses (copies)

_SCHOOL_TEXT = """
学校有关负责人介绍，新生登记采取线上申请与现场核验相结合的方式。家长可以先在教育服务平台填写信
息，上传户口簿、房产证明和预防接种证，系统审核通过以后会发送短信，告知现场核验的时段，无需提前排
队。

对于随迁子女，家长需要提供居住证以及近一年的社会保险缴纳证明。学位不足时，教育部门将按照积分高低
统筹安排到邻近学校，保证每一个符合条件的孩子都能入学。

学校提醒，报名与先后顺序无关，任何以“代办入学”“预留学位”为名收取费用的行为都是诈骗。新生入学
以后将实行均衡编班，不设重点班、实验班，班主任由抽签产生。

为了帮助孩子适应新环境，学校将在八月下旬安排两天的入学体验活动，内容包括参观校园、认识老师和养成
整理书包的习惯。午餐由中央厨房统一配送，家长可以通过小程序查看每周食谱。
"""

_SCHOOLS = {
    "3401": (
        "城西实验小学公布招生计划",
        "城西实验小学今年计划招收一年级新生8个班360人，6月15日开始登记。",
    ),
    "3402": (
        "滨江第二小学公布招生计划",
        "滨江第二小学今年计划招收一年级新生6个班270人，6月15日开始登记。",
    ),
    "3405": (
        "育英小学公布招生计划",
        "育英小学今年计划招收一年级新生10个班450人，6月18日开始登记。",
    ),
}


def _school_www(key: str) -> str:
    title, fact = _SCHOOLS[key]
    links = _items([(f"/2024/0512/c{other}.html", name) for other, (name, _) in _SCHOOLS.items()])
    alternate = f"""<link rel="amphtml" href="/amp/2024/0512/c{key}.html">
<meta property="og:title" content="{title}">"""
    return f"""{_head(f"{title} - 教育频道 - 云洲网", "/css/pc.css", alternate)}
<body>
<nav class="navbar navbar-expand-lg"><div class="container">
<a class="navbar-brand" href="/">云洲网</a>
<ul class="navbar-nav"><li class="nav-item"><a href="/news/">新闻</a></li>
<li class="nav-item"><a href="/edu/">教育</a></li><li class="nav-item">
<a href="/health/">健康</a></li>
<li class="nav-item"><a href="/travel/">旅游</a></li></ul></div></nav>
<div class="container"><div class="row"><div class="col-md-8">
<h1>{title}</h1><p class="text-muted">2024-05-12 10:30 云洲网教育频道</p>
<p>{fact}</p>
{_paras(_SCHOOL_TEXT)}
<div class="btn-group"><a class="btn" href="#">转发</a><a class="btn" href="#">点赞 26</a></div>
</div><div class="col-md-4"><div class="card"><div class="card-header">教育要闻</div>
<ul>{links}</ul></div>
<div class="card"><div class="card-header">一周热读</div><ul><li>中考体育项目如何备考</li>
<li>课后服务增加科学实验</li></ul></div></div></div></div>
<footer class="bg-light">云洲网 版权所有　新闻热线 <a href="/contact/">联系我们</a></footer>
</body>
</html>"""


def _school_mobile(key: str) -> str:
    title, fact = _SCHOOLS[key]
    return f"""<!DOCTYPE html>
<html>
<head><meta charset="UTF-8"><title>{title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1,user-scalable=no">
<link rel="stylesheet" href="/m/touch.css"></head>
<body ontouchstart="">
<div class="m-bar"><a href="javascript:history.back()">‹</a><span>云洲网触屏版</span>
<a href="/menu">≡</a></div>
<div class="m-art"><h2>{title}</h2><div class="m-time">05-12 10:30</div>
<p>{fact}</p>
{_paras(_SCHOOL_TEXT)}
</div>
<div class="m-app">打开客户端，阅读体验更佳<a href="/app">立即打开</a></div>
<div class="m-foot"><a href="/">首页</a> <a href="/top">顶部</a> <a href="/pc">电脑版</a></div>
</body>
</html>"""


def _school_amp(key: str) -> str:
    title, fact = _SCHOOLS[key]
    return f"""<!doctype html>
<html amp lang="zh">
<head><meta charset="utf-8"><script async src="https://cdn.ampproject.test/v0.js"></script>
<title>{title}</title>
<link rel="canonical" href="/2024/0512/c{key}.html">
<meta name="viewport" content="width=device-width">
<style amp-custom>body{{font:16px/1.8 sans-serif}}</style></head>
<body>
<header class="amp-head"><a href="/amp/"><amp-img src="/img/amp-logo.png" width="120" height="32"
 alt="云洲网"></amp-img></a></header>
<main><h1>{title}</h1><time datetime="2024-05-12T10:30">2024年5月12日</time>
<p>{fact}</p>
{_paras(_SCHOOL_TEXT)}
<a class="full" href="/2024/0512/c{key}.html">查看完整版网页</a></main>
</body>
</html>"""


@family("yunzhou-wap", kind="mobile and AMP dress of articles", language="zh", half="work")
def yunzhou_wap() -> Iterator[Page]:
    """Each school's article is on the desktop, mobile and AMP site."""
    for key in ("3401", "3402"):
        yield Page(f"/2024/0512/c{key}.html", _school_www(key), what=key)
    yield Page("/a/3401.html", _school_mobile("3401"), what="3401", host="m")
    yield Page("/a/3405.html", _school_mobile("3405"), what="3405", host="m")
    yield Page("/a/3402.html", _school_mobile("3402"), what="3402", host="m")
    yield Page("/amp/2024/0512/c3402.html", _school_amp("3402"), what="3402")
    yield Page("/amp/2024/0512/c3401.html", _school_amp("3401"), what="3401")
    yield Page("/2024/0512/c3405.html", _school_www("3405"), what="3405")
    yield Page("/amp/2024/0512/c3405.html", _school_amp("3405"), what="3405")


# 11. Documentation of which a part is translated (copies)

_DOC_INSTALL_EN = """
Download the archive for your platform from the release page and unpack it into a directory on your
search path. The queue server is one static binary, so that there is nothing else to install. On
Linux you may also use the package that we publish for the common distributions; it creates a user
named kestrel and a systemd unit which is not enabled by default.

Before the first start, create a data directory that only this user can write to. Kestrel refuses to
run with a directory that other users may read, because messages are stored there as plain text.
Then run the init command, which writes a configuration file with comments on every option, and
start the service.

To check that the server is up, ask it for its status. It answers with its version, the number of
connected clients and the size of the log on disk. If the command does not answer within five
seconds, look at the journal: most often another process holds the port.

When you upgrade, stop the old version first. The log format has been stable since version two, and
a newer server reads the files of an older one without conversion; going back is not supported.
"""

_DOC_QUEUE_EN = """
A queue is created when the first message is sent to it and removed when it has been empty for the
time set as its retention. You never have to declare queues, but you may do so in order to set
limits. Names consist of letters, digits and dots, and a dot separates levels for access rules.

Each message gets a sequence number which is never reused. A consumer asks for a batch, works on it
and confirms the highest number that it is done with. Whatever has not been confirmed within the
lease time is handed to another consumer, so that work should be safe to repeat.

Priorities are not supported on purpose. If some of your messages are urgent, send them to a queue
of their own and let consumers read that one first. This is easier to reason about, and it keeps the
log append-only.

Messages larger than one megabyte are refused. Put large payloads into an object store and send the
key instead; the client libraries have a helper for this.
"""

_DOC_BACKUP_ZH = """
备份之前不需要停止服务。执行快照命令以后，服务器会先把内存中尚未落盘的消息写入日志，然后为所有日
志段建立硬链接，整个过程通常不超过两秒，期间生产者的写入会短暂排队，但是不会丢失。

快照目录可以直接复制到其他机器或者上传到对象存储。恢复时，把目录中的文件放回数据目录，确认属主是
运行服务的用户，再正常启动即可。如果日志的最后一段不完整，服务器会在启动时截断到最后一条校验通过
的消息，并在日志中写出被丢弃的字节数。

建议每天做一次快照并且至少保留七份。对于要求更高的场景，可以打开同步复制，让从节点实时接收日志；
不过复制不能代替备份，因为误删的队列也会同时在从节点上消失。
"""

_DOC_METRICS_EN = """
The server exposes its metrics on a separate port in the usual text format. Every queue has a gauge
for its length and a counter for messages in and out; the lease counter tells how often work had to
be handed out again, which is a good sign of consumers that crash.

Alert on the age of the oldest message instead of on the length of a queue. A long queue that moves
fast does no harm, whereas a short one that stands still means that someone is waiting.
"""

_DOC_METRICS_ZH = """
服务器在一个单独的端口上以通用的文本格式输出监控指标。每个队列都有一个表示长度的指标，以及消息流
入和流出的计数器；租约计数器表示任务被重新分配的次数，可以用来发现经常崩溃的消费者。

建议针对最旧消息的等待时间设置告警，而不要针对队列长度。队列虽长但是流动很快，并没有什么害处；队
列很短却一动不动，则说明有人正在等待。
"""

_DOC_NAV = {
    "en": ("Kestrel documentation", "Guide", "Reference", "Community", "Search docs", "Edit this"),
    "zh-cn": ("Kestrel 中文文档", "指南", "参考手册", "社区", "搜索文档", "编辑此页"),
}

_DOC_PAGES = [
    ("install", "Installation", "安装"),
    ("queues", "Queues and messages", "队列与消息"),
    ("backup", "Backup", "备份与恢复"),
    ("metrics", "Metrics", "监控指标"),
]


def _doc_page(language: str, title: str, text: str) -> str:
    site, guide, reference, community, find, edit = _DOC_NAV[language]
    at = 1 if language == "en" else 2
    links = _items([(f"/{language}/docs/{row[0]}", row[at]) for row in _DOC_PAGES])
    return f"""<!doctype html>
<html lang="{language}" dir="ltr" class="docs-wrapper plugin-docs">
<head><meta charset="UTF-8"><meta name="generator" content="Docusaurus v2.4.1">
<title>{title} | {site}</title>
<link rel="stylesheet" href="/assets/css/styles.3b1f.css"></head>
<body class="navigation-with-keyboard"><div id="__docusaurus">
<nav class="navbar navbar--fixed-top"><a class="navbar__brand" href="/{language}/"><b>{site}</b></a>
<a class="navbar__item" href="/{language}/docs/install">{guide}</a>
<a class="navbar__item" href="/{language}/ref">{reference}</a>
<a class="navbar__item" href="/{language}/community">{community}</a>
<input placeholder="{find}"></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container"><ul class="menu__list">
{links}
</ul></aside>
<main><article><div class="theme-doc-markdown markdown"><header><h1>{title}</h1></header>
{text}
</div><footer><a href="#">{edit}</a></footer></article></main></div>
<footer class="footer">Copyright © Kestrel contributors</footer></div></body>
</html>"""


@family("kestrel-docs", kind="untranslated and translated pages", language="zh", half="work")
def kestrel_docs() -> Iterator[Page]:
    """Pages in the other folder are copies where they were left untranslated."""
    install, queues = _paras_en(_DOC_INSTALL_EN), _paras_en(_DOC_QUEUE_EN)
    backup = _paras(_DOC_BACKUP_ZH)
    for language in ("zh-cn", "en"):
        page = _doc_page(language, "Installation", install)
        yield Page(f"/{language}/docs/install", page, what="install")
    for language in ("en", "zh-cn"):
        page = _doc_page(language, "Queues and messages", queues)
        yield Page(f"/{language}/docs/queues", page, what="queues")
    page = _doc_page("en", "Metrics", _paras_en(_DOC_METRICS_EN))
    yield Page("/en/docs/metrics", page, what="metrics in English")
    page = _doc_page("zh-cn", "监控指标", _paras(_DOC_METRICS_ZH))
    yield Page("/zh-cn/docs/metrics", page, what="metrics in Chinese")
    for language in ("zh-cn", "en"):
        page = _doc_page(language, "备份与恢复", backup)
        yield Page(f"/{language}/docs/backup", page, what="backup")


# 12. Lectures

_LECTURES = [
    ("1021", "5月14日（周二）14:00", "主楼报告厅", "李明"),
    ("1022", "5月16日（周四）14:00", "主楼报告厅", "李明"),
    ("1025", "5月16日（周四）14:00", "东校区图书馆三楼", "黄静宜"),
    ("1026", "5月21日（周二）18:30", "主楼报告厅", "高远"),
    ("1030", "5月21日（周二）18:30", "理学楼205", "杜若飞"),
    ("1031", "5月28日（周二）14:00", "主楼报告厅", "黄静宜"),
    ("1033", "6月4日（周二）14:00", "西校区会堂", "高远"),
]

_LECTURE_TEXT = """
“明理讲坛”由研究生院和校团委共同主办，自创办以来已经邀请近百位学者走进校园，内容涵盖自然科学、
工程技术、人文社会等多个领域，旨在拓宽研究生的学术视野，促进不同学科之间的交流。

每场讲座时长约为九十分钟，其中报告六十分钟，提问与讨论三十分钟。讲座面向全校师生开放，无需预约，
座位有限，先到先得。请各位同学提前十分钟入场，并将手机调至静音状态，未经许可请勿录音录像。

凡全程参加讲座并在现场签到的研究生，可以计入学术活动学分。签到使用校园卡，中途离场或者代他人签到
的，本次记录作废。学期末由各学院统一核对，对结果有疑问的同学可以在公示期内到研究生院培养办公室查
询。

欢迎广大师生踊跃参加！
"""


def _lecture_page(when: str, where: str, who: str) -> str:
    return f"""{_head("明理讲坛讲座通知-研究生院", "/_css/tpl2/system.css")}
<body class="wp-article">
<div class="wp-header"><img border="0" src="/_upload/site/logo.png" title="研究生院">
<div class="search"><input type="text" name="keyword"></div></div>
<div class="wp-nav"><ul><li><a href="/main.htm">首页</a></li><li>
<a href="/zsgz/list.htm">招生</a></li>
<li><a href="/pygz/list.htm">培养</a></li><li><a href="/xwgz/list.htm">学位</a></li></ul></div>
<div class="wp-inner"><article class="infobox">
<header><h1 class="arti_title">明理讲坛讲座通知</h1>
<p class="arti_metas">时间：{when}　地点：{where}　主讲人：{who}教授</p></header>
<div class="entry"><div class="read"><div class="wp_articlecontent">
{_paras(_LECTURE_TEXT)}
</div></div></div></article></div>
<div class="wp-footer">地址：大学路一号行政楼四层　研究生院版权所有</div>
</body>
</html>"""


@family("mingli-jiangtan", kind="time and place as in a byline", language="zh", half="work")
def mingli_jiangtan() -> Iterator[Page]:
    """Each lecture has its time, place and lecturer in the line below the title."""
    for number, when, where, who in _LECTURES:
        page = _lecture_page(when, where, who)
        yield Page(f"/2024/0506/c{number}a{number}/page.htm", page, what=number)


# 13. Notices of a listed company

_BUYBACKS = [
    ("2024-011", "2024年1月", "45,000", "0.0112", "12.86", "12.41", "568,350.00"),
    ("2024-016", "2024年2月", "45,600", "0.0114", "12.31", "11.90", "552,216.00"),
    ("2024-022", "2024年3月", "54,000", "0.0135", "12.86", "12.41", "681,480.00"),
    ("2024-031", "2024年4月", "120,300", "0.0300", "13.05", "12.70", "1,549,464.00"),
    ("2024-038", "2024年5月", "38,900", "0.0097", "13.40", "13.12", "515,814.00"),
    ("2024-045", "2024年6月", "45,000", "0.0112", "13.77", "13.50", "613,350.00"),
]

_BUYBACK_TEXT = """
本公司及董事会全体成员保证信息披露的内容真实、准确、完整，没有虚假记载、误导性陈述或者重大遗漏。

公司此前召开董事会会议，审议通过了《关于以集中竞价交易方式回购公司股份方案的议案》，同意使用自有
资金回购公司发行的人民币普通股，用于实施员工持股计划或者股权激励，回购期限自董事会审议通过方案之
日起不超过十二个月。具体内容详见公司在指定信息披露媒体刊登的相关公告。

根据《上市公司股份回购规则》等有关规定，公司应当在每个月的前三个交易日内公告截至上月末的回购进展
情况。
"""

_BUYBACK_REST = """
公司回购股份的时间、数量以及集中竞价交易的委托时段符合回购规则的要求。公司未在自可能对证券交易价
格产生重大影响的重大事项发生之日起至依法披露之日内回购股份；委托价格不为公司股票当日交易涨幅限制
的价格；未在开盘集合竞价、收盘集合竞价以及股票价格无涨跌幅限制的交易日内进行回购委托。

公司后续将根据市场情况继续实施本次回购计划，并严格按照相关规定及时履行信息披露义务。敬请广大投资
者注意投资风险。
"""


def _buyback_page(month: str, shares: str, part: str, high: str, low: str, paid: str) -> str:
    return f"""{_head("关于回购公司股份进展的公告 - 投资者关系", "/ir/css/bootstrap.min.css")}
<body>
<div class="container-fluid ir-top"><div class="row"><div class="col-sm-3"><img src="/ir/logo.png"
 alt="华澜精密"></div><div class="col-sm-9">
<ul class="nav nav-pills"><li><a href="/">公司首页</a></li>
<li><a href="/ir/">投资者关系</a></li><li><a href="/ir/notice/">临时公告</a></li>
<li><a href="/ir/report/">定期报告</a></li><li>
<a href="/ir/faq/">互动问答</a></li></ul></div></div></div>
<div class="container"><div class="panel panel-default"><div class="panel-body">
<h3 class="text-center">华澜精密股份有限公司<br>关于回购公司股份进展的公告</h3>
{_paras(_BUYBACK_TEXT)}
<p>{month}，公司通过回购专用证券账户以集中竞价交易方式回购公司股份 {shares} 股，占公司总股本的
 {part}%，最高成交价为 {high} 元/股，最低成交价为 {low} 元/股，成交总金额为
 {paid} 元（不含交易费用）。</p>
{_paras(_BUYBACK_REST)}
<p class="text-right">华澜精密股份有限公司董事会</p>
</div></div><a class="btn btn-default" href="/ir/notice/">返回公告列表</a></div>
<footer class="ir-foot">投资者热线服务时间：工作日 9:00—17:00</footer>
</body>
</html>"""


@family("hualan-huigou", kind="numbers in the text of a notice", language="zh", half="work")
def hualan_huigou() -> Iterator[Page]:
    """Each month's notice has its own count of shares, prices and sum."""
    for number, *facts in reversed(_BUYBACKS):
        yield Page(f"/ir/notice/{number}.html", _buyback_page(*facts), what=number)


# 14. Leaflets of a medicine

_DOSES = [
    ("40mg-7", "40mg", "7粒/板×1板/盒", "H20113521", "Z2101"),
    ("80mg-7", "80mg", "7粒/板×1板/盒", "H20113522", "Z2102"),
    ("80mg-14", "80mg", "7粒/板×2板/盒", "H20113522", "Z2103"),
    ("80mg-28", "80mg", "7粒/板×4板/盒", "H20113522", "Z2104"),
    ("160mg-7", "160mg", "7粒/板×1板/盒", "H20113523", "Z2105"),
    ("160mg-14", "160mg", "7粒/板×2板/盒", "H20113523", "Z2106"),
]

_DOSE_TEXT = """
【性状】本品内容物为白色或类白色粉末。【适应症】用于治疗轻、中度原发性高血压。【用法用量】推荐剂
量为每日一次，可以在进餐时或空腹服用，建议每天在同一时间用药。降压作用通常在两周内出现，四周时达
到最大疗效。血压控制不满意的患者，应当在医师指导下调整用量或者加用利尿剂。

【不良反应】少数患者可能出现头痛、头晕、乏力、咳嗽、腹泻、恶心等，多数轻微而短暂，一般不需要停
药。偶见皮疹、瘙痒和血管性水肿，一旦出现面部或咽喉肿胀应当立即停药并就医。

【禁忌】对本品任何成分过敏者禁用；妊娠期妇女禁用；严重肝功能衰竭、胆汁淤积患者禁用。【注意事项】
低钠及血容量不足的患者，用药前应当先予纠正；肾动脉狭窄患者应当定期监测血肌酐；驾驶车辆和操作机器
时应当谨慎。

【药物相互作用】与保钾利尿剂、补钾药物合用时可使血钾升高，需要监测血钾水平。与非甾体抗炎药合用可
能减弱降压效果。【贮藏】密封，在三十摄氏度以下干燥处保存，请放在儿童不能接触的地方。【有效期】三
十六个月。
"""


def _dose_page(dose: str, pack: str, licence: str, code: str) -> str:
    links = _items([(f"/drug/xieshatan/{key}.html", "缬沙坦胶囊") for key, *_ in _DOSES])
    return f"""{_head("缬沙坦胶囊说明书_用药指南", "/static/yao/detail.css")}
<body>
<div class="y-top"><div class="y-w"><a href="/">用药指南</a>
<span>合理用药，健康生活</span></div></div>
<div class="y-tabs"><a href="/drug/">药品库</a><a href="/disease/">疾病库</a>
<a href="/ask/">问药师</a>
<a href="/news/">药闻</a></div>
<div class="y-w y-main">
<h1>缬沙坦胶囊说明书</h1>
<p class="warn">请仔细阅读说明书并在医师指导下使用</p>
<div class="y-doc">
{_paras(_DOSE_TEXT)}
</div>
<dl class="y-base"><dt>通用名称</dt><dd>缬沙坦胶囊</dd><dt>规格</dt><dd>{dose}</dd>
<dt>包装</dt><dd>{pack}</dd><dt>批准文号</dt><dd>国药准字{licence}</dd>
<dt>本站编码</dt><dd>{code}</dd></dl>
<div class="y-rel"><h4>同名药品</h4><ul>{links}</ul></div>
</div>
<div class="y-foot">本站内容不能代替医师诊断　<a href="/about/disclaimer.html">免责声明</a></div>
</body>
</html>"""


@family("yongyao-zhinan", kind="dose and pack in a list of terms", language="zh", half="work")
def yongyao_zhinan() -> Iterator[Page]:
    """Each dose and pack has a page of its own with the same leaflet."""
    for key, dose, pack, licence, code in _DOSES:
        yield Page(f"/drug/xieshatan/{key}.html", _dose_page(dose, pack, licence, code), what=key)


# 15. Bus lines

_LINES = [
    ("101", "火车站", "开发区管委会", "5:50", "21:30", "2元"),
    ("102", "火车站", "师范学院", "6:00", "21:00", "2元"),
    ("103", "客运中心", "开发区管委会", "6:00", "20:30", "2元"),
    ("108", "人民医院", "湖滨公园", "6:10", "21:00", "1元"),
    ("108Q", "人民医院", "湖滨公园", "7:00", "18:30", "1元"),
    ("K2", "火车站", "机场航站楼", "5:30", "22:40", "15元"),
    ("Y5", "客运中心", "翠屏山景区", "8:00", "16:30", "5元"),
    ("N1", "火车站", "师范学院", "21:30", "23:50", "2元"),
]

_LINE_TEXT = """
乘客须知：请在站台排队候车，先下后上，上车后主动投币、刷卡或者扫码，车上不找零。一米三以下儿童由
成年人陪同免费乘车，每位成年人可以免费带一名；六十五周岁以上老人凭敬老卡免费；现役军人、残疾人凭
有效证件免费。

换乘优惠：使用市民卡或者官方乘车码，在首次刷卡后九十分钟之内换乘其他线路，可享受一次免费换乘。同
一线路、同一方向连续刷卡不属于换乘。

失物招领：如在车上遗失物品，请记下乘车时间和车辆编号，及时联系所属车队或者到公交总站服务窗口登
记。拾获物品保管三个月，逾期移交公安机关。

禁止携带易燃易爆、有毒腐蚀性物品以及活禽、犬只乘车，导盲犬除外。遇到道路施工、大型活动或者恶劣天
气，线路可能临时绕行，请留意站台公告。
"""


def _line_page(line: str, start: str, end: str, first: str, last: str, fare: str) -> str:
    links = "".join(f'<a href="/xianlu/{row[0]}.html">{row[0]}路</a> ' for row in _LINES)
    return f"""{_old_head("公交线路查询", "/css/bus08.css")}
<body>
<div id="head"><div id="logo">市公交集团</div><div id="menu"><a href="/">首页</a>
<a href="/xianlu/">线路查询</a><a href="/zhandian/">站点查询</a><a href="/ic/">卡务</a>
<a href="/tousu/">投诉建议</a></div></div>
<div id="bc">首页 &gt; 线路查询 &gt; {line}路</div>
<div id="box">
<ul class="tab"><li class="on">乘车须知</li><li>运营信息</li><li>全部线路</li></ul>
<div class="tabc">
{_paras(_LINE_TEXT)}
</div>
<div class="tabc" style="display:none">
<table class="yy"><tr><td>起点站</td><td>{start}</td></tr><tr><td>终点站</td><td>{end}</td></tr>
<tr><td>首班车</td><td>{first}</td></tr><tr><td>末班车</td><td>{last}</td></tr>
<tr><td>票价</td><td>{fare}</td></tr></table>
</div>
<div class="tabc" style="display:none">{links}</div>
</div>
<div id="foot">市公共交通集团有限公司　服务监督电话见车厢公示</div>
</body>
</html>"""


@family("gongjiao-xianlu", kind="facts of a bus line in a hidden tab", language="zh", half="work")
def gongjiao_xianlu() -> Iterator[Page]:
    """Each page is of one line; ends, times and fare are in a hidden tab."""
    for line, *facts in _LINES:
        yield Page(f"/xianlu/{line}.html", _line_page(line, *facts), what=line)


# 16. A shop and its mirror (copies, and edited prices)

_TEAS = {
    "301": ("明前龙井 特级", "500克罐装"),
    "302": ("明前龙井 一级", "500克罐装"),
    "303": ("明前龙井 一级", "250克罐装"),
    "304": ("雨前龙井 一级", "250克罐装"),
    "305": ("雨前龙井 二级", "500克袋装"),
}

_TEA_TEXT = """
产自海拔四百米以上的狮岭茶园，群体种老树，不施化肥，清明前后由熟练的采茶工手工采摘，当日摊青、当
日炒制。青锅、回潮、辉锅三道工序都在直径六十四厘米的铁锅中完成，每锅只炒二两，火候由老师傅凭手感
掌握。

干茶扁平光滑，色泽绿中带黄，俗称糙米色；冲泡以后芽叶成朵，汤色嫩绿明亮，有清幽的豆花香，入口鲜
爽，回味甘甜。

冲泡方法：取三克茶叶放入玻璃杯，先注入四分之一杯八十五摄氏度的热水，轻轻摇动让茶叶舒展，半分钟后
再高冲至七分满，静置两分钟即可饮用。喝到剩三分之一时续水，可以续泡三次。

保存方法：收到以后请放入冰箱冷藏，温度控制在五摄氏度以下，密封避光，远离有异味的食物，开封之后尽
量在两个月内喝完。

下单须知：新茶按照付款先后顺序发货，默认顺丰快递，偏远地区可能延迟一到两天。茶叶属于食品，拆封后
如无质量问题不支持退换。需要开具发票的请在订单备注中写明抬头和税号。
"""


def _tea_shop(key: str, price: str) -> str:
    name, size = _TEAS[key]
    return f"""{_head(f"{name} {size} - 狮岭茶庄", "/themes/ecmoban/style.css")}
<body>
<div class="site-nav">您好，欢迎光临狮岭茶庄！<a href="/user.php">登录</a>
<a href="/reg.php">免费注册</a></div>
<div class="header"><a href="/"><img src="/themes/ecmoban/logo.gif" alt="狮岭茶庄"></a>
<div class="search">热门搜索：
<a href="#">龙井</a> <a href="#">红茶</a> <a href="#">茶具</a></div></div>
<div class="goods-info"><div class="goods-img"><img src="/images/goods/{key}.jpg" alt=""></div>
<div class="goods-txt"><h1>{name} {size}</h1><ul><li>本店售价：
<font class="shop">¥{price}元</font></li>
<li>商品库存：有货</li><li>用户评价：★★★★★</li></ul>
<a class="buy" href="#">立即购买</a></div></div>
<div class="goods-desc"><div class="hd">商品描述</div>
{_paras(_TEA_TEXT)}
</div>
<div class="left-box"><h3>浏览历史</h3><p>您最近没有浏览过商品</p></div>
<div class="ft">© 狮岭茶庄 共执行 7 个查询，用时 0.021 秒</div>
</body>
</html>"""


def _tea_mirror(key: str, price: str) -> str:
    name, size = _TEAS[key]
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>【包邮】{name} {size} 茶友优选</title>
<link rel="stylesheet" href="/public/bootstrap/3.3.7/css/bootstrap.css">
</head>
<body>
<nav class="navbar navbar-inverse"><a class="navbar-brand" href="/">茶友优选</a>
<ul class="nav navbar-nav"><li><a href="/goods">全部商品</a></li><li>
<a href="/help">购物帮助</a></li></ul>
</nav>
<ol class="breadcrumb"><li><a href="/">首页</a></li><li><a href="/goods">全部商品</a></li>
<li class="active">商品详情</li></ol>
<div class="container"><div class="row"><div class="col-xs-5"><img class="img-thumbnail"
 src="/images/goods/{key}.jpg" alt=""></div>
<div class="col-xs-7"><h2>{name} {size}</h2><p class="lead">¥{price}元</p>
<button class="btn btn-danger">加入购物车</button></div></div>
<div class="well">
{_paras(_TEA_TEXT)}
</div></div>
<footer class="text-center">茶友优选商城 | Powered by MiniShop</footer>
</body>
</html>"""


@family("shiling-chazhuang", kind="a mirror, in part with other prices", language="zh", half="work")
def shiling_chazhuang() -> Iterator[Page]:
    """A tea on the mirror is a copy unless its price was edited."""
    own, theirs = "/goods.php?id={}", "/goods/detail/{}"
    mirror = "other:chayou"
    yield Page(own.format("301"), _tea_shop("301", "1280"), what="301 at 1280")
    yield Page(own.format("302"), _tea_shop("302", "880"), what="302 at 880")
    yield Page(theirs.format("301"), _tea_mirror("301", "1280"), what="301 at 1280", host=mirror)
    yield Page(theirs.format("302"), _tea_mirror("302", "698"), what="302 at 698", host=mirror)
    yield Page(theirs.format("303"), _tea_mirror("303", "460"), what="303 at 460", host=mirror)
    yield Page(own.format("303"), _tea_shop("303", "460"), what="303 at 460")
    yield Page(own.format("304"), _tea_shop("304", "320"), what="304 at 320")
    yield Page(own.format("305"), _tea_shop("305", "368"), what="305 at 368")
    yield Page(theirs.format("305"), _tea_mirror("305", "368"), what="305 at 368", host=mirror)
    yield Page(theirs.format("304"), _tea_mirror("304", "288"), what="304 at 288", host=mirror)


# 17. One article in two columns of a site (copies)

_VILLAGE_TEXT = """
走进村口，一条新铺的沥青路通向山脚，白墙上画着稻浪和水车。很难想象，五年以前这里还是全县有名的薄
弱村，村集体账上没有余钱，年轻人大多外出打工，连祠堂的瓦片漏雨都无力修补。

变化是从一次村民大会开始的。驻村工作队和村干部挨家挨户走访，把零散的田块重新登记，统一流转给合作
社经营，再请农科院的专家测土配方，教大家选种、育苗和防治病虫害。起初有人担心租金落空，村支书便带
头把自家的地交了出来。

有了规模，销路也跟着打开。合作社建起冷库和分拣车间，与城里的超市签订了长期协议，村里的妇女经过培
训当上了主播，逢年过节订单应接不暇。赚来的钱一部分用于分红，一部分修路、装路灯、办老年食堂。

“以前是人找活，现在是活找人。”村民们这样形容身边的变化。下一步，村里打算把闲置的老屋改成民宿，
让更多的人来这里看山看水，住上几天。
"""

_VILLAGES = {
    "510332": (
        "石桥村：小香菇撑起致富伞",
        "石桥村去年种植香菇320亩，村集体收入86万元，带动174户增收。",
    ),
    "510347": (
        "下湾村：小蓝莓结出致富果",
        "下湾村去年种植蓝莓540亩，村集体收入112万元，带动208户增收。",
    ),
    "510360": (
        "云台村：小茶叶泡出好日子",
        "云台村去年种植白茶780亩，村集体收入95万元，带动263户增收。",
    ),
    "510381": (
        "东坑村：小番薯烤出大产业",
        "东坑村去年种植番薯410亩，村集体收入86万元，带动151户增收。",
    ),
}


def _village_page(key: str, column: str, reads: str, side: str) -> str:
    title, fact = _VILLAGES[key]
    return f"""{_head(f"{title}_{column}_绿野网", "/r/cms/www/lvye/css/article.css")}
<body>
<div class="ly-header"><div class="ly-logo"><a href="/">绿野网</a></div><div class="ly-menu">
<a href="/xw/">新闻</a><a href="/ztbd/">专题报道</a><a href="/nycy/">农业产业</a>
<a href="/sp/">视频</a>
</div></div>
<div class="ly-pos">首页 · {column} · 正文</div>
<div class="ly-body"><div class="ly-left">
<h1>{title}</h1>
<div class="ly-meta">2024-06-18　来源：绿野网　阅读：{reads}</div>
<div class="ly-content">
<p>{fact}</p>
{_paras(_VILLAGE_TEXT)}
</div>
<div class="ly-tags">标签：<a href="/tag/xczx">乡村振兴</a> <a href="/tag/hzs">合作社</a></div>
</div>
<div class="ly-right">
{side}
</div></div>
<div class="ly-footer">绿野网　传播农业资讯　服务乡村发展</div>
</body>
</html>"""


_SIDE_NEWS = """<div class="mod"><h3>最新资讯</h3>
<ul><li><a href="/xw/510402.html">早稻进入灌浆期</a></li>
<li><a href="/xw/510405.html">农机购置补贴范围扩大</a></li><li><a href="/xw/510411.html">
夏粮收购工作全面展开</a></li></ul></div>
<div class="mod"><h3>相关阅读</h3><ul><li><a href="/xw/509871.html">返乡青年的直播间</a></li>
<li><a href="/xw/509902.html">山货出山记</a></li></ul></div>
<div class="mod ad"><img src="/ads/feiliao.jpg" alt="广告"></div>"""

_SIDE_SPECIAL = """<div class="zt"><img src="/zt/2024xczx/banner.jpg" alt="乡村振兴看绿野"></div>
<div class="zt-list"><h4>专题导读</h4><p>记者分赴十个县区，记录土地上的新变化。</p>
<ul><li><a href="/ztbd/2024xczx/tp.html">图片故事</a></li><li>
<a href="/ztbd/2024xczx/sp.html">微视频</a></li>
<li><a href="/ztbd/2024xczx/pl.html">评论</a></li></ul></div>
<div class="zt-list"><h4>相关阅读</h4><ul><li><a href="/ztbd/2024xczx/11.html">老支书的账本</a></li>
<li><a href="/ztbd/2024xczx/12.html">我在村里当会计</a></li><li><a href="/ztbd/2024xczx/13.html">
一座水库的四十年</a></li></ul></div>"""


def _village_news(key: str, reads: str) -> Page:
    html = _village_page(key, "新闻", reads, _SIDE_NEWS)
    return Page(f"/xw/{key}.html", html, what=key)


def _village_special(key: str, reads: str) -> Page:
    html = _village_page(key, "专题报道", reads, _SIDE_SPECIAL)
    return Page(f"/ztbd/2024xczx/{key}.html", html, what=key)


@family("lvye-wang", kind="one article in two columns of a site", language="zh", half="work")
def lvye_wang() -> Iterator[Page]:
    """Each village's article is in two columns, with other sidebars and counters."""
    yield _village_news("510332", "1,204")
    yield _village_special("510347", "356")
    yield _village_special("510332", "871")
    yield _village_news("510347", "2,019")
    yield _village_news("510360", "968")
    yield _village_news("510381", "1,530")
    yield _village_special("510381", "402")
    yield _village_special("510360", "277")


# 18. Notices that water or power will be off

_OUTAGES = [
    ("7731", "停电", "4月18日8:00—16:00", "西城区", "文昌路、学院巷"),
    ("7732", "停电", "4月18日8:00—16:00", "东城区", "解放东路、菜市巷"),
    ("7733", "停电", "4月19日8:00—16:00", "西城区", "文昌路、学院巷"),
    ("7740", "停水", "4月19日22:00—次日6:00", "高新区", "创业大道沿线"),
    ("7741", "停水", "4月20日22:00—次日6:00", "高新区", "创业大道沿线"),
    ("7744", "停水", "4月20日22:00—次日6:00", "南湖区", "芦苇街、渔港路"),
    ("7750", "停电", "4月22日7:30—12:00", "南湖区", "芦苇街、渔港路"),
    ("7751", "停电", "4月22日13:00—18:00", "南湖区", "芦苇街、渔港路"),
]


def _outage_page(kind: str, when: str, district: str, streets: str) -> str:
    return f"""<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>便民通知</title><link rel="stylesheet" href="/t.css"></head>
<body>
<h3><a href="/">城市便民网</a></h3>
<div class="box"><b>检修通知</b>
<p>因设备检修，下列区域将暂停供应，请相关用户提前做好准备，检修结束后随时恢复，不再另行通知，不便之处敬请谅解。</p>
<ul><li>类型：{kind}</li><li>时间：{when}</li><li>区域：{district}{streets}</li></ul></div>
<div class="f"><a href="/tz/">更多通知</a> | <a href="/bx/">故障报修</a></div>
</body>
</html>"""


@family("bianmin-tongzhi", kind="short notices by place and time", language="zh", half="work")
def bianmin_tongzhi() -> Iterator[Page]:
    """Each notice is for other streets or other hours."""
    for number, *facts in _OUTAGES:
        yield Page(f"/tz/{number}.html", _outage_page(*facts), what=number)
