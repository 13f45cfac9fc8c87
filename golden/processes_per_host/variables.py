from sagemaker.pytorch import PyTorch

processes = 2
mpi = {"enabled": True, "processes_per_host": processes}
distribution = {"smdistributed": {"modelparallel": {"enabled": True, "parameters": {"partitions": 2}}}, "mpi": mpi}

job = PyTorch(entry_point="train.py", role=role, framework_version="1.12", py_version="py38",
              instance_type="ml.g4dn.12xlarge", instance_count=1, distribution=distribution)
