from sagemaker.pytorch import PyTorch
from sagemaker.tensorflow import TensorFlow

estimator = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.8xlarge",
                    hyperparameters={"GPU_NUM_DEVICES": 4, "epochs": 3}, environment=None)
other = TensorFlow(entry_point="train.py", instance_count=1, instance_type="ml.p3.8xlarge", environment={"EPOCHS": 3})
none = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.8xlarge", environment=make_environment())
