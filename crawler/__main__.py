"""`python -m crawler`, and the program `crawler`."""

import gc
import sys
from contextlib import suppress


def main() -> int:
    """Load the program and run it; Ctrl-C in the middle of that is no error to be traced."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]) and sys.stdout is not None:
            with suppress(OSError):  # where it cannot be printed, the command line says so
                return _tell_version()
        from crawler.cli import main as run

        return run()
    except KeyboardInterrupt:  # while the program was still being loaded
        return 130
    finally:
        gc.freeze()  # all ends with the process: nobody has to look through it for garbage


def _tell_version() -> int:
    """Answer what scripts and health checks ask for alone, without loading any command."""
    from crawler.observe.parts import version_line

    print(version_line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
