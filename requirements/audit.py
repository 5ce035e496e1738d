"""Known vulnerabilities of everything the lock files pin, by pip-audit.

pip-audit ends well also where it could look up nothing at all. Here a package that was not looked
up is named as not checked. Exit code: 0 nothing known, or nothing could be checked and that is
said; 1 a known vulnerability; 3 not everything was checked, with `--strict`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LOCKS = ("build.txt", "dev.txt", "bench.txt", "fuzz.txt", "crawlers.txt", "tools.txt", "docs.txt")


def main() -> int:
    """Audit the lock files and print what is known of them."""
    print(f"Looking up the packages of {', '.join(LOCKS)} ...", flush=True)
    done = subprocess.run(_command(), capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        return _not_checked(f"the audit data cannot be reached from here ({last[0][:200]})")
    unchecked = sorted({package["name"] for package in packages if "skip_reason" in package})
    checked = len({package["name"] for package in packages}) - len(unchecked)
    if not checked:
        return _not_checked(f"there is no audit data here for any of {len(unchecked)} packages")
    found = list(_vulnerabilities(packages))
    print("\n".join(found) if found else f"No known vulnerability in {checked} packages.")
    if found:
        return 1
    return _not_checked(f"no audit data for {', '.join(unchecked)}") if unchecked else 0


def _command() -> list[str]:
    locks = [argument for lock in LOCKS for argument in ("--requirement", str(HERE / lock))]
    options = ("--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off")
    return [str(Path(sys.executable).with_name("pip-audit")), *options, *locks]


def _vulnerabilities(packages: Iterable[dict[str, Any]]) -> Iterable[str]:
    for package in packages:
        for known in package.get("vulns", ()):
            fixed = ", ".join(known["fix_versions"]) or "no fixed version"
            yield f"{package['name']} {package['version']}: {known['id']} (fixed in: {fixed})"


def _not_checked(why: str) -> int:
    print(f"NOT CHECKED: {why}")
    return 3 if "--strict" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
