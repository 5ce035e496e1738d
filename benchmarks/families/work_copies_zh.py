"""Chinese sites that serve every article twice or thrice, beside articles that only look alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.families.kit import Page, family


class _Item(NamedTuple):
    key: str
    title: str
    text: str


def _parts(text: str, glue: str = "") -> list[str]:
    """Return paragraphs: what blank lines part; the line ends within mean nothing but in code."""
    return [
        part if part.startswith("<pre") else glue.join(map(str.strip, part.splitlines()))
        for part in text.strip().split("\n\n")
    ]


def _ps(text: str, attrs: str = "", glue: str = "") -> str:
    return "\n".join(
        part if part.startswith("<") else f"<p{attrs}>{part}</p>" for part in _parts(text, glue)
    )


def _lis(items: Iterable[str], href: str = "#") -> str:
    return "\n".join(f'<li><a href="{href}">{item}</a></li>' for item in items)


# 1. 打印版、纯文本版

_STEM_BORER = """
据{where}测报点灯下监测，{span}二化螟越冬代成虫累计诱蛾{moths}头，比上年同期偏多。
结合田间剥查，目前大田平均枯鞘丛率为{rate}，预计今年一代二化螟呈中等偏重发生态势，
局部早插田块偏重发生。

根据虫态发育进度推算，一代二化螟卵孵高峰期在{peak}，大田防治适期掌握在卵孵高峰后五至七天。
各地要组织农户及时下田查苗，做到见虫打药、达标防治，切忌盲目提早用药或者一药多用。

防治指标为：分蘖期枯鞘丛率达到百分之五的田块列为防治对象田，丛枯鞘率低于百分之三的田块可以
不防。药剂可以选用氯虫苯甲酰胺、甲氧虫酰肼或者苏云金杆菌，按照标签推荐剂量兑水喷雾，
抗性较高的地区注意轮换使用不同作用机理的药剂。

施药时田间保持三至五厘米浅水层并保水三天以上，选择傍晚或者阴天作业，避开高温时段。
养蚕区、养虾区和稻渔综合种养田块要选用对水生动物低毒的药剂，并在施药后做好农药包装废弃物的
回收。
"""

_AGRI = [
    _Item(
        "4471",
        "柑橘红蜘蛛春季防治要点",
        """
柑橘红蜘蛛一年可以发生十五代以上，春梢抽发到花期前后是全年第一个为害高峰。成螨和若螨群集在
叶片正反两面吸食汁液，被害叶出现密密麻麻的灰白色小点，严重的整片失绿、提早脱落，
直接影响坐果。

清园是全年防治的基础。萌芽之前剪除病虫枝、枯枝和荫蔽枝，集中带出果园处理，再用石硫合剂或者
矿物油全园喷透一次，压低越冬基数。清园药液要喷到枝干缝隙和叶片背面，以叶尖滴水为度。

花前每叶有螨一至二头、花后每叶有螨三至五头时用药。乙唑螨腈、联苯肼酯、螺螨酯等药剂要交替使
用，同一种成分一年内不超过两次。气温低于二十摄氏度时，优先选用对卵和若螨都有效的品种。

提倡果园生草，保留藿香蓟、三叶草等良性草种，为捕食螨和草蛉提供栖息场所。释放捕食螨的果园，
释放前十天先清园，释放以后四十天之内不再喷施杀螨剂。
""",
    ),
    _Item(
        "4480",
        "二化螟发生趋势与防治意见",
        _STEM_BORER.format(
            where="青石桥",
            span="四月八日至二十日",
            moths="一百八十六",
            rate="百分之三点二",
            peak="五月六日至十日",
        ),
    ),
    _Item(
        "4493",
        "二化螟发生趋势与防治意见",
        _STEM_BORER.format(
            where="黄泥塘",
            span="四月十一日至二十四日",
            moths="二百四十一",
            rate="百分之四点七",
            peak="五月十日至十五日",
        ),
    ),
    _Item(
        "4502",
        "大棚番茄越夏管理要抓好遮阳和水分",
        """
入夏以后棚内温度常常超过三十八摄氏度，番茄花粉活力下降，落花落果和畸形果明显增多。
越夏茬口能不能拿到产量，关键看遮阳、通风和水分三件事。

遮阳网以遮光率百分之五十的黑色网或者银灰色网为宜，上午十点盖、下午四点揭，阴雨天不盖。
整天不揭会造成徒长，反而使花序发育不良。棚膜两侧通风口加装六十目防虫网，防止烟粉虱传播黄化
曲叶病毒。

浇水坚持小水勤浇，早晚进行，不要在中午地温高的时候大水漫灌。第一穗果长到核桃大小时追第一次
肥，每亩随水冲施高钾型水溶肥五公斤，以后每采收一次追肥一次，同时叶面补钙两到三次，
预防脐腐病。

及时摘除老叶和侧枝，每穗留果四到五个。发现病毒病植株立即拔除并装袋带出棚外，操作工具用高锰
酸钾溶液消毒。
""",
    ),
]


def _agri_page(item: _Item, number: int) -> str:
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{item.title} - 病虫防治 - 云岭农技推广网</title>
<meta name="keywords" content="农技,植保,种植" />
<link href="/style/main.css" rel="stylesheet" type="text/css" />
</head>
<body>
<div id="top"><img src="/images/logo.gif" alt="云岭农技推广网" />
<div class="date">今天是农历三月，欢迎访问云岭农技推广网</div></div>
<div id="menu"><a href="/">首页</a> <a href="/zb/">植保情报</a> <a href="/nj/">农技课堂</a>
<a href="/nz/">农资市场</a> <a href="/zj/">专家在线</a> <a href="/bbs/">留言板</a></div>
<div id="pos">当前位置：<a href="/">首页</a> &gt; <a href="/zb/">植保情报</a> &gt; 正文</div>
<table width="980" border="0" cellspacing="0" cellpadding="0"><tr>
<td width="700" valign="top">
<h1 class="arc-title">{item.title}</h1>
<div class="arc-info">来源：县植保植检站　点击：{number * 37 + 118}次
【字体：大 中 小】【<a href="/print.php?id={item.key}">打印本页</a>】
【<a href="/text/{item.key}.htm">纯文本</a>】</div>
<div class="arc-body">
{_ps(item.text, ' style="text-indent:2em"')}
</div>
<div class="arc-page">上一篇：<a href="/zb/{int(item.key) - 3}.html">早稻秧田管理提示</a><br />
下一篇：<a href="/zb/{int(item.key) + 5}.html">油菜菌核病防治提示</a></div>
</td>
<td width="260" valign="top">
<div class="side"><h3>热点文章</h3><ul>
{_lis(["测土配方施肥问答", "农药安全间隔期怎么看", "冬闲田种绿肥好处多", "春茶采摘后的修剪"])}
</ul></div>
<div class="side"><h3>农资价格</h3><ul>
{_lis(["尿素出厂价小幅回落", "复合肥市场平稳", "地膜供应充足"])}
</ul></div>
</td></tr></table>
<div id="foot">主办：云岭县农业技术推广中心　技术支持：县农业信息站<br />
地址：云岭县南门路二十一号　滇ICP备00000000号</div>
</body></html>"""


def _agri_print(item: _Item, clock: str) -> str:
    return f"""<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>[打印] 云岭农技推广网：{item.title}</title>
<style>body {{ font: 12pt 宋体; }} .noprint {{ color: #999; }}</style>
</head>
<body bgcolor="#ffffff">
<div class="noprint" align="right">
<a href="javascript:window.print()">开始打印</a> | <a href="javascript:window.close()">关闭窗口</a>
</div>
<table width="640" align="center"><tr><td>
<font size="5"><b>{item.title}</b></font><hr size="1">
{"<br><br>".join("　　" + part for part in _parts(item.text))}
<hr size="1">
<font size="2">本文打印自云岭农技推广网　打印时间：2024-05-02 {clock}</font>
</td></tr></table>
</body></html>"""


def _agri_text(item: _Item) -> str:
    body = "\n\n".join("　　" + part for part in _parts(item.text))
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{item.title}（纯文本版）</title></head>
<body>
<p>云岭农技推广网 纯文本版，适合慢速网络 [<a href="/">返回首页</a>]</p>
<pre style="white-space: pre-wrap">
{item.title}

{body}
</pre>
</body></html>"""


@family("yunling-nongji", kind="print and plain text versions (copies)", language="zh", half="work")
def yunling_nongji() -> Iterator[Page]:
    """Each article has a print version, some a text version; two pest reports share their words."""
    mites, first, second, tomato = _AGRI
    yield Page("/zb/4471.html", _agri_page(mites, 4), what=mites.key)
    yield Page("/zb/4480.html", _agri_page(first, 9), what=first.key)
    yield Page("/print.php?id=4471", _agri_print(mites, "09:14:22"), what=mites.key)
    yield Page("/zb/4493.html", _agri_page(second, 2), what=second.key)
    yield Page("/text/4471.htm", _agri_text(mites), what=mites.key)
    yield Page("/print.php?id=4493", _agri_print(second, "09:15:40"), what=second.key)
    yield Page("/print.php?id=4480", _agri_print(first, "09:16:03"), what=first.key)
    yield Page("/text/4502.htm", _agri_text(tomato), what=tomato.key)
    yield Page("/zb/4502.html", _agri_page(tomato, 6), what=tomato.key)


# 2. 手机版

_DETOUR = """
记者从市公交集团了解到，因{road}进行雨污分流管网施工，{date}首班车起，公交{line}临时调整走
向，途经站点相应变化，预计施工期为四十五天，结束以后恢复原线运行。

调整期间，车辆行至施工路段前一路口右转绕行，{closed}暂停停靠，需要前往该站附近的乘客可以在
{instead}下车，步行约五分钟到达。首末班时间、发车间隔和票价都不变。

公交集团提醒，施工围挡周边道路较窄，高峰时段可能出现拥堵，请市民预留出行时间，
也可以通过掌上公交小程序查询车辆的实时位置。各站点已经张贴调整告示，并在早晚高峰安排志愿者
引导。

市民如果对线路调整有意见建议，可以拨打公交服务热线，也可以到就近的公交服务网点反映。
"""

_LIFE = [
    _Item(
        "88310",
        "滨河夜市本周五开市 两百多个摊位亮相",
        """
经过三个月的改造，位于滨河公园西门外的滨河夜市将在本周五晚上六点正式开市，两百一十六个摊位
分为小吃、文创、旧书和亲子四个区域，每晚营业到十一点，雨天照常。

走在修葺一新的步道上，青砖铺地，头顶是串成网状的暖色灯带。小吃区引进了本地老字号的米豆腐、
灯盏糕和甜酒冲蛋，也有年轻人喜欢的手打柠檬茶。管理方统一配备油烟净化设备和隔油池，
餐具由集中消毒公司每日配送。

旧书区是这次新增的部分。摊主老周在老街卖了二十年旧书，这一回他把家里存的连环画都搬了过来，“能
让孩子们停下来翻几页，就值了”。文创区每周还会举办一次木刻体验活动，材料费由主办方承担。

交通方面，夜市周边开放三处临时停车场，晚上八点以后公园地下停车库免费两小时。主办方建议市民
尽量乘坐公交前往。
""",
    ),
    _Item(
        "88324",
        "部分公交线路临时改道 请留意站点变化",
        _DETOUR.format(
            road="建设南路",
            date="六月十三日",
            line="17路",
            closed="纺织厂站",
            instead="东风桥站",
        ),
    ),
    _Item(
        "88347",
        "部分公交线路临时改道 请留意站点变化",
        _DETOUR.format(
            road="解放西路",
            date="六月二十日",
            line="42路",
            closed="老车站",
            instead="文庙站",
        ),
    ),
    _Item(
        "88352",
        "退休教师自制昆虫标本 办起小区博物馆",
        """
在桂园社区的架空层里，有一间不到四十平方米的昆虫博物馆。玻璃柜里的一千三百多件标本，
全部出自七十一岁的退休生物教师贺存义之手。

贺老师从教三十六年，带学生采集标本是他最爱上的课。退休以后，他把家里的储物间改成工作室，
软化、展翅、整姿、烘干，一件蝴蝶标本往往要花上一个星期。渐渐地，家里放不下了，
社区便把闲置的架空层腾给了他。

博物馆每周六上午开放，不收门票。孩子们最喜欢的是一只竹节虫，它趴在树枝上，要找好半天才能看
见。“看见了，就不会再怕它；认识了，就会想保护它。”贺老师说。

如今，六名中学生成了馆里的志愿讲解员。暑假将至，他们正在筹备一次夜间观虫活动，
地点就在小区后面的山坡上。
""",
    ),
]


def _life_desktop(item: _Item, hot: list[str]) -> str:
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<title>{item.title}_本地_临江生活网</title>
<meta name="description" content="{_parts(item.text)[0][:60]}">
<link rel="stylesheet" href="/static/css/article.css">
</head>
<body>
<div class="topbar"><div class="w1200">临江生活网 · 临江人的网上家园
<span class="fr"><a href="/login">登录</a> <a href="/reg">注册</a></span></div></div>
<header class="w1200"><a class="logo" href="/"><img src="/static/logo.png" alt="临江生活网"></a>
<nav><a href="/news/">新闻</a><a href="/food/">美食</a><a href="/house/">房产</a>
<a href="/job/">招聘</a><a href="/car/">汽车</a><a href="/love/">相亲</a></nav></header>
<div class="w1200 crumbs"><a href="/">临江生活网</a> &gt; <a href="/news/">新闻</a> &gt; 本地</div>
<div class="w1200 clearfix">
<div class="main-left">
<h1>{item.title}</h1>
<div class="meta">临江生活网 <span>字号 A- A+</span>
<span class="share">分享到 微信 微博 QQ空间</span></div>
<div class="content" id="content">
{_ps(item.text)}
</div>
<div class="qr"><img src="/static/qr.png" alt="二维码">扫一扫，关注临江生活网公众号</div>
<div class="comment"><h4>网友评论</h4><p>登录后参与评论，文明上网，理性发言。</p></div>
</div>
<div class="main-right">
<div class="box"><h4>24小时热榜</h4><ol>
{_lis(hot)}
</ol></div>
<div class="box ad"><img src="/ad/jiaju-300x250.jpg" alt="广告"></div>
</div>
</div>
<footer>关于我们 | 广告服务 | 法律声明 | 违法和不良信息举报<br>
Copyright &copy; 2009-2024 临江生活网 版权所有</footer>
</body></html>"""


def _life_mobile(item: _Item, tips: list[str]) -> str:
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, user-scalable=no">
<meta name="format-detection" content="telephone=no">
<title>{item.title}</title>
<link rel="stylesheet" href="/h5/app.css">
</head>
<body class="h5">
<section class="app-banner">临江生活APP 看本地新鲜事 <a href="/app">立即打开</a></section>
<section class="art">
<h2 class="art-tit">{item.title}</h2>
<div class="art-src"><img src="/h5/avatar.png" alt="">临江生活网 <a href="#">+关注</a></div>
<article>
{_ps(item.text, ' class="t"')}
</article>
<a class="unfold" href="#">点击展开全文</a>
</section>
<section class="rec"><h3>猜你喜欢</h3><ul>
{_lis(tips)}
</ul></section>
<div class="bottom-bar"><span>写评论…</span><i>收藏</i><i>分享</i></div>
</body></html>"""


def _life_wap(item: _Item) -> str:
    return f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html PUBLIC "-//WAPFORUM//DTD XHTML Mobile 1.0//EN"
 "http://www.wapforum.org/DTD/xhtml-mobile10.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head><title>临江生活网手机版-{item.title}</title></head>
<body>
<p><a href="/wap/">首页</a>-<a href="/wap/list.asp?c=1">新闻</a>-正文</p>
<p><b>{item.title}</b></p>
<div>{"<br/>".join(_parts(item.text))}</div>
<p>[<a href="/wap/list.asp?c=1">返回列表</a>] [<a href="/wap/">返回首页</a>]<br/>
手机访问 请收藏本站<br/>触屏版|普通版|电脑版</p>
</body></html>"""


@family("linjiang-shenghuo", kind="m. subdomain and wap path (copies)", language="zh", half="work")
def linjiang_shenghuo() -> Iterator[Page]:
    """Phone pages hold the desktop's article; the two bus notices are of two lines."""
    market, line17, line42, insects = _LIFE
    hot = ["高考志愿填报问答", "本周末有雷阵雨", "老城区新增停车泊位", "西瓜上市价格走低"]
    tips = ["这家米粉开了三十年", "周边露营地合集", "暑期兴趣班怎么选"]
    yield Page("/n/88324", _life_mobile(line17, tips), what=line17.key, host="m")
    yield Page("/n/88347", _life_mobile(line42, tips[::-1]), what=line42.key, host="m")
    yield Page("/news/202406/88310.html", _life_desktop(market, hot), what=market.key)
    yield Page("/news/202406/88347.html", _life_desktop(line42, hot[1:]), what=line42.key)
    yield Page("/wap/view.asp?id=88310", _life_wap(market), what=market.key)
    yield Page("/news/202406/88324.html", _life_desktop(line17, hot[:3]), what=line17.key)
    yield Page("/n/88310", _life_mobile(market, tips[1:]), what=market.key, host="m")
    yield Page("/news/202406/88352.html", _life_desktop(insects, hot[::-1]), what=insects.key)
    yield Page("/wap/view.asp?id=88352", _life_wap(insects), what=insects.key)


# 3. 软件文档的两个版本

_YAN_INSTALL = """
本页说明怎样在{system}上用软件包安装砚台。砚台是一个单机运行的笔记服务，安装之后用浏览器访
问，不依赖外部数据库。开始之前请确认您有管理员权限，并且服务器可以访问软件源。

<h2>添加软件源</h2>

先导入签名公钥，再把软件源写入系统的源列表。国内服务器可以把域名换成离您最近的镜像，
其余部分不变。

<pre><code>KEYS=/etc/apt/keyrings LIST=/etc/apt/sources.list.d/yan.list
curl -fsSL https://pkg.yantai-note.test/key.asc | sudo tee $KEYS/yan.asc
echo "deb https://pkg.yantai-note.test/{dist} {code} main" | sudo tee -a $LIST</code></pre>

<h2>安装并启动</h2>

更新索引并安装，安装程序会新建一个名为 yan 的系统用户，数据放在 /var/lib/yan 目录下。
安装完成以后服务不会自动启动，需要手动启用一次。

<pre><code>sudo apt update
sudo apt install {package}
sudo systemctl enable --now yan</code></pre>

<h2>首次登录</h2>

在浏览器里打开服务器地址，按照页面提示设置管理员口令。口令至少十位，忘记口令时只能在服务器
上用命令行重置。如果页面打不开，请先检查防火墙是否放行，再查看服务日志。
"""

_YAN_CONFIG = """
砚台的全部设置都写在一个文件里，默认位置是 /etc/yan/yan.toml。修改之后需要重新载入服务才会
生效，写错的项目会在日志里给出行号，服务继续使用上一次正确的设置。

<h2>监听与地址</h2>

listen 一项决定服务监听的地址和端口，base_url 一项决定页面里的链接。{behind}

<h2>上传</h2>

upload.max_size 限制单个附件的大小，默认为 32M；upload.types 列出允许的扩展名，
留空表示不限制。图片上传以后会生成两种尺寸的缩略图，原图总是保留。

<h2>全文检索</h2>

search.engine 可以选择 builtin 或者 none。内置检索按词切分中文，首次建立索引时会占用较多内
存，笔记超过十万条的实例建议在夜间进行。

<h2>日志</h2>

log.level 可以设为 debug、info、warn 或者 error。日志写到标准错误输出，由系统服务管理器收集，
不需要自己做轮转。
"""

_YAN_BACKUP = """
备份命令把笔记、附件和设置打成一个压缩包，运行期间服务可以照常读写。建议每天备份一次，
并且把压缩包复制到另一台机器上。

<h2>手动备份</h2>

<pre><code>sudo -u yan yan backup {option}</code></pre>

命令结束时会打印压缩包的路径和校验值。压缩包默认放在 {folder} 目录下，文件名由日期和时间组
成。磁盘空间不足时命令会提前退出，不留下残缺的文件。

<h2>自动备份</h2>

在设置文件里把 backup.schedule 设为每天的某个时刻即可。自动备份默认保留最近{keep}，
更早的压缩包会被删除；手动备份不受影响。

<h2>恢复</h2>

恢复之前先停止服务。恢复命令会{restore}，然后校验压缩包并逐项写回。恢复完成以后请重新建立检
索索引。
"""

_YAN_THEME = """
主题决定阅读页面的样子，不影响编辑器。每个主题是一个目录，里面有一个说明文件、一个样式表和
若干模板。把目录放进 /var/lib/yan/themes，再到管理页面里选择即可。

<h2>说明文件</h2>

theme.toml 里写主题的名称、作者和许可，可以再列出几项允许用户调整的颜色。没有列出的颜色用户
无法在页面上修改。

<h2>模板</h2>

模板用双花括号插入变量，常用的变量有 note.title、note.body、note.tags 和 site.name。
{partial}模板出错时页面会退回到默认主题，并在管理页面给出提示。

<h2>深色模式</h2>

样式表里用媒体查询给出深色模式下的颜色。读者可以在页面右上角手动切换，选择保存在浏览器里。

<h2>分发</h2>

把目录打成压缩包就可以分发。请不要在主题里引用外部的字体和统计代码，审核时会被退回。
"""


def _yan_doc(slug: str, title: str, text: str, version: str, built: str) -> str:
    pages = {
        "install-ubuntu": "在 Ubuntu 上安装",
        "install-debian": "在 Debian 上安装",
        "config": "设置文件",
        "backup": "备份与恢复",
        "theme": "主题",
    }
    menu = "\n".join(
        f'<li class="toctree-l1{" current" if name == slug else ""}">'
        f'<a class="reference internal" href="{name}.html">{label}</a></li>'
        for name, label in pages.items()
    )
    return f"""<!DOCTYPE html>
<html class="writer-html5" lang="zh-CN">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1.0" />
<title>{title} &mdash; 砚台 {version} 文档</title>
<link rel="stylesheet" href="/_static/theme.css" type="text/css" />
</head>
<body class="wy-body-for-nav">
<nav data-toggle="wy-nav-shift" class="wy-nav-side">
<div class="wy-side-nav-search"><a href="index.html" class="icon icon-home">砚台</a>
<div class="version">{version}</div>
<form action="search.html"><input type="text" name="q" placeholder="在文档中搜索" /></form></div>
<div class="wy-menu wy-menu-vertical"><p class="caption">使用手册</p><ul>
{menu}
</ul></div>
</nav>
<section class="wy-nav-content-wrap">
<div role="navigation"><ul class="wy-breadcrumbs"><li><a href="index.html">首页</a></li>
<li>{title}</li>
<li class="wy-breadcrumbs-aside"><a href="/_sources/{slug}.rst">查看源码</a></li></ul></div>
<div role="main" class="document"><div class="section" id="{slug}">
<h1>{title}<a class="headerlink" href="#{slug}" title="永久链接">¶</a></h1>
{_ps(text)}
</div></div>
<footer><hr/><div role="contentinfo">
<p>&copy; 版权所有 砚台项目组。砚台 {version}，文档构建于 {built}。</p></div>
用 Sphinx 构建</footer>
</section>
<div class="rst-versions">版本：<a href="/4.1/{slug}.html">4.1</a>
<a href="/4.2/{slug}.html">4.2</a></div>
</body></html>"""


@family("yantai-note", kind="two versions of a manual (copies)", language="zh", half="work")
def yantai_note() -> Iterator[Page]:
    """Version 4.2 says what 4.1 says but for backup; Ubuntu's and Debian's pages are two."""
    ubuntu = _YAN_INSTALL.format(
        system=" Ubuntu 22.04 ", dist="ubuntu", code="jammy", package="yan"
    )
    debian = _YAN_INSTALL.format(
        system=" Debian 12 ", dist="debian", code="bookworm", package="yan-server"
    )
    config = (
        "如果前面还有反向代理，请让它转发原始的主机名。",
        "前面有反向代理的时候，应当让代理把原来的主机名转发过来。",
    )
    partial = (
        "公共的页眉页脚可以放进 partials 目录，用文件名引用。",
        "几个模板共用的页眉和页脚可以放在 partials 目录里，按文件名引用。",
    )
    backup = (
        _YAN_BACKUP.format(
            option="--full",
            folder="/var/lib/yan/backup",
            keep="七份",
            restore="清空现有的笔记",
        ),
        _YAN_BACKUP.format(
            option="--incremental --encrypt",
            folder="/var/backups/yan",
            keep="三十份",
            restore="先给现有的笔记做一次快照",
        ),
    )
    old, new = ("4.1", "2023-09-18"), ("4.2", "2024-04-26")
    for slug, title, texts in (
        ("install-ubuntu", "在 Ubuntu 上安装", (ubuntu, ubuntu)),
        ("config", "设置文件", tuple(_YAN_CONFIG.format(behind=words) for words in config)),
        ("install-debian", "在 Debian 上安装", (debian, debian)),
        ("backup", "备份与恢复", backup),
        ("theme", "主题", tuple(_YAN_THEME.format(partial=words) for words in partial)),
    ):
        for (version, built), text in zip((old, new), texts, strict=True):
            what = f"backup {version}" if slug == "backup" else slug
            page = _yan_doc(slug, title, text, version, built)
            yield Page(f"/{version}/{slug}.html", page, what=what)


# 4. 没有翻译的多语言文档

_TIDE_SOURCE = """
Tidepipe reads changes from your {name} database and writes them to any destination you have
connected. This page shows how to prepare the server, create a user with the fewest rights that
work, and add the source in the console. Allow about ten minutes, and make sure that you may
restart the server once.

<h2>Before you begin</h2>

You need {name} {version} or later. Managed servers are supported as long as the provider lets
you change the replication settings. Tidepipe connects from a fixed range of addresses, which
are listed in the console under Network; add them to your firewall before you continue.

<h2>Turn on change capture</h2>

Set the following option in the server's configuration and restart it. Change capture adds a
little load to the disk, usually below five percent, and the server keeps its logs until
Tidepipe has read them.

<pre><code>{setting}</code></pre>

<h2>Create a user</h2>

<pre><code>{grant}</code></pre>

Do not reuse the account of your application. A user of its own makes it easy to see in the
server's log what Tidepipe does, and to revoke its rights without an outage.

<h2>Add the source</h2>

Open Sources, choose New source, and fill in host, user and password. The default port is
{port}. Press Test connection; if the test fails, the console shows the server's own message.
The first sync copies all selected tables, after which only changes travel. Large tables can
take several hours, and you may pause the sync at any time without losing what has been copied.
"""

_TIDE = {
    "postgres": (
        "Connect a database source",
        _TIDE_SOURCE.format(
            name="PostgreSQL",
            version="11",
            setting="wal_level = logical",
            grant="CREATE ROLE tide WITH REPLICATION LOGIN PASSWORD 'secret';",
            port="5432",
        ),
    ),
    "mysql": (
        "Connect a database source",
        _TIDE_SOURCE.format(
            name="MySQL",
            version="5.7",
            setting="binlog_format = ROW",
            grant="GRANT SELECT, REPLICATION SLAVE ON *.* TO 'tide'@'%';",
            port="3306",
        ),
    ),
    "quickstart": (
        "Quickstart",
        """
A pipeline in Tidepipe has one source, one destination, and any number of steps between the two.
In this tour you build the smallest useful pipeline: it copies a spreadsheet into a warehouse
table once an hour. You need no database of your own, for every new workspace comes with a small
sample warehouse.

<h2>Make a workspace</h2>

Sign in and press Create workspace. Choose the region in which your data may be stored; the
region cannot be changed later. Invite colleagues now or do it afterwards under Members.

<h2>Add the two ends</h2>

Under Sources choose Spreadsheet and paste the link of a sheet which you own. Tidepipe guesses
the type of each column from its first hundred rows. Under Destinations pick the sample
warehouse, whose credentials are filled in already.

<h2>Run it</h2>

Press Run now. The page shows how many rows have been read and written, and warns about cells
that do not fit their column. When the run is green, open the warehouse tab and query the table.
Set the schedule to hourly and close the page: the pipeline is live.
""",
    ),
    "retries": (
        "Retries and alerts",
        """
Networks fail, passwords expire and destinations go down for maintenance. Tidepipe treats every
failed run as temporary until it has reason to believe otherwise, and tells you only when you
can do something about it.

<h2>How runs are retried</h2>

A failed run is tried again after one minute, then after five, then after thirty. Each attempt
continues at the last batch that was confirmed by the destination, so that no row is written
twice. After the third attempt the pipeline is marked as failing and waits for its next
scheduled time.

<h2>Errors that are never retried</h2>

A missing table, a revoked right or a changed column type will not heal by waiting. In these
cases the pipeline stops at once and the message names the object in question. Fix the cause and
press Resume.

<h2>Where alerts go</h2>

By default the owner of the pipeline receives an email. Add a chat channel or a webhook under
Alerts, and choose whether to be told of each failure or only of pipelines that have failed for
an hour. Alerts are grouped, so that one broken server does not send fifty messages.
""",
    ),
}

_TIDE_WORDS = {
    "en": ("Documentation", "Get started", "Sources", "Operations", "Previous", "Next", "Search"),
    "ja": ("ドキュメント", "はじめに", "データソース", "運用", "前へ", "次へ", "検索"),
    "zh-tw": ("說明文件", "開始使用", "資料來源", "維運", "上一頁", "下一頁", "搜尋"),
}

_TIDE_NOTES = {
    "en": ("Was this page helpful?", "Edit this page", "Terms", "Privacy"),
    "ja": ("このページは役に立ちましたか？", "このページを編集", "利用規約", "プライバシー"),
    "zh-tw": ("這個頁面有幫助嗎？", "編輯此頁", "服務條款", "隱私權政策"),
}


def _tide_doc(slug: str, tongue: str, *, tagged: bool) -> str:
    title, text = _TIDE[slug]
    docs, start, sources, running, back, ahead, search = _TIDE_WORDS[tongue]
    helpful, edit, terms, privacy = _TIDE_NOTES[tongue]
    root = "" if tongue == "en" else f"/{tongue}"
    lang = f' lang="{tongue}"' if tagged else ""
    return f"""<!doctype html>
<html{lang} dir="ltr" class="docs-wrapper">
<head>
<meta charset="UTF-8">
<meta name="generator" content="Docusaurus">
<title>{title} | Tidepipe {docs}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="stylesheet" href="/assets/css/styles.css">
</head>
<body>
<nav class="navbar"><div class="navbar__inner">
<a class="navbar__brand" href="{root}/"><img src="/img/tide.svg" alt="Tidepipe"></a>
<a class="navbar__item" href="{root}/docs/quickstart">{docs}</a>
<button class="DocSearch">{search}</button>
<div class="dropdown"><a href="/docs/{slug}">English</a><a href="/ja/docs/{slug}">日本語</a>
<a href="/zh-tw/docs/{slug}">繁體中文</a></div>
</div></nav>
<div class="docRoot">
<aside class="theme-doc-sidebar-container"><ul class="menu__list">
<li><a class="menu__link" href="{root}/docs/quickstart">{start}</a></li>
<li><span class="menu__link">{sources}</span><ul>
<li><a href="{root}/docs/postgres">PostgreSQL</a></li>
<li><a href="{root}/docs/mysql">MySQL</a></li></ul></li>
<li><a class="menu__link" href="{root}/docs/retries">{running}</a></li>
</ul></aside>
<main class="docMainContainer"><article><div class="theme-doc-markdown markdown">
<header><h1>{title}</h1></header>
{_ps(text, glue=" ")}
</div>
<footer class="theme-doc-footer"><a href="#">{edit}</a><p>{helpful}</p></footer></article>
<nav class="pagination-nav"><a href="{root}/docs/quickstart">{back}</a>
<a href="{root}/docs/retries">{ahead}</a></nav></main>
</div>
<footer class="footer"><a href="{root}/terms">{terms}</a> <a href="{root}/privacy">{privacy}</a>
<div class="footer__copyright">Copyright © 2024 Tidepipe Inc.</div></footer>
</body>
</html>"""


@family("tidepipe", kind="untranslated language folders (copies)", language="en", half="work")
def tidepipe() -> Iterator[Page]:
    """The folders of other languages hold the English text; two databases are two pages."""
    for number, (tongue, slug) in enumerate(
        (
            ("en", "quickstart"),
            ("ja", "postgres"),
            ("ja", "mysql"),
            ("en", "postgres"),
            ("zh-tw", "quickstart"),
            ("zh-tw", "mysql"),
            ("zh-tw", "postgres"),
            ("en", "mysql"),
            ("zh-tw", "retries"),
            ("ja", "retries"),
        )
    ):
        root = "" if tongue == "en" else f"/{tongue}"
        page = _tide_doc(slug, tongue, tagged=number % 2 == 0)
        yield Page(f"{root}/docs/{slug}", page, what=slug)


# 5. 转载

_CRANES = """
记者从湖区管理局获悉，为期三天的冬季水鸟同步调查已经完成外业工作，初步统计结果日前公布。
本次调查共设{sites}个观测点，调查队员用单筒望远镜分区计数，同一时刻记录，避免重复。

统计显示，湖区共记录到越冬水鸟{species}种{total}只，其中白鹤{white}只、东方白鹳{stork}只。
与去年同期相比，雁鸭类数量基本稳定，鹤类的分布更加分散，一部分个体进入周边的藕田和稻田觅食。

调查队队长{leader}介绍，水位是决定水鸟分布的主要因素。退水过快，浅滩上的苦草冬芽难以被取食；
退水过慢，湿地草洲又露不出来。今年管理部门通过碟形湖的闸口分批放水，使不同习性的水鸟都能找
到合适的觅食地。

湖区管理局提醒观鸟爱好者，请沿栈道观赏，与鸟群保持两百米以上的距离，不使用无人机，
不播放鸟鸣录音。发现受伤的水鸟，请拨打救护电话，不要自行投喂。
"""

_SCIENCE = [
    _Item(
        "crane-night",
        "鹤群夜里睡在哪儿",
        """
太阳落到草洲后面去的时候，鹤群开始往湖心飞。它们三五成群，先在空中绕一圈，再落到没过脚踝的
浅水里。整个夜晚，它们就这样站着睡觉。

为什么要站在水里？最简单的回答是安全。貉、野猫和狗靠近的时候，水声会把它们的脚步放大，
哨鹤一叫，整群就能飞起来。浅水还有一个好处：冬夜里水温往往高于空气温度，腿上的血管又有逆流
换热的结构，热量损失并没有想象的那么大。

研究人员给二十三只鹤戴上了定位环志，连续三年记录它们的夜栖地。结果发现，同一个家庭几乎每晚
都回到同一片水域，相差不过几十米。只有当水深超过三十厘米，或者附近有人夜间下网，
它们才会搬家。

这意味着，保护鹤不能只看白天的觅食地。一片看上去空荡荡的浅水，可能正是几百只鹤的卧室。
当地的巡护员如今在傍晚多走一趟，为的就是让卧室的灯不被人打开。
""",
    ),
    _Item(
        "survey-a",
        "湖区冬季水鸟同步调查结果公布",
        _CRANES.format(
            sites="六十二",
            species="五十八",
            total="三十七万四千余",
            white="二千九百一十",
            stork="三千六百余",
            leader="戴年",
        ),
    ),
    _Item(
        "survey-b",
        "湖区冬季水鸟同步调查结果公布",
        _CRANES.format(
            sites="六十八",
            species="六十三",
            total="四十一万二千余",
            white="三千二百七十",
            stork="四千一百余",
            leader="余海澜",
        ),
    ),
    _Item(
        "grass",
        "一株苦草怎样养活一个湖",
        """
苦草长在水下，叶子像一条条绿色的绸带，随水流摆动。秋天，它把一年积攒的养分收进泥里的冬芽，
等来年春天再发。这些拇指大小的冬芽，是许多越冬水鸟的主食。

鹤和天鹅用喙翻开软泥，把冬芽一粒一粒挖出来。一只白鹤一天要吃掉两百多粒。鸟群翻动泥土，
也把没有吃完的冬芽埋得更深，使它们来年能够发芽。植物养活了鸟，鸟又替植物松了土。

近几年，有的湖汊养殖河蟹过密，苦草被啃得精光，冬芽的密度从每平方米八十多粒下降到不足五粒。
鸟没有东西吃，便飞进农民的藕田。人鸟之间的矛盾，根子其实在水下。

恢复苦草并不难，难的是等待。先把蟹的密度降下来，再把透明度提高到看得见湖底，撒下去的种子第
二年就能成片。第三年的冬天，鹤就会自己回来。
""",
    ),
]


def _sci_home(item: _Item, author: str) -> str:
    return f"""<!DOCTYPE html>
<html lang="zh-Hans">
<head>
<meta charset="utf-8">
<title>{item.title} | 湖泊笔记</title>
<meta property="og:type" content="article">
<meta property="og:title" content="{item.title}">
<meta property="og:site_name" content="湖泊笔记">
<meta name="viewport" content="width=device-width">
</head>
<body class="single">
<div class="masthead"><a href="/"><img src="/uploads/lake-notes.png" alt="湖泊笔记"></a>
<p class="tagline">看水，看鸟，看人怎样和湖相处</p></div>
<ul class="menu"><li><a href="/birds">鸟</a></li><li><a href="/plants">草</a></li>
<li><a href="/people">人</a></li><li><a href="/about">关于我们</a></li></ul>
<article class="entry">
<h1 class="entry-title">{item.title}</h1>
<p class="byline">文／{author}</p>
<div class="entry-content">
{_ps(item.text)}
</div>
<p class="license">欢迎转载，请注明出处。</p>
</article>
<aside class="widget-area"><h2>栏目</h2><ul>
{_lis(["湖边人物", "一年四季", "读者来信", "给孩子的湖泊课"])}
</ul></aside>
<footer>湖泊笔记编辑部 · 投稿请寄编辑部信箱</footer>
</body></html>"""


def _sci_portal(item: _Item, author: str, clock: str, editor: str) -> str:
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>{item.title}--科教频道--数闻网</title>
<meta name="publishdate" content="{clock[:10]}">
<link href="/css/2021/article.css" rel="stylesheet">
</head>
<body>
<div class="top1"><a href="/">数闻网首页</a><a href="/gn/">国内</a><a href="/gj/">国际</a>
<a href="/cj/">财经</a><a href="/kj/">科教</a><a href="/ty/">体育</a><a href="/pic/">图片</a></div>
<div class="path">数闻网 &gt;&gt; 科教频道 &gt;&gt; 自然 &gt;&gt; 正文</div>
<div class="layout">
<div class="rm_txt">
<h1>{item.title}</h1>
<div class="channel">{clock} | 来源：<a href="#">湖泊笔记</a> | 作者：{author}
| <span>小字号 大字号</span></div>
<div class="bianzhean"><strong>编者按：</strong>人与自然和谐共生是本频道长期关注的话题。
今天我们转载湖泊笔记的一篇文章，供读者参考。</div>
<div class="rm_txt_con">
{_ps(item.text, ' style="text-indent: 2em;"')}
</div>
<div class="edit">（责编：{editor}）</div>
<p class="paper_num">分享让更多人看到　　推荐阅读</p>
</div>
<div class="rm_side"><h3>热门排行</h3><ol>
{_lis(["多地迎来降温降雪", "年货市场供应充足", "冰雪旅游持续升温", "春运首日客流平稳"])}
</ol>
<h3>图说</h3><img src="/pic/snow.jpg" alt="雪后梯田">
<img src="/pic/train.jpg" alt="列车穿过山谷"></div>
</div>
<div class="copyright">数闻网版权所有，未经书面授权禁止使用　关于本社　招聘英才　网站律师</div>
</body></html>"""


def _sci_feed(item: _Item, hours: int) -> str:
    return f"""<!DOCTYPE html>
<html lang="zh">
<head>
<meta charset="utf-8">
<title>{item.title} - 每日看点</title>
<meta name="viewport" content="width=device-width, initial-scale=1.0">
</head>
<body>
<div class="feed-header"><span class="logo">每日看点</span>
<div class="search-box"><input placeholder="大家都在搜：周末去哪儿"></div></div>
<div class="feed-wrap">
<div class="tool-left"><span>{hours * 13}赞</span>
<span>{hours * 4}评论</span><span>收藏</span></div>
<div class="feed-article">
<h1>{item.title}</h1>
<div class="author-info">自然观察员　{hours}小时前　优质科学领域创作者　<button>关注</button></div>
<div class="syl-page-article">
{_ps(item.text, ' data-track="1"')}
<p class="src">本文转自：湖泊笔记</p>
</div>
<div class="report">举报　声明：转载仅为传播信息，如涉版权请联系删除</div>
</div>
<div class="feed-right"><h4>相关推荐</h4>
<div>猫为什么喜欢钻纸箱　{hours}万播放</div>
<div>十种常见的行道树　{hours + 3}万阅读</div>
<div>冬天的露水去了哪里　{hours + 1}万阅读</div></div>
</div>
</body></html>"""


@family("hupo-biji", kind="reprints on other sites (copies)", language="zh", half="work")
def hupo_biji() -> Iterator[Page]:
    """Two other sites reprint the articles; two years' bird counts share their words."""
    night, count_a, count_b, grass = _SCIENCE
    portal, feed = "other:shuwen", "other:kandian"
    yield Page("/birds/crane-night", _sci_home(night, "郁青"), what=night.key)
    yield Page(
        "/n1/2024/0118/c1008-40161.html",
        _sci_portal(count_b, "本刊记者", "2024-01-18 08:42", "董然、方晓"),
        what=count_b.key,
        host=portal,
    )
    yield Page("/birds/winter-count-14", _sci_home(count_a, "本刊记者"), what=count_a.key)
    yield Page("/article/7312650/", _sci_feed(night, 7), what=night.key, host=feed)
    yield Page("/birds/winter-count-15", _sci_home(count_b, "本刊记者"), what=count_b.key)
    yield Page(
        "/n1/2024/0122/c1008-40207.html",
        _sci_portal(night, "郁青", "2024-01-22 14:05", "方晓"),
        what=night.key,
        host=portal,
    )
    yield Page("/article/7301188/", _sci_feed(count_a, 16), what=count_a.key, host=feed)
    yield Page("/article/7325543/", _sci_feed(grass, 3), what=grass.key, host=feed)
    yield Page("/plants/tape-grass", _sci_home(grass, "莫一苇"), what=grass.key)
    yield Page(
        "/n1/2024/0130/c1008-40355.html",
        _sci_portal(grass, "莫一苇", "2024-01-30 09:20", "董然"),
        what=grass.key,
        host=portal,
    )


# 6. 镜像站

_METEORS = """
观看流星雨不需要望远镜，一张躺椅、一条毯子和一片没有路灯的天空就够了。选一个视野开阔的地方，
提前半个小时让眼睛适应黑暗，期间不要看手机。流星会出现在天空的任何方向，不必一直盯着辐射点。

把看到的每一颗流星记下来：时刻、亮度、颜色、有没有余迹。每十五分钟记一次天空最暗的恒星，
这样别人才能用您的记录推算流量。云量超过五分之一的时段要单独注明。

出发之前看一看月相。满月前后，暗流星几乎全被月光淹没，只能看到亮的火流星。冬季观测注意保暖，
夏季观测注意防蚊，山里还要提防露水打湿相机镜头。

想拍照的话，用广角镜头、最大光圈，感光度调到一千六以上，每张曝光十五到二十秒连续拍摄，
回家再从几百张里挑出有流星的那几张。
"""

_METEOR_FACTS = {
    "meteor-08": (
        "英仙座",
        "7月17日至8月24日",
        "8月12日夜间",
        "100",
        "59 千米每秒",
        "斯威夫特—塔特尔彗星",
    ),
    "meteor-12": (
        "双子座",
        "12月4日至12月20日",
        "12月14日凌晨",
        "150",
        "35 千米每秒",
        "小行星法厄同",
    ),
}

_SKY_TEXTS = {
    "polaris": (
        "怎样找到北极星",
        """
北极星并不是天上最亮的星，它排在四十几名以后。它的特别在于几乎不动：整个夜空绕着它转，
而它总在正北方。认出它，就认出了方向。

最常用的办法是借助北斗七星。找到斗口外侧的两颗星，天璇和天枢，把两星的连线向斗口方向延长五
倍，遇到的第一颗差不多亮的星就是北极星。春夏的晚上，北斗高悬，这个办法最方便。

秋冬的晚上，北斗沉到地平线附近，这时改用仙后座。仙后座的五颗亮星排成一个字母 W，
从中间那颗星出发，沿着 W 开口的平分线向前，也能找到北极星。

北极星的高度角等于当地的地理纬度。在广州，它离地平线只有二十三度，常常被楼房挡住；
在哈尔滨，它高达四十五度。拿量角器和一根垂线就能做一个简易测高仪，和地图上的纬度比一比。
""",
    ),
    "dark-site": (
        "自己评估一块观测地",
        """
一块好的观测地，首先要黑。用肉眼数一数小熊座里能看到几颗星：七颗全都看见，说明天空相当好；
只看到三颗，就只适合看月亮和行星了。

其次要安全。白天先去一趟，看清道路、沟坎和围栏，记下手机有没有信号。不要选河滩和陡坡脚下，
夜里涨水和落石都来不及躲。结伴而行，把去向告诉家里人。

第三要稳。水泥地白天吸热、晚上放热，望远镜里的星像会发抖；草地和土地好得多。刮风的山脊虽然
通透，镜筒却会晃动，最好背后有一道矮墙。

最后，尊重当地人。车灯、喇叭和说话声在夜里传得很远。走的时候把垃圾带走，把借来的凳子还回去，
下一次还要再来。
""",
    ),
}


def _sky_body(slug: str) -> tuple[str, str]:
    if slug in _SKY_TEXTS:
        title, text = _SKY_TEXTS[slug]
        return title, f'<div class="txt">\n{_ps(text)}\n</div>'
    name, active, peak, rate, speed, parent = _METEOR_FACTS[slug]
    rows = "\n".join(
        f"<tr><th>{label}</th><td>{value}</td></tr>"
        for label, value in (
            ("辐射点", name),
            ("活跃期", active),
            ("极大", peak),
            ("每时天顶流量", rate),
            ("速度", speed),
            ("母体", parent),
        )
    )
    return (
        "流星雨观测卡",
        f'<div class="txt">\n{_ps(_METEORS)}\n</div>\n<table class="card">\n{rows}\n</table>',
    )


def _sky_page(slug: str, number: int) -> str:
    title, body = _sky_body(slug)
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head><meta charset="utf-8"><title>{title} · 观星手册</title>
<link rel="stylesheet" href="/handbook.css"></head>
<body>
<div class="bar"><b>观星手册</b> 写给第一次抬头的人
<span><a href="/">目录</a> <a href="/glossary">名词</a> <a href="/errata">勘误</a></span></div>
<div class="book">
<div class="chap">第 {number} 节</div>
<h1>{title}</h1>
{body}
<div class="flip"><a href="/s/polaris">← 前一节</a> <a href="/s/dark-site">后一节 →</a></div>
</div>
<div class="end">南山天文爱好者协会编写 · 采用知识共享署名许可 · 发现错误请到勘误页留言</div>
</body></html>"""


def _sky_mirror(slug: str, number: int, synced: str) -> str:
    title, body = _sky_body(slug)
    return f"""<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>{title} - 北辰镜像站</title>
<meta name="robots" content="index,follow">
<link rel="stylesheet" href="/mirror/bootstrap.min.css"></head>
<body>
<nav class="navbar navbar-dark bg-dark"><a class="navbar-brand" href="/">北辰镜像站</a>
<a href="/list">镜像列表</a> <a href="/status">同步状态</a> <a href="/help">使用帮助</a></nav>
<div class="alert alert-info">本站带宽由晴空云计算<b>赞助</b>，欢迎
<a href="/donate">捐赠</a>，您的支持使我们每天多同步一次。</div>
<div class="container"><div class="row">
<div class="col-md-9">
<small>镜像 / 观星手册 / 第 {number} 节</small>
<h1>{title}</h1>
{body}
</div>
<div class="col-md-3"><div class="card"><div class="card-header">其他镜像</div><ul>
{_lis(["植物检索表", "老地图库", "民歌曲谱集", "手工木艺入门"])}
</ul></div></div>
</div></div>
<footer class="text-muted">北辰镜像站由志愿者维护，与原作者无隶属关系。上次同步：{synced}</footer>
</body></html>"""


@family("guanxing-shouce", kind="mirror with its own name (copies)", language="zh", half="work")
def guanxing_shouce() -> Iterator[Page]:
    """The mirror holds the handbook's pages; two meteor cards differ in their table alone."""
    mirror = "other:beichen"
    numbers = {"polaris": 3, "meteor-08": 14, "meteor-12": 15, "dark-site": 21}
    for slug, mirrored in (
        ("polaris", True),
        ("meteor-08", False),
        ("meteor-12", False),
        ("polaris", False),
        ("meteor-12", True),
        ("dark-site", False),
        ("meteor-08", True),
        ("dark-site", True),
    ):
        if mirrored:
            page = _sky_mirror(slug, numbers[slug], f"2024-03-{numbers[slug] + 4:02} 04:00")
            yield Page(f"/guanxing/s/{slug}.html", page, what=slug, host=mirror)
        else:
            yield Page(f"/s/{slug}", _sky_page(slug, numbers[slug]), what=slug)


# 7. 跟踪参数

_CHIFFON = """
戚风蛋糕的成败在蛋白。蛋白要在无油无水的盆里打，鸡蛋提前冷藏，分蛋的时候不能混进一点蛋黄。
糖分三次加，先低速打出鱼眼泡，再转中速，最后低速整理气泡，提起打蛋器能拉出短而直的小尖角。

蛋黄糊先把油、牛奶和一半的糖搅到看不见油花，再筛入低筋面粉，用画“之”字的手法拌匀，
最后加蛋黄，这样不容易出筋。取三分之一蛋白霜到蛋黄糊里翻拌均匀，再倒回剩下的蛋白霜里，
从底部往上翻，不要画圈。

面糊从高处倒进活底模具，轻震两下，送入预热好的烤箱{oven}。出炉以后立即震一下并倒扣，
完全凉透再脱模。没有凉透就脱模，蛋糕会缩腰。

常见的失败：表面开裂是上火太高，底部凹陷是下火太高，布丁层是翻拌不匀，回缩是没有烤透。
"""

_DISHES = [
    _Item(
        "302",
        "番茄牛腩",
        """
牛腩买带筋膜的，切成三厘米见方的块，冷水浸泡半小时去血水。冷水下锅，加姜片和一勺料酒，
煮开以后撇去浮沫，捞出用温水冲净。千万不要用冷水冲，肉会发柴。

番茄选熟透的，顶上划十字，开水烫一分钟去皮。一半切小丁，一半切大块。锅里放少许油，
小火炒香葱段、姜片和两颗八角，下番茄丁炒成红色的酱，再放牛腩翻炒，沿锅边淋一勺生抽。

加没过肉的开水，大火烧开转小火，盖盖子炖一个半小时。炖到筷子能轻松扎透，再放番茄大块和半勺
盐，继续炖十五分钟。喜欢吃土豆的，可以在这一步加进去。

最后尝味，撒一点白胡椒和香菜。隔夜再热更好吃，浇在米饭或者手擀面上都合适。
""",
    ),
    _Item("415", "零失败戚风蛋糕", _CHIFFON.format(oven="，一百五十度烤四十分钟")),
    _Item("416", "零失败戚风蛋糕", _CHIFFON.format(oven="，一百四十五度烤五十五分钟")),
    _Item(
        "520",
        "凉拌三丝",
        """
三丝是土豆丝、胡萝卜丝和海带丝，颜色好看，夏天吃清爽。土豆切得越细越好，切完马上泡水，
换两次水把淀粉洗掉，炒或者拌才会脆。

锅里水烧开，加几滴油和一小撮盐。先下胡萝卜丝烫二十秒，再下土豆丝烫四十秒，捞出过凉水。
海带丝煮三分钟，剪成差不多的长短。三样一起沥干，沥不干拌出来就没有味道。

料汁用两勺生抽、一勺香醋、半勺糖、少许盐和蒜末调匀。干辣椒剪段放在菜上，烧热一勺花椒油浇上
去，“刺啦”一声，香味就出来了。

现拌现吃，放久了会出水。想带便当的，把料汁另外装一个小瓶。
""",
    ),
]

_AMOUNTS = {
    "302": ("牛腩 800克", "番茄 5个", "葱姜 适量", "八角 2颗"),
    "415": ("模具 六寸活底", "鸡蛋 3个", "低筋面粉 50克", "牛奶 40克", "细砂糖 45克"),
    "416": ("模具 八寸活底", "鸡蛋 5个", "低筋面粉 90克", "牛奶 65克", "细砂糖 75克"),
    "520": ("土豆 1个", "胡萝卜 半根", "干海带 30克", "干辣椒 4个"),
}

_SAYINGS = [
    "人间有味是清欢。",
    "愿你走出半生，归来仍有热汤。",
    "今天的风很温柔，适合吃饭。",
    "凡是过往，皆为序章。",
    "把日子过成诗，简单而精致。",
]

_BANNERS = ["新锅上市第二件半价", "周末烘焙课报名中", "产地直发 沃柑十斤装", "会员日满百减二十"]


def _dish_page(item: _Item, visit: int) -> str:
    banners = [_BANNERS[(visit + step) % len(_BANNERS)] for step in range(2)]
    amounts = "".join(f"<li>{amount}</li>" for amount in _AMOUNTS[item.key])
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{item.title}的做法 - 灶台边</title>
<link rel="stylesheet" href="/build/app.{visit % 3}f2a.css">
</head>
<body>
<header class="hd"><a href="/" class="brand">灶台边</a>
<form class="so"><input name="q" placeholder="搜菜谱、搜食材"></form>
<span class="online">在线人数 {1203 + visit * 41}</span></header>
<div class="hitokoto">一言：{_SAYINGS[visit % len(_SAYINGS)]}</div>
<div class="swiper"><div class="slide"><img src="/ad/{visit % 4}.jpg" alt="{banners[0]}"></div>
<div class="slide"><img src="/ad/{(visit + 1) % 4}.jpg" alt="{banners[1]}"></div></div>
<main class="recipe">
<h1>{item.title}</h1>
<div class="stat"><span>阅读量 {48210 + visit * 133}</span> <span>收藏 {2044 + visit * 3}</span>
<span>做过 {310 + visit}</span></div>
<img class="cover" src="/photo/{item.key}.jpg" alt="成品图">
<ul class="mat">{amounts}</ul>
<section class="steps">
{_ps(item.text)}
</section>
</main>
<aside class="rank"><h3>{"今日热门" if visit % 2 else "大家在做"}</h3>
<ol><li>{"清炒时蔬" if visit % 2 else "蒜蓉粉丝虾"}</li>
<li>{"酒酿圆子" if visit % 3 else "家常豆腐"}</li>
<li>{"椒盐排骨" if visit % 4 else "冬瓜薏米汤"}</li></ol></aside>
<footer class="ft">灶台边 好好吃饭 · 联系我们 · 用户协议
· 本页加载用时 0.0{visit % 9 + 1} 秒</footer>
</body></html>"""


@family("zaotaibian", kind="tracking and session ids (copies)", language="zh", half="work")
def zaotaibian() -> Iterator[Page]:
    """Parameters only track the reader; the two cakes are of two sizes under one title."""
    by_key = {item.key: item for item in _DISHES}
    for visit, (key, query) in enumerate(
        (
            ("302", "from=weixin"),
            ("415", "spm=a2h0c.8166622.rank.dt_5"),
            ("416", "spm=a2h0c.8166622.rank.dt_6"),
            ("302", ""),
            ("520", "sid=9f31c07be2d84a66"),
            ("416", "sid=41d7aa90c3be5f12"),
            ("415", "from=singlemessage"),
            ("302", "sid=c0d2e7714b0a98f3&from=timeline"),
            ("520", "spm=a2h0c.8166622.list.dt_2"),
        ),
        start=2,
    ):
        path = f"/caipu/{key}" + (f"?{query}" if query else "")
        yield Page(path, _dish_page(by_key[key], visit), what=key)


# 8. 政府公告的两个栏目

_WATER_STOP = """
因供水管网改造施工需要，县自来水公司定于{start}至{end}对{place}主管道进行碰口作业，
届时将暂停供水。现将有关事项通告如下：

一、停水范围：{area}。地势较高的用户恢复供水时间可能略有延迟，请予谅解。

二、请停水范围内的单位和居民提前做好储水准备，停水期间关闭用水设施的阀门，防止来水后跑水漏
水造成损失。

三、恢复供水初期，管道内可能有短时浑浊现象，请先放水一至两分钟，待水质清澈后再使用。
太阳能热水器和净水设备请在水质清澈后开启。

四、如遇降雨等不可抗力，施工时间顺延，另行通告。停水期间如有紧急用水需求，请拨打供水服务热
线，公司将安排应急送水车。

由此给您的生产生活带来不便，敬请谅解，并感谢您对城市供水工作的理解和支持。
"""

_OLD_AGE = """
根据省、市关于建立高龄老人津贴制度的有关文件精神，经本人申请、村（社区）评议、乡镇审核、县
民政局审批，拟对下列符合条件的老人发放高龄津贴。为接受社会监督，现予以公示。

公示期为五个工作日。公示期间，任何单位和个人对公示对象如有异议，可以通过来信、来访、来电等
方式向县民政局老龄工作股反映。反映问题应当实事求是，以单位名义反映的须加盖公章，
以个人名义反映的须署真实姓名和联系方式，否则不予受理。

高龄津贴按月计发，通过惠民惠农财政补贴资金“一卡通”发放到个人账户。享受津贴的老人每年需要进
行一次生存认证，可以由家属用手机办理，行动不便的由村（社区）工作人员上门办理。

老人户籍迁出本县或者去世的，家属应当在三十日内告知村（居）委会，从次月起停发。
冒领、骗取高龄津贴的，依法追回并按规定处理。

<p>公示名单：{names}。</p>
"""

_NOTICES = {
    "20571": (
        "关于暂停供水的通告",
        "县自来水公司",
        "QSX-2024-0571",
        _WATER_STOP.format(
            start="5月14日22时",
            end="5月15日6时",
            place="东关路",
            area="东关路以南、文昌巷以北、县人民医院周边区域",
        ),
    ),
    "20588": (
        "关于暂停供水的通告",
        "县自来水公司",
        "QSX-2024-0588",
        _WATER_STOP.format(
            start="5月21日23时",
            end="5月22日7时",
            place="环城北路",
            area="环城北路沿线、盐店街、县第二中学周边区域",
        ),
    ),
    "20602": (
        "拟发放高龄津贴人员名单公示",
        "县民政局",
        "QSX-2024-0602",
        _OLD_AGE.format(names="石坪乡　向朝贵、田桂枝、冉隆福、谭素珍、吴启明"),
    ),
    "20603": (
        "拟发放高龄津贴人员名单公示",
        "县民政局",
        "QSX-2024-0603",
        _OLD_AGE.format(names="白鹤乡　龚永寿、秦玉兰、任光荣、石大珍、廖世昌"),
    ),
    "20615": (
        "关于做好2024年汛期地质灾害防治工作的通知",
        "县自然资源局",
        "QSX-2024-0615",
        """
各乡镇人民政府、街道办事处，县级有关部门：当前我县已经全面进入汛期，局地强降雨频发，
崩塌、滑坡、泥石流等地质灾害风险持续升高。为切实保障人民群众生命财产安全，现就有关工作通知
如下。

一、强化隐患排查。对学校、医院、集镇、景区、在建工程工地和切坡建房户逐一排查，
建立台账，落实责任人。新发现的隐患点在二十四小时内上报，并及时设置警示标志。

二、强化监测预警。群测群防员坚持雨前排查、雨中巡查、雨后核查，发现地面裂缝、泉水变浑、房屋
开裂等征兆立即报告。自动监测设备故障要在四十八小时之内修复。

三、强化避险转移。坚持“三个避让”和“三个紧急撤离”，提前明确转移路线、安置地点和包保干部，
夜间强降雨来临之前果断组织群众撤离，未经评估不得擅自返回。

四、强化值班值守。严格执行汛期二十四小时值班和领导带班制度，灾情险情第一时间上报，
不得迟报、漏报、瞒报。
""",
    ),
}


def _gov_open(number: str) -> str:
    title, office, index, text = _NOTICES[number]
    return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="SiteName" content="清水县人民政府">
<meta name="ColumnName" content="政府信息公开">
<meta name="ArticleTitle" content="{title}">
<title>{title}_政府信息公开_清水县人民政府</title>
</head>
<body>
<div class="gov-head"><img src="/images/guohui.png" alt=""><span>清水县人民政府</span>
<div class="zwgk">政府信息公开</div></div>
<div class="gk-wrap">
<div class="gk-left"><ul>
<li><a href="/xxgk/zn/">政府信息公开指南</a></li><li><a href="/xxgk/zd/">政府信息公开制度</a></li>
<li class="on"><a href="/xxgk/fd/">法定主动公开内容</a></li>
<li><a href="/xxgk/nb/">政府信息公开年报</a></li><li><a href="/xxgk/ysq/">依申请公开</a></li></ul>
<div class="gk-tree">机构职能<br>财政预决算<br>
行政许可<br>应急管理<br>社会救助<br>重大项目</div></div>
<div class="gk-right">
<table class="gk-table"><tr><td>索引号</td><td>{index}</td><td>发布机构</td><td>{office}</td></tr>
<tr><td>公开方式</td><td>主动公开</td><td>公开范围</td><td>面向全社会</td></tr></table>
<h2 class="gk-title">{title}</h2>
<div class="TRS_Editor">
{_ps(text, ' align="justify"')}
</div>
<div class="gk-tool">【打印】【关闭】</div>
</div></div>
<div class="gov-foot">主办：清水县人民政府办公室　承办：县大数据中心
政府网站标识码：0000000000</div>
</body></html>"""


def _gov_notice(number: str, views: int, links: list[str]) -> str:
    title, office, index, text = _NOTICES[number]
    return f"""<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="X-UA-Compatible" content="IE=edge">
<title>{title}-通知公告-清水县政府门户网站</title>
</head>
<body class="bg">
<div class="header"><div class="banner">清水县政府门户网站<em>山水画廊　清水人家</em></div>
<ul class="nav"><li><a href="/">首页</a></li><li><a href="/zjqs/">走进清水</a></li>
<li><a href="/xwzx/">新闻中心</a></li><li><a href="/tzgg/">通知公告</a></li>
<li><a href="/zwfw/">政务服务</a></li><li><a href="/hdjl/">互动交流</a></li></ul></div>
<div class="location">您现在的位置：首页 &gt; 新闻中心 &gt; 通知公告</div>
<div class="content">
<h1>{title}</h1>
<p class="sub">来源：{office}　索引号：{index}　浏览次数：<span id="hits">{views}</span>
　字体：[大 中 小]　视力保护色</p>
<div id="zoom">
{_ps(text)}
</div>
<div class="ewm"><img src="/images/ewm.jpg" alt="二维码">
扫一扫在手机打开当前页</div>
</div>
<div class="right"><h3>图片新闻</h3><img src="/tp/cha.jpg" alt="采茶忙"><h3>最新公告</h3><ul>
{_lis(links)}
</ul><h3>专题专栏</h3><ul>
{_lis(["乡村振兴", "优化营商环境", "安全生产月"])}
</ul></div>
<div class="footer"><a href="#">网站地图</a> <a href="#">联系我们</a> <a href="#">隐私声明</a><br>
版权所有：清水县人民政府　网站支持IPv6</div>
</body></html>"""


@family(
    "qingshui-xian", kind="notices in two columns of a site (copies)", language="zh", half="work"
)
def qingshui_xian() -> Iterator[Page]:
    """Both columns hold the same notices; roads of water stops and lists of names are their own."""
    early = ["招募防汛志愿者", "农村公路养护招标公告", "中考考点周边禁鸣"]
    later = ["公开招聘城管协管员", "秸秆禁烧通告", "招募防汛志愿者", "夏季征兵宣传"]
    for number, column in (
        ("20571", "xxgk"),
        ("20588", "xxgk"),
        ("20603", "tzgg"),
        ("20571", "tzgg"),
        ("20602", "tzgg"),
        ("20615", "tzgg"),
        ("20588", "tzgg"),
        ("20602", "xxgk"),
        ("20615", "xxgk"),
        ("20603", "xxgk"),
    ):
        if column == "xxgk":
            yield Page(f"/xxgk/fd/202405/t{number}.shtml", _gov_open(number), what=number)
        else:
            last = int(number[-2:])
            page = _gov_notice(number, 86 + last * 3, early if last > 80 else later)
            yield Page(f"/tzgg/{number}.html", page, what=number)


# 9. 论坛的两种地址

_BIKE = """
出一辆自用公路车，铝合金车架、碳纤维前叉，{size}，骑行{distance}。平时放在室内，
没有摔过，没有水浸，变速和刹车上个月刚在车行调过，链条也换了新的。

配件：原装轮组，外胎磨损大约三成；坐垫换过一次，原装坐垫也一起给。送尾灯、水壶架和一个打气
筒。脚踏是普通平踏，不带锁踏。

成色看图，把立上有一处掉漆，指甲盖大小，不影响使用。发票和说明书都在，可以当面查车架号。
{price}，诚心要的可以小刀，不换物，不接受分期。

只面交，地点在体育馆南门，晚上七点以后或者周末都可以。来之前请先站内短信约时间，
试骑请带身份证。卖掉以后我会把标题改成已出。
"""

_RIDE = """
周末骑行照例召集，集合地点{meet}，{hour}准时出发，过时不候。全程{length}，途中{climb}，
适合有三十公里以上经验的车友，平均时速控制在二十二左右，收队有人压尾。

必须戴头盔，前后灯、备胎和打气筒自备，队里有两套修车工具。每人带够一升水，中途在{rest}休息
二十分钟，可以买到面条和水果。

遇到下雨就取消，出发前一晚八点在本帖通知。路上不比赛、不并排、不闯红灯，左侧超车喊一声。
费用自理，风险自担，未成年人须有家长陪同。

报名请跟帖写上网名和车型，方便编组。
"""

_THREADS = {
    "1201": (
        "求助：后拨打不到最大的飞轮怎么调",
        [
            (
                "慢慢爬坡",
                """
新换了一条后变速线，装好以后怎么都上不到最大的那片飞轮，其余各档都正常。拧过微调，
往外拧了两圈还是不行，再拧就全乱了。车是八速，用了两年。请问是线的问题还是后拨限位的问题？
""",
            ),
            (
                "铁皮工具箱",
                """
先看限位螺丝。后拨上有两颗小螺丝，标着 H 和 L，L 管最大飞轮那一侧。把 L 逆时针松半圈，
用手推后拨，看导轮能不能对到最大飞轮的正下方。能推过去，就说明不是限位，是线太松。
""",
            ),
            (
                "老城墙根",
                """
同意楼上。新线会有一段拉伸，装的时候要先把指拨打到最高档，把线拽紧再锁。另外检查一下线管两
头的帽子有没有插到底，我上次就是因为少了一个帽子，调了一晚上。
""",
            ),
            (
                "慢慢爬坡",
                """
解决了！就是线管的帽子没有插到底，按紧之后又把线重新拽了一次，现在每一档都准。
谢谢两位，给大家提个醒，换线之后先看帽子。
""",
            ),
        ],
    ),
    "1215": (
        "出一辆自用公路车",
        [
            (
                "江边的风",
                _BIKE.format(
                    size="五十二码", distance="不到两千公里", price="当时四千二买的，现在两千六出"
                ),
            ),
            ("小跑堂", "帮顶，楼主人很好，之前找他买过头盔。"),
            ("铁皮工具箱", "成色不错，可惜尺寸不合适，祝早出。"),
        ],
    ),
    "1233": (
        "出一辆自用公路车",
        [
            (
                "江边的风",
                _BIKE.format(
                    size="五十六码", distance="大约五千公里", price="当时六千八买的，现在三千九出"
                ),
            ),
            ("小跑堂", "帮顶，楼主人很好，之前找他买过头盔。"),
            ("铁皮工具箱", "成色不错，可惜尺寸不合适，祝早出。"),
        ],
    ),
    "1240": (
        "周末骑行召集 老规矩跟帖报名",
        [
            (
                "领骑老何",
                _RIDE.format(
                    meet="市民广场旗杆下",
                    hour="周六早上七点",
                    length="六十八公里",
                    climb="有一段四公里的缓坡",
                    rest="龙泉驿站",
                ),
            ),
            ("慢慢爬坡", "慢慢爬坡，公路车，报名。"),
            ("老城墙根", "老城墙根，山地车，报名，我可以压尾。"),
        ],
    ),
    "1252": (
        "周末骑行召集 老规矩跟帖报名",
        [
            (
                "领骑老何",
                _RIDE.format(
                    meet="渡口停车场",
                    hour="周日早上六点半",
                    length="八十二公里",
                    climb="要过两次轮渡",
                    rest="柳林老街",
                ),
            ),
            ("慢慢爬坡", "慢慢爬坡，公路车，报名。"),
            ("老城墙根", "老城墙根，山地车，报名，我可以压尾。"),
        ],
    ),
}


def _thread_page(tid: str, fetched: int, online: str) -> str:
    title, posts = _THREADS[tid]
    floors = "\n".join(
        f"""<div id="post_{tid}{floor}"><table class="plhin" cellspacing="0"><tr>
<td class="pls"><div class="authi"><a class="xw1" href="#">{who}</a></div>
<img src="/uc/avatar/{len(who)}{floor}.jpg" alt=""><p>{"楼主" if floor == 1 else "骑友"}</p>
<p>积分 {400 + len(text) + fetched * 2}</p></td>
<td class="plc"><div class="pi"><strong>{floor}#</strong> 只看该作者 倒序浏览</div>
<div class="t_f">{"<br />".join(_parts(text))}</div>
<div class="po">回复　支持　反对　举报</div></td></tr></table></div>"""
        for floor, (who, text) in enumerate(posts, 1)
    )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"
 "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{title} - 骑行天地 - 两轮论坛 - Powered by Discuz!</title>
<meta name="generator" content="Discuz! X3.4" />
<link rel="stylesheet" type="text/css" href="data/cache/style_1_common.css" />
</head>
<body id="nv_forum" class="pg_viewthread">
<div id="toptb"><div class="z"><a href="#">设为首页</a><a href="#">收藏本站</a></div></div>
<div id="hd"><h2><a href="./"><img src="static/image/logo.png" alt="两轮论坛" /></a></h2>
<div id="nv"><ul><li>论坛</li><li>骑记</li>
<li>二手</li><li>导读</li><li>排行榜</li></ul></div></div>
<div id="pt" class="bm cl">论坛 › 车友交流 › 骑行天地 › {title}</div>
<div id="ct" class="wp cl">
<div id="pgt" class="pgs mbm cl"><a href="#">发帖</a><a href="#">回复</a> 返回列表</div>
<div id="postlist" class="pl bm">
<table cellspacing="0"><tr><td class="pls"><div class="hm">查看: <span>{fetched * 57 + 301}</span>
| 回复: <span>{len(posts) - 1}</span></div></td>
<td class="plc"><h1 class="ts"><span id="thread_subject">{title}</span></h1></td></tr></table>
{floors}
</div>
<div id="f_pst" class="bm">您需要登录后才可以回帖 登录 | 立即注册　本版积分规则</div>
</div>
<div id="ol" class="bm"><h3>在线会员 - {88 + fetched * 6} 人在线 - {5 + fetched} 会员,
{83 + fetched * 5} 位游客</h3><p>{online}</p></div>
<div id="ft"><p>Archiver|手机版|小黑屋|两轮论坛</p>
<p>GMT+8, 2024-6-3 1{fetched % 10}:2{fetched % 7}, Processed in 0.0{fetched}1 second(s),
{fetched + 20} queries.</p><p>Powered by Discuz! X3.4</p></div>
</body></html>"""


@family("lianglun-luntan", kind="two addresses of a thread (copies)", language="zh", half="work")
def lianglun_luntan() -> Iterator[Page]:
    """Both addresses lead to one thread; two bikes for sale and two rides share their words."""
    members = ["山里的猫", "三号链条", "江边的风", "阿旺骑车去", "晨练大叔", "小跑堂", "铃铛响了"]
    for fetched, (tid, path) in enumerate(
        (
            ("1215", "/thread-1215-1-1.html"),
            ("1201", "/forum.php?mod=viewthread&tid=1201"),
            ("1233", "/thread-1233-1-1.html"),
            ("1240", "/forum.php?mod=viewthread&tid=1240"),
            ("1201", "/thread-1201-1-1.html"),
            ("1252", "/forum.php?mod=viewthread&tid=1252"),
            ("1233", "/forum.php?mod=viewthread&tid=1233&extra=page%3D1"),
            ("1215", "/forum.php?mod=viewthread&tid=1215&extra=page%3D1"),
            ("1240", "/thread-1240-1-1.html"),
            ("1252", "/thread-1252-1-1.html"),
        ),
        start=1,
    ):
        here = "、".join(members[(fetched + step * 2) % len(members)] for step in range(3))
        yield Page(path, _thread_page(tid, fetched, here), what=tid)


# 10. 博客的两种地址

_RUNNING = """
又到月底，照例给跑步记一笔账。这个月一共跑了{times}，合计{distance}，最长的一次是{longest}，
平均配速{pace}。膝盖没有不舒服，体重{weight}。

训练还是老样子：周二和周四轻松跑，周六长距离，周日走路或者休息。轻松跑就要真的轻松，
能一边跑一边说整句话，心率压在一百四十以下。以前总觉得跑慢了等于没练，后来才明白，
慢是为了能一直跑下去。

鞋子两双轮换，一双跑路，一双跑土坡。袜子比鞋更要紧，起了泡什么计划都白搭。跑完拉伸十分钟，
泡沫轴滚小腿，睡前再泡个脚。

下个月的打算没有什么变化，不加量，不参加比赛，每周写一次跑步日记。如果您也在跑，
欢迎在下面留言说说自己的路线。
"""

_POSTS = {
    123: (
        "balcony-compost",
        "阳台堆肥一年记",
        """
去年春天，我在阳台角落放了一只旧泡沫箱，开始堆肥。起因很简单：每天扔掉的菜叶果皮太多，
而花盆里的土越来越硬。

箱子底下戳十来个孔，垫一层碎纸板，再铺三指厚的旧土。厨余沥干，剪成小段，每放一层就盖一层干
落叶，绿的和褐的大约各一半。第一个月我放得太湿，招来了小飞虫，翻开一看全是黏糊糊的一团。
后来加了落叶和碎纸，气味就没有了。

天热的时候，箱子里能到五十多度，手伸进去是烫的。入冬以后几乎停下来，只剩蚯蚓还在慢慢干活。
到今年三月，满满一箱只剩下小半箱黑褐色的土，闻起来像下过雨的树林。

我把它筛了一遍，掺到番茄和薄荷的盆里。番茄今年结得早，叶子也厚。其实收成倒在其次，
最大的变化是我不再觉得那些菜叶是垃圾了。
""",
    ),
    131: (
        "running-april",
        "本月跑步小结",
        _RUNNING.format(
            times="十四次",
            distance="一百零六公里",
            longest="绕湖十八公里",
            pace="六分三十五秒",
            weight="减了一公斤",
        ),
    ),
    138: (
        "running-may",
        "本月跑步小结",
        _RUNNING.format(
            times="十一次",
            distance="七十九公里",
            longest="沿江十五公里",
            pace="六分五十秒",
            weight="没有变化",
        ),
    ),
    140: (
        "fix-old-radio",
        "修好了外公的收音机",
        """
外公的收音机是一九七六年买的，木头壳子，六个晶体管，面板上印着红色的牡丹。它在柜顶上躺了二
十年，上个月回老家，我把它抱了回来。

打开后盖，一股松香和灰尘的味道。电池仓的弹簧锈断了，电位器一拧就沙沙响，喇叭的纸盆破了一道
口子。好在线路板还算干净，只有两只电解电容鼓了包。

我先换电容，容量照旧，耐压选高一档。电位器滴了一点清洁剂，来回拧三十次。纸盆用薄绵纸和白乳
胶补好，阴干一夜。弹簧没有现成的，从一只坏掉的手电筒上拆下一根剪短。

装上电池，拧开开关，先是一阵电流声，然后慢慢调到一个台，正在播评书。我给外婆打电话，
把话筒凑到喇叭旁边。她听了很久，说，就是这个声音。
""",
    ),
}

_RECENT = ["换了新的主题", "雨天读书三本", "周末去看了油菜花", "用旧手机做监控", "学会了做凉粉"]
_REMARKS = [
    "阿木：写得真好",
    "路过的鱼：友链已加",
    "清茶：我也想试试",
    "小满：图挂了博主",
    "石头：催更",
]
_TAGS = ["生活", "阳台", "跑步", "读书", "手工", "折腾", "旅行", "家常菜", "随想", "修理"]


def _blog_page(number: int, fetch: int) -> str:
    slug, title, text = _POSTS[number]
    recent = [_RECENT[(fetch + step) % len(_RECENT)] for step in range(3)]
    remarks = [_REMARKS[(fetch * 2 + step) % len(_REMARKS)] for step in range(3)]
    tags = " ".join(
        f'<a class="tag-cloud-link" href="/tag/{step}">{_TAGS[(fetch * 3 + step) % len(_TAGS)]}</a>'
        for step in range(6)
    )
    return f"""<!DOCTYPE html>
<html lang="zh-Hans">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} &#8211; 半亩闲窗</title>
<link rel="stylesheet" href="/wp-content/themes/xianchuang/style.css?ver=1.{fetch}">
<meta name="generator" content="WordPress 6.5">
</head>
<body class="post-template-default single single-post postid-{number}">
<header id="masthead"><p class="site-title"><a href="/" rel="home">半亩闲窗</a></p>
<p class="site-description">记一些小事</p>
<nav><ul><li><a href="/">首页</a></li><li><a href="/about">关于</a></li>
<li><a href="/links">友链</a></li><li><a href="/guestbook">留言</a></li></ul></nav></header>
<div id="primary"><main>
<article id="post-{number}" class="post-{number} post type-post hentry" data-slug="{slug}">
<header class="entry-header"><h1 class="entry-title">{title}</h1></header>
<div class="entry-content">
{_ps(text)}
</div>
<footer class="entry-footer">本文采用 CC BY-NC-SA 4.0 许可　<a href="#respond">发表评论</a></footer>
</article>
<div id="respond"><h3>发表回复</h3><p>您的邮箱地址不会被公开。必填项已用 * 标注</p></div>
</main></div>
<aside id="secondary" class="widget-area">
<section class="widget"><h2>最新文章</h2><ul>
{_lis(recent)}
</ul></section>
<section class="widget"><h2>最新评论</h2><ul>
{_lis(remarks)}
</ul></section>
<section class="widget"><h2>标签云</h2><div class="tagcloud">{tags}</div></section>
</aside>
<footer id="colophon">半亩闲窗已经运行 {1480 + fetch} 天 · 自豪地由 WordPress 驱动</footer>
</body></html>"""


@family(
    "banmu-xianchuang", kind="old and new addresses of posts (copies)", language="zh", half="work"
)
def banmu_xianchuang() -> Iterator[Page]:
    """Old and new addresses show one post beside other widgets; two months' runs are two."""
    for fetch, (number, path) in enumerate(
        (
            (123, "/archives/123.html"),
            (131, "/2024/04/running-april.html"),
            (138, "/2024/05/running-may.html"),
            (123, "/2024/03/balcony-compost.html"),
            (140, "/archives/140.html"),
            (138, "/archives/138.html"),
            (140, "/2024/05/fix-old-radio.html"),
            (131, "/archives/131.html"),
            (123, "/archives/123.html?replytocom=57"),
        )
    ):
        yield Page(path, _blog_page(number, fetch), what=str(number))
