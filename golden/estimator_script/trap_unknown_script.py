"""Which script it is, the environment says."""
import os

from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(entry_point=os.environ["SCRIPT"], hyperparameters={"fp16": True})
