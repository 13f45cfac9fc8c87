from sagemaker.huggingface import HuggingFace

# Nothing but the entry point gets into the job.
alone = HuggingFace(
    entry_point="train.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.26.0",
    pytorch_version="1.13.1",
    py_version="py39",
)
# Here the list does.
listed = HuggingFace(
    entry_point="train.py",
    dependencies=["requirements.txt"],
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    transformers_version="4.26.0",
    pytorch_version="1.13.1",
    py_version="py39",
)
