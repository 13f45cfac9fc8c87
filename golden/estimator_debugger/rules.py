from sagemaker.debugger import ProfilerRule, Rule, rule_configs
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

rules = [Rule.sagemaker(rule_configs.vanishing_gradient()), ProfilerRule.sagemaker(rule_configs.ProfilerReport())]
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    rules=rules,
)
