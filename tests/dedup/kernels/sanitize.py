"""Run the tests of the kernels on kernels that watch every access to memory.

    make sanitize

They are compiled anew with AddressSanitizer and UndefinedBehaviorSanitizer (gcc), into a directory
of their own, and loaded in place of those that were installed: as this processor would have them,
then the search of the indexes for lesser ones. Any access out of bounds, use after
free or undefined operation ends the run with a report.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

TESTS = Path(__file__).parents[1]
KERNELS = TESTS.parents[1] / "crawler/dedup/kernels"

FLAGS = "-O1 -g -fwrapv -Wall -Wextra -Wno-missing-field-initializers -Werror -fPIC -shared".split()
SANITIZERS = "address,undefined"

LOADED_INSTEAD = """
import importlib.util, sys

class Sanitized:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "crawler.dedup.kernels._compiled":
            return importlib.util.spec_from_file_location(name, {library!r})

sys.meta_path.insert(0, Sanitized)
"""

PRINT_LOADED = "import crawler.dedup.kernels._compiled as kernels; print(kernels.__file__)"


def build(library: Path, most_variant: int) -> None:
    """Compile the kernels into a library with sanitizers, for processors up to some variant."""
    headers = sysconfig.get_paths()["include"]
    sources = map(str, sorted(KERNELS.glob("*.c")))
    variant = f"-DMOST_VARIANT={most_variant}"
    command = ["gcc", *FLAGS, variant, f"-fsanitize={SANITIZERS}", f"-I{headers}", *sources]
    subprocess.run([*command, "-o", str(library)], check=True)


def environment(place: Path, library: Path) -> dict[str, str]:
    """Return the environment in which Python loads that library and its sanitizers."""
    (place / "sitecustomize.py").write_text(LOADED_INSTEAD.format(library=str(library)))
    runtimes = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    return os.environ | {
        "PYTHONPATH": str(place),
        "PYTHONMALLOC": "malloc",  # one block for each object, so that its bounds are known
        "LD_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself leaves much behind
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


def run(most_variant: int, files: Sequence[Path]) -> int:
    """Build, run some files of tests, and return their exit code."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        library = place / "_compiled.so"
        build(library, most_variant)
        sanitized = environment(place, library)
        loaded = subprocess.check_output(
            [sys.executable, "-c", PRINT_LOADED], env=sanitized, text=True
        )
        if loaded.strip() != str(library):
            sys.exit(f"{loaded.strip()} was loaded, not {library}")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, files)]
        return subprocess.run(command, env=sanitized, check=False).returncode


def main() -> int:
    """Run all tests with the best variant, those of the indexes with the others."""
    everything = sorted([*TESTS.glob("test_*.py"), *TESTS.glob("kernels/test_*.py")])
    indexes = [TESTS / "kernels/test_kernels.py", TESTS / "test_block_index.py"]
    return max(run(2, everything), run(1, indexes), run(0, indexes))


if __name__ == "__main__":
    sys.exit(main())
