"""The code cells of a notebook as one script, and the way back from its lines to cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from codemods.kit.cell_marks import END, RESERVED, split
from codemods.kit.rules import Place
from migrate.notebooks.cells import Cell, NotANotebook, Notebook, read_notebook
from migrate.notebooks.magics import Masks, is_python, parses, trouble, written_script
from migrate.pipeline import Prepared
from migrate.prefilter import Look, look


@dataclass(frozen=True)
class Joined:
    """The script that a notebook is as a whole."""

    notebook: Notebook
    masks: Masks
    texts: Mapping[int, str]
    """Each code cell as it stands in the script, by its number."""
    closed: frozenset[int]
    """Cells that are no Python, or no Python of this process: they stay as they are."""
    script: str

    def place(self, line: int) -> tuple[Cell, int]:
        """The cell of a 1-based line of the script, and the line in it."""
        ends = list(accumulate(text.count("\n") + 2 for text in self.texts.values()))
        index = min(bisect_right(ends, line - 1), len(ends) - 1)
        start = ends[index - 1] if index else 0
        cell = self.notebook.code[index]
        # What is said of the mark below a cell is about its end.
        return cell, min(line - start, cell.source.count("\n") + 1)

    def taken_apart(self, script: str) -> dict[int, str] | None:
        """The sources of its cells after an edit of the script; None when a cell has lost something that must stay."""
        parts = split(script)
        if parts is None or parts.keys() != self.texts.keys():
            return None
        sources: dict[int, str] = {}
        for cell in self.notebook.code:
            part = parts[cell.number]
            # A script begins with no blank lines; a cell may.
            if part.strip() == self.texts[cell.number].strip():
                sources[cell.number] = cell.source
                continue
            restored = None
            if cell.number not in self.closed:
                restored = self.masks.restore(part, self.texts[cell.number])
            if restored is None:
                return None
            sources[cell.number] = _between_its_blank_lines(restored, cell.source)
        return sources


def open_notebook(text: str) -> Notebook:
    """A notebook of Python. Raises NotANotebook for any other."""
    notebook = read_notebook(text)
    if notebook.language.lower() != "python":
        raise NotANotebook(f"its kernel speaks {notebook.language}, not Python")
    if RESERVED in text:
        raise NotANotebook(f"has names that begin with {RESERVED}, which stand for cells while it is migrated")
    return notebook


def join(notebook: Notebook, *, timed: bool = True) -> Joined:
    """The script of a notebook. Raises NotANotebook when a cell that matters does not parse.

    IPython runs nothing of a cell that does not parse. So nothing is lost when it is left out, unless it is about the
    training: then what the other cells mean is not known. `timed`: whether the Python behind `%time` is read.
    """
    masks = Masks(timed)
    closed = frozenset(cell.number for cell in notebook.code if not is_python(cell.source))
    texts = {
        cell.number: _closed(cell, masks) if cell.number in closed else masks.mask(cell.source)
        for cell in notebook.code
    }
    broken = {cell: said for cell in notebook.code if (said := trouble(texts[cell.number]))}
    whole = _script(notebook, texts)
    if not broken or not Prepared(whole).reason:  # Python 2 is brought up to date
        return Joined(notebook, masks, texts, closed, whole)
    for cell, said in broken.items():
        if look("", cell.source.encode("utf-8", "replace")) is not Look.NOTHING:
            raise NotANotebook(f"{cell.title} does not parse: {said}")
        texts[cell.number] = masks.broken(cell.source, said)
    closed |= {cell.number for cell in broken}
    return Joined(notebook, masks, texts, closed, _script(notebook, texts))


def code_of(text: str) -> str:
    """The Python of a notebook as one script, for whoever looks for its imports; empty when it cannot be read."""
    try:
        return join(open_notebook(text)).script
    except NotANotebook:
        return ""


def place_of(cell: Cell, line: int) -> Place:
    """A 1-based line of a cell as it is told."""
    return Place(cell.number, cell.ran, line)


def _closed(cell: Cell, masks: Masks) -> str:
    """What stands for a cell that is no Python of this process. A script that it writes is read by itself."""
    script = written_script(cell.source)
    if script is None or not parses(script[1]):
        return masks.opaque(cell.source)
    first = cell.source[: len(cell.source) - len(script[1])].rstrip("\n")
    return masks.opaque(first) + "\n" * (cell.source.count("\n") - first.count("\n"))


def _script(notebook: Notebook, texts: Mapping[int, str]) -> str:
    end = "\r\n" if any("\r\n" in cell.source for cell in notebook.code) else "\n"
    return "".join(f"{text}{end}{END}{number}{end}" for number, text in texts.items())


def _between_its_blank_lines(new: str, old: str) -> str:
    """An edited cell with the blank lines at its top and bottom that it had before."""
    above = old[: len(old) - len(old.lstrip("\r\n"))]
    below = old[len(old.rstrip("\r\n")) :] if old.strip("\r\n") else ""
    return above + new.strip("\r\n") + below
