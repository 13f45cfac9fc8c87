from sagemaker.debugger import DebuggerHookConfig, ProfilerConfig
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

hook = DebuggerHookConfig(s3_output_path="s3://logs/tensors")
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    debugger_hook_config=hook,
    disable_profiler=False,
)
profiled = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    profiler_config=ProfilerConfig(system_monitor_interval_millis=500),
)
