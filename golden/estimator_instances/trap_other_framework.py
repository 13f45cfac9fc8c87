from sagemaker.pytorch import PyTorch
from sagemaker.tensorflow import TensorFlow

machines = {"train_instance_type": "ml.p3.2xlarge", "train_instance_count": 1}

torch_job = PyTorch(entry_point="train.py", role=role, **machines)
tensorflow_job = TensorFlow(entry_point="train.py", role=role, **machines)
both = PyTorch(entry_point="train.py", role=role, train_instance_type="ml.p3.2xlarge", instance_type="ml.p3.8xlarge")
