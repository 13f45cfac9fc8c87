"""What the shell offers behind `--target`, `--select`, `--ignore` and `explain`.

Targets are known without a parser. The names of rules are known when the codemods are loaded, which takes a third of a
second: only a person who asks for them waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click import Context, Parameter
    from click.shell_completion import CompletionItem


def complete_target(ctx: Context, parameter: Parameter, incomplete: str) -> list[str]:
    """Every target that begins so."""
    from codemods.kit.targets import ALL

    return [target.name for target in ALL if target.name.startswith(incomplete.lower())]


def complete_names(ctx: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Codemods and rules, one after the other between commas."""
    done, comma, last = incomplete.rpartition(",")
    return _items((f"{done}{comma}{name}", help) for name, help in _names() if name.startswith(last))


def complete_rule(ctx: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """A rule, in either case, or a codemod."""
    wanted = incomplete.lower()
    return _items((name, help) for name, help in _names() if name.lower().startswith(wanted))


def _items(found: Iterable[tuple[str, str]]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=help) for name, help in found]


def _names() -> list[tuple[str, str]]:
    """Each codemod and each rule with what it does in a line."""
    from migrate.aliases import ALIASES
    from migrate.registry import codemods, rules

    found = [(codemod.name(), (codemod.__doc__ or "").partition("\n")[0]) for codemod in codemods()]
    found += [(id, rule.summary) for id, (rule, _) in sorted(rules().items())]
    return found + [(id, alias.summary) for id, alias in ALIASES.items()]
