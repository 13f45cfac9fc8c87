"""Give a Hugging Face Trainer script the function that XLA launchers call.

The Trainer knows XLA: it chooses the device, wraps the loaders, marks steps and saves through `xm.save` by itself. What
a script needs is `_mp_fn(index)`, which the Training Compiler's launcher and `torch_xla` call in each process (the
Training Compiler's guide says that no change is needed; its launcher stops without `_mp_fn`).
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.entry import function, read_entry
from codemods.kit.launch import Launch
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = "transformers 4.21 examples/pytorch/text-classification/run_glue.py; SageMaker: PyTorch models, Trainer API"


class Trainer(Codemod):
    """Give a Hugging Face Trainer script the function that XLA launchers call."""

    STAGE = Stage.LAUNCH
    RULES = (
        Rule("TC721", "_mp_fn(index) is added to a Trainer script", Safety.EXACT, document=_SOURCE),
        Rule("TC722", "the Trainer has no main() to call", Safety.NOTE, Severity.WARNING,
             "put the script's work into main() and add `def _mp_fn(index): main()`", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from transformers import Trainer\n\n\ndef main():\n    Trainer().train()\n\n\n"
            'if __name__ == "__main__":\n    main()\n',
            smtc="from transformers import Trainer\n\n\ndef main():\n    Trainer().train()\n\n\ndef _mp_fn(index):\n"
            '    main()\n\n\nif __name__ == "__main__":\n    main()\n',
            xla="from transformers import Trainer\n\n\ndef main():\n    Trainer().train()\n\n\ndef _mp_fn(index):\n"
            '    main()\n\n\nif __name__ == "__main__":\n    main()\n',
        ),
    )

    def rewrite(self) -> None:
        launch = self.script.launch
        if launch.kind is not Launch.TRAINER or self.script.cells:  # no launcher imports a notebook
            return
        entry = read_entry(self.script)
        if entry.call is not None and entry.guard is not None:
            edit = self.edit("TC721", entry.call, "is what XLA launchers run in each process")
            edit.before(entry.guard, [function("_mp_fn", "index", build.statements(build.code_of(entry.call)))])
        elif entry.guard is not None or entry.work:
            place: cst.CSTNode = entry.guard or entry.work[0]
            self.note("TC722", place, "a launcher for several devices looks for _mp_fn(index)")
