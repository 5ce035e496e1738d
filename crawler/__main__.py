"""`python -m crawler`."""

import sys

if __name__ == "__main__":
    try:
        from crawler.cli import main

        sys.exit(main())
    except KeyboardInterrupt:  # while the program was still being loaded
        sys.exit(130)
