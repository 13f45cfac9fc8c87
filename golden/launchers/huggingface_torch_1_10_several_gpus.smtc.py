import sagemaker
from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

estimator = HuggingFace(
    entry_point="distributed_training_launcher.py",
    source_dir="./examples/pytorch/question-answering",
    instance_type="ml.p3.16xlarge",
    instance_count=2,
    role=sagemaker.get_execution_role(),
    transformers_version="4.17.0",
    pytorch_version="1.10.2",
    py_version="py38",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters={
        "model_name_or_path": "bert-large-uncased",
        "per_device_train_batch_size": 4,
        "training_script": "run_qa.py",
    },
)
estimator.fit(wait=False)
