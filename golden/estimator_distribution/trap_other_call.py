from sagemaker.pytorch import PyTorchModel

from jobs import submit

model = PyTorchModel(model_data="s3://models/a", role=role, entry_point="serve.py", framework_version="1.12")
submit("train.py", distribution={"smdistributed": {"dataparallel": {"enabled": True}}})
