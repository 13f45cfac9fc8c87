from sagemaker.pytorch import PyTorch

# Other machines would not help: the compiler does not take the library.
estimator = PyTorch(
    entry_point="train.py",
    instance_type="ml.p5.48xlarge",
    instance_count=2,
    distribution={"smdistributed": {"modelparallel": {"enabled": True}}, "torch_distributed": {"enabled": True}},
)
