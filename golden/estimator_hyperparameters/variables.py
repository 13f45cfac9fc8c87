from sagemaker.pytorch import PyTorch

batch_size = 64
hyperparameters = {"batch-size": batch_size, "lr": 0.1 * batch_size / 256}
hyperparameters["run name"] = "a"
hyperparameters["message"] = "it's $HOME"

estimator = PyTorch(entry_point="train.py", role=role, instance_type="ml.p3.16xlarge", instance_count=2,
                    framework_version="1.13.1", py_version="py39", hyperparameters=hyperparameters)
