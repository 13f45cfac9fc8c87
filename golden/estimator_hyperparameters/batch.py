from sagemaker.huggingface import HuggingFace

common = dict(transformers_version="4.21", pytorch_version="1.11", py_version="py38", instance_count=1)

one = HuggingFace(
    entry_point="run_mlm.py",
    instance_type="ml.p3.2xlarge",
    hyperparameters={"per_device_train_batch_size": 24, "learning_rate": 5e-5, "num_train_epochs": 3},
    **common,
)
more = HuggingFace(
    entry_point="run_mlm.py",
    instance_type="ml.p3.8xlarge",
    hyperparameters={"train_batch_size": 24, "lr": 5e-5},
    **common,
)
