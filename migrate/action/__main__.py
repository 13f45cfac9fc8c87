"""What `.github/actions/tc-migrate/start.py` runs."""

from __future__ import annotations

import io
import os
import sys

from migrate.action.step import step


def main() -> None:
    """One step of a job."""
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(step(os.environ))


if __name__ == "__main__":
    main()
