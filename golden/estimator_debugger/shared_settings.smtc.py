from sagemaker.debugger import Rule, rule_configs
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

settings = dict(role=role, framework_version="1.13.1", py_version="py39", compiler_config=TrainingCompilerConfig())
small = PyTorch(
    entry_point="train.py",
    instance_type="ml.g4dn.xlarge",
    instance_count=1,
    disable_profiler=True,
    debugger_hook_config=False,
    **settings,
)
watched = PyTorch(
    entry_point="train.py",
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    rules=[Rule.sagemaker(rule_configs.overfit())],
    **settings,
)
