"""Real notebooks, there and back: unedited cells keep their bytes, the result is valid, a second run changes nothing.

    python -m tests.notebooks_roundtrip FOLDER... [--target torch-xla==2.9] [--diffs FOLDER]

Every `.ipynb` file below the folders is migrated by itself. Prints what became of them and every promise that is
broken; exits with 1 when one is.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nbformat.validator import isvalid

from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.notebooks.cells import NotANotebook, Notebook, read_notebook
from migrate.notebooks.joined import join
from migrate.notebooks.prepared import prepare
from migrate.prefilter import Look, look
from migrate.render.entry import Entry


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--target", default="smtc")
    parser.add_argument("--diffs", type=Path, help="write the diffs by cell into this folder")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    target = Target.parse(options.target)
    counted: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    broken = 0
    for path in sorted({path for folder in options.folders for path in folder.rglob("*.ipynb") if path.is_file()}):
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            counted["not utf-8"] += 1
            continue
        counted["notebooks"] += 1
        migration = prepare(path.name, text).migrate(path=path.name, target=target)
        counted[migration.status.value] += 1
        counted["that show something of training"] += look(path.name, text.encode()) is Look.ASKS
        if migration.status in (Status.SKIPPED, Status.REFUSED, Status.FAILED):
            reasons[f"{migration.status.value}: {re.sub(r'[0-9]+', 'N', migration.reason)[:90]}"] += 1
        for trouble in check(migration, counted, target):
            broken += 1
            print(f"{path}: {trouble}")
        if options.diffs and migration.result != migration.source:
            options.diffs.mkdir(parents=True, exist_ok=True)
            name = "__".join(path.parts[-3:])
            said = Entry(migration, name, migration.result).patch
            said += "".join(f"{n.place} {n.rule} {n.message}\n" for n in migration.notes)
            (options.diffs / f"{name}.diff").write_text(said, errors="replace")
    for what, number in [*counted.items(), *reasons.most_common()]:
        print(f"{number:7,}  {what}")
    print(f"{broken:7,}  promises broken")
    sys.exit(1 if broken else 0)


def check(migration: Migration, counted: Counter[str], target: Target) -> Iterator[str]:
    """What is wrong with a result."""
    if migration.status is Status.FAILED:
        yield f"failed: {migration.reason}\n{migration.traceback}"
    try:
        before, after = read_notebook(migration.source), read_notebook(migration.result)
    except NotANotebook:
        if migration.source != migration.result:
            yield "no notebook any more"
        return
    yield from check_masks(before)
    edited = {old.number for old, new in zip(before.cells, after.cells, strict=True) if old.source != new.source}
    counted["cells"] += len(before.cells)
    counted["cells edited"] += len(edited)
    if without(before, edited) != without(after, edited):
        yield "more than the sources of edited cells differs"
    if edited:
        counted["valid before and after"] += isvalid_text(migration.source) and isvalid_text(migration.result)
        if isvalid_text(migration.source) and not isvalid_text(migration.result):
            yield "not valid any more"
        yield from moved(before, after)
        for name in unbound(after) - unbound(before):
            yield f"{name} is used before it is bound"
        again = prepare("again.ipynb", migration.result).migrate(target=target)
        if again.result != migration.result:
            yield f"a second run is {again.status.value}: {again.reason}"
    for found in (*migration.changes, *migration.notes):
        if found.place is None or not 1 <= found.place.cell <= len(before.cells):
            yield f"{found.rule} has no place"


def without(notebook: Notebook, numbers: set[int]) -> list[str]:
    """The text of a notebook around the sources of some cells."""
    parts, done = [], 0
    for cell in notebook.cells:
        if cell.number in numbers:
            parts.append(notebook.text[done : cell.span[0]])
            done = cell.span[1]
    return [*parts, notebook.text[done:]]


def check_masks(notebook: Notebook) -> Iterator[str]:
    """Whether every cell that is masked comes back byte for byte."""
    try:
        joined = join(notebook)
    except NotANotebook:
        return
    for cell in notebook.code:
        masked = joined.texts[cell.number]
        is_masked = masked != cell.source and cell.number not in joined.closed
        if is_masked and joined.masks.restore(masked, masked) != cell.source:
            yield f"{cell.title} does not come back"


def moved(before: Notebook, after: Notebook) -> Iterator[str]:
    """Lines that have left one cell and are new in another."""
    gone: dict[str, int] = {}
    new: dict[str, int] = {}
    for old, now in zip(before.cells, after.cells, strict=True):
        one, two = ({line.strip() for line in cell.source.split("\n")} for cell in (old, now))
        gone |= dict.fromkeys(one - two, old.number)
        new |= dict.fromkeys(two - one, old.number)
    for line in gone.keys() & new.keys():
        if gone[line] != new[line] and len(line) > 8 and not line.startswith(("import ", "from ")):
            yield f"{line!r} moved from cell {gone[line]} to cell {new[line]}"


def unbound(notebook: Notebook) -> set[str]:
    """Names that the code outside functions reads before the first statement that binds them, cell after cell."""
    try:
        tree = ast.parse(join(notebook).script)
    except (NotANotebook, SyntaxError):
        return set()
    bound: set[str] = set()
    early: set[str] = set()
    for statement in tree.body:
        read, made = set(), set()
        stack: list[ast.AST] = [statement]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                (read if isinstance(node.ctx, ast.Load) else made).add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                made.add(node.name)
                continue
            elif isinstance(node, ast.alias):
                made.add(node.asname or node.name.partition(".")[0])
            elif isinstance(node, ast.Lambda):
                continue
            stack += ast.iter_child_nodes(node)
        early |= read - bound - (made if isinstance(statement, ast.For | ast.With | ast.If | ast.Try) else set())
        bound |= made
    return early & bound


def isvalid_text(text: str) -> bool:
    """Whether nbformat takes it."""
    import json

    return bool(isvalid(json.loads(text)))


if __name__ == "__main__":
    main()
