from sagemaker.tensorflow import TensorFlow

estimator = TensorFlow(entry_point="train.py", hyperparameters={"fp16": True})
