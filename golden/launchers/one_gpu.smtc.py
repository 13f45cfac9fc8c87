"""Train the tagger on one GPU."""
import sagemaker
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

session = sagemaker.Session()
role = sagemaker.get_execution_role()
data = "s3://corpora/tagger/train"

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=role,
    sagemaker_session=session,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters={
        "epochs": 10,
        "batch-size": 64,
        "lr": 1e-3,
    },
    metric_definitions=[{"Name": "loss", "Regex": "loss: ([0-9.]+)"}],
)

estimator.fit({"training": data}, wait=False)
