from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

hyperparameters = {
    "n_gpus": 4,
    "training_script": "run_mlm.py",
    "model_name_or_path": "roberta-large",
}

estimator = HuggingFace(
    entry_point="distributed_training_launcher.py",
    source_dir="scripts",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    transformers_version="4.21.1",
    pytorch_version="1.11.0",
    py_version="py38",
    hyperparameters=hyperparameters,
    compiler_config=TrainingCompilerConfig(),
)
