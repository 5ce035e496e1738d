"""Whether what is built of the project can be installed and used where nothing else is.

    make check-packages

Builds the source distribution, and the wheel from that, and compares what is in them with the
package's files. Then installs three times, each into an environment of its own that knows nothing
of this directory, with the versions that are locked: the wheel; the source distribution where there
is a C compiler; and where there is none (`CC=false`). In each the program is asked for its version,
judges a small corpus, crawls the demo web, compares it with its truth and draws the report page;
then the library is used.
The verdicts of all three are the same. Last it asks cibuildwheel which wheels it would build by the
options in pyproject.toml. Ends with exit code 1 and a sentence at the first thing that is not so.

Needs the package registry and a C compiler. Two and a half minutes on 2 cores.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("crawler", "inline_crawler")
"""The program, and the name that the library is imported by."""
IMAGES = {".dockerignore", "Dockerfile", "requirements/build.txt", "requirements/run.txt"}
IMAGES |= {str(path.relative_to(ROOT)) for path in (ROOT / "deploy").iterdir()}
"""What containers are built of and started by (MANIFEST.in)."""
BESIDE = {"LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"} | IMAGES
"""Files of a source distribution beside the package."""
SOURCES_ONLY = (".c", ".h")
"""Suffixes of what a wheel has no use for, once it is compiled."""
LOCKS = ("dev", "build")
PLATFORMS = (("linux", "x86_64"), ("linux", "aarch64"), ("macos", "x86_64"), ("macos", "arm64"))
PYTHONS = ("cp311", "cp312", "cp313", "cp314")
WORDS = " ".join(f"word{number} follows word{number + 7}" for number in range(60))
CORPUS = [
    {"id": "first", "text": WORDS},
    {"id": "same", "text": WORDS},
    {"id": "near", "text": WORDS.replace("word30 ", "another ", 1)},
    {"id": "other", "text": " ".join(f"else{number} is new" for number in range(60))},
]
COPIES = {"same": ("exact-payload", "first"), "near": ("near", "first")}
AS_LIBRARY = """
from inline_crawler import Judge, extract
page = extract("<title>T</title><p>Some words of a page.", "https://a.example/")
with Judge.open("seen") as judge:
    assert judge.see(page.url, page.text).keep
"""
NO_COMPILER = "The compiled kernels are not there"
"""Begins what a run says at its start where nothing was compiled (`crawler.observe.parts`)."""


class Installation(NamedTuple):
    """One way to install the project: what of, in which environment, and which kernels it gives."""

    name: str
    suffix: str
    variables: Mapping[str, str]
    kernels: str


INSTALLATIONS = (
    Installation("wheel", ".whl", {"CC": "false"}, "C"),
    Installation("sdist-with-a-compiler", ".tar.gz", {}, "C"),
    Installation("sdist-without-a-compiler", ".tar.gz", {"CC": "false"}, "numpy"),
)


class Wrong(Exception):
    """Something is not as it must be; the message says what."""


def run(*words: object, variables: Mapping[str, str] | None = None, home: Path = ROOT) -> str:
    """Run a command and return all it says. Raises Wrong, with that, where it fails."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    known = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [str(word) for word in words]
    done = subprocess.run(
        command,
        cwd=home,
        env=known | dict(variables or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise Wrong(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Print what was done and how long it took, once it is done."""
    begun = time.monotonic()
    yield
    print(f"{time.monotonic() - begun:5.1f} s  {name}", flush=True)


def pinned() -> list[str]:
    """Return `name==version; markers` of every package that is locked, without hashes."""
    lines = (
        line
        for lock in LOCKS
        for line in (ROOT / f"requirements/{lock}.txt").read_text().splitlines()
    )
    return sorted({line.removesuffix("\\").strip() for line in lines if line[:1].isalnum()})


def build(place: Path, variables: Mapping[str, str]) -> dict[str, Path]:
    """Build both packages in an isolated environment; return suffix -> package."""
    run(sys.executable, "-m", "build", "--outdir", place, ROOT, variables=variables)
    found = {suffix: list(place.glob(f"*{suffix}")) for suffix in (".whl", ".tar.gz")}
    if any(len(paths) != 1 for paths in found.values()):
        raise Wrong(f"one wheel and one source distribution were expected: {found}")
    return {suffix: paths[0] for suffix, paths in found.items()}


def files_of_the_package() -> set[str]:
    """Return the files of the packages, C sources included, without what machines make of them."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.*"))
    made = (".pyc", ".so")
    kept = (path for path in paths if path.is_file() and path.suffix not in made)
    return {str(path.relative_to(ROOT)) for path in kept}


def check_files(packages: Mapping[str, Path]) -> str:
    """Compare what is in the packages with the package's files; return what was found."""
    files = files_of_the_package()
    with tarfile.open(packages[".tar.gz"]) as sdist:
        names = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    told = {name for name in names if ".egg-info/" not in name}
    _same("the source distribution", told, files | BESIDE)
    with zipfile.ZipFile(packages[".whl"]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    compiled = {name for name in held if name.endswith(".so")}
    if len(compiled) != 1:
        raise Wrong(f"the wheel has {len(compiled)} compiled modules, not one")
    python = {name for name in files if not name.endswith(SOURCES_ONLY)}
    _same("the wheel", held - compiled, python)
    data = sum(not name.endswith(".py") for name in python)
    return f"{len(python)} files of the package, {data} of them data, are in both"


def _same(where: str, found: set[str], expected: set[str]) -> None:
    if missing := sorted(expected - found):
        raise Wrong(f"{where} lacks {', '.join(missing)}")
    if more := sorted(found - expected):
        raise Wrong(f"{where} has {', '.join(more)}, which the package has not")


def check(one: Installation, package: Path, place: Path, variables: Mapping[str, str]) -> list[str]:
    """Install a package into an environment of its own and use it; return its verdicts."""
    home = place / one.name
    run(sys.executable, "-m", "venv", home / "env")
    python, program = home / "env/bin/python", home / "env/bin/crawler"
    with timed(f"{one.name}: installed"):
        install = (python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-compile")
        run(*install, package, variables={**variables, **one.variables}, home=home)
    for words in ((program,), (python, "-m", PACKAGES[0])):
        said = run(*words, "--version", home=home)
        if f"(kernels: {one.kernels}, " not in said:
            raise Wrong(f"{one.name}: {one.kernels} kernels were expected, and it says {said}")
    verdicts = _judged(one, program, home)
    with timed(f"{one.name}: used"):
        _crawled(one, program, home)
        run(program, "report", "demo", "--html", "page.html", home=home)
        run(python, "-c", AS_LIBRARY, home=home)
    return verdicts


def _judged(one: Installation, program: Path, home: Path) -> list[str]:
    """Return the lines of a small corpus's duplicates without this place, once they are right."""
    (home / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in CORPUS))
    said = run(program, "dedup", "corpus.jsonl", "--output", "judged", home=home)
    if (NO_COMPILER in said) != (one.kernels == "numpy"):
        raise Wrong(f"{one.name}: what it says of its kernels is not so: {said}")
    written = (home / "judged/duplicates.jsonl").read_text()
    duplicates = written.replace(str(home), "").splitlines()
    lines = map(json.loads, duplicates)
    found = {line["id"]: (line["verdict"], line["duplicate_of"]["id"]) for line in lines}
    if found != COPIES:
        raise Wrong(f"{one.name}: other verdicts than expected: {found}")
    return duplicates


def _crawled(one: Installation, program: Path, home: Path) -> None:
    """Crawl the demo web; what is found must be its truth."""
    said = run(program, "demo", "--articles", "10", "--output", "demo", home=home)
    rows = re.findall(r"^ +([a-z][\w :-]+?) +(\d+) +(\d+) +(\d+) *$", said, re.MULTILINE)
    if not rows or any((expected, "0") != (found, wrong) for _, expected, found, wrong in rows):
        raise Wrong(f"{one.name}: the demo web was not crawled as it must be:\n{said}")


def wheels_to_build() -> list[str]:
    """Return the wheels that cibuildwheel would build here of pyproject.toml, for all platforms."""
    tool = (sys.executable, "-m", "cibuildwheel", "--print-build-identifiers")
    found = [
        name
        for platform, machine in PLATFORMS
        for name in run(*tool, "--platform", platform, "--archs", machine).split()
    ]
    expected = {(python, machine) for python in PYTHONS for _, machine in PLATFORMS}
    told = {(name.partition("-")[0], name.partition("_")[2]) for name in found}
    if not expected <= told:
        raise Wrong(f"pyproject.toml names other wheels than expected: {found}")
    return found


def check_all(place: Path) -> str:
    """Build, install in each way and use; return what is so. Raises Wrong at what is not."""
    pins = place / "pins.txt"
    pins.write_text("".join(f"{line}\n" for line in pinned()))
    held = {name: str(pins) for name in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT")}
    with timed("built"):
        packages = build(place / "built", held)
    print(check_files(packages), flush=True)
    with ThreadPoolExecutor(max_workers=2) as two:  # a demo waits as long as it works
        found = list(
            two.map(lambda one: check(one, packages[one.suffix], place, held), INSTALLATIONS)
        )
    if any(verdicts != found[0] for verdicts in found):
        raise Wrong("verdicts differ between the installations")
    print(f"{len(wheels_to_build())} wheels are configured")
    return f"{len(found)} installations work, with the same verdicts"


def main() -> int:
    """Check everything and say what was found; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(check_all(Path(folder)))
        except Wrong as wrong:
            print(f"packages: {wrong}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
