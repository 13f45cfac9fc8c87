"""tc-migrate: native CUDA PyTorch training scripts to PyTorch/XLA.

    import migrate

    done = migrate.migrate(source, target="torch-xla==2.9")
    done.result, done.changes, done.notes, done.status

Nothing is read from or written to disk here, and importing this package imports no parser: both functions load what
they need when they are called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from codemods.kit.rules import Change, Note, Safety, Severity
    from codemods.kit.targets import Target
    from migrate.migration import Migration, Status
    from migrate.registry import Selection

__version__ = "0.1.0"
__all__ = ["Change", "Migration", "Note", "Safety", "Severity", "Status", "migrate", "migrate_project"]

_HOMES = {
    **dict.fromkeys(("Change", "Note", "Safety", "Severity"), "codemods.kit.rules"),
    **dict.fromkeys(("Migration", "Status"), "migrate.migration"),
}


def migrate(
    source: str,
    *,
    target: str = "smtc",
    path: str = "-",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    safety: Literal["exact", "review"] = "review",
    verify: bool = True,
) -> Migration:
    """Migrate the text of one script: `migrate(source, target="torch-xla==2.9").result`.

    `select` and `ignore` take codemods, rules and beginnings of rules, `safety` the highest level of edit to apply, as
    on the command line. `path` is the name the script has in the result; a text called `x.ipynb` is a notebook's.
    `verify`: whether the result is judged, which `done.certificate` and notes TC98x tell; of a migration of which only
    part was asked for nothing is.

    Raises ValueError, naming the nearest, for a target, codemod or rule that does not exist. Whatever is wrong with the
    script is in the returned value's `status` and `reason`.
    """
    from migrate.notebooks.prepared import prepare

    chosen, selection = _settle(target, select, ignore, safety)
    done = prepare(path, source).migrate(path=path, target=chosen, select=selection)
    if not verify:
        return done
    from migrate.judging import judged

    return judged({path: done}, chosen, selection)[path]


def migrate_project(
    sources: Mapping[str, str],
    *,
    target: str = "smtc",
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    safety: Literal["exact", "review"] = "review",
    verify: bool = True,
) -> dict[str, Migration]:
    """Migrate the files of a project, each with what the others hand it. Options and errors are those of `migrate`.

    `sources` has the text of each file by its path relative to the project's folder, `/` between the parts; the result
    has the same keys in the same order.
    """
    from migrate import project

    chosen, selection = _settle(target, select, ignore, safety)
    done = dict(project.migrate_project(sources, target=chosen, select=selection))
    if verify:
        from migrate.judging import judged

        for members, beside in project.find_whole_programs(sources):
            whole = {path: done[path] for path in members}
            done |= judged(whole, chosen, selection, {path: sources[path] for path in beside})
    return done


def _settle(target: str, select: Iterable[str], ignore: Iterable[str], safety: str) -> tuple[Target, Selection]:
    from codemods.kit.rules import Safety
    from codemods.kit.targets import Target
    from migrate.registry import Selection

    return Target.parse(target), Selection(frozenset(select), frozenset(ignore), Safety(safety))


def __getattr__(name: str) -> Any:
    """The types of what `migrate` returns, which need the parser's package only when somebody names them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
