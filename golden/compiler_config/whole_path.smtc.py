import sagemaker

estimator = sagemaker.pytorch.PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.g5.xlarge",
    framework_version="1.13.1",
    py_version="py39",  # 3.9
    compiler_config=sagemaker.pytorch.TrainingCompilerConfig()
)
