"""The command line a script understands, as far as argparse declares it in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from codemods.kit.names import Names, argument, dotted
from codemods.kit.options import text
from codemods.kit.tree import Tree

_PARSERS = ("argparse.ArgumentParser",)
_OTHER_PARSERS = frozenset(
    ("absl", "click", "configargparse", "docopt", "fire", "hydra", "jsonargparse", "plac", "simple_parsing", "tap",
     "typer", "tyro")
)  # fmt: skip
"""Libraries that declare options in ways of their own, or read the command line themselves."""
_DATACLASSES = ("transformers.HfArgumentParser", "transformers.hf_argparser.HfArgumentParser")
"""Parsers whose options are the fields of dataclasses."""
FLAGS = frozenset(("store_true", "store_false"))
"""Kinds of options that stand alone."""
BOOL = "bool"
"""The kind of an option with `type=bool`, for which any text but an empty one is true."""
VALUE = "value"
"""The kind of an option that takes a value."""


@dataclass(frozen=True)
class CommandLine:
    """The options of one file, or of a program."""

    options: tuple[tuple[str, str], ...] = ()
    """Each spelling without its dashes, with its kind: of FLAGS, BOOL or VALUE."""
    parses: bool = False
    """Whether a command line is parsed."""
    strict: bool = False
    """Whether an option that is not declared stops the script: parse_args, not parse_known_args."""
    makes: bool = False
    """Whether a parser of argparse is made."""
    opaque: bool = False
    """Whether there may be more options than these, or other ways by which the script is told."""
    handed: tuple[str, ...] = ()
    """Functions of other files that a parser is handed to: they may declare more."""

    def joined(self, other: CommandLine) -> CommandLine:
        """Both together, as of a script and a file that it imports."""
        return CommandLine(
            tuple(dict.fromkeys((*self.options, *other.options))),
            self.parses or other.parses,
            self.strict or other.strict,
            self.makes or other.makes,
            self.opaque or other.opaque,
        )

    def kind(self, option: str) -> str | None:
        """The kind of the option that a word means, in full or by a beginning that no other has; None without one."""
        declared = dict(self.options)
        if option in declared:
            return declared[option]
        begun = [name for name in declared if len(option) > 1 and name.startswith(option)]
        return declared[begun[0]] if len(begun) == 1 else None


def parses(call: cst.Call) -> bool:
    """`parser.parse_args()`; parse_known_args takes what it does not know, such as a launcher's own arguments."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "parse_args" and not call.args


def read_command_line(tree: Tree, names: Names) -> CommandLine:
    """The command line of one script."""
    if "argparse" not in names.modules and not any(_is_method(call, "add_argument") for call in tree.all(cst.Call)):
        return CommandLine(opaque=_parses_otherwise(names))
    calls = tree.all(cst.Call)
    strict = any(_is_method(call, "parse_args") for call in calls)
    made = names.calls(*_PARSERS)
    return CommandLine(
        tuple(_options(tree, names)),
        strict or any(_is_method(call, "parse_known_args") for call in calls),
        strict,
        bool(made),
        _parses_otherwise(names) or _hides(tree, made) or "SM_HP" in tree.source,
        tuple(dict.fromkeys(_handed(tree, names, made))),
    )


def _parses_otherwise(names: Names) -> bool:
    """Whether another library than argparse may read the command line."""
    return bool(names.modules & _OTHER_PARSERS) or bool(names.calls(*_DATACLASSES))


def _is_method(call: cst.Call, *methods: str) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in methods


def _hides(tree: Tree, made: list[cst.Call]) -> bool:
    """Whether options are declared in a way that does not show them."""
    if any(argument(call, None, "parents") is not None for call in made):
        return True
    for call in tree.all(cst.Call):
        if _is_method(call, "add_subparsers"):
            return True
        if _is_method(call, "add_argument"):
            flags = [arg for arg in call.args if arg.keyword is None]
            if any(arg.star or not text(arg.value) for arg in flags):
                return True
    return False


def _options(tree: Tree, names: Names) -> Iterator[tuple[str, str]]:
    for call in tree.all(cst.Call):
        if _is_method(call, "add_argument"):
            action, type_ = argument(call, None, "action"), argument(call, None, "type")
            kind = text(action.value) if action is not None else ""
            if kind not in FLAGS:
                is_bool = type_ is not None and names.qualified(type_.value) == "builtins.bool"
                kind = BOOL if is_bool else VALUE
            for arg in call.args:
                flag = text(arg.value) if arg.keyword is None else ""
                if flag.startswith("-"):
                    yield flag.lstrip("-"), kind


def _handed(tree: Tree, names: Names, made: list[cst.Call]) -> Iterator[str]:
    """What a parser of the file is passed to, other than functions of the file."""
    makers = set(made)
    for call in tree.all(cst.Call):
        for arg in call.args:
            held = names.bindings(arg.value) if isinstance(arg.value, cst.Name) else []
            if any(binding.value in makers for binding in held) and names.local_function(call.func) is None:
                yield names.qualified(call.func) or dotted(call.func) or "?"
