import sagemaker
import sagemaker.huggingface
from sagemaker.pytorch import PyTorch

sess = sagemaker.Session()
role = sagemaker.get_execution_role()

hyperparameters = {"model_name_or_path": "distilbert-base-uncased", "output_dir": "/opt/ml/model"}

huggingface_estimator = PyTorch(
    entry_point="run_glue.py",
    source_dir="./scripts",
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    role=role,
    framework_version="1.13.1",
    py_version="py39",
    hyperparameters=hyperparameters,
)
huggingface_estimator.fit()
