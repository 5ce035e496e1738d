"""`make fuzz`: the targets of `fuzz_targets.py` under atheris, one after another.

Each target runs in a process of its own, guided by the coverage of our code. What it learns stays
in `fuzz-out/TARGET/corpus` for the next time. A finding (an exception, a broken promise, an input
that takes longer than SLOW_S or more than MEMORY_MB) is written to `fuzz-out/TARGET/`, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # for `support`

OUTPUT = Path("fuzz-out")
SLOW_S = 20
MEMORY_MB = 3000
MAX_INPUT_BYTES = 16_384
BEAT_S = 5.0
_FINDING = re.compile(r"Test unit written to (\S+)")
_PROGRESS = re.compile(r"#(\d+)\s.*?cov: (\d+).*?corp: (\d+)")


def main() -> int:
    """Fuzz the chosen targets; 1 if anything was found, 2 if atheris is missing."""
    arguments = _arguments()
    if arguments.inside:
        return _fuzz(arguments.targets[0], arguments.seconds)
    from fuzz_targets import TARGETS

    unknown = [name for name in arguments.targets if name not in TARGETS]
    if unknown:
        print(f"unknown targets {', '.join(unknown)}; there are: {', '.join(TARGETS)}")
        return 2
    names = arguments.targets or list(TARGETS)
    if arguments.repeat:
        TARGETS[names[0]].run(arguments.repeat.read_bytes())
        print(f"{names[0]}: {arguments.repeat} is handled")
        return 0
    return _fuzz_all(names, arguments.seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all of them if none is given")
    parser.add_argument("--seconds", type=int, default=60, help="for each target; 60 if not given")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="run one input and tell")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _fuzz_all(names: list[str], seconds: int) -> int:
    findings = []
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name}: {seconds} s", flush=True)
        code, found = _watch(name, seconds)
        if code == 2:
            return 2
        findings += found
        if code and not found:
            findings.append(f"{name}: ended with code {code}, see {OUTPUT / name / 'log'}")
    print("\n".join(findings) if findings else "Nothing found.")
    return 1 if findings else 0


def _watch(name: str, seconds: int) -> tuple[int, list[str]]:
    """Run one target in a process; print how far it is; return its exit code and findings."""
    place = OUTPUT / name
    (place / "corpus").mkdir(parents=True, exist_ok=True)
    _write_seeds(name, place / "corpus")
    command = [sys.executable, __file__, name, "--seconds", str(seconds), "--inside"]
    found: list[str] = []
    with (
        (place / "log").open("w") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process,
    ):
        for line in _logged(process, log.write):
            if match := _FINDING.search(line):
                again = f"python {__file__} {name} --repeat {match[1]}"
                found.append(f"{name}: {match[1]} (again: {again}; trace: {place / 'log'})")
                print(f"    FOUND {match[1]}", flush=True)
    if process.returncode == 2:
        print((place / "log").read_text())
    return process.returncode, found


def _logged(process: subprocess.Popen[str], write: object) -> Iterator[str]:
    """Yield the lines of a target's process; log all, and print its progress every BEAT_S."""
    assert process.stdout is not None
    assert callable(write)
    told = time.monotonic()
    for line in process.stdout:
        write(line)
        yield line
        match = _PROGRESS.search(line)
        if match and time.monotonic() - told > BEAT_S:
            told = time.monotonic()
            print(f"    {int(match[1]):,} runs, {match[2]} branches, {match[3]} inputs", flush=True)


def _write_seeds(name: str, corpus: Path) -> None:
    from fuzz_targets import TARGETS

    for seed in TARGETS[name].seeds:
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def _fuzz(name: str, seconds: int) -> int:
    """Run one target in this process, which atheris ends."""
    try:
        import atheris
    except ImportError:
        print("atheris is missing: make fuzz installs it (Linux and macOS)")
        return 2
    with atheris.instrument_imports(include=["crawler"]):
        from fuzz_targets import TARGETS
    place = OUTPUT / name
    atheris.Setup(
        [
            sys.argv[0],
            str(place / "corpus"),
            f"-artifact_prefix={place}/",
            f"-max_total_time={seconds}",
            f"-max_len={MAX_INPUT_BYTES}",
            f"-timeout={SLOW_S}",
            f"-rss_limit_mb={MEMORY_MB}",
        ],
        TARGETS[name].run,
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
