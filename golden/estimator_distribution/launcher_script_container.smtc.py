from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

estimator = HuggingFace(
    entry_point="distributed_training_launcher.py",
    role=role,
    instance_count=2,
    instance_type="ml.p3.16xlarge",
    transformers_version="4.17.0",
    pytorch_version="1.10.2",
    py_version="py38",
    compiler_config=TrainingCompilerConfig(),
    hyperparameters={"training_script": "train.py"},
)
