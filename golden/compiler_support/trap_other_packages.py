import subprocess

from sagemaker.pytorch import PyTorch

subprocess.run(["pip", "install", "sagemaker-training==3.9.2", "my-sagemaker==1.0", "boto3>=1.20"])
HELP = "sagemaker is not a version number: 3"
job = PyTorch(entry_point="train.py", role=role, framework_version="1.13.1", py_version="py39",
              instance_type="ml.p3.2xlarge", instance_count=1)
