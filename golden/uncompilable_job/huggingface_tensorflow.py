from sagemaker.huggingface import HuggingFace

estimator = HuggingFace(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    transformers_version="4.26",
    tensorflow_version="2.11",
    py_version="py39",
)
