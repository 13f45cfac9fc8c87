"""Failures of the training script under the Training Compiler's launcher and on XLA devices."""

from __future__ import annotations

from migrate.doctor.failures import Certainty, Clue, Failure

_MODELS = "SageMaker: Training Compiler, PyTorch models"
_TROUBLE = "SageMaker: Training Compiler troubleshooting"
_MIGRATE = "`tc-migrate SCRIPT --write` does it."

FAILURES = (
    Failure(
        "TCL001",
        "PyTorch/XLA found no device to work with",
        "The script asks torch_xla for a device, and nothing has told torch_xla of one: the Training Compiler is not "
        "switched on for this job, or GPU_NUM_DEVICES is 0 or missing in a run outside of SageMaker.",
        "In the estimator:\n"
        "    compiler_config=TrainingCompilerConfig(),\n"
        "and for several GPUs also\n"
        '    distribution={"pytorchxla": {"enabled": True}},\n'
        "which sets GPU_NUM_DEVICES itself. Only for one process in a container of your own:\n"
        '    environment={"GPU_NUM_DEVICES": "1"},',
        f"{_TROUBLE}, missing XLA configuration",
        (
            Clue("Missing XLA configuration"),
            Clue("Missing TPU or GPU configuration", hint="xmp.spawn was called by the script"),
        ),
        rules=("LC02", "LC14", "SM003", "SM009", "SM015", "SM016", "TS008", "TS009"),
    ),
    Failure(
        "TCL002",
        "the script has no _mp_fn",
        "The launcher imports the script and calls its `_mp_fn(index)` in each worker; what stands under "
        '`if __name__ == "__main__":` never runs. There is no such function at the top level.',
        f"Put the training into a function main() and add\n    def _mp_fn(index):\n        main()\n{_MIGRATE}",
        f"{_TROUBLE}, distributed training; {_MODELS}, distributed training",
        (Clue("_mp_fn", r"module '[^']{1,200}' has no attribute '_mp_fn'"),),
        rules=("TS001", "TS003", "SM028"),
        early=True,
    ),
    Failure(
        "TCL003",
        "_mp_fn takes the wrong arguments",
        "The launcher calls `_mp_fn(index)`: with one argument, the number of the worker.",
        f"Let it take that one and no other that has no default:\n    def _mp_fn(index):\n        main()\n{_MIGRATE}",
        f"{_MODELS}, distributed training",
        (
            Clue(
                "_mp_fn", r"_mp_fn\(\) (?:missing \d{1,3} required|takes (?:from )?\d{1,3} (?:to \d{1,3} )?positional)"
            ),
        ),
        rules=("TS002",),
    ),
    Failure(
        "TCL004",
        "arguments are parsed while the script is imported",
        "The launcher imports the script before it hands it its arguments, so a parse_args() at the top level sees the "
        "launcher's own: `--num_gpus 8 train.py ...`.",
        "Move parse_args(), and whatever needs its result, into main(), and call it from there:\n"
        "    def main():\n"
        "        args = parser.parse_args()\n"
        "    def _mp_fn(index):\n"
        f"        main()\n{_MIGRATE}",
        "xla_spawn of the Training Compiler's torch_xla; sagemaker-training 4.8.3 pytorch_xla.py",
        (
            Clue(
                "xla_spawn.py: error",
                r"xla_spawn\.py: error: (?:unrecognized arguments|[^\n]{0,300}\b(?:required|invalid|expected))",
            ),
        ),
        rules=("TS004",),
        early=True,
    ),
    Failure(
        "TCL017",
        "a switch of the script got a value",
        'SageMaker hands a boolean hyperparameter over as `--flag True`, which an argument with action="store_true" '
        "does not take.",
        "Leave the hyperparameter out where it is False, and let the argument take a value:\n"
        '    parser.add_argument("--fp16", type=lambda text: text.lower() == "true", default=False)',
        "sagemaker-training 4.8.3: hyperparameters become `--name value`",
        (
            Clue(
                "error: unrecognized arguments",
                r"(?<!xla_spawn\.py: )error: unrecognized arguments:(?: [^\s]{1,200}){0,20}? (?:True|False)\b",
            ),
            Clue(
                "ignored explicit argument",
                r"error: argument [^:\n]{1,200}: ignored explicit argument '?(?:True|False)",
            ),
        ),
        Certainty.LIKELY,
        rules=("SM014",),
    ),
    Failure(
        "TCL019",
        "a hyperparameter that the script has no option for",
        "Every hyperparameter of the estimator becomes an option of the script, and its parse_args() ends the process "
        "at one it does not know.",
        "Take the hyperparameter out of the estimator, or give the script the option, or let it pass over others:\n"
        "    args, _ = parser.parse_known_args()",
        "sagemaker-training 4.8.3: hyperparameters become `--name value`",
        (
            Clue(
                "error: unrecognized arguments", r"(?<!xla_spawn\.py: )error: unrecognized arguments: (?!--num_gpus\b)-"
            ),
        ),
        rules=("SM026",),
    ),
    Failure(
        "TCL007",
        "a number in os.environ",
        "The script puts a number into os.environ, which takes text only. (So does the vendor's Approach 3.)",
        'Remove the line: the launcher sets GPU_NUM_DEVICES. Any other variable:\n    os.environ["NAME"] = str(value)',
        f"{_TROUBLE}, missing XLA configuration, approach 3",
        (Clue("str expected, not", r"str expected, not (?:int|float|bool)\b"),),
        rules=("TS008", "TS009"),
        early=True,
    ),
    Failure(
        "TCL008",
        "a class of torch_xla is imported as if it were a module",
        "`import torch_xla.amp.syncfree.Adam as ...`, as the PyTorch models page has it, cannot work: these are "
        "classes.",
        "    from torch_xla.amp import GradScaler\n"
        "    from torch_xla.amp.syncfree import SGD, Adam, AdamW\n"
        "On PyTorch 1.13.1 the syncfree optimizers are put in by themselves: torch.optim may stay.",
        f"{_MODELS}, single GPU",
        (
            Clue(
                "No module named 'torch_xla.amp",
                r"No module named '?torch_xla\.amp\.(?:syncfree\.(?:AdamW?|SGD)|GradScaler)\b",
            ),
        ),
        rules=("TS010",),
        early=True,
    ),
    Failure(
        "TCL009",
        "tensors of the XLA device and of another device meet",
        "One operation got a tensor of the XLA device and one of the CPU or of a CUDA device: something was not "
        "moved, or a move to CUDA is left.",
        f"Move the model, the batches and every tensor made in the step with `.to(device)`, where\n"
        f"    device = xm.xla_device()\n{_MIGRATE}",
        "SageMaker: Training Compiler, best practices",
        (
            Clue("Input tensor is not an XLA tensor"),
            Clue("Expected XLA tensor. Got"),
            Clue("at least two devices", r"at least two devices[^\n]{0,200}\bxla\b"),
        ),
        rules=("TS017", "TC109", "TC136", "TC137"),
    ),
    Failure(
        "CNV001",
        "the loss is no number",
        "The loss is NaN or infinite. The usual reasons, from the likeliest: a learning rate too large for the batch "
        "size, gradients clipped before they are unscaled, a step whose gradients are not averaged or whose "
        "graph is not executed, workers that start from different weights. (On PyTorch before 1.13.1 vision "
        "transformers can do this by a fault of the compiler.)",
        "Run with and without the Training Compiler with the same hyperparameters. In the script the order is: "
        "scaler.scale(loss).backward(), average, scaler.unscale_(optimizer), clip, scaler.step(optimizer), "
        "scaler.update(), xm.mark_step(); with a constant seed before the model is made:\n"
        "    torch.manual_seed(0)",
        f"{_TROUBLE}, convergence",
        (
            Clue("loss nan", r"(?<!best[ _])(?<!min[ _])loss['\"]?\s{0,4}[:=]?\s{0,4}['\"]?[+-]?nan\b"),
            Clue("loss tensor nan", r"loss['\"]?\s{0,4}[:=]?\s{0,4}tensor\([+-]?nan\b"),
            Clue("loss inf", r"(?<!best[ _])(?<!min[ _])loss['\"]?\s{0,4}[:=]?\s{0,4}['\"]?[+-]?inf(?:inity)?\b"
                 r"(?!\s{0,4}-{1,2}>)"),
            Clue("loss is nan"),
            Clue("loss is inf", r"loss is inf(?:inite|inity)?\b"),
        ),
        Certainty.LIKELY,
        rules=("TS018", "TS019", "TS020", "SM024"),
    ),
)
