"""Failures of the launch: what the SageMaker SDK refuses, what the container refuses, what it cannot start."""

from __future__ import annotations

from migrate.doctor.failures import Certainty, Clue, Failure

_ENABLE = "SageMaker: Training Compiler, enable with the SDK"
_RUNNER = "sagemaker-training 4.8.3 pytorch_xla.py"

FAILURES = (
    Failure(
        "TCL010",
        "a distribution that the Training Compiler does not take",
        "The SageMaker SDK refuses the estimator: with a compiler_config the only distribution is pytorchxla, and "
        "pytorchxla needs a compiler_config and PyTorch 1.12 or later (Hugging Face: PyTorch 1.11).",
        "In the estimator, for several GPUs:\n"
        "    compiler_config=TrainingCompilerConfig(),\n"
        '    distribution={"pytorchxla": {"enabled": True}},\n'
        "For one GPU leave `distribution` out. (`torchxla`, as the troubleshooting page has it, is a misspelling.)",
        _ENABLE,
        (
            Clue(
                "is the only distribution mechanism currently supported",
                r"'?pytorchxla'? is the only distribution mechanism currently supported",
            ),
            Clue(
                "is currently only supported for", r"Distribution mechanism '?pytorchxla'? is currently only supported"
            ),
            Clue(
                "currently not compatible with SageMaker Training Compiler",
                r"currently not compatible with\s{1,80}SageMaker Training Compiler",
            ),
        ),
        rules=("SM001", "SM002", "SM003", "SM012"),
        early=True,
    ),
    Failure(
        "TCL011",
        "an instance that the Training Compiler does not support",
        "The SageMaker SDK refuses the instance type: the Training Compiler supports the classes p3, p3dn, p4d, "
        "g4dn and g5, one type for all instances, and no local mode.",
        "In the estimator choose such an instance, for example\n"
        '    instance_type="ml.p3.8xlarge",\n'
        "with instance_count, not instance_groups.",
        "SageMaker: Training Compiler, supported instance types",
        (
            Clue("Unsupported Instance class"),
            Clue(
                "support local mode",
                r"Training Compiler doesn'?t support local mode",
                "local mode has no Training Compiler",
            ),
            Clue("only supports homogeneous clusters", hint="instance_groups was given"),
        ),
        rules=("SM004", "LC15"),
        early=True,
    ),
    Failure(
        "TCL018",
        "a version that has no Training Compiler container",
        "The SageMaker SDK finds no container image for the version, Python version or region asked for, or an "
        "image of your own was given beside the compiler_config.",
        "In a PyTorch estimator:\n"
        '    framework_version="1.13.1",\n'
        '    py_version="py39",\n'
        "In a HuggingFace estimator, whose last container has PyTorch 1.11:\n"
        '    transformers_version="4.21.1",\n'
        '    pytorch_version="1.11.0",\n'
        '    py_version="py38",\n'
        "Leave `image_uri` out.",
        "SageMaker: Training Compiler, supported frameworks; sagemaker 2.257 image_uris.py",
        (
            Clue("Unsupported Python version", r"Unsupported Python version: \S{1,20}"),
            Clue(
                "You may need to upgrade your SDK version",
                r"Unsupported (?:pytorch|framework|huggingface|transformers) version: \S{1,40}",
            ),
            Clue("with HuggingFace PyTorch", r"only supported\s{1,80}with HuggingFace PyTorch 1\.9-1\.11"),
            Clue("Overriding the image URI is currently not supported", hint="image_uri was given"),
        ),
        rules=("SM005", "SM006", "SM007", "SM017", "LC07"),
        early=True,
    ),
    Failure(
        "TCL014",
        "a SageMaker SDK without the Training Compiler",
        "Version 3 of the SageMaker SDK has removed the Training Compiler, and versions before 2.121.1 do not "
        "have it for PyTorch estimators (2.133.0 for PyTorch 1.13.1).",
        "Where the launcher runs:\n    pip install 'sagemaker>=2.133,<3'",
        "SageMaker: Training Compiler, enable with the SDK; sagemaker 3.27 migration.md",
        (
            Clue("was removed in the SageMaker Python SDK v3"),
            Clue(
                "No module named 'sagemaker.",
                r"No module named '?sagemaker\.(?:pytorch|huggingface|estimator|tensorflow|training_compiler)\b",
            ),
            Clue("cannot import name 'TrainingCompilerConfig'", hint="the SDK is too old for this class"),
        ),
        rules=("SM018",),
        early=True,
    ),
    Failure(
        "QUO001",
        "a quota of the account is used up",
        "SageMaker does not start the job: the account may not run that many instances of this type at once.",
        'Ask for more in the Service Quotas console ("ml.p3.8xlarge for training job usage"), or wait for other '
        "jobs to "
        "end, or choose another instance type or count.",
        "SageMaker: quotas; Training Compiler FAQ",
        (Clue("ResourceLimitExceeded"),),
        early=True,
    ),
    Failure(
        "TCL006",
        "a container or an entry point that PyTorch/XLA cannot be started with",
        "The job's container has no torch_xla of SageMaker's, the instance has no GPU, or the entry point is not "
        "a single Python script.",
        "In the estimator:\n"
        "    compiler_config=TrainingCompilerConfig(),\n"
        "and no `image_uri`, a GPU instance, a `.py` file as `entry_point`, and no setup.py in `source_dir`.",
        _RUNNER,
        (
            Clue("SMTrainingCompilerConfigurationError"),
            Clue("PT-XLA is not supported", hint="source_dir has a setup.py, which makes it a package: take it out"),
            Clue("PT-XLA is only supported"),
            Clue("Unable to find PT-XLA", hint="the image is not one of the Training Compiler's"),
            Clue(
                "Unable to find SageMaker integration code",
                hint="torch_xla was installed over the one that SageMaker builds: take it out of requirements.txt",
            ),
            Clue(
                "No module named 'torch_xla",
                r"No module named '?torch_xla(?:\.distributed|\.core)?(?:\.(?:xla_spawn|sm_dist|xla_model))?(?![\w.])",
                "torch_xla is not in the image: it is not one of the Training Compiler's",
            ),
        ),
        rules=("SM007", "SM011", "LC02", "LC14"),
        early=True,
    ),
    Failure(
        "TCL005",
        "the number of GPUs and the number of workers disagree",
        "PyTorch/XLA was told of another number of devices than it finds.",
        "Leave GPU_NUM_DEVICES to the launcher: take it out of the estimator's `environment` and out of the "
        "script. For several GPUs give the estimator\n"
        '    distribution={"pytorchxla": {"enabled": True}},\n'
        'and do not call xmp.spawn yourself. With one process and no distribution set it to "1".',
        "SageMaker: Training Compiler troubleshooting, missing XLA configuration",
        (
            Clue(
                "The number of devices must be either",
                r"number of devices must be either [`'\"]?1[`'\"]? or [`'\"]?\d{1,9}[`'\"]?, got \d{1,9}",
            ),
            Clue("must match the configured workers", r"World size \(\d{1,9}\) must match the configured workers"),
        ),
        rules=("SM009", "SM010", "SM016", "TS009"),
    ),
    Failure(
        "TCL012",
        "a SageMaker distributed library that is not in this container",
        "The Training Compiler's container does not have the smdistributed libraries, and the compiler does not work "
        "together with them. A use of the data parallel library is left in the script; the model parallel "
        "library has no counterpart.",
        "Let `tc-migrate SCRIPT --write` replace the data parallel library, and in the estimator write\n"
        '    distribution={"pytorchxla": {"enabled": True}},\n'
        "in place of `smdistributed`. A script that needs model parallelism has to run without the Training Compiler.",
        "SageMaker: Training Compiler FAQ; deep-learning-containers 1.13 Dockerfile.trcomp.gpu",
        (Clue("No module named 'smdistributed", r"No module named '?smdistributed\b"),),
        rules=("TS006", "TS007", "SM002", "SM020"),
        early=True,
    ),
    Failure(
        "TCL016",
        "transformers is not in this container",
        "The Training Compiler's containers for PyTorch 1.12 and 1.13 come without the Hugging Face libraries.",
        "Put a requirements.txt beside the entry point, in `source_dir`, with\n    transformers==4.21.1",
        "SageMaker: Training Compiler, release notes for PyTorch 1.12",
        (Clue("No module named 'transformers", r"No module named '?transformers\b"),),
        certainty=Certainty.LIKELY,
        rules=("LC19",),
        early=True,
    ),
)
"""In the order of a job's life."""
