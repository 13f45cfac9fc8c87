import sagemaker.pytorch as sp

job = sp.PyTorch(
    "train.py",
    role=role,
    instance_count=1,
    instance_type="ml.g4dn.xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=sp.TrainingCompilerConfig(),
)
