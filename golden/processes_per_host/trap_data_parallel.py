from sagemaker.pytorch import PyTorch

mpi = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
              distribution={"mpi": {"enabled": True, "processes_per_host": 4}})
off = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
              distribution={"smdistributed": {"modelparallel": {"enabled": False}},
                            "mpi": {"enabled": True, "processes_per_host": 4}})
