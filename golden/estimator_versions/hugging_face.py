from sagemaker.huggingface import HuggingFace

# The versions of a container: kept, but for the Python.
kept = HuggingFace(
    entry_point="run_glue.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.17",
    pytorch_version="1.10",
    py_version="py36",
)
# Without a Python the estimator can't be made.
silent = HuggingFace(
    entry_point="run_glue.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.11.0",
    pytorch_version="1.9.0",
)
# One short and one full: the SDK takes neither.
mixed = HuggingFace(
    entry_point="run_glue.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.17",
    pytorch_version="1.10.2",
    py_version="py38",
)
# An older torch without a container.
older = HuggingFace(
    entry_point="run_glue.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.6",
    pytorch_version="1.7",
    py_version="py36",
)
