import sagemaker
import time

session = sagemaker.Session()
data = f"s3://{session.default_bucket()}/imdb"

from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

# hyperparameters, which are passed into the training job
hyperparameters={'epochs': 1,
                 'train_batch_size': 32,
                 'model_name':'distilbert-base-uncased'}

huggingface_estimator = PyTorch(
    entry_point          = 'train.py',        # the training script
    source_dir           = './scripts',       # its folder
    instance_type        = 'ml.p3dn.24xlarge',
    instance_count       = 1,
    role                 = role,              # Iam role used in training job
    framework_version    = '1.13.1',          # torch
    py_version           = 'py39',            # Python
    compiler_config      = TrainingCompilerConfig(),
    distribution         = {'pytorchxla': {'enabled': True}},
    disable_profiler     = True,
    debugger_hook_config = False,
    hyperparameters      = hyperparameters,
)
