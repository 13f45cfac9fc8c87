from sagemaker.pytorch import PyTorch

estimator = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1,
                    hyperparameters={"name": "first try", "learning_rate": 0.1, "color": 3})
