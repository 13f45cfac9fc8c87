from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

REGION = "us-west-2"
common = dict(
    entry_point="train.py",
    role=role,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters=dict(epochs=3),
)

small = PyTorch(instance_type="ml.g4dn.xlarge", instance_count=1, **common)
large = PyTorch(
    instance_type="ml.g4dn.12xlarge",
    instance_count=2,
    distribution={"pytorchxla": {"enabled": True}},
    **common,
)

for name, estimator in {"small": small, "large": large}.items():
    estimator.fit(f"s3://corpora/{name}", job_name=f"compare-{name}")
