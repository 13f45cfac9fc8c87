from sagemaker.pytorch import PyTorch


def launch(instance_type, processes):
    smp = {"smdistributed": {"modelparallel": {"enabled": True}}}
    machine = PyTorch(entry_point="train.py", instance_type=instance_type, instance_count=1,
                      distribution={**smp, "mpi": {"enabled": True, "processes_per_host": 4}})
    count = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
                    distribution={**smp, "mpi": {"enabled": True, "processes_per_host": processes}})
    return machine, count
