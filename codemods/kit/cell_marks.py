"""The marks that part the cells of a notebook in the one script that is read of them; see `codemods.kit.cells`."""

from __future__ import annotations

import re

RESERVED = "_tc_migrate_"
"""What the names below begin with. A notebook that has it in its own code cannot be told from them."""
END = f"{RESERVED}end_of_cell_"
MAGIC = f"{RESERVED}magic_"
BROKEN = f"{RESERVED}broken_cell_"
_END_LINE = re.compile(rf"^{END}(\d+)\r?\n", re.MULTILINE)


def split(script: str) -> dict[int, str] | None:
    """The text of each cell by its number, without the end of its last line; None when a mark is not in its place."""
    found: dict[int, str] = {}
    at = last = 0
    for mark in _END_LINE.finditer(script):
        number = int(mark[1])
        if number <= last:
            return None
        found[number] = script[at : mark.start()].removesuffix("\n").removesuffix("\r")
        at, last = mark.end(), number
    return None if script[at:].strip() else found
