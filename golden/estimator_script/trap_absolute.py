from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(entry_point="/opt/code/train.py", hyperparameters={"fp16": True})
