"""`python -m crawler`, and the program `crawler`."""

import gc
import sys


def main() -> int:
    """Load the program and run it; Ctrl-C in the middle of that is no error to be traced."""
    try:
        from crawler.cli import main as run

        return run()
    except KeyboardInterrupt:  # while the program was still being loaded
        return 130
    finally:
        gc.freeze()  # all ends with the process: nobody has to look through it for garbage


if __name__ == "__main__":
    sys.exit(main())
