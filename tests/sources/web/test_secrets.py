"""A whole crawl with every kind of secret: none is in what it writes, prints or logs."""

from __future__ import annotations

import asyncio
import gzip
import os
from base64 import b64encode
from pathlib import Path

import yaml
from support.crawling import finished, program
from support.proxies import http_proxy
from support.servers import Request, response, serve

SECRETS = {
    "G_LOGIN": "anna:geheim-login",
    "G_TOKEN": "geheim-token",
    "G_KEY": "geheim-key",
}
COOKIE = "geheim-cookie"
PROXY = "bert:geheim-proxy"
MARKS = [b"geheim", *(b64encode(text.encode()) for text in (SECRETS["G_LOGIN"], PROXY))]
"""What must not be found anywhere."""


async def command(*words: str, **environment: str) -> bytes:
    """Run a command of the crawler, with secrets in its environment; return all that it prints."""
    process = program(*words, env={**os.environ, **SECRETS, "CRAWLER_LOG": "DEBUG", **environment})
    code, out, err = await asyncio.to_thread(finished, process)
    assert code == 0, err
    return (out + err).encode()


def page(*links: str) -> bytes:
    """Return a page of some length with links."""
    text = " ".join(f"word{n} of {links}" for n in range(80))
    return response(f"<p>{text}</p>{''.join(f'<a href={x}>x</a>' for x in links)}".encode())


async def test_no_secret_is_written_or_printed(tmp_path: Path) -> None:
    """Not in state, lines, archives, summary, exports or logs; and each host has got its own."""
    output, job_file = tmp_path / "out", tmp_path / "job.yaml"
    cookies = tmp_path / "cookies.txt"
    cookies.write_text(f"c.example\tFALSE\t/\tFALSE\t0\tsid\t{COOKIE}\n")
    answers = {
        "/": page("/a", "http://b.example/", "http://c.example/", "http://k.example/"),
        "/a": page("/"),
        "/robots.txt": response(b"", content_type="text/plain"),
    }

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(answers.get(request.path, response(b"", status=404)))

    async with serve(answer) as site:
        names = [f"{letter}.example" for letter in "abck"]
        async with http_proxy({f"{n}:80": site.port for n in names}, login=PROXY) as proxy:
            job = {
                "seeds": ["http://a.example/"],
                "scope": {"mode": "any"},
                "politeness": {"delay_s": 0},
                "fetch": {
                    "proxy_env": "G_PROXY",
                    "cookies": str(cookies),
                    "logins_over_http": True,
                },
                "hosts": {
                    "a.example": {"basic_env": "G_LOGIN"},
                    "b.example": {"token_env": "G_TOKEN"},
                    "k.example": {"headers_env": {"X-Api-Key": "G_KEY"}},
                },
                "storage": {"warc": True},
            }
            job_file.write_text(yaml.safe_dump(job))
            through = proxy.url.replace("://", f"://{PROXY}@")
            printed = await command(
                *("crawl", "--config", str(job_file), "--output", str(output)), G_PROXY=through
            )
    printed += await command("check", str(output))
    printed += await command("report", str(output))
    printed += await command("export", str(output), "--output", str(tmp_path / "export"))
    opened = {
        (request.headers["host"], name)
        for request in site.requests
        for name in ("authorization", "cookie", "x-api-key")
        if name in request.headers
    }
    assert opened == {
        ("a.example", "authorization"),
        ("b.example", "authorization"),
        ("c.example", "cookie"),
        ("k.example", "x-api-key"),
    }
    written = [path for path in _files(tmp_path) if path != cookies]
    assert any("warc" in path.name for path in written)
    for mark in MARKS:
        assert mark not in printed, mark
        for path in written:
            assert mark not in _bytes(path), (mark, path)


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def _bytes(path: Path) -> bytes:
    """Return what a file holds, decompressed where it is an archive."""
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
