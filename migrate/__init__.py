"""tc-migrate: native CUDA PyTorch training scripts to PyTorch/XLA.

    >>> import migrate
    >>> source = "import torch\\nmodel = torch.nn.Linear(3, 3).cuda()\\n"
    >>> done = migrate.migrate(source, target="torch-xla==2.9", path="train.py")
    >>> done.status
    <Status.MIGRATED: 'migrated'>
    >>> print(done.diff)
    --- a/train.py
    +++ b/train.py
    @@ -1,2 +1,4 @@
     import torch
    -model = torch.nn.Linear(3, 3).cuda()
    +import torch_xla
    +device = torch_xla.device()
    +model = torch.nn.Linear(3, 3).to(device)
    <BLANKLINE>
    >>> [(change.rule, change.line, change.safety.value) for change in done.changes]
    [('TC111', 2, 'exact')]
    >>> done.to_dict()["notes"]
    []
    >>> migrate.migrate(source, ignore="TC1").result == source
    True

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
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    safety: Literal["exact", "review"] = "review",
    verify: bool = True,
) -> Migration:
    """Migrate the text of one script: `migrate(source, target="torch-xla==2.9").result`.

    `select` and `ignore` take codemods, rules and beginnings of rules (names, or a text with commas between them),
    `safety` the highest level of edit to apply, as on the command line. `path` is the name the script has in the
    result; a text called `x.ipynb` is a notebook's.
    `verify`: whether the result is judged, which `done.certificate` and notes TC98x tell; of a migration of which only
    part was asked for nothing is.

    Raises ValueError, naming the nearest, for a target, codemod or rule that does not exist, and TypeError for what is
    no text. Whatever is wrong with the script is in the returned value's `status` and `reason`.
    """
    from migrate.notebooks.prepared import prepare

    _check("source", source)
    _check("path", path)
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
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    safety: Literal["exact", "review"] = "review",
    verify: bool = True,
) -> dict[str, Migration]:
    """Migrate the files of a project, each with what the others hand it. Options and errors are those of `migrate`.

    `sources` has the text of each file by its path relative to the project's folder, `/` between the parts; the result
    has the same keys in the same order.
    """
    from migrate import project

    if not isinstance(sources, Mapping):
        raise TypeError(f"sources is no mapping of texts by path, but {type(sources).__name__}")
    for path, source in sources.items():
        _check("a path of sources", path)
        _check(f"the text of {path}", source)
    chosen, selection = _settle(target, select, ignore, safety)
    done = dict(project.migrate_project(sources, target=chosen, select=selection))
    if verify:
        from migrate.judging import judged

        for members, beside in project.find_whole_programs(sources):
            whole = {path: done[path] for path in members}
            done |= judged(whole, chosen, selection, {path: sources[path] for path in beside})
    return done


def _check(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text, but {type(value).__name__}")


def _names(name: str, value: str | Iterable[str]) -> frozenset[str]:
    """The names given, one by one or in a text with commas."""
    if isinstance(value, str):
        value = [each.strip() for each in value.split(",")]
    if not isinstance(value, Iterable):
        raise TypeError(f"{name} is no name and no list of names, but {type(value).__name__}")
    found = frozenset(value)
    for each in found:
        _check(f"a name of {name}", each)
    return found


def _settle(
    target: str, select: str | Iterable[str], ignore: str | Iterable[str], safety: str
) -> tuple[Target, Selection]:
    from codemods.kit.rules import Safety
    from codemods.kit.targets import Target
    from migrate.registry import Selection

    _check("target", target)
    _check("safety", safety)
    if safety not in (Safety.EXACT.value, Safety.REVIEW.value):
        raise ValueError(f"safety is 'exact' or 'review', not {str(safety)!r}")
    return Target.parse(target), Selection(_names("select", select), _names("ignore", ignore), Safety(safety))


def __getattr__(name: str) -> Any:
    """The types of what `migrate` returns, which need the parser's package only when somebody names them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
