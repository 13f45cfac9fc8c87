from sagemaker.pytorch import PyTorch


def launch(hyperparameters, name, instance_type):
    given = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
                    hyperparameters=hyperparameters)
    named = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1,
                    hyperparameters={"name": name})
    machine = PyTorch(entry_point="train.py", instance_type=instance_type, instance_count=1,
                      hyperparameters={"name": "a b", "lr": 0.1})
    return given, named, machine
