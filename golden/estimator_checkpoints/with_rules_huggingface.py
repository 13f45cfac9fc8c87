from sagemaker.debugger import DebuggerHookConfig
from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig

estimator = HuggingFace(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    transformers_version="4.21.1",
    pytorch_version="1.11.0",
    py_version="py38",
    compiler_config=TrainingCompilerConfig(),
    debugger_hook_config=DebuggerHookConfig(s3_output_path="s3://logs/tensors"),
    checkpoint_s3_uri="s3://corpora/checkpoints",
    checkpoint_local_path="/opt/ml/checkpoints",
)
