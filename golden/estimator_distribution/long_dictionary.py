from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p4d.24xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={
        "smdistributed": {
            "dataparallel": {"enabled": True, "custom_mpi_options": "-verbose"},
        },
    },
    disable_profiler=True,
    debugger_hook_config=False,
)
