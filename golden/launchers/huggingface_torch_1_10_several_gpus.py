import sagemaker
from sagemaker.huggingface import HuggingFace

distribution = {"smdistributed": {"dataparallel": {"enabled": True}}}

estimator = HuggingFace(
    entry_point="run_qa.py",
    source_dir="./examples/pytorch/question-answering",
    instance_type="ml.p3.16xlarge",
    instance_count=2,
    role=sagemaker.get_execution_role(),
    transformers_version="4.17.0",
    pytorch_version="1.10.2",
    py_version="py38",
    hyperparameters={"model_name_or_path": "bert-large-uncased", "per_device_train_batch_size": 4},
    distribution=distribution,
)
estimator.fit(wait=False)
