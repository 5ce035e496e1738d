"""What average and difference hashes of a page's first screen are good for, by thresholds.

Made pages of four layouts are rendered by Chromium, each as it is and changed in ways in which
pages that are one, or are not, differ on real sites: `python -m benchmarks.pictures`. Pairs are
`same` where a reader would call the pages one (a cookie banner, pictures that load late, another
shade, a changed word), `other` where not (another article, other pictures, another page of the
template, another layout).
"""

from __future__ import annotations

import asyncio
import os
import random
from itertools import combinations

from playwright.async_api import async_playwright

from crawler.config import Job
from crawler.dedup.pictures import picture_of
from crawler.fetch.browser import program
from crawler.models import Picture

PAGES = 12
"""Of each layout."""
WORDS = (
    "harbour lantern orchard velvet mirror canyon thunder meadow copper violin glacier pepper "
    "anchor feather marble saddle window basket pillar candle timber ribbon shelter garden"
).split()
THRESHOLDS = (0, 2, 5, 8, 10, 14)


def picture(chance: random.Random, width: int, height: int, *, loaded: bool = True) -> str:
    """Return a drawing, or the empty box that stands there until it is loaded."""
    if not loaded:
        return f"<div style='width:{width}px;height:{height}px;background:#eee'></div>"
    shapes = "".join(
        f"<circle cx='{chance.randrange(width)}' cy='{chance.randrange(height)}' "
        f"r='{chance.randrange(20, height // 2)}' fill='hsl({chance.randrange(360)} 70% "
        f"{chance.randrange(10, 90)}%)'/>"
        for _ in range(9)
    )
    return f"<svg width='{width}' height='{height}' style='background:#456'>{shapes}</svg>"


def text(chance: random.Random, words: int) -> str:
    """Return a paragraph."""
    return f"<p>{' '.join(chance.choices(WORDS, k=words))}</p>"


def made(layout: str, number: int, change: str = "") -> str:
    """Return a page of a layout, as it is or with one change."""
    chance = random.Random(f"{layout} {number}")
    paper, ink, brand = "#fff", "#222", "#246"
    if change == "shade":
        paper, brand = "#f4f4f8", "#357"
    if change == "dark":
        paper, ink, brand = "#16181d", "#ddd", "#79c"
    loaded = change != "lazy"
    head = (
        f"<header style='background:{brand};color:#fff;padding:20px'>The Site of {layout}</header>"
    )
    if layout == "article":
        body = f"<h1>{' '.join(chance.choices(WORDS, k=5))}</h1>" + "".join(
            text(chance, chance.randrange(60, 120)) for _ in range(5)
        )
    elif layout == "gallery":
        body = "<div style='display:flex;flex-wrap:wrap;gap:12px'>" + "".join(
            picture(chance, 380, 260, loaded=loaded) for _ in range(9)
        )
    elif layout == "viewer":
        body = picture(chance, 1200, 900, loaded=loaded)
    else:
        rows = "".join(
            f"<tr><td>{chance.choice(WORDS)}<td>{chance.randrange(10**6)}" for _ in range(30)
        )
        body = f"<h1>{chance.choice(WORDS)}</h1><table border=1 width=700>{rows}</table>"
    if change == "word":
        body = body.replace("<p>", "<p>today ", 1).replace("<td>", "<td>today ", 1)
    banner = (
        "<div style='position:fixed;bottom:0;left:0;right:0;background:#fff;padding:40px;"
        "box-shadow:0 0 9px #000'>We use cookies. <button>Accept</button></div>"
        if change == "banner"
        else ""
    )
    return (
        f"<body style='margin:0;font:18px sans-serif;background:{paper};color:{ink}'>{head}"
        f"<main style='padding:20px'>{body}</main>{banner}"
    )


CHANGES = ("", "word", "shade", "dark", "banner", "lazy")
LAYOUTS = ("article", "gallery", "viewer", "table")


async def pictures() -> dict[tuple[str, int, str], Picture]:
    """Return the picture of every page that shows something."""
    found = {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program(Job()), chromium_sandbox=os.geteuid() != 0
        )
        page = await browser.new_page(viewport={"width": 1280, "height": 1024})
        for layout in LAYOUTS:
            for number in range(PAGES):
                for change in CHANGES:
                    await page.set_content(made(layout, number, change))
                    if (seen := picture_of(await page.screenshot())) is not None:
                        found[layout, number, change] = seen
        await browser.close()
    return found


def main() -> None:
    """Print how many pairs of each kind are within each threshold."""
    found = asyncio.run(pictures())
    kinds: dict[str, list[tuple[int, int]]] = {}
    for layout in LAYOUTS:
        for change in CHANGES[1:]:
            kinds[f"same, {change}: {layout}"] = [
                apart(found[layout, n, ""], found[layout, n, change])
                for n in range(PAGES)
                if (layout, n, "") in found and (layout, n, change) in found
            ]
        plain = [found[layout, n, ""] for n in range(PAGES) if (layout, n, "") in found]
        kinds[f"other page: {layout}"] = [apart(*pair) for pair in combinations(plain, 2)]
    kinds["other layout"] = [
        apart(found[one], found[other])
        for one, other in combinations([key for key in found if not key[2]], 2)
        if one[0] != other[0]
    ]
    heads = "".join(f"{f'<= {limit}':>8}" for limit in THRESHOLDS)
    print(f"{'share of pairs by average hash':<34}{'pairs':>6}{heads}{'same':>8}")
    for kind, pairs in kinds.items():
        shares = [sum(a <= limit for a, _ in pairs) / len(pairs) for limit in THRESHOLDS]
        same = sum(a <= 5 and d <= 10 for a, d in pairs) / len(pairs)
        print(f"{kind:<34}{len(pairs):>6}" + "".join(f"{n:>8.0%}" for n in (*shares, same)))


def apart(one: Picture, other: Picture) -> tuple[int, int]:
    """Return in how many bits the two hashes of two pictures differ."""
    return (
        (one.average ^ other.average).bit_count(),
        (one.difference ^ other.difference).bit_count(),
    )


if __name__ == "__main__":
    main()
