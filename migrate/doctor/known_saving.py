"""Failures of the debugger, of checkpoints, of the job as a whole; and a compiler that is not there."""

from __future__ import annotations

from migrate.doctor.failures import Certainty, Clue, Failure
from migrate.doctor.known_cluster import CRASHES

_HOOK_OFF = "In the estimator:\n    debugger_hook_config=False,\n    disable_profiler=True,"
_COMPILER = "SageMaker: Training Compiler FAQ; enable with the SDK"

FAILURES = (
    Failure(
        "DBG002",
        "the debugger and the checkpoints disturb each other",
        "A race in smdebug before 1.0.3: it reads a file that the upload of checkpoints has renamed. It has "
        "nothing to do with model parallelism.",
        _HOOK_OFF,
        "SageMaker: model parallel troubleshooting, debugger; sagemaker-debugger pull request 404",
        (Clue(".sagemaker-uploading", r"FileNotFoundError: \[Errno 2\][^\n]{0,400}\.sagemaker-uploading"),),
        rules=("SM008", "SM021"),
    ),
    Failure(
        "DBG003",
        "the debugger fails over the checkpoints",
        "A traceback through smdebug/core/state_store.py: the debugger follows the checkpoints, and smdebug "
        "before 1.0.3 fails when they are being uploaded.",
        _HOOK_OFF,
        "SageMaker: model parallel troubleshooting, debugger; sagemaker-debugger pull request 404",
        (Clue("smdebug/core/state_store.py"),),
        Certainty.LIKELY,
        part_of="DBG002",
        rules=("SM008", "SM021"),
    ),
    Failure(
        "CKP001",
        "SageMaker failed, maybe over the upload of checkpoints",
        "An internal error of SageMaker. With checkpoint_s3_uri and a large model it can be the upload of the "
        "checkpoints.",
        "Take checkpoint_s3_uri (and checkpoint_local_path) out of the estimator, save to a folder of your own "
        "and copy it from the script, where a failure is seen:\n"
        '    subprocess.run(["aws", "s3", "sync", "--quiet", folder, uri], check=True)\n'
        "Without checkpoints: run the job again, then ask AWS Support.",
        "SageMaker: model parallel troubleshooting, saving checkpoints",
        (
            Clue(
                "We encountered an internal error",
                r"InternalServerError:\s{1,80}We encountered an internal error\.\s{1,80}Please try again",
            ),
        ),
        Certainty.LIKELY,
        rules=("SM021", "SM022", "TS027"),
    ),
    Failure(
        "CKP002",
        "the keys of a checkpoint are not those of the model",
        "Usually a prefix: a model that was wrapped (DistributedDataParallel) saves `module.` before each key.",
        "When it is loaded, with torch 1.9 or later:\n"
        "    from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present\n"
        '    consume_prefix_in_state_dict_if_present(state_dict, "module.")\n'
        "Do not use the vendor's `k.partition('model.')[2]`: it makes one key of all that lack the prefix.",
        "SageMaker: data parallel troubleshooting, unexpected prefix",
        (
            Clue(
                "Unexpected key(s) in state_dict",
                r"Unexpected key\(s\) in state_dict: ['\"]module\.",
                "the checkpoint has the prefix, the model has not",
            ),
            Clue(
                "Missing key(s) in state_dict",
                r"Missing key\(s\) in state_dict: ['\"]module\.",
                "the model is wrapped and the checkpoint has no prefix: load it before the model is wrapped",
            ),
            Clue("key(s) in state_dict", r"(?:Missing|Unexpected) key\(s\) in state_dict"),
        ),
        Certainty.LIKELY,
        rules=("TS021", "TC622", "TC623"),
    ),
    Failure(
        "TCL015",
        "the container blames the compiler",
        "SageMaker saw a path of the compiler in the traceback. That alone does not mean a fault of the "
        "compiler: it may still be the script.",
        "Read the error above it.",
        "sagemaker-training 4.8.3 process.py",
        (Clue("SMTrainingCompiler Error:"),),
        Certainty.LIKELY,
        follows=(*CRASHES, "TCL002", "TCL004", "TCL006", "TCL013", "NCL001", "NCL002"),
    ),
    Failure(
        "DBG001",
        "the debugger was switched off",
        "The SageMaker SDK switches the debugger off for a job with checkpoints. It is a line of information, not the "
        "reason of a failure. (It does so only with both checkpoint_s3_uri and checkpoint_local_path.)",
        f"Nothing, or say it yourself. {_HOOK_OFF}",
        "SageMaker: data parallel troubleshooting, debugger; sagemaker 2.257 estimator.py",
        # The SDK's own text has 25 spaces in the middle.
        (
            Clue(
                "SMDebug Does Not Currently Support Distributed Training Jobs",
                r"SMDebug\s{1,80}Does\s{1,80}Not\s{1,80}Currently\s{1,80}Support\s{1,80}Distributed\s{1,80}Training\s{1,80}"
                r"Jobs\s{1,80}With\s{1,80}Checkpointing\s{1,80}Enabled",
            ),
        ),
        rules=("SM008", "SM021"),
        harmless=True,
    ),
    Failure(
        "TCL090",
        "the Training Compiler was not active",
        "The container printed what it runs, but never `Found configuration for Training Compiler`: the job "
        "trained, or failed, without the compiler.",
        "In the estimator:\n    compiler_config=TrainingCompilerConfig(),\nand no `image_uri`.",
        _COMPILER,
        certainty=Certainty.LIKELY,
        rules=("LC02", "LC14", "SM003", "SM007", "SM009"),
        harmless=True,
    ),
    Failure(
        "TCL091",
        "the Trainer runs on CUDA, not on the XLA device",
        "The job asks for the Training Compiler, and the Trainer says `device: cuda`. transformers from 4.21 on "
        "goes back to CUDA without a word when torch_xla finds no device.",
        "In the estimator, for several GPUs:\n"
        "    compiler_config=TrainingCompilerConfig(),\n"
        '    distribution={"pytorchxla": {"enabled": True}},\n'
        "and in a script of your own ask for the device before the Trainer is made, so that a failure shows:\n"
        "    import torch_xla.core.xla_model as xm\n"
        "    device = xm.xla_device()",
        _COMPILER,
        certainty=Certainty.LIKELY,
        rules=("LC02", "LC14", "SM003", "SM009", "TS017"),
        harmless=True,
    ),
)
