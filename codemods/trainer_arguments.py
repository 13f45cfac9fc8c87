"""Settings of a Hugging Face Trainer that the Training Compiler gains from.

`optim="adamw_torch_xla"` (transformers 4.17 and later) is the AdamW that steps without reading the device; the
Trainer's default is not. `dataloader_drop_last=True` keeps the last, smaller batch of an epoch from being compiled for
itself; it changes the number of steps, so it is said and not done. Arguments that come from the command line are the
job's hyperparameters.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import with_keyword
from codemods.kit.codemod import Codemod
from codemods.kit.launch import TRAINERS
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_ARGUMENTS = ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments",
              "transformers.training_args.TrainingArguments",
              "transformers.training_args_seq2seq.Seq2SeqTrainingArguments")  # fmt: skip
_PARSERS = ("transformers.HfArgumentParser", "transformers.hf_argparser.HfArgumentParser")
_OWN_OPTIMIZER = ("optim", "adafactor", "deepspeed", "fsdp")


class TrainerArguments(Codemod):
    """Settings of a Hugging Face Trainer that the Training Compiler gains from."""

    STAGE = Stage.LAUNCH
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("TC723", "the Trainer's last batch may be smaller: one more compilation", Safety.NOTE, Severity.WARNING,
             "pass dataloader_drop_last=True if an epoch may miss the samples left over",
             "SageMaker: Training Compiler, best practices; its Hugging Face notebooks"),
        Rule("TC724", "the Trainer steps by the AdamW of torch_xla", Safety.REVIEW,
             advice="keep the default to continue from an optimizer state that it saved",
             document="transformers 4.17 training_args.py OptimizerNames; SageMaker: PyTorch models, Trainer API"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from transformers import Trainer, TrainingArguments\n\n"
            'args = TrainingArguments(output_dir="out", dataloader_drop_last=True)\nTrainer(args=args).train()\n',
            smtc="from transformers import Trainer, TrainingArguments\n\n"
            'args = TrainingArguments(output_dir="out", dataloader_drop_last=True, optim="adamw_torch_xla")\n'
            "Trainer(args=args).train()\n",
        ),
    )

    def rewrite(self) -> None:
        trainers = self.script.calls(*TRAINERS)
        if not trainers:
            return
        for call in self.script.calls(*_ARGUMENTS):
            if any(arg.star for arg in call.args):
                continue
            if argument(call, None, "dataloader_drop_last") is None and argument(call, None, "max_steps") is None:
                self.note("TC723", call, "the last batch of an epoch has a shape of its own, which is compiled once")
            own = any(argument(call, None, keyword) is not None for keyword in _OWN_OPTIMIZER)
            if not own and not any(argument(trainer, None, "optimizers") is not None for trainer in trainers):
                self._optimizer(call)
        for parser in self.script.calls(*_PARSERS):
            if any(self.script.qualified(node) in _ARGUMENTS for node in self.script.tree.inside(parser, cst.Name)):
                self.note("TC723", parser, "the arguments are the job's hyperparameters: give it "
                          'dataloader_drop_last and optim="adamw_torch_xla" there')  # fmt: skip

    def _optimizer(self, call: cst.Call) -> None:
        edit = self.edit("TC724", call, "steps without reading the device")
        value = cst.SimpleString(self.quoted("adamw_torch_xla"))
        edit.replace(call, lambda updated: with_keyword(updated, "optim", value))
