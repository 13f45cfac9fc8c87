from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="run_clm.py",
    role=role,
    instance_count=1,
    instance_type="ml.g5.48xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters={"model_name_or_path": "gpt2", "per_device_train_batch_size": 8},
)
