from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point       = 'train.py',        # the script
    role              = role,              # of the team
    instance_type     = 'ml.p3.2xlarge',
    instance_count    = 1,
    framework_version = '1.13.1',          # torch
    py_version        = 'py39',            # Python
    compiler_config   = TrainingCompilerConfig(),
    hyperparameters   = {'epochs': 1},     # for the script
)
