"""Command-line options a script declares with argparse, and where it reads them."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from codemods.kit.names import Names, argument, dotted
from codemods.kit.tree import Tree

_TRIPLE = ('"""', "'''")
_PARSE = ("parse_args", "parse_known_args")
NAMESPACES = frozenset(
    ("args", "opt", "opts", "option", "options", "flags", "hparams", "cfg", "config", "conf", "params")
)
"""What parsed options are usually called: used only for attributes that an option of the script declares."""


@dataclass(frozen=True, eq=False)
class Option:
    """One `add_argument` call."""

    call: cst.Call
    dest: str
    """The attribute it is read by: `no_cuda` of `--no-cuda`."""
    choices: tuple[str, ...] = ()
    """The values it admits, when they are literal text; empty when it admits any."""

    @property
    def flags(self) -> frozenset[str]:
        """The names it has on the command line."""
        return frozenset(text(arg.value) for arg in self.call.args if arg.keyword is None and not arg.star)

    @property
    def default(self) -> cst.BaseExpression | None:
        found = argument(self.call, None, "default")
        return found.value if found else None

    @property
    def action(self) -> str:
        """`store_true` and the like; empty when the option takes a value."""
        found = argument(self.call, None, "action")
        return text(found.value) if found else ""

    @property
    def type(self) -> str:
        """The name of the `type=` function; empty when none is given, which means text."""
        found = argument(self.call, None, "type")
        return (dotted(found.value) or "?") if found else ""

    @property
    def words(self) -> str:
        """Its help and choices, as far as they are literal text, in lower case."""
        parts = [text(node.value) for key in ("help", "metavar") if (node := argument(self.call, None, key))]
        parts += self.choices
        return " ".join(parts).lower()


class Options:
    """The options of one script."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._names = names
        self.declared: dict[str, Option] = {}
        """By the attribute they are read by; the first declaration wins."""
        for call in tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "add_argument":
                option = _declared(call, names)
                if option is not None:
                    self.declared.setdefault(option.dest, option)

    def read(self, node: cst.CSTNode | None) -> Option | None:
        """The option that `args.device` reads, when the script declares one and never assigns the attribute."""
        if not isinstance(node, cst.Attribute) or node.attr.value not in self.declared:
            return None
        return self.declared[node.attr.value] if self._is_namespace(node) else None

    def _is_namespace(self, node: cst.Attribute) -> bool:
        chain = dotted(node)
        if chain is None or chain in self._names.dotted:
            return False
        for binding in self._names.bindings(node.value):
            value = binding.value
            if isinstance(value, cst.Call):
                if isinstance(value.func, cst.Attribute) and value.func.attr.value in _PARSE:
                    return True
                if self._names.local_class(value.func) is not None:
                    return False
        return chain.split(".")[-2].lower() in NAMESPACES


def text(node: cst.CSTNode | None) -> str:
    """The text of a string literal; empty for anything else."""
    if isinstance(node, cst.SimpleString):
        if node.value[0] in "\"'" and node.value[:3] not in _TRIPLE and "\\" not in node.value:
            return node.value[1:-1]  # as it is written, in nearly every case: evaluating compiles it
        value = node.evaluated_value
        return value if isinstance(value, str) else ""
    if isinstance(node, cst.ConcatenatedString):
        return text(node.left) + text(node.right)
    return ""


def _declared(call: cst.Call, names: Names) -> Option | None:
    dest = argument(call, None, "dest")
    if dest is not None:
        return Option(call, text(dest.value), _choices(call, names)) if text(dest.value) else None
    flags = [text(arg.value) for arg in call.args if arg.keyword is None and not arg.star]
    flags = [flag for flag in flags if flag]
    long = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    return Option(call, long.lstrip("-").replace("-", "_"), _choices(call, names)) if long.strip("-") else None


def _choices(call: cst.Call, names: Names) -> tuple[str, ...]:
    found = argument(call, None, "choices")
    value: cst.BaseExpression | None = found.value if found is not None else None
    if isinstance(value, cst.Name):
        bindings = names.bindings(value)
        value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    if not isinstance(value, cst.List | cst.Tuple | cst.Set):
        return ()
    return tuple(text(element.value) for element in value.elements)
