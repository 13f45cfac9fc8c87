from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch

sharded = HuggingFace(
    entry_point="run_clm.py",
    instance_type="ml.p4d.24xlarge",
    instance_count=2,
    transformers_version="4.26.0",
    pytorch_version="1.13.1",
    py_version="py39",
    distribution={"torch_distributed": {"enabled": True}},
    hyperparameters={"model_id": "gpt2", "fsdp": "full_shard auto_wrap"},
)
offloaded = PyTorch(
    entry_point="train.py",
    instance_type="ml.p4d.24xlarge",
    instance_count=1,
    framework_version="2.0.1",
    py_version="py310",
    hyperparameters={"deepspeed": "dsconfig.json"},
)
