from sagemaker.huggingface import HuggingFace

hyperparameters = {"mp_parameters": "partitions=4", "epochs": 1}
estimator = HuggingFace(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    transformers_version="4.17",
    pytorch_version="1.10",
    py_version="py38",
    hyperparameters=hyperparameters,
)
