"""`retry` as a user meets it: failed URLs are fetched after all, and every count says so."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator
from support.crawling import command, crawl, loopback_job
from support.output import lines, summary_of
from support.trap_web import Page, serve, words

from crawler.cli import main
from crawler.engine import schema
from crawler.frontier import PASSING
from crawler.frontier.failures import POLICY
from crawler.models import Failure
from crawler.storage.summary import write_summary

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

OLD = {f"/{n}" for n in range(3)}


class World:
    """A site with pages that are gone at first, and a host whose robots.txt fails at first."""

    def __init__(self) -> None:
        self.healed = False
        self.shut = {"shut.test"}

    def site(self, path: str) -> Page | None:
        """A start page, and others once the site is healed."""
        if path == "/":
            return Page("start", words("start", 40), (*sorted(OLD), "http://shut.test/x"))
        return Page(path, words(path, 60)) if path in OLD and self.healed else None

    def other(self, path: str) -> Page:
        """Pages of the host that is shut at first."""
        return Page(f"other {path}", words(f"other {path}", 60))

    def heal(self) -> None:
        """Answer everything from now on."""
        self.healed = True
        self.shut.clear()


def test_failed_urls_are_fetched_after_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """404s and a shut host, put back once both are healed, are stored; report and lines agree."""
    world, output = World(), tmp_path / "out"
    with serve({"a.test": world.site, "shut.test": world.other}, world.shut) as port:
        job = loopback_job(
            output,
            [f"http://a.test:{port}/"],
            fetch={"resolve": dict.fromkeys(("a.test", "shut.test"), "127.0.0.1")},
            politeness={"robots_wait_s": 0.2, "dead_after_s": 0.0},
            scope={"mode": "any"},
        )
        assert crawl(job) == 0
        assert summary_of(output)["failures"] == {"http-4xx": 3}
        _, shown, _ = command(capsys, "report", output)
        assert f"retry {output} --class robots-unreachable" in " ".join(shown.split())
        world.heal()

        before = (output / "state.sqlite").read_bytes()
        code, out, err = command(capsys, "retry", output)
        assert (code, out) == (0, f"{output}: put back: 0 URLs\n")
        assert "--class all" in err
        code, out, _ = command(capsys, "retry", output, "--class", "all", "--dry-run")
        assert out == f"{output}: would be put back: 3 URLs (http-4xx 3)\n"
        assert summary_of(output)["pending"] == 0
        code, out, _ = command(
            capsys, "retry", output, "--class", "http-4xx", "--host", f"a.test:{port}"
        )
        assert code == 0
        assert f"3 URLs (http-4xx 3)\nFetch them: python -m crawler resume {output}" in out
        assert main(["retry", str(output), "--class", "robots-unreachable"]) == 0
        assert (output / "state.sqlite").read_bytes() != before
        assert check_summary(output)["pending"] == 4
        assert main(["resume", str(output)]) == 0

    summary = check_summary(output)
    assert (summary["stored"], summary["pending"], summary["failures"]) == (5, 0, {})
    assert summary["retried"] == {"failures": 3, "skipped": 1}
    assert len(lines(output, "failures")) == 3
    assert len(lines(output, "skipped")) == 1
    _, shown, _ = command(capsys, "report", output)
    assert "= the sum of the above, and the output files agree" in shown
    assert "retry" not in shown
    assert command(capsys, "check", output)[0] == 0


def check_summary(output: Path) -> dict[str, object]:
    """Return the summary, after a look at its schema and whether its counts agree."""
    summary = summary_of(output)
    Draft202012Validator(schema("summary")).validate(summary)
    assert summary["identity_holds"]
    return summary


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--class", "tmieout-body"], ["--class tmieout-body: did you mean timeout-body?"]),
        (["--class", "qqq"], ["--class qqq: give one of: all, dns, connect"]),
        (["--host", "a b"], ["--host a b: give the name of a host"]),
        (["--host", "http://a.test/x"], ["--host http://a.test/x: give the name of a host"]),
        (["--older-than", "6"], ["'6' is no duration: write 500ms, 90s, 30m, 6h or 2d"]),
        (["--older-than", "-1h"], ["--older-than"]),
        ([], ["nowhere: no such directory"]),
    ],
)
def test_a_mistake_is_told_in_one_line(
    flags: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be meant is exit code 2, with what may be meant."""
    code, out, err = command(capsys, "retry", "nowhere", *flags)
    assert (code, out) == (2, "")
    for word in words:
        assert word in err


def test_what_may_pass_is_what_is_tried_again_at_once() -> None:
    """The default classes are those that the crawl itself retries, and given-up hosts."""
    assert {Failure.DNS, Failure.HTTP_SERVER_ERROR, Failure.HOST_UNREACHABLE} <= PASSING
    assert not PASSING & {Failure.HTTP_CLIENT_ERROR, Failure.REDIRECT_LOOP, Failure.ANALYSIS_CRASH}
    assert {failure for failure in PASSING if POLICY[failure].retries} == PASSING - {
        Failure.HOST_UNREACHABLE
    }


def test_a_url_that_was_retried_and_stored_is_explained_as_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`explain` takes the page and not the failure before it."""
    world, output = World(), tmp_path / "out"
    with serve({"a.test": world.site}) as port:
        resolve = {"resolve": {"a.test": "127.0.0.1"}}
        assert crawl(loopback_job(output, [f"http://a.test:{port}/"], fetch=resolve)) == 0
        world.heal()
        assert main(["retry", str(output), "--class", "all"]) == 0
        assert main(["resume", str(output)]) == 0
    two = (f"http://a.test:{port}/0", f"http://a.test:{port}/1")
    code, out, err = command(capsys, "explain", *two, "--output", output, "--json")
    assert code == 0, err
    assert orjson.loads(out)


@pytest.mark.parametrize("name", ["retry", "add"])
def test_repeated_after_a_kill_it_makes_the_summary_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What ended between the commit and the summary leaves one of before only until then."""
    output = tmp_path / "out"
    world = World()
    with serve({"a.test": world.site}) as port:
        resolve = {"resolve": {"a.test": "127.0.0.1"}}
        assert crawl(loopback_job(output, [f"http://a.test:{port}/"], fetch=resolve)) == 0
        write_summary(output)
        more = ["--class", "all"] if name == "retry" else [f"http://a.test:{port}/more"]

        def killed(directory: Path) -> None:
            raise SystemExit(137)

        with monkeypatch.context() as patched:
            patched.setattr(f"crawler.cli.commands.{name}.write_summary", killed)
            assert command(capsys, name, output, *more)[0] == 137
        assert summary_of(output)["pending"] == 0
        assert command(capsys, name, output, *more)[0] == 0
        assert summary_of(output)["pending"] > 0
