"""A proxy in the environment is not used, and nobody has to find that out."""

from __future__ import annotations

import pytest

from crawler.cli.commands.jobs import warn_of_proxies
from crawler.config import parse_job


@pytest.mark.parametrize(
    ("seed", "told"), [("https://a.test/", True), ("http://127.0.0.1:8080/", False)]
)
def test_a_proxy_that_is_not_used_is_named(
    seed: str, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its variable is, but never its value, which may hold a password; not on this machine."""
    monkeypatch.setenv("https_proxy", "http://user:pass@proxy.test:3128")
    warn_of_proxies(parse_job({"seeds": [seed]}, "test"))
    out = "".join(capsys.readouterr())
    assert ("HTTPS_PROXY" in out) is told
    assert "pass" not in out
