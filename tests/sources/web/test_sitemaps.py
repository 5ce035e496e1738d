"""Sitemaps of sites are found, read and followed like links; pages that nobody links to are found.

Real servers on loopback; what they were asked for is compared.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job
from support.output import lines, summary_of
from support.servers import Reply, redirect, response, serve
from support.sites import crawled

from crawler.models import UrlState
from crawler.storage.requeue import Wanted, put_back

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

ORPHANS = [f"/orphan/{n}" for n in range(3)]


def page(name: str, *links: str) -> bytes:
    """A page of its own, with links."""
    anchors = "".join(f'<a href="{link}">on</a>' for link in links)
    words = " ".join(f"{name} {n * 7} of {name}{n}" for n in range(30))
    return response(f"<title>{name}</title><p>{words}</p>{anchors}".encode())


def sitemap(paths: Iterable[str], tag: str = "url", root: str = "urlset") -> bytes:
    """A sitemap of paths, which are resolved against its own URL."""
    entries = "".join(f"<{tag}><loc>{path}</loc></{tag}>" for path in paths)
    return f"<{root}>{entries}</{root}>".encode()


def xml(body: bytes, kind: str | None = "application/xml") -> bytes:
    """Serve it as XML."""
    return response(body, content_type=kind)


SITE: Mapping[str, Reply] = {
    "/": page("home", "/linked"),
    "/linked": page("linked"),
    **{path: page(f"orphan{path[-1]}") for path in ORPHANS},
}


async def crawl(
    tmp_path: Path, routes: Mapping[str, Reply], seed: str = "/", **sections: Any
) -> list[str]:
    """Crawl a site from a seed; return the paths of stored pages, as they came."""
    async with serve({**SITE, **routes}) as site:
        job = loopback_job(tmp_path, [site.url + seed], fetch={"workers": 1}, **sections)
        await crawled(job)
        return [line["url"].removeprefix(site.url) for line in lines(tmp_path, "pages")]


def robots(*paths: str) -> bytes:
    """A robots.txt that names sitemaps by their paths, behind rules for somebody else."""
    named = "".join(f"Sitemap: {path}\n" for path in paths)
    return response(f"User-agent: other\nDisallow: /\n{named}".encode(), content_type="text/plain")


async def test_an_index_in_robots_txt_leads_to_pages_that_nobody_links_to(tmp_path: Path) -> None:
    """Each file is skipped as a sitemap, which its line says; pages name it as their referrer."""
    routes = {
        "/robots.txt": robots("/index.xml"),
        "/index.xml": xml(sitemap(["/a.gz", "/b.xml", "/index.xml"], "sitemap", "sitemapindex")),
        "/a.gz": xml(gzip.compress(sitemap(ORPHANS[:2])), "application/octet-stream"),
        "/b.xml": xml(sitemap([ORPHANS[2], "/linked", "http://elsewhere.test/"]), None),
    }
    found = await crawl(tmp_path, routes, sitemaps={"use": "robots"})
    assert sorted(found) == sorted(["/", "/linked", *ORPHANS])
    files = {line["url"].rpartition("/")[2]: line for line in lines(tmp_path, "skipped")}
    assert {name: line["detail"] for name, line in files.items()} == {
        "index.xml": "sitemap index: 3 sitemaps",
        "a.gz": "sitemap: 2 URLs",
        "b.xml": "sitemap: 3 URLs",
    }
    assert {line["reason"] for line in files.values()} == {"sitemap"}
    referrers = {line["url"]: line["referrer"] for line in lines(tmp_path, "pages")}
    assert {str(url).rpartition("/")[2] for url in referrers.values()} >= {"a.gz", "b.xml"}
    assert summary_of(tmp_path)["pending"] == 0


@pytest.mark.parametrize(
    ("use", "expected"),
    [("none", ["/", "/linked"]), ("robots", ["/", "/linked"]), ("guess", None)],
)
async def test_what_is_asked_for_is_for_the_job_to_say(
    tmp_path: Path, use: str, expected: list[str] | None
) -> None:
    """A sitemap that nothing names is asked for only where it may be guessed."""
    routes = {"/sitemap.xml": xml(sitemap(ORPHANS), "text/html")}
    found = await crawl(tmp_path, routes, sitemaps={"use": use})
    assert sorted(found) == sorted(expected or ["/", "/linked", *ORPHANS])


@pytest.mark.parametrize(
    "body",
    [
        sitemap(ORPHANS),
        b"<rss><channel>"
        + b"".join(b"<item><link>%s</link></item>" % path.encode() for path in ORPHANS)
        + b"</channel></rss>",
    ],
)
async def test_a_sitemap_or_feed_may_be_a_seed(tmp_path: Path, body: bytes) -> None:
    """Also where no others are read; what it lists is one link from the seed."""
    routes = {"/feed": xml(body, "application/rss+xml")}
    assert sorted(await crawl(tmp_path, routes, "/feed", limits={"depth": 1})) == ORPHANS
    assert {line["depth"] for line in lines(tmp_path, "pages")} == {1}


async def test_xml_that_lists_nothing_is_no_page(tmp_path: Path) -> None:
    """A seed of another kind of XML, and a page in place of a sitemap, end as what they are."""
    routes = {"/data.xml": xml(b"<data/>")}
    assert await crawl(tmp_path / "a", routes, "/data.xml") == []
    (line,) = lines(tmp_path / "a", "skipped")
    assert (line["reason"], line["detail"]) == ("content-type", "application/xml, no sitemap")
    routes = {"/sitemap.xml": page("not found, says a page")}
    assert await crawl(tmp_path / "b", routes, sitemaps={"use": "guess"}) == ["/", "/linked"]
    (line,) = lines(tmp_path / "b", "skipped")
    assert (line["reason"], line["detail"]) == ("content-type", "text/html, no sitemap")


async def test_limits_hold(tmp_path: Path) -> None:
    """No link may be followed: no sitemap is read. Files and URLs of a host are counted."""
    named = robots("/one.xml", "/two.xml")
    routes = {
        "/robots.txt": named,
        "/one.xml": xml(sitemap(ORPHANS)),
        "/two.xml": xml(sitemap(["/linked"])),
    }
    use = {"use": "robots"}
    assert await crawl(tmp_path / "a", routes, sitemaps=use, limits={"depth": 0}) == ["/"]
    few = {**use, "files": 1, "urls": 2}
    found = await crawl(tmp_path / "b", routes, sitemaps=few)
    assert sorted(found) == ["/", "/linked", *ORPHANS[:2]]
    (line,) = lines(tmp_path / "b", "skipped")
    assert line["detail"] == "sitemap: 2 URLs, 1 more than sitemaps.urls allows"


async def test_what_a_limit_left_out_is_taken_when_its_files_are_asked_for_again(
    tmp_path: Path,
) -> None:
    """Nothing is lost: `retry --class sitemap` puts files back, and a resume allows more."""
    routes = {
        "/robots.txt": robots("/index.xml"),
        "/index.xml": xml(sitemap(["/0.xml", "/1.xml"], "sitemap", "sitemapindex")),
        "/0.xml": xml(sitemap(ORPHANS[:2])),
        "/1.xml": xml(sitemap(ORPHANS[2:])),
    }
    async with serve({**SITE, **routes}) as site:
        use = {"use": "robots", "files": 2, "urls": 1}
        job = loopback_job(tmp_path, [f"{site.url}/"], fetch={"workers": 1}, sitemaps=use)
        await crawled(job)
        details = {line["detail"] for line in lines(tmp_path, "skipped")}
        assert "sitemap index: 1 sitemaps, 1 more than sitemaps.files allows" in details
        assert "sitemap: 1 URLs, 1 more than sitemaps.urls allows" in details
        wanted = Wanted(frozenset({(UrlState.SKIPPED, "sitemap")}), frozenset(), None)
        put_back(tmp_path, wanted, lambda line: None)
        await crawled({**job, "sitemaps": {"use": "robots"}}, resumed=True)
        found = [line["url"].removeprefix(site.url) for line in lines(tmp_path, "pages")]
    assert sorted(found) == sorted(["/", "/linked", *ORPHANS])


async def test_a_sitemap_may_have_moved(tmp_path: Path) -> None:
    """Where `/sitemap.xml` leads to another name, as in many sites, that is read as one."""
    routes = {
        "/sitemap.xml": redirect("/wp-sitemap.xml", 301),
        "/wp-sitemap.xml": xml(sitemap(ORPHANS)),
    }
    found = await crawl(tmp_path, routes, sitemaps={"use": "guess"})
    assert sorted(found) == sorted(["/", "/linked", *ORPHANS])


async def test_scope_and_robots_txt_hold_for_what_is_listed(tmp_path: Path) -> None:
    """A sitemap may lie beside the included directory, its pages may not; it obeys robots.txt."""
    routes = {
        "/robots.txt": robots("/sitemap.xml"),
        "/sitemap.xml": xml(sitemap([*ORPHANS, "/linked"])),
        "/orphan/": page("below"),
    }
    use = {"use": "robots"}
    found = await crawl(tmp_path / "a", routes, "/orphan/", sitemaps=use, scope={"mode": "path"})
    assert sorted(found) == ["/orphan/", *ORPHANS]
    text = b"User-agent: *\nDisallow: /sitemap\nSitemap: /sitemap.xml\n"
    forbidden = {**routes, "/robots.txt": response(text, content_type="text/plain")}
    assert await crawl(tmp_path / "b", forbidden, sitemaps=use) == ["/", "/linked"]
    (line,) = lines(tmp_path / "b", "skipped")
    assert line["reason"] == "robots"


async def test_a_resume_goes_on_with_sitemaps_that_wait(tmp_path: Path) -> None:
    """What was found before a run ended, sitemaps and pages, is asked for in the next one."""
    names = [f"/{n}.xml" for n in range(4)]
    routes = {
        "/robots.txt": robots("/index.xml"),
        "/index.xml": xml(sitemap(names, "sitemap", "sitemapindex")),
        **{name: xml(sitemap(ORPHANS)) for name in names},
    }
    async with serve({**SITE, **routes}) as site:
        queue = {"host_queue": 2}
        job = loopback_job(
            tmp_path,
            [f"{site.url}/"],
            fetch={"workers": 1},
            sitemaps={"use": "robots"},
            frontier=queue,
            limits={"pages": 1},
        )
        await crawled(job)
        assert summary_of(tmp_path)["pending"] > 0
        await crawled({**job, "limits": {}}, resumed=True)
        asked = [target for target in site.targets if target != "/robots.txt"]
    assert sorted(asked) == sorted(["/", "/linked", "/index.xml", *names, *ORPHANS])


async def test_many_sitemaps_without_news_are_no_trap(tmp_path: Path) -> None:
    """They bring no page themselves, however many there are."""
    names = [f"/maps/{n}.xml" for n in range(40)]
    routes = {
        "/robots.txt": robots(*names),
        **{name: xml(sitemap(["/linked"])) for name in names[:-1]},
        names[-1]: xml(sitemap(ORPHANS)),
    }
    found = await crawl(tmp_path, routes, sitemaps={"use": "robots"}, traps={"budget": 8})
    assert sorted(found) == sorted(["/", "/linked", *ORPHANS])
