import sagemaker.huggingface as hf

VERSIONS = {"transformers_version": "4.28.1", "pytorch_version": "2.0.0", "py_version": "py310"}

estimator = hf.HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge", **VERSIONS)
