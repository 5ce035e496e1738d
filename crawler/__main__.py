"""`python -m crawler`, and the program `crawler`."""

import gc
import os
import signal
import sys
from contextlib import suppress


def main() -> int:
    """Load the program and run it.

    Until a command begins Ctrl-C ends the process at once: there is nothing to put away, and an
    exception would have some compiled libraries crash as they are loaded.
    """
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        # No command multiplies matrices: numpy need not start a thread for each core.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if sys.argv[1:] in (["--version"], ["-V"]) and sys.stdout is not None:
            with suppress(OSError):  # where it cannot be printed, the command line says so
                return _tell_version()
        from crawler.cli import main as run

        return run()
    except KeyboardInterrupt:  # as the program ends
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
