"""The privet command, also as `python -m privet`."""

from __future__ import annotations

import os
import sys

from .errors import MissingExtra
from .errors.extras import require


def main() -> None:
    """Run the command, if what it takes is installed."""
    try:
        require("click", "analysis", "The privet command")
        from .cli import main as command
    except MissingExtra as missing:
        print(f"Error: {missing}", file=sys.stderr)
        sys.exit(4)
    try:
        command(prog_name="privet")
    except SystemExit as end:
        # After a signal all is tidied up, but the interpreter would wait for every thread, and one
        # may be in the middle of hours of work.
        if isinstance(end.code, int) and end.code > 128:
            os._exit(end.code)
        raise


if __name__ == "__main__":
    main()
