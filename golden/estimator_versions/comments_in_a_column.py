from sagemaker.huggingface import HuggingFace

settings = {
    "transformers_version": "4.6",   # short
    "pytorch_version": "1.7",        # and old
}
huggingface_estimator = HuggingFace(
    entry_point          = 'train.py',        # the script
    instance_type        = 'ml.g5.2xlarge',   # the machine
    instance_count       = 1,                 # how many
    role                 = role,              # may read the data
    transformers_version = '4.6',             # the transformers
    pytorch_version      = '1.7',             # the torch
    py_version           = 'py36',            # the Python
)
other = HuggingFace(entry_point="train.py", instance_type="ml.g5.2xlarge", instance_count=1, py_version="py36", **settings)
