from sagemaker.pytorch import PyTorch

environment = {"GPU_NUM_DEVICES": "4", "EPOCHS": 3}

small = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.8xlarge", environment=environment)
large = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.2xlarge", environment=environment)
