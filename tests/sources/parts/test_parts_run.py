"""A corpus judged in parts: the output of one machine, however often it was interrupted."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import AsyncGenerator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest
import zstandard
from support.analysing import no_processes
from support.documents import dedup, edited, mixed, outcome, text, write
from support.output import lines, summary_of

from crawler.config import Job, load_job
from crawler.console import Say
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreError
from crawler.sources.corpus import CorpusJob, CorpusRun, believing, corpus_identity, open_store
from crawler.sources.event_loop import run_work
from crawler.sources.inputs import expand
from crawler.sources.parts.driver import Executor, PartsRun, Task, in_process, is_judged
from crawler.sources.parts.files import GroupFile, frames, pack, publishing, write_groups
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Counting:
    """Does tasks here, and fails at one of them, as a machine that is lost."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.names: list[str] = []
        self._fails_at = fails_at

    async def __call__(self, tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
        """See Executor."""
        for task in tasks:
            if self._fails_at == len(self.names):
                raise StoreError("a machine was lost")
            self.names.append(task.func.__name__)  # type: ignore[attr-defined]
            async for _ in in_process([task]):
                yield


class Elsewhere:
    """Does tasks as another machine has them: by pickle, and in a directory of its own."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._directory = directory
        self._monkeypatch = monkeypatch

    async def __call__(self, tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
        """See Executor."""
        for task in tasks:
            home = Path.cwd()
            self._monkeypatch.chdir(self._directory)
            async for _ in in_process([pickle.loads(pickle.dumps(task))]):
                self._monkeypatch.chdir(home)
                yield


def opened(output: Path, *files: Path, **settings: Any) -> tuple[CorpusJob, Store]:
    """Return a corpus and its store; `skip_bad` is asked for unless told otherwise."""
    skip_bad = settings.pop("skip_bad", True)
    job: Job = believing(load_job(None, {"output": str(output), **settings}))
    corpus = CorpusJob(job, expand([str(file) for file in files]), skip_bad=skip_bad)
    return corpus, open_store(corpus, corpus_identity(corpus, identity(job)))


def silent(_: object) -> None:
    """Say nothing."""


def whole(output: Path, *files: Path, **settings: Any) -> None:
    """Judge files as one machine does."""
    corpus, store = opened(output, *files, **settings)
    assert run_work(lambda: CorpusRun(corpus, store), store, silent) == 0


def in_parts(
    output: Path,
    *files: Path,
    executor: Executor | None = None,
    say: Say = silent,
    **settings: Any,
) -> None:
    """Judge files in parts of a few documents, and bundles too."""
    corpus, store = opened(output, *files, **settings)
    does = executor or in_process
    sizes = {"part_bytes": 10_000, "bundle_documents": 7}
    assert run_work(lambda: PartsRun(corpus, store, does, say=say, **sizes), store, say) == 0


def same(one: Path, other: Path) -> bool:
    """Whether two outputs have the same lines and the same figures but for times."""
    return outcome(one) == outcome(other) and untimed(summary_of(one)) == untimed(summary_of(other))


def untimed(figures: Any) -> Any:
    """Return figures without times, and seconds of whatever."""
    if not isinstance(figures, dict):
        return figures
    kept = (name for name in figures if not name.endswith(("_s", "_at")))
    return {name: untimed(figures[name]) for name in kept}


def shards(directory: Path) -> list[Path]:
    """Write a corpus in several files, of lines, rows and pages, with what is bad among them."""
    directory.mkdir(exist_ok=True)
    files = [mixed(directory / "a.jsonl", 170)]
    dice = random.Random(5)
    rows = [{"id": n, "text": dice.choice([text, edited])(dice.randrange(200))} for n in range(90)]
    files.append(directory / "b.parquet")
    pq.write_table(pa.Table.from_pylist(rows), files[1], row_group_size=30)
    for n in range(5):
        files.append(directory / f"page{n}.html")
        files[-1].write_text(f"<title>{n}</title><p>{text(n // 2)}</p>", encoding="utf-8")
    files.append(write(directory / "z.jsonl", [{"text": text(n)} for n in range(20)]))
    return files


class Judged(NamedTuple):
    """A corpus, and what one machine made of it by default settings."""

    files: list[Path]
    whole: Path


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Judge a corpus once."""
    home = tmp_path_factory.mktemp("judged")
    files = shards(home / "in")
    with no_processes():
        whole(home / "one", *files)
    return Judged(files, home / "one")


@pytest.mark.parametrize(
    "dedup_settings",
    [
        {"near": "tag", "siblings": "tag"},
        {"near": "keep"},
        {"siblings": "drop", "threshold": 0.6, "distance": 7, "index": "tables"},
    ],
)
def test_the_output_is_that_of_one_machine(tmp_path: Path, dedup_settings: dict[str, Any]) -> None:
    """Lines are the same to the byte, figures but for times, whatever the settings ask for."""
    files = shards(tmp_path / "in")
    whole(tmp_path / "one", *files, dedup=dedup_settings)
    said: list[str] = []
    in_parts(
        tmp_path / "parts", *files, dedup=dedup_settings, say=lambda line: said.append(str(line))
    )
    assert same(tmp_path / "one", tmp_path / "parts")
    assert lines(tmp_path / "parts", "skipped")
    assert any("parts read: 5 of" in line for line in said), "files were cut into parts"
    assert not (tmp_path / "parts" / "parts").exists()


@pytest.fixture(scope="module")
def every_task(judged: Judged, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the tasks of a run that was never lost, in their order."""
    every = Counting()
    with no_processes():
        in_parts(tmp_path_factory.mktemp("again") / "out", *judged.files, executor=every)
    return every.names


@pytest.mark.parametrize("fails_at", [3, 40])
def test_a_lost_run_goes_on_without_doing_anything_again(
    tmp_path: Path, judged: Judged, every_task: list[str], fails_at: int
) -> None:
    """What was done before is not done again, and the result is the same."""
    first, second = Counting(fails_at), Counting()
    with pytest.raises(StoreError, match="lost"):
        in_parts(tmp_path / "parts", *judged.files, executor=first)
    in_parts(tmp_path / "parts", *judged.files, executor=second)
    assert first.names + second.names == every_task
    assert same(judged.whole, tmp_path / "parts")


def test_tasks_depend_on_no_directory_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative names of files and of the output mean the same wherever a task is done."""
    (tmp_path / "away").mkdir()
    shards(tmp_path / "in")
    monkeypatch.chdir(tmp_path)
    whole(Path("one"), Path("in"))
    in_parts(Path("parts"), Path("in"), executor=Elsewhere(tmp_path / "away", monkeypatch))
    assert same(tmp_path / "one", tmp_path / "parts")
    assert list((tmp_path / "away").iterdir()) == []


@pytest.mark.parametrize("records", [[], [b"{"], [{"text": "short"}], [{"text": text(1)}] * 3])
def test_small_corpora(tmp_path: Path, records: list[Any]) -> None:
    """Files without documents, without readable ones, and without unlike ones are judged too."""
    files = [write(tmp_path / f"{n}.jsonl", found) for n, found in enumerate(([], records, []))]
    whole(tmp_path / "one", *files)
    in_parts(tmp_path / "parts", *files)
    assert same(tmp_path / "one", tmp_path / "parts")


def test_other_settings_begin_anew(tmp_path: Path) -> None:
    """Parts that were read otherwise are not taken for those of this run."""
    corpus = mixed(tmp_path / "c.jsonl", 160)
    with pytest.raises(StoreError, match="lost"):
        in_parts(tmp_path / "out", corpus, executor=Counting(4))
    second = Counting()
    in_parts(tmp_path / "out", corpus, executor=second, dedup={"near": "tag"})
    assert "sign" in second.names
    whole(tmp_path / "one", corpus, dedup={"near": "tag"})
    assert same(tmp_path / "one", tmp_path / "out")


def test_a_bad_document_stops_the_run_where_it_stops_one_machine(tmp_path: Path) -> None:
    """All before it is written; with --skip-bad the same files go on, and nothing is read again."""
    corpus = mixed(tmp_path / "c.jsonl", 160)
    with pytest.raises(InputError, match=r"c\.jsonl:101"):
        in_parts(tmp_path / "parts", corpus, skip_bad=False)
    with pytest.raises(InputError, match=r"c\.jsonl:101"):
        whole(tmp_path / "one", corpus, skip_bad=False)
    assert same(tmp_path / "one", tmp_path / "parts")
    again = Counting()
    in_parts(tmp_path / "parts", corpus, executor=again)
    whole(tmp_path / "one", corpus)
    assert again.names == []
    assert same(tmp_path / "one", tmp_path / "parts")


def test_a_run_that_is_over_does_nothing(tmp_path: Path) -> None:
    """The same command after the end judges nothing again: --write may be asked for later."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(n % 3)} for n in range(9)])
    in_parts(tmp_path / "parts", corpus)
    before = outcome(tmp_path / "parts")
    again = Counting()
    in_parts(tmp_path / "parts", corpus, executor=again)
    assert again.names == []
    assert outcome(tmp_path / "parts") == before
    _, store = opened(tmp_path / "parts", corpus)
    assert is_judged(store)
    store.close()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--method", "simhash"), "verified"),
        (("--against", "other"), "--against"),
        (("-",), "standard input"),
    ],
)
def test_what_cannot_be_judged_in_parts(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flags: tuple[str, ...],
    told: str,
) -> None:
    """Other methods, earlier runs and pipes are refused before anything is written."""
    monkeypatch.setattr("crawler.cli.commands.dedup.load_ray", lambda address, what: None)
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    assert dedup(corpus, *flags, "--engine", "ray", "--output", tmp_path / "out") == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_ray_one_sentence_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Ray is not installed nothing of it is imported, and the exit code is 2."""
    monkeypatch.setitem(sys.modules, "ray", None)
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    assert dedup(corpus, "--engine", "ray", "--output", tmp_path / "out") == 2
    assert "pip install 'inline-crawler[cluster]'" in capsys.readouterr().err
    assert dedup(corpus, "--output", tmp_path / "out") == 0


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """What fails in the middle leaves nothing under the name, and nothing beside it."""

    def groups() -> Any:
        yield 1, b"one"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_groups(tmp_path / "file", groups())
    assert list(tmp_path.iterdir()) == []
    write_groups(tmp_path / "file", [(1, b"one"), (1, b"more"), (7, b"seven")])
    file = GroupFile(tmp_path / "file")
    assert [file.between(*of) for of in ((0, 1), (1, 2), (1, 8), (2, 9))] == [
        b"", b"onemore", b"onemoreseven", b"seven",
    ]  # fmt: skip
    assert file.sizes == {1: 7, 7: 5}
    with pytest.raises(StoreError, match="cannot be written"), publishing(tmp_path / "file" / "x"):
        pass


def test_files_between_stages_make_nothing_but_data(tmp_path: Path) -> None:
    """A frame that names a function to call is refused: it is no value of ours."""

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "made",))

    packed = zstandard.ZstdCompressor().compress(pickle.dumps(Evil()))
    framed = len(packed).to_bytes(4, "little") + packed
    for data in (framed, framed[:-3], b"\1\0\0\0x"):
        with pytest.raises(StoreError, match="damaged"):
            list(frames(BytesIO(data)))
    assert not (tmp_path / "made").exists()
    assert list(frames(BytesIO(pack([1, "two"]) * 2))) == [[1, "two"]] * 2


@pytest.mark.parametrize("module", ["pathlib", "pathlib._local"])
def test_paths_between_stages_are_read_by_any_python(module: str) -> None:
    """Python 3.13 pickles them by another module than the versions before and after it."""
    packed = f"c{module}\nPosixPath\n(V/a\ntR.".encode()
    framed = len(packed).to_bytes(4, "little") + packed
    assert list(frames(BytesIO(framed))) == [Path("/a")]
