from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

BUCKET = "s3://corpora/checkpoints"
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    checkpoint_s3_uri=BUCKET,
)
