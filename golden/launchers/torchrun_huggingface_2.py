from sagemaker.huggingface import HuggingFace

estimator = HuggingFace(
    entry_point="run_clm.py",
    role=role,
    instance_count=1,
    instance_type="ml.g5.48xlarge",
    transformers_version="4.28",
    pytorch_version="2.0",
    py_version="py310",
    distribution={"torch_distributed": {"enabled": True}},
    hyperparameters={"model_name_or_path": "gpt2", "per_device_train_batch_size": 8},
)
