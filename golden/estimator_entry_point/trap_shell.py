from sagemaker.pytorch import PyTorch

shell = PyTorch(entry_point="train.sh", role=role, instance_count=1, instance_type="ml.p3.8xlarge",
                framework_version="1.13.1", py_version="py39")
alone = PyTorch(entry_point="train.sh", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                framework_version="1.13.1", py_version="py39")
