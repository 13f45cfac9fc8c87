from sagemaker.pytorch import PyTorch

estimator = PyTorch("train.py", role=role, framework_version='1.13.1', py_version='py39',
                    instance_count=1, instance_type='ml.p3.2xlarge')
