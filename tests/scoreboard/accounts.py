"""Whether everything that trains is accounted for: `python -m tests.scoreboard.accounts FOLDERS...`, each a project.

What there is comes from a deliberately crude index of the sources: plain `ast`, names as they are spelled, nothing of
what the rewriting or the engine knows. Each thing is then *followed* (the abstract execution of the original came to
it, so the judge compares it), *edited*, *said* (a warning or an error stands at it, or the judge leaves its loop open)
or *unaccounted*: nobody can tell whether anyone looked at it. Programs that ask for no accelerator are left out.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from codemods.kit.rules import Severity
from codemods.kit.targets import Target
from migrate.batch.run import Order, migrate_files
from migrate.batch.scan import Script
from migrate.discover import find_scripts
from migrate.engine.certificate import Certificate, Standing
from migrate.engine.originals import execute_original
from migrate.judged_text import Text, modern
from migrate.migration import Migration, Status
from tests.scoreboard.texts import parsed

TRAINING, STEP, EVALUATION, SAVE, READ, COLLECTIVE = (
    "training loop", "backward outside of loops", "evaluation loop", "save", "read in a loop", "collective",
)  # fmt: skip
KINDS = (TRAINING, STEP, EVALUATION, SAVE, READ, COLLECTIVE)
HOW = ("followed", "edited", "said", "unaccounted")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_READS = frozenset("item tolist numpy cpu".split())
_COLLECTIVES = frozenset(
    "all_reduce allreduce all_gather allgather reduce_scatter broadcast reduce gather scatter barrier all_to_all "
    "all_gather_object broadcast_object_list gather_object all_gather_into_tensor".split()
)
_GROUPS = ("dist", "distributed", "hvd", "horovod", "torch_distributed")


@dataclass(frozen=True)
class Thing:
    """Something that has to be accounted for."""

    kind: str
    path: str
    line: int
    last: int


def index(path: str, source: str) -> list[Thing]:
    """All there is in a file, by how it is spelled."""
    tree = parsed(source)
    if tree is None:
        return []
    networks = {
        ast.unparse(node.func.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("eval", "train")
    }
    return [
        Thing(kind, path, node.lineno, node.end_lineno or node.lineno) for kind, node in _things(tree, networks, [])
    ]


def _things(node: ast.AST, networks: set[str], above: list[ast.AST]) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    for child in ast.iter_child_nodes(node):
        inside = [*above, child]
        if isinstance(child, _LOOPS) and _calls(child, {"backward"}):
            if not any(_calls(one, {"backward"}) for one in _below(child) if isinstance(one, _LOOPS)):
                yield TRAINING, child
        elif isinstance(child, _LOOPS) and _is_without_gradients(inside) and _runs(child, networks):
            if not any(isinstance(one, _LOOPS) and _runs(one, networks) for one in _below(child)):
                yield EVALUATION, child
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            yield from ((kind, child) for kind in _of_call(child.func, above))
        yield from _things(child, networks, inside)


def _of_call(called: ast.Attribute, above: list[ast.AST]) -> Iterator[str]:
    owner = ast.unparse(called.value)
    in_loop = any(isinstance(one, _LOOPS) for one in above)
    if called.attr == "backward" and not in_loop and owner != "super()":
        yield STEP
    elif called.attr == "save" and owner == "torch":
        yield SAVE
    elif called.attr in _COLLECTIVES and owner.rpartition(".")[2] in _GROUPS:
        yield COLLECTIVE
    elif called.attr in _READS and any(isinstance(one, _LOOPS) and _calls(one, {"backward"}) for one in above):
        yield READ


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a loop but in no function that is only made there."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield child
            yield from _below(child)


def _calls(node: ast.AST, names: set[str]) -> bool:
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in names
        for one in _below(node)
    )


def _runs(node: ast.AST, networks: set[str]) -> bool:
    return any(isinstance(one, ast.Call) and ast.unparse(one.func) in networks for one in _below(node))


def _is_without_gradients(chain: Iterable[ast.AST]) -> bool:
    """Whether one of these, or a decorator of theirs, switches gradients off."""
    for one in chain:
        said: list[ast.expr] = []
        if isinstance(one, ast.With | ast.AsyncWith):
            said = [item.context_expr for item in one.items]
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            said = one.decorator_list
        elif isinstance(one, _LOOPS):
            said = [item.context_expr for two in _below(one) if isinstance(two, ast.With) for item in two.items]
        if any("no_grad" in (text := ast.unparse(each)) or "inference_mode" in text for each in said):
            return True
    return False


def account(folder: Path, target: Target) -> dict[Thing, str]:
    """What there is in a project, each with how it is accounted for."""
    scripts = [Script(name, root, root, status=status) for name, root, status in find_scripts([folder])]
    order = Order(target, verify=True)
    done = {script.name: migration for script, migration in migrate_files(scripts, order)}
    reached: dict[str, set[int]] = {}
    certificates = {id(one.certificate): one.certificate for one in done.values() if one.certificate is not None}
    for certificate in certificates.values():
        _reach(certificate, done, reached)
    loops = {(loop.path, loop.source_line): loop.standing for one in certificates.values() for loop in one.loops}
    found: dict[Thing, str] = {}
    for path, migration in done.items():
        if path not in reached and migration.status is not Status.MIGRATED:
            continue
        for thing in index(path, Text(path, migration.source).code):
            found[thing] = _how(thing, migration, reached.get(path, set()), loops)
    return found


def _reach(certificate: Certificate, done: Mapping[str, Migration], reached: dict[str, set[int]]) -> None:
    """Note the lines where something happened that training sees when the original was executed."""
    codes = {path: modern(Text(path, done[path].source).code) for path in certificate.followed if path in done}
    for path in codes:
        reached.setdefault(path, set())
    for event in execute_original(codes).execution.record.events:
        for site in (event.site, *event.chain, *event.loops):
            reached.setdefault(site.path, set()).add(site.line)


def _how(thing: Thing, migration: Migration, reached: set[int], loops: Mapping[tuple[str, int], Standing]) -> str:
    lines = range(thing.line, thing.last + 1)
    if thing.kind in (TRAINING, EVALUATION):
        standing = loops.get((thing.path, thing.line))
        if standing is not None:
            return "said" if standing in (Standing.OPEN, Standing.VIOLATED) else "followed"
    if not reached.isdisjoint(lines):
        return "followed"
    if any(note.line in lines and note.severity is not Severity.INFO for note in migration.notes):
        return "said"
    if thing.kind not in (TRAINING, EVALUATION) and any(change.line in lines for change in migration.changes):
        return "edited"
    return "unaccounted"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--target", default="torch-xla==2.9")
    options = parser.parse_args()
    counted: Counter[tuple[str, str]] = Counter()
    for folder in options.folders:
        for thing, how in account(folder, Target.parse(options.target)).items():
            counted[thing.kind, how] += 1
            if how == "unaccounted":
                print(f"{thing.path}:{thing.line}: {thing.kind}", file=sys.stderr, flush=True)
    print(f"| {' | '.join(('what', 'found', *reversed(HOW)))} |\n|---|{'--:|' * (len(HOW) + 1)}")
    for kind in KINDS:
        numbers = [counted[kind, how] for how in HOW]
        print(f"| {kind} | {sum(numbers)} | {' | '.join(map(str, reversed(numbers)))} |")
    return 1 if any(how == "unaccounted" for _, how in counted) else 0


if __name__ == "__main__":
    raise SystemExit(main())
