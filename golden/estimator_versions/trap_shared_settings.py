from sagemaker.pytorch import PyTorch
from sagemaker.tensorflow import TensorFlow

# The dictionary serves a job of another framework too.
common = {"role": role, "instance_count": 1, "instance_type": "ml.p3.2xlarge", "py_version": "py38"}

torch_job = PyTorch(entry_point="train.py", framework_version="1.12", **common)
tensorflow_job = TensorFlow(entry_point="train_tf.py", framework_version="2.9", **common)
