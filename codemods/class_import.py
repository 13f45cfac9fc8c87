"""Import torch_xla's classes from their modules.

The vendor's guide writes `import torch_xla.amp.syncfree.Adam as adam` and `import torch_xla.amp.GradScaler as
grad_scaler`. These are classes, not modules, and the import fails: they come by `from torch_xla.amp.syncfree import
Adam`. The name the script gives them stays.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, statements
from codemods.kit.codemod import Codemod
from codemods.kit.names import dotted
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Stage

_SOURCE = "torch_xla 1.11 to 2.9 amp/syncfree; SageMaker: PyTorch models, single GPU, step 3, which is wrong"
_CLASSES = {
    "torch_xla.amp.syncfree": ("SGD", "Adam", "AdamW"),
    "torch_xla.amp": ("GradScaler", "autocast"),
    "torch_xla.distributed.parallel_loader": ("MpDeviceLoader", "ParallelLoader"),
}


class ClassImport(Codemod):
    """Import torch_xla's classes from their modules."""

    STAGE = Stage.PRECISION
    RULES = (Rule("TC334", "a class imported as if it were a module", Safety.EXACT, document=_SOURCE),)
    EXAMPLES = (
        Example(
            before="import torch_xla.amp.syncfree.Adam as adam\n\noptimizer = adam(parameters)\n",
            smtc="from torch_xla.amp.syncfree import Adam as adam\n\noptimizer = adam(parameters)\n",
            xla="from torch_xla.amp.syncfree import Adam as adam\n\noptimizer = adam(parameters)\n",
        ),
        Example(before="import torch_xla.amp.syncfree as syncfree\n\noptimizer = syncfree.Adam(parameters)\n"),
    )

    def rewrite(self) -> None:
        for statement in self.script.tree.all(cst.Import):
            classes = [alias for alias in statement.names if self._is_class(alias)]
            if classes:
                self._import(statement, classes)

    def _is_class(self, alias: cst.ImportAlias) -> bool:
        module, _, name = (dotted(alias.name) or "").rpartition(".")
        if name == "GradScaler" and not self.can(Idiom.GRAD_SCALER):
            return False  # the codemod grad_scaler_unwind takes it out
        return name in _CLASSES.get(module, ())

    def _import(self, statement: cst.Import, classes: list[cst.ImportAlias]) -> None:
        said = ", ".join(code_of(alias.name) for alias in classes)
        edit = self.edit("TC334", statement, f"{said} {'is a class' if len(classes) == 1 else 'are classes'}")
        kept = [alias for alias in statement.names if alias not in classes]
        new = [_statement(alias) for alias in classes]
        if not kept and len(new) == 1:
            edit.replace(statement, new[0])
            return
        for made in new:
            edit.after(statement, [cst.SimpleStatementLine([made])])
        left = [*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)] if kept else []
        edit.replace(statement, lambda updated: updated.with_changes(names=left) if left else None)


def _statement(alias: cst.ImportAlias) -> cst.BaseSmallStatement:
    """The import of the class by `from`, under the name it has; without one, the import of its module."""
    module, _, name = (dotted(alias.name) or "").rpartition(".")
    own = alias.asname.name if alias.asname is not None else None
    if own is None:
        code = f"import {module}"
    elif isinstance(own, cst.Name) and own.value != name:
        code = f"from {module} import {name} as {own.value}"
    else:
        code = f"from {module} import {name}"
    line = statements(code)[0]
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]
