from sagemaker.pytorch import PyTorch

smp = {"smdistributed": {"modelparallel": {"enabled": True, "parameters": {"partitions": 2}}}}

fewer = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
                distribution={**smp, "mpi": {"enabled": True, "processes_per_host": 4}})
right = PyTorch(entry_point="train.py", instance_type="ml.p3.8xlarge", instance_count=1,
                distribution={**smp, "mpi": {"enabled": True, "processes_per_host": 4}})
