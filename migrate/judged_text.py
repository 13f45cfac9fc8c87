"""A file as the judge reads it: in the Python that is read here, a notebook as the script of its code cells."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

from codemods.kit.cell_marks import RESERVED
from codemods.kit.rules import Place
from migrate.notebooks.cells import is_notebook


class Text:
    """A file as the judge reads it: a notebook is the script of its code cells."""

    def __init__(self, path: str, text: str) -> None:
        self.code = text
        self._joined = None
        if is_notebook(path):
            from migrate.notebooks.cells import NotANotebook
            from migrate.notebooks.joined import join, open_notebook

            try:
                self._joined = join(open_notebook(text.removeprefix("\ufeff")))
                self.code = _plain(self._joined.script)
            except NotANotebook:
                self.code = ""

    def line(self, line: int) -> int:
        """The line of the file that a line of the code is."""
        return self._joined.notebook.line(*self._joined.place(line)) if self._joined and line else line

    def place(self, line: int) -> Place | None:
        """In a notebook, the cell of a line of the code."""
        if self._joined is None:
            return None
        from migrate.notebooks.joined import place_of

        return place_of(*self._joined.place(line))


def _plain(script: str) -> str:
    """The script of a notebook without the names that stand for ends of cells and for magics: each is a statement that
    does nothing, and what IPython assigns is what a command has printed."""
    assigned = re.sub(rf"(=[ \t]*){RESERVED}\w+", r'\1__import__("subprocess").getoutput("").split()', script)
    return re.sub(rf"\b{RESERVED}\w+", '""', assigned)


@lru_cache(1)
def parsed(code: str) -> ast.Module | None:
    """A script as a tree; None where it does not parse. Whether it does is asked before it is executed, and once more
    when it is judged: the last one is kept."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code.lstrip("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def modern(code: str) -> str:
    """A script in the Python that is read here."""
    if parsed(code) is not None:
        return code
    from migrate.modernise import modernise

    return modernise(code.lstrip("\ufeff"))[0]
