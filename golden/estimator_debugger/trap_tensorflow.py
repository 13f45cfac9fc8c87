from sagemaker.tensorflow import TensorFlow

estimator = TensorFlow(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="2.11",
    py_version="py39",
)
