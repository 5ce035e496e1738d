"""Web applications whose pages are made by scripts, and pages that do what they should not."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from support.servers import Reply, Request, Site, response, serve

WORDS = """harbour lantern orchard velvet mirror canyon thunder meadow copper violin glacier pepper
anchor feather marble saddle window basket pillar candle timber ribbon shelter garden valley bridge
castle forest island market museum palace temple tunnel village cottage kitchen library chapel
fountain station theatre factory hospital laboratory observatory university cathedral monastery
""".split()


def text_of(name: str, words: int = 90) -> str:
    """Return the text of a page, always the same for one name and like no other."""
    chance = random.Random(name)
    sentences = [" ".join(chance.choices(WORDS, k=9)) for _ in range(words // 9)]
    return ". ".join(f"{name.title()} {sentence}" for sentence in sentences) + "."


SHELL = b"""<!doctype html><html><head><title>App</title><link rel=stylesheet href=/app.css></head>
<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>
<script src=/app.js></script></body></html>"""

SCRIPT = """
const root = document.getElementById("root");
const name = location.hash.slice(2) || location.pathname.slice(1) || "home";
fetch("/api/" + name).then((answer) => answer.json()).then((page) => {
  document.title = page.title;
  root.innerHTML = "<main><h1>" + page.title + "</h1><p>" + page.text + "</p></main>";
  for (const link of page.links)
    root.innerHTML += "<p><a href='" + link + "'>on to " + link + "</a></p>";
  if (page.route) { history.pushState({}, "", page.route); history.back(); }
});
fetch("/api/hidden").catch(() => 0);
fetch("/count", {method: "POST", body: "1"}).catch(() => 0);
navigator.sendBeacon("/count", "1");
new Image().src = "/pixel.png";
"""

LINKS = {
    "home": ["/one", "/two", "#/three", "#section"],
    "one": ["/", "/four"],
    "two": ["/one"],
    "three": ["/two"],
    "four": [],
    "five": [],
}
ROUTES = {"two": "/five"}


@asynccontextmanager
async def app(
    hears: Callable[[Request], Awaitable[None]] | None = None,
) -> AsyncIterator[Site]:
    """Serve an application of six pages: one shell for all of them, texts by an API.

    `hears` is told of each request before it is answered.
    """

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if hears is not None:
            await hears(request)
        path, name = request.path, request.path.rpartition("/")[2]
        told = response(SHELL)
        if path == "/robots.txt":
            told = response(b"User-agent: *\nDisallow: /api/hidden\n", content_type="text/plain")
        elif path == "/app.js":
            told = response(SCRIPT.encode(), content_type="text/javascript")
        elif path.startswith("/api/"):
            page = {
                "title": f"The {name}",
                "text": text_of(name),
                "links": LINKS[name],
                "route": ROUTES.get(name),
            }
            told = response(json.dumps(page).encode(), content_type="application/json")
        writer.write(told)
        await writer.drain()

    async with serve(answer) as site:
        yield site


CARRIED = """
const {name, text, links} = JSON.parse(document.getElementById("data").textContent);
if (!root.children.length) {
  document.title = "The " + name;
  root.innerHTML = `<main><h1>The ${name}</h1><p>${text}</p>
    ${links.map((one) => `<p><a href="${one}">on to ${one}</a></p>`).join("")}</main>`;
}
"""


def carrying(count: int) -> dict[str, Reply]:
    """Return a site whose pages carry their data as JSON; each leads to the next one.

    The first also to one that the server has made of its data already.
    """
    replies: dict[str, Reply] = {
        "/carried.js": response(CARRIED.encode(), content_type="text/javascript")
    }
    paths = ["/", *(f"/p{n}" for n in range(1, count))]
    for path, following in zip((*paths, "/about"), (*paths[1:], "/", "/"), strict=True):
        links = [following] + ["/about"] * (path == "/")
        data = {"name": path, "text": text_of(path), "links": links}
        made = f"<main><p>{text_of(path)}</p><a href=/>home</a></main>" if path == "/about" else ""
        html = (
            f"<!doctype html><title>Loading</title><div id=root>{made}</div><script id=data "
            f"type=application/json>{json.dumps(data)}</script><script src=/carried.js></script>"
        )
        replies[path] = response(html.encode())
    return replies


def watching(*, brings: bool) -> dict[str, Reply]:
    """Return what a stranger serves who is told of each page, and may show something on it."""
    shows = f"document.body.insertAdjacentHTML('beforeend', '<p>{text_of('theirs')}</p>');"
    script = "fetch(`${new URL(document.currentScript.src).origin}/seen?${location.pathname}`"
    return {
        "/watch.js": response(
            f"{script}, {{mode: 'no-cors'}}); {shows if brings else ''}".encode(),
            content_type="text/javascript",
        ),
        "/seen": response(b"{}", content_type="application/json"),
    }


def page(body: str, script: str = "") -> bytes:
    """Return a page with one script of its own."""
    return response(
        f"<!doctype html><title>Page</title><body>{body}<script>{script}</script>".encode()
    )


def few_words(count: int) -> dict[str, Reply]:
    """Return a site of short pages, with a script that only counts."""
    links = "".join(f"<p><a href=/p{n}>page {n}</a></p>" for n in range(count))
    replies: dict[str, Reply] = {
        f"/p{n}": response(
            f"<title>Page {n}</title><p>{text_of(f'short {n}', 27)}</p>"
            "<script src=/count.js></script>".encode()
        )
        for n in range(count)
    }
    article = f"<title>Home</title><article><p>{text_of('home')}</p></article>{links}"
    replies["/"] = response(f"{article}<script src=/count.js></script>".encode())
    script = b"document.title += '!'; document.body.append('seen today')"
    replies["/count.js"] = response(script, content_type="text/javascript")
    return replies


def escaping(inside: int) -> str:
    """Return a script that tries every way to a port of this machine, and then says so."""
    return f"""
const url = "http://127.0.0.1:{inside}/";
const ways = [
  () => fetch(url), () => fetch("http://[::1]:{inside}/"), () => fetch("http://localhost:{inside}"),
  () => fetch(url, {{mode: "no-cors"}}), () => fetch(url, {{method: "POST", body: "x"}}),
  () => fetch("/redirect"), () => fetch("file:///etc/passwd"), () => fetch("chrome://version"),
  () => new WebSocket("ws://127.0.0.1:{inside}/"), () => navigator.sendBeacon(url, "x"),
  () => new EventSource(url), () => {{ new Image().src = url; }},
  () => {{ const made = new XMLHttpRequest(); made.open("GET", url); made.send(); }},
  () => new Worker(URL.createObjectURL(new Blob(["fetch('" + url + "')"]))),
  () => navigator.serviceWorker.register("/worker.js"),
  () => {{
    const call = new RTCPeerConnection({{iceServers: [{{urls: "stun:127.0.0.1:{inside}"}}]}});
    call.createDataChannel("x");
    call.createOffer().then((offer) => call.setLocalDescription(offer));
  }},
  () => {{ window.open(url); }}, () => import(url),
  () => {{ const link = document.createElement("a");
    Object.assign(link, {{href: url, target: "_blank"}}); document.body.append(link); link.click();
  }},
  ...["preload", "prefetch", "preconnect", "dns-prefetch", "stylesheet", "icon", "manifest"].map(
    (rel) => () => document.head.append(
      Object.assign(document.createElement("link"), {{rel, href: url, as: "script"}}))),
  ...["iframe", "embed", "script", "video"].map((name) => () => document.body.append(
      Object.assign(document.createElement(name), {{src: url}}))),
  () => {{ const form = document.createElement("form");
    Object.assign(form, {{action: url, method: "post"}}); document.body.append(form); form.submit();
  }},
  () => {{ location.href = url; }},
];
for (const way of ways) {{
  try {{ const tried = way(); if (tried && tried.catch) tried.catch(() => 0); }} catch (error) {{}}
}}
document.getElementById("root").innerText = {text_of("tried")!r};
"""
