from sagemaker.estimator import Estimator
from sagemaker.pytorch import PyTorch

job = PyTorch("train.py", framework_version="1.13.1", py_version="py39", role=role, instance_type="ml.p3.2xlarge",
              instance_count=1, max_run=3600, base_job_name="bert", metric_definitions=[], use_spot_instances=True,
              max_wait=7200, volume_size=100, subnets=None, security_group_ids=None, git_config=None, tags=[])
first = PyTorch(entry_point="train.py", train_instance_type="ml.p3.2xlarge", train_instance_count=1, image_name="x")
anything = Estimator(image_uri="x", role=role, instance_count=1, instance_type="ml.p3.2xlarge", flavour=3)
