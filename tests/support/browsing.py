"""Headless Chromium, told what to do over its own protocol (Chrome DevTools)."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from crawler.fetch.browser import PROGRAMS

CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason=f"no Chromium is installed (looked for {', '.join(PROGRAMS)})"
)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
LONGEST_S = 600


class Tab:
    """One page that is open."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._calls = 0
        self._session: str | None = None

    async def open(self, url: str) -> None:
        """Show a page."""
        target = (await self._call("Target.createTarget", url="about:blank"))["targetId"]
        attached = await self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        await self._call("Page.navigate", url=url)

    async def evaluate(self, script: str) -> Any:
        """Return what an expression is; waits where that is a promise."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        told = await self._call("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until an expression holds in the page."""
        async with asyncio.timeout(LONGEST_S):
            await self.evaluate(
                "new Promise((done) => { const look = () => "
                f"({condition}) ? done() : setTimeout(look, 10); look(); }})"
            )

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._calls += 1
        asked: dict[str, Any] = {"id": self._calls, "method": method, "params": parameters}
        if self._session is not None:
            asked["sessionId"] = self._session
        await self._socket.send_json(asked)
        while True:
            told = await self._socket.receive_json()
            if told.get("id") == self._calls:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result


@asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Tab]:
    """Run Chromium while the context lasts, with a new profile."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        *(CHROMIUM, *FLAGS, f"--user-data-dir={profile}"), stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(LONGEST_S):
            line = b""
            while not line.startswith(b"DevTools listening on "):
                line = await process.stderr.readline()
                assert line, "Chromium has ended"
        address = line.decode().split()[-1]
        async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
            yield Tab(socket)
    finally:
        process.terminate()
        await process.communicate()
