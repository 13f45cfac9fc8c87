from sagemaker.pytorch import PyTorch

job = PyTorch(entry_point="train.py", role=role, framework_version="1.6", py_version="py36",
              instance_type="ml.p3.16xlarge", instance_count=1, hyperparameters={"mp_parameters": "partitions=2"},
              distribution={"mpi": {"enabled": True, "processes_per_host": 2}})
