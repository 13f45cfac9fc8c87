"""Removes the folder of a run, whatever the script did to it."""

from __future__ import annotations

import contextlib
import os
import shutil


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove a folder with all that is in it; also what is in folders that the script closed to itself."""
    shutil.rmtree(folder, ignore_errors=True)
    for place, names, _ in os.walk(folder):  # from the top, so that a folder is opened before it is gone into
        for name in names:
            path = os.path.join(place, name)
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    shutil.rmtree(folder, ignore_errors=True)
