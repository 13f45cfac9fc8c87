from sagemaker.huggingface import HuggingFace

settings = {
    "transformers_version": "4.21.1",  # short
    "pytorch_version": "1.11.0",        # and old
}
huggingface_estimator = HuggingFace(
    entry_point          = 'train.py',        # the script
    instance_type        = 'ml.g5.2xlarge',   # the machine
    instance_count       = 1,                 # how many
    role                 = role,              # may read the data
    transformers_version = '4.21.1',          # the transformers
    pytorch_version      = '1.11.0',          # the torch
    py_version           = 'py38',            # the Python
)
other = HuggingFace(entry_point="train.py", instance_type="ml.g5.2xlarge", instance_count=1, py_version="py38", **settings)
