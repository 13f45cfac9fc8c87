"""Leave alone what cannot be migrated file by file, and say why.

Fully sharded data parallelism, DeepSpeed, Megatron, SageMaker's model parallel library, pipeline and tensor parallelism
split one model over several devices; NVIDIA DALI decodes the data on CUDA. Taking them out changes whether the model
fits into memory, or what it is fed: a decision for a person. A script that stands on one of them is refused: nothing in
it is edited, and the note says what to do. Where the library is only an option (imported in a `try` or an `if`), the
rest of the script is migrated, and the note says what is left.

A script that only converts a trained model for TensorRT, or runs what came out, needs CUDA and is left alone as well.
Where a file also trains, it is migrated, and the import is an error.

Accelerate, Lightning, fastai, Ignite and Composer run the training themselves: they move the model, wrap the loaders
and step the optimizer. Rewriting the loop under them would do it twice. In such a script only CUDA calls that the
library does not know of are rewritten.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.frameworks import Stands
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.script import Script
from codemods.kit.targets import Launcher


class Unsupported(Codemod):
    """Leave alone what cannot be migrated file by file."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC901", "a library that splits the model over devices", Safety.NOTE, Severity.ERROR,
             "nothing in this file is edited: take the library out first, or stay on CUDA",
             "SageMaker: Training Compiler FAQ, distributed training libraries"),
        Rule("TC902", "an optional library that splits the model over devices", Safety.NOTE, Severity.WARNING,
             "do not choose it: what depends on it still needs CUDA",
             "SageMaker: Training Compiler FAQ, distributed training libraries"),
        Rule("TC903", "a library that runs the training", Safety.NOTE, Severity.WARNING,
             "only CUDA calls of the script's own are rewritten"),
        Rule("TC904", "a script that builds or runs engines of CUDA", Safety.NOTE, Severity.ERROR,
             "nothing in this file is edited: it needs CUDA", "torch2trt torch2trt.py; TensorRT: support matrix"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import deepspeed\nimport torch\n\nengine, *_ = deepspeed.initialize(model=model)\n"),
        Example(before="import torch\nfrom accelerate import Accelerator\n\naccelerator = Accelerator()\n"),
    )

    @classmethod
    def suits(cls, script: Script) -> bool:
        return True

    def rewrite(self) -> None:
        for use in self.script.frameworks:
            library = use.library
            on_gpus = library.compiler if self.edits.target.launcher is Launcher.SAGEMAKER else ""
            message = f"{library.name} {library.does}: {on_gpus or library.advice}"
            if library.stands is Stands.DRIVES:
                self.note("TC903", use.node, message)
            elif use.certain:
                rule = "TC904" if library.stands is Stands.CONVERTS else "TC901"
                self.note(rule, use.node, message)
                self.edits.refuse(self.name(), self.rule(rule), use.node, f"stands on {library.name}")
            elif library.stands is Stands.SHARDS:
                self.note("TC902", use.node, message)
