from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(entry_point="train.py", source_dir="s3://bucket/code.tar.gz", hyperparameters={"fp16": True})
