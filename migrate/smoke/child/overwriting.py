"""Lets a script write over a large file of its folder: the mirror has only a link to it (see `workspace.py`).

Right before such a link is opened for writing it is replaced: by nothing where the file is written anew, else by a
copy. The user's own file stays what it is.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from typing import Any

CHANGES = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_TRUNC


def install(mirror: str) -> None:
    """Watch every file that Python opens in this process; links below `mirror` are replaced."""
    inside = os.path.join(mirror, "")

    def before(event: str, arguments: Any) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & CHANGES:
            replace_link(arguments[0], inside, anew=bool(arguments[2] & os.O_TRUNC))

    sys.addaudithook(before)


def install_in_torch(torch: Any, mirror: str) -> None:
    """Watch `torch.save`, too, which opens files in C++."""
    save = torch.save

    @functools.wraps(save)
    def save_beside(obj: Any, f: Any, *arguments: Any, **options: Any) -> Any:
        replace_link(f, os.path.join(mirror, ""), anew=True)
        return save(obj, f, *arguments, **options)

    torch.save = save_beside


def replace_link(path: Any, inside: str, anew: bool) -> None:
    """Put a file of the mirror's own in the place of a link that leads out of it to a file."""
    if not isinstance(path, (str, bytes, os.PathLike)):  # a file's number, or a file
        return
    place = os.path.abspath(os.fsdecode(path))
    if not place.startswith(inside) or not os.path.islink(place):
        return
    target = os.path.realpath(place)
    if target.startswith(inside) or not os.path.isfile(target):
        return
    os.unlink(place)
    if not anew:
        shutil.copy(target, place)
