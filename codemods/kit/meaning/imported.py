"""Modules that are imported by a name which the program makes up: `importlib.import_module(args.model)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from codemods.kit.meaning.choices import MAX_OPTIONS, picked
from codemods.kit.meaning.frames import Frame
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.modules import Program
from codemods.kit.meaning.texts import begins
from codemods.kit.meaning.values import ABSENT, Choice, Sym, Value


def module_named(machine: Machine, name: Value) -> Value:
    """The module of that name. What an option names is what it is by default, or a file beside that one which defines
    what it does; of `"models." + name` it is one of that folder's."""
    name = machine.facts.settle(name)
    if isinstance(name, Choice):
        return machine.each(name, lambda one: module_named(machine, one))
    program, importer = machine.library, _importer(machine)
    if isinstance(name, str):
        found = program.load(machine, name.lstrip("."), importer)
        return machine.unknown(f"module {name}") if found is ABSENT else found
    if isinstance(name, Sym) and isinstance(program, Program):
        paths = list(_meant(machine, program, name, importer))[:MAX_OPTIONS]
        if paths:
            return picked(("module", name.key), [program.load_file(machine, path) for path in paths])
    return machine.unknown("a module by a name that is not known")


def _importer(machine: Machine) -> Frame:
    return next((one for one in reversed(machine.frames) if not one.model), machine.frame)


def _meant(machine: Machine, program: Program, name: Sym, importer: Frame) -> Iterator[str]:
    """The files that a name may mean, the likeliest first."""
    trees, first = program.trees, None
    option = name.key[0] if isinstance(name.key, tuple) and len(name.key) == 1 else ""
    if isinstance(option, str) and option.startswith("option "):
        default = machine.defaults.get(option.removeprefix("option "))
        first = program.own(default, importer) if isinstance(default, str) else None
        if first is not None:
            yield first
            folder, defined = first.rpartition("/")[0], _defined(trees[first])
            yield from (one for one in _files_in(trees, folder) if one != first and defined & _defined(trees[one]))
        return
    package = begins(name).rpartition(".")[0].replace(".", "/")
    if package:
        folder = next((one for one in _folders(trees) if f"/{one}".endswith(f"/{package}")), package)
        yield from _files_in(trees, folder)


def _files_in(trees: Mapping[str, ast.Module], folder: str) -> Iterator[str]:
    return (one for one in trees if one.rpartition("/")[0] == folder and not one.endswith("__init__.py"))


def _folders(trees: Mapping[str, ast.Module]) -> list[str]:
    return sorted({one.rpartition("/")[0] for one in trees}, key=len)


def _defined(tree: ast.Module) -> set[str]:
    """What a file defines for others."""
    return {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name[0] != "_"}
