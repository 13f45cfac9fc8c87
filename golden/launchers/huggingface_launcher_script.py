import sagemaker
from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

# AWS's own way to several GPUs with torch 1.10: the entry point starts the training script.
versions = {"transformers_version": "4.21", "pytorch_version": "1.11", "py_version": "py38"}
hyperparameters = {
    "training_script": "run_mlm.py",
    "per_device_train_batch_size": 24,
    "learning_rate": 5e-5,
    "do_train": True,
}

estimator = HuggingFace(
    entry_point="launch_sm_training_compiler.py",
    source_dir="./scripts",
    instance_type="ml.p3.16xlarge",
    instance_count=1,
    role=sagemaker.get_execution_role(),
    hyperparameters=hyperparameters,
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    **versions,
)
estimator.fit()
