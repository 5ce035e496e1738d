"""What a browser brings, and takes: applications of the npm registry, and static sites, by crawls.

    python -m benchmarks.browser [--cache DIR] [--corpora DIR] [--pages N] [NAME ...]

Serves applications on loopback and crawls each with `fetch.browser: auto`:

- **docsify** over this project's own documentation;
- **react** and **vue** with their routers (the first by path, the second by fragment): articles
  loaded by fetch, nested routes, chunks that are loaded when needed, a list of which a button shows
  more, links to what is not there;
- **swagger** (Swagger UI) over a description of an interface;
- **made**: shells whose text comes late by a timer or a slow answer, one that never settles, web
  components, a dialog that covers a text, a login that a script leads to, short pages that scripts
  only decorate.

Prints pages that were found of those there are, mean F1 of words against the text that is known to
be shown, pages rendered, CPU a rendered page, requests, and the memory of the browsers at most. CPU
is that of the crawler, the driver and all browsers, from start to end, less that of a crawl of the
same application that renders nothing; `further` is what a page adds to a crawl of twelve, reading
it included. It is exact where control groups can be made (root), else looked up ten times a second.

Then **static** sites of the shared corpora, where these are: `auto` beside `never`, how many pages
were rendered, and how many differ in text or verdict; by chance so many do of two crawls without a
browser, whose templates are learned in the order of answers. Packages are loaded once, into
`--cache`; where npm or the registry is missing that is said, and the applications that need it are
left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web
from lxml import html as markup
from markdown_it import MarkdownIt

from benchmarks.corpora import CORPORA, site_files
from benchmarks.served import served

DOCS = Path(__file__).resolve().parents[1] / "docs"
PACKAGES = {
    "docsify": "docsify@4.13.1",
    "react": "react@18.3.1",
    "react-dom": "react-dom@18.3.1",
    "router": "@remix-run/router@1.23.0",
    "react-router": "react-router@6.30.1",
    "react-router-dom": "react-router-dom@6.30.1",
    "vue": "vue@3.5.13",
    "vue-router": "vue-router@4.5.0",
    "swagger": "swagger-ui-dist@5.20.1",
}
STATIC = ("debian-handbook", "hexo-docs", "apache2-manual", "postgresql-15", "oi-wiki")
ARTICLES = 40
LEAST_FURTHER = 20
"""Pages of which one more is told what it takes: the start of a browser is that of ten."""
SHOWN = 12
"""Articles that a list shows before its button is pressed."""

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
_WORD = re.compile(r"\w+")


@dataclass
class App:
    """A site on loopback whose pages are known."""

    name: str
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """Path -> type and body."""
    shell: bytes | None = None
    """Answered for any other path without a dot."""
    gold: dict[str, str] = field(default_factory=dict)
    """Path (and fragment) of each page -> the text that it shows."""
    waits_s: dict[str, float] = field(default_factory=dict)
    """Path -> after how long it is answered."""
    seeds: tuple[str, ...] = ("/",)

    def add(self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8") -> None:
        """Serve a body."""
        self.files[path] = kind, body.encode() if isinstance(body, str) else body

    def script(self, path: str, *parts: str | bytes) -> None:
        """Serve scripts as one."""
        bodies = [part.encode() if isinstance(part, str) else part for part in parts]
        self.add(path, b"\n;".join(bodies), "text/javascript")


# --------------------------------------------------------------------------------------------------
# Applications


def packages(cache: Path) -> dict[str, Path] | None:
    """Return where the packages are unpacked; None, and why, where they cannot be had."""
    if shutil.which("npm") is None:
        print("npm is not installed: without the applications of its registry")
        return None
    found = {}
    for name, package in PACKAGES.items():
        folder = cache / package.replace("/", "-")
        if not folder.is_dir():
            with tempfile.TemporaryDirectory() as part:
                command = ["npm", "pack", "--silent", "--pack-destination", part, package]
                ended = subprocess.run(command, capture_output=True, text=True, check=False)
                packed = list(Path(part).glob("*.tgz"))
                if ended.returncode or not packed:
                    print(f"{package} cannot be loaded: without the registry's applications")
                    return None
                with tarfile.open(packed[0]) as archive:
                    archive.extractall(folder, filter="data")
        found[name] = folder / "package"
    return found


def rendered(source: str) -> str:
    """Return Markdown as HTML."""
    return str(_MARKDOWN.render(source))


def shown(source: str) -> str:
    """Return the text that HTML shows."""
    return str(markup.fromstring(f"<div>{source}</div>").text_content())


def articles() -> list[tuple[str, str]]:
    """Return title and HTML of sections of the documentation: prose of some length."""
    found = []
    for page in sorted(DOCS.glob("*.md")):
        for part in re.split(r"(?m)^## ", page.read_text())[1:]:
            title, _, rest = part.partition("\n")
            body = rendered(re.sub(r"\]\([^)]*\)", "]", rest).replace("[", "").replace("]", ""))
            if len(_WORD.findall(shown(body))) >= 150:
                found.append((title.replace("`", "").strip(), body))
    return found[:: max(1, len(found) // ARTICLES)][:ARTICLES]


def docsify(found: Mapping[str, Path]) -> App:
    """The documentation as docsify shows it: one shell, Markdown by fetch, fragments for pages."""
    app = App("docsify")
    app.script("/docsify.js", (found["docsify"] / "lib/docsify.min.js").read_bytes())
    pages = {page.stem: page.read_text() for page in sorted(DOCS.glob("*.md"))}
    pages["README"] = pages.pop("index")
    side = "\n".join(f"* [{name}]({name}.md)" for name in pages if name != "README")
    for name, source in {**pages, "_sidebar": side}.items():
        app.add(f"/{name}.md", source, "text/markdown; charset=utf-8")
    for name, source in pages.items():
        if "```{include}" in source:
            continue  # it shows another file's text
        app.gold["/" if name == "README" else f"/#/{name}"] = shown(rendered(source))
    app.add(
        "/",
        "<!doctype html><title>Documentation</title><body><div id=app>Loading</div>"
        "<script>window.$docsify = {name: 'Documentation', loadSidebar: true}</script>"
        "<script src=/docsify.js></script>",
    )
    return app


def with_articles(name: str, prefix: str) -> App:
    """An application of articles: data by fetch; `prefix` is "" or "/#"."""
    app = App(name)
    told = articles()
    index = [{"id": n, "title": title} for n, (title, _) in enumerate(told)]
    app.add("/api/articles.json", json.dumps(index), "application/json")
    for n, (title, body) in enumerate(told):
        app.add(f"/api/{n}.json", json.dumps({"title": title, "body": body}), "application/json")
        app.gold[f"{prefix}/guide/{n}"] = f"{title} {shown(body)}"
    about = " ".join(_WORD.findall(shown(told[0][1]))[::-1])
    app.gold[f"{prefix}/about"] = f"About {about}"
    app.script("/about.js", f"export const text = {json.dumps(about)};")
    return app


REACT = """
const {createElement: h, useState, useEffect, lazy, Suspense} = React;
const {BrowserRouter, Routes, Route, Link, Outlet, useParams} = ReactRouterDOM;
const load = (url, set) => { fetch(url).then((a) => a.json()).then(set); };
const Home = () => {
  const [list, set] = useState([]), [shown, more] = useState(SHOWN);
  useEffect(() => load("/api/articles.json", set), []);
  return h("section", null, h("h1", null, "Articles"),
    h("ul", null, list.slice(0, shown).map((one) =>
      h("li", {key: one.id}, h(Link, {to: "/guide/" + one.id}, one.title)))),
    h("button", {onClick: () => more(shown + SHOWN)}, "Load more"));
};
const Guide = () => h("main", null, h(Outlet));
const Article = () => {
  const {id} = useParams(), [page, set] = useState(null), [gone, fail] = useState(false);
  useEffect(() => { fetch("/api/" + id + ".json").then((a) => a.ok ? a.json() : Promise.reject())
    .then(set, () => fail(true)); }, [id]);
  useEffect(() => { if (page) document.title = page.title; }, [page]);
  if (gone) return h("h1", null, "Not found");
  if (!page) return h("p", null, "Loading");
  return h("article", null, h("h1", null, page.title),
    h("div", {dangerouslySetInnerHTML: {__html: page.body}}),
    h("p", null, h(Link, {to: "/guide/" + (Number(id) + 1)}, "Next")));
};
const About = lazy(() => import("/about.js").then((found) => ({default: () =>
  h("article", null, h("h1", null, "About"), h("p", null, found.text))})));
ReactDOM.createRoot(document.getElementById("root")).render(h(BrowserRouter, null,
  h("nav", null, h(Link, {to: "/"}, "Home"), " ", h(Link, {to: "/about"}, "About")),
  h(Suspense, {fallback: "Loading"}, h(Routes, null,
    h(Route, {path: "/", element: h(Home)}),
    h(Route, {path: "/guide", element: h(Guide)}, h(Route, {path: ":id", element: h(Article)})),
    h(Route, {path: "/about", element: h(About)}),
    h(Route, {path: "*", element: h("h1", null, "Not found")})))));
"""

VUE = """
const {createApp, ref, watchEffect} = Vue;
const {createRouter, createWebHashHistory} = VueRouter;
const Home = {template: `<section><h1>Articles</h1><ul><li v-for="one in list.slice(0, shown)"
    :key="one.id"><router-link :to="'/guide/' + one.id">{{ one.title }}</router-link></li></ul>
    <button @click="shown += SHOWN">Load more</button></section>`,
  setup() {
    const list = ref([]), shown = ref(SHOWN);
    fetch("/api/articles.json").then((a) => a.json()).then((all) => { list.value = all; });
    return {list, shown, SHOWN};
  }};
const Guide = {template: "<main><router-view/></main>"};
const Article = {props: ["id"], template: `<article v-if="page"><h1>{{ page.title }}</h1>
    <div v-html="page.body"></div><p><router-link :to="'/guide/' + (Number(id) + 1)">Next
    </router-link></p></article><h1 v-else-if="gone">Not found</h1><p v-else>Loading</p>`,
  setup(given) {
    const page = ref(null), gone = ref(false);
    watchEffect(() => fetch("/api/" + given.id + ".json")
      .then((a) => a.ok ? a.json() : Promise.reject())
      .then((one) => { page.value = one; document.title = one.title; },
            () => { gone.value = true; }));
    return {page, gone};
  }};
const About = () => import("/about.js").then((found) =>
  ({template: "<article><h1>About</h1><p>{{ text }}</p></article>",
    setup: () => ({text: found.text})}));
const router = createRouter({history: createWebHashHistory(), routes: [
  {path: "/", component: Home}, {path: "/about", component: About},
  {path: "/guide", component: Guide, children: [{path: ":id", component: Article, props: true}]},
  {path: "/:rest(.*)*", component: {template: "<h1>Not found</h1>"}}]});
createApp({template: `<nav><router-link to="/">Home</router-link>
  <router-link to="/about">About</router-link></nav><router-view/>`}).use(router).mount("#root");
"""


def _shell(title: str) -> str:
    return (
        f"<!doctype html><title>{title}</title><body><noscript>You need to enable JavaScript."
        "</noscript><div id=root></div><script src=/app.js></script>"
    )


def react(found: Mapping[str, Path]) -> App:
    """React with its router: every path gets the shell."""
    app = with_articles("react", "")
    app.script(
        "/app.js",
        *(
            (found[package] / path).read_bytes()
            for package, path in (
                ("react", "umd/react.production.min.js"),
                ("react-dom", "umd/react-dom.production.min.js"),
                ("router", "dist/router.umd.min.js"),
                ("react-router", "dist/umd/react-router.production.min.js"),
                ("react-router-dom", "dist/umd/react-router-dom.production.min.js"),
            )
        ),
        REACT.replace("SHOWN", str(SHOWN)),
    )
    app.shell = _shell("React").encode()
    app.add("/", app.shell)
    return app


def vue(found: Mapping[str, Path]) -> App:
    """Vue with its router: all pages are fragments of one."""
    app = with_articles("vue", "/#")
    app.script(
        "/app.js",
        (found["vue"] / "dist/vue.global.prod.js").read_bytes(),
        (found["vue-router"] / "dist/vue-router.global.prod.js").read_bytes(),
        f"const SHOWN = {SHOWN};{VUE}",
    )
    app.add("/", _shell("Vue"))
    return app


def swagger(found: Mapping[str, Path]) -> App:
    """Swagger UI: what an interface does, by tags, methods and paths."""
    app = App("swagger")
    told = articles()[:20]
    paths: dict[str, Any] = {}
    text = ["Library interface"]
    for n, (title, body) in enumerate(told):
        summary = " ".join(_WORD.findall(shown(body))[:12])
        paths[f"/things/{n}"] = {"get": {"summary": summary, "tags": [title], "responses": {}}}
        text += [title, "GET", f"/things/{n}", summary]
    told_of = {"openapi": "3.0.0", "info": {"title": "Library interface", "version": "1"}}
    app.add("/api.json", json.dumps({**told_of, "paths": paths}), "application/json")
    bundle = found["swagger"] / "swagger-ui-bundle.js"
    app.script("/ui.js", bundle.read_bytes())
    app.add(
        "/",
        "<!doctype html><title>Interface</title><body><div id=ui></div><script src=/ui.js></script>"
        "<script>SwaggerUIBundle({url: '/api.json', dom_id: '#ui'})</script>",
    )
    app.gold["/"] = " ".join(text)
    return app


def made() -> list[App]:
    """Small applications that are slow, restless or odd; each is a host of its own."""
    told = [shown(body) for _, body in articles()]
    texts = [" ".join(text.split()[:120]) for text in told]
    put = "document.getElementById('root').textContent"

    def alone(name: str, script: str, text: str, waits_s: float = 0.0) -> App:
        app = App(name, gold={"/": text}, waits_s={"/data": waits_s})
        app.add(
            "/", "<!doctype html><title>A</title><div id=root></div><script src=/a.js></script>"
        )
        app.script("/a.js", script)
        app.add("/data", json.dumps(text), "application/json")
        return app

    load = f"fetch('/data').then((a) => a.json()).then((text) => {{ {put} = text; }})"
    apps = [
        *(alone(f"answer {s} s", load, texts[n], s) for n, s in enumerate((0.2, 1.0, 3.0))),
        *(
            alone(f"timer {s} s", f"setTimeout(() => {load}, {s * 1000})", texts[3 + n])
            for n, s in enumerate((0.2, 1.0, 3.0))
        ),
        alone(
            "never settles",
            f"{load}; let n = 0; const i = document.createElement('i');"
            "document.body.append(i); setInterval(() => { i.textContent = n++; }, 50);",
            texts[6],
        ),
        alone(
            "components",
            "customElements.define('a-page', class extends HTMLElement {"
            "connectedCallback() { fetch('/data').then((a) => a.json()).then((text) => {"
            "this.attachShadow({mode: 'open'}).innerHTML = '<p>' + text + '</p>'; }); } });"
            "document.getElementById('root').innerHTML = '<a-page></a-page>'",
            texts[7],
        ),
        alone(
            "consent",
            f"{load}; document.body.insertAdjacentHTML('beforeend', '<div role=dialog "
            'style="position:fixed;inset:0">We use cookies.<button>Yes</button></div>\')',
            texts[8],
        ),
    ]
    login = alone(
        "login",
        f"if (location.pathname !== '/login') location.href = '/login';else {load}",
        texts[9],
    )
    login.add("/login", login.files["/"][1])
    login.gold = {"/login": texts[9]}
    decorated = App("decorated")
    links = "".join(f"<a href=/{n}>{n}</a> " for n in range(40))
    decorated.script("/a.js", "document.body.append('seen today'); document.title += '!'")
    for n in range(40):
        text = " ".join(told[n % len(told)].split()[n : n + 30])
        path = "/" if n == 0 else f"/{n}"
        decorated.add(
            path,
            f"<!doctype html><title>{n}</title><main><p>{text}</p></main>{links}"
            "<script src=/a.js></script>",
        )
        decorated.gold[path] = text
    return [*apps, login, decorated]


# --------------------------------------------------------------------------------------------------
# Serving and crawling


@asynccontextmanager
async def serving(apps: list[App]) -> AsyncIterator[list[tuple[str, list[str]]]]:
    """Serve each application at an address of its own; yield their URLs."""
    async with _listening([(app.name, partial(_answer, app)) for app in apps]) as urls:
        yield urls


def known(home: Path) -> dict[str, Any]:
    """Return what is told of the packed sites, by name."""
    told = json.loads((home / "sites" / "sites.json").read_text())
    return {site["name"]: site for site in told["sites"]}


@asynccontextmanager
async def serving_static(home: Path, site: str) -> AsyncIterator[str]:
    """Serve a packed site."""
    root = f"{known(home)[site]['docroot']}/"
    files = {path.removeprefix(root): body for path, body in site_files(home, site)}

    async def answer(request: web.Request) -> web.Response:
        path = request.path.lstrip("/")
        body = files.get(path) or files.get(
            f"{path}index.html" if path.endswith("/") or not path else f"{path}/index.html"
        )
        if body is None:
            raise web.HTTPNotFound
        kind = "text/html" if path.endswith(("html", "/", "")) else "text/plain"
        return web.Response(body=body, content_type=kind)

    async with _listening([(site, answer)]) as urls:
        entries = known(home)[site]["entries"]
        english = (entry for entry in entries if entry.startswith("/en"))
        yield urls[0][0] + next(english, entries[0])


@asynccontextmanager
async def _listening(handlers: list[tuple[str, Any]]) -> AsyncIterator[list[Any]]:
    runners, urls = [], []
    for n, (_, handler) in enumerate(handlers):
        asked: list[str] = []

        async def count(
            request: web.Request, handler: Any = handler, asked: list[str] = asked
        ) -> web.StreamResponse:
            asked.append(request.path)
            response: web.StreamResponse = await handler(request)
            return response

        runner = web.ServerRunner(web.Server(count))  # type: ignore[arg-type]
        await runner.setup()
        site = web.TCPSite(runner, f"127.0.2.{n + 1}", 0)
        await site.start()
        assert site._server is not None
        port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        runners.append(runner)
        urls.append((f"http://127.0.2.{n + 1}:{port}", asked))
    try:
        yield urls
    finally:
        for runner in runners:
            await runner.cleanup()


async def _answer(app: App, request: web.Request) -> web.Response:
    await asyncio.sleep(app.waits_s.get(request.path, 0.0))
    if request.path in app.files:
        kind, body = app.files[request.path]
        return web.Response(body=body, headers={"Content-Type": kind})
    if app.shell is not None and "." not in request.path:
        return web.Response(body=app.shell, content_type="text/html")
    raise web.HTTPNotFound


@dataclass
class Run:
    """What a crawl brought and took."""

    lines: dict[str, dict[str, Any]]
    cpu_s: float
    browser_mb: float
    """Resident memory of all processes of browsers, at most."""


def crawl(seeds: list[str], output: Path, use: str, pages: int, *, learn: bool = True) -> Run:
    """Crawl as a user does, in a process of its own."""
    job = {
        "seeds": seeds,
        "output": str(output),
        "fetch": {"browser": use, "allow_addresses": ["127.0.0.0/8"]},
        "politeness": {"delay_s": 0},
        "limits": {"pages": pages},
        "extract": {"learn": learn},
        "scope": {"exclude": [r"\?id="]},  # docsify's links to headings, by the hundred
    }
    told = output.with_suffix(".yaml")
    told.write_text(yaml.safe_dump(job))
    command = [sys.executable, "-m", "crawler", "crawl", "--config", str(told), "--quiet"]
    with Measured() as group:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=group.enter)
        while process.poll() is None:
            group.look(process.pid)
            time.sleep(0.1)
        if process.returncode:
            raise SystemExit(f"the crawl of {seeds[0]} ended with {process.returncode}")
    lines = {}
    for name in ("pages", "duplicates", "failures", "skipped", "redirects"):
        with suppress(FileNotFoundError):
            for text in (output / f"{name}.jsonl").read_text().splitlines():
                line = json.loads(text)
                lines[line["url"]] = {"file": name, **line}
    return Run(lines, group.cpu_s, group.most_mb)


class Measured:
    """CPU of a process and all that it starts: by a control group, or by looking at /proc."""

    HOME = Path("/sys/fs/cgroup/cpuacct")

    def __init__(self) -> None:
        self.most_mb = 0.0
        self.cpu_s = 0.0
        self._group: Path | None = self.HOME / f"bench-{os.getpid()}"
        self._seen: dict[tuple[int, str], int] = {}

    def __enter__(self) -> Measured:
        try:
            assert self._group is not None
            self._group.mkdir()
        except OSError:
            self._group = None
        return self

    def enter(self) -> None:
        """In the new process: join the group."""
        if self._group is not None:
            (self._group / "cgroup.procs").write_text(str(os.getpid()))

    def look(self, root: int) -> None:
        """Look at the processes that live now."""
        children: dict[int, list[int]] = {}
        told: dict[int, tuple[str, list[str]]] = {}
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                name, _, rest = (process / "stat").read_text().partition("(")[2].rpartition(")")
                fields = rest.split()
                told[int(process.name)] = name, fields
                children.setdefault(int(fields[1]), []).append(int(process.name))
        left, memory = [root], 0.0
        while left:
            one = left.pop()
            left += children.get(one, [])
            if one in told:
                name, fields = told[one]
                self._seen[one, fields[19]] = int(fields[11]) + int(fields[12])
                if "chrom" in name:
                    with suppress(OSError, StopIteration):
                        shared = Path(f"/proc/{one}/smaps_rollup").read_text()
                        memory += next(
                            int(line.split()[1]) for line in shared.splitlines() if "Pss:" in line
                        )
        self.most_mb = max(self.most_mb, memory / 1024)

    def __exit__(self, *exc_info: object) -> None:
        if self._group is None:
            self.cpu_s = sum(self._seen.values()) / os.sysconf("SC_CLK_TCK")
            return
        self.cpu_s = int((self._group / "cpuacct.usage").read_text()) / 1e9
        with suppress(OSError):
            self._group.rmdir()


# --------------------------------------------------------------------------------------------------
# The tables


def f1(gold: str, text: str) -> float:
    """Return how far two texts have the same words, as multisets: 0..1."""
    ours, theirs = Counter(_WORD.findall(gold)), Counter(_WORD.findall(text))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


def measured(apps: list[App], name: str, work: Path, pages: int) -> str:
    """Crawl applications, and return a row of the table."""
    runs = {}
    for kind, use, most in (
        ("never", "never", pages),
        ("auto", "auto", pages),
        ("few", "auto", 12),
    ):
        with served(partial(serving, apps)) as web_:
            urls = [url for url, _ in web_.web]
            seeds = [url + path for url, app in zip(urls, apps, strict=True) for path in app.seeds]
            runs[kind] = urls, crawl(seeds, work / f"{name}-{kind}", use, most)
    urls, run = runs["auto"]
    found, gold, scores = 0, 0, []
    for url, app in zip(urls, apps, strict=True):
        for path, text in app.gold.items():
            gold += 1
            line = run.lines.get(url + path)
            if line is None or line["file"] != "pages":
                print(f"  {app.name} {path}: {line['file'] if line else 'not found'}")
                continue
            found += 1
            scores.append(f1(text, line["text"] or ""))
            if scores[-1] < 0.95:
                print(f"  {app.name} {path}: F1 {scores[-1]:.3f}")
    told = _rendered(run)
    requests = sum(one["requests"] for one in told)
    cpu_ms = 1000 * (run.cpu_s - runs["never"][1].cpu_s) / max(1, len(told))
    few = runs["few"][1]
    more = len(told) - len(_rendered(few))
    further = f"{1000 * (run.cpu_s - few.cpu_s) / more:.0f}" if more > LEAST_FURTHER else ""
    seconds = sum(one["seconds"] for one in told) / max(1, len(told))
    return (
        f"{name:<12}{found:>6} of {gold:<4}{sum(scores) / max(1, len(scores)):>6.3f}"
        f"{len(told):>10}{cpu_ms:>8.0f}{further:>9}{seconds:>8.2f}"
        f"{requests / max(1, len(told)):>10.1f}{run.browser_mb:>8.0f}"
    )


def _rendered(run: Run) -> list[dict[str, Any]]:
    return [line["rendered"] for line in run.lines.values() if line.get("rendered")]


def compared(site: str, corpora: Path, work: Path, pages: int) -> str:
    """Crawl a static site twice without a browser and once with it, and return a row of the table.

    No templates are learned: those of two crawls of one job differ, by which pages came first.
    """
    runs = []
    for number, use in enumerate(("never", "never", "auto")):
        with served(partial(serving_static, corpora, site)) as web_:
            run = crawl([web_.web], work / f"{site}-{number}", use, pages, learn=False)
            runs.append({url.split("/", 3)[3]: line for url, line in run.lines.items()})
    plain, again, auto = runs
    summary = json.loads((work / f"{site}-2" / "summary.json").read_text())
    tried = sum(part["pages"] for part in summary["rendered"])
    most = 3 + math.ceil(0.01 * len(auto))
    other, by_chance = (
        sum(
            any(plain[path].get(key) != lines[path].get(key) for key in ("file", "text"))
            for path in plain.keys() & lines.keys()
        )
        for lines in (auto, again)
    )
    both = len(plain.keys() & auto.keys())
    return f"{site:<18}{len(auto):>7}{tried:>10}{most:>9}{both:>9}{other:>9}{by_chance:>11}"


def main() -> None:
    """Measure from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("names", nargs="*", metavar="NAME")
    flags.add_argument("--cache", type=Path, default=Path(__file__).parent / "out" / "npm")
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, default=300)
    args = flags.parse_args()
    wanted = args.names or ["docsify", "react", "vue", "swagger", "made", "static"]
    args.cache.mkdir(parents=True, exist_ok=True)
    from_npm = {"docsify": docsify, "react": react, "vue": vue, "swagger": swagger}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        needed = [name for name in wanted if name in from_npm]
        found = packages(args.cache) if needed else None
        print(
            f"{'application':<12}{'pages':>14}{'F1':>6}{'rendered':>10}{'CPU ms':>8}{'further':>9}"
            f"{'s':>8}{'requests':>10}{'MB':>8}"
        )
        for name in needed if found else ():
            assert found is not None
            row = measured([from_npm[name](found)], name, work, args.pages)
            print(row, flush=True)
        if "made" in wanted:
            print(measured(made(), "made", work, args.pages), flush=True)
        sites = [site for site in STATIC if "static" in wanted or site in wanted]
        if sites and not (args.corpora / "sites").is_dir():
            print("the shared corpora are missing: without static sites")
            return
        if sites:
            print(
                f"{'site':<18}{'pages':>7}{'rendered':>10}{'at most':>9}{'in both':>9}{'other':>9}"
                f"{'by chance':>11}"
            )
        for site in sites:
            print(compared(site, args.corpora, work, args.pages), flush=True)


if __name__ == "__main__":
    main()
