import sys

from sagemaker.pytorch import PyTorch

smp = {"smdistributed": {"modelparallel": {"enabled": True}}}
machine = "ml.p3.16xlarge" if "--large" in sys.argv else "ml.p3.8xlarge"
job = PyTorch(entry_point="train.py", role=role, framework_version="1.12", py_version="py38", instance_type=machine,
              instance_count=1, distribution={**smp, "mpi": {"enabled": True, "processes_per_host": 4}})
