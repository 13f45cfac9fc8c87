from sagemaker.pytorch import PyTorch

estimator = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
                    hyperparameters={"learning_rate": 0.1, "eval_batch_size": 8},
                    distribution={"smdistributed": {"dataparallel": {"enabled": True}}})
