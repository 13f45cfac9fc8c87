import sagemaker
from sagemaker.pytorch import PyTorch

session = sagemaker.Session()
image = sagemaker.image_uris.retrieve(
    framework="pytorch", region="us-west-2", version="1.12", py_version="py38", instance_type="ml.p3.2xlarge",
    image_scope="training",
)
print(image)
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
