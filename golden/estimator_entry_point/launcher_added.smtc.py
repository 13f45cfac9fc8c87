from sagemaker.huggingface import HuggingFace

hyperparameters = {
    "epochs": 3,
    "train_batch_size": 24,
    "training_script": "train.py",
}
versions = dict(transformers_version="4.17.0", pytorch_version="1.10.2", py_version="py38")

estimator = HuggingFace(
    entry_point="distributed_training_launcher.py",
    source_dir="scripts",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    hyperparameters=hyperparameters,
    **versions,
)
without = HuggingFace(
    entry_point="distributed_training_launcher.py",
    hyperparameters={"training_script": "eval.py"},
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    **versions,
)
one_item = HuggingFace(entry_point="distributed_training_launcher.py", role=role, instance_count=2, instance_type="ml.p3.2xlarge",
                       hyperparameters={"epochs": 3, "training_script": "more.py"}, **versions)
called = HuggingFace(entry_point="distributed_training_launcher.py", role=role, instance_count=2, instance_type="ml.p3.2xlarge",
                     hyperparameters=dict(epochs=3, training_script="last.py"), **versions)
